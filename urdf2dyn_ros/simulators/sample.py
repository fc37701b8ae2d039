"""The sample of one physics step."""

from dataclasses import dataclass

from urdf2dyn_ros.algebra.arrays import Array

EFFORTS = ('net', 'commanded')


@dataclass(frozen=True)
class SimulatedSample:
    """
    State and efforts at the beginning of one step.

    Both engines step by the semi-implicit Euler method: qd' = qd + dt qdd, q' = q + dt qd'. The
    effort holds exactly for q and qd before the step and qdd = (qd' - qd) / dt. In continuous
    time, q and qdd belong to `time`, but qd = (q - q of the step before) / dt to half a step
    earlier and qd' to half a step later; their mean is the velocity that a sensor would measure.
    """

    time: float   # simulated time [s]
    q: Array   # (n,), state of the engine's equations [rad or m]
    qd: Array   # (n,) [rad/s or m/s]
    qdd: Array   # (n,) [rad/s^2 or m/s^2]
    velocity: Array   # (n,), at the instant of q [rad/s or m/s]
    # (n,), effort that moves the links [N m or N]: the wrench that a sensor in the joint would
    # measure, projected on the axis; without damping and friction of the joint
    net: Array
    commanded: Array   # (n,), effort of the actuator [N m or N]: net effort, damping and friction

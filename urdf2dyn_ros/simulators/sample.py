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

    Attributes
    ----------
    time : float
        Simulated time [s].
    q, qd, qdd : ndarray, (n,)
        State of the engine's equations [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
    velocity : ndarray, (n,)
        At the instant of q [rad/s or m/s].
    net : ndarray, (n,)
        Effort that moves the links [N m or N]: the wrench that a sensor in the joint would
        measure, projected on the axis; without damping and friction of the joint.
    commanded : ndarray, (n,)
        Effort of the actuator [N m or N]: net effort, damping and friction.

    """

    time: float
    q: Array
    qd: Array
    qdd: Array
    velocity: Array
    net: Array
    commanded: Array

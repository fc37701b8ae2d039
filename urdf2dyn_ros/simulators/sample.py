"""What a simulator measures in a step."""

from __future__ import annotations

from dataclasses import dataclass

from urdf2dyn_ros.algebra.arrays import Array

EFFORTS = ('net', 'commanded')
"""The efforts of a sample."""


@dataclass(frozen=True)
class SimulatedSample:
    """
    What a step measured, all of it at the instant that the step departed from.

    Both engines step by the semi-implicit Euler method: qd' = qd + dt qdd, q' = q + dt qd'. What
    they solve, and so the effort, holds exactly for the q and qd of before the step and
    qdd = (qd' - qd) / dt. Read as a motion in continuous time, q and qdd are those of `time`, but
    qd = (q - q of the step before) / dt is that of half a step earlier, and qd' that of half a
    step later; the velocity at `time` is their mean. That is what a sensor would measure, and
    what an estimator has to be given beside q.

    Attributes
    ----------
    time : float
        Simulated time [s].
    q, qd, qdd : ndarray, (n,)
        Of the engine's equations [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
    velocity : ndarray, (n,)
        At the instant of q [rad/s or m/s].
    net : ndarray, (n,)
        What moves the links [N m or N]: the wrench that a sensor in the joint would see, projected
        on the axis. Damping and friction of the joint are not in it.
    commanded : ndarray, (n,)
        What the actuator supplies [N m or N]: net effort, damping and friction.

    """

    time: float
    q: Array
    qd: Array
    qdd: Array
    velocity: Array
    net: Array
    commanded: Array

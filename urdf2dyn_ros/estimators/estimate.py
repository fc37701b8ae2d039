"""The contract of every estimator: samples in, position, velocity and acceleration out."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from urdf2dyn_ros.algebra.arrays import Array


class Estimate(NamedTuple):
    """
    The motion of all joints at one instant.

    Attributes
    ----------
    stamp : int
        The instant the values belong to [ns], which an estimator with a lag declares earlier
        than the newest sample.
    q, qd, qdd : ndarray, (n,)
        [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
    std : ndarray, (n,)
        Standard deviation of qdd; NaN where the method does not know it.
    valid : bool
        False while the estimator warms up; the arrays must not be used then.

    """

    stamp: int
    q: Array
    qd: Array
    qdd: Array
    std: Array
    valid: bool


class Estimator(Protocol):
    """
    What the stream drives: one sample in, one estimate out, in the order of the stamps.

    The stream guarantees strictly increasing stamps, finite positions, continuous joints already
    unwrapped, and calls `reset` after every jump or gap (`forget_motion` after a gap, of those
    that are ``Learning``). A velocity that was not measured is NaN,
    joint by joint, and is then had from the positions.

    """

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Take one sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""

    def reset(self) -> None:
        """Forget every sample."""


@runtime_checkable
class Learning(Protocol):
    """An estimator that learns what the sensors are like."""

    def forget_motion(self) -> None:
        """Forget every sample, but not what they told of the sensors: a gap leaves those."""


@runtime_checkable
class Accelerated(Protocol):
    """An estimator that is told accelerations."""

    def accelerate(self, stamp: int, qdd: Array) -> bool:
        """Take accelerations (n,) [rad/s^2 or m/s^2] at a stamp [ns]; return whether it is new."""

"""The contract of every estimator: samples in, position, velocity and acceleration out."""

from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.driver_clock import DriverClock
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import Array


class Estimate(NamedTuple):
    """State of all joints at one stamp."""

    # stamp that the values belong to [ns]; an estimator with a lag returns an earlier one than
    # that of the newest sample
    stamp: int
    q: Array   # (n,) [rad or m]
    qd: Array   # (n,) [rad/s or m/s]
    qdd: Array   # (n,) [rad/s^2 or m/s^2]
    std: Array   # (n,), standard deviation of qdd; NaN where the method does not estimate it
    valid: bool   # false while the estimator warms up; the arrays must not be used then


class Estimator(Protocol):
    """
    Returns an estimate for each sample, in the order of the stamps.

    The stream guarantees strictly increasing stamps and finite positions; continuous joints are
    already unwrapped. Velocities that were not measured are NaN per joint; the estimator then
    differentiates the positions. The stream calls `reset` after every clock jump, and after a gap
    `forget_motion` of an estimator that is ``Learning``, or else `reset`.

    Constructors take the number of joints and, as keywords, every row of the class's
    ``PARAMETERS``, checked: `make` does that.
    """

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Add a sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""

    def reset(self) -> None:
        """Forget every sample."""


@runtime_checkable
class Learning(Protocol):
    """An estimator that learns the noise of the sensors."""

    def forget_motion(self) -> None:
        """Forget every sample but keep the learned noise: a gap does not change the sensors."""


@runtime_checkable
class Selective(Protocol):
    """
    An estimator of joints on their own, so that some may lack a measurement.

    Its clock receives messages that repeat a sample, which are not added.
    """

    clock: DriverClock

    def update_some(self, stamp: int, q: Array, qd: Array, missing: NDArray[np.bool_]) -> Estimate:
        """Add a sample as `update`, without the measurements of some joints, (n,)."""


@runtime_checkable
class Carrying(Protocol):
    """An estimator with a lag, which needs a stamp for each of its estimates."""

    def carry(self, stamp: int) -> Estimate:
        """Add a stamp [ns] at which nothing was measured; there has been a sample before it."""


@runtime_checkable
class Accelerated(Protocol):
    """An estimator that receives accelerations."""

    def accelerate(self, stamp: int, qdd: Array) -> bool:
        """Add accelerations (n,) [rad/s^2 or m/s^2] of a stamp [ns]; return whether it is new."""


E_co = TypeVar('E_co', covariant=True)


class EstimatorClass(Protocol[E_co]):
    """A class of estimators: its table of parameters and its constructor."""

    @property
    def PARAMETERS(self) -> tuple[Parameter, ...]:  # noqa: N802
        """Table of the parameters."""

    def __call__(self, joints: int, *args: Any, **parameters: Any) -> E_co:
        """Return a new estimator; the parameters are those of the table, all of them."""


def make(kind: EstimatorClass[E_co], joints: int, **parameters: Any) -> E_co:
    """Return a new estimator of a class; parameters as in `make_estimator`."""
    return kind(joints, **check_all(kind.PARAMETERS, parameters))

"""The estimators of accelerations by name: one line each in a table."""

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.errors import CompilerError, ParameterError
from urdf2dyn_ros.estimation.bank import mixed
from urdf2dyn_ros.estimation.compiled import CompiledEstimator, library
from urdf2dyn_ros.estimation.estimator import Estimator
from urdf2dyn_ros.estimation.simple_estimators import (
    EstimatorBase,
    External,
    FiniteDifference,
    NoAcceleration,
    Polynomial,
)
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import Array

BANDWIDTH = Parameter(
    'bandwidth', 0.0, 'Bandwidth of the Kalman filters: larger follows faster and is noisier; the '
    'nearest one of the bank is used. 0 weights all of them, joint by joint, by how well each has '
    'estimated of late.', unit='rad/s', minimum=0.0, maximum=2000.0)

_LOG = logging.getLogger(__name__)


class Kalman(Estimator, EstimatorBase):
    """
    Kalman filters of many bandwidths, weighted joint by joint: see estimator.py.

    With a fixed bandwidth, only the filters of order 4 that are nearest to it have weights.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (BANDWIDTH,)
    PARTIAL: ClassVar[bool] = True
    CHECKED: ClassVar[bool] = False

    def __init__(self, joints: int, *, bandwidth: float = 0.0, lag: float = 0.0,
                 derivative: int = 2) -> None:
        self._fixed = bandwidth
        super().__init__(joints, lag, derivative)

    @property
    def contradicts(self) -> bool:
        """Whether a position of the newest sample was not used."""
        return any(self._row[0].tolist())

    @property
    def velocity_use(self) -> Array | None:
        """Return the weight (n,) of the filters that use measured velocities."""
        if self._bank is None or not self._velocities:
            return None
        return mixed(self._hindsight.weights[:-1], self._bank.by_velocity[:, None] * 1.0)

    def _start(self, time: float, q: Array, qd: Array) -> int:
        outcome = super()._start(time, q, qd)
        bank = self._bank
        if bank is not None and self._fixed:
            distance = np.abs(np.log(bank.w / self._fixed))
            others = (distance > distance.min() + 1e-9) | (bank.order == 3)
            for hindsight in (self._hindsight, *(each.hindsight for each in (self._lag,) if each)):
                hindsight._prior[np.append(others, True)] = 0.0
        return outcome


class KalmanFixedLag(Kalman):
    """The same a little later, and several times better: see lag.py."""

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        BANDWIDTH,
        Parameter('lag', 0.02, 'How much older the estimate is than the newest sample.', unit='s',
                  minimum=0.0, maximum=0.5),
    )


class CompiledKalman(Kalman, CompiledEstimator):
    """Both in C."""


ESTIMATORS: dict[str, type[EstimatorBase]] = {
    'kalman': Kalman,
    'kalman_fixed_lag': KalmanFixedLag,
    'polynomial': Polynomial,
    'finite_difference': FiniteDifference,
    'none': NoAcceleration,
    'external': External,
}


def make_estimator(name: str, joints: int, **parameters: Any) -> EstimatorBase:
    """
    Return a new estimator for a number of joints.

    The name is a key of ``ESTIMATORS``, the parameters are rows of its ``PARAMETERS`` by name; the
    others are at their defaults. A ParameterError for an unknown name, or a value that breaks its
    rule.
    """
    if name not in ESTIMATORS:
        raise ParameterError(f'unknown estimator {name!r}; choose one of ' + ', '.join(ESTIMATORS))
    kind: Callable[..., EstimatorBase] = ESTIMATORS[name]
    values = check_all(ESTIMATORS[name].PARAMETERS, parameters)
    return (fastest_kalman() if kind in (Kalman, KalmanFixedLag) else kind)(joints, **values)


@lru_cache(maxsize=1)
def fastest_kalman() -> type[Kalman]:
    """Return the filters in C; log why they are those on numpy."""
    try:
        library()
    except CompilerError as error:
        _LOG.warning('the Kalman filters run on numpy: %s', error)
        return Kalman
    return CompiledKalman

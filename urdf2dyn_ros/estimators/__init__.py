"""Estimators of accelerations: one file each, and one line each in the table."""

from __future__ import annotations

import logging
from typing import Any, Protocol

from urdf2dyn_ros.errors import CompilerError, ParameterError
from urdf2dyn_ros.estimators.compiled_kalman import CompiledKalman
from urdf2dyn_ros.estimators.estimate import Estimate, Estimator
from urdf2dyn_ros.estimators.external import External
from urdf2dyn_ros.estimators.finite_difference import FiniteDifference
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.estimators.none import NoAcceleration
from urdf2dyn_ros.estimators.polynomial import Polynomial
from urdf2dyn_ros.parameters import Parameter


class EstimatorClass(Protocol):
    """What a class must offer to be in the table."""

    @property
    def PARAMETERS(self) -> tuple[Parameter, ...]:  # noqa: N802
        """Its table of parameters."""

    def __call__(self, joints: int, **parameters: Any) -> Estimator:
        """Make one for so many joints."""


ESTIMATORS: dict[str, EstimatorClass] = {
    'kalman': Kalman,
    'kalman_fixed_lag': KalmanFixedLag,
    'polynomial': Polynomial,
    'finite_difference': FiniteDifference,
    'none': NoAcceleration,
    'external': External,
}

COMPILED: dict[str, EstimatorClass] = {'kalman': CompiledKalman}
"""Those of them that can also be compiled."""

_LOG = logging.getLogger(__name__)

__all__ = ['ESTIMATORS', 'Estimate', 'Estimator', 'EstimatorClass', 'make_compiled',
           'make_estimator', 'prepare_compiled']


def make_estimator(name: str, joints: int, **parameters: Any) -> Estimator:
    """
    Return a new estimator.

    Parameters
    ----------
    name : str
        A key of ``ESTIMATORS``.
    joints : int
        Their number.
    **parameters
        Values by name; the rows of the class's ``PARAMETERS`` say which.

    Raises
    ------
    ParameterError
        For an unknown estimator or parameter, or a value that breaks its rule.

    """
    if name not in ESTIMATORS:
        raise ParameterError(f'unknown estimator {name!r}; choose one of ' + ', '.join(ESTIMATORS))
    return ESTIMATORS[name](joints, **parameters)


def make_compiled(name: str, joints: int, **parameters: Any) -> Estimator:
    """Return the same from the C compiler, where that is possible; if it fails, the log has it."""
    if name in COMPILED:
        try:
            return COMPILED[name](joints, **parameters)
        except CompilerError as error:
            _LOG.warning('the estimator %s runs on numpy: %s', name, error)
    return make_estimator(name, joints, **parameters)


def prepare_compiled() -> None:
    """Have the C compiler do its work now, where nobody waits for it."""
    for name in COMPILED:
        make_compiled(name, 1)

"""Estimators of accelerations: one file each, and one line each in the table."""

import logging
from typing import Any

from urdf2dyn_ros.errors import CompilerError, ParameterError
from urdf2dyn_ros.estimators.compiled.kalman import CompiledKalman
from urdf2dyn_ros.estimators.compiled.kalman_fixed_lag import CompiledKalmanFixedLag
from urdf2dyn_ros.estimators.estimate import Estimate, Estimator, EstimatorClass, make
from urdf2dyn_ros.estimators.external import External
from urdf2dyn_ros.estimators.finite_difference import FiniteDifference
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.estimators.none import NoAcceleration
from urdf2dyn_ros.estimators.polynomial import Polynomial

ESTIMATORS: dict[str, EstimatorClass[Estimator]] = {
    'kalman': Kalman,
    'kalman_fixed_lag': KalmanFixedLag,
    'polynomial': Polynomial,
    'finite_difference': FiniteDifference,
    'none': NoAcceleration,
    'external': External,
}

COMPILED: dict[str, EstimatorClass[Estimator]] = {
    'kalman': CompiledKalman, 'kalman_fixed_lag': CompiledKalmanFixedLag}
"""Estimators that are also available in C."""

_LOG = logging.getLogger(__name__)

__all__ = ['ESTIMATORS', 'Estimate', 'Estimator', 'EstimatorClass', 'make_compiled',
           'make_estimator', 'prepare_compiled']


def make_estimator(name: str, joints: int, **parameters: Any) -> Estimator:
    """
    Return a new estimator for a number of joints.

    The name is a key of ``ESTIMATORS``, the parameters are rows of its ``PARAMETERS`` by name; the
    others are at their defaults. A ParameterError for an unknown name, or a value that breaks its
    rule.
    """
    if name not in ESTIMATORS:
        raise ParameterError(f'unknown estimator {name!r}; choose one of ' + ', '.join(ESTIMATORS))
    return make(ESTIMATORS[name], joints, **parameters)


def make_compiled(name: str, joints: int, **parameters: Any) -> Estimator:
    """Return the estimator in C if that is available; else log why, and return it on numpy."""
    if name in COMPILED:
        try:
            return make(COMPILED[name], joints, **parameters)
        except CompilerError as error:
            _LOG.warning('the estimator %s runs on numpy: %s', name, error)
    return make_estimator(name, joints, **parameters)


def prepare_compiled() -> None:
    """Run the C compiler now, so that choosing an estimator later does not wait for it."""
    for name in COMPILED:
        make_compiled(name, 1)

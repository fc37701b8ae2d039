"""From a motion to the parameters of a filter, and their error on that motion."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.estimators import ESTIMATORS, make_estimator
from urdf2dyn_ros.estimators.estimate import make
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.joint_states.recognition import recognise
from urdf2dyn_ros.tuning.likelihood import most_likely, within
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.noise import noise
from urdf2dyn_ros.tuning.reference import Estimated, estimated, reference
from urdf2dyn_ros.tuning.velocity import Velocity, velocities

_NAMES = {row.name for row in Kalman.PARAMETERS}
TUNABLE = tuple(name for name, kind in ESTIMATORS.items()
                if {row.name for row in kind.PARAMETERS} >= _NAMES)
"""Estimators with a Kalman filter's parameters."""

_IGNORED = 100.0
"""Noise of velocities with which the filter ignores them [rad/s or m/s]."""

_STILL = 20.0
"""Smallest range of a moving joint's positions, relative to their noise."""

_DIGITS = 3

_SETTLED = 200
"""Samples after which the variances of a filter are constant."""


@dataclass(frozen=True)
class Suggestion:
    """
    Suggested parameters, and the figures behind them.

    The filter is tuned on the n joints that are `moving`, without the velocities of those that are
    `unused`, which the node does not use either. `noise` (2, n) is the standard deviation of
    positions and velocities from divided differences, `inflated` (n,) that of velocities from the
    innovations, `stamps` that of the stamps [s]; `density` (n,) is the most likely snap
    density of each joint [rad^2/s^7 or m^2/s^7]. `tuned` and `untuned` (n,) are the RMS of the
    acceleration's residual divided by the RMS of the reference, with suggested and with default
    parameters [-]; `estimate` is that of the tuned filter, and `smoothed` the reference.

    """

    estimator: str
    parameters: dict[str, float]
    moving: Any
    noise: Array
    inflated: Array
    density: Array
    stamps: float
    velocities: list[Velocity]
    unused: tuple[str, ...]
    tuned: Array
    untuned: Array
    estimate: Estimated
    smoothed: Estimated


@np.errstate(invalid='ignore')   # of an invalid covariance, whose estimate is not used
def suggest(motion: RecordedMotion, estimator: str, show: Callable[[float], None]) -> Suggestion:
    """
    Return the parameters that suit a motion.

    There is one number for all joints. The filter's gain depends on the ratios of parameters only;
    they are geometric means over the joints that move, as the error of the acceleration rises
    equally on both sides of a joint's own ratio. One factor then enlarges all of them until no
    joint's noise exceeds the suggested one: else the gate would reject good measurements. The
    estimator is one of ``TUNABLE``; `show` is called with the fraction done.

    Raises
    ------
    RecordingError
        If no joint moves.

    """
    measured = velocities(motion)
    deviations = noise(motion)
    moving = np.ptp(motion.q, axis=0) > _STILL * np.nan_to_num(deviations[0], nan=np.inf)
    if not moving.any():
        raise RecordingError(motion.path, 'no joint moves, so that nothing can be tuned: '
                             'record a motion typical of the robot')
    recognised = recognise(motion.stamps, motion.q, motion.qd)
    unused = tuple(name for name, velocity in zip(motion.names, recognised)
                   if velocity.fault and not velocity.used)
    usable = np.array([velocity.kind == 'measured' and name not in unused
                       for name, velocity in zip(motion.names, measured)])
    motion.qd[:, ~usable] = np.nan
    deviations[1, ~usable] = np.nan

    filter_ = make(Kalman, len(motion.names))
    estimated(filter_, motion, within(show, 0.0, 0.1))
    stamps = float(filter_._noise.stamps)
    density, likely = most_likely(motion, deviations, stamps, within(show, 0.1, 0.7))
    known = np.where(np.isfinite(likely), likely, 1.0)
    smoothed, lag = reference(motion, density, known, stamps, within(show, 0.7, 0.9))
    parameters = _combined(density, likely, moving)
    if any(velocity.kind == 'zero' for velocity in measured) and not usable[moving].any():
        parameters['velocity_noise'] = _IGNORED
    if estimator == 'kalman_fixed_lag':
        parameters['lag'] = _rounded(lag)
    largest = _largest_std(motion, estimator, parameters)
    if largest > 0.5 * _default(estimator, 'max_std'):
        parameters['max_std'] = _rounded(3.0 * largest)
    made = make_estimator(estimator, len(motion.names), **parameters)
    estimate = estimated(made, motion, within(show, 0.9, 0.95))
    before = estimated(make_estimator(estimator, len(motion.names)), motion,
                       within(show, 0.95, 1.0))
    return Suggestion(estimator, parameters, moving, deviations, likely[1], density, stamps,
                      measured, unused, _nrmse(estimate, smoothed, motion),
                      _nrmse(before, smoothed, motion), estimate, smoothed)


def _combined(density: Array, likely: Array, moving: Any) -> dict[str, float]:
    """Return one number for all joints for each parameter."""
    logs = np.log(np.vstack([likely, density])[:, moving])
    with np.errstate(invalid='ignore'):
        means = np.array([row[np.isfinite(row)].mean() if np.isfinite(row).any() else np.nan
                          for row in logs])
    enlarged = float(np.nanmax(logs[:2] - means[:2, None]))
    position, velocity = np.exp(means[:2] + enlarged)
    result = {'snap_density': _rounded(np.exp(means[2] + 2.0 * enlarged)),
              'position_noise': _rounded(position)}
    if np.isfinite(velocity):
        result['velocity_noise'] = _rounded(velocity)
    return _within_bounds(result)


def _within_bounds(values: dict[str, float]) -> dict[str, float]:
    rows = {row.name: row for row in Kalman.PARAMETERS}
    return {name: float(np.clip(value, rows[name].minimum, rows[name].maximum))
            for name, value in values.items()}


def _rounded(value: float) -> float:
    return float(f'{value:.{_DIGITS}g}')


def _default(estimator: str, name: str) -> float:
    return next(float(row.default) for row in ESTIMATORS[estimator].PARAMETERS
                if row.name == name)


def _largest_std(motion: RecordedMotion, estimator: str, parameters: dict[str, float]) -> float:
    """Return the largest deviation of the settled filter's estimates."""
    made = make_estimator(estimator, len(motion.names), **parameters, max_std=1e9)
    stds = [made.update(stamp, q, qd).std for stamp, q, qd in zip(
        motion.stamps[:_SETTLED].tolist(), motion.q, motion.qd)]
    return float(np.max(stds[_SETTLED // 2:]))


def _nrmse(estimate: Estimated, smoothed: Estimated, motion: RecordedMotion) -> Array:
    known = np.isfinite(estimate.qdd) & np.isfinite(smoothed.qdd) & motion.settled[:, None]
    error = np.where(known, estimate.qdd - smoothed.qdd, 0.0)
    size = np.where(known, smoothed.qdd, 0.0)
    with np.errstate(invalid='ignore', divide='ignore'):
        result: Array = np.sqrt((error ** 2).sum(axis=0) / (size ** 2).sum(axis=0))
    return result

"""The best fixed parameters of a filter on a motion, and whether they are better than defaults."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array, geometric_mean
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.estimators import ESTIMATORS, make_compiled
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.joint_states.velocity_words import JointVelocity
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.noise import noise
from urdf2dyn_ros.tuning.prediction import acceleration_errors
from urdf2dyn_ros.tuning.reference import Estimated, estimated, reference
from urdf2dyn_ros.tuning.velocity import Velocity, velocities

_NAMES = {row.name for row in Kalman.PARAMETERS}
TUNABLE = tuple(name for name, kind in ESTIMATORS.items()
                if {row.name for row in kind.PARAMETERS} >= _NAMES)
"""Estimators with a Kalman filter's parameters."""

TRIED_DENSITIES = 10.0 ** np.arange(-3.0, 9.1)
"""Snap densities that are compared [rad^2/s^7 or m^2/s^7]."""

_DENSITY_FACTORS = 10.0 ** np.arange(-2.0, 1.1)
"""Densities that are judged by the reference, relative to the one that predicts best."""

_LAGS = (0.02, 0.05, 0.1, 0.2)
"""Lags that are compared [s]."""

_NEARLY_LEAST_ERROR = 1.1
"""Error at a sufficient lag, relative to the least."""

_PIECES = 4
"""Pieces of the motion on which densities and lags are compared."""

_MOVING_RANGE = 20.0
"""Smallest range of a moving joint's positions, relative to their noise."""

_WORTHWHILE_ERROR = 0.8
"""Error relative to that of the defaults below which a suggestion is worth its lines."""

_LEAST_ESTIMATED_SHARE = 0.99
"""Least share of the samples with an estimate, relative to those that the defaults have."""

_DIGITS = 3
_ANY_STD = 1e6


@dataclass(frozen=True)
class Suggestion:
    """
    Suggested parameters, and the figures behind them.

    `parameters` is empty if the defaults are as good as `best`, the best fixed parameters. The
    filter is tuned on the n joints that are `moving`. `noise` (2, n) is the standard deviation of
    positions and velocities from divided differences; `density` (n,) is the best snap density of
    each joint [rad^2/s^7 or m^2/s^7]. `tuned` and `untuned` (n,) are the RMS of the acceleration's
    residual divided by the RMS of the reference, with the best fixed and with default parameters
    [-]; `estimate` is that of the better ones, and `smoothed` the reference.
    """

    estimator: str
    parameters: dict[str, float]
    best: dict[str, float]
    moving: Any
    noise: Array
    density: Array
    velocities: list[Velocity]
    recognised: tuple[JointVelocity, ...]
    tuned: Array
    untuned: Array
    estimate: Estimated
    smoothed: Estimated


@np.errstate(all='ignore')   # of an invalid covariance, whose estimate is not used
def suggest(motion: RecordedMotion, estimator: str, show: Callable[[float], None]) -> Suggestion:
    """
    Return the parameters that suit a motion, one number for all joints.

    Densities are judged by predictions, as the filter judges its bandwidths; the best ones, with
    learned and with measured noise, by the motion smoothed with later samples. Nothing is
    suggested that makes the error of a joint larger than with the defaults. The estimator is one
    of ``TUNABLE``; `show` is called with the fraction done. A RecordingError if no joint moves.
    """
    measured = velocities(motion)
    deviations = noise(motion)
    moving = np.ptp(motion.q, axis=0) > _MOVING_RANGE * np.nan_to_num(deviations[0], nan=np.inf)
    if not moving.any():
        raise RecordingError(motion.path, 'no joint moves, so that nothing can be tuned: '
                             'record a motion typical of the robot')
    recognised = _use_velocities(motion)
    smoothed = reference(motion)
    part = motion.some(_PIECES)
    expected = _expected(part, within(show, 0.0, 0.5))
    relative = np.log(expected / expected.min(axis=0))[:, moving]
    density = float(TRIED_DENSITIES[relative.mean(axis=1).argmin()])
    rows = np.isin(motion.stamps, part.stamps)
    shown = Estimated(*(values[rows] for values in smoothed))
    best = _best(part, shown, estimator, density, moving, within(show, 0.5, 0.8), [{}, {
        name: _rounded(float(np.nanmax(row))) for name, row in zip(
            ('position_noise', 'velocity_noise'), deviations[:, moving])
        if np.isfinite(row).any()}])
    before = _run(motion, estimator, {}, within(show, 0.8, 0.9))
    after = _run(motion, estimator, best | {'max_std': _ANY_STD}, within(show, 0.9, 1.0))
    best = best | _needed_max_std(after, motion, estimator)
    both = np.isfinite(before.qdd + after.qdd).all(axis=1)
    untuned, tuned = (_nrmse(run, smoothed, motion, both) for run in (before, after))
    shares = _estimated_share(before, motion), _estimated_share(after, motion)
    worth = _is_worthwhile(tuned[moving], untuned[moving], *shares)
    return Suggestion(estimator, best if worth else {}, best, moving, deviations,
                      TRIED_DENSITIES[expected.argmin(axis=0)], measured, recognised, tuned,
                      untuned, after if worth else before, smoothed)


def _use_velocities(motion: RecordedMotion) -> tuple[JointVelocity, ...]:
    """Replace the velocities by those that an estimator receives from a stream."""
    check = VelocityCheck(len(motion.names))
    for row, (stamp, start) in enumerate(zip(motion.stamps.tolist(), motion.starts.tolist())):
        if start:
            check.restart()
        motion.qd[row] = check.update(stamp, motion.q[row].copy(), motion.qd[row].copy())
    return check.joints


def _expected(motion: RecordedMotion, show: Callable[[float], None]) -> Array:
    """Return the expected squared errors (m, n) of accelerations with ``TRIED_DENSITIES``."""
    return acceleration_errors(motion, [
        _run(motion, 'kalman', {'snap_density': density, 'max_std': _ANY_STD}, part)
        for density, part in zip(TRIED_DENSITIES.tolist(), _parts(show, len(TRIED_DENSITIES)))])


def _best(motion: RecordedMotion, smoothed: Estimated, estimator: str, density: float,
          moving: Any, show: Callable[[float], None],
          noises: list[dict[str, float]]) -> dict[str, float]:
    """Return the parameters with the least error, with densities near one and some noises."""
    def means(some: list[dict[str, float]], show: Callable[[float], None]) -> Array:
        result = []
        for each, part in zip(some, _parts(show, len(some))):
            run = _run(motion, estimator, each | {'max_std': _ANY_STD}, part)
            known = np.isfinite(run.qdd).all(axis=1)
            result.append(geometric_mean(_nrmse(run, smoothed, motion, known)[moving]))
        return np.where(np.isfinite(result), result, np.inf)

    lag: dict[str, float] = {}
    if estimator == 'kalman_fixed_lag':
        errors = means([{'snap_density': density, 'lag': each} for each in _LAGS],
                       within(show, 0.0, 0.5))
        lag = {'lag': _LAGS[int(np.argmax(errors <= _NEARLY_LEAST_ERROR * errors.min()))]}
    candidates = [{'snap_density': _rounded(float(density * factor))} | lag | each
                  for each in noises for factor in _DENSITY_FACTORS
                  if TRIED_DENSITIES[0] <= density * factor <= TRIED_DENSITIES[-1]]
    return candidates[int(means(candidates, within(show, 0.5, 1.0)).argmin())]


def _needed_max_std(estimate: Estimated, motion: RecordedMotion,
                    estimator: str) -> dict[str, float]:
    """Return the parameter `max_std`, if the default one would withhold estimates."""
    largest = float(np.nanquantile(estimate.std[motion.settled], _LEAST_ESTIMATED_SHARE))
    default, = (float(row.default) for row in ESTIMATORS[estimator].PARAMETERS
                if row.name == 'max_std')
    return {'max_std': _rounded(3.0 * largest)} if largest > 0.5 * default else {}


def _is_worthwhile(tuned: Array, untuned: Array, before: float, after: float) -> bool:
    """
    Return whether parameters are better than the defaults.

    `tuned` and `untuned` are the errors of the moving joints with them and with the defaults,
    `before` the share of samples with an estimate with the defaults, and `after` with them.
    """
    if not before:
        return True
    most = 1.0 if before < _LEAST_ESTIMATED_SHARE * after else _WORTHWHILE_ERROR
    return bool(np.all(tuned <= most * untuned) and after >= _LEAST_ESTIMATED_SHARE * before)


def _run(motion: RecordedMotion, estimator: str, parameters: dict[str, float],
         show: Callable[[float], None]) -> Estimated:
    return estimated(make_compiled(estimator, len(motion.names), **parameters), motion, show)


def _rounded(value: float) -> float:
    return float(f'{value:.{_DIGITS}g}')


def _estimated_share(estimate: Estimated, motion: RecordedMotion) -> float:
    """Return the share of samples with an estimate, without the first and the last ones."""
    time = motion.time
    rows = np.flatnonzero(motion.settled & (time < time[-1] - 1.25 * _LAGS[-1]))
    return float(np.isfinite(estimate.qdd[rows]).all(axis=1).mean()) if len(rows) else 0.0


def _nrmse(estimate: Estimated, smoothed: Estimated, motion: RecordedMotion,
           rows: Any) -> Array:
    """Return the residual's RMS over that of the reference (n,), in some rows (k,)."""
    known = np.isfinite(smoothed.qdd) & (motion.settled & rows)[:, None]
    error = np.where(known, estimate.qdd - smoothed.qdd, 0.0)
    size = np.where(known, smoothed.qdd, 0.0)
    return np.asarray(np.sqrt((error ** 2).sum(axis=0) / (size ** 2).sum(axis=0)))


def within(show: Callable[[float], None], first: float, last: float) -> Callable[[float], None]:
    """Return a function of the fraction done of a part, which extends from `first` to `last`."""
    return lambda done: show(first + (last - first) * done)


def _parts(show: Callable[[float], None], count: int) -> Iterator[Callable[[float], None]]:
    """Yield a function of the fraction done of each of so many equal parts."""
    return (within(show, k / count, (k + 1) / count) for k in range(count))

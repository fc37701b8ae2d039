"""From a motion to the parameters of a filter, and how well they do on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.estimators import ESTIMATORS, make_estimator
from urdf2dyn_ros.estimators.estimate import make
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.tuning.likelihood import most_likely, within
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.noise import noise
from urdf2dyn_ros.tuning.reference import Estimated, estimated, reference
from urdf2dyn_ros.tuning.velocity import Velocity, velocities

TUNABLE = tuple(name for name, kind in ESTIMATORS.items()
                if set(Kalman.PARAMETERS) <= set(kind.PARAMETERS))
"""Those that have a Kalman filter's parameters."""

_IGNORED = 100.0
"""Noise of velocities that makes the filter take no notice of them [rad/s or m/s]."""

_STILL = 20.0
"""A joint moves if its positions range over more than so many times their noise."""

_DIGITS = 3

_SETTLED = 200
"""Samples after which a filter's variances change no more."""


@dataclass(frozen=True)
class Suggestion:
    """
    What is suggested, and on what grounds.

    Attributes
    ----------
    estimator : str
    parameters : dict
        Values by name.
    moving : ndarray of bool, (n,)
        The joints that could be tuned on.
    noise : ndarray, (2, n)
        Standard deviations of positions and velocities as divided differences show them.
    inflated : ndarray, (n,)
        The velocities' as the innovations show it.
    density : ndarray, (n,)
        The most likely one of each joint [rad^2/s^7 or m^2/s^7].
    stamps : float
        Standard deviation of the stamps [s].
    velocities : list of Velocity
    tuned, untuned : ndarray, (n,)
        RMS of the acceleration's difference from the reference, over the RMS of the reference,
        with what is suggested and with the defaults [-].
    estimate, smoothed : Estimated
        What the filter makes of the motion with what is suggested, and the reference.

    """

    estimator: str
    parameters: dict[str, float]
    moving: Any
    noise: Array
    inflated: Array
    density: Array
    stamps: float
    velocities: list[Velocity]
    tuned: Array
    untuned: Array
    estimate: Estimated
    smoothed: Estimated


@np.errstate(invalid='ignore')   # a covariance that is no longer one; its estimate is not used
def suggest(motion: RecordedMotion, estimator: str, report: Callable[[float], None]) -> Suggestion:
    """
    Return the parameters that suit a motion.

    They are one number for all joints. The filter's gain depends on their ratios alone: those are
    the geometric means over the joints that move, since a relative error of the acceleration has
    its minimum at each joint's own and rises alike on both sides of it. All are then enlarged by
    one factor, until no joint's noise is larger than what is suggested: else the gate would take
    its good measurements for outliers.

    Parameters
    ----------
    motion : RecordedMotion
    estimator : str
        One of ``TUNABLE``.
    report : callable
        Called with the fraction that is done.

    Raises
    ------
    RecordingError
        If no joint moves.

    """
    found = velocities(motion)
    deviations = noise(motion)
    moving = np.ptp(motion.q, axis=0) > _STILL * np.nan_to_num(deviations[0], nan=np.inf)
    if not moving.any():
        raise RecordingError(motion.path, 'no joint moves, so that nothing can be tuned: '
                             'record a motion as the robot will make it')
    usable = np.array([velocity.kind == 'measured' for velocity in found])
    motion.qd[:, ~usable] = np.nan
    deviations[1, ~usable] = np.nan

    filter_ = make(Kalman, len(motion.names))
    estimated(filter_, motion, within(report, 0.0, 0.1))
    stamps = float(filter_._noise.stamps)
    density, likely = most_likely(motion, deviations, stamps, within(report, 0.1, 0.7))
    known = np.where(np.isfinite(likely), likely, 1.0)
    smoothed, lag = reference(motion, density, known, stamps, within(report, 0.7, 0.9))
    parameters = _combined(density, likely, moving)
    if any(velocity.kind == 'zero' for velocity in found) and not usable[moving].any():
        parameters['velocity_noise'] = _IGNORED
    if estimator == 'kalman_fixed_lag':
        parameters['lag'] = _rounded(lag)
    largest = _largest_std(motion, estimator, parameters)
    if largest > 0.5 * _default(estimator, 'max_std'):
        parameters['max_std'] = _rounded(3.0 * largest)
    made = make_estimator(estimator, len(motion.names), **parameters)
    estimate = estimated(made, motion, within(report, 0.9, 0.95))
    before = estimated(make_estimator(estimator, len(motion.names)), motion,
                       within(report, 0.95, 1.0))
    return Suggestion(estimator, parameters, moving, deviations, likely[1], density, stamps,
                      found, _nrmse(estimate, smoothed, motion),
                      _nrmse(before, smoothed, motion), estimate, smoothed)


def _combined(density: Array, likely: Array, moving: Any) -> dict[str, float]:
    """Return one number for all joints of each parameter."""
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
    """Return the largest standard deviation of the settled filter."""
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

"""Reference accelerations: the best offline estimate of those of a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators import Estimator
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.parameters import check_all
from urdf2dyn_ros.tuning.likelihood import GivenNoise
from urdf2dyn_ros.tuning.motion import RecordedMotion

_LATER = 0.25
_MOST_LATER = 100
"""How far the reference looks ahead: time [s], and samples at most."""

_NEARLY = 1.1
"""A lag is long enough when the deviation is no more than so many times that of the longest."""


class JointSmoother(KalmanFixedLag):
    """The smoother with the parameters of every joint by itself."""

    def __init__(self, density: Array, deviations: Array, stamps: float, lag: float) -> None:
        super().__init__(len(density), **check_all(self.PARAMETERS, {
            'lag': min(lag, 0.5), 'max_std': 1e9}))
        self._density = cast(Any, density)
        self._noise = cast(Any, GivenNoise(deviations ** 2, stamps))
        self.reset()

    def deviations(self) -> tuple[Array, Array]:
        """Return how far back the last states are (k,) [s], and their deviations (k, n)."""
        stamps = np.array(self._stamps)
        return (stamps[-1] - stamps) * 1e-9, np.sqrt(np.maximum(self._variance, 0.0))


@dataclass(frozen=True)
class Estimated:
    """
    What an estimator makes of a motion, one row for every sample; NaN where it has no estimate.

    Attributes
    ----------
    q, qd, qdd : ndarray, (k, n)
        [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].

    """

    q: Array
    qd: Array
    qdd: Array


def estimated(estimator: Estimator, motion: RecordedMotion,
              tell: Callable[[float], None]) -> Estimated:
    """Return what an estimator makes of a motion."""
    rows = {stamp: k for k, stamp in enumerate(motion.stamps.tolist())}
    result = Estimated(*(np.full(motion.q.shape, np.nan) for _ in range(3)))
    for k, (stamp, start) in enumerate(zip(motion.stamps.tolist(), motion.starts.tolist())):
        if start:
            estimator.reset()
        estimate = estimator.update(stamp, motion.q[k], motion.qd[k])
        if estimate.valid:
            row = rows[estimate.stamp]
            result.q[row], result.qd[row], result.qdd[row] = (estimate.q, estimate.qd,
                                                              estimate.qdd)
        if k % 200 == 0:
            tell(k / len(motion.stamps))
    return result


def reference(motion: RecordedMotion, density: Array, deviations: Array, stamps: float,
              tell: Callable[[float], None]) -> tuple[Estimated, float]:
    """
    Return the smoothed motion, and the shortest lag that is nearly as good as hindsight [s].

    A constant-jerk smoother that knows 0.25 s, or 100 samples, of what comes after: with the most
    likely parameters of each joint it is centred, and its error a quarter of the filter's.

    """
    period = float(np.median(np.diff(motion.time)))
    smoother = JointSmoother(density, deviations, stamps, min(_LATER, _MOST_LATER * period))
    result = estimated(smoother, motion, tell)
    lags, stds = smoother.deviations()
    ratio = np.exp(np.log(np.maximum(stds, 1e-300) / np.maximum(stds[0], 1e-300)).mean(axis=1))
    return result, float(lags[ratio <= _NEARLY].min())

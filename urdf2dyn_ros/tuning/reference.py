"""The reference of accelerations: a smoother with later samples."""

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
"""Lag of the reference [s], and in samples at most."""

_NEARLY = 1.1
"""Largest deviation at a sufficient lag, relative to that at the longest."""


class JointSmoother(KalmanFixedLag):
    """The smoother with its own parameters for every joint."""

    def __init__(self, density: Array, deviations: Array, stamps: float, lag: float) -> None:
        super().__init__(len(density), **check_all(self.PARAMETERS, {
            'lag': min(lag, 0.5), 'max_std': 1e9}))
        self._density = cast(Any, density)
        self._noise = cast(Any, GivenNoise(deviations ** 2, stamps))
        self.reset()

    def deviations(self) -> tuple[Array, Array]:
        """Return the lags of the last states (k,) [s], and their deviations (k, n)."""
        stamps = np.array(self._stamps)
        return (stamps[-1] - stamps) * 1e-9, np.sqrt(np.maximum(self._variance, 0.0))


@dataclass(frozen=True)
class Estimated:
    """Estimates (k, n) of a motion in SI units, a row for every sample; NaN if there is none."""

    q: Array
    qd: Array
    qdd: Array


def estimated(estimator: Estimator, motion: RecordedMotion,
              show: Callable[[float], None]) -> Estimated:
    """Return the estimates of a motion."""
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
            show(k / len(motion.stamps))
    return result


def reference(motion: RecordedMotion, density: Array, deviations: Array, stamps: float,
              show: Callable[[float], None]) -> tuple[Estimated, float]:
    """
    Return the smoothed motion, and the shortest lag that is nearly as good as the longest [s].

    The reference is a constant-jerk smoother with the next 0.25 s or 100 samples. With the most
    likely parameters of each joint its error is a quarter of the filter's.

    """
    period = float(np.median(np.diff(motion.time)))
    smoother = JointSmoother(density, deviations, stamps, min(_LATER, _MOST_LATER * period))
    result = estimated(smoother, motion, show)
    lags, stds = smoother.deviations()
    ratio = np.exp(np.log(np.maximum(stds, 1e-300) / np.maximum(stds[0], 1e-300)).mean(axis=1))
    return result, float(lags[ratio <= _NEARLY].min())

"""
The density of the snap and the noise of velocities, by the likelihood of the innovations.

The innovations y of a Kalman filter with the right model are white, with its covariance S. The
most likely parameters minimise the sum of

    log det S + y' S^-1 y

over all samples, without a true acceleration (Schweppe, Evaluation of likelihood functions for
Gaussian signals, IEEE Trans. Information Theory 11, 1965; Bar-Shalom, Li and Kirubarajan, section
11.6). The filter of the node itself runs once for all candidates, each of which is a column of
its arrays. An outlier that the gate rejects costs as much as on the gate's edge.

The noise of velocities is at least that of their divided differences. Errors of velocities that a
driver filtered are smooth: they appear in innovations, but not in differences.

"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.kalman import (
    FIXED_DENSITY,
    INNOVATIONS,
    REJECTED_VARIANCE,
    Kalman,
)
from urdf2dyn_ros.parameters import check_all
from urdf2dyn_ros.tuning.motion import WARM_UP, RecordedMotion

DENSITIES = 10.0 ** np.arange(-3.0, 12.1)
"""Range of the parameter."""

_INFLATIONS = 10.0 ** np.arange(0.0, 5.1)
"""Ratios to the noise of divided differences."""

_COARSE = 4
"""Pieces of the motion for the first search."""

_FINE = 10.0 ** np.arange(-1.0, 1.1, 0.25)
_FINER = 10.0 ** np.array([-0.5, 0.0, 0.5])


class GivenNoise:
    """Known noise, instead of the noise that a filter learns."""

    def __init__(self, variance: Array, stamps: float) -> None:
        self.variance, self.stamps = variance, stamps

    def reset(self) -> None:
        """Keep it."""

    def update(self, stamp: int, measured: Array, rates: Array) -> None:
        """Keep it."""


class Candidates(Kalman):
    """A filter with a column for each candidate and joint."""

    def __init__(self, density: Array, deviations: Array, stamps: float) -> None:
        super().__init__(len(density), **check_all(
            self.PARAMETERS, {'snap_density': FIXED_DENSITY.default}))
        self._density = cast(Any, density)
        self._noise = cast(Any, GivenNoise(deviations ** 2, stamps))
        self.cost: Array = np.zeros(len(density))
        self.reset()

    def _reject(self, lost: NDArray[np.bool_], y: Array, S: Array, off: Array,
                measured: NDArray[np.bool_]) -> Array:
        if self._count > WARM_UP:
            there = lost.copy()
            there[1] &= measured
            self.cost += np.where(there, np.log(S) + self._gate, 0.0).sum(axis=0)
        return super()._reject(lost, y, S, off, measured)

    def _correct(self, z: Array, S: Array, off: Array) -> None:
        if self._count > WARM_UP:
            y = z[INNOVATIONS]
            rejected = (S == REJECTED_VARIANCE).sum(axis=0)
            det = S[0] * S[1] - off * off
            squares = (S[1] * y[0] * y[0] - 2.0 * off * y[0] * y[1] + S[0] * y[1] * y[1]) / det
            self.cost += np.log(det) - rejected * np.log(REJECTED_VARIANCE) + squares
        super()._correct(z, S, off)


def costs(motion: RecordedMotion, densities: Array, deviations: Array, stamps: float,
          show: Callable[[float], None]) -> Array:
    """
    Return minus twice the log-likelihood (n, m) of m candidates, without a constant.

    These are snap densities (n, m), and noise of positions and velocities (2, n, m). `stamps` is
    the stamps' standard deviation [s]; `show` is called with the fraction done.

    """
    n, m = densities.shape
    filters = Candidates(densities.ravel(), deviations.reshape(2, n * m), stamps)
    q, qd = np.repeat(motion.q, m, axis=1), np.repeat(motion.qd, m, axis=1)
    for k, (stamp, start) in enumerate(zip(motion.stamps.tolist(), motion.starts.tolist())):
        if start:
            filters.reset()
        filters.update(stamp, q[k], qd[k])
        if k % 500 == 0:
            show(k / len(q))
    return filters.cost.reshape(n, m)


def most_likely(motion: RecordedMotion, noise: Array, stamps: float,
                show: Callable[[float], None]) -> tuple[Array, Array]:
    """
    Return snap densities (n,) and noise (2, n); that of velocities is from the innovations.

    `noise` (2, n) is that of divided differences, NaN if not measured; `stamps` the stamps'
    standard deviation [s]; `show` is called with the fraction done.

    """
    n = len(motion.names)
    deviations = np.where(np.isfinite(noise), noise, 1.0)
    density = np.ones(n)
    inflation = np.ones(n)
    inflations = _INFLATIONS if np.isfinite(motion.qd).any() else _INFLATIONS[:1]
    for part, some, steps, first, last in (
            (motion.some(_COARSE), DENSITIES, inflations, 0.0, 0.3),
            (motion, _FINE, _FINER if len(inflations) > 1 else _FINER[1:2], 0.3, 1.0)):
        candidates = density[:, None, None] * some[:, None] * np.ones(len(steps))
        inflated = np.maximum(inflation[:, None, None] * steps * np.ones((len(some), 1)), 1.0)
        m = len(some) * len(steps)
        known = deviations[:, :, None, None] * np.ones_like(inflated)
        known[1] *= inflated
        cost = costs(part, candidates.reshape(n, m), known.reshape(2, n, m), stamps,
                     within(show, first, last))
        best = cost.argmin(axis=1)
        density = candidates.reshape(n, m)[np.arange(n), best]
        inflation = inflated.reshape(n, m)[np.arange(n), best]
    result = noise.copy()
    result[1] *= inflation
    return np.clip(density, DENSITIES[0], DENSITIES[-1]), result


def within(show: Callable[[float], None], first: float, last: float) -> Callable[[float], None]:
    """Return a function of the fraction done of a part, which extends from `first` to `last`."""
    return lambda done: show(first + (last - first) * done)

"""
The density of the snap, and the true noise of velocities, by the likelihood of the innovations.

The innovations of a Kalman filter whose model is right are white, with the covariance S that it
states; of all parameters those are the most likely that minimise the sum of

    log det S + y' S^-1 y

over the innovations y: prediction errors, for which no true acceleration is needed (Schweppe,
Evaluation of likelihood functions for Gaussian signals, IEEE Trans. Information Theory 11, 1965;
Bar-Shalom, Li and Kirubarajan, section 11.6). It is the filter of the node itself that runs here,
once for all candidates: each is a column of its arrays. An outlier, which the gate rejects,
costs as much as one on the gate's edge.

The noise of velocities is at least what their divided differences show; drivers that filter
velocities leave errors that are smooth, and thereby not seen in differences but in innovations.

"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.kalman import INNOVATIONS, REJECTED_VARIANCE, Kalman
from urdf2dyn_ros.parameters import check_all
from urdf2dyn_ros.tuning.motion import WARM_UP, RecordedMotion

DENSITIES = 10.0 ** np.arange(-3.0, 12.1)
"""The range of the parameter."""

_INFLATIONS = 10.0 ** np.arange(0.0, 5.1)
"""How many times the noise that divided differences show."""

_COARSE = 4
"""Pieces of the motion for the first look."""

_FINE = 10.0 ** np.arange(-1.0, 1.1, 0.25)
_FINER = 10.0 ** np.array([-0.5, 0.0, 0.5])


class GivenNoise:
    """Known noise, in the place of the noise that a filter learns from its samples."""

    def __init__(self, variance: Array, stamps: float) -> None:
        self.variance, self.stamps = variance, stamps

    def reset(self) -> None:
        """Keep it."""

    def update(self, stamp: int, measured: Array, rates: Array) -> None:
        """Keep it."""


class Candidates(Kalman):
    """A filter of many columns, each with its own parameters and its own joint's samples."""

    def __init__(self, density: Array, deviations: Array, stamps: float) -> None:
        super().__init__(len(density), **check_all(self.PARAMETERS, {}))
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
          report: Callable[[float], None]) -> Array:
    """
    Return minus twice the log-likelihood, but for a constant.

    Parameters
    ----------
    motion : RecordedMotion
        Of n joints.
    densities : ndarray, (n, m)
        Of m candidates.
    deviations : ndarray, (2, n, m)
        Of positions and velocities.
    stamps : float
        Standard deviation of the stamps [s].
    report : callable
        Called with the fraction that is done.

    Returns
    -------
    ndarray, (n, m)

    """
    n, m = densities.shape
    filters = Candidates(densities.ravel(), deviations.reshape(2, n * m), stamps)
    q, qd = np.repeat(motion.q, m, axis=1), np.repeat(motion.qd, m, axis=1)
    for k, (stamp, start) in enumerate(zip(motion.stamps.tolist(), motion.starts.tolist())):
        if start:
            filters.reset()
        filters.update(stamp, q[k], qd[k])
        if k % 500 == 0:
            report(k / len(q))
    return filters.cost.reshape(n, m)


def most_likely(motion: RecordedMotion, noise: Array, stamps: float,
                report: Callable[[float], None]) -> tuple[Array, Array]:
    """
    Return snap densities (n,) and noise (2, n), the velocities' as the innovations show it.

    Parameters
    ----------
    motion : RecordedMotion
    noise : ndarray, (2, n)
        From divided differences; NaN where not measured.
    stamps : float
        Standard deviation of the stamps [s].
    report : callable
        Called with the fraction that is done.

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
                     within(report, first, last))
        best = cost.argmin(axis=1)
        density = candidates.reshape(n, m)[np.arange(n), best]
        inflation = inflated.reshape(n, m)[np.arange(n), best]
    result = noise.copy()
    result[1] *= inflation
    return np.clip(density, DENSITIES[0], DENSITIES[-1]), result


def within(report: Callable[[float], None], first: float, last: float) -> Callable[[float], None]:
    """Return a function that maps the progress of a part to that of the whole and reports it."""
    return lambda done: report(first + (last - first) * done)

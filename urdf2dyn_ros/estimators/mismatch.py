"""
Mismatch of positions and velocities beyond their noise.

A velocity that is late by half a millisecond, as after a driver's low-pass or in a physics engine,
contradicts exact positions. A filter that considered both exact would reconcile them by
accelerations that do not exist.
"""

import numpy as np

from urdf2dyn_ros.robot.spatial import Array

MEDIAN_WINDOWS = 17
"""Windows whose median is used, so that outliers have no effect."""

FEWEST_MISMATCHES = 5
"""Windows with velocity, of these, from which on there is a median."""

MISMATCH_GATE = 6.0
"""Squared mismatch, relative to its variance by noise, beyond which it is not noise."""

CHI_SQUARED_MEDIAN = 0.455
"""Median of chi squared with one degree of freedom."""

_SAMPLES = 5   # of a window
_POWERS = np.arange(_SAMPLES)[:, None]
_MOMENTS = 1.0 / np.arange(1, _SAMPLES + 1)   # of the powers over the unit interval


class Mismatch:
    """Compares changes of position with integrals of velocity over windows of five samples."""

    def __init__(self, joints: int) -> None:
        # the last mismatches, relative to their variances by noise; NaN of windows without
        # velocity, which say nothing of one that comes into use later
        self.squares = np.zeros((MEDIAN_WINDOWS, joints))
        self._turn = 0
        self.excess = np.zeros(joints)   # variance of velocities beyond noise [rad^2/s^2, m^2/s^2]

    def update(self, times: Array, samples: Array, variance: Array, late: Array,
               keep: Array) -> Array:
        """
        Add a window; return by how much to increase the variance of the velocities, (n,).

        The times (5,) are those since the first sample [s], the samples (5, 2, n) positions and
        velocities, NaN where not measured. `variance` (2, n) is theirs by their own noise, `late`
        (n,) that of a position by the noise of the stamps, `keep` (n,) the factor of the excess
        before; 1 for joints at rest, which carry no information.
        """
        span = times[-1]
        # weights that integrate polynomials of degree 4 exactly, also for irregular samples
        weights = np.linalg.solve((times / span) ** _POWERS, _MOMENTS) * span
        change = samples[-1, 0] - samples[0, 0] - weights @ samples[:, 1]
        noise = 2.0 * (variance[0] + late) + (weights @ weights) * variance[1]
        squares = np.square(change) / noise
        self._turn = (self._turn + 1) % MEDIAN_WINDOWS
        squares = np.where(np.isfinite(squares), squares, np.nan)
        self.squares[self._turn] = np.where(keep < 1.0, squares, self.squares[self._turn])
        known = np.isfinite(self.squares).sum(axis=0)
        middle = np.sort(self.squares, axis=0)[(known - 1) // 2, np.arange(len(known))]
        middle = np.where(known < FEWEST_MISMATCHES, 0.0, middle) / CHI_SQUARED_MEDIAN
        excess = (middle - MISMATCH_GATE) * noise / span ** 2
        np.maximum(excess, keep * self.excess, out=self.excess)
        return self.excess

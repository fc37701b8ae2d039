"""
How far positions and velocities contradict each other, by more than their noise.

A velocity that is late by half a millisecond, as after a driver's low-pass or in a physics engine,
contradicts exact positions. A filter that took both for exact would invent accelerations to
reconcile them.

"""

from __future__ import annotations

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

SAMPLES = 5      # of a window
WINDOWS = 17     # of which the median is taken
DOUBT = 6.0      # a mismatch that many times larger than noise explains, in square, is no noise
MEDIAN = 0.455   # of chi squared
POWERS = np.arange(SAMPLES)[:, None]
MOMENTS = 1.0 / np.arange(1, SAMPLES + 1)   # of the powers over the unit interval


class Mismatch:
    """
    Compares changes of position with integrals of velocity over windows of five samples.

    Parameters
    ----------
    joints : int

    Attributes
    ----------
    squares : ndarray, (17, n)
        Of the last mismatches, relative to what noise explains.
    excess : ndarray, (n,)
        Variance of the velocities beyond their noise [rad^2/s^2 or m^2/s^2].

    """

    def __init__(self, joints: int) -> None:
        self.squares = np.zeros((WINDOWS, joints))
        self._turn = 0
        self.excess = np.zeros(joints)

    def found(self, times: Array, samples: Array, variance: Array, late: Array,
              keep: Array) -> Array:
        """
        Return what is to be added to the variance of the velocities, (n,).

        Parameters
        ----------
        times : ndarray, (5,)
            Since the first [s].
        samples : ndarray, (5, 2, n)
            Positions and velocities; NaN where not measured.
        variance : ndarray, (2, n)
            Of their noise.
        late : ndarray, (n,)
            Variance of a position by the noise of the stamps.
        keep : ndarray, (n,)
            Share of what was found before that still counts; 1 for joints that stand still, of
            which nothing can be found.

        """
        span = times[-1]
        # weights that integrate polynomials of degree 4 exactly, wherever the samples are
        weights = np.linalg.solve((times / span) ** POWERS, MOMENTS) * span
        change = samples[-1, 0] - samples[0, 0] - weights @ samples[:, 1]
        noise = 2.0 * (variance[0] + late) + (weights @ weights) * variance[1]
        squares = np.square(change) / noise
        self._turn = (self._turn + 1) % WINDOWS
        squares = np.where(np.isfinite(squares), squares, 0.0)
        self.squares[self._turn] = np.where(keep < 1.0, squares, self.squares[self._turn])
        # the median, so that outliers change nothing
        middle = np.sort(self.squares, axis=0)[WINDOWS // 2] / MEDIAN
        np.maximum((middle - DOUBT) * noise / span ** 2, keep * self.excess, out=self.excess)
        return self.excess

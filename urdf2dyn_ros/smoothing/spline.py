"""
Smoothing splines: curves through noisy samples, at stamps with any steps between them.

The curve f through the samples q minimises

    period * sum of (q - f(t))^2 + integral of f''''^2 / (2 pi cutoff)^8

Between the ends it is the same as a Butterworth low-pass of order 4 with this cutoff, forwards and
backwards: without lag, and with the half of a sine at the cutoff. It is a sum of B-splines of
degree 5 with a penalty on their fourth differences (Eilers and Marx, Flexible smoothing with
B-splines and penalties, Statistical Science 11, 1996): its equations are banded, and their number
depends on the cutoff, not on the rate of the samples.
"""

from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

_DEGREE = 5
_ORDER = 4   # of the derivative that is penalised
_KNOTS = 8.0   # in a period of the cutoff


class SmoothingSpline:
    """
    Smooths the columns of tables at the same, increasing times (k,) [s].

    Their typical step is the period [s]; the cutoff is in [Hz].
    """

    def __init__(self, time: Array, period: float, cutoff: float) -> None:
        # imported here because they take half of the time in which a command starts
        from scipy.interpolate import BSpline
        from scipy.linalg import lapack

        self._lapack, self._spline = lapack, BSpline
        width = max(period, 1.0 / (_KNOTS * cutoff))
        spans = max(int(np.ceil((time[-1] - time[0]) / width)), _ORDER)
        self._count = spans + _DEGREE
        self._knots = time[0] + width * np.arange(-_DEGREE, self._count + 1)
        # the last time may be one rounding behind the last knot
        self._basis: Any = BSpline.design_matrix(   # (k, m)
            np.clip(time, self._knots[_DEGREE], self._knots[self._count]), self._knots, _DEGREE)
        self._penalty = _penalty(self._count) * (
            width ** (1 - 2 * _ORDER) / period / (2.0 * pi * cutoff) ** (2 * _ORDER))

    def fit(self, samples: Array) -> Array:
        """Return the coefficients (m, n) of the curves through samples (k, n)."""
        return self._solve(self._band(self._basis), self._basis.T @ samples)

    def _band(self, basis: Any) -> Array:
        """Return the lower band (6, m) of the normal equations of some samples."""
        normal = basis.T @ basis
        return np.array([np.pad(normal.diagonal(-i), (0, i)) for i in range(_DEGREE + 1)])

    def _solve(self, band: Array, right: Array) -> Array:
        _, coefficients, failed = self._lapack.dpbsv(band + self._penalty, right, lower=1)
        return np.full_like(right, np.nan) if failed else coefficients

    def values(self, coefficients: Array, time: Array, derivative: int = 0) -> Array:
        """Return a derivative of the curves at any times (i,) between the ends, (i, n)."""
        curves = self._spline.construct_fast(self._knots, coefficients, _DEGREE)
        return np.asarray(curves(time, derivative))

    def unseen(self, samples: Array, folds: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
               ) -> list[Array]:
        """
        Return by how much samples (k, n) differ from curves that did not see them.

        For each fold, rows that the curve does not see, and those of the differences (i, n).
        """
        band = self._band(self._basis)
        right = self._basis.T @ samples
        differences = []
        for hidden, judged in folds:
            basis = self._basis[hidden]
            coefficients = self._solve(band - self._band(basis), right - basis.T @ samples[hidden])
            differences.append(samples[judged] - self._basis[judged] @ coefficients)
        return differences


def _penalty(count: int) -> Array:
    """Return the lower band (6, m) of the squared fourth differences of m coefficients."""
    difference = np.array([1.0, -4.0, 6.0, -4.0, 1.0])
    band = np.zeros((_DEGREE + 1, count))
    for i in range(_ORDER + 1):
        for j in range(i, _ORDER + 1):
            band[j - i, i:count - _ORDER + i] += difference[i] * difference[j]
    return band

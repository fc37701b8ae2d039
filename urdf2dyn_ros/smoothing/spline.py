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

from math import comb, factorial, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array

_DEGREE = 5
_ORDER = 4
"""Derivative that is penalised."""

_KNOTS = 8.0
"""Knots in a period of the cutoff."""


def _pieces() -> Array:
    """Return the polynomials (i, power) of the B-splines i that overlap the knots 0 to 1."""
    u = np.linspace(0.0, 1.0, _DEGREE + 1)
    count = _DEGREE + 1
    values = [sum((-1) ** k * comb(count, k) * np.maximum(u + _DEGREE - i - k, 0.0) ** _DEGREE
                  for k in range(count + 1)) / factorial(_DEGREE) for i in range(count)]
    return np.linalg.solve(np.vander(u, increasing=True), np.array(values).T).T


_PIECES = _pieces()


class SmoothingSpline:
    """
    Smooths the columns of tables at the same, increasing times (k,) [s].

    Their typical step is the period [s]; the cutoff is in [Hz].
    """

    def __init__(self, time: Array, period: float, cutoff: float) -> None:
        # imported here because they take half of the time in which a command starts
        from scipy.linalg import lapack
        from scipy.sparse import csr_array

        self._lapack, self._csr_array = lapack, csr_array
        self._width = max(period, 1.0 / (_KNOTS * cutoff))
        self._start = float(time[0])
        self._spans = max(int(np.ceil((time[-1] - time[0]) / self._width)), _ORDER)
        self._count = self._spans + _DEGREE
        self._first, self._basis = self._at(time, 0)
        self._penalty = _penalty(self._count) * (
            self._width ** (1 - 2 * _ORDER) / period / (2.0 * pi * cutoff) ** (2 * _ORDER))

    def _at(self, time: Array, derivative: int) -> tuple[NDArray[np.int64], Array]:
        """Return the first B-splines (k,) that are not zero, and a derivative of them (k, 6)."""
        place = (time - self._start) / self._width
        first = np.clip(place.astype(np.int64), 0, self._spans - 1)
        powers = np.arange(derivative, _DEGREE + 1)
        factors = np.prod([powers - each for each in range(derivative)], axis=0)
        pieces = _PIECES[:, derivative:] * factors / self._width ** derivative
        return first, np.vander(place - first, len(powers), increasing=True) @ pieces.T

    def _sparse(self, first: NDArray[np.int64], values: Array) -> Any:
        columns = first[:, None] + np.arange(_DEGREE + 1)
        return self._csr_array((values.ravel(), columns.ravel(),
                                np.arange(0, columns.size + 1, _DEGREE + 1)),
                               shape=(len(columns), self._count))

    def fit(self, samples: Array) -> Array:
        """Return the coefficients of the curves through samples (k, n)."""
        return self._solve(self._band(slice(None)),
                           self._sparse(self._first, self._basis).T @ samples)

    def _band(self, rows: slice | NDArray[np.int64]) -> Array:
        """Return the lower band (6, m) of the normal equations of some samples."""
        first, basis = self._first[rows], self._basis[rows]
        band = np.zeros((_DEGREE + 1, self._count))
        for i in range(_DEGREE + 1):
            for j in range(i, _DEGREE + 1):
                band[j - i] += np.bincount(first + i, basis[:, i] * basis[:, j], self._count)
        return band

    def _solve(self, band: Array, right: Array) -> Array:
        _, coefficients, failed = self._lapack.dpbsv(band + self._penalty, right, lower=1)
        return np.full_like(right, np.nan) if failed else coefficients

    def values(self, coefficients: Array, time: Array, derivative: int = 0) -> Array:
        """Return a derivative of the curves at any times (m,) between the ends, (m, n)."""
        return np.asarray(self._sparse(*self._at(time, derivative)) @ coefficients)

    def unseen(self, samples: Array, folds: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
               ) -> list[Array]:
        """
        Return by how much samples (k, n) differ from curves that did not see them.

        For each fold, rows that the curve does not see, and those of the differences (m, n).
        """
        band = self._band(slice(None))
        right = self._sparse(self._first, self._basis).T @ samples
        differences = []
        for hidden, judged in folds:
            seen = right - self._sparse(
                self._first[hidden], self._basis[hidden]).T @ samples[hidden]
            coefficients = self._solve(band - self._band(hidden), seen)
            differences.append(samples[judged] - self._sparse(
                self._first[judged], self._basis[judged]) @ coefficients)
        return differences


def _penalty(count: int) -> Array:
    """Return the lower band (6, m) of the squared fourth differences of m coefficients."""
    difference = np.array([1.0, -4.0, 6.0, -4.0, 1.0])
    band = np.zeros((_DEGREE + 1, count))
    for i in range(_ORDER + 1):
        for j in range(i, _ORDER + 1):
            band[j - i, i:count - _ORDER + i] += difference[i] * difference[j]
    return band

"""Sums of products, from which the figures at every lag are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.pairing.series import LARGEST_EFFORT

_ROWS = 7

VELOCITY, DIRECTION, MOVING, STILL, MEASURED, COMPUTED, LOAD = range(-_ROWS, 0)
"""Rows of the matrix after those of the residuals."""

NEAR_LAGS = 4
"""Number of lags from which the residual between them is interpolated."""


@dataclass(frozen=True)
class Moments:
    """
    Sums of products over samples; those of parts can be added.

    The Gram matrix is that of these rows: the residuals at p lags; then velocity, its sign and 1
    in motion, 1 at rest, measured and computed effort (both minus a constant, against
    cancellation), and the computed effort in motion.

    It has products of two residuals only if their lags are less than `NEAR_LAGS` steps apart.
    `squares` are those of the residuals in motion, `power` is that of `Matching`; `lowest` and
    `highest` measured effort and `largest` magnitude of the residual are without lag [N m or N].
    """

    gram: Array
    squares: Array
    power: Array
    lowest: float = np.inf
    highest: float = -np.inf
    largest: float = 0.0

    @staticmethod
    def none(lags: int) -> Moments:
        """Return the moments of no sample."""
        return Moments(np.zeros((lags + _ROWS, lags + _ROWS)), np.zeros(lags), np.zeros(lags))

    @staticmethod
    def of(measured: Array, computed: Array, velocity: Array, power: Array, still: float,
           reference: float) -> Moments:
        """
        Return the moments of k samples: measured (p, k) at p lags, computed and velocity (k,).

        The lag in the middle is zero; an unknown velocity is NaN. The joint is at rest up to the
        velocity `still` [rad/s or m/s]; `reference` is a typical effort [N m or N].
        """
        lags, count = measured.shape
        if not count:
            return Moments.none(lags)
        speed = np.abs(velocity)
        moving = ((speed > still) & (speed < LARGEST_EFFORT)).astype(float)   # NaN is not
        velocity = np.where(moving > 0.0, velocity, 0.0)
        middle = measured[lags // 2]
        residuals = measured - computed
        others = np.vstack((velocity, np.sign(velocity), moving, 1.0 - moving,
                            middle - reference, computed - reference,
                            moving * (computed - reference)))
        gram = np.zeros((lags + _ROWS, lags + _ROWS))
        # einsum, as the threads of BLAS cost more than these products
        gram[:lags, lags:] = np.einsum('ik,jk->ij', residuals, others)
        gram[lags:, :lags] = gram[:lags, lags:].T
        gram[lags:, lags:] = np.einsum('ik,jk->ij', others, others)
        for apart in range(min(NEAR_LAGS, lags)):
            row = np.arange(lags - apart)
            gram[row, row + apart] = gram[row + apart, row] = np.einsum(
                'ik,ik->i', residuals[:lags - apart], residuals[apart:])
        squares = np.einsum('ik,ik,k->i', residuals, residuals, moving)
        return Moments(gram, squares, power, float(middle.min()), float(middle.max()),
                       float(np.abs(residuals[lags // 2]).max()))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.gram + other.gram, self.squares + other.squares,
                       self.power + other.power,
                       min(self.lowest, other.lowest), max(self.highest, other.highest),
                       max(self.largest, other.largest))

    @property
    def lags(self) -> int:
        return len(self.power)

    @property
    def samples(self) -> int:
        return round(float(self.gram[MOVING, MOVING] + self.gram[STILL, STILL]))

    def variance(self, row: int) -> float:
        """Return the variance of the measured or the computed effort [(N m or N)^2]."""
        total = self.gram[row, MOVING] + self.gram[row, STILL]
        return max(0.0, float(self.gram[row, row] - total**2 / self.samples)) / self.samples

    @property
    def correlation(self) -> float:
        """Correlation of measured and computed effort without lag [-]; 0 if one is constant."""
        gram, count = self.gram, self.samples
        totals = [gram[row, MOVING] + gram[row, STILL] for row in (MEASURED, COMPUTED)]
        product = gram[MEASURED, COMPUTED] / count - totals[0] * totals[1] / count**2
        spread = np.sqrt(self.variance(MEASURED) * self.variance(COMPUTED))
        return float(product / spread) if spread > 0.0 else 0.0

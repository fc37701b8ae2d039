"""What figures are made of, summed over any number of samples, for every lag that is tried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.series import LARGEST_EFFORT

_ROWS = 7

VELOCITY, DIRECTION, MOVING, STILL, MEASURED, COMPUTED, LOAD = range(-_ROWS, 0)
"""Rows of the matrix after those of the residuals."""


NEAR = 4
"""Lags from which the residual at one between them is made."""


@dataclass(frozen=True)
class Moments:
    """
    Products of residuals and of what may explain them, summed; sums of parts add up.

    Row i of the matrix that is multiplied with itself is the residual if the measurement is late
    by lag i; seven rows follow: velocity, its sign and one while the joint moves, one while it is
    still, measured and computed effort (both less a constant, against cancellation), and the
    computed one while the joint moves.

    Attributes
    ----------
    gram : ndarray, (p + 7, p + 7)
        Of two residuals only where their lags are less than `NEAR` apart.
    squares : ndarray, (p,)
        Of the residuals, summed while the joint moves.
    power : ndarray, (p,)
        See `Matching`.
    lowest, highest : float
        Of the measured effort without lag [N m or N].
    largest : float
        Magnitude of the residual without lag [N m or N].

    """

    gram: Array
    squares: Array
    power: Array
    lowest: float = np.inf
    highest: float = -np.inf
    largest: float = 0.0

    @staticmethod
    def none(lags: int) -> Moments:
        """Return those of no sample."""
        return Moments(np.zeros((lags + _ROWS, lags + _ROWS)), np.zeros(lags), np.zeros(lags))

    @staticmethod
    def of(measured: Array, computed: Array, velocity: Array, power: Array, still: float,
           reference: float) -> Moments:
        """
        Return those of k samples.

        Parameters
        ----------
        measured : ndarray, (p, k)
            At p lags, zero in the middle [N m or N].
        computed, velocity : ndarray, (k,)
            [N m or N], [rad/s or m/s]; a velocity that is not known is NaN.
        power : ndarray, (p,)
        still : float
            Velocity [rad/s or m/s] up to which the joint does not move.
        reference : float
            About as large as the efforts [N m or N].

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
        # einsum, for the threads of BLAS cost more than such products
        gram[:lags, lags:] = np.einsum('ik,jk->ij', residuals, others)
        gram[lags:, :lags] = gram[:lags, lags:].T
        gram[lags:, lags:] = np.einsum('ik,jk->ij', others, others)
        for apart in range(min(NEAR, lags)):
            row = np.arange(lags - apart)
            gram[row, row + apart] = gram[row + apart, row] = np.einsum(
                'ik,ik->i', residuals[row], residuals[row + apart])
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
        """How many lags there are."""
        return len(self.power)

    @property
    def samples(self) -> int:
        """How many samples are in it."""
        return round(float(self.gram[MOVING, MOVING] + self.gram[STILL, STILL]))

    def variance(self, row: int) -> float:
        """Return the variance of the measured or the computed effort [(N m or N)^2]."""
        total = self.gram[row, MOVING] + self.gram[row, STILL]
        return max(0.0, float(self.gram[row, row] - total**2 / self.samples)) / self.samples

    @property
    def correlation(self) -> float:
        """Of measured and computed effort without lag [-]; 0 if one of them is constant."""
        gram, count = self.gram, self.samples
        totals = [gram[row, MOVING] + gram[row, STILL] for row in (MEASURED, COMPUTED)]
        product = gram[MEASURED, COMPUTED] / count - totals[0] * totals[1] / count**2
        spread = np.sqrt(self.variance(MEASURED) * self.variance(COMPUTED))
        return float(product / spread) if spread > 0.0 else 0.0

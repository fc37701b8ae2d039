"""Gain, lag and offset of velocities by regression of positions, with their deviations."""

from math import exp

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

BLOCK_MEMORY = 100.0
"""Blocks with motion after which the weight of a block is 1/e."""

UNEXPLAINED_SHARE = 0.3
"""Share of the motion that is unexplained; a fault if it is larger in most blocks."""

FITTING_SHARE = 0.2
"""Largest share of the motion that figures may not explain if they are reported."""

PRIOR_DEVIATIONS = np.array([10.0, 0.1, 1.0])
"""Prior deviations of gain [-], lag [s] and offset [rad/s or m/s]."""

PRIOR_POSITION_NOISE = 2e-5
"""Prior deviation of the positions [rad or m]."""

LARGEST_SQUARE = 1e15
"""Sum of squared motions from which on samples are absurd."""

_RIDGE = 1e-13
"""Part by which the diagonal is larger, so that no rounding makes the matrix singular."""

_ENLARGED = 1.0 + _RIDGE * np.eye(3)
_PRIOR = np.diag(PRIOR_DEVIATIONS ** -2.0)


class VelocityRegression:
    """
    Least squares with forgetting, for each joint.

    If the velocity has an error of gain, a lag and an offset, a change of position over a block is
    gain * integral + lag * change of velocity + offset * time, to first order in the lag. The
    prior is an exact velocity.
    """

    def __init__(self, joints: int) -> None:
        # in one array, as to add a block is the same for each of them
        self._sums = np.zeros((joints, 16))
        self._N = self._sums[:, :9].reshape(joints, 3, 3)
        self._r = self._sums[:, 9:12]
        # number of blocks, the earlier ones with less weight
        self._yy, self._moved, self._unexplained, self.blocks = self._sums.T[12:]
        self._variance = np.full(joints, PRIOR_POSITION_NOISE ** 2)
        # gain minus 1 [-], gain times lag [s], offset [rad/s or m/s]
        self.error, self.deviation = np.zeros((2, joints, 3))
        self.fits = np.zeros(joints, dtype=bool)   # whether they explain the motion

    @property
    def inconsistent(self) -> NDArray[np.bool_]:
        """Whether positions do not follow the velocities in most blocks, (n,)."""
        inconsistent: NDArray[np.bool_] = self._unexplained > 0.5 * self.blocks
        return inconsistent

    def add(self, joints: NDArray[np.bool_], X: Array, y: Array, moved: Array) -> None:
        """Add a block for some joints (n,): X (m, 3), y (m,) and the squared motion (m,)."""
        new = np.ones((len(y), self._sums.shape[1]))
        np.multiply(X[:, :, None], X[:, None], out=new[:, :9].reshape(-1, 3, 3))
        np.multiply(X, y[:, None], out=new[:, 9:12])
        new[:, 12] = y * y
        new[:, 13] = moved
        new[:, 14] = new[:, 12] > UNEXPLAINED_SHARE ** 2 * moved
        self._sums[joints] = exp(-1.0 / BLOCK_MEMORY) * self._sums[joints] + new

    def solve(self) -> NDArray[np.bool_]:
        """Compute errors and deviations; return the joints whose sums are not finite, (n,)."""
        absurd: NDArray[np.bool_] = ~(np.abs(self._N).max(axis=(1, 2)) < LARGEST_SQUARE)
        N = np.where(absurd[:, None, None], 0.0, self._N)
        inverse = np.linalg.inv(N * _ENLARGED + self._variance[:, None, None] * _PRIOR)
        self.error = error = (inverse @ self._r[:, :, None])[:, :, 0]
        explained = error * (2.0 * self._r - (N @ error[:, :, None])[:, :, 0])
        residual = self._yy - explained.sum(axis=1)
        absurd |= ~np.isfinite(residual)
        self.fits = residual < FITTING_SHARE ** 2 * self._moved
        squares = np.where(absurd, 0.0, np.maximum(residual, 0.0))
        self._variance = (squares + 2.0 * PRIOR_POSITION_NOISE ** 2) / (
            np.maximum(self.blocks - 3.0, 0.0) + 2.0)
        self.deviation = np.sqrt(self._variance[:, None] * inverse.reshape(-1, 9)[:, ::4])
        return absurd

    def forget(self, joints: NDArray[np.bool_]) -> None:
        """Forget the blocks of some joints, (n,)."""
        self._sums[joints] = 0.0

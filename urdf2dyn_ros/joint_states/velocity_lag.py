"""Lag and scale of velocities that are far too late for a regression of first order."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.velocity_blocks import VelocitySample
from urdf2dyn_ros.robot.spatial import Array

LAGS = np.array([0.0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.225, 0.25,
                 0.275, 0.3])
"""Lags that are compared [s]."""

HISTORY_NS = 400_000_000
"""Time for which positions are kept [ns]: the longest lag and a block."""

LAG_MEMORY = 300.0
"""Blocks with motion after which the weight of a block is 1/e."""

LARGEST_UNEXPLAINED = 0.05
"""Largest share of the squared motion that may be unexplained at the best lag."""


class LagScan:
    """
    Compares integrals of velocity with earlier and earlier changes of position, joint by joint.

    The lag at which the integrals explain most of the motion is interpolated by a parabola.
    """

    def __init__(self, joints: int) -> None:
        # of change^2, change * integral, integral^2
        self._sums = np.zeros((3, len(LAGS), joints))
        self._blocks = np.zeros(joints)
        self.restart()

    def restart(self) -> None:
        """Forget the positions, but not what they showed."""
        self._stamps: list[int] = []
        self._positions: list[Array] = []

    def keep(self, samples: Sequence[VelocitySample]) -> None:
        """Add the positions of a block, whose first sample is the last one of the block before."""
        new = samples[1 if self._stamps else 0:]
        self._stamps += [stamp for stamp, _, _ in new]
        self._positions += [q for _, q, _ in new]
        forgotten = bisect_left(self._stamps, self._stamps[-1] - HISTORY_NS)
        del self._stamps[:forgotten], self._positions[:forgotten]

    def compare(self, first: int, integral: Array, joints: NDArray[np.bool_]) -> None:
        """Compare the integrals (n,) of velocity since a stamp [ns], for some joints (n,)."""
        if first - self._stamps[0] < LAGS[-1] * 1e9:
            return
        lags = (LAGS * 1e9).astype(np.int64)
        change = (self._before(self._stamps[-1], lags) - self._before(first, lags))[:, joints]
        part = integral[joints]
        keep = np.exp(-1.0 / LAG_MEMORY)
        for total, new in zip(self._sums, (change * change, change * part, part * part)):
            total[:, joints] = keep * total[:, joints] + new
        self._blocks[joints] += 1.0

    def _before(self, stamp: int, lags: NDArray[np.int64]) -> Array:
        """Return the positions (k, n) by each lag [ns] before a stamp."""
        wanted = stamp - lags
        stamps = np.array(self._stamps)
        later = np.clip(np.searchsorted(stamps, wanted), 1, len(stamps) - 1)
        before, after = stamps[later - 1], stamps[later]
        share = ((wanted - before) / (after - before))[:, None]
        first, second = (np.array([self._positions[k] for k in rows])
                         for rows in ((later - 1).tolist(), later.tolist()))
        result: Array = first + share * (second - first)
        return result

    def figures(self, joint: int, fewest: float) -> tuple[float, float]:
        """Return lag [s] and scale [-] of a joint; NaN if integrals explain its motion at none."""
        squares, products, integrals = self._sums[..., joint]
        if self._blocks[joint] < fewest or not (integrals[0] > 0.0 and squares[0] > 0.0):
            return np.nan, np.nan
        unexplained = 1.0 - products ** 2 / (squares * integrals)
        # the first of several minima: a periodic motion has many
        k = _first_minimum(unexplained)
        if unexplained[k] > LARGEST_UNEXPLAINED:
            return np.nan, np.nan
        return _parabola(unexplained, k), float(integrals[k] / products[k])


def _first_minimum(values: Array) -> int:
    """Return the index of the first minimum below LARGEST_UNEXPLAINED, else of the least value."""
    padded = np.concatenate(([np.inf], values, [np.inf]))
    lowest = (values < LARGEST_UNEXPLAINED) & (values <= padded[:-2]) & (values <= padded[2:])
    return int(lowest.argmax()) if lowest.any() else int(values.argmin())


def _parabola(values: Array, k: int) -> float:
    """Return the lag [s] where a parabola through three neighbouring values is least."""
    if not 0 < k < len(LAGS) - 1:
        return float(LAGS[k])
    x, middle, z = LAGS[k - 1:k + 2].tolist()
    before, least, after = values[k - 1:k + 2].tolist()
    left, right = (before - least) / (middle - x), (after - least) / (z - middle)
    if left + right <= 0.0:
        return float(middle)
    slope = (right * (middle - x) - left * (z - middle)) / (z - x)
    return float(min(max(middle - slope * (z - x) / (left + right) / 2.0, x), z))

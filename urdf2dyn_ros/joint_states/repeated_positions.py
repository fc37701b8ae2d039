"""Positions that are repeated because the sensor is slower than its publisher."""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

LARGE_STEPS = 2.5
"""Smallest changes of a position up to which it may stay because of its resolution."""

COARSEST = 2.0 * np.pi / 4096.0
"""Resolution that is assumed before a better one is seen [rad or m]."""


class RepeatedPositions:
    """
    Finds positions that are equal to the ones before although the joint moves, joint by joint.

    Such a position is older than its stamp. A change shortly before was larger than the smallest
    ones next to a position that stayed, so that the encoder is not merely coarse. Of two in a
    row, the second one means that the joint rests.

    """

    def __init__(self, joints: int) -> None:
        self._smallest = np.full(joints, COARSEST)
        self.restart()

    def restart(self) -> None:
        """Draw no conclusion from the step to the next sample."""
        self._last = np.full(len(self._smallest), np.nan)
        self._changes = self._last, self._last

    def update(self, q: Array, qd: Array) -> Array:
        """
        Return the positions of a sample, NaN for those that are repeated; q is kept.

        q (n,) [rad or m], qd (n,) [rad/s or m/s]. A joint with velocity keeps its position: the
        velocity corrects what is wrong with it.

        """
        change = q - self._last
        self._last = q
        earlier, before = self._changes
        self._changes = before, change
        if change.all():   # also if NaN
            return q
        stayed = (change == 0.0) & (before != 0.0) & np.isfinite(before)
        self._smallest[stayed] = np.minimum(self._smallest, np.abs(before))[stayed]
        # the last change alone may be small where the joint returns
        size = np.fmax(np.abs(before), np.abs(earlier))
        repeated = stayed & (size > LARGE_STEPS * self._smallest) & np.isnan(qd)
        return np.where(repeated, np.nan, q) if repeated.any() else q

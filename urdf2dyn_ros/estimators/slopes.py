"""Velocities from positions, for joints whose velocity is not measured."""

from __future__ import annotations

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array


class Slopes:
    """Slopes of the last two positions, where velocities are missing."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the last sample."""
        self._last: tuple[int, Array] | None = None

    def update(self, stamp: int, q: Array, qd: Array) -> Array:
        """Return qd (n,) with the NaN replaced by slopes; at the first sample they stay NaN."""
        velocity = qd.copy()
        missing = np.isnan(qd)
        if self._last is not None and missing.any():
            velocity[missing] = ((q - self._last[1]) / ((stamp - self._last[0]) * 1e-9))[missing]
        self._last = stamp, q.copy()
        return velocity

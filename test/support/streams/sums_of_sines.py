"""Sums of sines, one for each joint."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sums_of_sines(time: Array, w: Array, phase: Array, size: Array | float) -> list[Array]:
    """Return positions to accelerations (k, n); w [rad/s] and phases are (sines, n)."""
    angle = w * time[:, None, None] + phase
    return [size * each.sum(axis=1) for each in (
        np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle))]

"""Which samples of long curves to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array


def thinned(lines: Array, segments: int) -> NDArray[np.int64]:
    """
    Return which samples of lines (n, k) to draw so that no peak is lost.

    Of each segment these are the lowest and the highest finite value of every line; the first and
    the last sample are always drawn.

    """
    count = lines.shape[1]
    if count <= 2 * segments:
        return np.arange(count, dtype=np.int64)
    size = -(-count // segments)
    padded = np.full((len(lines), segments * size), np.nan)
    padded[:, :count] = np.where(np.isfinite(lines), lines, np.nan)
    parts = padded.reshape(len(lines), segments, size)
    starts = size * np.arange(segments)
    lowest = starts + np.where(np.isnan(parts), np.inf, parts).argmin(axis=2)
    highest = starts + np.where(np.isnan(parts), -np.inf, parts).argmax(axis=2)
    kept = np.unique(np.concatenate(([0, count - 1], lowest.ravel(), highest.ravel())))
    return np.asarray(kept[kept < count], dtype=np.int64)

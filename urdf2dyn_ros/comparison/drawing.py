"""What the pictures of a comparison have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.picture import SKY, VERMILION

MEASURED, COMPUTED, RESIDUAL = SKY, VERMILION, '#404040'
"""Also told apart by lightness in print."""


def thinned(lines: Array, places: int) -> NDArray[np.int64]:
    """
    Return which samples to draw of lines (n, k), so that no peak is lost.

    Of each of `places` stretches these are the lowest and the highest of every line.

    """
    count = lines.shape[1]
    if count <= 2 * places:
        return np.arange(count, dtype=np.int64)
    starts = np.linspace(0, count, places + 1).astype(int)[:-1]
    ends = np.append(starts[1:], count)
    kept = {0, count - 1}
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        stretch = lines[:, first:last]
        kept.update((first + stretch.argmin(axis=1)).tolist())
        kept.update((first + stretch.argmax(axis=1)).tolist())
    return np.array(sorted(kept), dtype=np.int64)

"""
Friction that follows late when a joint turns back, as in harmonic drives, eliminated from rows.

Its sign z comes to that of the velocity within some travel (Dahl):

    dz = (sign(dq) - z) |dq| / travel
"""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array

_TRAVELS = (0.05, 0.2, 1.0)
"""Travels within which signs follow, over what a joint moves in 1 s at the width of its sign."""


def late_signs(q: Array, widths: Array) -> Array:
    """Return signs (k, n, 3) that follow late along positions (k, n), by SIGN_WIDTHS (n,)."""
    steps = np.diff(q, axis=0, prepend=q[:1])[:, :, None]
    kept = np.exp(-np.abs(steps) / (widths[:, None] * np.array(_TRAVELS)))
    added = np.sign(steps) * (1.0 - kept)
    signs = np.zeros(added.shape)
    for k in range(1, len(signs)):
        signs[k] = kept[k] * signs[k - 1] + added[k]
    return signs


def eliminated(rows: Array, columns: Array, block: NDArray[np.int64]) -> Array:
    """Return rows (k, c) without the part that columns (k, m) explain within each block (k,)."""
    result = rows.copy()
    for number in np.unique(block):
        chosen = block == number
        basis, sizes, _ = np.linalg.svd(columns[chosen], full_matrices=False)
        basis = basis[:, sizes > 1e-9 * max(sizes[0], 1e-300)]
        result[chosen] -= basis @ (basis.T @ rows[chosen])
    return result

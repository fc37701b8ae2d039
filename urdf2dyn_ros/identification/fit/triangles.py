"""
Triangles: rows of a least-squares problem, compressed without loss.

The upper triangle R of a QR decomposition of [X, z] has the same least-squares problem, for any
unknowns, as its rows: |X x - z| = |R [x, -1]|. Triangles of parts merge by a QR decomposition of
one above the other (TSQR; Demmel, Grigori, Hoemmen, Langou 2012), in any order.
"""

from collections.abc import Iterable

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

_ROWS_AT_ONCE = 4096


def triangle(rows: Array) -> Array:
    """Return the triangle (c, c) of rows (k, c); its diagonal is not negative."""
    columns = rows.shape[1]
    if not rows.any():   # of a joint that is held, as most of a humanoid are
        return np.zeros((columns, columns))
    R: Array = np.zeros((0, columns))
    for first in range(0, max(len(rows), 1), _ROWS_AT_ONCE):
        R = np.asarray(np.linalg.qr(np.concatenate((R, rows[first:first + _ROWS_AT_ONCE])),
                                    mode='r'))
    square = np.zeros((columns, columns))
    square[:len(R)] = R
    signs = np.where(np.diag(square) < 0.0, -1.0, 1.0)
    return signs[:, None] * square


def merged_triangle(triangles: Iterable[Array]) -> Array:
    """Return the triangle of the rows of all of several triangles of the same columns."""
    return triangle(np.concatenate(list(triangles)))


def residual_squares(R: Array, solution: Array) -> float:
    """Return |X x - z|^2 of a triangle (c, c) for unknowns (c - 1,)."""
    residual = R[:, :-1] @ solution - R[:, -1]
    return float(residual @ residual)

"""
Contacts in a recording: the time in which several joints need other efforts than before.

Each joint's efforts are fitted by the columns of its bodies and its friction so that their
absolute residuals are least: what acts for a short time hardly changes such a fit. Without a prior
it does not need the URDF's masses, nor the gains of currents.
"""

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.low_pass import ROW_RATE
from urdf2dyn_ros.identification.rows import RecordedRows

_WINDOW = 0.5
"""Time in which residuals are compared with those of the rest of the recording [s]."""

_LARGER = 8.0
"""
Residual of a window, over the median of all windows, from which on it is not that of the motion.

At two joints at once it is up to 4.8 in 14 recordings of five robots, 230 in a push of 25 N m.
"""

_LEAST_SHARE = 0.2
"""The same, over the efforts without their mean: less is not worth a word."""

_LONGEST_SHARE = 0.25
"""Share of the recording beyond which it is no contact that passes."""

_FEWEST_JOINTS = 2
"""Joints that feel it; one alone may stick."""

_FEWEST_WINDOWS = 10

_PASSES = 8


def contacts(joints: Sequence[str], rows: RecordedRows, used: Array) -> str:
    """Return from when to when something else acts on which joints, or nothing."""
    width = round(_WINDOW * ROW_RATE)
    count = len(rows.time) // width
    if count < _FEWEST_WINDOWS:
        return ''
    feels = np.array([_windows(part, moves, width) if use else np.zeros(count, dtype=bool)
                      for part, moves, use in zip(rows.joints, rows.moves.T, used)])
    there = feels.sum(axis=0) >= _FEWEST_JOINTS
    if not 0.0 < there.mean() <= _LONGEST_SHARE:
        return ''
    times = rows.time[:count * width].reshape(count, width)
    edges = np.flatnonzero(np.diff(there, prepend=False, append=False)).reshape(-1, 2)
    spans = ', '.join(f'{times[first, 0]:.1f} to {times[last - 1, -1]:.1f} s'
                      for first, last in edges)
    names = ', '.join(compress(joints, np.any(feels[:, there], axis=1)))
    return (f'from {spans} the efforts of {names} do not fit the model that fits the rest of the '
            'recording: did something touch the robot, or was its friction not yet as warm as '
            'later? Remove that time, or record again')


def _windows(part: Array, moves: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return in which windows of so many rows a moving joint has far larger residuals."""
    count = len(part) // width
    residual = np.where(moves, np.abs(_least_absolute(part)), np.nan)[:count * width]
    windows = residual.reshape(count, width)
    enough = np.isfinite(windows).mean(axis=1) > 0.5
    if enough.sum() < _FEWEST_WINDOWS:
        return np.zeros(count, dtype=bool)
    size = np.zeros(count)
    size[enough] = np.nanmedian(windows[enough], axis=1)
    found: NDArray[np.bool_] = size > max(_LARGER * float(np.median(size[enough])),
                              _LEAST_SHARE * float(part[:, -1].std()))
    return found


def _least_absolute(part: Array) -> Array:
    """Return the residuals (k,) of rows of columns and effort, by reweighted least squares."""
    X, y = part[:, :-1], part[:, -1]
    X = X / np.maximum(np.linalg.norm(X, axis=0), 1e-12)
    residual = y - y.mean()
    for _ in range(_PASSES):
        size = np.abs(residual)
        weights = 1.0 / np.maximum(size, max(float(np.median(size)), 1e-12))
        normal = (X.T * weights) @ X
        normal[np.diag_indices(len(normal))] += 1e-8 * np.trace(normal) / len(normal)
        residual = y - X @ np.linalg.solve(normal, X.T @ (weights * y))
    return np.asarray(residual)

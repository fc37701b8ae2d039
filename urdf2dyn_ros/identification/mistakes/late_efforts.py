"""Efforts that are late or early by more than any filter: of another clock, or of another run."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.choice import FARTHEST_DELAY
from urdf2dyn_ros.identification.fit.joint_columns import LOAD, joint_columns
from urdf2dyn_ros.identification.mistakes.change import no_change
from urdf2dyn_ros.identification.mistakes.held_out_fit import held_out_error
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot

_LARGEST_DELAY, _LARGEST_SHARE = 2.0, 0.2
"""Largest delay that is tried [s], and its share of a piece."""

LARGEST_GIVEN_DELAY = 0.5
"""Largest delay that a user may give [s]."""

_RATE = 50.0
"""Rate of the samples that are compared [Hz]."""

_PROMISING = 1.0
"""Fall of the logarithm of the squares that the URDF leaves, over all joints, for a trial [-]."""

_CONFIRMED = 2.0
"""The same of a fit's residuals in held-out blocks, from which on the efforts are late."""

_LEAST_SHARE = 1e-3
"""Share of the squares of an effort below which what is left of it is noise."""


def piece_without_delay(piece: Piece, delay: float) -> Piece:
    """Return a piece whose efforts are earlier by a delay [s], in whole samples."""
    late = round(delay * piece.rate)
    if late == 0:
        return piece
    count = len(piece.q) - abs(late)
    motion, effort = (slice(start, start + count) for start in (max(0, -late), max(0, late)))
    return Piece(piece.time[motion], piece.rate, piece.q[motion], piece.qd[motion],
                 piece.qdd[motion], piece.effort[effort])


def late_efforts(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_]) -> str:
    """Return that efforts are late or early by more than FARTHEST_DELAY, or nothing."""
    delay = _promising_delay(robot, piece, used)
    if delay == 0.0:
        return ''
    unchanged = no_change(len(used))
    before, after = (float(held_out_error(robot, each, used, free, unchanged).sum())
                     for each in (piece, piece_without_delay(piece, delay)))
    if before - after < _CONFIRMED:
        return ''
    late = 'later' if delay > 0.0 else 'earlier'
    return (f'the efforts are about {abs(delay):g} s {late} than the motion that needs them: '
            'record positions and efforts with stamps of one clock, or, if the delay is '
            f'constant, {_remedy(delay)}')


def _remedy(delay: float) -> str:
    return (f'add --delay {delay:g}' if abs(delay) <= LARGEST_GIVEN_DELAY else
            'change the times of one of the two by it')


def _promising_delay(robot: Robot, piece: Piece, used: Array) -> float:
    """Return the delay [s] with which the URDF explains far more, or 0 if there is none."""
    step = max(1, round(piece.rate / _RATE))
    q, qd, qdd, effort = (each[::step] for each in (piece.q, piece.qd, piece.qdd, piece.effort))
    rate = piece.rate / step
    most = int(rate * min(_LARGEST_DELAY, _LARGEST_SHARE * len(q) / rate))
    near = int(rate * FARTHEST_DELAY)
    if most <= near:
        return 0.0
    inner = slice(most, len(q) - most)
    nominal = robot.dynamics(q[inner], qd[inner], qdd[inner])
    left = np.zeros(2 * most + 1)
    for j in np.flatnonzero(used).tolist():
        if not np.isfinite(effort[:, j]).all():
            continue
        own = joint_columns(qd[inner, j], qdd[inner, j], nominal[:, j], robot.sign_widths[j])
        basis = np.linalg.qr(np.column_stack((nominal[:, j], own[:, :LOAD])))[0]
        shifted = sliding_window_view(effort[:, j], len(nominal))
        squares = np.square(shifted - shifted.mean(axis=1, keepdims=True)).sum(axis=1)
        rest = np.square(shifted).sum(axis=1) - np.square(shifted @ basis).sum(axis=1)
        left += np.log(np.maximum(rest / np.maximum(squares, 1e-300), _LEAST_SHARE))
    best = int(np.argmin(left))
    usual = float(left[most - near:most + near + 1].min())
    if usual - left[best] < _PROMISING:
        return 0.0
    return round((best - most) / rate, 2)

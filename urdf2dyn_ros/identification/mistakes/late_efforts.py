"""
Efforts that are late or early by more than any filter.

Those of all joints are of another clock or of another run, those of one joint come from a drive
or a filter of its own.
"""

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.choice import FARTHEST_DELAY, LARGEST_DELAY
from urdf2dyn_ros.identification.fit.joint_columns import LOAD, joint_columns
from urdf2dyn_ros.identification.mistakes.change import no_change
from urdf2dyn_ros.identification.mistakes.held_out_fit import held_out_error
from urdf2dyn_ros.identification.pieces import LEAST_JUDGED, Piece
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

_PROMISING_OF_JOINT, _CONFIRMED_OF_JOINT = 0.4, 0.7
"""The same for a joint that alone is late; those of a UR10, a TX40 and a TIAGo reach 0.2 and 0."""

_FEWEST_JOINTS = 3
"""Joints from which on it is one of them that is late."""

_LEAST_SHARE = 1e-3
"""Share of the squares of an effort below which what is left of it is noise."""


def piece_without_delay(piece: Piece, delay: float, joint: int | None = None) -> Piece:
    """Return a piece whose efforts, or those of a joint, are earlier by a delay [s]."""
    late = round(delay * piece.rate)
    if late == 0:
        return piece
    count = len(piece.q) - abs(late)
    motion, moved = (slice(start, start + count) for start in (max(0, -late), max(0, late)))
    effort = piece.effort[moved]
    if joint is not None:
        effort = piece.effort[motion].copy()
        effort[:, joint] = piece.effort[moved, joint]
    return Piece(piece.time[motion], piece.rate, piece.q[motion], piece.qd[motion],
                 piece.qdd[motion], effort)


def late_efforts(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_]) -> str:
    """Return that efforts are late or early by more than FARTHEST_DELAY, or nothing."""
    left, most, rate = _left_by_delay(robot, piece, used)
    delay = _promising_delay(left.sum(axis=0), most, rate, FARTHEST_DELAY, _PROMISING)
    if delay == 0.0:
        return ''
    unchanged = no_change(len(used))
    before, after = (float(held_out_error(robot, each, used, free, unchanged).sum())
                     for each in (piece, piece_without_delay(piece, delay)))
    if before - after < _CONFIRMED:
        return ''
    return (f'the efforts are about {_lateness(delay)} than the motion that needs them: '
            'record positions and efforts with stamps of one clock, or, if the delay is '
            f'constant, {_remedy(delay)}')


def late_joints(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_]
                ) -> Iterator[str]:
    """Yield for each joint whose efforts have another delay than those of the other joints."""
    left, most, rate = _left_by_delay(robot, piece, used)
    if np.count_nonzero(used) < _FEWEST_JOINTS or not most:
        return
    unchanged, total = no_change(len(used)), left.sum(axis=0)
    for j, each in enumerate(left):
        common = int(np.argmin(total - each)) - most
        delay = _promising_delay(each, most, rate, LARGEST_DELAY, _PROMISING_OF_JOINT, common)
        if delay == 0.0:
            continue
        others = piece_without_delay(piece, common / rate)
        before, after = (float(held_out_error(robot, tried, used, free, unchanged)[j])
                         for tried in (others, piece_without_delay(others, delay, j)))
        if before - after > _CONFIRMED_OF_JOINT:
            yield (f'the efforts of {robot.joints[j]} are about {_lateness(delay)} than those '
                   'of the other joints: record all of them with stamps of one clock and the same '
                   'filter, or does its friction follow late?')


def _lateness(delay: float) -> str:
    return f'{abs(delay):g} s {"later" if delay > 0.0 else "earlier"}'


def _remedy(delay: float) -> str:
    return (f'add --delay {delay:g}' if abs(delay) <= LARGEST_GIVEN_DELAY else
            'change the times of one of the two by it')


def _left_by_delay(robot: Robot, piece: Piece, used: Array) -> tuple[Array, int, float]:
    """
    Return what the URDF leaves of efforts (n, 2 most + 1) that are moved by up to `most` samples.

    It is the logarithm of the share of squares, 0 for joints that are not used; and the rate of
    the samples [Hz].
    """
    step = max(1, round(piece.rate / _RATE))
    q, qd, qdd, effort = (each[::step] for each in (piece.q, piece.qd, piece.qdd, piece.effort))
    rate = piece.rate / step
    share = _LARGEST_SHARE if len(q) >= LEAST_JUDGED * rate else 0.0
    most = int(rate * min(_LARGEST_DELAY, share * len(q) / rate))
    inner = slice(most, len(q) - most)
    nominal = robot.dynamics(q[inner], qd[inner], qdd[inner])
    left = np.zeros((len(used), 2 * most + 1))
    for j in np.flatnonzero(used).tolist():
        if not np.isfinite(effort[:, j]).all():
            continue
        own = joint_columns(qd[inner, j], qdd[inner, j], nominal[:, j], robot.sign_widths[j])
        basis = np.linalg.qr(np.column_stack((nominal[:, j], own[:, :LOAD])))[0]
        shifted = sliding_window_view(effort[:, j], len(nominal))
        squares = np.square(shifted - shifted.mean(axis=1, keepdims=True)).sum(axis=1)
        rest = np.square(shifted).sum(axis=1) - np.square(shifted @ basis).sum(axis=1)
        left[j] = np.log(np.maximum(rest / np.maximum(squares, 1e-300), _LEAST_SHARE))
    return left, most, rate


def _promising_delay(left: Array, most: int, rate: float, usual: float, least: float,
                     common: int = 0) -> float:
    """
    Return the delay after a common one that leaves less than all usual ones [s], or 0.

    `usual` is the largest usual delay [s], `least` by how much less, `common` is in samples.
    """
    near, zero, best = int(rate * usual), most + common, int(np.argmin(left))
    if most <= near or left[max(0, zero - near):zero + near + 1].min() - left[best] < least:
        return 0.0
    return round((best - zero) / rate, 2)

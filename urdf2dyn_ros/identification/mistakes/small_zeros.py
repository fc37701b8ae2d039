"""
Zeros of joints, and a direction of gravity, that differ by some degrees from those of the URDF.

A small difference times the derivative of the efforts by the position, or by gravity, is one more
column of the efforts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.columns import Columns
from urdf2dyn_ros.identification.low_pass import ROW_RATE, Spectra
from urdf2dyn_ros.identification.mistakes.candidates import moved_beyond
from urdf2dyn_ros.identification.mistakes.more_columns import (
    Explained,
    FittedRows,
    explained,
)
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import inner_times
from urdf2dyn_ros.identification.summary import Summary

_STEP = 1e-4
"""Difference of a position for a derivative [rad]."""

_REMOVED = 0.3
"""Fall of the logarithm of held-out residuals, over all joints, from which on a zero counts."""

_LEAST_ANGLE = np.radians(2.0)
"""Difference of a zero that is none: a robot may be mounted so [rad]."""

_ALIKE = 0.7
"""Share of what the best one removes from which on another one may be the wrong one as well."""

_MOST_JOINTS = 12
"""Joints of a robot up to which zeros are compared."""


def small_zeros(robot: Robot, pieces: Sequence[Piece], summary: Summary, fit: FittedRows,
                moving: NDArray[np.bool_]) -> str:
    """Return that a zero or gravity looks some degrees wrong in a recording, or nothing."""
    joints = [joint for joint in sorted(moved_beyond(robot, moving))
              if moving[joint] and robot.dynamics.units[joint] == 'rad']
    if not joints or len(moving) > _MOST_JOINTS:
        return ''
    gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
    axes = np.linalg.svd(gravity[None])[2][1:] if gravity.any() else np.zeros((0, 3))
    columns = _columns(robot, pieces, fit.bodies, joints, axes, summary)[::fit.every_nth]
    tilt = [len(joints), len(joints) + 1]
    *zeros, tilted = explained(fit, columns, [*([k] for k in range(len(joints))),
                                              tilt[:len(axes)]])
    removed = np.array([each.removed for each in zeros])
    factor = float(np.exp(max(tilted.removed, removed.max()) / len(fit.joints)))
    why = (f'{factor:.2g} times smaller residuals are left of held-out blocks (geometric mean of '
           'the joints), which other bodies cannot make up for')
    if len(axes) and tilted.removed > removed.max():
        return _tilt(tilted, gravity, axes, why)
    angles = np.array([float(each.unknowns[0]) for each in zeros])
    best = int(np.argmax(removed))
    if removed[best] < _REMOVED or abs(angles[best]) < _LEAST_ANGLE:
        return ''
    alike = [k for k in np.argsort(-removed).tolist() if removed[k] >= _ALIKE * removed[best]]
    names = ' or '.join(f'{robot.joints[joints[k]]} ({np.degrees(angles[k]):.0f} deg)'
                        for k in alike)
    return (f'the zero of {names} looks different from that of the URDF: with so much added to '
            f'its positions, {why}; compare the zero with a mark on the robot, and set it in the '
            'driver or in the <origin> of the joint')


def _tilt(tilted: Explained, gravity: Array, axes: Array, why: str) -> str:
    """Return that gravity looks tilted, or nothing."""
    size = float(np.linalg.norm(gravity))
    direction = gravity + tilted.unknowns @ axes
    angle = float(np.arctan2(np.linalg.norm(tilted.unknowns), size))
    if tilted.removed < _REMOVED or angle < _LEAST_ANGLE:
        return ''
    words = ' '.join(f'{entry:.2f}' for entry in
                     size / np.linalg.norm(direction) * direction + 0.0)
    return (f'the robot looks tilted by {np.degrees(angle):.0f} deg: with a gravity of {words} '
            f'm/s^2 in the frame of the root, {why}; if it is mounted so, add --gravity {words}')


def _columns(robot: Robot, pieces: Sequence[Piece], bodies: Array, joints: Sequence[int],
             axes: Array, summary: Summary) -> Array:
    """
    Return the derivatives (k, z, n) of the efforts of all rows.

    They are those by positions of joints, then by gravity along axes (., 3) of the root frame.
    """
    parts = []
    for piece in pieces:
        step = max(1, int(piece.rate / ROW_RATE))
        q, qd, qdd = piece.q[::step], piece.qd[::step], piece.qdd[::step]
        efforts, rest = robot.columns.efforts(q, qd, qdd, bodies), np.zeros_like(q)
        slopes = []
        for joint in joints:
            near = q.copy()
            near[:, joint] += _STEP
            slopes.append((robot.columns.efforts(near, qd, qdd, bodies) - efforts) / _STEP)
        slopes += [Columns(robot.system, axis).efforts(q, rest, rest, bodies)
                   for axis in axes.tolist()]
        coarse = Spectra(np.concatenate(slopes, axis=1), piece.rate / step)
        fine = Spectra(np.zeros((len(piece.q), 1)), piece.rate).time
        kept = fine[inner_times(fine, summary.delay)]
        parts.append(np.stack([np.interp(kept, coarse.time, each) for each in coarse.rows(
            summary.cutoff, summary.delay).T], axis=1))
    return np.concatenate(parts).reshape(-1, len(joints) + len(axes), len(robot.joints))

"""
Zeros of joints, or gravity, some degrees off those of the URDF, and joints with a spring in them.

A small difference times the derivative of the efforts by it is one more column of the efforts.
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

_SPRING_STEP = 1e-6
"""Compliance for a derivative [rad/(N m)]."""

_REMOVED = 0.3
"""Fall of the logarithm of held-out residuals, over all joints, from which on a zero counts."""

_REMOVED_BY_SPRING = 0.8
"""The same for a spring: parts of 9 and 14 s of a UR10 reach 0.4, other robots' URDFs 0.6."""

_LEAST_ANGLE = np.radians(2.0)
"""Difference of a zero that is none: a robot may be mounted so [rad]."""

_ALIKE = 0.7
"""Share of what the best one removes from which on another one may be the wrong one as well."""

_MOST_JOINTS, _LEAST_MOTION = 12, 6.0
"""Joints of a robot up to which zeros are compared, and the time for which joints move [s]."""


def small_zeros(robot: Robot, pieces: Sequence[Piece], summary: Summary, fit: FittedRows,
                moving: NDArray[np.bool_]) -> str:
    """Return that a zero or gravity looks some degrees wrong, or joints elastic, or nothing."""
    joints = [joint for joint in sorted(moved_beyond(robot, moving))
              if moving[joint] and robot.dynamics.units[joint] == 'rad']
    motion = float(fit.rows.moves[:, fit.joints].sum(axis=0).mean()) / ROW_RATE
    if not joints or len(moving) > _MOST_JOINTS or motion < _LEAST_MOTION:
        return ''
    gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
    axes = np.linalg.svd(gravity[None])[2][1:] if gravity.any() else np.zeros((0, 3))
    columns = _columns(robot, pieces, fit.bodies, joints, axes, summary)[::fit.every_nth]
    count = len(joints)
    *results, tilted = explained(fit, columns, [
        *([k] for k in range(2 * count)), [2 * count + k for k in range(len(axes))]])
    zeros, springs = results[:count], results[count:]
    best = max((*results, tilted), key=lambda each: each.removed)
    if best.removed < (_REMOVED_BY_SPRING if best in springs else _REMOVED):
        return ''
    why = (f'{np.exp(best.removed / len(fit.joints)):.2g} times smaller residuals are left of '
           'held-out blocks (geometric mean of the joints), which other bodies cannot make up for')
    if best is tilted:
        return _tilt(tilted, gravity, axes, why)
    own = springs if best in springs else zeros
    alike = [k for k in np.argsort([-each.removed for each in own]).tolist()
             if own[k].removed >= _ALIKE * best.removed]
    names = [robot.joints[joints[k]] for k in alike]
    values = np.array([own[k].unknowns[0] for k in alike])
    return (_springs if own is springs else _zeros)(names, values, why)


def _zeros(names: Sequence[str], angles: Array, why: str) -> str:
    """Return that the zero of one of some joints looks wrong, or nothing."""
    if abs(angles[0]) < _LEAST_ANGLE:
        return ''
    words = ' or '.join(f'{name} ({np.degrees(angle):.0f} deg)'
                        for name, angle in zip(names, angles))
    return (f'the zero of {words} looks different from that of the URDF: with so much added to '
            f'its positions, {why}; compare the zero with a mark on the robot, and set it in the '
            'driver or in the <origin> of the joint')


def _springs(names: Sequence[str], compliances: Array, why: str) -> str:
    """Return that some joints look elastic, or nothing."""
    if compliances[0] <= 0.0:
        return ''
    words = ' or '.join(f'{name} ({1.0 / each:.2g} N m/rad)'
                        for name, each in zip(names, compliances) if each > 0.0)
    return (f'{words} looks elastic: with a spring between its encoder and the link, {why}; the '
            'positions of the links are not those that are recorded, as this model assumes: '
            'record those of encoders on the side of the link, or a slower motion')


def _tilt(tilted: Explained, gravity: Array, axes: Array, why: str) -> str:
    """Return that gravity looks tilted, or nothing."""
    size = float(np.linalg.norm(gravity))
    direction = gravity + tilted.unknowns @ axes
    angle = float(np.arctan2(np.linalg.norm(tilted.unknowns), size))
    if angle < _LEAST_ANGLE:
        return ''
    words = ' '.join(f'{entry:.2f}' for entry in
                     size / np.linalg.norm(direction) * direction + 0.0)
    return (f'the robot looks tilted by {np.degrees(angle):.0f} deg: with a gravity of {words} '
            f'm/s^2 in the frame of the root, {why}; if it is mounted so, add --gravity {words}')


def _columns(robot: Robot, pieces: Sequence[Piece], bodies: Array, joints: Sequence[int],
             axes: Array, summary: Summary) -> Array:
    """
    Return the derivatives (k, z, n) of the efforts of all rows.

    They are those by positions of joints, by their compliances [rad/(N m)], and by gravity along
    axes (., 3) of the root frame.
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
        for joint in joints:   # as if its encoder were before a spring, which its effort bends
            bent = np.where(np.arange(len(robot.joints)) == joint, -_SPRING_STEP * efforts, 0.0)
            speed = np.gradient(bent, step / piece.rate, axis=0)
            near = robot.columns.efforts(q + bent, qd + speed, qdd + np.gradient(
                speed, step / piece.rate, axis=0), bodies)
            slopes.append((near - efforts) / _SPRING_STEP)
        slopes += [Columns(robot.system, axis).efforts(q, rest, rest, bodies)
                   for axis in axes.tolist()]
        coarse = Spectra(np.concatenate(slopes, axis=1), piece.rate / step)
        fine = Spectra(np.zeros((len(piece.q), 1)), piece.rate).time
        kept = fine[inner_times(fine, summary.delay)]
        parts.append(np.stack([np.interp(kept, coarse.time, each) for each in coarse.rows(
            summary.cutoff, summary.delay).T], axis=1))
    return np.concatenate(parts).reshape(-1, 2 * len(joints) + len(axes), len(robot.joints))

"""
Zeros of joints that differ by some degrees from those of the URDF.

A zero that is a little wrong adds its difference times the derivative of the efforts by the
position: one more column, with a single unknown for all joints. It counts if it predicts what a
fit with any bodies leaves of blocks that were held out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.consistent_fit import slopes_of
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS
from urdf2dyn_ros.identification.fit.pooled_fit import PRIOR_WEIGHT, fitted, pooled, used_terms
from urdf2dyn_ros.identification.low_pass import ROW_RATE, Spectra
from urdf2dyn_ros.identification.mistakes.candidates import moved_beyond
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import BLOCKS, inner_times
from urdf2dyn_ros.identification.summary import Summary

_STEP = 1e-4
"""Difference of a position for a derivative [rad]."""

_REMOVED = 0.3
"""Fall of the logarithm of held-out residuals, over all joints, from which on a zero counts."""

_LEAST_ANGLE = np.radians(2.0)
"""Difference of a zero that is none: a robot may be mounted so [rad]."""

_ALIKE = 0.7
"""Share of what the best zero removes from which on another one may be the wrong one as well."""

_MOST_JOINTS, _MOST_ROWS = 12, 3000
"""Joints of a robot up to which zeros are compared, and rows of each that are used."""


class _Problem(NamedTuple):
    """Normal matrices of blocks, and rows of each joint: unknowns of a fit, zeros, residuals."""

    normals: list[Array]
    rows: list[list[Array]]


def small_zeros(robot: Robot, pieces: Sequence[Piece], summary: Summary,
                moving: NDArray[np.bool_]) -> str:
    """Return that the zero of a joint looks some degrees wrong in a recording, or nothing."""
    joints = [joint for joint in sorted(moved_beyond(robot, moving))
              if moving[joint] and robot.dynamics.units[joint] == 'rad']
    if not joints or len(moving) > _MOST_JOINTS:
        return ''
    problem = _problem(robot, pieces, summary, joints)
    removed, angles = _removed(problem, len(joints))
    best = int(np.argmax(removed))
    if removed[best] < _REMOVED or abs(angles[best]) < _LEAST_ANGLE:
        return ''
    alike = [k for k in np.argsort(-removed).tolist() if removed[k] >= _ALIKE * removed[best]]
    names = ' or '.join(f'{robot.joints[joints[k]]} ({np.degrees(angles[k]):.0f} deg)'
                        for k in alike)
    factor = np.exp(removed[best] / np.count_nonzero(summary.used))
    return (f'the zero of {names} looks different from that of the URDF: with so much added to '
            f'its positions, {factor:.1f} times smaller residuals are left of held-out blocks '
            '(geometric mean of the joints), which other bodies cannot make up for; compare the '
            'zero with a mark on the robot, and set it in the driver or in the <origin> of the '
            'joint')


def _removed(problem: _Problem, count: int) -> tuple[Array, Array]:
    """Return what each zero removes in held-out blocks (z,), as a logarithm, and its angle."""
    total = np.sum(problem.normals, axis=0)
    left = np.zeros((1 + count, len(problem.rows[0])))
    for normal, rows in zip(problem.normals, problem.rows):
        angles, unknowns = _solutions(total - normal, count)
        for k, part in enumerate(rows):
            residual = part[:, -1:] - part[:, :-1 - count] @ unknowns
            residual[:, 1:] -= part[:, -1 - count:-1] * angles
            left[:, k] += np.square(residual).sum(axis=0)
    logarithms = 0.5 * np.log(np.maximum(left, 1e-30)).sum(axis=1)
    return logarithms[0] - logarithms[1:], _solutions(total, count)[0]


def _solutions(normal: Array, count: int) -> tuple[Array, Array]:
    """Return the angle of each zero (z,), and the unknowns (u, 1 + z) without and with each."""
    size = len(normal) - count - 1
    K = normal[:size, :size] + np.diag(1e-9 * np.diag(normal)[:size] + 1e-9)
    K[range(size), range(size)] += 0.5 * PRIOR_WEIGHT
    X = np.linalg.solve(K, normal[:size, size:])
    S = normal[size:, size:] - normal[size:, :size] @ X
    angles = S[:-1, -1] / np.maximum(np.diag(S)[:-1], 1e-12)
    return angles, np.column_stack((X[:, -1], X[:, -1:] - X[:, :-1] * angles))


def _problem(robot: Robot, pieces: Sequence[Piece], summary: Summary,
             joints: Sequence[int]) -> _Problem:
    """Return the problem whose residuals are those of a fit of the summary."""
    assert summary.rows is not None
    used, own = summary.used, len(JOINT_COLUMNS)
    fit = fitted(robot, pooled(summary.weighted), used_terms(robot, used, summary.fastest),
                 PRIOR_WEIGHT, linear=True).fit
    slopes = slopes_of(robot.prior.factors)
    zeros = _zero_columns(robot, pieces, fit.bodies, joints, summary)
    counted = np.flatnonzero(used).tolist()
    first = 10 * len(slopes)
    size, every_nth = first + own * len(counted), -(-len(summary.rows.block) // _MOST_ROWS)
    parts = []
    for k, joint in enumerate(counted):
        columns, bodies = summary.rows.joints[joint][::every_nth], robot.columns.bodies[joint]
        part = np.zeros((len(columns), size + len(joints) + 1))
        for place, body in enumerate(bodies):
            part[:, 10 * body:10 * body + 10] = (
                columns[:, 10 * place:10 * place + 10] @ slopes[body])
        part[:, first + own * k:first + own * k + own] = columns[:, -1 - own:-1]
        part[:, size:-1] = zeros[::every_nth, :, joint]
        part[:, -1] = columns[:, -1] - columns[:, :-1] @ fit.solution(joint, bodies)
        parts.append(part / max(float(np.std(part[:, -1])), 1e-12))
    block = summary.rows.block[::every_nth]
    rows = [[part[block == number] for part in parts] for number in range(BLOCKS)]
    return _Problem([np.sum([part.T @ part for part in each], axis=0) for each in rows], rows)


def _zero_columns(robot: Robot, pieces: Sequence[Piece], bodies: Array, joints: Sequence[int],
                  summary: Summary) -> Array:
    """Return the derivatives (k, z, n) of the efforts of all rows by positions of joints."""
    parts = []
    for piece in pieces:
        step = max(1, int(piece.rate / ROW_RATE))
        q, qd, qdd = piece.q[::step], piece.qd[::step], piece.qdd[::step]
        efforts = robot.columns.efforts(q, qd, qdd, bodies)
        slopes = []
        for joint in joints:
            near = q.copy()
            near[:, joint] += _STEP
            slopes.append((robot.columns.efforts(near, qd, qdd, bodies) - efforts) / _STEP)
        coarse = Spectra(np.concatenate(slopes, axis=1), piece.rate / step)
        fine = Spectra(np.zeros((len(piece.q), 1)), piece.rate).time
        kept = fine[inner_times(fine, summary.delay)]
        parts.append(np.stack([np.interp(kept, coarse.time, each) for each in coarse.rows(
            summary.cutoff, summary.delay).T], axis=1))
    return np.concatenate(parts).reshape(-1, len(joints), len(robot.joints))

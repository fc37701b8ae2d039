"""
What more columns of the efforts explain of a recording, next to those of any bodies and friction.

A column is what a small error of the URDF or of the recording adds to the efforts, with one
unknown for all joints. It counts if it predicts what a fit leaves of blocks that were held out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.consistent_fit import slopes_of
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS
from urdf2dyn_ros.identification.fit.pooled_fit import PRIOR_WEIGHT, fitted, pooled, used_terms
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import BLOCKS, RecordedRows
from urdf2dyn_ros.identification.summary import Summary

_MOST_ROWS = 3000
"""Rows of each joint that are used."""


class FittedRows(NamedTuple):
    """
    Moving rows of a recording, in units of what a fit leaves of each joint.

    At rest the efforts are those of static friction, which resemble anything that depends on the
    position.
    """

    # (k, u + 1) of each used joint: unknowns of bodies, ten each, and of joints; what is left
    parts: list[Array]
    every_nth: int   # row of the recording that is used
    bodies: Array   # (b, 10), those of the fit
    slopes: Array   # (b, 10, 10), derivatives of the parameters of bodies by their unknowns
    scales: list[Array]   # (k, 1) of each used joint, by which its rows are multiplied
    rows: RecordedRows
    joints: list[int]


def fitted_rows(robot: Robot, summary: Summary) -> FittedRows:
    """Return the rows of a summary and what the fit to it leaves of them."""
    rows = summary.rows
    assert rows is not None
    used, own = summary.used, len(JOINT_COLUMNS)
    fit = fitted(robot, pooled(summary.weighted), used_terms(robot, used, summary.fastest),
                 PRIOR_WEIGHT, linear=True).fit
    slopes = slopes_of(robot.prior.factors)
    joints: list[int] = np.flatnonzero(used).tolist()
    first, every_nth = 10 * len(slopes), -(-len(rows.block) // _MOST_ROWS)
    parts, scales = [], []
    for k, joint in enumerate(joints):
        columns, bodies = rows.joints[joint][::every_nth], robot.columns.bodies[joint]
        part = np.zeros((len(columns), first + own * len(joints) + 1))
        for place, body in enumerate(bodies):
            part[:, 10 * body:10 * body + 10] = (
                columns[:, 10 * place:10 * place + 10] @ slopes[body])
        part[:, first + own * k:first + own * k + own] = columns[:, -1 - own:-1]
        part[:, -1] = columns[:, -1] - columns[:, :-1] @ fit.solution(joint, bodies)
        moves = rows.moves[::every_nth, joint]
        scale = moves[:, None] / max(float(np.std(part[moves, -1])) if moves.any() else 0.0, 1e-12)
        parts.append(part * scale)
        scales.append(scale)
    return FittedRows(parts, every_nth, fit.bodies, slopes, scales, rows, joints)


class Explained(NamedTuple):
    """What a group of columns explains."""

    removed: float   # fall of the logarithm of held-out residuals, sum of the joints
    unknowns: Array   # of the columns of the group, from all rows


def explained(fit: FittedRows, columns: Array, groups: Sequence[Sequence[int]]
              ) -> list[Explained]:
    """Return what each group of columns (k, z, n) explains, without the other groups."""
    parts = [np.column_stack((part[:, :-1], scale * columns[:, :, joint], part[:, -1]))
             for part, scale, joint in zip(fit.parts, fit.scales, fit.joints)]
    block = fit.rows.block[::fit.every_nth]
    rows = [[part[block == number] for part in parts] for number in range(BLOCKS)]
    normals = [np.sum([part.T @ part for part in each], axis=0) for each in rows]
    total, every = np.sum(normals, axis=0), [(), *map(tuple, groups)]
    left, size = np.zeros((len(every), len(parts))), columns.shape[1]
    for normal, each in zip(normals, rows):
        unknowns = _solutions(total - normal, size, every)
        for k, part in enumerate(each):
            left[:, k] += np.square(part[:, -1:] - part[:, :-1] @ unknowns).sum(axis=0)
    logarithms = 0.5 * np.log(np.maximum(left, 1e-30)).sum(axis=1)
    first = len(total) - 1 - size
    return [Explained(float(logarithms[0] - after), row[first + np.array(group)])
            for group, after, row in zip(groups, logarithms[1:],
                                         _solutions(total, size, every).T[1:])]


def regularised(normal: Array) -> Array:
    """Return the normal matrix (u, u) of the unknowns of a fit with its prior."""
    return normal + np.diag(1e-9 * np.diag(normal) + 1e-9 + 0.5 * PRIOR_WEIGHT)


def _solutions(normal: Array, size: int, groups: Sequence[Sequence[int]]) -> Array:
    """Return the unknowns (u + z, g) with each group of the z columns, zero for the others."""
    first = len(normal) - size - 1
    X = np.linalg.solve(regularised(normal[:first, :first]), normal[:first, first:])
    S = normal[first:, first:] - normal[first:, :first] @ X
    result = np.zeros((first + size, len(groups)))
    for k, group in enumerate(map(list, groups)):
        own = S[np.ix_(group, group)]
        unknowns = np.linalg.solve(own + np.diag(1e-9 * np.diag(own) + 1e-12), S[group, -1])
        result[:first, k] = X[:, -1] - X[:, group] @ unknowns
        result[first + np.array(group, dtype=np.int64), k] = unknowns
    return result

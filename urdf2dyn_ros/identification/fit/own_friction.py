"""
Links and rotors that recordings share, with friction and offsets of each recording its own.

Such a fit is that of a robot with a set of joints for each recording, which move the same bodies.
"""

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.fit_problem import Fit
from urdf2dyn_ros.identification.fit.joint_columns import ARMATURE, JOINT_COLUMNS
from urdf2dyn_ros.identification.fit.pooled_fit import Pool
from urdf2dyn_ros.identification.fit.triangles import triangle
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary


def with_joint_sets(robot: Robot, count: int) -> Robot:
    """Return the robot of a fit with several sets of joints."""
    columns = copy.copy(robot.columns)
    columns.bodies = robot.columns.bodies * count
    return replace(robot, columns=columns, urdf_friction=np.tile(robot.urdf_friction, (count, 1)),
                   speed_limits=np.tile(robot.speed_limits, count))


def in_joint_set(summary: Summary, number: int, count: int) -> Summary:
    """Return a summary with rows of its own set of joints alone, of so many sets."""
    def spread(values: Array) -> Array:
        result = np.zeros((count, len(values)))
        result[number] = values
        return result.ravel()

    def pools(some: Sequence[Pool]) -> list[Pool]:
        return [Pool([R if k == number else np.zeros_like(R) for k in range(count)
                      for R in pool.triangles], spread(pool.rows)) for pool in some]

    return summary.with_pools(pools, **{name: spread(getattr(summary, name)) for name in (
        'used', 'fastest', 'correlation', 'joint_seconds')})


def without_friction(pool: Pool) -> Pool:
    """
    Return a pool whose rows have no friction and offset: its own, of any size, is the best one.

    QR decompositions with these columns first leave rows without them, which are those of the
    remaining problem; the columns stay, as zeros.
    """
    triangles = []
    for R in pool.triangles:
        width = len(JOINT_COLUMNS)
        own = len(R) - 1 - width + np.flatnonzero(np.arange(width) != ARMATURE)
        own = own[np.abs(R[:, own]).max(axis=0) > 0.0]
        rest = np.setdiff1d(np.arange(len(R)), own)
        left = np.zeros_like(R)
        ordered = triangle(R[:, np.concatenate((own, rest))])
        left[np.ix_(rest, rest)] = ordered[len(own):, len(own):]
        triangles.append(left)
    return Pool(triangles, pool.rows)


def in_least_residuals(pool: Pool) -> Pool:
    """Return a pool whose efforts and columns are in units of the least residual of any robot."""
    least = [abs(float(R[-1, -1])) / np.sqrt(max(rows, 1.0))
             for R, rows in zip(pool.triangles, pool.rows)]
    return pool._replace(triangles=[R / (size or 1.0) for R, size in zip(pool.triangles, least)])


def last_sets(summaries: Sequence[Summary]) -> NDArray[np.int64]:
    """Return the number (n,) of each joint in its last set that is used."""
    used = np.array([each.used > 0 for each in summaries])
    count, n = used.shape
    last = count - 1 - np.argmax(used[::-1], axis=0)
    result: NDArray[np.int64] = last * n + np.arange(n)
    return result


def of_joints(fit: Fit, chosen: NDArray[np.int64]) -> Fit:
    """Return a fit with the friction and rotors of some of its joints."""
    return fit._replace(joints=fit.joints[chosen], gains=fit.gains[chosen])

"""Currents whose sign is not the same in all recordings."""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.joint_columns import (
    ARMATURE,
    COULOMB,
    JOINT_COLUMNS,
    OFFSET,
    VISCOUS,
)
from urdf2dyn_ros.identification.fit.pooled_fit import Pool, pooled
from urdf2dyn_ros.identification.gains import Gains
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

_DECISIVE = 1.0
"""Logarithm of the ratio of what the two signs leave, from which on the sign is known."""

_LEAST_SHARE = 1e-3


def signs_fault(robot: Robot, summaries: Sequence[Summary], gains: Gains) -> str:
    """Return which recordings' currents have another sign than those of the others, or nothing."""
    faults = []
    evidence = np.array([[_evidence(robot, pool, joint) if gains.free[joint] else 0.0
                          for joint in range(len(robot.joints))]
                         for pool in (pooled(each.weighted) for each in summaries)])
    for joint, column in zip(robot.joints, evidence.T):
        positive, negative = ([each.name for each, value in zip(summaries, sign * column)
                               if value > _DECISIVE] for sign in (1.0, -1.0))
        if positive and negative:
            fewer, more = sorted((negative, positive), key=len)
            faults.append(f'the current of {joint} has another sign in {", ".join(fewer)} than in '
                          f'{", ".join(more)}: change it, or identify without the former')
    return '; '.join(faults)


def _evidence(robot: Robot, pool: Pool, joint: int) -> float:
    """Return how much more a negative gain leaves than a positive one, as a logarithm."""
    from scipy.optimize import nnls

    R, bodies = pool.triangles[joint], robot.columns.bodies[joint]
    own = R[:, -1 - len(JOINT_COLUMNS):-1]
    nominal = R[:, :10 * len(bodies)] @ robot.prior.parameters[bodies].ravel()
    offset = own[:, OFFSET]
    columns = np.column_stack((nominal, own[:, [VISCOUS, COULOMB, ARMATURE]], R[:, -1]))
    size = float(offset @ offset)
    if size > 0.0:
        columns = columns - np.outer(offset, offset @ columns) / size
    lengths = np.linalg.norm(columns, axis=0)
    if lengths[-1] <= 0.0:
        return 0.0
    columns /= np.where(lengths > 0.0, lengths, 1.0)
    left: Array = np.array([nnls(columns[:, :-1], sign * columns[:, -1])[1] ** 2
                            for sign in (1.0, -1.0)])
    plus, minus = np.log(np.maximum(left, _LEAST_SHARE)).tolist()
    return float(minus - plus)

"""Currents whose sign is not the same in all recordings."""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.identification.fit.pooled_fit import pooled
from urdf2dyn_ros.identification.gains import Gains, sign_evidence
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

_DECISIVE = 1.0
"""Logarithm of the ratio of what the two signs leave, from which on the sign is known."""


def signs_fault(robot: Robot, summaries: Sequence[Summary], gains: Gains) -> str:
    """Return which recordings' currents have another sign than those of the others, or nothing."""
    faults = []
    evidence = np.array([[sign_evidence(pool, joint) if gains.free[joint] else 0.0
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

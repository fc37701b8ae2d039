"""What a whole recording shows about its measured velocities."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.joint_states.velocity_words import JointVelocity


def recognise(stamps: NDArray[np.int64], q: Array, qd: Array) -> tuple[JointVelocity, ...]:
    """
    Return for each joint whether its velocities agree with its positions.

    Where `used` is False, positions alone are better. This is what a `VelocityCheck` knows at the
    end of the recording; a joint that never moved is not used, as its velocity is unproven.

    Parameters
    ----------
    stamps : ndarray, (k,)
        [ns], increasing. No conclusion is drawn across gaps.
    q, qd : ndarray, (k, n)
        [rad or m] and [rad/s or m/s]; qd is NaN where it is not measured.

    """
    check, steps = VelocityCheck(q.shape[1]), Steps()
    instants = stamps.tolist()
    with np.errstate(all='ignore'):   # a recording may have absurd samples
        for (before, stamp), position, velocity in zip(
                pairwise([0, *instants]), q, qd, strict=True):
            if before and steps.is_jump(stamp - before):
                check.restart()
            steps.add(before, stamp)
            check.update(stamp, position, velocity)
    return check.joints

"""Estimates of a recorded motion, and the reference that they are judged by."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators import Estimator
from urdf2dyn_ros.smoothing.smoother import FEWEST_SAMPLES, smoothed
from urdf2dyn_ros.smoothing.times_taken import times_taken
from urdf2dyn_ros.tuning.motion import RecordedMotion

_UNUSED_END = 0.04
"""Time at both ends of a piece without reference, as samples are on one side only [s]."""


class Estimated(NamedTuple):
    """Estimates (k, n) of a motion in SI units, a row for every sample; NaN if there is none."""

    q: Array
    qd: Array
    qdd: Array
    std: Array

    @staticmethod
    def none(motion: RecordedMotion) -> 'Estimated':
        """Return no estimates."""
        return Estimated(*(np.full(motion.q.shape, np.nan) for _ in range(4)))


def estimated(estimator: Estimator, motion: RecordedMotion,
              show: Callable[[float], None]) -> Estimated:
    rows = {stamp: k for k, stamp in enumerate(motion.stamps.tolist())}
    result = Estimated.none(motion)
    for k, (stamp, start) in enumerate(zip(motion.stamps.tolist(), motion.starts.tolist())):
        if start:
            estimator.reset()
        estimate = estimator.update(stamp, motion.q[k], motion.qd[k])
        if estimate.valid:
            row = rows[estimate.stamp]
            result.q[row], result.qd[row], result.qdd[row], result.std[row] = estimate[1:5]
        if k % 200 == 0:
            show(k / len(motion.stamps))
    return result


def reference(motion: RecordedMotion) -> Estimated:
    """Return the motion smoothed with all samples, before and after, as `urdf2dyn evaluate`."""
    result = Estimated.none(motion)
    time = motion.time
    borders = [*np.flatnonzero(motion.starts).tolist(), len(motion.stamps)]
    for first, last in pairwise(borders):
        if last - first < FEWEST_SAMPLES:
            continue
        piece = smoothed(times_taken(motion.stamps[first:last], motion.q[first:last]).times,
                         motion.q[first:last])
        inside = ((time[first:last] >= time[first] + _UNUSED_END)
                  & (time[first:last] <= time[last - 1] - _UNUSED_END))
        rows = np.arange(first, last)[inside]
        result.q[rows], result.qd[rows], result.qdd[rows] = (
            values[inside] for values in piece[:3])
    return result

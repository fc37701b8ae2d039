"""
Which measurements are outliers.

The filter that follows every motion judges, whose predictions are nearest, by the variance of its
innovation and by what a step of the acceleration explains. But it goes on with its last jerk, and
is far away after a few samples that were rejected. So, once there has been an estimate, a
position that all filters together predicted is no outlier either, unless samples are far apart
(`SHORT_PERIOD` in usable.py).

"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.wrong_stamp import SAMPLE_SHIFT

MOST_REJECTED = 3
"""Measurements that may be rejected in a row before a joint is reset or its velocity not used."""

REJECTED_VARIANCE = 1e30
"""Variance of a measurement that is not used."""

SMALL_JUMP = 0.01
"""Jump of a position that is followed instead of resetting the joint [rad or m]."""


class Gate(NamedTuple):
    """
    Limits of the innovations.

    Attributes
    ----------
    squared : float
        Squared innovation, relative to its variance, beyond which it is an outlier.
    step : float
        Largest credible step of the acceleration [rad/s^2 or m/s^2].

    """

    squared: float
    step: float

    def limits(self, S: Array, h: float, moved: Array | float) -> Array:
        """
        Return the largest squared innovations that are credible, (2, n).

        Parameters
        ----------
        S : ndarray, (2, n)
            Variances of the innovations of positions and velocities.
        h : float
            Time since the last sample [s].
        moved : ndarray, (2, n), or float
            By how much positions and velocities change in a step, of which a sample that is
            early or late shows a part.

        """
        limits: Array = S + np.square(SAMPLE_SHIFT * moved)
        limits[0] += np.square(0.5 * self.step * h * h)
        limits[1] += np.square(self.step * h)
        limits *= self.squared
        return limits


def follows(y: Array, rejected: Array) -> NDArray[np.bool_]:
    """Return which joints, (n,), have a small jump of the position that stays: an onset."""
    result: NDArray[np.bool_] = (rejected[0] >= MOST_REJECTED) & (np.abs(y[0]) < SMALL_JUMP)
    return result

"""
Which measurements are outliers.

The filter that follows every motion judges, whose predictions are nearest, by the variance of its
innovation and by what a step of the acceleration explains. But it goes on with its last jerk, and
is far away after a few samples that were rejected. So, once there has been an estimate, a
position that all filters together predicted is no outlier either, unless samples are far apart
(`SHORT_PERIOD` in usable.py).

A motor that shakes a joint changes its acceleration by far more than one step from sample to
sample, again and again, as no outliers do. So, at the same times, the limits follow what is usual
(`Usual`), and for positions a step may have begun with the first rejected sample.

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

USUAL_GAIN = 0.05
"""Part by which the usual innovation follows each one."""

MOST_OF_LIMIT = 4.0
"""Squared innovation, relative to its limit, at which it is clipped there: one outlier, or one in
a hundred samples, changes no limit much."""

MULTIPLE_OF_USUAL = 10.0
"""Squared innovation, relative to the usual one, up to which it is no outlier."""

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

    def limits(self, S: Array, h: float, moved: Array | float,
               rejected: Array | float = 0.0) -> Array:
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
        rejected : ndarray, (n,), or float
            How many positions were rejected in a row.

        """
        limits: Array = S + np.square(SAMPLE_SHIFT * moved)
        limits[0] += np.square(0.5 * self.step * np.square(h * (1.0 + rejected)))
        limits[1] += np.square(self.step * h)
        limits *= self.squared
        return limits


class Usual:
    """
    Limits that follow the innovations.

    Attributes
    ----------
    squares : ndarray, (2, n)
        Mean squared innovations, relative to what the gate alone allows.

    """

    def __init__(self, joints: int) -> None:
        self.squares = np.zeros((2, joints))

    def widened(self, y: Array, limits: Array) -> Array:
        """Return the limits (2, n) of squared innovations, and learn from innovations y (2, n)."""
        factor = np.maximum(1.0, MULTIPLE_OF_USUAL * self.squares)
        share = np.minimum(np.square(y) / limits, MOST_OF_LIMIT * factor)
        self.squares += np.where(np.isnan(y), 0.0, USUAL_GAIN * (share - self.squares))
        result: Array = factor * limits
        return result


def excused(y: Array, together: Array | float, limits: Array,
            rejected: Array) -> NDArray[np.bool_]:
    """
    Return which positions beyond the limits, (n,), are no outliers.

    After rejected ones, that is a small jump that stays, as at an onset, or what all filters
    together predicted. The innovations y, (n,), are those of the filter that judges.
    """
    follows = (rejected >= MOST_REJECTED) & (np.abs(y) < SMALL_JUMP)
    result: NDArray[np.bool_] = follows | (rejected > 0.0) & (np.square(together) <= limits)
    return result

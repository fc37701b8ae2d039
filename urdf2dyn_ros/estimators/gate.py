"""
Which measurements are outliers.

The filter that follows every motion judges, whose predictions are nearest, by the variance of its
innovation and by what a step of the acceleration explains. But it goes on with its last jerk, and
is far away after a few samples that were rejected. So, once there has been an estimate, a
position that all filters together predicted is no outlier either, unless samples are far apart
and a velocity is used, which may turn out to be late (`SHORT_PERIOD` in usable.py).

A motor that shakes a joint changes its acceleration by far more than one step from sample to
sample, again and again, as no outliers do. So, at the same times, the limits follow what is
usual (`Usual`), but not within a row of rejected measurements.

A position that jumps, as where an encoder counts wrong, would be taken for a motion with hundreds
of rad/s^2 as soon as the limits, which grow in a row of rejected positions, allow it. But a jump
stays as it is, where a motion deviates ever further from what was predicted: after two rejected
positions, a third that does so, as where a foot has met the ground, is followed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.wrong_stamp import LARGE_SHIFT, LEAST_SAMPLE_SHIFT, SAMPLE_SHIFT
from urdf2dyn_ros.robot.spatial import Array

MOST_REJECTED = 3
"""Measurements that may be rejected in a row before a joint is reset or its velocity not used."""

REJECTED_VARIANCE = 1e30
"""Variance of a measurement that is not used."""

USUAL_GAIN = 0.02
"""Part by which the usual innovation follows each one."""

MOST_OF_LIMIT = 4.0
"""Squared innovation, relative to its limit, at which it is clipped there: one outlier, or one in
a hundred samples, changes no limit much."""

MULTIPLE_OF_USUAL = 20.0
"""Squared innovation, relative to the usual one, up to which it is no outlier."""

SAME_JUMP = 0.25
"""Part of the jump of a position by which it may change and still be the same: where an
acceleration or a velocity has changed, it at least doubles with the next sample."""

GROWING = 2
"""Rejected positions in a row after which one that deviates further is no outlier, but a motion:
two outliers may follow each other by chance."""

LEAST_GROWTH, MOST_GROWTH = 1.3, 5.0
"""Growth from the second to the third deviation of a position that a motion explains: 1.5 where a
velocity has changed, 2.3 for an acceleration, 3.4 for a jerk; more if just before the first."""

SMALL_JUMP = 0.01
"""Jump of a position that is followed instead of resetting the joint [rad or m]."""


class Gate(NamedTuple):
    """Limits of the innovations."""

    squared: float   # squared innovation, relative to its variance, beyond which it is an outlier
    step: float   # largest credible step of the acceleration [rad/s^2 or m/s^2]

    def limits(self, S: Array, h: float, moved: Array) -> Array:
        """
        Return the largest squared innovations that are credible, (2, n).

        S (2, n) are the variances of the innovations of positions and velocities, h is the time
        since the last sample [s], and `moved` (2, n) by how much both change in a step, of which a
        sample that is early or late shows a part.
        """
        moved = np.abs(moved)
        shifts = SAMPLE_SHIFT * moved
        shifts[0] = np.maximum(np.minimum(shifts[0], LARGE_SHIFT), LEAST_SAMPLE_SHIFT * moved[0])
        limits: Array = S + np.square(shifts)
        limits[0] += np.square(0.5 * self.step * h * h)
        limits[1] += np.square(self.step * h)
        limits *= self.squared
        return limits


class Usual:
    """Limits that follow the innovations."""

    def __init__(self, joints: int) -> None:
        # mean squared innovations, relative to what the gate alone allows, and by how much limits
        # are wider, as it was before a row of rejected measurements; innovations of all filters
        # together at the first rejected position of a row, NaN where they are small or that of
        # the filter that judges differs; the last innovation of all filters together in a row of
        # rejected positions, and that position
        self.values = np.zeros((7, joints))   # one array for compiled code
        self.squares, self.factors = self.values[:2], self.values[2:4]
        self.jumps, self.deviations, self.measured = self.values[4:]

    def widened(self, y: Array, limits: Array, rejected: Array,
                predicted: NDArray[np.bool_]) -> Array:
        """
        Return the limits of squared innovations, (2, n), and learn what is usual.

        The innovations y (2, n) are NaN where nothing was measured; `limits` (2, n) are those of
        the gate alone, `rejected` (2, n) how many measurements were rejected in a row. Nothing is
        learned, and no limit widened, of joints (n,) that are not `predicted`.
        """
        now = np.maximum(1.0, MULTIPLE_OF_USUAL * self.squares)
        np.copyto(self.factors, now, where=predicted & (rejected == 0.0))
        share = np.minimum(np.square(y) / limits, MOST_OF_LIMIT * now)
        learned = predicted & ~np.isnan(y)
        self.squares += np.where(learned, USUAL_GAIN * (share - self.squares), 0.0)
        result: Array = np.where(predicted, self.factors * limits, limits)
        return result

    def positions(self, y: Array, together: Array, limits: Array, rejected: Array, measured: Array,
                  predicted: NDArray[np.bool_], ever: bool) -> NDArray[np.bool_]:
        """
        Return which positions are no outliers, (n,), where some are beyond the limits.

        After rejected ones, that is a small jump too, as at an onset, what all filters together
        predicted, or what deviates ever further, once there was an estimate (`ever`); but no
        larger jump that stays as it is, nor a position that was repeated. `y` and `together`
        (n,) are innovations of the filter that judges and of all filters, `limits` those of
        squared innovations, `measured` (n,) the positions; `rejected` counts those that were
        rejected in a row, `predicted` (n,) is whether what all filters together predicted is no
        outlier.
        """
        first = rejected == 0.0
        stays = ~first & (np.abs(together - self.jumps) <= SAME_JUMP * np.abs(self.jumps))
        size, known = np.abs(together), ~np.isnan(y)
        with np.errstate(all='ignore'):
            growth = together / self.deviations
        grows = ((rejected >= GROWING) & ever & (measured != self.measured)
                 & (growth > LEAST_GROWTH) & (growth < MOST_GROWTH))
        np.copyto(self.deviations, together, where=known)
        np.copyto(self.measured, measured, where=known)
        jumps = (np.abs(y - together) <= SAME_JUMP * size) & (size > SMALL_JUMP)
        np.copyto(self.jumps, np.where(jumps, together, np.nan), where=first)
        follows = (rejected >= MOST_REJECTED) & (np.abs(y) < SMALL_JUMP)
        excused = ~first & (np.square(together) <= limits) & predicted
        good = (y * y <= limits) | follows | excused | grows
        result: NDArray[np.bool_] = good & ~stays
        return result

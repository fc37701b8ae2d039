"""
Errors of accelerations, as the positions that follow show them.

No model says how wrong an adapted filter is: noise is not white, and the filter is late where a
motion changes. Positions before and after an estimate show it: they have a central difference, of
fourth order and over five of them, that is hardly late. Its span is what "an acceleration" means
here: motion that is slower and that the estimate lacks is an error of it. Where positions come
slowly there are two differences: a long one, which is hardly noisy, and one over the same time as
at high rates, which follows fast motion.

The variance of an estimate is the mean of these squared errors, less the noise of the difference,
over a short time, or what the filters declare, whichever is larger. What they declare is scaled
down where errors have been smaller for longer, as with positions that a driver has smoothed, and
up, less far, where they have been larger: it knows before the errors do when motion changes.

The positions are those of a filter, with less noise than measured ones; and what a filter learns
as noise may be vibration. The noise of a difference is therefore no more than its own positions
show: it is the mean of a curvature of three neighbours and one of twice the step, which for slow
motion differ by noise alone.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

ROW_SPACING = 2_500_000
"""Shortest time between two rows [ns]."""

DIFFERENCE_ROWS = 11
"""Rows from one position of the difference to the next one."""

SHORTEST_SPAN = 0.132
"""Time from the first position of the short difference to the last one [s]."""

COMPARED_ROWS = 4 * DIFFERENCE_ROWS + 1
"""Rows from the first position of the difference to the last one."""

ERROR_MEMORY = 0.2
"""Time constant of the mean squared errors [s]."""

ERROR_ROWS = 20.0
"""Rows that the mean squared errors remember at least."""

SCALE_MEMORY = 1.0
"""Time constant of the scale of what the filters declare [s]."""

SCALE_ROWS = 100.0
"""Rows that this scale remembers at least."""

MOST_OF_DECLARED = 9.0
"""Squared error, relative to what the filters declare, at which it is clipped in that scale."""

MOST_SHORT_ROWS = 7
"""Rows from one position of the short difference to the next one up to which it is compared: at
250 Hz and above, the long one is short enough."""

MOST_SCALE = 2.0
"""Most of this scale by the long difference; by the short one, which is noisy, 1."""

LEAST_OF_NOISE = 0.5
"""Negative squared error by the short difference at which it is clipped, over its noise: without a
limit it is honest for white noise, with 0 where a motion changes at times."""

DIFFERENCE_NOISE = 9.82
"""Variance of the difference, times the fourth power of its step over that of a position."""

CURVATURE_NOISE = 2.244
"""Variance of the difference by noise of positions, over the mean square by which the curvatures
of both steps differ."""


class Hindsight:
    """Compares accelerations with differences of positions before and after them."""

    def __init__(self, joints: int) -> None:
        # by the long and the short difference: mean squared errors, and noise as positions show it
        # [rad^2/s^4 or m^2/s^4]; mean squared errors over what the filters declare; comparisons
        self.errors, self.noise, self.scale, self.compared = np.zeros((4, 2, joints))
        self.stamps = np.zeros(COMPARED_ROWS, dtype=np.int64)
        # position, acceleration, and the squared error that the filters declare
        self.rows = np.zeros((COMPARED_ROWS, 3, joints))
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        for array in (self.errors, self.noise, self.scale, self.compared):
            array[:] = 0.0
        self.start()

    def start(self) -> None:
        """Forget the rows but keep the errors: a gap does not change the sensors."""
        self.stamps[:] = 0
        self.rows[:] = np.nan
        self._number = 0

    def restart(self, joints: NDArray[np.bool_]) -> None:
        """Forget the rows of some joints, (n,)."""
        self.rows[..., joints] = np.nan

    def variance(self, declared: Array) -> Array:
        """Return the variances of accelerations whose filters declare these, (n,)."""
        scale = np.maximum(np.minimum(self.scale[0], MOST_SCALE), np.minimum(self.scale[1], 1.0))
        scale[self.compared[0] == 0.0] = 1.0
        result: Array = np.maximum(scale * declared, self.errors.max(axis=0))
        return result

    def observe(self, stamp: int, position: Array, acceleration: Array, declared: Array,
                noise: Array) -> None:
        """
        Add a row, and compare the one in the middle of all.

        It is, for the stamp of an estimate [ns], the position by a filter that follows every
        motion, the weighted acceleration, the squared error that the filters declare, and the
        variance of a measured position, (n,) each.
        """
        last = int(self.stamps[(self._number - 1) % COMPARED_ROWS])
        if self._number and stamp - last < ROW_SPACING:
            return
        self.stamps[self._number % COMPARED_ROWS] = stamp
        self.rows[self._number % COMPARED_ROWS] = position, acceleration, declared
        self._number += 1
        if self._number >= COMPARED_ROWS:
            self._compare((stamp - last) * 1e-9, noise)

    def _compare(self, passed: float, noise: Array) -> None:
        oldest, newest = self.stamps[(self._number + np.array((0, -1))) % COMPARED_ROWS]
        short = max(round(DIFFERENCE_ROWS * SHORTEST_SPAN / (1e-9 * float(newest - oldest))), 1)
        self._compare_over(DIFFERENCE_ROWS, 0, passed, noise)
        if short <= MOST_SHORT_ROWS:
            self._compare_over(short, 1, passed, noise)

    def _compare_over(self, distance: int, kind: int, passed: float, noise: Array) -> None:
        """Compare with the difference of positions that are so many rows apart."""
        middle = self._number + COMPARED_ROWS // 2
        rows = (middle + distance * np.arange(-2, 3)) % COMPARED_ROWS
        times = (self.stamps[rows] - self.stamps[rows[2]]) * 1e-9
        q = self.rows[rows, 0]
        near, far = (_curvature(times[[2 - k, 2, 2 + k]], q[[2 - k, 2, 2 + k]]) for k in (1, 2))
        _, acceleration, declared = self.rows[rows[2]]
        square = np.square(acceleration - (4.0 * near - far) / 3.0)
        known = np.isfinite(square + declared)
        self.compared[kind] += known
        first = 1.0 / np.maximum(self.compared[kind], 1.0)

        def average(mean: Array, value: Array, memory: float, fewest: float) -> None:
            gain = np.maximum(min(1.0 - exp(-passed / memory), 1.0 / fewest), first)
            mean += np.where(known, gain * (value - mean), 0.0)

        step = 0.25 * float(times[4] - times[0])
        average(self.noise[kind], CURVATURE_NOISE * np.square(near - far), ERROR_MEMORY,
                ERROR_ROWS)
        added = np.minimum(DIFFERENCE_NOISE / step ** 4 * noise, self.noise[kind])
        least = -LEAST_OF_NOISE * added if kind else 0.0   # the short one is noisy
        average(self.errors[kind], np.maximum(square - added, least), ERROR_MEMORY, ERROR_ROWS)
        average(self.scale[kind], np.minimum((square + added) / declared, MOST_OF_DECLARED),
                SCALE_MEMORY, SCALE_ROWS)


def _curvature(times: Array, q: Array) -> Array:
    """Return the second derivative of the parabola through three rows of positions (3, n)."""
    before, after = times[1] - times[0], times[2] - times[1]
    curvature: Array = (2.0 / (before + after)
                        * ((q[2] - q[1]) / after - (q[1] - q[0]) / before))
    return curvature

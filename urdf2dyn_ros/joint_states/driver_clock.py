"""
When samples were taken that a publisher with a rate of its own sends.

Such a publisher sends the newest sample of a driver, as a broadcaster next to an asynchronous
driver does: stamps are regular, but samples are up to a period of the driver old. From one sample
to the next a whole number of these periods has passed, mostly one of two numbers, and the ages
that follow from these never leave a range of one period. Both together do not happen by chance, so
that the period of the driver is learned from 33 samples of a motion. From then on the
samples have the times at which they were taken, up to a constant.
"""

from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.clock_slips import (
    LEAST_SPEED,
    MOST_APART,
    MOST_CHANGE,
    ClockSlips,
)
from urdf2dyn_ros.robot.spatial import Array

STEPS = 32
"""Steps between samples from which a period is learned."""

STAMP_SPREAD = 0.3
"""Range of the steps between stamps, in parts of their mean, within which they are regular."""

LEAST_SPREAD, MOST_SPREAD = 0.02, 0.6
"""Standard deviations of the steps that positions show, in parts of their mean, between which a
period is looked for."""

PERIODS = np.arange(1.0, 6.0, 0.025)[:, None]
"""Periods of the driver in one of the publisher that are tried."""

MOST_DEVIATION = 0.12
"""Root mean square of the differences of steps and whole numbers of periods."""

OTHER, DISTINCT, ROUNDING = 0.5, 0.7, 0.03
"""By how much the numbers of other periods differ, the largest part of the deviation from these,
and a deviation that is small by itself: it is that of the numbers that are tried."""

FEWEST_OTHERS = 3
"""Steps of another number of periods than the fewest, without which none is seen."""

MOST_RANGE = 1.05
"""Range of the ages, in periods."""

SHIFTS = np.linspace(-1.0, 1.0, 21)[:, None]
"""Periods by which the ages may have changed from the first to the last of the steps."""

LEAST_BEAT = 0.02
"""Part of a period from a whole number of them in a step; nearer ones slip now and then."""

BIAS_GAIN, DEVIATION_GAIN, EXCESS_GAIN = 0.3, 0.1, 0.02
"""Parts by which what is usual follows each step."""

MOST_USUAL_DEVIATION, CERTAIN = 0.2, 0.3
"""The same as `MOST_DEVIATION`, and what a step seems longer or shorter, in periods, up to which
positions show how many periods it has; else, the ages go on as they were."""

PERIOD_GAIN, AGE_GAIN = 0.02, 0.5
"""Parts of what an age is outside its range by which the period and the age are corrected."""

FIRST_EXCESS = -0.1
"""Mean square of steps from whole periods, less that from stamps, at first; a period is forgotten
when it is above zero."""

EQUAL, WHOLE_COUNTS = 1e-3, 0.05
"""Relative difference below which changes of a position are equal, and by how much a multiple of
their smallest difference may differ from a whole one: at one speed, an encoder counts as a clock
does."""

LONG_AGO = -2 ** 63
"""Before every stamp [ns]."""


class DriverClock:
    """The period of a driver, 0 while none is seen, and the age of its newest sample."""

    def __init__(self, joints: int) -> None:
        self.period = 0.0   # [s]
        self._age = 0.0     # from 0 to a period [s]
        # part of a period by which steps seem longer than they are, mean square of what is left,
        # and by how much that would be less if samples were taken at their stamps
        self._bias = self._deviation = self._excess = 0.0
        self._newest = LONG_AGO   # time that was returned [ns]
        # while no period is seen, and what samples were older before
        self._slips = ClockSlips(joints)
        self._stamps: list[int] = []   # of the samples that are kept; with a period, the last one
        self._q, self._qd = np.zeros((2, STEPS + 1, joints))   # with the velocities before them

    def at(self, stamp: int) -> int:
        """Return a stamp less the age of the newest sample, up to a constant [ns]; it advances."""
        self._newest = max(stamp + round(1e9 * (self._slips.shift - self._age)), self._newest + 1)
        return self._newest

    def repeat(self) -> None:
        """Note a message that repeats the newest sample, which is not added."""
        self._slips.repeated = True

    def taken(self, stamp: int, sample: Array, rates: Array,
              missing: NDArray[np.bool_] | None) -> int:
        """
        Return when a sample was taken, up to a constant [ns].

        The stamp is in [ns]; the sample (2, n) has positions and velocities, of which joints (n,)
        may be missing; rates (2, n) are velocities and accelerations estimated from those before.
        """
        stamps, q, qd = self._stamps, sample[0], sample[1]
        if missing is not None:
            q = np.where(missing, np.nan, q)
        if self.period:
            self._follow(1e-9 * (stamp - stamps[-1]), q - self._q[0], rates)
            stamps.clear()
        kept = len(stamps)
        if kept and not self.period:
            self._slips.follow(1e-9 * (stamp - stamps[-1]), q, qd, self._q[kept - 1], rates)
        stamps.append(stamp)
        self._q[kept], self._qd[kept] = q, rates[0]
        if kept == STEPS:
            self._learn()
            del stamps[:-1]
            self._q[0], self._qd[0] = q, rates[0]
        return self.at(stamp)

    def _learn(self) -> None:
        """Find the period in the steps that are kept."""
        moved = self._q[1:] - self._q[:-1]
        velocities = 1.5 * self._qd[1:] - 0.5 * self._qd[:-1]
        squares = np.einsum('ij,ij->i', velocities, velocities)
        shown = np.einsum('ij,ij->i', velocities, moved) / np.maximum(squares, LEAST_SPEED ** 2)
        mean = float(shown.sum()) / STEPS
        spread = float(shown @ shown) / STEPS - mean * mean
        if not LEAST_SPREAD ** 2 * mean * mean < spread < MOST_SPREAD ** 2 * mean * mean:
            return
        apart = np.square(moved - shown[:, None] * velocities).sum()
        if apart > MOST_APART * (np.square(shown - mean) @ squares):
            return
        steps = 1e-9 * np.diff(self._stamps)
        fastest = moved[:, int(np.abs(velocities[-1]).argmax())]
        if (squares.min() <= LEAST_SPEED ** 2 or np.ptp(steps) > STAMP_SPREAD * steps.mean()
                or _counted(fastest)):
            return
        shown /= mean
        periods = shown * PERIODS
        numbers = np.rint(periods)
        fewest = numbers.min(axis=1)
        others = (numbers > fewest[:, None]).sum(axis=1)
        deviations = np.sqrt(np.square(periods - numbers).mean(axis=1))
        deviations[(fewest < 1) | (np.minimum(others, STEPS - others) < FEWEST_OTHERS)] = np.inf
        best = int(deviations.argmin())
        other = deviations[np.abs(PERIODS[:, 0] - PERIODS[best, 0]) > OTHER].min()
        if deviations[best] > min(MOST_DEVIATION, max(ROUNDING, DISTINCT * other)):
            return
        possible = steps.sum() / (numbers[best].sum() + SHIFTS)
        ages = np.cumsum(steps - possible * numbers[best], axis=1)
        ranges = np.ptp(ages, axis=1) / possible[:, 0]
        best = int(ranges.argmin())
        beat = float(steps.mean() / possible[best, 0])
        if ranges[best] <= MOST_RANGE and abs(beat - round(beat)) > LEAST_BEAT:
            self.period = float(possible[best, 0])
            low, high = ages[best].min(), ages[best].max()
            self._age = float(ages[best, -1] - 0.5 * (low + high)) + 0.5 * self.period
            self._slips.shift += self._age
            self._bias, self._deviation, self._excess = 0.0, 0.0, FIRST_EXCESS

    def _follow(self, h: float, moved: Array, rates: Array) -> None:
        """Find how old a sample is, a time h [s] after the last one, since which joints moved."""
        number = max(floor((self._age + h) / self.period), 1)
        velocities = rates[0] + 0.5 * h * rates[1]
        square = float(velocities @ velocities)
        changed = h * rates[1]
        if square > LEAST_SPEED ** 2 + MOST_CHANGE * float(changed @ changed):
            shown = float(velocities @ moved) / (square * self.period) - number - self._bias
            if isfinite(shown):   # all positions were measured
                others = min(max(round(shown), -1), 1)
                left = min(max(shown - others, -1.0), 1.0)
                self._bias = min(max(self._bias + BIAS_GAIN * left, -0.5), 0.5)
                self._deviation += DEVIATION_GAIN * (left * left - self._deviation)
                as_stamped = left + others + number - h / self.period
                if (max(abs(self._bias), abs(left)) < CERTAIN
                        and self._deviation < MOST_USUAL_DEVIATION ** 2):
                    number, others = max(number + others, 1), 0
                excess = (left + others) ** 2 - as_stamped ** 2
                self._excess += EXCESS_GAIN * (excess - self._excess)
        age = self._age + h - number * self.period
        outside = age - min(max(age, 0.0), self.period)
        self._age = age - AGE_GAIN * outside
        self.period += PERIOD_GAIN * outside / number
        if self._excess > 0.0:
            self._slips.shift -= self._age
            self.period = self._age = 0.0


def _counted(moved: Array) -> bool:
    """Return whether changes of a position, (k,), are multiples of an encoder's step."""
    gaps = np.diff(np.sort(moved))
    gaps = gaps[gaps > EQUAL * np.abs(moved).max()]
    counts = moved / gaps.min(initial=np.inf)
    return bool(np.abs(counts - np.rint(counts)).max() < WHOLE_COUNTS)

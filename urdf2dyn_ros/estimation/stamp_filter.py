"""
The time at which a sample was taken, where its stamp is that of its arrival.

Two clocks compete. By the first, the step between two samples is that between their stamps. By the
second, samples are taken regularly: a loop of second order follows the stamps t with the period P,

    e = t - (r + P) within [-P, P],     r <- r + P + 2 e / N,     P <- P + e / N^2

where N samples last half a second, or are 40. Samples that come at once correct it together, by
the sum of their e: one by one, blocks of messages would move it to and fro. Where steps between
stamps differ from P, the positions decide which clock is right: that by which they differ less
from the motion so far. Its times u go on without a jump when the other one takes over; the
difference fades with 2 s. Stamps of a regular publisher are the times. Positions alone cannot tell
that regular times have a wrong period, as the motion that they make is slower or faster
throughout: stamps that are 0.1 s away from them end them.
"""

import math

import numpy as np

from urdf2dyn_ros.estimation.hindsight import FEWEST_VALUES, ROUNDING, SQUARE_MEMORY
from urdf2dyn_ros.robot.spatial import Array

FIRST_STAMPS = 40   # from which the first period is taken; the loop remembers as many at least
IRREGULAR = 0.02   # mean difference of steps from the period, over the period; each at most:
MOST_IRREGULAR = 0.1   # a single lost message, or step of the clock, is no irregularity
LOST = 6.0   # periods by which stamps differ from regular times: learn anew
LONGEST_DELAY = 0.1   # s, by which stamps differ from regular times of a right period
AT_ONCE = 0.25   # periods between stamps of samples that came at once
FEWEST_COMPARED = 20   # samples before the positions decide
BETTER, AS_GOOD = 1.15, 1.05   # ratio of mean squares from, and down to which regular times count
SHIFT_MEMORY = 2.0   # s, in which the difference of times and stamps fades
TINY = 1e-14   # rad^2 or m^2, mean square at which clocks are equally good


class StampFilter:
    """Times of samples of joints (n,)."""

    def __init__(self, joints: int) -> None:
        self._squares = np.zeros((2, joints))   # mean, of deviations by stamps and regular times
        self.begin()

    def begin(self) -> None:
        """Begin anew, after a gap."""
        self._first: list[float] = []
        self._stamp = self._time = -math.inf   # of the newest sample
        self._period = self._next = 0.0   # P, r + P
        self._errors: list[float] = []   # e of samples that came at once with the newest
        self._difference = 0.0   # mean of steps to the period, over the period
        self._compared = 0
        self.irregular = False   # whether the motion is needed at the next sample
        self.regular = False   # whether regular times take the place of stamps
        self.lost = False   # whether stamps left the regular times that are used: begin anew
        # position, velocity and acceleration (3, n) at the newest time, by the filters
        self.motion: Array | None = None

    def time(self, stamp: float, q: Array) -> float:
        """Return the time of a sample, stamp [s] and q (n,); that before if it is not later."""
        if stamp <= self._stamp:
            return self._time
        before, step = self._time, stamp - self._stamp
        time = stamp
        if self._stamp != before:   # the difference fades
            time -= (self._stamp - before) * math.exp(-step / SHIFT_MEMORY)
        if len(self._first) == FIRST_STAMPS:
            time = self._decide(time, stamp, step, q)
        else:
            self._first.append(time)
            if len(self._first) == FIRST_STAMPS:
                self._start()
        self._stamp, self._time = stamp, max(time, before + ROUNDING)
        return self._time

    def _decide(self, time: float, stamp: float, step: float, q: Array) -> float:
        """Return the time by the clock that is right: `time` of the stamps, or a regular one."""
        gain = min(self._period / SQUARE_MEMORY, 1.0 / FIRST_STAMPS)
        expected = self._next
        error = (stamp if self.regular else time) - expected
        away = abs(error) > LOST * self._period
        if away and not self.regular:
            self._first = []   # a gap, a step of the clock or another rate
        self.lost = away and self.regular and abs(error) > LONGEST_DELAY
        self._errors.append(error)
        if step > AT_ONCE * self._period:
            most = len(self._errors) * self._period
            error = min(max(sum(self._errors), -most), most)
            expected += 2.0 * gain * error
            self._period += gain * gain * error
            self._errors = []
        self._next = expected + self._period
        self._difference += min(self._period / SQUARE_MEMORY, 1.0 / FEWEST_VALUES) * (
            min(abs(step / self._period - 1.0), MOST_IRREGULAR) - self._difference)
        self.irregular = self._difference > (0.5 if self.irregular else 1.0) * IRREGULAR
        if self.irregular:
            self._compare(time, expected, q)
        else:
            self._compared, self.regular, self.motion = 0, False, None
        return expected if self.regular else time

    def _start(self) -> None:
        """Begin with the line through the first stamps, of those at once through the first."""
        stamps, number = np.array(self._first), np.arange(FIRST_STAMPS)
        steps = np.diff(stamps)
        first = np.append(False, steps > AT_ONCE * steps.mean()) + ROUNDING
        line = np.polynomial.Polynomial.fit(number, stamps, 1, w=first)
        self._period = float(line(1.0) - line(0.0))
        self._next = float((stamps - self._period * number).mean()) + FIRST_STAMPS * self._period
        self._difference = float(np.minimum(
            np.abs(steps / self._period - 1.0), MOST_IRREGULAR).mean())

    def _compare(self, time: float, expected: float, q: Array) -> None:
        """Decide by positions which clock is right."""
        if self.motion is None:
            return
        x, v, a = self.motion
        steps = np.array([[time], [expected]]) - self._time
        square = np.square(q - (x + steps * v + steps * steps / 2.0 * a))
        self._compared += 1
        gain = max(1.0 / self._compared, min(self._period / SQUARE_MEMORY, 1.0 / FEWEST_VALUES))
        self._squares += np.where(np.isfinite(square), gain * (square - self._squares), 0.0)
        if self._compared > FEWEST_COMPARED:
            stamped, regular = self._squares + TINY
            ratio = math.exp(float(np.log(stamped / regular).mean()))
            self.regular = ratio > (AS_GOOD if self.regular else BETTER)

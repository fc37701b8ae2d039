"""
Which filters of a bank to believe, and how far: by the past, seen with hindsight.

For the filter of positions of order 4 and bandwidth W, a - L j with L = 2.613 / W is the
Butterworth low-pass of order 4 of the acceleration a time L ago, which is nearly without lag or
noise: a reference that costs nothing. Where velocities take the place of positions, it is that of
their derivative: v - L a + L^2 j / 2. There are eight, i = 0 (slowest) to 7. Rows keep, for
every 2.4 ms or more, the time u, the accelerations a_k of all filters and the mixed one. When a
row is L_i old,

    ref_i = a - (t - u) j
    E_ik <- E_ik + g ((a_k(u) - ref_i)^2 - E_ik)                    error of each filter
    D_i  <- D_i  + g ((ref_i - ref_(i+1)(u))^2 - D_i)               what a slower reference misses

The errors of a joint are those by reference 2; by a slower one, which has less noise, where it
misses nothing: D_i is at most the least E_(i+1),k. The weights of the
filters are

    w_k ~ s_k^(1/2) (r_k (E_k + 1e-12 + (0.0001 A)^2))^-3

with s_k the bandwidth over the fastest one (0.7 of it for order 3; 1 for a last "filter", a = 0),
r_k the variance over the steady one, which is above 1 after a start, and A^2 the mean of ref^2.
The variance of the mixed acceleration is the largest E_i of it, times the mean of r_k; that of
four references is declared. A motion of 30 to 100 Hz, which no filter in use follows, shows in
faster ones alone, beside their noise. It stays the same in the next one, while noise grows: 19
times where it is white. So E_i is declared there where E_(i+1) is less than 2.5 times it, up to
300 rad/s^2, and decides nothing else.

A velocity that is late, scaled or coarse loses by its own E: it needs no check.
"""

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimation.bank import DELAY, STEADY, Bank, mixed
from urdf2dyn_ros.robot.spatial import Array

# bandwidths of the references: 19, 35, 62, 112 and 202 rad/s, and 363, 654 and 1180
REFERENCES = (3, 4, 5, 6, 7, 8, 9, 10)
JUDGES = 3   # of them that choose filters: the others, whose noise is larger, tell the deviation
SLOWER_REFERENCES = 5   # of them that tell how large it may be where samples are judged
TOLD_REFERENCES = 4   # whose errors are declared: what others see is a motion, not noise, where
PLATEAU_RATIO = 2.5   # the next one sees less than this times its square, or, of the slower
NOISE_RATIO = 5.0   # references, than this: noise has 7 to 30; the last one is told in any case
# rad/s^2 or m/s^2, most that they declare: 1 mrad at 90 Hz has 230; held positions look like more
LARGEST_VIBRATION = 300.0
ROUNDING = 1e-9   # s, of times
SPACING = 2.4e-3   # s, least time between rows: no acceleration changes faster
ROWS_KEPT = 128   # kept: those of the longest delay, 0.15 s
SQUARE_MEMORY = 0.5   # s, time constant of mean squares: 0.3 to 1 are equally good
FEWEST_VALUES = 8   # values that they remember at least, and rows before which nothing is known
SIZE_MEMORY = 3.0   # s, time constant of the size of accelerations
FIRST_USE_DELAYS = 3.0   # delays of a reference from the start of a joint to its first use
LEAST_ERROR = 1e-12   # rad^2/s^4 or m^2/s^4, at which filters are equally good
LEAST_PART = 1e-4   # of the size of accelerations, at which they are
ALONE = 1e-6   # part of the weight of a = 0 that counts for positions and velocities
ROUGH = 0.7   # bandwidth of order 3 over that of order 4 with the same lag


class Hindsight:
    """
    The `weights` (k + 1, n) of the filters of a bank and of a = 0, for each joint.

    The `shares` (k, n) are the same for positions and velocities, of which a = 0 says nothing: the
    others share its weight. Where it has all of it, the fastest filter of positions has all.
    """

    def __init__(self, bank: Bank) -> None:
        filters, joints = bank.x.shape[1:]
        self._bank = bank
        known = [k for k in REFERENCES if k < bank.each]
        self._filters = known or [min(REFERENCES[0], bank.each - 1)]
        self._delays = [DELAY / float(bank.w[k]) for k in self._filters]
        count = len(self._filters)
        # one derivative of noise is less wrong than two
        self._judges = JUDGES + (bank.derivative == 1)
        self.errors = np.zeros((count, filters + 1, joints))   # E
        self.mixture_errors, self._missed, self.size = np.zeros((3, count, joints))
        self.rows = np.zeros(count, dtype=np.int64)   # that each reference has judged
        speed = bank.w / bank.w[bank.each - 1] * np.where(bank.order == 3, ROUGH, 1.0)
        self._prior = np.append(np.sqrt(speed), 1.0)
        self._allowed = np.ones((filters + 1, joints), dtype=bool)
        self._velocities = np.zeros(joints, dtype=bool)
        self.weights = np.zeros((filters + 1, joints))
        self.shares = np.zeros((filters, joints))
        self.shares[bank.each - 1] = 1.0
        self.declared = np.zeros(joints)   # variance with vibrations, which decide nothing
        self.variance = np.zeros(joints)   # of the mixed acceleration [rad^2/s^4 or m^2/s^4]
        self.variance_ratio = np.zeros(joints)   # mean of r_k: 1 where all filters are steady
        self._times = np.zeros(ROWS_KEPT)
        self._accelerations = np.zeros((ROWS_KEPT, filters + 1, joints))
        self._mixed = np.zeros((ROWS_KEPT, joints))
        self._references = np.zeros((ROWS_KEPT, count, joints))
        self._began = np.zeros(joints)
        self.begin(0.0)

    def begin(self, time: float) -> None:
        """Forget the rows, but not the errors: all joints start at a time [s]."""
        self._number, self._next = 0, np.zeros(len(self._filters), dtype=np.int64)
        self._began[:] = time
        self.variance_ratio[:] = math.inf

    def begin_joint(self, joint: int, time: float) -> None:
        """Leave out the rows of a joint before a time [s]."""
        self._began[joint] = time
        self.variance_ratio[joint] = math.inf

    def leave_out(self, filters: NDArray[np.bool_]) -> None:
        """Give some filters, and a = 0 as the last one (k + 1,), no weight."""
        self._prior[filters] = 0.0

    def motion(self, x: Array) -> Array:
        """Return the mixed position, velocity and acceleration (3, n) of states (>= 3, k, n)."""
        return np.stack([mixed(self.shares if i < self._bank.derivative else self.weights[:-1],
                               x[i]) for i in range(3)])

    @property
    def known(self) -> bool:
        """Whether the fastest reference that chooses filters has judged enough rows."""
        return bool(self.rows[min(self._judges, len(self._filters)) - 1] >= FEWEST_VALUES)

    def add(self, time: float, velocities: NDArray[np.bool_], a: Array) -> None:
        """
        Add the filters' accelerations (k, n) at a time [s], and weight the filters.

        `velocities` (n,): whether filters of velocities are to be used.
        """
        bank = self._bank
        lost = bool((self._velocities & ~velocities).any())
        self._velocities[:] = velocities
        self._allowed[:-1] = (~bank.by_velocity)[:, None] | velocities
        if lost:   # they are no part of this estimate
            self._weigh()
        last = self._times[(self._number - 1) % ROWS_KEPT]
        if self._number == 0 or time - last >= SPACING:
            row = self._number % ROWS_KEPT
            self._times[row] = time
            self._accelerations[row, :-1] = a
            self._mixed[row] = mixed(self.weights[:-1], a)
            self._references[row] = math.nan
            self._number += 1
            for i in range(len(self._filters) - 1, -1, -1):
                self._judge(i, time)
            self._weigh()
        elif len(bank.slots) > 1 or (self.variance_ratio > STEADY).any():
            self._weigh()

    def _judge(self, i: int, time: float) -> None:
        """Compare the newest row that is old enough with a reference."""
        delay = self._delays[i]
        number = max(self._next[i], self._number - ROWS_KEPT)
        while number < self._number and self._times[number % ROWS_KEPT] <= time - delay:
            number += 1
        if number == self._next[i]:
            return
        self._next[i] = number
        row, before = (number - 1) % ROWS_KEPT, (number - 2) % ROWS_KEPT
        u = float(self._times[row])
        dt = min(u - float(self._times[before]), 1.0) if number > 1 else delay
        old = time - self._began >= FIRST_USE_DELAYS * delay
        self.rows[i] += bool(old.any())
        first = 1.0 / max(self.rows[i], 1)
        gain = max(min(1.0 - math.exp(-dt / SQUARE_MEMORY), 1.0 / FEWEST_VALUES), first)
        slow = max(1.0 - math.exp(-dt / SIZE_MEMORY), first)
        x, derivative, ago = self._bank.x[:, self._filters[i]], self._bank.derivative, time - u
        reference = x[derivative] - ago * x[derivative + 1]
        if derivative == 1:
            reference = reference + ago * ago / 2.0 * x[3]
        self._references[row, i] = np.where(old, reference, math.nan)

        def average(mean: Array, value: Array, gain: float, some: NDArray[np.bool_]) -> None:
            mean += np.where(some, gain * (value - mean), 0.0)

        if i < self._judges:
            error = self._accelerations[row] - reference
            average(self.errors[i], error * error, gain, old)
        error = self._mixed[row] - reference
        average(self.mixture_errors[i], error * error, gain, old)
        average(self.size[i], reference * reference, slow, old)
        if i + 1 < len(self._filters):
            error = reference - self._references[row, i + 1]
            average(self._missed[i], error * error, gain, old & np.isfinite(error))

    def _weigh(self) -> None:
        last = min(self._judges, len(self._filters)) - 1
        error, size = self.errors[last], self.size[last]
        enough = np.ones(len(size), dtype=bool)
        for i in range(last - 1, -1, -1):
            if self.rows[i] < FEWEST_VALUES:
                break
            enough = enough & (
                self._missed[i] <= self.errors[i + 1].min(axis=0))
            error = np.where(enough, self.errors[i], error)
            size = np.where(enough, self.size[i], size)
        variance_ratio = self._bank.variance_ratio()
        # a = 0 is no better known than the fastest filter
        variance_ratio = np.concatenate(
            (variance_ratio, variance_ratio[self._bank.each - 1, None]))
        error = variance_ratio * (error + (LEAST_ERROR + LEAST_PART * LEAST_PART * size))
        error = np.where(self._allowed, error, math.inf)
        part = error.min(axis=0) / error
        weights = self._prior[:, None] * (part * part * part)
        self.weights[:] = weights / np.cumsum(weights, axis=0)[-1]
        self.shares[:] = self.weights[:-1]
        self.shares[self._bank.each - 1] += ALONE * self.weights[-1]
        self.shares /= np.cumsum(self.shares, axis=0)[-1]
        self.variance_ratio[:] = mixed(self.weights, variance_ratio)
        errors = self.mixture_errors
        self.variance[:] = errors[:SLOWER_REFERENCES].max(axis=0) * self.variance_ratio
        declared = errors[:TOLD_REFERENCES].max(axis=0)
        last = len(self._filters) - 1
        for i in range(TOLD_REFERENCES, last + (last < SLOWER_REFERENCES)):
            vibration = np.minimum(errors[i], LARGEST_VIBRATION * LARGEST_VIBRATION)
            ratio = NOISE_RATIO if i < SLOWER_REFERENCES else PLATEAU_RATIO
            declared = np.where(i == last or errors[min(i + 1, last)] < ratio * errors[i],
                                np.maximum(vibration, declared), declared)
        self.declared[:] = declared * self.variance_ratio


# ---- Estimates of a fixed lag: of every sample, with the help of those that followed it
#
# States of all filters are kept every 2.4 ms or more, and corrected by all measurements until they
# are as old as the lag (the Rauch-Tung-Striebel smoother, in the form that goes along with the
# filter: Bar-Shalom, Li and Kirubarajan, section 8.5). Then they are mixed with the weights of the
# present states: references share their noise with smoothed states, and cannot judge them. So is
# the deviation, which is too large for them. Between two of them, both are continued.

class Lag:
    """The estimates a lag [s] ago."""

    def __init__(self, bank: Bank, lag: float, hindsight: Hindsight) -> None:
        self._bank, self._lag, self._hindsight = bank, lag, hindsight
        self._kept: deque[float] = deque()   # times of the past states of the bank
        self._samples: deque[float] = deque()   # times that wait for their estimate
        self._known: deque[tuple[float, Array]] = deque()   # states (3, n) that are old enough
        self.began = 0.0   # time [s] of the last joint

    def begin(self, time: float) -> None:
        """Start all joints at a time [s]."""
        for each in (self._kept, self._samples, self._known):
            each.clear()
        self.began = time

    def add(self, time: float) -> tuple[float, Array, Array] | None:
        """
        Add the sample that the filters were corrected by.

        Return the time [s], positions, velocities and accelerations (3, n) and deviations (n,) of
        an earlier sample; None if there is none.
        """
        self._samples.append(time)
        if not self._kept or time - self._kept[-1] >= SPACING:
            self._keep()
            self._kept.append(time)
        while self._kept and self._kept[0] <= time - self._lag + ROUNDING:
            at = self._kept.popleft()
            self._known.append((at, self._settle()))
        # samples that came at once are not told one by one, each with a later message
        while len(self._samples) > 1 and self._samples[1] <= time - self._lag - 2.0 * SPACING:
            self._samples.popleft()
        while len(self._known) > 1 and self._known[1][0] <= self._samples[0]:
            self._known.popleft()
        if not self._known or self._samples[0] > self._known[-1][0]:
            return None
        at = self._samples.popleft()
        if at < self._known[0][0]:
            return None
        state = self._known[0][1] if len(self._known) == 1 else _between(
            at, self._known[0], self._known[1])
        return (at, state, np.sqrt(self._hindsight.declared)) if self.began <= at else None

    def _keep(self) -> None:
        self._bank.keep()

    def _settle(self) -> Array:
        """Return the motion (3, n) at the time of the oldest past state, and forget it."""
        past = self._bank.past[0]
        self._bank.forget(1)
        return self._hindsight.motion(past)


def _between(time: float, before: tuple[float, Array], after: tuple[float, Array]) -> Array:
    """Return the motion (3, n) between two states, both continued with their accelerations."""
    part = (time - before[0]) / (after[0] - before[0])
    shares = []
    for share, t in ((1.0 - part, time - before[0]), (part, time - after[0])):
        v, a = share * t, share * t * t / 2.0
        shares.append([[share, v, a], [0.0, share, v], [0.0, 0.0, share]])
    return np.asarray(np.concatenate(shares, axis=1) @ np.concatenate((before[1], after[1])))

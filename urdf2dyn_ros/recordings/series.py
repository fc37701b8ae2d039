"""
Messages become pairs of one stamp, the rows that are kept of them, and their sums.

A `MessageBuffer` sorts messages by joint; a `JointRecord` has a `Series` of measured and one of
computed efforts, interpolates the former at the stamps of the latter, and adds the pairs to sums
of products (`Moments`), from which the figures at every lag are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimation.messages import LARGEST_MEASURED
from urdf2dyn_ros.recordings.credibility import Evidence
from urdf2dyn_ros.recordings.measured_efforts import ADDED, COMPUTED, MEASURED, VELOCITY
from urdf2dyn_ros.robot.spatial import Array

# ---- Values over time in bounded memory

Stamps = NDArray[np.int64]

# an effort or velocity from which on it is dropped: its square may overflow
_LARGEST_EFFORT = 1e100
# a stamp that is so much older than the newest one restarts the series [ns]
_RESTART_AGE_NS = 1_000_000_000


class Series:
    """
    Rows of values at strictly increasing stamps; beyond `capacity` the oldest are removed.

    A row is dropped if its first value is not finite or too large, or if it is not newer than the
    last. A stamp that is a second older or more is a clock jump: all earlier rows are removed.
    Stamps (k,) [ns] and rows (k, columns) are never changed in place; `newest` is the last stamp.
    """

    def __init__(self, capacity: int, columns: int = 1) -> None:
        self._capacity, self._columns = capacity, columns
        self.clear()

    def clear(self) -> None:
        self.stamps: Stamps = np.empty(0, dtype=np.int64)
        self.rows: Array = np.empty((0, self._columns))
        self.newest: int | None = None

    def forget(self, until: int) -> None:
        """Remove the rows up to `until` [ns]; `newest` remains."""
        self.stamps, self.rows = self.between(until, np.iinfo(np.int64).max)

    def extend(self, stamps: Stamps, rows: Array) -> bool:
        """Add rows (k, columns) at stamps (k,) [ns]; return whether there was a clock jump."""
        known = np.abs(rows[:, 0]) < _LARGEST_EFFORT   # NaN is not
        stamps, rows = stamps[known], rows[known]
        restarted = False
        while len(stamps):
            before = stamps[:1] - 1 if self.newest is None else np.array([self.newest])
            highest = np.maximum.accumulate(np.concatenate((before, stamps)))
            back = np.flatnonzero(stamps <= highest[:-1] - _RESTART_AGE_NS)
            run = int(back[0]) if len(back) else len(stamps)
            newer = stamps[:run] > highest[:run]
            self.stamps = np.concatenate((self.stamps, stamps[:run][newer]))[-self._capacity:]
            self.rows = np.concatenate((self.rows, rows[:run][newer]))[-self._capacity:]
            self.newest = int(highest[run])
            stamps, rows = stamps[run:], rows[run:]
            if len(stamps):
                restarted = True
                self.clear()
        return restarted

    def between(self, after: int | None, until: int) -> tuple[Stamps, Array]:
        """Return the rows with after < stamp <= until [ns]; without `after`, from the first."""
        first = 0 if after is None else int(np.searchsorted(self.stamps, after, side='right'))
        last = int(np.searchsorted(self.stamps, until, side='right'))
        return self.stamps[first:last], self.rows[first:last]


# ---- A buffer of messages, so that hundreds are processed at once as arrays

_MOST_JOINTS = 1000   # so that ever new names do not fill the memory


class MessageBuffer:
    """Keeps messages of vectors, for instance efforts and velocities, until processed."""

    def __init__(self) -> None:
        # by names: order of arrival, stamps and vectors
        self._messages: dict[tuple[str, ...], list[tuple[int, int, tuple[Sequence[float], ...]]]]
        self._messages = {}
        # of the joints of one message, from one driver, in the order of their first message
        self.groups: dict[str, int] = {}
        self.waiting = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.groups)

    def add(self, stamp: int, names: Sequence[str], *vectors: Sequence[float]) -> None:
        """Add vectors with one entry for each name; an empty one is unknown."""
        self._messages.setdefault(tuple(names), []).append((self.waiting, stamp, vectors))
        self.waiting += 1

    def take(self, change: Callable[[tuple[str, ...], Array], None] = lambda names, values: None,
             ) -> Iterator[tuple[str, Stamps, Array]]:
        """
        Remove all; yield each joint, its stamps (k,) [ns] and rows (k, columns) as they arrived.

        Before, values (k, n, columns) of joints (n,) of the same messages are changed in place.
        """
        taken, self._messages, self.waiting = self._messages, {}, 0
        parts: dict[str, list[tuple[Array, Stamps, Array]]] = {}
        for names, messages in taken.items():
            if not names:
                continue
            # joints of one message are in the group of the first of them that has one
            group = next((self.groups[name] for name in names if name in self.groups),
                         len(self.groups))
            for name in names:
                if len(self.groups) < _MOST_JOINTS:
                    self.groups.setdefault(name, group)
            order, stamps, vectors = zip(*messages)
            unknown = [np.nan] * len(names)
            values = np.stack([
                np.array([each if len(each) else unknown for each in column], dtype=float)
                for column in zip(*vectors, strict=True)], axis=-1)
            values[~(np.abs(values) < LARGEST_MEASURED)] = np.nan
            change(names, values)
            for column, name in enumerate(names):
                if name in self.groups:
                    parts.setdefault(name, []).append((
                        np.array(order), np.array(stamps, dtype=np.int64), values[:, column]))
        for name, of_joint in parts.items():
            arrival, times, rows = map(np.concatenate, zip(*of_joint))
            turn = np.argsort(arrival)   # publishers may list their joints in changing orders
            yield name, times[turn], rows[turn]


# ---- Values at other stamps, by interpolation between neighbours in time

# longest step over which samples are interpolated, whatever their rate [ns]
_LONGEST_STEP = 100_000_000
# usual steps over which they are interpolated: one lost message is, two are a hole
_USUAL_STEPS = 2.5
# part of the steps that are not longer than the usual one: stamps may come in bursts
_USUAL = 0.9
_STEPS_JUDGED, _FEWEST_STEPS = 1000, 10


def longest_step(stamps: Stamps) -> int:
    """Return the longest step over which samples at some stamps (m,) are interpolated [ns]."""
    steps = np.diff(stamps[-_STEPS_JUDGED:])
    if len(steps) < _FEWEST_STEPS:
        return _LONGEST_STEP
    rank = int(_USUAL * (len(steps) - 1))
    return min(round(_USUAL_STEPS * int(np.partition(steps, rank)[rank])), _LONGEST_STEP)


def interpolated(at: Stamps, lags: Stamps, stamps: Stamps, samples: Array,
                 ) -> tuple[Array, NDArray[np.bool_], Array]:
    """
    Return samples (m,) at stamps (m,), interpolated at other ones plus each lag (p,) [ns].

    The values are (p, k') at those of `at` (k,), the second array, which have close neighbours on
    both sides at every lag. The third (p,) is the remaining power of white noise, summed over
    these: all of it at the stamp of a sample, half of it midway between two.
    """
    first, last = np.searchsorted(stamps, (at[0] + lags[0], at[-1] + lags[-1]))
    near = slice(max(int(first) - 1, 0), int(last) + 1)
    longest = longest_step(stamps[:near.stop])
    stamps, samples = stamps[near], samples[near]
    if not len(stamps):
        return np.empty((len(lags), 0)), np.zeros(len(at), dtype=bool), np.zeros(len(lags))
    wanted = at + lags[:, None]
    right = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    left = np.where(stamps[right] == wanted, right, np.maximum(right - 1, 0))
    inside = ((stamps[left] <= wanted) & (wanted <= stamps[right])
              & (stamps[right] - stamps[left] <= longest))
    valid = np.asarray(inside.all(axis=0))
    left, right = left[:, valid], right[:, valid]
    # differences of integers: seconds since 1970 as a float do not resolve nanoseconds
    share = (wanted[:, valid] - stamps[left]) / np.maximum(stamps[right] - stamps[left], 1)
    values = samples[left] + share * (samples[right] - samples[left])
    return values, valid, np.sum(1.0 - 2.0 * share * (1.0 - share), axis=1)


# ---- Sums of products, from which the figures at every lag are computed

_ROWS = 7

# rows of the matrix after those of the residuals
VELOCITY_ROW, DIRECTION, MOVING, STILL, MEASURED_ROW, COMPUTED_ROW, LOAD = range(-_ROWS, 0)
FEWEST_MOVING = 50   # samples in motion; half as many are needed in each direction
NEAR_LAGS = 4   # from which the residual between them is interpolated


@dataclass(frozen=True)
class Moments:
    """
    Sums of products over samples; those of parts can be added.

    The Gram matrix is that of these rows: the residuals at p lags; then velocity, its sign and 1
    in motion, 1 at rest, measured and computed effort (both minus a constant, against
    cancellation), and the computed effort in motion. It has products of two residuals only if
    their lags are less than `NEAR_LAGS` steps apart.
    """

    gram: Array
    squares: Array   # of the residuals in motion (p,)
    power: Array   # that of `interpolated` (p,)
    lowest: float = np.inf   # measured effort without lag [N m or N]
    highest: float = -np.inf
    largest: float = 0.0   # magnitude of the residual without lag

    @staticmethod
    def none(lags: int) -> Moments:   # of no sample
        return Moments(np.zeros((lags + _ROWS, lags + _ROWS)), np.zeros(lags), np.zeros(lags))

    @staticmethod
    def of(measured: Array, computed: Array, velocity: Array, power: Array, still: float,
           reference: float) -> Moments:
        """
        Return the moments of k samples: measured (p, k) at p lags, computed and velocity (k,).

        The lag in the middle is zero; an unknown velocity is NaN. The joint is at rest up to the
        velocity `still` [rad/s or m/s]; `reference` is a typical effort [N m or N].
        """
        lags, count = measured.shape
        if not count:
            return Moments.none(lags)
        speed = np.abs(velocity)
        moving = ((speed > still) & (speed < _LARGEST_EFFORT)).astype(float)   # NaN is not
        velocity = np.where(moving > 0.0, velocity, 0.0)
        middle = measured[lags // 2]
        residuals = measured - computed
        others = np.vstack((velocity, np.sign(velocity), moving, 1.0 - moving,
                            middle - reference, computed - reference,
                            moving * (computed - reference)))
        gram = np.zeros((lags + _ROWS, lags + _ROWS))
        # einsum, as the threads of BLAS cost more than these products
        gram[:lags, lags:] = np.einsum('ik,jk->ij', residuals, others)
        gram[lags:, :lags] = gram[:lags, lags:].T
        gram[lags:, lags:] = np.einsum('ik,jk->ij', others, others)
        for apart in range(min(NEAR_LAGS, lags)):
            row = np.arange(lags - apart)
            gram[row, row + apart] = gram[row + apart, row] = np.einsum(
                'ik,ik->i', residuals[:lags - apart], residuals[apart:])
        squares = np.einsum('ik,ik,k->i', residuals, residuals, moving)
        return Moments(gram, squares, power, float(middle.min()), float(middle.max()),
                       float(np.abs(residuals[lags // 2]).max()))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.gram + other.gram, self.squares + other.squares,
                       self.power + other.power,
                       min(self.lowest, other.lowest), max(self.highest, other.highest),
                       max(self.largest, other.largest))

    @property
    def lags(self) -> int:
        return len(self.power)

    @property
    def samples(self) -> int:
        return round(float(self.gram[MOVING, MOVING] + self.gram[STILL, STILL]))

    @property
    def moves_both_ways(self) -> bool:
        # twice the samples of the rarer direction
        moving, balance = self.gram[MOVING, MOVING], self.gram[DIRECTION, MOVING]
        return bool(moving - abs(balance) >= FEWEST_MOVING)

    def variance(self, row: int) -> float:
        """Return the variance of the measured or the computed effort [(N m or N)^2]."""
        total = self.gram[row, MOVING] + self.gram[row, STILL]
        return max(0.0, float(self.gram[row, row] - total**2 / self.samples)) / self.samples

    @property
    def correlation(self) -> float:
        """Correlation of measured and computed effort without lag [-]; 0 if one is constant."""
        gram, count = self.gram, self.samples
        totals = [gram[row, MOVING] + gram[row, STILL] for row in (MEASURED_ROW, COMPUTED_ROW)]
        product = gram[MEASURED_ROW, COMPUTED_ROW] / count - totals[0] * totals[1] / count**2
        spread = np.sqrt(self.variance(MEASURED_ROW) * self.variance(COMPUTED_ROW))
        return float(product / spread) if spread > 0.0 else 0.0


# ---- Series and sums of one joint

NO_LAG = np.zeros(1, dtype=np.int64)

Sides = Callable[[Array], tuple[Array, Array]]
"""
From rows (k, 3) of computed effort, velocity and effort against gravity to what is to be added to
the measured effort, and the computed one.
"""


class JointRecord:
    """
    Series of a joint in bounded memory, and sums of all pairs, `plain` without lag, `late` at all.

    Up to `capacity` samples of each side are kept. The sliding window [ns] and the lags (p,) that
    are tried [ns] do not change. The joint is at rest up to the velocity `still` [rad/s or m/s].
    """

    def __init__(self, capacity: int, window: int, lags: Stamps, still: float) -> None:
        self._window, self._lags, self._still = window, lags, still
        self.measured = Series(capacity)
        self.computed = Series(capacity, 3)
        self.matched = Series(capacity, 5)
        self._restart()

    def _restart(self) -> None:
        self.matched.clear()
        self.evidence = Evidence()
        self.reference: float | None = None
        self.plain, self.late = Moments.none(1), Moments.none(len(self._lags))
        self._aligned_until: int | None = None

    def take(self, series: Series, stamps: Stamps, rows: Array) -> None:
        """Add measured efforts (k, 1) or rows (k, 3) as of `Sides` at stamps (k,) [ns]."""
        if series.extend(stamps, rows):
            self._restart()

    def update(self, sides: Sides, gain: float, limit: float | None) -> None:
        """Match the samples that have measured neighbours by now."""
        newest = self.measured.newest
        if newest is None:
            return
        stamps, rows = self.computed.between(None, newest)
        if len(stamps):
            self._match(stamps, rows, sides, gain, limit)
            self.computed.forget(int(stamps[-1]))
        stamps, rows = self.matched.between(self._aligned_until, newest - int(self._lags[-1]))
        if len(stamps) and len(self._lags) > 1:
            self._aligned_until = int(stamps[-1])
            measured, valid, power = self._measured_at(stamps, self._lags)
            self.late += self._moments(gain * measured, rows[valid], power)

    def _match(self, stamps: Stamps, rows: Array, sides: Sides, gain: float,
               limit: float | None) -> None:
        """Interpolate measured efforts at the stamps of computed ones."""
        [measured], valid, _ = self._measured_at(stamps, NO_LAG)
        stamps, rows = stamps[valid], rows[valid]
        added, computed = sides(rows)
        pairs = np.column_stack((gain * measured, added, computed, rows[:, 1:]))
        # without a model, gravity is unknown
        known = (np.abs(pairs[:, [ADDED, COMPUTED]]) < _LARGEST_EFFORT).all(axis=1)
        stamps, pairs = stamps[known], pairs[known]
        if not len(stamps):
            return
        if self.reference is None:
            self.reference = float(pairs[0, MEASURED] + pairs[0, ADDED])
        self.evidence.take(stamps, pairs[:, MEASURED], pairs[:, COMPUTED], limit)
        self.matched.extend(stamps, pairs)
        self.plain += self.moments(pairs)

    def moments(self, pairs: Array) -> Moments:
        """Return the moments of pairs (k, 5) without lag."""
        return self._moments(pairs[None, :, MEASURED], pairs, np.zeros(1))

    def _moments(self, measured: Array, pairs: Array, power: Array) -> Moments:
        assert self.reference is not None
        return Moments.of(measured + pairs[:, ADDED], pairs[:, COMPUTED], pairs[:, VELOCITY],
                          power, self._still, self.reference)

    def _measured_at(self, at: Stamps, lags: Stamps) -> tuple[Array, NDArray[np.bool_], Array]:
        return interpolated(at, lags, self.measured.stamps, self.measured.rows[:, 0])

    def pairs(self, lag: float, gain: float, window: bool = False) -> tuple[Stamps, Array]:
        """
        Return stamps (k,) [ns] and rows (k, 5) of the kept pairs, or those in the window.

        The measured effort is that of a lag [s] later, times `gain`; NaN for none.
        """
        newest = self.matched.newest
        if newest is None:
            return np.empty(0, dtype=np.int64), np.empty((0, 5))
        stamps, rows = self.matched.between(newest - self._window if window else None, newest)
        if np.isnan(lag):
            return stamps, rows
        [measured], valid, _ = self._measured_at(stamps, np.array([round(lag * 1e9)]))
        rows = rows[valid]
        rows[:, MEASURED] = gain * measured
        return stamps[valid], rows

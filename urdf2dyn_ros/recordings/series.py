"""Messages become pairs of one stamp, the rows that are kept of them, and their sums."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.messages import LARGEST_MEASURED
from urdf2dyn_ros.robot.spatial import Array

# ---- Values over time in bounded memory

Stamps = NDArray[np.int64]

LARGEST_EFFORT = 1e100
"""Magnitude of an effort or velocity from which on it is dropped: its square may overflow."""

_RESTART_AGE_NS = 1_000_000_000
"""A stamp that is so much older than the newest one restarts the series [ns]."""


class Series:
    """
    Rows of values at strictly increasing stamps; beyond `capacity` the oldest are removed.

    A row is dropped if its first value is not finite or too large, or if it is not newer than the
    last. A stamp that is a second older or more is a clock jump: all earlier rows are removed.
    `newest` is the last stamp [ns].
    """

    def __init__(self, capacity: int, columns: int = 1) -> None:
        self._capacity = capacity
        self._stamps = np.empty(256, dtype=np.int64)
        self._rows = np.empty((256, columns))
        self._end = 0
        self.newest: int | None = None

    def clear(self) -> None:
        """Remove all rows."""
        self._end, self.newest = 0, None

    def forget(self, until: int) -> None:
        """Remove the rows up to `until` [ns]; `newest` remains."""
        first = int(np.searchsorted(self._stamps[:self._end], until, side='right'))
        for array in (self._stamps, self._rows):
            array[:self._end - first] = array[first:self._end].copy()
        self._end -= first

    def extend(self, stamps: Stamps, rows: Array) -> bool:
        """Add rows (k, columns) at stamps (k,) [ns]; return whether there was a clock jump."""
        known = np.abs(rows[:, 0]) < LARGEST_EFFORT   # NaN is not
        if not known.all():
            stamps, rows = stamps[known], rows[known]
        if not len(stamps):
            return False
        if ((self.newest is None or stamps[0] > self.newest)
                and (stamps[1:] > stamps[:-1]).all()):   # the usual case
            self._append(stamps, rows)
            return False
        restarted = False
        while len(stamps):
            before = stamps[:1] - 1 if self.newest is None else np.array([self.newest])
            highest = np.maximum.accumulate(np.concatenate((before, stamps)))
            back = np.flatnonzero(stamps <= highest[:-1] - _RESTART_AGE_NS)
            run = int(back[0]) if len(back) else len(stamps)
            newer = stamps[:run] > highest[:run]
            self._append(stamps[:run][newer], rows[:run][newer])
            stamps, rows = stamps[run:], rows[run:]
            if len(stamps):
                restarted = True
                self.clear()
        return restarted

    def _append(self, stamps: Stamps, rows: Array) -> None:
        if not len(stamps):
            return
        self.newest = int(stamps[-1])
        end = self._end + len(stamps)
        if end > len(self._stamps):
            self._make_room(len(stamps))
            end = self._end + len(stamps)
        self._stamps[self._end:end] = stamps
        self._rows[self._end:end] = rows
        self._end = end

    def _make_room(self, count: int) -> None:
        """Grow to a quarter more than the capacity; then move the newest rows to the front."""
        if self._end > self._capacity:
            kept = slice(self._end - self._capacity, self._end)
            self._stamps[:self._capacity] = self._stamps[kept].copy()
            self._rows[:self._capacity] = self._rows[kept].copy()
            self._end = self._capacity
        if self._end + count > len(self._stamps):
            size = max(self._end + count,
                       min(2 * len(self._stamps), self._capacity + self._capacity // 4))
            for name in ('_stamps', '_rows'):
                old = getattr(self, name)
                grown = np.empty((size, *old.shape[1:]), dtype=old.dtype)
                grown[:self._end] = old[:self._end]
                setattr(self, name, grown)

    def values(self) -> tuple[Stamps, Array]:
        """Return stamps (k,) [ns] and rows (k, columns) as views that new rows may change."""
        first = max(0, self._end - self._capacity)
        return self._stamps[first:self._end], self._rows[first:self._end]

    def between(self, after: int | None, until: int) -> tuple[Stamps, Array]:
        """Return the rows with after < stamp <= until [ns]; without `after`, from the first."""
        stamps, rows = self.values()
        first = 0 if after is None else int(np.searchsorted(stamps, after, side='right'))
        last = int(np.searchsorted(stamps, until, side='right'))
        return stamps[first:last], rows[first:last]


# ---- A buffer of messages, so that hundreds are processed at once as arrays

_MOST_JOINTS = 1000
"""Largest number of joints, so that ever new names do not fill the memory."""


class _Messages:
    """Buffered messages with the same names."""

    def __init__(self, columns: int) -> None:
        self.order: list[int] = []
        self.stamps: list[int] = []
        self.columns: tuple[list[Sequence[float]], ...] = tuple([] for _ in range(columns))


class MessageBuffer:
    """Keeps messages of so many vectors, for instance efforts and velocities, until processed."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._layouts: dict[tuple[str, ...], _Messages] = {}
        self._known: dict[str, None] = {}
        self.groups: dict[str, int] = {}
        """Number of each joint's group: the joints of one message, from one driver."""
        self.waiting = 0

    @property
    def names(self) -> tuple[str, ...]:
        """All joints, in the order of their first message."""
        return tuple(self._known)

    def add(self, stamp: int, names: Sequence[str], *vectors: Sequence[float]) -> None:
        """Add vectors with one entry for each name; an empty one is unknown."""
        key = tuple(names)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = _Messages(self._columns)
        layout.order.append(self.waiting)
        layout.stamps.append(stamp)
        for column, vector in zip(layout.columns, vectors, strict=True):
            column.append(vector if len(vector) else [np.nan] * len(key))
        self.waiting += 1

    def take(self) -> Iterator[tuple[tuple[str, ...], Array, Stamps, Array]]:
        """Remove all; yield names (n,), order and stamps (k,) [ns], values (k, n, columns)."""
        layouts, self._layouts, self.waiting = self._layouts, {}, 0
        for names, layout in layouts.items():
            self._group(names)
            if names:
                values = np.stack([np.array(column, dtype=float).reshape(-1, len(names))
                                   for column in layout.columns], axis=-1)
                values[~(np.abs(values) < LARGEST_MEASURED)] = np.nan
                yield (names, np.array(layout.order), np.array(layout.stamps, dtype=np.int64),
                       values)

    def _group(self, names: Sequence[str]) -> None:
        """Put the joints of one message into the same group, that of the first that has one."""
        group = next((self.groups[name] for name in names if name in self.groups),
                     len(self.groups))
        if len(self.groups) < _MOST_JOINTS:
            for name in names:
                self.groups.setdefault(name, group)

    def by_joint(self, batches: Sequence[tuple[tuple[str, ...], Array, Stamps, Array]],
                 ) -> Iterator[tuple[str, Stamps, Array]]:
        """Yield each joint's stamps (k,) and rows (k, columns), in the order of arrival."""
        by_name: dict[str, list[tuple[Array, Stamps, Array]]] = {}
        for names, order, stamps, values in batches:
            for column, name in enumerate(names):
                if name not in self._known:
                    if len(self._known) >= _MOST_JOINTS:
                        continue
                    self._known[name] = None
                by_name.setdefault(name, []).append((order, stamps, values[:, column]))
        for name, parts in by_name.items():
            if len(parts) == 1:
                yield name, parts[0][1], parts[0][2]
                continue
            turn = np.argsort(np.concatenate([part[0] for part in parts]), kind='stable')
            yield (name, np.concatenate([part[1] for part in parts])[turn],
                   np.concatenate([part[2] for part in parts])[turn])


# ---- Values at other stamps, by interpolation between neighbours in time

_LONGEST_STEP = 100_000_000
"""Longest step over which samples are interpolated, whatever their rate [ns]."""

_USUAL_STEPS = 2.5
"""Usual steps over which they are interpolated: one lost message is, two are a hole."""

_USUAL = 0.9
"""Part of the steps that are not longer than the usual one: stamps may come in bursts."""

_STEPS_JUDGED, _FEWEST_STEPS = 1000, 10

_MATCHINGS_KEPT = 8
"""Matchings that are cached: more than one joint needs at once."""


def longest_step(stamps: Stamps) -> int:
    """Return the longest step over which samples at some stamps (m,) are interpolated [ns]."""
    steps = np.diff(stamps[-_STEPS_JUDGED:])
    if len(steps) < _FEWEST_STEPS:
        return _LONGEST_STEP
    rank = int(_USUAL * (len(steps) - 1))
    return min(round(_USUAL_STEPS * int(np.partition(steps, rank)[rank])), _LONGEST_STEP)


class Matching:
    """
    Neighbours and shares by which samples are interpolated at other stamps plus each lag.

    It depends on stamps alone, so that the joints of one message share it: increasing stamps `at`
    (k,) of the values and `stamps` (m,) of the samples, lags (p,), and the `longest` step over
    which samples are interpolated, all in [ns].

    `valid` (k,) are the values with close neighbours on both sides at every lag. `power` (p,) is
    the remaining power of white noise, summed over these: all of it at the stamp of a sample,
    half of it midway between two.
    """

    def __init__(self, at: Stamps, stamps: Stamps, lags: Stamps, longest: int) -> None:
        self._made_of, self._longest = (at.copy(), stamps.copy(), lags), longest
        self.valid: NDArray[np.bool_] = np.zeros(len(at), dtype=bool)
        self.power: Array = np.zeros(len(lags))
        if len(stamps) == 0:
            return
        wanted = at + lags[:, None]
        right = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
        left = np.where(stamps[right] == wanted, right, np.maximum(right - 1, 0))
        width = stamps[right] - stamps[left]
        inside = ((stamps[left] <= wanted) & (wanted <= stamps[right]) & (width <= longest))
        self.valid = np.asarray(inside.all(axis=0))
        self._left, self._right = left[:, self.valid], right[:, self.valid]
        # differences of integers: seconds since 1970 as a float do not resolve nanoseconds
        offset = (wanted - stamps[left])[:, self.valid]
        self._share = offset / np.maximum(width[:, self.valid], 1)
        self.power = np.sum(1.0 - 2.0 * self._share * (1.0 - self._share), axis=1)

    def fits(self, at: Stamps, stamps: Stamps, lags: Stamps, longest: int) -> bool:
        """Return whether the matching has these arguments."""
        return longest == self._longest and all(
            np.array_equal(a, b) for a, b in zip(self._made_of, (at, stamps, lags), strict=True))

    def values(self, samples: Array) -> Array:
        """Return samples (m,) interpolated at the valid stamps, (p, k')."""
        if not self.valid.any():
            return np.empty((len(self.power), 0))
        first = samples[self._left]
        return np.asarray(first + self._share * (samples[self._right] - first))


class Matcher:
    """Caches the last matchings."""

    def __init__(self) -> None:
        self._last: deque[Matching] = deque(maxlen=_MATCHINGS_KEPT)

    def match(self, at: Stamps, stamps: Stamps, lags: Stamps, longest: int) -> Matching:
        """Return the matching with these arguments, see `Matching`."""
        for known in self._last:
            if known.fits(at, stamps, lags, longest):
                return known
        self._last.append(Matching(at, stamps, lags, longest))
        return self._last[-1]


# ---- Sums of products, from which the figures at every lag are computed

_ROWS = 7

VELOCITY_ROW, DIRECTION, MOVING, STILL, MEASURED_ROW, COMPUTED_ROW, LOAD = range(-_ROWS, 0)
"""Rows of the matrix after those of the residuals."""

NEAR_LAGS = 4
"""Number of lags from which the residual between them is interpolated."""


@dataclass(frozen=True)
class Moments:
    """
    Sums of products over samples; those of parts can be added.

    The Gram matrix is that of these rows: the residuals at p lags; then velocity, its sign and 1
    in motion, 1 at rest, measured and computed effort (both minus a constant, against
    cancellation), and the computed effort in motion.

    It has products of two residuals only if their lags are less than `NEAR_LAGS` steps apart.
    `squares` are those of the residuals in motion, `power` is that of `Matching`; `lowest` and
    `highest` measured effort and `largest` magnitude of the residual are without lag [N m or N].
    """

    gram: Array
    squares: Array
    power: Array
    lowest: float = np.inf
    highest: float = -np.inf
    largest: float = 0.0

    @staticmethod
    def none(lags: int) -> Moments:
        """Return the moments of no sample."""
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
        moving = ((speed > still) & (speed < LARGEST_EFFORT)).astype(float)   # NaN is not
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

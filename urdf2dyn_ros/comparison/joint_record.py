"""Series and sums of one joint."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.credibility import Evidence
from urdf2dyn_ros.comparison.pairing.matching import Matcher, Matching, longest_step
from urdf2dyn_ros.comparison.pairing.moments import Moments
from urdf2dyn_ros.comparison.pairing.series import LARGEST_EFFORT, Series, Stamps
from urdf2dyn_ros.comparison.semantics import Fair

NO_LAG = np.zeros(1, dtype=np.int64)

_PARTS = 10
"""Parts of the sliding window, which moves by one part."""

MEASURED, ADDED, COMPUTED, VELOCITY, GRAVITY = range(5)
"""Columns of the pairs; ADDED is to be added to the measured effort."""

Sides = Callable[[Array], Fair]
"""From rows (k, 3) of computed effort, velocity and effort against gravity."""


@dataclass
class Sums:
    """Moments of pairs without lag, and at every lag tried, in the part `number` of the window."""

    lags: int
    plain: Moments = field(default_factory=lambda: Moments.none(1))
    late: Moments = field(init=False)
    number: int = 0

    def __post_init__(self) -> None:
        self.late = Moments.none(self.lags)


class JointRecord:
    """
    Series of a joint in bounded memory, and sums of all pairs.

    Up to `capacity` samples of each side are kept. The sliding window [ns] and the lags (p,) that
    are tried [ns] do not change. The joint is at rest up to the velocity `still` [rad/s or m/s].
    """

    def __init__(self, capacity: int, window: int, lags: Stamps, still: float,
                 matcher: Matcher) -> None:
        self._window, self._lags, self._still = window, lags, still
        self._matcher = matcher
        self.measured = Series(capacity)
        self.computed = Series(capacity, 3)
        self.matched = Series(capacity, 5)
        self._restart()

    def _restart(self) -> None:
        self.matched.clear()
        self.evidence = Evidence()
        self.reference: float | None = None
        self.total = Sums(len(self._lags))
        self._parts: deque[Sums] = deque()
        self._aligned_until: int | None = None

    def take_measured(self, stamps: Stamps, rows: Array) -> None:
        """Add measured efforts (k, 1) at stamps (k,) [ns]."""
        if self.measured.extend(stamps, rows):
            self._restart()

    def take_computed(self, stamps: Stamps, rows: Array) -> None:
        """Add rows (k, 3) of computed effort, velocity and effort against gravity."""
        if self.computed.extend(stamps, rows):
            self._restart()

    def update(self, sides: Sides, limit: float | None) -> None:
        """Match the samples that have measured neighbours by now."""
        newest = self.measured.newest
        if newest is None:
            return
        stamps, rows = self.computed.between(None, newest)
        if len(stamps):
            self._match(stamps, rows, sides, limit)
            self.computed.forget(int(stamps[-1]))
        stamps, rows = self.matched.between(self._aligned_until, newest - int(self._lags[-1]))
        if len(stamps) and len(self._lags) > 1:
            self._aligned_until = int(stamps[-1])
            self._align(stamps, rows, sides)

    def _match(self, stamps: Stamps, rows: Array, sides: Sides, limit: float | None) -> None:
        """Interpolate measured efforts at the stamps of computed ones."""
        matching = self._matcher.match(stamps, *self._around(stamps, NO_LAG))
        stamps, rows = stamps[matching.valid], rows[matching.valid]
        fair = sides(rows)
        measured = fair.gain * matching.values(self._samples)
        known = (np.abs(fair.added) < LARGEST_EFFORT) & (np.abs(fair.computed) < LARGEST_EFFORT)
        if not known.all():   # without a model, gravity is unknown
            stamps, rows, measured = stamps[known], rows[known], measured[:, known]
            fair = Fair(fair.gain, fair.added[known], fair.computed[known])
        if not len(stamps):
            return
        if self.reference is None:
            self.reference = float(measured[0, 0] + fair.added[0])
        self.evidence.take(stamps, measured[0], fair.computed, limit)
        self.matched.extend(stamps, np.column_stack((measured[0], fair.added, fair.computed,
                                                     rows[:, 1], rows[:, 2])))
        for number, some in self._parted(stamps):
            part = self._part(number)
            moments = Moments.of(
                (measured + fair.added)[:, some], fair.computed[some], rows[some, 1],
                np.array([float(some.stop - some.start)]), self._still, self.reference)
            self.total.plain += moments
            part.plain += moments

    def _align(self, stamps: Stamps, rows: Array, sides: Sides) -> None:
        """Add the moments at every lag of pairs with measured neighbours at all lags."""
        assert self.reference is not None
        gain = sides(np.zeros((0, 3))).gain
        for number, some in self._parted(stamps):
            part = self._part(number)
            matching = self._matcher.match(stamps[some], *self._around(stamps[some], self._lags))
            known = rows[some][matching.valid]
            moments = Moments.of(gain * matching.values(self._samples) + known[:, ADDED],
                                 known[:, COMPUTED], known[:, VELOCITY], matching.power,
                                 self._still, self.reference)
            self.total.late += moments
            part.late += moments

    def _around(self, stamps: Stamps, lags: Stamps) -> tuple[Stamps, Stamps, int]:
        """Return what samples are matched by around some stamps, and keep these samples."""
        known, values = self.measured.values()
        first, last = np.searchsorted(known, (stamps[0] + lags[0], stamps[-1] + lags[-1]))
        near = slice(max(int(first) - 1, 0), int(last) + 1)
        self._samples = values[near, 0]
        return known[near], lags, longest_step(known[:near.stop])

    def _parted(self, stamps: Stamps) -> Iterator[tuple[int, slice]]:
        """Yield the numbers of the window's parts, and the slices of stamps (k,) [ns] in them."""
        numbers = stamps // (self._window // _PARTS)
        borders = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(stamps)]
        for first, last in pairwise(borders):
            yield int(numbers[first]), slice(first, last)

    def _part(self, number: int) -> Sums:
        """Return a part of the window; remove the parts that are too old."""
        if not self._parts or number > self._parts[-1].number:
            self._parts.append(Sums(len(self._lags), number=number))
        while self._parts[0].number < self._parts[-1].number - _PARTS:
            self._parts.popleft()
        # alignment waits longer for neighbours, and may come to an older part
        return next((part for part in reversed(self._parts) if part.number <= number),
                    Sums(len(self._lags)))

    def window(self, limit: float | None) -> tuple[Sums, Evidence]:
        """Return the sums of the sliding window, and the evidence against it."""
        sums, evidence = Sums(len(self._lags)), Evidence()
        for part in self._parts:
            sums.plain += part.plain
            sums.late += part.late
        stamps, rows = self.aligned(0.0, 1.0, window=True)
        evidence.take(stamps, rows[:, MEASURED], rows[:, COMPUTED], limit)
        return sums, evidence

    def aligned(self, lag: float, gain: float, window: bool = False) -> tuple[Stamps, Array]:
        """
        Return stamps (k,) [ns] and rows (k, 5) of the kept pairs, or those in the window.

        The measured effort is that of a lag [s] later, times `gain`.
        """
        newest = self.matched.newest
        if newest is None:
            return np.empty(0, dtype=np.int64), np.empty((0, 5))
        stamps, rows = self.matched.between(newest - self._window if window else None, newest)
        if not lag:
            return stamps.copy(), rows.copy()
        at = np.array([round(lag * 1e9)], dtype=np.int64)
        matching = Matching(stamps, *self._around(stamps, at))
        rows = rows[matching.valid]
        rows[:, MEASURED] = gain * matching.values(self._samples)[0]
        return stamps[matching.valid], rows

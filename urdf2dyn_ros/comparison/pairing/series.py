"""Values over time in bounded memory."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array

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

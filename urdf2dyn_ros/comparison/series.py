"""Values over time in bounded memory."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESTART = 1_000_000_000
"""A stamp this much [ns] before the last one starts a new recording."""


class Series:
    """
    Stamps and values, strictly increasing in time; beyond `capacity` the oldest are forgotten.

    A value that is not finite, or not newer than the last, is left out; a stamp that is more than
    a second older means that a clock was set back, and everything before it is forgotten.

    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._stamps = np.empty(256, dtype=np.int64)
        self._values = np.empty(256)
        self._end = 0

    def append(self, stamp: int, value: float) -> None:
        """Take one value at a stamp [ns]."""
        if not math.isfinite(value):
            return
        if self._end and stamp <= self._stamps[self._end - 1]:
            if stamp > self._stamps[self._end - 1] - RESTART:
                return
            self._end = 0
        if self._end == len(self._stamps):
            self._make_room()
        self._stamps[self._end] = stamp
        self._values[self._end] = value
        self._end += 1

    def _make_room(self) -> None:
        """Grow to twice the capacity; from then on move the newer half to the front."""
        size = len(self._stamps)
        if size >= 2 * self._capacity:
            kept = slice(size - self._capacity, size)
            for array in (self._stamps, self._values):
                array[:self._capacity] = array[kept].copy()
            self._end = self._capacity
        else:
            grown = min(2 * size, 2 * self._capacity)
            self._stamps = np.resize(self._stamps, grown)
            self._values = np.resize(self._values, grown)

    def values(self) -> tuple[NDArray[np.int64], Array]:
        """Return copies of the stamps (k,) [ns] and the values (k,)."""
        first = max(0, self._end - self._capacity)
        return self._stamps[first:self._end].copy(), self._values[first:self._end].copy()

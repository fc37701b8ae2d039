"""What a sensor went through lately, asked for at the instants of another one."""

from __future__ import annotations

from collections import deque

from urdf2dyn_ros.algebra.arrays import Array

MAX_SAMPLES = 1024
"""Samples that are kept: a second at 1 kHz."""

ABSENCES = {
    'base_missing': 'no base data yet',
    'base_warming_up': 'too little base data yet to know accelerations',
    'base_behind': 'the joint states are newer than the base data by more than max_age',
    'base_stale': 'the base data is older than the joint states by more than the timeout',
    'base_gap': 'base data before and after the joint states is further apart than the timeout',
    'base_forgotten': 'the joint states are older than all base data that is kept',
    'base_not_finite': 'the motion of the base is too large for floating point',
}
"""Why there is no motion of the base at an instant."""


class History:
    """
    Samples by stamp: linear between two of them, constant for a while after the newest.

    Parameters
    ----------
    timeout : int
        How much older than an instant the newest sample may be, and how far apart two around it
        [ns].
    max_age : int
        How much older it may be to stand for that instant [ns].

    Attributes
    ----------
    behind : int
        How much older than the last instant that was asked for the newest sample was [ns].

    """

    def __init__(self, timeout: int, max_age: int) -> None:
        self._timeout, self._max_age = timeout, max_age
        self._samples: deque[tuple[int, Array]] = deque(maxlen=MAX_SAMPLES)
        self._heard = 0
        self.behind = 0

    def hear(self, stamp: int) -> None:
        """Take note that there is data at a stamp [ns], which is or will become a sample."""
        self._heard = stamp

    def append(self, stamp: int, values: Array) -> bool:
        """Add a sample: stamp [ns], values (k,); return False if it is no newer than the last."""
        if self._samples and stamp <= self._samples[-1][0]:
            return False
        self._samples.append((stamp, values))
        return True

    def clear(self) -> None:
        """Forget every sample."""
        self._samples.clear()

    def at(self, instant: int) -> Array | str:
        """Return the values (k,) at an instant [ns], or a key of ``ABSENCES``."""
        if not self._heard:
            return 'base_missing'
        after, later = self._samples[-1] if self._samples else (self._heard, None)
        self.behind = instant - after
        if self.behind > self._timeout:
            return 'base_stale'
        if later is None:
            return 'base_warming_up'
        if self.behind > self._max_age:
            return 'base_behind'
        if self.behind >= 0:
            return later
        for before, earlier in reversed(self._samples):
            if before <= instant:
                if after - before > self._timeout:
                    return 'base_gap'
                return earlier + (instant - before) / (after - before) * (later - earlier)
            after, later = before, earlier
        return 'base_forgotten'

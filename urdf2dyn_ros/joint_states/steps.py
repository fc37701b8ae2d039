"""The steps in time between samples: their median, and which of them are jumps."""

from __future__ import annotations

from collections import deque

HISTORY = 11
FEWEST = 3
PERIODS = 5


class Steps:
    """
    Knows the period of a stream from its last few stamps.

    Parameters
    ----------
    max_gap : int
        Steps up to this long are no jumps at any rate [ns].

    """

    def __init__(self, max_gap: int) -> None:
        self._max_gap = max_gap
        # Jumps are kept among them, so that a stream that has become slow is followed.
        self._last: deque[int] = deque(maxlen=HISTORY)

    def add(self, step: int) -> None:
        """Take a step forward [ns]."""
        self._last.append(step)

    def clear(self) -> None:
        """Forget them: the stream begins anew."""
        self._last.clear()

    @property
    def period(self) -> int:
        """Median of the last steps [ns]; 0 as long as there are too few."""
        if len(self._last) < FEWEST:
            return 0
        return sorted(self._last)[len(self._last) // 2]

    def is_jump(self, step: int) -> bool:
        """Tell whether a step, forward or back [ns], is no matter of the stream's own rate."""
        size = abs(step)
        return size > self._max_gap and size > PERIODS * self.period

"""Pauses between pieces of work, which limit them to a small part of the time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAUSE_RATIO = 39.0
"""Ratio of a pause to the piece of work before it, within the limits below."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
"""Limits of a pause [s]."""


class Pauses:
    """
    Says when the next piece of work may begin, by a monotonic clock [s].

    `duration` [s] is that of the last piece of work; 0 before the first.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.duration = 0.0
        self._next = clock()

    @property
    def left(self) -> float:
        """Remaining time of the pause [s]."""
        return max(0.0, self._next - self._clock())

    @contextmanager
    def work(self) -> Iterator[None]:
        """Measure the work of the body; a pause begins at its end, also after an exception."""
        began = self._clock()
        try:
            yield
        finally:
            ended = self._clock()
            self.duration = ended - began
            pause = max(SHORTEST_PAUSE, PAUSE_RATIO * self.duration)
            self._next = ended + min(pause, LONGEST_PAUSE)

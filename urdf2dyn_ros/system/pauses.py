"""Pauses between pieces of work, so that they take a small part of the time at most."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TIMES = 39.0
"""How many times as long as a piece of work the pause after it is, but within limits."""

SHORTEST, LONGEST = 0.5, 5.0
"""Of a pause [s]."""


class Pauses:
    """
    Tells when the next piece of work may begin.

    Parameters
    ----------
    clock : callable
        Returns a time [s] that nobody sets.

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next = clock()

    @property
    def left(self) -> float:
        """What is left of the pause [s]."""
        return max(0.0, self._next - self._clock())

    @contextmanager
    def work(self) -> Iterator[None]:
        """Work within; a pause begins with its end, whatever came of it."""
        began = self._clock()
        try:
            yield
        finally:
            ended = self._clock()
            self._next = ended + min(max(SHORTEST, TIMES * (ended - began)), LONGEST)

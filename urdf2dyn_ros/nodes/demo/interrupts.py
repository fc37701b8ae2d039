"""SIGINT and SIGTERM as a KeyboardInterrupt at places of the program's choice."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupts() -> Iterator[Callable[[], None]]:
    """
    Record SIGINT and SIGTERM; yield a function that raises a KeyboardInterrupt after one.

    Raised at any instant, it would come out of rclpy as whatever error its C++ makes of it.

    """
    received: list[int] = []

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, frame: received.append(number))
              for number in numbers]
    try:
        yield check
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)

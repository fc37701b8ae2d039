"""Functions that workers call in tests, with what happens to workers."""

import os
import signal
import time
from pathlib import Path


def square(item: int) -> int:
    return item * item


def squared_or_killed(folder: str, item: int) -> int:
    """Return the square; on the way, item 2 ends its process once, and item 5 every time."""
    mark = Path(folder) / f'killed_{item}'
    if item == 5 or (item == 2 and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def span(item: int) -> tuple[int, int, int]:
    """Return the process, and begin and end of some work [ns]."""
    begin = time.monotonic_ns()
    sum(k * k for k in range(200_000))
    return os.getpid(), begin, time.monotonic_ns()


def fail(item: int) -> int:
    raise KeyError(f'item {item}')

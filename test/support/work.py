"""Functions that workers call in tests, with what happens to workers."""

import os
import signal
import time
from pathlib import Path

import numpy as np


def square(item: int) -> int:
    return item * item


def squared_or_killed(folder: str, item: int) -> int:
    """Return the square; on the way, item 2 ends its process once, and item 5 every time."""
    mark = Path(folder) / f'killed_{item}'
    if item == 5 or (item == 2 and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def squared_or_worker_killed(folder: str, item: int) -> int:
    """Return the square; on the way, item 2 ends the worker whose child computes it, once."""
    mark = Path(folder) / f'killed_{item}'
    if item == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getppid(), signal.SIGKILL)
    return item * item


def squared_in_memory(item: int) -> int:
    """Return the square; item 2 needs 1 GB for it."""
    return int(np.full(125_000_000 if item == 2 else 1, item * item, dtype=np.int64)[-1])


def span(item: int) -> tuple[int, int, int]:
    """Return the process, and begin and end of some work [ns]."""
    begin = time.monotonic_ns()
    sum(k * k for k in range(200_000))
    return os.getpid(), begin, time.monotonic_ns()


def fail(item: int) -> int:
    raise KeyError(f'item {item}')

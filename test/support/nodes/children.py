"""The child processes of a node, and how to let them wait."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the numbers of a process's children."""
    lists = [path.read_text() for path in Path(f'/proc/{pid}/task').glob('*/children')]
    return [int(number) for number in ' '.join(lists).split()]


@contextmanager
def stopped_child(pid: int, wait: Callable[[Callable[[], object]], None]) -> Iterator[int]:
    """Stop the only child of a process as soon as there is one, for as long as the body runs."""
    wait(lambda: children(pid))
    child, = children(pid)
    os.kill(child, signal.SIGSTOP)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGCONT)

"""A limit of the time for which the caller waits for a process, in any way."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer


@contextmanager
def time_limit(process: subprocess.Popen[bytes], seconds: float) -> Iterator[Event]:
    """
    Kill a process for which the body still waits after a time [s], so that its pipes end.

    Yields
    ------
    Event
        Set if the process was killed.

    """
    killed = Event()

    def kill() -> None:
        killed.set()
        process.kill()   # also one that is stopped

    timer = Timer(seconds, kill)
    timer.daemon = True   # the caller may have to end before
    timer.start()
    try:
        yield killed
    finally:
        timer.cancel()

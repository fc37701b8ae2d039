"""A limit of the time for which a process is waited for, however that is done."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer


@contextmanager
def time_limit(process: subprocess.Popen[bytes], seconds: float) -> Iterator[Event]:
    """
    Kill a process that the body still waits for after so many seconds, so that its pipes end.

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

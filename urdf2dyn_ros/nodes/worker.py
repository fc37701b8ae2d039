"""One thread for work that takes longer than the time between two messages."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar('Result')


class Worker:
    """
    Does a job beside the thread that spins, and after it the newest of those that came meanwhile.

    A job that has not begun gives way to a newer one, so that nothing piles up. The thread does
    not keep the process alive: a node told to end does not wait for a job, which is why this is
    not a ThreadPoolExecutor.

    Parameters
    ----------
    guarded : callable
        Returns a job such that its error does not end the thread.

    """

    def __init__(self, guarded: Callable[[Callable[[], None]], Callable[[], None]]) -> None:
        self._guarded = guarded
        self._newest: deque[Callable[[], None]] = deque(maxlen=1)
        self._given = threading.Event()
        threading.Thread(target=self._work, name='worker', daemon=True).start()

    def submit(self, job: Callable[[], Result],
               done: Callable[[Result | None, Exception | None], None]) -> None:
        """Have `job` done, then call `done` with its result or its error, in the thread."""
        def run() -> None:
            try:
                result = job()
            except Exception as error:
                done(None, error)
            else:
                done(result, None)

        self._newest.append(self._guarded(run))
        self._given.set()

    def _work(self) -> None:
        while True:
            self._given.wait()
            self._given.clear()
            if self._newest:
                self._newest.popleft()()

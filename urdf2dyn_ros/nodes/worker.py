"""One thread for work that takes longer than the time between two messages."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

Result = TypeVar('Result')


class Worker:
    """
    Does one job after the other, beside the thread that spins.

    The thread does not keep the process alive: a node told to end does not wait for a job, which
    is why this is not a ThreadPoolExecutor.

    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
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

        self._jobs.put(run)

    def _work(self) -> None:
        while True:
            self._jobs.get()()

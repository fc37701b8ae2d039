"""A thread for jobs that take longer than the time between two messages."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.executors import Executor
from rclpy.task import Future

_Result = TypeVar('_Result')


class Worker:
    """
    Runs one job at a time in a thread, and then the newest of those submitted meanwhile.

    A newer job replaces one that has not begun, so that jobs do not pile up. The thread does not
    keep the process alive: a node that is stopped does not wait for a job, which is why this is
    not a ThreadPoolExecutor. The function `guarded` makes jobs whose errors do not end the thread.
    """

    def __init__(self, guarded: Callable[[Callable[[], None]], Callable[[], None]]) -> None:
        self._guarded = guarded
        self._newest: deque[Callable[[], None]] = deque(maxlen=1)
        self._submitted, self._ended = threading.Event(), False
        threading.Thread(target=self._work, name='worker', daemon=True).start()

    def submit(self, job: Callable[[], _Result],
               done: Callable[[_Result | None, Exception | None], None]) -> None:
        """Run `job`, then call `done` with its result or its error, both in the thread."""
        def run() -> None:
            try:
                result = job()
            except Exception as error:
                done(None, error)
            else:
                done(result, None)

        self._newest.append(self._guarded(run))
        self._submitted.set()

    def end(self) -> None:
        """End the thread after the job that it runs now."""
        self._ended = True
        self._submitted.set()

    async def result(self, job: Callable[[], _Result], executor: Executor | None) -> _Result:
        """Await the result of a job in a coroutine of an executor, and raise its error."""
        future: Any = Future(executor=executor)
        # a sleeping executor is woken by a callback of the future, not by its result alone
        future.add_done_callback(lambda future: None)
        self.submit(job, lambda result, error: future.set_result((result, error)))
        result, error = await future
        if error is not None:
            raise error
        done: _Result = result
        return done

    def _work(self) -> None:
        while not self._ended:
            self._submitted.wait()
            self._submitted.clear()
            if self._newest and not self._ended:
                self._newest.popleft()()

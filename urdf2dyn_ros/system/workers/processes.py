"""Processes of this machine that work on items, one each at a time."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any, TypeVar

from urdf2dyn_ros.system.signals import signals_later
from urdf2dyn_ros.system.workers.lost import LOST, Lost

_ATTEMPTS = 2
"""Processes that must end while they work on an item alone, until it is lost."""

_ITEMS_AHEAD = 2
"""Items that are sent to each process, so that it need not wait for the next one."""

_functions: list[Callable[[Any], Any]] = []
"""The one function of all items of a process of the pool: it may read a robot's model."""

_Item = TypeVar('_Item')
_Result = TypeVar('_Result')


def results_of_processes(function: Callable[[_Item], _Result], items: Sequence[_Item],
                         count: int) -> Iterator[_Result | Lost]:
    """Yield the results of items in order, computed by several processes."""
    processes = _Processes(function, count)
    futures: dict[int, Future[_Result]] = {}
    try:
        for number, item in enumerate(items):
            ahead = enumerate(items[number:number + _ITEMS_AHEAD * count], number)
            try:
                futures.update((k, processes.submit(next_item)) for k, next_item in ahead
                               if k not in futures)
                result: _Result | Lost = futures.pop(number).result()
            except BrokenProcessPool:
                # any of those that were sent may be the reason: this one goes first, alone
                futures = {k: each for k, each in futures.items() if each.done()
                           and not each.cancelled() and each.exception() is None}
                result = processes.alone(item)
            yield result
    finally:
        processes.end()


class _Processes:
    """A pool that is replaced once a process of it was killed."""

    def __init__(self, function: Callable[[Any], Any], count: int) -> None:
        self._function = pickle.dumps(function)
        self._count = count
        self._before = {*multiprocessing.active_children()}
        self._start()

    def _start(self) -> None:
        # threads of this process, as of a linear algebra, would not exist in a fork of it
        context = multiprocessing.get_context('spawn')
        self._pool = ProcessPoolExecutor(self._count, context, _begin, (self._function,))

    def submit(self, item: Any) -> 'Future[Any]':
        with signals_later(), _ctrl_c_blocked():
            return self._pool.submit(_result, item)

    def alone(self, item: Any) -> Any:
        """Return the result of an item that no other one can disturb."""
        for _ in range(_ATTEMPTS):
            self.end()
            self._start()
            try:
                return self.submit(item).result()
            except BrokenProcessPool:
                continue
        self.end()
        self._start()
        return LOST

    def end(self) -> None:
        """End the processes at once, whatever they do."""
        for process in {*multiprocessing.active_children()} - self._before:
            process.kill()
            process.join()
        # waits for the pool's thread, which the end of Python may otherwise find half closed
        self._pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Start processes without Ctrl-C, also while they are starting: their parent handles it."""
    ensure_running()   # it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(function: bytes) -> None:
    """Read the function once; end with the parent."""
    _functions.append(pickle.loads(function))
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _result(item: Any) -> Any:
    return _functions[0](item)


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)

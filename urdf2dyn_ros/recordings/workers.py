"""
The same function of many items: in this process, in processes of this machine, or on a cluster.

Results come in the order of the items, and few more than there are workers are in memory. An item
whose worker dies is computed again; one whose worker dies twice has a `Lost` as its result.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.resource_tracker import ensure_running
from typing import Any, NamedTuple, TypeVar

from urdf2dyn_ros.errors import WorkersError
from urdf2dyn_ros.system import signals_later
from urdf2dyn_ros.text import __version__

_ITEMS_AHEAD = 2   # items that are sent to each worker, so that it need not wait for the next
_LONGEST_WAIT = 60.0   # for the scheduler, and for a worker where there is none [s]

_Item = TypeVar('_Item')
_Result = TypeVar('_Result')


@dataclass(frozen=True)
class Workers:
    """The processes that share some work: those of this machine, or of a Dask cluster."""

    count: int = 1   # processes on this machine; with 1 this process does the work
    scheduler: str = ''   # address of a Dask scheduler, whose workers do it; empty: this machine

    @property
    def here(self) -> bool:
        """Whether this process does the work."""
        return self.count == 1 and not self.scheduler


class Lost(NamedTuple):
    """Stands for the result of an item whose worker died twice; the reason."""

    reason: str = 'the process that worked on it was killed or ran out of memory, twice'


def results_of(function: Callable[[_Item], _Result], items: Sequence[_Item],
               workers: Workers) -> Iterator[_Result | Lost]:
    """
    Yield the result of each item, in order; errors of the function are raised.

    Function, items and results must be picklable unless this process does the work. A WorkersError
    if the cluster cannot be used.
    """
    if workers.scheduler:
        yield from _results_of_cluster(function, items, workers.scheduler)
    elif workers.here:
        yield from map(function, items)
    else:
        yield from _results_of_processes(function, items, workers.count)


def _results_of_processes(function: Callable[[_Item], _Result], items: Sequence[_Item],
                          count: int) -> Iterator[_Result | Lost]:
    sent: deque[Future[_Result]] = deque()
    pool = _Pool(count)
    try:
        for number, item in enumerate(items):
            result: _Result | Lost = Lost()
            try:
                for ahead in items[number + len(sent):number + _ITEMS_AHEAD * count]:
                    sent.append(pool.submit(function, ahead))
                result = sent.popleft().result()
            except BrokenProcessPool:   # by any of those that were sent: this one is tried alone
                sent.clear()
                pool.end()
                pool = _Pool(1)
                with suppress(BrokenProcessPool):
                    result = pool.submit(function, item).result()
                pool.end()
                pool = _Pool(count)
            yield result
    finally:
        pool.end()


class _Pool:
    """Processes that end at once when they are not needed, and with their parent."""

    def __init__(self, count: int) -> None:
        self._others = {*multiprocessing.active_children()}
        # threads of this process, as of a linear algebra, would not exist in a fork of it
        self._executor = ProcessPoolExecutor(count, multiprocessing.get_context('spawn'), _begin)

    def submit(self, function: Callable[[_Item], _Result], item: _Item) -> 'Future[_Result]':
        """Start processes without Ctrl-C, also while they start: their parent handles it."""
        with signals_later():
            ensure_running()   # it would unblock the signal again
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            try:
                return self._executor.submit(function, item)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def end(self) -> None:
        for process in {*multiprocessing.active_children()} - self._others:
            process.kill()
            process.join()
        # waits for the executor's thread, which the end of Python may otherwise find half closed
        self._executor.shutdown(cancel_futures=True)


def _begin() -> None:
    """End this process with its parent, which may be killed."""
    def end_with(parent: multiprocessing.process.BaseProcess) -> None:
        parent.join()
        os._exit(1)

    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def _results_of_cluster(function: Callable[[_Item], _Result], items: Sequence[_Item],
                        address: str) -> Iterator[_Result | Lost]:
    try:
        from distributed import Client
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise WorkersError('--scheduler needs Dask, the extra "cluster": pip install '
                           "'urdf2dyn_ros[cluster]'") from None

    def failed(error: Exception) -> WorkersError:
        return WorkersError(f'the scheduler at {address} cannot be used ({error}): check that '
                            'dask scheduler and dask worker run, and the address')

    try:
        client: Any = Client(address, timeout=_LONGEST_WAIT, set_as_default=False)
    except (OSError, ValueError) as error:   # an address that is none, or a time-out
        raise failed(error) from None
    with client:
        # the scheduler repeats an item whose worker dies (distributed.scheduler.allowed-failures)
        submit = partial(client.submit, _one_at_a_time, function, pure=False, retries=1)
        sent: deque[Any] = deque()
        try:
            client.wait_for_workers(1, timeout=_LONGEST_WAIT)
            for worker, version in client.run(_version, on_error='return').items():
                if version != __version__:
                    raise WorkersError(
                        f'worker {worker} of the scheduler at {address} has no urdf2dyn_ros '
                        f'{__version__} ({version}): install the same version there')
            for number, item in enumerate(items):
                threads = max(sum(client.nthreads().values()), 1)
                sent.extend(map(submit, items[number + len(sent):number + _ITEMS_AHEAD * threads]))
                result: Any = Lost()
                try:
                    result = _result(client, sent.popleft())
                except KilledWorker:   # perhaps by another item of the same worker
                    with suppress(KilledWorker):
                        result = _result(client, submit(item))
                yield result
        except (TimeoutError, CommClosedError, FutureCancelledError) as error:
            raise failed(error) from None


def _result(client: Any, future: Any) -> Any:
    """Return a result; a WorkersError if the cluster has no worker any more."""
    from distributed import TimeoutError as NotYet

    while True:
        try:
            return future.result(timeout=_LONGEST_WAIT)
        except NotYet:
            if future.done():   # since just now, or an error of the function
                return future.result()
        if not client.nthreads():
            raise WorkersError('no worker of the cluster is left: start dask worker again')


_ONE_AT_A_TIME = threading.Lock()


def _one_at_a_time(function: Callable[[_Item], _Result], item: _Item) -> _Result:
    """Several threads of a worker wait, so that its memory is that of one item."""
    with _ONE_AT_A_TIME:
        return function(item)


def _version() -> str:
    return __version__

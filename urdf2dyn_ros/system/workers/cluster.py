"""A Dask cluster that works on items, one in each process at a time."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from urdf2dyn_ros.errors import WorkersError
from urdf2dyn_ros.system.workers.lost import Lost
from urdf2dyn_ros.version import __version__

_PATIENCE = 60.0
"""Time for which the scheduler, and a first worker, are awaited [s]."""

_AHEAD = 2
"""Items that are sent to each thread of the cluster."""

_Item = TypeVar('_Item')
_Result = TypeVar('_Result')

_ONE_AT_A_TIME = threading.Lock()


def results_of_cluster(function: Callable[[_Item], _Result], items: Sequence[_Item],
                       address: str) -> Iterator[_Result | Lost]:
    """Yield the results of items in order, computed by the workers of a scheduler."""
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
        client: Any = Client(   # type: ignore[no-untyped-call]
            address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:   # an address that is none, or a time-out
        raise failed(error) from None
    with client:
        waiting: deque[tuple[_Item, Any]] = deque()
        work = partial(_alone, function)
        rest = iter(items)
        try:
            _check(client, address)
            while True:
                threads: dict[str, int] = client.nthreads()
                most = _AHEAD * max(sum(threads.values()), 1)
                while len(waiting) < most and (item := next(rest, None)) is not None:
                    waiting.append((item, client.submit(work, item, pure=False)))
                if not waiting:
                    return
                item, future = waiting.popleft()
                try:
                    result = future.result()
                except KilledWorker:   # perhaps by another item, which was on the same worker
                    client.cancel([each for _, each in waiting])
                    yield _alone_there(client, work, item)
                    while waiting:   # any of those that were sent
                        yield _alone_there(client, work, waiting.popleft()[0])
                else:
                    yield result
        except (TimeoutError, CommClosedError, FutureCancelledError) as error:
            raise failed(error) from None


def _alone_there(client: Any, work: Callable[[_Item], _Result], item: _Item) -> _Result | Lost:
    """Return the result of an item while the cluster has no other one."""
    from distributed.scheduler import KilledWorker

    try:
        result: _Result = client.submit(work, item, pure=False).result()
    except KilledWorker:
        return Lost('every worker that worked on it was killed or ran out of memory')
    return result


def _check(client: Any, address: str) -> None:
    """Wait for a worker, and check that all have this version of the package."""
    client.wait_for_workers(1, timeout=_PATIENCE)
    for worker, version in client.run(_version, on_error='return').items():
        if version != __version__:
            raise WorkersError(
                f'worker {worker} of the scheduler at {address} has no urdf2dyn_ros '
                f'{__version__} ({version}): install the same version there')


def _version() -> str:
    return __version__


def _alone(function: Callable[[_Item], _Result], item: _Item) -> _Result:
    """Return a result; several threads of a worker wait, so that its memory is that of one."""
    with _ONE_AT_A_TIME:
        return function(item)

"""A Dask cluster that works on items, one in each process at a time."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from urdf2dyn_ros.errors import WorkersError
from urdf2dyn_ros.system.workers.guarded import guarded
from urdf2dyn_ros.system.workers.lost import LOST, Lost
from urdf2dyn_ros.version import __version__

_LONGEST_WAIT = 60.0
"""Time for which the scheduler, a first worker, and one after all have ended are awaited [s]."""

_CHECK_PERIOD = 5.0
"""Time of waiting for a result after which it is checked that there are workers [s]."""

_ITEMS_AHEAD = 2
"""Items that are sent to each thread of the cluster."""

_Item = TypeVar('_Item')
_Result = TypeVar('_Result')


def results_of_cluster(function: Callable[[_Item], _Result], items: Sequence[_Item],
                       address: str) -> Iterator[_Result | Lost]:
    """Yield the results of items in order, computed by the workers of a scheduler."""
    try:
        import cloudpickle  # type: ignore[import-untyped]   # of Dask
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
            address, timeout=_LONGEST_WAIT, set_as_default=False)
    except (OSError, ValueError) as error:   # an address that is none, or a time-out
        raise failed(error) from None
    with client:
        pickled = cloudpickle.dumps(function)
        waiting: deque[Any] = deque()
        rest = iter(items)
        try:
            _check(client, address)
            while True:
                threads: dict[str, int] = client.nthreads()
                most = _ITEMS_AHEAD * max(sum(threads.values()), 1)
                while len(waiting) < most and (item := next(rest, None)) is not None:
                    waiting.append(client.submit(guarded, pickled, item, pure=False))
                if not waiting:
                    return
                try:
                    result = _result(client, waiting.popleft())
                except KilledWorker:   # the worker itself, several times
                    result = LOST
                yield result
        except (TimeoutError, CommClosedError, FutureCancelledError) as error:
            raise failed(error) from None


def _result(client: Any, future: Any) -> Any:
    """Return a result; a WorkersError if the cluster is without workers for long."""
    from distributed import TimeoutError as NotYet

    seen = time.monotonic()
    while True:
        try:
            return future.result(timeout=_CHECK_PERIOD)
        except NotYet:
            if future.done():   # since just now, or an error of the function
                return future.result()
        if client.nthreads():
            seen = time.monotonic()
        elif time.monotonic() - seen > _LONGEST_WAIT:
            raise WorkersError('no worker of the cluster is left, and none came back within '
                               f'{_LONGEST_WAIT:g} s: start dask worker again, with --nanny')


def _check(client: Any, address: str) -> None:
    """Wait for a worker, and check that all have this version of the package."""
    client.wait_for_workers(1, timeout=_LONGEST_WAIT)
    for worker, version in client.run(_version, on_error='return').items():
        if version != __version__:
            raise WorkersError(
                f'worker {worker} of the scheduler at {address} has no urdf2dyn_ros '
                f'{__version__} ({version}): install the same version there')


def _version() -> str:
    return __version__

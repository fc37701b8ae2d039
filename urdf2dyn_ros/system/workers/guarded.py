"""
A child process of a worker of a cluster, which works on items: the worker survives them.

Some clusters do not replace a worker that ends again and again: a LocalCluster removes one that
takes 15 s to come back. The child is used for the next item too, and replaced when it ends.
"""

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, BinaryIO

from urdf2dyn_ros.system.workers.lost import LOST

_ATTEMPTS = 2
"""Child processes that must end while they work on an item, until it is lost."""

_PROGRAM = 'from urdf2dyn_ros.system.workers.guarded import work; work({limit})'

_LEAST_SHARE = 0.5
"""Share of the memory limit of a worker that its child process may always use."""

_SIZE = struct.Struct('<Q')

_ONE_AT_A_TIME = threading.Lock()
"""Several threads of a worker wait, so that its memory is that of one item."""

_children: list[subprocess.Popen[bytes]] = []


def guarded(function: bytes, item: Any) -> Any:
    """
    Return the result of an item, or `Lost`; errors of the function are raised.

    The pickled function is read by the child process alone, and once for all items.
    """
    import cloudpickle  # type: ignore[import-untyped]   # Dask requires it

    call = cloudpickle.dumps((function, item))
    with _ONE_AT_A_TIME:
        for _ in range(_ATTEMPTS):
            response = _response(call)
            if response is not None:
                value, error = pickle.loads(response)
                if error is not None:
                    raise error
                return value
    return LOST


def _response(call: bytes) -> bytes | None:
    """Return the response of the child process to a call; None if it ends before."""
    if not _children:
        _children.append(subprocess.Popen(
            [sys.executable, '-c', _PROGRAM.format(limit=_memory_limit())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}))
    child = _children[0]
    assert child.stdin is not None and child.stdout is not None
    try:
        _write(child.stdin, call)
        response = _read(child.stdout)
    except BrokenPipeError:
        response = None
    if response is None:
        _children.clear()
        child.kill()
        child.communicate()
    return response


def _memory_limit() -> int:
    """
    Return the memory that a child process may use, 0 for any amount [byte].

    Dask's limit of a worker does not know its child: the two have to remain below it together.
    """
    from distributed import get_worker

    try:
        worker: Any = get_worker()
    except ValueError:   # this process is none
        return 0
    limit = int(worker.memory_manager.memory_limit or 0)
    return max(limit - int(worker.monitor.get_process_memory()), int(_LEAST_SHARE * limit))


def work(limit: int = 0) -> None:
    """
    Respond to the calls of the standard input, until it is closed: with it ends the process.

    It also ends where it needs more memory than the limit [byte], unless this is 0.
    """
    if limit:
        import resource  # not on Windows

        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    responses = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)   # what an item prints is no response
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(calls,), daemon=True).start()
    while True:
        call = calls.get()
        value: Any = None
        error = None
        try:
            function, item = pickle.loads(call)
            value = _function(function)(item)
        except MemoryError:
            os._exit(1)
        except Exception as raised:   # raised again by the worker
            error = raised
        _write(responses, pickle.dumps((value, error)))


@lru_cache(maxsize=1)
def _function(pickled: bytes) -> Callable[[Any], Any]:
    """Return the function of this and the next calls: it may read a robot's model."""
    return pickle.loads(pickled)   # type: ignore[no-any-return]


def _receive(calls: 'queue.SimpleQueue[bytes]') -> None:
    source = os.fdopen(0, 'rb')
    while (call := _read(source)) is not None:
        calls.put(call)
    os._exit(1)


def _write(target: BinaryIO | Any, content: bytes) -> None:
    target.write(_SIZE.pack(len(content)) + content)
    target.flush()


def _read(source: BinaryIO | Any) -> bytes | None:
    """Return the next content, or None at the end."""
    size = source.read(_SIZE.size)
    if len(size) < _SIZE.size:
        return None
    (length,) = _SIZE.unpack(size)
    content: bytes = source.read(length)
    return content if len(content) == length else None

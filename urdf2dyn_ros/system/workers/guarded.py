"""An item in a child process of a worker of a cluster, which survives whatever the item does."""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from urdf2dyn_ros.system.workers.lost import Lost

_ATTEMPTS = 2
"""Child processes that must end while they work on an item, until it is lost."""

LOST = 'every process that worked on it was killed or ran out of memory'

_PROGRAM = 'from urdf2dyn_ros.system.workers.guarded import work; work()'

_Item = TypeVar('_Item')
_Result = TypeVar('_Result')


def guarded(function: Callable[[_Item], _Result], item: _Item) -> _Result | Lost:
    """Return the result of an item, computed by a child process; errors of it are raised."""
    import cloudpickle  # type: ignore[import-untyped]   # Dask requires it

    with tempfile.TemporaryDirectory() as name:
        call, result = Path(name) / 'call', Path(name) / 'result'
        call.write_bytes(cloudpickle.dumps((function, item)))
        for _ in range(_ATTEMPTS):
            with subprocess.Popen(   # its standard input ends with this process
                    [sys.executable, '-c', _PROGRAM, str(call), str(result)],
                    stdin=subprocess.PIPE,
                    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}) as child:
                code = child.wait()
            if code == 0:
                value, error = pickle.loads(result.read_bytes())
                if error is not None:
                    raise error
                return value   # type: ignore[no-any-return]
    return Lost(LOST)


def work() -> None:
    """Compute what the file of the first argument says, into that of the second."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    call, result = map(Path, sys.argv[1:])
    value: Any = None
    error = None
    try:
        function, item = pickle.loads(call.read_bytes())
        value = function(item)
    except Exception as raised:   # raised again by the parent
        error = raised
    result.write_bytes(pickle.dumps((value, error)))


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)

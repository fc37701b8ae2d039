"""
The text of a model, generated in a child process while the caller goes on.

It takes hundredths of a second to seconds of pure Python. A thread would hold the interpreter's
lock nearly all that time; a process uses another core. Its imports take longer than most texts, so
it waits for the next text, but not for long: then its memory is released.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict, dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from urdf2dyn_ros.codegen.functions.function import FRAME_AXES, FrameAxes, LinkFrames
from urdf2dyn_ros.codegen.generator import Style
from urdf2dyn_ros.codegen.languages import LanguageName
from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export import export_model
from urdf2dyn_ros.robot.loads import Loads, with_loads
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.system import IMPORT_ROOT, start_giving_way, time_limit

_ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}
"""Otherwise numpy starts a thread for each core, which waits for work without sleeping."""

_IDLE_TIME, _LONGEST_EXPORT = 60.0, 300.0
"""Defaults of `ExportProcess` [s]; the longest texts take seconds, on a busy robot a minute."""

# Modules are imported from where the caller imports them, not from the current directory. The
# process ends without a cleanup: its memory is released anyway.
_PROGRAM = ('import os, sys; idle, sys.path[:] = float(sys.argv[1]), sys.argv[2:]; '
            'from urdf2dyn_ros.nodes.export_process import main; main(idle); os._exit(0)')


@dataclass(frozen=True)
class Export:
    """
    An export of a robot description, as by `export_model`.

    Without the parameters `loading` of `load_parameters`, <force> tags are the only loads.
    """

    text: str
    language: LanguageName
    style: Style
    name: str | None
    gravity: tuple[float, float, float]
    functions: str
    loading: dict[str, Any] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    axes: FrameAxes = FRAME_AXES[0]

    def files(self) -> dict[str, str]:
        """Return {file name: text}; raises what `read_description` and `export_model` raise."""
        model, loads = read_description(self.text), Loads()
        if self.loading:
            model, loads = with_loads(self.loading, model)
        return export_model(model, self.language, self.style, self.name, self.gravity,
                            self.functions, loads, LinkFrames(tuple(self.links), self.axes))


class ExportProcess:
    """
    Starts the process for the first text, and again after it has ended.

    It waits for the next text for the time `idle` [s] before it ends. A text takes `limit` [s] at
    most: a process that hangs would leave its caller busy for ever.
    """

    def __init__(self, idle: float = _IDLE_TIME, limit: float = _LONGEST_EXPORT) -> None:
        self._idle, self.limit = idle, limit
        self._process: subprocess.Popen[bytes] | None = None

    def files(self, export: Export) -> dict[str, str]:
        """
        Return what `Export.files` returns, from the process; not for two threads at once.

        Its errors are raised as an ExportError, and so is one of the process, or a timeout.
        """
        order = json.dumps(asdict(export)).encode() + b'\n'
        new = self._process is None
        process, self._process = self._process or self._started(), None
        response = _response(process, order, self.limit)
        if not response and not new:   # it has ended since, idle or killed
            process.communicate()
            process = self._started()
            response = _response(process, order, self.limit)
        if not response:
            raise _ended(process)
        self._process = process
        result = json.loads(response)
        if 'error' in result:
            raise ExportError(result['error'])
        files: dict[str, str] = result['files']
        return files

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with time_limit(self._process, self.limit):
                self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return start_giving_way(
                [sys.executable, '-c', _PROGRAM, str(self._idle), str(IMPORT_ROOT),
                 *map(str, sys.path)],
                {**os.environ, **_ONE_THREAD})
        except OSError as error:
            raise ExportError(f'cannot start a process to export in: {error.strerror}') from None


def _response(process: subprocess.Popen[bytes], order: bytes, limit: float) -> bytes:
    """Return the line that a process responds with, nothing if it has ended."""
    assert process.stdin is not None and process.stdout is not None   # pipes, all
    with time_limit(process, limit) as late:
        with suppress(BrokenPipeError):
            process.stdin.write(order)
            process.stdin.flush()
        response = process.stdout.readline()
    if response.endswith(b'\n'):   # else it was killed while it wrote
        return response
    if late.is_set():
        process.communicate()
        raise ExportError(f'the process that exports took longer than {limit:g} s and was ended; '
                          'the next export starts another one')
    return b''


def _ended(process: subprocess.Popen[bytes]) -> ExportError:
    """Return the error of a process that ended without a response, with its last line."""
    errors = process.communicate()[1].decode(errors='replace').strip()
    return ExportError(f'the process that exports ended with code {process.returncode}'
                       + (f': {errors.splitlines()[-1]}' if errors else ''))


def main(idle: float) -> None:
    """Read orders from standard input, a line each, and write a line with each result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)   # a Ctrl-C is for the caller
    responses = sys.stdout
    orders: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    # other output is no result, and not read before the end: a pipe would be full
    with (suppress(Empty), open(os.devnull, 'w') as nowhere, redirect_stdout(nowhere),
          redirect_stderr(nowhere)):
        while True:
            fields = json.loads(orders.get(timeout=idle))
            response: dict[str, Any]
            try:
                response = {'files': Export(**fields).files()}
            except Urdf2DynError as error:
                response = {'error': str(error)}
            print(json.dumps(response), file=responses, flush=True)


def _listen(orders: SimpleQueue[str]) -> None:
    """Receive orders until the caller has ended; end then, as no result would be read."""
    for line in sys.stdin:
        orders.put(line)
    os._exit(0)

"""
Writing a model's text in a process of its own, for a program that has something else to do.

It is hundredths of a second to seconds of pure Python. In a thread it would keep the interpreter's
lock from the other threads nearly all the time; a process takes another core. Most of a short life
would go into imports, so it stays for the next text, but not for long: its memory goes with it.
"""

from __future__ import annotations

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

from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export import export_model
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.loads.load_parameters import loaded
from urdf2dyn_ros.system.child_environment import IMPORT_ROOT
from urdf2dyn_ros.system.giving_way import start_giving_way
from urdf2dyn_ros.system.time_limit import time_limit
from urdf2dyn_ros.urdf import read_urdf

ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}
"""Else numpy's library starts one for each core, which waits for work without sleeping."""

IDLE = 60.0
LIMIT = 300.0
"""As `ExportProcess` has them [s]; the longest texts take seconds, on a busy robot a minute."""

# Modules are found where the caller finds them, and not in the current directory; memory goes with
# the process and need not be taken apart before.
_PROGRAM = ('import os, sys; idle, sys.path[:] = float(sys.argv[1]), sys.argv[2:]; '
            'from urdf2dyn_ros.nodes.export_process import main; main(idle); os._exit(0)')


@dataclass(frozen=True)
class Export:
    """
    What to export, as in `export_model`.

    Attributes
    ----------
    text : str
        The robot description.
    loading : dict
        Parameters, as `load_parameters.loading` returns them; if empty, the <force> tags of the
        URDF are the only loads.

    """

    text: str
    language: str
    style: str
    name: str | None
    gravity: tuple[float, float, float]
    functions: str
    loading: dict[str, Any] = field(default_factory=dict)

    def files(self) -> dict[str, str]:
        """Return the text, {file name: text}; raises what `read_urdf` and `export_model` raise."""
        model, loads = read_urdf(self.text), Loads()
        if self.loading:
            model, loads = loaded(self.loading, model)
        return export_model(model, self.language, self.style, self.name, self.gravity,
                            self.functions, loads)


class ExportProcess:
    """
    Starts the process when there is something to do for it, and again when it has ended.

    Parameters
    ----------
    idle : float
        How long the process waits for something to do before it ends [s].
    limit : float
        How long it may take for a text [s]: one that hangs would leave its caller busy for ever.

    """

    def __init__(self, idle: float = IDLE, limit: float = LIMIT) -> None:
        self._idle, self._limit = idle, limit
        self._process: subprocess.Popen[bytes] | None = None

    def files(self, export: Export) -> dict[str, str]:
        """
        Return what `Export.files` does, written aside; not for two threads at once.

        Raises
        ------
        ExportError
            As `export_model`, or if the process does not end in order or takes too long.

        """
        order = json.dumps(asdict(export)).encode() + b'\n'
        new = self._process is None
        process, self._process = self._process or self._started(), None
        answer = _answer(process, order, self._limit)
        if not answer and not new:   # it has ended since, with nothing to do, or was killed
            process.communicate()
            process = self._started()
            answer = _answer(process, order, self._limit)
        if not answer:
            raise _ended(process)
        self._process = process
        found = json.loads(answer)
        if 'error' in found:
            raise ExportError(found['error'])
        files: dict[str, str] = found['files']
        return files

    def close(self) -> None:
        """Have the process end."""
        if self._process is not None:
            with time_limit(self._process, self._limit):
                self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return start_giving_way(
                [sys.executable, '-c', _PROGRAM, str(self._idle), str(IMPORT_ROOT),
                 *map(str, sys.path)],
                {**os.environ, **ONE_THREAD})
        except OSError as error:
            raise ExportError(f'cannot start a process to export in: {error.strerror}') from None


def _answer(process: subprocess.Popen[bytes], order: bytes, limit: float) -> bytes:
    """Return the line with which a process answers, nothing if it has ended."""
    assert process.stdin is not None and process.stdout is not None   # pipes, all
    with time_limit(process, limit) as late:
        with suppress(BrokenPipeError):
            process.stdin.write(order)
            process.stdin.flush()
        answer = process.stdout.readline()
    if answer.endswith(b'\n'):   # else it was killed while it wrote
        return answer
    if late.is_set():
        process.communicate()
        raise ExportError(f'the process that exports took longer than {limit:g} s and was ended; '
                          'the next export starts another one')
    return b''


def _ended(process: subprocess.Popen[bytes]) -> ExportError:
    """Return the error of a process that has ended without an answer, with what it said."""
    said = process.communicate()[1].decode(errors='replace').strip()
    return ExportError(f'the process that exports ended with code {process.returncode}'
                       + (f': {said.splitlines()[-1]}' if said else ''))


def main(idle: float) -> None:
    """Do what the lines of standard input say, and answer each with a line, until idle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)   # a terminal's is the caller's to heed
    answers = sys.stdout
    orders: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    # what anything else prints is no answer, and nobody reads it before the end: a pipe would fill
    with (suppress(Empty), open(os.devnull, 'w') as nowhere, redirect_stdout(nowhere),
          redirect_stderr(nowhere)):
        while True:
            fields = json.loads(orders.get(timeout=idle))
            answer: dict[str, Any]
            try:
                answer = {'files': Export(**fields).files()}
            except Urdf2DynError as error:
                answer = {'error': str(error)}
            print(json.dumps(answer), file=answers, flush=True)


def _listen(orders: SimpleQueue[str]) -> None:
    """Take orders until the caller has ended, and end then: nobody would read the answer."""
    for line in sys.stdin:
        orders.put(line)
    os._exit(0)

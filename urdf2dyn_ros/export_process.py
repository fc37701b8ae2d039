"""
Writing a model's text in a process of its own, for a program that has something else to do.

It is tenths of a second to seconds of pure Python. In a thread it would keep the interpreter's
lock from the other threads nearly all the time; in a process it takes another core, and its memory
goes with it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export import export_model
from urdf2dyn_ros.load_parameters import loaded
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.system.giving_way import run_giving_way
from urdf2dyn_ros.urdf import read_urdf

ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}
"""Else numpy's library starts one for each core, which waits for work without sleeping."""

LOOK = 0.5
"""Time between two looks whether the caller still lives [s]."""

PACKAGE = str(Path(__file__).resolve().parents[1])

# Modules are found where the caller finds them, and not in the current directory; memory goes with
# the process and need not be taken apart before.
_PROGRAM = ('import os, sys; sys.path[:] = sys.argv[1:]; '
            'from urdf2dyn_ros.export_process import main; code = main(); sys.stdout.flush(); '
            'os._exit(code)')


@dataclass(frozen=True)
class Export:
    """
    What to export, as in `export_model`.

    Attributes
    ----------
    text : str
        The robot description.
    loading : dict
        Parameters, as `load_parameters.loading` returns them; if empty, the URDF's <force> tags
        are all that acts.

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


def files_aside(export: Export) -> dict[str, str]:
    """
    Return what `Export.files` does, from a process of its own, which ends when this one does.

    Raises
    ------
    ExportError
        As `export_model`, or if the process does not end in order.

    """
    try:
        done = run_giving_way([sys.executable, '-c', _PROGRAM, PACKAGE, *map(str, sys.path)],
                              json.dumps([os.getpid(), asdict(export)]).encode(),
                              {**os.environ, **ONE_THREAD})
    except OSError as error:
        raise ExportError(f'cannot start a process to export in: {error.strerror}') from None
    if done.returncode:
        last = done.stderr.decode(errors='replace').strip().rpartition('\n')[2]
        raise ExportError(f'the process that exports ended with code {done.returncode}'
                          + (f': {last}' if last else ''))
    found = json.loads(done.stdout.splitlines()[-1])
    if 'error' in found:
        raise ExportError(found['error'])
    files: dict[str, str] = found['files']
    return files


def main() -> int:
    """Do what standard input says, and print what came of it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    caller, fields = json.load(sys.stdin)
    threading.Thread(target=_end_with, args=(caller,), daemon=True).start()
    try:
        files = Export(**fields).files()
    except Urdf2DynError as error:
        print(json.dumps({'error': str(error)}))
    else:
        print(json.dumps({'files': files}))
    return 0


def _end_with(caller: int) -> None:
    """Wait for the caller's end, then end in order: nobody would read the answer."""
    try:
        while True:
            os.kill(caller, 0)   # no signal: asks whether there is such a process
            time.sleep(LOOK)
    except ProcessLookupError:
        os.kill(os.getpid(), signal.SIGINT)

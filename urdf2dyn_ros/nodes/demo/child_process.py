"""A node of this package as a child process: started, its output kept, stopped."""

import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.system.child_process import child_environment

_STOPS = ((signal.SIGINT, 20.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))
"""Signals to stop a child, and the time [s] for its end: on a busy machine DDS ends slowly."""

_LINES_KEPT = 500
_LINES_SHOWN = 15


class ChildError(Urdf2DynError):
    """A child process that ended too early, or with an error."""


class ChildProcess:
    """
    A Python module run by this interpreter, its output kept line by line.

    It has the environment of this process with additions, and a session of its own, so that a
    Ctrl-C in the terminal reaches only the parent, which then stops its children in order.
    """

    def __init__(self, module: str, arguments: Sequence[str] = (),
                 environment: Mapping[str, str] | None = None,
                 folder: Path | None = None) -> None:
        self.name = module.rpartition('.')[2]
        self.lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._process = self._start(module, arguments, child_environment(environment), folder)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @staticmethod
    def _start(module: str, arguments: Sequence[str], environment: Mapping[str, str],
               folder: Path | None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, '-u', '-m', module, *arguments], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            cwd=folder, text=True, errors='replace', start_new_session=True)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip('\n'))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the number of the signal that killed it."""
        return self._process.poll()

    @property
    def output(self) -> str:
        """Its last lines, standard output and errors together."""
        return '\n'.join(list(self.lines))

    @property
    def tail(self) -> str:
        """Its last few lines, indented."""
        lines = list(self.lines)[-_LINES_SHOWN:] or ['(none)']
        return '\n'.join(f'  | {line}' for line in lines)

    def send(self, number: int) -> None:
        """Send a signal, unless it has ended already."""
        if self.exit_code is None:
            self._process.send_signal(number)

    def wait(self, timeout: float) -> int | None:
        """Return the exit code, None if it still runs after `timeout` [s]."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join(1.0)
        return code


def stop_all(children: Sequence[ChildProcess]) -> None:
    """
    Stop the children, those that started last first: SIGINT, then SIGTERM, then SIGKILL.

    No two end at the same time: Fast DDS from PyPI waits forever if it deletes its participant
    while it processes the end of another one (eProsima/Fast-DDS, issue 6513).
    """
    for child in reversed(children):
        for number, patience in _STOPS:
            child.send(number)
            if child.wait(patience) is not None:
                break


def check_running(children: Sequence[ChildProcess]) -> None:
    """Raise a ChildError if a child has ended."""
    for child in children:
        if child.wait(0.0) is not None:
            raise ChildError(f'node {child.name} ended with exit code {child.exit_code}; its last '
                             f'lines:\n{child.tail}')


def check_exit_codes(children: Sequence[ChildProcess]) -> None:
    """Raise a ChildError if a child ended with an error."""
    for child in children:
        if child.exit_code != 0:
            raise ChildError(f'node {child.name} did not end cleanly (exit code '
                             f'{child.exit_code}); its last lines:\n{child.tail}')

"""A node of this package as a process of its own: started, listened to, stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence

from urdf2dyn_ros.system.child_environment import child_environment

LINES_KEPT = 500


class ChildProcess:
    """
    A Python module run by this interpreter, its output kept line by line.

    It gets a session of its own, so that a Ctrl-C in the terminal reaches only the parent, which
    then ends its children in order.

    Parameters
    ----------
    module : str
        For instance ``'urdf2dyn_ros.nodes.joint_simulator'``; nothing is looked up on PATH.
    arguments : sequence of str
    environment : mapping
        Added to the environment of this process.

    """

    def __init__(self, module: str, arguments: Sequence[str] = (),
                 environment: Mapping[str, str] | None = None) -> None:
        self.name = module.rpartition('.')[2]
        self.lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._process = subprocess.Popen(
            [sys.executable, '-u', '-m', module, *arguments],
            env=child_environment(environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors='replace', start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip('\n'))

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the signal's number where a signal killed it."""
        return self._process.poll()

    @property
    def output(self) -> str:
        """The last lines it wrote, standard output and errors together."""
        return '\n'.join(list(self.lines))

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


def stop_all(children: Sequence[ChildProcess], patience: float = 3.0) -> None:
    """End every child: SIGINT first, then SIGTERM, then SIGKILL, `patience` [s] between them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        for child in children:
            child.send(number)
        deadline = time.monotonic() + patience
        for child in children:
            child.wait(max(0.0, deadline - time.monotonic()))
        if all(child.exit_code is not None for child in children):
            return

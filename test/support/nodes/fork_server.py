"""
Modules run as by ``python -u -m``, in forks of a process that has imported what nodes import.

The imports take most of a second of a processor at each start of a node. The server has no context
of rclpy: a fork would lack its threads. LTTng starts threads when it is imported, and is called
before and after each fork.

"""

import ctypes
import gc
import json
import os
import re
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path

_IMPORTED = ('effort_comparison', 'inverse_dynamics_lifecycle', 'joint_simulator')
"""Modules of ``urdf2dyn_ros.nodes``."""

_LONGEST_ORDER = 200_000   # [byte]
_NUMBER = struct.Struct('i')


class ForkedProcess:
    """A module that runs in a fork, in a session of its own; as a `subprocess.Popen`."""

    def __init__(self, module: str, words: Sequence[str], environment: Mapping[str, str]) -> None:
        order = json.dumps([module, [*words], {**environment}, str(Path.cwd())])
        reading, writing = os.pipe()
        self._server, server = socket.socketpair()
        socket.send_fds(_server(), [order.encode()], [writing, server.fileno()])
        os.close(writing)
        server.close()
        self.stdout = os.fdopen(reading, encoding='utf-8', errors='replace')
        self.pid = self._number()
        self.returncode: int | None = None

    def _number(self) -> int:
        number: int = _NUMBER.unpack(self._server.recv(_NUMBER.size))[0]
        return number

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; a TimeoutExpired if it still runs after a time [s]."""
        if self.returncode is None:
            self._server.settimeout(timeout)
            try:
                self.returncode = self._number()
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0) from None
            self._server.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):   # it has ended; the server reports it at once
                os.kill(self.pid, number)


@cache
def _server() -> socket.socket:
    """Start the server, once for all processes of this one, with which it ends."""
    orders, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    subprocess.Popen([sys.executable, '-u', '-m', __name__, str(server.fileno())],
                     pass_fds=[server.fileno()], stdin=subprocess.DEVNULL, start_new_session=True,
                     env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    server.close()
    return orders


def _serve(orders: socket.socket) -> list[str]:
    """Fork for each order, and report the end of each fork; return the new words in a fork."""
    running: dict[int, tuple[int, int]] = {}   # by the descriptor of a process: it, its client
    while True:
        for ready in select.select([orders, *running], [], [])[0]:
            if ready is not orders:
                pid, client = running.pop(ready)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with suppress(BrokenPipeError):   # a test has failed, and forgotten it
                    os.write(client, _NUMBER.pack(code))
                os.close(client)
                os.close(ready)
                continue
            order, descriptors, _, _ = socket.recv_fds(orders, _LONGEST_ORDER, 2)
            if not order:   # pytest has ended
                for pid, _ in running.values():
                    os.kill(pid, signal.SIGKILL)
                os._exit(0)
            output, client = descriptors
            pid = os.fork()
            if pid == 0:
                orders.close()
                return _become(output, *json.loads(order))
            os.close(output)
            os.write(client, _NUMBER.pack(pid))
            running[os.pidfd_open(pid)] = pid, client


def _become(output: int, module: str, words: list[str], environment: dict[str, str],
            folder: str) -> list[str]:
    """Make this fork what a new process would be; return the module and its arguments."""
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, 1000)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return [module, *words]


def _prepare_lttng() -> None:
    """Let LTTng start its threads again in a fork: at the end of it they are cancelled."""
    path = re.search(r'/\S*/liblttng-ust[-.][^-/]+$', Path('/proc/self/maps').read_text(), re.M)
    if path is None:
        return
    library, signals = ctypes.CDLL(path[0]), ctypes.create_string_buffer(128)   # a sigset_t
    prefix = 'lttng_ust' if hasattr(library, 'lttng_ust_before_fork') else 'ust'   # since 2.13
    os.register_at_fork(**{
        when: partial(getattr(library, f'{prefix}_{name}'), signals) for when, name in (
            ('before', 'before_fork'), ('after_in_parent', 'after_fork_parent'),
            ('after_in_child', 'after_fork_child'))})


if __name__ == '__main__':
    for name in _IMPORTED:
        import_module(f'urdf2dyn_ros.nodes.{name}')
    _prepare_lttng()
    gc.freeze()   # what was imported stays as it is in memory, shared by all forks
    sys.argv = _serve(socket.socket(fileno=int(sys.argv[1])))
    sys.modules.pop(sys.argv[0], None)   # it runs as __main__; runpy warns if it was imported
    runpy._run_module_as_main(sys.argv[0])   # what ``python -m`` calls

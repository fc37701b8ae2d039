"""Child processes: their environment, a limit of time, and a priority below the robot's driver."""

import ctypes
import os
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Timer

IMPORT_ROOT = Path(__file__).resolve().parents[2]
"""The directory that contains the package."""

NICENESS = 10
"""Niceness that is added to the caller's."""

TIME_SLICE_NS = 100_000_000
"""Requested time slice [ns], the longest that Linux accepts: since 6.12 a process that wakes with
a shorter one, as all others have, preempts it at once instead of waiting for the end of its
slice."""

_SCHED_SETATTR = {'x86_64': 314, 'aarch64': 274, 'riscv64': 274}
_ATTRIBUTES = struct.Struct('=IIQiIQQQ')   # struct sched_attr of sched_setattr(2)


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of this process, with `more` and the package on the import path."""
    paths = [str(IMPORT_ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(paths), **(more or {})}


def run_giving_way(command: Sequence[str], data: bytes, environment: Mapping[str, str],
                   own_session: bool = False, limit: float | None = None,
                   ) -> subprocess.CompletedProcess[bytes]:
    """
    Run a command with `data` as its input, and return its output and its exit code.

    In a session of its own it does not receive a Ctrl-C in the terminal. If it takes longer than
    `limit` [s], it is killed, and a subprocess.TimeoutExpired raised.
    """
    with start_giving_way(command, environment, own_session) as process:
        try:
            written, said = process.communicate(data, limit)
        except subprocess.TimeoutExpired:
            process.kill()   # also one that is stopped
            raise
    return subprocess.CompletedProcess(command, process.returncode, written, said)


def start_giving_way(command: Sequence[str], environment: Mapping[str, str],
                     own_session: bool = False) -> subprocess.Popen[bytes]:
    """Start a command as `run_giving_way`, with pipes for its input and output."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment,
                               start_new_session=own_session)
    _give_way(process.pid)
    return process


def _give_way(pid: int) -> None:
    """Lower the priority of a process as far as the system allows, or not at all."""
    niceness = min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
    with suppress(OSError, AttributeError):
        # a caller with real-time priority hands it down
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)
    number = _SCHED_SETATTR.get(os.uname().machine)
    if number and struct.calcsize('P') == 8:   # 32-bit programs have other numbers
        attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_BATCH, 0, niceness, 0,
                                      TIME_SLICE_NS, 0, 0)
        ctypes.CDLL(None).syscall(number, pid, attributes, 0)


@contextmanager
def time_limit(process: subprocess.Popen[bytes], seconds: float) -> Iterator[Event]:
    """
    Kill a process for which the body still waits after a time [s], so that its pipes end.

    The event is set if the process was killed.
    """
    killed = Event()

    def kill() -> None:
        killed.set()
        process.kill()   # also one that is stopped

    timer = Timer(seconds, kill)
    timer.daemon = True   # the caller may have to end before
    timer.start()
    try:
        yield killed
    finally:
        timer.cancel()

"""A process of its own that gives way to others, to its caller and to the robot's driver."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

NICENESS = 10
"""Added to the caller's."""

SLICE = 100_000_000
"""Time for which it asks to run without a break [ns], the longest that Linux takes: since 6.12
whoever wakes and asks for less, as everybody does, interrupts it at once instead of waiting for
the end of its turn."""

_SCHED_SETATTR = {'x86_64': 314, 'aarch64': 274, 'riscv64': 274}
_ATTRIBUTES = struct.Struct('=IIQiIQQQ')   # struct sched_attr, as sched_setattr(2) has it


def run_giving_way(command: Sequence[str], data: bytes, environment: Mapping[str, str],
                   own_session: bool = False, limit: float | None = None,
                   ) -> subprocess.CompletedProcess[bytes]:
    """
    Run a command with `data` as its input, and return what it wrote and its exit code.

    In a session of its own it does not hear a Ctrl-C in the terminal.

    Raises
    ------
    OSError
        If it cannot be started.
    subprocess.TimeoutExpired
        If it took longer than `limit` [s]; it has been killed.

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
    """Start a command with pipes for all it reads and writes; else as `run_giving_way`."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment,
                               start_new_session=own_session)
    _give_way(process.pid)
    return process


def _give_way(pid: int) -> None:
    """Lower a process as far as the system allows; it works without as well."""
    niceness = min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
    with suppress(OSError, AttributeError):
        # a caller with real-time priority hands it down
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)
    number = _SCHED_SETATTR.get(os.uname().machine)
    if number and struct.calcsize('P') == 8:   # 32-bit programs have other numbers
        attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_BATCH, 0, niceness, 0, SLICE,
                                      0, 0)
        ctypes.CDLL(None).syscall(number, pid, attributes, 0)

"""The child processes of a node, and how to let them wait."""

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 230.0
"""Time [s] after which a process that has not ended is a failure."""


def ended(process: subprocess.Popen[str], code: int) -> str:
    """Wait for the end of a process, hold it to an exit code, and return its output."""
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, output
    return output


def line_with(process: subprocess.Popen[str], pattern: str) -> None:
    """Read the output of a process up to a line with a pattern."""
    assert process.stdout is not None
    lines = []
    while not lines or not re.search(pattern, lines[-1]):
        lines.append(process.stdout.readline())
        assert lines[-1], ''.join(lines)


def children(pid: int) -> list[int]:
    """Return the numbers of a process's children."""
    lists = [path.read_text() for path in Path(f'/proc/{pid}/task').glob('*/children')]
    return [int(number) for number in ' '.join(lists).split()]


def command(pid: int) -> bytes:
    """Return the command of a process, that of its parent until it runs its own; after it none."""
    try:
        return Path(f'/proc/{pid}/cmdline').read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b''


@contextmanager
def stopped_child(pid: int, wait: Callable[[Callable[[], object]], None]) -> Iterator[int]:
    """
    Stop the only child of a process as soon as it runs, for as long as the body does.

    Until it runs a program of its own, its parent stands still with it, as vfork(2) has it.

    """
    def running() -> list[int]:
        return [child for child in children(pid) if command(child) not in (b'', command(pid))]

    wait(running)
    child, = running()
    os.kill(child, signal.SIGSTOP)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGCONT)

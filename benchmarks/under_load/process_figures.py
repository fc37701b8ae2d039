"""Figures of another process, from Linux."""

import os
from pathlib import Path
from typing import NamedTuple

TICK = 1.0 / os.sysconf('SC_CLK_TCK')
PAGE = os.sysconf('SC_PAGE_SIZE') / 1e6


class Figures(NamedTuple):
    """Processor time since the start [s], resident memory [MB], threads and open files."""

    cpu: float
    memory: float
    threads: int
    files: int


def figures(process: int) -> Figures:
    """Return the figures of a process, by its number."""
    folder = Path('/proc') / str(process)
    # behind the name in parentheses, which may have spaces: from the state, the third field, on
    fields = (folder / 'stat').read_text().rpartition(')')[2].split()
    return Figures(TICK * (int(fields[11]) + int(fields[12])), PAGE * int(fields[21]),
                   int(fields[17]), len(os.listdir(folder / 'fd')))

"""
One measurement in a process of its own: text of a URDF to its first efforts, or to a script.

    python growth_point.py FILE python|c|readable [--once]

With a cold cache there is one measurement; other quick ones are repeated, unless `--once`. Time
is processor time, with the compiler's: the same on an idle and on a busy computer.

"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from urdf2dyn_ros import InverseDynamics, export_model, read_urdf

PATIENCE = 1.0
"""Longest time of repetitions [s]."""


def main() -> None:
    """Print seconds and megabytes as JSON."""
    text, what = Path(sys.argv[1]).read_bytes(), sys.argv[2]
    patience = 0.0 if '--once' in sys.argv else PATIENCE
    calls: dict[str, Callable[[], Any]] = {
        'python': lambda: first_efforts(text, 'python'),
        'c': lambda: first_efforts(text, 'c'),
        'readable': lambda: export_model(read_urdf(text)),
    }
    # the peak is reset to the memory in use, so that imports do not count
    Path('/proc/self/clear_refs').write_text('5')
    before = peak()
    times: list[float] = []
    memory = float('nan')
    while not times or (what != 'c' and sum(times) < patience and len(times) < 10):
        start = processor_time()
        calls[what]()
        times.append(processor_time() - start)
        memory = memory if len(times) > 1 else peak() - before
    print(json.dumps({'seconds': min(times), 'megabytes': memory}))


def first_efforts(text: bytes, backend: str) -> None:
    """Evaluate once, since some of the work may be done then."""
    dynamics = InverseDynamics(read_urdf(text), backend=backend)
    zeros = [0.0] * len(dynamics.joint_names)
    dynamics(zeros, zeros, zeros)


def processor_time() -> float:
    """Return that of this process and of the compilers that it has waited for [s]."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak() -> float:
    """
    Return the largest memory in use [MB].

    getrusage has the parent's, where that is larger.

    """
    status = Path('/proc/self/status').read_text()
    return int(status.split('VmHWM:')[1].split()[0]) / 1024


if __name__ == '__main__':
    main()

"""
The files and functions that one value passes through.

    .venv/bin/python benchmarks/trace_way.py [--list]

(a) One position on its way from the raw message to the effort: one message of rx90 in motion, by
the Python text, which shows its steps, and compiled. (b) A ``<mass>`` on its way from the file to
the readable script of rx90: the reader, then the export of the model. Functions that are executed
count, by their qualified names, not what an import executes. A change of file is a call whose file
is another than that of the call before it.

"""

import argparse
import gc
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType

import numpy as np

import urdf2dyn_ros
from urdf2dyn_ros import InverseDynamics, export_model, read_urdf
from urdf2dyn_ros.estimation.assembly import STREAM_PARAMETERS, stream  # the import that may move

PACKAGE = f'{Path(urdf2dyn_ros.__file__).parent}/'
URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'rx90.urdf'
PERIOD = 10_000_000   # ns
MESSAGES = 400   # before the one that is traced
Call = tuple[str, str]
"""File in the package, and qualified name of a function in it."""


def calls_of(run: Callable[[], object]) -> list[Call]:
    """Return the calls of the package's functions by `run`, in order."""
    calls = []

    def notice(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if (event == 'call' and code.co_filename.startswith(PACKAGE)
                and code.co_name != '<module>'):
            calls.append((code.co_filename[len(PACKAGE):], code.co_qualname))

    gc.collect()   # generators that are closed count as calls
    sys.setprofile(notice)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


def position_to_effort(backend: str) -> list[Call]:
    """Return the calls by one message among others, of a robot that moves in sines."""
    dynamics = InverseDynamics(URDF, backend=backend)
    now = PERIOD
    robot = stream({row.name: row.default for row in STREAM_PARAMETERS}, dynamics, lambda: now)
    names, phases = list(dynamics.joint_names), np.arange(len(dynamics.joint_names))

    def receive() -> None:
        angles = 2.0 * now * 1e-9 + phases   # rad
        output = robot.receive(now, names, (0.5 * np.sin(angles)).tolist(),
                               np.cos(angles).tolist(), [])
        assert output is not None or now < PERIOD * MESSAGES, 'there is no effort'

    for _ in range(MESSAGES):
        receive()
        now += PERIOD
    return calls_of(receive)


def show(title: str, calls: list[Call], every: bool) -> None:
    """Print the figures of some calls, and a line for each file or function."""
    files = [file for file, _ in calls]
    changes = sum(before != after for before, after in pairwise(files))
    print(f'\n{title}: {len(set(files))} files, {len(set(calls))} functions, '
          f'{changes} changes of file, {len(calls)} calls')
    functions = Counter(calls)
    for file in dict.fromkeys(files):
        names = [f'{name} {count}' for (where, name), count in functions.items() if where == file]
        print(f'  {file}: {len(names)} functions, {files.count(file)} calls')
        if every:
            print(*(f'    {name}' for name in names), sep='\n')


def main() -> None:
    """Print both ways."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('--list', action='store_true', help='every function with its calls')
    every = parser.parse_args().list
    for backend in ('python', 'c'):
        show(f'(a) from a message to the effort, backend {backend}', position_to_effort(backend),
             every)
    model = read_urdf(URDF)
    show('(b) <mass> from the file to the model', calls_of(lambda: read_urdf(URDF)), every)
    show('(b) <mass> from the model to the readable script',
         calls_of(lambda: export_model(model)), every)


if __name__ == '__main__':
    main()

"""A report written by a process of its own, which leaves the interpreter to its caller."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import TimeoutExpired

from urdf2dyn_ros.comparison.files import write_report
from urdf2dyn_ros.comparison.joint_comparison import JointComparison
from urdf2dyn_ros.errors import ComparisonError, Urdf2DynError
from urdf2dyn_ros.system.child_environment import child_environment
from urdf2dyn_ros.system.giving_way import run_giving_way

LONGEST_DRAWING = 600.0
"""How long drawing may take [s]: a process that hangs would leave its caller busy for ever."""


def write_report_apart(joints: Sequence[JointComparison], directory: Path, title: str,
                       about: Sequence[str] = ()) -> list[Path]:
    """
    Do what `write_report` does, and raise what it raises.

    Drawing takes seconds in which a thread beside it would hardly get a turn.

    Raises
    ------
    ComparisonError
        Also if the process dies or takes longer than `LONGEST_DRAWING`.

    """
    try:
        done = run_giving_way(
            [sys.executable, '-m', 'urdf2dyn_ros.comparison.apart'],
            pickle.dumps((joints, directory, title, about), pickle.HIGHEST_PROTOCOL),
            child_environment(),
            own_session=True, limit=LONGEST_DRAWING)   # a Ctrl-C in the terminal is the caller's
    except TimeoutExpired:
        raise ComparisonError(f'the process that draws the report took longer than '
                              f'{LONGEST_DRAWING:g} s and was ended') from None
    if done.returncode:
        last = done.stderr.decode(errors='replace').strip().rpartition('\n')[2]
        raise ComparisonError(f'the process that draws the report ended with exit code '
                              f'{done.returncode}: {last}')
    result: list[Path] | Exception = pickle.loads(done.stdout)
    if isinstance(result, Exception):
        raise result
    return result


def main() -> None:
    """Write the report that comes on standard input."""
    answer, sys.stdout = sys.stdout.buffer, sys.stderr   # whatever a library prints
    result: list[Path] | Exception
    try:
        result = write_report(*pickle.load(sys.stdin.buffer))
    except (Urdf2DynError, OSError) as error:
        result = error
    answer.write(pickle.dumps(result))


if __name__ == '__main__':
    main()

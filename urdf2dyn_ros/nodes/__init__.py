"""
The ROS nodes, and all of this package that imports rclpy.

A module here declares topics, services, timers and parameters, and converts messages to plain
values. The computation with these values is in the other folders, which run without ROS: that of
``external_efforts`` in ``estimation/observer.py``, that of ``effort_comparison`` in
``recordings/comparison.py``. Each node is a module here; other modules serve several nodes. This
one has the executables, which import a node as late as the command line does its commands.
"""

import os
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import FrameType

from urdf2dyn_ros.text import quote, suggestion


def _run(name: str) -> int:
    """
    Run a node; return its exit code.

    The imports take most of the first second. A signal meanwhile ends the process as it does
    later, with exit code 0 and no traceback. Without ROS there is one sentence.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)   # until the node has its own handlers
    try:
        node = import_module(f'{__name__}.{name}')
    except ModuleNotFoundError as error:
        missing = (error.name or '').partition('.')[0]
        if missing == __name__.partition('.')[0]:
            raise
        print(f"error: {name} needs ROS 2, and there is no {missing}: source ROS 2's setup.bash, "
              "or pip install 'urdf2dyn_ros[ros]'", file=sys.stderr)
        return 1
    return int(node.main())


def _end(number: int, frame: FrameType | None) -> None:
    """End the process at once: an exception would come out of an import as another one."""
    os._exit(0)


# the entry points of setup.py; a module here has the plain name of each
run_inverse_dynamics = partial(_run, 'inverse_dynamics')
run_inverse_dynamics_lifecycle = partial(_run, 'inverse_dynamics_lifecycle')
run_effort_comparison = partial(_run, 'effort_comparison')
run_joint_simulator = partial(_run, 'joint_simulator')


# ---- Arguments of launch files: numbers, and those of ros2 launch that a file does not have

def number_argument(name: str, text: str, unit: str) -> float:
    """Return the number of a launch file's argument; a ValueError that names it for no number."""
    with suppress(ValueError):
        number = float(text)
        if isfinite(number):
            return number
    raise ValueError(f'{name}:={text}: it must be a number [{unit}]')


def unknown_arguments(file: str, known: Iterable[str], command: Sequence[str]) -> list[str]:
    """
    Return a sentence for each argument that launch would ignore, as it does with unknown ones.

    The launch `file` that asks has the `known` arguments, with those of the files that it
    includes. Where another one includes it, the arguments are for that one. The command is the
    words of the process: ``ros2 launch urdf2dyn_ros dynamics.launch.py urdf:=FILE``.
    """
    names = list(known)
    # ros2 launch has launch-prefix and others of its own, with a hyphen
    return [f'{Path(file).name} has no argument {quote(argument)}, it has no effect: '
            f'{suggestion(argument, names, search=True)}'
            for argument in given_arguments(file, command)
            if argument not in names and '-' not in argument]


def given_arguments(file: str, command: Sequence[str]) -> dict[str, str]:
    """Return the arguments that a command ``ros2 launch`` has for this launch file."""
    words = iter(command)
    found = any(Path(word).name == Path(file).name for word in words)   # the rest are arguments
    return {name: value for name, is_one, value in (word.partition(':=') for word in words)
            if is_one and found}

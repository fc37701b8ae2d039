"""
The executables of the nodes, which import them as late as `main` of the command line does.

The imports take most of the first second. A signal meanwhile ends the process as it does later,
with exit code 0 and no traceback. Without ROS there is one sentence.
"""

import os
import signal
import sys
from functools import partial
from importlib import import_module
from types import FrameType


def _run(name: str) -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)   # until the node has its own handlers
    try:
        node = import_module(f'urdf2dyn_ros.nodes.{name}')
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


inverse_dynamics, inverse_dynamics_lifecycle, effort_comparison, joint_simulator = (
    partial(_run, name) for name in ('inverse_dynamics', 'inverse_dynamics_lifecycle',
                                     'effort_comparison', 'joint_simulator'))
"""Run a node; return its exit code."""

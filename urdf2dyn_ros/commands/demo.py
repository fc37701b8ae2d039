"""Simulate a robot, compute its efforts and compare both, on a DDS graph of this computer."""

import argparse
from pathlib import Path

from urdf2dyn_ros.commands.arguments import add_gravity, add_output, results
from urdf2dyn_ros.errors import Urdf2DynError


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, gravity, the duration and the directory of results."""
    parser.add_argument('robot', nargs='?', type=Path, metavar='ROBOT.urdf',
                        help='any robot, whose root is fixed to the world (default: an RX-90)')
    parser.add_argument('--duration', type=float, metavar='S', default=20.0,
                        help='duration of the motion [s] (default: 20)')
    add_gravity(parser)
    add_output(parser, 'demo_output', 'the results')


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration; return its exit code."""
    try:
        from urdf2dyn_ros.nodes.demonstration import DEMO_FILES, run_demo
    except ImportError as error:
        raise Urdf2DynError(f"the demo needs ROS 2's Python library ({error}): source a ROS 2 "
                            "installation, or pip install 'urdf2dyn_ros[demo]'") from None
    with results(arguments.output, DEMO_FILES, arguments.overwrite) as output:
        return run_demo(arguments.robot, arguments.duration, output, tuple(arguments.gravity))

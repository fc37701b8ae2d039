"""Simulate a robot, compute its efforts and compare both, on a DDS graph of this computer."""

import argparse
from pathlib import Path

from urdf2dyn_ros.errors import Urdf2DynError


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the duration and the directory of results."""
    parser.add_argument('robot', nargs='?', type=Path, metavar='ROBOT.urdf',
                        help='any robot with a fixed base (default: an RX-90)')
    parser.add_argument('--duration', type=float, default=20.0, metavar='S',
                        help='duration of the motion [s] (default: 20)')
    parser.add_argument('-o', '--output', type=Path, default=Path('demo_output'), metavar='DIR',
                        help='directory of the results (default: demo_output)')


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration; return its exit code."""
    try:
        from urdf2dyn_ros.nodes.demo.demonstration import run_demo
    except ImportError as error:
        raise Urdf2DynError(f"the demo needs ROS 2's Python library ({error}): source a ROS 2 "
                            "installation, or pip install 'urdf2dyn_ros[demo]'") from None
    return run_demo(arguments.robot, arguments.duration, arguments.output)

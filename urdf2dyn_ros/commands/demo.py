"""Simulate a robot, compute its efforts and compare both, on a DDS graph of this computer."""

import argparse
from pathlib import Path

from urdf2dyn_ros.commands.output import add_output, results
from urdf2dyn_ros.commands.robot import add_gravity
from urdf2dyn_ros.errors import Urdf2DynError

_DURATION, _IDENTIFY_DURATION = 20.0, 10.0
"""Duration of the motion, and of each of the two motions with --identify [s]."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, gravity, the duration and the directory of results."""
    parser.add_argument('robot', nargs='?', type=Path, metavar='ROBOT.urdf',
                        help='any robot, whose root is fixed to the world (default: an RX-90)')
    parser.add_argument('--identify', action='store_true', help='the simulated robot has other '
                        'inertias, friction and rotors than its URDF: it is recorded, identified, '
                        'and compared on another motion')
    parser.add_argument('--duration', type=float, metavar='S', help='duration of the motion [s] '
                        f'(default: {_DURATION:g}; with --identify, of each of the two motions, '
                        f'{_IDENTIFY_DURATION:g})')
    add_gravity(parser)
    add_output(parser, 'demo_output', 'the results')


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration; return its exit code."""
    try:
        from urdf2dyn_ros.nodes.demo.demonstration import DEMO_FILES, run_demo
        from urdf2dyn_ros.nodes.demo.identify_demonstration import (
            IDENTIFY_FILES,
            run_identify_demo,
        )
    except ImportError as error:
        raise Urdf2DynError(f"the demo needs ROS 2's Python library ({error}): source a ROS 2 "
                            "installation, or pip install 'urdf2dyn_ros[demo]'") from None
    run_it, files, duration = (
        (run_identify_demo, IDENTIFY_FILES, _IDENTIFY_DURATION) if arguments.identify
        else (run_demo, DEMO_FILES, _DURATION))
    if arguments.duration is not None:
        duration = arguments.duration
    with results(arguments.output, files, arguments.overwrite) as output:
        return run_it(arguments.robot, duration, output, tuple(arguments.gravity))

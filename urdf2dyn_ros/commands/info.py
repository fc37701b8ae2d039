"""Print what a robot consists of, and how many operations its equations need."""

import argparse
import json

from urdf2dyn_ros.commands.loads import add_loads, read_loads
from urdf2dyn_ros.commands.robot import add_model, add_robot, read_frames, read_robot
from urdf2dyn_ros.information import information, information_text


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the model, the loads and the format."""
    add_robot(parser)
    add_model(parser)
    add_loads(parser)
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Print the information."""
    robot = read_loads(arguments, read_robot(arguments.robot, arguments.strict_inertia))
    facts = information(robot.model, robot.gravity, robot.loads, arguments.model,
                        read_frames(arguments))
    print(json.dumps(facts, indent=2) if arguments.json else information_text(facts))
    return 0

"""Say what a robot consists of, and what its equations cost."""

from __future__ import annotations

import argparse
import json

from urdf2dyn_ros.commands.loads import add_loads, read_loads
from urdf2dyn_ros.commands.robot import add_robot, read_robot
from urdf2dyn_ros.information import information, information_text


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, and for whom the answer is."""
    add_robot(parser)
    add_loads(parser)
    parser.add_argument('--json', action='store_true', help='for programs')


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    model = read_robot(arguments.robot, arguments.strict_inertia)
    found = information(model, tuple(arguments.gravity), read_loads(arguments, model))
    print(json.dumps(found, indent=2) if arguments.json else information_text(found))
    return 0

"""Print what a robot consists of, and how many operations its equations need."""

import argparse
import json

from urdf2dyn_ros.commands.loads import add_loads, read_loads
from urdf2dyn_ros.commands.robot import add_model, add_robot, read_frames, read_robot
from urdf2dyn_ros.dh.rows import table_data
from urdf2dyn_ros.dh.table import dh_table
from urdf2dyn_ros.dh.text import dh_latex, dh_text
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.information import information, information_text


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the model, the loads and the format."""
    add_robot(parser)
    add_model(parser)
    add_loads(parser)
    parser.add_argument('--dh', action='store_true',
                        help='print its table of modified DH parameters (Khalil and Kleinfinger), '
                        'with inertias and friction of the description, instead')
    form = parser.add_mutually_exclusive_group()
    form.add_argument('--json', action='store_true', help='print JSON')
    form.add_argument('--latex', action='store_true', help='print LaTeX, with --dh')


def run(arguments: argparse.Namespace) -> int:
    """Print the information, or the table of DH parameters."""
    if arguments.dh:
        return _print_table(arguments)
    if arguments.latex:
        raise ParameterError('--latex prints a table of DH parameters: add --dh')
    robot = read_loads(arguments, read_robot(arguments.robot, arguments.strict_inertia))
    facts = information(robot.model, robot.gravity, robot.loads, arguments.model,
                        read_frames(arguments))
    print(json.dumps(facts, indent=2) if arguments.json else information_text(facts))
    return 0


def _print_table(arguments: argparse.Namespace) -> int:
    table = dh_table(read_robot(arguments.robot, arguments.strict_inertia))
    if arguments.json:
        print(json.dumps(table_data(table), indent=2))
    else:
        print(dh_latex(table) if arguments.latex else dh_text(table))
    return 0

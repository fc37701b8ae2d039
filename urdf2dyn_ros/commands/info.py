"""Print what a robot consists of, and how many operations its equations need."""

import argparse
import json

from urdf2dyn_ros.codegen.information import information, information_text
from urdf2dyn_ros.commands.arguments import (
    add_loads,
    add_model,
    add_robot,
    read_frames,
    read_loads,
    read_robot,
)
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.dh_table import dh_latex, dh_table, dh_text, table_data


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
    if arguments.latex and not arguments.dh:
        raise ParameterError('--latex prints a table of DH parameters: add --dh')
    model = read_robot(arguments.robot, arguments.xacro_args, arguments.strict_inertia)
    if arguments.dh:
        table = dh_table(model)
        print(json.dumps(table_data(table), indent=2) if arguments.json else
              dh_latex(table) if arguments.latex else dh_text(table))
        return 0
    robot = read_loads(arguments, model)
    facts = information(robot.model, robot.gravity, robot.loads, arguments.model,
                        read_frames(arguments))
    print(json.dumps(facts, indent=2) if arguments.json else information_text(facts))
    return 0

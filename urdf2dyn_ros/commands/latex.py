"""Print the equations of a robot of up to three joints as LaTeX."""

import argparse
from typing import get_args

from urdf2dyn_ros.codegen.latex import What, latex
from urdf2dyn_ros.commands.arguments import add_loads, add_robot, read_loads, read_robot
from urdf2dyn_ros.robot.multibody import multibody


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what of it, and its loads."""
    add_robot(parser)
    parser.add_argument('--what', choices=get_args(What), default='efforts',
                        help='efforts of a motion, the mass matrix, or efforts at rest (gravity) '
                        'and without accelerations (bias) (default: efforts)')
    parser.add_argument('--numbers', action='store_true',
                        help='the numbers of the URDF in the place of symbols')
    add_loads(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the environment aligned, to stand between $$."""
    robot = read_loads(arguments, read_robot(
        arguments.robot, arguments.xacro_args, arguments.strict_inertia))
    print(latex(multibody(robot.model), robot.gravity, robot.loads, arguments.what,
                not arguments.numbers))
    return 0

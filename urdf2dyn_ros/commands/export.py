"""Write a robot's equations to files."""

import argparse

from urdf2dyn_ros.codegen.generator import GENERAL, STYLES
from urdf2dyn_ros.codegen.languages import LANGUAGES, Target
from urdf2dyn_ros.codegen.program import DOUBLE, SINGLE
from urdf2dyn_ros.commands.arguments import (
    add_loads,
    add_model,
    add_output,
    add_robot,
    read_frames,
    read_loads,
    read_robot,
)
from urdf2dyn_ros.export import PACKAGES, export_model, write_files

_ALIASES = {'c++': 'cpp', 'c99': 'c', 'cxx': 'cpp',
            'js': 'javascript', 'octave': 'matlab', 'py': 'python', 'rs': 'rust'}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the content and the directory of the files."""
    add_robot(parser)
    parser.add_argument('--language', default='python', metavar='LANGUAGE', type=_language,
                        help=f'one of {", ".join([*LANGUAGES, *PACKAGES])} (default: python); '
                        'ros2_control: a ROS 2 package with a torque controller')
    parser.add_argument('--precision', default=DOUBLE, metavar='PRECISION',
                        help=f'{DOUBLE} or {SINGLE} (default: {DOUBLE}); {SINGLE}: single '
                        'precision throughout, in C, C++ and Rust')
    parser.add_argument('--style', default='readable', metavar='STYLE',
                        help=f'one of {", ".join(STYLES)} (default: readable)')
    parser.add_argument('--general', dest='style', action='store_const', const=GENERAL,
                        help='readable, and every number of the URDF is a parameter, also those '
                        'of 0 and 1, which are folded in otherwise')
    add_model(parser)
    add_loads(parser)
    parser.add_argument('--name', help="stem of the files' names (default: the robot's name)")
    add_output(parser, '.', 'the files', 'existing files with other contents')


def _language(name: str) -> str:
    """Return the key of a language, which may be written otherwise: C++, JS."""
    key = name.lower()
    key = _ALIASES.get(key, key)
    return key if key in LANGUAGES or key in PACKAGES else name


def run(arguments: argparse.Namespace) -> int:
    """Print the path of every file that was written."""
    robot = read_loads(arguments, read_robot(
        arguments.robot, arguments.xacro_args, arguments.strict_inertia))
    target = Target(arguments.language, arguments.precision)
    files = export_model(robot.model, target, arguments.style, arguments.name,
                         robot.gravity, arguments.model, robot.loads, read_frames(arguments))
    for path in write_files(files, arguments.output, arguments.overwrite):
        print(path)
    return 0

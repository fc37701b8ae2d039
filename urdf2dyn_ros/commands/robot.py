"""Commands that print or write what a robot description says: info, latex, export, page, demo."""

import argparse
import json
from pathlib import Path
from typing import get_args

from urdf2dyn_ros.codegen.generator import GENERAL, STYLES
from urdf2dyn_ros.codegen.information import information, information_text
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.codegen.latex import What, latex
from urdf2dyn_ros.codegen.program import DOUBLE, SINGLE
from urdf2dyn_ros.codegen.ros2_control import ContactRule
from urdf2dyn_ros.commands.arguments import (
    CARRIED,
    FRICTION,
    FUNCTION,
    ROBOT,
    LoadedRobot,
    add,
    add_loads,
    add_output,
    read_frames,
    read_loads,
    read_robot,
    results,
)
from urdf2dyn_ros.errors import ExportError, ParameterError, Urdf2DynError
from urdf2dyn_ros.export import PACKAGES, Target, default_name, export_model, write_files
from urdf2dyn_ros.page.robot_page import robot_page
from urdf2dyn_ros.robot.dh import dh_latex, dh_text, make_dh_table, table_data
from urdf2dyn_ros.robot.loads import Payload
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody

_ENDINGS = ('.html', '.htm')   # of a page


def _model(arguments: argparse.Namespace) -> RobotModel:
    return read_robot(arguments)


def _robot(arguments: argparse.Namespace) -> LoadedRobot:
    return read_loads(arguments, _model(arguments))


def add_info(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the model, the loads and the format."""
    add(parser, *ROBOT, *FUNCTION)
    add_loads(parser)
    parser.add_argument('--dh', action='store_true',
                        help='print its table of modified DH parameters (Khalil and Kleinfinger), '
                        'with inertias and friction of the description, instead')
    form = parser.add_mutually_exclusive_group()
    form.add_argument('--json', action='store_true', help='print JSON')
    form.add_argument('--latex', action='store_true', help='print LaTeX, with --dh')


def run_info(arguments: argparse.Namespace) -> int:
    """Print the information, or the table of DH parameters."""
    if arguments.latex and not arguments.dh:
        raise ParameterError('--latex prints a table of DH parameters: add --dh')
    if arguments.dh:
        table = make_dh_table(_model(arguments))
        print(json.dumps(table_data(table), indent=2) if arguments.json else
              dh_latex(table) if arguments.latex else dh_text(table))
        return 0
    robot = _robot(arguments)
    facts = information(robot.model, robot.gravity, robot.loads, arguments.model,
                        read_frames(arguments))
    print(json.dumps(facts, indent=2) if arguments.json else information_text(facts))
    return 0


def add_latex(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what of it, and its loads."""
    add(parser, *ROBOT)
    parser.add_argument('--what', choices=get_args(What), default='efforts',
                        help='efforts of a motion, the mass matrix, or efforts at rest (gravity) '
                        'and without accelerations (bias) (default: efforts)')
    parser.add_argument('--numbers', action='store_true',
                        help='the numbers of the URDF in the place of symbols')
    add_loads(parser)


def run_latex(arguments: argparse.Namespace) -> int:
    """Print the environment aligned, to stand between $$."""
    robot = _robot(arguments)
    print(latex(make_multibody(robot.model), robot.gravity, robot.loads, arguments.what,
                not arguments.numbers))
    return 0


def add_export(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the content and the directory of the files."""
    add(parser, *ROBOT)
    parser.add_argument('--language', default='python', metavar='LANGUAGE',
                        help=f'one of {", ".join([*LANGUAGES, *PACKAGES])} (default: python); '
                        'ros2_control: a ROS 2 package with a torque controller')
    parser.add_argument('--precision', default=DOUBLE, metavar='PRECISION',
                        help=f'{DOUBLE} or {SINGLE} (default: {DOUBLE}); {SINGLE}: single '
                        'precision throughout, in C, C++ and Rust')
    styles = parser.add_mutually_exclusive_group()
    styles.add_argument('--style', default='readable', metavar='STYLE',
                        help=f'one of {", ".join(STYLES)} (default: readable)')
    styles.add_argument('--general', dest='style', action='store_const', const=GENERAL,
                        help='the readable style, in which every number of the URDF is a '
                        'parameter, also 0 and 1')
    add(parser, *FUNCTION)
    add_loads(parser)
    parser.add_argument('--name', help="stem of the files' names (default: the robot's name)")
    add_output(parser, '.', 'the files', 'existing files with other contents')


def run_export(arguments: argparse.Namespace) -> int:
    """Print the path of every file that was written."""
    robot = _robot(arguments)
    files = export_model(robot.model, Target(arguments.language, arguments.precision),
                         arguments.style, arguments.name, robot.gravity, arguments.model,
                         robot.loads, read_frames(arguments),
                         robot.values['current_gains'],
                         ContactRule(robot.values['observer.gain'],
                                     robot.values['contact.thresholds']))
    for path in write_files(files, arguments.output, arguments.overwrite):
        print(path)
    return 0


def add_page(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the loads and the file."""
    add(parser, *ROBOT, *FRICTION, *CARRIED,
        link='link that carries it (default: the last one before the tree branches)')
    parser.set_defaults(base='auto', external=[])
    parser.add_argument('-o', '--output', type=Path, metavar='FILE',
                        help='.html (default: <robot>.html)')
    add(parser, '--overwrite', replaced='an existing file with other contents')


def run_page(arguments: argparse.Namespace) -> int:
    """Print the path of the page."""
    path = arguments.output
    if path is not None and path.suffix.lower() not in _ENDINGS:
        raise ExportError(f'{str(path)!r} does not end in {" or ".join(_ENDINGS)}')
    robot = _robot(arguments)
    payload = Payload(*(robot.values[f'payload.{name}'] for name in ('mass', 'com', 'inertia')))
    text = robot_page(robot.model, robot.gravity, robot.loads, payload)
    path = path or Path(f'{default_name(robot.model.name)}.html')
    for written in write_files({path.name: text}, path.parent, arguments.overwrite):
        print(written)
    return 0


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Add the robot, gravity, the duration and the directory of results."""
    parser.add_argument('robot', nargs='?', type=Path, metavar='ROBOT.urdf',
                        help='any robot, whose root is fixed to the world (default: an RX-90)')
    parser.add_argument('--duration', type=float, metavar='S', default=20.0,
                        help='duration of the motion [s] (default: 20)')
    add(parser, '--gravity')
    add_output(parser, 'demo_output', 'the results')


def run_demo(arguments: argparse.Namespace) -> int:
    """Run the demonstration; return its exit code."""
    try:
        from urdf2dyn_ros.nodes import demonstration
    except ImportError as error:
        raise Urdf2DynError(f"the demo needs ROS 2's Python library ({error}): source a ROS 2 "
                            "installation, or pip install 'urdf2dyn_ros[demo]'") from None
    from urdf2dyn_ros.recordings.report import REPORT_FILES
    with results(arguments.output, REPORT_FILES, arguments.overwrite) as output:
        return demonstration.run_demo(arguments.robot, arguments.duration, output,
                                      tuple(arguments.gravity))

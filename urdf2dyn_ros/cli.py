"""The command urdf2dyn: export, info and demo, without ROS but for the demo."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from urdf2dyn_ros.equations.generator import GRAVITY, STYLES
from urdf2dyn_ros.equations.models import CHOICES
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.export import export_model, write_files
from urdf2dyn_ros.information import information, information_text
from urdf2dyn_ros.languages import LANGUAGES
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf import read_urdf
from urdf2dyn_ros.urdf.source import load_urdf
from urdf2dyn_ros.version import __version__


def export(arguments: argparse.Namespace) -> int:
    """Write a robot's equations to files."""
    files = export_model(_model(arguments), arguments.language, arguments.style, arguments.name,
                         tuple(arguments.gravity), arguments.model)
    for path in write_files(files, arguments.output, arguments.overwrite):
        print(path)
    return 0


def info(arguments: argparse.Namespace) -> int:
    """Say what a robot consists of, and what its equations cost."""
    found = information(_model(arguments), tuple(arguments.gravity))
    print(json.dumps(found, indent=2) if arguments.json else information_text(found))
    return 0


def demo(arguments: argparse.Namespace) -> int:
    """Run simulator, inverse dynamics and comparison on a DDS graph of this computer."""
    try:
        from urdf2dyn_ros.nodes.demo import run_demo
    except ImportError as error:
        raise Urdf2DynError(f"the demo needs ROS 2's Python library ({error}): source a ROS 2 "
                            "installation, or pip install 'urdf2dyn_ros[demo]'") from None
    return run_demo(arguments.robot, arguments.duration, arguments.output)


def _model(arguments: argparse.Namespace) -> RobotModel:
    model = read_urdf(load_urdf(arguments.robot), strict_inertia=arguments.strict_inertia)
    for problem in model.warnings:
        print(f'warning: {problem}', file=sys.stderr)
    return model


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='urdf2dyn', description='Inverse dynamics of any robot from its URDF.')
    parser.add_argument('--version', action='version', version=f'urdf2dyn_ros {__version__}')
    commands = parser.add_subparsers(required=True, metavar='COMMAND')

    command = _command(commands, 'export', export)
    _robot(command)
    command.add_argument('--language', default='python', metavar='LANGUAGE',
                         help=f'one of {", ".join(LANGUAGES)} (default: python)')
    command.add_argument('--style', default='readable', metavar='STYLE',
                         help=f'one of {", ".join(STYLES)} (default: readable)')
    command.add_argument('--model', default='inverse_dynamics', metavar='MODEL',
                         help=f'one of {", ".join(CHOICES)} (default: inverse_dynamics); all: '
                         'these four, and one that returns all at once')
    command.add_argument('--name', help="stem of the files' names (default: the robot's name)")
    command.add_argument('-o', '--output', default='.', metavar='DIR',
                         help='where the files go (default: here)')
    command.add_argument('--overwrite', action='store_true',
                         help='replace files that are there with another text')

    command = _command(commands, 'info', info)
    _robot(command)
    command.add_argument('--json', action='store_true', help='for programs')

    command = _command(commands, 'demo', demo)
    command.add_argument('robot', nargs='?', type=Path, metavar='ROBOT.urdf',
                         help='any robot with a fixed base (default: an RX-90)')
    command.add_argument('--duration', type=float, default=20.0, metavar='S',
                         help='of the motion [s] (default: 20)')
    command.add_argument('-o', '--output', type=Path, default=Path('demo_output'), metavar='DIR',
                         help='where results go (default: demo_output)')
    return parser


def _command(commands: Any, name: str, function: Callable[[argparse.Namespace], int],
             ) -> argparse.ArgumentParser:
    text = (function.__doc__ or '').strip()
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    command.set_defaults(function=function)
    return command


def _robot(command: argparse.ArgumentParser) -> None:
    command.add_argument('robot', metavar='ROBOT.urdf',
                         help='URDF or xacro file; - for standard input')
    command.add_argument('--gravity', nargs=3, type=float, default=GRAVITY,
                         metavar=('X', 'Y', 'Z'),
                         help='in the root frame [m/s^2] (default: 0 0 -9.81)')
    command.add_argument('--strict-inertia', action='store_true',
                         help='refuse inertias that no body can have')


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code: 0, or 1 after an error that was printed."""
    arguments = _parser().parse_args(words)
    try:
        code: int = arguments.function(arguments)
    except Urdf2DynError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == '__main__':
    sys.exit(main())

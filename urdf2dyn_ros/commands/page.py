"""Write a page of HTML that moves a robot and shows the efforts, without a server."""

import argparse
from pathlib import Path

from urdf2dyn_ros.commands.arguments import (
    add_friction,
    add_overwrite,
    add_payload,
    add_robot,
    read_loads,
    read_robot,
)
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import default_name, write_files
from urdf2dyn_ros.page.robot_page import robot_page
from urdf2dyn_ros.robot.loads import Payload

_ENDINGS = ('.html', '.htm')


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the loads and the file."""
    add_robot(parser)
    add_friction(parser)
    add_payload(parser, 'link that carries it (default: the last one before the tree branches)')
    parser.set_defaults(base='auto', external=[])
    parser.add_argument('-o', '--output', type=Path, metavar='FILE',
                        help='.html (default: <robot>.html)')
    add_overwrite(parser, 'an existing file with other contents')


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the page."""
    path = arguments.output
    if path is not None and path.suffix.lower() not in _ENDINGS:
        raise ExportError(f'{str(path)!r} does not end in {" or ".join(_ENDINGS)}')
    robot = read_loads(arguments, read_robot(
        arguments.robot, arguments.xacro_args, arguments.strict_inertia))
    payload = Payload(*(robot.values[f'payload.{name}'] for name in ('mass', 'com', 'inertia')))
    text = robot_page(robot.model, robot.gravity, robot.loads, payload)
    path = path or Path(f'{default_name(robot.model.name)}.html')
    for written in write_files({path.name: text}, path.parent, arguments.overwrite):
        print(written)
    return 0

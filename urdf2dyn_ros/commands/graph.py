"""Draw a robot's kinematic tree: bodies, joints, links, masses."""

import argparse
import sys

from urdf2dyn_ros.commands.output import add_overwrite, check_free
from urdf2dyn_ros.commands.robot import add_file, read_robot
from urdf2dyn_ros.drawing.picture import checked_path
from urdf2dyn_ros.drawing.tree import draw_tree
from urdf2dyn_ros.export import default_name
from urdf2dyn_ros.system.extras import require


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot and the picture."""
    add_file(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='.svg or .png (default: <robot>_graph.svg)')
    add_overwrite(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the picture; report omitted bodies on standard error."""
    require('urdf2dyn graph', 'matplotlib')
    path = None if arguments.output is None else checked_path(arguments.output)
    model = read_robot(arguments.robot)
    path = path or checked_path(f'{default_name(model.name)}_graph.svg')
    check_free([path], arguments.overwrite, 'file')
    note = draw_tree(model, path)
    if note:
        print(note, file=sys.stderr)
    print(path)
    return 0

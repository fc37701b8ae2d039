"""The arguments of commands for a robot description, its model, and a function about it."""

import argparse
from typing import TYPE_CHECKING, Any

from urdf2dyn_ros.commands.output import print_remarks
from urdf2dyn_ros.errors import ParameterError, UrdfError
from urdf2dyn_ros.functions import CHOICES
from urdf2dyn_ros.functions.dynamics import Dynamics
from urdf2dyn_ros.functions.links.link_frames import FRAME_AXES, LinkFrames
from urdf2dyn_ros.parameters.gravity import GRAVITY
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf import read_description
from urdf2dyn_ros.urdf.sources import load_urdf

if TYPE_CHECKING:   # most commands do not need it, and start sooner
    from urdf2dyn_ros.inverse_dynamics import InverseDynamics


def add_file(parser: argparse.ArgumentParser, name: str = 'robot', **settings: Any) -> None:
    """Add the file of the robot, as a positional argument or the option of this name."""
    parser.add_argument(name, metavar='ROBOT.urdf', **settings,
                        help='URDF or xacro file; - for standard input')


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Add the file of the robot as a positional argument, and the options."""
    add_file(parser)
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add gravity and the check of inertias."""
    add_gravity(parser)
    parser.add_argument('--strict-inertia', action='store_true',
                        help='reject inertias that are physically impossible')


def add_gravity(parser: argparse.ArgumentParser) -> None:
    """Add gravity."""
    parser.add_argument('--gravity', nargs=3, type=float, default=GRAVITY,
                        metavar=('X', 'Y', 'Z'),
                        help='gravity in the root frame [m/s^2] (default: 0 0 -9.81)')


def add_base(parser: argparse.ArgumentParser, rests: str) -> None:
    """Add whether a floating root `rests`."""
    parser.add_argument('--base', choices=('auto', 'fixed'), default='auto',
                        help=f'fixed: a floating root {rests} (default: auto, as in the URDF)')


def check_fixed(dynamics: 'InverseDynamics', reason: str) -> None:
    """Raise a ParameterError with the reason if the root floats."""
    if 'base_motion' in dynamics.inputs:
        raise ParameterError(f'the root of robot {dynamics.model.name!r} floats, {reason}; if it '
                             'is at rest, add --base fixed')


def read_robot(robot: str, strict_inertia: bool = False) -> RobotModel:
    """Return the model of a description; print its warnings on standard error."""
    return read_model(load_urdf(robot), strict_inertia, robot)


def read_model(text: str | bytes, strict_inertia: bool, name: str) -> RobotModel:
    """Return the model of a text, of a file of a name; print its warnings on standard error."""
    try:
        model = read_description(text, strict_inertia=strict_inertia)
    except UrdfError as error:
        raise UrdfError(error.problems, name.strip('-')) from None
    print_remarks(model.warnings)
    return model


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the function, with its links and axes."""
    parser.add_argument('--model', default='inverse_dynamics', metavar='MODEL',
                        help=f'one of {", ".join(CHOICES)} (default: inverse_dynamics); terms: '
                        f'what the efforts are the sum of; all: {", ".join(Dynamics.COMBINED)}, '
                        'and one that returns these at once')
    parser.add_argument('--link', nargs='+', action='extend', default=[], metavar='LINK',
                        help='links of a model about links (default: the only tip)')
    parser.add_argument('--axes', default=FRAME_AXES[0], metavar='AXES',
                        help=f'axes of the vectors at these links, one of {", ".join(FRAME_AXES)} '
                        '(default: root)')


def read_frames(arguments: argparse.Namespace) -> LinkFrames:
    """Return the links and the axes."""
    return LinkFrames(tuple(arguments.link), arguments.axes)

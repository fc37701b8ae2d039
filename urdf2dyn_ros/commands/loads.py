"""The arguments of the commands that take what acts beside the links, and the Loads they give."""

from __future__ import annotations

import argparse
import sys

from urdf2dyn_ros.loads import BASES, Loads
from urdf2dyn_ros.loads.urdf_friction import urdf_friction
from urdf2dyn_ros.robot_model import RobotModel


def add_loads(parser: argparse.ArgumentParser) -> None:
    """Add what the equations take beside q, qd and qdd, and the friction of the joints."""
    parser.add_argument('--base', default='auto', metavar='BASE',
                        help=f'one of {", ".join(BASES)} (default: auto): of a moving root the '
                        'motion is an input, and the wrench that the world must apply a result; '
                        'auto: moving if the root has a floating joint')
    parser.add_argument('--external', nargs='+', action='extend', default=[], metavar='LINK',
                        help='links on which the environment acts with a wrench that is an input')
    parser.add_argument('--payload-link', default='', metavar='LINK',
                        help='link that carries a payload, whose inertia is an input')
    parser.add_argument('--friction', action='store_true',
                        help='have the damping and friction of the tags <dynamics> as viscous '
                        'and Coulomb friction')


def read_loads(arguments: argparse.Namespace, model: RobotModel) -> Loads:
    """Return what acts; that there is no friction to have goes to standard error."""
    terms = urdf_friction(model) if arguments.friction else {}
    if arguments.friction and not terms:
        print('warning: no movable joint has a tag <dynamics> with damping or friction',
              file=sys.stderr)
    return Loads(arguments.base, terms, tuple(arguments.external), arguments.payload_link)

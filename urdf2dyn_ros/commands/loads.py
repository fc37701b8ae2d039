"""The arguments of commands for loads: options, and a file of the node's parameters."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.commands.output import print_remarks
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.loads import BASES, Friction, Loads
from urdf2dyn_ros.loads.load_parameters import (
    JOINT_PARAMETERS,
    LOAD_PARAMETERS,
    WRENCH_TOPICS,
    check_names,
    unheeded,
    with_loads,
)
from urdf2dyn_ros.loads.payload import PAYLOAD, payload_fault
from urdf2dyn_ros.moving_base import BASE_PARAMETER
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.parameters.gravity import GRAVITY, GRAVITY_PARAMETER
from urdf2dyn_ros.parameters.parameter_file import read_parameter_file
from urdf2dyn_ros.quoting import first_names, listed, printable
from urdf2dyn_ros.robot_model import Inertia, Joint, Link, RobotModel

_NODE = 'inverse_dynamics'
_ROWS = {row.name: row for row in (GRAVITY_PARAMETER, BASE_PARAMETER, *LOAD_PARAMETERS, *PAYLOAD)}
_FAMILIES = (JOINT_PARAMETERS, WRENCH_TOPICS)
_GROUPS = {name.partition('.')[0] for name in _ROWS}
_KNOWN_GROUPS = sorted(_GROUPS | {family.form.partition('.')[0] for family in _FAMILIES})
_ALIKE = 0.8
"""Likeness of a name to the first word of a parameter from which on it is a misspelt one."""


class LoadedRobot(NamedTuple):
    """A robot with the forces that count, gravity [m/s^2] and loads; the node's parameters."""

    model: RobotModel
    gravity: Triple
    loads: Loads
    values: Mapping[str, Any]


def add_parameters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--parameters', metavar='FILE',
                        help='file of parameters of the node inverse_dynamics, of which gravity '
                        'and the loads count: friction.*, rotor.*, spring.*, forces.*, payload.*, '
                        'joints.*; other options take the place of what it says')


def add_loads(parser: argparse.ArgumentParser) -> None:
    """Add base, external wrenches, payload, friction and the file of parameters."""
    parser.add_argument('--base', default='auto', metavar='BASE',
                        help=f'one of {", ".join(BASES)} (default: auto); moving: the motion of '
                        'the root is an input and its wrench a result; auto: moving if the root '
                        'has a floating joint')
    parser.add_argument('--external', nargs='+', action='extend', default=[], metavar='LINK',
                        help='links with an external wrench as an input')
    parser.add_argument('--payload-link', default='', metavar='LINK',
                        help='link of a payload, whose inertial parameters are an input')
    add_friction(parser)


def add_friction(parser: argparse.ArgumentParser) -> None:
    """Add friction and the file of parameters."""
    parser.add_argument('--friction', action='store_true',
                        help='include damping and friction of the tags <dynamics> as viscous and '
                        'Coulomb friction')
    add_parameters(parser)


def read_loads(arguments: argparse.Namespace, model: RobotModel) -> LoadedRobot:
    """Return the declared loads; warn on standard error of what has no effect."""
    robot = _read(arguments, model, arguments.friction)
    if arguments.friction and not arguments.parameters and not any(
            isinstance(term, Friction) for each in robot.loads.terms.values() for term in each):
        print_remarks(['no movable joint has a tag <dynamics> with damping or friction'])
    loads = replace(
        robot.loads, external=tuple(arguments.external) or robot.loads.external,
        payload=arguments.payload_link or robot.loads.payload)
    return robot._replace(loads=loads)


def read_recorded_loads(arguments: argparse.Namespace, model: RobotModel) -> LoadedRobot:
    """
    Return the loads with which a recording of joint states is evaluated.

    The payload is a part of the model. Wrenches, which joint states do not have, raise a
    ParameterError.
    """
    robot = _read(arguments, model, False)
    if robot.loads.external:
        raise ParameterError(f'{arguments.parameters}: external_wrenches of '
                             f'{first_names(robot.loads.external, 5)} are not in joint states: '
                             'remove them from the file')
    robot.loads.check(multibody(robot.model))   # the link of the payload as well
    return robot._replace(model=_with_payload(robot.model, robot.values),
                          loads=replace(robot.loads, payload=''))


def _read(arguments: argparse.Namespace, model: RobotModel, friction: bool) -> LoadedRobot:
    from_file = _read_file(arguments.parameters) if arguments.parameters else {}
    check_names(from_file, model)
    values = {**{name: row.default for name, row in _ROWS.items()}, **from_file}
    if friction:
        values['friction.enabled'] = True
    if from_file:
        print_remarks(filter(None, (*unheeded(values, model), payload_fault(values))))
    chosen, loads = with_loads(values, model)
    if arguments.base != 'auto':
        loads = replace(loads, base=arguments.base)
    # the default itself, where the option is not used
    gravity = values['gravity'] if arguments.gravity is GRAVITY else tuple(arguments.gravity)
    return LoadedRobot(chosen, gravity, loads, values)


def _read_file(path: str) -> dict[str, Any]:
    """Return the values of a file that count, checked; warn of the others."""
    values, others = {}, []
    for name, value in read_parameter_file(path, _NODE).items():
        family = next((each for each in _FAMILIES if each.has(name)), None)
        if family is None and name not in _ROWS and name.partition('.')[0] not in _GROUPS:
            others.append(name)
            continue
        try:
            if family is None and name not in _ROWS:
                raise ParameterError(f'there is no parameter {name}; there are: '
                                     f'{", ".join(_ROWS)}')
            row = _ROWS[name] if family is None else family.row(name)
            values[name] = row.check(value)
        except ParameterError as error:
            raise ParameterError(f'{printable(path)}: {error}') from None
    misspelt = {name: close for name in others if (close := get_close_matches(
        name.partition('.')[0], _KNOWN_GROUPS, n=1, cutoff=_ALIKE))}
    unused = [name for name in others if name not in misspelt]
    print_remarks([f'{printable(path)}: there is no parameter {printable(name)}; did you mean '
                   f'{listed(close)}?' for name, close in misspelt.items()])
    if unused:
        print_remarks([f'{printable(path)}: this command does not use '
                       f'{printable(first_names(unused, 5))}'])
    return values


def _with_payload(model: RobotModel, values: Mapping[str, Any]) -> RobotModel:
    """Return the robot with a link for its payload, if it carries one."""
    mass, carrier = values['payload.mass'], values['payload.link']
    if not (carrier and mass and values['payload.attached']):
        return model
    name, names = 'payload', {link.name for link in model.links}
    names |= {joint.name for joint in model.joints}
    while name in names:
        name += '_'
    body = Inertia(mass, values['payload.com'], (0.0, 0.0, 0.0), values['payload.inertia'])
    return replace(model, links=(*model.links, Link(name, body)),
                   joints=(*model.joints, Joint(name, 'fixed', carrier, name)))

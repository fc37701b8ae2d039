"""Rules on single joints: type, axis, limits, friction."""

from __future__ import annotations

import math
from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.joints import DECOMPOSED
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.robot_model import Joint
from urdf2dyn_ros.urdf.description import (
    Description,
    Element,
    end_of,
    name_of,
    number,
    numbers,
    type_of,
)
from urdf2dyn_ros.urdf.findings import refuse, together, warn
from urdf2dyn_ros.urdf.schema import AXIAL_TYPES, JOINT_TYPES, MOVING_TYPES, MULTI_DOF_TYPES

_SHORTEST_AXIS = 1e-8
_UNIT_TOLERANCE = 1e-3


def joint_types(robot: Description) -> Iterator[Problem]:
    """The type is one of URDF's."""
    for joint in robot.joints:
        kind = joint.get('type')
        if kind is not None and kind not in JOINT_TYPES:
            message = f'{quote(kind)} is no type of joint; the types are {", ".join(JOINT_TYPES)}'
            yield refuse('joint-type', joint, message, 'type')


def axes(robot: Description) -> Iterator[Problem]:
    """An axis that has a meaning has a direction, and is a unit vector."""
    for joint in robot.joints:
        axis = joint.find('axis')
        xyz = numbers(axis, 'xyz')
        if axis is None or xyz is None or type_of(joint) not in AXIAL_TYPES:
            continue
        norm = math.hypot(*xyz)
        if norm < _SHORTEST_AXIS:
            message = 'a zero vector has no direction; write one of length 1, like "0 0 1"'
            yield refuse('axis-zero', axis, message, 'xyz')
        elif abs(norm - 1.0) > _UNIT_TOLERANCE:
            message = f'length {norm:.6g} instead of 1; only its direction is used'
            yield warn('axis-not-unit', axis, message, 'xyz')


def missing_limits(robot: Description) -> Iterator[Problem]:
    """Where URDF demands limits they are given, although the dynamics needs none."""
    message = 'URDF demands <limit lower="..." upper="..."> here; efforts do not depend on it'
    return together(
        warn('limit-missing', joint, message)
        for joint in robot.joints
        if type_of(joint) in ('revolute', 'prismatic') and not _is_bounded(joint.find('limit'))
    )


def _is_bounded(limit: Element | None) -> bool:
    return limit is not None and ('lower' in limit.attrib or 'upper' in limit.attrib)


def inverted_limits(robot: Description) -> Iterator[Problem]:
    """A range is not empty."""
    for limit in robot.robot.iterfind('joint/limit'):
        lower, upper = number(limit, 'lower'), number(limit, 'upper')
        if lower is not None and upper is not None and lower > upper:
            message = f'lower {lower:g} is above upper {upper:g}; exchange them'
            yield warn('limit-inverted', limit, message)


def negative_limits(robot: Description) -> Iterator[Problem]:
    """Limits on magnitudes are not negative."""
    for limit in robot.robot.iterfind('joint/limit'):
        for attribute in ('effort', 'velocity'):
            if (number(limit, attribute) or 0.0) < 0.0:
                message = 'a limit on a magnitude must not be negative; drop the sign'
                yield warn('limit-negative', limit, message, attribute)


def zero_efforts(robot: Description) -> Iterator[Problem]:
    """A limit of zero is mostly a forgotten one; efforts are computed, never cut off by it."""
    message = 'the computed effort is not limited by it, but other programs will not push'
    limits = ((joint, joint.find('limit')) for joint in robot.joints)
    return together(
        warn('effort-zero', limit, f'{message}; write what the joint can do', 'effort')
        for joint, limit in limits
        if limit is not None
        and type_of(joint) in MOVING_TYPES
        and number(limit, 'effort') == 0.0
    )


def friction(robot: Description) -> Iterator[Problem]:
    """Damping and friction do not drive a joint."""
    for joint in robot.joints:
        dynamics = joint.find('dynamics')
        for attribute in ('damping', 'friction'):
            if dynamics is not None and (number(dynamics, attribute) or 0.0) < 0.0:
                message = f'negative {attribute} drives the joint; drop the sign'
                yield warn('dynamics-negative', dynamics, message, attribute)


def coordinate_names(robot: Description) -> Iterator[Problem]:
    """No joint has the name of another's coordinate: positions and efforts go by these names."""
    for joint in robot.joints:
        name, kind = name_of(joint), type_of(joint)
        if kind not in MULTI_DOF_TYPES:
            continue
        for part in DECOMPOSED[kind](Joint(name, kind, '', '')):
            other = robot.joint_of.get(part.name)
            if other is not None:
                message = f'joint {quote(name)}, {kind}, has a coordinate of this name; rename'
                yield refuse('name-taken', other, message)


def floating_root(robot: Description) -> Iterator[Problem]:
    """A floating joint on the root says that the robot is free."""
    children = {end_of(joint, 'child') for joint in robot.joints}
    for joint in robot.joints:
        if type_of(joint) == 'floating' and end_of(joint, 'parent') not in children:
            message = ('the root floats: its motion is an input of the equations; without it the '
                       'root is taken as fixed to the world where the joint puts it')
            yield warn('floating-root', joint, message, 'type')


RULES = (
    joint_types,
    axes,
    missing_limits,
    inverted_limits,
    negative_limits,
    zero_efforts,
    friction,
    coordinate_names,
    floating_root,
)

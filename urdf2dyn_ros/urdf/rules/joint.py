"""Rules on single joints: type, axis, limits, friction."""

import math
from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.joints import DECOMPOSED
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.robot_model import Joint
from urdf2dyn_ros.urdf.description import Description, end_of, name_of, number, numbers, type_of
from urdf2dyn_ros.urdf.findings import merged, reject, warn
from urdf2dyn_ros.urdf.schema import AXIAL_TYPES, JOINT_TYPES, MOVING_TYPES, MULTI_DOF_TYPES

_SHORTEST_AXIS = 1e-8
_UNIT_TOLERANCE = 1e-3


def joint_types(robot: Description) -> Iterator[Problem]:
    """The type is one of URDF's."""
    for joint in robot.joints:
        kind = joint.get('type')
        if kind is not None and kind not in JOINT_TYPES:
            yield reject('joint-type', joint, f'{quote(kind)} is no type of joint; the types are '
                         f'{", ".join(JOINT_TYPES)}', 'type')


def axes(robot: Description) -> Iterator[Problem]:
    """An axis that is used has a direction, and is a unit vector."""
    for joint in robot.joints:
        axis = joint.find('axis')
        xyz = numbers(axis, 'xyz')
        if axis is None or xyz is None or type_of(joint) not in AXIAL_TYPES:
            continue
        norm = math.hypot(*xyz)
        if norm < _SHORTEST_AXIS:
            yield reject('axis-zero', axis, 'a zero vector has no direction; write one of length '
                         '1, like "0 0 1"', 'xyz')
        elif abs(norm - 1.0) > _UNIT_TOLERANCE:
            unit = ' '.join(f'{entry / norm + 0.0:.12g}' for entry in xyz)
            yield warn('axis-not-unit', axis, f'length {norm:.6g} instead of 1; only its '
                       f'direction is used, write "{unit}"', 'xyz')


def missing_limits(robot: Description) -> Iterator[Problem]:
    """Joints for which URDF requires limits have them, although efforts do not need them."""
    return merged(
        warn('limit-missing', joint, 'URDF requires <limit lower="..." upper="..."> here; efforts '
             'do not depend on it')
        for joint in robot.joints if type_of(joint) in ('revolute', 'prismatic')
        and not joint.xpath('limit[1][@lower or @upper]'))


def inverted_limits(robot: Description) -> Iterator[Problem]:
    """A range is not empty."""
    for limit in robot.robot.iterfind('joint/limit'):
        lower, upper = number(limit, 'lower'), number(limit, 'upper')
        if lower is not None and upper is not None and lower > upper:
            yield warn('limit-inverted', limit, f'lower {lower:g} is above upper {upper:g}; '
                       'exchange them')


def single_positions(robot: Description) -> Iterator[Problem]:
    """A range is more than a position; mostly the limits were forgotten."""
    limits = (limit for joint in robot.joints for limit in joint.findall('limit')[:1]
              if type_of(joint) in ('revolute', 'prismatic'))
    return merged(
        warn('limit-single', limit, 'lower equals upper: the joint cannot move; write its range, '
             'or type="fixed"', 'lower')
        for limit in limits
        if (lower := number(limit, 'lower')) is not None and lower == number(limit, 'upper'))


def negative_magnitudes(robot: Description) -> Iterator[Problem]:
    """Limits of magnitudes are not negative; damping and friction do not drive a joint."""
    for tag, attribute, reason in (
            *(('limit', name, 'the limit of a magnitude must not be negative')
              for name in ('effort', 'velocity')),
            *(('dynamics', name, f'negative {name} drives the joint')
              for name in ('damping', 'friction'))):
        for element in robot.robot.iterfind(f'joint/{tag}'):
            if (number(element, attribute) or 0.0) < 0.0:
                yield warn(f'{tag}-negative', element, f'{reason}; drop the sign', attribute)


def zero_efforts(robot: Description) -> Iterator[Problem]:
    """An effort limit is not zero; mostly it was forgotten, and efforts are not clipped to it."""
    limits = ((joint, joint.find('limit')) for joint in robot.joints)
    return merged(
        warn('effort-zero', limit, 'other programs apply no effort with this limit, computed '
             'efforts do not depend on it; write what the joint can do', 'effort')
        for joint, limit in limits if limit is not None and type_of(joint) in MOVING_TYPES
        and number(limit, 'effort') == 0.0)


def coordinate_names(robot: Description) -> Iterator[Problem]:
    """No joint has the name of another's coordinate, by which positions are identified."""
    for joint in robot.joints:
        name, kind = name_of(joint), type_of(joint)
        if kind not in MULTI_DOF_TYPES:
            continue
        for part in DECOMPOSED[kind](Joint(name, kind, '', '')):
            other = robot.joint_of.get(part.name)
            if other is not None:
                yield reject('name-taken', other, f'joint {quote(name)}, {kind}, has a coordinate '
                             'of this name; rename one')


def floating_root(robot: Description) -> Iterator[Problem]:
    """A floating joint at the root makes the base a moving one."""
    children = {end_of(joint, 'child') for joint in robot.joints}
    for joint in robot.joints:
        if type_of(joint) == 'floating' and end_of(joint, 'parent') not in children:
            yield warn('floating-root', joint, 'the root floats: its motion is an input of the '
                       'equations; with a fixed base it stays where the joint places it', 'type')


RULES = (joint_types, axes, missing_limits, inverted_limits, single_positions, negative_magnitudes,
         zero_efforts, coordinate_names, floating_root)

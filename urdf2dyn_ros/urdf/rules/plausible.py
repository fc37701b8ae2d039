"""Rules on the whole robot: efforts that are always zero, and numbers in the wrong unit."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator

from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed, quote
from urdf2dyn_ros.urdf.description import (
    Description,
    Element,
    end_of,
    name_of,
    number,
    numbers,
    type_of,
)
from urdf2dyn_ros.urdf.findings import reject, warn
from urdf2dyn_ros.urdf.schema import MOVING_TYPES, NUMBER_ATTRIBUTES, TENSOR_ATTRIBUTES

_LARGEST_DISTANCE = 100.0
_LARGEST_MASS = 1e4
_LARGEST_MASS_RATIO = 1e6
_MULTIPLIED_TAGS = ('origin', 'mass', 'inertia', 'mimic', 'force')


def massless_branches(robot: Description) -> Iterator[Problem]:
    """Every moving joint moves some mass; otherwise its effort is always zero."""
    order, joints_of = _outwards(robot)
    massive = {name: _has_inertia(link) for name, link in robot.link_of.items()}
    for joint in reversed(order):
        parent, child = end_of(joint, 'parent'), end_of(joint, 'child')
        massive[parent] = massive[parent] or massive[child]
    drivers = _drivers(robot, (joint for joint in order if massive[end_of(joint, 'child')]))
    reported: set[str] = set()
    for joint in order:
        parent, child = end_of(joint, 'parent'), end_of(joint, 'child')
        if parent in reported:
            reported.add(child)
        elif type_of(joint) in MOVING_TYPES and not massive[child]:
            reported.add(child)
            moving = _moving_from(joint, joints_of)
            if not drivers.intersection(moving):
                yield warn('massless-branch', joint, 'no link beyond it has mass or inertia: the '
                           f'effort of {listed(moving)} is zero in every motion; give link '
                           f'{quote(child)} an <inertial>')


def _outwards(robot: Description) -> tuple[list[Element], dict[str, list[Element]]]:
    """Return joints in an order from parents to children, and those that leave each link."""
    joints_of: dict[str, list[Element]] = defaultdict(list)
    children = set()
    for joint in robot.joints:
        if end_of(joint, 'child') in robot.link_of:
            joints_of[end_of(joint, 'parent')].append(joint)
            children.add(end_of(joint, 'child'))
    links = [name for name in robot.link_of if name not in children]
    seen = set(links)
    order = []
    for link in links:  # the list grows in the loop
        for joint in joints_of[link]:
            child = end_of(joint, 'child')
            if child not in seen:
                seen.add(child)
                links.append(child)
                order.append(joint)
    return order, joints_of


def _drivers(robot: Description, followers: Iterable[Element]) -> set[str]:
    """Return the names of the joints that `followers` mimic, directly or through others."""
    drivers: set[str] = set()
    for follower in followers:
        joint: Element | None = follower
        while joint is not None:
            mimic = joint.find('mimic')
            name = '' if mimic is None else mimic.get('joint', '')
            joint = None if name in drivers else robot.joint_of.get(name)
            drivers.add(name)
    return drivers


def _moving_from(first: Element, joints_of: dict[str, list[Element]]) -> list[str]:
    """Return the names of a joint and of the moving joints beyond it."""
    joints, seen = [first], {end_of(first, 'child')}
    for joint in joints:  # the list grows in the loop
        for other in joints_of[end_of(joint, 'child')]:
            if end_of(other, 'child') not in seen:
                seen.add(end_of(other, 'child'))
                joints.append(other)
    return [name_of(joint) for joint in joints if type_of(joint) in MOVING_TYPES]


def _has_inertia(link: Element) -> bool:
    """Return whether a link has inertia, also where another rule reports its numbers."""
    inertia = link.find('inertial/inertia')
    values = [number(link.find('inertial/mass'), 'value')]
    values += [number(inertia, name) for name in TENSOR_ATTRIBUTES]
    return link.find('inertial') is not None and any(value != 0.0 for value in values)


def mass_units(robot: Description) -> Iterator[Problem]:
    """Masses are in kilograms, as far as their size shows."""
    masses: dict[str, tuple[float, Element]] = {}
    children = {end_of(joint, 'child') for joint in robot.joints}
    for link in robot.links:
        mass = link.find('inertial/mass')
        value = number(mass, 'value')
        if mass is None or value is None or value <= 0.0:
            continue
        # A root that is a frame alone often has a tiny mass by convention.
        if name_of(link) in children:
            masses[name_of(link)] = value, mass
        if value > _LARGEST_MASS:
            yield warn('units-mass', mass, f'more than {_LARGEST_MASS:g} kg; is it in grams? URDF '
                       'has kilograms', 'value')
    if masses:
        light, heavy = (extreme(masses, key=lambda name: masses[name][0])
                        for extreme in (min, max))
        (least, element), (most, _) = masses[light], masses[heavy]
        if most > _LARGEST_MASS_RATIO * least:
            yield warn('units-mass-ratio', element, f'{quote(light)} has {least:g} kg and '
                       f'{quote(heavy)} {most:g} kg, more than {_LARGEST_MASS_RATIO:g} times as '
                       'much; are both in kilograms?', 'value')


def origin_units(robot: Description) -> Iterator[Problem]:
    """Origins are in metres and radians, as far as their size shows."""
    for element in robot.elements:
        if element.tag not in ('origin', 'force'):
            continue
        xyz, rpy = numbers(element, 'xyz'), numbers(element, 'rpy')
        if xyz is not None and math.hypot(*xyz) > _LARGEST_DISTANCE:
            yield warn('units-length', element, f'more than {_LARGEST_DISTANCE:g} m away; is it '
                       'in millimetres? URDF has metres', 'xyz')
        if rpy is not None and max(map(abs, rpy)) > 2.01 * math.pi:
            yield warn('units-angle', element, 'more than a full turn; is it in degrees? URDF has '
                       'radians', 'rpy')


def magnitudes(robot: Description) -> Iterator[Problem]:
    """Numbers are not so large that their products overflow."""
    for element in robot.elements:
        if element.tag not in _MULTIPLIED_TAGS:
            continue
        for attribute in NUMBER_ATTRIBUTES[str(element.tag)]:
            values = numbers(element, attribute)
            if values is not None and max(map(abs, values)) > LARGEST_MAGNITUDE:
                yield reject('number-too-large', element, f'more than {LARGEST_MAGNITUDE:g} in SI '
                             'units, which no robot has; correct it', attribute)


RULES = (magnitudes, massless_branches, mass_units, origin_units)

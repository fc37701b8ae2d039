"""Rules on the whole robot: efforts that are always zero, and numbers in the wrong unit."""

from __future__ import annotations

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
from urdf2dyn_ros.urdf.findings import refuse, warn
from urdf2dyn_ros.urdf.schema import MOVING_TYPES, NUMBERS, TENSOR

_LONGEST = 100.0
_HEAVIEST = 1e4
_WIDEST_RATIO = 1e6
_MULTIPLIED = ('origin', 'mass', 'inertia', 'mimic', 'force')
_PLACED = ('origin', 'force')


def massless_branches(robot: Description) -> Iterator[Problem]:
    """Something has mass on the far side of a moving joint, else its effort is always zero."""
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
                message = (
                    f'nothing it carries has mass or inertia: the effort of {listed(moving)} is '
                    f'zero in every motion; give link {quote(child)} an <inertial>'
                )
                yield warn('massless-branch', joint, message)


def _outwards(robot: Description) -> tuple[list[Element], dict[str, list[Element]]]:
    """Joints in an order from parents to children, and those that leave each link."""
    joints_of: dict[str, list[Element]] = defaultdict(list)
    children = set()
    for joint in robot.joints:
        if end_of(joint, 'child') in robot.link_of:
            joints_of[end_of(joint, 'parent')].append(joint)
            children.add(end_of(joint, 'child'))
    links = [name for name in robot.link_of if name not in children]
    seen = set(links)
    order = []
    for link in links:  # grows while it is walked
        for joint in joints_of[link]:
            child = end_of(joint, 'child')
            if child not in seen:
                seen.add(child)
                links.append(child)
                order.append(joint)
    return order, joints_of


def _drivers(robot: Description, followers: Iterable[Element]) -> set[str]:
    """Names of the joints that `followers` mimic, directly or through others."""
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
    """Names of a joint and of the moving joints beyond it."""
    joints, seen = [first], {end_of(first, 'child')}
    for joint in joints:  # grows while it is walked
        for other in joints_of[end_of(joint, 'child')]:
            if end_of(other, 'child') not in seen:
                seen.add(end_of(other, 'child'))
                joints.append(other)
    return [name_of(joint) for joint in joints if type_of(joint) in MOVING_TYPES]


def _has_inertia(link: Element) -> bool:
    """Also if the numbers are unreadable: that is another rule's finding."""
    inertia = link.find('inertial/inertia')
    values = [number(link.find('inertial/mass'), 'value')]
    values += [number(inertia, name) for name in TENSOR]
    return link.find('inertial') is not None and any(value != 0.0 for value in values)


def mass_units(robot: Description) -> Iterator[Problem]:
    """Masses look like kilograms."""
    found = {}
    children = {end_of(joint, 'child') for joint in robot.joints}
    for link in robot.links:
        mass = link.find('inertial/mass')
        value = number(mass, 'value')
        if mass is None or value is None or value <= 0.0:
            continue
        # By custom a root that only names a place gets a mass next to nothing.
        if name_of(link) in children:
            found[name_of(link)] = value, mass
        if value > _HEAVIEST:
            message = f'more than {_HEAVIEST:g} kg; is it in grams? URDF has kilograms'
            yield warn('units-mass', mass, message, 'value')
    if found:
        (heavy, (most, _)), (light, (least, element)) = (
            choose(found.items(), key=lambda item: item[1][0]) for choose in (max, min)
        )
        if most > _WIDEST_RATIO * least:
            message = (
                f'{quote(light)} has {least:g} kg and {quote(heavy)} {most:g} kg, more than '
                f'{_WIDEST_RATIO:g} times as much; are both in kilograms?'
            )
            yield warn('units-mass-ratio', element, message, 'value')


def origin_units(robot: Description) -> Iterator[Problem]:
    """Origins look like metres and radians."""
    for element in robot.elements:
        if element.tag not in _PLACED:
            continue
        xyz, rpy = numbers(element, 'xyz'), numbers(element, 'rpy')
        if xyz is not None and math.hypot(*xyz) > _LONGEST:
            message = f'more than {_LONGEST:g} m away; is it in millimetres? URDF has metres'
            yield warn('units-length', element, message, 'xyz')
        if rpy is not None and max(map(abs, rpy)) > 2.01 * math.pi:
            message = 'more than a full turn; is it in degrees? URDF has radians'
            yield warn('units-angle', element, message, 'rpy')


def magnitudes(robot: Description) -> Iterator[Problem]:
    """Numbers that the equations multiply are not so large that products of them overflow."""
    for element in robot.elements:
        if element.tag not in _MULTIPLIED:
            continue
        for attribute in NUMBERS[str(element.tag)]:
            found = numbers(element, attribute)
            if found is not None and max(map(abs, found)) > LARGEST_MAGNITUDE:
                message = (f'more than {LARGEST_MAGNITUDE:g} in SI units, no robot is like that; '
                           'correct it')
                yield refuse('number-too-large', element, message, attribute)


RULES = (magnitudes, massless_branches, mass_units, origin_units)

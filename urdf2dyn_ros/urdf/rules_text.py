"""Rules on single elements and attributes: present, once, readable."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.urdf.description import Description, Element, children, line_of, name_of
from urdf2dyn_ros.urdf.findings import refuse, together, warn
from urdf2dyn_ros.urdf.numbers import read_numbers
from urdf2dyn_ros.urdf.schema import (
    NUMBERS,
    REQUIRED_ATTRIBUTES,
    REQUIRED_CHILDREN,
    attributes,
)

_UNRESOLVED = ('${', '$(')


def numbers(robot: Description) -> Iterator[Problem]:
    """Every number is plain, finite and in company of as many as its attribute takes."""
    for element in robot.elements:
        for attribute, count in NUMBERS.get(str(element.tag), {}).items():
            text = element.get(attribute)
            if text is None or _unresolved(text):
                continue
            try:
                read_numbers(text, count)
            except ValueError as error:
                yield refuse('number', element, f'{quote(text)}: {error}', attribute)


def xacro_unresolved(robot: Description) -> Iterator[Problem]:
    """No ${...} or $(...) is left."""
    message = 'this is an expression of xacro, not URDF: run xacro on the file first'
    return together(
        refuse('xacro-unresolved', element, message, attribute)
        for element in robot.elements
        for attribute in attributes(str(element.tag))
        if _unresolved(element.get(attribute, ''))
    )


def _unresolved(text: str) -> bool:
    return any(mark in text for mark in _UNRESOLVED)


def missing_elements(robot: Description) -> Iterator[Problem]:
    """An inertial has mass and inertia, a joint has parent and child."""
    for element in robot.elements:
        for tag in REQUIRED_CHILDREN.get(str(element.tag), ()):
            if element.find(tag) is None:
                required = ' '.join(f'{name}="..."' for name in REQUIRED_ATTRIBUTES[tag])
                message = f'<{tag}> is missing; add <{tag} {required}/>'
                yield refuse('element-missing', element, message)


def missing_attributes(robot: Description) -> Iterator[Problem]:
    """Attributes without a default are given."""
    for element in robot.elements:
        wanted = REQUIRED_ATTRIBUTES.get(str(element.tag), ())
        missing = [attribute for attribute in wanted if element.get(attribute) is None]
        if missing:
            example = ' '.join(f'{attribute}="..."' for attribute in missing)
            zero = ', with 0 where it is zero' if element.tag == 'inertia' else ''
            message = f'{", ".join(missing)} missing; add {example}{zero}'
            yield refuse('attribute-missing', element, message)


def repeated_elements(robot: Description) -> Iterator[Problem]:
    """Within a link or joint a tag stands once; parsers disagree on which one counts."""
    for element in robot.elements:
        if element is robot.robot:
            continue
        counts = Counter(str(child.tag) for child in children(element))
        for tag in (tag for tag, count in counts.items() if count > 1):
            second = element.findall(tag)[1]
            message = f'<{tag}> stands {counts[tag]} times, one is allowed; delete the others'
            yield refuse('element-repeated', second, message)


def quaternions(robot: Description) -> Iterator[Problem]:
    """A rotation given as URDF 1.1's quaternion is not overlooked."""
    for element in robot.elements:
        if element.tag == 'origin' and element.get('quat_xyzw') is not None:
            message = 'quaternions are not supported; write the rotation as rpy="..."'
            yield refuse('quaternion', element, message, 'quat_xyzw')


def robot_name(robot: Description) -> Iterator[Problem]:
    """The robot has a name; dynamics can do without."""
    if not robot.robot.get('name', '').strip():
        message = 'the robot has no name and is called "robot"; add name="..."'
        yield warn('robot-name', robot.robot, message)


def empty_names(robot: Description) -> Iterator[Problem]:
    """Links and joints have names."""
    for element in (*robot.links, *robot.joints):
        if not name_of(element).strip():
            message = f'a {element.tag} must have a name; add name="..."'
            yield refuse('name-missing', element, message)


def duplicate_names(robot: Description) -> Iterator[Problem]:
    """Names of links are unique, and so are names of joints."""
    for elements in (robot.links, robot.joints):
        groups: dict[str, list[Element]] = defaultdict(list)
        for element in elements:
            groups[name_of(element)].append(element)
        for name, group in groups.items():
            if len(group) > 1 and name.strip():
                lines = ', '.join(str(line_of(element)) for element in group[:10])
                message = f'{len(group)} {group[0].tag}s have this name (lines {lines}); rename'
                yield refuse('name-duplicate', group[1], message)


RULES = (
    xacro_unresolved,
    numbers,
    missing_elements,
    missing_attributes,
    repeated_elements,
    quaternions,
    robot_name,
    empty_names,
    duplicate_names,
)

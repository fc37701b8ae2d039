"""Rules on single elements and attributes: present, once, readable."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.urdf.description import Description, Element, children, line_of, name_of
from urdf2dyn_ros.urdf.findings import merged, reject, warn
from urdf2dyn_ros.urdf.numbers import read_numbers
from urdf2dyn_ros.urdf.schema import (
    NUMBER_ATTRIBUTES,
    REQUIRED_ATTRIBUTES,
    REQUIRED_CHILDREN,
    attributes,
)


def plain_numbers(robot: Description) -> Iterator[Problem]:
    """Every number is plain and finite, and an attribute has as many as it needs."""
    for element in robot.elements:
        for attribute, count in NUMBER_ATTRIBUTES.get(str(element.tag), {}).items():
            text = element.get(attribute)
            if text is None or _has_xacro(text):
                continue
            try:
                read_numbers(text, count)
            except ValueError as error:
                yield reject('number', element, f'{quote(text)}: {error}', attribute)


def xacro_unresolved(robot: Description) -> Iterator[Problem]:
    """No ${...} or $(...) remains."""
    return merged(
        reject('xacro-unresolved', element, 'this is an expression of xacro, not URDF: run xacro '
               'on the file first', attribute)
        for element in robot.elements for attribute in attributes(str(element.tag))
        if _has_xacro(element.get(attribute, '')))


def _has_xacro(text: str) -> bool:
    return '${' in text or '$(' in text


def missing_elements(robot: Description) -> Iterator[Problem]:
    """An inertial has mass and inertia, a joint has parent and child."""
    for element in robot.elements:
        for tag in REQUIRED_CHILDREN.get(str(element.tag), ()):
            if element.find(tag) is None:
                required = ' '.join(f'{name}="..."' for name in REQUIRED_ATTRIBUTES[tag])
                yield reject('element-missing', element,
                             f'<{tag}> is missing; add <{tag} {required}/>')


def missing_attributes(robot: Description) -> Iterator[Problem]:
    """Attributes without a default are present."""
    for element in robot.elements:
        required = REQUIRED_ATTRIBUTES.get(str(element.tag), ())
        missing = [attribute for attribute in required if element.get(attribute) is None]
        if missing:
            example = ' '.join(f'{attribute}="..."' for attribute in missing)
            zero = ', with 0 where it is zero' if element.tag == 'inertia' else ''
            yield reject('attribute-missing', element,
                         f'{", ".join(missing)} missing; add {example}{zero}')


def empty_forces(robot: Description) -> Iterator[Problem]:
    """A wrench has a force, a torque or both."""
    for element in robot.forces:
        if element.get('force') is None and element.get('torque') is None:
            yield reject('force-missing', element, 'neither force nor torque; add '
                         'force="fx fy fz" [N] or torque="..." [N m]')


def repeated_elements(robot: Description) -> Iterator[Problem]:
    """A link or joint has a tag once; parsers disagree on which one they use."""
    for element in robot.elements:
        if element is robot.robot:
            continue
        counts = Counter(str(child.tag) for child in children(element))
        for tag in (tag for tag, count in counts.items() if count > 1):
            yield reject('element-repeated', element.findall(tag)[1], f'there are {counts[tag]} '
                         f'<{tag}>, one is allowed; delete the others')


def quaternions(robot: Description) -> Iterator[Problem]:
    """No rotation is a quaternion of URDF 1.1, which would be ignored."""
    for element in robot.elements:
        if element.tag == 'origin' and element.get('quat_xyzw') is not None:
            yield reject('quaternion', element, 'quaternions are not supported; write the '
                         'rotation as rpy="..."', 'quat_xyzw')


def robot_name(robot: Description) -> Iterator[Problem]:
    """The robot has a name, though efforts do not need one."""
    if not robot.robot.get('name', '').strip():
        yield warn('robot-name', robot.robot,
                   'the robot has no name and is called "robot"; add name="..."')


def empty_names(robot: Description) -> Iterator[Problem]:
    """Links and joints have names."""
    for element in (*robot.links, *robot.joints):
        if not name_of(element).strip():
            yield reject('name-missing', element,
                         f'a {element.tag} must have a name; add name="..."')


def duplicate_names(robot: Description) -> Iterator[Problem]:
    """Names of links are unique, and so are names of joints."""
    for elements in (robot.links, robot.joints):
        groups: dict[str, list[Element]] = defaultdict(list)
        for element in elements:
            groups[name_of(element)].append(element)
        for name, group in groups.items():
            if len(group) > 1 and name.strip():
                lines = ', '.join(str(line_of(element)) for element in group[:10])
                yield reject('name-duplicate', group[1], f'{len(group)} {group[0].tag}s have this '
                             f'name (lines {lines}); rename')


RULES = (xacro_unresolved, plain_numbers, missing_elements, missing_attributes, empty_forces,
         repeated_elements, quaternions, robot_name, empty_names, duplicate_names)

"""From URDF text to a RobotModel: parsed safely, checked by rules, then mapped."""

import logging
import math

from lxml import etree

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.robot_model import ExternalForce, Inertia, Joint, Limits, Link, Mimic, RobotModel
from urdf2dyn_ros.urdf.document import (
    AXIAL_TYPES,
    MAX_BYTES,
    MAX_DEPTH,
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    gear_ratios,
    ignored,
    name_of,
    number,
    numbers,
    parse_document,
    type_of,
)
from urdf2dyn_ros.urdf.rules import check_description

MAX_LINKS = 5000

_LOG = logging.getLogger(__name__)

_ZERO: Triple = (0.0, 0.0, 0.0)


def read_description(text: str | bytes, *, strict_inertia: bool = False,
                     max_bytes: int = MAX_BYTES, max_links: int = MAX_LINKS,
                     max_depth: int = MAX_DEPTH) -> RobotModel:
    """
    Return the model of a robot description, whose text may be untrusted: no file is opened.

    Encodings and keyword arguments are those of `read_urdf`. A UrdfError has all problems of the
    text.
    """
    root = parse_document(text, max_bytes, max_depth)
    drop_namespace(root)
    description = Description(root)
    warnings = check_description(description, strict_inertia, max_links)
    if _LOG.isEnabledFor(logging.DEBUG) and (tags := ignored(description)):
        _LOG.debug('ignored elements: %s', listed(tags))
    return _model(description, warnings)


def drop_namespace(root: Element) -> None:
    """Read <robot xmlns="..."> as <robot>, like parsers that ignore namespaces."""
    namespace = etree.QName(root).namespace
    if namespace:
        for element in root.iter(f'{{{namespace}}}*'):
            element.tag = etree.QName(element).localname


def _model(description: Description, warnings: tuple[Problem, ...]) -> RobotModel:
    """Return the model of a description that the rules accept."""
    ratios = gear_ratios(description)
    joints = tuple(_joint(description, joint, ratios) for joint in description.joints)
    children = {joint.child for joint in joints}
    return RobotModel(
        name=name_of(description.robot).strip() or 'robot',
        links=tuple(Link(name_of(link), _inertia(link.find('inertial')))
                    for link in description.links),
        joints=joints,
        root=next(name for name in map(name_of, description.links) if name not in children),
        warnings=warnings,
        forces=tuple(map(_force, description.forces)))


def _inertia(inertial: Element | None) -> Inertia | None:
    if inertial is None:
        return None
    tensor = inertial.find('inertia')
    xx, xy, xz, yy, yz, zz = (_required(tensor, name) for name in TENSOR_ATTRIBUTES)
    return Inertia(_required(inertial.find('mass'), 'value'),
                   *_placement(inertial.find('origin')), (xx, xy, xz, yy, yz, zz))


def _required(element: Element | None, attribute: str) -> float:
    """Return a number that a rule requires."""
    value = number(element, attribute)
    assert value is not None
    return value


def _joint(robot: Description, joint: Element, ratios: dict[str, float]) -> Joint:
    kind, axis, dynamics = type_of(joint), joint.find('axis'), joint.find('dynamics')
    return Joint(
        name_of(joint), kind, robot.parent_of[joint], robot.child_of[joint],
        *_placement(joint.find('origin')),
        axis=Joint.axis if axis is None or kind not in AXIAL_TYPES else _unit(axis),
        mimic=None if kind == 'fixed' else _mimic(joint.find('mimic')),
        limits=_limits(joint.find('limit')), damping=number(dynamics, 'damping') or 0.0,
        friction=number(dynamics, 'friction') or 0.0, gear_ratio=ratios.get(name_of(joint)))


def _force(element: Element) -> ExternalForce:
    return ExternalForce(element.get('link', ''), _triple(element, 'force'),
                         _triple(element, 'torque'), *_placement(element))


def _placement(element: Element | None) -> tuple[Triple, Triple]:
    return _triple(element, 'xyz'), _triple(element, 'rpy')


def _triple(element: Element | None, attribute: str) -> Triple:
    """Return three numbers, zeros where there are none."""
    x, y, z = numbers(element, attribute) or _ZERO
    return x, y, z


def _unit(axis: Element) -> Triple:
    """Return the normalised axis; a unit vector is returned unchanged."""
    x, y, z = _triple(axis, 'xyz')
    if abs(math.hypot(x, y, z) - 1.0) < 1e-15:
        return x, y, z
    scale = max(abs(x), abs(y), abs(z))  # against overflow
    x, y, z = x / scale, y / scale, z / scale
    norm = math.hypot(x, y, z)
    return x / norm, y / norm, z / norm


def _mimic(mimic: Element | None) -> Mimic | None:
    if mimic is None:
        return None
    multiplier = number(mimic, 'multiplier')
    return Mimic(mimic.get('joint', ''), 1.0 if multiplier is None else multiplier,
                 number(mimic, 'offset') or 0.0)


def _limits(limit: Element | None) -> Limits:
    return Limits(*(number(limit, name) for name in ('lower', 'upper', 'effort', 'velocity')))

"""From URDF text to a RobotModel: parsed safely, checked by rules, reduced, then mapped."""

import logging
import math
from typing import Any

from lxml import etree
from urdf_parser_py import urdf

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.robot_model import ExternalForce, Inertia, Joint, Limits, Link, Mimic, RobotModel
from urdf2dyn_ros.urdf.checks import check_description
from urdf2dyn_ros.urdf.description import (
    Description,
    Element,
    children,
    ignored,
    numbers,
    type_of,
)
from urdf2dyn_ros.urdf.document import MAX_BYTES, MAX_DEPTH, parse_document
from urdf2dyn_ros.urdf.schema import AXIAL_TYPES, TENSOR_ATTRIBUTES, attributes
from urdf2dyn_ros.urdf.transmissions import gear_ratios

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
    return _model(urdf.URDF.from_xml_string(_reduced(description)), description, warnings)


def drop_namespace(root: Element) -> None:
    """Read <robot xmlns="..."> as <robot>, like parsers that ignore namespaces."""
    namespace = etree.QName(root).namespace
    if namespace:
        for element in root.iter(f'{{{namespace}}}*'):
            element.tag = etree.QName(element).localname


def _reduced(description: Description) -> str:
    """Return the part of the schema that urdf_parser_py has; it prints a line for other tags."""
    copy = etree.Element('robot', name='robot')
    pairs = [(description.robot, copy)]
    for source, target in pairs:  # the list grows in the loop
        for child in children(source):
            tag = str(child.tag)
            if tag == 'force':
                continue
            # It requires every limit. No other text can be nan here: a rule rejects it.
            texts = dict.fromkeys(attributes(tag), 'nan') if tag == 'limit' else {}
            texts |= {name: child.get(name, '') for name in attributes(tag)
                      if name in child.attrib}
            if tag == 'joint':   # it has no other types than those of its version
                texts['type'] = 'fixed'
            pairs.append((child, etree.SubElement(target, tag, texts)))
    copy.set('name', description.robot.get('name', '').strip() or 'robot')
    return etree.tostring(copy, encoding='unicode')


def _model(robot: Any, description: Description, warnings: tuple[Problem, ...]) -> RobotModel:
    children = {joint.child for joint in robot.joints}
    ratios = gear_ratios(description)
    return RobotModel(
        name=robot.name,
        links=tuple(Link(link.name, _inertia(link.inertial)) for link in robot.links),
        joints=tuple(_joint(joint, type_of(element), ratios.get(joint.name))
                     for joint, element in zip(robot.joints, description.joints)),
        root=next(link.name for link in robot.links if link.name not in children),
        warnings=warnings,
        forces=tuple(_force(element) for element in description.forces))


def _inertia(inertial: Any) -> Inertia | None:
    if inertial is None:
        return None
    xyz, rpy = _placement(inertial.origin)
    xx, xy, xz, yy, yz, zz = (getattr(inertial.inertia, name) for name in TENSOR_ATTRIBUTES)
    return Inertia(inertial.mass, xyz, rpy, (xx, xy, xz, yy, yz, zz))


def _joint(joint: Any, kind: str, gear_ratio: float | None) -> Joint:
    xyz, rpy = _placement(joint.origin)
    dynamics = joint.dynamics  # None, or an object whose attributes may be None
    return Joint(
        joint.name, kind, joint.parent, joint.child, xyz, rpy,
        axis=_unit(joint.axis) if joint.axis and kind in AXIAL_TYPES else Joint.axis,
        mimic=None if kind == 'fixed' else _mimic(joint), limits=_limits(joint.limit),
        damping=getattr(dynamics, 'damping', None) or 0.0,
        friction=getattr(dynamics, 'friction', None) or 0.0, gear_ratio=gear_ratio)


def _force(element: Element) -> ExternalForce:
    def triple(attribute: str) -> Triple:
        x, y, z = numbers(element, attribute) or _ZERO
        return x, y, z

    return ExternalForce(element.get('link', ''), triple('force'), triple('torque'),
                         triple('xyz'), triple('rpy'))


def _placement(origin: Any) -> tuple[Triple, Triple]:
    if origin is None:
        return _ZERO, _ZERO
    (x, y, z), (roll, pitch, yaw) = origin.xyz, origin.rpy
    return (x, y, z), (roll, pitch, yaw)


def _unit(axis: list[float]) -> Triple:
    """Return the normalised axis; a unit vector is returned unchanged."""
    x, y, z = axis
    if abs(math.hypot(x, y, z) - 1.0) < 1e-15:
        return x, y, z
    scale = max(abs(x), abs(y), abs(z))  # against overflow
    x, y, z = x / scale, y / scale, z / scale
    norm = math.hypot(x, y, z)
    return x / norm, y / norm, z / norm


def _mimic(joint: Any) -> Mimic | None:
    mimic = joint.mimic
    if mimic is None:
        return None
    multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
    return Mimic(mimic.joint, multiplier, mimic.offset or 0.0)


def _limits(limit: Any) -> Limits:
    if limit is None:
        return Limits()
    return Limits(*(None if math.isnan(value) else value for value in (
        limit.lower, limit.upper, limit.effort, limit.velocity)))

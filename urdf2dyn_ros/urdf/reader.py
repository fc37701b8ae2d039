"""
From a robot description to a RobotModel: parsed safely, checked by rules, read by urdf_parser_py.

Rules, line numbers and what URDF 1.0 does not have (``<force>``, reductions, limits of which some
are missing) are of the XML tree; all else in the model is of urdf_parser_py's Robot object.
"""

import logging
import math
from typing import Any, Protocol, cast

from lxml import etree
from urdf_parser_py import urdf
from urdf_parser_py.xml_reflection.core import Path

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.errors import Problem, SourceError
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.robot_model import ExternalForce, Inertia, Joint, Limits, Link, Mimic, RobotModel
from urdf2dyn_ros.urdf.document import (
    ATTRIBUTES,
    AXIAL_TYPES,
    MAX_BYTES,
    MAX_DEPTH,
    NUMBER_ATTRIBUTES,
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    gear_ratios,
    ignored,
    name_of,
    parse_document,
)
from urdf2dyn_ros.urdf.rules import check_description

MAX_LINKS = 5000

_LOG = logging.getLogger(__name__)

_ZERO: Triple = (0.0, 0.0, 0.0)

# What is missing in a <limit>: urdf_parser_py requires effort and velocity, and takes a missing
# lower or upper for 0. No text that the rules accept has it.
_NO_LIMITS = dict.fromkeys(NUMBER_ATTRIBUTES['limit'], 'nan')


class ParsedRobot(Protocol):
    """A ``Robot`` of urdf_parser_py, which has no annotations."""

    name: str
    links: list[Any]
    joints: list[Any]
    joint_map: dict[str, Any]


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
    return _read(root, strict_inertia, max_links)


def read_robot(robot: ParsedRobot, *, strict_inertia: bool = False,
               max_links: int = MAX_LINKS) -> RobotModel:
    """Return the model of a Robot object, checked by the same rules; it is not changed."""
    plain = urdf.Robot(robot.name or '')
    try:
        for link in robot.links:
            plain.add_link(urdf.Link(link.name, inertial=link.inertial))
        for joint in robot.joints:
            plain.add_joint(joint)
        root = plain.to_xml()
        for limit in root.iter('limit'):   # missing ones are written as 0, too
            if float(limit.get('lower')) == float(limit.get('upper')) == 0.0:
                del limit.attrib['lower'], limit.attrib['upper']
    except Exception as error:   # urdf_parser_py has no class for its errors
        raise SourceError(f'this Robot object cannot be written as URDF: {error!r}; complete it '
                          'until its method to_xml_string works') from None
    return _read(root, strict_inertia, max_links)


def drop_namespace(root: Element) -> None:
    """Read <robot xmlns="..."> as <robot>, like parsers that ignore namespaces."""
    namespace = etree.QName(root).namespace
    if namespace:
        for element in root.iter(f'{{{namespace}}}*'):
            element.tag = etree.QName(element).localname


def _read(root: Element, strict_inertia: bool, max_links: int) -> RobotModel:
    description = Description(root)
    warnings = check_description(description, strict_inertia, max_links)
    if _LOG.isEnabledFor(logging.DEBUG) and (tags := ignored(description)):
        _LOG.debug('ignored elements: %s', listed(tags))
    robot = urdf.Robot.from_xml(_urdf_1_0(description), Path('robot'))
    return _model(robot, description, warnings)


def _urdf_1_0(description: Description) -> Element:
    """Return a tree of URDF 1.0 alone: urdf_parser_py prints a warning of all else on stderr."""
    copies = {description.robot: etree.Element('robot', name=name_of(description.robot))}
    for element in description.elements[1:]:
        if (tag := str(element.tag)) != 'force':
            values = dict(_NO_LIMITS) if tag == 'limit' else {}
            values |= {name: value for name in ATTRIBUTES[tag]
                       if (value := element.get(name)) is not None}
            parent = cast('Element', element.getparent())
            copies[element] = etree.SubElement(copies[parent], tag, values)
    return copies[description.robot]


def _model(robot: ParsedRobot, description: Description, warnings: tuple[Problem, ...],
           ) -> RobotModel:
    """Return the model of a description that the rules accept."""
    ratios = gear_ratios(description)
    moved = {joint.child for joint in robot.joints}
    return RobotModel(
        name=robot.name.strip() or 'robot',
        links=tuple(Link(link.name, _inertia(link.inertial)) for link in robot.links),
        joints=tuple(_joint(joint, ratios.get(joint.name)) for joint in robot.joints),
        root=next(link.name for link in robot.links if link.name not in moved),
        warnings=warnings,
        forces=tuple(_force(description, force) for force in description.forces))


def _inertia(inertial: Any) -> Inertia | None:
    if inertial is None:
        return None
    xx, xy, xz, yy, yz, zz = (getattr(inertial.inertia, name) for name in TENSOR_ATTRIBUTES)
    return Inertia(inertial.mass, *_placement(inertial.origin), (xx, xy, xz, yy, yz, zz))


def _joint(joint: Any, gear_ratio: float | None) -> Joint:
    has_axis = joint.axis is not None and joint.type in AXIAL_TYPES
    return Joint(
        joint.name, joint.type, joint.parent, joint.child, *_placement(joint.origin),
        axis=_unit(joint.axis) if has_axis else Joint.axis,
        mimic=None if joint.type == 'fixed' else _mimic(joint.mimic),
        limits=_limits(joint.limit),
        damping=(joint.dynamics and joint.dynamics.damping) or 0.0,
        friction=(joint.dynamics and joint.dynamics.friction) or 0.0,
        gear_ratio=gear_ratio)


def _placement(origin: Any) -> tuple[Triple, Triple]:
    if origin is None:
        return _ZERO, _ZERO
    (x, y, z), (roll, pitch, yaw) = map(float, origin.xyz), map(float, origin.rpy)
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


def _mimic(mimic: Any) -> Mimic | None:
    if mimic is None:
        return None
    multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
    return Mimic(mimic.joint, multiplier, mimic.offset or 0.0)


def _limits(limit: Any) -> Limits:
    if limit is None:
        return Limits()
    return Limits(*(None if math.isnan(value) else value for value in (
        limit.lower, limit.upper, limit.effort, limit.velocity)))


def _force(description: Description, element: Element) -> ExternalForce:
    force, torque, xyz, rpy = ((x, y, z) for x, y, z in (
        description.numbers(element, name) or _ZERO for name in ('force', 'torque', 'xyz', 'rpy')))
    return ExternalForce(element.get('link', ''), force, torque, xyz, rpy)

"""From a robot description, a file, xacro or a Robot object, to a RobotModel."""

import contextlib
import io
import math
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from lxml import etree
from urdf_parser_py import urdf
from urdf_parser_py.urdf import Robot
from urdf_parser_py.xml_reflection.core import Path

from urdf2dyn_ros.errors import ParameterError, Problem, SourceError, UrdfError
from urdf2dyn_ros.robot.assembly import solve_loops
from urdf2dyn_ros.robot.document import (
    ATTRIBUTES,
    MAX_BYTES,
    NUMBER_ATTRIBUTES,
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    gear_ratios,
    name_of,
    parse_document,
    read_numbers,
    rpy_of,
)
from urdf2dyn_ros.robot.joints import URDF_TYPES
from urdf2dyn_ros.robot.loop_notations import read_loops
from urdf2dyn_ros.robot.model import (
    FIXED,
    ExternalForce,
    Inertial,
    Joint,
    Limits,
    Link,
    Mimic,
    RobotModel,
)
from urdf2dyn_ros.robot.rules import check_description
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.text import counted, listed, quote

# ---- From a robot description to a RobotModel: parsed safely, checked by rules, read by
# urdf_parser_py
#
# Rules, line numbers and what URDF 1.0 does not have (``<force>``, reductions, limits of which
# some are missing) are of the XML tree; all else in the model is of urdf_parser_py's Robot object.

_ZERO: Triple = (0.0, 0.0, 0.0)


def read_description(text: str | bytes, *, strict_inertia: bool = False,
                     loops: Sequence[str] = (), actuated: Sequence[str] = ()) -> RobotModel:
    """
    Return the model of a robot description, whose text may be untrusted: no file is opened.

    Encodings are those of `read_urdf`. A UrdfError has all problems of the text.
    """
    return read_tree(parse_document(text), strict_inertia, loops, actuated)


def read_configured(text: str | bytes, values: Mapping[str, Any]) -> RobotModel:
    """Return the model of a text, with what parameters of these names say of its loops."""
    loops, actuated, places = ([each for each in values.get(name, ()) if each.strip()]
                               for name in ('loops', 'actuated', 'start'))
    model = read_description(text, strict_inertia=bool(values.get('strict_inertia')), loops=loops,
                             actuated=actuated)
    start: dict[str, float] = {}
    for place in places:
        name, _, number = place.rpartition('=')
        try:
            start[name.strip()] = float(number)
        except ValueError:
            raise ParameterError(f'start {quote(place)}: write JOINT=POSITION, with the position '
                                 'in rad or m') from None
    return solve_loops(model, start) if start else model


def read_robot(robot: Robot, strict_inertia: bool, loops: Sequence[str] = (),
               actuated: Sequence[str] = ()) -> RobotModel:
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
    return read_tree(root, strict_inertia, loops, actuated)


def read_tree(root: Element, strict_inertia: bool = False, loops: Sequence[str] = (),
              actuated: Sequence[str] = ()) -> RobotModel:
    """Return the model of an XML tree, checked by the rules, with its loops solved."""
    description = Description(root)
    warnings = check_description(description, strict_inertia)
    robot = urdf.Robot.from_xml(_urdf_1_0(description), Path('robot'))
    model = _model(robot, description, warnings)
    notes = read_loops(description, loops, actuated)
    if wrong := [problem for problem in notes.problems if problem.refused]:
        raise UrdfError(wrong)
    return solve_loops(replace(model, loops=notes.loops, couplings=notes.couplings,
                               driven=notes.driven))


def _urdf_1_0(description: Description) -> Element:
    """Return a tree of URDF 1.0 alone: urdf_parser_py prints a warning of all else on stderr."""
    copies = {description.robot: etree.Element('robot', name=name_of(description.robot))}
    for element in description.elements[1:]:
        tag, parent = str(element.tag), cast('Element', element.getparent())
        # one of each in a link or joint: others are identical, or the rules reject them
        if tag != 'force' and (parent is description.robot or element is parent.find(tag)):
            values = {name: value for name in ATTRIBUTES[tag]
                      if (value := element.get(name)) is not None}
            if tag == 'limit':
                values = {'effort': '0', 'velocity': '0'}   # urdf_parser_py requires them
            if quaternion := values.pop('quat_xyzw', None):
                values['rpy'] = ' '.join(map(repr, rpy_of(read_numbers(quaternion, 4))))
            copies[element] = etree.SubElement(copies[parent], tag, values)
    return copies[description.robot]


def _model(robot: Robot, description: Description, warnings: tuple[Problem, ...],
           ) -> RobotModel:
    ratios = gear_ratios(description)
    moved = {joint.child for joint in robot.joints}
    return RobotModel(
        name=robot.name.strip() or 'robot',
        links=tuple(Link(link.name, _inertia(link.inertial)) for link in robot.links),
        joints=tuple(_joint(joint, ratios.get(joint.name), _limits(description, joint.name))
                     for joint in robot.joints),
        root=next(link.name for link in robot.links if link.name not in moved),
        warnings=warnings,
        forces=tuple(_force(description, force) for force in description.forces))


def _inertia(inertial: Any) -> Inertial | None:
    if inertial is None:
        return None
    xx, xy, xz, yy, yz, zz = (getattr(inertial.inertia, name) for name in TENSOR_ATTRIBUTES)
    return Inertial(inertial.mass, *_placement(inertial.origin), (xx, xy, xz, yy, yz, zz))


def _joint(joint: Any, gear_ratio: float | None, limits: Limits) -> Joint:
    has_axis = joint.axis is not None and URDF_TYPES[joint.type].axial
    return Joint(
        joint.name, joint.type, joint.parent, joint.child, *_placement(joint.origin),
        axis=_unit(joint.axis) if has_axis else Joint.axis,
        mimic=None if joint.type == FIXED or joint.mimic is None else Mimic(
            joint.mimic.joint,
            1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier,
            joint.mimic.offset or 0.0),
        limits=limits,
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


def _limits(description: Description, joint: str) -> Limits:
    limit = description.joint_of[joint].find('limit')
    return Limits(*(description.number(limit, name) for name in NUMBER_ATTRIBUTES['limit']))


def _force(description: Description, element: Element) -> ExternalForce:
    force, torque, xyz, rpy = ((x, y, z) for x, y, z in (
        description.numbers(element, name) or _ZERO for name in ('force', 'torque', 'xyz', 'rpy')))
    return ExternalForce(element.get('link', ''), force, torque, xyz, rpy)


# ---- Robot descriptions from a file, standard input, xacro, or a Robot object

# what xacro says of an argument without a value, and of $(find PACKAGE) without ROS or the package
_NO_ARGUMENT = 'Undefined substitution argument'
_NO_PACKAGES = re.compile('ament_index_python|AMENT_PREFIX_PATH|not found, searching')

_SUFFIXES = ('.urdf', '.xacro', '.xml')


UrdfSource: TypeAlias = str | bytes | os.PathLike[str] | Robot
"""The text of a URDF, a path to it, or urdf_parser_py's Robot object."""


def read_urdf(source: UrdfSource, *, strict_inertia: bool = False, loops: Sequence[str] = (),
              actuated: Sequence[str] = ()) -> RobotModel:
    """
    Return the model of a robot description.

    Nothing is repaired: the model has exactly the values of the text, or the text is rejected. So
    is one of more than 10 MB, 5000 links, or a depth of 100.

    Parameters
    ----------
    source : str, bytes, path or Robot
        URDF as text or bytes, which may have any encoding that their first bytes or their
        declaration name; or the path of a file with it, also as a str. A path may be that of a
        xacro file, if xacro is installed. A str is a path if it has no ``<``, and
        such a file or directory exists or its suffix is .urdf, .xacro or .xml. Or a
        ``urdf_parser_py.urdf.Robot``, without ``<force>`` and gear ratios; its limits lower and
        upper are missing where both are 0, as it has 0 for a missing one.
    strict_inertia : bool
        Reject inertias that no body can have, instead of warning.
    loops : sequence of str
        Pairs of links whose frames coincide, for a file that does not say so: ``'A=B:revolute'``.
        The types are those of ``<loop_joint>``; ``'A=B:revolute:0 1 0'`` gives the axis as well.
    actuated : sequence of str
        Joints that motors drive, of a robot with closed loops; by default those that the file
        says: ``independent="true"``, a command interface, or a transmission.

    Raises
    ------
    SourceError
        If a file cannot be read, or xacro fails.
    UrdfError
        With all problems of the text.

    """
    if isinstance(source, Robot):
        return read_robot(source, strict_inertia, loops, actuated)
    name = ''
    if isinstance(source, os.PathLike) or (
            isinstance(source, str) and '<' not in source and '\n' not in source
            and (source.lower().endswith(_SUFFIXES) or os.path.exists(source))):
        name = os.fspath(source)
        source = load_urdf(name)
    if not isinstance(source, str | bytes):
        raise SourceError(f'{type(source).__name__} is no robot description: it is the text of a '
                          'URDF (str or bytes), a path, or a Robot')
    try:
        return read_description(source, strict_inertia=strict_inertia, loops=loops,
                                actuated=actuated)
    except UrdfError as error:
        raise UrdfError(error.problems, name) from None


def load_urdf(path: str, xacro_args: str = '') -> str | bytes:
    """
    Return the text of a robot description, a file or ``'-'`` for standard input.

    A file whose name or content is xacro's is expanded by xacro, with arguments as its command
    line has them: ``'prefix:=left_ gripper:=true'``. A SourceError says if there is no such file,
    it cannot be read, xacro is missing or fails, or there are arguments and nothing to expand.
    """
    # One byte more than the reader accepts, so that it rejects a larger text.
    if path == '-':
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with open(path, 'rb') as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, 'strerror', None) or str(error)
        raise SourceError(f'cannot read {path!r}: {reason}') from None
    if path.endswith('.xacro') or b'<xacro:' in data:
        return _run_xacro(path, _mappings(xacro_args))
    if xacro_args:
        raise SourceError(f'{path!r} is no xacro file, and the arguments {xacro_args!r} are for '
                          'one: omit them, or name the .xacro')
    return data


def description_text(path: str, xacro_args: str = '') -> str:
    """Return a file's URDF as text, for a parameter of ROS; a SourceError if it is not UTF-8."""
    data = load_urdf(path, xacro_args=xacro_args)
    try:
        return data if isinstance(data, str) else data.decode('utf-8')
    except UnicodeDecodeError:
        raise SourceError(f'{path!r} is not UTF-8; save it as UTF-8') from None


def _mappings(xacro_args: str) -> dict[str, str]:
    """Return the values of xacro's arguments by name; a SourceError if they are no such."""
    rule = 'they are NAME:=VALUE, separated by spaces, with quotes around values with spaces'
    try:
        words = shlex.split(xacro_args)
    except ValueError as error:
        raise SourceError(f'arguments of xacro {xacro_args!r}: {error}; {rule}') from None
    pairs = [word.partition(':=') for word in words]
    for name, sign, value in pairs:
        if not (name and sign):
            raise SourceError(f'arguments of xacro: {name + sign + value!r}; {rule}')
    values = {name: value for name, _, value in pairs}
    if len(values) < len(pairs):
        raise SourceError(f'arguments of xacro {xacro_args!r}: one is given twice')
    return values


class _XacroArguments(dict[str, str]):
    """Values of xacro's arguments, and the names of those that the files have."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.known: set[object] = set()

    def __contains__(self, name: object) -> bool:
        self.known.add(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.known.add(name)
        return super().__getitem__(name)


def _run_xacro(path: str, mappings: Mapping[str, str]) -> str:
    try:
        import xacro
    except ImportError:
        raise SourceError(
            f'{path!r} is xacro, and the xacro package is not installed: pip install xacro '
            '(with ROS 2: apt install ros-$ROS_DISTRO-xacro), or use the URDF made from it'
        ) from None
    printed, arguments = io.StringIO(), _XacroArguments(mappings)  # xacro prints warnings
    try:
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            xacro.all_includes.clear()   # which xacro lists for its own command alone
            document = xacro.process_file(path, mappings=arguments)
            macros = [] if document.getElementsByTagName('link') else [
                f'{macro.getAttribute("name")}({macro.getAttribute("params")})'
                for file in dict.fromkeys((path, *xacro.all_includes))
                for macro in xacro.parse(None, file).getElementsByTagName('xacro:macro')]
            text = str(document.toprettyxml(indent='  '))   # as xacro's command line does
    # xacro evaluates the expressions of the file, which may raise any exception.
    except (Exception, SystemExit) as error:
        reason = str(error) or repr(error)
        remedy = ('; give it with --xacro-args "NAME:=VALUE", or xacro_args:="NAME:=VALUE" of the '
                  'launch files'
                  if _NO_ARGUMENT in reason else
                  '; $(find PACKAGE) needs ROS 2: source its setup.bash and that of the package, '
                  'or use the URDF that xacro makes where both are installed'
                  if _NO_PACKAGES.search(reason) else '')
        raise SourceError(f'xacro cannot process {path!r}: {reason}{remedy}') from None
    if unknown := [name for name in mappings if name not in arguments.known]:
        known = listed(sorted(map(str, arguments.known)), 30) or 'none'
        raise SourceError(f'{path!r} has no argument {listed(unknown)} of xacro; it has {known}')
    if macros:
        raise SourceError(f'{path!r} only defines {counted(len(macros), "macro")}, '
                          f'{listed(macros)}, and calls none: name a file that includes it with '
                          '<xacro:include> and calls one')
    return text

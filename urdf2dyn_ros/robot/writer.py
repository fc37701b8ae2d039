"""From a RobotModel to a URDF of the same model, and a URDF with the tags that Gazebo needs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lxml import etree

from urdf2dyn_ros.errors import ExportError, ParameterError, Problem, UrdfError
from urdf2dyn_ros.robot.document import TENSOR_ATTRIBUTES, Description, Element, parse_document
from urdf2dyn_ros.robot.joints import URDF_TYPES
from urdf2dyn_ros.robot.model import Joint, RobotModel
from urdf2dyn_ros.robot.reader import read_description

# ---- From a RobotModel to a URDF of the same model, for simulators and tests

_UNLIMITED = {'lower': -1e9, 'upper': 1e9, 'effort': 1e9, 'velocity': 1e9}


def clean_urdf(model: RobotModel, *, fill_limits: bool = False) -> str:
    """
    Return a model as URDF; reading it returns an equal model.

    On demand it has very wide limits where the model has none: urdfdom, and with it most
    simulators, rejects revolute and prismatic joints without limits.
    """
    robot = etree.Element('robot', name=model.name)
    for link in model.links:
        element = etree.SubElement(robot, 'link', name=link.name)
        if (inertia := link.inertia) is not None:
            inertial = etree.SubElement(element, 'inertial')
            _add(inertial, 'origin', {'xyz': inertia.com, 'rpy': inertia.rpy})
            _add(inertial, 'mass', {'value': inertia.mass})
            _add(inertial, 'inertia', dict(zip(TENSOR_ATTRIBUTES, inertia.tensor, strict=True)))
    passive = model.closed_loops.passive if model.closed_loops else ()
    if model.couplings:
        raise ExportError('a gear or belt of several joints has no element in a URDF that other '
                          'tools read: write its joints as <mimic>')
    for joint in model.joints:
        if joint.name in passive:
            joint = replace(joint, mimic=None, also=())
        element = etree.SubElement(robot, 'joint')
        _write_joint(element, joint, fill_limits)
        if joint.name in model.driven:
            element.set('independent', 'true')
    for loop in model.loops:
        element = etree.SubElement(robot, 'loop_joint', name=loop.name, type=loop.type)
        if loop.length:
            element.set('length', numbers_text(loop.length))
        for tag, end in (('link1', loop.first), ('link2', loop.second)):
            side = _add(element, tag, {'xyz': end.xyz, 'rpy': end.rpy})
            side.set('link', end.link)
            _add(side, 'axis', {'xyz': end.axis})
    for joint in model.joints:
        if joint.gear_ratio is not None:
            # the only form that urdf_parser_py reads without a hardware interface
            transmission = etree.SubElement(
                robot, 'transmission', name=f'{joint.name}_transmission',
                type='SimpleTransmission')
            etree.SubElement(transmission, 'joint', name=joint.name)
            etree.SubElement(transmission, 'actuator', name=f'{joint.name}_motor')
            reduction = etree.SubElement(transmission, 'mechanicalReduction')
            reduction.text = numbers_text(joint.gear_ratio)
    for force in model.forces:
        _add(robot, 'force', {'xyz': force.xyz, 'rpy': force.rpy, 'force': force.force,
                              'torque': force.torque}).set('link', force.link)
    return etree.tostring(robot, encoding='unicode', pretty_print=True)


def _write_joint(element: Element, joint: Joint, fill_limits: bool) -> None:
    element.set('name', joint.name)
    element.set('type', joint.type)
    _add(element, 'origin', {'xyz': joint.xyz, 'rpy': joint.rpy})
    etree.SubElement(element, 'parent', link=joint.parent)
    etree.SubElement(element, 'child', link=joint.child)
    _add(element, 'axis', {'xyz': joint.axis})
    present = {name: value for name, value in vars(joint.limits).items() if value is not None}
    if fill_limits and URDF_TYPES[joint.type].bounded:
        present = _UNLIMITED | present
    if present:
        _add(element, 'limit', present)
    if joint.damping or joint.friction:
        _add(element, 'dynamics', {'damping': joint.damping, 'friction': joint.friction})
    if joint.mimic is not None:
        _add(element, 'mimic', {'multiplier': joint.mimic.multiplier,
                                'offset': joint.mimic.offset}).set('joint', joint.mimic.joint)


def _add(parent: Element, tag: str, values: Mapping[str, float | Sequence[float]]) -> Element:
    return etree.SubElement(parent, tag, {
        name: numbers_text(value) for name, value in values.items()})


def numbers_text(value: float | Sequence[float]) -> str:
    """Return numbers as an attribute has them, each so that it reads back as the same."""
    # float() first: numpy's numbers have a repr of their own
    return ' '.join(repr(float(number)) for number in (
        value if isinstance(value, Sequence) else (value,)))


# ---- A robot description with the tags that Gazebo Sim and ros2_control need

_WORLD = 'world'   # Gazebo fixes a root link of this name; otherwise the robot falls
_NO_MASS = 1e-6   # up to which SDFormat takes a link to have none [kg]
_INTERFACES = ('position', 'velocity', 'effort')


# prefix of the names in gz_ros2_control, and a word in those of its classes: `gz` from Jazzy on,
# `ign` for Gazebo Fortress on Humble
PLUGINS = {'gz': 'GazeboSim', 'ign': 'Ignition'}


def gazebo_urdf(text: str | bytes, controllers: str, plugins: str = 'gz') -> str:
    """
    Return the description with ``<ros2_control>`` for every joint and the plugin that reads it.

    Every joint gets all three command interfaces, so that the controllers choose, and all three
    state interfaces; a mimic joint the latter alone. The root is fixed to the world, and links
    that do not move get a mass if they have none: Gazebo drops links without mass, and all links
    beyond them. A description with ``<ros2_control>`` is returned as it is.

    `controllers` is the path of the file of parameters for these, `plugins` a key of ``PLUGINS``:
    a ParameterError for another one. A UrdfError for a description that cannot be read, or that
    Gazebo would refuse or simulate in part only: impossible inertias, links without mass that
    move, mimic joints on Humble, and joints with several coordinates.
    """
    if plugins not in PLUGINS:
        raise ParameterError(f'plugins {plugins!r}: must be one of {", ".join(PLUGINS)}')
    robot = parse_document(text)
    without = robot.find('ros2_control') is None
    model = read_description(text, strict_inertia=without)
    if without:
        _check(model, robot, plugins)
        _fix_to_world(robot, model)
        package, word = f'{plugins}_ros2_control', PLUGINS[plugins]
        _add_control(robot, model, 'gazebo', f'{package}/{word}System')
        plugin = etree.SubElement(
            etree.SubElement(robot, 'gazebo'), 'plugin', filename=f'{package}-system',
            name=f'{package}::{word}ROS2ControlPlugin')
        etree.SubElement(plugin, 'parameters').text = controllers
    return etree.tostring(robot, encoding='unicode')


def mock_urdf(model: RobotModel, command: str) -> str:
    """Return a URDF of a model whose hardware, for ros2_control, repeats what is commanded."""
    robot = etree.fromstring(clean_urdf(model, fill_limits=True))
    _add_control(robot, model, 'mock_hardware', 'mock_components/GenericSystem',
                 (*_INTERFACES, command))
    return etree.tostring(robot, encoding='unicode', pretty_print=True)


def _check(model: RobotModel, robot: Element, plugins: str) -> None:
    massless = {link.name for link in model.links if link.mass <= _NO_MASS} - _static(model)
    moved = {joint.parent for joint in model.joints if joint.moves}
    kept = {str(element.get('reference')) for element in robot.iterfind('gazebo')
            if any(element.findtext(tag, '').strip() in ('true', '1')
                   for tag in ('preserveFixedJoint', 'disableFixedJointLumping'))}
    problems = []
    for joint in model.joints:
        place = f'joint "{joint.name}"'
        if joint.moves and not URDF_TYPES[joint.type].single:
            problems.append(Problem('gazebo-type', f'ros2_control has no {joint.type} joints; '
                                    'write it as several joints with one coordinate each', place))
        elif joint.mimic is not None and plugins == 'ign':
            problems.append(Problem('gazebo-mimic', 'how a joint follows another depends on the '
                                    'release of ign_ros2_control; add <ros2_control> by hand',
                                    place))
        elif joint.child in massless and (
                joint.moves or joint.name in kept or joint.child in moved):
            problems.append(Problem(
                'gazebo-mass', f'Gazebo drops links of up to {_NO_MASS:g} kg and all links '
                'beyond them; give it an <inertial>' + (
                    '' if joint.moves else ', or attach what follows it to '
                    f'"{joint.parent}"'), f'link "{joint.child}"'))
    if model.root != _WORLD and _WORLD in {link.name for link in model.links}:
        problems.append(Problem('gazebo-world', 'only the root may have this name',
                                f'link "{_WORLD}"'))
    if problems:
        raise UrdfError(problems)


def _static(model: RobotModel) -> set[str]:
    """Return the links that do not move, without the world: their masses have no effect."""
    static = {model.root}
    while more := {joint.child for joint in model.joints
                   if not joint.moves and joint.parent in static} - static:
        static |= more
    return static - {_WORLD}


def _fix_to_world(robot: Element, model: RobotModel) -> None:
    links, static = Description(robot).link_of, _static(model)
    parents = {joint.parent for joint in model.joints}
    for each in model.links:
        if each.name in static & parents and each.mass <= _NO_MASS:
            link = links[each.name]
            for inertial in link.findall('inertial'):
                link.remove(inertial)
            inertial = etree.SubElement(link, 'inertial')
            etree.SubElement(inertial, 'mass', value='1')
            etree.SubElement(inertial, 'inertia', ixx='1', ixy='0', ixz='0', iyy='1', iyz='0',
                             izz='1')
    if model.root == _WORLD:
        return
    etree.SubElement(robot, 'link', name=_WORLD)
    names = {joint.get('name') for joint in robot.iterchildren('joint')}
    name = f'{_WORLD}_to_{model.root}'
    while name in names:
        name += '_'
    joint = etree.SubElement(robot, 'joint', name=name, type='fixed')
    etree.SubElement(joint, 'parent', link=_WORLD)
    etree.SubElement(joint, 'child', link=model.root)


def _add_control(robot: Element, model: RobotModel, name: str, hardware: str,
                 interfaces: Sequence[str] = _INTERFACES) -> None:
    control = etree.SubElement(robot, 'ros2_control', name=name, type='system')
    etree.SubElement(etree.SubElement(control, 'hardware'), 'plugin').text = hardware
    for joint in model.joints:
        if not URDF_TYPES[joint.type].single:
            continue
        element = etree.SubElement(control, 'joint', name=joint.name)
        for interface in dict.fromkeys(interfaces) if joint.mimic is None else ():
            etree.SubElement(element, 'command_interface', name=interface)
        for interface in dict.fromkeys(interfaces):
            state = etree.SubElement(element, 'state_interface', name=interface)
            if interface == 'position':
                lower, upper = joint.limits.lower, joint.limits.upper
                nearest = min(max(0.0, -math.inf if lower is None else lower),
                              math.inf if upper is None else upper)   # to zero [rad or m]
                etree.SubElement(state, 'param', name='initial_value').text = repr(float(nearest))

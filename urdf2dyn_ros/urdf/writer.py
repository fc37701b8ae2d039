"""From a RobotModel to a URDF of the same model, for simulators and tests."""

from collections.abc import Mapping

from lxml import etree

from urdf2dyn_ros.robot_model import Joint, RobotModel
from urdf2dyn_ros.urdf.document import TENSOR_ATTRIBUTES, Element

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
    for joint in model.joints:
        _write_joint(etree.SubElement(robot, 'joint'), joint, fill_limits)
    for joint in model.joints:
        if joint.gear_ratio is not None:
            _write_transmission(robot, joint.name, joint.gear_ratio)
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
    limits = {name: getattr(joint.limits, name) for name in _UNLIMITED}
    present = {name: value for name, value in limits.items() if value is not None}
    if fill_limits and joint.type in ('revolute', 'prismatic'):
        present = _UNLIMITED | present
    if present:
        _add(element, 'limit', present)
    if joint.damping or joint.friction:
        _add(element, 'dynamics', {'damping': joint.damping, 'friction': joint.friction})
    if joint.mimic is not None:
        _add(element, 'mimic', {'multiplier': joint.mimic.multiplier,
                                'offset': joint.mimic.offset}).set('joint', joint.mimic.joint)


def _write_transmission(robot: Element, joint: str, ratio: float) -> None:
    # the only form that urdf_parser_py reads without a hardware interface, which is unknown here
    transmission = etree.SubElement(robot, 'transmission', name=f'{joint}_transmission',
                                    type='SimpleTransmission')
    etree.SubElement(transmission, 'joint', name=joint)
    etree.SubElement(transmission, 'actuator', name=f'{joint}_motor')
    etree.SubElement(transmission, 'mechanicalReduction').text = _text(ratio)


def _add(parent: Element, tag: str, values: Mapping[str, float | tuple[float, ...]]) -> Element:
    return etree.SubElement(parent, tag, {name: _text(value) for name, value in values.items()})


def _text(value: float | tuple[float, ...]) -> str:
    entries = value if isinstance(value, tuple) else (value,)
    # float() first: numpy's numbers have a repr of their own.
    return ' '.join(repr(float(entry)) for entry in entries)

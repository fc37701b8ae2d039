"""
The identified robot as a model of MuJoCo (MJCF): bodies, rotors, friction and gains.

For what MuJoCo has as well, its inverse dynamics is ours to rounding: inertias, rotors as
`armature`, viscous friction as `damping`, the offset of friction as a constant force of the
actuator, and Coulomb friction as `frictionloss`, a constraint that is a sign of the velocity but
close to rest. Stribeck friction, asymmetry, quadratic friction and friction with the load have no
place in it, and are listed in a comment.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from lxml import etree

from urdf2dyn_ros.identification.identification import Identification
from urdf2dyn_ros.identification.identified_urdf import identified_joint_terms, identified_model
from urdf2dyn_ros.robot.document import Element
from urdf2dyn_ros.robot.joints import DECOMPOSED, JOINTS
from urdf2dyn_ros.robot.model import Inertia, Joint, RobotModel
from urdf2dyn_ros.robot.spatial import Triple, from_rpy, transpose
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor

_TIMESTEP = 0.002   # MuJoCo's own default [s]
_LEAST_INERTIA = 2e-15   # mass [kg] and moments [kg m^2] of a link without; MuJoCo rejects less
_LACKING = ('stribeck', 'load', 'quadratic', 'asymmetry')   # fields of Friction


def identified_mjcf(result: Identification, head: Sequence[str] = ()) -> bytes:
    """Return identified.xml; `head` are lines of a comment. It has no shapes and no contacts."""
    model, terms = identified_model(result), identified_joint_terms(result)
    lacking = [f'{joint} {name} {getattr(term, name):.6g}' for joint, each in terms.items()
               for term in each if isinstance(term, Friction)
               for name in _LACKING if getattr(term, name) != 0.0]
    robot = etree.Element('mujoco', model=model.name)
    robot.append(etree.Comment('\n'.join((*head, 'Friction that MuJoCo does not have: ' + (
        ', '.join(lacking) or 'none'))).replace('--', '- -') + '\n'))
    _add(robot, 'compiler', angle='radian', balanceinertia='false', boundmass=_LEAST_INERTIA,
         boundinertia=_LEAST_INERTIA)
    _add(robot, 'option', gravity=result.robot.dynamics.gravity_vector, timestep=_TIMESTEP)
    # as stiff as it may be; by default friction turns over 20 ms before a joint does
    _add(_add(robot, 'default'), 'joint', solreffriction=(2.0 * _TIMESTEP, 1.0))
    bodies = {model.root: _add(robot, 'worldbody')}   # the root is fixed
    inertias = {link.name: link.inertia for link in model.links}
    for joint in _outwards(model):
        body = _add(bodies[joint.parent], 'body', name=joint.child, pos=joint.xyz,
                    xyaxes=_axes(joint.rpy))
        bodies[joint.child] = body
        _inertial(body, inertias[joint.child])
        if joint.type != 'fixed':
            _joints(body, joint, terms)
    followers = [joint for joint in model.joints if joint.mimic]
    equality = _add(robot, 'equality') if followers else robot
    for joint in followers:
        assert joint.mimic is not None
        _add(equality, 'joint', joint1=joint.name, joint2=joint.mimic.joint,
             polycoef=(joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0))
    actuators = _add(robot, 'actuator')
    for name, gain, limit in zip(result.robot.joints, result.effort_per_unit.tolist(),
                                 result.robot.dynamics.limits):
        friction = next((term for term in terms.get(name, ()) if isinstance(term, Friction)),
                        Friction())
        motor = _add(actuators, 'general', name=name, joint=name, gear=gain, biastype='affine',
                     biasprm=(-float(friction.offset) / gain, 0.0, 0.0))
        if limit.effort:
            most = abs(limit.effort / gain)
            motor.set('ctrlrange', _text((-most, most)))
    return bytes(etree.tostring(robot, encoding='utf-8', pretty_print=True))


def _outwards(model: RobotModel) -> Iterable[Joint]:
    """Yield each joint after that of its parent."""
    children: dict[str, list[Joint]] = {}
    for joint in model.joints:
        children.setdefault(joint.parent, []).append(joint)
    open_links = [model.root]
    for link in open_links:
        for joint in children.get(link, ()):
            yield joint
            open_links.append(joint.child)


def _inertial(body: Element, inertia: Inertia | None) -> None:
    if inertia is None or not inertia.mass:
        return
    R: np.ndarray = np.array(from_rpy(inertia.rpy))
    xx, xy, xz, yy, yz, zz = inertia.tensor
    J = R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ R.T
    _add(body, 'inertial', mass=inertia.mass, pos=inertia.com,
         fullinertia=(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))


def _joints(body: Element, joint: Joint, terms: dict[str, tuple[JointTerm, ...]]) -> None:
    for part in DECOMPOSED[joint.type](joint):
        element = _add(body, 'joint', name=part.name, axis=part.axis,
                       type='hinge' if JOINTS[part.type].turns else 'slide')
        armature = sum(float(term.armature) for term in terms.get(part.name, ())
                       if isinstance(term, Rotor))
        for name, value in (('damping', joint.damping), ('frictionloss', joint.friction),
                            ('armature', armature)):
            if value:
                element.set(name, _text(value))
        lower, upper = joint.limits.lower, joint.limits.upper
        if joint.type in ('revolute', 'prismatic') and lower is not None and upper is not None:
            element.set('range', _text((lower, upper)))


def _axes(rpy: Triple) -> tuple[float, ...]:
    """Return the x and the y axis of a frame in its parent."""
    x, y, _ = transpose(from_rpy(rpy))
    return (*x, *y)


def _add(parent: Element, tag: str, **values: str | float | Sequence[float]) -> Element:
    element = etree.SubElement(parent, tag)
    for name, value in values.items():
        element.set(name, value if isinstance(value, str) else _text(value))
    return element


def _text(value: float | Sequence[float]) -> str:
    numbers = value if isinstance(value, Sequence) else (value,)
    return ' '.join(repr(float(number)) for number in numbers)

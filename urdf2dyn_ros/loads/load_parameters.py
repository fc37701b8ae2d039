"""The loads as parameters: which of them count, and for each joint what the URDF lacks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.loads import TERMS, Friction, JointTerm, Loads
from urdf2dyn_ros.loads.joint_term import LARGEST_SETTING, SMALLEST_DIVISOR_SETTING
from urdf2dyn_ros.multibody import ROOT, multibody
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.parameter_family import Family
from urdf2dyn_ros.quoting import first_names, listed, quote
from urdf2dyn_ros.robot_model import Joint, RobotModel

SIGN_WIDTH = 0.01
"""Velocity [rad/s or m/s] at which the smooth sign of Coulomb friction has come to tanh(1)."""

LOAD_PARAMETERS = (
    Parameter('friction.enabled', False,
              'Count the friction of the joints: <dynamics damping friction> of the URDF is '
              'viscous and Coulomb friction, joints.* are added or take its place. False where '
              'the measured effort is net of friction, as that of Gazebo is.'),
    Parameter('friction.width', SIGN_WIDTH,
              'Velocity within which the sign of Coulomb friction turns over: tanh(qd / width).',
              unit='rad/s or m/s', minimum=SMALLEST_DIVISOR_SETTING, maximum=LARGEST_SETTING),
    Parameter('rotor.enabled', True,
              'Count the inertia of the rotors that drive the joints, where joints.* give it.'),
    Parameter('rotor.gyroscopic', False,
              'Count that a rotor also rotates with its parent; its axis is parallel to that of '
              'the joint. Revolute and continuous joints only.'),
    Parameter('spring.enabled', True, 'Count the springs at the joints that joints.* give.'),
    Parameter('forces.enabled', True, 'Count the <force> tags of the URDF.'),
)
"""Which loads a node counts."""

JOINT_PARAMETERS = Family('joints', 'joint', tuple(
    row.row for term in TERMS.values() for row in term.rows().values()))
"""Parameters of the joint terms of each movable joint; a mimic joint has its own."""

WRENCH_TOPICS = Family('external_wrenches', 'link', (
    Parameter('', '', 'Topic (geometry_msgs/WrenchStamped) with the wrench on the link; its '
              'frame_id is any link of the robot, about whose origin the torque is. Empty for '
              'none.',
              read_only=True),
))
"""Topics with the measured wrenches on links."""


def _terms(values: Mapping[str, Any], own: Mapping[str, float], joint: Joint | None,
           turns: bool) -> Iterator[JointTerm]:
    """Yield a joint's terms; its `own` parameters precede the URDF's, these the defaults."""
    defaults = {'friction_width': values['friction.width']}
    for name, term in TERMS.items():
        fields: dict[str, Any] = {}
        for field, row in term.rows().items():
            value = defaults.get(row.setting, row.row.default)
            if joint is not None and row.urdf and getattr(joint, row.urdf) is not None:
                value = getattr(joint, row.urdf)
            fields[field] = row.value(own.get(row.setting, value))
        if name == 'rotor':   # where a joint slides its rotor's axis may be any
            fields['gyroscopic'] = values['rotor.gyroscopic'] and turns
        yield term(**fields)


def with_loads(values: Mapping[str, Any], model: RobotModel) -> tuple[RobotModel, Loads]:
    """
    Return a robot with the forces that count, and its loads.

    The values are as `loading` returns them. Parameters of joints that this robot does not have
    are ignored; `unheeded` reports them.
    """
    of_joints = JOINT_PARAMETERS.of(values)
    joints = {joint.name: joint for joint in model.joints}
    terms = {body.name: [term for term in _terms(
        values, of_joints.get(body.name, {}), joints.get(body.name), bool(JOINTS[body.type].turns))
        if values[f'{term.NAME}.enabled'] and not term.is_off()]
        for body in multibody(model).bodies}
    if not values['forces.enabled']:
        model = replace(model, forces=())
    return model, Loads(_base(values), {name: each for name, each in terms.items() if each},
                        tuple(external(values)), values['payload.link'])


def _base(values: Mapping[str, Any]) -> str:
    """Return `Loads.base`: a base that a sensor measures moves."""
    return values['base'] if values['base'] in ('auto', 'fixed') else 'moving'


def external(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the links with a measured wrench, and its topic."""
    return {link: row[''] for link, row in WRENCH_TOPICS.of(values).items() if row['']}


def loading(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that `with_loads` looks at; JSON can hold them."""
    names = {'base', 'payload.link', *(row.name for row in LOAD_PARAMETERS)}
    return {name: value for name, value in values.items()
            if name in names or JOINT_PARAMETERS.has(name) or WRENCH_TOPICS.has(name)}


def check_names(names: Mapping[str, Any], model: RobotModel) -> None:
    """Raise a ParameterError for parameters of joints that the robot does not have."""
    for line in _unknown(names, model):
        raise ParameterError(line)


def unheeded(values: Mapping[str, Any], model: RobotModel) -> list[str]:
    """Return what is set without effect on this robot, a sentence each; all parameters."""
    return [*_unknown(values, model), *_of_disabled_terms(values), *_incomplete(values),
            *_on_resting_links(values, model), *_without_friction(values, model)]


def _of_disabled_terms(values: Mapping[str, Any]) -> Iterator[str]:
    for name, term in TERMS.items():
        settings = {row.setting for row in term.rows().values()}
        parameters = [parameter for parameter in values if JOINT_PARAMETERS.has(parameter)
                      and JOINT_PARAMETERS.split(parameter)[1] in settings]
        if parameters and not values[f'{name}.enabled']:
            yield f'{", ".join(parameters)} without effect: {name}.enabled is false'


def _incomplete(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each parameter that needs another one."""
    if values['payload.mass'] and not values['payload.link']:
        yield 'payload.mass without effect: payload.link is empty'
    for joint, row in JOINT_PARAMETERS.of(values).items() if values['rotor.enabled'] else ():
        if 'gear_ratio' in row and not row.get('rotor_inertia'):
            yield f'joints.{joint}.gear_ratio without effect: its rotor_inertia is 0'


def _on_resting_links(values: Mapping[str, Any], model: RobotModel) -> Iterator[str]:
    system = multibody(model)
    if Loads(_base(values)).moving(system):
        return
    for load, link in (('payload', values['payload.link']),
                       *(('external wrench', link) for link in external(values)),
                       *(('<force>', force.link)
                         for force in model.forces * values['forces.enabled'])):
        if link in system.links and system.links[link][0] == ROOT:
            yield f'{load} on link {quote(link)} without effect: the link stands still'


def _without_friction(values: Mapping[str, Any], model: RobotModel) -> Iterator[str]:
    if not values['friction.enabled']:
        return
    settings = {row.setting for row in Friction.rows().values()}
    if not (any(joint.damping or joint.friction for joint in model.joints)
            or any(settings & {*row} for row in JOINT_PARAMETERS.of(values).values())):
        yield ('friction.enabled without effect: the URDF has no <dynamics damping friction> '
               'other than 0, and no joints.* gives friction')
    singles = {body.name for body in multibody(model).bodies}
    for joint in model.joints:
        if (joint.type in ('planar', 'floating') and joint.name not in singles
                and (joint.damping or joint.friction)):
            yield (f'damping and friction of joint {quote(joint.name)} are not counted: it has '
                   'several coordinates; set joints.<coordinate>.viscous and coulomb')


def _unknown(names: Mapping[str, Any], model: RobotModel) -> Iterator[str]:
    known = [body.name for body in multibody(model).bodies]
    unknown = [joint for joint in JOINT_PARAMETERS.of(names) if joint not in set(known)]
    if unknown:
        parameters = first_names([f'joints.{joint}.*' for joint in unknown], 10)
        yield (f'parameters {parameters}: {quote(model.name)} has no movable joint '
               f'{listed(unknown)}; its joints are {listed(known, 100)}')

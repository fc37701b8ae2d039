"""What acts on the joints as parameters: what is on, and for each joint what the URDF lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.joint_terms import Friction, Rotor, Spring, Term
from urdf2dyn_ros.joint_terms.urdf_friction import SIGN_WIDTH
from urdf2dyn_ros.joints import JOINTS as JOINTS_BY_TYPE
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.moving_base import BASES
from urdf2dyn_ros.multibody import ROOT, Multibody, multibody
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.parameter_family import Family
from urdf2dyn_ros.quoting import listed, quote
from urdf2dyn_ros.robot_model import Joint, RobotModel

_LEAST, _MOST = 1e-6, 1e9
"""Of velocities that are divided by, and of everything."""

BASE = Parameter('base', 'auto', 'Whether the root of the robot moves, and what tells how: imu '
                 '(the topic imu, of a sensor on any link) or odometry (the topic odometry, of '
                 'any link); auto: imu if the root has a floating joint, else fixed.',
                 choices=('auto', 'fixed', *BASES))

LOADS = (
    Parameter('friction.enabled', False,
              'Count the friction of the joints: <dynamics damping friction> of the URDF is '
              'viscous and Coulomb friction, joints.* are added or take its place. False where '
              'the measured effort is net of friction, as that of Gazebo is.'),
    Parameter('friction.width', SIGN_WIDTH,
              'Velocity within which the sign of Coulomb friction turns over: tanh(qd / width).',
              unit='rad/s or m/s', minimum=_LEAST, maximum=_MOST),
    Parameter('rotor.enabled', True,
              'Count the inertia of the rotors that drive the joints, where joints.* give it.'),
    Parameter('rotor.gyroscopic', False,
              "Count that a rotor spins with its parent as well; its axis is parallel to the "
              "joint's. Joints that turn alone have it."),
    Parameter('spring.enabled', True, 'Count the springs beside the joints that joints.* give.'),
    Parameter('forces.enabled', True, 'Count the <force> tags of the URDF.'),
)
"""What a node computes with, of what is given."""

JOINTS = Family('joints', 'joint', (
    Parameter('viscous', 0.0, 'Viscous friction; by default the damping of the URDF.',
              unit='N m s/rad or N s/m', minimum=0.0, maximum=_MOST),
    Parameter('coulomb', 0.0, 'Coulomb friction; by default the friction of the URDF.',
              unit='N m or N', minimum=0.0, maximum=_MOST),
    Parameter('stribeck', 0.0, 'What sticking takes more than sliding.', unit='N m or N',
              minimum=0.0, maximum=_MOST),
    Parameter('stribeck_velocity', 0.1, 'Velocity at which that has fallen to 1/e.',
              unit='rad/s or m/s', minimum=_LEAST, maximum=_MOST),
    Parameter('friction_width', SIGN_WIDTH, 'In the place of friction.width.', unit='rad/s or m/s',
              minimum=_LEAST, maximum=_MOST),
    Parameter('friction_offset', 0.0, 'Offset of the friction.', unit='N m or N',
              minimum=-_MOST, maximum=_MOST),
    Parameter('rotor_inertia', 0.0, 'Inertia of the rotor about its own axis.', unit='kg m^2',
              minimum=0.0, maximum=_MOST),
    Parameter('gear_ratio', 1.0, 'Turns of the rotor for one of the joint, negative where they '
              'are opposite; by default the mechanicalReduction of the URDF.',
              unit='- or rad/m', minimum=-_MOST, maximum=_MOST),
    Parameter('armature', 0.0, 'Reflected inertia of the rotor that is known as such, added to '
              'rotor_inertia * gear_ratio^2.', unit='kg m^2 or kg', minimum=0.0,
              maximum=_MOST),
    Parameter('spring_stiffness', 0.0, 'Stiffness of the spring.', unit='N m/rad or N/m',
              minimum=0.0, maximum=_MOST),
    Parameter('spring_reference', 0.0, 'Position at which it is slack.', unit='rad or m',
              minimum=-_MOST, maximum=_MOST),
))
"""What may be given for each movable joint; a mimic joint has its own."""

EXTERNAL = Family('external_wrenches', 'link', (
    Parameter('', '', 'Topic (geometry_msgs/WrenchStamped) with the wrench on the link; its '
              'frame_id is any link of the robot, about whose origin the torque is. Empty for '
              'none.',
              read_only=True),
))
"""Links on which a measured wrench acts."""

_FIELDS = {
    'friction': ('viscous', 'coulomb', 'stribeck', 'stribeck_velocity', 'friction_width',
                 'friction_offset'),
    'rotor': ('rotor_inertia', 'gear_ratio', 'armature'),
    'spring': ('spring_stiffness', 'spring_reference'),
}
"""Name of a term to the fields that make it."""


def _fields(values: Mapping[str, Any], given: Mapping[str, float], joint: Joint | None,
            ) -> dict[str, float]:
    """Return every field of a joint: as given, else as the URDF has it, else by default."""
    found = {row.name: row.default for row in JOINTS.rows}
    found['friction_width'] = values['friction.width']
    if joint is not None:
        found['viscous'], found['coulomb'] = joint.damping, joint.friction
        if joint.gear_ratio is not None:
            found['gear_ratio'] = joint.gear_ratio
    return {**found, **given}


def _friction(own: Mapping[str, float]) -> Friction:
    return Friction(viscous=own['viscous'], coulomb=own['coulomb'],
                    steepness=1.0 / own['friction_width'], stribeck=own['stribeck'],
                    decay=1.0 / own['stribeck_velocity']**2, offset=own['friction_offset'])


def loaded(values: Mapping[str, Any], model: RobotModel) -> tuple[RobotModel, Loads]:
    """
    Return a robot with the forces that count, and what else acts on it.

    Parameters
    ----------
    values : mapping
        As `loading` returns them. `JOINTS` may be of joints that this robot does not have, which
        `unheeded` tells.
    model : RobotModel

    """
    given = JOINTS.of(values)
    joints = {joint.name: joint for joint in model.joints}
    found = {}
    system = multibody(model)
    for body in system.bodies:
        own = _fields(values, given.get(body.name, {}), joints.get(body.name))
        # where a joint slides its rotor's axis may be any
        gyroscopic = values['rotor.gyroscopic'] and bool(JOINTS_BY_TYPE[body.type].turns)
        terms: tuple[Term, ...] = (
            _friction(own),
            Rotor(own['rotor_inertia'], own['gear_ratio'], own['armature'], gyroscopic),
            Spring(own['spring_stiffness'], own['spring_reference']))
        # a rotor without a gear ratio is no rotor that is off: it is refused
        kept = tuple(term for term in terms if values[f'{term.NAME}.enabled'] and not (
            term.is_off() and not (isinstance(term, Rotor) and term.inertia != 0.0)))
        if kept:
            found[body.name] = kept
    if not values['forces.enabled']:
        model = replace(model, forces=())
    base = 'moving' if sensor(values, system) else 'fixed'
    return model, Loads(base, found, tuple(external(values)), values['payload.link'])


def external(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the links on which a measured wrench acts, with its topic."""
    return {link: row[''] for link, row in EXTERNAL.of(values).items() if row['']}


def sensor(values: Mapping[str, Any], system: Multibody) -> str:
    """Return what tells how the root moves, a key of BASES; empty if it stands still."""
    chosen: str = values['base']
    if chosen == 'auto':
        chosen = 'imu' if system.floating else 'fixed'
    return '' if chosen == 'fixed' else chosen


def loading(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that `loaded` looks at; JSON can hold them."""
    names = {'base', 'payload.link', *(row.name for row in LOADS)}
    return {name: value for name, value in values.items()
            if name in names or JOINTS.has(name) or EXTERNAL.has(name)}


def check_names(names: Mapping[str, Any], model: RobotModel) -> None:
    """Raise a ParameterError for parameters of joints that the robot does not have."""
    for line in _unknown(names, model):
        raise ParameterError(line)


def unheeded(values: Mapping[str, Any], model: RobotModel) -> list[str]:
    """Return what is given and has no effect on this robot, a sentence each; all parameters."""
    lines = list(_unknown(values, model))
    for name, fields in _FIELDS.items():
        given = [parameter for parameter in values if JOINTS.has(parameter)
                 and JOINTS.split(parameter)[1] in fields]
        if given and not values[f'{name}.enabled']:
            lines.append(f'{", ".join(given)} without effect: {name}.enabled is false')
    if values['payload.mass'] and not values['payload.link']:
        lines.append('payload.mass without effect: payload.link is empty')
    system = multibody(model)
    if values['rotor.enabled']:
        lines += [f'{JOINTS.prefix}.{joint}.gear_ratio without effect: its rotor_inertia is 0'
                  for joint, row in JOINTS.of(values).items()
                  if 'gear_ratio' in row and not row.get('rotor_inertia')]
    if values['forces.enabled'] and not sensor(values, system):
        lines += [f'<force> on link {quote(force.link)} without effect: the link stands still'
                  for force in model.forces if system.links[force.link][0] == ROOT]
    if values['friction.enabled']:
        singles = {body.name for body in system.bodies}
        lines += [f'damping and friction of joint {quote(joint.name)} are not counted: it has '
                  f'several coordinates; set {JOINTS.prefix}.<coordinate>.viscous and coulomb'
                  for joint in model.joints
                  if joint.type in ('planar', 'floating') and joint.name not in singles
                  and (joint.damping or joint.friction)]
    return lines


def _unknown(names: Mapping[str, Any], model: RobotModel) -> Iterator[str]:
    known = [body.name for body in multibody(model).bodies]
    for joint in JOINTS.of(names):
        if joint not in known:
            yield (f'parameters {JOINTS.prefix}.{joint}.*: {quote(model.name)} has no movable '
                   f'joint {quote(joint)}; its joints are {listed(known, 100)}')

"""Loads on a robot: joint terms, payloads, wrenches, gravity, as data and as parameters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.inertia import inertia_flaw
from urdf2dyn_ros.robot.joints import JOINTS, JointType
from urdf2dyn_ros.robot.lock import LOCK, lock_joints, locked_positions
from urdf2dyn_ros.robot.loop_notations import LOOP_PARAMETERS
from urdf2dyn_ros.robot.model import Joint, RobotModel
from urdf2dyn_ros.robot.multibody import ROOT, Multibody, make_multibody
from urdf2dyn_ros.robot.parameters import Family, Parameter
from urdf2dyn_ros.robot.spatial import Array, Triple
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor, Spring
from urdf2dyn_ros.text import first_names, listed, quote

# ---- Loads on a robot, as a user declares them

BASES = ('auto', 'fixed', 'moving')


@dataclass(frozen=True)
class Loads:
    """
    Loads in addition to the links' inertia and gravity; by default the ``<force>`` tags alone.

    Attributes
    ----------
    base : str
        'fixed': the root stands still. 'moving': the motion of the root is an input, and what the
        world has to give it a result. 'auto': moving if the root has a floating joint.
    terms : mapping
        Name of a movable joint to its friction, rotor and spring.
    external : sequence of str, or str
        Links with a wrench that is an input.
    payload : str
        Link that carries a payload, which is an input; empty for none.

    """

    base: str = 'auto'
    terms: Mapping[str, Sequence[JointTerm]] = field(default_factory=dict)
    external: Sequence[str] = ()
    payload: str = ''

    def __post_init__(self) -> None:
        # lists of their own: a generator would be empty when it is read again
        if isinstance(self.external, str):
            object.__setattr__(self, 'external', (self.external,) if self.external else ())
        elif isinstance(self.external, Iterable):
            object.__setattr__(self, 'external', tuple(self.external))
        if isinstance(self.terms, Mapping):
            object.__setattr__(self, 'terms', {
                name: tuple(terms) if isinstance(terms, Iterable) else terms
                for name, terms in self.terms.items()})

    def moving(self, system: Multibody) -> bool:
        """Return whether the motion of the root is an input."""
        return self.base == 'moving' or (self.base == 'auto' and system.floating)

    def acts(self, system: Multibody) -> bool:
        """Return whether there is any load, or a moving base."""
        return (self.moving(system) or bool(system.forces or self.external)
                or any(not term.is_off() for terms in self.terms.values() for term in terms))

    def check(self, system: Multibody) -> None:
        """Raise a ParameterError for what the robot does not have, or a term that cannot be."""
        if self.base not in BASES:
            raise ParameterError(f'unknown base {self.base!r}; it is one of {", ".join(BASES)}')
        if system.floating and self.moving(system) and system.anchored:
            raise ParameterError(
                f'what is on {listed(system.anchored)} does not move with the floating robot, as '
                f'it is on the same root {quote(system.root[0].link.name)}: describe the floating '
                'robot alone, or choose base fixed, which fixes everything to the root')
        self._check_terms(system)
        if not isinstance(self.external, Iterable):
            raise ParameterError(f'external is {self.external!r}; it must be a list of links')
        loaded = [(link, 'an external wrench') for link in self.external]
        if self.payload:
            loaded.append((self.payload, 'a payload'))
        for name, what in loaded:
            if not isinstance(name, str) or name not in system.links:
                raise ParameterError(f'there is no link {name!r} for {what}; the links are: '
                                     f'{", ".join(system.links)}')
            if self.moving(system) and name in system.world:
                raise ParameterError(f'link {name!r} is the world, in which the robot floats, or '
                                     f'fixed to it: {what} must be on another link')
        if len(set(self.external)) < len(tuple(self.external)):
            raise ParameterError('a link is named twice for external wrenches: '
                                 f'{", ".join(self.external)}')

    def _check_terms(self, system: Multibody) -> None:
        joints = {body.name: JOINTS[body.type] for body in system.bodies}
        if not isinstance(self.terms, Mapping):
            raise ParameterError(f'terms is a {type(self.terms).__name__}; it must be a mapping: '
                                 "{'joint1': [Friction(viscous=0.1)]}")
        for name, terms in self.terms.items():
            if name not in joints:
                raise ParameterError(f'there is no movable joint {name!r} for friction, rotor or '
                                     f'spring; the joints are: {", ".join(sorted(joints))}')
            if not isinstance(terms, Iterable) or any(
                    not isinstance(term, JointTerm) for term in terms):
                raise ParameterError(f'joint {name!r} has {terms!r}: give a list of Friction, '
                                     'Rotor and Spring')
            for term in terms:
                term.check(name, joints[name])
            if any(other.startswith(f'{name}/') for other in joints) and not all(
                    term.is_off() for term in terms):
                raise ParameterError(
                    f'joint {name!r} follows several motors, and friction, rotor and spring of '
                    'such a joint are not computed: set them to 0, or add them to the motors')
            kinds = [term.NAME for term in terms]
            if len(set(kinds)) < len(kinds):
                raise ParameterError(f'joint {name!r} has {", ".join(kinds)}: give at most one '
                                     'of each, with the parameters of all')


def checked_loads(loads: object) -> Loads:
    """Return loads as they are, or raise a ParameterError for what is of another class."""
    if isinstance(loads, Loads):
        return loads
    raise ParameterError(f'loads is a {type(loads).__name__}; it must be of the class '
                         "urdf2dyn_ros.Loads: Loads(terms={'joint1': [...]})")


@dataclass(frozen=True)
class Payload:
    """
    A body that the link of `Loads.payload` carries, as an argument of a call.

    Attributes
    ----------
    mass : float
        [kg]
    com : sequence of float, (3,)
        Centre of mass [m], in the frame of the link.
    inertia : sequence of float, (6,)
        ixx ixy ixz iyy iyz izz [kg m^2] about the centre of mass, along the axes of the link.

    Raises
    ------
    ParameterError
        For what no body has. Ten numbers in the place of a Payload are not checked.

    """

    mass: float
    com: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        values = {row.name: row.check(getattr(self, row.name.removeprefix('payload.')))
                  for row in PAYLOAD_BODY}
        if fault := payload_fault(values):
            raise ParameterError(fault)
        for name, value in values.items():   # which do not change after this
            object.__setattr__(self, name.removeprefix('payload.'), value)

    @cached_property
    def numbers(self) -> Array:
        """The ten numbers that a call takes."""
        return np.array([self.mass, *self.com, *self.inertia], np.float64)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.numbers, dtype)


BodyTerms = Mapping[int, tuple[JointTerm, ...]]   # terms at the joint of a body, by its number


def body_terms(system: Multibody, loads: Loads) -> dict[int, tuple[JointTerm, ...]]:
    """Return the terms by the number of a body; what is off leaves no trace."""
    terms = {i: tuple(term for term in loads.terms.get(body.name, ()) if not term.is_off())
             for i, body in enumerate(system.bodies)}
    return {i: each for i, each in terms.items() if each}


# A new joint term is a class in terms.py and an entry here.
TERMS: dict[str, type[JointTerm]] = {term.NAME: term for term in (Friction, Rotor, Spring)}


# ---- What a link carries, as parameters that may change at any time, and as numbers for equations

_LARGEST_SI = 1e9   # [kg], [m], [kg m^2]

_FARTHEST = 10.0   # centre of a payload from which on it looks like millimetres [m]
PAYLOAD_BODY = (
    Parameter('payload.mass', 0.0, 'Mass of the payload.', unit='kg', minimum=0.0,
              maximum=_LARGEST_SI),
    Parameter('payload.com', (0.0, 0.0, 0.0), 'Its centre of mass, in the frame of that link.',
              unit='m', minimum=-_LARGEST_SI, maximum=_LARGEST_SI),
    Parameter('payload.inertia', (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 'Its inertia ixx ixy ixz iyy iyz '
              'izz about the centre of mass, along the axes of the link.', unit='kg m^2',
              minimum=-_LARGEST_SI, maximum=_LARGEST_SI),
)
PAYLOAD = (
    Parameter('payload.link', '', 'Link that carries a payload; empty for none. The other '
              'payload.* may change while it is carried, with the next message; set together, '
              'they change together.'),
    *PAYLOAD_BODY,
    Parameter('payload.attached', True, 'Whether it is carried now; the service ~/set_payload '
              'changes it too.'),
)


def payload_entries(values: Mapping[str, Any]) -> Array:
    """Return what is carried as the equations take it, (10,): mass, centre, inertia."""
    if not values['payload.attached']:
        return np.zeros(10)
    return np.array([values['payload.mass'], *values['payload.com'], *values['payload.inertia']])


def payload_fault(values: Mapping[str, Any]) -> str:
    """Return why no body is like the payload of the parameters; empty if one may be."""
    mass, inertia = values['payload.mass'], values['payload.inertia']
    if not any(inertia):
        return ''
    if mass == 0.0:
        return 'payload.inertia without payload.mass is impossible: give the mass'
    flaw = inertia_flaw([f'{entry:.15g}' for entry in inertia], inertia, mass)
    return '' if flaw is None else f'payload.inertia: {flaw[1]}'


def payload_text(values: Mapping[str, Any]) -> str:
    """Return what is carried, and where, in words."""
    link = values['payload.link']
    if not link:
        return 'none'
    if not values['payload.attached']:
        return f'nothing on link {quote(link)}'
    com, inertia = (', '.join(f'{entry:.6g}' for entry in values[f'payload.{name}'])
                    for name in ('com', 'inertia'))
    return (f'{values["payload.mass"]:.6g} kg on link {quote(link)}, centre ({com}) m, inertia '
            f'({inertia}) kg m^2')


# ---- The loads as parameters: which of them count, and for each joint what the URDF lacks

LOAD_PARAMETERS = (
    *(row for term in TERMS.values() for row in term.PARAMETERS),
    Parameter('forces.enabled', True, 'Count the <force> tags of the URDF.'),
    LOCK,
    *LOOP_PARAMETERS,
)

JOINT_PARAMETERS = Family('joints', 'joint', tuple(
    row.node_parameter for term in TERMS.values() for row in term.rows().values()))
"""Parameters of the joint terms of each movable joint; a mimic joint has its own."""

WRENCH_TOPICS = Family('external_wrenches', 'link', (
    Parameter('', '', 'Topic (geometry_msgs/WrenchStamped) with the wrench on the link; its '
              'frame_id is any link of the robot, about whose origin the torque is. Empty for '
              'none.',
              read_only=True),
))
"""Topics with the measured wrenches on links."""


def _terms(values: Mapping[str, Any], own: Mapping[str, float], joint: Joint | None,
           kind: JointType) -> Iterator[JointTerm]:
    """Yield a joint's terms; its `own` parameters precede the URDF's, these the defaults."""
    for term in TERMS.values():
        fields = term.of_all(values, kind)
        for name_of_field, row in term.rows().items():
            value = values[row.shared] if row.shared else row.node_parameter.default
            if joint is not None and row.urdf and getattr(joint, row.urdf) is not None:
                value = getattr(joint, row.urdf)
            fields[name_of_field] = row.value(own.get(row.setting, value))
        yield term(**fields)


def with_loads(values: Mapping[str, Any], model: RobotModel) -> tuple[RobotModel, Loads]:
    """
    Return a robot with the joints that move and the forces that count, and its loads.

    The values are as `load_values` returns them. Parameters of joints that this robot does not
    have are ignored; `unused_settings` reports them. Its joints are locked as `lock` says.
    """
    model = lock_joints(model, locked_positions(values.get('lock', ())))
    of_joints = JOINT_PARAMETERS.of(values)
    joints = {joint.name: joint for joint in model.joints}
    terms = {body.name: [term for term in _terms(
        values, of_joints.get(body.name, {}), joints.get(body.name), JOINTS[body.type])
        if values[f'{term.NAME}.enabled'] and not term.is_off()]
        for body in make_multibody(model).bodies}
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


def load_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that `with_loads` looks at; JSON can hold them."""
    names = {'base', 'payload.link', *(row.name for row in LOAD_PARAMETERS)}
    return {name: value for name, value in values.items()
            if name in names or JOINT_PARAMETERS.has(name) or WRENCH_TOPICS.has(name)}


def unused_settings(values: Mapping[str, Any], model: RobotModel) -> Iterator[str]:
    """Yield what is set without effect on this robot, a sentence each; all parameters."""
    yield from _unknown(values, model)
    for name, term in TERMS.items():
        settings = {row.setting for row in term.rows().values()}
        parameters = [parameter for parameter in values if JOINT_PARAMETERS.has(parameter)
                      and JOINT_PARAMETERS.split(parameter)[1] in settings]
        if parameters and not values[f'{name}.enabled']:
            yield f'{", ".join(parameters)} without effect: {name}.enabled is false'
    for row in () if values['payload.link'] else PAYLOAD:
        if values[row.name] != row.default:
            yield f'{row.name} without effect: payload.link is empty'
    yield from payload_doubts(values)
    for joint, entry in JOINT_PARAMETERS.of(values).items() if values['rotor.enabled'] else ():
        if 'gear_ratio' in entry and not entry.get('rotor_inertia'):
            yield f'joints.{joint}.gear_ratio without effect: its rotor_inertia is 0'
    system = make_multibody(model)
    if not Loads(_base(values)).moving(system):
        for load, link in (('payload', values['payload.link']),
                           *(('external wrench', link) for link in external(values)),
                           *(('<force>', force.link)
                             for force in model.forces if values['forces.enabled'])):
            if link in system.links and system.links[link][0] == ROOT:
                yield f'{load} on link {quote(link)} without effect: the link stands still'
    if values['friction.enabled']:
        yield from _without_friction(values, model, system)


def payload_doubts(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield whether the centre of mass of a payload looks like one in millimetres."""
    if values['payload.mass'] and (far := max(map(abs, values['payload.com']))) > _FARTHEST:
        yield (f'the payload is {far:g} m from the origin of its link: is payload.com in '
               'millimetres? it must be in metres')


def _without_friction(values: Mapping[str, Any], model: RobotModel,
                      system: Multibody) -> Iterator[str]:
    settings = {row.setting for row in Friction.rows().values()}
    if not (any(joint.damping or joint.friction for joint in model.joints)
            or any(settings & {*row} for row in JOINT_PARAMETERS.of(values).values())):
        yield ('friction.enabled without effect: the URDF has no <dynamics damping friction> '
               'other than 0, and no joints.* gives friction')
    singles = {body.name for body in system.bodies}
    for joint in model.joints:
        if (joint.moves and joint.name not in singles
                and (joint.damping or joint.friction)):
            yield (f'damping and friction of joint {quote(joint.name)} are not counted: it has '
                   'several coordinates; set joints.<coordinate>.viscous and coulomb')


def check_names(names: Mapping[str, Any], model: RobotModel) -> None:
    """Raise a ParameterError for parameters of joints that the robot does not have."""
    for line in _unknown(names, model):
        raise ParameterError(line)


def _unknown(names: Mapping[str, Any], model: RobotModel) -> Iterator[str]:
    known = [body.name for body in make_multibody(model).bodies]
    still = {name for name, _ in model.locked}
    unknown = [joint for joint in JOINT_PARAMETERS.of(names) if joint not in {*known, *still}]
    if unknown:
        parameters = first_names([f'joints.{joint}.*' for joint in unknown], 10)
        yield (f'parameters {parameters}: {quote(model.name)} has no movable joint '
               f'{listed(unknown)}; its joints are {listed(known, 100)}')


# ---- Gravity: its default, and the parameter that sets it

GRAVITY: Triple = (0.0, 0.0, -9.81)
GRAVITY_PARAMETER = Parameter('gravity', GRAVITY, 'Gravity in the root frame.', unit='m/s^2',
                              minimum=-1000.0, maximum=1000.0)


def checked_gravity(gravity: ArrayLike) -> Triple:
    """Return three numbers as they are, or raise a ParameterError."""
    return cast('Triple', GRAVITY_PARAMETER.check(gravity))

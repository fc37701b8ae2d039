"""Terms at joints, alone by formula or oracle, and as their sum; loads that cannot be."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import entries, everything, terms
from support.mechanisms import mechanism
from support.oracles import MuJoCo, Pinocchio, columns, random_state, worst
from support.random_trees import examples, random_inertia, trees
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, ParameterError, RobotModel, read_urdf
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.robot.joints import Coordinate, Motion
from urdf2dyn_ros.robot.loads import LOAD_PARAMETERS, PAYLOAD, TERMS, Loads, with_loads
from urdf2dyn_ros.robot.model import ExternalForce, Inertial, Joint, Limits, Link, Mimic
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.rotations import aligned
from urdf2dyn_ros.robot.spatial import ZERO
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor, Spring
from urdf2dyn_ros.robot.writer import clean_urdf

RX90 = read_urdf((OWN / 'rx90.urdf').read_bytes())
SCARA = read_urdf((OWN / 'scara.urdf').read_bytes())
RESTING = Motion(ZERO, ZERO, ZERO)
SEVEN_JOINTS = [*map(robot_path, ('xarm7', 'panda'))]


def state_of(model: RobotModel, seed: int = 0) -> list[list[float]]:
    names = make_multibody(model).joint_names
    return columns(names, random_state(names, seed)).tolist()


def added(model: RobotModel, loads: Loads) -> np.ndarray:
    state = state_of(model)
    return InverseDynamics(model, loads=loads)(*state) - InverseDynamics(model)(*state)


def test_terms_that_are_off_leave_no_trace_in_any_text() -> None:
    off = Loads(terms={name: [Friction(), Rotor(), Spring(reference=1.0)]
                       for name in make_multibody(RX90).joint_names})
    assert InverseDynamics(RX90, loads=off).text == InverseDynamics(RX90).text
    made = [generate(make_multibody(RX90), name='r', loads=loads)
            for loads in (off, Loads())]
    assert made[0].functions == made[1].functions and made[0].parameters == made[1].parameters


@pytest.mark.parametrize('path', [OWN / 'rx90.urdf', OWN / 'scara.urdf', *SEVEN_JOINTS],
                         ids=lambda path: path.stem)
def test_rotors_are_mujocos_armature(path: Path) -> None:
    model = read_urdf(path.read_bytes())
    names = make_multibody(model).joint_names
    rng = np.random.default_rng(1)
    rotors = {name: Rotor(*rng.uniform(0.1, 2.0, 3)) for name in names}
    peer = MuJoCo(clean_urdf(model))
    for name, rotor in rotors.items():
        peer.set_armature(name, rotor.inertia * rotor.gear_ratio ** 2 + rotor.armature)
    state = random_state(names)
    dynamics = InverseDynamics(model, loads=Loads(terms={n: [r] for n, r in rotors.items()}))
    q, qd, qdd = columns(names, state)
    expected = peer.efforts(state)
    assert worst(dynamics(q, qd, qdd), [expected[name] for name in names]) < 1e-10
    again = dynamics.mass_matrix(q) @ qdd + dynamics.bias(q, qd)
    assert worst(again, [expected[name] for name in names]) < 1e-10


def with_rotor_bodies(model: RobotModel, rotors: dict[str, Rotor], at_rest: bool) -> RobotModel:
    """Return the robot with each rotor as a link: fixed to the parent, or turning N times."""
    links, joints = list(model.links), list(model.joints)
    for joint in model.joints:
        if joint.name not in rotors:
            continue
        z, rotor = [row[2] for row in aligned(joint.axis)], rotors[joint.name]
        tensor = tuple(rotor.inertia * z[i] * z[j]
                       for i in range(3) for j in range(i, 3))
        links.append(Link(f'{joint.name}_rotor',
                          Inertial(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), tensor)))
        joints.append(replace(
            joint, name=f'{joint.name}_motor', child=f'{joint.name}_rotor', limits=Limits(),
            type='fixed' if at_rest else 'continuous',
            mimic=None if at_rest else Mimic(joint.name, rotor.gear_ratio)))
    return replace(model, links=tuple(links), joints=tuple(joints))


def check_spinning_rotors(model: RobotModel) -> None:
    """Compare with rotors that are bodies of their own, moved by joints that follow."""
    names = make_multibody(model).joint_names
    rng = np.random.default_rng(2)
    turning = {joint.name for joint in model.joints if joint.type in ('revolute', 'continuous')}
    rotors = {name: Rotor(rng.uniform(0.1, 2.0), rng.uniform(-9.0, 9.0), gyroscopic=True)
              for name in names if name in turning}
    dynamics = InverseDynamics(with_rotor_bodies(model, rotors, at_rest=True),
                               loads=Loads(terms={n: [r] for n, r in rotors.items()}))
    explicit = with_rotor_bodies(model, rotors, at_rest=False)
    oracle = Pinocchio(clean_urdf(explicit))
    for seed in range(3):
        state = random_state(names, seed)
        expected = oracle.efforts(state)
        q, qd, qdd = columns(names, state)
        found = dynamics(q, qd, qdd)
        assert worst(found, [expected[name] for name in names]) < 1e-10
        again = dynamics.mass_matrix(q) @ qdd + dynamics.bias(q, qd)
        assert worst(again, found) < 1e-12


@examples(15)
@given(trees())
def test_gyroscopic_rotors_of_random_trees_are_bodies_that_spin(model: RobotModel) -> None:
    check_spinning_rotors(model)


def check_sum(model: RobotModel, base: str) -> None:
    """The terms add up to the efforts, and each is what it is alone."""
    loads = everything(model, base)
    state, given = state_of(model), entries(model, loads)
    dynamics = InverseDynamics(model, loads=loads)
    found = dynamics.terms(*state, *given)
    tau = dynamics(*state, *given)
    efforts = tau if base == 'fixed' else tau[0]
    size = sum(np.abs(part) for part in found.values()) if found else np.zeros(0)
    assert (np.abs(sum(found.values()) - efforts) <= 1e-12 * (1.0 + size.max(initial=0.0))).all()
    for name in TERMS:
        only = Loads(base, {joint: [term for term in each if name == term.NAME]
                            for joint, each in loads.terms.items()}, (), loads.payload)
        none = replace(only, terms={})
        beside = [values for values in given if len(values) != 6 * len(loads.external)
                  or not loads.external]
        with_it, without = (InverseDynamics(model, loads=each)(*state, *beside)
                            for each in (only, none))
        if base == 'moving':
            with_it, without = with_it[0], without[0]
        alone = found.get(name, np.zeros_like(efforts))
        assert np.abs(with_it - without - alone).max(initial=0.0) <= 1e-11 * (
            1.0 + size.max(initial=0.0))


@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('name', [
    'rx90', 'scara', 'robot_2r', pytest.param('humanoid_3p33r', marks=pytest.mark.slow)])
def test_terms_add_up_and_superpose(name: str, base: str) -> None:
    check_sum(read_urdf((OWN / f'{name}.urdf').read_bytes()), base)


def test_terms_of_links_are_the_functions_of_the_same_name() -> None:
    dynamics = InverseDynamics(RX90)
    q, qd, qdd = np.array(state_of(RX90))
    found = dynamics.terms(q, qd, qdd)
    assert set(found) == {'gravity', 'coriolis', 'inertia'}
    assert found['gravity'] == pytest.approx(dynamics.gravity(q), rel=1e-12, abs=1e-12)
    assert found['gravity'] + found['coriolis'] == pytest.approx(dynamics.bias(q, qd), rel=1e-12)
    assert found['inertia'] == pytest.approx(dynamics.mass_matrix(q) @ qdd, rel=1e-11)


def test_mimic_joints_hand_all_terms_to_their_driver() -> None:
    mimic = Mimic('joint1', 3.0, 0.7)
    model = replace(RX90, joints=tuple(
        replace(joint, mimic=mimic) if joint.name == 'joint2' else joint
        for joint in RX90.joints))
    all_terms = terms(model, gyroscopic=False)
    found = added(model, Loads(terms={'joint2': all_terms['joint2']}))
    q, qd, qdd = (row[0] for row in state_of(model))
    friction, rotor, spring = all_terms['joint2']
    assert isinstance(friction, Friction)
    assert isinstance(rotor, Rotor)
    assert isinstance(spring, Spring)
    own = (friction.viscous * 3.0 * qd + friction.offset
           + (friction.coulomb + friction.stribeck * math.exp(-friction.decay * 9.0 * qd * qd)
              + friction.asymmetry * 3.0 * qd) * math.tanh(friction.steepness * 3.0 * qd)
           + friction.quadratic * 3.0 * qd * abs(3.0 * qd)
           + (rotor.inertia * rotor.gear_ratio ** 2 + rotor.armature) * 3.0 * qdd
           + spring.stiffness * (3.0 * q + 0.7 - spring.reference))
    assert found == pytest.approx([3.0 * own, 0.0, 0.0, 0.0, 0.0], abs=1e-10)


# ---- Friction that depends on the transmitted effort, and quadratic friction

FRICTION = Friction(0.3, 2.0, 5.0, 0.4, 3.0, -0.2, load=0.15, quadratic=0.6, asymmetry=-0.25)
GIVEN = Loads(terms={'pivot': [FRICTION]})
MASS, LENGTH, INERTIA = 2.0, 0.7, 0.1
PENDULUM = RobotModel('pendulum', (Link('wall'), Link('bob', Inertial(
    MASS, (LENGTH, 0.0, 0.0), (0.0, 0.0, 0.0), (INERTIA, 0.0, 0.0, INERTIA, 0.0, INERTIA)))),
    (Joint('pivot', 'revolute', 'wall', 'bob', axis=(0.0, 1.0, 0.0)),), 'wall')
STATES = ((0.3, 1.5, 2.0), (2.5, -0.4, -30.0), (-1.0, 0.0, 7.0), (1.0, 0.02, 0.0))


def overcome(friction: Friction, qd: float, transmitted: float) -> float:
    return (friction.viscous * qd + friction.offset + friction.quadratic * qd * abs(qd)
            + (friction.coulomb + friction.load * abs(transmitted)
               + friction.stribeck * math.exp(-friction.decay * qd * qd)
               + friction.asymmetry * qd) * math.tanh(friction.steepness * qd))


@pytest.mark.parametrize('backend', ['python', 'c'])
@pytest.mark.parametrize('state', STATES)
def test_a_pendulum_has_its_closed_form(state: tuple[float, ...], backend: str) -> None:
    q, qd, qdd = state
    weight = -MASS * 9.81 * LENGTH * math.cos(q)
    transmitted = (INERTIA + MASS * LENGTH**2) * qdd + weight
    dynamics = InverseDynamics(PENDULUM, backend=backend, loads=GIVEN)
    tau = dynamics([q], [qd], [qdd])
    assert tau == pytest.approx([transmitted + overcome(FRICTION, qd, transmitted)], rel=1e-13)
    # without acceleration, by any function that has none; at rest, friction's offset alone
    bias = dynamics.bias([q], [qd])
    assert bias == pytest.approx([weight + overcome(FRICTION, qd, weight)], rel=1e-13)
    assert dynamics.gravity([q]) == pytest.approx([weight + FRICTION.offset], rel=1e-13)
    assert dynamics.mass_matrix([q]) == pytest.approx(
        np.array([[INERTIA + MASS * LENGTH**2]]), rel=1e-13)
    assert dynamics.terms([q], [qd], [qdd])['friction'] == pytest.approx(
        [overcome(FRICTION, qd, transmitted)], rel=1e-13)
    # the observer has no acceleration: it takes the effort that is transmitted at rest
    assert dynamics.momentum([q], [qd])[2] == pytest.approx(
        [weight + overcome(FRICTION, qd, weight)], rel=1e-13)


def of_pinocchio(model: RobotModel, friction: dict[str, Friction], seed: int) -> list[float]:
    """Return the efforts by Pinocchio, of a robot whose mimic joints are independent."""
    system = make_multibody(model)
    own = random_state(system.joint_names, seed)
    free = replace(model, joints=tuple(replace(joint, mimic=None) for joint in model.joints))
    state = {}
    for body in system.bodies:
        q, qd, qdd = own[system.joint_names[body.coordinate]]
        k = body.multiplier
        state[body.name] = (k * q + body.offset, k * qd, k * qdd)
    transmitted = Pinocchio(clean_urdf(free)).efforts(state)
    efforts = [0.0] * len(system.joint_names)
    for body in system.bodies:
        effort = transmitted[body.name]
        efforts[body.coordinate] += body.multiplier * (
            effort + overcome(friction[body.name], state[body.name][1], effort))
    return efforts


def check_friction(model: RobotModel, seed: int = 0, tolerance: float = 1e-11) -> None:
    system = make_multibody(model)
    rng = np.random.default_rng(seed)
    friction = {body.name: Friction(*rng.uniform(0.1, 2.0, 9)) for body in system.bodies}
    dynamics = InverseDynamics(model, base='fixed', loads=Loads(
        terms={name: [term] for name, term in friction.items()}))
    state = columns(system.joint_names, random_state(system.joint_names, seed))
    assert worst(dynamics(*state), of_pinocchio(model, friction, seed)) < tolerance


@examples(20)
@given(trees())
def test_what_any_tree_transmits_is_what_pinocchio_says(model: RobotModel) -> None:
    check_friction(model)


def test_a_joint_that_follows_another_transmits_its_own_effort() -> None:
    for model, driver, name in ((RX90, 'joint1', 'joint2'), (SCARA, 'joint1', 'joint4')):
        joints = tuple(replace(joint, mimic=Mimic(driver, -0.5, 0.1)) if joint.name == name
                       else joint for joint in model.joints)
        check_friction(replace(model, joints=joints))


def test_wrenches_and_a_payload_are_transmitted_and_the_terms_add_up() -> None:
    """As a robot with the payload fixed to it; a wrench by its effort J'F."""
    last = SCARA.links[-1].name
    terms = {joint.name: [FRICTION, Rotor(1e-3, 50.0)] for joint in SCARA.joints
             if joint.type != 'fixed'}
    dynamics = InverseDynamics(SCARA, loads=Loads(terms=terms, external=[last], payload=last))
    plain = InverseDynamics(SCARA, loads=Loads(external=[last], payload=last))
    rng = np.random.default_rng(1)
    state = (*rng.normal(size=(3, 4)), rng.normal(size=6),
             np.array([1.5, 0.1, -0.2, 0.3, 0.05, 0.01, -0.02, 0.06, 0.005, 0.04]))
    friction = [overcome(FRICTION, qd, effort) for qd, effort in zip(state[1], plain(*state))]
    parts = dynamics.terms(*state)
    assert parts['friction'] == pytest.approx(friction, rel=1e-12)
    assert sum(parts.values()) == pytest.approx(dynamics(*state), rel=1e-12)


def test_the_nodes_parameters_are_these_fields() -> None:
    values = {'base': 'auto', **{row.name: row.default for row in (*LOAD_PARAMETERS, *PAYLOAD)}}
    robot, loads = with_loads({**values, 'friction.enabled': True, 'friction.width': 0.5,
                               'joints.joint2.load': 0.2, 'joints.joint2.quadratic': 3.0}, RX90)
    state = columns(InverseDynamics(RX90).joint_names, random_state([
        f'joint{k}' for k in range(1, 7)]))
    plain = InverseDynamics(RX90)(*state)
    added = InverseDynamics(robot, loads=loads)(*state) - plain
    qd = state[1][1]
    assert added == pytest.approx(
        [0.0, 0.2 * abs(plain[1]) * math.tanh(qd / 0.5) + 3.0 * qd * abs(qd), *[0.0] * 4],
        abs=1e-11)


@pytest.mark.parametrize('kind', TERMS.values(), ids=list(TERMS))
def test_what_a_term_says_of_itself_agrees(kind: type[JointTerm]) -> None:
    """One in the table whose methods do not fit each other would give efforts that are wrong."""
    rng = np.random.default_rng(4)
    term = kind(**{name: rng.uniform(0.5, 2.0) for name in kind.rows()})

    def effort(term: JointTerm, q: float, qd: float, qdd: float) -> float:
        return float(term.effort(RESTING, Coordinate(q, qd, qdd), 0.0))

    for state in rng.uniform(-2.0, 2.0, (5, 3)):
        at, steps = Coordinate(*state), 1e-6 * np.eye(3)
        assert [*term.slopes(at)] == pytest.approx(
            [(effort(term, *state + h) - effort(term, *state - h)) / 2e-6 for h in steps],
            abs=1e-7)
        assert effort(term.shifted(0.3), *state - [0.3, 0.0, 0.0]) == pytest.approx(
            effort(term, *state), abs=1e-12)
        if not term.DISSIPATES:
            above, below = (term.energy(Coordinate(state[0] + h, 0.0, 0.0)) for h in (1e-6, -1e-6))
            assert (above - below) / 2e-6 == pytest.approx(
                effort(term, state[0], 0.0, 0.0), abs=1e-7)
    rows = [row for each in TERMS.values() for row in each.rows().values()]
    assert len({row.symbol for row in rows}) == len({row.setting for row in rows}) == len(rows)


# ---- Loads that are rejected, with the name, place, rule and remedy

SLIDE = next(joint.name for joint in SCARA.joints if joint.type == 'prismatic')

FREE = RobotModel(
    'free', (Link('world', random_inertia(1)), Link('body', random_inertia(2))),
    (Joint('floats', 'floating', 'world', 'body', (0.1, 0.2, 0.3)),), 'world')


@pytest.mark.parametrize(('term', 'message'), [
    (Friction(viscous=-1.0), r'friction viscous of joint "joint2" = -1.0: .* at least 0.*N m s/'),
    (Friction(coulomb=-0.1), r'friction coulomb .* = -0.1: .* at least 0.*\[N m\]'),
    (Friction(stribeck=-2.0), r'friction stribeck .* = -2.0: .* at least 0'),
    (Friction(stribeck=1.0, decay=-3.0), r'friction decay .* = -3.0: .* at least 1e-30'),
    (Friction(coulomb=1.0, steepness=-5.0), r'friction steepness .* = -5.0: .* at least 1e-30'),
    (Friction(coulomb=1.0, steepness=0.0), r'friction steepness .* = 0.0: .* at least 1e-30'),
    (Friction(offset=float('nan')), r'friction offset .* = nan: must be a number'),
    (Friction(viscous=float('inf')), r'friction viscous .* = inf: .* at most 1e\+30'),
    (Friction(viscous='much'), r"friction viscous .* = 'much': must be a number"),
    (Rotor('a'), r"rotor inertia of joint \"joint2\" = 'a': must be a number"),
    (Rotor(-0.1), r'rotor inertia of joint "joint2" = -0.1: .* at least 0.*\[kg m\^2\]'),
    (Rotor(armature=-0.1), r'rotor armature .* = -0.1: .* at least 0'),
    (Rotor(0.1, float('nan')), r'rotor gear_ratio .* = nan: must be a number'),
    (Rotor(0.1, 0.0), r'rotor gear_ratio of joint "joint2" = 0: must .* without a gear it is 1'),
    (Spring(-3.0), r'spring stiffness of joint "joint2" = -3.0: .* at least 0.*\[N m/rad\]'),
    (Spring(1.0, float('inf')), r'spring reference .* = inf: .*\[rad\]')])
def test_parameters_that_no_joint_has_are_refused(term: JointTerm, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        InverseDynamics(RX90, loads=Loads(terms={'joint2': [term]}))


@pytest.mark.parametrize(('loads', 'message'), [
    (Loads(terms={'elbow': [Spring(1.0)]}), r"no movable joint 'elbow'.* joint1, joint2"),
    (Loads(external=['hand']), r"no link 'hand' for an external wrench; the links are: .*link1"),
    (Loads(payload='hand'), r"no link 'hand' for a payload"),
    (Loads(external=['link1', 'link1']), 'named twice'),
    (Loads(base='flying'), "unknown base 'flying'; it is one of auto, fixed, moving")])
def test_loads_on_what_the_robot_does_not_have_are_refused(loads: Loads, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        InverseDynamics(RX90, loads=loads)


def test_what_acts_on_a_joint_that_follows_several_motors_is_refused() -> None:
    """Its rate is a sum; that of a joint which follows one is a multiple, and is computed."""
    palletizer = read_urdf(mechanism('palletizer'))
    with pytest.raises(ParameterError, match="'elbow' follows several motors"):
        InverseDynamics(palletizer, loads=Loads(terms={'elbow': [Friction(1.0)]}))
    InverseDynamics(palletizer, loads=Loads(terms={'elbow': [Friction()]}))
    level = InverseDynamics(palletizer, loads=Loads(terms={'level': [Friction(2.0)]}))
    q, qd = np.zeros((2, 4))
    qd[level.joint_names.index('j2')] = 0.5
    added = level(q, qd, q) - InverseDynamics(palletizer)(q, qd, q)
    assert added == pytest.approx(2.0 * qd, abs=1e-9)


def test_the_message_has_the_units_of_the_joint() -> None:
    with pytest.raises(ParameterError, match=rf'"{SLIDE}" = -1.0: .*\[N s/m\]'):
        InverseDynamics(SCARA, loads=Loads(terms={SLIDE: [Friction(-1.0)]}))


def test_two_terms_of_one_kind_at_a_joint_are_refused() -> None:
    """Their parameters would have the same names in the text."""
    springs = Loads(terms={'joint2': [Spring(1.0), Friction(1.0), Spring(2.0, 0.3)]})
    with pytest.raises(ParameterError, match=r"'joint2' has spring, friction, spring: .*one of"):
        InverseDynamics(RX90, loads=springs)
    alone: Any = Spring(1.0)
    with pytest.raises(ParameterError, match=r"'joint2' has Spring.*: give a list of Friction"):
        InverseDynamics(RX90, loads=Loads(terms={'joint2': alone}))


def test_the_world_in_which_a_robot_floats_weighs_nothing() -> None:
    """Neither its inertia nor a wrench on it has an effect; a payload on it is rejected."""
    motion = np.linspace(-1.0, 2.0, 9)
    massless = replace(FREE, links=(Link('world'), FREE.links[1]))
    expected = InverseDynamics(massless)([], [], [], motion)[1]
    assert np.abs(expected).min() > 0.1
    pushed = replace(FREE, forces=(ExternalForce('world', (1.0, 2.0, 3.0)),))
    for model in (FREE, pushed):
        assert InverseDynamics(model)([], [], [], motion)[1] == pytest.approx(expected)
    on_body = replace(FREE, forces=(ExternalForce('body', (1.0, 2.0, 3.0)),))
    found = InverseDynamics(on_body)([], [], [], motion)[1]
    assert found[:3] == pytest.approx(expected[:3] - [1.0, 2.0, 3.0])
    for loads in (Loads(external=['world']), Loads(payload='world')):
        with pytest.raises(ParameterError, match=r"'world' is the world, .* be on another link"):
            InverseDynamics(FREE, loads=loads)
    still = InverseDynamics(FREE, base='fixed', loads=Loads(external=['world']))
    assert still([], [], [], np.ones(6)).shape == (0,)

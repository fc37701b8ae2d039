"""Terms: each alone in closed form or against an oracle, and all together as their sum."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import entries, everything, terms
from support.oracles import MuJoCo, Pinocchio, columns, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import TERMS, Loads
from urdf2dyn_ros.robot.model import Inertia, Joint, Limits, Link, Mimic
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.spatial import aligned
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring
from urdf2dyn_ros.robot.writer import clean_urdf

RX90 = read_urdf((OWN / 'rx90.urdf').read_bytes())
SCARA = read_urdf((OWN / 'scara.urdf').read_bytes())
SEVEN_JOINTS = [*map(robot_path, ('xarm7', 'panda'))]


def state_of(model: RobotModel, seed: int = 0) -> list[list[float]]:
    names = multibody(model).joint_names
    return columns(names, random_state(names, seed)).tolist()


def added(model: RobotModel, loads: Loads) -> np.ndarray:
    state = state_of(model)
    return InverseDynamics(model, loads=loads)(*state) - InverseDynamics(model)(*state)


def test_friction_is_its_formula() -> None:
    friction = {name: Friction(0.3 + k, 2.0, 50.0, 1.0, 30.0, -0.4)
                for k, name in enumerate(multibody(RX90).joint_names)}
    found = added(RX90, Loads(terms={name: [term] for name, term in friction.items()}))
    expected = [(0.3 + k) * qd + (2.0 + math.exp(-30.0 * qd ** 2)) * math.tanh(50.0 * qd) - 0.4
                for k, qd in enumerate(state_of(RX90)[1])]
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(('kept', 'calls'), [
    ({'viscous': 2.0}, 0), ({'coulomb': 3.0}, 1), ({'stribeck': 1.5}, 2), ({'offset': 0.7}, 0)])
def test_each_part_of_friction_alone_costs_what_it_is(kept: dict[str, float], calls: int) -> None:
    friction = Friction(**kept)
    loads = Loads(terms={'joint3': [friction]})
    qd = state_of(RX90)[1][2]
    expected = [0.0] * 6
    expected[2] = (friction.viscous * qd + friction.offset + math.tanh(100.0 * qd) * (
        friction.coulomb + friction.stribeck * math.exp(-100.0 * qd ** 2)))
    assert added(RX90, loads) == pytest.approx(expected, abs=1e-12)
    with_it = InverseDynamics(RX90, loads=loads).operations
    assert with_it.exponential == calls
    assert with_it.trigonometric == InverseDynamics(RX90).operations.trigonometric


def test_terms_that_are_off_leave_no_trace_in_any_text() -> None:
    off = Loads(terms={name: [Friction(), Rotor(), Spring(reference=1.0)]
                       for name in multibody(RX90).joint_names})
    assert InverseDynamics(RX90, loads=off).text == InverseDynamics(RX90).text
    made = [generate(multibody(RX90), name='r', loads=loads)
            for loads in (off, Loads())]
    assert made[0].functions == made[1].functions and made[0].parameters == made[1].parameters


def test_a_spring_is_its_formula_also_where_a_joint_follows_with_an_offset() -> None:
    joints = tuple(replace(joint, mimic=Mimic('joint1', -2.0, 0.7))
                   if joint.name == 'joint4' else joint for joint in RX90.joints)
    model = replace(RX90, joints=joints)
    springs = {'joint1': [Spring(3.0, 0.2)], 'joint4': [Spring(5.0, -0.1)]}
    found = added(model, Loads(terms=springs))
    q1 = state_of(model)[0][0]
    expected = 3.0 * (q1 - 0.2) - 2.0 * 5.0 * (-2.0 * q1 + 0.7 + 0.1)
    assert found == pytest.approx([expected, 0.0, 0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize('path', [OWN / 'rx90.urdf', OWN / 'scara.urdf', *SEVEN_JOINTS],
                         ids=lambda path: path.stem)
def test_rotors_are_mujocos_armature(path: Path) -> None:
    model = read_urdf(path.read_bytes())
    names = multibody(model).joint_names
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
                          Inertia(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), tensor)))
        joints.append(replace(
            joint, name=f'{joint.name}_motor', child=f'{joint.name}_rotor', limits=Limits(),
            type='fixed' if at_rest else 'continuous',
            mimic=None if at_rest else Mimic(joint.name, rotor.gear_ratio)))
    return replace(model, links=tuple(links), joints=tuple(joints))


def check_spinning_rotors(model: RobotModel) -> None:
    """Compare with rotors that are bodies of their own, moved by joints that follow."""
    names = multibody(model).joint_names
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


@pytest.mark.parametrize('model', [RX90, SCARA], ids=lambda model: model.name)
def test_gyroscopic_rotors_are_bodies_that_spin(model: RobotModel) -> None:
    check_spinning_rotors(model)


@examples(15)
@given(trees())
def test_gyroscopic_rotors_of_random_trees_are_bodies_that_spin(model: RobotModel) -> None:
    check_spinning_rotors(model)


def test_a_rotor_without_gyroscopic_terms_leaves_the_parent_alone() -> None:
    rotor = Rotor(0.2, 50.0)
    found = added(RX90, Loads(terms={'joint5': [rotor]}))
    assert found == pytest.approx([0.0] * 4 + [500.0 * state_of(RX90)[2][4], 0.0], abs=1e-10)


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
@pytest.mark.parametrize('name', ['rx90', 'scara', 'robot_2r', 'humanoid_3p33r'])
def test_terms_add_up_and_superpose(name: str, base: str) -> None:
    check_sum(read_urdf((OWN / f'{name}.urdf').read_bytes()), base)


@examples(20)
@given(trees(massless=True))
def test_terms_of_random_trees_add_up(model: RobotModel) -> None:
    loads = everything(model)
    state, given = state_of(model), entries(model, loads)
    dynamics = InverseDynamics(model, loads=loads)
    found = dynamics.terms(*state, *given)
    efforts = dynamics(*state, *given)
    size = max((np.abs(part).max(initial=0.0) for part in found.values()), default=0.0)
    assert np.abs(sum(found.values()) - efforts).max(initial=0.0) <= 1e-12 * (1.0 + size)


def test_terms_of_links_are_the_functions_of_the_same_name() -> None:
    dynamics = InverseDynamics(RX90)
    q, qd, qdd = np.array(state_of(RX90))
    found = dynamics.terms(q, qd, qdd)
    assert set(found) == {'gravity', 'coriolis', 'inertia'}
    assert found['gravity'] == pytest.approx(dynamics.gravity(q), rel=1e-12, abs=1e-12)
    assert found['gravity'] + found['coriolis'] == pytest.approx(dynamics.bias(q, qd), rel=1e-12)
    assert found['inertia'] == pytest.approx(dynamics.mass_matrix(q) @ qdd, rel=1e-11)


@pytest.mark.parametrize(('path', 'stribeck'), [*zip(SEVEN_JOINTS, (0.6, 0.0))],
                         ids=['xarm7', 'panda with fingers, without Stribeck'])
def test_all_terms_of_an_arm_cost_at_most_15_percent(path: Path, stribeck: float) -> None:
    model = read_urdf(path.read_bytes())
    joints = {name: [Friction(1.1, 2.1, stribeck=stribeck, offset=0.3), Rotor(0.1, 50.0, 0.2),
                     Spring(1.7, 0.3)] for name in multibody(model).joint_names}
    alone, loaded = (sum(InverseDynamics(model, loads=loads).operations[:2])
                     for loads in (Loads(), Loads(terms=joints)))
    assert len(joints) >= 7
    assert alone < loaded <= 1.15 * alone


@pytest.mark.parametrize(('loads', 'message'), [
    (Loads(terms={'elbow': [Spring(1.0)]}), r"no movable joint 'elbow'.* joint1, joint2"),
    (Loads(external=['hand']), r"no link 'hand' for an external wrench; the links are: .*link1"),
    (Loads(payload='hand'), r"no link 'hand' for a payload"),
    (Loads(external=['link1', 'link1']), 'named twice'),
    (Loads(base='flying'), "unknown base 'flying'; it is one of auto, fixed, moving")])
def test_loads_on_what_the_robot_does_not_have_are_refused(loads: Loads, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        InverseDynamics(RX90, loads=loads)


def test_mimic_joints_hand_all_terms_to_their_driver() -> None:
    joints = tuple(replace(joint, mimic=Mimic('joint1', 3.0)) if joint.name == 'joint2' else joint
                   for joint in RX90.joints)
    model = replace(RX90, joints=joints)
    all_terms = terms(model, gyroscopic=False)
    found = added(model, Loads(terms={'joint2': all_terms['joint2']}))
    q, qd, qdd = (row[0] for row in state_of(model))
    friction, rotor, spring = all_terms['joint2']
    assert isinstance(friction, Friction)
    assert isinstance(rotor, Rotor)
    assert isinstance(spring, Spring)
    own = (friction.viscous * 3.0 * qd + friction.offset
           + (friction.coulomb + friction.stribeck * math.exp(-friction.decay * 9.0 * qd * qd))
           * math.tanh(friction.steepness * 3.0 * qd)
           + friction.quadratic * 3.0 * qd * abs(3.0 * qd)
           + (rotor.inertia * rotor.gear_ratio ** 2 + rotor.armature) * 3.0 * qdd
           + spring.stiffness * (3.0 * q - spring.reference))
    assert found == pytest.approx([3.0 * own, 0.0, 0.0, 0.0, 0.0], abs=1e-10)


def test_a_joint_by_hand_has_no_type_that_terms_do_not_know() -> None:
    slide = Joint('slide', 'prismatic', 'base', 'cart', axis=(1.0, 0.0, 0.0))
    cart = Link('cart', Inertia(2.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0),
                                (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)))
    model = RobotModel('cart', (Link('base'), cart), (slide,), 'base')
    dynamics = InverseDynamics(model, loads=Loads(terms={'slide': [Rotor(0.01, 100.0)]}))
    assert dynamics([0.0], [0.0], [1.5]) == pytest.approx([(2.0 + 100.0) * 1.5])

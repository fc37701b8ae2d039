"""Friction that depends on the transmitted effort, and quadratic friction, by other means."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from support.oracles import Pinocchio, columns, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.robot.loads import Loads, with_loads
from urdf2dyn_ros.robot.model import Inertia, Joint, Link, Mimic
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor
from urdf2dyn_ros.robot.writer import clean_urdf

RX90 = read_urdf((OWN / 'rx90.urdf').read_bytes())
SCARA = read_urdf((OWN / 'scara.urdf').read_bytes())
FRICTION = Friction(0.3, 2.0, 5.0, 0.4, 3.0, -0.2, load=0.15, quadratic=0.6)
GIVEN = Loads(terms={'pivot': [FRICTION]})
MASS, LENGTH, INERTIA = 2.0, 0.7, 0.1
PENDULUM = RobotModel('pendulum', (Link('wall'), Link('bob', Inertia(
    MASS, (LENGTH, 0.0, 0.0), (0.0, 0.0, 0.0), (INERTIA, 0.0, 0.0, INERTIA, 0.0, INERTIA)))),
    (Joint('pivot', 'revolute', 'wall', 'bob', axis=(0.0, 1.0, 0.0)),), 'wall')
STATES = ((0.3, 1.5, 2.0), (2.5, -0.4, -30.0), (-1.0, 0.0, 7.0), (1.0, 0.02, 0.0))


def overcome(friction: Friction, qd: float, transmitted: float) -> float:
    return (friction.viscous * qd + friction.offset + friction.quadratic * qd * abs(qd)
            + (friction.coulomb + friction.load * abs(transmitted)
               + friction.stribeck * math.exp(-friction.decay * qd * qd))
            * math.tanh(friction.steepness * qd))


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


def expected(model: RobotModel, friction: dict[str, Friction], seed: int) -> list[float]:
    """Return the efforts by Pinocchio, of a robot whose mimic joints are independent."""
    system = multibody(model)
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


def check(model: RobotModel, seed: int = 0, tolerance: float = 1e-11) -> None:
    system = multibody(model)
    rng = np.random.default_rng(seed)
    friction = {body.name: Friction(*rng.uniform(0.1, 2.0, 8)) for body in system.bodies}
    dynamics = InverseDynamics(model, base='fixed', loads=Loads(
        terms={name: [term] for name, term in friction.items()}))
    state = columns(system.joint_names, random_state(system.joint_names, seed))
    assert worst(dynamics(*state), expected(model, friction, seed)) < tolerance


@examples(40)
@given(trees())
def test_what_any_tree_transmits_is_what_pinocchio_says(model: RobotModel) -> None:
    check(model)


def test_a_joint_that_follows_another_transmits_its_own_effort() -> None:
    for model, driver, name in ((RX90, 'joint1', 'joint2'), (SCARA, 'joint1', 'joint4')):
        joints = tuple(replace(joint, mimic=Mimic(driver, -0.5, 0.1)) if joint.name == name
                       else joint for joint in model.joints)
        check(replace(model, joints=joints))


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


def test_off_it_leaves_no_trace() -> None:
    some = {'joint2': [Friction(1.0, 2.0, stribeck=0.5)]}
    off = {'joint2': [Friction(1.0, 2.0, stribeck=0.5, load=0.0, quadratic=0.0)]}
    made = [InverseDynamics(RX90, loads=Loads(terms=terms)) for terms in (some, off)]
    assert made[0].text == made[1].text
    assert made[0].operations == made[1].operations
    plain = InverseDynamics(RX90).operations
    quadratic = InverseDynamics(RX90, loads=Loads(terms={'joint2': [Friction(quadratic=2.0)]}))
    assert np.subtract(quadratic.operations, plain).tolist() == [2, 1, 0, 0, 0]


def test_the_nodes_parameters_are_these_fields() -> None:
    values = {row.name: row.default for row in NODE_PARAMETERS}
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

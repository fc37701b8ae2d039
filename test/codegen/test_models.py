"""Gravity, bias, mass matrix, momentum, energy, centre of mass: identities and Pinocchio."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import terms
from support.oracles import Pinocchio, columns, random_state, worst
from support.random_trees import examples, robot, trees
from support.robot_files import OWN, TREES, mostly_slow, robot_path
from urdf2dyn_ros import (
    InverseDynamics,
    Loads,
    ParameterError,
    RobotModel,
    export_model,
    read_urdf,
)
from urdf2dyn_ros.codegen.functions.dynamics import Dynamics
from urdf2dyn_ros.codegen.generator import STYLES, generate
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring
from urdf2dyn_ros.robot.writer import clean_urdf

PEERS = [*TREES, *map(robot_path, (
    'panda', 'talos_reduced', 'kinova', 'icub_reduced', 'double_pendulum_continuous'))]


@lru_cache
def functions(model: RobotModel, style: str) -> dict[str, Any]:
    text, = export_model(model, style=style, name='robot', functions='all').values()
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(text, namespace)
    return namespace


def check_peer(model: RobotModel, text: str | bytes, style: str, tolerance: float) -> None:
    """Compare all functions, alone and together, with Pinocchio's efforts."""
    script, peer = functions(model, style), Pinocchio(text)
    weightless = Pinocchio(text, (0.0, 0.0, 0.0))
    names = script['JOINT_NAMES']
    state = random_state(names, 3)
    q, qd, qdd = columns(names, state).tolist()

    def efforts(of: Pinocchio, rates: dict[str, tuple[float, float]]) -> list[float]:
        found = of.efforts({name: (state[name][0], *rates[name]) for name in names})
        return [found[name] for name in names]

    tau = efforts(peer, {name: each[1:] for name, each in state.items()})
    gravity = efforts(peer, dict.fromkeys(names, (0.0, 0.0)))
    bias = efforts(peer, {name: (each[1], 0.0) for name, each in state.items()})
    M = [efforts(weightless, {name: (0.0, float(name == moving)) for name in names})
         for moving in names]
    largest = max(map(abs, [1.0, *tau, *gravity, *bias, *np.ravel(M)]))
    alone = (script['inverse_dynamics'](q, qd, qdd), script['gravity'](q), script['bias'](q, qd),
             script['mass_matrix'](q))
    for results in (alone, script['dynamics'](q, qd, qdd)):
        for found, expected in zip(results, (tau, gravity, bias, np.ravel(M))):
            assert np.allclose(np.ravel(found), expected, rtol=0.0, atol=tolerance * largest)
    M = np.reshape(alone[3], (len(names), len(names))).tolist()
    assert [*map(list, zip(*M))] == M


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('path', mostly_slow(
    PEERS, *{path.stem for path in PEERS} - {'icub_reduced', 'humanoid_3p33r', 'talos_reduced'}))
def test_the_functions_of_a_robot_are_those_of_pinocchio(path: Path, style: str) -> None:
    text = path.read_bytes()
    check_peer(read_urdf(text), text, style, 1e-10)


@examples(16)
@given(trees(massless=True))
def test_the_functions_of_random_trees_are_those_of_pinocchio(model: RobotModel) -> None:
    for style in STYLES:
        check_peer(model, clean_urdf(model), style, 1e-11)


@pytest.mark.parametrize('style', STYLES)
def test_what_is_omitted_costs_nothing_and_what_is_shared_is_done_once(style: str) -> None:
    model = read_urdf(robot_path('panda').read_bytes())
    program = generate(make_multibody(model), name='robot', style=style, functions='all')
    cost = {function.name: sum(function.operations) for function in program.functions}
    assert cost['gravity'] < cost['bias'] < cost['inverse_dynamics']
    momentum, = generate(make_multibody(model), name='robot', style=style,
                         functions='momentum').functions   # of which no mass matrix is made
    assert sum(momentum.operations) < cost['inverse_dynamics']
    assert cost['dynamics'] < 0.9 * sum(cost[name] for name in Dynamics.COMBINED)


URDFS = [*map(robot_path, (
    'rx90', 'scara', 'humanoid_3p33r', 'ur5_robot', 'panda', 'talos_reduced', 'tiago'))]
PAYLOAD = (0.7, 0.03, -0.02, 0.06, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003)
WRENCH = (3.0, -5.0, 7.0, 0.4, 0.6, -0.2)


def check(model: RobotModel, text: str, seed: int = 3) -> None:
    dynamics = InverseDynamics(model, base='fixed')
    q, qd = np.random.default_rng(seed).normal(size=(2, 4, len(dynamics.joint_names)))
    oracle, names = Pinocchio(text), dynamics.joint_names
    rows = [oracle.momentum(names, dict(zip(names, zip(*state)))) for state in zip(q, qd, 0.0 * q)]
    for k, (found, expected) in enumerate(zip(dynamics.momentum(q, qd), zip(*rows))):
        # where beta is zero, in a plane for instance, something of the size of p qd is left
        size = max(np.abs(expected).max(), np.abs(rows[0][0] * qd[0]).max())
        assert np.abs(found - np.array(expected)).max() < 1e-10 * size
        assert np.abs(dynamics.momentum(q[0], qd[0])[k] - expected[0]).max() < 1e-10 * size


@pytest.mark.parametrize('path', mostly_slow(
    URDFS, 'rx90', 'scara', 'humanoid_3p33r', 'ur5_robot', 'panda'))
def test_momentum_and_its_change_are_those_of_pinocchio(path: Path) -> None:
    """M qd, C' qd and gravity to 1e-10; the Panda's finger and some of Tiago's mimic others."""
    text = path.read_text()
    check(read_urdf(text), text)


@examples(25)
@given(model=trees())
def test_any_tree_has_the_momentum_that_pinocchio_finds(model: RobotModel) -> None:
    if InverseDynamics(model, base='fixed').joint_names:
        check(model, clean_urdf(model))


def loads(model: RobotModel) -> Loads:
    system = make_multibody(model)
    last = system.bodies[-1].attached[0].link.name
    kinds = (Friction(0.8, 1.5, 20.0, 0.4, 30.0, 0.1), Rotor(2e-4, 30.0, 0.01, gyroscopic=True),
             Spring(4.0, 0.3))
    terms = {body.name: kinds if i % 2 else kinds[:2] for i, body in enumerate(system.bodies)}
    return Loads('fixed', terms, (last,), last)


@pytest.mark.parametrize('name', ['rx90', 'scara', 'panda'])
def test_its_derivative_is_what_the_efforts_leave(name: str) -> None:
    """Along a motion, with all that acts: d/dt p = tau + beta - load."""
    model = read_urdf(robot_path(name).read_text())
    dynamics = InverseDynamics(model, loads=loads(model))
    n = len(dynamics.joint_names)
    beside = [np.tile(each, (5, 1)) for each in (WRENCH, PAYLOAD)]
    h = 1e-3
    phases, speeds = np.arange(n) + 0.3, 1.0 + 0.2 * np.arange(n)
    angles = speeds * np.arange(-2, 3)[:, None] * h + phases
    q, qd, qdd = np.sin(angles), speeds * np.cos(angles), -speeds**2 * np.sin(angles)
    p, beta, load = dynamics.momentum(q, qd, *beside)
    derivative = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) @ p / (12.0 * h)
    tau = dynamics(q[2], qd[2], qdd[2], *(each[2] for each in beside))
    assert worst(derivative, tau + beta[2] - load[2]) < 1e-9
    M = dynamics.mass_matrix(q[2], PAYLOAD)
    assert worst(p[2], M @ qd[2]) < 1e-12
    assert np.abs(beta).max() > 0.1 and np.abs(load).max() > 1.0


def test_a_moving_base_is_refused() -> None:
    dynamics = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_text()), base='moving')
    with pytest.raises(ParameterError, match='fixed'):
        dynamics.momentum(np.zeros(6), np.zeros(6), np.zeros(9))


# ---- Energy, centre of mass and Coriolis matrix: Pinocchio, conservation, and all that acts

PEERS_OF_ENERGY = [OWN / 'scara.urdf', *map(robot_path, (
    'rx90', 'ur5_robot', 'panda', 'talos_reduced', 'tiago', 'double_pendulum_continuous'))]


def check_of_energy(model: RobotModel, oracle: Pinocchio) -> None:
    dynamics = InverseDynamics(model, base='fixed')
    names = dynamics.joint_names
    state = random_state(names, 5)
    q, qd, _ = columns(names, state)
    assert worst(dynamics.energy(q, qd), oracle.energy(state)) < 1e-10
    peers = oracle.centre_of_mass(names, state)
    for found, expected in zip(dynamics.centre_of_mass(q, qd), peers):
        assert worst(found, expected) < 1e-9
    C, M = dynamics.coriolis_matrix(q, qd), dynamics.mass_matrix
    size = np.abs(M(q)).max() * np.abs(qd).max()
    of_velocities = InverseDynamics(model, (0.0, 0.0, 0.0), base='fixed').bias(q, qd)
    assert np.abs(C @ qd - of_velocities).max() < 1e-11 * size * np.abs(qd).max()
    step = 1e-5
    rate = (M(q + step * qd) - M(q - step * qd)) / (2.0 * step)
    assert np.abs(rate - C - C.T).max() < 1e-6 * size


@pytest.mark.parametrize('path', mostly_slow(
    PEERS_OF_ENERGY, 'scara', 'rx90', 'ur5_robot', 'panda', 'double_pendulum_continuous'))
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    """The Panda's finger and some of Tiago's mimic others."""
    check_of_energy(read_urdf(path.read_bytes()), Pinocchio(path.read_bytes()))


@examples(20)
@given(trees(most=8))
def test_pinocchio_agrees_on_random_trees(model: RobotModel) -> None:
    if InverseDynamics(model, base='fixed').joint_names:
        check_of_energy(model, Pinocchio(clean_urdf(model)))


@pytest.mark.parametrize('backend', ['python', 'c'])
@pytest.mark.parametrize('name', ['rx90', 'scara', 'panda'])
def test_power_is_the_change_of_energy(name: str, backend: str) -> None:
    """With a payload, springs and rotors that couple, along a motion; in batches."""
    model = read_urdf(robot_path(name).read_text())
    kept = {joint: [term for term in each if isinstance(term, Rotor | Spring)]
            for joint, each in terms(model).items()}
    last = [*model.links][-1].name
    dynamics = InverseDynamics(model, backend=backend, loads=Loads('fixed', kept, (), last))
    n, h = len(dynamics.joint_names), 1e-3
    phases, speeds = np.arange(n) + 0.3, 1.0 + 0.2 * np.arange(n)
    angles = speeds * np.arange(-2, 3)[:, None] * h + phases
    q, qd, qdd = np.sin(angles), speeds * np.cos(angles), -speeds**2 * np.sin(angles)
    derivative = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12.0 * h)
    energy = dynamics.energy(q, qd, PAYLOAD)
    assert energy.shape == (5, 2)
    power = dynamics(q[2], qd[2], qdd[2], PAYLOAD) @ qd[2]
    assert derivative @ energy.sum(axis=1) == pytest.approx(power, rel=1e-8)
    M = dynamics.mass_matrix(q, PAYLOAD)
    assert worst(energy[:, 0], 0.5 * np.einsum('ki,kij,kj->k', qd, M, qd)) < 1e-12
    C = dynamics.coriolis_matrix(q, qd, PAYLOAD)
    assert worst(np.einsum('k,kij->ij', derivative, M), C[2] + C[2].T) < 1e-8
    p, v, J = dynamics.centre_of_mass(q, qd, PAYLOAD)
    assert worst(derivative @ p, v[2]) < 1e-8
    assert worst(J[2] @ qd[2], v[2]) < 1e-12


def test_the_base_that_moves_carries_the_centre_of_mass() -> None:
    """In the axes of the root: v + w x p, and what the joints add."""
    fixed, moving = (InverseDynamics(robot('tangle'), base=base) for base in ('fixed', 'moving'))
    q, qd = np.random.default_rng(1).normal(size=(2, len(fixed.joint_names)))
    twist = np.array([0.3, -0.2, 0.5, 0.7, 1.1, -0.4])
    p, v, J = fixed.centre_of_mass(q, qd)
    p_moving, v_moving, J_moving = moving.centre_of_mass(q, qd, twist)
    assert worst(p_moving, p) < 1e-12
    assert worst(v_moving, twist[:3] + np.cross(twist[3:], p) + v) < 1e-12
    assert worst(J_moving[:, 6:], J) < 1e-12
    assert worst(J_moving @ [*twist, *qd], v_moving) < 1e-12


@pytest.mark.parametrize(('name', 'source', 'base', 'error', 'words'), [
    ('energy', OWN / 'rx90.urdf', 'moving', ParameterError, "set base 'fixed'"),
    ('coriolis_matrix', OWN / 'rx90.urdf', 'moving', ParameterError, "set base 'fixed'"),
    ('centre_of_mass', '<robot name="r"><link name="a"/></robot>', 'fixed', ParameterError,
     'no link has a mass')])
def test_what_does_not_exist_is_refused(name, source, base, error, words):
    with pytest.raises(error, match=words):
        InverseDynamics(source, base=base).prepare(name)

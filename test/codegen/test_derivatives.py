"""Derivatives of inverse and forward dynamics: Pinocchio, differences, inverses, and the cost."""

from pathlib import Path

import language_tools
import numpy as np
import pytest
from hypothesis import given
from robot_programs import program_of

from support.acting_loads import entries, everything
from support.oracles import Array, Pinocchio, columns, random_state, worst
from support.random_trees import between, examples, robot, trees
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor
from urdf2dyn_ros.robot.writer import clean_urdf

NAME = 'inverse_dynamics_derivatives'
PEERS = [OWN / 'scara.urdf', *map(robot_path, (
    'ur5_robot', 'panda', 'talos_reduced', 'kinova', 'solo12', 'baxter',
    'double_pendulum_continuous'))]



def check_pinocchio(model: RobotModel, oracle: Pinocchio) -> None:
    dynamics = InverseDynamics(model, base='fixed')
    names = dynamics.joint_names
    state = random_state(names, 5)
    tau, *found = dynamics.derivatives(*columns(names, state))
    assert worst(tau, dynamics(*columns(names, state))) < 1e-10
    expected = oracle.derivatives(names, state)
    floor = 1e-3 * max(np.abs(each).max(initial=0.0) for each in expected)   # where one is zero
    for mine, theirs in zip(found, expected):
        error = np.abs(mine - theirs).max(initial=0.0)
        assert error <= 1e-10 * max(floor, np.abs(theirs).max(initial=0.0))


@pytest.mark.parametrize('path', PEERS, ids=lambda path: path.stem)
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    check_pinocchio(read_urdf(path.read_bytes()), Pinocchio(path.read_bytes()))


@examples(20)
@given(trees(most=8, massless=True))
def test_pinocchio_agrees_on_random_trees(model: RobotModel) -> None:
    check_pinocchio(model, Pinocchio(clean_urdf(model)))


def differences(dynamics: InverseDynamics, state: Array, given: list[list[float]],
                ) -> list[list[Array]]:
    """Return central differences by q, qd and qdd: of the efforts, then of the root's wrench."""
    step, n = 1e-5, len(dynamics.joint_names)
    steps = step * np.eye(3 * n).reshape(-1, 3, n)
    before, after = (dynamics(*np.moveaxis(state + sign * steps, 1, 0), *given)
                     for sign in (-1.0, 1.0))
    pairs = [(before, after)] if isinstance(after, np.ndarray) else zip(before, after)
    return [[(b - a)[k:k + n].T / (2.0 * step) for k in (0, n, 2 * n)] for a, b in pairs]


@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('model', [robot('tangle'), robot('scara'), between('planar')],
                         ids=lambda model: model.name)
def test_every_term_is_differentiated(model: RobotModel, base: str) -> None:
    """Mimic, planar and sliding joints, friction, rotors, springs, payload, wrenches, base."""
    loads = everything(model, base)
    given = entries(model, loads)
    dynamics = InverseDynamics(model, loads=loads)
    n = len(dynamics.joint_names)
    state = np.random.default_rng(2).normal(size=(3, n))
    found = dynamics.derivatives(*state, *given)
    expected = differences(dynamics, state, given)
    payload = given[-1:]
    assert len(found) == (8 if base == 'moving' else 4)
    for mine, theirs in zip((found[1:4], found[5:]), expected):
        for a, b in zip(mine, theirs):
            assert worst(a, b) < 1e-6
    assert worst(found[3], found[3].T) < 1e-12
    assert worst(found[3], dynamics.mass_matrix(state[0], *payload)) < 1e-12
    whole = dynamics(*state, *given)
    assert worst(found[0], whole[0] if base == 'moving' else whole) < 1e-12


FORWARD = 'forward_dynamics_derivatives'
FORWARD_PEERS = [OWN / 'scara.urdf', *map(robot_path, (
    'ur5_robot', 'kinova', 'solo12', 'double_pendulum_simple'))]
@pytest.mark.parametrize('path', FORWARD_PEERS, ids=lambda path: path.stem)
def test_pinocchio_agrees_on_forward_dynamics(path: Path) -> None:
    dynamics = InverseDynamics(read_urdf(path.read_bytes()), backend='python', base='fixed')
    names = dynamics.joint_names
    state = random_state(names, 5)
    qdd, *found = dynamics.forward_dynamics_derivatives(*columns(names, state))
    assert worst(qdd, dynamics.forward_dynamics(*columns(names, state))) < 1e-10
    for mine, theirs in zip(found, Pinocchio(path.read_bytes()).acceleration_derivatives(
            names, state)):
        assert worst(mine, theirs) < 1e-10


def script_of(model: RobotModel, style: str, loads: Loads) -> dict[str, object]:
    program = program_of(model, style, FORWARD, loads=loads)
    function, = program.functions
    names = [statement.name for statement in function.statements]
    assert len(set(names)) == len(names)
    script: dict[str, object] = {'__name__': 'robot'}
    exec(language_tools.files_of('python', program)['robot_dynamics.py'], script)
    return script


def check_inverse(model: RobotModel, loads: Loads, style: str) -> None:
    """At the accelerations, M dqdd = -dtau, and M Minv = 1."""
    script = script_of(model, style, loads)
    dynamics = InverseDynamics(model, backend='python', loads=loads)
    names = dynamics.joint_names
    q, qd, qdd = columns(names, random_state(names, 2))
    more = entries(model, loads)
    tau, dtau_dq, dtau_dqd, M, *_ = dynamics.derivatives(q, qd, qdd, *more)
    results = script[FORWARD](q.tolist(), qd.tolist(), tau.tolist(), *more)   # type: ignore[operator]
    assert worst(results[0], qdd) < 1e-9
    n = len(names)
    dqdd_dq, dqdd_dqd, Minv = (np.array(each).reshape(n, n) for each in results[1:])
    assert np.array_equal(Minv, Minv.T)
    for found, expected in ((dqdd_dq, -dtau_dq), (dqdd_dqd, -dtau_dqd), (Minv, np.eye(n))):
        assert close(M @ found, expected, np.abs(M) @ np.abs(found))


def close(found: Array, expected: Array, parts: Array) -> bool:
    """Return whether entries differ by 1e-9 of what they are sums of, at most."""
    return bool((np.abs(found - expected) <= 1e-9 * (parts + np.abs(expected)).max(
        initial=0.0)).all())


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('name', ['tangle', 'scara'])
def test_they_are_the_inverse_of_those_of_the_efforts(name: str, base: str, style: str) -> None:
    """Mimic, branches, sliding joints, friction, rotors, springs, payload, wrenches, base."""
    model = robot(name)
    check_inverse(model, everything(model, base), style)


@examples(5)
@given(trees(most=6))
def test_they_are_the_inverse_on_random_trees(model: RobotModel) -> None:
    rotors = {body.name: [Rotor(armature=0.2)] for body in multibody(model).bodies}
    for style in STYLES:
        check_inverse(model, Loads(terms=rotors), style)


@pytest.mark.parametrize(('functions', 'remedy'), [
    (NAME, 'set its parameter load to 0'), (FORWARD, 'set its load to 0')])
def test_friction_with_the_load_is_rejected_with_its_joint(functions: str, remedy: str) -> None:
    loads = Loads(terms={'joint3': [Friction(viscous=1.0, load=0.1)]})
    with pytest.raises(ParameterError, match=f'"joint3".*{remedy}'):
        program_of(robot('scara'), functions=functions, loads=loads)

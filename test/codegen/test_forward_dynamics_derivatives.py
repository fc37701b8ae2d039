"""Derivatives of forward dynamics: Pinocchio, those of inverse dynamics, and the cost."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support import language_tools
from support.acting_loads import entries, everything
from support.oracles import Array, Pinocchio, columns, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import OWN, fixed_fingers, robot_path
from support.torture import program_of, robot
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor

NAME = 'forward_dynamics_derivatives'
PEERS = [OWN / 'scara.urdf', *map(robot_path, (
    'ur5_robot', 'kinova', 'solo12', 'double_pendulum_simple'))]
LIMITS = {'ur5_robot': (843, 789, 5), 'panda': (2304, 2027, 6),
          'talos_reduced': (16838, 14732, 27)}
"""Multiplications, additions and divisions of the fast style, at most."""


@pytest.mark.parametrize('path', PEERS, ids=lambda path: path.stem)
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    dynamics = InverseDynamics(read_urdf(path.read_bytes()), backend='python', base='fixed')
    names = dynamics.joint_names
    state = random_state(names, 5)
    qdd, *found = dynamics.forward_dynamics_derivatives(*columns(names, state))
    assert worst(qdd, dynamics.forward_dynamics(*columns(names, state))) < 1e-10
    for mine, theirs in zip(found, Pinocchio(path.read_bytes()).acceleration_derivatives(
            names, state)):
        assert worst(mine, theirs) < 1e-10


def script_of(model: RobotModel, style: str, loads: Loads) -> dict[str, object]:
    program = program_of(model, style, NAME, loads=loads)
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
    results = script[NAME](q.tolist(), qd.tolist(), tau.tolist(), *more)   # type: ignore[operator]
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


@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_the_files_pass_their_own_test(tool: str, tmp_path: Path) -> None:
    style = 'readable' if tool in ('gcc', 'python') else 'fast'
    model = robot('tangle')
    program = program_of(model, style, NAME, loads=everything(model))
    language_tools.check_self_test(tool, language_tools.files_of(tool, program), tmp_path)


def test_compiled_batches() -> None:
    model = read_urdf(robot_path('ur5_robot').read_bytes())
    states = np.random.default_rng(1).normal(size=(3, 5, 6))
    python, compiled = (InverseDynamics(model, backend=backend).forward_dynamics_derivatives(
        *states) for backend in ('python', 'c'))
    assert [each.shape for each in compiled] == [(5, 6), *[(5, 6, 6)] * 3]
    for mine, theirs in zip(compiled, python):
        assert worst(mine, theirs) < 1e-12


@pytest.mark.parametrize('name', LIMITS)
def test_they_cost_no_more_than_they_did(name: str) -> None:
    model = fixed_fingers(read_urdf(robot_path(name).read_bytes()))
    function, = program_of(model, functions=NAME, loads=Loads('fixed')).functions
    counts = function.operations
    found = counts.multiplications, counts.additions, counts.divisions
    assert all(a <= b for a, b in zip(found, LIMITS[name])), found


def test_what_forward_dynamics_rejects_is_rejected() -> None:
    model = robot('scara')
    loads = Loads(terms={'joint2': [Friction(viscous=1.0, load=0.1)]})
    with pytest.raises(ParameterError, match='set its load to 0'):
        program_of(model, functions=NAME, loads=loads)

"""Derivatives of the efforts: Pinocchio, central differences, the mass matrix, and the cost."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import entries, everything
from support.oracles import Array, Pinocchio, columns, random_state, worst
from support.random_trees import examples, random_inertia, trees
from support.robot_files import OWN, fixed_fingers, robot_path
from support.torture import robot
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.terms import Friction
from urdf2dyn_ros.robot.writer import clean_urdf

NAME = 'inverse_dynamics_derivatives'
PEERS = [OWN / 'scara.urdf', *map(robot_path, (
    'ur5_robot', 'panda', 'talos_reduced', 'kinova', 'solo12', 'baxter',
    'double_pendulum_continuous'))]
LIMITS = {'ur5_robot': (413, 367), 'panda': (1275, 1107), 'talos_reduced': (7317, 6350)}
"""Multiplications and additions of the fast style, at most; of the Panda, without its fingers."""


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


def platform() -> RobotModel:
    """Return a platform that moves in a plane, with an arm on it."""
    links = [Link('floor'), *(Link(f'l{k}', random_inertia(k)) for k in range(3))]
    joints = (Joint('plane', 'planar', 'floor', 'l0', rpy=(0.3, 0.2, 0.1), axis=(0.0, 0.6, 0.8)),
              Joint('lift', 'prismatic', 'l0', 'l1', (0.1, 0.2, 0.3), axis=(0.0, 0.6, 0.8)),
              Joint('pan', 'revolute', 'l1', 'l2', (0.3, 0.0, 0.1), axis=(0.0, 0.6, 0.8)))
    return RobotModel('platform', tuple(links), joints, 'floor')


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
@pytest.mark.parametrize('model', [robot('tangle'), robot('scara'), platform()],
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


def test_compiled_code_and_batches_return_the_same() -> None:
    model = robot('tangle')
    loads = everything(model, 'moving')
    given = entries(model, loads)
    states = np.random.default_rng(3).normal(size=(3, 5, 4))
    python, compiled = (InverseDynamics(model, backend=backend, loads=loads).derivatives(
        *states, *given) for backend in ('python', 'c'))
    single = InverseDynamics(model, loads=loads).derivatives(*states[:, 2], *given)
    assert [each.shape for each in python] == [(5, 4), *[(5, 4, 4)] * 3, (5, 6), *[(5, 6, 4)] * 3]
    for a, b, c in zip(python, compiled, single):
        assert worst(a, b) < 1e-12
        assert worst(a[2], c) < 1e-12


def test_a_batch_of_no_states_has_no_results() -> None:
    """Without a C compiler as well, and of functions with one result."""
    dynamics = InverseDynamics(robot('robot_2r'), backend='python')
    none = np.zeros((3, 0, 2))
    assert [each.shape for each in dynamics.derivatives(*none)] == [(0, 2), *[(0, 2, 2)] * 3]
    assert dynamics.mass_matrix(none[0]).shape == (0, 2, 2)
    assert dynamics(*none).shape == (0, 2)


@pytest.mark.parametrize('style', ['readable', 'fast'])
def test_the_exported_check_knows_the_right_derivatives(
        style: str, capsys: pytest.CaptureFixture[str]) -> None:
    model = robot('scara')
    text, = export_model(model, style=style, name='robot', functions=NAME,
                         loads=everything(model, 'moving')).values()
    for changed, code in ((text, 0), (text.replace('return tau, dtau_dq', 'return tau, M'), 1)):
        with pytest.raises(SystemExit) as end:
            exec(changed, {'__name__': '__main__'})
        assert end.value.code == code
    assert f'{NAME}, dtau_dq' in capsys.readouterr().out


def test_friction_with_the_load_is_rejected_with_its_joint() -> None:
    dynamics = InverseDynamics(robot('scara'), loads=Loads(
        terms={'joint3': [Friction(viscous=1.0, load=0.1)]}))
    with pytest.raises(ParameterError, match=r'"joint3".*set its parameter load to 0'):
        dynamics.derivatives([0.1] * 4, [0.2] * 4, [0.3] * 4)


@pytest.mark.parametrize('name', LIMITS)
def test_the_derivatives_cost_no_more_than_they_did(name: str) -> None:
    model = fixed_fingers(read_urdf(robot_path(name).read_bytes()))
    program = generate(multibody(model), name='robot', style='fast', functions=NAME)
    multiplications, additions, *_ = program.function(NAME).operations
    assert multiplications <= LIMITS[name][0]
    assert additions <= LIMITS[name][1]

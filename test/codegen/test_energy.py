"""Energy, centre of mass and Coriolis matrix: Pinocchio, conservation, and all that acts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import everything, terms
from support.oracles import Pinocchio, columns, random_state, worst
from support.random_trees import examples, robot, trees
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import (
    InverseDynamics,
    Loads,
    ParameterError,
    RobotModel,
    export_model,
    read_urdf,
)
from urdf2dyn_ros.robot.terms import Rotor, Spring
from urdf2dyn_ros.robot.writer import clean_urdf

NAMES = ('energy', 'centre_of_mass', 'coriolis_matrix')
PEERS = [OWN / 'scara.urdf', *map(robot_path, (
    'rx90', 'ur5_robot', 'panda', 'talos_reduced', 'tiago', 'double_pendulum_continuous'))]
PAYLOAD = (0.7, 0.03, -0.02, 0.06, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003)


def check(model: RobotModel, oracle: Pinocchio) -> None:
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


@pytest.mark.parametrize('path', PEERS, ids=lambda path: path.stem)
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    """The Panda's finger and some of Tiago's mimic others."""
    check(read_urdf(path.read_bytes()), Pinocchio(path.read_bytes()))


@examples(20)
@given(trees(most=8))
def test_pinocchio_agrees_on_random_trees(model: RobotModel) -> None:
    if InverseDynamics(model, base='fixed').joint_names:
        check(model, Pinocchio(clean_urdf(model)))


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


@pytest.mark.parametrize('style', ['readable', 'fast', 'general'])
@pytest.mark.parametrize('name', NAMES)
def test_the_exported_check_knows_the_results(name: str, style: str,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    model = robot('scara')
    for base in ('fixed', 'moving')[:1 + (name == 'centre_of_mass')]:
        text, = export_model(model, style=style, name='robot', functions=name,
                             loads=everything(model, base)).values()
        with pytest.raises(SystemExit) as end:
            exec(text, {'__name__': '__main__'})
        assert end.value.code == 0, capsys.readouterr().out


@pytest.mark.parametrize(('name', 'source', 'base', 'error', 'words'), [
    ('energy', OWN / 'rx90.urdf', 'moving', ParameterError, "set base 'fixed'"),
    ('coriolis_matrix', OWN / 'rx90.urdf', 'moving', ParameterError, "set base 'fixed'"),
    ('centre_of_mass', '<robot name="r"><link name="a"/></robot>', 'fixed', ParameterError,
     'no link has a mass')])
def test_what_does_not_exist_is_refused(name: str, source: Any, base: Any,
                                        error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        InverseDynamics(source, base=base).prepare(name)

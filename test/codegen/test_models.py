"""Gravity, bias and mass matrix: identities, Pinocchio, and the costs that are reported."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.oracles import Array, Pinocchio, columns, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import ROBOTS, robot_path
from urdf2dyn_ros import RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.functions.mass_matrix import Dynamics
from urdf2dyn_ros.codegen.generator import STYLES, generate
from urdf2dyn_ros.robot.multibody import multibody

PEERS = [*ROBOTS, *map(robot_path, (
    'panda', 'talos_reduced', 'kinova', 'icub_reduced', 'double_pendulum_continuous'))]


@lru_cache
def functions(model: RobotModel, style: str) -> dict[str, Any]:
    text, = export_model(model, style=style, name='robot', functions='all').values()
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(text, namespace)
    return namespace


def check_identities(model: RobotModel, style: str) -> None:
    """All functions are the inverse dynamics with zeros and ones put in."""
    script = functions(model, style)
    n = len(script['JOINT_NAMES'])
    still = [0.0] * n
    q, qd, qdd = columns(script['JOINT_NAMES'], random_state(script['JOINT_NAMES'])).tolist()
    tau = np.array(script['inverse_dynamics'](q, qd, qdd))
    scale = np.abs(tau).max(initial=1.0)
    M, bias = np.array(script['mass_matrix'](q)).reshape(n, n), script['bias'](q, qd)
    gravity = script['gravity'](q)
    assert np.array_equal(M, M.T)
    assert np.allclose(bias, script['inverse_dynamics'](q, qd, still), rtol=0, atol=1e-11 * scale)
    assert np.allclose(gravity, script['inverse_dynamics'](q, still, still), rtol=0,
                       atol=1e-11 * scale)
    assert np.allclose(M @ np.array(qdd) + bias, tau, rtol=0, atol=1e-11 * scale)
    together = script['dynamics'](q, qd, qdd)
    for found, alone in zip(together, (tau, gravity, bias, M)):
        assert np.allclose(np.array(found).reshape(np.shape(alone)), alone, rtol=0,
                           atol=1e-11 * scale)


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('path', PEERS, ids=lambda path: path.stem)
def test_the_functions_of_a_robot_belong_together(path: Path, style: str) -> None:
    check_identities(read_urdf(path.read_bytes()), style)


@examples(16)
@given(trees(massless=True))
def test_the_functions_of_random_trees_belong_together(model: RobotModel) -> None:
    for style in STYLES:
        check_identities(model, style)


@pytest.mark.parametrize('path', PEERS, ids=lambda path: path.stem)
def test_gravity_bias_and_mass_matrix_are_those_of_pinocchio(path: Path) -> None:
    text = path.read_bytes()
    script = functions(read_urdf(text), 'fast')
    names = script['JOINT_NAMES']
    state = random_state(names, 3)
    q, qd, _ = columns(names, state).tolist()
    peer, weightless = Pinocchio(text), Pinocchio(text, (0.0, 0.0, 0.0))

    def vector(found: dict[str, float]) -> Array:
        return np.array([found[name] for name in names])

    assert worst(script['gravity'](q), vector(peer.efforts(
        {name: (x, 0.0, 0.0) for name, (x, _, _) in state.items()}))) < 1e-10
    assert worst(script['bias'](q, qd), vector(peer.efforts(
        {name: (x, xd, 0.0) for name, (x, xd, _) in state.items()}))) < 1e-10
    M = [vector(weightless.efforts({name: (x, 0.0, float(name == moving))
                                    for name, (x, _, _) in state.items()})) for moving in names]
    assert worst(np.ravel(script['mass_matrix'](q)), np.ravel(M)) < 1e-10


@pytest.mark.parametrize('style', STYLES)
def test_what_is_omitted_costs_nothing_and_what_is_shared_is_done_once(style: str) -> None:
    model = read_urdf(robot_path('panda').read_bytes())
    program = generate(multibody(model), name='robot', style=style, functions='all')
    cost = {function.name: sum(function.operations) for function in program.functions}
    assert cost['gravity'] < cost['bias'] < cost['inverse_dynamics']
    assert cost['dynamics'] < 0.9 * sum(cost[name] for name in Dynamics.COMBINED)


@pytest.mark.parametrize('choice', Dynamics.COMBINED)
def test_a_file_has_the_functions_that_were_requested(choice: str) -> None:
    model = read_urdf(ROBOTS[0].read_bytes())
    text, = export_model(model, name='robot', style='fast', functions=choice).values()
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(text, namespace)
    assert [name for name in (*Dynamics.COMBINED, 'dynamics') if name in namespace] == [choice]

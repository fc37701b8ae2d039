"""The exported momentum observer: the numbers of the node's, and what moves a closed loop."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from language_tools import driven

from support.mechanisms import mechanism
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, export_model, read_urdf
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.codegen.ros2_control import ContactRule
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.observer import MomentumObserver
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.terms import Friction

MODEL = read_urdf((OWN / 'rx90.urdf').read_bytes())
LOADS = Loads(payload='link6', terms={
    f'joint{k}': [Friction(viscous=3.0 / k, coulomb=9.0 / k)] for k in range(1, 7)})
GAINS = (100.0, 80.0, 120.0, 100.0, 100.0, 50.0)
PAYLOAD = [2.0, 0.0, 0.0, 0.1, 0.02, 0.0, 0.0, 0.02, 0.0, 0.01]


def stream(samples: int) -> tuple[list[list[list[float]]], list[np.ndarray]]:
    """Return q, qd, tau, dt of late samples with a push, and what the node's observer says."""
    robot = InverseDynamics(MODEL, loads=LOADS)
    observer = MomentumObserver(robot, gain=GAINS)
    random, stamp, rows, expected = np.random.default_rng(1), 0, [], []
    for k in range(samples):
        step = int(random.integers(800_000, 1_200_000))
        stamp += step
        angle = 3e-9 * stamp + np.arange(6)
        q, qd, qdd = np.sin(angle), 3.0 * np.cos(angle), -9.0 * np.sin(angle)
        push = (samples / 3 < k) * np.array([0.0, 20.0, 9.0, 0.0, 3.0, 9.0])
        effort = robot(q, qd, qdd, PAYLOAD) - push
        external = observer.update(stamp, q, qd, effort, PAYLOAD)
        rows.append([[*map(float, values)] for values in (q, qd, effort, [step * 1e-9])])
        expected.append(np.zeros(6) if external is None else external)
    return rows, expected


def script(model: Any, style: str, loads: Loads, gains: tuple[float, ...] = (100.0,),
           ) -> dict[str, Any]:
    text, = export_model(model, 'python', style, 'robot', functions='external_efforts',
                         loads=loads, contacts=ContactRule(gains)).values()
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(compile(text, 'robot.py', 'exec'), namespace)
    return namespace


@pytest.mark.parametrize('tool', ['gcc', 'g++', 'rust', 'python'])
@pytest.mark.parametrize('style', ['readable', 'fast'])
def test_it_has_the_numbers_of_the_node(tool: str, style: str, tmp_path: Any) -> None:
    rows, expected = stream(300)
    step = script(MODEL, style, LOADS, GAINS)['external_efforts']
    state, states, following = [0.0] * 19, [], []
    for (q, qd, tau, dt), external in zip(rows, expected):
        states.append([*q, *qd, *tau, *state, *dt, *PAYLOAD])
        found, state = step(state, q, qd, tau, dt, PAYLOAD)
        following.append(state)
        np.testing.assert_allclose(found, external, rtol=1e-9, atol=1e-9)
    assert np.abs(expected[-1] - [0.0, 20.0, 9.0, 0.0, 3.0, 9.0]).max() < 0.1
    program = generate(make_multibody(MODEL), name='robot', style=style, loads=LOADS, gains=GAINS,
                       functions='external_efforts', twins=tool[0] == 'g')
    function, = program.functions
    assert [x.name for x in function.inputs] == ['state', 'q', 'qd', 'tau', 'dt', 'payload']
    _, results = driven(tool, program, np.array(states), tmp_path)
    np.testing.assert_allclose(results[:, :6], expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(results[:, 6:], following, rtol=1e-9, atol=1e-9)


def test_a_payload_that_changes_is_counted_in_the_last_momentum() -> None:
    """By a second call for the sample before, as the document says."""
    rows, _ = stream(200)
    robot = InverseDynamics(MODEL, loads=LOADS)
    observer, stamp = MomentumObserver(robot), 0
    step, state = script(MODEL, 'fast', LOADS)['external_efforts'], [0.0] * 19
    before, n = None, 6
    for k, (q, qd, tau, dt) in enumerate(rows):
        payload = [(k // 20 % 2) * entry for entry in PAYLOAD]
        if before and k % 20 == 0:
            known = state[1 + 2 * n:]
            _, again = step([0.0] * 19, *before, payload)
            state = [*state[:1 + n], *again[1 + n:1 + 2 * n], *known]
        external, state = step(state, q, qd, tau, dt, payload)
        before = q, qd, tau, dt
        stamp += round(dt[0] * 1e9)
        expected = observer.update(stamp, *map(np.array, (q, qd, tau)), payload)
        if k:
            np.testing.assert_allclose(external, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('name', ['five_bar', 'ankle', 'excavator'])
def test_the_momentum_of_a_closed_loop_changes_by_the_efforts(name: str) -> None:
    """d/dt p = tau + beta - load, along a motion of the motors; p = M qd."""
    robot = InverseDynamics(mechanism(name), backend='python')
    start = dict(robot.model.closed_loops.start)
    middle = np.array([start[joint] for joint in robot.joint_names])
    size = 0.2 + 0.1 * np.arange(len(middle))

    def motion(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (middle + size * 0.3 * math.sin(3.0 * t), size * 0.9 * np.full(len(size), math.cos(
            3.0 * t)), size * -2.7 * math.sin(3.0 * t))

    h = 1e-4
    for t in (0.1, 0.4):
        q, qd, qdd = motion(t)
        p, beta, load = robot.momentum(q, qd)
        np.testing.assert_allclose(p, robot.mass_matrix(q) @ qd, rtol=1e-9, atol=1e-9)
        ahead, behind = (robot.momentum(*motion(t + s)[:2])[0] for s in (h, -h))
        expected = robot(q, qd, qdd) + beta - load
        np.testing.assert_allclose((ahead - behind) / (2 * h), expected, rtol=1e-6,
                                   atol=1e-6 * np.abs(expected).max())


def test_a_push_on_a_closed_loop_is_found() -> None:
    """With the passive positions as an argument."""
    model = read_urdf(mechanism('five_bar'))
    robot, module = InverseDynamics(model, backend='python'), script(model, 'fast', Loads())
    state, passive = [0.0] * (1 + 3 * 2), None
    for k in range(200):
        t = 1e-3 * k
        q, qd, qdd = ([s * each for s in (0.2, -0.1)] for each in (
            math.sin(5 * t), 5 * math.cos(5 * t), -25 * math.sin(5 * t)))
        tau = robot(q, qd, qdd) - np.array([0.5, -0.3])
        passive, closed = module['close'](q, *([passive] if passive else []))
        assert closed == 'closed'
        external, state = module['external_efforts'](state, q, qd, tau, [1e-3], passive)
    np.testing.assert_allclose(external, [0.5, -0.3], atol=1e-3)


def test_a_moving_base_has_none() -> None:
    with pytest.raises(ParameterError, match='momentum'):
        export_model(MODEL, functions='external_efforts', loads=replace(LOADS, base='moving'))
    assert list(itertools.chain(stream(1)[1][0])) == [0.0] * 6

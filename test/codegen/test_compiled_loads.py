"""Compiled functions with all loads, against the Python text."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from support.torture import robot
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.codegen import compiled as caller
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring

CASES = [(name, base) for name in ('rx90', 'tangle') for base in ('fixed', 'moving')]
CALLS: dict[str, Callable[..., Any]] = {
    'inverse_dynamics': InverseDynamics.__call__, 'gravity': InverseDynamics.gravity,
    'bias': InverseDynamics.bias, 'mass_matrix': InverseDynamics.mass_matrix,
    'terms': InverseDynamics.terms}
NOT_TAKEN = {'inverse_dynamics': (), 'gravity': ('qd', 'qdd'), 'bias': ('qdd',),
             'mass_matrix': ('qd', 'qdd', 'base_motion', 'external'), 'terms': ()}
SIZES = {'base_motion': 9, 'external': 12, 'payload': 10}
COUNTS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17)
ENTRIES = {
    'q': [f"joint 'joint{k}'" for k in range(1, 7)],
    'base_motion': [f'{x}0_{axis}' for x in ('w', 'wd', 'a') for axis in 'xyz'],
    'external': [f'{x}{k}_{axis}' for k in (1, 2) for x in ('Fe', 'Ne') for axis in 'xyz'],
    'payload': ['mp', *(f'cp_{axis}' for axis in 'xyz'),
                *(f'Ip_{xy}' for xy in ('xx', 'xy', 'xz', 'yy', 'yz', 'zz'))]}
Pair = tuple[InverseDynamics, InverseDynamics]


def loaded(name: str, base: str, **options: object) -> InverseDynamics:
    """Return a robot on which everything acts; one wrench on a link that is fused with another."""
    model = robot(name)
    system = multibody(model)
    rng = np.random.default_rng(4)
    terms = {body.name: (Friction(*rng.uniform(0.3, 2.0, 8)),
                         Rotor(*rng.uniform(0.3, 2.0, 3), gyroscopic=body.type != 'prismatic'),
                         Spring(*rng.uniform(0.3, 2.0, 2))) for body in system.bodies}
    external = ('link6', 'link3')   # of the tangle, link6 is fixed to link3
    return InverseDynamics(model, loads=Loads(base, terms, external, 'link4'), **options)


@pytest.fixture(scope='module', params=CASES, ids='-'.join)
def pair(request: pytest.FixtureRequest) -> Pair:
    return loaded(*request.param), loaded(*request.param, backend='c')


@pytest.fixture(scope='module')
def moving() -> Pair:
    return loaded('rx90', 'moving'), loaded('rx90', 'moving', backend='c')


@pytest.fixture(params=['extension', 'ctypes'])
def call(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == 'ctypes':
        monkeypatch.setattr(caller, 'extension', lambda compiler: None)
    return request.param


def again(dynamics: InverseDynamics) -> InverseDynamics:
    return InverseDynamics(dynamics.model, backend='c', loads=dynamics.loads)


def named(dynamics: InverseDynamics, function: str) -> list[str]:
    """Return the arguments of a function."""
    return [name for name in dynamics.inputs if name not in NOT_TAKEN[function]]


def given(dynamics: InverseDynamics, function: str, count: int) -> list[np.ndarray]:
    rng, n = np.random.default_rng(7), len(dynamics.joint_names)
    return [rng.normal(size=(count, SIZES.get(name, n))) for name in named(dynamics, function)]


def computed(dynamics: InverseDynamics, function: str, *states: np.ndarray) -> np.ndarray:
    """Return all results of a function as one array."""
    result = CALLS[function](dynamics, *states)
    if isinstance(result, dict):
        result = tuple(result.values())
    return np.concatenate(result, axis=-1) if isinstance(result, tuple) else result


def refusal(python: Callable[..., object], c: Callable[..., object], states: list) -> str:
    """Return the words in which both refuse a call."""
    words = []
    for of in (python, c):
        with pytest.raises(StateError) as caught:
            of(*states)
        words.append(str(caught.value))
    assert words[0] == words[1]
    return words[0]


@pytest.mark.parametrize('function', CALLS)
def test_every_function_with_all_that_acts(function: str, pair: Pair, call: str) -> None:
    """One by one, and in batches of every kind of remainder."""
    python, c = pair[0], again(pair[1])
    assert (python.backend, c.backend) == ('python', 'c')
    states = given(python, function, COUNTS[-1])
    wanted = np.array([computed(python, function, *(x[k] for x in states))
                       for k in range(COUNTS[-1])])
    # what cancels to zero in one of them need not in the other
    tolerance = 4e-15 * np.abs(wanted).max(axis=0) + 3e-16 * np.abs(wanted).max()
    for k in range(COUNTS[-1]):
        found = computed(c, function, *(x[k] for x in states))
        assert (np.abs(found - wanted[k]) <= tolerance).all()
    for count in COUNTS:
        batch = computed(c, function, *(x[:count] for x in states))
        assert batch.shape == (count, *wanted.shape[1:])
        assert (np.abs(batch - wanted[:count]) <= tolerance).all()


def test_both_name_the_terms_and_a_payload_changes_the_mass_matrix(pair: Pair) -> None:
    python, c = pair
    states = [x[0] for x in given(python, 'terms', 1)]
    assert list(c.terms(*states)) == list(python.terms(*states))
    without = c.mass_matrix(states[0], np.zeros(10))
    assert np.abs(c.mass_matrix(states[0], states[-1]) - without).max() > 1e-3


def test_the_same_payload_wrenches_and_base_for_all_states(pair: Pair, call: str) -> None:
    """One row goes with N states, in both back ends; as a list, read-only, strided."""
    python, c = pair[0], again(pair[1])
    for function in CALLS:
        of_python, of_c = (partial(computed, dynamics, function) for dynamics in (python, c))
        states = given(python, function, 6)
        joints = sum(name in ('q', 'qd', 'qdd') for name in named(python, function))
        for alone in range(joints, len(states)):
            rows = [np.broadcast_to(x[0], x.shape).copy() if k >= alone else x
                    for k, x in enumerate(states)]
            one = [*rows[:alone], *(np.repeat(x[0], 3)[::3] for x in rows[alone:])]
            np.testing.assert_array_equal(of_c(*one), of_c(*rows))
            np.testing.assert_array_equal(of_python(*one), of_python(*rows))
            np.testing.assert_array_equal(
                of_c(*rows[:alone], *(x[0].tolist() for x in rows[alone:])), of_c(*rows))
            assert of_c(*(x[:0] for x in rows[:joints]), *(x[0] for x in rows[joints:])).shape[
                0] == 0


@pytest.mark.parametrize('value', [np.nan, np.inf])
@pytest.mark.parametrize(('base', 'function'), [('moving', 'inverse_dynamics'),
                                                ('fixed', 'gravity'), ('fixed', 'mass_matrix')])
def test_what_is_not_finite_is_named_wherever_it_is(value: float, base: str, function: str,
                                                    call: str) -> None:
    """Any entry of any input, used or not: which, of what, in the same words from both."""
    robots = loaded('rx90', base), loaded('rx90', base, backend='c')
    python, c = (partial(CALLS[function], dynamics) for dynamics in robots)
    names = {**ENTRIES, 'qd': ENTRIES['q'], 'qdd': ENTRIES['q']}
    rows = given(robots[0], function, 9)
    for i, name in enumerate(named(robots[0], function)):
        assert len(names[name]) == rows[i].shape[1]
        for k, entry in enumerate(names[name]):
            for states, at in (([x[0].copy() for x in rows], f'[{k}]'),
                               ([x.copy() for x in rows], f'[5, {k}]')):
                states[i][..., k][(5,) * (states[i].ndim - 1)] = value
                said = refusal(python, c, states)
                assert f'{name}{at} is {value}' in said
                assert f'{entry} must be finite' in said


def test_inputs_that_do_not_fit_are_refused_in_the_same_words(moving: Pair, call: str) -> None:
    """Too few, too many, of the wrong length, of other numbers of rows."""
    python, c = moving[0], again(moving[1])
    one, many = ([x[0] for x in given(python, 'inverse_dynamics', 4)],
                 given(python, 'inverse_dynamics', 4))
    cases = {
        'takes 6 arguments (q, qd, qdd, base_motion, external, payload)': [
            one[:3], one[:5], [*one, one[0]], many[:5], [*many, many[0]]],
        'base_motion has shape (6,); it must be (9,) or (N, 9)': [[*one[:3], one[0], *one[4:]]],
        'external has shape (4, 10); it must be (12,) or (N, 12)': [
            [*many[:4], many[5], many[5]]],
        'payload has shape (); it must be (10,) or (N, 10)': [[*one[:5], 3.0]],
        'must be one row each or rows of the same number': [
            [*many[:5], many[5][:1]], [*many[:3], many[3][:3], *many[4:]]],
    }
    for words, wrong in cases.items():
        for states in wrong:
            assert words in refusal(python, c, states)


def test_one_row_goes_with_many_others(moving: Pair, call: str) -> None:
    for dynamics in (moving[0], again(moving[1])):
        many = given(dynamics, 'inverse_dynamics', 4)
        for k in range(len(many)):
            mixed = [x if i == k else x[0] for i, x in enumerate(many)]
            wanted = dynamics(*(x if i == k else np.repeat(x[:1], 4, axis=0)
                                for i, x in enumerate(many)))
            for one, other in zip(dynamics(*mixed), wanted):
                np.testing.assert_array_equal(one, other)


def test_threads_change_nothing(moving: Pair) -> None:
    states = given(moving[0], 'terms', 20001)
    several = loaded('rx90', 'moving', backend='c', threads=3)
    for of in ('inverse_dynamics', 'terms'):
        np.testing.assert_array_equal(computed(several, of, *states),
                                      computed(moving[1], of, *states))


@pytest.mark.parametrize('backend', ['python', 'c'])
def test_a_moving_base_without_joints(backend: str) -> None:
    """There is a wrench and no effort; the wrench is mass times acceleration."""
    model = robot('rock')
    rock = InverseDynamics(model, backend=backend, loads=Loads('moving', {}, ('base',), 'base'))
    assert rock.backend == 'python'   # there are no arrays without entries in C
    payload = np.array([2.0, *np.zeros(9)])
    push = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    a = np.array([0.3, -0.2, 9.9])
    motion = np.array([*np.zeros(6), *a])
    mass = model.links[0].inertia.mass + 2.0
    efforts, wrench = rock([], [], [], motion, push, payload)
    assert efforts.shape == (0,)
    np.testing.assert_allclose(wrench[:3], mass * a - push[:3], rtol=1e-15)
    none = np.zeros((4, 0))
    efforts, wrenches = rock(none, none, none, np.tile(motion, (4, 1)), push, payload)
    assert efforts.shape == (4, 0)
    np.testing.assert_allclose(wrenches, [wrench] * 4, rtol=1e-15)
    assert rock.mass_matrix([], payload).shape == (0, 0)
    assert all(x.shape == (4, 0)
               for x in rock.terms(none, none, none, motion, push, payload).values())


@pytest.mark.parametrize('backend', ['python', 'c'])
def test_an_angle_too_large_is_said(backend: str) -> None:
    """One state or several, and no traceback."""
    model = robot('rx90')
    follows = replace(model, joints=tuple(
        replace(joint, mimic=Mimic('joint1', 1e100)) if joint.name == 'joint4' else joint
        for joint in model.joints))
    dynamics = InverseDynamics(follows, backend=backend)
    for q in (np.full(5, 1e250), np.full((3, 5), 1e250)):
        with pytest.raises(StateError, match='too large for floating point'):
            dynamics(q, np.zeros_like(q), np.zeros_like(q))

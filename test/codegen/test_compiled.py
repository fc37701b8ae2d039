"""The compiled back end returns what the Python text returns, and rejects the same input."""

import copy
import gc
import logging
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from support.acting_loads import entries, everything
from support.oracles import worst
from support.random_trees import robot
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.codegen import compiled as caller
from urdf2dyn_ros.codegen.compiled import choose
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Mimic, RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring

SLIDER = """<robot name="slider"><link name="a"/><link name="b"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1" lower="-1" upper="1"/></joint></robot>"""


@pytest.fixture(scope='module')
def rx90() -> tuple[InverseDynamics, InverseDynamics]:
    model = read_urdf((OWN / 'rx90.urdf').read_bytes())
    return InverseDynamics(model), InverseDynamics(model, backend='c')


def compiled_efforts(model: RobotModel) -> caller.Caller:
    program = generate(make_multibody(model), name='robot', style='fast')
    return choose(program, 'inverse_dynamics', 'c')[1]


def states(n: int, count: int, seed: int = 0) -> np.ndarray:
    """Return q, qd, qdd of some instants, (3, count, n)."""
    return np.random.default_rng(seed).normal(size=(3, count, n))


def test_a_batch_is_the_same_for_any_neighbours_and_threads(rx90):
    """To the last bit, with angles that are computed by the C library as well."""
    found = rx90[1]
    every = states(6, 20001)
    every[0, 777] = 1e9
    efforts = found(*every)
    for k in (0, 776, 777, 778, 20000):
        np.testing.assert_array_equal(found(*every[:, k:k + 1])[0], efforts[k])
    np.testing.assert_allclose(efforts[777], rx90[0](*every[:, 777]), rtol=0.0, atol=1.5e-14)
    for threads in (2, 3, np.int64(64)):
        several = InverseDynamics(found.model, backend='c', threads=threads)
        np.testing.assert_array_equal(several(*every), efforts)
        assert several(*every[:, :1]).shape == (1, 6)


def test_a_robot_that_only_slides_and_one_without_joints() -> None:
    """No angles at all; nothing to compile."""
    slider = InverseDynamics(read_urdf(SLIDER), backend='c')
    assert slider.backend == 'c'
    np.testing.assert_allclose(slider([0.3], [0.2], [1.0]), [2 * (1 + 9.81)], rtol=1e-15)
    np.testing.assert_allclose(slider(*np.ones((3, 5, 1))), np.full((5, 1), 2 * (1 + 9.81)),
                               rtol=1e-15)
    table = InverseDynamics(read_urdf('<robot name="table"><link name="top"/></robot>'),
                            backend='c')
    assert table.backend == 'python'
    assert table([], [], []).shape == (0,)
    assert table(*np.zeros((3, 4, 0))).shape == (4, 0)


class Own(np.ndarray):
    """An array that is not exactly one."""


STATE = states(6, 1, seed=3)[:, 0]
FROZEN = STATE.copy()
FROZEN.flags.writeable = False
BYTES = np.frombuffer(b'\0' + STATE.tobytes(), dtype=np.uint8)[1:]
SAME = np.linspace(0.0, 1.0, 10)


TAKEN = {
    'lists': STATE.tolist(), 'tuples': tuple(map(tuple, STATE)), 'read-only': FROZEN,
    'memory views': [memoryview(x) for x in STATE], 'swapped': [x.astype('>f8') for x in STATE],
    'single': STATE.astype(np.float32), 'objects': [x.astype(object) for x in STATE],
    'masked': [np.ma.masked_array(x) for x in STATE],
    'subclass': [x.view(Own) for x in STATE], 'strided': np.repeat(STATE, 2, axis=1)[:, ::2],
    'reversed': STATE[:, ::-1], 'unaligned': BYTES.view(np.float64).reshape(3, 6),
    'integers': [np.ones(6, dtype=int)] * 3, 'booleans': [np.ones(6, dtype=bool)] * 3,
    'overlapping': (SAME[:6], SAME[2:8], SAME[4:]), 'one and the same': (SAME[:6],) * 3,
    'subnormal': np.full((3, 6), 5e-324), 'minus zero': np.full((3, 6), -0.0),
    'many turns': (np.full(6, 1e15), np.zeros(6), np.zeros(6)),
    'no states': np.zeros((3, 0, 6)), 'every other': states(6, 5)[:, ::2],
    'columns': [np.asfortranarray(x) for x in states(6, 9)],
    'broadcast': (np.broadcast_to(STATE[0], (4, 6)),) * 3,
    'nested lists': states(6, 3).tolist(),
}


@pytest.mark.parametrize('case', TAKEN)
def test_whatever_numpy_takes_is_taken(case, rx90):
    """Lists, views, other types, read-only, unaligned, swapped, tiny and large."""
    expected, found = (dynamics(*TAKEN[case]) for dynamics in rx90)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=5e-14)


Z = [0.0] * 6
BAD = {
    'none': (None, None, None), 'string': ('abc', Z, Z), 'strings': (Z, ['a'] * 6, Z),
    'objects': (Z, Z, np.array([None] * 6)), '0-d': (np.float64(1.0), Z, Z),
    'numbers': (1.0, 2.0, 3.0), '3-d': (np.zeros((2, 2, 6)),) * 3, 'short': (Z[:5], Z, Z),
    'long': (np.zeros(7),) * 3, 'empty': ([], [], []), 'no columns': (np.zeros((3, 0)),) * 3,
    'counts': (np.zeros((2, 6)), np.zeros((3, 6)), np.zeros((2, 6))),
    'complex': (np.zeros(6) + 1j, Z, Z), 'ragged': ([[0.0], [0.0, 1.0]], Z, Z),
    'nan': (np.zeros(6), np.zeros(6), np.array([0.0] * 5 + [np.nan])),
    'inf': (np.zeros(6), np.array([np.inf] + [0.0] * 5), np.zeros(6)),
    'nan in a batch': (np.zeros((9, 6)), np.zeros((9, 6)), np.diag([np.nan] * 9)[:, :6]),
    'inf at the end': (np.zeros((9, 6)), np.zeros((9, 6)), np.vstack(
        [np.zeros((8, 6)), np.full(6, -np.inf)])),
    'overflow': (np.zeros(6), np.zeros(6), np.full(6, 1e308)),
    'overflow in a batch': tuple(np.full((3, 2, 6), 1e200)),
    'dictionary': ({}, Z, Z), 'bytes': (b'123456', Z, Z),
    'record': (np.zeros(6, dtype='f8,f8'), Z, Z),
}


@pytest.mark.parametrize('extension', [True, False])
@pytest.mark.parametrize('case', BAD)
def test_bad_input_is_refused_in_the_same_words(case, extension, rx90, monkeypatch):
    """By the extension module and by ctypes; the interpreter survives."""
    expected, found = rx90
    if not extension:
        monkeypatch.setattr(caller, 'extension', lambda compiler: None)
        found = InverseDynamics(found.model, backend='c')
    with pytest.raises(Exception) as wanted:
        expected(*BAD[case])
    with pytest.raises(type(wanted.value)) as caught:
        found(*BAD[case])
    assert str(caught.value) == str(wanted.value)


def test_without_the_headers_of_python_ctypes_calls_it(monkeypatch, caplog, rx90, tmp_path):
    """Slower, and the same to the last bit; one line says so."""
    paths = {'include': str(tmp_path), 'platinclude': str(tmp_path)}
    monkeypatch.setattr(caller.sysconfig, 'get_paths', lambda: paths)
    caller.extension.cache_clear()
    with caplog.at_level(logging.INFO):
        found = InverseDynamics(rx90[0].model, backend='c', threads=2)
    caller.extension.cache_clear()
    assert found.backend == 'c'
    assert [record.message for record in caplog.records if 'Python.h' in record.message] == [
        caplog.records[0].message]
    every = states(6, 1001)
    np.testing.assert_array_equal(found(*every), rx90[1](*every))
    np.testing.assert_array_equal(found(*every[:, 0]), rx90[1](*every[:, 0]))
    assert found(*every[:, :0]).shape == (0, 6)
    np.testing.assert_array_equal(found(*every[:, :, ::-1]), rx90[1](*every[:, :, ::-1]))


def test_results_are_new_arrays_and_the_code_outlives_its_maker() -> None:
    """A result does not change with the next call; references keep the library loaded."""
    made = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_bytes()), backend='c')
    first = made(*STATE)
    kept = first.copy()
    made(*(2 * STATE))
    np.testing.assert_array_equal(first, kept)
    call = compiled_efforts(made.model)
    del made
    gc.collect()
    np.testing.assert_array_equal(call(*STATE), kept)


def test_it_can_be_copied_and_pickled(rx90: tuple[InverseDynamics, InverseDynamics]) -> None:
    """It is made again, from the cache."""
    for again in (copy.deepcopy(rx90[1]), pickle.loads(pickle.dumps(rx90[1]))):
        assert again.backend == 'c'
        np.testing.assert_array_equal(again(*STATE), rx90[1](*STATE))


@pytest.mark.parametrize('options', [
    {'backend': 'rust'}, {'backend': None}, {'threads': 0}, {'threads': 65}, {'threads': 1.5},
    {'threads': True}, {'threads': '2'}])
def test_unknown_back_ends_and_threads_are_refused(options: dict) -> None:
    with pytest.raises(ParameterError, match=r'back ends are|from 1 to 64'):
        InverseDynamics(read_urdf(SLIDER), **options)


CASES = [(name, base) for name in ('rx90', 'tangle') for base in ('fixed', 'moving')]
CALLS: dict[str, Callable[..., Any]] = {
    'inverse_dynamics': InverseDynamics.__call__, 'gravity': InverseDynamics.gravity,
    'bias': InverseDynamics.bias, 'mass_matrix': InverseDynamics.mass_matrix,
    'terms': InverseDynamics.terms}
NOT_TAKEN = {'inverse_dynamics': (), 'gravity': ('qd', 'qdd'), 'bias': ('qdd',),
             'mass_matrix': ('qd', 'qdd', 'base_motion', 'external'), 'terms': ()}
SIZES = {'base_motion': 9, 'external': 12, 'payload': 10}
COUNTS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17)
Pair = tuple[InverseDynamics, InverseDynamics]


def loaded(name: str, base: str, **options: object) -> InverseDynamics:
    """Return a robot on which everything acts; one wrench on a link that is fused with another."""
    model = robot(name)
    system = make_multibody(model)
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


def given_to(dynamics: InverseDynamics, function: str, count: int) -> list[np.ndarray]:
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
    states = given_to(python, function, COUNTS[-1])
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


METHODS = {
    'forward_dynamics': ('moving', 3), 'derivatives': ('moving', 3),
    'forward_dynamics_derivatives': ('moving', 3), 'momentum': ('fixed', 2), 'regressor': ('', 3),
    'forward_kinematics': ('link', 1), 'jacobian': ('link', 1), 'frame_motion': ('link', 3)}
"""Name of a method to what acts, or whether it asks for a link, and how many vectors it takes."""


@pytest.mark.parametrize('method', METHODS)
def test_other_methods_take_no_state_one_or_many(method: str) -> None:
    """And both back ends return the same."""
    acting, count = METHODS[method]
    model, results = robot('tangle'), []
    loads = everything(model, acting) if acting in ('fixed', 'moving') else Loads()
    beside = entries(model, loads) if acting != 'link' else ['link7']
    states = np.random.default_rng(3).normal(size=(3, 9, 4))[:count]
    for backend in ('python', 'c'):
        call = getattr(InverseDynamics(model, backend=backend, loads=loads), method)
        many, one, none = (result if isinstance(result, tuple) else (result,) for result in (
            call(*chosen, *beside) for chosen in (states, states[:, 4], states[:, :0])))
        for a, b, c in zip(many, one, none):
            assert worst(a[4], b) < 1e-12 and c.shape == (0, *b.shape)
        results.append(many)
    for python, c in zip(*results):
        assert worst(c, python) < 1e-12


def test_the_same_payload_wrenches_and_base_for_all_states(pair: Pair, call: str) -> None:
    """One row goes with N states, in both back ends; as a list, read-only, strided."""
    python, c = pair[0], again(pair[1])
    for function in CALLS:
        of_python, of_c = (partial(computed, dynamics, function) for dynamics in (python, c))
        states = given_to(python, function, 6)
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


def test_inputs_that_do_not_fit_are_refused_in_the_same_words(moving: Pair, call: str) -> None:
    """Too few, too many, of the wrong length, of other numbers of rows."""
    python, c = moving[0], again(moving[1])
    one, many = ([x[0] for x in given_to(python, 'inverse_dynamics', 4)],
                 given_to(python, 'inverse_dynamics', 4))
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

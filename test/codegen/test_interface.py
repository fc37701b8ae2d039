"""What a user of Python sees first: sources of robots, back end, texts, names, errors."""

import io
import pickle
import subprocess
import sys
import timeit
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.descriptions import VALID
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import (
    ExportError,
    Friction,
    InverseDynamics,
    LinkFrames,
    Loads,
    MomentumObserver,
    Payload,
    SourceError,
    StateError,
    UrdfError,
    compare,
    evaluate,
    excite,
    export_model,
    identify,
    read_urdf,
)
from urdf2dyn_ros.errors import ParameterError, Problem, RecordingError, Urdf2DynError
from urdf2dyn_ros.robot.reader import read_description

RX90 = OWN / 'rx90.urdf'
MODEL = read_description(RX90.read_bytes())


def test_a_robot_is_read_from_text_bytes_and_paths() -> None:
    text = RX90.read_text()
    for source in (text, text.encode(), RX90, str(RX90)):
        assert read_urdf(source) == MODEL
    assert InverseDynamics(str(RX90)).model == InverseDynamics(MODEL).model == MODEL


def test_a_str_is_a_path_if_no_urdf_can_be_meant(tmp_path, monkeypatch):
    """What a node receives is a text in any case."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'robot').write_text(VALID)
    assert read_urdf('robot').name == read_urdf(VALID).name
    for text in ('', 'robot2', 'robot\n', 'a' * 5000):
        with pytest.raises(UrdfError):
            read_urdf(text)
    with pytest.raises(UrdfError):
        read_description('robot')


@pytest.mark.parametrize(('source', 'words'), [
    ('nowhere.urdf', "cannot read 'nowhere.urdf': No such file"),
    (Path('nowhere'), "cannot read 'nowhere': No such file"),
    (OWN, 'Is a directory'), (None, 'NoneType is no robot description'), (3, 'int is no robot'),
    (io.BytesIO(), 'BytesIO is no robot description: it is the text')])
def test_what_is_no_robot_is_a_source_error(source: Any, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read_urdf(source)


def test_the_default_back_end_is_compiled() -> None:
    """In a process of its own: the tests' default is Python."""
    script = f'from urdf2dyn_ros import InverseDynamics\nprint(InverseDynamics({str(RX90)!r}))'
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True,
                          timeout=200)
    assert done.stdout.strip() == (
        "<InverseDynamics of 'rx90', 6 joints, backend 'c': "
        "joint1, joint2, joint3, joint4, joint5, joint6>"), done.stderr


def test_its_texts_say_robot_joints_and_inputs() -> None:
    dynamics = InverseDynamics(MODEL, base='moving')
    assert "'rx90', 6 joints, backend 'python', with base_motion: joint1," in repr(dynamics)
    nothing = InverseDynamics('<robot name="&lt;a>\x85b"><link name="top"/></robot>')
    assert repr(nothing) == "<InverseDynamics of '<a>?b', no joints, backend 'python'>"
    parser, cells = HTMLParser(), []
    parser.handle_data = cells.append   # type: ignore[method-assign]
    parser.feed(dynamics._repr_html_())
    assert cells[0].startswith("InverseDynamics of 'rx90'")
    row = cells[cells.index('joint2'):]
    limits = MODEL.joints[1].limits
    assert row[1:3] == ['rad', f'{limits.lower:.5g}']
    assert '&lt;a&gt;' in nothing._repr_html_() and '<a>' not in nothing._repr_html_()


def test_gravity_is_not_changed_by_setting_an_attribute() -> None:
    """Its vector would count in later functions alone, and `gravity` is the method."""
    dynamics = InverseDynamics(MODEL)
    for name, value in (('gravity', (0.0, 0.0, 9.81)), ('gravity_vector', (0.0, 0.0, 9.81)),
                        ('model', MODEL), ('backend', 'c')):
        with pytest.raises(AttributeError, match=f'^{name} cannot be set, .* make another'):
            setattr(dynamics, name, value)
    assert dynamics.gravity_vector == (0.0, 0.0, -9.81)


@pytest.mark.parametrize('error', [
    UrdfError([Problem('xml', 'no element found', line=3)], 'arm.urdf'),
    RecordingError('bag.db3', 'damaged', 12, 1.5), ParameterError('no')])
def test_an_error_comes_out_of_another_process_as_it_was(error: Urdf2DynError) -> None:
    """As of a pool of workers, which would be broken by an error that cannot be restored."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_loads_that_are_a_dict_have_a_remedy() -> None:
    with pytest.raises(ParameterError, match=r'loads is a dict; .* Loads\(terms='):
        InverseDynamics(MODEL, loads={'joint1': []})  # type: ignore[arg-type]


DYNAMICS = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_bytes()))


@pytest.mark.parametrize(('state', 'words'), [
    (([0.0] * 5, [0.0] * 6, [0.0] * 6), ['q has shape (5,)', '(6,) or (N, 6)', 'joint1',
                                         'do not move: lock={...}']),
    (([0.0] * 6, [[0.0] * 6], [[0.0] * 6] * 2), ['rows of the same number', 'qd (1, 6)']),
    ((np.zeros((2, 2, 6)),) * 3, ['(2, 2, 6)', '(6,) or (N, 6)']),
    (([0.0] * 6, ['a'] * 6, [0.0] * 6), ['qd is not an array of numbers']),
    (([0.0] * 6, [0.0] * 6, [0.0] * 5 + [np.nan]), ['qdd[5] is nan', "'joint6'", 'finite']),
    ((np.zeros((3, 6)), np.zeros((3, 6)), np.array([[0.0] * 6, [0.0, np.inf, *[0.0] * 4],
                                                    [0.0] * 6])), ['qdd[1, 1] is inf']),
    *((([0.0] * 6, values, [0.0] * 6), ['qd is not an array of numbers']) for values in (
        np.array(['1.0'] * 6), np.ones(6, 'datetime64[s]'),
        np.ma.masked_array(np.ones(6), [True] + [False] * 5))),
])
def test_bad_states_are_refused_by_name_and_place(state: tuple, words: list[str]) -> None:
    """The message says which argument, which entry, and the rule."""
    with pytest.raises(StateError) as caught:
        DYNAMICS(*state)
    for word in words:
        assert word in str(caught.value)


def test_joints_are_named_parent_before_child_with_their_units() -> None:
    """Mimic joints are not among them; a finger slides."""
    panda = InverseDynamics(read_urdf(robot_path('panda').read_bytes()))
    assert panda.joint_names == (*(f'panda_joint{i}' for i in range(1, 8)), 'panda_finger_joint1')
    assert panda.units == ('rad',) * 7 + ('m',)
    assert panda.effort_units == ('N m',) * 7 + ('N',)
    assert not any(panda.continuous)


SCARA = read_urdf(OWN / 'scara.urdf')
OF_SCARA = InverseDynamics(SCARA)
NAMES = list(OF_SCARA.joint_names)
TABLE = np.random.default_rng(1).normal(size=(5, 4))
EXPECTED = OF_SCARA(TABLE, TABLE, TABLE)
BACK = NAMES[::-1]


class Values:
    """An array that is none of numpy's, with attributes."""

    def __init__(self, values: Any, **attributes: Any) -> None:
        self._values = np.asarray(values)
        vars(self).update(attributes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._values if dtype is None else self._values.astype(dtype)


def frame(values: Any, columns: list) -> Values:
    """Return what looks like a DataFrame, whose index are times."""
    return Values(values, columns=columns, index=[0.1 * k for k in range(len(values))])


def data_array(values: Any, dims: tuple, **coords: Any) -> Values:
    """Return what looks like a DataArray of xarray."""
    return Values(values, dims=dims, coords=coords)


RECORDS = np.zeros(5, dtype=[(name, float) for name in BACK])
for joint, column in zip(NAMES, TABLE.T):
    RECORDS[joint] = column

TABLES = {
    'mapping of columns': {name: TABLE[:, NAMES.index(name)] for name in BACK},
    'mapping of lists': {name: TABLE[:, NAMES.index(name)].tolist() for name in BACK},
    'frame': frame(TABLE[:, ::-1], BACK),
    'frame of two levels': frame(TABLE[:, ::-1], [('q', name) for name in BACK]),
    'frame without names': frame(TABLE, [0, 1, 2, 3]),
    'data array': data_array(TABLE[:, ::-1], ('time', 'joint'), joint=np.array(BACK),
                             time=np.arange(5.0)),
    'transposed data array': data_array(TABLE.T[::-1], ('joint', 'time'), joint=BACK),
    'data array without names': data_array(TABLE, ('time', 'joint')),
    'records': RECORDS,
}
ROWS = {
    'mapping': dict(zip(BACK, TABLE[0, ::-1])),
    'series': Values(TABLE[0, ::-1], index=BACK),
    'series without names': Values(TABLE[0], index=range(4)),
    'data array': data_array(TABLE[0, ::-1], ('joint',), joint=BACK),
    'record': RECORDS[0],
}


@pytest.mark.parametrize('backend', ['python', 'c'])
def test_names_count_not_their_order(backend: Any) -> None:
    dynamics = InverseDynamics(SCARA, backend=backend)
    for case, values in TABLES.items():
        np.testing.assert_allclose(dynamics(values, values, TABLE), EXPECTED, 1e-12, 1e-12,
                                   err_msg=case)
    for case, values in ROWS.items():
        np.testing.assert_allclose(dynamics(values, values, TABLE[0]), EXPECTED[0], 1e-12, 1e-12,
                                   err_msg=case)
    np.testing.assert_allclose(dynamics.gravity(ROWS['series']), OF_SCARA.gravity(TABLE[0]))


@pytest.mark.parametrize(('values', 'words'), [
    ({}, ['qd: there is no value for "', NAMES[3]]),
    (dict.fromkeys([*NAMES, 'gripper'], 0.0), ['the robot has no joint "gripper"']),
    (dict.fromkeys(NAMES[1:], 0.0), [f'there is no value for "{NAMES[0]}"; the joints are: ']),
    (frame(TABLE[:, [0, 1, 2, 3, 3]], [*NAMES, NAMES[3]]), ['there are several values for']),
    (frame(TABLE, ['time', *NAMES[1:]]), ['no joint "time"', f'no value for "{NAMES[0]}"']),
    ({name: [0.0] * k for k, name in enumerate(NAMES)}, ['qd is not an array of numbers']),
    (dict.fromkeys(NAMES, 'fast'), ['qd is not an array of numbers']),
    ({0: 1.0}, ['the robot has no joint "0"']),
])
def test_names_that_are_missing_or_unknown_are_an_error(values: Any, words: list[str]) -> None:
    with pytest.raises(StateError) as caught:
        OF_SCARA(TABLE[0], values, TABLE[0])
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize('backend', ['python', 'c'])
def test_one_state_goes_with_many_and_none_is_zero(backend: Any) -> None:
    dynamics = InverseDynamics(SCARA, backend=backend)
    zero = np.zeros(4)
    np.testing.assert_array_equal(dynamics(TABLE[0]), dynamics(TABLE[0], zero, zero))
    np.testing.assert_array_equal(dynamics(TABLE), dynamics(TABLE, zero, zero))
    np.testing.assert_array_equal(dynamics(TABLE, qdd=TABLE[0]),
                                  dynamics(TABLE, 0 * TABLE, np.tile(TABLE[0], (5, 1))))
    np.testing.assert_array_equal(dynamics.bias(TABLE[0], TABLE),
                                  dynamics.bias(np.tile(TABLE[0], (5, 1)), TABLE))
    assert dynamics(TABLE[0], TABLE[:0]).shape == (0, 4)
    with pytest.raises(StateError, match=r'q has shape \(\)'):
        dynamics(None)
    with pytest.raises(StateError, match=r'same number; they have: q \(5, 4\), qd \(2, 4\)'):
        dynamics(TABLE, TABLE[:2])


def test_efforts_have_names_too() -> None:
    assert OF_SCARA.named(EXPECTED[0]) == dict(zip(NAMES, EXPECTED[0].tolist()))
    np.testing.assert_array_equal(OF_SCARA.named(EXPECTED)[NAMES[2]], EXPECTED[:, 2])
    with pytest.raises(StateError, match=r'shape \(3,\); it must be \(4,\) or \(N, 4\)'):
        OF_SCARA.named([1.0, 2.0, 3.0])


def test_loads_are_given_by_name() -> None:
    """A wrench on each link, of which one is free; one payload for many states."""
    dynamics = InverseDynamics(SCARA, loads=Loads(external=('link4', 'link2'), payload='link4'))
    payload = Payload(0.7, (0.1, 0.2, 0.3), (0.01, 0.0, 0.0, 0.02, 0.0, 0.015))
    ten = [0.7, 0.1, 0.2, 0.3, 0.01, 0.0, 0.0, 0.02, 0.0, 0.015]
    push = np.arange(1.0, 7.0)
    expected = dynamics(TABLE, TABLE, TABLE, [*push, *[0.0] * 6], ten)
    for external in ({'link4': push}, {'link2': np.zeros((5, 6)), 'link4': [*push]},
                     [*push, *[0.0] * 6]):
        found = dynamics(TABLE, TABLE, TABLE, external=external, payload=payload)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(dynamics(TABLE, TABLE, TABLE, [*push, *[0.0] * 6], payload),
                                  expected)
    M = dynamics.mass_matrix(TABLE, ten)
    np.testing.assert_array_equal(dynamics.mass_matrix(TABLE, payload=payload), M)
    for method, state in (('gravity', 1), ('bias', 2), ('terms', 3), ('momentum', 2),
                          ('forward_dynamics', 3), ('derivatives', 3)):
        call = getattr(dynamics, method)
        named = call(*[TABLE[0]] * state, payload=payload, external={'link4': push})
        listed = call(*[TABLE[0]] * state, [*push, *[0.0] * 6], ten)
        np.testing.assert_equal(named, listed)
    with pytest.raises(StateError, match='payload is given twice'):
        dynamics.mass_matrix(TABLE, ten, payload=payload)
    only = InverseDynamics(SCARA, loads=Loads(external='link4'))
    assert only.loads.external == ('link4',)


@pytest.mark.parametrize(('loads', 'words'), [
    ({'payloda': 1.0}, 'external is missing; payload is missing; there is no payloda: the arg'),
    ({'payload': np.zeros(10)}, 'external is missing: the arguments are q, external, pay'),
    ({'payload': np.zeros(10), 'external': {'link3': [0.0] * 6}}, 'declared on "link3"; the link'),
    ({'payload': np.zeros(10), 'external': {'link4': [0.0] * 5}}, r"\(5,\) of 'link4'"),
    ({'payload': np.zeros(10), 'external': {'link4': 'up'}}, r'must be \(6,\) or \(N, 6\)'),
    ({'payload': np.zeros(9), 'external': np.zeros(6)}, r'payload has shape \(9,\)'),
    ({'qd': TABLE[0]}, 'external is missing; payload is missing; there is no qd: the arguments')])
def test_loads_with_another_name_are_an_error(loads: dict[str, Any], words: str) -> None:
    dynamics = InverseDynamics(SCARA, loads=Loads(external='link4', payload='link4'))
    with pytest.raises(StateError, match=words):
        dynamics.gravity(TABLE[0], **loads)


@pytest.mark.parametrize(('body', 'words'), [
    ((-1.0,), 'payload.mass = -1.0: must be a number, at least 0'),
    (('1 kg',), 'payload.mass'),
    ((1.0, (0.0, 0.1)), 'payload.com = .*: must be 3 numbers'),
    ((0.0, (0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)), 'inertia without payload.mass'),
    ((1.0, (0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 1.0, 0.0, -1.0)), 'payload.inertia: ')])
def test_a_payload_that_no_body_is_is_refused(body: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Payload(*body)


def test_loads_from_a_generator_count() -> None:
    terms = {NAMES[0]: (term for term in [Friction(viscous=2.0)])}
    loads = Loads(terms=terms, external=(link for link in ['link4']))
    rubs = InverseDynamics(SCARA, loads=loads)(TABLE[0], np.ones(len(NAMES)), None, np.zeros(6))
    smooth = InverseDynamics(SCARA)(TABLE[0], np.ones(len(NAMES)))
    np.testing.assert_allclose(rubs - smooth, [2.0] + [0.0] * (len(NAMES) - 1), atol=1e-12)


@pytest.mark.parametrize(('arguments', 'error', 'words'), [
    ({'loads': Loads(terms=[1])}, ParameterError, 'terms is a list; it must be a mapping'),
    ({'loads': Loads(terms={NAMES[0]: 3})}, ParameterError, 'has 3: give a list of Friction'),
    ({'loads': Loads(payload=['link4'])}, ParameterError, r"no link \['link4'\] for a payload"),
    ({'loads': Loads(external=4)}, ParameterError, 'external is 4; it must be a list of links'),
    ({'functions': ['gravity']}, ExportError, r"unknown function \['gravity'\]; it is one of"),
    ({'functions': ('bias', 'dynamics')}, ExportError, "unknown function 'dynamics'; it is one"),
    ({'frames': 'link4'}, ExportError, r"frames is 'link4'; it must be LinkFrames")])
def test_what_is_of_another_type_is_an_error_of_this_package(arguments, error, words):
    with pytest.raises(error, match=words):
        export_model(SCARA, **{'functions': 'jacobian' if 'frames' in arguments else 'gravity',
                               **arguments})


def test_several_functions_are_the_same_in_any_order() -> None:
    orders = ('energy', 'all', 'gravity'), ('gravity', 'all', 'energy'), ('all', 'energy')
    first, *others = [export_model(SCARA, 'c', 'fast', functions=names) for names in orders]
    assert others == [first, first]


@pytest.mark.parametrize('function', [
    partial(evaluate, 'x.csv'), partial(identify, ['x.csv']), excite, MomentumObserver,
    lambda dynamics: compare(dynamics, [0.0], [[0.0]], [[0.0]])])
def test_a_path_in_the_place_of_an_inverse_dynamics_is_an_error(function) -> None:
    with pytest.raises(ParameterError, match=r"dynamics is a str; .* as InverseDynamics\('robot"):
        function('robot.urdf')


def test_links_are_one_or_several() -> None:
    poses = OF_SCARA.forward_kinematics(TABLE, ['link2', 'link4'])
    assert [*poses] == ['link2', 'link4']
    for link, pose in poses.items():
        for found, expected in zip(pose, OF_SCARA.forward_kinematics(TABLE, link)):
            np.testing.assert_allclose(found, expected, atol=1e-15)
    with pytest.raises(ExportError, match=r"link is \['link4'\] and axes .* one name"):
        OF_SCARA.jacobian(TABLE, ['link4'])   # type: ignore[arg-type]
    jacobian = export_model(SCARA, functions='jacobian', frames=LinkFrames('link4'))
    assert jacobian == export_model(SCARA, functions='jacobian', frames=LinkFrames(('link4',)))


def test_limits_are_arrays() -> None:
    """Infinite where the URDF has none."""
    assert OF_SCARA.n == 4
    pendulum = InverseDynamics(read_urdf(OWN / 'robot_2r.urdf'))
    assert pendulum.lower.tolist() == [-np.inf] * 2 and pendulum.upper.tolist() == [np.inf] * 2
    for name, values in (('lower', OF_SCARA.lower), ('upper', OF_SCARA.upper),
                         ('velocity', OF_SCARA.velocity_limit), ('effort', OF_SCARA.effort_limit)):
        assert values.tolist() == [getattr(limits, name) for limits in OF_SCARA.limits]


@pytest.mark.slow
def test_a_payload_costs_a_part_of_a_call() -> None:
    """Given as a Payload or an array, which have the same efforts; -s prints the cost."""
    plain = InverseDynamics(MODEL, backend='c')
    loaded = InverseDynamics(MODEL, backend='c', loads=Loads(payload='link6'))
    state, payload = np.full((3, plain.n), 0.3), Payload(0.7, [0.0, 0.0, 0.1])
    array = np.array(payload)
    expected = loaded(*state, [0.7, 0, 0, 0.1, *[0] * 6])
    assert loaded(*state, payload=payload) == pytest.approx(expected, rel=1e-15)
    assert loaded(*state, payload=array) == pytest.approx(expected, rel=1e-15)
    calls = (lambda: plain(*state), lambda: loaded(*state, payload=payload),
             lambda: loaded(*state, payload=array))
    best = np.min([[timeit.timeit(call, number=500) for call in calls] for _ in range(60)], axis=0)
    cost, as_array = best[1:] / best[0]
    print(f'a call with a payload, over one without: {cost:.2f}, as an array {as_array:.2f}')


def test_names_of_pinocchio_are_answered_with_ours() -> None:
    dynamics = InverseDynamics(SCARA)
    for name, ours in (('rnea', r'dynamics\(q, qd, qdd\)'), ('crba', 'mass_matrix'),
                       ('aba', 'forward_dynamics'),
                       ('computeJointTorquesRegressor', 'regressor')):
        with pytest.raises(AttributeError, match=rf'no attribute .{name}.; here it is .*{ours}'):
            getattr(dynamics, name)
    with pytest.raises(AttributeError, match=r"no attribute 'no_such'$"):
        _ = dynamics.no_such

"""From joint states to efforts, with a pendulum; the rows are those of the catalogue of faults."""

from __future__ import annotations

from collections import Counter
from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimators import make_estimator
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.joint_states.layouts import MAX_LAYOUTS, MAX_UNKNOWN
from urdf2dyn_ros.stream import EVENTS, MAX_EFFORTS, OUTCOMES, Stream

MS = 1_000_000
START = 1_700_000_000 * 1000 * MS
NAMES = ['swing', 'spin']
NOTHING: list[float] = []

MASS, LENGTH, GRAVITY = 2.0, 0.5, 9.81  # [kg], [m], [m/s^2]


def pendulums(q, qd, qdd):
    """Return the efforts (2,) of two point masses on massless rods [N m]; q = 0 hangs down."""
    return MASS * LENGTH**2 * qdd + MASS * GRAVITY * LENGTH * np.sin(q)


def motion(stamp):
    """Return q, qd, qdd (2,): one swings at 1 Hz, the other turns on and on."""
    t = (stamp - START) * 1e-9
    w = 2.0 * pi
    return (np.array([0.5 * np.sin(w * t), 5.0 * t]), np.array([0.5 * w * np.cos(w * t), 5.0]),
            np.array([-0.5 * w * w * np.sin(w * t), 0.0]))


def make_stream(estimator=None, dynamics=pendulums, clock=lambda: START, **options):
    estimator = estimator or make_estimator('polynomial', 2)
    return Stream(NAMES, [False, True], dynamics, estimator, clock=clock, **options)


@pytest.fixture
def stream():
    return make_stream()


def receive(stream, ms, names=NAMES, **fields):
    """Let a driver speak that wraps the joint that turns; `fields` replace what it would say."""
    stamp = START + round(ms * MS)
    q, qd, qdd = motion(stamp)
    truth = {'position': [q[0], (q[1] + pi) % (2.0 * pi) - pi], 'velocity': qd.tolist(),
             'effort': pendulums(q, qd, qdd).tolist()}
    return stream.receive(fields.pop('stamp', stamp), names, **{**truth, **fields})


def run(stream, milliseconds, **fields):
    """Return the outputs of many messages."""
    outputs = [receive(stream, ms, **fields) for ms in milliseconds]
    return [output for output in outputs if output is not None]


def add_up(counters):
    return counters['received'] == sum(counters[outcome] for outcome in OUTCOMES)


@pytest.mark.parametrize(('name', 'parameters', 'tolerance', 'lag'), [
    ('polynomial', {}, 0.05, 0), ('polynomial', {'align': 'centre'}, 0.02, 15),
    ('finite_difference', {'cutoff': 0.0}, 0.1, 0),
    ('finite_difference', {'cutoff': 0.0, 'align': 'centre'}, 0.001, 1)])
def test_efforts_are_those_of_the_pendulum_at_the_declared_instant(
        name, parameters, tolerance, lag):
    stream = make_stream(make_estimator(name, 2, **parameters))
    outputs = run(stream, range(2000))
    assert outputs[-1].stamp == START + (1999 - lag) * MS
    for output in outputs:
        q, qd, qdd = motion(output.stamp)
        assert output.q == pytest.approx(q, abs=1e-9)
        assert output.effort == pytest.approx(pendulums(q, qd, qdd), abs=tolerance)
        assert output.measured == pytest.approx(pendulums(q, qd, qdd), abs=1e-9)
    assert stream.counters == {'received': 2000, 'used': len(outputs),
                               'warming_up': 2000 - len(outputs)}


def test_a_measured_effort_is_given_only_where_there_is_one(stream):
    output = run(stream, range(100), effort=[nan, 3.0])[-1]
    assert np.array_equal(output.measured, [nan, 3.0], equal_nan=True)
    assert np.isnan(run(stream, range(100, 200), effort=NOTHING)[-1].measured).all()


def test_nothing_comes_of_a_position_that_is_not_finite_row_22(stream):
    run(stream, range(100))
    for bad in (nan, inf, -inf):
        assert receive(stream, 100, position=[bad, 0.0]) is None
    assert stream.counters['position_not_finite'] == 3
    assert receive(stream, 101).effort == pytest.approx(pendulums(*motion(START + 101 * MS)),
                                                        abs=0.1)


@pytest.mark.parametrize('velocity', [NOTHING, [nan, nan], [inf, nan], [1.0]])
def test_without_velocities_positions_do_row_23(stream, velocity):
    outputs = run(stream, range(500), velocity=velocity)
    assert len(outputs) == 470
    for output in outputs:
        assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=0.05)
    assert stream.counters['velocity_ignored'] == (500 if velocity == [1.0] else 0)


def test_malformed_messages_are_dropped_and_counted_row_24(stream):
    run(stream, range(100))
    assert receive(stream, 100, names=[]) is None
    assert receive(stream, 100, position=NOTHING) is None
    assert receive(stream, 100, position=[1.0, 2.0, 3.0]) is None
    assert receive(stream, 100, names=[], position=NOTHING, velocity=NOTHING, effort=NOTHING,
                   stamp=0) is None
    assert {name: stream.counters[name] for name in ('empty', 'malformed', 'no_stamp')} == {
        'empty': 1, 'malformed': 2, 'no_stamp': 1}
    assert receive(stream, 100) is not None
    assert add_up(stream.counters)


def test_unknown_missing_and_duplicate_names_row_25(stream):
    assert stream.missing_joints == ('swing', 'spin')
    assert receive(stream, 0, names=['swing', 'gripper']) is None
    assert stream.missing_joints == ('spin',)
    assert stream.unknown_joints == ('gripper',)
    assert receive(stream, 1, names=['swing', 'swing']) is None
    assert receive(stream, 1, names=['left', 'right']) is None
    assert stream.counters == {
        'received': 3, 'incomplete': 1, 'duplicate_names': 1, 'other_joints': 1}


def test_two_publishers_of_disjoint_joints_are_merged_row_26():
    stream = make_stream(max_skew=0.003)
    outputs = []
    for ms in range(0, 1000, 5):
        for joint, delay in ((0, 0), (1, 2)):
            q, qd, _ = motion(START + (ms + delay) * MS)
            outputs.append(stream.receive(START + (ms + delay) * MS, [NAMES[joint]], [q[joint]],
                                          [qd[joint]], NOTHING))
    used = [output for output in outputs if output is not None]
    assert len(used) == 200 - 6
    for output in used:  # the first joint is two milliseconds behind
        expected = np.where([True, False], pendulums(*motion(output.stamp - 2 * MS)),
                            pendulums(*motion(output.stamp)))
        assert output.effort == pytest.approx(expected, abs=0.1)
    assert stream.counters['incomplete'] == 200
    assert add_up(stream.counters)


def test_publishers_with_clocks_hours_apart_give_nothing_row_27(stream):
    hour = 3600 * 1000
    for ms in range(200):
        assert receive(stream, ms) is None
        assert receive(stream, ms + hour + 0.5) is None
    assert stream.counters['gap'] + stream.counters['jump_back'] == 399


def test_a_second_publisher_that_lags_is_counted_row_27(stream):
    for ms in range(200):
        receive(stream, ms)
        receive(stream, ms - 1.5)
    assert stream.counters['out_of_order'] > 190


def test_no_stamp_no_output_row_28(stream):
    assert run(stream, range(100), stamp=0) == []
    assert stream.counters == {'received': 100, 'no_stamp': 100}


@pytest.mark.parametrize('stamp', [-1, 2**63, 2**200])
def test_a_stamp_out_of_range_is_none_row_28(stream, stamp):
    assert receive(stream, 0, stamp=stamp) is None
    assert stream.counters['no_stamp'] == 1


def test_the_receive_time_stands_in_for_a_stamp_row_28():
    now = [START]
    stream = make_stream(clock=lambda: now[0], use_receive_time=True)
    outputs = []
    for ms in range(100):
        now[0] = START + ms * MS
        outputs.append(receive(stream, ms, stamp=0))
    assert outputs[-1].stamp == now[0]
    assert outputs[-1].effort == pytest.approx(pendulums(*motion(now[0])), abs=0.05)


def test_a_duplicate_stamp_is_dropped_row_29(stream):
    run(stream, range(100))
    assert receive(stream, 99) is None
    assert receive(stream, 99, position=[0.3, 0.1]) is None
    assert stream.counters['duplicate_stamp'] == 2
    assert receive(stream, 100) is not None


def test_a_late_message_is_dropped_row_30(stream):
    run(stream, range(100))
    assert receive(stream, 60) is None
    assert stream.counters['out_of_order'] == 1
    assert receive(stream, 100) is not None


@pytest.mark.parametrize('target', [-100_000_000, 0, 700])
def test_after_a_jump_back_output_is_soon_there_again_row_31(stream, target):
    run(stream, range(1000))
    outputs = run(stream, range(target, target + 200))
    assert len(outputs) == 170
    assert outputs[0].stamp == START + (target + 30) * MS
    assert outputs[0].measured == pytest.approx(pendulums(*motion(outputs[0].stamp)))
    assert stream.counters['jump_back'] == 1


@pytest.mark.parametrize('gap', [101, 5000, 3_600_000])
def test_no_effort_across_a_gap_row_32(stream, gap):
    run(stream, range(500))
    outputs = run(stream, range(499 + gap, 799 + gap))
    assert len(outputs) == 270
    assert outputs[0].stamp == START + (529 + gap) * MS
    assert stream.counters['gap'] == 1


def test_a_short_pause_is_no_gap_row_32(stream):
    run(stream, range(500))
    assert len(run(stream, range(590, 700))) == 110
    assert stream.counters['gap'] == 0


@pytest.mark.parametrize('hours', [-5, 0, 5])
def test_the_age_of_the_stamps_is_known_row_33(hours):
    stream = make_stream(clock=lambda: START + 99 * MS + hours * 3600 * 1000 * MS)
    assert stream.age is None
    assert run(stream, range(100))
    assert stream.age == hours * 3600 * 1000 * MS


def test_a_wrapping_joint_gives_what_a_counting_one_does_row_34(stream):
    counting = make_stream()
    for ms in range(3000):
        q, _, _ = motion(START + ms * MS)
        one, other = receive(stream, ms), receive(counting, ms, position=q.tolist())
        if one is not None:
            assert one.qdd == pytest.approx(other.qdd, abs=1e-9)
            assert one.effort == pytest.approx(other.effort, abs=1e-9)


@pytest.mark.parametrize('glitch', [0.5, 1e6, 1e200, 1e308])
@pytest.mark.parametrize('velocity', [None, NOTHING])
def test_a_glitch_is_forgotten_row_35(stream, glitch, velocity):
    fields = {} if velocity is None else {'velocity': velocity}
    run(stream, range(100), **fields)
    receive(stream, 100, position=[glitch, -glitch], **fields)
    receive(stream, 101, velocity=[glitch, -glitch])
    outputs = run(stream, range(102, 202), **fields)
    assert outputs[-1].effort == pytest.approx(pendulums(*motion(outputs[-1].stamp)), abs=0.05)


def test_a_change_of_rate_and_bursts_are_followed_row_38(stream):
    slow = np.arange(1000, 3000, 20)
    bursts = np.sort(np.concatenate((np.arange(3000, 4000, 10), np.arange(3000.2, 4000, 10))))
    for times in (np.arange(1000), slow, bursts):
        outputs = run(stream, times)
        assert len(outputs) >= len(times) - 30
        for output in outputs[5:]:
            assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=0.5)
    assert stream.counters['gap'] == 0


@pytest.mark.parametrize('rate', [3.0, 10.0])
def test_a_slow_stream_is_no_series_of_gaps_row_38(stream, rate):
    outputs = run(stream, np.arange(0, 20_000, 1000.0 / rate))
    assert len(outputs) >= 20 * rate - 8


def raising(error):
    def dynamics(q, qd, qdd):
        raise error
    return dynamics


@pytest.mark.parametrize('dynamics', [
    lambda q, qd, qdd: q * nan, lambda q, qd, qdd: q + inf, lambda q, qd, qdd: q * 1e308 * 1e308,
    raising(OverflowError()), raising(ZeroDivisionError())])
def test_efforts_that_are_not_finite_are_withheld_and_counted(dynamics):
    stream = make_stream(make_estimator('finite_difference', 2), dynamics)
    assert run(stream, range(1, 100)) == []
    assert stream.counters['not_finite'] == 33  # of three samples each
    assert add_up(stream.counters)


class Constant:
    """An estimator that knows better."""

    def __init__(self, **values):
        self.values = values

    def update(self, stamp, q, qd):
        vectors = {'q': q, 'qd': qd, 'qdd': np.zeros(2), **self.values}
        return Estimate(stamp, std=np.zeros(2), valid=True, **vectors)

    def reset(self):
        pass


@pytest.mark.parametrize('vector', ['q', 'qd', 'qdd'])
def test_nothing_is_computed_from_what_is_not_finite(vector):
    stream = make_stream(Constant(**{vector: np.array([0.0, nan])}),
                         lambda q, qd, qdd: np.zeros(2))
    assert run(stream, range(10)) == []
    assert stream.counters['not_finite'] == 10


def test_a_fault_of_the_dynamics_is_not_hidden_and_not_counted():
    stream = make_stream(make_estimator('finite_difference', 2), raising(KeyError('bug')))
    with pytest.raises(KeyError):
        run(stream, range(100))
    assert add_up(stream.counters)


def test_a_new_stream_counts_on(stream):
    run(stream, range(100))
    successor = make_stream(counters=stream.counters)
    run(successor, range(100, 200))
    assert successor.counters['received'] == 200
    assert add_up(successor.counters)


@pytest.mark.parametrize('parameters', [
    {'max_gap': -1.0}, {'max_skew': 'x'}, {'use_receive_time': 1}, {'unheard_of': 1}])
def test_parameters_are_checked(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        make_stream(**parameters)


def test_an_effort_that_no_estimate_takes_is_not_kept_for_ever_row_51():
    class Idle:
        def __init__(self):
            self.inner = make_estimator('finite_difference', 2)

        def update(self, stamp, q, qd):
            self.inner.reset()
            return self.inner.update(stamp, q, qd)

        def reset(self):
            pass

    stream = make_stream(Idle())
    run(stream, range(2 * MAX_EFFORTS))
    assert len(stream._efforts) == MAX_EFFORTS


NUMBERS = st.lists(st.floats(width=64) | st.integers(), max_size=4)
GARBAGE = NUMBERS | st.none() | st.text(max_size=3) | st.lists(st.none() | st.text(max_size=2))
SOME_NAMES = st.lists(st.sampled_from([*NAMES, 'gripper', '', 'wheel']), max_size=4)


class Faults(RuleBasedStateMachine):
    """A driver that does everything wrong, now and then something right."""

    @initialize(name=st.sampled_from(['polynomial', 'finite_difference']),
                align=st.sampled_from(['end', 'centre']), receive_time=st.booleans())
    def start(self, name, align, receive_time):
        self.options = {'use_receive_time': receive_time, 'max_skew': 0.002,
                        'clock': lambda: START + round(self.ms * MS)}
        self.estimator = lambda: make_estimator(name, 2, align=align)
        self.ms = 0.0
        self.sent = 0
        self.resets = 0
        self.last_output = 0
        self.counted: Counter[str] = Counter()
        self.stream = make_stream(self.estimator(), **self.options)

    def send(self, ms=None, **fields):
        output = receive(self.stream, self.ms if ms is None else ms, **fields)
        self.sent += 1
        resets = sum(self.stream.counters[name] for name in ('gap', 'jump_back', 'not_finite'))
        if resets > self.resets:
            self.resets, self.last_output = resets, 0
        if output is not None:
            vectors = (output.q, output.qd, output.qdd, output.effort)
            assert all(np.isfinite(vector).all() for vector in vectors)
            assert output.stamp > self.last_output
            self.last_output = output.stamp

    @rule(count=st.integers(1, 40), step=st.sampled_from([1.0, 8.0, 0.3]))
    def good(self, count, step):
        for _ in range(count):
            self.ms += step
            self.send()

    @rule(position=st.permutations([0.1, nan]) | st.permutations([inf, 0.0]))
    def position_not_finite(self, position):
        self.ms += 1.0
        self.send(position=position)

    @rule(velocity=GARBAGE, effort=GARBAGE)
    def only_positions(self, velocity, effort):
        self.ms += 1.0
        self.send(velocity=velocity, effort=effort)

    @rule(names=SOME_NAMES, position=GARBAGE, velocity=GARBAGE, effort=GARBAGE)
    def anything(self, names, position, velocity, effort):
        self.ms += 1.0
        self.send(names=names, position=position, velocity=velocity, effort=effort)

    @rule(joint=st.sampled_from([0, 1]), count=st.integers(1, 20))
    def partial(self, joint, count):
        for _ in range(count):
            self.ms += 1.0
            self.send(names=[NAMES[joint]], position=[0.1], velocity=[0.0], effort=[1.0])
            joint = 1 - joint

    @rule(number=st.integers(0, 10**6))
    def unknown(self, number):
        self.ms += 1.0
        self.send(names=[*NAMES, f'x{number}'], position=[0.0, 0.0, 0.0])

    @rule()
    def duplicate(self):
        self.send()

    @rule(by=st.floats(0.0, 99.0))
    def old(self, by):
        self.send(ms=self.ms - by)

    @rule(by=st.floats(-1e9, 1e9))
    def jump(self, by):
        self.ms += by
        self.send()

    @rule(stamp=st.integers() | st.just(0))
    def any_stamp(self, stamp):
        self.send(stamp=stamp)

    @rule()
    def swap(self):
        self.stream = make_stream(self.estimator(), counters=self.stream.counters, **self.options)
        self.last_output = 0

    @invariant()
    def every_message_is_counted_once(self):
        counters = self.stream.counters
        assert counters['received'] == self.sent
        assert add_up(counters)
        assert counters.keys() <= OUTCOMES.keys() | EVENTS.keys()
        assert all(counters[name] >= count for name, count in self.counted.items())
        self.counted = counters.copy()

    @invariant()
    def memory_is_bounded(self):
        assert len(self.stream._efforts) <= MAX_EFFORTS
        assert len(self.stream.unknown_joints) <= MAX_UNKNOWN
        assert len(self.stream._samples._layouts._known) <= MAX_LAYOUTS


TestFaults = Faults.TestCase
TestFaults.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

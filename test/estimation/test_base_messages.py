"""Messages of a moving base that stands: bad, missing, old and late ones, and the reason why."""

import warnings
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.random_trees import examples
from support.robot_files import robot_path
from support.streams.flying_robot import START
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS
from urdf2dyn_ros.estimation.outcomes import BASE_ABSENCES, BASE_EVENTS, BASE_OUTCOMES
from urdf2dyn_ros.robot.multibody import make_multibody

MODEL = read_urdf(robot_path('solo12').read_bytes())
STILL = np.zeros((3, len(make_multibody(MODEL).joint_names)))
MS = 1_000_000
REST = np.array([0.0] * 8 + [9.81])
TAKEN = ('used', 'warming_up')

SENSES = {
    'imu': {'angular_velocity': (0.0, 0.0, 0.0), 'linear_acceleration': (0.0, 0.0, 9.81)},
    'odometry': {'orientation': (0.0, 0.0, 0.0, 1.0), 'linear': (0.0, 0.0, 0.0),
                 'angular': (0.0, 0.0, 0.0)},
}
every_base = pytest.mark.parametrize('name', BASE_SENSORS)


class Robot:
    """Stands still; messages are identified by their time [ms]."""

    def __init__(self, name: str, **parameters) -> None:
        self.name, self.now = name, START
        self.base = BASE_SENSORS[name](MODEL, clock=lambda: self.now, **parameters)

    def receive(self, ms: float, frame: str = 'base_link', **fields) -> str:
        return self.base.receive(START + round(ms * MS), frame, **{**SENSES[self.name], **fields})

    def warm(self, since: float = 0.0, count: int = 50) -> 'Robot':
        """Receive so many messages, 5 ms apart."""
        for k in range(count):
            assert self.receive(since + 5.0 * k) in TAKEN
        return self

    def ask(self, ms: float):
        return self.base.motion_at(START + round(ms * MS), *STILL)

    def reason(self, ms: float) -> str:
        """Return why there is no motion, as a person reads it; count it."""
        before = self.base.counters.copy()
        absence = self.ask(ms)
        assert isinstance(absence, str)
        assert self.base.counters - before == {absence: 1}
        return self.base.explained(absence)


@every_base
def test_other_equations_go_on_with_the_same_sensor(name):
    """But odometry of another gravity: it has none of its own."""
    robot = Robot(name).warm()
    for goes_on, values in ((True, {}), (name == 'imu', {'gravity': (0.0, 0.0, -1.62)}),
                            (False, {'timeout': 0.2})):
        other = Robot(name, **values)
        other.base.proceed(robot.base)
        assert (other.base.newest is not None) == goes_on
        if goes_on:
            np.testing.assert_array_equal(other.ask(244.0), robot.ask(244.0))
        else:
            assert other.ask(244.0) == 'base_missing'
    same = Robot(name)
    same.base.proceed(robot.base)
    assert same.receive(250.0) == 'used'
    np.testing.assert_allclose(same.ask(250.0), REST, atol=1e-9)


@every_base
def test_a_robot_that_stands_feels_nothing_but_gravity(name):
    """As soon as the filters have proved themselves, 0.2 s after the first message."""
    robot = Robot(name)
    outcomes = [robot.receive(5.0 * k) for k in range(60)]
    first = outcomes.index('used')
    assert first <= 40
    assert outcomes == ['warming_up'] * first + ['used'] * (60 - first)
    for ms in range(5 * first, 296):
        assert robot.ask(ms) == pytest.approx(REST, abs=1e-9)
    assert robot.base.counters == {'received': 60, 'warming_up': first, 'used': 60 - first}


# Missing


@every_base
def test_without_data_there_is_no_motion(name):
    assert Robot(name).reason(0.0) == 'no base data yet'
    assert Robot(name).base.newest is None is Robot(name).base.age


@every_base
def test_with_too_little_data_there_is_no_motion(name):
    robot = Robot(name).warm(count=3)
    assert robot.reason(10.0) == 'too little base data yet for accelerations'
    robot.now = START + 15 * MS
    assert robot.base.age == 5 * MS
    # nor does it warm up for ever
    assert robot.reason(111.0).startswith('the base data is older than the joint states')


@every_base
def test_old_data_stands_for_a_short_time_and_is_stale_after_the_timeout(name):
    robot = Robot(name).warm()   # up to 245 ms
    assert robot.ask(255.0) == pytest.approx(REST, abs=1e-6)
    assert robot.reason(256.0) == ('the joint states are newer than the base data by more than '
                                   'max_age: the newest is 0.011 s older')
    assert robot.reason(345.5) == ('the base data is older than the joint states by more than '
                                   'the timeout: the newest is 0.101 s older')
    patient = Robot(name, timeout=1.0, max_age=0.5).warm()
    assert isinstance(patient.ask(745.0), np.ndarray)
    assert patient.ask(745.1) == 'base_behind'
    assert patient.ask(1245.1) == 'base_stale'


@every_base
def test_nothing_is_made_up_across_a_gap(name):
    robot = Robot(name).warm()
    assert robot.receive(400.0) == 'warming_up'
    assert robot.base.counters['gap'] == 1
    assert robot.ask(400.0) == 'base_warming_up'
    outcomes = [robot.receive(405.0 + 5.0 * k) for k in range(50)]
    assert outcomes[10:] == ['used'] * 40   # with what the filters have learned
    assert robot.ask(600.0) == pytest.approx(REST, abs=1e-6)
    assert robot.ask(350.0) == 'base_forgotten'


@every_base
def test_nothing_is_made_up_between_data_of_a_slow_sensor(name):
    """At 5 Hz no two samples are as near as the timeout asks."""
    robot = Robot(name)
    for k in range(40):
        robot.receive(200.0 * k)
    assert robot.reason(7700.0) == ('the joint states are in a gap of the base data that is '
                                    'longer than the timeout')
    assert isinstance(robot.ask(7800.0), np.ndarray)


@every_base
def test_a_clock_set_back_resets(name):
    robot = Robot(name).warm(since=60_000.0)
    assert robot.receive(0.0) == 'warming_up'
    assert robot.base.counters['jump_back'] == 1
    assert robot.ask(60_245.0) == 'base_stale'
    robot.warm(since=5.0)
    assert robot.ask(200.0) == pytest.approx(REST, abs=1e-6)


def test_what_was_measured_before_the_clock_was_set_back_is_forgotten():
    robot = Robot('imu').warm(since=60_000.0)
    for k in range(50):
        robot.receive(5.0 * k, linear_acceleration=(1.0, 2.0, 3.0))
    assert robot.ask(245.0)[6:] == pytest.approx([1.0, 2.0, 3.0])


@every_base
def test_a_motion_that_is_too_large_is_none(name):
    robot = Robot(name)
    for k in range(40):
        robot.receive(5.0 * k, frame='FL_FOOT')
    assert isinstance(robot.ask(195.0), np.ndarray)
    assert robot.base.motion_at(START + 195 * MS, STILL[0], 1e200 + STILL[1], STILL[2]) == (
        'base_not_finite')


# Rejected


@pytest.mark.parametrize('value', [nan, inf, -inf, 1e300])
@pytest.mark.parametrize(('name', 'field'), [
    (name, field) for name, fields in SENSES.items() for field in fields])
def test_what_is_not_finite_is_refused(name, field, value):
    robot = Robot(name).warm()
    wrong = (*SENSES[name][field][:-1], value)
    assert robot.receive(250.0, **{field: wrong}) == 'not_finite'
    assert robot.ask(250.0) == pytest.approx(REST, abs=1e-6)   # of 245 ms
    assert 'rejected: NaN, infinite' in robot.reason(400.0)
    assert robot.receive(255.0) == 'used'
    assert 'refused' not in robot.reason(400.0)
    assert robot.base.newest == START + 255 * MS


@every_base
@pytest.mark.parametrize('covariances', [(-1.0, 0.0), (0.0, -1.0)])
def test_what_is_not_measured_is_refused(name, covariances):
    robot = Robot(name)
    for k in range(10):
        assert robot.receive(5.0 * k, covariances=covariances) == 'not_measured'
    assert robot.reason(45.0) == ('no base data yet; the last message was rejected: a covariance '
                                  'begins with -1: there is no such measurement')
    assert robot.receive(50.0, covariances=(0.01, 0.0)) == 'warming_up'


@pytest.mark.parametrize(('factor', 'outcome'), [
    (0.0, 'no_rotation'), (0.98, 'no_rotation'), (1.02, 'no_rotation'),
    (0.995, 'used'), (1.005, 'used'), (-1.0, 'used')])
def test_a_quaternion_is_of_unit_length_or_refused(factor, outcome):
    robot = Robot('odometry').warm()
    tilted = np.array([np.sin(0.2), 0.0, 0.0, np.cos(0.2)])   # 0.4 rad about x
    assert robot.receive(250.0, orientation=factor * tilted) == outcome
    if outcome == 'used':
        expected = 9.81 * np.array([0.0, np.sin(0.4), np.cos(0.4)])
        assert robot.ask(250.0)[6:] == pytest.approx(expected, abs=1e-9)
    else:
        assert robot.reason(400.0).endswith(
            'the last message was rejected: the quaternion is not of unit length')


@every_base
def test_a_frame_that_is_no_link_is_refused_and_said_once(name):
    robot = Robot(name)
    for k in range(100):
        assert robot.receive(5.0 * k, frame='imu0\n') == 'unknown_frame'
    assert robot.reason(500.0) == ('no base data yet; the last message was rejected: the frame is '
                                   'no link of the robot')
    said, = robot.base.warnings
    assert said == (
        'base data with frame_id "imu0\\n" is rejected, which is no link of "solo"; the links are '
        '"base_link", "FL_SHOULDER", "FL_UPPER_LEG", "FL_LOWER_LEG", "FL_FOOT", "FR_SHOULDER", '
        '"FR_UPPER_LEG", "FR_LOWER_LEG", "FR_FOOT", "HL_SHOULDER" and 7 more: set the frame_id '
        'of the sensor to the link it is mounted on, or add that link to the URDF')
    assert robot.base.counters['unknown_frame'] == robot.base.counters['received'] == 100
    for k in range(100):
        robot.receive(k, frame=f'frame{k}')
    assert len(robot.base.warnings) == 5
    assert robot.receive(600.0, frame='') == 'unknown_frame'


@every_base
def test_a_wrong_frame_is_over_when_only_good_ones_have_come_for_a_while(name):
    """Otherwise the status would warn for ever of a driver that was corrected."""
    robot = Robot(name).warm()
    robot.receive(250.0, frame='wrong')
    for k in range(1, 1001):
        assert len(robot.base.warnings) == 1
        robot.receive(250.0 + 5.0 * k)
    assert robot.base.warnings == ()
    for k in range(10):   # and others can be reported
        robot.receive(250.0, frame=f'frame{k}')
    assert len(robot.base.warnings) == 5


@every_base
def test_data_of_another_link_reset(name):
    """What two sensors measure is not mixed."""
    robot = Robot(name).warm()
    assert robot.receive(250.0, frame='FL_FOOT') == 'warming_up'
    assert robot.base.counters['frame_changed'] == 1
    assert robot.ask(250.0) == 'base_warming_up'
    assert robot.base.warnings == ('base data with frame_id "FL_FOOT" came after that of '
                                   '"base_link": only one sensor may publish on this topic',)


@every_base
@pytest.mark.parametrize(('ms', 'outcome'), [
    (-START / MS, 'no_stamp'), (2**63 / MS, 'no_stamp'),
    (245.0, 'duplicate_stamp'), (244.0, 'out_of_order')])
def test_stamps_advance(name, ms, outcome):
    robot = Robot(name).warm()
    assert robot.receive(ms) == outcome
    assert robot.base.newest == START + 245 * MS
    assert robot.receive(250.0) == 'used'


@every_base
@pytest.mark.fault(31)
def test_a_clock_that_is_set_back_a_little_resets(name):
    robot = Robot(name).warm()
    assert robot.receive(215.0) == 'out_of_order'
    assert robot.receive(220.0) == 'warming_up'
    assert robot.base.newest == START + 220 * MS
    assert robot.base.counters['jump_back'] == 1


@every_base
def test_a_parameter_that_breaks_its_rule_is_refused(name):
    for wrong, rule in (({'timeout': 0.0}, 'timeout'), ({'max_age': -1.0}, 'max_age'),
                        ({'lag': 9.0}, 'lag'), ({'position_noise': 1.0}, 'unknown parameter')):
        with pytest.raises(ParameterError, match=rule):
            Robot(name, **wrong)


# Whatever comes


@every_base
def test_memory_is_bounded(name):
    robot = Robot(name)
    last = 1024 + 250   # the first ones are for warming up
    for k in range(last + 1):
        robot.receive(k, frame='base_link')
    assert isinstance(robot.ask(last - 1024 + 1), np.ndarray)
    assert robot.ask(last - 1024) == 'base_forgotten'


numbers = st.sampled_from([0.0, 1e-305, 0.3, -5.0, 9.81, 1e3, 9e5, 1e7, 1e300, inf, nan])
messages = st.lists(st.tuples(
    st.sampled_from([5, 5, 5, 5, 1, 0, -3, 200, -5000, 10**6]),
    st.sampled_from(['base_link', 'base_link', 'FL_FOOT', 'nobody', '']),
    st.lists(numbers, min_size=10, max_size=10),
    st.sampled_from([0.0, 0.0, 0.0, -1.0]), st.booleans()), max_size=60)


@pytest.mark.parametrize('lag', [0.0, 0.01])
@every_base
@examples(12)
@given(messages)
def test_any_sequence_of_messages_gives_finite_motions_or_a_reason(name, lag, sequence):
    """Every message has one outcome; no motion is anything but finite."""
    robot, ms, asked = Robot(name, lag=lag), 0, 0
    for step, frame, values, covariance, still in sequence:
        ms += step
        fields = {} if still else {field: values[3 * k:3 * k + len(rest)] for k, (field, rest)
                                   in enumerate(SENSES[name].items())}
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            outcome = robot.receive(ms, frame, covariances=(0.0, covariance), **fields)
            found = robot.ask(ms - 2)
        assert outcome in BASE_OUTCOMES
        asked += isinstance(found, str)
        assert found in BASE_ABSENCES if isinstance(found, str) else np.isfinite(found).all()
        if isinstance(found, str):
            assert robot.base.explained(found)
    counters = robot.base.counters
    assert set(counters) <= {*BASE_OUTCOMES, *BASE_EVENTS, *BASE_ABSENCES}
    assert counters['received'] == sum(counters[name] for name in BASE_OUTCOMES) == len(sequence)
    assert sum(counters[name] for name in BASE_ABSENCES) == asked
    # and it is right again before long
    robot.warm(since=1e9, count=100)
    assert robot.ask(1e9 + 495.0) == pytest.approx(REST, abs=1e-3)

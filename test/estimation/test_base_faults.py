"""Bad and missing data of a moving base: no motion then, and the reason why."""

import warnings
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.random_trees import examples
from support.streams.flying_robot import START
from support.streams.standing_robot import MS, REST, SENSES, TAKEN, Robot, every_base
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.moving_base import HISTORY_LENGTH, WARNING_MESSAGES
from urdf2dyn_ros.estimation.outcomes import BASE_ABSENCES, BASE_EVENTS, BASE_OUTCOMES


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
    for k in range(1, WARNING_MESSAGES + 1):
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
    last = HISTORY_LENGTH + 100   # the first ones are for warming up
    for k in range(last + 1):
        robot.receive(k, frame='base_link')
    assert isinstance(robot.ask(last - HISTORY_LENGTH + 1), np.ndarray)
    assert robot.ask(last - HISTORY_LENGTH) == 'base_forgotten'


@pytest.mark.parametrize('name', ['imu'])
def test_numbers_too_small_to_divide_by_are_no_matter(name):
    robot = Robot(name)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for k in range(60):
            size = 1e-305 if k < 20 else 1e5
            robot.receive(5.0 * k, angular_velocity=(size * (k % 3) ** 2, 0.0, 0.0))
    assert sum(robot.base.counters[outcome] for outcome in (*TAKEN, 'contradictory')) == 60


numbers = st.sampled_from([0.0, 0.3, -5.0, 9.81, 1e3, 9e5, 1e7, 1e300, inf, nan])
messages = st.lists(st.tuples(
    st.sampled_from([5, 5, 5, 5, 1, 0, -3, 200, -5000, 10**9]),
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
    robot.warm(since=1e11, count=100)
    assert robot.ask(1e11 + 495.0) == pytest.approx(REST, abs=1e-3)

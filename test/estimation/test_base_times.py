"""Missing, old and late data of a moving base: no motion then, and the reason why."""

from math import nan

import numpy as np
import pytest

from support.streams.flying_robot import START
from support.streams.standing_robot import MS, REST, STILL, Robot, every_base
from urdf2dyn_ros.estimation.moving_base import Rates


@every_base
def test_a_robot_that_stands_feels_nothing_but_gravity(name):
    robot = Robot(name)
    outcomes = [robot.receive(5.0 * k) for k in range(40)]
    assert outcomes == ['warming_up'] * 22 + ['used'] * 18
    assert robot.ask(195.0) == pytest.approx(REST, abs=1e-9)
    assert robot.base.counters == {'received': 40, 'warming_up': 22, 'used': 18}


@every_base
def test_with_a_lag_messages_are_about_earlier_instants(name):
    robot = Robot(name, lag=0.03)
    robot.warm(count=41)   # up to 200 ms
    assert robot.ask(160.0) == pytest.approx(REST, abs=1e-9)
    assert robot.ask(180.0) == pytest.approx(REST, abs=1e-9)
    assert robot.ask(181.0) == 'base_behind'


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
def test_what_is_forgotten_is_not_made_up(name):
    robot = Robot(name).warm(since=1000.0)
    assert robot.reason(1000.0) == ('the joint states are older than all base data that is kept: '
                                    'the newest is 0.245 s newer')


@every_base
def test_nothing_is_made_up_across_a_gap(name):
    robot = Robot(name).warm()
    assert robot.receive(400.0) == 'warming_up'
    assert robot.base.counters['gap'] == 1
    assert robot.ask(400.0) == 'base_warming_up'
    robot.warm(since=405.0)
    assert robot.ask(600.0) == pytest.approx(REST, abs=1e-6)
    assert robot.ask(350.0) == 'base_forgotten'


@every_base
def test_nothing_is_made_up_between_data_of_a_slow_sensor(name):
    """At 5 Hz no two samples are as near as the timeout asks."""
    robot = Robot(name)
    for k in range(20):
        robot.receive(200.0 * k)
    assert robot.reason(3700.0) == ('the joint states are in a gap of the base data that is '
                                    'longer than the timeout')
    assert isinstance(robot.ask(3800.0), np.ndarray)


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


@every_base
def test_an_estimate_that_is_not_finite_resets(name, monkeypatch: pytest.MonkeyPatch):
    robot = Robot(name).warm()
    right = Rates.update
    with monkeypatch.context() as patch:
        patch.setattr(Rates, 'update', lambda *a: right(*a)._replace(qdd=np.full(6, nan)))
        assert robot.receive(250.0) == 'not_finite'
    assert robot.receive(255.0) == 'warming_up'
    assert robot.ask(255.0) == 'base_warming_up'


# Refused

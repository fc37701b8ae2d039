"""Positions that cannot be those of one robot in radians are found; noise and speed are not."""

import numpy as np
import pytest

from support.streams.known_motions import PROFILES, record
from support.streams.pendulums import MS, START, make_stream, motion, receive, run
from urdf2dyn_ros.estimators import make_compiled
from urdf2dyn_ros.joint_states.position_check import MOST_SWINGS, PositionCheck

NO_LIMITS = np.tile((-np.inf, np.inf), (4, 1))


@pytest.mark.parametrize('profile', PROFILES)
def test_moving_robots_are_believed(profile):
    check = PositionCheck(NO_LIMITS)
    for stamp, q, qd in record(PROFILES[profile]):
        assert check.update(stamp, q, qd)
        assert check.warnings == {}


@pytest.mark.fault(35)
def test_outliers_and_re_homing_are_no_second_publisher():
    random = np.random.default_rng(0)
    check = PositionCheck(NO_LIMITS)
    whole = record(PROFILES['A'])
    whole.q[random.uniform(size=whole.q.shape) < 0.02] += 0.5
    whole.q[6000:] += 0.3
    assert all(check.update(*sample) for sample in whole)


@pytest.mark.parametrize('bits', [10, 11, 14])
def test_the_last_digit_of_a_coarse_encoder_is_no_second_publisher(bits):
    random = np.random.default_rng(3)
    check = PositionCheck(NO_LIMITS)
    for k, digits in enumerate(random.integers(2, size=(20_000, 4)) * [1, 0, 0, 0]):
        assert check.update(START + 10 * k * MS, 2.0 * np.pi / 2**bits * digits, np.zeros(4))


@pytest.mark.parametrize(('name', 'shift'), [
    ('kalman', 0.5), ('polynomial', 0.5), ('finite_difference', 0.05)])
@pytest.mark.fault(27)
def test_nothing_comes_of_two_publishers_whose_stamps_interleave(name, shift):
    """The second one, of a robot `shift` [rad] away, publishes from 1 s to 2 s."""
    stream = make_stream(make_compiled(name, 2))
    outputs = []
    for ms in range(3000):
        outputs.append(receive(stream, ms))
        if 1000 <= ms < 2000:
            q = motion(START + ms * MS)[0] + shift
            outputs.append(receive(stream, ms + 0.4, position=q.tolist()))
    stamps = np.array([output.stamp for output in outputs if output]) - START
    known = np.count_nonzero((stamps >= 1000 * MS) & (stamps < 2000 * MS))
    assert known <= 2 * MOST_SWINGS
    assert np.count_nonzero(stamps >= 2000 * MS) > 900
    assert stream.counters['two_sources'] > 1900
    assert stream.counters['received'] == 4000


@pytest.mark.fault(40)
def test_a_frozen_sensor_is_reported():
    stream = make_stream()
    run(stream, range(500))
    frozen = motion(START + 500 * MS)[0].tolist()
    said = []
    for ms in range(500, 2500):
        receive(stream, ms, position=frozen, velocity=[0.3, 0.0])
        said.append(stream.warnings)
    assert not any('not changed' in warning for warning in said[900])
    assert any("position of 'swing': it has not changed for " in warning for warning in said[1300])
    assert not any('position' in warning and 'spin' in warning for warning in stream.warnings)
    run(stream, range(2500, 2700))
    assert not any('not changed' in warning for warning in stream.warnings)


@pytest.mark.fault(40)
def test_a_robot_at_rest_is_not_frozen():
    random = np.random.default_rng(1)
    stream = make_stream()
    for ms in range(5000):
        receive(stream, ms, position=[0.5, 0.5], velocity=(5e-3 * random.normal(size=2)).tolist())
    assert stream.warnings == ()


@pytest.mark.fault(36)
def test_positions_far_beyond_their_limits_may_be_degrees():
    stream = make_stream(limits=np.array([[-2.0, 2.0], [-np.inf, np.inf]]))
    for ms in range(300):
        q = np.degrees(motion(START + ms * MS)[0])
        receive(stream, ms, position=q.tolist())
    warning, = (warning for warning in stream.warnings if warning.startswith('position'))
    assert "position of 'swing': it is " in warning
    assert 'degrees?' in warning

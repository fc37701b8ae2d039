"""What is found of velocities by their positions alone, as numbers and as sentences."""

from types import SimpleNamespace

import numpy as np
import pytest

from urdf2dyn_ros.estimation.velocities import FrozenJoints, VelocityGate, velocity_fault

TIME = np.arange(0.0, 10.0, 0.01)
FREQUENCY, SPEED = np.pi, 1.4   # [rad/s], [rad/s]


def velocity(time):
    return SPEED * np.sin(FREQUENCY * time + 0.4)


@pytest.mark.parametrize(('measured', 'words'), [
    (velocity(TIME), 'not used: lag 0.0 ms, scale 1'),
    (0.92 * velocity(TIME - 0.009), 'not used: lag 9.0 ms, scale 0.92'),
    (velocity(TIME - 0.025), 'not used: lag 25.0 ms, scale 1 (it is 25 ms late)'),
    (velocity(TIME + 0.012), 'not used: lag -12.0 ms, scale 1 (it is 12 ms early)'),
    (1.25 * velocity(TIME), 'not used: lag 0.0 ms, scale 1.25 (the position changes 0.8 times as '
                            'fast)'),
    (-velocity(TIME), 'not used: lag 0.0 ms, scale -1 (the position changes -1 times as fast)'),
    (velocity(TIME) + 0.09, 'not used: lag 0.0 ms, scale 1 (it has an offset of 0.09 rad/s or '
                            'm/s)'),
    (velocity(TIME) + 0.07, 'not used: lag 0.0 ms, scale 1'),
    (0.0 * TIME, 'not used: lag 0.0 ms, scale 0 (it is zero throughout while the position '
                 'changes)'),
    (0.0 * TIME + 0.3, 'not used: it does not follow the position'),
    (velocity(TIME) + 1.38 * np.sin(6.0 * np.pi * TIME), 'not used: lag 0.0 ms, scale 1'),
    (velocity(TIME) + 1.45 * np.sin(6.0 * np.pi * TIME), 'not used: it does not follow the '
                                                         'position'),
    (np.nan * TIME, 'not used: not measured')])
def test_lag_scale_and_faults_are_those_of_the_measurement(measured, words):
    """Next to a joint that stays, over whole periods."""
    gate = VelocityGate(2)
    acceleration = FREQUENCY * SPEED * np.cos(FREQUENCY * TIME + 0.4)
    moving, still = np.array([1.0, 0.0]), np.zeros((len(TIME), 2))
    z = still + np.column_stack((measured, 0.0 * TIME))
    gate.compare(z, np.outer(velocity(TIME), moving), np.outer(acceleration, moving))
    assert [str(each) for each in gate.joints] == [
        words, 'not used: not compared with a motion yet']


@pytest.mark.parametrize(('scale', 'words'), [
    (np.radians(1.0), 'the position changes 57.3 times as fast: are the positions in degrees?'),
    (np.radians(1.09), 'the position changes 52.6 times as fast: are the positions in degrees?'),
    (np.radians(1.12), 'the position changes 51.2 times as fast'),
    (np.degrees(1.0), 'the position changes 0.0175 times as fast: are the velocities in degrees?'),
    (0.91, ''), (0.89, 'the position changes 1.12 times as fast')])
def test_ratios_of_degrees_are_asked_for(scale, words):
    assert velocity_fault(scale, 0.0099, 1.0) == words


def stays_from(joint, trusted, velocities, every=1):
    """Return when [ms] and how joint 'b' is found to stay, which moved 0.8 rad/s before."""
    gate = SimpleNamespace(trusted=np.array([trusted, trusted]))
    for k in range(200):
        moved = min(k // every * every, 24)
        q = np.array([0.3 * np.sin(0.05 * k), 0.2 - 0.0032 * moved])
        qd = np.array([0.2, -0.8 + 1e-6 * k]) if velocities else np.full(2, np.nan)
        joint.add(1000 + 4_000_000 * k, q, qd, gate)
        words = joint.sentences('ab') + joint.stops('ab')
        if words:
            return 4 * (k - 24), words
    return None


@pytest.mark.parametrize(('options', 'time', 'words'), [
    ((True, True), 16, 'while its velocity has moved it by 0.0128: has its sensor or its driver '
                       'stopped? There are no efforts'),
    ((False, True), 272, 'while its velocity has moved it by 0.0192: has its sensor or its driver '
                         'stopped? There are no efforts'),
    ((True, False), 16, 'it stopped from 0.8 rad/s or m/s within one message'),
    ((True, False, 2), 32, 'it stopped from 0.8 rad/s or m/s within one message')])
def test_a_position_that_stays_is_found_in_time(options, time, words):
    """By velocities that are trusted at once, or later, and by a stop that no brake makes."""
    found, (sentence,) = stays_from(FrozenJoints(2), *options)
    assert found == time
    assert sentence.startswith("position of 'b': it st") and words in sentence
    assert 'stays at 0.1232 rad or m' in sentence


@pytest.mark.parametrize(('late', 'words'), [
    (0.0, 'used: lag 0.0 ms, scale 1'), (0.03, 'used: lag 30.0 ms, scale 1 (it is 30 ms late)')])
def test_estimates_of_earlier_instants_are_compared_with_what_was_measured_then(late, words):
    gate, delay = VelocityGate(1), 0.013
    for k in range(801):
        time, stamp = 0.01 * k, 10**9 + 10_000_000 * k
        assert gate.is_due(stamp) and gate.trusted.tolist() == [k > 51 and (k < 62 or not late)]
        then = time - delay
        gate.add(stamp, np.array([velocity(time - late)]), np.array([0.8]), (delay, (
            np.array([velocity(then)]),
            np.array([FREQUENCY * SPEED * np.cos(FREQUENCY * then + 0.4)]))))
        assert not gate.is_due(stamp + 8_999_999) and gate.is_due(stamp + 9_000_000)
    (found,) = gate.joints
    assert str(found) == words
    qd = np.array([0.5])
    assert np.isnan(gate.credible(qd, offsets=False)).all() == bool(late)
    assert not gate.rejected
    gate.restart()
    assert gate.is_due(stamp)
    gate.add(stamp, np.array([0.1]), np.array([0.04]), None)
    assert gate.rejected
    gate.add(stamp + 1, np.array([np.nan]), None, None)
    assert not gate.rejected and not gate.joints[0].measured

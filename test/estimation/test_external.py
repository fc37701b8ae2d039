"""External accelerations: interpolated at the samples' stamps, or none."""

import numpy as np
import pytest
from estimator_runs import short

from support.streams.known_motions import truth
from support.streams.pendulums import MS, NAMES, START, make_stream, motion, pendulums, receive
from urdf2dyn_ros.estimation.estimators import make_estimator


def fed(every, shift=0, count=200, **parameters):
    """Return the estimates where accelerations come every so many samples, `shift` [ns] later."""
    estimator = make_estimator('external', 4, **parameters)
    estimates = []
    for k, (stamp, q, qd) in enumerate(short(count=count)):
        if k % every == 0:
            assert estimator.accelerate(stamp + shift, truth(np.array([stamp + shift]))[2][0])
        estimates.append(estimator.update(stamp, q, qd))
    return estimates


@pytest.mark.parametrize(('every', 'shift', 'tolerance'), [
    (1, 0, 1e-12), (1, 400_000, 2e-3), (1, -400_000, 2e-3), (5, 0, 1e-12), (5, 300_000, 0.05)])
def test_accelerations_are_those_of_the_samples_instant(every, shift, tolerance):
    known = [estimate for estimate in fed(every, shift) if estimate.valid]
    assert len(known) > 190
    assert len({estimate.stamp for estimate in known}) > 190 / every
    for estimate in known:
        q, qd, qdd = truth(np.array([estimate.stamp]))
        assert estimate.q == pytest.approx(q[0], abs=1e-12)
        assert estimate.qd == pytest.approx(qd[0], abs=1e-12)
        # steps of an acceleration, or of its slope, are no straight lines
        assert estimate.qdd[[0, 3]] == pytest.approx(qdd[0][[0, 3]], abs=tolerance)


def test_nothing_is_made_up_between_accelerations_far_apart():
    estimates = fed(30, shift=1, max_gap=0.02)
    assert not any(estimate.valid for estimate in estimates)


def test_nothing_is_known_when_accelerations_stop():
    estimator = make_estimator('external', 4)
    samples = list(short(count=400))
    for k, (stamp, q, qd) in enumerate(samples):
        if k < 100:
            estimator.accelerate(stamp, np.zeros(4))
        estimate = estimator.update(stamp, q, qd)
        # an instant that was known already: the stream has no output for it
        assert estimate.stamp == samples[min(k, 99)][0]


@pytest.mark.fault(31)
def test_a_clock_set_back_resets():
    estimator = make_estimator('external', 1)
    assert estimator.accelerate(START, np.ones(1))
    assert not estimator.accelerate(START, np.ones(1))
    assert not estimator.accelerate(START - MS, np.ones(1))
    assert estimator.accelerate(START - 5000 * MS, np.ones(1))


@pytest.mark.fault(31)
@pytest.mark.parametrize(('back', 'first'), [
    (300, 'samples'), (2500, 'accelerations'), *(pytest.param(*each, marks=pytest.mark.slow)
                                                 for each in ((300, 'accelerations'),
                                                              (2500, 'samples')))])
def test_no_acceleration_from_before_the_clock_was_set_back_is_used(back, first):
    """Whichever topic is set back first; accelerations of the new motion are used at once."""
    stream = make_stream(make_estimator('external', 2))
    outputs = []
    for value, begin in ((1.0, 0), (2.0, 3000 - back)):
        for ms in range(begin, begin + 3000):
            for topic in ('samples', 'accelerations') if first == 'samples' else (
                    'accelerations', 'samples'):
                if topic == 'samples':
                    outputs.append((value, receive(stream, ms)))
                else:
                    stream.accelerate(START + ms * MS, NAMES, [value, value])
    known = [(value, output) for value, output in outputs if output is not None]
    assert all(output.qdd == pytest.approx([value, value]) for value, output in known)
    assert sum(value == 2.0 for value, _ in known) > 2900


@pytest.mark.fault(23)
def test_a_joint_without_velocity_gets_the_slope_of_its_positions():
    estimator = make_estimator('external', 4)
    for stamp, q, qd in short(count=50):
        estimator.accelerate(stamp, np.zeros(4))
        estimate = estimator.update(stamp, q, np.where([1, 0, 1, 0], np.nan, qd))
    assert estimate.valid
    assert estimate.qd == pytest.approx(truth(np.array([stamp]))[1][0], abs=0.008)


def test_the_stream_takes_them_by_name_and_counts_what_it_cannot_use():
    stream = make_stream(make_estimator('external', 2))
    outputs = []
    for ms in range(100):
        qdd = motion(START + ms * MS)[2]
        stream.accelerate(START + ms * MS, [NAMES[1], 'gripper', NAMES[0]], [qdd[1], 9.0, qdd[0]])
        outputs.append(receive(stream, ms))
    for output in filter(None, outputs):
        assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=1e-9)
    assert len(list(filter(None, outputs))) == 100
    for stamp, names, values in [(0, NAMES, [1.0, 1.0]), (START + 10**9, NAMES, [1.0]),
                                 (START + 10**9, ['swing'], [1.0]),
                                 (START + 10**9, NAMES, [1.0, np.inf]),
                                 (START, NAMES, [1.0, 1.0])]:
        stream.accelerate(stamp, names, values)
    assert stream.counters['accelerations'] == 105
    assert stream.counters['accelerations_ignored'] == 5


def test_another_estimator_has_no_use_for_them():
    stream = make_stream()
    stream.accelerate(START, NAMES, [1.0, 1.0])
    assert stream.counters['accelerations_ignored'] == 1

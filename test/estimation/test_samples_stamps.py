"""Samples of several publishers, and stamps that are late, twice there or far apart."""


import numpy as np
import pytest

from support.streams.three_joints import MS, START, take
from urdf2dyn_ros.joint_states.samples import Sample


def regular(samples):
    """Let one publisher speak at 100 Hz."""
    for k in range(20):
        take(samples, 10 * k)


def interleaved(samples, periods=20, delay=4):
    """Let two publishers speak at 100 Hz, the second of them later by `delay` [ms]."""
    results = []
    for k in range(periods):
        results += [
            take(samples, 10 * k, ['c', 'a'], [k + 0.3, k + 0.1], [3.0, 1.0], [9.0, 7.0]),
            take(samples, 10 * k + delay, ['b'], [k + 0.2], [2.0], [8.0])]
    return results


@pytest.mark.parametrize('delay', [1, 3, 9])
@pytest.mark.fault(26)
def test_the_skew_allowed_is_one_and_a_half_periods(samples, delay):
    results = interleaved(samples, delay=delay)
    assert 'skewed' in results[:6]  # the period is not yet known
    merged = [result for result in results[6:] if isinstance(result, Sample)]
    assert len(merged) == 17
    assert set(np.diff([sample.stamp for sample in merged])) == {10 * MS}
    # the parts that belong together, not the second with the first of the next
    assert all(sample.q[1] - sample.q[0] == pytest.approx(0.1 if delay < 6 else -0.9)
               for sample in merged[-10:])
    assert take(samples, 200 + 14, ['b'], [2.0]) == 'incomplete'
    assert isinstance(take(samples, 200 + 28, ['a', 'c'], [1.0, 3.0]), Sample)
    assert take(samples, 200 + 30, ['b'], [2.0]) == 'incomplete'
    assert take(samples, 200 + 46, ['a', 'c'], [1.0, 3.0]) == 'skewed'


@pytest.mark.fault(26)
def test_a_sample_that_was_returned_does_not_change(samples):
    regular(samples)
    merged = []
    for k in range(20, 24):
        assert take(samples, 10 * k, ['c', 'a'], [k + 0.3, k + 0.1]) == 'incomplete'
        merged.append(take(samples, 10 * k + 4, ['b'], [k + 0.2]))
        assert merged[-1].stamp == START + (10 * k + 4) * MS
    assert merged[3].q == pytest.approx(merged[2].q + 1.0)
    whole = take(samples, 1000)
    take(samples, 1001, ['a'], [99.0])
    assert whole.q[0] == 1.0


@pytest.mark.fault(26)
def test_every_joint_must_be_new_for_a_sample(samples):
    regular(samples)
    for ms in range(200, 250, 10):
        assert take(samples, ms, ['a', 'c'], [1.0, 3.0]) == 'incomplete'
    assert isinstance(take(samples, 244, ['b'], [2.0]), Sample)


@pytest.mark.fault(26)
def test_equal_stamps_of_disjoint_publishers_are_one_sample(samples):
    for ms in (0, 10):
        assert take(samples, ms, ['a', 'b'], [1.0, 2.0]) == 'incomplete'
        assert take(samples, ms, ['c'], [3.0]).stamp == START + ms * MS


@pytest.mark.fault(26)
def test_the_newest_stamp_counts(samples):
    regular(samples)
    assert take(samples, 203, ['a', 'b'], [1.0, 2.0]) == 'incomplete'
    assert take(samples, 201, ['c'], [3.0]).stamp == START + 203 * MS


@pytest.mark.parametrize('position', [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
@pytest.mark.fault(29)
def test_a_duplicate_stamp_is_dropped(samples, position):
    take(samples, 0)
    assert take(samples, 0, position=position) == 'duplicate_stamp'
    assert isinstance(take(samples, 1), Sample)


@pytest.mark.fault(30)
def test_a_late_message_is_dropped(samples):
    take(samples, 0)
    take(samples, 50)
    assert take(samples, 20) == 'out_of_order'
    assert not take(samples, 51).restart


@pytest.mark.fault(30)
def test_a_late_message_of_some_joints_is_dropped(samples):
    interleaved(samples)
    assert take(samples, 192, ['b'], [2.0]) == 'out_of_order'
    assert take(samples, 194, ['b'], [2.0]) == 'duplicate_stamp'


@pytest.mark.fault(31)
def test_a_jump_back_resets(samples, events):
    for ms in range(0, 500, 10):
        take(samples, ms)
    sample = take(samples, 100)
    assert sample.restart
    assert sample.stamp == START + 100 * MS
    assert not take(samples, 110).restart
    assert events == {'jump_back': 1}


@pytest.mark.fault(31)
def test_a_jump_back_of_one_publisher_forgets_the_other(samples, events):
    regular(samples)
    assert take(samples, 0, ['a', 'c'], [1.0, 3.0]) == 'incomplete'
    assert take(samples, 0, ['b'], [2.0]).restart
    assert events == {'jump_back': 1}


@pytest.mark.parametrize(('period', 'step', 'restart'), [
    (1, 99, False), (1, 101, True), (10, 99, False), (30, 149, False), (30, 151, True),
    (200, 990, False), (200, 1010, True)])
@pytest.mark.fault(32)
def test_a_gap_is_both_long_and_many_periods(samples, period, step, restart):
    for k in range(20):
        take(samples, k * period)
    assert take(samples, 19 * period + step).restart is restart


@pytest.mark.fault(38)
def test_a_stream_that_has_become_slow_is_followed(samples):
    for ms in range(20):
        take(samples, ms)
    restarts = [take(samples, 20 + 200 * k).restart for k in range(1, 30)]
    assert restarts == [True] * 5 + [False] * 24

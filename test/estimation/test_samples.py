"""The fields of joint states in samples; the rows are those of the catalogue of faults."""

from array import array
from math import inf, nan, pi

import numpy as np
import pytest

from support.memory import bytes_of
from support.streams.three_joints import MS, NAMES, START, take
from urdf2dyn_ros.joint_states.layouts import MAX_LAYOUTS
from urdf2dyn_ros.joint_states.samples import Sample


def test_a_whole_message_is_a_sample(samples):
    sample = take(samples, 0, velocity=[4.0, 5.0, 6.0], effort=[7.0, 8.0, 9.0])
    assert sample.stamp == START
    assert sample.q.tolist() == [1.0, 2.0, 3.0]
    assert sample.qd.tolist() == [4.0, 5.0, 6.0]
    assert sample.effort.tolist() == [7.0, 8.0, 9.0]


@pytest.mark.parametrize('container', [list, tuple, np.array, lambda field: array('d', field)])
def test_any_container_of_numbers_will_do(samples, container):
    fields = [container([1.0, 2.0, 3.0])] * 3
    for ms, names in enumerate((NAMES, tuple(NAMES))):
        sample = samples.add(START + ms * MS, names, *fields)
        assert sample.q.tolist() == sample.qd.tolist() == [1.0, 2.0, 3.0]


def test_the_order_is_the_models_whatever_the_messages_is(samples):
    take(samples, 0)
    sample = take(samples, 1, ['c', 'a', 'b'], [3.0, 1.0, 2.0], [6.0, 4.0, 5.0], [9.0, 7.0, 8.0])
    assert sample.q.tolist() == [1.0, 2.0, 3.0]
    assert sample.qd.tolist() == [4.0, 5.0, 6.0]
    assert sample.effort.tolist() == [7.0, 8.0, 9.0]


def test_the_names_of_the_last_message_are_not_looked_up_again(samples):
    class Name(str):
        looked_up = 0

        def __hash__(self):
            Name.looked_up += 1
            return super().__hash__()

    names = [*map(Name, NAMES)]
    assert isinstance(take(samples, 0, names), Sample)
    before = Name.looked_up
    assert isinstance(take(samples, 1, names), Sample)
    assert Name.looked_up == before > 0


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.fault(22)
def test_a_position_that_is_not_finite_is_withheld(samples, bad):
    assert take(samples, 0, position=[1.0, bad, 3.0]) == 'position_not_finite'
    assert take(samples, 1).q.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.fault(22)
def test_other_positions_need_not_be_finite(samples):
    assert isinstance(take(samples, 0, [*NAMES, 'gripper'], [1.0, 2.0, 3.0, nan]), Sample)


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.fault(23)
def test_a_velocity_or_effort_that_is_not_finite_is_not_measured(samples, events, bad):
    sample = take(samples, 0, velocity=[4.0, bad, 6.0], effort=[bad, 8.0, 9.0])
    assert np.array_equal(sample.qd, [4.0, nan, 6.0], equal_nan=True)
    assert np.array_equal(sample.effort, [nan, 8.0, 9.0], equal_nan=True)
    assert not events


@pytest.mark.fault(23)
def test_velocities_and_efforts_may_be_absent(samples, events):
    sample = take(samples, 0)
    assert np.isnan(sample.qd).all()
    assert np.isnan(sample.effort).all()
    assert not events


@pytest.mark.parametrize(('names', 'position', 'outcome'), [
    ([], [], 'empty'),
    ([], [1.0], 'empty'),
    (NAMES, [], 'malformed'),
    (NAMES, [1.0, 2.0], 'malformed'),
    (NAMES, [1.0, 2.0, 3.0, 4.0], 'malformed'),
    (NAMES, [[1.0], [2.0], [3.0]], 'malformed'),
    (NAMES, ['x', 'y', 'z'], 'malformed'),
    (NAMES, [10**400, 2.0, 3.0], 'malformed'),
    (NAMES, None, 'malformed'),
    (None, [1.0], 'malformed'),
    ([['a'], ['b'], ['c']], [1.0, 2.0, 3.0], 'malformed'),
])
@pytest.mark.fault(24)
def test_malformed_messages_are_dropped(samples, names, position, outcome):
    for ms in (0, 2):
        assert take(samples, ms, names, position) == outcome
        assert take(samples, ms + 1).q.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize('wrong', [[1.0], [1.0] * 4, None, 'abc', [None, 'x', 3.0]])
@pytest.mark.fault(24)
def test_a_wrong_length_of_one_field_leaves_the_others(samples, events, wrong):
    sample = take(samples, 0, velocity=wrong, effort=[7.0, 8.0, 9.0])
    assert np.isnan(sample.qd).all()
    assert sample.effort.tolist() == [7.0, 8.0, 9.0]
    sample = take(samples, 1, velocity=[4.0, 5.0, 6.0], effort=wrong)
    assert sample.qd.tolist() == [4.0, 5.0, 6.0]
    assert np.isnan(sample.effort).all()
    assert events == {'velocity_ignored': 1, 'effort_ignored': 1}


@pytest.mark.fault(23)
@pytest.mark.parametrize('wrong', [1e9, -1e200, 1e308])
def test_a_number_that_no_robot_has_is_not_measured(samples, wrong):
    """A contact at 1e308 N m would last for a minute, and an RMS would overflow."""
    sample = take(samples, 0, velocity=[4.0, wrong, 6.0], effort=[wrong, 8.0, -wrong])
    assert np.isnan(sample.qd).tolist() == [False, True, False]
    assert np.isnan(sample.effort).tolist() == [True, False, True]
    sample = take(samples, 1, velocity=[4.0, 5.0, 6.0], effort=[7.0, 8.0, -9.9e8])
    assert not np.isnan([sample.qd, sample.effort]).any()


@pytest.mark.fault(25)
def test_unknown_names_are_ignored(samples):
    for ms in range(3):
        sample = take(samples, ms, ['wheel', *NAMES, 'gripper'], [9.0, 1.0, 2.0, 3.0, 9.0])
        assert sample.q.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.fault(25)
def test_a_message_of_another_robot_is_none_of_ours(samples):
    assert take(samples, 0, ['x', 'y', 'z']) == 'other_joints'
    assert samples.newest == 0


@pytest.mark.parametrize('names', [['a', 'b', 'c', 'a'], ['a', 'b', 'c', 'x', 'x']])
@pytest.mark.fault(25)
def test_duplicate_names_are_ambiguous(samples, names):
    assert take(samples, 0, names, [1.0] * len(names)) == 'duplicate_names'


@pytest.mark.fault(34)
def test_a_continuous_joint_goes_on_counting(samples):
    true = np.concatenate((np.linspace(0.0, 40.0, 300), np.linspace(40.0, -40.0, 500)))
    for ms, angle in enumerate(true):
        wrapped = (angle + pi) % (2.0 * pi) - pi
        sample = take(samples, ms, position=[0.0, wrapped, wrapped])
        assert sample.q[2] == pytest.approx(angle, abs=1e-9)
        assert sample.q[1] == wrapped  # a revolute joint is left alone


@pytest.mark.parametrize('turns', [1, -1, 7, -20])
@pytest.mark.fault(34)
def test_several_turns_at_once_are_none(samples, turns):
    take(samples, 0)
    sample = take(samples, 1, position=[1.0, 2.0, 3.1 + 2.0 * pi * turns])
    assert sample.q == pytest.approx([1.0, 2.0, 3.1])


@pytest.mark.fault(34)
def test_a_continuous_joint_is_unwrapped_in_partial_messages(samples):
    for ms in range(0, 40, 10):
        take(samples, ms, ['c'], [3.1 if ms % 20 else -3.1])
        sample = take(samples, ms, ['a', 'b'], [1.0, 2.0])
        assert sample.q[2] == pytest.approx(-3.1 if ms % 20 == 0 else 3.1 - 2.0 * pi)


@pytest.mark.parametrize('glitch', [1e3, 1e9, 1e300, -1e300])
@pytest.mark.fault(35)
def test_an_absurd_angle_is_not_kept(samples, glitch):
    take(samples, 0)
    assert np.isfinite(take(samples, 1, position=[1.0, 2.0, glitch]).q).all()
    after = [take(samples, ms).q[2] for ms in (2, 3)]
    assert after[0] == after[1]
    assert (after[0] - 3.0) / (2.0 * pi) == pytest.approx(round((after[0] - 3.0) / (2.0 * pi)))


@pytest.mark.fault(51)
def test_memory_is_bounded(samples):
    sizes = []
    for k in range(10 * MAX_LAYOUTS):
        take(samples, k, [*NAMES, f'x{k}'], [1.0, 2.0, 3.0, 4.0])
        sizes.append(bytes_of(samples))
    assert max(sizes) < 1.1 * max(sizes[:MAX_LAYOUTS])

"""
Several publishers with a part of the joints each: efforts of exact states, by Pinocchio.

Each joint moves by a sum of sines up to 1 Hz. Efforts are those at one stamp, though the joints
are received at other stamps; with -s the errors are printed.

"""

from functools import cache

import numpy as np
import pytest
from publishers import START, Publisher, Robot, Run, new_stream, robot

from support.robot_files import OWN
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_OUTCOMES

RMS_AFTER_RESET = 0.015   # a filter knows less at first
RMS, MOST = 0.01, 0.05
FIXED = {'kalman.bandwidth': 100.0}   # one bandwidth; the default adapts it


@cache
def arm(slow=()) -> Robot:
    return robot(OWN / 'robot_2r.urdf', slow)


@cache
def six(slow=()) -> Robot:
    return robot(OWN / 'rx90.urdf', slow)


def judged(run: Run, rms: float = RMS, most: float = MOST) -> Run:
    print(f'\nRMS {100 * run.rms:.3f} %, largest {100 * run.most:.3f} %, '
          f'{len(run.outputs)} outputs, {100 * run.covered:.1f} % covered')
    assert run.rms < rms
    assert run.most < most
    counters = run.stream.counters
    assert counters['received'] == sum(counters[outcome] for outcome in JOINT_STATE_OUTCOMES)
    return run


@pytest.mark.parametrize(('rates', 'seconds', 'values'), [
    ((100, 99), 2.5, {}), ((100, 99.9), 4.0, {}), ((1000, 999), 1.5, {}),
    ((100, 49.9), 2.5, {}), ((500, 101), 2.0, {}), ((500, 101), 2.0, FIXED)], ids=str)
@pytest.mark.fault(26)
def test_two_publishers_at_any_rates(rates, seconds, values):
    """The second overtakes the first after a while where their rates nearly agree."""
    run = judged(Run(arm(), [Publisher([0], rates[0], offset=0.5 / rates[0]),
                             Publisher([1], rates[1])], seconds, **values),
                 0.012 if rates[1] < 50 else RMS)   # as one publisher at 50 Hz
    assert run.covered > 0.95   # also what is carried
    assert run.rate(0.5, seconds) == pytest.approx(rates[0], rel=0.02)


@pytest.mark.parametrize('values', [{}, FIXED], ids=['adaptive', 'fixed'])
@pytest.mark.fault(26)
def test_a_slow_gripper_does_not_slow_down_the_legs(values):
    publishers = [Publisher([0, 1], 500), Publisher([2, 3, 4], 100, offset=0.001),
                  Publisher([5], 10, offset=0.003, alive=lambda time: time < 4.5)]
    run = judged(Run(six((5,)), publishers, 6.0, settle=3.0, **values), 0.02, 0.02)
    assert run.rate(3.0, 4.5) == pytest.approx(500, rel=0.01)
    # the gripper's deviation grows until its next message, those of the others do not
    std = np.array([output.std for output in run.outputs])
    assert std[:, 5].max() > 1.1 * std[:, 5].min()
    assert run.times.max() < 4.5 + 0.3   # it has stopped
    assert run.stream.missing_joints == (six().dynamics.joint_names[5],)
    warning, = run.stream.warnings
    assert six().dynamics.joint_names[5] in warning
    assert 'stream.max_gap' in warning


@pytest.mark.parametrize('change', [{'offset': 0.009}, {'jitter': 0.1, 'lost': 0.1}], ids=str)
@pytest.mark.parametrize('rates', [(100, 99), (250, 100)], ids=str)
@pytest.mark.fault(26, 38)
def test_jitter_loss_and_offsets(rates, change):
    run = judged(Run(arm(), [Publisher([0], rates[0]), Publisher([1], rates[1], **change)], 2.5))
    assert run.rate(0.5, 2.5) > (0.9 if 'lost' in change else 0.97) * rates[0]


@pytest.mark.fault(26)
def test_clocks_that_differ_are_reported_with_the_remedy():
    """By 20 ms, as those of two computers may, or as one of them is delayed."""
    run = Run(arm(), [Publisher([0], 500), Publisher([1], 500, shift=lambda time: -0.02)], 1.0)
    warning, = run.stream.warnings
    assert '20 ms older' in warning and 'stream.max_skew' in warning
    assert 'clocks' in warning


@pytest.mark.fault(26)
def test_joints_that_were_late_for_a_while_are_not_reported_for_ever():
    """A clock is ahead for a while, so that the joints of the other publisher are too old."""
    run = Run(arm(), [Publisher([0], 500), Publisher(
        [1], 100, shift=lambda time: 0.3 if 0.5 < time < 1.0 else 0.0)], 2.0)
    assert run.rate(1.5, 2.0) == pytest.approx(500, rel=0.02)
    assert run.stream.warnings == ()


@pytest.mark.parametrize('delays', [(0.0, 0.02), (0.02, 0.0), (0.02, 0.02)], ids=str)
@pytest.mark.parametrize('rates', [(500, 100), (100, 99)], ids=str)
@pytest.mark.fault(26, 38)
def test_messages_that_are_received_late_and_in_bursts(rates, delays):
    """By random times up to 20 ms, in order: efforts are those of the stamps that all reach."""
    run = judged(Run(arm(), [Publisher([joint], rate, delay=delay) for joint, rate, delay in zip(
        (0, 1), rates, delays)], 2.5))
    assert run.rate(0.5, 2.4) > 0.6 * rates[0]


@pytest.mark.fault(26)
def test_equal_stamps_are_one_sample():
    """Nothing is carried, whichever of the two is received first."""
    run = judged(Run(arm(), [Publisher([1], 100), Publisher([0], 100)], 2.0))
    together = Run(arm(), [Publisher([0, 1], 100)], 2.0)
    assert np.array_equal(run.times, together.times)
    assert np.abs(run.errors - together.errors).max() < 1e-9


@pytest.mark.parametrize('shift', [-0.3, 10.0])
@pytest.mark.fault(26, 31)
def test_a_publisher_whose_clock_is_wrong_for_a_while(shift):
    run = judged(Run(arm(), [Publisher([0], 100), Publisher(
        [1], 99, shift=lambda time: shift if 1.0 < time < 2.0 else 0.0)], 3.5), RMS_AFTER_RESET)
    assert run.rate(1.1, 2.0) == 0.0
    assert run.rate(2.5, 3.5) == pytest.approx(100, rel=0.03)


@pytest.mark.fault(26, 32, 49)
def test_a_publisher_that_ends_and_comes_again():
    run = judged(Run(arm(), [Publisher([0], 100), Publisher(
        [1], 99, alive=lambda time: not 1.0 < time < 2.0)], 3.5))
    assert run.rate(1.05, 2.0) == 0.0
    assert run.rate(2.1, 3.5) == pytest.approx(100, rel=0.02)
    assert run.stream.counters['gap'] == 1


@pytest.mark.fault(26)
def test_a_publisher_of_joints_that_another_takes_over():
    """At 1 s the only publisher ends, and two others come."""
    names = {'before': lambda time: time < 1.0, 'after': lambda time: time >= 1.0}
    run = judged(Run(arm(), [Publisher([0, 1], 100, alive=names['before']),
                             Publisher([0], 100, alive=names['after']),
                             Publisher([1], 99, offset=0.002, alive=names['after'])], 2.5),
                 RMS_AFTER_RESET)
    assert run.rate(1.5, 2.5) == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize('estimator', ['kalman', 'finite_difference', 'none'])
@pytest.mark.fault(27)
def test_two_publishers_of_the_same_joint_give_nothing(estimator):
    """One has both joints, the other a second opinion on one of them."""
    of = arm()
    names = of.dynamics.joint_names
    stream = new_stream(of, estimator=estimator)
    outputs = []
    for k in range(300):
        stamp = START + 10_000_000 * k
        q, qd = np.array([of.motion(joint, 0.01 * k)[:2] for joint in (0, 1)]).T
        outputs.append(stream.receive(Message(stamp, names, q, qd, [])))
        outputs.append(stream.receive(Message(
            stamp + 4_000_000, names[1:], q[1:] + 0.5, qd[1:])))
    assert not any(outputs[100:])
    assert stream.counters['distrusted'] > 400


@pytest.mark.parametrize(('values', 'rms'), [
    ({'estimator': 'kalman_fixed_lag'}, 0.01),
    ({'estimator': 'finite_difference', 'finite_difference.align': 'centre'}, 0.01)],
    ids=lambda value: str(value)[:40])
@pytest.mark.fault(26)
def test_estimators_with_a_lag_meet_where_all_have_arrived(values, rms):
    run = judged(Run(arm(), [Publisher([0], 250), Publisher([1], 49.9)], 2.5, **values), rms)
    assert run.rate(0.5, 2.5) == pytest.approx(250, rel=0.05)


def test_groups_are_divided_by_what_is_received():
    """Only the joints concerned start again."""
    of = six()
    names = of.dynamics.joint_names
    stream = new_stream(of)

    def receive(k, joints):
        q, qd = np.array([of.motion(joint, 0.01 * k)[:2] for joint in joints]).T
        return stream.receive(Message(
            START + round(10_000_000 * k), [names[joint] for joint in joints], q, qd))

    def sets():
        return sorted([names.index(joint) for joint in group.joints] for group in stream.groups)

    receive(0, [0, 1, 2])
    assert sets() == [[0, 1, 2], [3, 4, 5]]
    assert stream.missing_joints == names[3:]
    receive(1, [3, 4, 5])
    for k in range(2):
        receive(2 + k / 10, [0, 1])
        assert sets() == [[0, 1, 2], [3, 4, 5]]
    receive(2.5, [0, 1])
    assert sets() == [[0, 1], [2], [3, 4, 5]]
    assert not {*stream.never_received} & {*names[3:]}   # they did not start again
    together = [receive(k, range(6)) for k in range(3, 100)]
    assert all(together[50:])


@pytest.mark.parametrize('bad', [np.nan, np.inf])
@pytest.mark.fault(22)
def test_a_joint_that_is_not_finite_is_bridged_for_two_messages_and_missing_then(bad):
    """The joints with a position go on; without it there are no efforts."""
    of = arm()
    stream = new_stream(of)
    outputs = []
    for k in range(600):
        q, qd = np.array([of.motion(joint, 0.01 * k)[:2] for joint in (0, 1)]).T
        if (100 < k < 200 and k % 10 < 2) or 200 < k < 300:
            q[1] = bad
        outputs.append(stream.receive(
            Message(START + 10_000_000 * k, of.dynamics.joint_names, q, qd)))
    assert all(outputs[60:202])
    assert not any(outputs[203:300])
    assert all(outputs[360:])
    known = [output for output in outputs[100:] if output]
    expected = of.efforts([output.stamp for output in known])
    errors = np.abs(np.array([output.effort for output in known]) - expected)
    assert errors.max() < 0.02 * np.abs(expected).max()
    assert stream.counters['incomplete'] > 80


def test_a_whole_message_ends_a_row_of_parts_whatever_the_order_of_its_names():
    of = arm()
    stream = new_stream(of)
    for k in range(105):
        order = -1 if k >= 100 else 1
        q, qd = np.array([of.motion(joint, 0.01 * k)[:2] for joint in (0, 1)]).T
        q[1] = np.nan if k in (100, 101, 103) else q[1]
        output = stream.receive(Message(START + 10_000_000 * k, of.dynamics.joint_names[::order],
                                        q[::order], qd[::order]))
        assert output or k < 60

"""What the input says is heard, by every estimator: velocities, frozen joints, shifts of zeros."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.status import Monitor, NodeState, output_status, remedy
from urdf2dyn_ros.estimation.stream import Output, Stream
from urdf2dyn_ros.estimation.stream_setup import STREAM_PARAMETERS, make_stream
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import Level, Status

DYNAMICS = InverseDynamics(read_urdf(OWN / 'rx90.urdf'))
NAMES = list(DYNAMICS.joint_names)
VALUES = {row.name: row.default for row in STREAM_PARAMETERS}
ENCODER = 2.0 * np.pi / 2**17   # rad
WRONG = 0.3   # of the largest effort
SETTLED = 2.0   # s
AMPLITUDE, W = np.array([1.5, 0.8, 0.8, 1.5, 1.5, 1.5]), 2.0 * np.pi * np.array(
    [0.3, 0.45, 0.6, 0.75, 0.9, 0.5])
SMALL, FAST = np.array([0.05, 0.04, 0.03, 0.06, 0.05, 0.05]), 2.0 * np.pi * np.array(
    [1.7, 2.1, 1.3, 2.4, 2.9, 1.9])
Change = Callable[[Array, Array, Array, Array], tuple[Array, Array, Array]]


def motion(t: Array, speed: float = 1.0) -> tuple[Array, Array, Array]:
    """Return q, qd and qdd (k, 6) at times (k,) [s]."""
    slow, fast = speed * np.outer(t, W), speed * np.outer(t, FAST) + 1.0
    return (AMPLITUDE * np.sin(slow) + SMALL * np.sin(fast),
            speed * (AMPLITUDE * W * np.cos(slow) + SMALL * FAST * np.cos(fast)),
            -speed**2 * (AMPLITUDE * W**2 * np.sin(slow) + SMALL * FAST**2 * np.sin(fast)))


class Played(NamedTuple):
    """What a stream makes of a fault."""

    stream: Stream
    answered: float   # share of messages with an output
    wrong: float   # share of outputs that are off by more than WRONG, without a warning
    warnings: list[str]   # each once


def played(change: Change, estimator: str = 'kalman', rate: float = 250.0,
           seconds: float = 8.0, **values: Any) -> Played:
    random, t = np.random.default_rng(1), np.arange(0.0, seconds, 1.0 / rate)
    q, qd, qdd = motion(t)
    q, qd, stamps = change(t, np.round(q / ENCODER) * ENCODER,
                           qd + 1e-3 * random.normal(size=qd.shape))
    stream = make_stream({**VALUES, 'estimator': estimator, **values}, DYNAMICS, lambda: 0)
    outputs: list[tuple[Output, bool]] = []
    warnings: dict[str, None] = {}
    for stamp, position, velocity, acceleration in zip(
            np.round(1e9 * stamps).astype(int) + 10**9, q, qd, qdd):
        if estimator == 'external':
            stream.accelerate(int(stamp), NAMES, acceleration)
        output = stream.receive(Message(int(stamp), NAMES, position, velocity))
        found = stream.warnings
        warnings |= dict.fromkeys(found)
        if output is not None:
            outputs.append((output, bool(found)))
    if not outputs:
        return Played(stream, 0.0, 0.0, list(warnings))
    at = np.array([output.stamp - 10**9 for output, _ in outputs]) * 1e-9
    right = DYNAMICS(*motion(at))
    off = (np.abs([output.effort for output, _ in outputs] - right)
           / np.abs(right).max(axis=0)).max(axis=1) > WRONG
    off &= (at > SETTLED) & ~np.array([warned for _, warned in outputs])
    return Played(stream, len(outputs) / len(t), float(off.mean()), list(warnings))


def velocities(change: Callable[[Array, Array], Array]) -> Change:
    return lambda t, q, qd: (q, change(t, qd), t)


WRONG_VELOCITIES = {
    'degrees': velocities(lambda t, qd: np.degrees(qd)),
    'degrees later': velocities(lambda t, qd: np.where(t[:, None] > 4.0, np.degrees(qd), qd)),
    'negative': velocities(lambda t, qd: -qd),
    'zero': velocities(lambda t, qd: 0.0 * qd),
    'offset': velocities(lambda t, qd: qd + 1.0),
    'drift': velocities(lambda t, qd: qd + 0.3 * t[:, None]),
    'late': velocities(lambda t, qd: motion(t - 0.05)[1]),
}


@pytest.mark.parametrize(('fault', 'estimator'), [
    *((fault, 'kalman') for fault in WRONG_VELOCITIES), ('late', 'kalman_fixed_lag'),
    ('negative', 'finite_difference'), ('zero', 'none'), ('degrees', 'external')])
@pytest.mark.fault(37)
def test_velocities_that_do_not_follow_are_reported_and_not_used(fault, estimator):
    found = played(WRONG_VELOCITIES[fault], estimator)
    # the first 1.3 to 1.7 s are uncertain
    assert found.answered > (0.75 if fault in ('degrees', 'zero') else 0.9)
    assert found.wrong <= 0.003 or estimator == 'none'   # which has no accelerations
    assert sum(line.startswith('velocity of ') for line in found.warnings) >= 6
    assert not any(velocity.used for velocity in found.stream.velocities.values())


@pytest.mark.parametrize('estimator', ['kalman', 'kalman_fixed_lag', 'finite_difference'])
@pytest.mark.fault(40)
def test_a_frozen_position_is_named_and_nothing_is_published(estimator):
    def frozen(t, q, qd):
        q[(t > 4.0) & (t < 6.0), 2] = q[t > 4.0][0, 2]
        return q, qd, t

    found = played(frozen, estimator)
    assert 0.65 < found.answered < 0.78   # all but 2 s, and 0.2 s at both starts
    assert found.wrong <= 0.003
    assert found.stream.counters['frozen'] > 450
    named = f"position of '{NAMES[2]}': it stays at"
    assert any(line.startswith(named) for line in found.warnings)


def resting(t, q, qd):
    """Stop all joints, the first of which goes on with its velocity alone."""
    q[t > 4.0] = q[t > 4.0][0]
    qd[t > 4.0] = 0.0
    return q, qd, t


def resting_with_an_offset(t, q, qd):
    q, qd, t = resting(t, q, qd)
    return q, qd + 0.025, t


@pytest.mark.parametrize('change', [resting, resting_with_an_offset])
def test_joints_that_rest_are_not_frozen(change):
    assert not played(change, seconds=12.0).stream.counters['frozen']


def test_a_position_that_stops_at_once_is_named_without_velocities():
    def stopped(t, q, qd):
        q[(t > 4.0) & (t < 6.0), 2] = q[t > 4.0][0, 2]
        return q, np.full_like(qd, np.nan), t

    found = played(stopped)
    assert found.wrong <= 0.003 and found.stream.warnings == ()   # it moves again
    assert [line.partition(' from')[0] for line in found.warnings] == [
        f"position of '{NAMES[2]}': it stopped"]

    def braked(t, q, qd):   # within 1 s
        late = np.clip(t - 3.5, 0.0, 1.0)
        q = motion(np.minimum(t, 3.5) + late - late * late / 2.0)[0]
        return np.round(q / ENCODER) * ENCODER, np.full_like(qd, np.nan), t

    assert played(braked).warnings == []


@pytest.mark.fault(35)
@pytest.mark.parametrize('estimator', ['kalman', 'finite_difference'])
@pytest.mark.parametrize('size', [1.0, -0.05])
def test_another_zero_is_a_warning_until_it_is_acknowledged(estimator, size):
    def shifted(t, q, qd):
        q[t > 4.0, 2] += size
        return q, qd, t

    found = played(shifted, estimator)
    assert found.answered > 0.9
    warning, = found.stream.warnings
    assert warning.startswith(f"jump of position of '{NAMES[2]}': by {size:.3g} rad or m at 5.0")
    assert [shift.joint for shift in found.stream.acknowledge()] == [NAMES[2]]
    assert found.stream.warnings == () and found.stream.acknowledge() == []


@pytest.mark.fault(35)
@pytest.mark.parametrize('rate', [100.0, 250.0])
def test_steps_of_the_clock_by_a_millisecond_are_no_other_zero(rate):
    """Along the motion: of joints that are fast, others have moved too little to tell."""
    found = played(lambda t, q, qd: (q, qd, t + 1e-3 * (np.mod(t, 2.0) > 1.0)), rate=rate)
    assert found.answered > 0.9 and not any('jump of position' in line for line in found.warnings)


@pytest.mark.fault(35)
@pytest.mark.parametrize(('rests', 'estimator', 'gap'), [
    (True, 'kalman', 0.0), (False, 'kalman', 0.0), (False, 'finite_difference', 0.0),
    (True, 'kalman', 1.0)])
def test_joints_that_take_each_others_positions_are_a_warning(rests, estimator, gap):
    def interchanged(t, q, qd):
        if rests:   # exactly, as in a simulation
            q, qd = np.tile(q[700], (len(t), 1)), 0.0 * qd
        late, others = t > 4.3, [1, 0, 2, 4, 5, 3]
        q[late], qd[late] = q[late][:, others], qd[late][:, others]
        return q, qd, t + gap * late

    found = played(interchanged, estimator, implausible='warn')
    assert found.answered > 0.85   # not for 0.3 s of repeated positions
    assert [line.split("'")[1::2] for line in found.stream.warnings if 'interchanged' in line] == [
        [NAMES[k], NAMES[other]] for k, other in ((0, 1), (1, 0), (3, 4), (4, 5), (5, 3))]


OTHER_MOTIONS = {   # positions and velocities of one joint or all, from 4 s on
    'other sign': (slice(1, 2), lambda values, others: -values),
    'twice as large': (slice(None), lambda values, others: 2.0 * values),
    "another joint's": (slice(2, 3), lambda values, others: others[:, 1:2]),
    'zero': (slice(None), lambda values, others: 0.0 * values)}


@pytest.mark.fault(35)
@pytest.mark.parametrize('name', OTHER_MOTIONS)
def test_a_jump_to_another_motion_is_a_warning_until_it_is_acknowledged(name):
    joints, other = OTHER_MOTIONS[name]

    def jumps(t, q, qd):
        for values in (q, qd):
            values[t > 4.0, joints] = other(values[t > 4.0, joints], values[t > 4.0])
        return q, qd, t

    found = played(jumps)
    assert found.answered > 0.9 and found.wrong <= 0.003
    assert {shift.joint for shift in found.stream.acknowledge()} & {*NAMES[joints]}
    assert found.stream.warnings == ()


@pytest.mark.fault(32, 35)
def test_turns_that_are_lost_in_a_gap_are_a_warning():
    def turned(t, q, qd):
        stamps = t + np.where(t > 4.0, 1.0, 0.0)
        q[t > 4.0, 3] -= 2.0 * np.pi
        return *(q, qd), stamps

    found = played(turned, implausible='warn')
    assert any('1 turns lost' in line and NAMES[3] in line for line in found.warnings)


def late(t, q, qd):
    random = np.random.default_rng(2)
    return q, qd, np.maximum.accumulate(
        t + random.exponential(1.5e-3, len(t)) + 1e-9 * np.arange(len(t)))


def coarse(t, q, qd, step=0.5):
    return np.round(q / np.radians(step)) * np.radians(step), qd, t


def in_turn(t, q, qd):
    before = np.arange(len(t)) - 25 * (np.arange(len(t)) % 2)   # 0.1 s late
    return coarse(t, q[before], qd[before])


@pytest.mark.parametrize(('change', 'answered'), [
    (late, 0.93), (coarse, 0.95), (partial(coarse, step=1.0), 0.95)])
def test_noise_is_not_taken_for_publishers_that_alternate(change, answered):
    found = played(change)
    assert found.answered > answered and found.wrong == 0.0
    if change is not late:
        assert not any(line.startswith('positions of ') for line in found.warnings)
        return
    assert all(line.startswith('positions of ') and 'noise above' in line
               for line in found.warnings)
    # where messages have no efforts, a sentence says why
    assert bool(found.warnings) == bool(found.stream.counters['distrusted'])


def test_publishers_in_turn_with_coarse_encoders_have_no_efforts():
    found = played(in_turn)
    assert found.answered < 0.02 and found.wrong == 0.0
    assert any('several publishers' in line for line in found.warnings)


@pytest.mark.parametrize(('rate', 'speed', 'noise', 'velocity', 'lag'), [
    (250.0, 0.3, 1e-4, True, 0.02), (250.0, 0.3, 1e-4, True, 0.04),
    (200.0, 1.0, 1e-5, False, 0.005), (50.0, 1.0, 1e-4, True, 0.1),
    (500.0, 1.0, 1e-5, False, 0.1), (1000.0, 0.3, 1e-4, True, 0.04)])
def test_a_fixed_lag_is_not_worse_than_none(rate, speed, noise, velocity, lag):
    def error(name: str, **parameters: float) -> float:
        random, t = np.random.default_rng(1), np.arange(0.0, 6.0, 1.0 / rate)
        q, qd, _ = motion(t, speed)
        q += noise * random.normal(size=q.shape)
        qd = qd + 1e-3 * random.normal(size=q.shape) if velocity else np.full_like(q, np.nan)
        estimator = make_estimator(name, 6, **parameters)
        estimates = [estimate for estimate in map(
            estimator.update, (round(1e9 * time) + 10**9 for time in t), q, qd) if estimate.valid]
        at = np.array([estimate.stamp - 10**9 for estimate in estimates]) * 1e-9
        true = motion(at, speed)[2]
        away = (np.array([estimate.qdd for estimate in estimates]) - true)[at > SETTLED]
        return float((away.std(axis=0) / true.std(axis=0)).max())

    assert error('kalman_fixed_lag', lag=lag) <= 1.2 * error('kalman')


def test_names_that_differ_are_asked_about():
    stream = make_stream(VALUES, DYNAMICS, lambda: 0)
    names = [*NAMES[:4], 'joint_6', 'joint_5']
    stream.receive(Message(10**9, names, np.zeros(6)))
    advice = remedy(stream, (), '/node')
    assert 'did you mean' in advice and 'hold' not in advice
    assert 'joint5 by joint_5' in advice and 'joint6 by joint_6' in advice


def statuses(q: Array, stamps: Array, qd: Array | None = None,
             t: Array | None = None, estimator: str = 'kalman') -> list[tuple[Status, int]]:
    """Return the status of the efforts after each second, and how many are WRONG at times t."""
    now = wrong = 0
    right = DYNAMICS(*motion(stamps if t is None else t))
    wide = WRONG * np.abs(right).max(axis=0)
    stream = make_stream({**VALUES, 'estimator': estimator}, DYNAMICS, lambda: now)
    monitor = Monitor(lambda: now)
    found = []
    for number, stamp in enumerate(np.round(1e9 * stamps).astype(int).tolist()):
        while stamp // 10**9 > len(found):
            found.append((output_status(NodeState(DYNAMICS, stream, 'kalman', ''),
                                        monitor.take_report(), Counter()), wrong))
            wrong = 0
        now = stamp + 10**9
        began = monitor.received()
        output = stream.receive(Message(now, NAMES, q[number],
                                        [] if qd is None else qd[number], []))
        if output is not None:
            monitor.published(began, output)
            wrong += bool((np.abs(output.effort - right[number]) > wide).any())
    return found


@pytest.mark.parametrize('rate', [50.0, 250.0])
def test_late_stamps_leave_efforts_uncertain_and_the_status_says_so(rate):
    t = np.arange(0.0, 20.0, 1.0 / rate)
    late = np.random.default_rng(3).exponential(0.5 / rate, len(t))
    late = np.maximum.accumulate(t + late) + 1e-9 * np.arange(len(t))
    q = np.round(motion(t)[0] / ENCODER) * ENCODER
    found = statuses(q, late, t=t)[2:]
    warned = [status for status, _ in found if status.level == Level.WARN]
    assert len(warned) >= 3
    assert sum(wrong for status, wrong in found if status not in warned) <= 0.003 * len(t)
    assert warned[-1].message.startswith('efforts of joint') and (
        'late stamps' in warned[-1].message)
    t, q = t[t < 6.0], q[t < 6.0]
    for right in (statuses(q, t), statuses(q, t, motion(t)[1])):
        assert {status.level for status, _ in right[1:]} == {Level.OK}


@pytest.mark.fault(57)
@pytest.mark.parametrize(('rate', 'together'), [
    (100.0, 10), (250.0, 10), *(pytest.param(*each, marks=pytest.mark.slow) for each in (
        (50.0, 5), (500.0, 10), (1000.0, 10)))])
def test_messages_that_come_in_blocks_have_right_efforts(rate, together):
    """The stamps of a block are that of its end, where they are taken on arrival."""
    t = np.arange(0.0, 12.0, 1.0 / rate)
    number = np.arange(len(t)) // together
    stamps = t[(number + 1) * together - 1] + 3e-5 * (np.arange(len(t)) % together)
    q, qd, _ = motion(t)
    for velocity in (None, qd):
        found = statuses(np.round(q / ENCODER) * ENCODER, stamps, velocity, t)[2:]
        wrong = sum(wrong for status, wrong in found if status.level == Level.OK)
        assert wrong <= 0.003 * rate * len(found)
        assert rate == 50.0 or {status.level for status, _ in found[-4:]} == {Level.OK}


@pytest.mark.parametrize('rate', [50.0, 250.0])
def test_efforts_of_coarse_positions_are_uncertain_and_the_status_says_so(rate):
    t = np.arange(0.0, 12.0, 1.0 / rate)
    for step in (0.003, 0.01):
        found = statuses(step * np.round(motion(t)[0] / step), t)[2:]
        silent = sum(wrong for status, wrong in found if status.level == Level.OK)
        assert silent <= 0.003 * rate * len(found), step
        if step == 0.01:
            assert {status.level for status, _ in found} == {Level.WARN}


def test_differences_of_noisy_velocities_are_uncertain_and_those_of_good_ones_are_not():
    t, random = np.arange(0.0, 6.0, 0.004), np.random.default_rng(6)
    q, qd, _ = motion(t)
    for noise, level in ((0.1, Level.WARN), (1e-4, Level.OK)):
        noisy = qd + noise * random.normal(size=qd.shape)
        found = statuses(q, t, noisy, t, 'finite_difference')[1:]
        assert {status.level for status, _ in found} == {level}
        assert (found[-1][1] > 200) == (level is Level.WARN)


def test_differences_of_stamps_in_blocks_are_withheld():
    """Between blocks there are gaps: the filters never know the motion."""
    t = np.arange(0.0, 6.0, 0.02)
    arrived = t[np.minimum(np.arange(len(t)) // 16 * 16 + 15, len(t) - 1)]
    arrived = arrived + 5e-5 * (np.arange(len(t)) % 16)
    found = statuses(motion(t)[0], arrived, t=t, estimator='finite_difference')[1:]
    assert found and all(status.message.startswith('no efforts') for status, _ in found)


def test_joints_at_rest_are_not_uncertain():
    """Of the first one gravity has no effort: all that is computed of it is noise."""
    t, random = np.arange(0.0, 6.0, 0.004), np.random.default_rng(4)
    q = 0.5 + 1e-4 * random.normal(size=(len(t), 6))
    assert {status.level for status, _ in statuses(q, t)[1:]} == {Level.OK}


def test_joints_at_rest_after_a_motion_are_known_to_its_efforts():
    t, random = np.arange(0.0, 8.0, 0.004), np.random.default_rng(4)
    q = motion(np.minimum(t, 4.0))[0] + 2e-5 * random.normal(size=(len(t), 6))
    assert {status.level for status, _ in statuses(q, t)[6:]} == {Level.OK}


@pytest.mark.parametrize('value', [np.nan, np.inf, -1e12])
def test_a_position_that_is_none_is_not_published(value):
    """Neither at the first message after a gap, where joints begin, nor in all of a second."""
    t = np.arange(0.0, 5.0, 0.004)
    q, qd, _ = motion(t)
    q[t == t[t > 2.0][0], 2] = value
    q[t > 4.0] = np.where(np.arange(6) % 2, value, q[t > 4.0])
    kept = (t < 1.0) | (t > 2.0)
    stream = make_stream(VALUES, DYNAMICS, lambda: 0)
    found = [stream.receive(Message(10**9 + round(1e9 * time), NAMES, position, velocity))
             for time, position, velocity in zip(t[kept], q[kept], qd[kept])]
    last = [each for each in found if each is not None and each.stamp > 3 * 10**9]
    assert len(last) > 490   # of 500 between 2 and 4 s
    assert max(each.stamp for each in last) < 5.03 * 10**9
    right = DYNAMICS(*motion(np.array([each.stamp - 10**9 for each in last]) * 1e-9))
    off = np.abs([each.effort for each in last] - right) / np.abs(right).max(axis=0)
    assert off.max() < WRONG


@pytest.mark.parametrize(('rate', 'frequency'), [
    (1000.0, 60.0), (500.0, 40.0), *(pytest.param(*each, marks=pytest.mark.slow) for each in (
        (1000.0, 40.0), (1000.0, 90.0), (500.0, 60.0)))])
def test_a_vibration_that_no_filter_follows_is_declared(rate, frequency):
    """The deviation is at most 1.6 times too small, and the status warns of the efforts."""
    t, w = np.arange(0.0, 5.0, 1.0 / rate), 2.0 * np.pi * frequency
    phase = w * t[:, None] + np.arange(6.0)
    q, _, qdd = motion(t)
    q, qdd = q + 1e-4 * np.sin(phase), qdd - 1e-4 * w * w * np.sin(phase)
    stream = make_stream(VALUES, DYNAMICS, lambda: 0)
    outputs = [stream.receive(Message(10**9 + round(1e9 * time), NAMES, position, [], []))
               for time, position in zip(t, np.round(q / ENCODER) * ENCODER)]
    known = [(each.qdd - right, each.std) for each, right in zip(outputs, qdd)
             if each is not None and each.stamp > 3 * 10**9]
    assert len(known) > 2.9 * rate
    error, declared = np.sqrt(np.square(known).mean(axis=0))
    assert (error < 1.6 * declared).all() and (declared < 1.6 * error).all()
    assert statuses(q, t)[-1][0].level == Level.WARN


@pytest.mark.parametrize(('rate', 'noise'), [(1000.0, 1e-5), (500.0, 1e-4), (250.0, 1e-4)])
def test_white_noise_is_no_vibration(rate, noise):
    """Fast references have more of it than slow ones, and it is not declared."""
    t, random = np.arange(0.0, 5.0, 1.0 / rate), np.random.default_rng(5)
    q = motion(t, 0.5)[0] + noise * random.normal(size=(len(t), 6))
    assert {status.level for status, _ in statuses(q, t, t=0.5 * t)[2:]} == {Level.OK}

"""From joint states to efforts when stamps are missing, late, far apart or irregular."""

from functools import partial

import numpy as np
import pytest

from support.streams.known_motions import PROFILES, Recording, record
from support.streams.pendulums import MS, START, make_stream, motion, pendulums, receive, run
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.stamp_filter import StampFilter
from urdf2dyn_ros.estimation.stream import Stream


@pytest.fixture
def stream():
    return make_stream()


@pytest.mark.fault(27)
def test_publishers_with_clocks_hours_apart_give_nothing(stream):
    hour = 3600 * 1000
    for ms in range(200):
        assert receive(stream, ms) is None
        assert receive(stream, ms + hour + 0.5) is None
    assert stream.counters['gap'] + stream.counters['jump_back'] == 399


@pytest.mark.fault(27)
def test_messages_that_are_relayed_take_no_efforts_away(stream):
    outputs = 0
    for ms in range(2000):
        outputs += receive(stream, ms) is not None
        for late in (ms - 7, ms - 6) if ms > 10 and ms % 2 else ():
            assert receive(stream, late) is None
    assert outputs > 1700
    assert not stream.counters['jump_back']
    assert stream.counters['relayed'] == stream.counters['out_of_order'] > 1900


@pytest.mark.parametrize('stamp', [0, -1, 2**63, 2**200])
@pytest.mark.fault(28)
def test_no_stamp_no_output(stream, stamp):
    assert run(stream, range(100), stamp=stamp) == []
    assert stream.counters == {'received': 100, 'no_stamp': 100}


@pytest.mark.fault(28)
def test_the_receive_time_stands_in_for_a_stamp():
    now = [START]
    stream = make_stream(clock=lambda: now[0], use_receive_time=True)
    outputs = []
    for ms in range(100):
        now[0] = START + ms * MS
        outputs.append(receive(stream, ms, stamp=0))
    assert outputs[-1].stamp == now[0]
    assert outputs[-1].effort == pytest.approx(pendulums(*motion(now[0])), abs=0.1)


@pytest.mark.fault(29)
def test_a_duplicate_stamp_is_dropped(stream):
    run(stream, range(100))
    assert receive(stream, 99) is None
    assert receive(stream, 99, position=[0.3, 0.1]) is None
    assert (stream.counters['duplicate_stamp'], stream.counters['relayed']) == (2, 1)
    assert receive(stream, 100) is not None


@pytest.mark.fault(30)
def test_a_late_message_is_dropped(stream):
    run(stream, range(100))
    for late in (60, 60.5, 98.5):   # the last was overtaken alone: no second one of another clock
        assert receive(stream, late) is None
    assert stream.counters['out_of_order'] == 3
    assert receive(stream, 100) is not None


@pytest.mark.parametrize('target', [-100_000_000, 0, 700])
@pytest.mark.fault(31)
def test_after_a_jump_back_output_is_soon_there_again(stream, target):
    for ms in range(1000):
        receive(stream, ms, position=motion(START + ms * MS)[0] + 2.0 * np.pi)
    outputs = run(stream, range(target, target + 200))
    assert np.abs(outputs[0].q).max() < 3.5   # turns are not counted on
    assert len(outputs) == 198
    assert outputs[0].stamp == START + (target + 2) * MS
    assert outputs[0].measured == pytest.approx(pendulums(*motion(outputs[0].stamp)))
    assert stream.counters['jump_back'] == 1


@pytest.mark.parametrize('back', [5, 50, 99])
@pytest.mark.fault(31)
def test_a_clock_that_is_set_back_by_less_than_a_gap_resets(stream, back):
    """The positions are those of the time that goes on."""
    run(stream, range(500))
    found = [output for ms in range(500, 700)
             if (output := receive(stream, ms, stamp=START + (ms - back) * MS))]
    assert len(found) == 197
    assert stream.counters['jump_back'] == stream.counters['out_of_order'] == 1
    for output in found:
        assert output.effort == pytest.approx(
            pendulums(*motion(output.stamp + back * MS)), abs=0.1)


@pytest.mark.parametrize('gap', [101, 5000, 3_600_000])
@pytest.mark.fault(32)
def test_no_effort_across_a_gap(stream, gap):
    for ms in range(500):
        last = receive(stream, ms, position=motion(START + ms * MS)[0] + 2.0 * np.pi)
    outputs = run(stream, range(499 + gap, 799 + gap))
    assert (np.abs(outputs[0].q - [0.0, last.q[1]]) < [0.6, 3.5]).all()   # one turns on
    assert len(outputs) == 281
    assert outputs[0].stamp == START + (518 + gap) * MS
    assert stream.counters['gap'] == 1


@pytest.mark.fault(32)
def test_irregular_samples_after_a_gap_neither_contradict_nor_mislead():
    """Steps as a busy machine took them; they contradicted, and efforts were 0.7 wrong."""
    regular = np.arange(400) * 4.79
    late = [5.04, 12.94, 4.0, 1.73, 6.27, 4.0, 4.0, 6.44, 2.32, 11.25, 4.12, 1.03, 1.88]
    for phase in (0, 100):
        stream = make_stream(make_estimator('kalman', 2))
        run(stream, regular + phase)
        outputs = run(stream, regular[-1] + phase + 510.0 + np.cumsum([0.0, *3 * late]))
        assert outputs
        assert stream.counters['gap'] == 1
        assert not stream.counters['position_rejected']
        for output in outputs:
            assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=0.05)


@pytest.mark.fault(32)
def test_a_short_pause_is_no_gap(stream):
    run(stream, range(500))
    assert len(run(stream, range(590, 700))) >= 108   # what is predicted over 90 ms is uncertain
    assert not stream.counters.keys() & {'gap', 'restart'}


@pytest.mark.parametrize('hours', [-5, 0, 5])
@pytest.mark.fault(33)
def test_the_age_of_the_stamps_is_known(hours):
    stream = make_stream(clock=lambda: START + 99 * MS + hours * 3600 * 1000 * MS)
    assert stream.age is None
    assert run(stream, range(100))
    assert stream.age == hours * 3600 * 1000 * MS


@pytest.mark.fault(38)
def test_a_change_of_rate_and_bursts_are_followed(stream):
    slow = np.arange(1000, 3000, 20)
    bursts = np.sort(np.concatenate((np.arange(3000, 4000, 10), np.arange(3000.2, 4000, 10))))
    for times in (np.arange(1000), slow, bursts):
        outputs = run(stream, times)
        assert len(outputs) >= len(times) - 30
        for output in outputs[5:]:
            assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=0.8)
    assert stream.counters['gap'] == 0


@pytest.mark.parametrize('rate', [3.0, 10.0])
@pytest.mark.fault(38)
def test_a_slow_stream_is_no_series_of_gaps(stream, rate):
    outputs = run(stream, np.arange(0, 20_000, 1000.0 / rate))
    assert stream.counters['gap'] <= 3   # before the period is known
    assert len(outputs) >= 15 * rate   # a motion of 1 Hz at 3 Hz looks inconsistent now and then


@pytest.mark.fault(31, 32)
@pytest.mark.parametrize('name', ['kalman', 'kalman_fixed_lag'])
def test_filters_begin_anew_after_a_gap_and_a_clock_set_back_forgets_the_sensors_too(name):
    """After a clock jump it may be another robot."""
    motion_of = record(PROFILES['A']).chosen(slice(0, 2600))
    joints = ['fourier', 'minimum jerk', 'trapezoid', 'sine']

    def outputs(samples):
        stream = Stream(unlimited_joints(joints), lambda q, qd, qdd: qdd,
                        partial(make_estimator, name), clock=lambda: START)
        return [stream.receive(Message(stamp, joints, q, qd, ())) for stamp, q, qd in samples]

    for shift, kept in ((200_000_000, True), (-5_000_000_000, False)):
        moved = Recording(motion_of.stamps + shift * (np.arange(2600) >= 2000), motion_of.q,
                          motion_of.qd)
        found, new = (outputs(moved.chosen(slice(first, None))) for first in (0, 2000))
        assert found[2000:2004] == [None] * 4
        assert all(one.stamp >= moved.stamps[2000] for one in found[2000:] if one)
        equal = [np.array_equal(one.effort, other.effort)
                 for one, other in zip(found[2000:], new, strict=True) if one and other]
        assert len(equal) > 400 and set(equal) == {not kept}


def clocked(stamps: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the times of the filter of stamps, which is told the motion up to each sample."""
    def state(t: float) -> np.ndarray:
        w = np.array([5.0, 3.0])
        return np.array([np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)])

    clock, found = StampFilter(2), []
    for stamp, time in zip(stamps, times, strict=True):
        found.append(clock.time(stamp, state(time)[0]))
        clock.motion = state(time)
    return np.array(found)


@pytest.mark.parametrize('irregular', [0.0, 0.6])
def test_the_first_stamps_say_whether_they_are_regular(irregular):
    random, clock, motion_needed = np.random.default_rng(6), StampFilter(1), []
    for stamp in 0.004 * np.arange(60) + 0.004 * irregular * random.uniform(size=60):
        clock.time(stamp, np.zeros(1))
        motion_needed.append(clock.irregular)
    assert motion_needed == [False] * 40 + [irregular > 0.0] * 20


def test_positions_decide_whether_samples_are_regular_or_stamps_their_times():
    """The first of regular samples whose stamps are late, then of others stamped when taken."""
    random, period, n = np.random.default_rng(1), 0.01, 1000
    regular = period * (np.arange(n) + 0.01 * np.arange(n)**2 / (2 * n))   # slows down by 1 %
    late = regular + period * random.uniform(0.0, 0.6, n)
    taken = regular[-1] + period + np.cumsum(period * random.uniform(0.6, 1.4, 2 * n))
    found = clocked(np.append(late, taken), np.append(regular, taken))
    assert np.std((found[:n] - regular)[100:]) < 0.2 * np.std(late - regular)   # 50 samples
    assert np.mean((found[:n] - regular)[100:]) == pytest.approx(0.3 * period, rel=0.1)
    away = np.abs(found[n:] - taken)   # which fades with 2 s
    assert away[600] / away[800] == pytest.approx(np.exp((taken[800] - taken[600]) / 2.0))
    assert away[-1] < 1e-4 * period and (np.diff(found) > 0.0).all()
    np.testing.assert_array_equal(clocked(taken, taken), taken)


@pytest.mark.parametrize('seed', [0, 2, 3])
def test_a_second_publisher_of_the_same_rate_leaves_no_wrong_period(seed):
    """With both, messages come twice as often; a clock of half the period is too slow later."""
    random, w, rate, estimator = np.random.default_rng(seed), np.array([3.0, 4.0, 5.0]), 100.0, (
        make_estimator('kalman', 3))
    t, shift = np.arange(1200) / rate, random.uniform(-1.0, 1.0)
    other = t[(t > 4.0) & (t < 5.3)]
    late = random.uniform(0.0, 0.9 / rate, len(other))
    wrong = []
    for stamp, moment in sorted([*zip(t, t), *zip(other + late, other + shift)]):
        estimate = estimator.update(START + round(1e9 * stamp), np.sin(w * moment),
                                    np.full(3, np.nan))
        if stamp > 5.4 and estimate.valid:
            true = -w * w * np.sin(w * (estimate.stamp - START) * 1e-9)
            wrong.append((np.abs(estimate.qdd - true) > 0.3 * w * w).any())
    assert len(wrong) > 600
    assert not any(wrong)

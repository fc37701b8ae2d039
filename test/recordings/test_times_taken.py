"""When samples of a recording were taken that a publisher with a rate of its own sent."""

import numpy as np
import pytest

from urdf2dyn_ros.recordings.smoothing import smoothed
from urdf2dyn_ros.smoothing.times_taken import times_taken
from urdf2dyn_ros.smoothing.times_words import times_sentences

DRIVER = 4e-3   # s
START = 10 ** 18
SPEEDS = np.array([0.9, 1.7, 2.3])   # rad/s


def motion(stamps):
    """Return positions at stamps [ns], in steps of 1e-6 rad."""
    angle = np.outer(1e-9 * (stamps - START), SPEEDS)
    return 1e-6 * np.rint(1e6 * np.sin(angle))


def newest(period, wake_up=0.0, count=2000):
    """Return stamps of a publisher, and when the newest samples of the driver were taken [ns]."""
    stamps = START + np.rint(1e9 * period * (0.3 + np.arange(count))).astype(np.int64)
    late = np.abs(np.random.default_rng(0).normal(size=count)) * wake_up * 1e9
    tick = round(1e9 * DRIVER)
    return stamps, START + tick * ((stamps + late.astype(np.int64) - START) // tick)


@pytest.mark.fault(38)
@pytest.mark.parametrize(('part', 'wake_up'), [
    (1.07, 0.0), (1.6, 0.0), (2.075, 2e-4), (3.3, 0.0), (0.997, 0.0), (1.003, 2e-4),
    (1.997, 2e-4), (3.003, 2e-4)])
def test_steps_are_those_of_the_driver(part, wake_up):
    stamps, true = newest(part * DRIVER, wake_up)
    taken = times_taken(stamps, motion(true))
    wrong = 1e-9 * np.abs(np.diff(taken.times) - np.diff(true)) / DRIVER
    moves = np.abs(np.cos(np.outer(1e-9 * (true[1:] - START), SPEEDS))).max(axis=1) > 0.1
    before = 1e-9 * np.abs(np.diff(stamps) - np.diff(true)) / DRIVER
    print(part, wake_up, taken.period, wrong[moves].max(), before.max())
    assert taken.period == pytest.approx(DRIVER, rel=1e-3)
    assert (np.diff(taken.times) > 0).all()
    assert wrong[moves].max() < 5e-3
    assert before.max() > 0.5
    assert np.abs(taken.times - stamps).max() < 1.5e9 * DRIVER
    assert taken.off == pytest.approx(DRIVER * before.max(), rel=0.01)
    np.testing.assert_array_equal(taken.at(stamps[7:9]), taken.times[7:9])


def test_late_stamps_of_regular_samples_are_another_clock_too():
    stamps, random = START + 4_000_000 * np.arange(2000), np.random.default_rng(0)
    late = stamps + (1e6 * np.abs(random.normal(size=2000))).astype(np.int64)
    taken = times_taken(np.maximum.accumulate(late), motion(stamps))
    assert np.abs(np.diff(taken.times) - 4_000_000).max() < 40_000


def test_a_motion_without_another_clock_keeps_its_stamps():
    """Regular or with lost samples, from a rest and into it, with one joint that moves alone."""
    stamps = START + 4_000_000 * np.arange(2000)
    since = np.maximum(1e-9 * (stamps - START) - 0.5, 0.0)
    begun = np.outer(2.0 * np.pi * since - np.sin(2.0 * np.pi * since), [0.1, 0.1])
    ramps = np.clip((since % 1.0 - 0.1) / 0.05, 0.0, 1.0) - np.clip(
        (since % 1.0 - 0.6) / 0.05, 0.0, 1.0)
    stopped = np.outer(4e-3 * np.cumsum(ramps), SPEEDS)
    slipped = motion(newest(1.003 * DRIVER)[1])
    kept = np.random.default_rng(0).random(2000) > 0.05
    for some, q in ((stamps, motion(stamps)), (stamps[kept], motion(stamps[kept])),
                    (stamps, begun), (stamps, stopped), (stamps, slipped[:, :1]),
                    (stamps, slipped * [1.0, 0.0, 0.0])):
        assert times_taken(some, q).times is some


def test_a_slip_is_no_acceleration():
    """It was one of 0.35 rad/s^2."""
    stamps, true = newest(2.003 * DRIVER, 2e-4)
    q, middle = motion(true), slice(50, -50)
    expected = -SPEEDS ** 2 * q
    wrong = [np.abs(smoothed(times, q).qdd - expected)[middle].max()
             for times in (stamps, times_taken(stamps, q).times)]
    print(wrong)
    assert wrong[1] < 0.003 < 0.3 < wrong[0]


def test_a_sentence_names_joints_unless_it_is_about_all_of_them():
    clocks = np.array([[8e-3, 8e-3, 0.0], [5.66e-3, 5.66e-3, 0.0]])
    sentence, = times_sentences(('a', 'b', 'c'), clocks)
    assert 'samples of "a", "b" were taken every 8 ms' in sentence and '5.7 ms late' in sentence
    sentence, = times_sentences(('a', 'b'), clocks[:, :2])
    assert 'samples of all joints' in sentence
    assert times_sentences(('c',), clocks[:, 2:]) == []

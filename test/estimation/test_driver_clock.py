"""Samples that were taken by the clock of a driver and stamped by that of a publisher."""

import numpy as np
import pytest

from urdf2dyn_ros.joint_states.driver_clock import DriverClock

DRIVER = 4e-3   # s
START = 10 ** 18
SPEEDS = np.array([0.9, 1.7, 2.3])   # rad/s


def motion(t):
    """Return positions, velocities and accelerations (3, k, 3) at times [s]."""
    angle = np.outer(t, SPEEDS)
    return np.array([np.sin(angle), SPEEDS * np.cos(angle), -SPEEDS ** 2 * np.sin(angle)])


def positions(q):
    """Return a sample without velocities."""
    return np.stack([q, np.full_like(q, np.nan)])


def run(clock, stamps, taken, missing=None):
    """Return the times [ns] that a clock gives to samples, since the first stamp."""
    q, qd, qdd = motion(1e-9 * taken)
    rates = np.stack([qd, qdd], axis=1)
    times = [clock.taken(START + stamp, positions(q[k]), rates[max(k - 1, 0)], missing)
             for k, stamp in enumerate(stamps.tolist())]
    return np.array(times) - START


def newest(period, count=600, wake_up=0.0):
    """Return stamps of a publisher, and when the newest samples of the driver were taken [ns]."""
    stamps = np.rint(1e9 * period * (0.3 + np.arange(count))).astype(np.int64)
    late = np.abs(np.random.default_rng(0).normal(size=count)) * wake_up * 1e9
    numbers = (stamps + late.astype(np.int64)) // round(1e9 * DRIVER)
    return stamps, np.rint(1e9 * DRIVER).astype(np.int64) * numbers


@pytest.mark.fault(38)
@pytest.mark.parametrize('part', [1.07, 1.6, 2.075, 2.425, 3.3, 5.15])
def test_samples_have_the_times_at_which_they_were_taken(part):
    clock = DriverClock(3)
    stamps, taken = newest(part * DRIVER)
    late = (run(clock, stamps, taken) - taken)[100:] * 1e-9
    print(part, clock.period, np.ptp(late) / DRIVER)
    assert abs(clock.period - DRIVER) < 1e-3 * DRIVER
    assert np.ptp(late) < 0.2 * DRIVER
    assert np.ptp((stamps - taken)[100:] * 1e-9) > 0.7 * DRIVER


def test_regular_samples_keep_their_stamps():
    stamps, _ = newest(2.3 * DRIVER)
    assert (run(DriverClock(3), stamps, stamps) == stamps).all()
    single = np.arange(3) != 1   # positions that are missing show nothing
    stamps, taken = newest(2.3 * DRIVER)
    assert (run(DriverClock(3), stamps, taken, single) == stamps).all()


def test_an_encoder_at_one_speed_is_no_clock():
    """Its counts from sample to sample are two numbers, too."""
    clock, step = DriverClock(1), 1e-3
    stamps = 1_000_000 * np.arange(2000)
    for k, stamp in enumerate(stamps.tolist()):
        q = np.array([step * np.floor(2.3 * k)])
        assert clock.taken(stamp, positions(q), np.array([[2300.0 * step], [0.0]]), None) == stamp


def test_a_clock_that_does_not_fit_any_more_is_forgotten():
    clock = DriverClock(3)
    stamps, taken = newest(2.3 * DRIVER)
    random = np.random.default_rng(0)
    taken[300:] = stamps[300:] - random.uniform(0.0, 2e9 * DRIVER, 300).astype(np.int64)
    times = run(clock, stamps, taken)
    assert (np.diff(times) > 0).all()
    assert clock.period == 0.0
    assert (np.diff(times[-20:]) == np.diff(stamps[-20:])).all()


@pytest.mark.fault(38)
@pytest.mark.parametrize(('part', 'wake_up'), [(1.003, 0.0), (1.997, 0.0), (1.997, 2e-4),
                                               (2.003, 0.0), (2.003, 2e-4), (3.003, 2e-4)])
def test_clocks_of_nearly_the_same_rate_slip_now_and_then(part, wake_up):
    """The steps of samples whose clocks slip are those of the driver."""
    clock = DriverClock(3)
    stamps, taken = newest(part * DRIVER, 1200, wake_up)
    wrong = np.abs(np.diff(run(clock, stamps, taken)) - np.diff(taken)) * 1e-9
    as_stamped = np.abs(np.diff(stamps) - np.diff(taken)) * 1e-9
    print(part, wake_up, wrong[40:].max() / DRIVER, as_stamped[40:].max() / DRIVER)
    assert clock.period == 0.0
    assert wrong[40:].max() < 0.1 * DRIVER
    assert as_stamped[40:].max() > 0.9 * DRIVER


def test_a_velocity_that_changes_at_once_is_no_slip_for_long():
    """As at an impact: filters have the next sample at its stamp, and follow."""
    clock, stamps = DriverClock(3), 8_000_000 * np.arange(200)
    for k, stamp in enumerate(stamps.tolist()):
        q = 8e-3 * SPEEDS * (k + 0.5 * max(k - 150, 0))
        time = clock.taken(START + stamp, positions(q), np.stack([SPEEDS, 0.0 * SPEEDS]), None)
        if 152 <= k <= 155:
            assert time - START - stamp == pytest.approx(4_000_000, abs=1)


def test_a_change_that_velocities_show_is_no_slip():
    clock, stamps = DriverClock(3), 8_000_000 * np.arange(200)
    for k, stamp in enumerate(stamps.tolist()):
        q = 8e-3 * SPEEDS * (k + 0.5 * max(k - 150, 0))
        sample = np.stack([q, SPEEDS * (1.5 if k > 150 else 1.0)])
        assert clock.taken(START + stamp, sample, np.stack([SPEEDS, 0.0 * SPEEDS]), None) == (
            START + stamp)


def test_one_joint_alone_shows_no_slip():
    """It may be a jump of its encoder."""
    clock, stamps = DriverClock(2), 8_000_000 * np.arange(200)
    for k, stamp in enumerate(stamps.tolist()):
        sample = positions(np.array([0.3, 8e-3 * (k + 0.5 * (k > 150))]))
        assert clock.taken(START + stamp, sample, np.array([[0.0, 1.0], [0.0, 0.0]]), None) == (
            START + stamp)

"""What the monitor counts, with a clock of the test's own."""

import math

import numpy as np
import pytest

from support.streams.hand_clock import Clock
from urdf2dyn_ros.estimation.status import Monitor
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.text import SECOND_NS

OUTPUT = Output(1, *(np.zeros(2) for _ in range(6)))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def monitor(clock: Clock) -> Monitor:
    return Monitor(lambda: round(clock.now * SECOND_NS))


def flow(monitor: Monitor, clock: Clock, count: int, period: float = 0.01) -> None:
    """Have messages come that nothing comes of."""
    for _ in range(count):
        clock.now += period
        monitor.received()


def test_rates_and_latencies_are_those_since_the_last_report(monitor, clock):
    """Nearest rank: of 100 latencies of 1 to 100 us, p99 is the 99th."""
    for k in range(1, 101):
        clock.now += 0.02 - k * 1e-6
        began = monitor.received()
        clock.now += k * 1e-6
        monitor.published(began, OUTPUT)
    flow(monitor, clock, 50, 0.0)
    figures = monitor.take_report()
    assert figures.received == pytest.approx(75.0)
    assert figures.published == pytest.approx(50.0)
    assert figures.latency == pytest.approx((50.0, 99.0, 100.0))
    assert figures.newest is OUTPUT and figures.messages == 150
    clock.now += 0.4
    figures = monitor.take_report()
    assert (figures.received, figures.published, figures.messages) == (0.0, 0.0, 150)
    assert all(map(math.isnan, figures.latency)) and figures.newest is None
    assert figures.silence == pytest.approx(0.4)


def test_figures_are_those_of_the_newest_robot(monitor: Monitor) -> None:
    """Which may have other joints: a description was replaced within a second."""
    small, large = (Output(1, *(np.full(n, float(n)) for _ in range(6))) for n in (2, 6))
    for robot in (large, small, small._replace(q=np.zeros(2))):
        monitor.published(0, robot, len(robot.q))
    assert list(monitor.take_report().largest) == [2.0, 2.0]
    for q in (0.0, 1.0):
        monitor.published(0, small._replace(q=np.full(2, q), effort=np.ones(2)), 'another mass')
    assert list(monitor.take_report().largest) == [1.0, 1.0]


@pytest.mark.fault(49)
def test_silence_is_reported_at_once_and_so_is_its_end(monitor, clock):
    """Otherwise once a second."""
    assert not monitor.due and monitor.silent
    flow(monitor, clock, 3)
    assert monitor.due, 'the first messages'
    assert not monitor.take_report().silent
    flow(monitor, clock, 80)
    assert not monitor.due
    flow(monitor, clock, 20)
    assert monitor.due
    monitor.take_report()
    clock.now += 0.4
    assert not monitor.due
    clock.now += 0.2
    assert monitor.due
    assert monitor.take_report().silent
    assert not monitor.due
    flow(monitor, clock, 1, 0.2)
    assert monitor.due
    assert not monitor.take_report().silent


def test_a_slow_stream_is_silent_later_but_not_for_ever(monitor: Monitor, clock: Clock) -> None:
    """Three periods, and one pause does not count as a period."""
    flow(monitor, clock, 10, 0.6)
    clock.now += 1.7
    assert not monitor.silent
    clock.now += 0.2
    assert monitor.silent
    flow(monitor, clock, 10, 3600.0)
    clock.now += 4.9
    assert not monitor.silent
    clock.now += 0.2
    assert monitor.silent
    flow(monitor, clock, 5)
    flow(monitor, clock, 1, 100.0)
    clock.now += 0.6
    assert monitor.silent


@pytest.mark.fault(53)
def test_a_failure_is_reported_once_and_counted_for_ever(monitor: Monitor) -> None:
    monitor.failed('first')
    monitor.failed('second')
    figures = monitor.take_report()
    assert (figures.failures, figures.failure) == (2, 'second')
    figures = monitor.take_report()
    assert (figures.failures, figures.failure) == (2, '')

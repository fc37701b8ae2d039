"""Samples that wait for what else acts at their instants: in order, bounded, and none is lost."""

import numpy as np
import pytest

from support.streams.pendulums import MS, START, add_up, make_stream, motion, pendulums, receive
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.outcomes import Outcome


class Beside:
    """A sensor whose data is there up to an instant [ms]; `lost`: it is known not to come."""

    def __init__(self) -> None:
        self.known, self.lost = -1.0, False

    def __call__(self, estimate):
        if self.lost:
            return Outcome.NO_BASE
        ms = (estimate.stamp - START) / MS
        return (np.array([ms, -ms]),) if ms <= self.known else Outcome.WAITING


@pytest.fixture
def beside():
    return Beside()


@pytest.fixture
def stream(beside):
    """Return a stream whose efforts are the pendulums' and the loads."""
    return make_stream(make_estimator('none', 2), load_arguments=beside,
                       dynamics=lambda q, qd, qdd, more: pendulums(q, qd, qdd) + more)


def stamps(outputs):
    return [round((output.stamp - START) / MS) for output in outputs]


def test_they_are_answered_in_order_when_it_is_there(stream, beside):
    """With what acted, and what was measured, at their own instants."""
    assert [receive(stream, ms) for ms in range(1, 11)] == [None] * 10
    assert list(stream.resume()) == []
    beside.known = 7.0
    outputs = list(stream.resume())
    assert stamps(outputs) == [1, 2, 3, 4, 5, 6, 7]
    for output in outputs:
        q, qd, qdd = motion(output.stamp)
        ms = (output.stamp - START) / MS
        assert output.effort - pendulums(q, qd, 0.0 * qdd) == pytest.approx([ms, -ms], abs=1e-9)
        assert output.measured == pytest.approx(pendulums(q, qd, qdd), abs=1e-9)
    beside.known = 10.0
    assert stamps(stream.resume()) == [8, 9, 10]
    beside.known = 12.0
    assert stamps([receive(stream, 11)]) == [11], 'at once, if it is there'
    assert stream.counters == {'received': 11, 'used': 11}


def test_they_wait_no_longer_once_it_will_not_come(stream, beside):
    for ms in range(1, 6):
        receive(stream, ms)
    beside.lost = True
    assert receive(stream, 6) is None
    beside.lost, beside.known = False, 100.0
    assert list(stream.resume()) == []
    assert stream.counters == {'received': 6, 'no_base': 6}
    assert stamps([receive(stream, 7)]) == [7]


@pytest.mark.fault(31)
def test_a_clock_that_is_set_back_ends_the_waiting(stream, beside):
    """Else efforts from before would come among those from after."""
    for ms in range(10_000, 10_010):
        receive(stream, ms)
    beside.known = 2.0
    assert stamps([receive(stream, 1), receive(stream, 2)]) == [1, 2]
    beside.known = 20_000.0
    assert list(stream.resume()) == []
    assert stream.counters['no_base'] == 10
    assert add_up(stream.counters)


@pytest.mark.fault(51)
def test_the_oldest_go_when_too_many_wait(stream, beside):
    for ms in range(1, 2048 + 11):
        receive(stream, ms)
    beside.known = 1e6
    assert stamps(stream.resume()) == list(range(11, 2048 + 11))
    assert stream.counters['no_base'] == 10
    assert add_up(stream.counters)


def test_what_is_not_finite_resets_the_estimator_as_it_does_at_once(beside):
    def dynamics(q, qd, qdd, more):
        if more[0] == 3.0:
            raise StateError('not finite')
        return pendulums(q, qd, qdd)

    stream = make_stream(make_estimator('none', 2), load_arguments=beside, dynamics=dynamics)
    for ms in range(1, 6):
        receive(stream, ms)
    beside.known = 10.0
    assert stamps(stream.resume()) == [1, 2]
    assert stream.counters == {'received': 5, 'used': 2, 'not_finite': 1, 'no_base': 2}

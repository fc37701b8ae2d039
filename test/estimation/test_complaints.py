"""What the log says of faults: each kind at once, then with its number, never line after line."""

from collections import Counter

import pytest

from support.streams.hand_clock import Clock
from urdf2dyn_ros.estimation.outcomes import (
    ACCEPTED_OUTCOMES,
    JOINT_STATE_EVENTS,
    JOINT_STATE_OUTCOMES,
)
from urdf2dyn_ros.estimation.status import FaultLog


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.fault(22)
def test_a_kind_is_logged_at_once_and_then_with_its_number(clock: Clock) -> None:
    """Two kinds do not wait for one another; nothing that was counted is left untold."""
    complaints, said = FaultLog(clock), []
    for second in range(12):
        grown = Counter(used=100, position_not_finite=7)
        if second == 2:
            grown['no_stamp'] = 1
        said += [(second, line.text.split(' (')[0]) for line in complaints.counted(grown)]
        clock.now += 1.0
    assert said == [(0, 'joint states: 7 position_not_finite'), (2, 'joint states: 1 no_stamp'),
                    (5, 'joint states: 35 position_not_finite'),
                    (10, 'joint states: 35 position_not_finite')]


@pytest.mark.fault(31)
def test_what_came_after_the_last_line_is_logged_later(clock: Clock) -> None:
    """Though nothing more comes, and once only."""
    complaints = FaultLog(clock)
    assert [line.warning for line in complaints.counted(Counter(jump_back=1))] == [False]
    clock.now += 1.0
    assert complaints.counted(Counter(jump_back=2)) == []
    clock.now += 5.0
    assert [line.text[:25] for line in complaints.counted(Counter())] == [
        'joint states: 2 jump_back']
    clock.now += 5.0
    assert complaints.counted(Counter()) == []


@pytest.mark.parametrize('name', [*JOINT_STATE_OUTCOMES, *JOINT_STATE_EVENTS])
def test_every_counter_is_logged_with_its_meaning_or_is_no_fault(clock, name):
    """A new one cannot be forgotten."""
    lines = FaultLog(clock).counted(Counter({name: 3}))
    fine = ACCEPTED_OUTCOMES | {'received', 'accelerations', 'velocity_rejected', 'distrusted',
                                'implausible', 'position_rejected', 'frozen'}
    assert bool(lines) == (name not in fine)
    assert all((JOINT_STATE_OUTCOMES | JOINT_STATE_EVENTS)[name] in line.text for line in lines)


@pytest.mark.fault(25)
def test_other_joints_are_logged_once(clock: Clock) -> None:
    """A gripper's joint states on the same topic are no fault."""
    complaints = FaultLog(clock)
    assert len(complaints.counted(Counter(other_joints=50))) == 1
    clock.now += 50.0
    assert complaints.counted(Counter(other_joints=50)) == []
    first, = complaints.unknown(['finger'])
    assert '"finger"' in first.text and not first.warning
    assert complaints.unknown(['finger']) == []
    second, = complaints.unknown(['finger', 'wheel'])
    assert '"wheel"' in second.text and 'finger' not in second.text


@pytest.mark.fault(36, 37)
def test_a_question_about_units_is_one_line(clock: Clock) -> None:
    """Of all joints that raise it, and not a line for each."""
    warnings = [f"position of '{name}': it is {q}, far beyond its limits: is it in degrees?"
                for name, q in (('a', 11.03), ('b', -90))]
    assert [line.text for line in FaultLog(clock).warned(warnings)] == [
        f"{warnings[0]} Likewise 'b'"]


def test_a_warning_that_comes_back_is_logged_again(clock: Clock) -> None:
    """After a while without it; as long as it stays or flickers, once, whatever its figures."""
    complaints = FaultLog(clock)
    told = 0
    for step in range(40):
        told += len(complaints.warned([] if step % 3 else [f"velocity of 'a': {step} ms late"]))
        clock.now += 1.0
    assert told == 1
    clock.now += 60.0
    assert complaints.warned([]) == []
    assert len(complaints.warned(["velocity of 'a': 3 ms late"])) == 1

"""Steps between stamps, and turns of positions, by numbers that a reader can check."""

import numpy as np
import pytest

from urdf2dyn_ros.estimation.messages import Steps, unwrap
from urdf2dyn_ros.estimation.outcomes import Event, Outcome

MS = 1_000_000


def added(steps, *stamps, last=0):
    """Return what came of stamps [ms]; one that is refused is not the last one."""
    found = []
    for stamp in stamps:
        refused, event = steps.add(last * MS, stamp * MS)
        assert not (refused and event)
        found.append(refused or event)
        if not refused:
            last = stamp
    return found


def test_the_period_is_the_median_of_the_last_eleven_steps():
    steps, seen = Steps(), []
    for last, stamp in zip((5, 7, 10, 30, 31, 35), (7, 10, 30, 31, 35, 41)):
        assert steps.add(last * MS, stamp * MS) == (None, None)
        seen.append(steps.period // MS)
    assert seen == [0, 0, 3, 3, 3, 4]
    copy = steps.copy()
    assert added(steps, *range(49, 138, 8), last=41) == [None] * 12
    assert (steps.period, copy.period) == (8 * MS, 4 * MS)
    assert added(copy, 46, 51, last=41) == [None] * 2
    assert copy.period == 5 * MS


@pytest.mark.parametrize(('period', 'step', 'gap'), [
    (10, 100, False), (10, 101, True), (40, 200, False), (40, 201, True)])
def test_a_gap_is_longer_than_a_tenth_of_a_second_and_five_periods(period, step, gap):
    steps = Steps()
    last = 1000 + 4 * period
    assert added(steps, *range(1000, last + 1, period)) == [None] * 5
    assert steps.copy().is_jump(-step * MS) == steps.is_jump(step * MS) == gap
    assert added(steps, last + step, last=last) == [Event.GAP if gap else None]
    assert Steps(300 * MS).is_jump(300 * MS) is False
    assert Steps(300 * MS).is_jump(301 * MS) is True


def test_a_clock_that_is_set_back_is_told_from_messages_that_were_overtaken():
    steps = Steps()
    added(steps, 1000, 1010, 1020, 1030)
    assert added(steps, 1030, 1025, 1020, last=1030) == [
        Outcome.DUPLICATE_STAMP, Outcome.OUT_OF_ORDER, Outcome.OUT_OF_ORDER]
    assert added(steps, 1015, 1016, last=1030) == [Outcome.OUT_OF_ORDER, Event.JUMP_BACK]
    assert steps.period == 0
    added(steps, 1020, 1030, 1040, last=1010)
    assert steps.period == 10 * MS
    assert added(steps, 1025, 1035, 1026, last=1040) == [Outcome.OUT_OF_ORDER] * 3
    assert added(steps, 939, last=1040) == [Event.JUMP_BACK]
    assert added(steps, 949, 959, last=939) == [None] * 2
    assert steps.period == 0


def test_whole_turns_are_removed_where_a_joint_turns():
    """The last joint has limits: a step that goes on as before is no turn."""
    before = np.array([0.1, 3.0, -3.0, 0.4, -6.0, np.nan])
    last = np.array([0.2, 3.1, -3.1, 0.5, -3.0, 1.0])
    q = np.array([0.3, -3.05, 3.05, 0.5 + 2.0 * np.pi, 0.1, 5.0])
    turning, error = np.array([0, 1, 2, 4, 5]), np.array([4.0, 4.0, 4.0, 1.0, 1.0])
    expected = [0.3, 2.0 * np.pi - 3.05, 3.05 - 2.0 * np.pi, 0.5 + 2.0 * np.pi, 0.1, 5.0]
    unwrap(q, turning, error, last, before)
    assert q == pytest.approx(expected)
    q = last + 2.0 * np.pi * np.array([3.0, -2.0, 1.0, 1.0, 1.0, 1.0]) + 0.05
    unwrap(q, turning, error, last, before)
    assert q - last - 0.05 == pytest.approx([0.0, 0.0, 0.0, 2.0 * np.pi, 0.0, 0.0], abs=1e-12)
    q = last + np.array([0.0, 2.9, 3.3, 0.0, 4.9, 5.4])
    unwrap(q, turning, error, last, before)
    assert q - last == pytest.approx([0.0, 2.9, 3.3 - 2.0 * np.pi, 0.0, 4.9, 5.4 - 2.0 * np.pi])

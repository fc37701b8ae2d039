"""Work that would take too much of the time from the data pauses."""

from contextlib import suppress

import pytest

from support.streams.hand_clock import Clock
from urdf2dyn_ros.system import LONGEST_PAUSE, PAUSE_RATIO, SHORTEST_PAUSE, Pauses


@pytest.mark.fault(47)
@pytest.mark.parametrize(('took', 'pause'), [
    (0.001, SHORTEST_PAUSE), (0.05, PAUSE_RATIO * 0.05), (1.0, LONGEST_PAUSE)])
def test_a_pause_is_in_proportion_to_the_work_before_it_within_limits(
        took: float, pause: float) -> None:
    """And it passes with the clock; before the first piece there is none."""
    clock = Clock()
    pauses = Pauses(clock)
    assert pauses.left == 0.0
    with pauses.work():
        clock.now += took
    assert pauses.left == pytest.approx(pause)
    assert pauses.duration == pytest.approx(took)
    clock.now += 0.4 * pause
    assert pauses.left == pytest.approx(0.6 * pause)
    clock.now += pause
    assert pauses.left == 0.0


def test_there_is_a_pause_after_work_that_failed() -> None:
    clock = Clock()
    pauses = Pauses(clock)
    with suppress(OSError), pauses.work():
        clock.now += 0.05
        raise OSError('the disk is full')
    assert pauses.left == pytest.approx(PAUSE_RATIO * 0.05)

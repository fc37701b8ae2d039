"""Steps between stamps: which messages come together with a late one."""

import pytest

from urdf2dyn_ros.joint_states.steps import Steps

PERIOD = 10_000_000   # ns


def crowded(*steps: float) -> tuple[list[bool], int]:
    """Return which of some steps, in periods, are crowded after twenty usual ones; the period."""
    judge, stamp, found = Steps(), 1, []
    for step in (*20 * [1.0], *steps):
        last, stamp = stamp, stamp + round(step * PERIOD)
        assert not judge.add(last, stamp)
        found.append(judge.is_crowded(stamp - last))
    assert not any(found[:20])
    return found[20:], judge.period


@pytest.mark.fault(58)
@pytest.mark.parametrize('spacing', [0.001, 0.1, 0.5])
def test_messages_that_waited_catch_up(spacing: float) -> None:
    """As many as the long step has periods, however many these are."""
    waited = 30
    behind = waited - 0.2
    late = [waited + 0.8]
    while behind > 0.5:
        late.append(spacing)
        behind -= 1.0 - spacing
    found, period = crowded(*late, 1.0 - spacing, 1.0, 1.0)
    assert found == [False, *[True] * (len(late) - 2), found[len(late) - 1], *3 * [False]]
    assert len(late) > waited - 1
    assert period == PERIOD


@pytest.mark.fault(58)
def test_a_driver_that_stands_still_again_while_it_catches_up() -> None:
    found, period = crowded(21.0, *5 * [0.1], 31.0, *45 * [0.1])
    assert found == [False, *5 * [True], False, *45 * [True]]
    assert period == PERIOD


def test_after_lost_messages_none_catches_up() -> None:
    assert crowded(5.0, 1.0, 0.9, 1.1, 3.0, 1.0)[0] == 6 * [False]


def test_a_faster_rate_after_a_long_step_is_soon_usual() -> None:
    found, period = crowded(5.0, *20 * [0.4])
    assert not any(found[7:])
    assert period == round(0.4 * PERIOD)

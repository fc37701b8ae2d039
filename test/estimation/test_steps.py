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


def outcomes(*times: float) -> list[str]:
    """Return the outcomes of stamps, in periods, after twenty usual steps up to 0."""
    judge, newest, found = Steps(), 1, []
    for time in (*range(-20, 0), *times):
        stamp = 1 + round((time + 21) * PERIOD)
        found.append(judge.add(newest, stamp) or 'back' * (stamp < newest))
        if not found[-1] or found[-1] == 'back':
            newest = stamp
    assert not any(found[:20])
    return found[20:]


@pytest.mark.fault(31)
@pytest.mark.parametrize('by', [3.2, 5.0, 9.0])
def test_a_clock_that_is_set_back_a_little_is_confirmed_by_the_next_message(by: float) -> None:
    assert outcomes(0, 1 - by, 2 - by, 3 - by) == ['', 'out_of_order', 'back', '']


@pytest.mark.fault(30)
def test_messages_that_others_have_overtaken_are_no_clock_that_was_set_back() -> None:
    assert outcomes(0, 4, 1, 2, 3, 5) == ['', '', *3 * ['out_of_order'], '']
    assert outcomes(0, -5, 1, -4, 2, -4) == ['', 'out_of_order'] + 2 * ['', 'out_of_order']
    assert outcomes(0, -5, -5, -6, 1) == ['', *3 * ['out_of_order'], '']

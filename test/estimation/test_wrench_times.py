"""Which received wrench acts at an instant, and for how long."""

import tracemalloc

import pytest
from wrench_listener import ARM, HAND, Listener, both

from urdf2dyn_ros.estimation.outcomes import WRENCH_ABSENCES


def test_a_wrench_holds_until_the_stamp_of_the_next_one() -> None:
    listener = Listener(HAND)
    for ms in (0, 10, 20, 30):
        listener.hear(ms, 1.0 + ms)
    held = [listener.at(ms, 30)[0] for ms in (0, 5, 9.999, 10, 25, 29, 31, 60)]
    assert held == [1.0, 1.0, 1.0, 11.0, 21.0, 21.0, 31.0, 31.0]


def test_an_estimate_that_lags_gets_the_wrench_of_its_instant() -> None:
    """Messages at 1 kHz, estimates 20 ms late: what came meanwhile is kept."""
    listener = Listener(HAND)
    for ms in range(500):
        listener.hear(ms, float(ms))
        if ms >= 20:
            assert listener.at(ms - 20, ms) == [ms - 20.0]


@pytest.mark.fault(42)
@pytest.mark.parametrize(('policy', 'gone', 'found'), [
    ('stop', 'silent', 'silent'), ('zero', 'silent', [0.0, 2.0])])
def test_a_publisher_that_dies(policy: str, gone: str, found: list[float] | str) -> None:
    """After the timeout nothing is computed, or its force is zero; then it comes back."""
    listener = both(policy=policy)
    for ms in range(10, 301, 10):
        listener.hear(ms, 2.0, ARM)
        assert listener.at(ms) == ([1.0, 2.0] if ms <= 100 else found)
    assert listener.counters[gone] == 20
    assert listener.wrenches.warnings == (f'wrench on "{HAND}": {WRENCH_ABSENCES[gone]}',)
    listener.hear(301, 3.0)
    assert listener.at(302) == [3.0, 2.0]
    assert listener.wrenches.warnings == ()


@pytest.mark.fault(42)
@pytest.mark.parametrize('ms', [50, 101, 10**6])
def test_joint_states_whose_stamps_stand_still_do_not_keep_a_wrench_alive(ms: float) -> None:
    listener = both()
    assert listener.at(50, now=ms) == ([1.0, 2.0] if ms <= 100 else 'silent')


@pytest.mark.fault(42)
@pytest.mark.parametrize(('stamp', 'reason'), [
    (-101, 'stale'), (-3600_000, 'stale'), (3600_000, 'ahead'), (1, 'ahead')])
def test_a_stamp_that_is_not_the_joint_states_time_does_not_count(
        stamp: float, reason: str) -> None:
    for policy, found in (('stop', reason), ('zero', [0.0])):
        listener = Listener(HAND, policy=policy)
        listener.hear(stamp, arrival=0)
        assert listener.at(0) == found
        assert listener.counters[reason] == 1
        assert WRENCH_ABSENCES[reason] in listener.wrenches.warnings[0]


@pytest.mark.parametrize(('policy', 'found'), [('stop', 'missing'), ('zero', [0.0, 2.0])])
def test_before_the_first_message_there_is_none(policy: str, found: list[float] | str) -> None:
    listener = Listener(policy=policy)
    listener.hear(0, 2.0, ARM)
    assert listener.at(1) == found


def test_the_timeout_is_a_parameter() -> None:
    listener = both(timeout=2.0)
    assert listener.at(2000) == [1.0, 2.0]
    assert listener.at(2001) == 'silent'


@pytest.mark.fault(42)
@pytest.mark.parametrize(('policy', 'what'), [
    ('stop', 'no efforts'), ('zero', 'it counts as zero')])
def test_a_wrench_that_is_missing_for_a_second_is_reported(policy: str, what: str) -> None:
    """Not earlier: the first joint states may come before the first wrench."""
    listener = Listener(HAND, policy=policy)
    for ms in range(0, 1000, 100):
        listener.at(ms)
    assert listener.wrenches.new_lines() == []
    listener.at(1000)
    listener.at(1100)
    assert listener.wrenches.new_lines() == [
        f'no wrench on "{HAND}", {what}: {WRENCH_ABSENCES["missing"]}']


@pytest.mark.fault(42)
@pytest.mark.parametrize('period', [200.0, 1000.0])
def test_a_slow_publisher_of_two_messages_is_received_again_after_a_restart(
        period: float) -> None:
    listener = Listener(HAND, timeout=3.0)
    for k, ms in enumerate((0.0, period, -1e5, -1e5 + period, -1e5 + 2 * period)):
        listener.hear(ms, float(k), arrival=k * period)
    assert listener.at(-1e5 + 2.5 * period, 4 * period) == [4.0]


@pytest.mark.fault(42)
@pytest.mark.parametrize('back', [0.2, 10.0, 1e6])
def test_a_clock_set_back_is_believed_at_the_second_message(back: float) -> None:
    listener = Listener(HAND)
    for ms in range(0, 1000, 10):
        listener.hear(ms, 1.0)
    shift = 1000.0 * back
    listener.hear(1000 - shift, 2.0, arrival=1000)
    assert listener.at(1000) == [1.0]
    listener.hear(1010 - shift, 3.0, arrival=1010)
    assert listener.at(1010 - shift, 1010) == [3.0]
    for ms in range(1020, 1200, 10):
        listener.hear(ms - shift, float(ms), arrival=ms)
        assert listener.at(ms - shift, ms) == [float(ms)]
    assert (listener.counters['jump_back'], listener.counters['out_of_order']) == (1, 1)


@pytest.mark.fault(42)
def test_one_stamp_from_the_future_does_not_lock_the_others_out() -> None:
    listener = Listener(HAND)
    found = []
    for ms in range(0, 300, 10):
        listener.hear(ms if ms != 100 else 3600_000, float(ms), arrival=ms)
        found.append(listener.at(ms, ms))
    assert found[9:13] == [[90.0], [90.0], [90.0], [120.0]]
    assert found[13:] == [[float(ms)] for ms in range(130, 300, 10)]


def test_two_old_messages_with_a_good_one_between_are_no_clock_set_back() -> None:
    listener = Listener(HAND)
    for ms in range(0, 500, 10):
        listener.hear(ms, 1.0)
        listener.hear(ms - 10_000, 2.0, arrival=ms)
        assert listener.at(ms) == [1.0]


@pytest.mark.fault(42)
def test_memory_is_bounded_without_requests() -> None:
    listener = Listener()

    def flood(begin: int) -> int:
        for ms in range(begin, begin + 3000):
            listener.hear(ms, float(ms))
            listener.hear(ms, frame=f'frame{ms}')
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = flood(0)
        assert flood(3000) < first + 100_000
    finally:
        tracemalloc.stop()
    assert listener.at(5999 - 2000, 5999) == 'missing'

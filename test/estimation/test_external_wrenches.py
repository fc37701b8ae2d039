"""Wrenches from topics: what is rejected, which one acts when, and what is reported."""

import tracemalloc
from math import inf, nan
from random import Random

import numpy as np
import pytest

from support.robot_files import robot_path
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.outcomes import WRENCH_ABSENCES, WRENCH_EVENTS, WRENCH_OUTCOMES
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.robot.multibody import make_multibody

MS = 1_000_000
START = 1_700_000_000 * 1000 * MS
SYSTEM = make_multibody(read_urdf(robot_path('panda').read_bytes()))
HAND, ARM = 'panda_hand', 'panda_link4'
Q = np.linspace(-0.5, 0.5, len(SYSTEM.joint_names))


class Listener:
    """Wrenches on two links, and the clock of their arrival [ms]."""

    def __init__(self, *links: str, **parameters: object) -> None:
        self.ms = 0.0
        self.wrenches = ExternalWrenches(SYSTEM, links or (HAND, ARM),
                                         clock=lambda: round(self.ms * MS), **parameters)
        self.counters = self.wrenches.counters

    def hear(self, ms: float, newtons: float = 1.0, link: str = HAND, frame: str | None = None,
             arrival: float | None = None, **fields: object) -> None:
        """Take a message of a force along x, stamped and arriving at a time."""
        self.ms = ms if arrival is None else arrival
        values = {'stamp': START + round(ms * MS), 'frame_id': frame or link,
                  'force': (newtons, 0.0, 0.0), 'torque': (0.0, 0.0, 0.0), **fields}
        self.wrenches.receive(link, **values)

    def at(self, ms: float, now: float | None = None) -> list[float] | str:
        """Return the force along x on every link at an instant, or why there is none."""
        self.ms = ms if now is None else now
        found = self.wrenches.wrenches_at(START + round(ms * MS), Q)
        return found if isinstance(found, str) else found[::6].tolist()


def both(**parameters: object) -> Listener:
    """Return a listener that has received 1 N on the hand and 2 N on the arm at 0 ms."""
    listener = Listener(**parameters)
    listener.hear(0, 1.0)
    listener.hear(0, 2.0, ARM)
    assert listener.at(0) == [1.0, 2.0]
    return listener


FAULTS = [
    ({'frame_id': 'panda_hnad'}, 'unknown_frame', ('"panda_hnad"', 'did you mean "panda_hand"')),
    ({'frame_id': ''}, 'no_frame', ('empty', 'there are')),
    ({'frame_id': '/panda_hand'}, 'unknown_frame', ('did you mean "panda_hand"',)),
    ({'frame_id': 'x\u202e\x1b[2J'}, 'unknown_frame', (r'"x\u202e\x1b[2J"',)),
    ({'force': (nan, 0.0, 0.0)}, 'not_finite', ('three finite numbers',)),
    ({'torque': (0.0, -inf, 0.0)}, 'not_finite', ('three finite numbers',)),
    ({'torque': (0.0, 0.0, 1.1e30)}, 'not_finite', ('1e+30',)),
    ({'force': (1.0, 2.0)}, 'not_finite', ('three finite numbers',)),
    ({'stamp': 0}, 'no_stamp', ('zero', 'stamp 0.000 s')),
    ({'stamp': -1}, 'no_stamp', ('out of range',)),
    ({'stamp': 2**63}, 'no_stamp', ('out of range',)),
    ({'stamp': START}, 'duplicate_stamp', ('the message before',)),
    ({'stamp': START - 50 * MS}, 'out_of_order', ('older', f'{START * 1e-9 - 0.05:.3f} s')),
    ({'stamp': START - 3600_000 * MS}, 'out_of_order', ('older',)),
]


@pytest.mark.fault(42)
@pytest.mark.parametrize(('fields', 'outcome', 'said'), FAULTS)
def test_a_bad_message_is_dropped_counted_and_reported_once(fields, outcome, said):
    """The good one before it acts until its own timeout."""
    listener = both()
    for ms in (10, 20):
        listener.hear(ms, 9.0, **fields)
        listener.hear(ms, 2.0, ARM)
        assert listener.at(ms) == [1.0, 2.0]
        if outcome == 'out_of_order':   # a second one would be a clock that was set back
            break
    times = 1 if outcome == 'out_of_order' else 2
    assert (listener.counters[outcome], listener.counters['taken']) == (times, 2 + times)
    line, = listener.wrenches.new_lines()
    assert [words for words in (f'"{HAND}" is dropped', *said) if words not in line] == []
    assert line.isprintable()
    assert listener.wrenches.new_lines() == []
    listener.hear(101, 2.0, ARM)
    assert listener.at(101) == 'silent'


def test_a_force_too_large_at_its_link_is_no_force() -> None:
    lift = make_multibody(read_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="prismatic">'
        '<parent link="a"/><child link="b"/></joint></robot>'))
    wrenches = ExternalWrenches(lift, ['b'], clock=lambda: 0)
    wrenches.receive('b', 1, 'world', (0.0, 1e30, 0.0), (0.0, 0.0, 0.0))
    assert wrenches.wrenches_at(1, np.array([1e300])) == 'too_large'
    assert not isinstance(wrenches.wrenches_at(1, np.array([1.0])), str)


def test_a_link_called_world_is_meant_before_the_root() -> None:
    text = ('<robot name="r"><link name="root"/><link name="{}"/><joint name="j" type="fixed">'
            '<parent link="root"/><child link="{}"/><origin xyz="0 0 1"/></joint></robot>')
    for name, moment in (('world', -1.0), ('tip', 0.0)):
        system = make_multibody(read_urdf(text.format(name, name)))
        wrenches = ExternalWrenches(system, ['root'], clock=lambda: 0)
        wrenches.receive('root', 1, 'world', (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
        assert wrenches.wrenches_at(1, np.empty(0)).tolist() == [0, 1, 0, moment, 0, 0]


@pytest.mark.fault(42)
@pytest.mark.parametrize(('type', 'root', 'moving', 'frames'), [
    ('fixed', 'base', False, ['base', 'body', 'world']), ('fixed', 'base', True, ['base', 'body']),
    ('floating', 'odom', False, ['odom', 'body', 'world']), ('floating', 'odom', True, ['body']),
    ('floating', 'world', True, ['body']), ('floating', 'world', False, ['world', 'body'])])
def test_where_the_world_is_is_unknown_if_the_base_moves(type, root, moving, frames):
    system = make_multibody(read_urdf(
        f'<robot name="r"><link name="{root}"/><link name="body"/><joint name="j" type="{type}">'
        f'<parent link="{root}"/><child link="body"/></joint></robot>'))
    wrenches = ExternalWrenches(system, ['body'], clock=lambda: 0, moving=moving)
    for stamp, frame in enumerate(('base', 'body', 'odom', 'world'), 1):
        before = wrenches.counters['taken']
        wrenches.receive('body', stamp, frame, (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
        assert (wrenches.counters['taken'] > before) == (frame in frames)
    assert wrenches.counters['taken'] + wrenches.counters['unknown_frame'] == 4


@pytest.mark.parametrize(('links', 'parameters', 'said'), [
    (['panda_hnad'], {}, 'no link .panda_hnad. for an external wrench; the links are: '),
    ([HAND, ARM, HAND], {}, 'named twice'),
    ([HAND], {'timeout': 0.0}, 'timeout = 0.0: must be a number, at least 0.001'),
    ([HAND], {'timeout': nan}, 'timeout'),
    ([HAND], {'policy': 'hold'}, 'one of stop, zero'),
    ([HAND], {'sign': 'from'}, 'one of on_link, by_link'),
    ([HAND], {'polcy': 'stop'}, 'unknown parameter')])
def test_wrong_parameters(links: list[str], parameters: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        ExternalWrenches(SYSTEM, links, clock=lambda: 0, **parameters)


def test_without_links_there_is_nothing_to_wait_for() -> None:
    assert ExternalWrenches(SYSTEM, [], clock=lambda: 0).wrenches_at(1, Q).shape == (0,)


@pytest.mark.fault(42)
@pytest.mark.parametrize('seed', range(4))
def test_random_wrenches_give_finite_answers_and_counters_that_add_up(seed: int) -> None:
    random, listener = Random(seed), Listener(policy=('stop', 'zero')[seed % 2])
    ms, answers = 0.0, 0
    for _ in range(3000):
        ms += random.choice((0.0, 1.0, 1.0, 5.0, 5.0, 200.0, -300.0, -1.0))
        fields = dict(random.choice(FAULTS)[0]) if random.random() < 0.3 else {}
        arrival = listener.ms + random.choice((0.0, 1.0, 1.0, 150.0))
        listener.hear(ms, random.uniform(-5, 5), random.choice((HAND, ARM)),
                      random.choice((HAND, ARM, 'world', 'panda_link8')), arrival, **fields)
        found = listener.at(ms + random.choice((0.0, 3.0, -3.0, 200.0)), arrival)
        answers += isinstance(found, list)
        assert found in WRENCH_ABSENCES if isinstance(found, str) else np.isfinite(found).all()
    assert answers > 50
    counters = listener.counters
    assert counters['received'] == 3000 == sum(counters[outcome] for outcome in WRENCH_OUTCOMES)
    assert set(counters) <= {*WRENCH_OUTCOMES, *WRENCH_EVENTS, *WRENCH_ABSENCES}
    assert min(counters[outcome] for outcome in WRENCH_OUTCOMES) > 0


# ---- Which received wrench acts at an instant, and for how long


def test_a_wrench_holds_until_the_stamp_of_the_next_one() -> None:
    listener = Listener(HAND)
    for ms in (0, 10, 20, 30):
        listener.hear(ms, 1.0 + ms)
    held = [listener.at(ms, 30)[0] for ms in (0, 5, 9.999, 10, 25, 29, 31, 60)]
    assert held == [1.0, 1.0, 1.0, 11.0, 21.0, 21.0, 31.0, 31.0]


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
def test_a_stamp_that_is_not_the_joint_states_time_does_not_count(stamp, reason):
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
def test_a_slow_publisher_of_two_messages_is_received_again_after_a_restart(period):
    listener = Listener(HAND, timeout=3.0)
    for k, ms in enumerate((0.0, period, -1e5, -1e5 + period, -1e5 + 2 * period)):
        listener.hear(ms, float(k), arrival=k * period)
    assert listener.at(-1e5 + 2.5 * period, 4 * period) == [4.0]


@pytest.mark.fault(42)
@pytest.mark.parametrize('back', [0.05, 0.2, 10.0, 1e6])
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

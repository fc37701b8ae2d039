"""Wrenches from topics: what is rejected, and what is reported."""

from math import inf, nan
from random import Random

import numpy as np
import pytest
from wrench_listener import ARM, HAND, MS, START, SYSTEM, Listener, Q, both

from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.outcomes import WRENCH_ABSENCES, WRENCH_EVENTS, WRENCH_OUTCOMES
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.robot.multibody import multibody

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
def test_a_bad_message_is_dropped_counted_and_reported_once(
        fields: dict[str, object], outcome: str, said: tuple[str, ...]) -> None:
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


@pytest.mark.fault(42)
def test_each_kind_of_fault_of_each_link_is_reported_once() -> None:
    listener = Listener()
    for _ in range(100):
        for link in (HAND, ARM):
            for fields, _, _ in FAULTS:
                listener.hear(0, link=link, **fields)
    assert len(listener.wrenches.new_lines()) == 2 * len({outcome for _, outcome, _ in FAULTS})


def test_a_force_too_large_at_its_link_is_no_force() -> None:
    lift = multibody(read_urdf(
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
        system = multibody(read_urdf(text.format(name, name)))
        wrenches = ExternalWrenches(system, ['root'], clock=lambda: 0)
        wrenches.receive('root', 1, 'world', (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
        assert wrenches.wrenches_at(1, np.empty(0)).tolist() == [0, 1, 0, moment, 0, 0]


@pytest.mark.fault(42)
@pytest.mark.parametrize(('type', 'root', 'moving', 'frames'), [
    ('fixed', 'base', False, ['base', 'body', 'world']), ('fixed', 'base', True, ['base', 'body']),
    ('floating', 'odom', False, ['odom', 'body', 'world']), ('floating', 'odom', True, ['body']),
    ('floating', 'world', True, ['body']), ('floating', 'world', False, ['world', 'body'])])
def test_where_the_world_is_is_unknown_if_the_base_moves(
        type: str, root: str, moving: bool, frames: list[str]) -> None:
    system = multibody(read_urdf(
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
    ([HAND], {'sign': 'from'}, 'one of on, by'),
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

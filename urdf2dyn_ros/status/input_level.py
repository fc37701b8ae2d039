"""The level of the joint states, and the sentence that says why: the first fault of a table."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.health import Level
from urdf2dyn_ros.outcomes import ACCEPTED_OUTCOMES, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.status.monitor import MonitorReport
from urdf2dyn_ros.status.node_state import NodeState

MOST_BEHIND, MOST_AHEAD = 1.0, 0.1
"""Largest differences of stamps from the node's clock [s]; more means another clock."""

FAULTY_SHARE = 0.1
"""Largest share of faulty messages without a warning."""

_BACKWARD = frozenset(('duplicate_stamp', 'out_of_order', 'jump_back'))


class Received(NamedTuple):
    """
    What was received since the status before, and by which node.

    `grown` is the increase of the stream's counters, `publishers` the nodes that publish the joint
    states, in words.
    """

    state: NodeState
    figures: MonitorReport
    grown: Counter[str]
    publishers: Sequence[str]

    @property
    def messages(self) -> int:
        """Number of messages, whatever their outcome."""
        return sum(self.grown[name] for name in JOINT_STATE_OUTCOMES)

    def are_many(self, faulty: int) -> bool:
        """Return whether so many faulty messages are worth a warning."""
        return faulty > FAULTY_SHARE * self.messages


def input_level(received: Received) -> tuple[Level, str]:
    """Return the level of the joint states and a sentence."""
    for level, fault in _FAULTS:
        sentence = fault(received)
        if sentence:
            return level, sentence
    return Level.OK, f'{received.figures.received:.0f} messages per second'


def _silence(received: Received) -> str:
    figures = received.figures
    if not figures.silent:
        return ''
    since = 'yet' if figures.silence is None else f'for {figures.silence:.1f} s'
    unpublished = '' if received.publishers else ', which no node publishes'
    return f'no data {since} on {received.state.topic}{unpublished}'


def _several_publishers(received: Received) -> str:
    backward = sum(received.grown[name] for name in _BACKWARD)
    if len(received.publishers) < 2 or not received.are_many(backward):
        return ''
    return 'several publishers of the same joints: ' + ', '.join(received.publishers)


def _alternating_positions(received: Received) -> str:
    if not received.grown['two_sources']:
        return ''
    return ('positions alternate: several publishers of the same joints? '
            + ', '.join(received.publishers))


def _dropped_messages(received: Received) -> str:
    grown = received.grown
    harmless = ACCEPTED_OUTCOMES | ({'other_joints'} if grown['used'] else set())
    dropped = Counter({name: grown[name] for name in JOINT_STATE_OUTCOMES
                       if name not in harmless})
    if not received.are_many(dropped.total()):
        return ''
    reasons = ', '.join(f'{name} {count}' for name, count in dropped.most_common() if count)
    return _with_advice(f'{dropped.total()} of {received.messages} messages dropped: {reasons}',
                        received.state.remedy if dropped['other_joints'] else '')


def _jumps(received: Received) -> str:
    jumps = received.grown['gap'] + received.grown['jump_back']
    if not received.are_many(jumps):
        return ''
    return (f'{jumps} of {received.messages} stamps jump ahead or back, and every time the '
            'estimator is reset')


def _overruns(received: Received) -> str:
    overruns = received.grown['overruns']
    if not received.are_many(overruns):
        return ''
    return (f'{counted(overruns, "message")} lost before they were received: the node or the '
            'network is slower than their publisher')


def _missing_joints(received: Received) -> str:
    state = received.state
    if state.stream is None or not state.stream.missing_joints or not received.messages:
        return ''
    return _with_advice('missing joints: ' + ', '.join(state.stream.missing_joints), state.remedy)


def _not_credible(received: Received) -> str:
    first, *others = received.state.warnings or ('',)
    return f'{first}, and {len(others)} more' if others else first


def _other_clock(received: Received) -> str:
    age = None if received.state.stream is None else received.state.stream.age
    # at receipt, because the newest stamp of a slow stream may be seconds old
    seconds = 0.0 if age is None else age * 1e-9 - (received.figures.silence or 0.0)
    if -MOST_AHEAD <= seconds <= MOST_BEHIND:
        return ''
    where = 'behind' if seconds > 0.0 else 'ahead of'
    return (f"stamps are {abs(seconds):.3g} s {where} this node's clock: are the clocks "
            'synchronised, is use_sim_time right?')


def _with_advice(fault: str, advice: str) -> str:
    return f'{fault}; {advice}' if advice else fault


_FAULTS: tuple[tuple[Level, Callable[[Received], str]], ...] = (
    (Level.WARN, _silence),
    (Level.ERROR, _several_publishers),
    (Level.ERROR, _alternating_positions),
    (Level.WARN, _dropped_messages),
    (Level.WARN, _jumps),
    (Level.WARN, _overruns),
    (Level.WARN, _missing_joints),
    (Level.WARN, _not_credible),
    (Level.WARN, _other_clock),
)
"""Faults, the most important first; each returns a sentence, or an empty text."""

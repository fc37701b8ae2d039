"""The status of a node: levels, sentences and figures, and the log of faulty messages."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.estimation.hold import held_text, hold_advice
from urdf2dyn_ros.estimation.outcomes import (
    ACCEPTED_OUTCOMES,
    JOINT_STATE_EVENTS,
    JOINT_STATE_OUTCOMES,
)
from urdf2dyn_ros.estimation.stream import Output, Stream
from urdf2dyn_ros.estimation.stream_setup import Sources
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.loads import TERMS
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import resident_memory
from urdf2dyn_ros.text import (
    SECOND_NS,
    Level,
    Status,
    asked_once,
    counted,
    first_names,
    likely_pairs,
    listed,
    quote,
)

# ---- Rates, latencies and the age of the newest message of a node, reported once a second

REPORT_PERIOD = 1.0   # s, time between two reports
MOST_NAMES = 10   # of missing joints in a sentence; a figure of the status has all
CHECK_PERIOD = 0.25   # s, time between two checks whether a report is due
SILENT_PERIODS = 3   # after which a stream is stale, within these limits:
SHORTEST_SILENCE, LONGEST_SILENCE = 0.5, 5.0   # s
MEDIAN_STEPS = 5   # steps between messages whose median is the period
MAX_LATENCIES = 10_000   # that are kept until a report
MAX_OUTPUTS = 1000   # as well
LOOKED_AT = 64   # of these, for efforts and deviations
MOVED = 0.01   # rad or m, within a report: a joint that does not rest
FADING = 0.98   # of the largest effort, in each report in which a joint moves


@dataclass(frozen=True)
class MonitorReport:
    """Figures since the report before; messages and failures of callbacks since the start."""

    received: float   # [1/s]
    published: float   # [1/s]
    messages: int
    silence: float | None   # [s]; None before the first message
    silent: bool   # whether that is longer than the period of the stream allows
    # from receipt to publishing: median, 99th percentile, largest [us]; NaN if there was none
    latency: tuple[float, float, float]
    newest: Output | None
    failures: int
    failure: str   # traceback of a new one
    margin: float = nan   # least one of outputs to a singular pose
    # (n,) of the joints: median deviation of accelerations, and the largest efforts of about the
    # last minute of motion [N m or N], NaN before a joint has moved
    std: Array | None = None
    largest: Array | None = None


class Monitor:
    """
    Counts messages and outputs, with two calls for each; sorts latencies for a report alone.

    The clock is monotonic and returns [ns]: the node's own clock may be simulated and stop.
    """

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self.messages = 0
        self._last: int | None = None
        self._steps: deque[int] = deque(maxlen=MEDIAN_STEPS)
        self._latencies: deque[int] = deque(maxlen=MAX_LATENCIES)
        self._published = 0
        self._outputs: deque[Output] = deque(maxlen=MAX_OUTPUTS)
        self._equations: object = None
        self._largest: Array = np.empty(0)
        self._margin = nan
        self._failures = 0
        self._failure = ''
        self._reported = clock()
        self._messages_reported = 0
        self._silent_reported = True

    def received(self) -> int:
        """Count a message; return the time [ns] for `published`."""
        now = self._clock()
        if self._last is not None:
            self._steps.append(now - self._last)
        self._last = now
        self.messages += 1
        return now

    def published(self, began: int, output: Output, equations: object = None) -> None:
        """Count the output of a message that was received at `began` [ns], of some equations."""
        if equations is not self._equations:   # figures of another robot say nothing of this one
            self._equations, self._margin = equations, nan
            self._outputs.clear()
            self._largest = np.empty(0)
        self._published += 1
        self._outputs.append(output)
        if not self._margin <= output.margin:   # also the first of a second
            self._margin = output.margin
        self._latencies.append(self._clock() - began)

    def failed(self, text: str) -> None:
        """Count a callback that failed, with its traceback."""
        self._failures += 1
        self._failure = text

    @property
    def silent(self) -> bool:
        """Whether the last message is longer ago than the period of the stream allows."""
        if self._last is None:
            return True
        limit = SHORTEST_SILENCE
        if len(self._steps) == MEDIAN_STEPS:
            # the median, so that one pause has no effect
            usual = sorted(self._steps)[MEDIAN_STEPS // 2] / SECOND_NS
            limit = min(max(limit, SILENT_PERIODS * usual), LONGEST_SILENCE)
        return (self._clock() - self._last) / SECOND_NS > limit

    @property
    def due(self) -> bool:
        """Whether to report: every second, and at once when the input stops or returns."""
        # half a check early, so that jitter of the timer does not lengthen the second
        elapsed = (self._clock() - self._reported) / SECOND_NS
        return elapsed >= REPORT_PERIOD - CHECK_PERIOD / 2 or self.silent != self._silent_reported

    def take_report(self) -> MonitorReport:
        """Return the figures since the report before, and start new ones."""
        now = self._clock()
        elapsed = max(now - self._reported, 1) / SECOND_NS
        outputs = list(self._outputs)
        std, largest = self._look_at(outputs[-1::-1 - len(outputs) // LOOKED_AT])
        figures = MonitorReport(
            received=(self.messages - self._messages_reported) / elapsed,
            published=self._published / elapsed, messages=self.messages,
            silence=None if self._last is None else (now - self._last) / SECOND_NS,
            silent=self.silent, latency=_summary(self._latencies),
            newest=outputs[-1] if outputs else None, failures=self._failures,
            failure=self._failure, margin=self._margin, std=std, largest=largest)
        self._latencies.clear()
        self._outputs.clear()
        self._published, self._failure, self._margin = 0, '', nan
        self._reported, self._messages_reported = now, self.messages
        self._silent_reported = figures.silent
        return figures

    def _look_at(self, outputs: Sequence[Output]) -> tuple[Array | None, Array | None]:
        if not outputs:
            return None, None
        effort = np.abs([output.effort for output in outputs]).max(axis=0)
        if not len(self._largest):
            self._largest = np.full(len(effort), nan)
        moved = np.ptp([output.q for output in outputs], axis=0) > MOVED
        self._largest = np.where(moved, np.fmax(FADING * self._largest, effort),
                                 np.maximum(self._largest, effort))
        return np.median([output.std for output in outputs], axis=0), self._largest


def _summary(latencies: Sequence[int]) -> tuple[float, float, float]:
    """Return median, 99th percentile (nearest rank) and the largest of times [ns], in [us]."""
    if not latencies:
        return nan, nan, nan
    ordered = sorted(latencies)
    count = len(ordered)
    median, high, most = (ordered[-(-share * count // 100) - 1] / 1000.0
                          for share in (50, 99, 100))
    return median, high, most


# ---- What to do about joints of the robot that no message has

def remedy(stream: Stream, hold: Sequence[str], node: str) -> str:
    """Return what to do about joints that were never received, or an empty text."""
    missing, unmeasured = stream.never_received, stream.unmeasured_joints
    prefix = _prefix_advice(missing, stream.unknown_joints)
    if prefix:
        return prefix
    without = (f'published without a position (NaN or none): {listed(unmeasured)}'
               if unmeasured else '')
    if missing and len(missing) == len(stream.unknown_joints):
        pairs = likely_pairs(missing, stream.unknown_joints)
        return ('as many names are unknown as are missing: did you mean '
                f'{listed(f"{joint} by {name}" for joint, name in pairs)}? Publish the names of '
                'the robot description')
    if stream.newest is None and missing:   # holding all of them is no remedy
        return without or ('no joint of the robot is published: is it the description of another '
                           'robot?')
    return '; '.join(filter(None, (without, hold_advice(missing, hold, node))))


def missing_joints(stream: Stream, advice: str) -> str:
    """Return which joints are missing, which names are unknown, and what to do about it."""
    return '; '.join(filter(None, (
        'missing joints: ' + first_names(stream.missing_joints, MOST_NAMES),
        'joints that the model does not have: ' + ', '.join(stream.unknown_joints)
        if stream.unknown_joints else '', advice)))


def _prefix_advice(missing: Sequence[str], unknown: Sequence[str]) -> str:
    """Return what to do where all missing joints have unknown names but for a prefix, or ''."""
    names = set(unknown)
    for name in unknown if missing else ():
        more, less = name.removesuffix(missing[0]), missing[0].removesuffix(name)
        if more != name and names.issuperset(more + joint for joint in missing):
            return (f'they are published with the prefix {quote(more)}: publish the robot '
                    f'description with this prefix (an argument of its xacro, such as '
                    f'prefix:={more}), or joint states without it (a parameter of the driver); if '
                    'they are those of another robot, remap joint_states:=/ROBOT/joint_states')
        if less != missing[0] and all(
                joint.startswith(less) and joint.removeprefix(less) in names for joint in missing):
            return (f'they are published without the prefix {quote(less)}: publish joint states '
                    'with this prefix (a parameter of the driver), or the robot description '
                    'without it (an argument of its xacro, such as prefix:="")')
    return ''


# ---- What the status of a node is about: its model, its stream and its sources

class NodeState(NamedTuple):
    """Active model, stream and sources of a node: None without a model."""

    dynamics: InverseDynamics | None
    stream: Stream | None
    estimator: str
    rejected: str   # why the newest description was rejected; empty if it is active
    payload: str = 'none'   # in words
    sources: Sources | None = None
    name: str = 'inverse_dynamics'   # of the node
    hold: tuple[str, ...] = ()   # its parameter of this name
    topic: str = '/joint_states'
    description: str = ''   # topic of the robot description; empty if the parameter has it
    building: bool = False   # whether a model of the first description is being built

    @property
    def absence(self) -> str:
        """Why there is no model."""
        if self.rejected:
            return 'the robot description is rejected: ' + self.rejected.partition('\n')[0]
        if self.building:
            return ('no model yet: the robot description is being read and compiled; '
                    'with the parameter backend = python nothing is compiled')
        return 'no model: no robot description was received'

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about received data."""
        names: tuple[str, ...] = ()
        of_stream: tuple[str, ...] = ()
        if self.stream is not None:
            prefix = _prefix_advice(self.stream.never_received, self.stream.unknown_joints)
            names = (f'names of joints: {prefix}',) if prefix else ()
            of_stream = self.stream.warnings
        return (*names, *of_stream, *(() if self.sources is None else self.sources.warnings))

    @property
    def remedy(self) -> str:
        """What to do about joints that were never received, or an empty text."""
        return '' if self.stream is None else remedy(self.stream, self.hold, self.name)


# ---- The status of model, joint states and efforts: a level, a sentence and figures

MOST_BEHIND, MOST_AHEAD = 1.0, 0.1   # s, of stamps and the node's clock; more is another clock
FAULTY_SHARE = 0.1   # largest share of faulty messages without a warning
FEWEST_REJECTED = 3   # rejected positions in a second from which two publishers are named
# deviation of an effort, over its largest one of late and over its limit, up to which it is known
MOST_OPEN, OF_LIMIT = 0.1, 0.03
MOST_GROUPS = 20   # groups of joints whose figures are reported


def several_publishers(topic: str, publishers: Sequence[str]) -> str:
    """Return what to do about a topic that must have one publisher, or an empty text."""
    return '' if len(publishers) < 2 else (
        f'{topic} has {len(publishers)} publishers and must have one: {", ".join(publishers)}: '
        'stop the others, or start them in namespaces of their own (a node that was killed is '
        'listed for some seconds)')


def model_status(state: NodeState, several: str = '') -> Status:
    """Return the status of the model; `several` is the fault of several descriptions."""
    dynamics = state.dynamics
    if dynamics is None:
        return Status('model', Level.ERROR if state.rejected or several else Level.WARN,
                      several or state.absence, {'rejected': state.rejected})
    warnings = [str(problem) for problem in dynamics.model.warnings]
    values = {
        'model': dynamics.model.name, 'joints': ', '.join(dynamics.joint_names),
        'number of joints': str(len(dynamics.joint_names)), 'mass [kg]': _number(
            dynamics.model.mass),
        'operations': str(dynamics.operations), 'back end': dynamics.backend,
        **{name: ', '.join(joint for joint, terms in dynamics.loads.terms.items()
                           if any(name == term.NAME for term in terms)) or 'off'
           for name in TERMS},
        'forces': ', '.join(force.link for force in dynamics.model.forces) or 'none',
        'base': 'moving' if 'base_motion' in dynamics.inputs else 'fixed',
        'payload': state.payload,
        'number of warnings': str(len(warnings)), 'warnings': '\n'.join(warnings),
        'rejected': state.rejected}
    if state.rejected:
        message = ('the newest robot description is rejected, the model before it stays active: '
                   + state.rejected)
        # the other lines are in the log
        return Status('model', Level.ERROR, message.partition('\n')[0], values)
    if several:
        return Status('model', Level.ERROR, several, values)
    if warnings:
        return Status('model', Level.WARN, 'running, with ' + counted(len(warnings), 'warning'),
                      values)
    return Status('model', Level.OK, 'running', values)


def input_status(state: NodeState, figures: MonitorReport, grown: Counter[str],
                 publishers: Sequence[str]) -> Status:
    """
    Return the status of the joint states, whose level is that of their most important fault.

    `grown` is the increase of the stream's counters, `publishers` the nodes that publish the joint
    states, in words.
    """
    stream = state.stream
    age = None if stream is None else stream.age
    values = {
        'received [1/s]': _number(figures.received), 'received': str(figures.messages),
        'silence [s]': _number(figures.silence),
        'age of the newest stamp [s]': _number(None if age is None else age * 1e-9),
        'number of publishers': str(len(publishers)), 'publishers': ', '.join(publishers)}
    if stream is not None:
        groups = stream.groups
        values |= {'warnings': '\n'.join(state.warnings),
                   'velocities': '\n'.join(f'{name} {velocity}' for name, velocity
                                           in stream.velocities.items()),
                   'missing joints': ', '.join(stream.missing_joints),
                   'remedy': state.remedy, 'held joints': held_text(stream.held.positions),
                   'unknown joints': ', '.join(stream.unknown_joints),
                   'number of groups': str(len(groups))}
        for number, group in enumerate(groups[:MOST_GROUPS] if len(groups) > 1 else (), start=1):
            values |= {f'group {number}': ', '.join(group.joints),
                       f'group {number} rate [1/s]': _number(group.rate),
                       f'group {number} age [s]': _number(group.age),
                       f'group {number} skew [ms]': _number(group.skew * 1e3)}
        values |= {name: str(stream.counters[name])
                   for name in (*JOINT_STATE_OUTCOMES, *JOINT_STATE_EVENTS) if name != 'received'}
    if state.sources is not None:
        values |= state.sources.figures
    level, message = next(_faults(state, figures, grown, publishers), (
        Level.OK, f'{figures.received:.0f} messages per second'))
    return Status('input', level, message, values)


def _faults(state: NodeState, figures: MonitorReport, grown: Counter[str],
            publishers: Sequence[str]) -> Iterator[tuple[Level, str]]:
    """Yield what is wrong with the joint states, the most important first."""
    stream, named = state.stream, ', '.join(publishers)
    messages = sum(grown[name] for name in JOINT_STATE_OUTCOMES)
    many = FAULTY_SHARE * messages
    if figures.silent:
        since = 'yet' if figures.silence is None else f'for {figures.silence:.1f} s'
        unpublished = '' if publishers else ', which no node publishes'
        yield Level.WARN, f'no data {since} on {state.topic}{unpublished}'

    relayed, rejected = grown['relayed'], grown['position_rejected']
    backward = grown['duplicate_stamp'] + grown['out_of_order'] + grown['jump_back'] - relayed
    several = len(publishers) > 1
    if several and backward > many:
        yield Level.ERROR, f'several publishers of the same joints: {named}'
    if grown['distrusted'] or (several and rejected >= FEWEST_REJECTED):
        cause = ('several publishers of the same joints, or a sensor that fails' if several else
                 'a sensor that fails, noise above 3 mrad, or a controller that oscillates at '
                 'half the rate of the messages')
        yield Level.ERROR, f'positions contradict one another: {cause}: {named}'
    if stream is not None and grown['implausible']:
        first, *others = stream.implausible or ('positions are far beyond limits.',)
        more = f' And {len(others)} more.' if others else ''
        yield Level.ERROR, (f'no efforts, {first}{more} Publish radians, correct the limits in '
                            'the robot description, or set the parameter implausible to warn')
    if stream is not None and grown['frozen'] and (frozen := stream.frozen):
        yield Level.ERROR, '; '.join(frozen)
    if relayed > many:
        cause = (f'a relay, or a recording that is played beside its robot: stop one of {named}'
                 if several else f'is the simulation paused, is {named} faster than its driver?')
        yield Level.WARN, (f'{relayed} of {messages} messages are the same as one before, which '
                           f'is used once: {cause}')

    dropped = Counter({name: grown[name] for name in JOINT_STATE_OUTCOMES
                       if name not in ACCEPTED_OUTCOMES
                       and not (name == 'other_joints' and grown['used'])})
    if dropped.total() > many:
        unnamed = dropped['other_joints'] or dropped['position_not_finite']
        yield Level.WARN, '; '.join(filter(None, (
            f'{dropped.total()} of {messages} messages dropped: {outcomes_text(dropped)}',
            state.remedy if unnamed else '')))
    jumps = grown['gap'] + grown['jump_back']
    if jumps > many:
        yield Level.WARN, (f'{jumps} of {messages} stamps jump ahead or back, and every time the '
                           'estimator is reset')
    if grown['overruns'] > many:
        yield Level.WARN, (f'{counted(grown["overruns"], "message")} lost before they were '
                           'received: the node or the network is slower than their publisher')
    if stream is not None and stream.missing_joints and messages:
        yield Level.WARN, missing_joints(stream, state.remedy)
    if warnings := state.warnings:
        more = f', and {len(warnings) - 1} more' if len(warnings) > 1 else ''
        yield Level.WARN, warnings[0] + more

    age = None if stream is None else stream.age
    # at receipt, because the newest stamp of a slow stream may be seconds old
    seconds = 0.0 if age is None else age * 1e-9 - (figures.silence or 0.0)
    if not -MOST_AHEAD <= seconds <= MOST_BEHIND:
        where = 'behind' if seconds > 0.0 else 'ahead of'
        yield Level.WARN, (f"stamps are {abs(seconds):.3g} s {where} this node's clock: are the "
                           'clocks synchronised, is use_sim_time right?')


def output_status(state: NodeState, figures: MonitorReport, grown: Counter[str],
                  several: str = '') -> Status:
    """Return the status of the efforts, with those of `input_status`; `several` publish them."""
    output, stream = figures.newest, state.stream
    lag = deviation = nan
    if output is not None:
        if stream is not None and stream.newest is not None:
            lag = (stream.newest - output.stamp) * 1e-6
        known = output.std[~np.isnan(output.std)]
        deviation = float(known.max()) if known.size else nan
    median, high, most = figures.latency
    values = {
        'published [1/s]': _number(figures.published), 'estimator': state.estimator,
        'largest standard deviation of accelerations [rad/s^2 or m/s^2]': _number(deviation),
        'lag [ms]': _number(lag), 'latency p50 [us]': _number(median),
        'latency p99 [us]': _number(high), 'latency max [us]': _number(most),
        'memory [MB]': _number(resident_memory()), 'callback errors': str(figures.failures),
        **({'margin to a singular pose': _number(figures.margin)}
           if figures.margin == figures.margin else {})}
    if figures.failure:
        return Status('output', Level.ERROR, 'a callback failed, this is a defect',
                      {**values, 'callback error': figures.failure})
    if several:
        return Status('output', Level.ERROR, several, values)
    if output is not None:
        if doubts := doubted_efforts(state.dynamics, figures):
            return Status('output', Level.WARN, doubts[0] + (
                f', and {len(doubts) - 1} more' if len(doubts) > 1 else ''),
                {**values, 'warnings': '\n'.join(doubts)})
        return Status('output', Level.OK, f'{figures.published:.0f} efforts per second', values)
    if figures.silent or state.dynamics is None:
        what = 'a model' if state.dynamics is None else 'data'
        return Status('output', Level.STALE, f'no efforts without {what}', values)
    return Status('output', Level.WARN, f'no efforts: {outcomes_text(grown)}', values)


def outcomes_text(counts: Counter[str]) -> str:
    """Return the outcomes of messages, most frequent first, and what that one means."""
    texts = [f'{name} {count}' for name, count in counts.most_common()
             if count and name in JOINT_STATE_OUTCOMES] or ['no messages']
    meaning = JOINT_STATE_OUTCOMES.get(texts[0].partition(' ')[0], '')
    return ', '.join([texts[0] + f' ({meaning})' * bool(meaning), *texts[1:]])


def doubted_efforts(dynamics: InverseDynamics | None, figures: MonitorReport) -> list[str]:
    """
    Return a sentence for each joint whose efforts are hardly known, because accelerations are not.

    The deviations of all accelerations are carried to the efforts by the equations.
    """
    output, std, largest = figures.newest, figures.std, figures.largest
    if dynamics is None or output is None or std is None or largest is None or len(
            std) != dynamics.n or np.isnan(std).all():
        return []
    qdd = output.qdd + np.vstack((np.zeros_like(std), np.diag(np.nan_to_num(std))))
    try:
        result = dynamics(output.q, output.qd, qdd, *output.load_arguments)
    except StateError:
        return []
    efforts = result[0] if isinstance(result, tuple) else result
    deviation = np.linalg.norm(efforts[1:] - efforts[0], axis=0)
    return [f'efforts of {name}: uncertain by {by:.2g} {unit} beside {most:.2g} at most: noise, '
            'coarse positions, late stamps or vibration; velocities and stamps of the measurement '
            'help'
            for name, unit, by, most, limit in zip(
                dynamics.joint_names, dynamics.effort_units, deviation.tolist(),
                largest.tolist(), dynamics.limits)
            if by > max(MOST_OPEN * most, OF_LIMIT * (limit.effort or 0.0))]


def _number(value: float | None) -> str:
    return 'unknown' if value is None or value != value else f'{value:.6g}'


# ---- Lines of the log about faulty messages: one for each kind of fault

LOG_PERIOD = 5.0   # s, shortest time between two lines of the same kind
WARNING_MEMORY = 60.0   # s, after which a warning that returns is logged again

# no faults, or reported by warnings
_NOT_LOGGED = {*ACCEPTED_OUTCOMES, 'received', 'accelerations', 'velocity_rejected', 'distrusted',
               'implausible', 'position_rejected', 'frozen'}
# may be correct: a bag that starts again, the joint states of a gripper, which are logged once
_HARMLESS = {'gap', 'jump_back', 'other_joints'}


class LogLine(NamedTuple):
    """A line for the log, and whether it is a warning."""

    text: str
    warning: bool


class FaultLog:
    """
    Chooses what to log: each kind of fault at once, then its number every few seconds.

    The clock is monotonic and returns [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pending: Counter[str] = Counter()
        self._logged: dict[str, float] = {}
        self._warned: dict[str, float] = {}
        self._unknown: frozenset[str] = frozenset()

    def counted(self, grown: Counter[str]) -> list[LogLine]:
        """Return lines for an increase of the stream's counters."""
        now, lines = self._clock(), []
        self._pending.update({name: count for name, count in grown.items()
                             if name not in _NOT_LOGGED})
        for name, count in sorted(self._pending.items()):
            if now - self._logged.get(name, -LOG_PERIOD) >= LOG_PERIOD:
                meaning = JOINT_STATE_OUTCOMES.get(name) or JOINT_STATE_EVENTS[name]
                lines.append(LogLine(f'joint states: {count} {name} ({meaning})',
                                     name not in _HARMLESS))
                self._logged[name] = float('inf') if name == 'other_joints' else now
                del self._pending[name]
        return lines

    def warned(self, warnings: Sequence[str]) -> list[LogLine]:
        """Return lines for those of the present warnings that are new, or have returned."""
        now = self._clock()
        new = []
        for warning in warnings:
            key = warning.partition(': ')[0]   # without figures, which change
            if key not in self._warned:
                new.append((key.partition(' of ')[2], warning))
            self._warned[key] = now
        self._warned = {key: seen for key, seen in self._warned.items()
                        if now - seen < WARNING_MEMORY}
        return [LogLine(text, True) for text in asked_once(new)]

    def unknown(self, joints: Sequence[str]) -> list[LogLine]:
        """Return a line for names that are no joints of the model and were not logged yet."""
        new = [name for name in joints if name not in self._unknown]
        self._unknown |= set(new)
        return [LogLine(f'joints that the model does not have are dropped: {listed(new)}', False)
                ] if new else []

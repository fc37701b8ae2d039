"""The status of model, input and output of a node: a level, a sentence and figures."""

from collections import Counter
from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.health import Level, Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads import TERMS
from urdf2dyn_ros.outcomes import ACCEPTED_OUTCOMES, JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.status.monitor import MonitorReport
from urdf2dyn_ros.stream.hold import held_text, hold_advice
from urdf2dyn_ros.stream.joint_prefix import prefix_advice
from urdf2dyn_ros.stream.sources import Sources
from urdf2dyn_ros.stream.stream import Stream
from urdf2dyn_ros.system.memory import resident_memory

MOST_BEHIND, MOST_AHEAD = 1.0, 0.1
"""Largest differences of stamps from the node's clock [s]; more means another clock."""

FAULTY_SHARE = 0.1
"""Largest share of faulty messages without a warning."""

MOST_GROUPS = 20
"""Groups of joints whose figures are reported."""

_BACKWARD = frozenset(('duplicate_stamp', 'out_of_order', 'jump_back'))


class NodeState(NamedTuple):
    """
    Active model, stream and sources of a node: None without a model.

    The text `rejected` says why the newest description was rejected; it is empty if it is active.
    The payload is in words. `contact` and `wrench` are the statuses of the contact detection and
    of the estimated wrench, if they are enabled; `name` is that of the node, `hold` its parameter
    of this name, `topic` that of the joint states.

    """

    dynamics: InverseDynamics | None
    stream: Stream | None
    estimator: str
    rejected: str
    payload: str = 'none'
    sources: Sources | None = None
    contact: Status | None = None
    name: str = 'inverse_dynamics'
    hold: tuple[str, ...] = ()
    wrench: Status | None = None
    topic: str = '/joint_states'

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about received data."""
        return (*(() if self.stream is None else self.stream.warnings),
                *(() if self.sources is None else self.sources.warnings))


def model_status(state: NodeState) -> Status:
    dynamics = state.dynamics
    if dynamics is None:
        message = (f'the robot description is rejected: {state.rejected}' if state.rejected
                   else 'no model: no robot description was received')
        return Status('model', Level.ERROR if state.rejected else Level.WARN,
                      message.partition('\n')[0], {'refused': state.rejected})
    warnings = [str(problem) for problem in dynamics.model.warnings]
    values = {
        'model': dynamics.model.name, 'joints': ', '.join(dynamics.joint_names),
        'number of joints': str(len(dynamics.joint_names)), 'mass [kg]': _number(
            dynamics.model.mass),
        'operations': str(dynamics.operations), 'back end': dynamics.backend,
        **_acting(dynamics), 'payload': state.payload,
        'number of warnings': str(len(warnings)), 'warnings': '\n'.join(warnings),
        'refused': state.rejected}
    if state.rejected:
        message = ('the newest robot description is rejected, the model before it stays active: '
                   + state.rejected)
        # the other lines are in the log
        return Status('model', Level.ERROR, message.partition('\n')[0], values)
    if warnings:
        return Status('model', Level.WARN, 'running, with ' + counted(len(warnings), 'warning'),
                      values)
    return Status('model', Level.OK, 'running', values)


def _acting(dynamics: InverseDynamics) -> dict[str, str]:
    """Return the joints of each term, and the links that forces act on."""
    joints = {name: ', '.join(joint for joint, terms in dynamics.loads.terms.items()
                              if any(name == term.NAME for term in terms)) for name in TERMS}
    return {**{name: text or 'off' for name, text in joints.items()},
            'forces': ', '.join(force.link for force in dynamics.model.forces) or 'none',
            'base': 'moving' if 'base_motion' in dynamics.inputs else 'fixed'}


def input_status(state: NodeState, figures: MonitorReport, grown: Counter[str],
                 publishers: Sequence[str]) -> Status:
    """Return the status of the joint states, with the increase of the stream's counters."""
    stream = state.stream
    age = None if stream is None else stream.age
    values = {
        'received [1/s]': _number(figures.received), 'received': str(figures.messages),
        'silence [s]': _number(figures.silence),
        'age of the newest stamp [s]': _number(None if age is None else age * 1e-9),
        'number of publishers': str(len(publishers)), 'publishers': ', '.join(publishers)}
    if stream is not None:
        values |= {'doubts': '\n'.join(state.warnings),
                   'velocities': '\n'.join(f'{name} {velocity}' for name, velocity
                                           in stream.velocities.items()),
                   'missing joints': ', '.join(stream.missing_joints),
                   'remedy': _remedy(state), 'held joints': held_text(stream.held.positions),
                   'unknown joints': ', '.join(stream.unknown_joints), **_groups(stream)}
        values |= {name: str(stream.counters[name])
                   for name in (*JOINT_STATE_OUTCOMES, *JOINT_STATE_EVENTS) if name != 'received'}
    if state.sources is not None:
        values |= state.sources.figures
    level, message = _input_level(state, figures, grown, publishers, age)
    return Status('input', level, message, values)


def _groups(stream: Stream) -> dict[str, str]:
    """Return the figures of joints that are received together, if there are several groups."""
    groups = stream.groups
    figures = {'number of groups': str(len(groups))}
    for number, group in enumerate(groups[:MOST_GROUPS] if len(groups) > 1 else (), start=1):
        figures |= {f'group {number}': ', '.join(group.joints),
                    f'group {number} rate [1/s]': _number(group.rate),
                    f'group {number} age [s]': _number(group.age),
                    f'group {number} skew [ms]': _number(group.skew * 1e3)}
    return figures


def _input_level(state: NodeState, figures: MonitorReport, grown: Counter[str],
                 publishers: Sequence[str], age: int | None) -> tuple[Level, str]:
    stream, warnings = state.stream, state.warnings
    if figures.silent:
        since = 'yet' if figures.silence is None else f'for {figures.silence:.1f} s'
        unpublished = '' if publishers else ', which no node publishes'
        return Level.WARN, f'no data {since} on {state.topic}{unpublished}'
    total = sum(grown[name] for name in JOINT_STATE_OUTCOMES)
    backward = sum(grown[name] for name in _BACKWARD)
    if len(publishers) > 1 and backward > FAULTY_SHARE * total:
        return Level.ERROR, 'several publishers of the same joints: ' + ', '.join(publishers)
    if grown['two_sources']:
        return Level.ERROR, ('positions alternate: several publishers of the same joints? '
                             + ', '.join(publishers))
    harmless = ACCEPTED_OUTCOMES | ({'other_joints'} if grown['used'] else set())
    dropped = Counter({name: grown[name] for name in JOINT_STATE_OUTCOMES
                       if name not in harmless})
    if dropped.total() > FAULTY_SHARE * total:
        reasons = ', '.join(f'{name} {count}' for name, count in dropped.most_common() if count)
        advice = _remedy(state) if dropped['other_joints'] else ''
        return Level.WARN, '; '.join(filter(None, (
            f'{dropped.total()} of {total} messages dropped: {reasons}', advice)))
    jumps = grown['gap'] + grown['jump_back']
    if jumps > FAULTY_SHARE * total:
        return Level.WARN, (f'{jumps} of {total} stamps jump ahead or back, and every time the '
                            'estimator is reset')
    if grown['overruns'] > FAULTY_SHARE * total:
        lost = counted(grown['overruns'], 'message')
        return Level.WARN, (f'{lost} lost before they were received: the node or the '
                            'network is slower than their publisher')
    if stream is not None and stream.missing_joints and total:
        return Level.WARN, '; '.join(filter(None, (
            'missing joints: ' + ', '.join(stream.missing_joints), _remedy(state))))
    if warnings:
        more = len(warnings) - 1
        return Level.WARN, warnings[0] + (f', and {more} more' if more else '')
    # at receipt, because the newest stamp of a slow stream may be seconds old
    seconds = 0.0 if age is None else age * 1e-9 - (figures.silence or 0.0)
    if not -MOST_AHEAD <= seconds <= MOST_BEHIND:
        where = 'behind' if seconds > 0.0 else 'ahead of'
        return Level.WARN, (f"stamps are {abs(seconds):.3g} s {where} this node's clock: are the "
                            'clocks synchronised, is use_sim_time right?')
    return Level.OK, f'{figures.received:.0f} messages per second'


def _remedy(state: NodeState) -> str:
    return '' if state.stream is None else remedy(state.stream, state.hold, state.name)


def remedy(stream: Stream, hold: Sequence[str], node: str) -> str:
    """Return what to do about joints that were never received, or an empty text."""
    missing = stream.never_received
    prefix = prefix_advice(missing, stream.unknown_joints)
    if missing and stream.newest is None and not prefix:   # holding all of them is no remedy
        return 'no joint of the robot is published: is it the description of another robot?'
    return prefix or hold_advice(missing, hold, node)


def output_status(state: NodeState, figures: MonitorReport, grown: Counter[str]) -> Status:
    """Return the status of the efforts; the parameters are those of `input_status`."""
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
        'memory [MB]': _number(resident_memory()), 'callback errors': str(figures.failures)}
    if figures.failure:
        return Status('output', Level.ERROR, 'a callback failed, this is a defect',
                      {**values, 'callback error': figures.failure})
    if output is not None:
        return Status('output', Level.OK, f'{figures.published:.0f} efforts per second', values)
    if figures.silent or state.dynamics is None:
        what = 'a model' if state.dynamics is None else 'data'
        return Status('output', Level.STALE, f'no efforts without {what}', values)
    reasons = ', '.join(f'{name} {count}' for name, count in grown.most_common()
                        if name in JOINT_STATE_OUTCOMES)
    return Status('output', Level.WARN, f'no efforts: {reasons}', values)


def _number(value: float | None) -> str:
    return 'unknown' if value is None or value != value else f'{value:.6g}'

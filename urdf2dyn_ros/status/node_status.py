"""The status of model, input and output of a node: a level, a sentence and figures."""

from collections import Counter
from collections.abc import Sequence
from math import nan

import numpy as np

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.health import Level, Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads import TERMS
from urdf2dyn_ros.outcomes import JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.status.input_level import Received, input_level
from urdf2dyn_ros.status.monitor import MonitorReport
from urdf2dyn_ros.status.node_state import NodeState
from urdf2dyn_ros.stream.held_joints import held_text
from urdf2dyn_ros.stream.stream import Stream
from urdf2dyn_ros.system.memory import resident_memory

MOST_GROUPS = 20
"""Groups of joints whose figures are reported."""


def model_status(state: NodeState) -> Status:
    dynamics = state.dynamics
    if dynamics is None:
        return Status('model', Level.ERROR if state.rejected else Level.WARN, state.absence,
                      {'refused': state.rejected})
    warnings = [str(problem) for problem in dynamics.model.warnings]
    values = {
        'model': dynamics.model.name, 'joints': ', '.join(dynamics.joint_names),
        'number of joints': str(len(dynamics.joint_names)), 'mass [kg]': _number(
            dynamics.model.mass),
        'operations': str(dynamics.operations), 'back end': dynamics.backend,
        **_loads(dynamics), 'payload': state.payload,
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


def _loads(dynamics: InverseDynamics) -> dict[str, str]:
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
                   'remedy': state.remedy, 'held joints': held_text(stream.held.positions),
                   'unknown joints': ', '.join(stream.unknown_joints), **_groups(stream)}
        values |= {name: str(stream.counters[name])
                   for name in (*JOINT_STATE_OUTCOMES, *JOINT_STATE_EVENTS) if name != 'received'}
    if state.sources is not None:
        values |= state.sources.figures
    level, message = input_level(Received(state, figures, grown, publishers))
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

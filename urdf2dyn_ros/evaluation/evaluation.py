"""Efforts of a recording as a table and a bag, and their comparison with the measured ones."""

import dataclasses
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO, cast

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.comparison.report import KINDS, OBSERVED, write_head
from urdf2dyn_ros.comparison.robot_facts import gravity_of, robot_facts
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.evaluation.accelerations import (
    OFFLINE_DEFAULT,
    RECORDED,
    has_accelerations,
)
from urdf2dyn_ros.evaluation.collected import CollectedStream
from urdf2dyn_ros.evaluation.effort_bag import EffortBag, storage_kind
from urdf2dyn_ros.evaluation.effort_rows import EffortRows
from urdf2dyn_ros.evaluation.effort_sinks import EffortSinks
from urdf2dyn_ros.evaluation.external_efforts import ExternalEfforts
from urdf2dyn_ros.evaluation.joint_names import RecordedJoints, recorded_joints
from urdf2dyn_ros.evaluation.offline_stream import OfflineStream
from urdf2dyn_ros.evaluation.result import Evaluation, Settings
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import Recording
from urdf2dyn_ros.recordings.messages import LATEST_STAMP, TOO_LATE
from urdf2dyn_ros.smoothing.jump_words import jump_sentences
from urdf2dyn_ros.smoothing.times_words import times_sentences
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.stream.hold import read_hold
from urdf2dyn_ros.system.atomic_file import atomic_file

TABLE, BAG = 'efforts.csv', 'efforts_bag'

_KEPT_SAMPLES = 1_000_000
"""Samples for pictures, of all joints together: some 120 MB."""

_RESTING_SPEED = 0.005
"""Velocity up to which a joint is at rest [rad/s or m/s]."""


class _NothingComputedError(Exception):
    """There is no effort to write."""


def evaluate(recording: Recording, dynamics: InverseDynamics, settings: Settings,
             directory: Path) -> Evaluation:
    """
    Compute the efforts of a recording, write them to a directory, and compare them.

    The memory does not grow with the recording. A damaged one is evaluated up to the defect, which
    is in the result. Without any effort, as of a recording that is too short, nothing is written,
    and the result has no span. A RecordingError without records, or if a joint is missing; a
    ParameterError for an invalid rule for names, a joint that cannot be held, or a robot without
    joints; an ExportError if a file would replace the recording, or cannot be written.
    """
    names = dynamics.joint_names
    if not names:
        raise ParameterError(f'robot {dynamics.model.name!r} has no joint that moves: there is no '
                             'effort to compute')
    _check_outputs(recording, directory / TABLE, directory / BAG)
    hold, faults = read_hold(settings.hold, dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    recorded = recorded_joints(recording.until_defect(), names, hold, settings.renames,
                               recording.path, dynamics.model.mimics)
    estimator = settings.estimator or (
        RECORDED if has_accelerations(recorded.moving, recorded.heads) else OFFLINE_DEFAULT)
    settings = dataclasses.replace(settings, estimator=estimator)
    result = Evaluation(estimator, held=dict(recorded.hold.positions), remarks=recorded.remarks)
    try:
        _write(dynamics, settings, result, recorded, directory, storage_kind(recording.path))
    except _NothingComputedError:   # no files
        result.files.clear()
    except OSError as error:
        raise ExportError(f'cannot write to {directory}: {error.strerror}') from None
    result.records, result.error = recording.count, recording.error
    result.remarks += recording.remarks
    return result


def _write(dynamics: InverseDynamics, settings: Settings, result: Evaluation,
           recorded: RecordedJoints, directory: Path, storage: str) -> None:
    """Write the table, and the bag with this storage; neither, if there is no effort."""
    names, table, bag = dynamics.joint_names, directory / TABLE, directory / BAG
    with ExitStack() as stack:
        part = stack.enter_context(atomic_file(table))
        file = stack.enter_context(part.open('w', encoding='utf-8', newline=''))
        result.files.append(table)
        write_head(file, names, OBSERVED if settings.observer else KINDS)
        efforts = None
        if find_spec('rosbags'):
            efforts = stack.enter_context(EffortBag(bag, storage, names, dynamics.model.root))
            result.files.append(bag)
        else:
            result.remark('no bag is written: the Python library rosbags is not installed')
        _run(dynamics, settings, result, recorded, file, efforts)
        if result.span is None:
            raise _NothingComputedError


def _run(dynamics: InverseDynamics, settings: Settings, result: Evaluation,
         recorded: RecordedJoints, table: TextIO, bag: EffortBag | None) -> None:
    """Pass every output of a stream to the table, the bag and the comparison."""
    joints = dynamics.joint_names
    facts = robot_facts(dynamics.model, dynamics.loads)
    gravity = gravity_of(dynamics)
    comparison = Comparison(_KEPT_SAMPLES // len(joints), semantics=settings.semantics,
                            gains=settings.gains, still=_RESTING_SPEED)
    comparison.describe(facts, gravity)
    if settings.observer:
        result.external = ExternalEfforts(dynamics, settings.observer_gain, settings.thresholds)
    rows = EffortRows(table, joints, facts, gravity, settings, _RESTING_SPEED, result.external)
    sinks = EffortSinks(joints, comparison, rows, bag)
    collected = CollectedStream(dynamics, settings.estimator)
    collected.stream.hold(recorded.hold)
    _pass_records(joints, recorded, collected, sinks, result)
    result.span = sinks.span
    if result.external is not None:
        result.external.stop()
    source = collected.stream
    if isinstance(source, OfflineStream) and sinks.span is not None:
        result.cutoffs = {joint: (low, high) for joint, low, high in zip(
            joints, *source.cutoffs.tolist()) if low <= high}
        result.remarks += jump_sentences(source.jumps.values(), joints, dynamics.units,
                                         recorded.heads[0].stamp + sinks.later)
        result.remarks += times_sentences(joints, source.clocks)
    for notice in source.held.notices:
        result.remark(notice)
    result.counters, result.unknown = source.counters, source.unknown_joints
    result.joints = comparison.joints()


def _pass_records(joints: Sequence[str], recorded: RecordedJoints, collected: CollectedStream,
                  sinks: EffortSinks, result: Evaluation) -> None:
    """Pass all records to a stream, and its outputs to the sinks."""
    source = collected.stream
    quantities = [f'{what} of {joint!r}: ' for what in ('position', 'velocity')
                  for joint in joints]
    for number, record in enumerate(recorded.records):
        if number == 0:   # a table's time may begin at zero, but a message has no stamp of zero
            sinks.later = max(SECOND_NS - record.stamp, 0)
            sinks.bag_later = sinks.later if record.stamp < 0 else 0
        names = record.names
        stamp = record.stamp + sinks.later
        if stamp >= LATEST_STAMP:
            stamp = 0
            result.remark(TOO_LATE)
        position, velocity, effort, acceleration = cast(tuple[Any, ...], record[2:])
        if stamp > 0 and len(effort) == len(names):
            sinks.add_measured(stamp, names, effort)
        if result.estimator == RECORDED:
            source.accelerate(stamp, names, acceleration)
        for outputs in collected.receive(stamp, names, position, velocity, effort):
            sinks.add(outputs)
        for warning in source.warnings:   # the last one is kept: its figures change
            result.warnings[next(filter(warning.startswith, quantities), '')] = warning
    for outputs in collected.finish():
        sinks.add(outputs)
    sinks.finish()


def _check_outputs(recording: Recording, *outputs: Path) -> None:
    """Raise ExportError if an output would replace the recording."""
    path = recording.path.resolve()
    for output in outputs:
        if output.resolve() in (path, *path.parents):
            raise ExportError(f'{output} would replace the recording: choose another directory '
                              'with --output')

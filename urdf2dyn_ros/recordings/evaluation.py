"""Efforts of a recording as a table and a bag, and their comparison with the measured ones."""

import dataclasses
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np

from urdf2dyn_ros.errors import ExportError, ParameterError, RecordingError
from urdf2dyn_ros.estimation.assembly import STREAM_PARAMETERS, stream
from urdf2dyn_ros.estimation.hold import held_text, joints_of, read_hold
from urdf2dyn_ros.estimation.observer import GAIN, THRESHOLD
from urdf2dyn_ros.estimation.outcomes import joint_state_lines
from urdf2dyn_ros.estimation.stream import Output, Outputs, Stream
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.bag import LATEST_STAMP, TOO_LATE, EffortBag, storage_kind
from urdf2dyn_ros.recordings.comparison import (
    Comparison,
    GravityEfforts,
    JointComparison,
    gravity_of,
    robot_facts,
)
from urdf2dyn_ros.recordings.external import ExternalEfforts
from urdf2dyn_ros.recordings.joint_names import RecordedJoints, recorded_joints
from urdf2dyn_ros.recordings.jumps import jump_sentences
from urdf2dyn_ros.recordings.measured_efforts import SEMANTICS, JointFacts
from urdf2dyn_ros.recordings.offline_stream import OfflineStream
from urdf2dyn_ros.recordings.recording import Record, Recording
from urdf2dyn_ros.recordings.report import (
    KINDS,
    OBSERVED,
    comparison_table,
    seconds,
    write_head,
    write_rows,
)
from urdf2dyn_ros.robot.loads import TERMS, Loads
from urdf2dyn_ros.smoothing.times_words import times_sentences
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import SECOND_NS, asked_once, counted, printable

# ---- The source of accelerations when the whole recording is available

RECORDED = 'external'
OFFLINE_DEFAULT = 'smoothing_spline'

_OFFLINE: dict[str, dict[str, Any]] = {
    'polynomial': {'order': 4, 'window': 0.08, 'align': 'centre'},
    'kalman_fixed_lag': {'lag': 0.1},
    'finite_difference': {'align': 'centre', 'cutoff': 0.0},
}
"""Parameters that differ from the defaults of the node, which cannot use later samples."""

ACCELERATION_SOURCES = {
    OFFLINE_DEFAULT: 'offline smoothing: a curve through the positions, with the cutoff of each '
                     'joint that best predicts samples hidden from it',
    'polynomial': 'offline smoothing: a polynomial around every sample (80 ms, at least 7 '
                  'samples), velocities of degree 4, positions of degree 5',
    'kalman': 'a Kalman filter, which uses earlier samples only',
    'kalman_fixed_lag': 'offline smoothing: a Kalman filter that also uses the next 100 ms',
    'finite_difference': 'differences of adjacent samples, not smoothed',
    'none': 'assumed to be zero',
    RECORDED: 'as recorded',
}


def offline_parameters(estimator: str) -> dict[str, Any]:
    """Return the defaults of the stream, with an estimator that may use later samples."""
    return {row.name: row.default for row in STREAM_PARAMETERS} | {
        'estimator': estimator,
        **{f'{estimator}.{name}': value for name, value in _OFFLINE.get(estimator, {}).items()}}


def has_accelerations(joints: Sequence[str], heads: Iterable[Record]) -> bool:
    """Return whether one of the records has the accelerations of all joints."""
    for record in heads:
        if len(record.acceleration) == len(record.names):
            values = dict(zip(record.names, record.acceleration))
            if all(np.isfinite(values.get(joint, np.nan)) for joint in joints):
                return True
    return False


# ---- The settings of an evaluation, and its result with a summary in sentences

@dataclass(frozen=True)
class Settings:
    """Settings of an evaluation."""

    # a key of ESTIMATORS; empty for recorded accelerations, or the offline default without them
    estimator: str = ''
    semantics: str = 'net'   # a key of SEMANTICS
    # of currents: one, or one for each joint [N m/A or N/A]; NaN: fitted by `EvaluationJob`
    gains: tuple[float, ...] = (1.0,)
    renames: tuple[str, ...] = ()   # rules of `renaming`
    observer: bool = False   # whether external efforts are observed
    observer_gain: float = GAIN   # [1/s]
    # thresholds of contacts: one, or one for each joint [N m or N]
    thresholds: tuple[float, ...] = (THRESHOLD,)
    # as the parameter ``hold``; ``auto`` holds the joints that the first records lack
    hold: tuple[str, ...] = ()


@dataclass
class Evaluation:
    """
    Result of an evaluation.

    `span` is the first and the last stamp of an effort, in the order of the file [ns]; `warnings`
    has the last reason why a quantity was not credible, `unknown` the recorded joints that the
    robot does not have, `held` the positions of held joints [rad or m], `cutoffs` the lowest and
    the highest cutoff that each joint was smoothed with [Hz], `error` the defect at which reading
    ended.
    """

    estimator: str
    records: int = 0
    span: tuple[int, int] | None = None
    counters: Counter[str] = field(default_factory=Counter)
    warnings: dict[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    cutoffs: dict[str, tuple[float, float]] = field(default_factory=dict)
    held: dict[str, float] = field(default_factory=dict)
    joints: tuple[JointComparison, ...] = ()
    external: ExternalEfforts | None = None
    files: list[Path] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    error: RecordingError | None = None

    @property
    def compared(self) -> bool:
        """Whether there is any pair of measured and computed effort."""
        return any(len(joint.stamps) for joint in self.joints)

    def remark(self, text: str) -> None:
        """Add a remark once."""
        if text not in self.remarks:
            self.remarks.append(text)


_CALENDAR = 946_684_800 * SECOND_NS
"""Stamps [ns] since the year 2000 are dates, smaller ones times since an unknown start."""


def evaluation_summary(recording: Recording, dynamics: InverseDynamics, semantics: str,
                       result: Evaluation) -> list[str]:
    """Return sentences about recording, robot, method, and dropped records."""
    topic = f', topic {recording.topic}' if recording.topic else ''
    gravity = ' '.join(f'{part:g}' for part in dynamics.gravity_vector)
    used, received = result.counters['used'], result.counters['received']
    how = ACCELERATION_SOURCES.get(result.estimator, 'with its parameters at their defaults')
    cutoffs = ', '.join(f'{printable(joint)} {low:.2g}' + f' to {high:.2g}' * (high > 1.05 * low)
                        for joint, (low, high) in result.cutoffs.items())
    lines = [
        f'recording: {recording.path}{topic}, {counted(result.records, "record")}',
        f'robot: {dynamics.model.name}, {counted(len(dynamics.joint_names), "joint")}, '
        f'gravity {gravity} m/s^2',
        f'accelerations: {result.estimator}, {how}',
        *([f'cutoffs [Hz]: {cutoffs}'] if cutoffs else []),
        *_counted(dynamics.loads),
        *([f'held at rest: {held_text(result.held)}'] if result.held else []),
        f'measured effort: {semantics}, {SEMANTICS[semantics].meaning}',
        f'efforts computed: {used} of {counted(received, "record")}' + _when(result.span)]
    lines += joint_state_lines(result.counters, ('used', 'received', 'accelerations'))
    if result.unknown:
        lines.append('recorded joints that the robot does not have: ' + ', '.join(result.unknown))
    lines += [f'not credible at times: {warning}' for warning in asked_once(
        (quantity.partition(' of ')[2].removesuffix(': '), warning)
        for quantity, warning in result.warnings.items())]
    if result.counters['jump_back']:
        lines.append('time went back: the figures cover the records after the last jump of a '
                     'second or more; the table and the bag cover all')
    return lines


def figures_table(result: Evaluation) -> str:
    """Return the table of figures, or the reason why there is none."""
    if result.compared:
        return comparison_table(result.joints)
    if result.span is None:
        return 'no effort was computed: nothing is written'
    return ('no effort was measured at the time of a computed one: nothing is compared, but the '
            'computed efforts are written')


def _counted(loads: Loads) -> Iterator[str]:
    """Yield which joint terms are part of the computed efforts."""
    for name, term in TERMS.items():
        joints = [printable(joint) for joint, terms in loads.terms.items()
                  if name in {each.NAME for each in terms}]
        if joints:
            yield (f'computed efforts include {term.PLURAL}: {", ".join(joints)}'
                   + ('; none of the URDF is added' if name == 'friction' else ''))


def _when(span: tuple[int, int] | None) -> str:
    if span is None:
        return ''
    first, last = span
    date = ''
    if first >= _CALENDAR:
        at = datetime.fromtimestamp(first // SECOND_NS, timezone.utc)
        date = f', {at:%Y-%m-%d %H:%M:%S} UTC'
    # after a clock jump back the difference is no duration
    duration = f'{(last - first) / SECOND_NS:.3f} s ' * (last >= first)
    return f', {duration}from {seconds(first)} to {seconds(last)} s{date}'


# ---- Rows of the table of efforts, computed for many outputs at once

_ROWS_AT_ONCE = 1024


class EffortRows:
    """
    Writes measured and computed effort with the same semantics.

    The settings have one gain of currents, or one for each joint; `still` is the velocity up to
    which a joint is at rest [rad/s or m/s], `external` the observer of external efforts.
    """

    def __init__(self, file: TextIO, joints: Sequence[str], facts: Mapping[str, JointFacts],
                 gravity: GravityEfforts, settings: Settings, still: float,
                 external: ExternalEfforts | None) -> None:
        self._file, self._external = file, external
        self._joints, self._facts, self._gravity = tuple(joints), facts, gravity
        self._semantics, self._still = SEMANTICS[settings.semantics], still
        self._gains = np.broadcast_to(settings.gains, len(self._joints)).tolist()

    def write(self, stamps: Sequence[int], outputs: Outputs) -> None:
        """Write outputs, with these stamps [ns]."""
        for first in range(0, len(stamps), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            self._write(stamps[rows], outputs.some(rows))

    def _write(self, stamps: Sequence[int], outputs: Outputs) -> None:
        computed, measured, q, qd = outputs.effort, outputs.measured, outputs.q, outputs.qd
        gravity = (self._gravity(self._joints, q) if self._semantics.gravity
                   else np.zeros_like(computed))
        kinds = len(KINDS if self._external is None else OBSERVED)
        columns = np.empty((len(computed), kinds * len(self._joints)))
        for joint, name in enumerate(self._joints):
            fair = self._semantics.sides(
                np.column_stack((computed[:, joint], qd[:, joint], gravity[:, joint])),
                self._facts[name], self._gains[joint], self._still)
            columns[:, kinds * joint] = fair.gain * measured[:, joint] + fair.added
            columns[:, kinds * joint + 1] = fair.computed
        residual = columns[:, 0::kinds] - columns[:, 1::kinds]
        columns[:, 2::kinds] = residual
        if self._external is not None:
            # whatever the semantics: measured effort that moves the links, computed + residual
            columns[:, 3::kinds] = self._external.add(stamps, q, qd, computed + residual)
        write_rows(self._file, stamps, columns.tolist())


# ---- Where the outputs of an evaluation go: the comparison, the table and the bag

_MEASURED_AHEAD_NS = 200_000_000
"""Time by which measured efforts are added before computed ones: more than any lag [ns]."""

_MOST_WAITING = 50_000


class EffortSinks:
    """
    Adds measured and computed efforts in the order of their stamps.

    `later` is how much larger stamps are than those of the recording, `bag_later` than those of
    the bag [ns]; `span` has the first and the last stamp of an output, in the order of the file.
    """

    def __init__(self, joints: Sequence[str], comparison: Comparison, rows: EffortRows,
                 bag: EffortBag | None) -> None:
        self._joints, self._comparison, self._rows, self._bag = joints, comparison, rows, bag
        self._measured: deque[tuple[int, Sequence[str], Any]] = deque()
        self.later = self.bag_later = 0
        self.span: tuple[int, int] | None = None

    def add_measured(self, stamp: int, names: Sequence[str], efforts: Sequence[float]) -> None:
        """Add measured efforts, which wait for the computed ones of their time."""
        self._measured.append((stamp, names, efforts))
        if len(self._measured) > _MOST_WAITING:
            self._comparison.add_measured(*self._measured.popleft())

    def add(self, outputs: Outputs) -> None:
        """Add computed efforts."""
        if not len(outputs.stamps):
            return
        measured, comparison = self._measured, self._comparison
        for stamp, *values in zip(outputs.stamps.tolist(), outputs.effort, outputs.q, outputs.qd):
            while measured and measured[0][0] <= stamp + _MEASURED_AHEAD_NS:
                comparison.add_measured(*measured.popleft())
            comparison.add_computed(stamp, self._joints, *values)
        stamps = (outputs.stamps - self.later).tolist()
        self._rows.write(stamps, outputs)
        if self._bag is not None:
            for stamp, *values in zip(stamps, outputs.q, outputs.qd, outputs.effort):
                self._bag.write(stamp + self.bag_later, *values)
        self.span = (self.span or (stamps[0], 0))[0], stamps[-1]

    def finish(self) -> None:
        """Add the measured efforts that wait."""
        while self._measured:
            self._comparison.add_measured(*self._measured.popleft())


# ---- The outputs of a stream in batches, whose cost per message is smaller

_AT_ONCE = 1024


class CollectedStream:
    """A stream for a robot and the name of an estimator, and the outputs that it returned."""

    def __init__(self, dynamics: InverseDynamics, estimator: str) -> None:
        self.stream: Stream = (
            OfflineStream(dynamics, joints_of(dynamics))
            if estimator == OFFLINE_DEFAULT
            else stream(offline_parameters(estimator), dynamics, lambda: 0))
        self._outputs: list[Output] = []

    def receive(self, *fields: Any) -> Iterator[Outputs]:
        """Add the fields of a message, as `Stream.receive`; yield what is complete."""
        output = self.stream.receive(*fields)
        if output is not None:
            self._outputs.append(output)
        if len(self._outputs) >= _AT_ONCE:
            yield from self._collected()
        elif isinstance(self.stream, OfflineStream):
            yield from self.stream.take()

    def finish(self) -> Iterator[Outputs]:
        """Yield all other outputs."""
        if isinstance(self.stream, OfflineStream):
            self.stream.finish()
            yield from self.stream.take()
        yield from self._collected()

    def _collected(self) -> Iterator[Outputs]:
        if self._outputs:
            outputs, self._outputs = self._outputs, []
            yield Outputs.of(outputs)


# ---- Efforts of a recording as a table and a bag, and their comparison with the measured ones

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

"""Efforts of a recording as a table and a bag, and their comparison with the measured ones."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO, cast

import numpy as np

from urdf2dyn_ros.codegen.functions.observer import CONTACT_THRESHOLDS, OBSERVER_GAIN
from urdf2dyn_ros.errors import ExportError, ParameterError, RecordingError
from urdf2dyn_ros.estimation.hold import held_text, joints_of, read_hold
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.observer import per_joint
from urdf2dyn_ros.estimation.outcomes import joint_state_lines
from urdf2dyn_ros.estimation.stream import Output, OutputBatch, Stream
from urdf2dyn_ros.estimation.stream_setup import STREAM_PARAMETERS, make_stream
from urdf2dyn_ros.inverse_dynamics import InverseDynamics, checked_dynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.bag import LATEST_STAMP, TOO_LATE, effort_bag
from urdf2dyn_ros.recordings.comparison import Comparison, JointComparison, gravity_of, robot_facts
from urdf2dyn_ros.recordings.credibility import dead_position, frozen_spans
from urdf2dyn_ros.recordings.external import ObservedEfforts
from urdf2dyn_ros.recordings.joint_names import RecordedJoints, match_joints
from urdf2dyn_ros.recordings.jumps import alternation_sentence, jump_sentences
from urdf2dyn_ros.recordings.measured_efforts import SEMANTICS
from urdf2dyn_ros.recordings.mistakes import Judge, RecordingFit, one_cause
from urdf2dyn_ros.recordings.offline_stream import OfflineStream
from urdf2dyn_ros.recordings.pieces import Piece
from urdf2dyn_ros.recordings.recording import Record, Recording
from urdf2dyn_ros.recordings.report import (
    KINDS,
    OBSERVED,
    comparison_table,
    seconds,
    write_head,
    write_rows,
)
from urdf2dyn_ros.recordings.table import keep_columns
from urdf2dyn_ros.robot.loads import TERMS
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import MAX_STAMP, SECOND_NS, asked_once, counted, printable

# ---- The source of accelerations when the whole recording is available

RECORDED = 'external'
OFFLINE_DEFAULT = 'smoothing_spline'

# what the others do is in their documentation: they estimate as the node does
_SOURCES = {
    OFFLINE_DEFAULT: 'offline smoothing: a curve through the positions, with the cutoff of each '
                     'joint that best predicts samples hidden from it',
    'none': 'assumed to be zero',
    RECORDED: 'as recorded',
}


# ---- The settings of an evaluation, and its result with a summary in sentences

@dataclass(frozen=True)
class EvaluationSettings:
    """Settings of an evaluation."""

    # a key of ESTIMATORS; empty for recorded accelerations, or the offline default without them
    estimator: str = ''
    semantics: str = 'net'   # a key of SEMANTICS
    # of currents: one, or one for each joint [N m/A or N/A]
    gains: tuple[float, ...] = (1.0,)
    renames: tuple[str, ...] = ()   # rules of `renaming`
    observer: bool = False   # whether external efforts are observed
    observer_gain: float = OBSERVER_GAIN.default[0]   # [1/s]
    # thresholds of contacts: one, or one for each joint [N m or N]
    thresholds: tuple[float, ...] = CONTACT_THRESHOLDS.default
    # as the parameter ``hold``; ``auto`` holds the joints that the first records lack
    hold: tuple[str, ...] = ()


EVALUATION_SETTINGS = EvaluationSettings()


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
    external: ObservedEfforts | None = None
    files: list[Path] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    error: RecordingError | None = None

    @property
    def compared(self) -> bool:
        """Whether there is any pair of measured and computed effort."""
        return any(len(joint.stamps) for joint in self.joints)


# stamps [ns] since the year 2000 are dates, smaller ones times since an unknown start
_CALENDAR = 946_684_800 * SECOND_NS


def evaluation_summary(recording: Recording, dynamics: InverseDynamics, semantics: str,
                       result: Evaluation) -> list[str]:
    """Return sentences about recording, robot, method, and dropped records."""
    topic = f', topic {recording.topic}' if recording.topic else ''
    gravity = ' '.join(f'{part:g}' for part in dynamics.gravity_vector)
    used, received = result.counters['used'], result.counters['received']
    how = _SOURCES.get(result.estimator, 'as the node estimates them by default')
    cutoffs = ', '.join(
        f'{printable(joint)} {low:.2g}' + (f' to {high:.2g}' if high > 1.05 * low else '')
        for joint, (low, high) in result.cutoffs.items())
    terms = []   # that are part of the computed efforts
    for name, term in TERMS.items():
        joints = [printable(joint) for joint, terms_of_joint in dynamics.loads.terms.items()
                  if name in {term.NAME for term in terms_of_joint}]
        if joints:
            terms.append(f'computed efforts include {term.PLURAL}: {", ".join(joints)}'
                         + ('; none of the URDF is added' if name == 'friction' else ''))
    when = ''
    if result.span is not None:
        first, last = result.span
        # after a clock jump back the difference is no duration
        duration = f'{(last - first) / SECOND_NS:.3f} s ' if last >= first else ''
        when = f', {duration}from {seconds(first)} to {seconds(last)} s'
        if first >= _CALENDAR:
            date = datetime.fromtimestamp(first // SECOND_NS, timezone.utc)
            when += f', {date:%Y-%m-%d %H:%M:%S} UTC'
    lines = [
        f'recording: {recording.path}{topic}, {counted(result.records, "record")}',
        *([recording.reading] if recording.reading else []),
        f'robot: {dynamics.model.name}, {counted(len(dynamics.joint_names), "joint")}, '
        f'gravity {gravity} m/s^2',
        f'accelerations: {result.estimator}, {how}',
        *([f'cutoffs [Hz]: {cutoffs}'] if cutoffs else []),
        *terms,
        *([f'held at rest: {held_text(result.held)}'] if result.held else []),
        f'measured effort: {semantics}, {SEMANTICS[semantics].meaning}',
        f'efforts computed: {used} of {counted(received, "record")}{when}']
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
        return 'no effort was computed: nothing is written' + (
            '; accelerations need several samples around each, or columns qdd_<joint>; '
            '--estimator none takes them as zero' if result.counters['warming_up'] else '')
    return ('no effort was measured at the time of a computed one: nothing is compared, but the '
            'computed efforts are written')


# ---- Where the outputs of an evaluation go: the comparison, the table and the bag

_AT_ONCE = 1024   # outputs that are passed on, and written, together
_KEPT_SAMPLES = 1_000_000   # for pictures, of all joints together: some 120 MB
_FEWEST_KEPT = 20_000   # of each joint, more than wait for later ones
_LONGEST_LAG = 0.1   # of measured efforts, that is aligned [s]
_MOST_JUDGED = 4000   # outputs of which a cause is looked for
_FEWEST_JUDGED = 100   # from which on it is
_GAP_STEPS = 1.5   # usual steps of these outputs from which on it is a gap
_EXPLAINED = 0.8   # R2 of joints that need no cause
_LEAST_MOTION = 0.02   # range of the positions of a joint that moves [rad or m]
_WRONG_UNITS = 3.0   # efforts of all joints over those of the URDF, or its inverse: other units
_RESTING_SPEED = 0.005   # velocity up to which a joint is at rest [rad/s or m/s]


class _Sinks:
    """
    Compares efforts in the order of their stamps, and writes them to the table and the bag.

    Measured and computed effort of the table have the same semantics. `later` is how much larger
    stamps are than those of the recording, whose first is `first` [ns]; `span` has the first and
    the last stamp of an output, in the order of the file.
    """

    def __init__(self, dynamics: InverseDynamics, settings: EvaluationSettings, first: int,
                 table: TextIO, bag: Callable[[int, Array, Array, Array], None] | None) -> None:
        self._joints, self._table, self._bag = dynamics.joint_names, table, bag
        self._facts = robot_facts(dynamics.model, dynamics.loads)
        self._gravity = gravity_of(dynamics)
        self.comparison = Comparison(
            max(_KEPT_SAMPLES // len(self._joints), _FEWEST_KEPT), semantics=settings.semantics,
            gains=settings.gains, search=_LONGEST_LAG, still=_RESTING_SPEED)
        self._semantics = SEMANTICS[settings.semantics]
        self._gains = per_joint('current_gains', settings.gains if self._semantics.current
                                else (1.0,), self._joints).tolist()
        self.comparison.describe(self._facts, self._gravity)
        self.external = (ObservedEfforts(dynamics, settings.observer_gain, settings.thresholds)
                         if settings.observer else None)
        # a table's time may begin at zero, but a message has no stamp of zero
        self.later = min(max(SECOND_NS - first, 0), MAX_STAMP)
        self._bag_later = self.later if first < 0 else 0
        self.span: tuple[int, int] | None = None
        self._kinds = KINDS if self.external is None else OBSERVED
        # some outputs, of which one cause of what is wrong with all joints is looked for
        self._seen, self._every, self._kept = 0, 1, list[tuple[Any, ...]]()
        # columns of the table that have a number
        self.known = np.zeros(len(self._kinds) * len(self._joints), dtype=bool)
        write_head(table, self._joints, self._kinds)

    def add(self, outputs: OutputBatch) -> None:
        """Add computed efforts."""
        if not len(outputs.stamps):
            return
        first, self._seen = -self._seen % self._every, self._seen + len(outputs.stamps)
        self._kept += zip(*(values[first::self._every].tolist() for values in (
            outputs.stamps, outputs.q, outputs.qd, outputs.qdd, outputs.measured)))
        while len(self._kept) > _MOST_JUDGED:
            self._kept, self._every = self._kept[::2], 2 * self._every
        stamps = (outputs.stamps - self.later).tolist()
        for output, stamp, q, qd, effort in zip(outputs.stamps.tolist(), stamps, outputs.q,
                                                outputs.qd, outputs.effort):
            self.comparison.add_computed(output, self._joints, effort, q, qd)
            if self._bag is not None:
                self._bag(stamp + self._bag_later, q, qd, effort)
        for first in range(0, len(stamps), _AT_ONCE):
            rows = slice(first, first + _AT_ONCE)
            self._write_rows(stamps[rows], outputs.chosen(rows))
        self.span = (self.span or (stamps[0], 0))[0], stamps[-1]

    def _write_rows(self, stamps: Sequence[int], outputs: OutputBatch) -> None:
        q, qd, computed = outputs.q, outputs.qd, outputs.effort
        gravity = (self._gravity(self._joints, q) if self._semantics.gravity
                   else np.zeros_like(computed))
        columns = np.empty((len(computed), len(self.known)))
        kinds = len(self._kinds)
        for joint, name in enumerate(self._joints):
            added, columns[:, kinds * joint + 1] = self._semantics.sides(
                np.column_stack((computed[:, joint], qd[:, joint], gravity[:, joint])),
                self._facts[name], _RESTING_SPEED)
            columns[:, kinds * joint] = self._gains[joint] * outputs.measured[:, joint] + added
        residual = columns[:, 0::kinds] - columns[:, 1::kinds]
        columns[:, 2::kinds] = residual
        if self.external is not None:
            # whatever the semantics: measured effort that moves the links, computed + residual
            columns[:, 3::kinds] = self.external.add(stamps, q, outputs.observed_qd,
                                                     computed + residual)
        self.known |= np.isfinite(columns).any(axis=0)
        write_rows(self._table, stamps, columns.tolist())

    def cause(self, dynamics: InverseDynamics, joints: Sequence[JointComparison]) -> str:
        """Return the one cause that would explain what is wrong with all joints, or ''."""
        poor = [not joint.fault and not joint.figures.r2 > _EXPLAINED for joint in joints]
        if self._semantics.gravity or not any(poor) or len(self._kept) < _FEWEST_JUDGED:
            return ''
        stamps, q, qd, qdd, measured = map(np.array, zip(*self._kept))
        time = (stamps - stamps[0]) / SECOND_NS
        steps = np.diff(time)
        if not (steps > 0.0).all():
            return ''
        effort = measured * np.array(self._gains)
        frozen = frozen_spans(time, q, effort, dynamics(q, qd, qdd))
        if frozen:
            first = (int(stamps[0]) - self.later) / SECOND_NS
            return dead_position([self._joints[joint] + (
                f' ({first + begin:.2f} to {first + end:.2f} s)' if (begin, end) != (0.0, time[-1])
                else '') for joint, (begin, end) in frozen.items()])
        moving = np.ptp(q, axis=0) > _LEAST_MOTION
        used = np.array([not joint.fault for joint in joints]) & moving & np.isfinite(
            effort).all(axis=0)
        if not used.any():
            return ''
        gaps = np.flatnonzero(steps > _GAP_STEPS * np.median(steps)) + 1
        pieces = [Piece(part[0], (len(part[0]) - 1) / (part[0][-1] - part[0][0]), *part[1:])
                  for part in zip(*(np.split(values, gaps)
                                    for values in (time, q, qd, qdd, effort)))
                  if len(part[0]) > 1]
        recording = RecordingFit(dynamics, pieces, used, np.zeros(len(used), dtype=bool))
        judge = Judge(lambda change: 0.5 * recording.unexplained(change), _LONGEST_LAG)
        return one_cause(recording, moving, judge, self._semantics.current, _WRONG_UNITS)


# ---- Efforts of a recording as a table and a bag, and their comparison with the measured ones

TABLE, BAG = 'efforts.csv', 'efforts_bag'


def evaluate(recording: Recording | str | Path, dynamics: InverseDynamics,
             settings: EvaluationSettings = EVALUATION_SETTINGS,
             directory: str | Path | None = None) -> Evaluation:
    """
    Compute the efforts of a recording, and compare them with the measured ones.

    The memory does not grow with the recording. A damaged one is evaluated up to the defect, which
    is in the result. Without any effort, as of a recording that is too short, nothing is written,
    and the result has no span.

    Parameters
    ----------
    recording : str, Path or Recording
        A bag or a table, as ``urdf2dyn evaluate`` takes it, or what `open_recording` returns.
    dynamics : InverseDynamics
        The robot, with gravity and loads.
    settings : EvaluationSettings
        By default those of the command.
    directory : str or Path, optional
        Directory for the table and the bag of the efforts; by default they are not kept.

    Returns
    -------
    Evaluation
        With a `JointComparison` of each joint in `joints`, of which `comparison_table` is a text.

    Raises
    ------
    RecordingError
        Without records, or if a joint is missing.
    ParameterError
        For an invalid rule for names, a joint that cannot be held, or a robot without joints.
    ExportError
        If a file would replace the recording, or cannot be written.

    """
    if directory is None:
        with TemporaryDirectory() as folder:
            result = evaluate(recording, dynamics, settings, folder)
        result.files.clear()
        return result
    names = checked_dynamics(dynamics).joint_names
    if not isinstance(recording, Recording):
        recording = open_recording(recording)
    directory = Path(directory)
    if not names:
        raise ParameterError(f'robot {dynamics.model.name!r} has no joint that moves: there is no '
                             'effort to compute')
    table, bag, path = directory / TABLE, directory / BAG, recording.path.resolve()
    for output in (table, bag):
        if output.resolve() in (path, *path.parents):
            raise ExportError(f'{output} would replace the recording: choose another directory '
                              'with --output')
    hold, faults = read_hold(settings.hold, dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    recording.check_measured()
    recorded = match_joints(recording, dict(zip(names, dynamics.units)), hold, settings.renames,
                            dynamics.model.mimics, settings.semantics == 'current',
                            until_defect=True)
    accelerated = any(
        np.isfinite([values.get(joint, np.nan) for joint in recorded.moving]).all()
        for values in (dict(zip(record.names, record.acceleration)) for record in recorded.heads
                       if len(record.acceleration) == len(record.names)))
    estimator = settings.estimator or (RECORDED if accelerated else OFFLINE_DEFAULT)
    files, remarks = [table], recorded.remarks
    try:
        with ExitStack() as stack:
            part = stack.enter_context(atomic_file(table))
            efforts = None
            if find_spec('rosbags'):
                efforts = stack.enter_context(effort_bag(bag, names, dynamics.model.root))
                files.append(bag)
            else:
                remarks.append('no bag is written: the Python library rosbags is not installed')
            with part.open('w', encoding='utf-8', newline='') as file:
                sinks = _Sinks(dynamics, settings, recorded.heads[0].stamp, file, efforts)
                result = _evaluated(dynamics, sinks, recorded, estimator)
            if result.span is None:
                raise _NothingComputedError
            if not sinks.known.all():   # of joints whose efforts were not measured
                keep_columns(part, sinks.known.tolist())
    except _NothingComputedError:   # so that the files are not kept
        files = []
    except OSError as error:
        raise ExportError(f'cannot write to {directory}: {error.strerror}') from None
    cause = sinks.cause(dynamics, result.joints) if estimator != 'none' else ''
    if cause:   # before what is said of each joint
        remarks = [f'one cause would explain all joints: {cause}', *remarks]
        result.joints = tuple(replace(joint, total=replace(joint.total, hint=''))
                              for joint in result.joints)
    return replace(result, records=recording.count, error=recording.error, files=files, remarks=[
        *dict.fromkeys((*remarks, *result.remarks)), *recording.remarks])


class _NothingComputedError(Exception):
    """There is no effort to write."""


def _with_first_velocity(records: Iterator[Record]) -> tuple[Iterator[Record], list[str]]:
    """Return the records, the first with the velocity to the second where it has none; remarks."""
    first, second = next(records), next(records, None)
    count = len(first.names)
    qd = first.velocity if len(first.velocity) == count else np.full(count, np.nan)
    if second is None and not np.isfinite(qd).all():
        return iter([first._replace(velocity=np.nan_to_num(qd))]), [
            'unknown velocities of a single record are taken as zero']
    if second is None:
        return iter([first]), []
    if (tuple(second.names) == tuple(first.names) and second.stamp > first.stamp
            and len(first.position) == len(second.position) == count):
        step = np.asarray(second.position) - first.position
        step -= 2.0 * np.pi * np.rint(step / (2.0 * np.pi))
        first = first._replace(velocity=np.where(
            np.isfinite(qd), qd, step * SECOND_NS / (second.stamp - first.stamp)))
    return chain((first, second), records), []


def _evaluated(dynamics: InverseDynamics, sinks: _Sinks, recorded: RecordedJoints,
               estimator: str) -> Evaluation:
    """Return the evaluation of all records, whose efforts go to the sinks."""
    joints, records, remarks = dynamics.joint_names, recorded.records, list[str]()
    source: Stream = OfflineStream(dynamics, joints_of(dynamics), sinks.add) if (
        estimator == OFFLINE_DEFAULT) else make_stream(
            {row.name: row.default for row in STREAM_PARAMETERS}
            | {'estimator': estimator, 'implausible': 'warn'}, dynamics, lambda: 0)
    source.hold(recorded.hold)
    if estimator in (RECORDED, 'none'):
        records, remarks = _with_first_velocity(records)
    warnings = _pass_on(records, source, sinks, joints, estimator == RECORDED, remarks)
    result = Evaluation(estimator, span=sinks.span, counters=source.counters, warnings=warnings,
                        unknown=source.unknown_joints, held=dict(recorded.hold.positions),
                        joints=sinks.comparison.joints(), external=sinks.external)
    if result.external is not None:
        result.external.stop()
    if isinstance(source, OfflineStream) and sinks.span is not None:
        result.cutoffs = {joint: (low, high) for joint, low, high in zip(
            joints, *source.cutoffs.tolist()) if low <= high}
        if source.alternating:
            remarks.append(alternation_sentence(
                [joints[joint] for joint in sorted(source.alternating)]))
        remarks += jump_sentences(source.jumps.values(), joints, dynamics.units,
                                  recorded.heads[0].stamp + sinks.later)
    return replace(result, remarks=[*remarks, *source.held.take_notices()])


def _pass_on(records: Iterator[Record], source: Stream, sinks: _Sinks, joints: Sequence[str],
             accelerated: bool, remarks: list[str]) -> dict[str, str]:
    """
    Pass records to a stream, and its outputs to the sinks, in batches, which cost less.

    Returns the last warning of each quantity; what is wrong with stamps is added to the remarks.
    """
    warnings, waiting = dict[str, str](), list[Output]()
    quantities = [f'{what} of {joint!r}: ' for what in ('position', 'velocity')
                  for joint in joints]
    for record in records:
        names, stamp = record.names, record.stamp + sinks.later
        if stamp >= LATEST_STAMP:
            stamp = 0
            if TOO_LATE not in remarks:
                remarks.append(TOO_LATE)
        position, velocity, effort, acceleration = cast(tuple[Any, ...], record[2:])
        if stamp > 0 and len(effort) == len(names):
            sinks.comparison.add_measured(stamp, names, effort)
        if accelerated:
            source.accelerate(stamp, names, acceleration)
        output = source.receive(Message(stamp, names, position, velocity, effort))
        if output is not None:
            waiting.append(output)
        if len(waiting) >= _AT_ONCE:
            sinks.add(OutputBatch.of(waiting))
            waiting = []
        for warning in source.warnings:   # the last one is kept: its figures change
            warnings[next(filter(warning.startswith, quantities), '')] = warning
    if waiting:
        sinks.add(OutputBatch.of(waiting))
    if isinstance(source, OfflineStream):
        source.finish()
        for joint, fault in source.velocity_report.warnings.items():
            quantity = f'velocity of {joints[joint]!r}: '
            warnings[quantity] = quantity + fault
    return warnings

"""The settings of an evaluation, and its result with a summary in sentences."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from urdf2dyn_ros.comparison.figures import JointComparison
from urdf2dyn_ros.comparison.report import comparison_table, seconds
from urdf2dyn_ros.comparison.semantics import SEMANTICS
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.evaluation.accelerations import ACCELERATION_SOURCES
from urdf2dyn_ros.evaluation.external_efforts import ExternalEfforts
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads import TERMS, Loads
from urdf2dyn_ros.observer.contact import THRESHOLD
from urdf2dyn_ros.observer.momentum_observer import GAIN
from urdf2dyn_ros.outcomes import joint_state_lines
from urdf2dyn_ros.quoting import asked_once, printable
from urdf2dyn_ros.recordings import Recording
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.stream.held_joints import held_text


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

"""Recordings as summaries, one after the other: a damaged one costs only itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.errors import IdentificationError, ParameterError, RecordingError
from urdf2dyn_ros.identification.checks import checked
from urdf2dyn_ros.identification.gains import Gains, free_gains
from urdf2dyn_ros.identification.mistakes.changed_payload import changed_payload
from urdf2dyn_ros.identification.mistakes.contacts import contacts
from urdf2dyn_ros.identification.mistakes.late_efforts import late_joints, piece_without_delay
from urdf2dyn_ros.identification.mistakes.more_columns import fitted_rows
from urdf2dyn_ros.identification.mistakes.offset_steps import offset_steps
from urdf2dyn_ros.identification.mistakes.small_zeros import small_zeros
from urdf2dyn_ros.identification.pieces import pieces_of
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.segments import RecordedNames, read_segments
from urdf2dyn_ros.identification.summary import Summary, summarised
from urdf2dyn_ros.identification.summary_file import SUFFIX, read_summary
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.stream.held_joints import held_text
from urdf2dyn_ros.system.workers import Lost, Workers, results_of


@dataclass(frozen=True)
class SourceSettings:
    """How recordings are read."""

    topic: str | None   # of bags
    names: RecordedNames
    gains: Gains | None = None   # of currents; None where efforts are recorded
    cutoff: float | None = None   # [Hz]; None: chosen for each recording
    delay: float | None = None   # [s]; None likewise
    workers: Workers = field(default_factory=Workers)   # the processes that read


def with_filter_of(summaries: Sequence[Summary], settings: SourceSettings) -> SourceSettings:
    """Return settings with the mean cutoff and delay of summaries, unless these are set."""
    seconds = [each.seconds for each in summaries]
    cutoff, delay = (float(np.average([getattr(each, name) for each in summaries],
                                      weights=seconds)) for name in ('cutoff', 'delay'))
    return replace(settings, cutoff=settings.cutoff or cutoff,
                   delay=delay if settings.delay is None else settings.delay)


class ReadSource(NamedTuple):
    """The summary of a recording, or why there is none, and remarks."""

    summary: Summary | None
    fault: str
    remarks: Sequence[str] = ()


def read_summaries(robot: Robot, paths: Sequence[str], settings: SourceSettings,
                   remarks: list[str], show: Callable[[float], None]) -> Iterator[Summary]:
    """
    Yield the summaries of recordings, or those that are in files; add to the remarks.

    The names differ. A recording that cannot be used is a remark if others can; if none can, an
    IdentificationError has the reasons.
    """
    names: set[str] = set()
    faults: list[str] = []
    workers, items = settings.workers, [(number, path) for number, path in enumerate(paths)]

    def shown(number: int, fraction: float) -> None:
        show((number + fraction) / len(paths))

    read = partial(_read, robot, settings, shown if workers.here else None)
    for number, result in enumerate(results_of(read, items, workers)):
        shown(number, 1.0)
        if isinstance(result, Lost):
            result = ReadSource(None, f'{paths[number]}: {result.reason}')
        remarks += result.remarks
        summary = result.summary
        if summary is None:
            faults.append(result.fault)
            continue
        if names:   # one picture is enough, and the memory does not grow
            summary = replace(summary, rows=None)
        while summary.name in names:
            summary = replace(summary, name=f'{summary.name}_')
        names.add(summary.name)
        yield summary
    if not names:
        raise IdentificationError('\n'.join(faults))
    remarks += [f'not used: {fault}' for fault in faults]


def _read(robot: Robot, settings: SourceSettings,
          show: Callable[[int, float], None] | None, item: tuple[int, str]) -> ReadSource:
    """Return what is read of a numbered path; without `show`, in another process."""
    number, path = item
    remarks: list[str] = []

    def shown(fraction: float) -> None:
        if show is not None:
            show(number, fraction)

    try:
        with threadpool_limits(1, user_api='blas'):
            if path.endswith(SUFFIX):
                summary = read_summary(Path(path), robot)
            else:
                summary = _summary(robot, path, settings, remarks, shown)
    except (RecordingError, IdentificationError) as error:
        return ReadSource(None, str(error))
    if summary.currents != (settings.gains is not None):
        raise ParameterError(
            f'{path}: a summary of ' + ('currents: add --effort-semantics current --gains'
                                        if summary.currents else
                                        'efforts, not of currents: remove --gains and '
                                        '--effort-semantics'))
    # rows are large: those of the first recording alone travel
    return ReadSource(summary if show is not None or number == 0
                      else replace(summary, rows=None), '', remarks)


def _summary(robot: Robot, path: str, settings: SourceSettings, remarks: list[str],
             show: Callable[[float], None]) -> Summary:
    recording = open_recording(path, settings.topic, lambda fraction: show(0.3 * fraction))
    segments, names = read_segments(recording, settings.names)
    pieces = pieces_of(segments, names, path)
    gains = settings.gains
    delay = settings.delay or 0.0
    recorded = checked(robot, [piece_without_delay(each, delay) for each in pieces], gains)
    if recorded.fault:
        held = names.hold.positions
        about = [*recording.remarks, *([f'not recorded, and taken to be at rest: '
                                        f'{held_text(held)}; did they move?'] if held else [])]
        more = f' ({"; ".join(about)})' if about else ''
        raise IdentificationError(f'{path}: {recorded.fault}{more}')
    name = recording.path.stem or 'recording'
    remarks += [f'{name}: {remark}' for remark in recorded.remarks]
    remarks += [f'{name}: {remark}' for remark in recording.remarks]
    automatic = {joint: position for joint, position in names.hold.positions.items()
                 if joint not in settings.names.hold.positions}
    if automatic:
        remarks.append(f'{name}: not recorded, and taken to be at rest: {held_text(automatic)}')
    if not recorded.moving.all():
        resting = [joint for joint, moves in zip(robot.joints, recorded.moving)
                   if not moves and joint not in names.hold.positions]
        if resting:
            remarks.append(f'{name}: {", ".join(resting)} at rest: not identified, as static '
                           'friction is undetermined')
    summary = summarised(robot, name, pieces, recorded.used, (settings.cutoff, settings.delay),
                         gains, lambda fraction: show(0.3 + 0.7 * fraction))
    zeros = ''
    if gains is None:
        fit = fitted_rows(robot, summary)
        changed = changed_payload(robot, fit)
        if changed:
            raise IdentificationError(f'{path}: {changed}')
        zeros = small_zeros(robot, pieces, summary, fit, recorded.moving)
    free = free_gains(gains, len(recorded.used))
    late = late_joints(robot, max(pieces, key=lambda piece: len(piece.q)), recorded.used, free)
    assert summary.rows is not None
    stepped = offset_steps(robot.joints, summary.rows, recorded.used)
    touched = contacts(robot.joints, summary.rows, recorded.used)
    remarks += [f'{name}: {note}' for note in (zeros, *late, *stepped, touched) if note]
    return summary

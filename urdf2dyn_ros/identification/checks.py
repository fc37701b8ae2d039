"""Checks of a recording before it is used, and recordings as summaries one by one."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, compress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.errors import ExportError, IdentificationError, ParameterError, RecordingError
from urdf2dyn_ros.estimation.hold import held_text
from urdf2dyn_ros.identification.changes import (
    changed_payload,
    contacts,
    fitted_rows,
    offset_steps,
    small_zeros,
)
from urdf2dyn_ros.identification.delays import late_efforts, late_joints, piece_without_delay
from urdf2dyn_ros.identification.gains import Gains, free_gains
from urdf2dyn_ros.identification.mistakes import NominalFit, mistakes_of, no_change, other_units
from urdf2dyn_ros.identification.robot import COULOMB, OFFSET, Robot, joint_columns
from urdf2dyn_ros.identification.rows import (
    MOVING_SPEED,
    STILL_RANGE,
    Piece,
    RecordedNames,
    pieces_of,
    read_segments,
)
from urdf2dyn_ros.identification.summary import (
    SUFFIX,
    Summary,
    SummaryGroups,
    read_summary,
    summarised,
    summary_bytes,
)
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.credibility import (
    NO_SIGN,
    dead_position,
    effort_doubts,
    have_no_sign,
    is_of_motion,
    sensor_fault,
)
from urdf2dyn_ros.recordings.workers import Lost, Workers, results_of
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import create_files
from urdf2dyn_ros.text import counted

# ---- What cannot be identified from, with the reason

_FEWEST_SAMPLES = 50   # with an effort, from which on it is judged
# largest position that is no damage [rad or m]; efforts of that size are not read
_LARGEST_POSITION = 1e9


class Checked(NamedTuple):
    """Which joints of a recording count, and why others do not."""

    moving: NDArray[np.bool_]   # (n,)
    used: Array   # (n,), 1 for joints that move and whose efforts are measured, else 0
    remarks: list[str]
    contradictions: list[str]   # what no model of the robot would explain
    fault: str   # why nothing can be identified, or empty


def checked(robot: Robot, pieces: Sequence[Piece], gains: Gains | None = None) -> Checked:
    """Return the checks of the pieces of a recording; with gains, its efforts are currents."""
    joints, limits = robot.joints, robot.dynamics.limits
    if gains is not None:
        pieces = [piece._replace(effort=piece.effort * gains.values) for piece in pieces]
    q, qd, effort = (np.concatenate([getattr(piece, name) for piece in pieces])
                     for name in ('q', 'qd', 'effort'))
    moving, speed = np.ptp(q, axis=0) > STILL_RANGE, np.abs(qd)
    while_moving = [effort[speed[:, j] > MOVING_SPEED * speed[:, j].max(initial=0.0), j]
                    for j in range(len(joints))]
    faults = list(map(sensor_fault, effort.T, while_moving))
    used = np.array([float(moves and not fault) for moves, fault in zip(moving, faults)])
    remarks = [f'{joint}: {fault}; it is not identified'
               for joint, fault, moves in zip(joints, faults, moving) if fault and moves]
    free = free_gains(gains, len(joints))   # which have any unit
    doubts = effort_doubts(
        {joint: effort for joint, effort, uses in zip(joints, while_moving, used) if uses},
        {joint: None if any_unit else limit.effort
         for joint, limit, any_unit in zip(joints, limits, free)})
    dead = [joint for j, joint in enumerate(joints) if not moving[j] and not faults[j]
            and _moves_unseen(robot, pieces, j, free)]
    if dead:
        doubts.append(dead_position(dead))
    return Checked(moving, used, remarks, doubts,
                   _fault(robot, pieces, moving, used, faults, gains))


def _moves_unseen(robot: Robot, pieces: Sequence[Piece], joint: int,
                  free: NDArray[np.bool_]) -> bool:
    """Return whether the effort of a joint that rests by its positions is not that of a rest."""
    nominal = NominalFit(robot, pieces, 1.0 * (np.arange(len(free)) == joint), free)
    left = float(nominal.left(no_change(len(free)))[joint])
    return nominal.samples >= _FEWEST_SAMPLES and is_of_motion(
        np.concatenate([piece.effort[:, joint] for piece in pieces]), 1.0 - math.exp(left))


def _fault(robot: Robot, pieces: Sequence[Piece], moving: NDArray[np.bool_], used: Array,
           faults: Sequence[str], gains: Gains | None) -> str:
    if not moving.any():
        return ('no joint moves by more than 0.02 rad or m: there is nothing to identify from; '
                'record a motion of all joints')
    spans = np.max([np.abs(piece.q).max(axis=0, initial=0.0) for piece in pieces], axis=0)
    if spans.max() > _LARGEST_POSITION:
        return f'position of up to {spans.max():.3g}: the recording is damaged'
    degrees, millimetres, beyond = _units_of_positions(robot, spans)
    if degrees and (not used.any() or _fit_degrees(robot, pieces, used, gains, beyond)):
        return degrees
    if millimetres:
        return millimetres
    ranges = [(np.nanmin(effort), np.nanmax(effort)) for effort, speed, uses in zip(
        np.concatenate([piece.effort for piece in pieces]).T,
        np.concatenate([piece.qd for piece in pieces]).T, used)
        if uses and speed.min() < 0.0 < speed.max()]
    if have_no_sign(ranges):
        return f'{NO_SIGN}; record them with their signs'
    for pair in combinations(np.flatnonzero(used).tolist(), 2):
        same = {what: all(np.array_equal(*getattr(piece, name)[:, pair].T) for piece in pieces)
                for name, what in (('q', 'positions'), ('effort', 'efforts'))}
        if not any(same.values()):
            continue
        one, other = (robot.joints[joint] for joint in pair)
        left = NominalFit(robot, pieces, used, free_gains(gains, len(used))).left(
            no_change(len(used)))[[*pair]]
        if not same['positions'] or left.max() > np.log(_STRONG):   # fingers move alike
            return (f'the {" and ".join(compress(same, same.values()))} of {one} and {other} are '
                    'the same in all samples: those of '
                    f"{(one, other)[int(np.argmax(left))]} look like a copy of the other's; "
                    "record each joint's own")
    if not used.any():
        reasons = [*dict.fromkeys(compress(faults, moving))]
        more = f'; and {len(reasons) - 2} more such reasons' if len(reasons) > 2 else ''
        return ('no joint that moves has a measured effort that can be used: '
                f'{"; ".join(reasons[:2])}{more}')
    return _effort_fault(robot, pieces, moving, used, gains)


# ---- Units of positions and efforts, and what else contradicts the URDF

_DEGREES = 180.0 / np.pi
_BEYOND_RANGE = 5.0   # position of a prismatic joint over its limits, from which on it is in mm
# logarithm of what the URDF leaves, over all joints, by which positions in degrees fit better
_CLEARER = 0.1
_WRONG_UNITS = 30.0   # effort over that of the URDF, or its inverse, that is one of units
_MOST_SAMPLES = 4000
_STRONG = 0.5   # share of an effort that the URDF's explains, from which on their ratio is known


def _units_of_positions(robot: Robot, spans: Array) -> tuple[str, str, list[bool]]:
    """
    Return that a joint looks recorded in degrees, and that one looks so in mm, or nothing.

    Third, which joints look so in degrees.
    """
    degrees, millimetres, beyond = '', '', list[bool]()
    for joint, unit, continuous, limit, span in zip(
            robot.joints, robot.dynamics.units, robot.dynamics.continuous, robot.dynamics.limits,
            spans):
        largest = max((abs(end) for end in (limit.lower, limit.upper) if end),
                      default=2.0 * np.pi if unit == 'rad' else 0.0)
        about = (f'{joint} is at up to {span:.4g}, but its limits in the URDF are {largest:.4g} '
                 f'{unit}: are the positions in ')
        beyond.append(unit == 'rad' and not continuous and span > max(2.0 * largest, 10.0))
        if beyond[-1]:
            degrees = degrees or f'{about}degrees? divide them by {_DEGREES:.5g}'
        if unit == 'm' and span > _BEYOND_RANGE * largest > 0.0:
            millimetres = millimetres or f'{about}mm or cm? convert them to m'
    return degrees, millimetres, beyond


def _fit_degrees(robot: Robot, pieces: Sequence[Piece], used: Array, gains: Gains | None,
                 beyond: list[bool]) -> bool:
    """
    Return whether the efforts fit positions in degrees, or a joint that turns several times.

    Those in degrees are all joints, or the ones that are beyond their limits.
    """
    nominal, change = NominalFit(robot, pieces, used, free_gains(gains, len(used))), no_change(
        len(used))
    recorded, *degrees = (float(nominal.left(change._replace(positions=np.diag(
        np.where(which, 1.0 / _DEGREES, 1.0)))).sum()) for which in (
            np.zeros(len(used)), np.array(robot.dynamics.units) == 'rad', beyond))
    return min(degrees) < recorded - _CLEARER


def _effort_fault(robot: Robot, pieces: Sequence[Piece], moving: NDArray[np.bool_], used: Array,
                  gains: Gains | None) -> str:
    """
    Return why efforts, or currents times gains, contradict the URDF's joints, or nothing.

    They are of another time, have a wrong sign, other units or another gravity, joints are
    interchanged, or positions have another zero or sign. Efforts are in N m or N; free gains have
    any unit and sign.
    """
    free, longest = free_gains(gains, len(used)), max(pieces, key=lambda piece: len(piece.q))
    late = late_efforts(robot, longest, used, free)
    if late:
        return late
    known = np.flatnonzero((used > 0) & ~free).tolist()
    factors, frictions, strong = _proportions(robot, pieces, known)
    sizes = factors[strong]
    if len(sizes) and sizes.max() < -0.1 and np.mean(frictions < 0.0) > 0.7:
        return ('the efforts have the wrong sign: they are minus what the URDF needs, and they '
                'push where friction brakes; change the sign of the '
                + ('efforts' if gains is None else 'gains'))
    sizes = np.sort(np.abs(sizes))
    middle = min((float(sizes[k]) for k in {(len(sizes) - 1) // 2, len(sizes) // 2}),
                 key=lambda each: abs(np.log(each)) if each else np.inf) if len(sizes) else 1.0
    if not 1.0 / _WRONG_UNITS < middle < _WRONG_UNITS:
        return (f'the efforts are {middle:.3g} times what the URDF needs: ' + (
            'are they in other units? they must be in N m or N; for currents, add '
            '--effort-semantics current --gains free' if gains is None else
            'are the currents in A, and the gains those of the joint, after its gear?'))
    mistakes = mistakes_of(robot, pieces, moving, used, free)
    if mistakes:
        return '; '.join(each.sentence(robot, gains is not None) for each in mistakes)
    of_urdf = {joint: float(factor) for joint, factor, is_known in zip(known, factors, strong)
               if is_known and factor}
    return '; '.join(
        f'the efforts of {robot.joints[joint]} are about {factor:.3g} times what fits those of '
        'the other joints: ' + (
            'are they in another unit, as N mm or a share of the rated torque? convert them to '
            'N m or N, or identify their unit with --effort-semantics current --gains 1 '
            f'{robot.joints[joint]}=free' if gains is None else
            f'check its gain, or identify it with --gains {robot.joints[joint]}=free')
        for joint, factor in other_units(robot, longest, used, free, of_urdf))


def _proportions(robot: Robot, pieces: Sequence[Piece],
                 joints: Sequence[int]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return factors of the URDF's efforts (m,), Coulomb friction, and which factors are known."""
    step = max(1, sum(len(piece.q) for piece in pieces) // _MOST_SAMPLES)
    q, qd, qdd, effort = (np.concatenate([getattr(piece, name)[::step] for piece in pieces])
                          for name in ('q', 'qd', 'qdd', 'effort'))
    nominal = robot.dynamics(q, qd, qdd)
    result = []
    for j in joints:
        known = np.isfinite(effort[:, j])
        own = joint_columns(qd[known, j], qdd[known, j], nominal[known, j], robot.sign_widths[j])
        columns = np.column_stack((nominal[known, j], own[:, [COULOMB, OFFSET]]))
        x = np.linalg.lstsq(columns, effort[known, j], rcond=None)[0]
        sizes = np.abs(x[:2]) * columns[:, :2].std(axis=0) / max(
            float(np.std(effort[known, j])), 1e-9)
        result.append((x[0], np.copysign(sizes[1], x[1]), sizes[0] > _STRONG))
    factors, frictions, strong = np.array(result, dtype=np.float64).reshape(-1, 3).T
    return factors, frictions, strong > 0.0


# ---- Recordings as summaries, one after the other: a damaged one costs only itself

@dataclass(frozen=True)
class SourceSettings:
    """How recordings are read."""

    topic: str | None   # of bags
    names: RecordedNames
    gains: Gains | None = None   # of currents; None where efforts are recorded
    cutoff: float | None = None   # [Hz]; None: chosen for each recording
    delay: float | None = None   # [s]; None likewise
    workers: Workers = field(default_factory=Workers)   # the processes that read
    columns: tuple[str, ...] = ()   # of tables


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
    workers = settings.workers

    def shown(number: int, fraction: float) -> None:
        show((number + fraction) / len(paths))

    # where this process does not read, nobody is told of the progress within a recording
    read = partial(_read, robot, settings, shown if workers.here else None)
    for number, result in enumerate(results_of(read, [*enumerate(paths)], workers)):
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
    try:
        with threadpool_limits(1, user_api='blas'):
            if path.endswith(SUFFIX):
                summary = read_summary(Path(path), robot)
            else:
                summary = _summary(robot, path, settings, remarks,
                                   partial(show, number) if show else lambda fraction: None)
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
    recording = open_recording(path, settings.topic, lambda fraction: show(0.3 * fraction),
                               settings.columns)
    segments, names = read_segments(recording, settings.names)
    pieces = pieces_of(segments, names, path)
    gains, held = settings.gains, names.hold.positions
    recorded = checked(
        robot, [piece_without_delay(each, settings.delay or 0.0) for each in pieces], gains)
    if recorded.fault:
        about = [*recording.remarks, *([f'not recorded, and taken to be at rest: '
                                        f'{held_text(held)}; did they move?'] if held else [])]
        more = f' ({"; ".join(about)})' if about else ''
        raise IdentificationError(f'{path}: {recorded.fault}{more}')
    name = recording.path.stem or 'recording'
    remarks += [f'{name}: {remark}' for remark in recorded.remarks]
    remarks += [f'{name}: {remark}' for remark in recording.remarks]
    automatic = {joint: position for joint, position in held.items()
                 if joint not in settings.names.hold.positions}
    if automatic:
        remarks.append(f'{name}: not recorded, and taken to be at rest: {held_text(automatic)}')
    resting = [joint for joint, moves in zip(robot.joints, recorded.moving)
               if not moves and joint not in held]
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
    found = (*recorded.contradictions, zeros, *late,
             *offset_steps(robot.joints, summary.rows, recorded.used),
             contacts(robot.joints, summary.rows, recorded.used))
    return replace(summary, contradictions=tuple(f'{name}: {each}' for each in found if each))


# ---- One file with the summary of many recordings, made in the memory of two

def check_merged_file(path: Path, overwrite: bool) -> None:
    """Raise an error if a merged summary must not be written to a path."""
    if path.suffix != SUFFIX:
        raise ParameterError(f'--merge {path}: must end with {SUFFIX}')
    if path.exists() and not overwrite:
        raise ExportError(f'{path} exists, which may be your work: choose another name, or add '
                          '--overwrite')


def write_merged(robot: Robot, recordings: Sequence[str], settings: SourceSettings, path: Path,
                 show: Callable[[float], None]) -> tuple[str, list[str]]:
    """
    Write the summary of all recordings; return a sentence about it, and remarks.

    An IdentificationError if none can be used, an ExportError if the file cannot be written.
    """
    groups, remarks = SummaryGroups(len(recordings), 1), list[str]()
    for summary in read_summaries(robot, shared_paths(recordings, settings), settings, remarks,
                                  show):
        groups.add(replace(summary, rows=None))
        remarks += summary.contradictions
    whole = replace(groups.summaries()[0], name=path.stem)
    try:
        create_files({path: summary_bytes(whole, robot)}, replace=True)
    except OSError as error:
        raise ExportError(f'cannot write {path}: {error.strerror}') from None
    return f'{path}: {counted(whole.recordings, "recording")}, {whole.seconds:.1f} s', remarks


def shared_paths(recordings: Sequence[str], settings: SourceSettings) -> list[str]:
    """Return paths that other machines read as well."""
    return [os.path.abspath(path) if settings.workers.scheduler else path for path in recordings]

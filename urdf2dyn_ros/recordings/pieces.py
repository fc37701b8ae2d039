"""
A recording as pieces of a motion on a grid, with the measured efforts.

Its samples are merged to segments without a gap, and each is smoothed as a whole.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.estimation.hold import Hold, unlimited_joints
from urdf2dyn_ros.estimation.messages import LARGEST_MEASURED, Message, MessageReader, Sample
from urdf2dyn_ros.recordings.bag import LATEST_STAMP
from urdf2dyn_ros.recordings.credibility import stuck
from urdf2dyn_ros.recordings.joint_names import match_joints
from urdf2dyn_ros.recordings.jumps import (
    alternating,
    alternation_sentence,
    jump_sentences,
    position_jumps,
)
from urdf2dyn_ros.recordings.offline_stream import MergedMotions
from urdf2dyn_ros.recordings.recording import NOT_RECORDED, Recording
from urdf2dyn_ros.recordings.smoothing import FEWEST_SMOOTHED, measured, smooth
from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, counted

# ---- A recording as segments without a gap: stamps, positions and measured efforts

_LONGEST_HOLE = 0.1   # between measured efforts, over which they are interpolated [s]
MEASURED_SHARE = 0.5   # share of the samples with an effort, from which on it is measured
_NOTHING_HELD = Hold()


class RecordedNames(NamedTuple):
    """Which joints are read from a recording, and how."""

    joints: tuple[str, ...]
    continuous: tuple[bool, ...]
    units: tuple[str, ...]   # of positions, 'rad' or 'm'
    hold: Hold = _NOTHING_HELD
    renames: tuple[str, ...] = ()   # rules of `renaming`
    mimics: Mapping[str, Mimic] = {}
    currents: bool | None = False   # whether the efforts are currents; None: they are not used


class RecordedSegment(NamedTuple):
    """Samples without a gap: stamps (k,) [ns], positions and efforts (k, m) of the recorded."""

    stamps: NDArray[np.int64]
    q: Array
    effort: Array

    def part(self, rows: NDArray[np.int64]) -> 'RecordedSegment':
        return RecordedSegment(self.stamps[rows], self.q[rows], self.effort[rows])


def read_segments(recording: Recording,
                  names: RecordedNames) -> tuple[list[RecordedSegment], RecordedNames]:
    """
    Return the segments of a recording, and the names with what is held in it.

    Repeated samples are dropped, and named where a driver stalls: see `measured`. A
    RecordingError if a joint is missing, its position jumps, the recording is damaged, or too
    short.
    """
    recording.check_measured()
    recorded = match_joints(recording, dict(zip(names.joints, names.units)), names.hold,
                            names.renames, names.mimics, names.currents)
    if recording.reading:
        recording.remark(recording.reading)
    kept = [joint for joint, name in enumerate(names.joints) if name in recorded.moving]
    units = [names.units[joint] for joint in kept]
    for remark in recorded.remarks:
        recording.remark(remark)
    reader = MessageReader(recorded.moving, Counter())
    merged = MergedMotions(unlimited_joints(
        recorded.moving, [names.continuous[joint] for joint in kept], units))
    last = recorded.heads[0].stamp
    later, rises = max(SECOND_NS - last, 0), 0
    for record in recorded.records:
        rises += record.stamp > last
        last = record.stamp
        stamp = record.stamp + later
        if not 0 < stamp < LATEST_STAMP:
            continue
        used = record if names.currents is not None else record._replace(effort=NOT_RECORDED)
        sample = reader.read(Message(stamp, *cast(Any, used[1:5])))
        if isinstance(sample, Sample):
            merged.add(stamp, sample)
    merged.end()
    whole, repeated = list[RecordedSegment](), 0
    for stamps, q, effort in merged.motions:
        new, stalled = measured(stamps, q, effort)
        repeated += int(stalled.sum())
        if new.sum() >= FEWEST_SMOOTHED:
            whole.append(RecordedSegment(stamps[new] - later, q[new], effort[new]))
    if repeated:
        recording.remark(f'{repeated} of {counted(recording.count, "record")} '
                         f'{"repeat" if repeated > 1 else "repeats"} the one before while the '
                         'motion goes on: the driver stalls; not used')
    for sentence in merged.frozen.values():
        if _seconds(whole) < SHORTEST_MOTION:
            raise RecordingError(recording.path, sentence)
        recording.remark(sentence)
    largest = max((abs(value) for record in recorded.heads for value in record.position),
                  default=0.0)
    if not whole and largest >= LARGEST_MEASURED:
        raise RecordingError(recording.path, f'position of up to {largest:.3g}: the recording is '
                             'damaged')
    if not whole and rises < 0.5 * (recording.count - 1):
        raise RecordingError(recording.path, f'its times rise at {rises} of {recording.count - 1} '
                             'steps: write the records in the order of their times')
    jumps = [jump for each in whole for jump in position_jumps(each.stamps, each.q)]
    if jumps:
        raise RecordingError(recording.path, '; '.join(jump_sentences(
            jumps, recorded.moving, units, int(whole[0].stamps[0]))))
    flags = np.any([alternating(each.stamps, each.q) for each in whole], axis=0) if whole else ()
    if any(flags):
        recording.remark(alternation_sentence([*compress(recorded.moving, flags)]))
    parts = [part for segment in whole for part in _without_holes(segment)]
    missing = _seconds(whole) - _seconds(parts)
    if missing > _LONGEST_HOLE:
        recording.remark('measured efforts are missing, or stay at one value, for up to '
                         f'{missing:.3g} s in the middle of the motion, which is not used')
    return parts, names._replace(hold=recorded.hold)


def _seconds(segments: Sequence[RecordedSegment]) -> float:
    return sum(float(segment.stamps[-1] - segment.stamps[0]) for segment in segments) / SECOND_NS


def _without_holes(segment: RecordedSegment) -> Iterator[RecordedSegment]:
    """Yield the parts between holes in the efforts of joints that are measured otherwise."""
    missing = np.zeros(len(segment.stamps), dtype=bool)
    for effort in segment.effort.T:
        rows = np.flatnonzero(np.isfinite(effort) & ~stuck(effort))
        if not MEASURED_SHARE * len(effort) <= len(rows) < len(effort):
            continue
        steps = np.diff(segment.stamps[rows])
        longest = max(_LONGEST_HOLE * SECOND_NS, 3.0 * float(np.median(steps)))
        for row in np.flatnonzero(steps > longest):
            missing[rows[row] + 1:rows[row + 1]] = True
    if not missing.any():
        yield segment
        return
    rows = np.flatnonzero(~missing)
    for part in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
        if len(part) >= FEWEST_SMOOTHED:
            yield segment.part(part)


# ---- Segments on a uniform grid: positions to accelerations, and efforts

_GRID_RATE = 125.0   # highest rate of the grid [Hz]: an arm has nothing above a third of it
_LONGEST_PIECE = 60.0   # that is smoothed and filtered as a whole [s]: the memory is bounded
SHORTEST_MOTION = 2.0   # shortest recording, and shortest motion [s]
UNUSED_ENDS = 0.25   # of a piece: start-up, and edges of filters [s]


class Piece(NamedTuple):
    """A motion of all joints of the robot without a gap."""

    time: Array   # (k,), with steps of about 1 / rate, since the first stamp [s]
    rate: float   # [Hz]
    q: Array   # (k, n) [rad or m]
    qd: Array   # (k, n) [rad/s or m/s]
    qdd: Array   # (k, n) [rad/s^2 or m/s^2]
    effort: Array   # (k, n), as recorded; NaN where it was not


def pieces_of(segments: Sequence[RecordedSegment], names: RecordedNames,
              path: object) -> list[Piece]:
    """Return the pieces; RecordingError if there are less than SHORTEST_MOTION seconds."""
    start = min((int(each.stamps[0]) for each in segments), default=0)
    pieces = list[Piece]()
    for segment in segments:
        seconds = float(segment.stamps[-1] - segment.stamps[0]) / SECOND_NS
        for rows in np.array_split(np.arange(len(segment.stamps)),
                                   max(1, int(np.ceil(seconds / _LONGEST_PIECE)))):
            if (piece := _resample(segment.part(rows), names, start)) is not None:
                pieces.append(piece)
    seconds = sum(piece.time[-1] - piece.time[0] for piece in pieces)
    if seconds < SHORTEST_MOTION:
        raise RecordingError(path, f'{seconds:.2f} s without a gap, but at least '
                             f'{SHORTEST_MOTION:g} s are needed: record a longer motion')
    return pieces


def _resample(segment: RecordedSegment, names: RecordedNames, start: int) -> Piece | None:
    stamps = segment.stamps
    seconds = float(stamps[-1] - stamps[0]) / SECOND_NS
    if len(stamps) < FEWEST_SMOOTHED or seconds < 3.0 * UNUSED_ENDS:
        return None
    period = float(np.median(np.diff(stamps))) / SECOND_NS
    count = int(seconds * min(1.0 / period, _GRID_RATE) * (1.0 + 1e-9)) + 1
    grid_stamps = np.linspace(stamps[0], stamps[-1], count).astype(np.int64)
    motion = smooth(stamps, segment.q, grid_stamps)
    step = seconds / (count - 1)
    full = with_held(np.array(motion[:3]), names)
    effort = np.full((count, len(names.joints)), np.nan)
    time = (stamps - stamps[0]) / SECOND_NS
    grid: Array = step * np.arange(count, dtype=np.float64)
    for column, joint in enumerate(_recorded(names)):
        effort[:, joint] = _averaged(time, segment.effort[:, column], grid, step,
                                     step > 1.5 * period)
    return Piece(grid + float(stamps[0] - start) / SECOND_NS, 1.0 / step,
                 full[0], full[1], full[2], effort)


def _recorded(names: RecordedNames) -> list[int]:
    return [k for k, name in enumerate(names.joints) if name not in names.hold.positions]


def with_held(motion: Array, names: RecordedNames) -> Array:
    """Return a motion (3, k, n) of all joints from that of the recorded ones (3, k, m)."""
    full = np.zeros((*motion.shape[:2], len(names.joints)))
    full[0] = [names.hold.positions.get(name, 0.0) for name in names.joints]
    full[:, :, _recorded(names)] = motion
    return full


def _averaged(time: Array, values: Array, grid: Array, step: float, average: bool) -> Array:
    """Return values on a grid, or their means over its steps; NaN if half of them are missing."""
    there = np.isfinite(values)
    if there.mean() < MEASURED_SHARE:
        return np.full(len(grid), np.nan)
    time, values = time[there], values[there]
    if not average:
        return np.interp(grid, time, values)
    total = np.concatenate(([0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(time))))
    ends: Array = np.clip(grid + np.array([[-0.5], [0.5]]) * step, time[0], time[-1])
    low, high = np.interp(ends, time, total)
    return np.asarray((high - low) / np.maximum(ends[1] - ends[0], 1e-12))


def without_delay(piece: Piece, delay: Array) -> Piece:
    """Return a piece without the delay (n,) of its efforts [s]."""
    samples = np.round(delay * piece.rate).astype(np.int64)
    kept = np.arange(-min(0, int(samples.min())), len(piece.q) - max(0, int(samples.max())))
    effort = piece.effort[kept[:, None] + samples, np.arange(len(samples))]
    return Piece(piece.time[kept], piece.rate, piece.q[kept], piece.qd[kept], piece.qdd[kept],
                 effort)

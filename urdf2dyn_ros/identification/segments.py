"""A recording as segments without a gap, on a uniform grid, filtered without a phase."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.estimation.hold import Hold, unlimited_joints
from urdf2dyn_ros.estimation.messages import Message, Messages
from urdf2dyn_ros.recordings.bag import LATEST_STAMP
from urdf2dyn_ros.recordings.joint_names import recorded_joints
from urdf2dyn_ros.recordings.jumps import (
    alternating,
    alternation_sentence,
    jump_sentences,
    position_jumps,
)
from urdf2dyn_ros.recordings.offline_stream import MergedMotions
from urdf2dyn_ros.recordings.recording import Recording
from urdf2dyn_ros.recordings.smoothing import FEWEST_SAMPLES, measured, smoothed
from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, counted

# ---- A recording as segments without a gap: stamps, positions and measured efforts

# longest time between two measured efforts over which they are interpolated [s]
_LONGEST_HOLE = 0.1
MEASURED_SHARE = 0.5   # share of the samples with an effort, from which on it is measured
NOTHING_HELD = Hold()


class RecordedNames(NamedTuple):
    """Joints of a robot, which are continuous, units, what is held, `renaming`, mimic joints."""

    joints: tuple[str, ...]
    continuous: tuple[bool, ...]
    units: tuple[str, ...]
    hold: Hold = NOTHING_HELD
    renames: tuple[str, ...] = ()
    mimics: Mapping[str, Mimic] = {}


class RecordedSegment(NamedTuple):
    """Samples without a gap: stamps (k,) [ns], positions and efforts (k, m) of the recorded."""

    stamps: NDArray[np.int64]
    q: Array
    effort: Array


def read_segments(recording: Recording,
                  names: RecordedNames) -> tuple[list[RecordedSegment], RecordedNames]:
    """
    Return the segments of a recording, and the names with what is held in it.

    Repeated samples are dropped, and named where a driver stalls: see `measured`. A
    RecordingError if a joint is missing, its position jumps, the recording is damaged, or too
    short.
    """
    recorded = recorded_joints(recording, recording, names.joints, names.hold, names.renames,
                               names.mimics)
    kept = [joint for joint, name in enumerate(names.joints) if name in recorded.moving]
    units = [names.units[joint] for joint in kept]
    for remark in recorded.remarks:
        recording.remark(remark)
    messages = Messages(recorded.moving, Counter())
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
        message = messages.read(*cast(Any, record[1:5]))
        if isinstance(message, Message):
            merged.add(stamp, message)
    merged.end()
    whole, repeated = list[RecordedSegment](), 0
    for stamps, q, effort in merged.motions:
        new, stalled = measured(stamps, q, effort)
        repeated += int(stalled.sum())
        if new.sum() >= FEWEST_SAMPLES:
            whole.append(RecordedSegment(stamps[new], q[new], effort[new]))
    if repeated:
        recording.remark(f'{repeated} of {counted(recording.count, "record")} '
                         f'{"repeat" if repeated > 1 else "repeats"} the one before while the '
                         'motion goes on: the driver stalls; not used')
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
        recording.remark(f'measured efforts are missing for up to {missing:.3g} s in the middle '
                         'of the motion, which is not used')
    return parts, names._replace(hold=recorded.hold)


def _seconds(segments: Sequence[RecordedSegment]) -> float:
    return sum(float(each.stamps[-1] - each.stamps[0]) for each in segments) / SECOND_NS


def _without_holes(segment: RecordedSegment) -> Iterator[RecordedSegment]:
    """Yield the parts between holes in the efforts of joints that are measured otherwise."""
    missing = np.zeros(len(segment.stamps), dtype=bool)
    for effort in segment.effort.T:
        rows = np.flatnonzero(np.isfinite(effort))
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
        if len(part) >= FEWEST_SAMPLES:
            yield RecordedSegment(segment.stamps[part], segment.q[part], segment.effort[part])


# ---- Segments of a recording on a uniform grid: positions to accelerations, and efforts

# highest rate of the grid [Hz]: the motion of an arm has nothing above a third of it
_GRID_RATE = 125.0
# longest piece that is smoothed and filtered as a whole [s], so that the memory is bounded
_LONGEST_PIECE = 60.0
# time at both ends of a piece that is not used: start-up, and edges of filters [s]
UNUSED_ENDS = 0.25
SHORTEST_MOTION = 2.0   # shortest recording, and shortest motion [s]
# duration of a piece from which on its blocks distinguish delays and units [s]
LEAST_JUDGED = 5.0


class Piece(NamedTuple):
    """A motion of all joints of the robot without a gap."""

    time: Array   # (k,), with steps of 1 / rate, since the first stamp of the recording [s]
    rate: float   # [Hz]
    q: Array   # (k, n) [rad or m]
    qd: Array   # (k, n) [rad/s or m/s]
    qdd: Array   # (k, n) [rad/s^2 or m/s^2]
    effort: Array   # (k, n), as recorded; NaN where it was not


def pieces_of(segments: Sequence[RecordedSegment], names: RecordedNames,
              path: object) -> list[Piece]:
    """Return the pieces; RecordingError if there are less than SHORTEST_MOTION seconds."""
    start = min((int(each.stamps[0]) for each in segments), default=0)
    pieces = [piece for segment in segments for part in _parts(segment)
              if (piece := _piece(part, names, start)) is not None]
    seconds = sum(piece.time[-1] - piece.time[0] for piece in pieces)
    if seconds < SHORTEST_MOTION:
        raise RecordingError(path, f'{seconds:.2f} s without a gap, but at least '
                             f'{SHORTEST_MOTION:g} s are needed: record a longer motion')
    return pieces


def _parts(segment: RecordedSegment) -> Iterator[RecordedSegment]:
    """Yield equal parts that are not too long."""
    seconds = float(segment.stamps[-1] - segment.stamps[0]) / SECOND_NS
    for rows in np.array_split(np.arange(len(segment.stamps)),
                               max(1, int(np.ceil(seconds / _LONGEST_PIECE)))):
        yield RecordedSegment(segment.stamps[rows], segment.q[rows], segment.effort[rows])


def _piece(segment: RecordedSegment, names: RecordedNames, start: int) -> Piece | None:
    stamps = segment.stamps
    seconds = float(stamps[-1] - stamps[0]) / SECOND_NS
    if len(stamps) < FEWEST_SAMPLES or seconds < 3.0 * UNUSED_ENDS:
        return None
    period = float(np.median(np.diff(stamps))) / SECOND_NS
    count = int(seconds * min(1.0 / period, _GRID_RATE) * (1.0 + 1e-9)) + 1
    at = np.linspace(stamps[0], stamps[-1], count).astype(np.int64)
    motion = smoothed(stamps, segment.q, at)
    step = seconds / (count - 1)
    held = names.hold.positions
    known = [number for number, name in enumerate(names.joints) if name not in held]
    full = np.zeros((3, count, len(names.joints)))
    full[0] = [held.get(name, 0.0) for name in names.joints]
    full[:, :, known] = motion[:3]
    effort = np.full((count, len(names.joints)), np.nan)
    time = (stamps - stamps[0]) / SECOND_NS
    grid: Array = step * np.arange(count, dtype=np.float64)
    for column, joint in enumerate(known):
        effort[:, joint] = _averaged(time, segment.effort[:, column], grid, step,
                                     step > 1.5 * period)
    return Piece(grid + float(stamps[0] - start) / SECOND_NS, 1.0 / step,
                 full[0], full[1], full[2], effort)


def _averaged(time: Array, values: Array, grid: Array, step: float, average: bool) -> Array:
    """Return values on a grid, or their means over its steps; NaN if half of them are missing."""
    there = np.isfinite(values)
    if there.mean() < MEASURED_SHARE:
        return np.full(len(grid), np.nan)
    time, values = time[there], values[there]
    if not average:
        return np.interp(grid, time, values)
    total = np.concatenate(([0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(time))))
    ends = [np.clip(grid + shift * step, time[0], time[-1]) for shift in (-0.5, 0.5)]
    low, high = (_integral(time, values, total, end) for end in ends)
    width: Array = ends[1] - ends[0]
    return (high - low) / np.maximum(width, 1e-12)


def _integral(time: Array, values: Array, total: Array, at: Array) -> Array:
    """Return the integral of a line through values up to some times."""
    row = np.clip(np.searchsorted(time, at, side='right') - 1, 0, len(time) - 2)
    part = at - time[row]
    slope = (values[row + 1] - values[row]) / (time[row + 1] - time[row])
    return np.asarray(total[row] + part * (values[row] + 0.5 * part * slope))


# ---- The same zero-phase low pass, delay and decimation for any number of signals, by their
# spectra
#
#     H(f) = exp(-2 pi i f delay) / (1 + (f / cutoff)^8)
#
# is a Butterworth filter of order 4, forwards and backwards. Signals are continued beyond their
# ends by a reflection at the end point, so that nothing wraps around.

# rate of the rows of a fit [Hz]; efforts of an arm have nothing above 10 Hz that is its own
ROW_RATE = 25.0
STILL_RANGE = 0.02   # range of the positions of a joint that does not move [rad or m]
HIGHEST_CUTOFF = 10.0   # cutoff of what is not filtered otherwise [Hz]
_PADDING = 2.0   # time by which signals are continued [s]
_ORDER = 8


class Spectra:
    """
    The spectra of signals (k, c) with a rate [Hz], up to half of ROW_RATE.

    `rows` returns the filtered signals at `time` (m,) [s], counted from the first sample.
    """

    def __init__(self, signals: Array, rate: float) -> None:
        # imported here because it takes half of the time in which a command starts
        from scipy import fft

        self._inverse = fft.irfft
        count = len(signals)
        padding = min(round(_PADDING * rate), count - 1)
        length = fft.next_fast_len(count + 2 * padding, real=True)
        duration = length / rate
        most = int(min(ROW_RATE, rate) / 2.0 * duration)
        self._frequency = np.arange(most + 1) / duration
        self._length = fft.next_fast_len(2 * (most + 1), real=True)
        self._scale = self._length / length
        step = duration / self._length
        first, last = padding / rate, (padding + count - 1) / rate
        times = step * np.arange(self._length)
        self._kept = (times >= first) & (times <= last)
        self.time = times[self._kept] - first
        ends = signals[:1], signals[-1:]
        self._mean = signals.mean(axis=0)
        rest = length - count - 2 * padding
        padded = np.concatenate((
            2.0 * ends[0] - signals[padding:0:-1], signals,
            2.0 * ends[1] - signals[-2:-padding - 2:-1] if padding else signals[:0]))
        # from the end of the continuation back to its begin, so that the circle is closed
        way = np.linspace(0.0, 1.0, rest + 2)[1:-1, None]
        closing = padded[-1:] * (1.0 - way) + padded[:1] * way
        self._spectra = fft.rfft(np.concatenate((padded, closing)), axis=0)[:most + 1]

    def rows(self, cutoff: float = HIGHEST_CUTOFF, delay: float = 0.0) -> Array:
        """Return the signals (m, c), low-passed [Hz] and delayed [s]."""
        f = self._frequency
        factor = np.exp(-2j * np.pi * f * delay) / (1.0 + (f / cutoff) ** _ORDER)
        rows: Array = self._inverse(self._spectra * factor[:, None], self._length, axis=0)
        return np.asarray(rows[self._kept] * self._scale)

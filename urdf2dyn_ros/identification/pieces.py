"""Segments of a recording on a uniform grid: positions to accelerations, and efforts."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.identification.segments import MEASURED_SHARE, RecordedNames, RecordedSegment
from urdf2dyn_ros.smoothing.smoother import FEWEST_SAMPLES, smoothed
from urdf2dyn_ros.stamps import SECOND_NS

_GRID_RATE = 125.0
"""Highest rate of the grid [Hz]: the motion of an arm has nothing above a third of it."""

_LONGEST_PIECE = 60.0
"""Longest piece that is smoothed and filtered as a whole [s], so that the memory is bounded."""

UNUSED_ENDS = 0.25
"""Time at both ends of a piece that is not used: start-up, and edges of filters [s]."""

SHORTEST_MOTION = 2.0
"""Shortest recording, and shortest motion [s]."""


LEAST_JUDGED = 5.0
"""Duration of a piece from which on its blocks distinguish delays and units [s]."""


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

"""A recording as rows of least squares: segments without a gap, pieces on a grid, columns."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.estimation.hold import Hold, unlimited_joints
from urdf2dyn_ros.estimation.messages import LARGEST_MEASURED, Message, MessageReader, Sample
from urdf2dyn_ros.identification.fit import (
    Pool,
    fits_to_others,
    left_squares,
    pooled,
    triangle,
    used_terms,
)
from urdf2dyn_ros.identification.gains import Gains, approximated
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    ASYMMETRY,
    COULOMB,
    JOINT_COLUMNS,
    LOAD,
    OFFSET,
    QUADRATIC,
    VISCOUS,
    Columns,
    Robot,
    in_units,
    joint_columns,
)
from urdf2dyn_ros.recordings.bag import LATEST_STAMP
from urdf2dyn_ros.recordings.credibility import stuck
from urdf2dyn_ros.recordings.joint_names import match_joints
from urdf2dyn_ros.recordings.jumps import (
    alternating,
    alternation_sentence,
    jump_sentences,
    position_jumps,
)
from urdf2dyn_ros.recordings.mistakes import UNUSED_ENDS, Piece
from urdf2dyn_ros.recordings.offline_stream import MergedMotions
from urdf2dyn_ros.recordings.recording import Recording
from urdf2dyn_ros.recordings.smoothing import FEWEST_SMOOTHED, measured, smooth
from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, counted

# ---- A recording as segments without a gap: stamps, positions and measured efforts

_LONGEST_HOLE = 0.1   # between measured efforts, over which they are interpolated [s]
MEASURED_SHARE = 0.5   # share of the samples with an effort, from which on it is measured
_NOTHING_HELD = Hold()


class RecordedNames(NamedTuple):
    """Joints of a robot, which are continuous, units, what is held, `renaming`, mimic joints."""

    joints: tuple[str, ...]
    continuous: tuple[bool, ...]
    units: tuple[str, ...]
    hold: Hold = _NOTHING_HELD
    renames: tuple[str, ...] = ()
    mimics: Mapping[str, Mimic] = {}
    currents: bool = False   # whether efforts are


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
    recorded = match_joints(recording, recording, dict(zip(names.joints, names.units)), names.hold,
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
        sample = reader.read(Message(stamp, *cast(Any, record[1:5])))
        if isinstance(sample, Sample):
            merged.add(stamp, sample)
    merged.end()
    whole, repeated = list[RecordedSegment](), 0
    for stamps, q, effort in merged.motions:
        new, stalled = measured(stamps, q, effort)
        repeated += int(stalled.sum())
        if new.sum() >= FEWEST_SMOOTHED:
            whole.append(RecordedSegment(stamps[new], q[new], effort[new]))
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
    positions = names.hold.positions
    recorded = [number for number, name in enumerate(names.joints) if name not in positions]
    full = np.zeros((3, count, len(names.joints)))
    full[0] = [positions.get(name, 0.0) for name in names.joints]
    full[:, :, recorded] = motion[:3]
    effort = np.full((count, len(names.joints)), np.nan)
    time = (stamps - stamps[0]) / SECOND_NS
    grid: Array = step * np.arange(count, dtype=np.float64)
    for column, joint in enumerate(recorded):
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
    ends: Array = np.clip(grid + np.array([[-0.5], [0.5]]) * step, time[0], time[-1])
    low, high = np.interp(ends, time, total)
    return np.asarray((high - low) / np.maximum(ends[1] - ends[0], 1e-12))


# ---- The same zero-phase low pass, delay and decimation for any number of signals, by spectra
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


# ---- Rows without friction of any kind: what bodies and rotors explain beside it
#
# A gain is the factor of the bodies' efforts. Friction that the model lacks, as one that differs
# between directions, is explained by wrong bodies instead, which a wrong gain makes cheap. So
# gains are those of rows from which any friction of a joint's own velocity is removed: that of
# JOINT_COLUMNS, the square, which differs between directions, and that which follows late when a
# joint turns back, as in harmonic drives (Dahl):
#
#     dz = (sign(dq) - z) |dq| / travel
#
# where z comes to the sign of the velocity within some travel.

# travels within which signs follow, over what a joint moves in 1 s at the width of its sign
_TRAVELS = (0.05, 0.2, 1.0)
_REMOVED = [VISCOUS, COULOMB, OFFSET, LOAD, QUADRATIC, ASYMMETRY]


def late_signs(q: Array, widths: Array) -> Array:
    """Return signs (k, n, 3) that follow late along positions (k, n), by SIGN_WIDTHS (n,)."""
    steps = np.diff(q, axis=0, prepend=q[:1])[:, :, None]
    kept = np.exp(-np.abs(steps) / (widths[:, None] * np.array(_TRAVELS)))
    added = np.sign(steps) * (1.0 - kept)
    signs = np.zeros(added.shape)
    for k in range(1, len(signs)):
        signs[k] = kept[k] * signs[k - 1] + added[k]
    return signs


def without_friction(rows: Array, signs: Array) -> Array:
    """Return a joint's rows (k, c) without friction, also that of late signs (k, 3)."""
    of_joint = rows[:, -1 - len(JOINT_COLUMNS):-1]
    columns = np.column_stack((of_joint[:, _REMOVED], of_joint[:, VISCOUS] ** 2, signs))
    columns /= np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    basis = basis[:, sizes > 1e-6 * max(sizes[0], 1e-300)]
    result = rows - basis @ (basis.T @ rows)
    result[:, -1 - len(JOINT_COLUMNS):-1] *= np.arange(len(JOINT_COLUMNS)) == ARMATURE
    return result


# ---- The rows of a recording's least-squares problem: columns and efforts at ROW_RATE

BLOCKS = 5   # parts of a recording that are held out in turn
BLOCK_GAP = 0.5   # time between such parts, in which errors are alike [s]
# spans of a block, in turn with those of the others, where joints move one after the other
_ROUNDS = 4
_LARGEST_SHARE = 0.6   # of a joint's motion in one block, up to which the others predict it
MOVING_SPEED = 0.03   # velocity above which a joint moves, in its fastest


class RecordedRows(NamedTuple):
    """Rows of all pieces of a recording."""

    joints: list[Array]   # (k, c) of each joint: columns of bodies, JOINT_COLUMNS, effort
    block: NDArray[np.int64]   # (k,), number of the block, BLOCKS for rows in gaps
    moves: NDArray[np.bool_]   # (k, n), whether a joint moves
    time: Array   # (k,), since the first stamp of the recording [s]
    q: Array   # (k, n), positions, and
    qd: Array   # velocities, neither filtered nor delayed

    def in_units(self, factors: Array) -> 'RecordedRows':
        """Return the rows with efforts multiplied by factors (n,)."""
        return self._replace(joints=[in_units(part, factor)
                                     for part, factor in zip(self.joints, factors)])


class RowSource:
    """
    Makes rows of pieces with any cutoff and delay.

    The effort is filtered with HIGHEST_CUTOFF alone: an effort that was filtered by its driver is
    met by the same cutoff of the columns. Rows at the end where a delay that is known brings
    columns from beyond it are not used.
    """

    def __init__(self, pieces: Sequence[Piece], columns: Columns, bodies: Array,
                 widths: Array, delay: float = 0.0) -> None:
        self._pieces, self._columns, self._widths = pieces, columns, widths
        self._efforts = [Spectra(np.nan_to_num(piece.effort), piece.rate) for piece in pieces]
        self._bodies: list[list[Spectra]] = []
        self._late: list[list[Spectra]] = []
        self.set_bodies(bodies)
        self._kept = [inner_times(spectra.time, delay) for spectra in self._efforts]
        times = [piece.time[0] + spectra.time[kept]
                 for piece, spectra, kept in zip(pieces, self._efforts, self._kept)]
        self.gains = np.ones(len(columns.bodies))   # by which efforts are multiplied
        self.fastest = np.max([np.abs(piece.qd).max(axis=0) for piece in pieces], axis=0)
        self._q, self._qd = (np.concatenate([
            np.stack([np.interp(time, piece.time, column) for column in getattr(piece, name).T],
                     axis=1) for piece, time in zip(pieces, times)]) for name in ('q', 'qd'))
        self._time = np.concatenate(times)
        self._block = divide(self._time, np.abs(self._qd) > MOVING_SPEED * self.fastest)

    def set_bodies(self, bodies: Array) -> None:
        """Use the parameters (b, 10) for the efforts on which friction with the load depends."""
        self._own: list[list[Spectra]] = []
        for piece in self._pieces:
            parts = self._columns(piece.q, piece.qd, piece.qdd)
            if len(self._bodies) < len(self._pieces):
                self._bodies.append([Spectra(part, piece.rate) for part in parts])
            self._own.append([Spectra(joint_columns(
                piece.qd[:, j], piece.qdd[:, j], part @ bodies[used].ravel(), self._widths[j]),
                piece.rate)
                for j, (part, used) in enumerate(zip(parts, self._columns.bodies))])

    def rows(self, cutoff: float, delay: float) -> RecordedRows:
        """Return all rows with a cutoff of the columns [Hz] and a delay of the efforts [s]."""
        joints = []
        efforts = [self.gains * spectra.rows(HIGHEST_CUTOFF)[kept]
                   for spectra, kept in zip(self._efforts, self._kept)]
        for j in range(len(self._columns.bodies)):
            parts = []
            for number, kept in enumerate(self._kept):
                both = [spectra.rows(cutoff, delay)[kept]
                        for spectra in (self._bodies[number][j], self._own[number][j])]
                parts.append(np.concatenate((*both, efforts[number][:, j:j + 1]), axis=1))
            joints.append(np.concatenate(parts))
        velocity = np.stack([rows[:, VISCOUS - 1 - len(JOINT_COLUMNS)] for rows in joints], axis=1)
        return RecordedRows(joints, self._block, np.abs(velocity) > MOVING_SPEED * self.fastest,
                            self._time, self._q, self._qd)

    def frictionless(self, cutoff: float, delay: float) -> RecordedRows:
        """Return the rows without friction."""
        if not self._late:
            self._late = [[Spectra(part, piece.rate) for part in np.moveaxis(
                late_signs(piece.q, self._widths), 1, 0)] for piece in self._pieces]
        rows = self.rows(cutoff, delay)
        late = [np.concatenate([spectra[j].rows(cutoff, delay)[kept]
                                for spectra, kept in zip(self._late, self._kept)])
                for j in range(len(rows.joints))]
        return rows._replace(joints=[without_friction(part, signs)
                                     for part, signs in zip(rows.joints, late)])


def inner_times(time: Array, delay: float) -> NDArray[np.bool_]:
    """Return which times of a piece (k,) [s] are far enough from its ends."""
    first, last = (min(max(UNUSED_ENDS, margin), 0.5 * float(time[-1]))
                   for margin in (delay, -delay))
    return np.asarray((time >= first) & (time <= time[-1] - last))


def divide(time: Array, moves: NDArray[np.bool_]) -> NDArray[np.int64]:
    """
    Return the block of each row: equal numbers of rows, with gaps between.

    A block is one span of time, or several where a joint moves (k, n) in hardly any other block.
    """
    whole = _spans(time, BLOCKS)
    counts = np.array([moves[whole == number].sum(axis=0) for number in range(BLOCKS)])
    if (counts.max(axis=0) <= _LARGEST_SHARE * counts.sum(axis=0)).all():
        return whole
    spans = _spans(time, _ROUNDS * BLOCKS)
    return np.where(spans < _ROUNDS * BLOCKS, spans % BLOCKS, BLOCKS)


def _spans(time: Array, most: int) -> NDArray[np.int64]:
    """Return the span of time of each row, and `most` for those in gaps."""
    count = len(time)
    number = np.minimum(np.arange(count) * most // max(count, 1), most - 1)
    gap = min(BLOCK_GAP, 0.1 / most * (time[-1] - time[0]))
    spans = number.copy()
    for edge in np.flatnonzero(np.diff(number)):
        middle = 0.5 * (time[edge] + time[edge + 1])
        spans[np.abs(time - middle) < 0.5 * gap] = most
    return spans


# ---- Rows as triangles of blocks, and how well those that are held out are predicted

_WEIGHT, _WEIGHT_OF_FREE_GAINS = 1.0, 10.0   # weights of the URDF's bodies, which may be wrong


def weighted_pools(rows: RecordedRows, weights: Array) -> list[Pool]:
    """Return the pools of the blocks, then of the gaps: rows by the roots of weights (k, n)."""
    result = []
    for number in range(BLOCKS + 1):
        chosen = weights * (rows.block == number)[:, None]
        result.append(Pool([triangle(part[weight > 0.0] * np.sqrt(weight[weight > 0.0])[:, None])
                            for part, weight in zip(rows.joints, chosen.T)], chosen.sum(axis=0)))
    return result


def block_pools(rows: RecordedRows, used: Array) -> list[Pool]:   # weights (n,) of joints
    return weighted_pools(rows, np.broadcast_to(used, rows.moves.shape))


def score(total: Array, count: Array) -> float:
    """Return the geometric mean of the root mean squares of the joints that count."""
    known = (count > 0) & (total > 0.0)
    return float(np.exp(0.5 * np.log(total[known] / count[known]).mean())) if known.any() else 0.0


def held_out_error(robot: Robot, pieces: Sequence[Piece], used: Array,
                   free: NDArray[np.bool_]) -> Array:
    """
    Return the logarithms of the residuals (n,) that a fit leaves of held-out blocks of pieces.

    The fit has possible bodies and friction that brakes; 0 for joints that are not used.
    """
    source = RowSource(pieces, robot.columns, robot.prior.parameters, robot.sign_widths)
    pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    gains = approximated(robot, pooled(pools), Gains(np.ones(len(free)), free))
    if free.any():
        source.gains = gains.values
        pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    unknown = tuple(np.flatnonzero(free & (used > 0)).tolist())
    fits = fits_to_others(robot, pools, used_terms(robot, used, source.fastest, unknown),
                          _WEIGHT_OF_FREE_GAINS if unknown else _WEIGHT)
    total, count = left_squares(robot, fits, pools)
    with np.errstate(divide='ignore', invalid='ignore'):
        errors = 0.5 * np.log(total / count) - np.log(np.abs(gains.values))
    return np.where((used > 0) & np.isfinite(errors), errors, 0.0)

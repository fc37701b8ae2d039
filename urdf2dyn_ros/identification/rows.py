"""Pieces of recordings as rows of least squares: filtered columns and efforts, in blocks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.fit import Pool, triangle
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    ASYMMETRY,
    COULOMB,
    LOAD,
    OFFSET,
    QUADRATIC,
    VISCOUS,
    Columns,
    in_units,
    joint_columns,
    parts_of_rows,
)
from urdf2dyn_ros.recordings.pieces import UNUSED_ENDS, Piece
from urdf2dyn_ros.robot.spatial import Array

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
    own = parts_of_rows(rows).own
    columns = np.column_stack((own[:, _REMOVED], own[:, VISCOUS] ** 2, signs))
    columns /= np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    basis = basis[:, sizes > 1e-6 * max(sizes[0], 1e-300)]
    result = rows - basis @ (basis.T @ rows)
    parts_of_rows(result).own[:] *= np.arange(own.shape[1]) == ARMATURE
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
                piece.qd[:, j], piece.qdd[:, j], part @ bodies[numbers].ravel(), self._widths[j]),
                piece.rate)
                for j, (part, numbers) in enumerate(zip(parts, self._columns.bodies))])

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
        velocity = np.stack([parts_of_rows(rows).own[:, VISCOUS] for rows in joints], axis=1)
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

def weighted_pools(rows: RecordedRows, weights: Array) -> list[Pool]:
    """Return the pools of the blocks, then of the gaps: rows by the roots of weights (k, n)."""
    result = []
    for number in range(BLOCKS + 1):
        chosen = weights * (rows.block == number)[:, None]
        result.append(Pool([triangle(part[weight > 0.0] * np.sqrt(weight[weight > 0.0])[:, None])
                            for part, weight in zip(rows.joints, chosen.T)], chosen.sum(axis=0)))
    return result


def block_pools(rows: RecordedRows, used: NDArray[np.bool_]) -> list[Pool]:   # joints (n,)
    return weighted_pools(rows, np.broadcast_to(used.astype(float), rows.moves.shape))


def score(total: Array, count: Array) -> float:
    """Return the geometric mean of the root mean squares of the joints that count."""
    known = (count > 0) & (total > 0.0)
    return float(np.exp(0.5 * np.log(total[known] / count[known]).mean())) if known.any() else 0.0

"""The rows of a recording's least-squares problem: columns and efforts at ROW_RATE."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.columns import Columns
from urdf2dyn_ros.identification.fit.joint_columns import VISCOUS, in_units, joint_columns
from urdf2dyn_ros.identification.fit.late_friction import eliminated, late_signs
from urdf2dyn_ros.identification.low_pass import HIGHEST_CUTOFF, Spectra
from urdf2dyn_ros.identification.pieces import UNUSED_ENDS, Piece

BLOCKS = 5
"""Parts of a recording that are held out in turn."""

BLOCK_GAP = 0.5
"""Time between such parts, in which errors are alike [s]."""

_ROUNDS = 4
"""Spans of a block, in turn with those of the others, where joints move one after the other."""

_LARGEST_SHARE = 0.6
"""Share of a joint's motion in one block from which on the others do not predict it."""

MOVING_SPEED = 0.03
"""Velocity above which a joint moves, in its fastest."""


class RecordedRows(NamedTuple):
    """Rows of all pieces of a recording."""

    joints: list[Array]   # (k, c) of each joint: columns of bodies, JOINT_COLUMNS, effort
    block: NDArray[np.int64]   # (k,), number of the block, BLOCKS for rows in gaps
    moves: NDArray[np.bool_]   # (k, n), whether a joint moves
    time: Array   # (k,), since the first stamp of the recording [s]

    def in_units(self, factors: Array) -> 'RecordedRows':
        """Return the rows with efforts that are multiplied by factors (n,)."""
        return self._replace(joints=[in_units(part, factor)
                                     for part, factor in zip(self.joints, factors)])


class RowSource:
    """
    Makes rows of pieces with any cutoff and delay.

    The effort is filtered with HIGHEST_CUTOFF alone: an effort that was filtered by its driver is
    met by the same cutoff of the columns.

    Rows at the end where a delay that is known brings columns from beyond it are not used.
    """

    def __init__(self, pieces: Sequence[Piece], columns: Columns, bodies: Array,
                 widths: Array, delay: float = 0.0) -> None:
        self._pieces, self._columns, self._widths = pieces, columns, widths
        self._efforts = [Spectra(np.nan_to_num(each.effort), each.rate) for each in pieces]
        self._bodies: list[list[Spectra]] = []
        self._late: list[list[Spectra]] = []
        self.set_bodies(bodies)
        self._kept = [inner_times(spectra.time, delay) for spectra in self._efforts]
        times = [each.time[0] + spectra.time[kept]
                 for each, spectra, kept in zip(pieces, self._efforts, self._kept)]
        self._gains = np.ones(len(columns.bodies))
        self.fastest = np.max([np.abs(each.qd).max(axis=0) for each in pieces], axis=0)
        speeds = [np.abs(np.stack([np.interp(time, each.time, qd) for qd in each.qd.T], axis=1))
                  for each, time in zip(pieces, times)]
        self._time = np.concatenate(times)
        self._block = _blocks(self._time, np.concatenate(speeds) > MOVING_SPEED * self.fastest)

    def set_gains(self, gains: Array) -> None:
        """Multiply the efforts by gains (n,)."""
        self._gains = gains

    def set_bodies(self, bodies: Array) -> None:
        """Use the parameters (b, 10) for the efforts on which friction with the load depends."""
        self._own: list[list[Spectra]] = []
        for each in self._pieces:
            parts = self._columns(each.q, each.qd, each.qdd)
            if len(self._bodies) < len(self._pieces):
                self._bodies.append([Spectra(part, each.rate) for part in parts])
            self._own.append([Spectra(joint_columns(
                each.qd[:, j], each.qdd[:, j], part @ bodies[used].ravel(), self._widths[j]),
                each.rate)
                for j, (part, used) in enumerate(zip(parts, self._columns.bodies))])

    def rows(self, cutoff: float, delay: float) -> RecordedRows:
        """Return all rows with a cutoff of the columns [Hz] and a delay of the efforts [s]."""
        joints = []
        efforts = [self._gains * spectra.rows(HIGHEST_CUTOFF)[kept]
                   for spectra, kept in zip(self._efforts, self._kept)]
        for j in range(len(self._columns.bodies)):
            parts = []
            for number, kept in enumerate(self._kept):
                both = [spectra.rows(cutoff, delay)[kept]
                        for spectra in (self._bodies[number][j], self._own[number][j])]
                parts.append(np.concatenate((*both, efforts[number][:, j:j + 1]), axis=1))
            joints.append(np.concatenate(parts))
        velocity = np.stack([rows[:, VISCOUS - 7] for rows in joints], axis=1)
        return RecordedRows(joints, self._block, np.abs(velocity) > MOVING_SPEED * self.fastest,
                            self._time)

    def rows_without_late_friction(self, cutoff: float, delay: float) -> RecordedRows:
        """Return the same without what friction that follows late explains in each block."""
        if not self._late:
            self._late = [[Spectra(part, each.rate) for part in np.moveaxis(
                late_signs(each.q, self._widths), 1, 0)] for each in self._pieces]
        rows = self.rows(cutoff, delay)
        late = [np.concatenate([spectra[j].rows(cutoff, delay)[kept]
                                for spectra, kept in zip(self._late, self._kept)])
                for j in range(len(rows.joints))]
        return rows._replace(joints=[eliminated(part, signs, self._block)
                                     for part, signs in zip(rows.joints, late)])


def inner_times(time: Array, delay: float) -> NDArray[np.bool_]:
    """Return which times of a piece (k,) [s] are far enough from its ends."""
    first, last = (min(max(UNUSED_ENDS, each), 0.5 * float(time[-1])) for each in (delay, -delay))
    inner: NDArray[np.bool_] = (time >= first) & (time <= time[-1] - last)
    return inner


def _blocks(time: Array, moves: NDArray[np.bool_]) -> NDArray[np.int64]:
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

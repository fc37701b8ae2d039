"""The rows of a recording's least-squares problem: columns and efforts, in blocks."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    USUAL,
    VISCOUS,
    Columns,
    Robot,
    in_units,
    joint_columns,
)
from urdf2dyn_ros.identification.segments import HIGHEST_CUTOFF, UNUSED_ENDS, Piece, Spectra
from urdf2dyn_ros.robot.spatial import Array

# ---- Rows without friction, of whatever kind: what bodies and rotors explain beside it
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
    """Return a joint's rows (k, c) without the part of friction, with late signs (k, 3)."""
    own = rows[:, -1 - len(JOINT_COLUMNS):-1]
    columns = np.column_stack((own[:, _REMOVED], own[:, VISCOUS] ** 2, signs))
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
# share of a joint's motion in one block from which on the others do not predict it
_LARGEST_SHARE = 0.6
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
        """Return the rows with efforts that are multiplied by factors (n,)."""
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
        self._efforts = [Spectra(np.nan_to_num(each.effort), each.rate) for each in pieces]
        self._bodies: list[list[Spectra]] = []
        self._late: list[list[Spectra]] = []
        self.set_bodies(bodies)
        self._kept = [inner_times(spectra.time, delay) for spectra in self._efforts]
        times = [each.time[0] + spectra.time[kept]
                 for each, spectra, kept in zip(pieces, self._efforts, self._kept)]
        self._gains = np.ones(len(columns.bodies))
        self.fastest = np.max([np.abs(each.qd).max(axis=0) for each in pieces], axis=0)
        self._q, self._qd = (np.concatenate([
            np.stack([np.interp(time, each.time, column) for column in getattr(each, name).T],
                     axis=1) for each, time in zip(pieces, times)]) for name in ('q', 'qd'))
        self._time = np.concatenate(times)
        self._block = _blocks(self._time, np.abs(self._qd) > MOVING_SPEED * self.fastest)

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
        velocity = np.stack([rows[:, VISCOUS - 1 - len(JOINT_COLUMNS)] for rows in joints], axis=1)
        return RecordedRows(joints, self._block, np.abs(velocity) > MOVING_SPEED * self.fastest,
                            self._time, self._q, self._qd)

    def frictionless(self, cutoff: float, delay: float) -> RecordedRows:
        """Return the same without friction."""
        if not self._late:
            self._late = [[Spectra(part, each.rate) for part in np.moveaxis(
                late_signs(each.q, self._widths), 1, 0)] for each in self._pieces]
        rows = self.rows(cutoff, delay)
        late = [np.concatenate([spectra[j].rows(cutoff, delay)[kept]
                                for spectra, kept in zip(self._late, self._kept)])
                for j in range(len(rows.joints))]
        return rows._replace(joints=[without_friction(part, signs)
                                     for part, signs in zip(rows.joints, late)])


def inner_times(time: Array, delay: float) -> NDArray[np.bool_]:
    """Return which times of a piece (k,) [s] are far enough from its ends."""
    first, last = (min(max(UNUSED_ENDS, each), 0.5 * float(time[-1])) for each in (delay, -delay))
    return np.asarray((time >= first) & (time <= time[-1] - last))


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


def block_pools(rows: RecordedRows, used: Array) -> list[Pool]:
    """Return the same with the weights of joints, 0 for those that are not used (n,)."""
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
        source.set_gains(gains.values)
        pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    unknown = tuple(np.flatnonzero(free & (used > 0)).tolist())
    fits = fits_to_others(robot, pools, used_terms(robot, used, source.fastest, unknown),
                          _WEIGHT_OF_FREE_GAINS if unknown else _WEIGHT)
    total, count = left_squares(robot, fits, pools)
    with np.errstate(divide='ignore', invalid='ignore'):
        errors = 0.5 * np.log(total / count) - np.log(np.abs(gains.values))
    return np.where((used > 0) & np.isfinite(errors), errors, 0.0)


# ---- Which joints look coupled by their gears: what a motor that turns with both would explain

_RIDGE = 1e-6   # share of each column's square that is added to it: columns may be equal


def coupling(rows: RecordedRows, residuals: Sequence[Array], used: Array) -> Array:
    """
    Return the share (n, n) of a joint's residual that a motor turning with another predicts.

    The friction of a motor whose velocity is r qd_i + s qd_j acts r times on joint i and s times
    on joint j, so that it depends on the other's velocity in the same way in both. The residual is
    that which a joint's own friction leaves; the share is what viscous and Coulomb friction with
    the other's velocity, with the same coefficients in both joints, removes from it in held-out
    blocks. Motions that happen to be alike show none, and errors of a model hardly any.
    """
    own = [part[:, -1 - len(JOINT_COLUMNS):-1][:, USUAL] for part in rows.joints]
    width, result = own[0].shape[1], np.zeros((len(used), len(used)))
    parts = {joint: np.column_stack((own[joint], residuals[joint]))
             / max(float(np.linalg.norm(residuals[joint])), 1e-300)
             for joint in np.flatnonzero(used).tolist()}
    alone = {joint: _unseen([part], rows.block)[0] for joint, part in parts.items()}
    for pair in combinations(parts, 2):
        if min(alone[joint] for joint in pair) <= 0.0:
            continue
        both = []   # own columns of one joint and of the other, those they share, the residual
        for place, (joint, other) in enumerate((pair, pair[::-1])):
            size = max(float(np.linalg.norm(residuals[joint])), 1e-300)
            part = np.zeros((len(rows.block), 2 * width + 3))
            part[:, place * width:(place + 1) * width] = parts[joint][:, :-1]
            part[:, -3:-1] = own[other][:, [VISCOUS, COULOMB]] / size
            part[:, -1] = parts[joint][:, -1]
            both.append(part)
        left = _unseen(both, rows.block)
        for k, (joint, other) in enumerate((pair, pair[::-1])):
            result[joint, other] = max(0.0, 1.0 - left[k] / alone[joint])
    return result


def _unseen(parts: Sequence[Array], block: NDArray[np.int64]) -> Array:
    """Return the squares (p,) that columns leave of the last one in blocks that are held out."""
    products = np.array([[part[block == number].T @ part[block == number]
                          for number in range(BLOCKS)] for part in parts])
    together, left = products.sum(axis=0), np.zeros(len(parts))
    for number in range(BLOCKS):
        seen = together.sum(axis=0) - together[number]
        normal = seen[:-1, :-1] + np.diag(_RIDGE * np.diag(seen)[:-1] + 1e-12)
        x = np.append(np.linalg.solve(normal, seen[:-1, -1]), -1.0)
        left += [x @ each[number] @ x for each in products]
    return left

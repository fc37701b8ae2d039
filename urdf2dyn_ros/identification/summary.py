"""A recording as a summary: triangles of its blocks, from which all fits and figures follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.choice import block_pools, choose_filter, weighted_pools
from urdf2dyn_ros.identification.fit.coupling import coupling
from urdf2dyn_ros.identification.fit.pooled_fit import (
    PRIOR_WEIGHT,
    Pool,
    fitted,
    pooled,
    used_terms,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, with_gains
from urdf2dyn_ros.identification.low_pass import HIGHEST_CUTOFF, ROW_RATE
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import BLOCKS, RecordedRows, RowSource

_HUBER = 1.5
"""Residual, in standard deviations, from which its weight falls."""

_LEAST_FOR_DELAY = 4.0
"""Duration below which no delay is chosen: that of a dozen parts of a UR10, 2 s each, is -20 to
33 ms, where the whole recording has 8 [s]."""


@dataclass(frozen=True)
class Summary:
    """What a fit needs of one or several recordings, with efforts in the recorded units."""

    name: str
    seconds: float   # duration of what is used [s]
    cutoff: float   # of the columns [Hz]
    delay: float   # of the efforts [s]
    used: Array   # (n,), 1 for joints whose efforts count, else 0
    fastest: Array   # (n,) [rad/s or m/s]
    correlation: Array   # (n,), rows that count as one, as neighbouring residuals are alike
    # rows of the fit, with small weights of large residuals: blocks, then gaps
    weighted: list[Pool]
    moving: list[Pool]   # rows for figures, of each block, in which a joint moves
    resting: list[Pool]   # the same in which it rests
    coupling: Array   # (n, n), what friction with another joint's velocity predicts
    joint_seconds: Array   # (n,), duration of what is used of each joint [s]
    currents: bool = False   # whether the efforts are currents
    recordings: int = 1
    rows: RecordedRows | None = None   # for pictures, where the recording was read

    def with_pools(self, change: Callable[[Sequence[Pool]], list[Pool]],
                   **values: Any) -> 'Summary':
        """Return a summary whose lists of pools are changed, with other values."""
        return replace(self, weighted=change(self.weighted), moving=change(self.moving),
                       resting=change(self.resting), **values)


def summarised(robot: Robot, name: str, pieces: Sequence[Piece], used: Array,
               filtering: tuple[float | None, float | None] = (None, None),
               gains: Gains | None = None,
               show: Callable[[float], None] = lambda fraction: None) -> Summary:
    """Return the summary of a recording's pieces; cutoff and delay are chosen unless set."""
    source = RowSource(pieces, robot.columns, robot.prior.parameters, robot.sign_widths,
                       filtering[1] or 0.0)
    if gains is not None:
        recorded = source.rows(HIGHEST_CUTOFF, 0.0)
        gains = approximated(robot, pooled(block_pools(recorded, used)), gains)
        source.set_gains(gains.values)
    show(0.3)
    terms = used_terms(robot, used, source.fastest)
    seconds = sum(piece.time[-1] - piece.time[0] for piece in pieces)
    given = 0.0 if filtering[1] is None and seconds < _LEAST_FOR_DELAY else filtering[1]
    cutoff, delay = choose_filter(robot, source, used, terms, filtering[0], given,
                                  by_bodies=gains is not None and bool(gains.free.any()))
    show(0.8)
    rows = source.rows(cutoff, delay)
    first = fitted(robot, pooled(block_pools(rows, used)), terms, PRIOR_WEIGHT, linear=True)
    source.set_bodies(first.fit.bodies)
    rows = source.rows(cutoff, delay)
    fit = fitted(robot, pooled(block_pools(rows, used)), terms, PRIOR_WEIGHT, linear=True)
    residuals = [part[:, :-1] @ fit.fit.solution(j, bodies) - part[:, -1]
                 for j, (part, bodies) in enumerate(zip(rows.joints, robot.columns.bodies))]
    result = Summary(name, float(seconds), cutoff, delay, used, source.fastest,
                     np.array([integral_time(each) for each in residuals]),
                     weighted_pools(rows, used * _huber_weights(residuals)),
                     weighted_pools(rows, used * rows.moves)[:BLOCKS],
                     weighted_pools(rows, used * ~rows.moves)[:BLOCKS],
                     coupling(rows, residuals, used), used * float(seconds),
                     gains is not None, 1, rows)
    return result if gains is None else in_other_units(result, 1.0 / gains.values)


def in_other_units(summary: Summary, factors: Array) -> Summary:
    """Return a summary whose efforts are multiplied by factors (n,)."""
    return summary.with_pools(lambda pools: with_gains(pools, factors),
                              rows=summary.rows and summary.rows.in_units(factors))


def _huber_weights(residuals: Sequence[Array]) -> Array:
    """Return the weights (k, n) of the rows of each joint."""
    weights = []
    for residual in residuals:
        sigma = 1.4826 * float(np.median(np.abs(residual)))
        weights.append(np.minimum(1.0, _HUBER * sigma / np.maximum(np.abs(residual), 1e-300))
                       if sigma > 0.0 else np.ones(len(residual)))
    return np.stack(weights, axis=1)


def integral_time(residual: Array) -> float:
    """Return how many rows count as one: 1 + 2 sum of autocorrelations, up to the first zero."""
    count = len(residual)
    centred = residual - residual.mean()
    size = float(centred @ centred)
    if count < 8 or size <= 0.0:
        return 1.0
    length = 2 * count
    spectrum = np.abs(np.fft.rfft(centred, length)) ** 2
    correlation = np.fft.irfft(spectrum, length)[:min(count // 2, round(5.0 * ROW_RATE))] / size
    below = np.flatnonzero(correlation < 0.05)
    last = int(below[0]) if len(below) else len(correlation)
    return float(1.0 + 2.0 * correlation[1:last].sum())

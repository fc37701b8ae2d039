"""What is held out of the fit in turn, the fits without it, and what they leave of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.fit_problem import Fit
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS, OFFSET
from urdf2dyn_ros.identification.fit.pooled_fit import Pool, pooled, squares
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

FEWEST_RECORDINGS = 3
"""Recordings from which on they are held out as a whole, not blocks of them."""


class HeldOutParts(NamedTuple):
    """Parts held out in turn: pools of the fit, and the moving and resting rows of each."""

    seen: list[Pool]
    moving: list[Pool]
    resting: list[Pool]
    name: str

    @property
    def every(self) -> list[Pool]:
        """All rows of each part."""
        return [pooled(pair) for pair in zip(self.moving, self.resting)]


def parts_of(summaries: Sequence[Summary], blocks_only: bool) -> HeldOutParts:
    """Return recordings as parts, or blocks of all if there are few recordings."""
    if len(summaries) >= FEWEST_RECORDINGS and not blocks_only:
        return HeldOutParts([pooled(each.weighted) for each in summaries],
                            [pooled(each.moving) for each in summaries],
                            [pooled(each.resting) for each in summaries], 'recordings')
    lists = [[pooled(pools) for pools in zip(*(getattr(each, name) for each in summaries))]
             for name in ('weighted', 'moving', 'resting')]
    blocks = len(lists[1])
    return HeldOutParts(lists[0][:blocks], lists[1], lists[2], 'blocks')


class Figures(NamedTuple):
    """Root mean squares of parts that were held out."""

    every: Array   # (3, n), residuals of MODELS in all samples
    moving: Array   # (3, n), the same in moving ones
    measured: Array   # (n,), efforts
    spread: Array   # (n,), efforts without their mean in all samples
    spread_moving: Array   # (n,), the same in moving ones

    @property
    def r2(self) -> Array:
        """Coefficients of determination (3, n) of MODELS: all samples."""
        return _determined(self.every, self.spread)

    @property
    def r2_moving(self) -> Array:
        """Coefficients of determination (3, n) of MODELS: moving samples."""
        return _determined(self.moving, self.spread_moving)


def _determined(residuals: Array, spread: Array) -> Array:
    return np.asarray(1.0 - (residuals / np.where(spread > 0.0, spread, np.nan)) ** 2)


def figures_of(robot: Robot, models: Sequence[Sequence[Fit]], every: Sequence[Pool],
               moving: Sequence[Pool], units: Array) -> Figures:
    """
    Return the figures of models, each a fit for each part, in units (n,) of the efforts.

    The parts are all rows, and the moving ones.
    """
    def total(values: Sequence[Array]) -> Array:
        """Return the sum over parts and sets of joints."""
        return np.asarray(np.sum(values, axis=0).reshape(-1, len(robot.joints)).sum(axis=0))

    def roots(pools: Sequence[Pool]) -> Array:
        rows = total([pool.rows for pool in pools])
        sums = [total([squares(fit, pool, robot) for fit, pool in zip(fits, pools)])
                for fits in models]
        return np.asarray(np.sqrt(np.array(sums) / np.where(rows > 0.0, rows, np.nan)) / units)

    def efforts(pools: Sequence[Pool]) -> tuple[Array, Array]:
        """Return root mean squares of efforts, and of efforts without their mean."""
        rows = total([pool.rows for pool in pools])
        count = np.where(rows > 0.0, rows, np.nan)
        square = total([np.array([float(R[:, -1] @ R[:, -1]) for R in pool.triangles])
                        for pool in pools]) / count
        mean = total([np.array([float(R[:, OFFSET - len(JOINT_COLUMNS) - 1] @ R[:, -1])
                                for R in pool.triangles]) for pool in pools]) / count
        return (np.sqrt(square) / units,
                np.sqrt(np.maximum(square - mean ** 2, 0.0)) / units)

    measured, spread = efforts(every)
    return Figures(roots(every), roots(moving), measured, spread, efforts(moving)[1])

"""What is held out of a fit in turn, what fits without it leave of it, and what is unlike it."""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.identification.fit import (
    Fit,
    FitTerms,
    Pool,
    PooledFit,
    fits_to_others,
    pooled,
    squares,
)
from urdf2dyn_ros.identification.robot import OFFSET, Robot, parts_of_rows
from urdf2dyn_ros.identification.rows import BLOCKS
from urdf2dyn_ros.identification.summary import PARTS, Summary
from urdf2dyn_ros.robot.spatial import Array

# ---- What is held out of the fit in turn, and what fits without it leave of it

FEWEST_RECORDINGS = 3   # recordings from which on they are held out as a whole, not blocks of them


class HeldOutParts(NamedTuple):
    """Parts held out in turn: pools of the fit, and the moving and resting rows of each."""

    seen: list[Pool]
    moving: list[Pool]
    resting: list[Pool]
    frictionless: list[Pool]
    name: str

    @property
    def every(self) -> list[Pool]:
        """All rows of each part."""
        return [pooled(pair) for pair in zip(self.moving, self.resting)]


def parts_of(summaries: Sequence[Summary], blocks_only: bool) -> HeldOutParts:
    """Return recordings as parts, or blocks of all if there are few recordings."""
    whole = len(summaries) >= FEWEST_RECORDINGS and not blocks_only
    seen, moving, resting, frictionless = (
        [pooled(getattr(summary, name)) for summary in summaries] if whole else
        [pooled(pools) for pools in zip(*(getattr(summary, name)[:BLOCKS]
                                          for summary in summaries))]
        for name in PARTS)
    return HeldOutParts(seen, moving, resting, frictionless, 'recordings' if whole else 'blocks')


# the URDF as it is; its bodies with fitted friction and rotors; everything fitted
MODELS = ('URDF', 'friction', 'identified')
AS_URDF, _, IDENTIFIED = range(len(MODELS))


class Figures(NamedTuple):
    """Root mean squares of parts that were held out."""

    every: Array   # (m, n), residuals of MODELS in all samples
    moving: Array   # (m, n), the same in moving ones
    measured: Array   # (n,), efforts
    spread: Array   # (n,), efforts without their mean in all samples
    spread_moving: Array   # (n,), the same in moving ones

    @property
    def r2(self) -> Array:
        """Coefficients of determination (m, n) of MODELS: all samples."""
        return np.asarray(1.0 - (self.every / np.where(
            self.spread > 0.0, self.spread, np.nan)) ** 2)

    @property
    def r2_moving(self) -> Array:
        """Coefficients of determination (m, n) of MODELS: moving samples."""
        return self._replace(every=self.moving, spread=self.spread_moving).r2


def figures_of(robot: Robot, models: Sequence[Sequence[Fit]], every: Sequence[Pool],
               moving: Sequence[Pool], units: Array) -> Figures:
    """Return figures of models, a fit for each part of the rows, in units (n,) of efforts."""
    def rows(pools: Sequence[Pool]) -> Array:
        count = np.sum([pool.rows for pool in pools], axis=0)
        return np.where(count > 0.0, count, np.nan)

    def roots(pools: Sequence[Pool]) -> Array:
        sums = [np.sum([squares(fit, pool, robot) for fit, pool in zip(fits, pools)], axis=0)
                for fits in models]
        return np.asarray(np.sqrt(np.array(sums) / rows(pools)) / units)

    def efforts(pools: Sequence[Pool]) -> tuple[Array, Array]:
        """Return root mean squares of efforts, and of efforts without their mean."""
        sums = np.sum([[(effort @ effort, own[:, OFFSET] @ effort)
                        for _, own, effort in map(parts_of_rows, pool.triangles)]
                       for pool in pools], axis=0)
        square, mean = sums.T / rows(pools)
        return np.sqrt(square) / units, np.sqrt(np.maximum(square - mean ** 2, 0.0)) / units

    measured, spread = efforts(every)
    return Figures(roots(every), roots(moving), measured, spread, efforts(moving)[1])


# ---- Recordings that the fit to the others does not predict

_MISFIT_RATIO = 2.5   # error of a recording, over the median of the others, that is no accident
# error of a recording, over its efforts, below which it fits: a faster motion has larger ones
_LEAST_MISFIT = 0.02
# others with which a recording is compared, so that the time does not grow with their square
_MOST_COMPARED = 30


class Unlike(NamedTuple):
    """That a recording is not predicted by a fit to the others."""

    ratio: float   # of its residual to theirs, the largest of all joints
    sentence: str


def unlike_recordings(robot: Robot, names: Sequence[str], fits: Sequence[PooledFit],
                      pools: Sequence[Pool]) -> dict[str, Unlike]:
    """
    Return the names of the recordings that a fit to the others does not predict.

    Its residuals are compared with those of the others in the same fit: a recording that does fit,
    but is predicted from one that does not, is not worse than they are. The pools are those of
    moving samples, as static friction leaves more than a load does.
    """
    unlike = dict[str, Unlike]()
    for number, (name, fit) in enumerate(zip(names, fits)):
        others = [pool for k, pool in enumerate(pools) if k != number]
        error, *errors = (
            np.sqrt(squares(fit.fit, pool, robot) / np.where(pool.rows > 0.0, pool.rows, np.nan))
            for pool in (pools[number], *others[::-(-len(others) // _MOST_COMPARED)]))
        typical = np.array([np.median(column[np.isfinite(column)]) if np.isfinite(column).any()
                            else np.nan for column in np.transpose(errors)])
        ratio = error / np.maximum(typical, 1e-12)
        efforts = np.array([np.linalg.norm(R[:, -1]) for R in pools[number].triangles])
        least = _LEAST_MISFIT * efforts / np.sqrt(np.maximum(pools[number].rows, 1.0))
        worse = (ratio > _MISFIT_RATIO) & (error > least)
        if worse.any():
            most = float(ratio[worse].max())
            unlike[name] = Unlike(
                most, f'recording {name} does not fit the others at '
                f'{", ".join(compress(robot.joints, worse))}: its residual is up to {most:.1f} '
                'times theirs; another payload, tool or day, a contact, or a sensor that failed?')
    return unlike


# ---- Two recordings that no robot explains together as well as each is explained alone

_OPPOSED_RATIO = 1.5   # residual together over that alone; friction of another day reaches 1.48


def opposed_recordings(robot: Robot, summaries: Sequence[Summary], together: Sequence[PooledFit],
                       terms: FitTerms, weight: float) -> Iterator[str]:
    """
    Yield that two recordings contradict each other, from fits to both without each block.

    Each block, which is longer than residuals are alike, is predicted by the other blocks of both
    and by those of its own recording. That counts for a joint by all of its blocks and by their
    median.
    """
    alone = [fit for summary in summaries
             for fit in fits_to_others(robot, summary.weighted[:BLOCKS], terms, weight)]
    blocks = [pool for summary in summaries for pool in summary.moving]
    both, single = (np.array([squares(fit.fit, pool, robot) for fit, pool in zip(fits, blocks)])
                    for fits in ([*together, *together], alone))
    used = np.all([summary.used for summary in summaries], axis=0) & (single.sum(axis=0) > 0.0)
    ratios = np.sqrt(both.sum(axis=0) / np.where(used, single.sum(axis=0), 1.0))
    medians = np.sqrt(np.median(both / np.where(single > 0.0, single, np.inf), axis=0))
    worse = used & (np.minimum(ratios, medians) > _OPPOSED_RATIO)
    if worse.any():
        most = float(ratios[worse].max())
        one, other = (summary.name for summary in summaries)
        joints = ', '.join(compress(robot.joints, worse))
        yield (f'{one} and {other} contradict each other at {joints}: together they leave a '
               f'residual of up to {most:.2g} times that of each alone; which one is wrong is not '
               'known. Are they of the same robot, with the same tool? Identify from each alone, '
               'or add a third')

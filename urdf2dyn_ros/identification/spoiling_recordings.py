"""Recordings that spoil the model for the others, or that these contradict."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.identification.choice import score
from urdf2dyn_ros.identification.fit.pooled_fit import (
    FitTerms,
    Pool,
    PooledFit,
    fitted,
    left_squares,
    pooled,
    squares,
)
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

_SPOILING_RATIO = 2.0
"""Residual of the others, with recordings over without them, from which on they are not used."""

_SUSPICIOUS_RATIO = 1.5
"""Residual of a recording over that of the others, in the fit to them, below which it fits."""

_WORTHWHILE = 1.1
"""Factor by which the ratio has to grow with each further recording that is excluded."""

_MOST_TOGETHER, _LARGEST_SHARE = 3, 3
"""Recordings that are excluded together: so many, and of so many one."""


_FOREIGN_RATIO = 10.0
"""Residual of a joint of one recording over that of the others, from which on it is not used."""

_LEAST_FOREIGN = 0.1
"""Share of the efforts of a recording that such a residual has at least."""

_FEWEST_OTHERS = 4
"""Others that agree, from which on one that does not is not used whatever it does to the model."""


class Spoiling(NamedTuple):
    """Recordings that are not used, and why."""

    numbers: tuple[int, ...]
    ratio: float   # residual of the others with them over that without
    foreign: bool = False   # then the ratio is the recording's residual over that of the others

    def sentence(self, summaries: Sequence[Summary]) -> str:
        """Return what is wrong and what to do."""
        names = ', '.join(summaries[number].name for number in self.numbers)
        several = len(self.numbers) > 1
        begin, them = ('s {} do not fit the others, and are', 'them') if several else (
            ' {} does not fit the others, and is', 'it')
        why = ('its residual is up to {:.0f} times theirs' if self.foreign else
               f'without {them} their residual is {{:.1f}} times smaller').format(self.ratio)
        return (f'recording{begin.format(names)} not used: {why}; another '
                'payload, tool or day, a contact, or a sensor that failed? if nothing is wrong '
                f'with {them}, identify {them} alone, with --payload-recording, or with '
                '--friction-per-recording')


def spoiling_recordings(robot: Robot, whole: PooledFit, fits: Sequence[PooledFit],
                        pools: Sequence[Pool], seen: Sequence[Pool], terms: FitTerms,
                        weight: float) -> Spoiling | None:
    """
    Return the recordings without which the others are explained far better, or None.

    The fit to all of them and that without some are both judged by the others (geometric mean of
    the joints). Of two that agree and one that does not it is the latter: without one of the
    former the others still contradict each other. Two with a load each spoil the fit without one
    of them as well: where no single one is enough and one does not fit, further ones are excluded
    with it.
    `fits` are without each recording, `seen` are the pools that were fitted; `pools` are those of
    moving samples, as static friction leaves more than a load does.
    """
    ratios = [_ratio(robot, whole, fit, _without(pools, [number]))
              for number, fit in enumerate(fits)]
    out, most = [int(np.argmax(ratios))], max(ratios)
    suspicious = any(_relative_error(robot, fit, pools, number) > _SUSPICIOUS_RATIO
                     for number, fit in enumerate(fits))
    while most <= _SPOILING_RATIO:
        if not suspicious or len(out) == min(_MOST_TOGETHER, len(pools) // _LARGEST_SHARE):
            return _foreign(robot, fits, pools)
        before, candidates = most, [k for k in range(len(pools)) if k not in out]
        ratios = [_ratio(robot, whole, fitted(robot, pooled(_without(seen, [*out, k])), terms,
                                              weight, whole), _without(pools, [*out, k]))
                  for k in candidates]
        most = max(ratios)
        if most < _WORTHWHILE * before:
            return _foreign(robot, fits, pools)
        out.append(candidates[int(np.argmax(ratios))])
    return Spoiling(tuple(sorted(out)), most)


def _foreign(robot: Robot, fits: Sequence[PooledFit], pools: Sequence[Pool]) -> Spoiling | None:
    """
    Return the recording that the model of the others explains least at some joint, or None.

    Among a dozen it hardly changes the model, but is of no use: a dead sensor, a cut effort.
    """
    if len(pools) <= _FEWEST_OTHERS:
        return None
    most, number = max((_largest_ratio(robot, fit, pools, k), k) for k, fit in enumerate(fits))
    return Spoiling((number,), most, foreign=True) if most > _FOREIGN_RATIO else None


def _largest_ratio(robot: Robot, fit: PooledFit, pools: Sequence[Pool], number: int) -> float:
    """Return the largest of the joints' residuals of a recording over those of the others."""
    own, efforts = (np.sqrt(each / np.maximum(pools[number].rows, 1.0)) for each in (
        squares(fit.fit, pools[number], robot),
        np.array([R[:, -1] @ R[:, -1] for R in pools[number].triangles])))
    others = _without(pools, [number])
    total, count = left_squares(robot, [fit] * len(others), others)
    known = (pools[number].rows > 0.0) & (total > 0.0) & (own > _LEAST_FOREIGN * efforts)
    return float((own[known] / np.sqrt(total[known] / count[known])).max(initial=0.0))


def _without(pools: Sequence[Pool], numbers: Collection[int]) -> list[Pool]:
    return [pool for k, pool in enumerate(pools) if k not in numbers]


def _error(robot: Robot, fit: PooledFit, pools: Sequence[Pool]) -> float:
    return score(*left_squares(robot, [fit] * len(pools), pools))


def _ratio(robot: Robot, whole: PooledFit, part: PooledFit, pools: Sequence[Pool]) -> float:
    """Return the residual of pools in a fit to all over that in another one."""
    without = _error(robot, part, pools)
    return _error(robot, whole, pools) / without if without > 0.0 else 1.0


def _relative_error(robot: Robot, fit: PooledFit, pools: Sequence[Pool], number: int) -> float:
    """Return the residual of a recording over that of the others in the fit to them."""
    others = _error(robot, fit, _without(pools, [number]))
    return _error(robot, fit, [pools[number]]) / others if others > 0.0 else 1.0

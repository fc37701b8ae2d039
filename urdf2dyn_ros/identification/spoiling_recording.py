"""A recording that spoils the model for all others: another payload, tool or mounting."""

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.identification.choice import score
from urdf2dyn_ros.identification.fit.pooled_fit import Pool, PooledFit, left_squares
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

_SPOILING_RATIO = 2.0
"""Residual of the others, with a recording over without it, from which on it is not used."""


class Spoiling(NamedTuple):
    """A recording that is not used, and the residual of the others with it over without it."""

    number: int
    ratio: float

    def sentence(self, summaries: Sequence[Summary]) -> str:
        """Return what is wrong and what to do."""
        return (f'recording {summaries[self.number].name} does not fit the others, and is not '
                f'used: without it their residual is {self.ratio:.1f} times smaller; another '
                'payload, tool, or day? identify it alone, with --payload-recording, or with '
                '--friction-per-recording')


def spoiling_recording(robot: Robot, whole: PooledFit, fits: Sequence[PooledFit],
                       pools: Sequence[Pool]) -> Spoiling | None:
    """
    Return the recording without which the others are explained far better, or None.

    The fit to all of them and that without it are both judged by the others (geometric mean of the
    joints). Of two that agree and one that does not it is the latter: without one of the former
    the others still contradict each other.

    """
    ratios = []
    for number, fit in enumerate(fits):
        others = [pool for k, pool in enumerate(pools) if k != number]
        with_it, without = (score(*left_squares(robot, [each] * len(others), others))
                            for each in (whole, fit))
        ratios.append(with_it / without if without > 0.0 else 1.0)
    most = max(ratios)
    return Spoiling(ratios.index(most), most) if most > _SPOILING_RATIO else None

"""
Summaries of several recordings, merged into one of the same size.

Merging is associative, and its order has no effect beyond rounding: triangles of the same block
are those of all their rows, and everything else is a sum, a largest value or a weighted mean. So
days merge into months, and robots into a fleet, and no more than two summaries are in memory.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.fit.pooled_fit import Pool, pooled
from urdf2dyn_ros.identification.summary import Summary

MOST_SUMMARIES = 30
"""Largest number of groups of neighbours as which many recordings are fitted and held out."""


def merged_summary(first: Summary, second: Summary) -> Summary:
    """
    Return the summary of two; a ParameterError if one is of currents and the other of efforts.
    """
    if first.currents != second.currents:
        raise ParameterError(f'{first.name} and {second.name}: one is a summary of currents, the '
                             'other of efforts: merge those of each kind')
    seconds = first.seconds + second.seconds
    share = second.seconds / seconds
    joints = first.joint_seconds + second.joint_seconds
    joint_share = second.joint_seconds / np.where(joints > 0.0, joints, 1.0)
    return replace(
        first, seconds=seconds, cutoff=first.cutoff + share * (second.cutoff - first.cutoff),
        delay=first.delay + share * (second.delay - first.delay),
        recordings=first.recordings + second.recordings,
        used=np.maximum(first.used, second.used),
        fastest=np.maximum(first.fastest, second.fastest),
        correlation=_mean(first.correlation, second.correlation, joint_share),
        joint_seconds=joints, weighted=_merged(first.weighted, second.weighted),
        moving=_merged(first.moving, second.moving),
        resting=_merged(first.resting, second.resting),
        coupling=_mean(first.coupling, second.coupling, np.full(len(joints), share)))


def _mean(first: Array, second: Array, share: Array) -> Array:
    """Return the mean of each row with the second's share (n,)."""
    return first + (share * (second - first).T).T


def _merged(first: Sequence[Pool], second: Sequence[Pool]) -> list[Pool]:
    return [pooled(pair) for pair in zip(first, second)]


class SummaryGroups:
    """
    Summaries one after the other, as at most so many groups of neighbours.

    The memory is that of the groups, however many summaries are added.
    """

    def __init__(self, total: int, most: int) -> None:
        self._total, self._most = max(total, most), most
        self._added = 0
        self._groups: dict[int, Summary] = {}

    def add(self, summary: Summary) -> None:
        number = self._added * self._most // self._total
        self._added += 1
        before = self._groups.get(number)
        self._groups[number] = summary if before is None else merged_summary(before, summary)

    def summaries(self) -> list[Summary]:
        """Return the groups, each with the name of its first recording."""
        return [each if each.recordings == 1 else replace(
            each, name=f'{each.name}_and_{each.recordings - 1}_more')
            for each in self._groups.values()]

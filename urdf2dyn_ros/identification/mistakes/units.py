"""Efforts of some joints that are in other units than those of the others."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.mistakes.change import no_change
from urdf2dyn_ros.identification.mistakes.held_out_fit import held_out_error
from urdf2dyn_ros.identification.pieces import LEAST_JUDGED, Piece
from urdf2dyn_ros.identification.robot import Robot

_SUSPICIOUS = 3.0
"""Ratio of two joints' efforts over those of the URDF, whose masses may be wrong, for a trial."""

_CONFIRMED = 1.0
"""
Logarithm of what a fit leaves of held-out blocks, over all joints, by which it falls with free
gains if units differ: 3 to 15 where they do, up to 0.2 on robots whose efforts are right.
"""


def other_units(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_],
                factors: Mapping[int, float]) -> list[tuple[int, float]]:
    """
    Return joints whose efforts no bodies explain together with those of the others, and factors.

    `factors` are efforts over those of the URDF, of the joints at which this ratio is known; that
    of the joints which are right is the one that is nearest to 1.
    """
    if len(factors) < 2 or piece.time[-1] - piece.time[0] < LEAST_JUDGED:
        return []
    sizes = np.log(np.abs([*factors.values()]))
    right = sizes[np.argmin(np.abs(sizes))]
    suspects = {joint: float(np.exp(size - right)) for joint, size in zip(factors, sizes)
                if abs(size - right) > np.log(_SUSPICIOUS)}
    if not suspects:
        return []
    unchanged, every = no_change(len(used)), free | np.isin(np.arange(len(used)), list(suspects))

    def error(unknown: NDArray[np.bool_]) -> float:
        return float(held_out_error(robot, piece, used, unknown, unchanged).sum())

    least = error(every)
    return [(joint, factor) for joint, factor in suspects.items()
            if error(every & (np.arange(len(used)) != joint)) - least > _CONFIRMED]

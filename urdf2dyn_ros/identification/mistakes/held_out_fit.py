"""How well any bodies explain a recording that is changed, on blocks that are held out."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.choice import block_pools
from urdf2dyn_ros.identification.fit.pooled_fit import (
    fits_to_others,
    left_squares,
    pooled,
    used_terms,
)
from urdf2dyn_ros.identification.gains import Gains, approximated
from urdf2dyn_ros.identification.low_pass import HIGHEST_CUTOFF
from urdf2dyn_ros.identification.mistakes.change import Change
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import BLOCKS, RowSource

_WEIGHT, _WEIGHT_OF_FREE_GAINS = 1.0, 10.0
"""Weights of the URDF's bodies, which may be wrong."""


def held_out_error(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_],
                   change: Change) -> Array:
    """
    Return the logarithms of the residuals (n,) that a fit leaves of held-out blocks of a piece.

    The fit has possible bodies and friction that brakes; 0 for joints that are not used.
    """
    robot = change.robot(robot)
    source = RowSource(change.pieces([piece]), robot.columns, robot.prior.parameters,
                       robot.sign_widths)
    pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    gains = approximated(robot, pooled(pools), Gains(np.ones(len(free)), free))
    if free.any():
        source.set_gains(gains.values)
        pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    unknown = tuple(np.flatnonzero(free & (used > 0)).tolist())
    terms = used_terms(robot, used, source.fastest, unknown)
    weight = _WEIGHT_OF_FREE_GAINS if unknown else _WEIGHT
    total, count = left_squares(robot, fits_to_others(robot, pools, terms, weight), pools)
    with np.errstate(divide='ignore', invalid='ignore'):
        errors = 0.5 * np.log(total / count) - np.log(np.abs(gains.values))
    return np.where((used > 0) & np.isfinite(errors), errors, 0.0)

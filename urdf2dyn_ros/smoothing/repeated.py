"""Positions of single joints that a driver repeated, in a piece of a recording."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.repeated_joints import RepeatedJoints
from urdf2dyn_ros.joint_states.repeated_positions import (
    CONFIRMATIONS,
    LARGE_CHANGE,
    LARGEST_ROUNDING,
    RUNS_WITHIN_NS,
    SAME_SPEED,
)
from urdf2dyn_ros.robot.spatial import Array

_AROUND = np.arange(-2, 2)

_SAME_INSTANT = 0.01
"""Part of the mean step below which two samples are of one instant."""


def single_instants(stamps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """
    Return which samples at stamps (k,) [ns] are the last ones of their instant, (k,).

    Messages that are sent twice, or received together, are some microseconds apart; with these
    steps, neither a period nor a velocity is known.
    """
    steps = np.diff(stamps)
    return np.append(steps >= _SAME_INSTANT * steps.mean(), True)


def without_repeated(stamps: NDArray[np.int64], positions: Array) -> Array:
    """
    Return positions (k, n) [rad or m] at stamps (k,) [ns] with no repeated ones of single joints.

    They are replaced by a cubic through two new positions on either side. Samples all of whose
    positions are repeated must be excluded before.
    """
    if not any(_may_be_repeated(stamps, column) for column in positions.T):
        return positions
    joints, none = RepeatedJoints(positions.shape[1]), np.full(positions.shape[1], np.nan)
    for stamp, row in zip(stamps.tolist(), positions):
        joints.update(stamp, row, none)
    if not joints.known:
        return positions
    repeated, result = joints.among(positions), positions.copy()
    for joint in np.flatnonzero(repeated.any(axis=0)).tolist():
        rows, new = (np.flatnonzero(repeated[:, joint] == value) for value in (True, False))
        first = np.clip(np.searchsorted(new, rows), 2, len(new) - 2)
        near = new[first[:, None] + _AROUND]
        weights = cubic_weights((stamps[near] - stamps[rows, None]) * 1e-9)
        result[rows, joint] = (weights * positions[near, joint]).sum(axis=1)
    return result


def _may_be_repeated(stamps: NDArray[np.int64], positions: Array) -> bool:
    """Return whether some changes of a joint make up for positions that stayed before them."""
    rows = 1 + np.flatnonzero(np.diff(positions))
    if len(rows) <= CONFIRMATIONS or len(rows) == len(positions) - 1:
        return False
    changes = positions[rows] - positions[rows - 1]
    size = np.abs(changes)
    large = LARGE_CHANGE * size[size > LARGEST_ROUNDING].min(initial=np.inf)
    stayed = (rows[1:] - rows[:-1] > 1) & (size[1:] > large) & (size[:-1] > large)
    before, after = np.flatnonzero(stayed), 1 + np.flatnonzero(stayed)
    ratio = (changes[after] / changes[before] * (stamps[rows[before]] - stamps[rows[before] - 1])
             / (stamps[rows[after]] - stamps[rows[before]]))
    made_up = (ratio > 1.0 / SAME_SPEED) & (ratio < SAME_SPEED)
    found = stamps[rows[after[made_up]]]
    last = CONFIRMATIONS - 1
    return bool((found[last:] - found[:max(len(found) - last, 0)] < RUNS_WITHIN_NS).any())


def cubic_weights(times: Array) -> Array:
    """Return the weights (k, 4) of four values at times (k, 4) in their cubic at the time 0."""
    apart = times[:, :, None] - times[:, None, :]
    factors = np.repeat(-times[:, None, :], 4, axis=1)
    diagonal = np.arange(4)
    apart[:, diagonal, diagonal] = factors[:, diagonal, diagonal] = 1.0
    weights: Array = factors.prod(axis=2) / apart.prod(axis=2)
    return weights

"""The room that the limits of joints leave for a motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits

_POSITION_SHARE, _VELOCITY_SHARE = 0.8, 0.6
"""Largest share of a limit that a motion uses."""

_LARGEST = {'prismatic': (0.15, 0.3)}
_LARGEST_ANGLES = (0.8, 1.5)
"""Largest amplitude and velocity [m], [m/s]; of all other types [rad], [rad/s]."""


class Room(NamedTuple):
    """
    Range and velocity of n joints.

    Attributes
    ----------
    centre : ndarray, (n,)
        The position closest to zero with this amplitude to both sides [rad or m].
    amplitude : ndarray, (n,)
        At most 80 % of the way to the limits [rad or m].
    velocity : ndarray, (n,)
        At most 60 % of the limit [rad/s or m/s]; a limit of 0 is a placeholder, not a limit.

    """

    centre: Array
    amplitude: Array
    velocity: Array


def room_of(types: Sequence[str], limits: Sequence[Limits]) -> Room:
    """
    Return the room of joints; without limits 0.8 rad and 1.5 rad/s, or 0.15 m and 0.3 m/s.

    A limit on the position of a continuous joint is not used.

    """
    rows = [_room(*pair) for pair in zip(types, limits, strict=True)]
    return Room(*np.array(rows).reshape(-1, 3).T)


def _room(kind: str, limits: Limits) -> tuple[float, float, float]:
    amplitude, velocity = _LARGEST.get(kind, _LARGEST_ANGLES)
    lower, upper = (None, None) if kind == 'continuous' else (limits.lower, limits.upper)
    if lower is not None and upper is not None:
        amplitude = min(amplitude, _POSITION_SHARE * abs(upper - lower) / 2.0)
    swing = amplitude / _POSITION_SHARE
    centre = 0.0
    if lower is not None:
        centre = max(centre, lower + swing)
    if upper is not None:
        centre = min(centre, upper - swing)
    if limits.velocity:
        velocity = min(velocity, _VELOCITY_SHARE * limits.velocity)
    return centre, amplitude, velocity

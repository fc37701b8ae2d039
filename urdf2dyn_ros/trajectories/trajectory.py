"""The contract of every motion, and how much room a joint's limits leave it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits

_POSITION_SHARE, _VELOCITY_SHARE = 0.8, 0.6
"""How much of the way to a limit is used."""

_AMPLITUDES = {'prismatic': 0.15}
_VELOCITIES = {'prismatic': 0.3}
"""Where limits do not ask for less [m], [m/s]; revolute joints have the following."""
_AMPLITUDE, _VELOCITY = 0.8, 1.5
"""[rad], [rad/s]."""


class Trajectory(Protocol):
    """
    A motion of n joints, at rest at `centre` before 0 and after `duration`.

    Attributes
    ----------
    duration : float
        [s].
    centre : ndarray, (n,)
        Where it starts and ends [rad or m].

    """

    duration: float
    centre: Array

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2] at t [s]."""


@dataclass(frozen=True)
class Room:
    """
    Where and how fast each of n joints may swing.

    Attributes
    ----------
    centre : ndarray, (n,)
        As close to zero as leaves room for the swing [rad or m].
    amplitude : ndarray, (n,)
        To either side of it, 80 % of the way to the limits at most [rad or m].
    velocity : ndarray, (n,)
        60 % of the limit at most [rad/s or m/s]; a limit of 0 is a placeholder, not a limit.

    """

    centre: Array
    amplitude: Array
    velocity: Array


def room(types: Sequence[str], limits: Sequence[Limits]) -> Room:
    """
    Return the room of joints; without limits, 0.8 rad and 1.5 rad/s, or 0.15 m and 0.3 m/s.

    Parameters
    ----------
    types : sequence of str, (n,)
        revolute, continuous or prismatic.
    limits : sequence of Limits, (n,)
        Those on the position of a continuous joint are none.

    """
    rows = [_room(*pair) for pair in zip(types, limits, strict=True)]
    return Room(*np.array(rows).reshape(-1, 3).T)


def _room(kind: str, limits: Limits) -> tuple[float, float, float]:
    amplitude = _AMPLITUDES.get(kind, _AMPLITUDE)
    lower, upper = (None, None) if kind == 'continuous' else (limits.lower, limits.upper)
    if lower is not None and upper is not None:
        amplitude = min(amplitude, _POSITION_SHARE * abs(upper - lower) / 2.0)
    swing = amplitude / _POSITION_SHARE
    centre = 0.0
    if lower is not None:
        centre = max(centre, lower + swing)
    if upper is not None:
        centre = min(centre, upper - swing)
    velocity = _VELOCITIES.get(kind, _VELOCITY)
    if limits.velocity:
        velocity = min(velocity, _VELOCITY_SHARE * limits.velocity)
    return centre, amplitude, velocity

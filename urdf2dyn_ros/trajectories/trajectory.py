"""The contracts of motions: any motion, and one that is planned in the room of the limits."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits

_POSITION_SHARE, _VELOCITY_SHARE = 0.8, 0.6
"""Largest share of a limit that a motion uses."""

_LARGEST_OF_TYPE = {'prismatic': (0.15, 0.3)}
_LARGEST_ANGLES = (0.8, 1.5)
"""Largest amplitude and velocity [m], [m/s]; of all other types [rad], [rad/s]."""


class Trajectory(ABC):
    """A motion of n joints, at rest before 0, at the positions `centre`, and after `duration`."""

    duration: float
    centre: Array

    @abstractmethod
    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2] at t [s]."""


class Room(NamedTuple):
    """
    Range [rad or m] and velocity [rad/s or m/s] (n,) that the limits of n joints leave a motion.

    The centre is the position closest to zero with the amplitude to both sides, which is at most
    80 % of the way to the limits; the velocity is at most 60 % of its limit, where 0 is none.
    """

    centre: Array
    amplitude: Array
    velocity: Array


def _room(kind: str, limits: Limits) -> tuple[float, float, float]:
    amplitude, velocity = _LARGEST_OF_TYPE.get(kind, _LARGEST_ANGLES)
    # a limit on the position of a continuous joint is not used
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


class PlannedTrajectory(Trajectory):
    """
    A motion of a duration [s] within limits that starts and ends at `centre`.

    Joints are revolute, continuous or prismatic; the same arguments give the same motion.
    """

    def __init__(self, types: Sequence[str], limits: Sequence[Limits], duration: float) -> None:
        self.duration = duration
        rows = [_room(*pair) for pair in zip(types, limits, strict=True)]
        room = Room(*np.array(rows).reshape(-1, 3).T)
        self.centre = room.centre
        self._plan(room)

    @abstractmethod
    def _plan(self, room: Room) -> None:
        """Choose the motion's coefficients."""

    @abstractmethod
    def _state(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) during the motion."""

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        if 0.0 < t < self.duration:
            return self._state(t)
        return self.centre, 0.0 * self.centre, 0.0 * self.centre

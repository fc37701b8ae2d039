"""The contracts of motions: any motion, and one that is planned within limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits
from urdf2dyn_ros.trajectories.room import Room, room_of


class Trajectory(ABC):
    """A motion of n joints, at rest before 0, at the positions `centre`, and after `duration`."""

    duration: float
    centre: Array

    @abstractmethod
    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2] at t [s]."""


class PlannedTrajectory(Trajectory):
    """
    A motion of a duration [s] within limits that starts and ends at `centre`.

    Joints are revolute, continuous or prismatic; the same arguments give the same motion.

    """

    def __init__(self, types: Sequence[str], limits: Sequence[Limits], duration: float) -> None:
        self.duration = duration
        room = room_of(types, limits)
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

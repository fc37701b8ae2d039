"""The motions `cubic` and `minimum_jerk`: from rest to rest between points."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.trajectories.trajectory import PlannedTrajectory, Room

_SEED = 1985

_SEGMENT_TIME = 1.5
"""Approximate time from one point to the next [s]."""


class PointToPoint(PlannedTrajectory):
    """
    All joints go from the centre through random points and back, at rest at each.

    A segment is q = from + s(x) (to - from), where x = 0 to 1 is the share of its time that has
    passed, and s the subclass's polynomial from 0 to 1 with ``PEAK`` as its largest slope. The
    points lie within the limits, and closer to the centre where the limit of velocity requires it.
    """

    PEAK: ClassVar[float]

    def _plan(self, room: Room) -> None:
        segments = max(2, round(self.duration / _SEGMENT_TIME))
        self._segment = self.duration / segments
        random = np.random.default_rng(_SEED)
        points = np.zeros((segments + 1, len(room.centre)))
        shape = (segments - 1, len(room.centre))
        points[1:-1] = random.choice((-1.0, 1.0), shape) * random.uniform(0.4, 1.0, shape)
        fastest = self.PEAK * np.abs(np.diff(points, axis=0)).max(axis=0) / self._segment
        self._points = room.centre + points * np.minimum(room.amplitude, room.velocity / fastest)

    @staticmethod
    @abstractmethod
    def _profile(x: float) -> tuple[float, float, float]:
        """Return s and its first two derivatives for x in 0 to 1."""

    def _state(self, t: float) -> tuple[Array, Array, Array]:
        number = min(int(t / self._segment), len(self._points) - 2)
        s, sd, sdd = self._profile(t / self._segment - number)
        way = self._points[number + 1] - self._points[number]
        return (self._points[number] + s * way, sd / self._segment * way,
                sdd / self._segment**2 * way)


class Cubic(PointToPoint):
    """Polynomials of degree 3, with the least squared acceleration, which jumps at the points."""

    PEAK = 1.5

    @staticmethod
    def _profile(x: float) -> tuple[float, float, float]:
        return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x


class MinimumJerk(PointToPoint):
    """
    Polynomials of degree 5, like the motion of a human hand (Flash and Hogan, 1985).

    Accelerations are continuous, and zero at every point.
    """

    PEAK = 1.875

    @staticmethod
    def _profile(x: float) -> tuple[float, float, float]:
        return (x**3 * (10.0 - 15.0 * x + 6.0 * x * x), 30.0 * (x * (1.0 - x))**2,
                60.0 * x * (1.0 - x) * (1.0 - 2.0 * x))

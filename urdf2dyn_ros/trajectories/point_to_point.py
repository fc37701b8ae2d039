"""From rest to rest between points: what `cubic` and `minimum_jerk` have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits
from urdf2dyn_ros.trajectories.trajectory import room

_SEED = 1985
"""Of the points: the same joints always get the same motion."""

_STRETCH = 1.5
"""About the time [s] from one point to the next."""


class PointToPoint(ABC):
    """
    All joints go from the centre to one point after the other and back, at rest at each.

    A stretch is q = from + s(x) (to - from), with x = 0 to 1 the share of its time that is over
    and s the polynomial of the subclass, which rises from 0 to 1 with ``PEAK`` as its largest
    slope. The points are random within the room that the limits leave; where the velocity's limit
    asks for less, they move closer to the centre.

    Parameters
    ----------
    types : sequence of str, (n,)
        revolute, continuous or prismatic.
    limits : sequence of Limits, (n,)
    duration : float
        [s].

    """

    PEAK: ClassVar[float]

    def __init__(self, types: Sequence[str], limits: Sequence[Limits], duration: float) -> None:
        self.duration = duration
        space = room(types, limits)
        self.centre = space.centre
        stretches = max(2, round(duration / _STRETCH))
        self._stretch = duration / stretches
        random = np.random.default_rng(_SEED)
        points = np.zeros((stretches + 1, len(types)))
        shape = (stretches - 1, len(types))
        points[1:-1] = random.choice((-1.0, 1.0), shape) * random.uniform(0.4, 1.0, shape)
        fastest = self.PEAK * np.abs(np.diff(points, axis=0)).max(axis=0) / self._stretch
        self._points = self.centre + points * np.minimum(
            space.amplitude, space.velocity / fastest)

    @staticmethod
    @abstractmethod
    def _profile(x: float) -> tuple[float, float, float]:
        """Return s and its two derivatives for x in 0 to 1."""

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2] at t [s]."""
        if not 0.0 < t < self.duration:
            return self.centre, 0.0 * self.centre, 0.0 * self.centre
        number = min(int(t / self._stretch), len(self._points) - 2)
        s, sd, sdd = self._profile(t / self._stretch - number)
        way = self._points[number + 1] - self._points[number]
        return (self._points[number] + s * way, sd / self._stretch * way,
                sdd / self._stretch**2 * way)

"""Whether measured positions are credible: of one robot, live, in radians and metres."""

from math import pi
from operator import sub

import numpy as np

from urdf2dyn_ros.robot.spatial import Array

LEAST_SWING = 2e-3
"""Step from one sample to the next and back that counts as a swing [rad or m]."""

MOST_SWINGS = 6
"""Swings in a row that may be motion."""

SMALL_SWING = 0.02
"""Swings below this may be the last digit of an encoder, or vibration [rad or m]."""

MOST_SMALL_SWINGS = 20
"""Small swings in a row that may be either."""

FROZEN_TIME = 1.0
"""Time without change after which a position is frozen, if its velocity is not zero [s]."""

FROZEN_SPEED = 0.02
"""Least mean velocity of a frozen position [rad/s or m/s]."""

SLOW_CHECK_NS = 97_000_000
"""Time between two of the slow checks [ns]; no period of a usual motion."""

LIMIT_MARGIN = 2.0 * pi
"""Distance beyond a limit that is not credible [rad]."""


class PositionCheck:
    """
    Finds positions that alternate, that are frozen, or that may be degrees.

    Two publishers of the same joints whose stamps interleave let positions jump there and back
    with every sample, by more than they move in between. A position that is constant to the bit
    for a second while its velocity is not zero comes from a sensor that has stopped. A position a
    turn beyond its limits (n, 2), as in `ModelJoints`, is hardly in radians.

    `warnings` has the joints whose positions are not credible, and why; `two_sources` is True
    while positions alternate.
    """

    def __init__(self, limits: Array) -> None:
        self._lower, self._upper = limits[:, 0] - LIMIT_MARGIN, limits[:, 1] + LIMIT_MARGIN
        self.warnings: dict[int, str] = {}
        self._swings = 0
        self._last: list[float] = []
        self._before: list[float] = []
        self.two_sources = False
        self.restart()

    def restart(self) -> None:
        """Draw no conclusion from the step to the next sample."""
        self._checked = 0   # stamp of the last slow check [ns]
        self._same: Array | None = None
        self._still = np.zeros_like(self._lower)   # time without change [s]
        self._moved = np.zeros_like(self._lower)   # integral of the velocity in that time

    def update(self, stamp: int, q: Array, qd: Array) -> bool:
        """
        Add a sample; return whether it can be used.

        Stamp [ns], q (n,) [rad or m] and qd (n,) [rad/s or m/s] or NaN; the arrays are kept.
        """
        self._count_swings(q.tolist())
        if stamp - self._checked >= SLOW_CHECK_NS:
            self._check_slowly(stamp, q, qd)
        return not self.two_sources

    def _count_swings(self, q: list[float]) -> None:
        last, before = self._last, self._before
        self._last, self._before = q, last
        # plain Python is faster than numpy for few joints, which seldom move as far in a step
        largest = max(map(abs, map(sub, q, last)), default=0.0)
        if largest > LEAST_SWING:
            largest = max((step for step, back in zip(map(abs, map(sub, q, last)),
                                                      map(sub, q, before))
                           if step > LEAST_SWING + 2.0 * abs(back)), default=0.0)
        swings = largest > LEAST_SWING
        if swings == self.two_sources:   # no change
            self._swings = 0
            return
        self._swings += 1
        if self._swings >= (MOST_SMALL_SWINGS if swings and largest < SMALL_SWING
                            else MOST_SWINGS):
            self.two_sources, self._swings = swings, 0

    def _check_slowly(self, stamp: int, q: Array, qd: Array) -> None:
        frozen = np.zeros(len(q), dtype=bool)
        if self._same is not None:
            time = (stamp - self._checked) * 1e-9
            same = q == self._same
            self._still = np.where(same, self._still + time, 0.0)
            self._moved = np.where(same, self._moved + time * qd, 0.0)
            frozen = (self._still >= FROZEN_TIME) & (
                np.abs(self._moved) > FROZEN_SPEED * self._still)
        self._checked, self._same = stamp, q
        beyond = (q < self._lower) | (q > self._upper)
        self.warnings = {joint: f'it is {q[joint]:.4g}, far beyond its limits: is it in degrees?'
                         for joint in np.flatnonzero(beyond).tolist()}
        for joint in np.flatnonzero(frozen).tolist():
            speed = self._moved[joint] / self._still[joint]
            self.warnings[joint] = (f'it has not changed for {self._still[joint]:.1f} s while its '
                                    f'velocity is {speed:.3g}')

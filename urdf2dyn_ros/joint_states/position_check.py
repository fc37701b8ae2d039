"""Whether measured positions can be those of one robot, in radians and metres."""

from __future__ import annotations

from math import pi
from operator import sub

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

SWING = 2e-3         # rad or m there and back from one sample to the next
SWINGS = 6           # in a row are no motion
COARSE = 0.02        # rad or m: what swings by less may be an encoder's last digit, or vibrate
MANY_SWINGS = 20     # in a row are neither
FROZEN = 1.0         # s
MOVING = 0.02        # rad/s or m/s
LOOK = 97_000_000    # ns between two looks at what is slow; no period of a usual motion
FAR = 2.0 * pi       # beyond a limit [rad]


class PositionCheck:
    """
    Finds positions that go to and fro, that are frozen, or that may be degrees.

    Two publishers of the same joints whose stamps interleave show as positions that jump there and
    back with every sample, by more than they move meanwhile. A position that stays the same bit
    for bit for a second although its velocity says that it moves comes from a sensor that has
    stopped. A position a turn beyond its limits is hardly in radians.

    Parameters
    ----------
    limits : ndarray, (n, 2)
        Lower and upper [rad]; infinite for joints that are without or are measured in m.

    Attributes
    ----------
    doubts : dict of int to str
        What is wrong with the positions of which joints.
    two_sources : bool
        Whether they go to and fro.

    """

    def __init__(self, limits: Array) -> None:
        self._lower, self._upper = limits[:, 0] - FAR, limits[:, 1] + FAR
        self.doubts: dict[int, str] = {}
        self._swings = 0
        self._last: Array | None = None
        self._before: Array | None = None
        self.two_sources = False
        self.restart()

    def restart(self) -> None:
        """Conclude nothing from the time between the last sample and the next."""
        self._looked = 0             # [ns]
        self._same: Array | None = None
        self._still = np.zeros_like(self._lower)   # time [s] that each position has been the same
        self._moved = np.zeros_like(self._lower)   # how far it moved, says the velocity

    def update(self, stamp: int, q: Array, qd: Array) -> bool:
        """
        Take a sample; return whether it can be used, alone or with those before.

        Parameters
        ----------
        stamp : int
            [ns].
        q, qd : ndarray, (n,)
            [rad or m], [rad/s or m/s]; qd is NaN where not measured. Both must stay as they are.

        """
        self._count_swings(q)
        if stamp - self._looked >= LOOK:
            self._look(stamp, q, qd)
        return not self.two_sources

    def _count_swings(self, q: Array) -> None:
        last, before = self._last, self._before
        self._last, self._before = q, last
        largest = 0.0
        # for few joints plain Python is faster than numpy
        if last is not None and before is not None and max(
                map(abs, map(sub, q.tolist(), last.tolist())), default=0.0) > SWING:
            step = np.abs(q - last)
            largest = float(step[step > SWING + 2.0 * np.abs(q - before)].max(initial=0.0))
        swings = largest > 0.0
        if swings == self.two_sources:   # as it was
            self._swings = 0
            return
        self._swings += 1
        if self._swings >= (MANY_SWINGS if 0.0 < largest < COARSE else SWINGS):
            self.two_sources, self._swings = swings, 0

    def _look(self, stamp: int, q: Array, qd: Array) -> None:
        frozen = np.zeros(len(q), dtype=bool)
        if self._same is not None:
            time = (stamp - self._looked) * 1e-9
            same = q == self._same
            self._still = np.where(same, self._still + time, 0.0)
            self._moved = np.where(same, self._moved + time * qd, 0.0)
            frozen = (self._still >= FROZEN) & (np.abs(self._moved) > MOVING * self._still)
        self._looked, self._same = stamp, q
        beyond = (q < self._lower) | (q > self._upper)
        self.doubts = {joint: f'it is {q[joint]:.4g}, far beyond its limits: is it in degrees?'
                       for joint in np.flatnonzero(beyond).tolist()}
        for joint in np.flatnonzero(frozen).tolist():
            speed = self._moved[joint] / self._still[joint]
            self.doubts[joint] = (f'it has not changed for {self._still[joint]:.1f} s while its '
                                  f'velocity is {speed:.3g}')

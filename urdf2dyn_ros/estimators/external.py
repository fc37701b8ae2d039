"""Accelerations from elsewhere: a controller that commands them, an accelerometer."""

from collections import deque
from typing import ClassVar

import numpy as np

from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.none import Slopes
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array

QUEUE_LENGTH = 512
"""Samples, and accelerations, that are kept."""

RESTART_NS = 1_000_000_000
"""Accelerations that are older than the newest by this much begin a new recording [ns]."""


class External:
    """
    Received accelerations, interpolated at the stamps of the samples.

    The estimate is at the newest sample that is no newer than the newest acceleration: where
    accelerations are received after the joint states of the same stamp, it is one sample late.
    Missing velocities are the slopes of the last two positions.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('max_gap', 0.05, 'Longest step between accelerations across which they are '
                  'interpolated.', unit='s', minimum=0.0, maximum=10.0),
    )

    def __init__(self, joints: int, *, max_gap: float) -> None:
        self._max_gap = round(max_gap * 1e9)
        self._unknown = np.full(joints, np.nan)
        self._accelerations: deque[tuple[int, Array]] = deque(maxlen=QUEUE_LENGTH)
        self._newest = 0
        self._slopes = Slopes()
        self.reset()

    def reset(self) -> None:
        """Forget every sample; the accelerations stay, for they have stamps of their own."""
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=QUEUE_LENGTH)
        self._slopes.reset()

    def accelerate(self, stamp: int, qdd: Array) -> bool:
        """Add accelerations (n,) [rad/s^2 or m/s^2] of a stamp [ns]; return whether it is new."""
        if self._accelerations and stamp <= self._accelerations[-1][0]:
            if stamp > self._accelerations[-1][0] - RESTART_NS:
                return False
            self._accelerations.clear()
            self._newest = 0   # keep these when the samples jump back as well
        self._accelerations.append((stamp, qdd))
        return True

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Return the estimate at the newest sample that has accelerations."""
        if stamp <= self._newest:
            self._accelerations.clear()   # the clock jumped back: they belong to the past
        self._newest = stamp
        self._samples.append((stamp, q.copy(), self._slopes.update(stamp, q, qd)))
        newest = self._accelerations[-1][0] if self._accelerations else 0
        while len(self._samples) > 1 and self._samples[1][0] <= newest:
            self._samples.popleft()
        instant, position, velocity = self._samples[0]
        qdd = self._at(instant)
        if qdd is None:
            return Estimate(stamp, q, qd, self._unknown, self._unknown, valid=False)
        return Estimate(instant, position, velocity, qdd, self._unknown,
                        valid=not np.isnan(velocity).any())

    def _at(self, instant: int) -> Array | None:
        """Return the accelerations at a stamp [ns], if there are any on both sides of it."""
        after: tuple[int, Array] | None = None
        for stamp, qdd in reversed(self._accelerations):
            if stamp == instant:
                return qdd.copy()
            if stamp < instant:
                if after is None or after[0] - stamp > self._max_gap:
                    return None
                share = (instant - stamp) / (after[0] - stamp)
                return qdd + share * (after[1] - qdd)
            after = stamp, qdd
        return None

"""Accelerations that somebody else knows: a controller that commands them, an accelerometer."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.parameters import Parameter, check_all

MAX_SAMPLES = 512
SET_BACK = 1_000_000_000   # ns: accelerations that much older begin a new recording


class External:
    """
    Interpolates given accelerations at the stamps of the samples.

    The estimate is that of the newest sample that is no newer than the newest acceleration: where
    accelerations come after the joint states of the same instant, it is one sample late. A joint
    without velocity gets the slope of its last two positions.

    Parameters
    ----------
    joints : int
        Their number, n.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Raises
    ------
    ParameterError
        For an unknown parameter or a value that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('max_gap', 0.05, 'Nothing is interpolated between accelerations that are '
                  'further apart.', unit='s', minimum=0.0, maximum=10.0),
    )

    def __init__(self, joints: int, **parameters: Any) -> None:
        self._max_gap = round(check_all(self.PARAMETERS, parameters)['max_gap'] * 1e9)
        self._unknown = np.full(joints, np.nan)
        self._given: deque[tuple[int, Array]] = deque(maxlen=MAX_SAMPLES)
        self._newest = 0
        self.reset()

    def reset(self) -> None:
        """Forget every sample; the accelerations have stamps of their own."""
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=MAX_SAMPLES)
        self._last: tuple[int, Array] | None = None

    def accelerate(self, stamp: int, qdd: Array) -> bool:
        """Take accelerations (n,) [rad/s^2 or m/s^2] at a stamp [ns]; return whether it is new."""
        if self._given and stamp <= self._given[-1][0]:
            if stamp > self._given[-1][0] - SET_BACK:
                return False
            self._given.clear()
            self._newest = 0   # these need not go when the samples are set back as well
        self._given.append((stamp, qdd))
        return True

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Take one sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""
        if stamp <= self._newest:
            self._given.clear()   # the clock was set back: they are of the motion before
        self._newest = stamp
        self._samples.append((stamp, q.copy(), self._velocity(stamp, q, qd)))
        newest = self._given[-1][0] if self._given else 0
        while len(self._samples) > 1 and self._samples[1][0] <= newest:
            self._samples.popleft()
        instant, position, velocity = self._samples[0]
        qdd = self._at(instant)
        if qdd is None:
            return Estimate(stamp, q, qd, self._unknown, self._unknown, valid=False)
        return Estimate(instant, position, velocity, qdd, self._unknown,
                        valid=not np.isnan(velocity).any())

    def _velocity(self, stamp: int, q: Array, qd: Array) -> Array:
        velocity = qd.copy()
        missing = np.isnan(qd)
        if self._last is not None and missing.any():
            velocity[missing] = ((q - self._last[1]) / ((stamp - self._last[0]) * 1e-9))[missing]
        self._last = stamp, q.copy()
        return velocity

    def _at(self, instant: int) -> Array | None:
        """Return the accelerations at an instant [ns], if there are any on both sides of it."""
        after: tuple[int, Array] | None = None
        for stamp, qdd in reversed(self._given):
            if stamp == instant:
                return qdd.copy()
            if stamp < instant:
                if after is None or after[0] - stamp > self._max_gap:
                    return None
                share = (instant - stamp) / (after[0] - stamp)
                return qdd + share * (after[1] - qdd)
            after = stamp, qdd
        return None

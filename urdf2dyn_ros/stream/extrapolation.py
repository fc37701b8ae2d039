"""Accelerations after the newest, extrapolated by the order that has predicted best so far."""

from collections import deque
from math import isfinite

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

ERROR_GAIN = 0.05
"""Part by which the mean squared errors follow a new one, after the first ones."""

MOST_NEW = 64
"""Accelerations from which is learned where one is extrapolated: the errors are those of the last
20."""

_UNKNOWN_ERROR = 1e300
"""Mean squared error before the first one."""


class Extrapolation:
    """
    Extrapolates the accelerations of joints (k,): constant, linear or quadratic in time.

    Each new acceleration shows how well the three would have predicted it from those before. The
    one with the least mean squared error is used, joint by joint: the quadratic one for smooth
    motion, the constant one for noise. This error is also how uncertain it is.

    The polynomials are those of Newton through the last accelerations, with divided differences;
    the error of one is the next divided difference times the distances to the stamps of its own.
    """

    def __init__(self, joints: int) -> None:
        self._zero = np.zeros(joints)
        self._squares = np.full((3, joints), _UNKNOWN_ERROR)
        self._squares[0] = 0.0
        self._predictions = [0, 0, 0]
        # stamps [ns] and accelerations; most motions are never extrapolated
        self._new: deque[tuple[int, Array]] = deque(maxlen=MOST_NEW)
        self.restart()

    def restart(self) -> None:
        """Forget the accelerations, but not the errors."""
        self._new.clear()
        self._count, self._stamp, self._step = 0, 0, 0.0
        self._qdd = self._slope = self._curvature = self._zero

    def add(self, stamp: int, qdd: Array) -> None:
        """Add the accelerations (k,) of a stamp [ns], which is newer than those before."""
        if len(self._new) == MOST_NEW:
            self._count = 0   # the oldest is dropped: the next is not the one after the last
        self._new.append((stamp, qdd))

    def _extend(self, stamp: int, qdd: Array) -> None:
        """Extend the polynomials by an acceleration, and learn from it."""
        h = (stamp - self._stamp) * 1e-9
        if self._count:
            span = h + self._step
            slope = (qdd - self._qdd) / h
            curvature = (slope - self._slope) / span if self._count > 1 else self._zero
            self._learn(np.array((slope * h, curvature * (h * span),
                                  (curvature - self._curvature) * (h * span))))
            self._step, self._slope, self._curvature = h, slope, curvature
        self._count += 1
        self._stamp, self._qdd = stamp, qdd

    def _learn(self, errors: Array) -> None:
        """Add the errors of the three, (3, k), as far as there were enough accelerations."""
        squares = errors * errors
        if not isfinite(squares.sum()):
            return
        known = min(self._count, 3)
        if known == 3 and self._predictions[2] * ERROR_GAIN > 1.0:
            self._squares *= 1.0 - ERROR_GAIN
            self._squares += ERROR_GAIN * squares
            return
        for order in range(known):
            self._predictions[order] += 1
            gain = max(1.0 / self._predictions[order], ERROR_GAIN)
            self._squares[order] = (1.0 - gain) * self._squares[order] + gain * squares[order]

    def at(self, h: float) -> tuple[Array, Array, Array]:
        """Return jerk and snap, and the squared error of the acceleration a time h [s] later."""
        while self._new:
            self._extend(*self._new.popleft())
        order = self._squares.argmin(axis=0)
        quadratic = self._curvature * (order == 2)
        share = h / self._step if self._step else 1.0
        return (self._slope * (order > 0) + self._step * quadratic, 2.0 * quadratic,
                self._squares.min(axis=0) * share**2)

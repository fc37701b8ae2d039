"""How accelerations go on after the newest, by what would have predicted them best so far."""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

ERROR_GAIN = 0.05
"""Part by which the mean squared errors follow a new one, after the first ones."""

_CONSTANT, _LINEAR, _QUADRATIC = range(3)


class Extrapolation:
    """
    Extrapolates the accelerations of joints (k,): constant, linear or quadratic in time.

    Each new acceleration shows how well the three would have predicted it from those before. The
    one with the least mean squared error is used, joint by joint: the quadratic one for smooth
    motion, the constant one for noise. This error is also how uncertain it is.

    """

    def __init__(self, joints: int) -> None:
        self._errors = np.zeros((3, joints))
        self._errors[_LINEAR:] = np.inf   # until they are known
        self._predictions = np.zeros(3)
        self.restart()

    def restart(self) -> None:
        """Forget the accelerations, but not the errors."""
        k = self._errors.shape[1]
        self._count, self._stamp, self._step = 0, 0, 0.0
        self._qdd, self._slope = np.zeros(k), np.zeros(k)
        self._jerks, self._snaps = np.zeros((3, k)), np.zeros((3, k))
        self._jerk, self._snap, self._error = np.zeros(k), np.zeros(k), np.zeros(k)

    def add(self, stamp: int, qdd: Array) -> None:
        """Add the accelerations of a stamp [ns], which is newer than those before."""
        step = (stamp - self._stamp) * 1e-9
        if self._count:
            self._learn(step, qdd)
            slope = (qdd - self._qdd) / step
            self._jerks[_LINEAR:] = slope
            if self._count > 1:
                curvature = (slope - self._slope) / (step + self._step)
                self._jerks[_QUADRATIC] += step * curvature
                self._snaps[_QUADRATIC] = 2.0 * curvature
            self._slope = slope
        self._count += 1
        self._stamp, self._step, self._qdd = stamp, step, qdd
        best, joints = self._errors.argmin(axis=0), np.arange(len(qdd))
        self._jerk, self._snap = self._jerks[best, joints], self._snaps[best, joints]
        self._error = self._errors[best, joints]

    def at(self, h: float) -> tuple[Array, Array, Array]:
        """Return jerk and snap, and the squared error of the acceleration a time h [s] later."""
        share = h / self._step if self._count > 1 else 1.0
        return self._jerk, self._snap, self._error * share**2

    def _learn(self, step: float, qdd: Array) -> None:
        known = min(self._count, 3)   # a slope needs two, a curvature three
        errors = np.square(self._qdd + step * (self._jerks[:known]
                                               + step / 2.0 * self._snaps[:known]) - qdd)
        if not np.isfinite(errors).all():
            return
        for order, error in enumerate(errors):
            self._predictions[order] += 1
            gain = max(1.0 / self._predictions[order], ERROR_GAIN)
            if self._predictions[order] == 1:
                self._errors[order] = error
            self._errors[order] += gain * (error - self._errors[order])

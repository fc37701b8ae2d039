"""Accelerations from a polynomial fitted to the last few samples."""

from typing import ClassVar

import numpy as np

from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array

LONGEST_WINDOW = 1023
"""Most samples in a window."""


class Polynomial:
    """
    Least-squares fit of the velocities by a polynomial in time, over a sliding window.

    Time zero of the polynomial is the sample of the estimate, so that its coefficients are
    velocity and acceleration there, and position and measured effort of the same stamp are
    available. A joint with a velocity missing anywhere in the window is fitted by its positions,
    with one order more.

    The window holds an odd number of samples: as many as `window` seconds contain, no fewer than
    order + 3 and no more than ``LONGEST_WINDOW`` (Savitzky and Golay 1964, but for irregular
    stamps). The number changes in steps of two and with hysteresis, so that jitter of the stamps
    does not change it and ``centre`` advances by one sample with each. Where it does change, after
    losses or at another rate, ``centre`` repeats or skips one stamp.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('window', 0.03, 'Time that the fit covers.', unit='s',
                  minimum=0.001, maximum=1.0),
        Parameter('order', 2, 'Degree of the velocity polynomial; that of positions is one more.',
                  minimum=1, maximum=4),
        Parameter('align', 'end', 'Sample of the estimate: the newest or the middle one, which is '
                  'far less noisy but half a window late.', choices=('end', 'centre')),
    )

    def __init__(self, joints: int, *, window: float, order: int, align: str) -> None:
        # imported here because it takes nearly half of the time in which a node starts
        from scipy.linalg import lapack

        self._lapack = lapack
        self._window = round(window * 1e9)
        self._order = order
        self._centre = align == 'centre'
        self._fewest = (self._order + 3) // 2 * 2 + 1
        self._unknown = np.full(joints, np.nan)
        # twice as long as needed: samples are appended, and moved to the front when these are full
        self._stamps = np.zeros(2 * LONGEST_WINDOW, dtype=np.int64)
        self._q = np.zeros((2 * LONGEST_WINDOW, joints))
        self._qd = np.zeros((2 * LONGEST_WINDOW, joints))
        self.reset()

    def reset(self) -> None:
        """Forget every sample."""
        self._end = 0
        self._first = 0
        self._count = self._fewest

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Return the estimate at the newest sample or at the middle one of the window."""
        self._append(stamp, q, qd)
        self._fit_window()
        if self._end < self._count or stamp - self._first < self._window:
            return Estimate(stamp, q, qd, self._unknown, self._unknown, valid=False)

        window = slice(self._end - self._count, self._end)
        middle = self._count // 2 if self._centre else self._count - 1
        instant = self._end - self._count + middle
        time = (self._stamps[window] - self._stamps[instant]) * 1e-9

        C, std = self._least_squares(time, self._qd[window], self._order, of=1)
        velocity, acceleration = C[0], C[1]
        missing = np.isnan(acceleration)
        if missing.any():
            Q = self._q[window][:, missing]
            C, std_C = self._least_squares(time, Q - Q[middle], self._order + 1, of=2)
            velocity[missing] = C[1]
            acceleration[missing] = 2.0 * C[2]
            std[missing] = 2.0 * std_C
        return Estimate(int(self._stamps[instant]), self._q[instant].copy(), velocity,
                        acceleration, std, valid=bool(np.isfinite(acceleration).all()))

    def _append(self, stamp: int, q: Array, qd: Array) -> None:
        if self._end == 0:
            self._first = stamp
        if self._end == len(self._stamps):
            for rows in (self._stamps, self._q, self._qd):
                rows[:LONGEST_WINDOW] = rows[-LONGEST_WINDOW:]
            self._end = LONGEST_WINDOW
        self._stamps[self._end] = stamp
        self._q[self._end] = q
        self._qd[self._end] = qd
        self._end += 1

    def _span(self, count: int) -> int:
        """Return the time from the first to the last of the newest `count` samples [ns]."""
        return int(self._stamps[self._end - 1] - self._stamps[self._end - count])

    def _fit_window(self) -> None:
        """Change the number of samples in steps of two until they fit the window."""
        most = min(self._end, LONGEST_WINDOW)
        while self._count + 2 <= most and self._span(self._count + 2) <= self._window:
            self._count += 2
        while self._count - 2 >= self._fewest and self._span(self._count - 2) >= self._window:
            self._count -= 2

    def _least_squares(self, time: Array, Y: Array, degree: int, of: int) -> tuple[Array, Array]:
        """
        Fit every column of Y (samples, n) by a polynomial in time since the estimate [s].

        The normal equations are solved by Cholesky factors, whose accuracy does not depend on the
        unit of time: no scaling is needed. Return the coefficients (degree + 1, n), and the
        standard deviation (n,) of those of power `of`, from the residuals of the fit. Both are NaN
        in columns where Y has a NaN, and everywhere if the stamps are too close for a fit.
        """
        powers = np.ones((degree + 1, len(time)))
        for power in range(degree):
            np.multiply(powers[power], time, out=powers[power + 1])
        factor, C, failed = self._lapack.dposv(powers @ powers.T, powers @ Y)
        if failed:
            return np.full(C.shape, np.nan), np.full(C.shape[1], np.nan)
        inverse, _ = self._lapack.dpotri(factor)
        residual = Y - powers.T @ C
        variance = (residual * residual).sum(axis=0) / (len(time) - degree - 1)
        return C, np.sqrt(inverse[of, of] * variance)

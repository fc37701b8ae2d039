"""Accelerations from a polynomial fitted to the last few samples."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.parameters import Parameter, check_all

MAX_SAMPLES = 1023


class Polynomial:
    """
    Least squares of velocities on powers of the real time, over a sliding window.

    The polynomial is written in time since the instant of the estimate, which is always that of a
    sample: then its coefficients are the velocity and the acceleration there, and position and
    measured effort of that very instant are at hand. A joint with a velocity missing anywhere in
    the window is fitted by its positions, one order higher.

    The window holds an odd number of samples: as many as `window` seconds contain, no fewer than
    order + 3 and no more than ``MAX_SAMPLES``. The number changes by two, and only when that
    fits (Savitzky and Golay 1964, but for stamps at any distance): jitter of the stamps does not
    change it, so that ``centre`` moves on by one sample with each. Where it does change, after
    losses or at another rate, ``centre`` repeats or leaves out one instant.

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
        Parameter('window', 0.03, 'Time the fit looks back over.', unit='s',
                  minimum=0.001, maximum=1.0),
        Parameter('order', 2, 'Degree of the velocity; positions have one more.',
                  minimum=1, maximum=4),
        Parameter('align', 'end', 'Instant of the estimate: the newest sample or the middle one, '
                  'which is far less noisy but half a window late.', choices=('end', 'centre')),
    )

    def __init__(self, joints: int, **parameters: Any) -> None:
        # nearly half of what starting a node takes: only for those who choose this
        from scipy.linalg import lapack

        values = check_all(self.PARAMETERS, parameters)
        self._lapack = lapack
        self._window = round(values['window'] * 1e9)
        self._order: int = values['order']
        self._centre = values['align'] == 'centre'
        self._fewest = (self._order + 3) // 2 * 2 + 1
        self._unknown = np.full(joints, np.nan)
        # Twice as long as needed: samples are appended, and moved to the front once in a while.
        self._stamps = np.zeros(2 * MAX_SAMPLES, dtype=np.int64)
        self._q = np.zeros((2 * MAX_SAMPLES, joints))
        self._qd = np.zeros((2 * MAX_SAMPLES, joints))
        self.reset()

    def reset(self) -> None:
        """Forget every sample."""
        self._end = 0
        self._first = 0
        self._count = self._fewest

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Take one sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""
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
                rows[:MAX_SAMPLES] = rows[-MAX_SAMPLES:]
            self._end = MAX_SAMPLES
        self._stamps[self._end] = stamp
        self._q[self._end] = q
        self._qd[self._end] = qd
        self._end += 1

    def _span(self, count: int) -> int:
        """Return the time over the last `count` samples [ns]."""
        return int(self._stamps[self._end - 1] - self._stamps[self._end - count])

    def _fit_window(self) -> None:
        """Change the number of samples by two for as long as that suits the window better."""
        most = min(self._end, MAX_SAMPLES)
        while self._count + 2 <= most and self._span(self._count + 2) <= self._window:
            self._count += 2
        while self._count - 2 >= self._fewest and self._span(self._count - 2) >= self._window:
            self._count -= 2

    def _least_squares(self, time: Array, Y: Array, degree: int, of: int,
                       ) -> tuple[Array, Array]:
        """
        Fit every column of Y by a polynomial in time.

        The normal equations are solved by Cholesky factors, whose accuracy does not depend on the
        unit of time, so that no scaling is needed.

        Parameters
        ----------
        time : ndarray, (samples,)
            Since the instant of the estimate [s].
        Y : ndarray, (samples, n)
            One quantity a column.
        degree : int
            Highest power.
        of : int
            The power whose coefficient gets a standard deviation.

        Returns
        -------
        coefficients : ndarray, (degree + 1, n)
            Of powers 0 to degree.
        std : ndarray, (n,)
            Of the coefficients of power `of`, from what the fit leaves over. Both are NaN where a
            column of Y has one, and everywhere if the stamps are too close for a fit.

        """
        powers = np.ones((degree + 1, len(time)))
        for power in range(degree):
            np.multiply(powers[power], time, out=powers[power + 1])
        factor, C, failed = self._lapack.dposv(powers @ powers.T, powers @ Y)
        if failed:
            return np.full(C.shape, np.nan), np.full(C.shape[1], np.nan)
        inverse, _ = self._lapack.dpotri(factor)
        left = Y - powers.T @ C
        variance = (left * left).sum(axis=0) / (len(time) - degree - 1)
        return C, np.sqrt(inverse[of, of] * variance)

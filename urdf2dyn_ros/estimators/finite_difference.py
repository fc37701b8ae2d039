"""Accelerations from differences of neighbouring samples, with an optional low-pass."""

from collections import deque
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array


class FiniteDifference:
    """
    Differences over the last three samples, at their real stamps.

    With the slopes d1 and d2 of the two steps h1 and h2, the derivative is d2, at the newest
    sample (``end``), or the slope (h1 d2 + h2 d1) / (h1 + h2) of the parabola through the three
    samples, at the middle one (``centre``); the latter is exact to second order, also for unequal
    steps. Without a measured velocity, the velocity is the same derivative of the positions, and
    the acceleration their second difference 2 (d2 - d1) / (h1 + h2).

    The low-pass delays the acceleration by about 0.23 / cutoff (11 ms for 20 Hz); the stamp does
    not account for that.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('align', 'end', 'Sample of the estimate: the newest or the one before.',
                  choices=('end', 'centre')),
        Parameter('cutoff', 20.0, 'Low-pass on the acceleration, Butterworth of second order; '
                  '0 for none.', unit='Hz', minimum=0.0),
    )

    def __init__(self, joints: int, *, align: str, cutoff: float) -> None:
        self._centre = align == 'centre'
        self._filter = LowPass(cutoff) if cutoff > 0.0 else None
        self._unknown = np.full(joints, np.nan)
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=3)

    def reset(self) -> None:
        """Forget every sample."""
        self._samples.clear()
        if self._filter is not None:
            self._filter.reset()

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Return the estimate at the newest sample or the one before it."""
        self._samples.append((stamp, q.copy(), qd.copy()))
        if len(self._samples) < 3:
            return Estimate(stamp, q, qd, self._unknown, self._unknown, valid=False)
        (t0, q0, v0), (t1, q1, v1), (t2, q2, v2) = self._samples
        h1, h2 = (t1 - t0) * 1e-9, (t2 - t1) * 1e-9
        share = h2 / (h1 + h2) if self._centre else 0.0

        velocity = v1 if self._centre else v2
        acceleration = share / h1 * (v1 - v0) + (1.0 - share) / h2 * (v2 - v1)
        missing = np.isnan(velocity) | np.isnan(acceleration)
        if missing.any():
            d1, d2 = (q1 - q0) / h1, (q2 - q1) / h2
            velocity = np.where(missing, share * d1 + (1.0 - share) * d2, velocity)
            acceleration = np.where(missing, 2.0 / (h1 + h2) * (d2 - d1), acceleration)

        instant, position, step = (t1, q1, h1) if self._centre else (t2, q2, h2)
        if self._filter is not None:
            acceleration = self._filter.update(step, acceleration)
        return Estimate(instant, position, velocity, acceleration, self._unknown, valid=True)


class LowPass:
    """
    Butterworth low-pass of second order, for steps of any length.

    The continuous filter y' = w z, z' = w (u - y - sqrt(2) z) is integrated by the trapezoidal
    rule (the bilinear transform) over the real length of each step. The gain is 1/sqrt(2) at the
    frequency `cutoff` [Hz].
    """

    def __init__(self, cutoff: float) -> None:
        self._half_w = pi * cutoff
        self._state: tuple[Array, Array, Array] | None = None

    def reset(self) -> None:
        """Forget the past: the next sample counts as a steady state."""
        self._state = None

    def update(self, step: float, u: Array) -> Array:
        """Return the filtered value of u (n,), `step` [s] after the one before."""
        if self._state is None:
            self._state = u, np.zeros_like(u), u
            return u
        y, z, before = self._state
        a = self._half_w * step
        damping = sqrt(2.0) * a
        right_y = y + a * z
        right_z = (1.0 - damping) * z + a * (u + before - y)
        scale = 1.0 / (1.0 + damping + a * a)
        y = ((1.0 + damping) * right_y + a * right_z) * scale
        z = (right_z - a * right_y) * scale
        self._state = y, z, u
        return y

"""Accelerations from differences of neighbouring samples, with an optional low-pass."""

from __future__ import annotations

from collections import deque
from math import pi, sqrt
from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.parameters import Parameter, check_all


class FiniteDifference:
    """
    Differences over the last three samples, at their real stamps.

    With the slopes d1 and d2 of the two steps h1 and h2, the derivative is d2, declared for the
    newest sample (``end``), or the slope (h1 d2 + h2 d1) / (h1 + h2) of the parabola through the
    three samples at the middle one (``centre``), which is exact to second order, also for unequal
    steps. A joint without velocity gets the same derivative of its positions for velocity and
    their second difference 2 (d2 - d1) / (h1 + h2) for acceleration.

    The low-pass delays the acceleration by about 0.23 / cutoff (11 ms for 20 Hz); the stamp does
    not account for that.

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
        Parameter('align', 'end', 'Instant of the estimate: the newest sample or the one before.',
                  choices=('end', 'centre')),
        Parameter('cutoff', 20.0, 'Low-pass on the acceleration, Butterworth of second order; '
                  '0 for none.', unit='Hz', minimum=0.0),
    )

    def __init__(self, joints: int, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self._centre = values['align'] == 'centre'
        self._filter = LowPass(values['cutoff']) if values['cutoff'] > 0.0 else None
        self._unknown = np.full(joints, np.nan)
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=3)

    def reset(self) -> None:
        """Forget every sample."""
        self._samples.clear()
        if self._filter is not None:
            self._filter.reset()

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Take one sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""
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
    Butterworth low-pass of second order, for samples at any distance in time.

    The continuous filter y' = w z, z' = w (u - y - sqrt(2) z) is integrated by the trapezoidal
    rule (the bilinear transform) over each step as long as it really was.

    Parameters
    ----------
    cutoff : float
        Where the gain is 1/sqrt(2) [Hz].

    """

    def __init__(self, cutoff: float) -> None:
        self._half_w = pi * cutoff
        self._state: tuple[Array, Array, Array] | None = None

    def reset(self) -> None:
        """Forget the past: the next sample is taken for a steady state."""
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

"""Derivatives of measured velocities, by the Kalman filter of the joints without positions."""

from typing import ClassVar

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import FIXED_DENSITY, MOST_REJECTED, Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.parameters import Parameter

POSITION_NOISE = 1.0
"""Deviation of the positions, so large that they have no effect."""


class Rates:
    """
    Constant-jerk filter of velocities alone; it is constructed like an `Estimator`.

    The filter receives the velocities and, as positions, their integrals with a deviation of so
    many radians or metres that they have no effect. (Velocities in the place of positions do
    worse: at a step of the acceleration they are rejected as outliers.)

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        FIXED_DENSITY,
        *(row for row in Kalman.PARAMETERS[1:] if row.name != 'position_noise'),
        Parameter('lag', 0.0, 'How much older the motion of the base is than the newest base '
                  "data; a lag reduces noise. No more than that of the joints' estimator.",
                  unit='s', minimum=0.0, maximum=0.5),
    )

    def __init__(self, channels: int, *, lag: float, **kalman: float) -> None:
        kalman['position_noise'] = POSITION_NOISE
        self._filter: Kalman
        if lag > 0.0:
            self._filter = _VelocityFixedLag(channels, lag=lag, **kalman)
        else:   # half the work
            self._filter = _VelocityKalman(channels, **kalman)
        self.reset()

    def reset(self) -> None:
        """Forget every sample."""
        self._filter.reset()
        self._last: list[tuple[int, Array]] = []
        self._integral: Array | float = 0.0

    def update(self, stamp: int, velocity: Array) -> Estimate:
        """Add a sample: stamp [ns], velocity (k,); return qd and qdd, while q has no meaning."""
        self._integral = self._integral + self._increment(stamp, velocity)
        self._last = [*self._last[-1:], (stamp, velocity)]
        return self._filter.update(stamp, self._integral, velocity)

    def _increment(self, stamp: int, velocity: Array) -> Array:
        """Return the integral since the last sample of the parabola through the last three."""
        if not self._last:
            return 0.0 * velocity
        last, before = self._last[-1]
        h = (stamp - last) * 1e-9
        slope = (velocity - before) / h
        change: Array = 0.5 * h * (before + velocity)
        if len(self._last) == 2:
            first, earliest = self._last[0]
            h_before = (last - first) * 1e-9
            curvature = (slope - (before - earliest) / h_before) / (h + h_before)
            change = change - h ** 3 / 6.0 * curvature
        return change


class _VelocityKalman(Kalman):
    """A filter that uses the velocity right after a reset: no position contradicts it."""

    def _reset_rejected(self, stamp: int, measured: Array) -> None:
        lost = self._rejected > MOST_REJECTED
        if lost.any():
            self._begin(lost, measured)


class _VelocityFixedLag(_VelocityKalman, KalmanFixedLag):
    """The same with a lag."""

"""Derivatives of measured velocities, by the Kalman filter of the joints without positions."""

import logging
from dataclasses import replace
from typing import ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import CompilerError
from urdf2dyn_ros.estimators.bank import Model
from urdf2dyn_ros.estimators.compiled.kalman import CompiledKalman
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.gate import MOST_REJECTED
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.estimators.kalman_parameters import FIXED_DENSITY
from urdf2dyn_ros.parameters import Parameter

POSITION_NOISE = 1.0
"""Deviation of the positions, so large that they have no effect."""

RATE_MODELS = tuple(Model(10.0 ** (exponent + 0.5)) for exponent in (-2, 0, 2, 4, 6, 8))
"""Models of the filters of each velocity where the bandwidth adapts: no motion has a lag
that is much larger than that of the best of them."""

_LOG = logging.getLogger(__name__)


class Rates:
    """
    Constant-jerk filter of velocities alone; it is constructed like an `Estimator`.

    The filter receives the velocities and, as positions, their integrals with a deviation of so
    many radians or metres that they have no effect. (Velocities in the place of positions do
    worse: at a step of the acceleration they are rejected as outliers.) Its bandwidth adapts by
    predictions of the velocities, as that of a joint with velocity does.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        replace(FIXED_DENSITY, default=0.0, minimum=0.0,
                meaning=FIXED_DENSITY.meaning.rstrip('.') + '; 0 adapts it to the motion of the '
                f'base, by how well predictions succeed, or is {FIXED_DENSITY.default:g} with a '
                'lag.'),
        *(row for row in Kalman.PARAMETERS[1:] if row.name != 'position_noise'),
        Parameter('lag', 0.0, 'How much older the motion of the base is than the newest base '
                  "data; a lag reduces noise. No more than that of the joints' estimator.",
                  unit='s', minimum=0.0, maximum=0.5),
    )

    def __init__(self, channels: int, compiled: bool = False, *, lag: float, snap_density: float,
                 **kalman: float) -> None:
        kalman['position_noise'] = POSITION_NOISE
        self._filter: _VelocityKalman
        if lag > 0.0:
            self._filter = _VelocityFixedLag(
                channels, lag=lag, snap_density=snap_density or FIXED_DENSITY.default, **kalman)
        else:   # half the work
            self._filter = _filter(channels, compiled, snap_density=snap_density, **kalman)
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

    @property
    def jerk(self) -> Array:
        """Derivative of qdd at the last estimate, (k,)."""
        return self._filter.jerk

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

    MOTION_MODELS = RATE_MODELS

    @property
    def jerk(self) -> Array:
        """Jerk of the weighted filters, (k,)."""
        each = self._z[3].reshape(self._filters, self._joints)
        jerk: Array = np.sum(self._bandwidth.weights * each, axis=0)
        return jerk

    def _reset_rejected(self, stamp: int, measured: Array) -> None:
        lost = self._rejected.max(axis=0) > MOST_REJECTED
        if lost.any():
            self._begin(lost, measured)


class _VelocityCompiledKalman(_VelocityKalman, CompiledKalman):
    """The same in C."""


class _VelocityFixedLag(_VelocityKalman, KalmanFixedLag):
    """The same with a lag."""

    @property
    def jerk(self) -> Array:
        """Zero: the smoother has no jerk."""
        return np.zeros(self._joints)


def _filter(channels: int, compiled: bool, **kalman: float) -> _VelocityKalman:
    """Return the filter in C if that is wanted and available; else log why not."""
    if compiled:
        try:
            return _VelocityCompiledKalman(channels, **kalman)
        except CompilerError as error:
            _LOG.warning('the filter of the base data runs on numpy: %s', error)
    return _VelocityKalman(channels, **kalman)

"""Derivatives of measured velocities: the joints' Kalman filter, where no position is measured."""

from __future__ import annotations

from typing import Any, ClassVar

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import REJECTS, Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.parameters import Parameter, check_all

NOTHING = 1.0
"""Deviation of the positions: integrals of the velocities tell nothing that these do not."""


class Rates:
    """
    A constant-jerk filter of velocities alone.

    The velocities and their integral go to the filter as velocity and position, and so many
    radians or metres are allowed to the latter that it does not count. (Velocities that are taken
    for positions do worse: where the acceleration jumps, they are taken for outliers.)

    Parameters
    ----------
    channels : int
        Their number, k.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Raises
    ------
    ParameterError
        For an unknown parameter or a value that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        *(row for row in Kalman.PARAMETERS if row.name != 'position_noise'),
        Parameter('lag', 0.0, 'How far behind the newest base data its motion is, which is less '
                  "noisy then: no more than the joints' estimator is.", unit='s',
                  minimum=0.0, maximum=0.5),
    )

    def __init__(self, channels: int, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        values['position_noise'] = NOTHING
        self._filter: Kalman
        if values['lag'] > 0.0:
            self._filter = _TrustingFixedLag(channels, **values)
        else:   # half the work
            del values['lag']
            self._filter = _Trusting(channels, **values)
        self.reset()

    def reset(self) -> None:
        """Forget every sample."""
        self._filter.reset()
        self._last: list[tuple[int, Array]] = []
        self._integral: Array | float = 0.0

    def update(self, stamp: int, velocity: Array) -> Estimate:
        """Take one sample: stamp [ns], velocity (k,); return qd and qdd, q means nothing."""
        self._integral = self._integral + self._increment(stamp, velocity)
        self._last = [*self._last[-1:], (stamp, velocity)]
        return self._filter.update(stamp, self._integral, velocity)

    def _increment(self, stamp: int, velocity: Array) -> Array:
        """Return the integral since the last sample, of the parabola through the last three."""
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


class _Trusting(Kalman):
    """One that begins afresh with the velocity: there is no position to contradict it."""

    def _give_up(self, stamp: int, measured: Array) -> None:
        lost = self._rejected > REJECTS
        if lost.any():
            self._begin(lost, measured)


class _TrustingFixedLag(_Trusting, KalmanFixedLag):
    """The same with a lag."""

"""Accelerations from a Kalman filter on position and velocity."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.constant_jerk import (
    COLUMNS,
    FULL,
    ROWS,
    ROWS_KEPT,
    Step,
    step,
)
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.sensor_noise import SensorNoise
from urdf2dyn_ros.parameters import Parameter, check_all

FEWEST = 5
REJECTS = 3
PROBATION = 250_000_000   # ns
NEVER = 1e30   # variance of a measurement that does not count
UNKNOWN = np.array([1.0, 1e2, 1e4, 1e8])[:, None]   # variances at the start, in SI
# Rows of the filter's array: the state, its covariance, and how far the prediction of position
# and velocity is beyond what was measured.
BEYOND = slice(ROWS_KEPT, ROWS_KEPT + 2)
_VARIANCES = FULL[np.arange(4), np.arange(4)]
_MEASURED_VARIANCES = slice(FULL[0, 0], FULL[1, 1] + 1)
_COUPLING = FULL[0, 1]
_GAINED = np.column_stack((FULL[:2], [ROWS_KEPT, ROWS_KEPT + 1]))


class Kalman:
    """
    A constant-jerk filter of all joints, at their real stamps.

    A joint without velocity is filtered on its positions alone. The noise of positions,
    velocities and stamps is told from the samples unless it is given; an error of a stamp makes
    position and velocity wrong together, by qd and qdd times the error. A measurement further out
    than its gate and any credible step of the acceleration is left out; after more than three in a
    row the joint begins afresh, so that nothing is latched, and for a quarter of a second on its
    positions alone: its velocity may be what contradicts them.

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
        Parameter('snap_density', 1e5, 'Density of the white noise that the fourth derivative of '
                  'the position is taken for: larger follows faster and is noisier.',
                  unit='rad^2/s^7 or m^2/s^7', minimum=1e-3, maximum=1e12),
        Parameter('position_noise', 0.0, 'Standard deviation of measured positions; 0 to tell it '
                  'from the samples.', unit='rad or m', minimum=0.0, maximum=1.0),
        Parameter('velocity_noise', 0.0, 'Standard deviation of measured velocities; 0 to tell '
                  'it from the samples.', unit='rad/s or m/s', minimum=0.0, maximum=100.0),
        Parameter('gate', 25.0, 'Squared deviations, relative to their variance, beyond which a '
                  'measurement is left out; 0 for no gate.', minimum=0.0, maximum=1e6),
        Parameter('acceleration_step', 20.0, 'A step of the acceleration that is no outlier.',
                  unit='rad/s^2 or m/s^2', minimum=0.0, maximum=1e5),
        Parameter('max_std', 10.0, 'No estimate as long as the standard deviation of an '
                  'acceleration is larger.', unit='rad/s^2 or m/s^2', minimum=1e-6, maximum=1e9),
    )

    def __init__(self, joints: int, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self._density: float = values['snap_density']
        self._given = np.square([[values['position_noise']], [values['velocity_noise']]])
        self._told = not self._given.any()
        self._gate: float = values['gate'] or NEVER
        self._step: float = values['acceleration_step']
        self._max_variance: float = values['max_std'] ** 2
        self._joints = joints
        self._noise = self._sensor_noise()
        self.reset()

    def _sensor_noise(self) -> SensorNoise:
        return SensorNoise(self._joints)

    def reset(self) -> None:
        """Forget every sample."""
        self._noise.reset()
        self._start()

    def forget_motion(self) -> None:
        """Forget every sample, but not what they told of the sensors."""
        self._noise.pause()
        self._start()

    def _start(self) -> None:
        """Be as before the first sample, but for what is known of the sensors."""
        self._last = 0
        self._count = 0
        self._h = 0.0
        self._z: Array = np.zeros((ROWS_KEPT + 2, self._joints))
        self._sample: Array = np.zeros((2, self._joints))
        self._rejected: Array = np.zeros(self._joints)
        self._rejecting = False
        self._trusted_from = np.zeros(self._joints, dtype=np.int64)   # [ns]
        self._probation_ends = 0

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Take one sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""
        sample = measured = self._sample
        sample[0], sample[1] = q, qd
        if stamp < self._probation_ends:
            measured = sample.copy()
            measured[1, stamp < self._trusted_from] = np.nan
        if self._count == 0:
            self._begin(np.ones(self._joints, dtype=bool), measured)
        else:
            self._advance(stamp, measured)
            if self._rejecting:
                self._give_up(stamp, measured)
        self._noise.update(stamp, sample, self._z[1:3])
        self._last = stamp
        self._count += 1
        return self._estimate(stamp)

    def _advance(self, stamp: int, measured: Array) -> None:
        """Predict and correct, and count what is left out."""
        self._filter(self._passed(stamp), measured)

    def _estimate(self, stamp: int) -> Estimate:
        variance = np.maximum(self._z[_VARIANCES[2]], 0.0)   # exact samples take it to zero
        position, velocity, acceleration = self._z[:3].copy()
        return Estimate(stamp, position, velocity, acceleration, np.sqrt(variance),
                        valid=self._count >= FEWEST and all_true(variance < self._max_variance))

    def _passed(self, stamp: int) -> Step:
        h = (stamp - self._last) * 1e-9
        if h != self._h:
            self._h, self._model = h, step(h)
            self._added = self._density * self._model.Q
            self._credible = np.array([[self._gate * (0.5 * self._step * h * h) ** 2],
                                       [self._gate * (self._step * h) ** 2]])
        return self._model

    def _variances(self) -> Array:
        """Return those of positions and velocities, (2, n)."""
        if self._told:
            return self._noise.variance
        return np.where(self._given > 0.0, self._given, self._noise.variance)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        """Start these joints with what has just been measured and no idea of the rest."""
        q, qd = measured
        known = np.isfinite(qd) & joints
        variances = self._variances()
        self._z[:, joints] = 0.0
        self._z[0, joints] = q[joints]
        self._z[1, known] = qd[known]
        self._z[_VARIANCES[:, None], joints] = UNKNOWN
        self._z[_VARIANCES[0], joints] = variances[0, joints]
        self._z[_VARIANCES[1], known] = variances[1, known]
        self._rejected[joints] = 0
        self._rejecting = bool(self._rejected.any())

    def _filter(self, model: Step, measured: Array) -> None:
        z = np.empty_like(self._z)
        np.dot(model.T, self._z[:ROWS_KEPT], out=z[:ROWS_KEPT])
        z[:ROWS_KEPT] += self._added
        y = np.subtract(z[:2], measured, out=z[BEYOND])
        S = z[_MEASURED_VARIANCES] + self._variances()
        off = z[_COUPLING]
        if self._noise.stamps > 0.0:
            late = z[1:3] * self._noise.stamps
            S += late * late
            off = off + late[0] * late[1]
        good = y * y <= self._gate * S + self._credible   # False for NaN
        if not all_true(good):
            off = self._left_out(~good, y, S, off, np.isfinite(measured[1]))
        elif self._rejecting:
            self._rejected[:] = 0
            self._rejecting = False
        self._correct(z, S, off)

    def _give_up(self, stamp: int, measured: Array) -> None:
        """Begin afresh with joints of which too many measurements in a row were left out."""
        lost = self._rejected > REJECTS
        if lost.any():
            self._begin(lost, np.where([[False], [True]] & lost, np.nan, measured))
            self._probation_ends = stamp + PROBATION
            self._trusted_from[lost] = self._probation_ends

    def _left_out(self, lost: NDArray[np.bool_], y: Array, S: Array, off: Array,
                  measured: NDArray[np.bool_]) -> Array:
        """Make measurements count nothing, and count those that are there but too far out."""
        S[lost], y[lost] = NEVER, 0.0
        outlier = lost[0] | (lost[1] & measured)
        self._rejected = np.where(outlier, self._rejected + 1, 0)
        self._rejecting = bool(outlier.any())
        return np.where(lost.any(axis=0), 0.0, off)

    def _correct(self, z: Array, S: Array, off: Array) -> None:
        """Put in two measurements whose innovations have the covariance (S_0, off; off, S_1)."""
        scale = 1.0 / (S[0] * S[1] - off * off)
        # covariances with the measured states, and the innovations: x -= K y goes as P -= K W
        W = z.take(_GAINED, axis=0)
        K = (S[::-1] * scale)[:, None] * W
        K -= (off * scale) * W[::-1]
        change = K.take(ROWS, axis=1)
        change *= W.take(COLUMNS, axis=1)
        z[:ROWS_KEPT] -= change[0]
        z[:ROWS_KEPT] -= change[1]
        self._z = z


def all_true(flags: NDArray[np.bool_]) -> bool:
    """Return flags.all(), for a few of them in a fifth of the time."""
    return b'\0' not in flags.tobytes()

"""Accelerations from a Kalman filter on position and velocity."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators import wrong_stamp
from urdf2dyn_ros.estimators.bandwidth import Bandwidth
from urdf2dyn_ros.estimators.bank import MOTION_MODELS, Bank, Model
from urdf2dyn_ros.estimators.constant_jerk import (
    COVARIANCE_ROW,
    FILTER_ROWS,
    INNOVATIONS,
    VARIANCES,
    Transition,
    correct,
    predict,
    start_columns,
    transition,
)
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.gate import MOST_REJECTED, REJECTED_VARIANCE, Gate, Usual
from urdf2dyn_ros.estimators.hindsight import Hindsight
from urdf2dyn_ros.estimators.kalman_parameters import FIXED_MODEL, KALMAN_PARAMETERS
from urdf2dyn_ros.estimators.onset import SINGLE_SAMPLE
from urdf2dyn_ros.estimators.sample_times import SampleTimes
from urdf2dyn_ros.estimators.sensor_noise import SensorNoise
from urdf2dyn_ros.estimators.usable import Usable
from urdf2dyn_ros.joint_states.driver_clock import DriverClock
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array, all_true

_MEASURED_VARIANCES = slice(COVARIANCE_ROW[0, 0], COVARIANCE_ROW[1, 1] + 1)
_COUPLING = COVARIANCE_ROW[0, 1]


class Kalman:
    """
    Constant-jerk filter of all joints, at their real stamps.

    A joint without velocity is filtered on its positions alone. The noise of positions,
    velocities and stamps is estimated from the samples unless it is a parameter; an error of a
    stamp affects position and velocity together, by qd and qdd times the error. Outliers (gate.py)
    are rejected. After more than three positions in a row the joint is reset; then, and after as
    many velocities, it is filtered on its positions alone for a quarter of a second. A sample
    whose stamp contradicts all positions (`time_error`) is not used, and no outlier.

    With a snap density of 0, each joint has a filter for each of ``MOTION_MODELS``; `Bandwidth`
    weights them. Position and velocity of a joint whose velocity is measured are those of the
    filter that does not adapt: they need no bandwidth, and slow filters follow the jump of a
    velocity, as of a push, up to 0.1 s late. The standard deviation is that of `Hindsight`.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = KALMAN_PARAMETERS
    MOTION_MODELS: ClassVar[tuple[Model, ...]] = MOTION_MODELS

    def __init__(self, joints: int, *, snap_density: float, position_noise: float,
                 velocity_noise: float, gate: float, acceleration_step: float,
                 max_std: float) -> None:
        models = (Model(snap_density),) if snap_density else self.MOTION_MODELS
        self._filters = len(models)
        self._following = self._filters > 1 and FIXED_MODEL in models
        index = models.index(FIXED_MODEL) if self._following else self._filters - 1
        self._columns = slice(index * joints, index * joints + joints)   # it follows every motion
        self._fixed = np.square([[position_noise], [velocity_noise]])
        self._learns = not self._fixed.any()
        self._gate = Gate(gate or REJECTED_VARIANCE, acceleration_step)
        self._max_variance, self._joints = max_std ** 2, joints
        self._noise, self._bank = self._sensor_noise(), Bank(models, joints)
        self._bandwidth, self._hindsight = self._adaptation()
        self.reset()

    def _sensor_noise(self) -> SensorNoise:
        return SensorNoise(self._joints)

    def _adaptation(self) -> tuple[Bandwidth, Hindsight]:
        return Bandwidth(self._bank), Hindsight(self._joints)

    def reset(self) -> None:
        """Forget every sample."""
        for part in (self._noise, self._bandwidth, self._hindsight):
            part.reset()
        self._start()

    def forget_motion(self) -> None:
        """Forget every sample but keep the learned noise."""
        kept = self._noise.pause()
        for part in (self._bandwidth, self._hindsight):
            part.start() if kept else part.reset()
        self._start()

    def _start(self) -> None:
        """Return to the state before the first sample, except for the learned noise."""
        self._last = self._present = self._count = 0
        self._z: Array = np.zeros((FILTER_ROWS + 2, self._filters * self._joints))
        self._mixed: Array = np.zeros((3, self._joints))
        self._rates = self._mixed[1:]
        self._sample, self._rejected = np.zeros((2, 2, self._joints))   # the latter in a row
        self._rejecting = False
        self._h = self._wrong = 0.0   # last step, and time by which the stamp is off [s]
        self._repeats, self._kind = wrong_stamp.Repeats(), wrong_stamp.NEW
        self._times, self.clock = SampleTimes(), DriverClock(self._joints)
        self._usable, self._usual = Usable(self._joints), Usual(self._joints)

    def update_some(self, stamp: int, q: Array, qd: Array, missing: NDArray[np.bool_]) -> Estimate:
        """Return the estimate at a sample that has no measurements of some joints, (n,)."""
        self._usable.missing = missing
        return self.update(stamp, q, qd)

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Return the estimate at the newest sample."""
        sample = measured = self._sample
        sample[0], sample[1], received, missing = q, qd, stamp, self._usable.missing
        self._present = stamp = self.clock.taken(stamp, sample, self._rates, missing)
        self._kind = self._repeats.kind(sample)
        if stamp >= self._bank.next_stamp:
            self._bandwidth.judge_anew(self._bank.admit(stamp, self._count))
        if self._count == 0:
            self._begin(np.ones(self._joints, dtype=bool), sample)
        else:
            measured = self._usable.of(stamp, sample)
            self._advance(stamp, measured)
            self._reset_rejected(stamp, measured)
        self._repeats.not_used = bool(self._wrong) and self._kind == wrong_stamp.SAME
        if self._wrong:
            self._noise.interrupt()
            if self._kind == wrong_stamp.AFTER_SAME:   # predictions were those of other times
                for part in (self._bandwidth, self._hindsight):
                    part.restart(np.ones(self._joints, dtype=bool))
        else:
            self._noise.update(stamp, sample, self._rates, missing)
        self._bandwidth.period = self._times.add(stamp, self._kind, self._wrong)
        self._last, self._usable.missing = stamp, None
        self._count += 1
        estimate = self._estimate(received)
        if self._following:
            self._follow(estimate, measured[1])
        return estimate

    def _follow(self, estimate: Estimate, velocities: Array) -> None:
        """Use the filter that does not adapt where velocities, (n,), are measured."""
        for mixed, followed in zip((estimate.q, estimate.qd), self._followed(self._columns)):
            np.copyto(mixed, followed, where=np.isfinite(velocities))

    def _followed(self, columns: slice) -> Array:
        """Return positions and velocities of the filter of some columns, (2, n)."""
        return self._z[:2, columns]

    def _advance(self, stamp: int, measured: Array) -> None:
        """Predict and correct, and count rejections."""
        self._filter(self._transition(stamp), measured)

    def _estimate(self, stamp: int) -> Estimate:
        variance = self._hindsight.variance(self._bandwidth.variance)
        q, qd, qdd = self._mixed.copy()
        begun = self._usable.begun(self._count, self._rejecting)
        return Estimate(stamp, q, qd, qdd, np.sqrt(variance), valid=begun and all_true(
            self._bandwidth.declared < self._max_variance))

    def _transition(self, stamp: int) -> Transition:
        h = (stamp - self._last) * 1e-9
        if h != self._h:
            self._h, self._model = h, transition(h, self._bank.density, self._bank.decay)
        return self._model

    def _variances(self) -> Array:
        """Return the variances of measured positions and velocities, (2, n)."""
        if self._learns:
            return self._noise.variance
        return np.where(self._fixed > 0.0, self._fixed, self._noise.variance)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        """Start these joints at the measurement."""
        start_columns(self._each(slice(None)), joints, measured, self._variances())
        self._rejected[:, joints] = 0.0
        self._rejecting = bool(self._rejected.any())
        self._bank.restart(joints, self._present, self._count)
        self._bandwidth.restart(joints)
        self._hindsight.restart(joints)
        self._bandwidth.weigh(self._each(VARIANCES[2]))
        self._mix()

    def _mix(self) -> None:
        """Average the filters of each joint."""
        np.sum(self._bandwidth.weights * self._each(slice(0, 3)), axis=1, out=self._mixed)

    def _filter(self, model: Transition, measured: Array) -> None:
        filters, weights = self._filters, self._bandwidth.weights
        z = predict(self._z, model)
        np.subtract(z[:2], np.tile(measured, filters), out=z[INNOVATIONS])
        S = z[_MEASURED_VARIANCES] + np.tile(self._variances(), filters)
        off = z[_COUPLING]
        if self._noise.stamps > 0.0:
            each = z.reshape(len(z), filters, self._joints)
            late = (weights * each[1:3]).sum(axis=1) * self._noise.stamps
            S += np.tile(late * late, filters)
            off = off + np.tile(late[0] * late[1], filters)
        self._wrong = self._time_error(z, S[0, -self._joints:], measured) if filters > 1 else 0.0
        if self._wrong and self._kind == wrong_stamp.AFTER_SAME:
            z[:4] = transition(-self._wrong, self._bank.density, self._bank.decay).F @ z[:4]
            np.subtract(z[:2], np.tile(measured, filters), out=z[INNOVATIONS])
        unused = self._wrong and self._kind != wrong_stamp.AFTER_SAME
        good = (np.zeros_like(measured, dtype=bool) if unused
                else self._good(z, S[:, -self._joints:], measured))
        if not all_true(good):
            before = self._rejected
            off = self._reject(~good, z[INNOVATIONS], S, off, np.isfinite(measured))
            if unused:   # these are no outliers
                self._rejected, self._rejecting = before, bool(before.any())
        elif self._rejecting:
            self._rejected[:] = 0.0
            self._rejecting = False
        self._correct(z, S, off)
        if filters > 1:
            self._adapt(np.where(good, measured, np.nan))
        else:
            self._bandwidth.weigh(self._each(VARIANCES[2]))
        self._mix()
        if filters > 1:
            self._look_back()

    def _good(self, z: Array, S: Array, measured: Array) -> NDArray[np.bool_]:
        """Return which measurements are no outliers, (2, n)."""
        y = z[INNOVATIONS, -self._joints:]
        if self._filters == 1:
            return y * y <= self._gate.limits(S, self._h, np.zeros_like(S))
        predicted = self._usable.predicted(self._h, measured[1])
        limits = self._gate.limits(S, self._h, self._h * self._mixed[1:3])
        limits = self._usual.widened(y, limits, self._rejected, predicted)
        good: NDArray[np.bool_] = y * y <= limits
        if self._rejecting or not all_true(good | np.isnan(y)):
            good[0] = self._usual.positions(y[0], self._together(z[0]) - measured[0], limits[0],
                                            self._rejected[0], measured[0], predicted,
                                            self._usable.ever)
        return good

    def _together(self, predicted: Array) -> Array:
        """Return what all filters together predict, (n,), from what each of them does."""
        each = self._bandwidth.weights * predicted.reshape(self._filters, -1)
        return np.asarray(each.sum(axis=0))

    def _time_error(self, z: Array, S: Array, measured: Array) -> float:
        """Return by how much the stamp is off, by what all filters predict if it may be late."""
        times, v = self._times, self._mixed[1]
        h, y = times.since(self._present), z[INNOVATIONS][0, -self._joints:]
        late = times.may_be_late(self._kind, h)
        if late or self._kind != wrong_stamp.NEW:
            y, S = self._together(z[0]) - measured[0], self._variances()[0]
        if late:
            S = S + np.square(0.5 * (h + times.behind) ** 2) * self._bandwidth.variance
            v = 0.5 * (v + self._together(z[1]))
        return wrong_stamp.time_error(self._kind, h, times.behind, times.period,
                                      self._gate.squared, v, y, S)

    def _look_back(self) -> None:
        """Compare estimates with the positions that followed."""
        self._hindsight.observe(self._present, self._z[0, self._columns], self._mixed[2],
                                self._bandwidth.variance, self._variances()[0])

    def _adapt(self, kept: Array) -> None:
        """Weight the filters after a sample, with the measurements that are not rejected."""
        self._bandwidth.observe(self._present, self._each(slice(0, 4)), kept)
        follows = self._each(_MEASURED_VARIANCES) > SINGLE_SAMPLE * self._variances()[:, None]
        single = follows[0] | follows[1] & np.isfinite(kept[1])
        self._bandwidth.weigh_anew(self._each(VARIANCES[2]), self._each(2), self._noise.known,
                                   single, self._each(INNOVATIONS)[1] + 0.0 * kept[1], self._h)

    def _each(self, rows: int | slice) -> Array:
        """Return rows of the filters' array, (..., k, n)."""
        return self._z[rows].reshape(*self._z[rows].shape[:-1], self._filters, self._joints)

    def _reset_rejected(self, stamp: int, measured: Array) -> None:
        """Reset joints with too many rejected positions in a row, and do not use velocities."""
        if not self._rejecting or self._rejected.max() <= MOST_REJECTED:
            return
        contradicted = self._rejected.max(axis=0) > MOST_REJECTED
        # before the first estimate, the joint began with that velocity
        lost = contradicted & ((self._rejected[0] > MOST_REJECTED) | (not self._usable.ever))
        self._rejected[1, contradicted] = 0.0
        self._rejecting = bool(self._rejected.any())
        if lost.any():
            self._noise.forget(lost & np.isnan(self._usual.jumps))   # no jump, but much noise
            self._begin(lost, np.where([[False], [True]] & lost, np.nan, measured))
        self._usable.distrust(contradicted, stamp)

    def _reject(self, lost: NDArray[np.bool_], y: Array, S: Array, off: Array,
                measured: NDArray[np.bool_]) -> Array:
        """Remove the effect of lost measurements, and count those that are outliers, not NaN."""
        each = np.tile(lost, self._filters)
        S[each], y[each] = REJECTED_VARIANCE, 0.0
        self._rejected = np.where(lost & measured, self._rejected + 1.0,
                                  self._rejected * ~measured[0])
        self._rejecting = bool(self._rejected.any())
        return np.where(each.any(axis=0), 0.0, off)

    def _correct(self, z: Array, S: Array, off: Array) -> None:
        """Correct by both measurements, with the covariance of the innovations."""
        correct(z, S, off)
        self._z = z

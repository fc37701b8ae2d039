"""Accelerations a little later, and several times better: the Kalman filter with a fixed lag."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.bandwidth import LEAST_VARIANCE, shares
from urdf2dyn_ros.estimators.constant_jerk import (
    COVARIANCE_ROW,
    INNOVATIONS,
    Transition,
    predict,
)
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array, all_true

SMOOTHED_STATES = 3
"""Position, velocity and acceleration."""

LAG_TOLERANCE = 1.5
"""Steps of the stamps by which the lag may differ from the parameter."""

MOST_PAST = 512
"""Samples that the estimate may lag behind."""

SMOOTHED_NOISE = 5.0
"""Factor of the variance by white noise in the squared error of a smoothed acceleration."""


class KalmanFixedLag(Kalman):
    """
    The Kalman filter as a fixed-lag smoother.

    Every measurement also corrects the states of the samples before it, by their covariance with
    the present state (Anderson and Moore, Optimal Filtering, section 7.3): nothing is computed
    twice, and there is no backward pass. The estimate is that of a sample about `lag` before the
    newest, with its stamp: the next one after each sample, so that stamps advance although they
    jitter, unless it is further than one and a half steps of the stamps from that lag. Stamps
    without a measurement do not count as the newest one: the first such in a row have no estimate,
    and all later estimates are as many steps older.

    With a snap density of 0, every filter of a joint is smoothed and gets a new weight. Of the
    squared error that `Bandwidth` estimates, smoothing leaves the part that it leaves of the
    variance, and all of it where the jerk decays; noise that is left counts several times, so that
    a slower filter is preferred to one with such noise. After an onset, filters count as wrong by
    how far they are from the fastest, which is known by then.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        *Kalman.PARAMETERS,
        Parameter('lag', 0.02, 'How much older the estimate is than the newest sample.', unit='s',
                  minimum=0.0, maximum=0.5),
    )

    def __init__(self, joints: int, *, lag: float, **kalman: float) -> None:
        self._lag = round(lag * 1e9)
        super().__init__(joints, **kalman)

    def _start(self) -> None:
        super()._start()
        self._velocities: Array = np.full(self._joints, np.nan)   # of the newest measurement
        self._lagging = False   # False until the samples cover the lag
        self._measured_at = 0                # newest stamp with a measurement [ns]
        self._carried = self._waited = 0     # stamps without one in a row; such without estimate
        self._stamps: list[int] = []
        columns = self._filters * self._joints
        self._past: Array = np.zeros((0, SMOOTHED_STATES, columns))
        self._variance: Array = np.zeros((0, columns))   # of the past accelerations
        # covariance of the present state with the past ones
        self._shared: Array = np.zeros((4, 0, SMOOTHED_STATES, columns))

    def carry(self, stamp: int) -> Estimate:
        """Return the estimate after a message, [ns], that has no measurements."""
        self._carried += 1
        taken = self.clock.at(stamp)
        self._pass(taken)
        self._last = taken
        self._count += 1
        estimate = self._estimate(stamp)
        if self._following:
            self._follow(estimate, self._velocities)
        return estimate

    def _pass(self, stamp: int) -> None:
        """Predict; a prediction says nothing of how good the filters are."""
        self._z = predict(self._z, self._transition(stamp))
        self._mix()

    def _advance(self, stamp: int, measured: Array) -> None:
        super()._advance(stamp, measured)
        self._velocities, self._carried = measured[1], 0

    def _estimate(self, stamp: int) -> Estimate:
        dropped = self._add(stamp)
        position, velocity, acceleration, declared, variance = self._smoothed(dropped)
        return Estimate(self._stamps[0], position, velocity, acceleration, np.sqrt(variance),
                        valid=self._usable.begun(self._count, self._rejecting) and self._lagging
                        and all_true(declared < self._max_variance))

    def _add(self, stamp: int) -> int:
        """Add a stamp, and drop those that are older than the lag; return their number."""
        self._stamps.append(stamp)
        self._measured_at = self._measured_at if self._carried else stamp
        wanted = self._measured_at - self._lag
        done = 0
        while done + 1 < len(self._stamps) and (
                abs(self._stamps[done + 1] - wanted) <= abs(self._stamps[done] - wanted)
                or len(self._stamps) - done > MOST_PAST):
            done += 1
        steps = len(self._stamps) - 1
        tolerance = (LAG_TOLERANCE + self._waited) * (stamp - self._stamps[0])
        if self._lagging and steps and steps * abs(self._stamps[1] - wanted) <= tolerance:
            # stamps jitter: each sample in turn, none twice; none early for want of measurements
            done = int(self._waited >= self._carried)
        self._waited = max(self._waited + 1 - done, 0) if self._lagging else 0
        del self._stamps[:done]
        self._lagging |= done > 0 or self._stamps[0] <= wanted
        return done

    def _smoothed(self, dropped: int) -> Array:
        """
        Add the present state, and drop as many of the oldest ones.

        Return the weighted position, velocity, acceleration and its variance by white noise at the
        oldest one, and the variance to declare, (5, n).
        """
        present = self._z[COVARIANCE_ROW[:, :SMOOTHED_STATES]][:, None]
        self._past = np.concatenate((self._past[dropped:], self._z[None, :SMOOTHED_STATES]))
        self._variance = np.concatenate((self._variance[dropped:], present[2, :, 2]))
        self._shared = np.concatenate((self._shared[:, dropped:], present), axis=1)
        each = np.concatenate((self._past[0], self._variance[:1])).reshape(
            SMOOTHED_STATES + 1, self._filters, self._joints)
        smoothed = np.maximum(each[3], 0.0)
        squares = self._squares(each[2], smoothed * self._noise.known)
        weights = shares(squares)
        mixed = (weights * each).sum(axis=1)
        variance = smoothed[0]
        if self._filters > 1:
            declared = 1.0 / (weights / squares).sum(axis=0)
            self._hindsight.observe(self._stamps[0], self._past[0, 0, self._columns], mixed[2],
                                    declared, self._variances()[0])
            variance = self._hindsight.variance(declared)
        return np.concatenate((mixed, variance[None]))

    def _look_back(self) -> None:
        """Do nothing: the smoothed estimates are compared."""

    def _squares(self, accelerations: Array, smoothed: Array) -> Array:
        """Return squared errors, (k, n), of smoothed accelerations with these variances."""
        filtered = np.maximum(self._each(COVARIANCE_ROW[2, 2]), 0.0) * self._noise.known
        decays = self._bank.decay > 0.0
        part = np.where(decays, 0.0, smoothed / np.maximum(filtered, LEAST_VARIANCE))
        part = np.maximum.accumulate(part[::-1])[::-1]   # a slow filter keeps no less than a fast
        part[decays] = 1.0
        missed = self._bandwidth.onset.missed
        excess = np.maximum(self._bandwidth.squares - filtered - missed, 0.0)
        missed = np.minimum(missed, np.square(accelerations - accelerations[-1]))
        squares: Array = np.maximum(SMOOTHED_NOISE * smoothed + part * excess + missed,
                                    LEAST_VARIANCE)
        return squares

    def _followed(self, columns: slice) -> Array:
        return self._past[0, :2, columns]

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._shared[:, :, :, np.tile(joints, self._filters)] = 0.0

    def _transition(self, stamp: int) -> Transition:
        model = super()._transition(stamp)
        shape = self._shared.shape
        self._shared[3] *= model.kept[0]
        self._shared = (model.F @ self._shared.reshape(4, -1)).reshape(shape)
        self._shared[3] *= model.kept[0]
        return model

    def _correct(self, z: Array, S: Array, off: Array) -> None:
        scale = 1.0 / (S[0] * S[1] - off * off)
        C, y = self._shared[:2], z[INNOVATIONS]
        K = (S[::-1] * scale)[:, None, None] * C
        K -= (off * scale) * C[::-1]
        self._past -= K[0] * y[0] + K[1] * y[1]
        self._variance -= (K[:, :, 2] * C[:, :, 2]).sum(axis=0)
        W = z[COVARIANCE_ROW[:2]][:, :, None, None]
        self._shared = self._shared - W[0] * K[0] - W[1] * K[1]
        super()._correct(z, S, off)

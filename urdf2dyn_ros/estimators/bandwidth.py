"""
Weights of filters of different bandwidths, by how well each of them predicted.

Noise of real sensors is not white: quantisation, filters in drivers, stamps, vibration. The
likelihood of the next sample then prefers filters that follow the noise. A prediction some time h
ahead does not: noise costs every filter the same there, while an acceleration that is wrong by e
shows as h e in a velocity and as h^2 / 2 e in a position. A filter's squared error of acceleration
is therefore estimated as what it declares, for white noise, plus the largest excess of its
predictions over those of the best filter.

"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array

HORIZONS = (0.03, 0.06, 0.12)
"""How far ahead predictions are compared with the samples [s]: those that suit a joint."""

LONGEST_FOR_VELOCITY = 0.06
"""Longest horizon of a joint with velocity [s]."""

FEWEST_PERIODS = 6.0
"""Shortest horizon of a joint without velocity, in periods of the samples."""

PREDICTION_MEMORY = 0.2
"""Time constant of the mean squared errors [s]."""

STORED_EVERY = 2_500_000
"""Shortest time between stored states [ns]."""

STORED_STATES = 64
"""Number of stored states: they cover the longest horizon."""

VELOCITY_MISSING = 50_000_000
"""Time without a velocity after which a joint is one without velocity [ns]."""

PERIOD_GAIN = 0.05
"""Part by which the estimated period follows each step of the stamps."""

LEAST_VARIANCE = 1e-18
"""Least squared error of an acceleration; exact samples lead to zero."""


class Bandwidth:
    """
    Compares the predictions of filters with the samples that follow.

    Parameters
    ----------
    filters, joints : int
        Number of filters of each joint, k, and of joints, n.

    Attributes
    ----------
    weights : ndarray, (k, n)
        Weights of the filters; they add up to 1 for each joint.
    variance : ndarray, (n,)
        Estimated squared error of the weighted acceleration [rad^2/s^4 or m^2/s^4].
    modelled : ndarray, (n,)
        What it would be if nothing were unexplained by the best filter: large while the filters
        know too little.

    """

    def __init__(self, filters: int, joints: int) -> None:
        self._shape = filters, joints
        self.weights = np.zeros((filters, joints))
        self.variance = np.zeros(joints)
        self.modelled = np.zeros(joints)
        self.errors = np.zeros((len(HORIZONS), filters, joints))
        self.compared = np.zeros((len(HORIZONS), joints))   # numbers of samples in the means
        self.fast = np.zeros(joints)                        # 1 for a joint with velocity
        self.velocity = np.zeros(joints, dtype=np.int64)    # newest stamp with one
        self.stamps = np.zeros(STORED_STATES, dtype=np.int64)
        self.states = np.zeros((STORED_STATES, 4, filters, joints))
        self.reset()

    def reset(self) -> None:
        """Forget every prediction and its errors."""
        self.weights[:] = 1.0 / self._shape[0]
        self.variance[:] = self.modelled[:] = np.inf
        for array in (self.errors, self.compared, self.fast):
            array[:] = 0.0
        self.start()

    def start(self) -> None:
        """Forget the stored states but keep the errors: a gap does not change the motion."""
        self.states[:] = np.nan
        self.stamps[:] = self.velocity[:] = 0
        self._number, self._newest, self._period = 0, 0, 0.0

    def restart(self, joints: NDArray[np.bool_]) -> None:
        """Forget the stored states of some joints, (n,)."""
        self.states[..., joints] = np.nan

    def observe(self, stamp: int, states: Array, measured: Array) -> None:
        """
        Compare a sample with the predictions of it.

        Parameters
        ----------
        stamp : int
            [ns].
        states : ndarray, (4, k, n)
            Position, velocity, acceleration, jerk after the sample.
        measured : ndarray, (2, n)
            Position and velocity; NaN where not measured or rejected.

        """
        if self._newest:
            passed = (stamp - self._newest) * 1e-9
            self._period += (passed - self._period) * (PERIOD_GAIN if self._period else 1.0)
        self._newest = stamp
        self.velocity[np.isfinite(measured[1])] = stamp
        fast = stamp - self.velocity < VELOCITY_MISSING
        self.compared[:, fast != self.fast] = 0.0
        self.fast[:] = fast
        last = int(self.stamps[(self._number - 1) % STORED_STATES]) if self._number else 0
        if stamp - last < STORED_EVERY:
            return
        if self._number:
            self._compare(stamp, (stamp - last) * 1e-9, measured)
        self.stamps[self._number % STORED_STATES] = stamp
        self.states[self._number % STORED_STATES] = states
        self._number += 1

    def _compare(self, stamp: int, passed: float, measured: Array) -> None:
        """Add the squared errors of the predictions of a sample to their means."""
        fast = self.fast != 0.0
        forgotten = 1.0 - exp(-passed / PREDICTION_MEMORY)
        for mean, compared, horizon in zip(self.errors, self.compared, HORIZONS):
            index = self._before(stamp - round(horizon * 1e9))
            if index is None:
                continue
            h = (stamp - int(self.stamps[index])) * 1e-9
            q, qd, qdd, jerk = self.states[index]
            errors = np.square(np.where(
                fast, qd + h * (qdd + h / 2.0 * jerk) - measured[1],
                q + h * (qd + h / 2.0 * (qdd + h / 3.0 * jerk)) - measured[0]))
            known = np.isfinite(errors).all(axis=0)
            compared += known
            gain = np.maximum(forgotten, 1.0 / compared[known])
            mean[:, known] += gain * (errors[:, known] - mean[:, known])

    def _before(self, stamp: int) -> int | None:
        """Return the index of the newest state that is no newer than a stamp, if there is one."""
        kept = min(self._number, STORED_STATES)
        newest_first = ((self._number - 1 - back) % STORED_STATES for back in range(kept))
        return next((index for index in newest_first if self.stamps[index] <= stamp), None)

    def weigh(self, declared: Array) -> None:
        """Weight the filters by the variances of acceleration that they declare, (k, n)."""
        fast = self.fast != 0.0
        excess = np.zeros(self._shape)
        unexplained = np.full(self._shape[1], np.inf)
        for errors, compared, h in zip(self.errors, self.compared, HORIZONS):
            used = (compared > 0.0) & np.where(
                fast, h <= LONGEST_FOR_VELOCITY, h >= FEWEST_PERIODS * self._period)
            effect = np.where(fast, h * h, h * h * h * h / 4.0)
            least = errors.min(axis=0)
            np.maximum(excess, np.where(used, (errors - least) / effect, 0.0), out=excess)
            np.minimum(unexplained, np.where(used, least / effect, np.inf), out=unexplained)
        squares = np.maximum(np.maximum(declared, 0.0) + excess, LEAST_VARIANCE)
        np.square(squares.min(axis=0) / squares, out=self.weights)
        self.weights /= self.weights.sum(axis=0)
        np.divide(1.0, (self.weights / squares).sum(axis=0), out=self.modelled)
        np.add(self.modelled, np.where(np.isfinite(unexplained), unexplained, 0.0),
               out=self.variance)

"""
Weights of filters of different bandwidths, by how well each of them predicted.

Noise of real sensors is not white: quantisation, filters in drivers, stamps, vibration. The
likelihood of the next sample then prefers filters that follow the noise. A prediction some time h
ahead does not: noise costs every filter the same there, while an acceleration that is wrong by e
shows as h e in a velocity and as h^2 / 2 e in a position. A filter's squared error of acceleration
is therefore estimated as what it declares, for white noise, plus the largest excess of its
predictions over those of the best filter.

A prediction too far ahead of a fast motion fails with every filter, and least with a filter that
has not moved at all. A horizon is therefore used only if the best filter at the horizon before
does not fail at it. Onsets of motions, which predictions show late, are those of onset.py.

Where velocities come or are no longer used, the filters change for a while, and the first few
comparisons are chance: until there are enough of the new kind, those before the change judge, and
no onset is looked for without velocities.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.bank import Bank
from urdf2dyn_ros.estimators.constant_jerk import integrals
from urdf2dyn_ros.estimators.onset import INNOVATION_SHOWS, Onset
from urdf2dyn_ros.robot.spatial import Array

HORIZONS = (0.03, 0.06, 0.12)
"""How far ahead predictions are compared with the samples [s]."""

FEWEST_PERIODS = 5.5
"""Shortest horizon of a joint without velocity, in periods of the samples; if the motion is too
fast for the next one, a shorter one is used."""

LONGEST_FOR_VELOCITY = 0.06
"""Longest horizon of a joint with velocity [s]."""

VELOCITY_HORIZONS = sum(each <= LONGEST_FOR_VELOCITY for each in HORIZONS)
"""Number of the horizons of a joint with velocity."""

SLOW_PERIOD = 0.02
"""Period of the samples beyond which horizons and memories are longer in proportion [s]."""

HORIZON_GATE = 2.6
"""Growth of the best filter's error of acceleration at which a horizon is too long."""

PREDICTION_MEMORY = 0.2
"""Time constant of the mean squared errors [s]."""

STORED_EVERY = 2_500_000
"""Shortest time between stored states [ns]."""

STORED_STATES = 64
"""Number of stored states: they cover the longest horizon."""

VELOCITY_MISSING = 50_000_000
"""Time without a velocity after which a joint is one without velocity [ns]."""

JERK_CLIPPING = 16.0
"""Largest squared error of a prediction, relative to that without its jerk: after a step of the
acceleration jerks overshoot for a while."""

FEWEST_COMPARED = 25
"""Comparisons after which predictions of velocities judge where there were none, or of positions
where velocities are not used any more."""

SHARED = 1.0 - 1e-7
"""Part of the least squared error that is known to be in all: what is less is rounding."""

LEAST_VARIANCE = 1e-18
"""Least squared error of an acceleration; exact samples lead to zero."""


class Bandwidth:
    """Compares the predictions of filters, k of each of n joints, with the samples that follow."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self.period = 0.0   # usual time between samples, 0 if it is not known [s]
        filters, joints = self._shape = bank.density.shape
        self.weights = np.zeros((filters, joints))   # they add up to 1 for each joint
        # estimated squared error of the weighted acceleration that the filters do not share
        # [rad^2/s^4 or m^2/s^4], and the filters' own, by white noise alone: large while they
        # know too little
        self.variance, self.declared = np.zeros((2, joints))
        # estimated squared errors of the filters' accelerations [rad^2/s^4 or m^2/s^4]
        self.squares = np.ones((filters, joints))
        # the same in predictions of positions, and of velocities
        self.errors = np.zeros((2, len(HORIZONS), filters, joints))
        self.compared = np.zeros((2, len(HORIZONS), joints))   # numbers of samples in the means
        self.onset = Onset(filters, joints)
        self.fast = np.zeros(joints)                        # 1 for a joint with velocity
        self.velocity = np.zeros(joints, dtype=np.int64)    # newest stamp with one
        self.stamps = np.zeros(STORED_STATES, dtype=np.int64)
        self.states = np.zeros((STORED_STATES, 4, filters, joints))
        self.reset()

    def reset(self) -> None:
        """Forget every prediction and its errors."""
        self.weights[:] = 1.0 / self._shape[0]
        self.variance[:] = self.declared[:] = np.inf
        for array in (self.errors, self.compared, self.fast):
            array[:] = 0.0
        self.onset.reset()
        self.start()

    def start(self) -> None:
        """Forget the stored states but keep the errors: a gap does not change the motion."""
        self.onset.start()
        self.states[:] = np.nan
        self.stamps[:] = self.velocity[:] = 0
        self._number = 0

    def restart(self, joints: NDArray[np.bool_]) -> None:
        """Forget the stored states of some joints, (n,)."""
        self.states[..., joints] = np.nan

    def judge_anew(self, joints: NDArray[np.bool_]) -> None:
        """Let filters whose jerk decays have the errors of those before them; joints: (n,)."""
        self.errors[..., joints] = self.errors[:, :, self._bank.before][..., joints]

    def observe(self, stamp: int, states: Array, measured: Array) -> None:
        """
        Compare a sample with the predictions of it.

        The states (4, k, n) are position, velocity, acceleration and jerk after the sample;
        `measured` (2, n) is position and velocity, NaN where not measured or rejected. The stamp
        is in [ns].
        """
        self.velocity[np.isfinite(measured[1])] = stamp
        fast = stamp - self.velocity < VELOCITY_MISSING
        changed = np.flatnonzero(fast != self.fast)
        if changed.size:
            self.fast[:] = fast
            self.compared[fast[changed].astype(int), :, changed] = 0.0
            self.states[..., changed] = np.nan
        last = int(self.stamps[(self._number - 1) % STORED_STATES])
        if self._number and stamp - last < STORED_EVERY:
            return
        if self._number:
            self._compare(stamp, (stamp - last) * 1e-9, measured)
        self.stamps[self._number % STORED_STATES] = stamp
        self.states[self._number % STORED_STATES] = states
        self._number += 1

    def _compare(self, stamp: int, passed: float, measured: Array) -> None:
        """Add the squared errors of acceleration in the predictions of a sample to their means."""
        forgotten = 1.0 - exp(-passed / (PREDICTION_MEMORY * self._scale))
        joints, kind = np.arange(self._shape[1]), self.fast.astype(int)
        for slot, horizon in enumerate(HORIZONS):
            index = self._before(stamp - round(self._scale * horizon * 1e9))
            if index is None:
                continue
            h = (stamp - int(self.stamps[index])) * 1e-9
            errors = self._failures(self.states[index], h, measured)
            known = np.isfinite(errors).all(axis=0)
            self.compared[kind, slot, joints] += known
            compared = self.compared[kind, slot, joints]
            gain = np.maximum(forgotten, 1.0 / np.maximum(compared, 1.0))
            mean = self.errors[kind, slot, :, joints].T
            self.errors[kind, slot, :, joints] = np.where(known, mean + gain * (errors - mean),
                                                          mean).T

    def _failures(self, states: Array, h: float, measured: Array) -> Array:
        """Return the squared errors of acceleration in predictions of a sample, (k, n)."""
        q, qd, qdd, jerk = states
        twice, thrice = integrals(self._bank.decay, h)
        by_velocity = qd + h * qdd - measured[1]
        by_position = q + h * (qd + h / 2.0 * qdd) - measured[0]
        fast = self.fast != 0.0
        without = np.where(fast, by_velocity / h, by_position / (h * h / 2.0))
        error = without + np.where(fast, twice / h, thrice / (h * h / 2.0)) * jerk
        result: Array = np.minimum(np.square(error), JERK_CLIPPING * np.square(without))
        return result

    def _before(self, stamp: int) -> int | None:
        """Return the index of the newest state that is no newer than a stamp, if there is one."""
        kept = min(self._number, STORED_STATES)
        newest_first = ((self._number - 1 - back) % STORED_STATES for back in range(kept))
        return next((index for index in newest_first if self.stamps[index] <= stamp), None)

    @property
    def _scale(self) -> float:
        return max(1.0, self.period / SLOW_PERIOD)

    def _by_velocity(self) -> NDArray[np.bool_]:
        """Return the joints whose predicted velocities judge, (n,)."""
        positions, velocities = self.compared[:, 0]
        result: NDArray[np.bool_] = np.where(
            self.fast != 0.0, (velocities >= FEWEST_COMPARED) | (positions == 0.0),
            (positions < FEWEST_COMPARED) & (velocities > 0.0))
        return result

    def weigh(self, declared: Array) -> None:
        """Weight the filters by the variances of acceleration that they declare, (k, n)."""
        self._share(declared, self._squares(declared))

    def weigh_anew(self, declared: Array, accelerations: Array, known: Array,
                   single: NDArray[np.bool_], innovations: Array, h: float) -> None:
        """
        Weight the filters after a sample.

        `known`, (n,), is `SensorNoise.known`: what filters declare by a noise that was not learned
        counts less; `innovations`, (k, n), are those of the velocities, NaN where none is used.
        The other arguments are those of `Onset.add`.
        """
        credible = known * declared
        squares = self._squares(credible)
        shown = np.nan_to_num(INNOVATION_SHOWS * np.square(innovations / h))
        most = np.where(self.fast != 0.0, shown, np.where(self._by_velocity(), 0.0, np.inf))
        self.onset.add(squares, accelerations, credible, single, most, h / self._scale)
        self._share(declared, squares)

    def _squares(self, declared: Array) -> Array:
        """Return squared errors of acceleration, (k, n)."""
        excess = np.zeros(self._shape)
        fast = self._by_velocity()
        suits = np.ones(self._shape[1], dtype=bool)   # False from the first horizon too long
        short = np.zeros(self._shape[1], dtype=bool)  # used only for want of a longer one
        before = np.full(self._shape, np.inf)
        columns = np.arange(self._shape[1])
        best = np.zeros_like(columns)

        def add(errors: Array, joints: NDArray[np.bool_]) -> None:
            if joints.any():
                more = errors - SHARED * errors.min(axis=0)
                np.maximum(excess, np.where(joints, more, 0.0), out=excess)

        present = np.where(fast, *self.errors[::-1]) + self._bank.absent
        numbers = np.where(fast, *self.compared[::-1])
        for k, (errors, compared, horizon) in enumerate(zip(present, numbers, HORIZONS)):
            known = suits & (compared > 0.0) & (~fast | (k < VELOCITY_HORIZONS))
            if not known.any():
                continue
            fails = known & (errors[best, columns] > HORIZON_GATE * before[best, columns])
            add(np.where(fails, before, 0.0), fails & short)
            suits &= ~fails
            known &= suits
            too_short = ~fast & (self._scale * horizon < FEWEST_PERIODS * self.period)
            add(errors, known & ~too_short)
            short = np.where(known, too_short, short)
            before = np.where(known, errors, before)
            best = np.where(known, errors.argmin(axis=0), best)
        squares: Array = np.maximum(np.maximum(declared, 0.0) + excess, LEAST_VARIANCE)
        squares += self._bank.absent
        return squares

    def _share(self, declared: Array, squares: Array) -> None:
        """Weight the filters by the squares of their squared errors."""
        self.squares[:] = squares
        self.weights[:] = shares(squares)
        np.sum(self.weights * declared, axis=0, out=self.declared)
        np.divide(1.0, (self.weights / squares).sum(axis=0), out=self.variance)


def shares(squares: Array) -> Array:
    """Return weights of filters, (k, n), by the squares of their squared errors."""
    weights: Array = np.square(squares.min(axis=0) / squares)
    weights /= weights.sum(axis=0)
    return weights

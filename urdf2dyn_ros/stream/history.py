"""The last estimates of some joints, and their state at a stamp before, between or after these."""

from collections import deque
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.stream.extrapolation import Extrapolation

MOST_ESTIMATES = 1024
"""Estimates that are kept: more than the longest lag of an estimator in samples."""


class Known(NamedTuple):
    """A valid estimate, and the measured efforts (k,) of its stamp [N m or N] or NaN."""

    estimate: Estimate
    measured: Array


class History:
    """
    Estimates of some joints (k,), from which their state is carried to another stamp.

    Between two estimates the acceleration is linear; after the newest it is extrapolated, and its
    standard deviation grows.
    """

    def __init__(self, joints: int) -> None:
        self.newest: Known | None = None
        # whether estimates are kept for stamps between them; else only the newest is
        self.all_kept = False
        self._past: deque[Known] = deque(maxlen=MOST_ESTIMATES)
        self._extrapolation = Extrapolation(joints)

    def clear(self) -> None:
        """Forget the estimates, but not how well they were extrapolated."""
        self.newest = None
        self._past.clear()
        self._extrapolation.restart()

    def add(self, known: Known) -> None:
        """Add an estimate, if it is newer."""
        estimate, newest = known.estimate, self.newest
        if newest is not None and estimate.stamp <= newest.estimate.stamp:
            return
        self.newest, self._last = known, estimate
        self._extrapolation.add(estimate.stamp, estimate.qdd)
        self._keep(known)

    def _keep(self, known: Known) -> None:
        if not self.all_kept:
            self._past.clear()
        self._past.append(known)

    def predict(self, stamp: int, measured: Array) -> bool:
        """
        Add the state at a later stamp [ns] without a sample, from the last estimate.

        Returns False if no estimate is kept from which to carry it.
        """
        if not self._past:
            return False
        jerk, snap, error = self._extrapolation.at((stamp - self._last.stamp) * 1e-9)
        self.newest = Known(_extrapolated(self._last, stamp, jerk, snap, error), measured)
        self._keep(self.newest)
        return True

    def newest_until(self, stamp: int) -> int | None:
        """Return the stamp of the newest estimate that is no newer than a stamp [ns]."""
        return next((known.estimate.stamp for known in reversed(self._past)
                     if known.estimate.stamp <= stamp), None)

    def distance(self, stamp: int) -> int:
        """Return how long before the first or after the last estimate a stamp is [ns]."""
        first, last = self._past[0].estimate.stamp, self._past[-1].estimate.stamp
        return max(first - stamp, stamp - last, 0)

    def at(self, stamp: int) -> Known:
        """Return the state at a stamp [ns], which must not be older than that of the last call."""
        past = self._past
        while len(past) > 1 and past[1].estimate.stamp <= stamp:
            past.popleft()
        base, measured = past[0]
        h = (stamp - base.stamp) * 1e-9
        if h == 0.0:
            return Known(base, measured)
        jerk, snap, error = self._extrapolation.at(h)
        if len(past) > 1:
            other = past[1].estimate
            jerk = (other.qdd - base.qdd) / ((other.stamp - base.stamp) * 1e-9)
            snap, error = 0.0 * snap, error * (h < 0.0)
        return Known(_extrapolated(base, stamp, jerk, snap, error), measured)


def _extrapolated(base: Estimate, stamp: int, jerk: Array, snap: Array, error: Array) -> Estimate:
    """Return the state at a stamp [ns], with an acceleration that is quadratic in time."""
    _, q, qd, qdd, std, _ = base
    h = (stamp - base.stamp) * 1e-9
    return Estimate(
        stamp, q + h * (qd + h / 2.0 * (qdd + h / 3.0 * (jerk + h / 4.0 * snap))),
        qd + h * (qdd + h / 2.0 * (jerk + h / 3.0 * snap)),
        qdd + h * (jerk + h / 2.0 * snap), np.sqrt(std * std + error), valid=True)

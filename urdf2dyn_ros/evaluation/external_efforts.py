"""What touched a robot during a recording: external efforts, contacts, and figures of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.observer.contact import Contact, ContactDetector
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver, of_joints

_MOST_CONTACTS = 100
"""Of a joint, that are kept with their times; all are counted."""

FEWEST_STRETCHES = 1000
"""Stretches of time that a curve is drawn of, at least, where there are so many samples."""


class Curves:
    """Lowest and highest values over time, in memory that does not grow with their number."""

    def __init__(self) -> None:
        self._size = 1
        self.stamps: list[int] = []
        self._ends: list[tuple[Array, Array]] = []

    def add(self, stamps: Sequence[int], values: Array) -> None:
        """Take rows (k, n) at their stamps [ns]."""
        firsts = np.arange(0, len(values), self._size)
        self.stamps += stamps[::self._size]
        self._ends += zip(np.fmin.reduceat(values, firsts), np.fmax.reduceat(values, firsts))
        while len(self.stamps) > 2 * FEWEST_STRETCHES:
            self._size *= 2
            self.stamps = self.stamps[::2]
            pairs = [(*self._ends[k], *self._ends[min(k + 1, len(self._ends) - 1)])
                     for k in range(0, len(self._ends), 2)]
            self._ends = [(np.fmin(low, lower), np.fmax(high, higher))
                          for low, high, lower, higher in pairs]

    @property
    def ends(self) -> tuple[Array, Array]:
        """The lowest and the highest values, (k, n) each."""
        low, high = zip(*self._ends)
        return np.array(low), np.array(high)


@dataclass
class JointExternal:
    """
    What one joint felt.

    Attributes
    ----------
    joint, unit : str
    threshold : float
        [N m or N].
    samples : int
    largest : float
        With its sign [N m or N].
    largest_at : int
        Its stamp [ns].
    rms : float
        [N m or N].
    contacts : list of Contact
        The first ones.
    count : int
        Of all.

    """

    joint: str
    unit: str
    threshold: float
    samples: int = 0
    largest: float = 0.0
    largest_at: int = 0
    rms: float = 0.0
    contacts: list[Contact] = field(default_factory=list)
    count: int = 0

    def add(self, stamps: Sequence[int], values: Array) -> None:
        """Take values (k,) at their stamps [ns]; NaN where there is none."""
        known = np.isfinite(values)
        count = int(known.sum())
        if not count:
            return
        power = self.rms**2 * self.samples + float(np.square(values[known]).sum())
        self.samples += count
        self.rms = float(np.sqrt(power / self.samples))
        k = int(np.nanargmax(np.abs(values)))
        if abs(values[k]) > abs(self.largest):
            self.largest, self.largest_at = float(values[k]), stamps[k]


class ExternalEfforts:
    """
    Observes the external efforts of a recording, batch by batch.

    After a step back in time the figures begin anew.

    Parameters
    ----------
    dynamics : InverseDynamics
    gain : float
        Of the observer [1/s].
    thresholds : sequence of float
        Of contacts [N m or N], for all joints or for each.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.

    """

    def __init__(self, dynamics: InverseDynamics, gain: float,
                 thresholds: Sequence[float]) -> None:
        self.gain = gain
        self._names, self._units = dynamics.joint_names, dynamics.effort_units
        self._observer = MomentumObserver(dynamics, gain=(gain,))
        self._detector = ContactDetector(self._names, thresholds=tuple(thresholds))
        self._thresholds = of_joints('thresholds', tuple(thresholds), self._names).tolist()
        self._last: int | None = None
        self._begin()

    def _begin(self) -> None:
        self.curves = Curves()
        self.joints = [JointExternal(*each) for each in zip(
            self._names, self._units, self._thresholds)]

    def add(self, stamps: Sequence[int], q: Array, qd: Array, effort: Array) -> Array:
        """
        Return the external efforts (k, n) [N m or N] at the stamps, NaN where there are none.

        Parameters
        ----------
        stamps : sequence of int, (k,)
            [ns].
        q, qd, effort : ndarray, (k, n)
            Estimated positions and velocities, and measured efforts at the same instants.

        """
        found = self._observer.run(stamps, q, qd, effort)
        back = np.flatnonzero(np.diff(stamps, prepend=stamps[0] if self._last is None
                                      else self._last) < 0)
        first = int(back[-1]) if len(back) else 0
        if len(back):
            self.stop()
            self._begin()
        for stamp, row in zip(stamps[first:], found[first:]):
            self._note(self._detector.update(stamp, row))
        for joint, column in zip(self.joints, found[first:].T):
            joint.add(stamps[first:], column)
        self.curves.add(stamps[first:], found[first:])
        self._last = stamps[-1]
        return found

    def stop(self) -> None:
        """Count the contacts that last."""
        self._note(self._detector.stop())

    def _note(self, contacts: Sequence[Contact]) -> None:
        for contact in contacts:
            joint = self.joints[self._names.index(contact.joint)]
            joint.count += 1
            if len(joint.contacts) < _MOST_CONTACTS:
                joint.contacts.append(contact)

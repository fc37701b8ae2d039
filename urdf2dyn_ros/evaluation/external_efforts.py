"""External efforts and contacts during a recording, and their figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.observer.contact import Contact, ContactDetector
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver, per_joint

_MOST_CONTACTS = 100
"""Contacts of a joint that are kept with their times; all are counted."""

FEWEST_SEGMENTS = 1000
"""Fewest segments of a curve with enough samples."""


class Curves:
    """Lowest and highest values by segment of time, in bounded memory."""

    def __init__(self) -> None:
        self._size = 1
        self.stamps: list[int] = []
        self._ends: list[tuple[Array, Array]] = []

    def add(self, stamps: Sequence[int], values: Array) -> None:
        """Add rows (k, n) at their stamps [ns]."""
        firsts = np.arange(0, len(values), self._size)
        self.stamps += stamps[::self._size]
        self._ends += zip(np.fmin.reduceat(values, firsts), np.fmax.reduceat(values, firsts))
        while len(self.stamps) > 2 * FEWEST_SEGMENTS:
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
    External efforts and contacts of one joint.

    Efforts are in its unit: `largest` is the value of largest magnitude, `largest_at` its stamp
    [ns]; `count` is the number of all contacts, of which the first ones are listed.
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
        """Add values (k,) at their stamps [ns]; NaN if unknown."""
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
    Observes the external efforts of a recording, batch by batch, with a gain [1/s].

    There is one threshold of contacts for all joints, or one each [N m or N]. A step back in time
    resets the figures. A parameter out of range raises ParameterError.
    """

    def __init__(self, dynamics: InverseDynamics, gain: float,
                 thresholds: Sequence[float]) -> None:
        self.gain = gain
        self._names, self._units = dynamics.joint_names, dynamics.effort_units
        self._observer = MomentumObserver(dynamics, gain=(gain,))
        self._detector = ContactDetector(self._names, thresholds=tuple(thresholds))
        self._thresholds = per_joint('thresholds', tuple(thresholds), self._names).tolist()
        self._last: int | None = None
        self._begin()

    def _begin(self) -> None:
        self.curves = Curves()
        self.joints = [JointExternal(*each) for each in zip(
            self._names, self._units, self._thresholds)]

    def add(self, stamps: Sequence[int], q: Array, qd: Array, effort: Array) -> Array:
        """
        Return the external efforts (k, n) [N m or N] at stamps (k,) [ns]; NaN if unknown.

        They follow from estimated q and qd and measured efforts, all (k, n).
        """
        efforts = self._observer.run(stamps, q, qd, effort)
        back = np.flatnonzero(np.diff(stamps, prepend=stamps[0] if self._last is None
                                      else self._last) < 0)
        first = int(back[-1]) if len(back) else 0
        if len(back):
            self.stop()
            self._begin()
        for stamp, row in zip(stamps[first:], efforts[first:]):
            self._note(self._detector.update(stamp, row))
        for joint, column in zip(self.joints, efforts[first:].T):
            joint.add(stamps[first:], column)
        self.curves.add(stamps[first:], efforts[first:])
        self._last = stamps[-1]
        return efforts

    def stop(self) -> None:
        """Count the contacts that have not ended."""
        self._note(self._detector.stop())

    def _note(self, contacts: Sequence[Contact]) -> None:
        for contact in contacts:
            joint = self.joints[self._names.index(contact.joint)]
            joint.count += 1
            if len(joint.contacts) < _MOST_CONTACTS:
                joint.contacts.append(contact)

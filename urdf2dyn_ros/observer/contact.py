"""From external efforts to contacts: thresholds with hysteresis, a shortest time, a latch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.observer.momentum_observer import of_joints
from urdf2dyn_ros.parameters import Parameter, check_all

THRESHOLD = 5.0
"""By default [N m or N]; docs/observer.md says where that comes from."""


class Contact(NamedTuple):
    """
    What one joint felt.

    Attributes
    ----------
    joint : str
    begin, end : int
        First and last stamp of it [ns].
    peak : float
        The largest external effort, with its sign [N m or N].

    """

    joint: str
    begin: int
    end: int
    peak: float


class ContactDetector:
    """
    Tells which joints feel a contact, and remembers it until it is told to forget.

    Parameters
    ----------
    joint_names : sequence of str, (n,)
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Attributes
    ----------
    touched : tuple of str
        Joints that have felt a contact since the last reset; there is a contact if any has.

    Raises
    ------
    ParameterError
        For an unknown parameter or a value that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('thresholds', (THRESHOLD,), 'External effort from which on something touches '
                  'the robot, of all joints or of each: above noise and the errors of the model.',
                  unit='N m or N', minimum=1e-6, maximum=1e6, any_length=True),
        Parameter('release', 0.5, 'Share of its threshold at which a contact ends.',
                  minimum=0.0, maximum=1.0),
        Parameter('min_duration', 0.005, 'How long an effort must be that large.', unit='s',
                  minimum=0.0, maximum=10.0),
    )

    def __init__(self, joint_names: Sequence[str], **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self._names = tuple(joint_names)
        self._thresholds = of_joints('thresholds', values['thresholds'], self._names)
        self._releases = values['release'] * self._thresholds
        self._min_duration = round(values['min_duration'] * 1e9)
        self._felt: dict[int, Contact] = {}
        self.reset()

    def reset(self) -> None:
        """Forget the contacts that were; one that lasts is noticed again at once."""
        self._touched: dict[str, None] = {}

    @property
    def touched(self) -> tuple[str, ...]:
        """Joints that have felt a contact, in the order in which they did."""
        return tuple(self._touched)

    def update(self, stamp: int, external: Array) -> list[Contact]:
        """
        Take the external efforts (n,) [N m or N] of a stamp [ns]; return the contacts that ended.

        A joint without effort (NaN) feels nothing.

        """
        size = np.abs(external)
        for joint in np.flatnonzero(size > self._thresholds).tolist():
            self._felt.setdefault(joint, Contact(self._names[joint], stamp, stamp, 0.0))
        if not self._felt:   # nearly always
            return []
        ended = []
        for joint, contact in list(self._felt.items()):
            if size[joint] > self._releases[joint]:
                peak = max(contact.peak, float(external[joint]), key=abs)
                self._felt[joint] = contact._replace(end=stamp, peak=peak)
                if stamp - contact.begin >= self._min_duration:
                    self._touched[contact.joint] = None
            else:
                del self._felt[joint]
                if self._is_long(contact):
                    ended.append(contact)
        return ended

    def stop(self) -> list[Contact]:
        """Return the contacts that have not ended, which are no more: the efforts break off."""
        felt, self._felt = self._felt, {}
        return [contact for contact in felt.values() if self._is_long(contact)]

    def _is_long(self, contact: Contact) -> bool:
        return bool(contact.end - contact.begin >= self._min_duration)

"""From external efforts to contacts: thresholds with hysteresis, a least duration, a latch."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.observer.momentum_observer import per_joint
from urdf2dyn_ros.parameters import Parameter, check_all

THRESHOLD = 5.0
"""Default threshold [N m or N]; docs/observer.md derives it."""


class Contact(NamedTuple):
    """
    Contact at one joint, from the first to the last stamp [ns].

    The peak is the largest external effort, with its sign [N m or N].
    """

    joint: str
    begin: int
    end: int
    peak: float


class ContactDetector:
    """
    Detects contacts per joint, and remembers the joints until `reset`.

    The parameters are rows of ``PARAMETERS`` by name, checked by `check_all`.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('thresholds', (THRESHOLD,), 'External effort above which there is a contact, '
                  'for all joints or for each: above noise and errors of the model.',
                  unit='N m or N', minimum=1e-6, maximum=1e6, any_length=True),
        Parameter('release', 0.5, 'Share of its threshold at which a contact ends.',
                  minimum=0.0, maximum=1.0),
        Parameter('min_duration', 0.005, 'Least duration of a contact.', unit='s',
                  minimum=0.0, maximum=10.0),
    )

    def __init__(self, joint_names: Sequence[str], **parameters: ArrayLike) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self._names = tuple(joint_names)
        self._thresholds = per_joint('thresholds', values['thresholds'], self._names)
        self._releases = values['release'] * self._thresholds
        self._min_duration = round(values['min_duration'] * 1e9)
        self._open: dict[int, Contact] = {}
        self.reset()

    def reset(self) -> None:
        """Forget past contacts; one that lasts is detected again at once."""
        self._touched: dict[str, None] = {}

    @property
    def touched(self) -> tuple[str, ...]:
        """Joints with a contact since the last reset, in the order of detection."""
        return tuple(self._touched)

    def update(self, stamp: int, external: Array) -> list[Contact]:
        """
        Add external efforts (n,) [N m or N] of a stamp [ns]; return the contacts that ended.

        Joints without an effort (NaN) have no contact.
        """
        size = np.abs(external)
        for joint in np.flatnonzero(size > self._thresholds).tolist():
            self._open.setdefault(joint, Contact(self._names[joint], stamp, stamp, 0.0))
        if not self._open:   # nearly always
            return []
        ended = []
        for joint, contact in list(self._open.items()):
            if size[joint] > self._releases[joint]:
                peak = max(contact.peak, float(external[joint]), key=abs)
                self._open[joint] = contact._replace(end=stamp, peak=peak)
                if stamp - contact.begin >= self._min_duration:
                    self._touched[contact.joint] = None
            else:
                del self._open[joint]
                if self._is_long(contact):
                    ended.append(contact)
        return ended

    def stop(self) -> list[Contact]:
        """End the contacts that last, because there are no more efforts, and return them."""
        lasting, self._open = self._open, {}
        return [contact for contact in lasting.values() if self._is_long(contact)]

    def _is_long(self, contact: Contact) -> bool:
        return bool(contact.end - contact.begin >= self._min_duration)

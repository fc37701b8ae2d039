"""Which messages of a base sensor are usable, and where the estimate must be reset."""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.quoting import listed, quote
from urdf2dyn_ros.stamps import is_stamp

ACCEPTED_BASE_OUTCOMES = ('used', 'warming_up', 'same_instant')
"""Outcomes of base data without a fault."""

MOST_WARNINGS = 5
"""Frames that are reported."""

WARNING_MESSAGES = 1000
"""Good messages after which a warning ends."""

LARGEST_RATE = 1e6
"""Largest velocity [rad/s or m/s] or acceleration [m/s^2] that is credible."""

NOT_MEASURED = -1.0
"""First entry of a covariance where there is no such measurement (sensor_msgs/Imu)."""


class MessageCheck:
    """
    Checks messages one by one; counts ``gap``, ``jump_back`` and ``frame_changed`` in `events`.
    """

    def __init__(self, robot: str, links: Collection[str], events: Counter[str]) -> None:
        self._robot, self._links, self._events = robot, links, events
        self._steps = Steps()
        self._warnings: dict[str, tuple[str, int]] = {}
        self._accepted = 0
        self.newest, self.frame = 0, ''   # of the last usable message, [ns]
        self.restart = False              # whether the messages before it must not be used

    @property
    def warnings(self) -> tuple[str, ...]:
        """Frames with a fault, the first few, and what to do."""
        return tuple(text for text, _ in self._standing().values())

    def content_fault(self, frame: str, covariances: Sequence[float], *values: Array) -> str:
        """Return the outcome of a message whose content is not usable, '' if it is."""
        if frame not in self._links:
            self._warn(frame, f'is rejected, which is no link of {quote(self._robot)}; the links '
                       f'are {listed(self._links)}: set the frame_id of the sensor to the link '
                       'it is mounted on, or add that link to the URDF')
            return 'unknown_frame'
        if any(entry == NOT_MEASURED for entry in covariances):
            return 'not_measured'
        finite = all((np.abs(each) < LARGEST_RATE).all() for each in values)   # False for NaN
        return '' if finite else 'not_finite'

    def stamp_fault(self, stamp: int, frame: str) -> str:
        """Accept a message of a stamp [ns], or return its outcome if that does not advance."""
        if not is_stamp(stamp):
            return 'no_stamp'
        jump = self._steps.is_jump(stamp - self.newest) and self.newest > 0
        fault = self._steps.add(self.newest, stamp)
        if fault:
            return fault
        jump = jump or stamp < self.newest
        if jump:
            self._events['gap' if stamp > self.newest else 'jump_back'] += 1
        changed = self.frame not in ('', frame)
        if changed:
            self._events['frame_changed'] += 1
            self._warn(frame, f'came after that of {quote(self.frame)}: only one sensor may '
                       'publish on this topic')
        self.restart = jump or changed
        self.newest, self.frame = stamp, frame
        self._accepted += 1
        return ''

    def _standing(self) -> dict[str, tuple[str, int]]:
        return {frame: warning for frame, warning in self._warnings.items()
                if self._accepted - warning[1] < WARNING_MESSAGES}

    def _warn(self, frame: str, text: str) -> None:
        self._warnings = self._standing()
        if frame in self._warnings or len(self._warnings) < MOST_WARNINGS:
            self._warnings[frame] = (f'base data with frame_id {quote(frame)} {text}',
                                     self._accepted)

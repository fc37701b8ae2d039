"""Which messages of a sensor say something, and where they begin anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.quoting import listed, quote
from urdf2dyn_ros.stamps import MAX_STAMP

# Every message that is received has exactly one of these outcomes.
OUTCOMES = {
    'used': 'the motion of the sensor is known',
    'warming_up': 'taken, but too few to know accelerations yet',
    'same_instant': 'taken, but the estimate is for no later an instant than the one before',
    'unknown_frame': 'the frame is no link of the robot',
    'not_measured': 'a covariance begins with -1: there is no such measurement',
    'not_finite': 'NaN, infinite or beyond any motion; where only accelerations are, everything '
                  'starts afresh',
    'no_rotation': 'the quaternion is not of unit length',
    'no_stamp': 'stamp zero or out of range',
    'duplicate_stamp': 'no later than the message before',
    'out_of_order': 'earlier than the message before, but not by a jump',
}
TAKEN = ('used', 'warming_up', 'same_instant')
# These are counted beside the outcome.
EVENTS = {
    'received': 'messages; the sum of all outcomes',
    'gap': 'steps forward over 0.1 s and five median periods; everything starts afresh',
    'jump_back': 'steps back over 0.1 s and five median periods; everything starts afresh',
    'frame_changed': 'messages from another link than the one before; everything starts afresh',
}

MAX_GAP = 100_000_000   # ns
MAX_DOUBTS = 5
FADING = 1000
"""A doubt that so many good messages have followed is over."""
MOST = 1e6
"""No velocity [rad/s or m/s] or acceleration [m/s^2] is larger."""

UNKNOWN = -1.0
"""First entry of a covariance that says there is no such measurement (sensor_msgs/Imu)."""


class Intake:
    """
    Checks messages one by one.

    Parameters
    ----------
    robot : str
        Its name.
    links : collection of str
        The valid frames.
    events : Counter
        Where ``gap``, ``jump_back`` and ``frame_changed`` are counted.

    Attributes
    ----------
    newest : int
        Stamp of the last message that was taken [ns]; 0 if none was.
    frame : str
        Its frame.
    restart : bool
        Whether nothing may be concluded from the messages before it.

    """

    def __init__(self, robot: str, links: Collection[str], events: Counter[str]) -> None:
        self._robot, self._links, self._events = robot, links, events
        self._steps = Steps(MAX_GAP)
        self._doubts: dict[str, tuple[str, int]] = {}
        self._taken = 0
        self.newest, self.frame, self.restart = 0, '', False

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is wrong with which frames, each once, the first few."""
        return tuple(text for text, _ in self._standing().values())

    def refused(self, frame: str, covariances: Sequence[float], *values: Array) -> str:
        """Return the outcome of a message that cannot be used, '' if it can."""
        if frame not in self._links:
            self._doubt(frame, f'is refused, which is no link of {quote(self._robot)}; the links '
                        f'are {listed(self._links)}: set the frame_id of the sensor to the link '
                        'it is mounted on, or add that link to the URDF')
            return 'unknown_frame'
        if any(entry == UNKNOWN for entry in covariances):
            return 'not_measured'
        finite = all((np.abs(each) < MOST).all() for each in values)   # False for NaN
        return '' if finite else 'not_finite'

    def take(self, stamp: int, frame: str) -> str:
        """Take a message [ns], or return the outcome of one whose stamp does not advance."""
        if not 0 < stamp <= MAX_STAMP:
            return 'no_stamp'
        step = stamp - self.newest
        jump = self._steps.is_jump(step) and self.newest > 0
        if step <= 0 and not jump:
            return 'out_of_order' if step < 0 else 'duplicate_stamp'
        if jump:
            self._events['gap' if step > 0 else 'jump_back'] += 1
        if self.newest and step > 0:
            self._steps.add(step)
        changed = self.frame not in ('', frame)
        if changed:
            self._events['frame_changed'] += 1
            self._doubt(frame, f'came after that of {quote(self.frame)}: only one sensor may '
                        'publish on this topic')
        self.restart = jump or changed
        self.newest, self.frame = stamp, frame
        self._taken += 1
        return ''

    def _standing(self) -> dict[str, tuple[str, int]]:
        return {frame: doubt for frame, doubt in self._doubts.items()
                if self._taken - doubt[1] < FADING}

    def _doubt(self, frame: str, text: str) -> None:
        self._doubts = self._standing()
        if frame in self._doubts or len(self._doubts) < MAX_DOUBTS:
            self._doubts[frame] = f'base data with frame_id {quote(frame)} {text}', self._taken

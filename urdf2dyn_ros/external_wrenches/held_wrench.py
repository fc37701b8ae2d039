"""The wrenches on one link, and which of them acts at a stamp."""

from collections import Counter, deque
from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import Vector
from urdf2dyn_ros.external_wrenches.wrench_frames import Chain
from urdf2dyn_ros.joint_states.steps import Steps

MAX_MESSAGES = 2048
"""Messages that are kept: more than the longest lag of an estimator in samples."""


class WrenchMessage(NamedTuple):
    """
    A wrench with its stamp [ns], and the placement of its frame in that of the link.

    Force [N], and torque [N m] about the frame's origin, are along the frame's axes.
    """

    stamp: int
    chain: Chain
    force: Vector
    torque: Vector


class HeldWrench:
    """
    Holds each wrench until the stamp of the next one (zero-order hold), up to a timeout.

    Stamps must increase. A clock jump back is accepted when a second message in a row confirms it;
    then everything before is forgotten, and counted as ``jump_back`` in `events`. Wrenches older
    than the timeout [ns] no longer act.
    """

    def __init__(self, timeout: int, events: Counter[str]) -> None:
        self._timeout = timeout
        self._events = events
        self._steps = Steps()
        self._messages: deque[WrenchMessage] = deque(maxlen=MAX_MESSAGES)
        self._newest = self._arrived = 0
        self._jump = 0   # stamp of the message before, if that was a jump back

    def add(self, message: WrenchMessage, now: int) -> str:
        """Add a message received at a time of a monotonic clock [ns]; return its outcome."""
        before, self._jump = self._jump, 0
        fault = self._steps.add(self._newest, message.stamp)
        if fault:
            return fault
        if message.stamp < self._newest:
            if not 0 < before < message.stamp:
                self._jump = message.stamp
                return 'out_of_order'
            self._events['jump_back'] += 1
            self._messages.clear()
            self._steps.clear()
        self._newest, self._arrived = message.stamp, now
        self._messages.append(message)
        return 'taken'

    def at(self, stamp: int, now: int) -> WrenchMessage | str:
        """
        Return the wrench that acts, or the key of the reason why there is none.

        The stamp [ns] is no older than in the call before, because older wrenches are dropped;
        `now` [ns] is by the clock of `add`.
        """
        messages = self._messages
        if not messages:
            return 'missing'
        if now - self._arrived > self._timeout:
            return 'silent'
        while len(messages) > 1 and messages[1].stamp <= stamp:
            messages.popleft()
        age = stamp - messages[0].stamp
        if age < 0:
            return 'ahead'
        return 'stale' if age > self._timeout else messages[0]

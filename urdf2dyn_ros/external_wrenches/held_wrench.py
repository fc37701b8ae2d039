"""The wrenches on one link, and which of them acts at a stamp."""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import Vector
from urdf2dyn_ros.external_wrenches.placements import Chain
from urdf2dyn_ros.joint_states.steps import Steps

MAX_MESSAGES = 2048
"""Messages that are kept: more than the longest lag of an estimator in samples."""


class WrenchMessage(NamedTuple):
    """
    A wrench with its stamp and frame.

    Attributes
    ----------
    stamp : int
        [ns].
    chain : Chain
        Placement of its frame in that of the link.
    force, torque : Vector
        [N], and [N m] about the frame's origin, along the frame's axes.

    """

    stamp: int
    chain: Chain
    force: Vector
    torque: Vector


class HeldWrench:
    """
    Holds each wrench until the stamp of the next one (zero-order hold), up to a timeout.

    Stamps must increase. A clock jump back is accepted when a second message in a row confirms it;
    then everything before is forgotten.

    Parameters
    ----------
    timeout : int
        Age after which a wrench no longer acts [ns].
    events : Counter
        Counts ``jump_back``.

    """

    def __init__(self, timeout: int, events: Counter[str]) -> None:
        self._timeout = timeout
        self._events = events
        self._steps = Steps()
        self._messages: deque[WrenchMessage] = deque(maxlen=MAX_MESSAGES)
        self._newest = self._arrived = 0
        self._jump = 0   # stamp of the message before, if that was a jump back

    def add(self, message: WrenchMessage, now: int) -> str:
        """
        Add a received message; return its outcome.

        Parameters
        ----------
        message : WrenchMessage
        now : int
            Time of receipt by a monotonic clock [ns].

        """
        step = message.stamp - self._newest
        if self._newest and step <= 0:
            if not self._is_jump_back(message.stamp, step):
                return 'out_of_order' if step else 'duplicate_stamp'
            self._events['jump_back'] += 1
            self._messages.clear()
            self._steps.clear()
        elif self._newest:
            self._steps.add(step)
        self._newest, self._arrived, self._jump = message.stamp, now, 0
        self._messages.append(message)
        return 'taken'

    def _is_jump_back(self, stamp: int, step: int) -> bool:
        before, self._jump = self._jump, stamp if self._steps.is_jump(step) else 0
        return 0 < before < self._jump

    def at(self, stamp: int, now: int) -> WrenchMessage | str:
        """
        Return the wrench that acts, or the key of the reason why there is none.

        Parameters
        ----------
        stamp : int
            [ns]; no older than in the call before, because older wrenches are dropped.
        now : int
            By the clock of `add` [ns].

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

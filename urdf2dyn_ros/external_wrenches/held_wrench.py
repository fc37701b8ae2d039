"""One link's wrenches as they arrive, and which of them counts at an instant."""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import Vector
from urdf2dyn_ros.external_wrenches.placements import Chain
from urdf2dyn_ros.joint_states.steps import Steps

MAX_MESSAGES = 2048
"""More than an estimator lags behind."""

MAX_GAP = 100_000_000
"""Steps back in time [ns] up to this long, and up to five median periods, are no jumps."""


class Message(NamedTuple):
    """
    One message.

    Attributes
    ----------
    stamp : int
        [ns].
    chain : Chain
        Where its frame is in the link's.
    force, torque : Vector
        [N], and [N m] about the frame's origin, along the frame's axes.

    """

    stamp: int
    chain: Chain
    force: Vector
    torque: Vector


class HeldWrench:
    """
    Holds each wrench until the stamp of the next one (zero-order hold), but not for long.

    Stamps must increase. A clock that was set back is believed when a second message in a row
    says so: then everything before is forgotten.

    Parameters
    ----------
    timeout : int
        A wrench older than this [ns] does not count.
    events : Counter
        Where ``jump_back`` is counted.

    """

    def __init__(self, timeout: int, events: Counter[str]) -> None:
        self._timeout = timeout
        self._events = events
        self._steps = Steps(MAX_GAP)
        self._messages: deque[Message] = deque(maxlen=MAX_MESSAGES)
        self._newest = self._arrived = 0
        self._refused = 0   # stamp of the message before, if that was one jump back

    def take(self, message: Message, now: int) -> str:
        """
        Take a message that arrives; return in one word what becomes of it.

        Parameters
        ----------
        message : Message
        now : int
            [ns], by a clock that nobody sets.

        """
        step = message.stamp - self._newest
        if self._newest and step <= 0:
            if not self._is_set_back(message.stamp, step):
                return 'out_of_order' if step else 'duplicate_stamp'
            self._events['jump_back'] += 1
            self._messages.clear()
            self._steps.clear()
        elif self._newest:
            self._steps.add(step)
        self._newest, self._arrived, self._refused = message.stamp, now, 0
        self._messages.append(message)
        return 'taken'

    def _is_set_back(self, stamp: int, step: int) -> bool:
        before, self._refused = self._refused, stamp if self._steps.is_jump(step) else 0
        return 0 < before < self._refused

    def at(self, stamp: int, now: int) -> Message | str:
        """
        Return the wrench that counts, or in one word why there is none.

        Parameters
        ----------
        stamp : int
            The instant [ns]; no earlier than the one before, or what was let go is missing.
        now : int
            [ns], by the clock of `take`.

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

"""What is answered of messages that had to wait: each, or the newest alone."""

from __future__ import annotations

MANY = 0.25
"""Late messages that fill more than this part of the queue give way to the newest."""

FEW, GAIN = 0.025, 0.5
"""So do those that came while late ones were answered, if they fill more than a part of the queue
and are more than a part of those that were answered."""


class Backlog:
    """
    Tells a pause of the machine, after which every message is answered, from one that is too slow.

    Parameters
    ----------
    depth : int
        Messages that the queue holds.

    """

    def __init__(self, depth: int) -> None:
        self._few, self._many = FEW * depth, MANY * depth
        self._endurable = self._many

    def over(self) -> None:
        """Note a message that came in time."""
        self._endurable = self._many

    def too_long(self, messages: int) -> bool:
        """Whether so many late ones give way to the newest; they are judged by those before."""
        found = messages > self._endurable
        self._endurable = min(self._many, max(self._few, GAIN * messages))
        return found

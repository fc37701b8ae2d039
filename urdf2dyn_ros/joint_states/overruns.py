"""How many messages of each publisher never came, told from the numbers that they bear."""

from __future__ import annotations

MAX_PUBLISHERS = 64


class Overruns:
    """Knows the newest number of each publisher; publishers count what they send, one by one."""

    def __init__(self) -> None:
        self._newest: dict[bytes, int] = {}

    def lost(self, publisher: bytes, number: int) -> int:
        """Return how many messages are missing between this one and those before."""
        newest = self._newest.get(publisher)
        if newest is None:
            if len(self._newest) >= MAX_PUBLISHERS:
                self._newest.clear()
            newest = number - 1
        self._newest[publisher] = max(newest, number)
        return max(number - newest - 1, 0)

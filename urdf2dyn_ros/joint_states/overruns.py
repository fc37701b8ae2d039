"""Lost messages of each publisher, from their sequence numbers."""

from __future__ import annotations

MAX_PUBLISHERS = 64


class Overruns:
    """The newest sequence number of each publisher."""

    def __init__(self) -> None:
        self._newest: dict[bytes, int] = {}

    def lost(self, publisher: bytes, number: int) -> int:
        """Return how many messages are missing between this number and the newest before."""
        newest = self._newest.get(publisher)
        if newest is None:
            if len(self._newest) >= MAX_PUBLISHERS:
                self._newest.clear()
            newest = number - 1
        self._newest[publisher] = max(newest, number)
        return max(number - newest - 1, 0)

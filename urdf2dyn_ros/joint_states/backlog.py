"""Messages that wait in the queue, and messages that were lost before."""

LARGE_BACKLOG = 0.25
"""Share of the queue above which a backlog means overload."""

SMALL_BACKLOG, CATCH_UP = 0.025, 0.5
"""A backlog that directly follows another one means overload if it is above this share of the
queue, and above this share of the one before: processing does not catch up."""

MAX_PUBLISHERS = 64


class Backlog:
    """
    Decides whether a backlog came from a pause (process every message) or from overload.

    After overload, only the newest message is processed; `depth` messages fit into the queue.
    """

    def __init__(self, depth: int) -> None:
        self._small, self._large = SMALL_BACKLOG * depth, LARGE_BACKLOG * depth
        self._limit = self._large

    def over(self) -> None:
        """End the backlog: a message was received in time."""
        self._limit = self._large

    def is_overload(self, messages: int) -> bool:
        """Return whether a backlog of so many messages means overload."""
        overload = messages > self._limit
        self._limit = min(self._large, max(self._small, CATCH_UP * messages))
        return overload


class Overruns:
    """Lost messages of each publisher, from their sequence numbers."""

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

"""Messages that wait in the queue, and messages that were lost before."""

from collections.abc import Sequence

LARGE_BACKLOG = 0.25
"""Share of the queue above which a backlog means overload."""

SMALL_BACKLOG, CATCH_UP = 0.025, 0.5
"""A backlog that directly follows another one means overload if it is above this share of the
queue, and above this share of the one before: processing does not catch up."""

MAX_PUBLISHERS = 64


class Backlog:
    """
    Decides whether a backlog came from a pause (process every message) or from overload.

    In an overload, efforts are computed for the newest message only. The older ones enter the
    estimator; but a machine that is too slow even for that would never come to the newest, so that
    `thinned` keeps fewer of them with each overload that directly follows another one. `depth`
    messages fit into the queue.
    """

    def __init__(self, depth: int) -> None:
        self._small, self._large = SMALL_BACKLOG * depth, LARGE_BACKLOG * depth
        self.over()

    def over(self) -> None:
        """End the backlog: a message was received in time."""
        self._limit = self._large
        self._overloads = 0   # that directly followed one another

    def is_overload(self, messages: int) -> bool:
        """Return whether a backlog of so many messages means overload."""
        overload = messages > self._limit
        self._limit = min(self._large, max(self._small, CATCH_UP * messages))
        self._overloads = self._overloads + 1 if overload else 0
        return overload

    def thinned(self, older: Sequence[bytes]) -> Sequence[bytes]:
        """Return those messages that are processed: of the k-th overload one in 2^(k - 1)."""
        every = 1 << max(self._overloads - 1, 0)
        return older[(len(older) - 1) % every::every]


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

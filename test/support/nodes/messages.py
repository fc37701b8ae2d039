"""Messages that a test receives, and conditions that read them, perhaps before they have come."""

from collections import deque
from collections.abc import Callable
from typing import Any


class NotReceivedError(IndexError):
    """A message that has not come yet."""


class Messages(deque[Any]):
    """Received messages, oldest first."""

    def __getitem__(self, index: Any) -> Any:
        try:
            return super().__getitem__(index)
        except IndexError:
            raise NotReceivedError(f'message {index} of {len(self)} received') from None


def holds(condition: Callable[[], object]) -> bool:
    """Return whether a condition holds: not before the messages that it reads have come."""
    try:
        return bool(condition())
    except NotReceivedError:
        return False

"""Whether anybody listens to a topic, without asking DDS for every message."""

from __future__ import annotations

from typing import Any

PERIOD = 20_000_000
"""Time [ns] for which an answer counts."""


class Audience:
    """
    Knows whether a publisher has subscribers.

    Parameters
    ----------
    publisher : rclpy.publisher.Publisher

    """

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher
        self._asked, self._listens = 0, False

    def listens(self, now: int) -> bool:
        """Tell whether somebody listens, or did a moment before the time now [ns]."""
        if now - self._asked > PERIOD:
            self._asked, self._listens = now, self._publisher.get_subscription_count() > 0
        return self._listens

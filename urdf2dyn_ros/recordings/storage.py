"""The serialized messages of a bag, read by the library rosbags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.recordings.topics import Topic


class Storage(Protocol):
    """
    A source of messages.

    Attributes
    ----------
    fault : str
        The reason why messages are missing, or empty.

    """

    fault: str

    def topics(self) -> list[Topic]:
        """Return all topics, of any type."""

    def messages(self, topic: Topic) -> Iterator[tuple[int, bytes]]:
        """Yield the time of recording [ns] and the serialized message."""


class Intact:
    """A whole bag: file or directory, split or not, compressed or not."""

    def __init__(self, path: Path) -> None:
        self.fault = ''
        self._path = path
        self._reader = library().Reader

    def topics(self) -> list[Topic]:
        """Return all topics, of any type."""
        counts: dict[tuple[str, str], int] = {}
        with self._reader(self._path) as reader:
            for connection in reader.connections:
                key = (connection.topic, connection.msgtype)
                counts[key] = counts.get(key, 0) + connection.msgcount
        return [Topic(*key, count) for key, count in counts.items()]

    def messages(self, topic: Topic) -> Iterator[tuple[int, bytes]]:
        """Yield the time of recording [ns] and the serialized message."""
        with self._reader(self._path) as reader:
            wanted = [connection for connection in reader.connections
                      if (connection.topic, connection.msgtype) == topic[:2]]
            for _, recorded, data in reader.messages(wanted):
                yield recorded, data


def library() -> Any:
    """
    Return the module rosbags.rosbag2, an optional requirement.

    Raises
    ------
    Urdf2DynError
        If it is not installed.

    """
    try:
        from rosbags import rosbag2
    except ImportError as error:
        raise Urdf2DynError(f'reading bags needs the Python library rosbags ({error}); install '
                            "it with: pip install rosbags, or 'urdf2dyn_ros[recordings]'"
                            ) from None
    return rosbag2

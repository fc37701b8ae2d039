"""The topics of a bag, and their serialized messages, read by the library rosbags."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import RecordingError, Urdf2DynError
from urdf2dyn_ros.recordings.messages import MESSAGES

_USUAL_TOPIC = '/joint_states'


class Topic(NamedTuple):
    """One topic of a bag, with the number of its messages; None if unknown."""

    name: str
    type: str
    messages: int | None

    def __str__(self) -> str:
        count = ('an unknown number of messages' if self.messages is None
                 else counted(self.messages, 'message'))
        return f'{self.name} ({self.type}, {count})'


def choose_topic(topics: Sequence[Topic], wanted: str | None, path: Path) -> Topic:
    """Return the requested or only possible topic; RecordingError lists all topics otherwise."""
    candidates = [topic for kind in MESSAGES for topic in topics if topic.type == kind
                  and topic.name in (wanted, f'/{wanted}')][:1] if wanted else _candidates(topics)
    if len(candidates) == 1:
        return candidates[0]
    readable = ' and '.join(MESSAGES)
    fault = 'several topics are possible: choose one with --topic' if candidates else (
        f'no topic {wanted!r} of {readable}' if wanted else f'no topic of {readable}')
    listed = ''.join(f'\n  {topic}' for topic in topics) or ' none'
    raise RecordingError(path, f'{fault}; the topics are:{listed}')


def _candidates(topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics of the first type that occurs, if possible those with messages."""
    for kind in MESSAGES:
        candidates = [topic for topic in topics if topic.type == kind]
        candidates = [topic for topic in candidates if topic.messages != 0] or candidates
        usual = [topic for topic in candidates if topic.name == _USUAL_TOPIC]
        if candidates:
            return usual or candidates
    return []


class BagStorage:
    """A bag: file or directory, split or not, compressed or not."""

    def __init__(self, path: Path) -> None:
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
    """Return the optional requirement rosbags.rosbag2; Urdf2DynError if it is not installed."""
    try:
        from rosbags import rosbag2
    except ImportError as error:
        raise Urdf2DynError(f'reading bags needs the Python library rosbags ({error}); install '
                            "it with: pip install rosbags, or 'urdf2dyn_ros[recordings]'"
                            ) from None
    return rosbag2

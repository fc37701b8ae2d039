"""Which topic of a bag is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.messages import MESSAGES

_USUAL = '/joint_states'


class Topic(NamedTuple):
    """
    One topic of a bag.

    Attributes
    ----------
    name, type : str
    messages : int or None
        Their number; None where the bag does not tell.

    """

    name: str
    type: str
    messages: int | None

    def __str__(self) -> str:
        count = 'an unknown number of' if self.messages is None else self.messages
        return f'{self.name} ({self.type}, {count} messages)'


def choose_topic(topics: Sequence[Topic], wanted: str | None, path: Path) -> Topic:
    """
    Return the topic that is wanted, or the only one that can be meant.

    Raises
    ------
    RecordingError
        If there is none, or several; the text lists all topics.

    """
    found = _named(topics, wanted) if wanted else _meant(topics)
    if len(found) == 1:
        return found[0]
    readable = ' and '.join(MESSAGES)
    fault = 'several topics can be meant: say which with --topic' if found else (
        f'no topic {wanted!r} of {readable}' if wanted else f'no topic of {readable}')
    listed = ''.join(f'\n  {topic}' for topic in topics) or ' none'
    raise RecordingError(path, f'{fault}; the topics are:{listed}')


def _named(topics: Sequence[Topic], wanted: str) -> list[Topic]:
    return [topic for kind in MESSAGES for topic in topics
            if topic.type == kind and topic.name in (wanted, f'/{wanted}')][:1]


def _meant(topics: Sequence[Topic]) -> list[Topic]:
    """Return the candidates of the first type that has one, those with messages first."""
    for kind in MESSAGES:
        found = [topic for topic in topics if topic.type == kind]
        found = [topic for topic in found if topic.messages != 0] or found
        usual = [topic for topic in found if topic.name == _USUAL]
        if found:
            return usual or found
    return []

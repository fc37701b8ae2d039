"""The choice of a bag's topic."""

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
        Their number; None if unknown.

    """

    name: str
    type: str
    messages: int | None

    def __str__(self) -> str:
        count = 'an unknown number of' if self.messages is None else self.messages
        return f'{self.name} ({self.type}, {count} messages)'


def choose_topic(topics: Sequence[Topic], wanted: str | None, path: Path) -> Topic:
    """
    Return the requested topic, or the only possible one.

    Raises
    ------
    RecordingError
        If there are none or several; the message lists all topics.

    """
    candidates = _named(topics, wanted) if wanted else _candidates(topics)
    if len(candidates) == 1:
        return candidates[0]
    readable = ' and '.join(MESSAGES)
    fault = 'several topics are possible: choose one with --topic' if candidates else (
        f'no topic {wanted!r} of {readable}' if wanted else f'no topic of {readable}')
    listed = ''.join(f'\n  {topic}' for topic in topics) or ' none'
    raise RecordingError(path, f'{fault}; the topics are:{listed}')


def _named(topics: Sequence[Topic], wanted: str) -> list[Topic]:
    return [topic for kind in MESSAGES for topic in topics
            if topic.type == kind and topic.name in (wanted, f'/{wanted}')][:1]


def _candidates(topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics of the first type that occurs, if possible those with messages."""
    for kind in MESSAGES:
        found = [topic for topic in topics if topic.type == kind]
        found = [topic for topic in found if topic.messages != 0] or found
        usual = [topic for topic in found if topic.name == _USUAL]
        if found:
            return usual or found
    return []

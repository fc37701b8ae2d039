"""Held joints in a file of tuned parameters: there is no robot, only what was recorded."""

import math
from collections.abc import Collection, Iterable

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.stream.hold import AUTO, HELD_TWICE, read_position


def held_texts(texts: Iterable[str], recorded: Collection[str]) -> tuple[list[str], list[str]]:
    """
    Return the texts for the parameter ``hold``, and the joints that are held, but recorded.

    The latter have no text: they are published. A ParameterError if a position is not a number, or
    a joint is held twice.
    """
    kept: dict[str, str] = {}
    published = []
    for text in filter(None, map(str.strip, texts)):
        name, separator, position = text.rpartition('=')
        name = name.rstrip()
        fault = ''
        if text in recorded or not (separator and name):
            name = text
        else:
            fault = read_position(position.strip(), (-math.inf, math.inf), 'rad or m')[1]
        if not fault and name != AUTO and (name in kept or name in published):
            fault = HELD_TWICE
        if fault:
            raise ParameterError(f'--hold {quote(text)}: {fault}')
        if name in recorded:
            published.append(name)
        else:
            kept[name] = text
    return list(kept.values()), published

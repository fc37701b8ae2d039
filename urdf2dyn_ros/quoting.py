"""Names and texts as they are shown: they come from files, and may contain anything."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice


def printable(text: str) -> str:
    """Return a text of the same length without characters that steer a terminal or a page."""
    return ''.join(mark if mark.isprintable() else '?' for mark in text)


def quote(text: str, length: int = 40) -> str:
    """Text in double quotes, shortened, with nothing in it that a terminal would not show."""
    return f'"{shown(text, length)}"'


def shown(text: str, length: int) -> str:
    """Text as `quote` has it, without the quotes."""
    short = text if len(text) <= length else text[: length - 1] + '…'
    return ''.join(
        mark if mark.isprintable() else mark.encode('unicode_escape').decode() for mark in short
    )


def listed(names: Iterable[str], limit: int = 10) -> str:
    """Quoted names, the first `limit` of them."""
    every = list(names)
    more = f' and {len(every) - limit} more' if len(every) > limit else ''
    return ', '.join(quote(name) for name in every[:limit]) + more


def meant(name: str, names: Iterable[str], search: bool) -> str:
    """Remedy for a name that is not among `names`: the closest if asked to search, else a few."""
    known = list(names if search else islice(names, 5))
    # A name too long for people is none that they have mistyped.
    short = search and max(map(len, [name, *known])) <= 100
    close = get_close_matches(name, known, n=3) if short else []
    return f'did you mean {listed(close)}?' if close else f'there are {listed(known)} for example'

"""Names and texts of files in messages and pictures; they may contain any character."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice


def printable(text: str) -> str:
    """Return a text of the same length with a question mark for each control character."""
    return ''.join(character if character.isprintable() else '?' for character in text)


def quote(text: str) -> str:
    """Return a text in double quotes, shortened and with control characters escaped."""
    return f'"{escaped(text, 40)}"'


def escaped(text: str, length: int) -> str:
    """Return a text as `quote` does, without the quotes."""
    short = text if len(text) <= length else text[:length - 1] + '…'
    return ''.join(character if character.isprintable()
                   else character.encode('unicode_escape').decode() for character in short)


def listed(names: Iterable[str], limit: int = 10) -> str:
    """Return the first `limit` names, quoted."""
    return first_names([quote(name) for name in names], limit)


def suggestion(name: str, names: Iterable[str], search: bool) -> str:
    """Return a remedy for an unknown name: the closest of `names` if `search`, else a few."""
    most = 12 if search else 5
    known = list(names if search else islice(names, most + 1))
    # Very long names are not mistyped by people, and comparing them takes long.
    short = search and max(map(len, [name, *known])) <= 100
    close = get_close_matches(name, known, n=3) if short else []
    if close:
        return f'did you mean {listed(close)}?'
    example = ' for example' * (len(known) > most)
    return f'there are {listed(known[:most], most)}{example}' if known else 'there are none'


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names, without quotes, and the number of the others."""
    more = f' and {len(names) - most} more' if len(names) > most else ''
    return ', '.join(names[:most]) + more


def asked_once(sentences: Iterable[tuple[str, str]]) -> list[str]:
    """
    Return the sentences of pairs (joint, sentence), each question once, as about units.

    Where questions differ in the joint and in numbers alone, the first one names the other joints.
    """
    kept: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    for joint, sentence in sentences:
        key = (re.sub(r'[-+.\d]+', '', sentence.replace(joint, '', 1)) if sentence.endswith('?')
               else sentence)
        if key in kept:
            others.setdefault(key, []).append(joint)
        else:
            kept[key] = sentence
    return [sentence + (f' Likewise {", ".join(others[key])}' if key in others else '')
            for key, sentence in kept.items()]

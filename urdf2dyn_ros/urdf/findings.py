"""How a finding is worded: where it stands, and names and texts that are safe to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.urdf.description import Element, line_of, name_of


def refuse(code: str, element: Element, message: str, attribute: str = '') -> Problem:
    """Make a problem that refuses the description."""
    return Problem(code, message, label(element, attribute), line_of(element))


def warn(code: str, element: Element, message: str, attribute: str = '') -> Problem:
    """Make a problem that is only reported."""
    return Problem(code, message, label(element, attribute), line_of(element), refused=False)


def together(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Make one finding of many that need not be read one by one: the first, and where else."""
    every = list(problems)
    for first in every[:1]:
        others = ', '.join(problem.element for problem in every[1:4])
        more = f' and {len(every) - 4} more' if len(every) > 4 else ''
        also = f' (also {others}{more})' if others else ''
        yield replace(first, message=first.message + also)


def label(element: Element, attribute: str = '') -> str:
    """Where something stands, for instance ``link "arm" <inertial><mass value="1,5">``."""
    text = element.get(attribute) if attribute else None
    shown = '' if text is None else f' {attribute}={quote(text)}'
    if element.tag == 'robot':
        return f'<robot{shown}>'
    if element.tag == 'force':
        link = '' if attribute == 'link' else f' link={quote(element.get("link", ""))}'
        return f'<force{link}{shown}>'
    *path, owner = element, *element.iterancestors('inertial', 'link', 'joint', 'actuator',
                                                   'transmission')
    where = f'{owner.tag} {quote(name_of(owner))}'
    if not path:
        return where + shown
    return f'{where} <' + '><'.join(str(step.tag) for step in reversed(path)) + f'{shown}>'


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

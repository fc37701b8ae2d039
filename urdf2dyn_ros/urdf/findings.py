"""How a finding is worded, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import quote
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

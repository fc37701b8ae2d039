"""Problems of a description, with the place of the element in words."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.urdf.description import Element, line_of, name_of


def reject(code: str, element: Element, message: str, attribute: str = '') -> Problem:
    """Return a problem for which the description is rejected."""
    return Problem(code, message, place_of(element, attribute), line_of(element))


def warn(code: str, element: Element, message: str, attribute: str = '') -> Problem:
    """Return a problem that is only reported."""
    return Problem(code, message, place_of(element, attribute), line_of(element), refused=False)


def merged(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the first of equal problems, its message extended by the elements of the others."""
    every = list(problems)
    for first in every[:1]:
        others = ', '.join(problem.element for problem in every[1:4])
        more = f' and {len(every) - 4} more' if len(every) > 4 else ''
        also = f' (also {others}{more})' if others else ''
        yield replace(first, message=first.message + also)


def place_of(element: Element, attribute: str) -> str:
    """Return where an element is, for instance ``link "arm" <inertial><mass value="1,5">``."""
    text = element.get(attribute) if attribute else None
    value = '' if text is None else f' {attribute}={quote(text)}'
    if element.tag == 'robot':
        return f'<robot{value}>'
    if element.tag == 'force':
        link = '' if attribute == 'link' else f' link={quote(element.get("link", ""))}'
        return f'<force{link}{value}>'
    *path, owner = element, *element.iterancestors('inertial', 'link', 'joint', 'actuator',
                                                   'transmission')
    place = f'{owner.tag} {quote(name_of(owner))}'
    if not path:
        return place + value
    return f'{place} <' + '><'.join(str(step.tag) for step in reversed(path)) + f'{value}>'

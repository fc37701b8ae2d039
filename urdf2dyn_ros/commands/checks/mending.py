"""What of a robot description can be mended without a guess: edits that change nothing else."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.urdf import read_description
from urdf2dyn_ros.urdf.description import Element, numbers
from urdf2dyn_ros.urdf.editable_text import EditableText, rewritten
from urdf2dyn_ros.urdf.numbers import read_numbers
from urdf2dyn_ros.urdf.schema import JOINT_TYPES, NUMBER_ATTRIBUTES
from urdf2dyn_ros.urdf.text_places import Edit, edited

_DECIMAL_COMMA = re.compile(r'[+-]?\d+,(\d{1,2}|\d{4,})')
"""Three digits behind a comma may be thousands."""

_MOST_EDITS = 10_000


@dataclass(frozen=True)
class Mended:
    """A problem that was mended, with the old and the new text in its place."""

    problem: Problem
    old: str
    new: str

    def __str__(self) -> str:
        problem = self.problem
        place = ': '.join(filter(None, (f'line {problem.line}' * bool(problem.line),
                                        problem.element)))
        new = f'{self.old!r} is {self.new!r} now' if self.new else f'{self.old!r} is deleted'
        if not self.old:
            new = f'{self.new!r} is added'
        return f'{place}: {new} [{problem.code}]'

    def data(self) -> dict[str, str | int | None]:
        problem = self.problem
        return {'code': problem.code, 'line': problem.line, 'element': problem.element,
                'old': self.old, 'new': self.new}


def mended(text: bytes) -> tuple[bytes, list[Mended]]:
    """
    Return a description whose problems are mended as far as they can be without a guess.

    All other bytes are those of the text. The rest of the problems is what a check of the result
    reports. A UrdfError if the text cannot be parsed, a ParameterError if its encoding has bytes
    that would be written in another way.
    """
    done: list[Mended] = []

    def mend(source: str) -> str:
        while len(done) < _MOST_EDITS and (step := next(_steps(source), None)):
            source, change = step
            done.append(change)
        return source

    return rewritten(text, mend), done


def _steps(source: str) -> Iterator[tuple[str, Mended]]:
    """Yield the text with one problem mended, for each that can be."""
    whole = EditableText(source)
    for problem in problems_of(source):
        element = whole.element(problem)
        mend = MENDS.get(problem.code)
        if mend is None or element is None:
            continue
        edits = mend(whole, *element)
        result = edited(source, edits)
        if edits and _count(result, problem.code) < _count(source, problem.code):
            start, end, new = edits[0]
            yield result, Mended(problem, ' '.join(source[start:end].split()), new.strip())


def _count(text: str, code: str) -> int:
    """Return the number of problems of a code; those that are merged into one count each."""
    return sum(1 + problem.message.count(' (also ') * (1 + problem.message.count(', '))
               for problem in problems_of(text) if problem.code == code)


def problems_of(text: str) -> tuple[Problem, ...]:
    """Return errors and warnings of a description."""
    try:
        return read_description(text).warnings
    except UrdfError as error:
        return error.problems


def _unit_axis(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    xyz = numbers(element, 'xyz') or ()
    norm = math.hypot(*xyz)
    unit = ' '.join(repr(entry / norm + 0.0).removesuffix('.0') for entry in xyz)
    return text.with_values(element, {'xyz': unit}) if norm else []


def _exchanged(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    return text.with_values(element, {'lower': element.get('upper', ''),
                                      'upper': element.get('lower', '')})


def _without_sign(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    value = element.get(attribute, '').strip()
    return text.with_values(element, {attribute: value[1:]}) if value.startswith('-') else []


def _small_letters(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    kind = element.get('type', '').strip().lower()
    return text.with_values(element, {'type': kind}) if kind in JOINT_TYPES else []


def _plain_number(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    """Decimal commas, blanks and digits of other widths."""
    words = unicodedata.normalize('NFKC', element.get(attribute, '')).split()
    value = ' '.join(word.replace(',', '.') if _DECIMAL_COMMA.fullmatch(word) else word
                     for word in words)
    try:
        read_numbers(value, NUMBER_ATTRIBUTES[str(element.tag)][attribute])
    except (ValueError, KeyError):
        return []
    return text.with_values(element, {attribute: value})


def _same_again(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    """Return the deletion of an element if another one is the same."""
    parent = element.getparent()
    others = [] if parent is None else [
        each for each in parent.iterchildren(element.tag) if each is not element]
    same = [each for each in others if each.items() == element.items()
            and not len(each) and not len(element)]
    return text.without(element) if same else []


Mend: TypeAlias = Callable[[EditableText, Element, str], list[Edit]]

MENDS: dict[str, Mend] = {
    'axis-not-unit': _unit_axis,
    'element-repeated': _same_again,
    'joint-type': _small_letters,
    'limit-inverted': _exchanged,
    'limit-negative': _without_sign,
    'mimic-ignored': lambda text, element, attribute: text.without(element),
    'number': _plain_number,
    'robot-name': lambda text, element, _: text.with_values(element, {'name': 'robot'}),
}
"""Code of a problem to what mends it without a guess, or returns no edits where that is not so."""

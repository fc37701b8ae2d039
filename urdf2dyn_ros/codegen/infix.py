"""Terms and numbers as text of infix languages, and text in lines of at most 99 columns."""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from urdf2dyn_ros.codegen.program import (
    Call,
    Name,
    Number,
    Product,
    Reciprocal,
    Signed,
    Sum,
    Term,
    Twin,
)
from urdf2dyn_ros.errors import ExportError

WIDTH = 99
_TIED_OPERATORS = ((' + ', ' +~'), (' - ', ' -~'), (' / ', ' /~'), (' * ', '~*~'))


def wrapped(text: str, indent: str, hanging: str, width: int) -> str:
    """Return text in lines of at most `width` columns, broken before + and -, if need be *."""
    if len(indent) + len(text) <= width:
        return indent + text
    for tight, tied in _TIED_OPERATORS:
        text = text.replace(tight, tied)
    room = width - len(indent + hanging)
    text = ' '.join(word.replace('~*~', ' *~') if len(word) > room else word
                    for word in text.split(' '))
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent + hanging,
                          break_long_words=False, break_on_hyphens=False)
    text = '\n'.join(lines)
    for tight, tied in (*_TIED_OPERATORS, ('* ', '*~')):
        text = text.replace(tied, tight)
    return text


def packed(entries: Sequence[str], first: str, hanging: str, last: str,
           separator: str = ',', continued: str = '') -> str:
    """Return entries with separators in lines of at most 99 columns, none of them broken."""
    lines = [first]
    for k, entry in enumerate(entries):
        text = entry + (separator if k < len(entries) - 1 else last)
        fresh = lines[-1] in (first, hanging)
        if not fresh and len(lines[-1]) + 1 + len(text) + len(continued) > WIDTH:
            lines.append(hanging)
            fresh = True
        lines[-1] += text if fresh else ' ' + text
    return f'{continued}\n'.join(lines)


def shortest(value: float) -> str:
    """Return the shortest text that reads back as the same double."""
    return repr(float(value))


def nearest_single(value: float) -> str:
    """Return the shortest text that reads back as the same number of single precision."""
    with np.errstate(over='ignore'):
        rounded = np.float32(value)
    if not np.isfinite(rounded) or (value and not rounded):
        raise ExportError(f'{value:g} is beyond the range of single precision: check the units of '
                          'the description, or export double precision')
    return str(rounded)


def filled(text: str, fields: Mapping[str, str]) -> str:
    """Return a text with each @name@ in it replaced; what replaces it is not searched."""
    return re.sub(r'@(\w+)@', lambda field: fields[field[1]], text)


@dataclass(frozen=True)
class Infix:
    """The differences between infix languages; text and tree evaluate in the same order."""

    number: Callable[[float], str] = shortest   # writes a positive constant
    # a function with the text of its argument
    call: Callable[[str, str], str] = lambda function, argument: f'{function}({argument})'
    twin: str = 'TWIN({}, {})'   # two numbers

    def signed(self, value: Signed) -> str:
        text = self.term(value.term)
        if not value.negative:
            return text
        return f'-({text})' if isinstance(value.term, Sum) else f'-{text}'

    def term(self, value: Term) -> str:
        if type(value) is Name:   # most of them
            return value.text
        return _WRITERS[type(value)](self, value)

    def _sum(self, value: Sum) -> str:
        texts = [self._factor(entry) if isinstance(entry, Sum) else self.term(entry)
                 for _, entry in value.terms]
        signs = [' - ' if negative else ' + ' for negative, _ in value.terms]
        return texts[0] + ''.join(sign + text for sign, text in zip(signs[1:], texts[1:]))

    def _product(self, value: Product) -> str:
        first, *rest = value.factors
        texts = [self._factor(first) if isinstance(first, Sum) else self.term(first)]
        return ' * '.join(texts + [self._factor(factor) for factor in rest])

    def _factor(self, value: Term) -> str:
        text = self.term(value)
        return f'({text})' if isinstance(value, (Sum, Product, Reciprocal)) else text


_WRITERS: dict[type, Callable[[Infix, Any], str]] = {
    Number: lambda infix, value: infix.number(value.value),
    Name: lambda infix, value: value.text,
    Call: lambda infix, value: infix.call(
        value.function, infix.signed(Signed(value.negative, value.argument))),
    Reciprocal: lambda infix, value: f'{infix.number(1.0)} / {infix._factor(value.divisor)}',
    Product: Infix._product,
    Sum: Infix._sum,
    Twin: lambda infix, value: infix.twin.format(
        infix.signed(value.first), infix.signed(value.second)),
}

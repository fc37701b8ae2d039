"""Terms as infix text, for every language that writes a + b * c."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from urdf2dyn_ros.equations.program import Call, Name, Number, Product, Signed, Sum, Term

WIDTH = 99
_TIED = ((' + ', ' +~'), (' - ', ' -~'), (' * ', '~*~'))


def number(value: float) -> str:
    """Return the shortest text that reads back as the same double."""
    return repr(float(value))


def signed(value: Signed) -> str:
    """Return a term with its sign."""
    text = term(value.term)
    if not value.negative:
        return text
    return f'-({text})' if isinstance(value.term, Sum) else f'-{text}'


def term(value: Term) -> str:
    """Return a term; text and tree evaluate in the same order, to the last bit."""
    text: str = _WRITERS[type(value)](value)
    return text


def _sum(value: Sum) -> str:
    texts = [_factor(entry) if isinstance(entry, Sum) else term(entry)
             for _, entry in value.terms]
    signs = [' - ' if negative else ' + ' for negative, _ in value.terms]
    return texts[0] + ''.join(sign + text for sign, text in zip(signs[1:], texts[1:]))


def _product(value: Product) -> str:
    first, *rest = value.factors
    texts = [term(first) if not isinstance(first, Sum) else _factor(first)]
    return ' * '.join(texts + [_factor(factor) for factor in rest])


def _factor(value: Term) -> str:
    text = term(value)
    return f'({text})' if isinstance(value, (Sum, Product)) else text


_WRITERS = {
    Number: lambda value: number(value.value),
    Name: lambda value: value.text,
    Call: lambda value: f'{value.function}({term(value.argument)})',
    Product: _product,
    Sum: _sum,
}


def wrapped(text: str, indent: str, hanging: str, width: int = WIDTH) -> str:
    """Return text in lines of at most `width` columns, broken before plus and minus."""
    if len(indent) + len(text) <= width:
        return indent + text
    for tight, tied in _TIED:
        text = text.replace(tight, tied)
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent + hanging,
                          break_long_words=False, break_on_hyphens=False)
    text = '\n'.join(lines)
    for tight, tied in _TIED:
        text = text.replace(tied, tight)
    return text


def packed(entries: Sequence[str], first: str, hanging: str, last: str) -> str:
    """Return entries with commas in lines of at most 99 columns, none of them broken."""
    lines = [first]
    for k, entry in enumerate(entries):
        text = entry + (',' if k < len(entries) - 1 else last)
        fresh = lines[-1] in (first, hanging)
        if not fresh and len(lines[-1]) + 1 + len(text) > WIDTH:
            lines.append(hanging)
            fresh = True
        lines[-1] += text if fresh else ' ' + text
    return '\n'.join(lines)

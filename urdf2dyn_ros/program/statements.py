"""Named statements without syntax: terms with their signs, grouped and commented."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias


class Number(NamedTuple):
    """A positive constant."""

    value: float


class Name(NamedTuple):
    """A generated identifier: an input, a parameter or an earlier statement."""

    text: str


class Call(NamedTuple):
    """Function sin, cos, tanh, exp, sqrt or abs of a term, or of its opposite."""

    function: str
    argument: Term
    negative: bool = False


class Reciprocal(NamedTuple):
    """1 over a term."""

    divisor: Term


class Product(NamedTuple):
    """Factors, multiplied from left to right."""

    factors: tuple[Term, ...]


class Sum(NamedTuple):
    """Terms with their signs (True is minus), added from left to right; the first is plus."""

    terms: tuple[tuple[bool, Term], ...]


class Twin(NamedTuple):
    """Two numbers, one of each of two equal limbs, where other terms have one."""

    first: Signed
    second: Signed


class Single(NamedTuple):
    """One of the two numbers of a twin that has a name: 0 or 1."""

    twin: Name
    number: int


Term: TypeAlias = 'Number | Name | Call | Reciprocal | Product | Sum | Twin | Single'


class Signed(NamedTuple):
    """A term, or its opposite."""

    negative: bool
    term: Term


class Statement(NamedTuple):
    """``name = value``."""

    name: str
    value: Signed


class Block(NamedTuple):
    """Statements that make one quantity, and the formula they spell out."""

    comment: str
    statements: tuple[Statement, ...]


class Paragraph(NamedTuple):
    """All blocks of one link, in one sweep."""

    title: str
    blocks: tuple[Block, ...]


class Section(NamedTuple):
    """One sweep."""

    title: str
    paragraphs: tuple[Paragraph, ...]


def untitled(statements: Iterable[Statement], title: str = '') -> Section:
    """Return a section of statements without formulas, whose one paragraph has no title."""
    return Section(title, (Paragraph('', (Block('', tuple(statements)),)),))


def names_in(values: Iterable[Signed]) -> set[str]:
    """Return the names that some terms mention."""
    return {term.text for term in parts(values) if isinstance(term, Name)}


def parts(values: Iterable[Signed]) -> Iterator[Term]:
    """Yield some terms and all that they are made of."""
    waiting: list[Term] = [value.term for value in values]
    while waiting:
        term = waiting.pop()
        yield term
        if type(term) in _PARTS:
            waiting += _PARTS[type(term)](term)


def replaced(term: Term, other: Callable[[Term], Term | None]) -> Term:
    """Return a term with others in the places of its parts, where `other` returns one."""
    new = other(term)
    if new is not None:
        return new
    if type(term) not in _OF_PARTS:
        return term
    new_parts = [replaced(part, other) for part in _PARTS[type(term)](term)]
    return _OF_PARTS[type(term)](term, new_parts)


_PARTS: dict[type, Callable[[Any], Iterable[Term]]] = {
    Call: lambda term: (term.argument,),
    Reciprocal: lambda term: (term.divisor,),
    Product: lambda term: term.factors,
    Sum: lambda term: [entry for _, entry in term.terms],
    Twin: lambda term: [number.term for number in term],
    Single: lambda term: (term.twin,),
}
_OF_PARTS: dict[type, Callable[[Any, list[Term]], Term]] = {
    Call: lambda term, parts: term._replace(argument=parts[0]),
    Reciprocal: lambda term, parts: Reciprocal(*parts),
    Product: lambda term, parts: Product(tuple(parts)),
    Sum: lambda term, parts: Sum(tuple(zip([minus for minus, _ in term.terms], parts))),
    Twin: lambda term, parts: Twin(*[number._replace(term=part)
                                     for number, part in zip(term, parts)]),
}
"""The same with other parts; those of a Single stay."""

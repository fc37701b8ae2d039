"""Named statements without syntax: terms with their signs, grouped and commented."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias


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


def names_in(values: Iterable[Signed]) -> set[str]:
    """Return the names that some terms mention."""
    return {term.text for term in parts(values) if isinstance(term, Name)}


def parts(values: Iterable[Signed]) -> Iterator[Term]:
    """Yield some terms and all that they are made of."""
    waiting: list[Term] = [value.term for value in values]
    while waiting:
        term = waiting.pop()
        yield term
        kind = type(term)
        if kind is Name or kind is Number:
            continue
        if isinstance(term, Product):
            waiting += term.factors
        elif isinstance(term, Sum):
            waiting += [entry for _, entry in term.terms]
        elif isinstance(term, Call):
            waiting.append(term.argument)
        elif isinstance(term, Reciprocal):
            waiting.append(term.divisor)
        elif isinstance(term, Twin):
            waiting += [term.first.term, term.second.term]
        elif isinstance(term, Single):
            waiting.append(term.twin)


def replaced(term: Term, other: Callable[[Term], Term | None]) -> Term:
    """Return a term with others in the places of its parts, where `other` returns one."""
    new = other(term)
    if new is not None:
        return new
    if isinstance(term, Product):
        return Product(tuple([replaced(factor, other) for factor in term.factors]))
    if isinstance(term, Sum):
        return Sum(tuple([(minus, replaced(entry, other)) for minus, entry in term.terms]))
    if isinstance(term, Call):
        return term._replace(argument=replaced(term.argument, other))
    if isinstance(term, Twin):
        return Twin(*(Signed(negative, replaced(entry, other)) for negative, entry in term))
    return Reciprocal(replaced(term.divisor, other)) if isinstance(term, Reciprocal) else term

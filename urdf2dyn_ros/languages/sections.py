"""Long functions in sections, as the time that compiling takes grows faster than a function."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.program.program import Function
from urdf2dyn_ros.program.statements import (
    Call,
    Name,
    Product,
    Reciprocal,
    Signed,
    Statement,
    Sum,
    Term,
    names_in,
)

MOST_STATEMENTS = 1500
"""Statements of one function; with more of them, it is written in sections."""

STATEMENTS_PER_SECTION = 100
"""So many make the shortest machine code, 6 % less than 300 for the reduced Talos: see
docs/performance.md."""


class Sectioned(NamedTuple):
    """
    Sections of statements, the function without them, and the memory between them.

    `kept` has the index of every name in that memory; entries of the results are its entries.

    """

    sections: list[list[Statement]]
    function: Function
    kept: dict[str, int]


def sectioned(function: Function, before: Sequence[Statement] = ()) -> Sectioned:
    """Return the sections of a function; the statements before them are not part of it."""
    statements = list(function.statements)
    sections = [statements[k:k + STATEMENTS_PER_SECTION]
                for k in range(0, len(statements), STATEMENTS_PER_SECTION)]
    made = {statement.name for statement in (*before, *statements)}
    results = dict.fromkeys(sorted(made & names_in(function.entries)))
    kept = crossing([before, *sections])
    for name in results:
        kept.setdefault(name, len(kept))
    return Sectioned(sections, replace(function, sections=(), results=tuple(
        result._replace(rows=tuple(
            row._replace(entries=tuple(_placed(entry, kept) for entry in row.entries))
            for row in result.rows)) for result in function.results)), kept)


def crossing(parts: Sequence[Sequence[Statement]]) -> dict[str, int]:
    """Return places in memory for what one part of the statements makes and another uses."""
    made = {statement.name: k for k, part in enumerate(parts) for statement in part}
    names = dict.fromkeys(
        name for k, part in enumerate(parts) for statement in part
        for name in sorted(names_in([statement.value])) if made.get(name, k) != k)
    return {name: k for k, name in enumerate(names)}


def _placed(value: Signed, kept: dict[str, int]) -> Signed:
    return Signed(value.negative, _term(value.term, kept))


def _term(term: Term, kept: dict[str, int]) -> Term:
    if isinstance(term, Name):
        return Name(f'kept[{kept[term.text]}]') if term.text in kept else term
    if isinstance(term, Call):
        return term._replace(argument=_term(term.argument, kept))
    if isinstance(term, Reciprocal):
        return Reciprocal(_term(term.divisor, kept))
    if isinstance(term, Product):
        return Product(tuple(_term(factor, kept) for factor in term.factors))
    if isinstance(term, Sum):
        return Sum(tuple((minus, _term(entry, kept)) for minus, entry in term.terms))
    return term

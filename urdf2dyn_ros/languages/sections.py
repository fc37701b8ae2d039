"""Long functions in sections, as the time that compiling takes grows faster than a function."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.program.program import Function
from urdf2dyn_ros.program.statements import Name, Signed, Statement, Term, names_in, replaced

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

    def place(term: Term) -> Name | None:
        return (Name(f'kept[{kept[term.text]}]')
                if isinstance(term, Name) and term.text in kept else None)

    return Sectioned(sections, replace(function, sections=(), results=tuple(
        result.with_entries(lambda entry: Signed(entry.negative, replaced(entry.term, place)))
        for result in function.results)), kept)


def crossing(parts: Sequence[Sequence[Statement]]) -> dict[str, int]:
    """Return places in memory for what one part of the statements makes and another uses."""
    made = {statement.name: k for k, part in enumerate(parts) for statement in part}
    names = dict.fromkeys(
        name for k, part in enumerate(parts) for statement in part
        for name in sorted(names_in([statement.value])) if made.get(name, k) != k)
    return {name: k for k, name in enumerate(names)}

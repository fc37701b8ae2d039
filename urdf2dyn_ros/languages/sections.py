"""Long functions in sections, as the time that compiling takes grows faster than a function."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import (
    Name,
    Signed,
    Single,
    Statement,
    Term,
    names_in,
    replaced,
)

MOST_STATEMENTS = 1500
"""Statements of one function; with more of them, it is written in sections."""

STATEMENTS_PER_SECTION = 100
"""With more, the reduced Talos is not faster; with 50, the humanoid is 8 % slower."""


class Sectioned(NamedTuple):
    """
    Sections of statements, the function without them, and the memory between them.

    The statements of a section are all of one kind: they make single numbers or twins. `kept` has
    the index of every name in that memory, `twins` in that of twins; entries of the results are
    entries of either.
    """

    sections: list[list[Statement]]
    function: Function
    kept: dict[str, int]
    twins: dict[str, int]


def sectioned(function: Function, before: Sequence[Statement]) -> Sectioned:
    """Return the sections of a function; the statements before them are not part of it."""
    sections = [list(part) for _, kind in groupby(function.statements,
                                                  lambda each: each.name in function.twins)
                for part in _parts(tuple(kind))]
    made = {statement.name for part in (before, *sections) for statement in part}
    places = crossing([before, *sections])
    for name in sorted(made & names_in(function.entries)):
        places.setdefault(name, len(places))
    twins = [name for name in places if name in function.twins]
    kept = [name for name in places if name not in function.twins]
    whole = Sectioned(sections, function, {name: k for k, name in enumerate(kept)},
                      {name: k for k, name in enumerate(twins)})
    return whole._replace(
        sections=[[Statement(name, _placed(value, {}, whole.twins)) for name, value in section]
                  for section in sections] if twins else sections,
        function=replace(function, sections=(), results=tuple(
            result.with_entries(lambda entry: _placed(entry, whole.kept, whole.twins))
            for result in function.results)))


def _parts(statements: Sequence[Statement]) -> list[Sequence[Statement]]:
    return [statements[k:k + STATEMENTS_PER_SECTION]
            for k in range(0, len(statements), STATEMENTS_PER_SECTION)]


def crossing(parts: Sequence[Sequence[Statement]]) -> dict[str, int]:
    """Return places in memory for what one part of the statements makes and another uses."""
    made = {statement.name: k for k, part in enumerate(parts) for statement in part}
    names = dict.fromkeys(
        name for k, part in enumerate(parts) for statement in part
        for name in sorted(names_in([statement.value])) if made.get(name, k) != k)
    return {name: k for k, name in enumerate(names)}


def _placed(value: Signed, kept: Mapping[str, int], twins: Mapping[str, int]) -> Signed:
    """Return a value whose names in `kept`, and single numbers of twins, are read from memory."""
    def place(term: Term) -> Name | None:
        if isinstance(term, Single):
            return Name(f'twins[{twins[term.twin.text]}][{term.number}]')
        return (Name(f'kept[{kept[term.text]}]')
                if isinstance(term, Name) and term.text in kept else None)

    return Signed(value.negative, replaced(value.term, place))

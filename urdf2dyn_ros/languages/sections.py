"""Long functions in sections, as the time that compiling takes grows faster than a function."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import (
    Name,
    Signed,
    Single,
    Statement,
    Term,
    names_in,
    parts,
    replaced,
)

MOST_STATEMENTS = 1500
"""Statements of one function; with more of them, it is written in sections."""

STATEMENTS_PER_SECTION = 100
"""With more, the reduced Talos is not faster; with 50, the humanoid is 8 % slower."""

MOST_IN_ONE = 50
"""Sections that compilers may join to one function: of the 89 of humanoid_3p33r's derivatives of
forward dynamics, clang -O2 does so in 89 s. Apart, they take 20 s and are 3 % faster."""


class Sectioned(NamedTuple):
    """
    Sections of statements, the function without them, and the memory between them.

    The statements of a section are all of one kind: they make single numbers or twins. The twins
    of a run of sections can be computed limb by limb. `kept` has the index of every name in that
    memory, `twins` in that of twins; entries of the results are entries of either.
    """

    runs: list[list[Sequence[Statement]]]
    function: Function
    kept: dict[str, int]
    twins: dict[str, int]

    @property
    def sections(self) -> list[Sequence[Statement]]:
        """The sections of all runs."""
        return [section for run in self.runs for section in run]

    @property
    def apart(self) -> bool:
        """Whether each section stays a function of its own in machine code."""
        return len(self.sections) > MOST_IN_ONE


def sectioned(function: Function, before: Sequence[Statement]) -> Sectioned:
    """Return the sections of a function; the statements before them are not part of it."""
    runs = [_parts(run) for run in _runs(function)]
    sections = [section for run in runs for section in run]
    made = {statement.name for part in (before, *sections) for statement in part}
    places = crossing([before, *sections])
    for name in sorted(made & names_in(function.entries)):
        places.setdefault(name, len(places))
    twins = [name for name in places if name in function.twins]
    kept = [name for name in places if name not in function.twins]
    whole = Sectioned(runs, function, {name: k for k, name in enumerate(kept)},
                      {name: k for k, name in enumerate(twins)})
    return whole._replace(
        runs=[[[Statement(name, _placed(value, {}, whole.twins)) for name, value in section]
               for section in run] for run in runs] if twins else runs,
        function=replace(function, sections=(), results=tuple(
            result.with_entries(lambda entry: _placed(entry, whole.kept, whole.twins))
            for result in function.results)))


def _runs(function: Function) -> Iterator[list[Statement]]:
    """Yield statements of one kind, none of which uses a number of a twin that is among them."""
    run: list[Statement] = []
    kind, made = False, set[str]()
    for statement in function.statements:
        is_twin = statement.name in function.twins
        if is_twin != kind or (is_twin and made & {
                term.twin.text for term in parts([statement.value]) if isinstance(term, Single)}):
            if run:
                yield run
            run, kind, made = [], is_twin, set()
        run.append(statement)
        made.add(statement.name)
    if run:
        yield run


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

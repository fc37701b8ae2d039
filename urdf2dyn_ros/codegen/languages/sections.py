"""
Functions in parts, for machine code that is made and runs fast: for C, C++ and compiled functions.

What is called, as sines and cosines, goes into arrays that one loop fills before the rest. A long
function becomes sections, which pass on what they compute in an array, `kept`: the time that
compiling takes grows faster than a function. Sections make single numbers, or twins: the numbers
of two equal limbs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.codegen.languages.language import Language
from urdf2dyn_ros.codegen.program import (
    Call,
    Function,
    Name,
    OneOfTwin,
    Signed,
    Statement,
    Term,
    names_in,
    parts,
    replaced,
    untitled,
)

MOST_STATEMENTS = 1500   # of one function; with more of them, it is written in sections
# with more, the reduced Talos is not faster; with 50, the humanoid is 8 % slower
STATEMENTS_PER_SECTION = 100
# sections that compilers may join to one function: of the 89 of humanoid_3p33r's derivatives of
# forward dynamics, clang -O2 does so in 89 s. Apart, they take 20 s and are 3 % faster.
MOST_IN_ONE = 50

ANGLES = {'sin': 'sine', 'cos': 'cosine'}   # function of an angle to the array of its values
SINES = ('sine', 'cosine')


class Hoisted:
    """A function with entries of arrays for sines and cosines, if it hoists them."""

    def __init__(self, function: Function, hoists: bool = True) -> None:
        self._function, self._hoists = function, hoists
        self.angles: dict[Signed, int] = {}   # index of each in the array
        self.statements = [self._statement(statement) for statement in function.statements]
        for entry in function.entries:
            self.value(entry)
        needed = names_in(self.angles)
        self.before: list[Statement] = []   # what makes angles, as those of mimic joints
        for statement in reversed(function.statements):
            if statement.name in needed:
                self.before.insert(0, statement)
                needed |= names_in([statement.value])

    def rest(self) -> Function:
        done = {statement.name for statement in self.before}
        return replace(
            self._function.with_statements(lambda statements: (
                self._statement(statement) for statement in statements
                if statement.name not in done)),
            results=tuple(result.with_entries(self.value) for result in self._function.results))

    def value(self, value: Signed) -> Signed:
        return Signed(value.negative, replaced(value.term, self._entry))

    def _statement(self, statement: Statement) -> Statement:
        return Statement(statement.name, self.value(statement.value))

    def _entry(self, term: Term) -> Name | None:
        if not (self._hoists and isinstance(term, Call) and term.function in ANGLES):
            return None
        k = self.angles.setdefault(Signed(term.negative, term.argument), len(self.angles))
        return Name(f'{ANGLES[term.function]}[{k}]')


class Sectioned(NamedTuple):
    """Sections of statements, the function without them, and the memory between them."""

    # sections by runs of one kind, single numbers or twins: those of a run limb by limb
    runs: list[list[Sequence[Statement]]]
    function: Function   # entries of its results are entries of the memory
    kept: dict[str, int]   # index of every name there
    twins: dict[str, int]   # the same in the memory of twins

    @property
    def sections(self) -> list[Sequence[Statement]]:
        return [section for run in self.runs for section in run]

    @property
    def apart(self) -> bool:
        """Whether each section stays a function of its own in machine code."""
        return len(self.sections) > MOST_IN_ONE


def split_sections(function: Function, before: Sequence[Statement]) -> Sectioned:
    """Return the sections of a function; the statements before them are not part of it."""
    runs = [[run[k:k + STATEMENTS_PER_SECTION] for k in range(0, len(run), STATEMENTS_PER_SECTION)]
            for run in _runs(function)]
    sections = [section for run in runs for section in run]
    made = {statement.name for part in (before, *sections) for statement in part}
    places = crossing([before, *sections])
    for name in sorted(made & names_in(function.entries)):
        places.setdefault(name, len(places))
    kept, twins = ({name: k for k, name in enumerate(
        name for name in places if (name in function.twins) == twin)} for twin in (False, True))

    def placed(value: Signed, kept: Mapping[str, int]) -> Signed:
        """Return a value whose names in `kept`, and single numbers, are read from memory."""
        def place(term: Term) -> Name | None:
            if isinstance(term, OneOfTwin):
                return Name(f'twins[{twins[term.twin.text]}][{term.number}]')
            return (Name(f'kept[{kept[term.text]}]')
                    if isinstance(term, Name) and term.text in kept else None)

        return Signed(value.negative, replaced(value.term, place))

    return Sectioned(
        [[[Statement(name, placed(value, {})) for name, value in section] for section in run]
         for run in runs] if twins else [[*run] for run in runs],
        replace(function, sections=(), results=tuple(
            result.with_entries(lambda entry: placed(entry, kept))
            for result in function.results)), kept, twins)


def _runs(function: Function) -> Iterator[list[Statement]]:
    """Yield statements of one kind, none of which uses a number of a twin that is among them."""
    run: list[Statement] = []
    kind, made = False, set[str]()
    for statement in function.statements:
        is_twin = statement.name in function.twins
        if is_twin != kind or (is_twin and made & {
                term.twin.text for term in parts([statement.value])
                if isinstance(term, OneOfTwin)}):
            if run:
                yield run
            run, kind, made = [], is_twin, set()
        run.append(statement)
        made.add(statement.name)
    if run:
        yield run


def crossing(parts: Sequence[Sequence[Statement]]) -> dict[str, int]:
    """Return places in memory for what one part of the statements makes and another uses."""
    made = {statement.name: k for k, part in enumerate(parts) for statement in part}
    names = dict.fromkeys(
        name for k, part in enumerate(parts) for statement in part
        for name in sorted(names_in([statement.value])) if made.get(name, k) != k)
    return {name: k for k, name in enumerate(names)}


def with_statements(function: Function, statements: Sequence[Statement]) -> Function:
    """Return a function with these statements alone, of which its inputs are used."""
    return replace(function, sections=(untitled(statements),))


def at_once(angles: int) -> int:
    """Return the number of which the room for some angles is a multiple."""
    return angles if angles < 3 else 4


def most_angles(functions: Iterable[Function]) -> int:
    """Return the number of angles of some functions, most of which need sine and cosine."""
    return max(((function.operations.trigonometric + 1) // 2 for function in functions), default=0)


class CLike(Language):
    """What C and C++ share: how a function is put together from its parts."""

    TWINS = True

    def has_angles(self, function: Function) -> bool:
        """Return whether sines and cosines are made in one loop: for speed, not for reading."""
        return self.program.style == 'fast' and function.operations.trigonometric > 0

    def is_long(self, function: Function) -> bool:
        """Return whether a function is written in sections."""
        return function.twinned is not None or (
            self.program.style == 'fast' and len(function.statements) > MOST_STATEMENTS)

    def in_one_loop(self, angles: Hoisted, real: str) -> Iterator[str]:
        """Yield all sines and cosines in one loop, which compilers turn into vectors."""
        for statement in angles.before:
            yield self.statement(statement, self.INDENT)
        values = list(map(self.INFIX.signed, angles.angles))
        n = len(values)
        room = -n % at_once(most_angles(self.program.functions)) + n
        yield self.array(f'    const {real} angle[{room}] = {{',
                         values + values[-1:] * (room - n), '};')
        yield f'    {real} sine[{room}], cosine[{room}];'
        yield f'    sines_and_cosines({n}, angle, sine, cosine);'

    def section(self, function: Function, whole: Sectioned, statements: Sequence[Statement],
                arrays: Sequence[str], kind: str = '', place: str = '') -> Iterator[str]:
        """Yield the body of a section; one of twins is of a type `kind`, twin {k} in a `place`."""
        used = names_in(statement.value for statement in statements)
        made = {statement.name for statement in statements}
        kept = {name: k for name, k in whole.kept.items() if name in used - made}
        read = {term.text.partition('[')[0] for term in parts(s.value for s in statements)
                if isinstance(term, Name)} | {
            x.name for x in function.inputs if used & {*x.entries}} | ({'kept'} if kept else set())
        yield from (f'    (void){array};' for array in arrays if array not in read)
        yield from self.unpacked(with_statements(replace(function, results=()), statements))
        if kept:
            yield self.array(f'    {self.LOCAL}', [
                f'{name} = kept[{k}]' for name, k in kept.items()], ';')
        if twins := [f'{name} = {place.format(k=k)}' for name, k in whole.twins.items()
                     if kind and name in used - made]:
            yield self.array(f'    const {kind} ', twins, ';')
        elif kind == 'twin' and not made & whole.twins.keys():
            yield '    (void)twins;'
        form = f'const {kind} {{name}} = {{value}};' if kind else ''
        for statement in statements:   # each stored at once: at the end, they would spill
            yield self.statement(statement, self.INDENT, form)
            yield from self.stored(whole, [statement])
            if kind and statement.name in whole.twins:
                yield f'    {place.format(k=whole.twins[statement.name])} = {statement.name};'

    def stored(self, whole: Sectioned, statements: Sequence[Statement]) -> Iterator[str]:
        """Yield what keeps the values that other sections use, or that are results."""
        for statement in statements:
            if statement.name in whole.kept:
                yield f'    kept[{whole.kept[statement.name]}] = {statement.name};'

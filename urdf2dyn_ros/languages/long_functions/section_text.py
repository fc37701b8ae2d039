"""The bodies of functions that are sections of a long one, in C and C++."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.sections import Sectioned
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Name, Statement, names_in, parts, untitled


def section(c: Language, function: Function, whole: Sectioned, statements: Sequence[Statement],
            arrays: Sequence[str]) -> Iterator[str]:
    """Yield the body of a section, of whose arguments some may not be used."""
    yield from loaded_names(c, function, whole, statements, arrays)
    for statement in statements:   # each stored at once: at the end, they would spill
        yield c.statement(statement, c.INDENT)
        yield from stored(c, whole, [statement])


def loaded_names(c: Language, function: Function, whole: Sectioned,
                 statements: Sequence[Statement], arrays: Sequence[str]) -> Iterator[str]:
    """Yield what gives the names their values that a section uses and does not make."""
    used = names_in(statement.value for statement in statements)
    made = {statement.name for statement in statements}
    kept = {name: k for name, k in whole.kept.items() if name in used - made}
    read = {term.text.partition('[')[0] for term in parts(s.value for s in statements)
            if isinstance(term, Name)} | {
        x.name for x in function.inputs if used & {*x.entries}} | ({'kept'} if kept else set())
    yield from (f'{c.INDENT}(void){array};' for array in arrays if array not in read)
    yield from c.unpacked(with_statements(replace(function, results=()), statements))
    if kept:
        yield c.array(f'{c.INDENT}{c.LOCAL}', [f'{name} = kept[{k}]'
                                               for name, k in kept.items()], ';')


def loaded_twins(whole: Sectioned, statements: Sequence[Statement], form: str) -> list[str]:
    """Return what loads the twins that a section uses and does not make."""
    made = {statement.name for statement in statements}
    used = names_in(statement.value for statement in statements) - made
    return [form.format(name=name, k=k) for name, k in whole.twins.items() if name in used]


def stored(c: Language, whole: Sectioned, statements: Sequence[Statement]) -> Iterator[str]:
    """Yield what keeps the values that other sections use, or that are results."""
    for statement in statements:
        if statement.name in whole.kept:
            yield f'{c.INDENT}kept[{whole.kept[statement.name]}] = {statement.name};'


def with_statements(function: Function, statements: Sequence[Statement]) -> Function:
    """Return a function with these statements alone, of which its inputs are used."""
    return replace(function, sections=(untitled(statements),))

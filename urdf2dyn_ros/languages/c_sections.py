"""A long function of C or C++ as several, which pass on what they compute in an array."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from urdf2dyn_ros.languages.angles import ARRAYS, Angles
from urdf2dyn_ros.languages.c_trigonometry import in_one_loop
from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.sections import Sectioned, sectioned
from urdf2dyn_ros.program.program import Function
from urdf2dyn_ros.program.statements import (
    Block,
    Name,
    Paragraph,
    Section,
    Signed,
    Statement,
    names_in,
    parts,
)

if TYPE_CHECKING:
    from urdf2dyn_ros.languages.c import C


def in_sections(c: 'C', function: Function) -> Iterator[str]:
    """Yield the definition of a function, behind those of its sections."""
    angles = Angles(function)
    whole = sectioned(angles.rest(), angles.before)
    inputs = [x.name for x in function.inputs]
    names = [f'{c.program.name}_{function.name}_{k}' for k in range(len(whole.sections))]
    arrays = [*inputs, *ARRAYS.values()]
    for name, statements in zip(names, whole.sections):
        vectors = [f'const {c.real} *{array}' for array in arrays]
        yield c.array(f'static void {name}(', [*vectors, f'{c.real} *kept'], ')')
        yield from ['{', *section(c, function, whole, statements, arrays), '}', '']
    yield c.signature(function)
    yield '{'
    last = [*angles.before, *(Statement('', Signed(False, angle)) for angle in angles.angles)]
    yield from c.unpacked(_with_statements(whole.function, last))
    yield from in_one_loop(c, angles)
    yield f'{c.INDENT}{c.real} kept[{max(1, len(whole.kept))}];'
    yield from _stored(c, whole, angles.before)
    for name in names:
        yield c.array(f'{c.INDENT}{name}(', [*arrays, 'kept'], ');')
    yield ''
    for result in whole.function.results:
        yield from c.assigned(result)
    yield '}'


def section(c: Language, function: Function, whole: Sectioned, statements: Sequence[Statement],
            arrays: Sequence[str]) -> Iterator[str]:
    """Yield the body of a section, of whose arguments some may not be used."""
    used = names_in(statement.value for statement in statements)
    made = {statement.name for statement in statements}
    loaded = {name: k for name, k in whole.kept.items() if name in used - made}
    read = {term.text.partition('[')[0] for term in parts(s.value for s in statements)
            if isinstance(term, Name)} | {
        x.name for x in function.inputs if used & {*x.entries}}
    yield from (f'{c.INDENT}(void){array};' for array in arrays if array not in read)
    yield from c.unpacked(_with_statements(replace(function, results=()), statements))
    if loaded:
        yield c.array(f'{c.INDENT}{c.LOCAL}', [f'{c.spelled(name)} = kept[{k}]'
                                               for name, k in loaded.items()], ';')
    for statement in statements:
        yield c.statement(statement, c.INDENT)
    yield from _stored(c, whole, statements)


def _stored(c: Language, whole: Sectioned, statements: Sequence[Statement]) -> Iterator[str]:
    for statement in statements:
        if statement.name in whole.kept:
            yield f'{c.INDENT}kept[{whole.kept[statement.name]}] = {c.spelled(statement.name)};'


def _with_statements(function: Function, statements: Sequence[Statement]) -> Function:
    """Return a function with these statements alone, of which its inputs are used."""
    block = Block('', tuple(statements))
    return replace(function, sections=(Section('', (Paragraph('', (block,)),)),))

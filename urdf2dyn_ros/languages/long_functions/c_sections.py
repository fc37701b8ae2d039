"""A long function of C or C++ as several, which pass on what they compute in an array."""

from collections.abc import Iterator

from urdf2dyn_ros.languages.angles import ARRAYS, Angles
from urdf2dyn_ros.languages.c_trigonometry import in_one_loop
from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.long_functions.c_twins import (
    is_twin,
    memory_arguments,
    section_calls,
    twin_section,
)
from urdf2dyn_ros.languages.long_functions.section_text import section, stored, with_statements
from urdf2dyn_ros.languages.sections import sectioned
from urdf2dyn_ros.program.function import Function, Result
from urdf2dyn_ros.program.statements import Number, Signed, Statement

APART = """

#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif"""
"""What keeps a section a function of its own, so that compiling does not take minutes."""

_ZERO = Signed(False, Number(0.0))


def in_sections(c: Language, function: Function, signature: str) -> Iterator[str]:
    """Yield the definition of a function with this head, behind those of its sections."""
    angles = Angles(function)
    whole = sectioned(angles.rest(), angles.before)
    inputs = [x.name for x in function.inputs]
    arrays = [*inputs, *(ARRAYS.values() if angles.angles else ())]
    vectors = [f'const {c.real} *{array}' for array in arrays]
    sections = []
    for k, statements in enumerate(whole.sections):
        name, twins = f'{c.program.name}_{function.name}_{k}', is_twin(function, statements)
        yield c.array(f'static {"APART " * whole.apart}void {name}(',
                      [*vectors, *memory_arguments(c, whole, twins)], ')')
        body = twin_section if twins else section
        yield from ['{', *body(c, function, whole, statements, [
            *arrays, *['twins'] * (bool(whole.twins) and not twins)]), '}', '']
        sections.append((name, twins))
    yield signature
    yield '{'
    last = [*angles.before, *(Statement('', Signed(False, angle)) for angle in angles.angles)]
    yield from c.unpacked(with_statements(whole.function, last))
    if angles.angles:
        yield from in_one_loop(c, angles, c.real)
    yield f'{c.INDENT}{c.real} kept[{max(1, len(whole.kept))}];'
    if whole.twins:
        yield f'{c.INDENT}twin twins[{len(whole.twins)}];'
    yield from stored(c, whole, angles.before)
    yield from section_calls(c, whole, sections, arrays)
    yield ''
    for result in whole.function.results:
        yield from _assigned(c, result)
    yield '}'


def _assigned(c: Language, result: Result) -> Iterator[str]:
    """Yield what gives a result its values; many zeros at once, as they would be most of it."""
    entries = [entry for row in result.rows for entry in row.entries]
    if not result.is_matrix or 2 * entries.count(_ZERO) < len(entries):
        yield from c.assigned(result)
        return
    size = ''.join(f'[{size}]' for size in c.shape(result))
    yield f'{c.INDENT}memset({result.name}, 0, sizeof({c.real}{size}));'
    yield from c.assigned(result, omitted=lambda cell: cell.value == _ZERO)

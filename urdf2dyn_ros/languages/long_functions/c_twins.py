"""Twins in C: the numbers of two equal limbs in one vector, or one behind the other."""

from collections.abc import Iterator, Sequence

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.long_functions.section_text import loaded_names, loaded_twins
from urdf2dyn_ros.languages.sections import Sectioned
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Statement

_DEFINITIONS = """

// Two equal limbs are computed at once: the two numbers of a twin are one of each. Where there are
// no vectors, what follows computes one limb, then the other.
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
typedef @real twin __attribute__((vector_size(2 * sizeof(@real))));
typedef twin each;
#define LIMBS_AT_ONCE 2
#define TWIN(first, second) ((twin){first, second})
#define OF(twin) (twin)
#else
typedef @real twin[2];
typedef @real each;
#define LIMBS_AT_ONCE 1
#define TWIN(first, second) (limb ? (second) : (first))
#define OF(twin) (twin)[limb]
#endif"""


def twin_definitions(c: Language) -> list[str]:
    """Return what sections of twins are written with."""
    return _DEFINITIONS.replace('@real', c.real).splitlines()


def is_twin(function: Function, statements: Sequence[Statement]) -> bool:
    """Return whether the statements of a section make twins."""
    return statements[0].name in function.twins


def memory_arguments(c: Language, whole: Sectioned, twins: bool) -> list[str]:
    """Return the arguments of a section that hold what it passes on."""
    if not whole.twins:
        return [f'{c.real} *kept']
    return ([f'const {c.real} *kept', 'twin *twins', 'int limb'] if twins else
            [f'{c.real} *kept', 'twin *twins'])


def section_calls(c: Language, whole: Sectioned, sections: Sequence[tuple[str, bool]],
                  arrays: Sequence[str]) -> Iterator[str]:
    """Yield the calls of the sections: their names, and whether they make twins."""
    passed = [*arrays, 'kept', *['twins'] * bool(whole.twins)]
    waiting = iter(sections)
    for run in whole.runs:
        (name, twins), *others = (next(waiting) for _ in run)
        names = [name, *(other for other, _ in others)]
        if not twins:
            yield from (c.array(f'{c.INDENT}{name}(', passed, ');') for name in names)
            continue
        yield f'{c.INDENT}for (int limb = 0; limb < 2; limb += LIMBS_AT_ONCE) {{'
        yield from (c.array(f'{c.INDENT * 2}{name}(', [*passed, 'limb'], ');') for name in names)
        yield f'{c.INDENT}}}'


def twin_section(c: Language, function: Function, whole: Sectioned,
                 statements: Sequence[Statement], arrays: Sequence[str]) -> Iterator[str]:
    """Yield the body of a section of twins."""
    yield f'{c.INDENT}(void)limb;'
    yield from loaded_names(c, function, whole, statements, [*arrays, 'kept'])
    twins = loaded_twins(whole, statements, '{name} = OF(twins[{k}])')
    if twins:
        yield c.array(f'{c.INDENT}const each ', twins, ';')
    for statement in statements:
        yield c.statement(statement, c.INDENT, 'const each {name} = {value};')
        if statement.name in whole.twins:
            yield f'{c.INDENT}OF(twins[{whole.twins[statement.name]}]) = {statement.name};'

"""A long function of C++ as several, and equal limbs at once, for any scalar."""

from collections.abc import Iterator, Sequence

from urdf2dyn_ros.languages.angles import ARRAYS
from urdf2dyn_ros.languages.long_functions.c_twins import is_twin
from urdf2dyn_ros.languages.long_functions.section_text import (
    loaded_names,
    loaded_twins,
    section,
    stored,
)
from urdf2dyn_ros.languages.sections import Sectioned
from urdf2dyn_ros.languages.self_tests.cpp import CppSelfTest
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Call, Statement, parts

_DEFINITIONS = """
// Two equal limbs are computed at once: the two numbers of a twin are one of each. They are a
// vector where the compiler has some of the scalar, a pair elsewhere.
template <typename Scalar> struct Pair {
    Scalar numbers[2];
    Pair() = default;
    Pair(const Scalar &first, const Scalar &second) : numbers{first, second} {}
    Pair(const Scalar &both) : numbers{both, both} {}
    const Scalar &operator[](int limb) const { return numbers[limb]; }
    friend Pair operator-(const Pair &a) { return {-a[0], -a[1]}; }
    friend Pair operator+(const Pair &a, const Pair &b) { return {a[0] + b[0], a[1] + b[1]}; }
    friend Pair operator-(const Pair &a, const Pair &b) { return {a[0] - b[0], a[1] - b[1]}; }
    friend Pair operator*(const Pair &a, const Pair &b) { return {a[0] * b[0], a[1] * b[1]}; }
    friend Pair operator/(const Pair &a, const Pair &b) { return {a[0] / b[0], a[1] / b[1]}; }
};
template <typename Scalar> struct TwinOf { using type = Pair<Scalar>; };
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
@vectors
#endif
template <typename Scalar> using Twin = typename TwinOf<Scalar>::type;"""

_VECTORS = """
template <> struct TwinOf<@real> {
    typedef @real type __attribute__((vector_size(2 * sizeof(@real))));
};"""


def pair_definitions(cpp: CppSelfTest) -> list[str]:
    """Return what sections of twins are written with."""
    vectors = ''.join(_VECTORS.replace('@real', real)
                      for real in dict.fromkeys([cpp.real, 'float']))
    return _DEFINITIONS.replace('\n@vectors', vectors).splitlines()


def cpp_sections(cpp: CppSelfTest, function: Function, whole: Sectioned,
                 inputs: Sequence[str]) -> Iterator[str]:
    """Yield the sections of a function; few of them may become part of it, being called once."""
    vectors = [f'const Scalar *{name}' if name in ARRAYS.values() else
               f'const {cpp.vector_type(name)} &{name}' for name in inputs]
    memory = [f'std::array<Scalar, {len(whole.kept)}> &kept',
              *['Twin<Scalar> *twins'] * bool(whole.twins)]
    arrays = [*inputs, 'kept', *['twins'] * bool(whole.twins)]
    for k, statements in enumerate(whole.sections):
        yield 'template <typename Scalar>'
        yield cpp.array(f'{"[[gnu::noinline]] " * whole.apart}static void {function.name}_{k}(',
                        [*vectors, *memory], ')')
        calls = {term.function for term in parts(each.value for each in statements)
                 if isinstance(term, Call)}
        yield from ['{', *(f'{cpp.INDENT}using std::{name};' for name in sorted(calls))]
        body = _twin_section if is_twin(function, statements) else section
        yield from [*body(cpp, function, whole, statements, arrays), '}', '']


def memory_and_calls(cpp: CppSelfTest, function: Function, whole: Sectioned, inputs: Sequence[str],
                     before: Sequence[Statement]) -> Iterator[str]:
    """Yield the memory between the sections, with what is made before them, and their calls."""
    yield f'{cpp.INDENT}std::array<Scalar, {len(whole.kept)}> kept;'
    if whole.twins:
        yield f'{cpp.INDENT}Twin<Scalar> twins[{len(whole.twins)}];'
    yield from stored(cpp, whole, before)
    for k in range(len(whole.sections)):
        yield cpp.array(f'{cpp.INDENT}{function.name}_{k}(',
                        [*inputs, 'kept', *['twins'] * bool(whole.twins)], ');')


def _twin_section(cpp: CppSelfTest, function: Function, whole: Sectioned,
                  statements: Sequence[Statement], arrays: Sequence[str]) -> Iterator[str]:
    """Yield the body of a section of twins."""
    yield f'{cpp.INDENT}using twin = Twin<Scalar>;'
    yield from loaded_names(cpp, function, whole, statements, arrays[:-1])
    twins = loaded_twins(whole, statements, '{name} = twins[{k}]')
    if twins:
        yield cpp.array(f'{cpp.INDENT}const twin ', twins, ';')
    elif not {statement.name for statement in statements} & whole.twins.keys():
        yield f'{cpp.INDENT}(void)twins;'
    for statement in statements:
        yield cpp.statement(statement, cpp.INDENT, 'const twin {name} = {value};')
        if statement.name in whole.twins:
            yield f'{cpp.INDENT}twins[{whole.twins[statement.name]}] = {statement.name};'

"""C++17, header only, for any scalar: float, double, or a type of automatic differentiation."""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from urdf2dyn_ros.codegen.languages import precision
from urdf2dyn_ros.codegen.languages.c import (
    in_one_loop,
    is_twin,
    loaded_names,
    loaded_twins,
    most_angles,
    quoted,
    section,
    sines_and_cosines_of_cpp,
    stored,
    with_statements,
)
from urdf2dyn_ros.codegen.languages.language import Language
from urdf2dyn_ros.codegen.languages.precision import SINGLE
from urdf2dyn_ros.codegen.languages.text import (
    ARRAYS,
    CPP,
    MOST_STATEMENTS,
    Angles,
    Infix,
    Sectioned,
    sectioned,
    shortest,
)
from urdf2dyn_ros.codegen.program import Call, Function, Program, Result, Signed, Statement, parts

# ---- The part of an exported C++ header that checks it

class CppSelfTest(Language):
    """A main program, compiled where a macro is defined."""

    TABLE, ROW = ('static const {size} {name}[] = {{', '};'), ('{', '},')
    SCALE = ('static const {size} {name} = {{', '}};')
    JOINTS = '@space::joint_names'
    KEYS = ('static const char *const @axis_names[] = {', '"', '};', '@axis_names')
    TEST = ('c++ -std=c++17 -x c++ -D{NAME}_SELF_TEST {name}_dynamics.hpp -o self_test '
            '&& ./self_test')

    @property
    def space(self) -> str:
        """The namespace: the robot's name, unless that means something in C++."""
        return self.program.name + '_dynamics' * (self.program.name in CPP)

    def size(self, name: str) -> str:
        """Return the type of the numbers of an input or of an axis in the check."""
        return self.vector_type(name, self.real) if name in self.sizes else 'Row'

    def vector_type(self, name: str, scalar: str = 'Scalar') -> str:
        """Return the type of a vector: an input, or the entries along an axis."""
        return (f'std::array<{scalar}, {self.sizes[name]}>' if name in self.sizes
                else f'Vector<{scalar}>')

    def shown(self, function: Function) -> Iterator[str]:
        yield self.array(f'    {{   const auto found = {self.space}::{function.name}(',
                         [f'reference_{x.name}[0]' for x in function.inputs], ');')
        yield f'        std::puts("{function.name} in the first reference state:");'
        for result in self.vectors:
            value = 'found' if len(function.results) == 1 else f'found.{result.name}'
            entry = f'{value}[i]'
            if self.program.precision == SINGLE:
                entry = f'static_cast<double>({entry})'
            if self.many(function):
                yield f'        std::puts("{result.name}");'
            yield self.array(f'        static const char *const units_{result.name}[] = {{',
                             self.units(result), '};')
            yield from [
                f'        for (std::size_t i = 0; i < {value}.size(); i++) {{',
                f'            std::printf("%-24s %.9g %s\\n", '
                f'{self.filled(self.row_names(result))[0]}[i],',
                f'                        {entry}, units_{result.name}[i]);', '        }']
        yield '    }'

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        yield self.array(f'        {{   const auto found = {self.space}::{function.name}(',
                         [f'reference_{x.name}[k]' for x in function.inputs], ');')
        for result, known in zip(function.results, expected):
            value = 'found' if len(function.results) == 1 else f'found.{result.name}'
            if result.is_matrix:
                value = f'times({value}, reference_{result.quantity.times}[k])'
            yield self.array('            wrong += differs(', [
                f'"{self.title(function, result)}"', *self.names(result), value, f'{known}[k]',
                *self.scale_of(known)], ');')
        yield '        }'

    DIFFERS = """
template <typename Names, typename Entries>
static int differs(const char *function, const Names &names, const Entries &found,
                   const Entries &expected)
{
    int wrong = 0;
    for (std::size_t i = 0; i < found.size(); i++) {
        if (!(std::abs(found[i] - expected[i]) <= 1e-9 * std::fmax(1.0, std::abs(expected[i])))) {
            std::printf("%s, %s: %.17g instead of %.17g\\n", function,
                        names[i], found[i], expected[i]);
            wrong = 1;
        }
    }
    return wrong;
}
"""
    SCALED: ClassVar[dict[str, str]] = {
        'Entries &expected)': 'Entries &expected, const Entries &scale)',
        'fmax(1.0, std::abs(expected[i])))) {': 'fmax(scale[i],\n'
                                                '                                  '
                                                '                 std::abs(expected[i])))) {'}
    ALIKE: ClassVar[dict[str, str]] = {
        'template <typename Names, typename Entries>\n': '', ' const Names &names,': '',
        ' const Entries &found,\n                  ': ' const Row &found,', 'Entries': 'Row',
        'names[i]': '@space::joint_names[i]'}
    TIMES = """
template <typename Matrix, typename Entries>
static std::array<@real, std::tuple_size<Matrix>::value> times(const Matrix &M, const Entries &x)
{
    std::array<@real, std::tuple_size<Matrix>::value> product{};
    for (std::size_t i = 0; i < M.size(); i++) {
        for (std::size_t j = 0; j < x.size(); j++) {
            product[i] += M[i][j] * x[j];
        }
    }
    return product;
}
"""
    MAIN = """
int main()
{
    int wrong = 0;
@shown
@changed
    for (std::size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {"""
    VERDICT = """\
    }
    std::puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
"""
    PARAMETER = '{{"{name}", @space::parameters::{name}, {value}}}'
    CHANGED = """\
    const struct { const char *name; @real value, exported; } parameters[] = {
        @parameters
    };
    bool changed = false;
    for (const auto &parameter : parameters) {
        if (parameter.value != parameter.exported) {
            std::printf("parameter %s was changed: the reference values do not apply\\n",
                        parameter.name);
            changed = true;
        }
    }
    if (changed) {
        return 0;
    }
"""


# ---- A long function of C++ as several, and equal limbs at once, for any scalar

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


# ---- A function of C++ in parts: its sections, its loop of sines and cosines, and the rest

class CppParts(NamedTuple):
    """
    A function as it is written.

    `whole` uses the inputs and constants that the text needs, `rest` has the statements of its
    body, `sections` are functions that stand before it, `first` the lines before the body: the
    loop of sines and cosines and the calls of the sections, if there are any (`has_calls`);
    `called` are the functions of std that it names.
    """

    whole: Function
    rest: Function
    sections: Sequence[str]
    first: Sequence[str]
    has_calls: bool
    called: Sequence[str]


def cpp_parts(cpp: CppSelfTest, function: Function, has_angles: bool) -> CppParts:
    """Return the parts of a function, with a loop for its sines and cosines or without."""
    whole = function.twinned or function
    angles = Angles(whole) if has_angles else None
    rest, before = (angles.rest(), angles.before) if angles else (whole, [])
    loop = [*in_one_loop(cpp, angles, 'Scalar')] if angles and angles.angles else []
    first = [*before, *(Statement('', Signed(False, angle))
                        for angle in (angles.angles if angles else ()))]
    sections: list[str] = []
    calls: list[str] = []
    if function.twinned or (cpp.program.style == 'fast'
                            and len(function.statements) > MOST_STATEMENTS):
        divided = sectioned(rest, before)
        arrays = [x.name for x in function.inputs] + [*ARRAYS.values()] * bool(loop)
        sections = [*cpp_sections(cpp, whole, divided, arrays)]
        calls = [*memory_and_calls(cpp, whole, divided, arrays, before)]
        rest = divided.function
        whole = with_statements(rest, first)
    called = cpp.called([rest])
    if loop:   # it calls its own
        in_body = rest.calls | with_statements(rest, first).calls
        called = [name for name in called if name in in_body]
    return CppParts(whole, rest, sections, [*loop, *calls], bool(calls), called)


# ---- C++17, header only, for any scalar: float, double, or a type of automatic differentiation

def write(program: Program) -> dict[str, str]:
    """Return the files of a program: a header."""
    return {f'{program.name}_dynamics.hpp': '\n'.join(Cpp(program).header()) + '\n'}


_TESTED = """
#ifdef @NAME_SELF_TEST
#include <cstdio>

using Row = @space::Vector<@real>;"""


class Cpp(CppSelfTest):
    """A header."""

    STATEMENT = LONG = 'const Scalar {name} = {value};'
    LOCAL = 'const Scalar '
    DECLARE = 'inline constexpr @real '
    CONSTANT = 'inline constexpr @real {name} = {value};'
    INFIX = Infix(lambda value: f'Scalar({shortest(value)})', twin='twin{{{}, {}}}')
    PRECISIONS = precision.CPP_PRECISIONS

    @property
    def literal(self) -> Callable[[float], str]:
        """How a positive constant is written where it has no other type."""
        return shortest if self.real == 'double' else precision.suffixed

    def number(self, value: float) -> str:
        return '-' * bool(value < 0.0) + self.literal(abs(value))

    def header(self) -> Iterator[str]:
        program, guard = self.program, f'{self.program.name.upper()}_DYNAMICS_HPP'
        names = [quoted(row.name) for row in program.independent]
        yield from ['/*', *(f' * {line}'.rstrip() for line in self.heading()), ' */',
                    f'#ifndef {guard}', f'#define {guard}', '', '#include <array>',
                    *['#include <cfloat>'] * any(map(self.has_angles, program.functions)),
                    '#include <cmath>', '#include <cstddef>', '',
                    f'namespace {self.space} {{', '',
                    f'inline constexpr std::size_t joints = {self.n};',
                    '// UTF-8, in the order of all vectors',
                    self.array('inline constexpr std::array<const char *, joints> joint_names{',
                               names, '};'), '']
        yield 'template <typename Scalar> using Vector = std::array<Scalar, joints>;'
        yield 'template <typename Scalar> using Matrix = std::array<Vector<Scalar>, joints>;'
        used = self.used(program.functions)
        if program.parameters:
            doubles = Cpp(program)
            doubles.INFIX = Infix(self.literal)
            yield from ['', 'namespace parameters {', *self.parameters(used)]
            if not self.derives_in_functions:
                yield from doubles.derived(used, '', self.CONSTANT)
            yield from ['', '}  // namespace parameters']
        if any(map(self.has_angles, program.functions)):
            yield from sines_and_cosines_of_cpp(self.real, most_angles(program.functions))
        if any(function.twinned for function in program.functions):
            yield from pair_definitions(self)
        for function in program.functions:
            yield from ['', *self._function(function)]
        yield from ['', f'}}  // namespace {self.space}', *self.filled(_TESTED),
                    *self.self_test(), '#endif', '', '#endif']

    def _type_of(self, result: Result) -> str:
        *rows, last = result.axes
        kind = self.vector_type(last.name)
        for axis in rows:
            kind = f'std::array<{kind}, {self.sizes.get(axis.name, "joints")}>'
        return kind.replace('std::array<Vector<Scalar>, joints>', 'Matrix<Scalar>')

    def _function(self, function: Function) -> Iterator[str]:
        """Yield the definition of a function, after the sections that it calls."""
        parts = cpp_parts(self, function, self.has_angles(function))
        results = [(result, self._type_of(result)) for result in parts.rest.results]
        yield from parts.sections
        yield from self._head(function, parts, results)
        yield '{'
        yield from (f'{self.INDENT}using std::{name};' for name in parts.called)
        yield from self.unpacked(parts.whole)
        yield from self._constants(parts.whole)
        yield from parts.first
        yield from self.body(parts.rest)
        yield ''
        for result, kind in results:
            yield f'{self.INDENT}{kind} {result.name};'
            yield from self.assigned(result)
        names = ', '.join(function.result_names)
        yield f'{self.INDENT}return {names if len(results) == 1 else f"{{{names}}}"};'
        yield '}'

    def _head(self, function: Function, parts: CppParts,
              results: Sequence[tuple[Result, str]]) -> Iterator[str]:
        """Yield the type of several results, the comment, and the line before the body."""
        returned = results[0][1]
        if len(results) > 1:
            struct = function.name.title().replace('_', '')
            returned = f'{struct}<Scalar>'
            yield from [f'template <typename Scalar> struct {struct} {{',
                        *(f'{self.INDENT}{kind} {result.name};' for result, kind in results),
                        '};', '']
        yield from self.comments([f'Returns {function.summary}.', *self.described(function)])
        yield 'template <typename Scalar>'
        inputs = [f'const {self.vector_type(x)} &{x if entries or parts.has_calls else ""}'
                  for x, entries in self.inputs(parts.whole)]
        yield self.array(f'{returned} {function.name}(', inputs, ')')

    def _constants(self, function: Function) -> Iterator[str]:
        """Yield constants as those of the scalar, and what is derived from them."""
        names = ([name for name, _ in self.exported_parameters([function])]
                 if self.derives_in_functions else
                 [name for name in self.constant_names() if name in function.names])
        if names:
            yield self.array(f'{self.INDENT}const Scalar ', [
                f'{name} = Scalar(parameters::{name})' for name in names], ';')
        if self.derives_in_functions:
            yield from self.derived(self.used([function]), self.INDENT)

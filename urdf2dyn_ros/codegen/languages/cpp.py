"""
C++17, header only, for any scalar: float, double, or a type of automatic differentiation.

Sines and cosines in one loop, sections and equal limbs are as in C.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.codegen.infix import Infix, filled, shortest
from urdf2dyn_ros.codegen.languages import sections
from urdf2dyn_ros.codegen.languages.c import quoted, sines_and_cosines, suffixed
from urdf2dyn_ros.codegen.languages.language import Around
from urdf2dyn_ros.codegen.program import (
    DOUBLE,
    SINGLE,
    Call,
    Function,
    Program,
    Result,
    Statement,
    parts,
)

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
template <> struct TwinOf<@real@> {
    typedef @real@ type __attribute__((vector_size(2 * sizeof(@real@))));
};"""


# for a type without steps of its own
_ANY_SCALAR = """
template <typename Scalar>
void sines_and_cosines(int n, const Scalar *angle, Scalar *sine, Scalar *cosine)
{
    using std::cos;
    using std::sin;
    for (int k = 0; k < n; k++) {
        sine[k] = sin(angle[k]);
        cosine[k] = cos(angle[k]);
    }
}"""


def _sines_and_cosines(real: str, most: int) -> list[str]:
    """Return the definitions for any scalar and, with its own steps, for a type."""
    text = '\n'.join(sines_and_cosines(real, most)[1:])
    text = text.replace('static void', 'inline void').replace('restrict ', '__restrict ')
    text = re.sub(r'\b(fabs|sin|cos)f?\(', r'std::\1(', text)
    text = re.sub(r'\*\((const )?angles \*\)\((\w+) \+ k\)',
                  r'*reinterpret_cast<\1angles *>(\2 + k)', text)
    text = text.replace('(int)(sizeof(angles) / sizeof', 'int(sizeof(angles) / sizeof')
    return [*_ANY_SCALAR.splitlines(), *text.splitlines()]


_CLOSE = """

// Passive joints can move by themselves in a singular pose: do not use the efforts there, nor
// where the loops are open.
enum class Loops { closed, open, singular };

// positions of the passive joints in a closed pose
inline constexpr std::array<@real@, @p@> passive_start{@start@};

// Close the loops: passive is near them, as it was the last time; it stays where it is if they do
// not close.
template <typename Scalar>
Loops close(const Vector<Scalar> &q, std::array<Scalar, @p@> &passive)
{
    std::array<Scalar, @p@> near = passive;
    for (int step = 0; step < @steps@; step++) {
        const auto next = closure(q, near);
        if (next.gap[0] < Scalar(@gap@)) {
            passive = next.closed;
            return next.margin[0] >= Scalar(@margin@) ? Loops::closed : Loops::singular;
        }
        near = next.closed;
    }
    return Loops::open;
}"""


class Cpp(sections.CLike):
    STATEMENT = LONG = 'const Scalar {name} = {value};'
    LOCAL = 'const Scalar '
    REALS: ClassVar[dict[str, str]] = {DOUBLE: 'double', SINGLE: 'float'}

    TABLE, ROW = Around('static const {size} {name}[] = {{', '};'), Around('{', '},')
    SCALE = Around('static const {size} {name} = {{', '};')
    KEYS = Around('static const char *const {axis}_names[] = {{', '};')
    TEST = ('c++ -std=c++17 -x c++ -D{NAME}_SELF_TEST {name}_dynamics.hpp -o self_test '
            '&& ./self_test')
    SELF_TEST = 'cpp'

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.literal = suffixed if self.single else shortest   # of what has no other type
        self.INFIX = Infix(lambda value: f'Scalar({self.literal(value)})', twin='twin{{{}, {}}}')
        self.DECLARE = f'inline constexpr {self.real} '
        self.CONSTANT = self.DECLARE + '{name} = {value};'
        # a robot's name alone may be one of C++, a macro, or a function of the C library
        self.space = f'{program.name}_dynamics'
        self.JOINTS = f'{self.space}::joint_names'
        self.PARAMETER = f'{{{{"{{name}}", {self.space}::parameters::{{name}}, {{value}}}}}}'

    def number(self, value: float) -> str:
        return ('-' if value < 0.0 else '') + self.literal(abs(value))

    def files(self) -> dict[str, Iterable[str]]:
        return {f'{self.program.name}_dynamics.hpp': self.header()}

    def header(self) -> Iterator[str]:
        program, name = self.program, self.program.name.upper()
        names = [quoted(row.name) for row in program.independent]
        yield from ['/*', *(f' * {line}'.rstrip() for line in self.heading()), ' */',
                    f'#ifndef {name}_DYNAMICS_HPP', f'#define {name}_DYNAMICS_HPP', '',
                    '#include <array>',
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
            yield from _sines_and_cosines(self.real, sections.most_angles(program.functions))
        if any(function.twinned for function in program.functions):
            yield from _DEFINITIONS.replace('\n@vectors', ''.join(
                filled(_VECTORS, {'real': real})
                for real in dict.fromkeys([self.real, 'float']))).splitlines()
        for function in program.functions:
            yield from ['', *self._function(function)]
        yield from self.loop_solver(_CLOSE)
        yield from ['', f'}}  // namespace {self.space}', '', f'#ifdef {name}_SELF_TEST',
                    '#include <cstdio>', '', f'using Row = {self.space}::Vector<{self.real}>;',
                    *self.self_test(), '#endif', '', '#endif']

    def _type_of(self, result: Result) -> str:
        *rows, last = result.axes
        kind = self.vector_type(last.name)
        for axis in rows:
            kind = f'std::array<{kind}, {self.sizes.get(axis.name, "joints")}>'
        return kind.replace('std::array<Vector<Scalar>, joints>', 'Matrix<Scalar>')

    def _function(self, function: Function) -> Iterator[str]:
        whole = function.twinned or function
        angles = sections.Hoisted(whole, self.has_angles(function))
        rest = angles.rest()
        first = [*angles.before, *(Statement('', angle) for angle in angles.angles)]
        loop = [*self.in_one_loop(angles, 'Scalar')] if angles.angles else []
        calls: list[str] = []
        if self.is_long(function):
            divided = sections.split_sections(rest, angles.before)
            arrays = [*(x.name for x in function.inputs), *sections.SINES * bool(loop)]
            yield from self._sections(whole, divided, arrays)
            calls = [f'    std::array<Scalar, {len(divided.kept)}> kept;',
                     *[f'    Twin<Scalar> twins[{len(divided.twins)}];'
                       ] * bool(divided.twins), *self.stored(divided, angles.before),
                     *(self.array(f'    {function.name}_{k}(', [
                         *arrays, 'kept', *['twins'] * bool(divided.twins)], ');')
                       for k in range(len(divided.sections)))]
            rest = divided.function
            whole = sections.with_statements(rest, first)
        called = self.called([rest])
        if loop:   # it calls its own
            in_body = rest.calls | sections.with_statements(rest, first).calls
            called = [name for name in called if name in in_body]
        results = [(result, self._type_of(result)) for result in rest.results]
        inputs = [f'const {self.vector_type(x)} &{x if entries or calls else ""}'
                  for x, entries in self.inputs(whole)]
        yield from self._head(function, inputs, results)
        yield from ['{', *(f'    using std::{name};' for name in called)]
        yield from [*self.unpacked(whole), *self._constants(whole), *loop, *calls,
                    *self.body(rest), '']
        for result, kind in results:
            yield f'    {kind} {result.name};'
            yield from self.assigned(result)
        names = ', '.join(function.result_names)
        yield f'    return {names if len(results) == 1 else f"{{{names}}}"};'
        yield '}'

    def _sections(self, function: Function, whole: sections.Sectioned,
                  inputs: Sequence[str]) -> Iterator[str]:
        """Yield the sections; few of them may become part of the function, being called once."""
        arguments = [
            *(f'const Scalar *{name}' if name in sections.SINES else
              f'const {self.vector_type(name)} &{name}' for name in inputs),
            f'std::array<Scalar, {len(whole.kept)}> &kept',
            *['Twin<Scalar> *twins'] * bool(whole.twins)]
        for k, statements in enumerate(whole.sections):
            apart = '[[gnu::noinline]] ' if whole.apart else ''
            yield from ['template <typename Scalar>', self.array(
                f'{apart}static void {function.name}_{k}(', arguments, ')'), '{']
            calls = {term.function for term in parts(each.value for each in statements)
                     if isinstance(term, Call)}
            yield from (f'    using std::{name};' for name in sorted(calls))
            if statements[0].name in function.twins:
                yield '    using twin = Twin<Scalar>;'
                yield from self.section(function, whole, statements, [*inputs, 'kept'], 'twin',
                                        'twins[{k}]')
            else:
                yield from self.section(function, whole, statements, [
                    *inputs, 'kept', *['twins'] * bool(whole.twins)])
            yield from ['}', '']

    def _head(self, function: Function, inputs: Sequence[str],
              results: Sequence[tuple[Result, str]]) -> Iterator[str]:
        """Yield the type of several results, the comment, and the line before the body."""
        returned = results[0][1]
        if len(results) > 1:
            struct = function.name.title().replace('_', '')
            returned = f'{struct}<Scalar>'
            yield from [f'template <typename Scalar> struct {struct} {{',
                        *(f'    {kind} {result.name};' for result, kind in results),
                        '};', '']
        yield from self.comments([f'Returns {function.summary}.', *self.described(function)])
        yield 'template <typename Scalar>'
        yield self.array(f'{returned} {function.name}(', inputs, ')')

    def _constants(self, function: Function) -> Iterator[str]:
        """Yield constants as those of the scalar, and what is derived from them."""
        if self.derives_in_functions:
            names = [name for name, _ in self.exported_parameters([function])]
        else:
            names = [name for group in self.program.parameters for line in group.lines
                     for name in line.names]
            names += [statement.name for block in self.program.constants
                      for statement in block.statements]
            names = [name for name in names if name in function.names]
        if names:
            yield self.array('    const Scalar ', [
                f'{name} = Scalar(parameters::{name})' for name in names], ';')
        if self.derives_in_functions:
            yield from self.derived(self.used([function]), self.INDENT)

    def size(self, name: str) -> str:
        """Return the type of the numbers of an input or of an axis in the check."""
        return self.vector_type(name, self.real) if name in self.sizes else 'Row'

    def vector_type(self, name: str, scalar: str = 'Scalar') -> str:
        """Return the type of a vector: an input, or the entries along an axis."""
        return (f'std::array<{scalar}, {self.sizes[name]}>' if name in self.sizes
                else f'Vector<{scalar}>')

    def fields(self) -> dict[str, str]:
        names, kind = ('names', 'Entries') if self.axes else (self.JOINTS, 'Row')
        return {**super().fields(), 'joint': f'{names}[i]', 'Vector': kind,
                'scales': f', const {kind} &scale' if self.scales else ''}

    def shown(self, function: Function) -> Iterator[str]:
        yield self.array(f'    {{   const auto found = {self.space}::{function.name}(',
                         [f'reference_{x.name}[0]' for x in function.inputs], ');')
        yield f'        std::puts("{function.name} in the first reference state:");'
        for result in self.vectors:
            value = 'found' if len(function.results) == 1 else f'found.{result.name}'
            entry = f'{value}[i]'
            if self.single:
                entry = f'static_cast<double>({entry})'
            if self.many(function):
                yield f'        std::puts("{result.name}");'
            yield self.array(f'        static const char *const units_{result.name}[] = {{',
                             self.units(result), '};')
            yield from [
                f'        for (std::size_t i = 0; i < {value}.size(); i++) {{',
                f'            std::printf("%-24s %.9g %s\\n", '
                f'{self.row_names(result)}[i],',
                f'                        {entry}, units_{result.name}[i]);', '        }']
        yield '    }'

    def check(self, function: Function) -> Iterator[str]:
        yield self.array(f'        {{   const auto found = {self.space}::{function.name}(',
                         [f'reference_{x.name}[k]' for x in function.inputs], ');')
        for result in function.results:
            value = 'found' if len(function.results) == 1 else f'found.{result.name}'
            yield self.array('            wrong += differs(', self.compared(
                function, result, self.product(result, value)), ');')
        yield '        }'

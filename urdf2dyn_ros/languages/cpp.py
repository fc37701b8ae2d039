"""C++17, header only, for any scalar: float, double, or a type of automatic differentiation."""

from collections.abc import Callable, Iterator, Sequence

from urdf2dyn_ros.languages.c import quoted
from urdf2dyn_ros.languages.c_trigonometry import most_angles, sines_and_cosines_of_cpp
from urdf2dyn_ros.languages.infix import Infix, shortest
from urdf2dyn_ros.languages.long_functions.cpp_parts import CppParts, cpp_parts
from urdf2dyn_ros.languages.long_functions.cpp_sections import pair_definitions
from urdf2dyn_ros.languages.precision import precision
from urdf2dyn_ros.languages.self_tests.cpp import CppSelfTest
from urdf2dyn_ros.program.function import Function, Result
from urdf2dyn_ros.program.program import Program


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

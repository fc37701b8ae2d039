"""C99, with no dependency but libm."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.angles import Angles
from urdf2dyn_ros.languages.c_sections import in_sections
from urdf2dyn_ros.languages.c_trigonometry import in_one_loop, sines_and_cosines
from urdf2dyn_ros.languages.infix import Infix, magnitude_as
from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.precision import precision
from urdf2dyn_ros.languages.sections import MOST_STATEMENTS
from urdf2dyn_ros.program.program import Function, Program, Result


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: a header and a source file."""
    c = C(program)
    return {f'{program.name}_dynamics.h': '\n'.join(c.header()) + '\n',
            f'{program.name}_dynamics.c': '\n'.join(c.source()) + '\n'}


def quoted(text: str) -> str:
    """Return a string literal of UTF-8, for C and C++."""
    plain = ''.join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f'\\{byte:03o}'
                    for byte in text.encode())
    return f'"{plain}"'


_TESTED = '\n\n#ifdef @NAME_SELF_TEST\n#include <stdio.h>\n'


class C(Language):
    """A header and a source file."""

    STATEMENT = LONG = 'const @real {name} = {value};'
    INFIX, PRECISIONS = Infix(call=magnitude_as('fabs')), precision.C_PRECISIONS
    DECLARE, LOCAL = 'static const @real ', 'const @real '
    TABLE, ROW = ('static const @real {name}[][{size}] = {{', '};'), ('{', '},')
    JOINTS = '@name_joint_names, @NAME_JOINTS'
    KEYS = ('static const char *const @axis_names[] = {', '"', '};',
            '@axis_names, @NAME_@AXIS')
    TEST = 'cc -D{NAME}_SELF_TEST {name}_dynamics.c -lm -o self_test && ./self_test'

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._prefix = program.name.upper()

    def header(self) -> Iterator[str]:
        """Yield the header."""
        guard = f'{self.program.name.upper()}_DYNAMICS_H'
        yield from ['/*', *(f' * {line}'.rstrip() for line in self.heading()), ' */',
                    f'#ifndef {guard}', f'#define {guard}', '',
                    f'#define {self._prefix}_JOINTS {self.n}',
                    *(f'#define {self.size(x)} {size}' for x, size in self.sizes.items()), '',
                    '#ifdef __cplusplus', 'extern "C" {', '#endif', '']
        yield '/* UTF-8, in the order of all vectors */'
        yield f'extern const char *const {self.program.name}_joint_names[{self.size("q")}];'
        for function in self.program.functions:
            yield ''
            yield from self.comments([f'{function.name}: {function.summary}.',
                                      *self.described(function)])
            yield f'{self.signature(function)};'
        yield from ['', '#ifdef __cplusplus', '}', '#endif', '', '#endif']

    def size(self, name: str) -> str:
        """Return how many entries an input or an axis has: one where C needs an element."""
        if name in self.sizes:
            return f'{self._prefix}_{name.upper()}'
        return f'{self._prefix}_JOINTS' if self.n else '1'

    def signature(self, function: Function) -> str:
        """Return the head of a function's definition."""
        vectors = [f'const {self.real} {x.name}[{self.size(x.name)}]' for x in function.inputs]
        results = [f'{self.real} {self._array(result)}' for result in function.results]
        head = f'void {self.program.name}_{function.name}('
        return self.array(head, vectors + results, ')')

    def _array(self, result: Result) -> str:
        return result.name + ''.join(f'[{size}]' for size in self.shape(result))

    def source(self) -> Iterator[str]:
        """Yield the source file."""
        used = self.used(self.program.functions)
        names = [quoted(row.name) for row in self.program.independent] or ['""']
        yield f'#include "{self.program.name}_dynamics.h"'
        yield ''
        if any(map(self._has_angles, self.program.functions)):
            yield '#include <float.h>'
        yield '#include <math.h>'
        yield ''
        declared = f'const char *const {self.program.name}_joint_names[{self.size("q")}] = {{'
        yield self.array(declared, names, '};')
        yield from self.parameters(used)
        if any(map(self._has_angles, self.program.functions)):
            yield from sines_and_cosines(self.real)
        for function in self.program.functions:
            yield from ['', '', *self.function(function)]
        yield from self.filled(_TESTED)
        yield from self.self_test()
        yield '#endif'

    def function(self, function: Function) -> Iterator[str]:
        """Yield the definition of a function."""
        if self.program.style == 'fast' and len(function.statements) > MOST_STATEMENTS:
            yield from in_sections(self, function)
            return
        yield self.signature(function)
        yield '{'
        unused = [x for x, entries in self.inputs(function) if not entries]
        unused += [result.name for result in function.results if 0 in result.shape]
        yield from (f'{self.INDENT}(void){x};' for x in unused)
        yield from self.unpacked(function)
        yield from self.derived(self.used([function]), self.INDENT, self.STATEMENT)
        if self._has_angles(function):
            angles = Angles(function)
            yield from in_one_loop(self, angles)
            function = angles.rest()
        yield from self.body(function)
        yield ''
        for result in function.results:
            yield from self.assigned(result)
        yield '}'

    def _has_angles(self, function: Function) -> bool:
        """Whether sines and cosines are made in one loop: for speed, not for reading."""
        return self.program.style == 'fast' and function.operations.trigonometric > 0

    def data(self) -> Iterator[tuple[str, str, list[list[float]]]]:
        """Yield names and rows; one number a row for a robot without joints."""
        return ((name, of, [row or [0.0] for row in rows]) for name, of, rows in super().data())

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        matrices = [result.name for result in function.results if result.is_matrix]
        products = {name: 'product' + f'_{name}' * (len(matrices) > 1) for name in matrices}
        results = [f'{self._array(result)}' + (
            f', {products[result.name]}[{self.shape(result)[0]}]' if result.is_matrix else '')
            for result in function.results]
        yield self.array(f'        {{   {self.real} ', results, ';')
        yield self.array(f'            {self.program.name}_{function.name}(', [
            *(f'reference_{x.name}[k]' for x in function.inputs), *function.result_names], ');')
        for result, known in zip(function.results, expected):
            found = products.get(result.name, result.name)
            if result.is_matrix:
                shape = [self.size(axis.name) if axis.keys else f'{self._prefix}_JOINTS'
                         for axis in result.axes]
                matrix = [*shape, f'&{result.name}[0][0]'] if self.axes else [result.name]
                yield self.array('            times(', [
                    *matrix, f'reference_{result.quantity.times}[k]', found], ');')
            yield self.array('            wrong += differs(', [
                f'"{self.title(function, result)}"', *self.names(result), found, f'{known}[k]'],
                ');')
        yield '        }'

    DIFFERS = """
static int differs(const char *function, const char *const *names, int size,
                   const @real *found, const @real *expected)
{
    int wrong = 0;
    for (int i = 0; i < size; i++) {
        if (!(fabs(found[i] - expected[i]) <= 1e-9 * fmax(1.0, fabs(expected[i])))) {
            printf("%s, %s: %.17g instead of %.17g\\n", function, names[i],
                   found[i], expected[i]);
            wrong = 1;
        }
    }
    return wrong;
}
"""
    ALIKE: ClassVar[dict[str, str]] = {
        'const char *const *names, int size,\n                   ': '', ' size;': ' @NAME_JOINTS;',
        ' names[i]': ' @name_joint_names[i]',
        'int rows, int columns, const @real *M': '@real M[@size][@size]',
        ' rows;': ' @NAME_JOINTS;', ' columns;': ' @NAME_JOINTS;', '[i * columns + j]': '[i][j]'}
    TIMES = """
static void times(int rows, int columns, const @real *M, const @real *x, @real *product)
{
    for (int i = 0; i < rows; i++) {
        product[i] = 0.0;
        for (int j = 0; j < columns; j++) {
            product[i] += M[i * columns + j] * x[j];
        }
    }
}
"""
    MAIN = """
int main(void)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {"""
    VERDICT = """\
    }
    puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
"""

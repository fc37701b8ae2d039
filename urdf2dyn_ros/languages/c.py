"""C99, with no dependency but libm."""

from collections.abc import Iterator
from itertools import chain

from urdf2dyn_ros.languages.angles import Angles
from urdf2dyn_ros.languages.c_trigonometry import in_one_loop, most_angles, sines_and_cosines
from urdf2dyn_ros.languages.infix import Infix, magnitude_as
from urdf2dyn_ros.languages.long_functions.c_sections import APART, in_sections
from urdf2dyn_ros.languages.long_functions.c_twins import twin_definitions
from urdf2dyn_ros.languages.precision import precision
from urdf2dyn_ros.languages.sections import MOST_STATEMENTS
from urdf2dyn_ros.languages.self_tests.c import CSelfTest
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.program import Program
from urdf2dyn_ros.program.statements import Name, Statement


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


class C(CSelfTest):
    """A header and a source file."""

    STATEMENT = LONG = 'const @real {name} = {value};'
    INFIX, PRECISIONS = Infix(call=magnitude_as('fabs')), precision.C_PRECISIONS
    DECLARE, LOCAL = 'static const @real ', 'const @real '

    def header(self) -> Iterator[str]:
        guard = f'{self.program.name.upper()}_DYNAMICS_H'
        yield from ['/*', *(f' * {line}'.rstrip() for line in self.heading()), ' */',
                    f'#ifndef {guard}', f'#define {guard}', '',
                    f'#define {self.prefix}_JOINTS {self.n}',
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

    def signature(self, function: Function) -> str:
        """Return the head of a function's definition."""
        vectors = [f'const {self.real} {x.name}[{self.size(x.name)}]' for x in function.inputs]
        results = [f'{self.real} {self.declared(result)}' for result in function.results]
        head = f'void {self.program.name}_{function.name}('
        return self.array(head, vectors + results, ')')

    def source(self) -> Iterator[str]:
        used = self.used(self.program.functions)
        names = [quoted(row.name) for row in self.program.independent] or ['""']
        yield f'#include "{self.program.name}_dynamics.h"'
        yield ''
        if any(map(self.has_angles, self.program.functions)):
            yield '#include <float.h>'
        yield '#include <math.h>'
        functions = [line for function in self.program.functions
                     for line in ('', '', *self.function(function))]
        if any('memset(' in line for line in functions):
            yield '#include <string.h>'
        yield ''
        declared = f'const char *const {self.program.name}_joint_names[{self.size("q")}] = {{'
        yield self.array(declared, names, '};')
        yield from self.parameters(used)
        if any(map(self.has_angles, self.program.functions)):
            yield from sines_and_cosines(self.real, most_angles(self.program.functions))
        if any(function.twinned for function in self.program.functions):
            yield from twin_definitions(self)
        if any('APART ' in line for line in functions):
            yield from APART.splitlines()
        yield from functions
        yield from self.filled(_TESTED)
        yield from self.self_test()
        yield '#endif'

    def function(self, function: Function) -> Iterator[str]:
        """Yield the definition of a function."""
        if function.twinned or (self.program.style == 'fast'
                                and len(function.statements) > MOST_STATEMENTS):
            yield from in_sections(self, function.twinned or function, self.signature(function))
            return
        yield self.signature(function)
        yield '{'
        unused = [x for x, entries in self.inputs(function) if not entries]
        unused += [result.name for result in function.results if 0 in result.shape]
        yield from (f'{self.INDENT}(void){x};' for x in unused)
        yield from self.unpacked(function)
        yield from self.derived(self.used([function]), self.INDENT, self.STATEMENT)
        if self.has_angles(function):
            angles = Angles(function)
            yield from in_one_loop(self, angles, self.real)
            function = angles.rest()
        stores = self._stores(function)
        stored = {cell for cells in stores.values() for cell in cells}
        yield from self.body(function.with_statements(lambda statements: (
            each for made in statements for each in (made, *stores.get(made.name, ())))))
        yield ''
        for result in function.results:
            yield from self.assigned(result, omitted=stored.__contains__)
        yield '}'

    def statement(self, statement: Statement, indent: str, form: str = '') -> str:
        is_entry = statement.name.endswith(']')
        return super().statement(statement, indent, '{name} = {value};' if is_entry else form)

    def _stores(self, function: Function) -> dict[str, list[Statement]]:
        """
        Return the statements that store entries of matrices, by what the entry is made by.

        For speed, each stands where that is made: compilers would store what waits for the end of
        the function twice. To be read, all results stand at the end.
        """
        stores: dict[str, list[Statement]] = {}
        if self.program.style == 'fast':
            made = {statement.name for statement in function.statements}
            matrices = [result for result in function.results if result.is_matrix]
            for cell, _ in chain.from_iterable(map(self.cells, matrices)):
                term = cell.value.term
                if isinstance(term, Name) and term.text in made:
                    stores.setdefault(term.text, []).append(cell)
        return stores

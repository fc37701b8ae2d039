"""The part of an exported C file that checks it."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.precision.precision import SINGLE
from urdf2dyn_ros.program.function import Function, Result
from urdf2dyn_ros.program.program import Program


class CSelfTest(Language):
    """A main program, compiled where a macro is defined."""

    TABLE, ROW = ('static const @real {name}[][{size}] = {{', '};'), ('{', '},')
    SCALE = ('static const @real {name}[{size}] = {{', '}};')
    JOINTS = '@name_joint_names, @NAME_JOINTS'
    KEYS = ('static const char *const @axis_names[] = {', '"', '};',
            '@axis_names, @NAME_@AXIS')
    TEST = 'cc -D{NAME}_SELF_TEST {name}_dynamics.c -lm -o self_test && ./self_test'

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.prefix = program.name.upper()

    def declared(self, result: Result) -> str:
        """Return a result with its sizes, as in a declaration."""
        return result.name + ''.join(f'[{size}]' for size in self.shape(result))

    def size(self, name: str) -> str:
        """Return how many entries an input or an axis has: one where C needs an element."""
        if name in self.sizes:
            return f'{self.prefix}_{name.upper()}'
        return f'{self.prefix}_JOINTS' if self.n else '1'

    def data(self) -> Iterator[tuple[str, str, list[list[float]]]]:
        """Yield names and rows; one number a row for a robot without joints."""
        return ((name, of, [row or [0.0] for row in rows]) for name, of, rows in super().data())

    def _called(self, function: Function, k: str, indent: str,
                products: dict[str, str]) -> Iterator[str]:
        """Yield declarations of results, and the call for state k."""
        results = [f'{self.declared(result)}' + (
            f', {products[result.name]}[{self.shape(result)[0]}]'
            if result.name in products else '') for result in function.results]
        yield self.array(f'{indent}{{   {self.real} ', results, ';')
        yield self.array(f'{indent}    {self.program.name}_{function.name}(', [
            *(f'reference_{x.name}[{k}]' for x in function.inputs), *function.result_names], ');')

    def shown(self, function: Function) -> Iterator[str]:
        yield from self._called(function, '0', '    ', {})
        cast = '(double)' * (self.program.precision == SINGLE)
        yield f'        puts("{function.name} in the first reference state:");'
        for result in self.vectors:
            names, size = self.filled(self.row_names(result))[0].split(', ')
            if self.many(function):
                yield f'        puts("{result.name}");'
            yield self.array(f'        static const char *const units_{result.name}[] = {{',
                             self.units(result), '};')
            yield from [
                f'        for (int i = 0; i < {size}; i++) {{',
                f'            printf("%-24s %.9g %s\\n", {names}[i], {cast}{result.name}[i], '
                f'units_{result.name}[i]);', '        }']
        yield '    }'

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        matrices = [result.name for result in function.results if result.is_matrix]
        products = {name: 'product' + f'_{name}' * (len(matrices) > 1) for name in matrices}
        yield from self._called(function, 'k', '        ', products)
        for result, known in zip(function.results, expected):
            found = products.get(result.name, result.name)
            if result.is_matrix:
                shape = [self.size(axis.name) if axis.keys else f'{self.prefix}_JOINTS'
                         for axis in result.axes]
                matrix = [*shape, f'&{result.name}[0][0]'] if self.axes else [result.name]
                yield self.array('            times(', [
                    *matrix, f'reference_{result.quantity.times}[k]', found], ');')
            yield self.array('            wrong += differs(', [
                f'"{self.title(function, result)}"', *self.names(result), found, f'{known}[k]',
                *self.scale_of(known)], ');')
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
    SCALED: ClassVar[dict[str, str]] = {
        ' *expected)': ' *expected, const @real *scale)', 'fmax(1.0,': 'fmax(scale[i],'}
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
@shown
@changed
    for (size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {"""
    VERDICT = """\
    }
    puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
"""
    PARAMETER = '{{"{name}", {name}, {value}}}'
    CHANGED = """\
    const struct { const char *name; @real value, exported; } parameters[] = {
        @parameters
    };
    int changed = 0;
    for (size_t k = 0; k < sizeof parameters / sizeof parameters[0]; k++) {
        if (parameters[k].value != parameters[k].exported) {
            printf("parameter %s was changed: the reference values do not apply\\n",
                   parameters[k].name);
            changed = 1;
        }
    }
    if (changed) {
        return 0;
    }
"""

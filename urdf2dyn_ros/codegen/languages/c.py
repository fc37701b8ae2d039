"""
C99, with no dependency but libm: a header, and a source file that tests itself.

In fast style all sines and cosines of a function are made in one loop before the rest; a long
function is written in sections; equal limbs are computed at once.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import ClassVar

from urdf2dyn_ros.codegen.infix import Infix, filled, nearest_single
from urdf2dyn_ros.codegen.languages import sections
from urdf2dyn_ros.codegen.languages.language import Around
from urdf2dyn_ros.codegen.program import (
    DOUBLE,
    SINGLE,
    Function,
    Name,
    Number,
    Program,
    Result,
    Signed,
    Statement,
)

_LOOP = """

// Cody and Waite's reduction and the polynomials of @source@, without a branch,
// so that compilers make vectors of the loop; wrong by @error@ at most.
// Beyond @far@ rad, and for what is not finite, libm takes over.
@type@static void sines_and_cosines(int n, const @real@ *restrict angle, @real@ *restrict sine,
                              @real@ *restrict cosine)
{
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \\
    || FLT_EVAL_METHOD != 0 || (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0 \\
        && (__GNUC__ < 12 || !defined(__arm__)))
    // the compiler may reorder sums, or rounds elsewhere: the steps below would go wrong
    for (int k = 0; k < n; k++) {
        sine[k] = sin(angle[k]);
        cosine[k] = cos(angle[k]);
    }
#else
#ifdef __clang__
#pragma clang fp reassociate(off)
#endif
@whole@@steps@
@turned@#endif
}"""

_ONE = """\
        const @real@ turn = quarters - 4.0 * ((quarters * 0.25 + round) - round);  // -2 .. 2
        const @real@ swapped = turn * turn == 1.0 ? 1.0 : 0.0;
        sine[k] = (turn < 0.0 || turn > 1.5 ? -1.0 : 1.0) * (swapped != 0.0 ? c : s);
        cosine[k] = (turn > 0.0 || turn < -1.5 ? -1.0 : 1.0) * (swapped != 0.0 ? s : c);
    }
    for (int k = 0; k < n; k++) {
        if (!(fabs(angle[k]) <= @limit@)) {
            sine[k] = sin(angle[k]);
            cosine[k] = cos(angle[k]);
        }
    }
"""

_SEVERAL = """\
        const @each@ turn = quarters - 4.0 * ((quarters * 0.25 + round) - round);  // -2 .. 2
        const @each@ square = turn * turn;
        // sine and cosine of the quarters: -1, 0 or 1; then those of the sum of two angles
        const @each@ odd = turn * ((4.0 - square) * 0.3333333333333333);
        const @each@ even = 1.0 - 0.5 * (square + odd * odd);
        @sine@ = odd * c + even * s;
        @cosine@ = even * c - odd * s;
    }
    @real@ total = 0.0;
    for (int k = 0; k < n; k++) {
        total += fabs(angle[k]);
    }
    for (int k = 0; k < n && !(total <= @limit@); k++) {
        if (!(fabs(angle[k]) <= @limit@)) {
            sine[k] = sin(angle[k]);
            cosine[k] = cos(angle[k]);
        }
    }
"""

_TYPE = """\
// The arrays have room for a multiple of @step@ angles. Of so short a loop clang makes no vectors.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
typedef @real@ angles
    __attribute__((vector_size(@step@ * sizeof(@real@)), aligned(sizeof(@real@)), may_alias));
#else
typedef @real@ angles;
#endif

"""

_WHOLE = """\
#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64)
    n = (n + @last@) / @step@ * @step@;  // vectors alone, no angle by itself
#endif
"""

_DOUBLE = """\
    const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    for (int k = 0; @next@) {
        const @each@ x = @angle@;
        const @each@ quarters = (x * 0.6366197723675814 + round) - round;
        const @each@ r = ((x - quarters * 1.5707963267341256)
                - quarters * 6.077100506303966e-11) - quarters * 2.0222662487959506e-21;
        const @each@ z = r * r, zz = z * z;
        const @each@ s = r + r * z * ((-0.16666666666666632 + z * 0.00833333333332249)
                + zz * ((-0.0001984126982985795 + z * 2.7557313707070068e-06)
                + zz * (-2.5050760253406863e-08 + z * 1.58969099521155e-10)));
        const @each@ c = 1.0 + z * (-0.5 + z * ((0.0416666666666666 + z * -0.001388888888887411)
                + zz * ((2.480158728947673e-05 + z * -2.7557314351390663e-07)
                + zz * (2.087572321298175e-09 + z * -1.1359647557788195e-11))));"""

_SINGLE = """\
    const float round = 12582912.0;  // 3 * 2^22: adding it rounds to an integer
    for (int k = 0; @next@) {
        const @each@ x = @angle@;
        const @each@ quarters = (x * 0.63661977 + round) - round;
        const @each@ r = ((x - quarters * 1.5703125)
                - quarters * 0.0004837513) - quarters * 7.54979e-08;
        const @each@ z = r * r;
        const @each@ s = r + r * z * (-0.16666655 + z * (0.008332161 + z * -0.00019515296));
        const @each@ c = 1.0 - 0.5 * z + z * z * (0.041666646 + z * (-0.0013887316
                + z * 2.4433157e-05));"""

_VALUES = {
    'double': {'source': 'fdlibm (Sun Microsystems)', 'far': '2^17', 'limit': '131072.0',
               'error': '2.5 units in the last place', 'steps': _DOUBLE},
    'float': {'source': 'Cephes (Moshier)', 'far': '2^13', 'limit': '8192.0', 'error': '1e-7',
              'steps': _SINGLE}}
_NUMBER = re.compile(r'(?<![\w^.])\d+\.\d+(?:e-\d+)?|\b(?:sin|cos|fabs)(?=\()')

_PLAIN = {'type': '', 'each': '@real@', 'next': 'k < n; k++', 'angle': 'angle[k]',
          'sine': 'sine[k]', 'cosine': 'cosine[k]'}
_BY_HAND = {
    'type': _TYPE, 'each': 'angles',
    'next': 'k < n; k += (int)(sizeof(angles) / sizeof(@real@))',
    'angle': '*(const angles *)(angle + k)', 'sine': '*(angles *)(sine + k)',
    'cosine': '*(angles *)(cosine + k)'}
_MOST_BY_HAND = 16   # angles: of longer loops, clang makes longer vectors by itself


def sines_and_cosines(real: str, most: int) -> list[str]:
    """Return the definition of the loop for a type, with its literals and functions of libm."""
    step = sections.at_once(most)
    form = _BY_HAND if 1 < most <= _MOST_BY_HAND else _PLAIN
    fields = {'turned': _SEVERAL if step > 1 else _ONE, **_VALUES[real],
              'whole': _WHOLE if step > 1 else '', **form, 'step': str(step),
              'last': str(step - 1), 'real': real}
    text = _LOOP
    while '@' in text:   # fields have fields
        text = filled(text, fields)
    head, code = text.split('{', 1)
    if real == 'float':
        code = _NUMBER.sub(lambda match: f'{match[0]}f', code)
    return f'{head}{{{code}'.splitlines()


def suffixed(value: float) -> str:
    return f'{nearest_single(value)}f'


def _call(function: str, argument: str, suffix: str = '') -> str:
    return f'{"fabs" if function == "abs" else function}{suffix}({argument})'


def quoted(text: str) -> str:
    """Return a string literal of UTF-8, for C and C++."""
    plain = ''.join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f'\\{byte:03o}'
                    for byte in text.encode())
    return f'"{plain}"'


_TWINS = """

// Two equal limbs are computed at once: the two numbers of a twin are one of each. Where there are
// no vectors, what follows computes one limb, then the other.
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
typedef @real@ twin __attribute__((vector_size(2 * sizeof(@real@))));
typedef twin each;
#define LIMBS_AT_ONCE 2
#define TWIN(first, second) ((twin){first, second})
#define OF(twin) (twin)
#else
typedef @real@ twin[2];
typedef @real@ each;
#define LIMBS_AT_ONCE 1
#define TWIN(first, second) (limb ? (second) : (first))
#define OF(twin) (twin)[limb]
#endif"""
# what keeps a section a function of its own, so that compiling does not take minutes
_APART = """

#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif"""
_ZERO = Signed(False, Number(0.0))


_CLOSING = """

// What @name@_close returns. Passive joints can move by themselves in a singular pose: do not use
// the efforts there, nor where the loops are open.
enum { @NAME@_CLOSED, @NAME@_OPEN, @NAME@_SINGULAR };

// positions of the passive joints in a closed pose
extern const @real@ @name@_passive_start[@p@];

// Close the loops: passive is near them, as it was the last time; it stays where it is if they do
// not close.
int @name@_close(const @real@ q[@NAME@_JOINTS], @real@ passive[@p@]);"""
_CLOSE = """

const @real@ @name@_passive_start[@p@] = {@start@};

int @name@_close(const @real@ q[@NAME@_JOINTS], @real@ passive[@p@])
{
    @real@ near[@p@], next[@p@], gap[1], margin[1];
    for (int k = 0; k < @p@; k++) {
        near[k] = passive[k];
    }
    for (int step = 0; step < @steps@; step++) {
        @name@_closure(q, near, next, gap, margin);
        if (gap[0] < @gap@) {
            for (int k = 0; k < @p@; k++) {
                passive[k] = next[k];
            }
            return margin[0] >= @margin@ ? @NAME@_CLOSED : @NAME@_SINGULAR;
        }
        for (int k = 0; k < @p@; k++) {
            near[k] = next[k];
        }
    }
    return @NAME@_OPEN;
}"""


class C(sections.CLike):
    """A header, and a source file with its self-test where a macro is defined."""

    INFIX, PREFIXED = Infix(call=_call), True
    REALS: ClassVar[dict[str, str]] = {DOUBLE: 'double', SINGLE: 'float'}

    TABLE, ROW = Around('static const {real} {name}[][{size}] = {{', '};'), Around('{', '},')
    SCALE = Around('static const {real} {name}[{size}] = {{', '};')
    JOINTS = '{name}_joint_names, {NAME}_JOINTS'
    KEYS = Around('static const char *const {axis}_names[] = {{', '};')
    KEYS_NAME = '{axis}_names, {NAME}_{AXIS}'
    TEST = 'cc -D{NAME}_SELF_TEST {name}_dynamics.c -lm -o self_test && ./self_test'
    PARAMETER = '{{"{name}", {name}, {value}}}'
    SELF_TEST = 'c'

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.prefix = program.name.upper()
        self.LOCAL, self.DECLARE = f'const {self.real} ', f'static const {self.real} '
        self.STATEMENT = self.LONG = f'const {self.real} {{name}} = {{value}};'
        if self.single:
            self.INFIX = Infix(suffixed, lambda function, x: _call(function, x, 'f'))

    def files(self) -> dict[str, Iterable[str]]:
        name = f'{self.program.name}_dynamics'
        return {f'{name}.h': self.header(), f'{name}.c': self.source()}

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
        yield from self.loop_solver(_CLOSING)
        yield from ['', '#ifdef __cplusplus', '}', '#endif', '', '#endif']

    def signature(self, function: Function) -> str:
        vectors = [f'const {self.real} {x.name}[{self.size(x.name)}]' for x in function.inputs]
        results = [f'{self.real} {self.declared(result)}' for result in function.results]
        head = f'void {self.program.name}_{function.name}('
        return self.array(head, vectors + results, ')')

    def source(self) -> Iterator[str]:
        program = self.program
        names = [quoted(row.name) for row in program.independent] or ['""']
        functions = [line for function in program.functions
                     for line in ('', '', *self.function(function))]
        has_angles = any(map(self.has_angles, program.functions))
        yield from [f'#include "{program.name}_dynamics.h"', '',
                    *['#include <float.h>'] * has_angles, '#include <math.h>',
                    *['#include <string.h>'] * any('memset(' in line for line in functions), '']
        yield self.array(
            f'const char *const {program.name}_joint_names[{self.size("q")}] = {{', names, '};')
        yield from self.parameters(self.used(program.functions))
        if has_angles:
            yield from sines_and_cosines(self.real, sections.most_angles(program.functions))
        if any(function.twinned for function in program.functions):
            yield from filled(_TWINS, {'real': self.real}).splitlines()
        if any('APART ' in line for line in functions):
            yield from _APART.splitlines()
        yield from [*functions, *self.loop_solver(_CLOSE), '', '',
                    f'#ifdef {self.prefix}_SELF_TEST', '#include <stdio.h>', *self.self_test(),
                    '#endif']

    def function(self, function: Function) -> Iterator[str]:
        if self.is_long(function):
            yield from self._in_sections(function)
            return
        yield from [self.signature(function), '{']
        unused = [x for x, entries in self.inputs(function) if not entries]
        unused += [result.name for result in function.results if 0 in result.shape]
        yield from (f'    (void){x};' for x in unused)
        yield from self.unpacked(function)
        yield from self.derived(self.used([function]), self.INDENT, self.STATEMENT)
        if self.has_angles(function):
            angles = sections.Hoisted(function)
            yield from self.in_one_loop(angles, self.real)
            function = angles.rest()
        stores = self._stores(function)
        early = {cell for cells in stores.values() for cell in cells}
        yield from self.body(function.with_statements(lambda statements: (
            each for made in statements for each in (made, *stores.get(made.name, ())))))
        yield ''
        for result in function.results:
            yield from self.assigned(result, omitted=early.__contains__)
        yield '}'

    def _in_sections(self, function: Function) -> Iterator[str]:
        signature, function = self.signature(function), function.twinned or function
        angles = sections.Hoisted(function)
        values = angles.angles
        whole = sections.split_sections(angles.rest(), angles.before)
        arrays = [*(x.name for x in function.inputs), *sections.SINES * bool(values)]
        for k, statements in enumerate(whole.sections):
            twins = statements[0].name in function.twins
            memory = [('const ' if twins else '') + f'{self.real} *kept',
                      *['twin *twins'] * bool(whole.twins), *['int limb'] * twins]
            kind = 'static APART void' if whole.apart else 'static void'
            head = f'{kind} {self.program.name}_{function.name}_{k}('
            yield self.array(head, [*(f'const {self.real} *{array}' for array in arrays), *memory],
                             ')')
            yield '{'
            if twins:
                yield '    (void)limb;'
                yield from self.section(function, whole, statements, [*arrays, 'kept'], 'each',
                                        'OF(twins[{k}])')
            else:
                yield from self.section(function, whole, statements,
                                        [*arrays, *['twins'] * bool(whole.twins)])
            yield from ['}', '']
        yield from [signature, '{']
        yield from self.unpacked(sections.with_statements(whole.function, [
            *angles.before, *(Statement('', angle) for angle in values)]))
        if values:
            yield from self.in_one_loop(angles, self.real)
        yield f'    {self.real} kept[{max(1, len(whole.kept))}];'
        if whole.twins:
            yield f'    twin twins[{len(whole.twins)}];'
        yield from self.stored(whole, angles.before)
        passed, k = [*arrays, 'kept', *['twins'] * bool(whole.twins)], 0
        for run in whole.runs:   # those of twins limb by limb
            twins = run[0][0].name in function.twins
            if twins:
                yield '    for (int limb = 0; limb < 2; limb += LIMBS_AT_ONCE) {'
            for _ in run:
                yield self.array(
                    f'{self.INDENT * (1 + twins)}{self.program.name}_{function.name}_{k}(',
                    [*passed, *['limb'] * twins], ');')
                k += 1
            if twins:
                yield '    }'
        yield ''
        for result in whole.function.results:
            entries = [entry for row in result.rows for entry in row.entries]
            zeros = result.is_matrix and 2 * entries.count(_ZERO) >= len(entries)
            if zeros:   # at once, as they would be most of it
                size = ''.join(f'[{size}]' for size in self.shape(result))
                yield f'    memset({result.name}, 0, sizeof({self.real}{size}));'
            omitted = {cell for cell, _ in self.cells(result) if zeros and cell.value == _ZERO}
            yield from self.assigned(result, omitted=omitted.__contains__)
        yield '}'

    def statement(self, statement: Statement, indent: str, form: str = '') -> str:
        is_entry = statement.name.endswith(']')
        return super().statement(statement, indent, '{name} = {value};' if is_entry else form)

    def _stores(self, function: Function) -> dict[str, list[Statement]]:
        """Return the statements that store entries of matrices, by what the entry is made by."""
        # for speed, each stands where that is made: compilers would store what waits for the end
        # of the function twice; to be read, all results stand at the end
        stores: dict[str, list[Statement]] = {}
        if self.program.style == 'fast':
            made = {statement.name for statement in function.statements}
            matrices = [result for result in function.results if result.is_matrix]
            for cell, _ in chain.from_iterable(map(self.cells, matrices)):
                term = cell.value.term
                if isinstance(term, Name) and term.text in made:
                    stores.setdefault(term.text, []).append(cell)
        return stores

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

    def fields(self) -> dict[str, str]:
        names, size = (('names', 'size') if self.axes else
                       (f'{self.program.name}_joint_names', f'{self.prefix}_JOINTS'))
        return {**super().fields(), 'size': size, 'joint': f'{names}[i]', 'joints': self.size(''),
                'scales': f', const {self.real} *scale' if self.scales else '',
                'zero': '0.0f' if self.single else '0.0'}

    def _called(self, function: Function, k: str, indent: str,
                products: dict[str, str]) -> Iterator[str]:
        results = [f'{self.declared(result)}' + (
            f', {products[result.name]}[{self.shape(result)[0]}]'
            if result.name in products else '') for result in function.results]
        yield self.array(f'{indent}{{   {self.real} ', results, ';')
        yield self.array(f'{indent}    {self.program.name}_{function.name}(', [
            *(f'reference_{x.name}[{k}]' for x in function.inputs), *function.result_names], ');')

    def shown(self, function: Function) -> Iterator[str]:
        yield from self._called(function, '0', '    ', {})
        cast = '(double)' if self.single else ''
        yield f'        puts("{function.name} in the first reference state:");'
        for result in self.vectors:
            names, size = self.row_names(result).split(', ')
            if self.many(function):
                yield f'        puts("{result.name}");'
            yield self.array(f'        static const char *const units_{result.name}[] = {{',
                             self.units(result), '};')
            yield from [
                f'        for (int i = 0; i < {size}; i++) {{',
                f'            printf("%-24s %.9g %s\\n", {names}[i], {cast}{result.name}[i], '
                f'units_{result.name}[i]);', '        }']
        yield '    }'

    def check(self, function: Function) -> Iterator[str]:
        matrices = [result.name for result in function.results if result.is_matrix]
        products = {name: 'product' + f'_{name}' * (len(matrices) > 1) for name in matrices}
        yield from self._called(function, 'k', '        ', products)
        for result in function.results:
            value = products.get(result.name, result.name)
            if result.is_matrix:
                shape = [self.size(axis.name) if axis.keys else f'{self.prefix}_JOINTS'
                         for axis in result.axes]
                matrix = [*shape, f'&{result.name}[0][0]'] if self.axes else [result.name]
                yield self.array('            times(', [
                    *matrix, f'reference_{result.quantity.times}[k]', value], ');')
            yield self.array('            wrong += differs(',
                             self.compared(function, result, value), ');')
        yield '        }'

"""C99, with no dependency but libm."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import ClassVar

from urdf2dyn_ros.codegen.languages import precision
from urdf2dyn_ros.codegen.languages.language import Language
from urdf2dyn_ros.codegen.languages.precision import SINGLE
from urdf2dyn_ros.codegen.languages.text import (
    ARRAYS,
    MOST_STATEMENTS,
    Angles,
    Infix,
    Sectioned,
    magnitude_as,
    sectioned,
)
from urdf2dyn_ros.codegen.program import (
    Function,
    Name,
    Number,
    Program,
    Result,
    Signed,
    Statement,
    names_in,
    parts,
    untitled,
)

# ---- Sines and cosines of exported C and C++, in one loop

_LOOP = """

// Cody and Waite's reduction and the polynomials of @source, without a branch,
// so that compilers make vectors of the loop; wrong by @error at most.
// Beyond @far rad, and for what is not finite, libm takes over.
@typestatic void sines_and_cosines(int n, const @real *restrict angle, @real *restrict sine,
                              @real *restrict cosine)
{
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \\
    || FLT_EVAL_METHOD != 0
    // the steps below would not be what they say
    for (int k = 0; k < n; k++) {
        sine[k] = sin(angle[k]);
        cosine[k] = cos(angle[k]);
    }
#else
#ifdef __clang__
#pragma clang fp reassociate(off)
#endif
@whole@steps
@turned#endif
}"""

_ONE = """\
        const @real turn = quarters - 4.0 * ((quarters * 0.25 + round) - round);  // -2 .. 2
        const @real swapped = turn * turn == 1.0 ? 1.0 : 0.0;
        sine[k] = (turn < 0.0 || turn > 1.5 ? -1.0 : 1.0) * (swapped != 0.0 ? c : s);
        cosine[k] = (turn > 0.0 || turn < -1.5 ? -1.0 : 1.0) * (swapped != 0.0 ? s : c);
    }
    for (int k = 0; k < n; k++) {
        if (!(fabs(angle[k]) <= @limit)) {
            sine[k] = sin(angle[k]);
            cosine[k] = cos(angle[k]);
        }
    }
"""

_SEVERAL = """\
        const @each turn = quarters - 4.0 * ((quarters * 0.25 + round) - round);  // -2 .. 2
        const @each square = turn * turn;
        // sine and cosine of the quarters: -1, 0 or 1; then those of the sum of two angles
        const @each odd = turn * ((4.0 - square) * 0.3333333333333333);
        const @each even = 1.0 - 0.5 * (square + odd * odd);
        @sine = odd * c + even * s;
        @cosine = even * c - odd * s;
    }
    @real total = 0.0;
    for (int k = 0; k < n; k++) {
        total += fabs(angle[k]);
    }
    for (int k = 0; k < n && !(total <= @limit); k++) {
        if (!(fabs(angle[k]) <= @limit)) {
            sine[k] = sin(angle[k]);
            cosine[k] = cos(angle[k]);
        }
    }
"""

_TYPE = """\
// The arrays have room for a multiple of @step angles. Of so short a loop clang makes no vectors.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
typedef @real angles
    __attribute__((vector_size(@step * sizeof(@real)), aligned(sizeof(@real)), may_alias));
#else
typedef @real angles;
#endif

"""

_WHOLE = """\
#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64)
    n = (n + @last) / @step * @step;  // vectors alone, no angle by itself
#endif
"""

_DOUBLE = """\
    const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    for (int k = 0; @next) {
        const @each x = @angle;
        const @each quarters = (x * 0.6366197723675814 + round) - round;
        const @each r = ((x - quarters * 1.5707963267341256)
                - quarters * 6.077100506303966e-11) - quarters * 2.0222662487959506e-21;
        const @each z = r * r, zz = z * z;
        const @each s = r + r * z * ((-0.16666666666666632 + z * 0.00833333333332249)
                + zz * ((-0.0001984126982985795 + z * 2.7557313707070068e-06)
                + zz * (-2.5050760253406863e-08 + z * 1.58969099521155e-10)));
        const @each c = 1.0 + z * (-0.5 + z * ((0.0416666666666666 + z * -0.001388888888887411)
                + zz * ((2.480158728947673e-05 + z * -2.7557314351390663e-07)
                + zz * (2.087572321298175e-09 + z * -1.1359647557788195e-11))));"""

_SINGLE = """\
    const float round = 12582912.0;  // 3 * 2^22: adding it rounds to an integer
    for (int k = 0; @next) {
        const @each x = @angle;
        const @each quarters = (x * 0.63661977 + round) - round;
        const @each r = ((x - quarters * 1.5703125)
                - quarters * 0.0004837513) - quarters * 7.54979e-08;
        const @each z = r * r;
        const @each s = r + r * z * (-0.16666655 + z * (0.008332161 + z * -0.00019515296));
        const @each c = 1.0 - 0.5 * z + z * z * (0.041666646 + z * (-0.0013887316
                + z * 2.4433157e-05));"""

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
"""For a type of C++ without steps of its own."""

_VALUES = {
    'double': {'@source': 'fdlibm (Sun Microsystems)', '@far': '2^17', '@limit': '131072.0',
               '@error': '2.5 units in the last place',
               '@steps': _DOUBLE},
    'float': {'@source': 'Cephes (Moshier)', '@far': '2^13', '@limit': '8192.0', '@error': '1e-7',
              '@steps': _SINGLE}}
_NUMBER = re.compile(r'(?<![\w^.])\d+\.\d+(?:e-\d+)?|\b(?:sin|cos|fabs)(?=\()')


_PLAIN = {'@type': '', '@each': '@real', '@next': 'k < n; k++', '@angle': 'angle[k]',
          '@sine': 'sine[k]', '@cosine': 'cosine[k]'}
_BY_HAND = {
    '@type': _TYPE, '@each': 'angles',
    '@next': 'k < n; k += (int)(sizeof(angles) / sizeof(@real))',
    '@angle': '*(const angles *)(angle + k)', '@sine': '*(angles *)(sine + k)',
    '@cosine': '*(angles *)(cosine + k)'}
_MOST_BY_HAND = 16
"""Angles: of longer loops, clang makes longer vectors by itself."""


def at_once(angles: int) -> int:
    """Return the number of which the room for some angles is a multiple."""
    return angles if angles < 3 else 4


def most_angles(functions: Iterable[Function]) -> int:
    """Return the number of angles of some functions, most of which need sine and cosine."""
    return max(((function.operations.trigonometric + 1) // 2 for function in functions), default=0)


def sines_and_cosines(real: str, most: int) -> list[str]:
    """Return the definition of the loop for a type, with its literals and functions of libm."""
    step = at_once(most)
    form = _BY_HAND if 1 < most <= _MOST_BY_HAND else _PLAIN
    text = _LOOP
    for name, value in {'@turned': _SEVERAL if step > 1 else _ONE, **_VALUES[real],
                        '@whole': _WHOLE if step > 1 else '', **form, '@step': str(step),
                        '@last': str(step - 1), '@real': real}.items():
        text = text.replace(name, value)
    head, code = text.split('{', 1)
    if real == 'float':
        code = _NUMBER.sub(lambda match: f'{match[0]}f', code)
    return f'{head}{{{code}'.splitlines()


def sines_and_cosines_of_cpp(real: str, most: int) -> list[str]:
    """Return the definitions in C++ for any scalar and, with its own steps, for a type."""
    text = '\n'.join(sines_and_cosines(real, most)[1:])
    text = text.replace('static void', 'inline void').replace('restrict ', '__restrict ')
    text = re.sub(r'\b(fabs|sin|cos)f?\(', r'std::\1(', text)
    text = re.sub(r'\*\((const )?angles \*\)\((\w+) \+ k\)',
                  r'*reinterpret_cast<\1angles *>(\2 + k)', text)
    text = text.replace('(int)(sizeof(angles) / sizeof', 'int(sizeof(angles) / sizeof')
    return [*_ANY_SCALAR.splitlines(), *text.splitlines()]


def in_one_loop(c: Language, angles: Angles, real: str) -> Iterator[str]:
    """Yield all sines and cosines in one loop, which compilers turn into vectors."""
    for statement in angles.before:
        yield c.statement(statement, c.INDENT)
    n, values = len(angles.angles), [c.INFIX.term(angle) for angle in angles.angles]
    room = -n % at_once(most_angles(c.program.functions)) + n
    values += values[-1:] * (room - n)
    yield c.array(f'{c.INDENT}const {real} angle[{room}] = {{', values, '};')
    yield f'{c.INDENT}{real} sine[{room}], cosine[{room}];'
    yield f'{c.INDENT}sines_and_cosines({n}, angle, sine, cosine);'


# ---- The bodies of functions that are sections of a long one, in C and C++

def section(c: Language, function: Function, whole: Sectioned, statements: Sequence[Statement],
            arrays: Sequence[str]) -> Iterator[str]:
    """Yield the body of a section, of whose arguments some may not be used."""
    yield from loaded_names(c, function, whole, statements, arrays)
    for statement in statements:   # each stored at once: at the end, they would spill
        yield c.statement(statement, c.INDENT)
        yield from stored(c, whole, [statement])


def loaded_names(c: Language, function: Function, whole: Sectioned,
                 statements: Sequence[Statement], arrays: Sequence[str]) -> Iterator[str]:
    """Yield what gives the names their values that a section uses and does not make."""
    used = names_in(statement.value for statement in statements)
    made = {statement.name for statement in statements}
    kept = {name: k for name, k in whole.kept.items() if name in used - made}
    read = {term.text.partition('[')[0] for term in parts(s.value for s in statements)
            if isinstance(term, Name)} | {
        x.name for x in function.inputs if used & {*x.entries}} | ({'kept'} if kept else set())
    yield from (f'{c.INDENT}(void){array};' for array in arrays if array not in read)
    yield from c.unpacked(with_statements(replace(function, results=()), statements))
    if kept:
        yield c.array(f'{c.INDENT}{c.LOCAL}', [f'{name} = kept[{k}]'
                                               for name, k in kept.items()], ';')


def loaded_twins(whole: Sectioned, statements: Sequence[Statement], form: str) -> list[str]:
    """Return what loads the twins that a section uses and does not make."""
    made = {statement.name for statement in statements}
    used = names_in(statement.value for statement in statements) - made
    return [form.format(name=name, k=k) for name, k in whole.twins.items() if name in used]


def stored(c: Language, whole: Sectioned, statements: Sequence[Statement]) -> Iterator[str]:
    """Yield what keeps the values that other sections use, or that are results."""
    for statement in statements:
        if statement.name in whole.kept:
            yield f'{c.INDENT}kept[{whole.kept[statement.name]}] = {statement.name};'


def with_statements(function: Function, statements: Sequence[Statement]) -> Function:
    """Return a function with these statements alone, of which its inputs are used."""
    return replace(function, sections=(untitled(statements),))


# ---- Twins in C: the numbers of two equal limbs in one vector, or one behind the other

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


# ---- A long function of C or C++ as several, which pass on what they compute in an array

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


# ---- The part of an exported C file that checks it

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


# ---- C99, with no dependency but libm

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

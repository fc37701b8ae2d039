"""
C++17, header only, for any scalar: float, double, or a type of automatic differentiation.

Sines and cosines in one loop, sections and equal limbs are as in C.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.codegen.languages.c import quoted, sines_and_cosines, suffixed
from urdf2dyn_ros.codegen.languages.language import Infix, Precision, shortest
from urdf2dyn_ros.codegen.languages.sections import (
    ANGLES,
    SINES,
    CLike,
    Hoisted,
    Sectioned,
    most_angles,
    sectioned,
    with_statements,
)
from urdf2dyn_ros.codegen.program import (
    DOUBLE,
    SINGLE,
    Call,
    Function,
    Result,
    Statement,
    parts,
)

_ANY = """
EOF FILE INFINITY L_ctermid L_cuserid L_tmpnam NAN NULL P_tmpdir Row a64l abort abs alignas
aligned_alloc alignof alloca and and_eq arc4random arc4random_buf arc4random_uniform asm asprintf
at_quick_exit atexit atof atoi atol atoll auto bitand bitor blkcnt64_t blkcnt_t blksize_t bool
break bsearch caddr_t calloc canonicalize_file_name case catch char char16_t char32_t char8_t class
clearenv clearerr clock_t clockid_t co_await co_return co_yield comparison_fn_t compl concept const
const_cast consteval constexpr constinit continue cookie_close_function_t cookie_read_function_t
cookie_seek_function_t cookie_write_function_t ctermid cuserid daddl daddr_t ddivl decltype default
delete dev_t dfmal differs div div_t dmull do double double_t dprintf drand48 drand48_r dsqrtl
dsubl dynamic_cast ecvt ecvt_r else enum epsilon erand48 erand48_r exit explicit export extern fadd
faddl false fclose fcloseall fcvt fcvt_r fd_mask fdiv fdivl fdopen feof ferror fflush ffma ffmal
fgetc fgetpos fgets fileno float float_t flockfile fmemopen fmul fmull fopen fopencookie for
fpos64_t fpos_t fprintf fputc fputs fread free freopen friend fsblkcnt64_t fsblkcnt_t fscanf fseek
fseeko fsetpos fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsqrtl fsub fsubl ftell ftello ftrylockfile
funlockfile fwrite gcvt getc getchar getdelim getenv getline getloadavg getpt getsubopt getw gid_t
goto grantpt id_t if initstate initstate_r inline ino64_t ino_t int int16_t int32_t int64_t int8_t
iscanonical iseqsig issignaling iszero jrand48 jrand48_r key_t l64a labs lcong48 lcong48_r ldiv
ldiv_t lgamma_r lgammaf128_r lgammaf32_r lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r lgammal_r
llabs lldiv locale_t loff_t long lrand48 lrand48_r main malloc math_errhandling mblen mbstowcs
mbtowc mkdtemp mkostemp mkostemps mkstemp mkstemps mktemp mode_t mrand48 mrand48_r mutable
namespace new nlink_t noexcept not not_eq nrand48 nrand48_r nullptr obstack_printf obstack_vprintf
off64_t off_t on_exit open_memstream operator or or_eq pclose perror pid_t popen posix_memalign
posix_openpt printf private protected pselect pthread_attr_t pthread_key_t pthread_once_t
pthread_spinlock_t pthread_t ptrdiff_t ptsname ptsname_r public putc putchar putenv puts putw qecvt
qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quad_t quick_exit rand rand_r random random_r realloc
reallocarray realpath register reinterpret_cast remove rename renameat renameat2 requires return
rewind rpmatch scanf secure_getenv seed48 seed48_r select setbuf setbuffer setenv setlinebuf
setstate setstate_r setvbuf short signed signgam sigset_t size_t sizeof snprintf sprintf srand
srand48 srand48_r srandom srandom_r sscanf ssize_t static static_assert std stderr stdin stdout
struct switch system template this thread_local throw times true try typedef typeid typename union
unsetenv unsigned using valloc virtual void volatile vprintf wchar_t while wrench_names xor xor_eq
y0 y1 yn ynl
i386 linux offsetof unix
"""
_MATHEMATICS = """
acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh drem erf erfc exp
exp10 exp2 expm1 fabs fdim finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num
fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod frexp
fromfp fromfpx gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint llround
log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow
remainder remquo rint round roundeven scalb scalbln scalbn setpayload setpayloadsig significand sin
sincos sinh sqrt tan tanh tgamma trunc
"""
# names that cannot be a C++ namespace: keywords, and global names of the headers
RESERVED = frozenset(_ANY.split()).union(
    name + precision for name in _MATHEMATICS.split() for precision in ('', 'f', 'l'))

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


_CPP_ENTRIES = {
    '%.17g instead of %.17g': '%.9g instead of %.9g',
    'names[i], found[i], expected[i]': 'names[i], static_cast<double>(found[i]),\n'
                                       '                        '
                                       'static_cast<double>(expected[i])'}
_PRECISIONS = {DOUBLE: Precision('double'), SINGLE: Precision(
    'float', Infix(lambda value: f'Scalar({suffixed(value)})', twin='twin{{{}, {}}}'), {
        '    int wrong = 0;\n': """    int wrong = 0;
    float scale = 1.0f;
    for (const float entry : expected) {
        scale = std::fmax(scale, std::abs(entry));
    }
""",
        '1e-9 * std::fmax(1.0, std::abs(expected[i]))': '@within * scale',
        **_CPP_ENTRIES}, {
        '1e-9 * std::fmax(scale[i],\n                                                   '
        'std::abs(expected[i]))': '@within * scale[i]', **_CPP_ENTRIES})}


_TESTED = """
#ifdef @NAME_SELF_TEST
#include <cstdio>

using Row = @space::Vector<@real>;"""


class Cpp(CLike):
    """A header, with its self-test where a macro is defined."""

    STATEMENT = LONG = 'const Scalar {name} = {value};'
    LOCAL = 'const Scalar '
    DECLARE = 'inline constexpr @real '
    CONSTANT = 'inline constexpr @real {name} = {value};'
    INFIX = Infix(lambda value: f'Scalar({shortest(value)})', twin='twin{{{}, {}}}')
    PRECISIONS = _PRECISIONS

    TABLE, ROW = ('static const {size} {name}[] = {{', '};'), ('{', '},')
    SCALE = ('static const {size} {name} = {{', '}};')
    JOINTS = '@space::joint_names'
    KEYS = ('static const char *const @axis_names[] = {', '"', '};', '@axis_names')
    TEST = ('c++ -std=c++17 -x c++ -D{NAME}_SELF_TEST {name}_dynamics.hpp -o self_test '
            '&& ./self_test')

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

    @property
    def literal(self) -> Callable[[float], str]:
        """How a positive constant is written where it has no other type."""
        return shortest if self.real == 'double' else suffixed

    def number(self, value: float) -> str:
        return '-' * bool(value < 0.0) + self.literal(abs(value))

    def files(self) -> dict[str, Iterable[str]]:
        return {f'{self.program.name}_dynamics.hpp': self.header()}

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
            yield from _sines_and_cosines(self.real, most_angles(program.functions))
        if any(function.twinned for function in program.functions):
            yield from _DEFINITIONS.replace('\n@vectors', ''.join(
                _VECTORS.replace('@real', real)
                for real in dict.fromkeys([self.real, 'float']))).splitlines()
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
        whole = function.twinned or function
        angles = Hoisted(whole, ANGLES if self.has_angles(function) else {})
        rest = angles.rest()
        first = [*angles.before, *(Statement('', angle) for values in angles.arguments.values()
                                   for angle in values)]
        loop = [*self.in_one_loop(angles, 'Scalar')] if any(angles.arguments.values()) else []
        calls: list[str] = []
        if self.is_long(function):
            divided = sectioned(rest, angles.before)
            arrays = [*(x.name for x in function.inputs), *SINES * bool(loop)]
            yield from self._sections(whole, divided, arrays)
            calls = [f'    std::array<Scalar, {len(divided.kept)}> kept;',
                     *[f'    Twin<Scalar> twins[{len(divided.twins)}];'
                       ] * bool(divided.twins), *self.stored(divided, angles.before),
                     *(self.array(f'    {function.name}_{k}(', [
                         *arrays, 'kept', *['twins'] * bool(divided.twins)], ');')
                       for k in range(len(divided.sections)))]
            rest = divided.function
            whole = with_statements(rest, first)
        called = self.called([rest])
        if loop:   # it calls its own
            in_body = rest.calls | with_statements(rest, first).calls
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

    def _sections(self, function: Function, whole: Sectioned,
                  inputs: Sequence[str]) -> Iterator[str]:
        """Yield the sections; few of them may become part of the function, being called once."""
        arguments = [
            *(f'const Scalar *{name}' if name in SINES else
              f'const {self.vector_type(name)} &{name}' for name in inputs),
            f'std::array<Scalar, {len(whole.kept)}> &kept',
            *['Twin<Scalar> *twins'] * bool(whole.twins)]
        for k, statements in enumerate(whole.sections):
            apart = '[[gnu::noinline]] ' * whole.apart
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

    @property
    def space(self) -> str:
        """The namespace: the robot's name, unless that means something in C++."""
        return self.program.name + '_dynamics' * (self.program.name in RESERVED)

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
        values = ['found'] if len(function.results) == 1 else [
            f'found.{name}' for name in function.result_names]
        yield from self.compared(function, expected, values, '            wrong += differs(', ');',
                                 '"')
        yield '        }'

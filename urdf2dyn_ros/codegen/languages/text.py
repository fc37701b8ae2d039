"""Terms, lines, names and headings as text, and long functions in sections."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from urdf2dyn_ros.codegen.functions.function import is_plain
from urdf2dyn_ros.codegen.program import (
    Call,
    Function,
    JointRow,
    Name,
    Number,
    Product,
    Program,
    Reciprocal,
    Signed,
    Single,
    Statement,
    Sum,
    Term,
    Twin,
    names_in,
    parts,
    replaced,
    scales,
)
from urdf2dyn_ros.text import __version__, aligned

# ---- Text in lines of at most 99 columns

WIDTH = 99
_TIED_OPERATORS = ((' + ', ' +~'), (' - ', ' -~'), (' / ', ' /~'), (' * ', '~*~'))


def wrapped(text: str, indent: str, hanging: str, width: int) -> str:
    """Return text in lines of at most `width` columns, broken before + and -, if need be *."""
    if len(indent) + len(text) <= width:
        return indent + text
    for tight, tied in _TIED_OPERATORS:
        text = text.replace(tight, tied)
    room = width - len(indent + hanging)
    text = ' '.join(word.replace('~*~', ' *~') if len(word) > room else word
                    for word in text.split(' '))
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent + hanging,
                          break_long_words=False, break_on_hyphens=False)
    text = '\n'.join(lines)
    for tight, tied in (*_TIED_OPERATORS, ('* ', '*~')):
        text = text.replace(tied, tight)
    return text


def packed(entries: Sequence[str], first: str, hanging: str, last: str,
           separator: str = ',', continued: str = '') -> str:
    """Return entries with separators in lines of at most 99 columns, none of them broken."""
    lines = [first]
    for k, entry in enumerate(entries):
        text = entry + (separator if k < len(entries) - 1 else last)
        fresh = lines[-1] in (first, hanging)
        if not fresh and len(lines[-1]) + 1 + len(text) + len(continued) > WIDTH:
            lines.append(hanging)
            fresh = True
        lines[-1] += text if fresh else ' ' + text
    return f'{continued}\n'.join(lines)


# ---- Terms as infix text, for every language that writes a + b * c

def shortest(value: float) -> str:
    """Return the shortest text that reads back as the same double."""
    return repr(float(value))


def prefix_call(function: str, argument: str) -> str:
    """Return f(x)."""
    return f'{function}({argument})'


def magnitude_as(name: str) -> Callable[[str, str], str]:
    """Return a call that writes |x| as a function of this name."""
    return lambda function, argument: prefix_call(name if function == 'abs' else function,
                                                  argument)


@dataclass(frozen=True)
class Infix:
    """
    The differences between infix languages; text and tree evaluate in the same order, exactly.

    `number` writes a positive constant, `call` the name of a function with the text of its
    argument, `twin` two numbers.
    """

    number: Callable[[float], str] = shortest
    call: Callable[[str, str], str] = prefix_call
    twin: str = 'TWIN({}, {})'

    def signed(self, value: Signed) -> str:
        text = self.term(value.term)
        if not value.negative:
            return text
        return f'-({text})' if isinstance(value.term, Sum) else f'-{text}'

    def term(self, value: Term) -> str:
        if type(value) is Name:   # most of them
            return value.text
        return _WRITERS[type(value)](self, value)

    def _sum(self, value: Sum) -> str:
        texts = [self._factor(entry) if isinstance(entry, Sum) else self.term(entry)
                 for _, entry in value.terms]
        signs = [' - ' if negative else ' + ' for negative, _ in value.terms]
        return texts[0] + ''.join(sign + text for sign, text in zip(signs[1:], texts[1:]))

    def _product(self, value: Product) -> str:
        first, *rest = value.factors
        texts = [self._factor(first) if isinstance(first, Sum) else self.term(first)]
        return ' * '.join(texts + [self._factor(factor) for factor in rest])

    def _factor(self, value: Term) -> str:
        text = self.term(value)
        return f'({text})' if isinstance(value, (Sum, Product, Reciprocal)) else text


_WRITERS: dict[type, Callable[[Infix, Any], str]] = {
    Number: lambda infix, value: infix.number(value.value),
    Name: lambda infix, value: value.text,
    Call: lambda infix, value: infix.call(
        value.function, infix.signed(Signed(value.negative, value.argument))),
    Reciprocal: lambda infix, value: f'{infix.number(1.0)} / {infix._factor(value.divisor)}',
    Product: Infix._product,
    Sum: Infix._sum,
    Twin: lambda infix, value: infix.twin.format(
        infix.signed(value.first), infix.signed(value.second)),
}


# ---- Names that languages cannot have, and those of variables after joints

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
CPP = frozenset(_ANY.split()).union(
    name + precision for name in _MATHEMATICS.split() for precision in ('', 'f', 'l'))
"""Names that cannot be a C++ namespace: keywords, and global names of the headers."""


def variables(rows: Sequence[JointRow]) -> list[str]:
    """Return suffixes for gv_: the joint's name where it is made of letters, digits and _."""
    plain = [row.name if re.fullmatch(r'[A-Za-z0-9_]{1,47}', row.name) else '' for row in rows]
    taken = set(plain)
    result = []
    for row, name in zip(rows, plain):
        number_name = f'joint_{row.number}'
        while number_name in taken:
            number_name += '_'
        result.append(name or number_name)
    return result


# ---- The heading of every exported file, as lines of plain text

_WIDTH = 96   # behind what begins a comment

_DYNAMIC = ('Recursive Newton-Euler', (
    'SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must',
    'supply. Inputs must be finite: products with what is always zero are omitted.'))
_KINEMATIC = ('Kinematics', (
    'SI: rad, m, s. Inputs must be finite: products with what is always zero are omitted.',))
"""Method, and the lines about units."""

_SAME_AXES = 'x y z'
_KEY = "    z -x -y: x of frame i is the link's z, y its -x, z its -y"
"""Axes of a frame that are those of another; how to read others."""


_NUMBERS = {
    'readable': ['Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: '
                 'nothing is).'],
    'general': ['Nothing of the URDF is folded in: pi, and the rotations A of joints, B of links,',
                'E of inertial axes, V of planes follow from xyz, rpy and axis.'],
    'fast': []}
"""Sentences of each style on the numbers of the URDF."""


def heading(program: Program) -> list[str]:
    """Return title, joint table, conventions and costs."""
    several = len(program.functions) > 1
    single = ', single precision' * bool(program.accuracy)
    method, units = (_KINEMATIC if program.kinematic else _DYNAMIC)
    costs = [f'One call{f" of {function.name}" * several}: {function.operations}.'
             for function in program.functions]
    lines = [
        *_wrapped(program.title),
        '',
        f'{method}, {program.style} style{single}, written by urdf2dyn_ros {__version__}.',
        *units,
        *_wrapped(_accuracy(program)),
        *(line for sentence in program.loads for line in _wrapped(sentence)),
        *_NUMBERS[program.style],
        *(line for cost in costs for line in _wrapped(cost)),
        '',
        *_table(program),
        *_limits(program),
    ]
    return lines + (['', *program.legend] if program.legend else [])


def _wrapped(sentence: str) -> list[str]:
    return wrapped(sentence, '', '    ', _WIDTH).splitlines()


def _accuracy(program: Program) -> str:
    if not program.accuracy:
        return ''
    of = 'its scale' if scales(program) else 'the largest entry of a result, or of 1'
    return (f'The self-test allows {program.accuracy:.1g} of {of}: eight times the error in its '
            'states.')


def _table(program: Program) -> list[str]:
    rows: list[tuple[str, ...]] = [
        ('i', 'joint', 'type', 'moves', 'parent', 'q', 'effort', "frame i: link's")]
    for row in program.joints:
        rows.append((str(row.number), _cell(row.name), row.type, _cell(row.link), row.parent,
                     row.driver or row.unit, '' if row.driver else row.effort_unit, row.frame))
    turned = program.style != 'fast' and any(row.rotation for row in program.joints)
    if turned:
        column = ["Ai: frame p's", *(row.rotation or _SAME_AXES for row in program.joints)]
        rows = [(*row, cell) for row, cell in zip(rows, column)]
    key = []
    if turned or any(row.frame != _SAME_AXES for row in program.joints):
        key = [_KEY + '; Ai: axes of joint i, in frame p' * turned]
    return [f'    {line}' for line in aligned(rows, left=len(rows[0]))] + key


def _limits(program: Program) -> list[str]:
    """Return the limits of the joints in the URDF; continuous ones have none of position."""
    rows = [f'    {row.number:<3} {row.limits}' for row in program.joints if row.limits]
    title = 'Limits of the joints in the URDF, which are not enforced here:'
    return ['', title, *rows] if rows else []


def _cell(name: str) -> str:
    """Return a name that can stand in a comment of any language; the others are data."""
    return name if is_plain(name) else '-'


# ---- The angles of a function, computed first: their sines and cosines become one short loop

ARRAYS = {'sin': 'sine', 'cos': 'cosine'}
"""Function to the array that holds its values."""


class Angles:
    """
    The angles of a function, and the function with entries of arrays for sines and cosines.

    `angles` has the index of each in the arrays; the statements `before` make angles, as those of
    mimic joints; `statements` are all of them, with entries of the arrays.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self.angles: dict[Term, int] = {}
        self.statements = [self.statement(statement) for statement in function.statements]
        for entry in function.entries:
            self.value(entry)
        self.before = self.made_before(Signed(False, angle) for angle in self.angles)

    def made_before(self, values: Iterable[Signed]) -> list[Statement]:
        """Return the statements that values are made of, in order."""
        needed, made = names_in(values), []
        for statement in reversed(self._function.statements):
            if statement.name in needed:
                made.append(statement)
                needed |= names_in([statement.value])
        return made[::-1]

    def rest(self) -> Function:
        """Return the function without the statements of `before`."""
        done = {statement.name for statement in self.before}
        return replace(
            self._function.with_statements(lambda statements: (
                self.statement(statement) for statement in statements
                if statement.name not in done)),
            results=tuple(result.with_entries(self.value) for result in self._function.results))

    def statement(self, statement: Statement) -> Statement:
        """Return a statement with entries of the arrays."""
        return Statement(statement.name, self.value(statement.value))

    def value(self, value: Signed) -> Signed:
        """Return a term with its sign, with entries of the arrays."""
        return Signed(value.negative, replaced(value.term, self._entry))

    def _entry(self, term: Term) -> Name | None:
        """Return the entry of an array that is a sine or cosine."""
        if not isinstance(term, Call) or term.function not in ARRAYS or term.negative:
            return None
        k = self.angles.setdefault(term.argument, len(self.angles))
        return Name(f'{ARRAYS[term.function]}[{k}]')


# ---- Long functions in sections, as the time that compiling takes grows faster than a function

MOST_STATEMENTS = 1500
"""Statements of one function; with more of them, it is written in sections."""

STATEMENTS_PER_SECTION = 100
"""With more, the reduced Talos is not faster; with 50, the humanoid is 8 % slower."""

MOST_IN_ONE = 50
"""Sections that compilers may join to one function: of the 89 of humanoid_3p33r's derivatives of
forward dynamics, clang -O2 does so in 89 s. Apart, they take 20 s and are 3 % faster."""


class Sectioned(NamedTuple):
    """
    Sections of statements, the function without them, and the memory between them.

    The statements of a section are all of one kind: they make single numbers or twins. The twins
    of a run of sections can be computed limb by limb. `kept` has the index of every name in that
    memory, `twins` in that of twins; entries of the results are entries of either.
    """

    runs: list[list[Sequence[Statement]]]
    function: Function
    kept: dict[str, int]
    twins: dict[str, int]

    @property
    def sections(self) -> list[Sequence[Statement]]:
        """The sections of all runs."""
        return [section for run in self.runs for section in run]

    @property
    def apart(self) -> bool:
        """Whether each section stays a function of its own in machine code."""
        return len(self.sections) > MOST_IN_ONE


def sectioned(function: Function, before: Sequence[Statement]) -> Sectioned:
    """Return the sections of a function; the statements before them are not part of it."""
    runs = [_parts(run) for run in _runs(function)]
    sections = [section for run in runs for section in run]
    made = {statement.name for part in (before, *sections) for statement in part}
    places = crossing([before, *sections])
    for name in sorted(made & names_in(function.entries)):
        places.setdefault(name, len(places))
    twins = [name for name in places if name in function.twins]
    kept = [name for name in places if name not in function.twins]
    whole = Sectioned(runs, function, {name: k for k, name in enumerate(kept)},
                      {name: k for k, name in enumerate(twins)})
    return whole._replace(
        runs=[[[Statement(name, _placed(value, {}, whole.twins)) for name, value in section]
               for section in run] for run in runs] if twins else runs,
        function=replace(function, sections=(), results=tuple(
            result.with_entries(lambda entry: _placed(entry, whole.kept, whole.twins))
            for result in function.results)))


def _runs(function: Function) -> Iterator[list[Statement]]:
    """Yield statements of one kind, none of which uses a number of a twin that is among them."""
    run: list[Statement] = []
    kind, made = False, set[str]()
    for statement in function.statements:
        is_twin = statement.name in function.twins
        if is_twin != kind or (is_twin and made & {
                term.twin.text for term in parts([statement.value]) if isinstance(term, Single)}):
            if run:
                yield run
            run, kind, made = [], is_twin, set()
        run.append(statement)
        made.add(statement.name)
    if run:
        yield run


def _parts(statements: Sequence[Statement]) -> list[Sequence[Statement]]:
    return [statements[k:k + STATEMENTS_PER_SECTION]
            for k in range(0, len(statements), STATEMENTS_PER_SECTION)]


def crossing(parts: Sequence[Sequence[Statement]]) -> dict[str, int]:
    """Return places in memory for what one part of the statements makes and another uses."""
    made = {statement.name: k for k, part in enumerate(parts) for statement in part}
    names = dict.fromkeys(
        name for k, part in enumerate(parts) for statement in part
        for name in sorted(names_in([statement.value])) if made.get(name, k) != k)
    return {name: k for k, name in enumerate(names)}


def _placed(value: Signed, kept: Mapping[str, int], twins: Mapping[str, int]) -> Signed:
    """Return a value whose names in `kept`, and single numbers of twins, are read from memory."""
    def place(term: Term) -> Name | None:
        if isinstance(term, Single):
            return Name(f'twins[{twins[term.twin.text]}][{term.number}]')
        return (Name(f'kept[{kept[term.text]}]')
                if isinstance(term, Name) and term.text in kept else None)

    return Signed(value.negative, replaced(value.term, place))

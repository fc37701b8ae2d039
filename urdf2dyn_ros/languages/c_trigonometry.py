"""Sines and cosines of exported C and C++, in one loop."""

import re
from collections.abc import Iterable, Iterator

from urdf2dyn_ros.languages.angles import Angles
from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.program.function import Function

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

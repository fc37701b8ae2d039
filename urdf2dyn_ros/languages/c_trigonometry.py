"""Sines and cosines of exported C, in one loop."""

from collections.abc import Iterator

from urdf2dyn_ros.languages.angles import Angles
from urdf2dyn_ros.languages.language import Language

SINES_AND_COSINES = """

// Cody and Waite's reduction and the polynomials of fdlibm (Sun Microsystems), without a branch,
// so that compilers make vectors of the loop; wrong by 2.5 units in the last place at most.
// Beyond 2^17 rad, and for what is not finite, libm takes over.
static void sines_and_cosines(int n, const double *restrict angle, double *restrict sine,
                              double *restrict cosine)
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
    const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    for (int k = 0; k < n; k++) {
        const double quarters = (angle[k] * 0.6366197723675814 + round) - round;
        const double r = ((angle[k] - quarters * 1.5707963267341256)
                - quarters * 6.077100506303966e-11) - quarters * 2.0222662487959506e-21;
        const double z = r * r, zz = z * z;
        const double s = r + r * z * ((-0.16666666666666632 + z * 0.00833333333332249)
                + zz * ((-0.0001984126982985795 + z * 2.7557313707070068e-06)
                + zz * (-2.5050760253406863e-08 + z * 1.58969099521155e-10)));
        const double c = 1.0 + z * (-0.5 + z * ((0.0416666666666666 + z * -0.001388888888887411)
                + zz * ((2.480158728947673e-05 + z * -2.7557314351390663e-07)
                + zz * (2.087572321298175e-09 + z * -1.1359647557788195e-11))));
        const double turn = quarters - 4.0 * ((quarters * 0.25 + round) - round);  // -2 .. 2
        const double swapped = turn * turn == 1.0 ? 1.0 : 0.0;
        sine[k] = (turn < 0.0 || turn > 1.5 ? -1.0 : 1.0) * (swapped != 0.0 ? c : s);
        cosine[k] = (turn > 0.0 || turn < -1.5 ? -1.0 : 1.0) * (swapped != 0.0 ? s : c);
    }
    for (int k = 0; k < n; k++) {
        if (!(fabs(angle[k]) <= 131072.0)) {
            sine[k] = sin(angle[k]);
            cosine[k] = cos(angle[k]);
        }
    }
#endif
}"""


def in_one_loop(c: Language, angles: Angles) -> Iterator[str]:
    """Yield all sines and cosines in one loop, which compilers turn into vectors."""
    for statement in angles.before:
        yield c.statement(statement, c.INDENT)
    n, values = len(angles.angles), [c.INFIX.term(angle) for angle in angles.angles]
    yield c.array(f'{c.INDENT}const double angle[{n}] = {{', values, '};')
    yield f'{c.INDENT}double sine[{n}], cosine[{n}];'
    yield f'{c.INDENT}sines_and_cosines({n}, angle, sine, cosine);'

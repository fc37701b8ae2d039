/*
 * Sines and cosines of many numbers at once, on the vector types of GCC and clang; exponentials and
 * hyperbolic tangents of the C library. No result depends on its neighbours.
 *
 * Cody and Waite's reduction by multiples of pi/2, then the polynomials of fdlibm (Sun
 * Microsystems) on [-pi/4, pi/4]. Error below 1.5 units in the last place for |x| < 4, below 2.5 up
 * to ANGLE_LIMIT; larger angles, and what is not finite, are left to the C library.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#ifndef WIDTH
#ifdef __AVX512F__
#define WIDTH 8
#else
#define WIDTH 4
#endif
#endif

typedef double vector __attribute__((vector_size(8 * WIDTH)));
typedef long long integers __attribute__((vector_size(8 * WIDTH)));

#define ROUND 6755399441055744.0  /* 1.5 * 2^52: adding it leaves an integer in the low bits */

/* 2^17: products of the parts of pi/2 with the quotient are exact, with or without FMA */
#define ANGLE_LIMIT 131072.0

INLINE void sine_cosine(const vector *angle, vector *sine, vector *cosine)
{
    const vector x = *angle;
    const vector shifted = x * 6.36619772367581382433e-01 + ROUND;
    const integers quadrant = (integers)shifted;
    const vector k = shifted - ROUND;
    vector r = x - k * 1.57079632673412561417e+00;  /* three parts of pi/2, 33 bits each */
    r = r - k * 6.07710050630396597660e-11;
    r = r - k * 2.02226624879595063154e-21;
    const vector z = r * r;
    const vector zz = z * z;
    vector s = (-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03)
        + zz * ((-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
                + zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10));
    vector c = (4.16666666666666019037e-02 + z * -1.38888888888741095749e-03)
        + zz * ((2.48015872894767294178e-05 + z * -2.75573143513906633035e-07)
                + zz * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    s = r + r * z * s;
    c = 1.0 + z * (-0.5 + z * c);
    /* odd quadrants exchange the two; a comparison would need an instruction more */
    const integers swap = ((integers)s ^ (integers)c) & -(quadrant & 1);
    *sine = (vector)((integers)s ^ swap ^ ((quadrant & 2) << 62));
    *cosine = (vector)((integers)c ^ swap ^ (((quadrant + 1) & 2) << 62));
}

/* `count` vectors; the three arrays do not overlap */
INLINE void sines_cosines(ptrdiff_t count, const vector *angles, vector *sines, vector *cosines)
{
    integers wild = {0};
    for (ptrdiff_t k = 0; k < count; k++) {
        sine_cosine(angles + k, sines + k, cosines + k);
        /* as integers NaN and infinity are larger than any limit */
        wild |= ((integers)angles[k] & 0x7fffffffffffffffLL) > 0x4100000000000000LL;
    }
    long long any = 0;
    for (int lane = 0; lane < WIDTH; lane++)
        any |= wild[lane];
    if (__builtin_expect(any == 0, 1))
        return;
    for (ptrdiff_t k = 0; k < count; k++)
        for (int lane = 0; lane < WIDTH; lane++)
            if (!(fabs(angles[k][lane]) <= ANGLE_LIMIT)) {
                sines[k][lane] = sin(angles[k][lane]);
                cosines[k][lane] = cos(angles[k][lane]);
            }
}

/* |x|, exp(x) and tanh(x) of one number, and of a vector number by number */
static inline double abs_one(double x) { return fabs(x); }
INLINE vector abs_many(vector x)
{
    return (vector)((integers)x & 0x7fffffffffffffffLL);
}
#define BY_NUMBER(function) \
    static inline double function##_one(double x) { return function(x); } \
    static vector __attribute__((noinline, unused)) function##_many(vector x) \
    { \
        for (int lane = 0; lane < WIDTH; lane++) \
            x[lane] = function(x[lane]); \
        return x; \
    }
BY_NUMBER(exp)
BY_NUMBER(tanh)

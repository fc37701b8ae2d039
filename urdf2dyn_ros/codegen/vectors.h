/*
 * Sines, cosines, exponentials and hyperbolic tangents of many numbers at once, on the vector types
 * of GCC and clang. No result depends on its neighbours.
 *
 * Angles: Cody and Waite's reduction by multiples of pi/2, then the polynomials of fdlibm (Sun
 * Microsystems) on [-pi/4, pi/4]. Error below 1.5 units in the last place for |x| < 4, below 2.5 up
 * to ANGLE_LIMIT; larger angles, and what is not finite, are left to the C library.
 *
 * Exponents: x = k ln 2 + r with |r| <= ln(2)/2, and the series of expm1(r), which is cut off where
 * terms no longer count. Error below 1.5 units in the last place for exp where the result is a
 * normal number, below 3 for tanh. No branches: what is not finite goes the same way.
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

/* 2^k of integers from -1022 to 1023 */
#define POWER(k) ((vector)(((integers)((k) + ROUND) << 52) + (1023LL << 52)))

/* not below `low`, not above `high`; NaN remains */
INLINE void limit(vector *x, double low, double high)
{
    const vector lows = (vector){0} + low, highs = (vector){0} + high;
    const integers below = *x < lows, above = *x > highs;
    *x = (vector)(((integers)*x & ~(below | above)) | ((integers)lows & below)
                  | ((integers)highs & above));
}

/* |x| of one number, and of a vector */
static inline double magnitude_one(double x) { return fabs(x); }
INLINE vector magnitude_many(vector x)
{
    return (vector)((integers)x & 0x7fffffffffffffffLL);
}

/* expm1(r), and k */
INLINE void reduce(const vector *x, vector *e, vector *k)
{
    *k = (*x * 1.44269504088896338700e+00 + ROUND) - ROUND;
    vector r = *x - *k * 6.93147180369123816490e-01;  /* two parts of ln 2, the first of 33 bits */
    r = r - *k * 1.90821492927058770002e-10;
    vector s = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;  /* 1/13!, 1/12!, ... */
    s = s * r + 1.0 / 39916800.0;
    s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0;
    s = s * r + 1.0 / 40320.0;
    s = s * r + 1.0 / 5040.0;
    s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0;
    s = s * r + 1.0 / 24.0;
    s = s * r + 1.0 / 6.0;
    s = s * r + 0.5;
    *e = s * (r * r) + r;
}

/* `count` vectors; the arrays do not overlap */
INLINE void exponentials(ptrdiff_t count, const vector *argument, vector *result)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        vector x = argument[i], e, k;
        limit(&x, -746.0, 710.0);  /* zero and infinity there */
        reduce(&x, &e, &k);
        const vector half = (k * 0.5 + ROUND) - ROUND;  /* 2^k itself may be out of range */
        result[i] = (1.0 + e) * POWER(half) * POWER(k - half);
    }
}

INLINE void hyperbolic_tangents(ptrdiff_t count, const vector *argument, vector *result)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        const integers sign = (integers)argument[i] & ~0x7fffffffffffffffLL;
        vector x = -2.0 * (vector)((integers)argument[i] ^ sign), e, k;
        limit(&x, -100.0, 0.0);  /* 1 there */
        reduce(&x, &e, &k);
        const vector t = POWER(k) * e + (POWER(k) - 1.0);  /* expm1(-2 |x|) */
        result[i] = (vector)((integers)((0.0 - t) / (t + 2.0)) ^ sign);
    }
}

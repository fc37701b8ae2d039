/*
 * Exponentials and hyperbolic tangents of many numbers at once, after vector_trigonometry.h.
 *
 * x = k ln 2 + r with |r| <= ln(2)/2, and the series of expm1(r), which is cut off where terms
 * no longer count. Error below 1.5 units in the last place for exp where the result is a normal
 * number, below 3 for tanh. No branches: what is not finite goes the same way.
 */
#ifndef VECTOR_EXPONENTIALS_H
#define VECTOR_EXPONENTIALS_H

#define ROUND 6755399441055744.0  /* 1.5 * 2^52: adding it leaves an integer in the low bits */

/* 2^k of integers from -1022 to 1023 */
#define POWER(k) ((vector)(((integers)((k) + ROUND) << 52) + (1023LL << 52)))

/* not below `low`, not above `high`; NaN remains */
static inline __attribute__((always_inline)) void limit(vector *x, double low, double high)
{
    const vector lows = (vector){0} + low, highs = (vector){0} + high;
    const integers below = *x < lows, above = *x > highs;
    *x = (vector)(((integers)*x & ~(below | above)) | ((integers)lows & below)
                  | ((integers)highs & above));
}

/* |x| of one number, and of a vector */
static inline double magnitude_one(double x) { return fabs(x); }
static inline __attribute__((always_inline)) vector magnitude_many(vector x)
{
    return (vector)((integers)x & 0x7fffffffffffffffLL);
}

/* expm1(r), and k */
static inline __attribute__((always_inline)) void reduce(const vector *x, vector *e, vector *k)
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
static inline __attribute__((always_inline)) void exponentials(
    ptrdiff_t count, const vector *argument, vector *result)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        vector x = argument[i], e, k;
        limit(&x, -746.0, 710.0);  /* zero and infinity there */
        reduce(&x, &e, &k);
        const vector half = (k * 0.5 + ROUND) - ROUND;  /* 2^k itself may be out of range */
        result[i] = (1.0 + e) * POWER(half) * POWER(k - half);
    }
}

static inline __attribute__((always_inline)) void hyperbolic_tangents(
    ptrdiff_t count, const vector *argument, vector *result)
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

#endif

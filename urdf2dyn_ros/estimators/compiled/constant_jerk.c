/*
 * Prediction and correction of constant_jerk.py. That file documents what is computed and why.
 *
 * An array z has a row for each entry of x and of the upper triangle of P, in the order of ENTRIES
 * there, and two for the innovations; `all` columns. Every loop over columns is one of vectors:
 * rows do not overlap.
 */
#include <math.h>

#define STATES 4
#define ROWS 14

/* Columns in a block of what a smoother stores: those of a vector register. Wider vectors cost
   twice the time, as compilers store them after each operation. */
#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX__)
#define WIDTH 4
#else
#define WIDTH 2
#endif

/* Rows of gains that a smoother needs: those of states, innovations over their covariance, and
   its inverse; the part of the jerk that is left after half of the step; and 1, or 0 where a
   column was reset after the sample. */
enum {NORMALISED = 8, INVERSE = 10, JERK_LEFT = 13, LINKED, GAINS};

static const int NUMBER[STATES][STATES] = {
    {4, 6, 7, 9}, {6, 5, 8, 10}, {7, 8, 11, 12}, {9, 10, 12, 13}};

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* Rows of an array from a column on. */
#define NAMED_ROWS(z) \
    double *restrict p = z, *restrict v = p + all, *restrict a = v + all, *restrict j = a + all; \
    double *restrict p00 = j + all, *restrict p11 = p00 + all, *restrict p01 = p11 + all; \
    double *restrict p02 = p01 + all, *restrict p12 = p02 + all, *restrict p03 = p12 + all; \
    double *restrict p13 = p03 + all, *restrict p22 = p13 + all, *restrict p23 = p22 + all; \
    double *restrict p33 = p23 + all; \
    double *restrict y0 = p33 + all, *restrict y1 = y0 + all

/* Predict states and covariances over h [s]; a snap of these densities is white noise, and `kept`
   is the part of the jerk that is left after half of the time. */
static void predict_columns(double *z, long all, double h, const double *restrict density,
                            const double *restrict kept)
{
    const double h2 = h * h / 2.0, h3 = h * h * h / 6.0;
    const double h_3 = h * h * h, h_5 = h_3 * h * h, h_4 = h_3 * h, h_6 = h_5 * h, h_7 = h_6 * h;
    NAMED_ROWS(z);
    (void)y0, (void)y1;
#pragma GCC ivdep
    for (long c = 0; c < all; c++) {
        const double d = kept[c], q = density[c];
        const double jerk = d * j[c], P03 = d * p03[c], P13 = d * p13[c], P23 = d * p23[c];
        const double P33 = d * d * p33[c];
        const double f00 = p00[c] + h * p01[c] + h2 * p02[c] + h3 * P03;
        const double f01 = p01[c] + h * p11[c] + h2 * p12[c] + h3 * P13;
        const double f02 = p02[c] + h * p12[c] + h2 * p22[c] + h3 * P23;
        const double f03 = P03 + h * P13 + h2 * P23 + h3 * P33;
        const double f11 = p11[c] + h * p12[c] + h2 * P13;
        const double f12 = p12[c] + h * p22[c] + h2 * P23;
        const double f13 = P13 + h * P23 + h2 * P33;
        const double f22 = p22[c] + h * P23, f23 = P23 + h * P33;
        p[c] += h * v[c] + h2 * a[c] + h3 * jerk;
        v[c] += h * a[c] + h2 * jerk;
        a[c] += h * jerk;
        j[c] = d * jerk;
        p00[c] = q * (h_7 / 252.0) + f00 + h * f01 + h2 * f02 + h3 * f03;
        p01[c] = q * (h_6 / 72.0) + f01 + h * f02 + h2 * f03;
        p02[c] = q * (h_5 / 30.0) + f02 + h * f03;
        p03[c] = d * (q * (h_4 / 24.0) + f03);
        p11[c] = q * (h_5 / 20.0) + f11 + h * f12 + h2 * f13;
        p12[c] = q * (h_4 / 8.0) + f12 + h * f13;
        p13[c] = d * (q * (h_3 / 6.0) + f13);
        p22[c] = q * (h_3 / 3.0) + f22 + h * f23;
        p23[c] = d * (q * h * h / 2.0 + f23);
        p33[c] = d * d * (q * h + P33);
    }
}

/* Correct states and covariances by the measurements that are kept, two rows, NaN where there is
   none, with their variances and how late they are. Rows of gains are so far apart. */
static inline void correct_columns(double *z, long all, const double *restrict kept,
                                   const double *restrict variance, const double *restrict late,
                                   double *restrict gains, long apart)
{
    NAMED_ROWS(z);
#pragma GCC ivdep
    for (long c = 0; c < all; c++) {
        const long o = all + c;
        const int lost_q = kept[c] != kept[c], lost_qd = kept[o] != kept[o];
        const double e0 = lost_q ? 0.0 : y0[c], e1 = lost_qd ? 0.0 : y1[c];
        const double S0 = lost_q ? REJECTED_VARIANCE : p00[c] + variance[c] + late[c] * late[c];
        const double S1 = lost_qd ? REJECTED_VARIANCE : p11[c] + variance[o] + late[o] * late[o];
        const double off = lost_q | lost_qd ? 0.0 : p01[c] + late[c] * late[o];
        const double scale = 1.0 / (S0 * S1 - off * off);
        const double s0 = S0 * scale, s1 = S1 * scale, so = off * scale;
        const double a00 = p00[c], a01 = p01[c], a02 = p02[c], a03 = p03[c];
        const double a11 = p11[c], a12 = p12[c], a13 = p13[c];
        const double k00 = s1 * a00 - so * a01, k01 = s1 * a01 - so * a11;
        const double k02 = s1 * a02 - so * a12, k03 = s1 * a03 - so * a13;
        const double k10 = s0 * a01 - so * a00, k11 = s0 * a11 - so * a01;
        const double k12 = s0 * a12 - so * a02, k13 = s0 * a13 - so * a03;
        if (gains) {
            double *restrict first = gains + c;
            first[0] = k00, first[apart] = k01, first[2 * apart] = k02, first[3 * apart] = k03;
            first[4 * apart] = k10, first[5 * apart] = k11, first[6 * apart] = k12;
            first[7 * apart] = k13;
            first[NORMALISED * apart] = s1 * e0 - so * e1;
            first[(NORMALISED + 1) * apart] = s0 * e1 - so * e0;
            first[INVERSE * apart] = s1, first[(INVERSE + 1) * apart] = -so;
            first[(INVERSE + 2) * apart] = s0;
        }
        p[c] -= k00 * e0 + k10 * e1;
        v[c] -= k01 * e0 + k11 * e1;
        a[c] -= k02 * e0 + k12 * e1;
        j[c] -= k03 * e0 + k13 * e1;
        p00[c] = a00 - k00 * a00 - k10 * a01;
        p01[c] = a01 - k00 * a01 - k10 * a11;
        p02[c] = a02 - k00 * a02 - k10 * a12;
        p03[c] = a03 - k00 * a03 - k10 * a13;
        p11[c] = a11 - k01 * a01 - k11 * a11;
        p12[c] = a12 - k01 * a02 - k11 * a12;
        p13[c] = a13 - k01 * a03 - k11 * a13;
        p22[c] -= k02 * a02 + k12 * a12;
        p23[c] -= k02 * a03 + k12 * a13;
        p33[c] -= k03 * a03 + k13 * a13;
    }
}

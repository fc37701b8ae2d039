/*
 * What the samples after a state show of it, for kalman_fixed_lag.c. Samples are added after those
 * before, or, from the newest back, before those after. Columns are in blocks: vectors.
 */
#include <string.h>

typedef double Columns __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

__attribute__((visibility("default"))) const long urdf2dyn_width = WIDTH;

#define SMOOTHED 3   /* states that are smoothed: position, velocity and acceleration */
#define VARIANCE SMOOTHED   /* row below these: variance of the acceleration */

typedef struct {
    Columns left[STATES][STATES];   /* maps its error to that of the state after them */
    /* any state is corrected by minus its covariances with this one, times mu; */
    Columns mu[STATES];
    /* its own covariance, by minus these on both sides of this symmetric matrix */
    Columns information[ROWS - STATES];
} Shown;

#define AT(matrix, i, j) matrix[NUMBER[i][j] - STATES]   /* entry of a symmetric matrix */

static inline void show_nothing(Shown *s)
{
    *s = (Shown){0};
    for (int i = 0; i < STATES; i++)
        s->left[i][i] += 1.0;
}

/* Keep what is shown of columns that are linked, 1, and nothing of those that were reset, 0. */
static inline void unlink_columns(Columns *what, size_t rows, Columns linked)
{
    for (size_t k = 0; k < rows; k++)
        what[k] *= linked;
}

/* Add a sample, by its gains, after those before. */
static inline void add_sample(Shown *s, double h, const Columns *g)
{
    const double h2 = h * h * (1.0 / 2.0), h3 = h * h * h * (1.0 / 6.0);
    const Columns d = g[JERK_LEFT];
    Columns p[STATES], v[STATES];
#pragma GCC unroll 4
    for (int k = 0; k < STATES; k++) {
        const Columns e0 = s->left[0][k], e1 = s->left[1][k], e2 = s->left[2][k];
        const Columns j = d * s->left[3][k], a = e2 + h * j;
        v[k] = e1 + h * e2 + h2 * j;
        p[k] = e0 + h * e1 + h2 * e2 + h3 * j;
        s->left[0][k] = p[k] - g[0] * p[k] - g[4] * v[k];
        s->left[1][k] = v[k] - g[1] * p[k] - g[5] * v[k];
        s->left[2][k] = a - g[2] * p[k] - g[6] * v[k];
        s->left[3][k] = d * j - g[3] * p[k] - g[7] * v[k];
        s->mu[k] += p[k] * g[NORMALISED] + v[k] * g[NORMALISED + 1];
        const Columns by_p = g[INVERSE] * p[k] + g[INVERSE + 1] * v[k];
        const Columns by_v = g[INVERSE + 1] * p[k] + g[INVERSE + 2] * v[k];
#pragma GCC unroll 4
        for (int i = 0; i <= k; i++)
            AT(s->information, i, k) += by_p * p[i] + by_v * v[i];
    }
}

/* Map what is shown of a predicted state to that before: multiply by the transition over h [s]. */
static inline void before_prediction(Columns m[STATES], double h, Columns d)
{
    const double h2 = h * h * (1.0 / 2.0), h3 = h * h * h * (1.0 / 6.0);
    m[3] = d * (h3 * m[0] + h2 * m[1] + h * m[2] + d * m[3]);
    m[2] = h2 * m[0] + h * m[1] + m[2];
    m[1] = h * m[0] + m[1];
}

/* Add a sample, by its gains, before those after: what is shown is of the state before it. */
static inline void go_back(Shown *s, double h, const Columns *g)
{
    Columns full[STATES][STATES], by[2][STATES];
    for (int i = 0; i <= STATES; i++) {
        Columns *m = i < STATES ? s->left[i] : s->mu;
        const Columns m0 = g[0] * m[0] + g[1] * m[1] + g[2] * m[2] + g[3] * m[3];
        m[1] -= g[4] * m[0] + g[5] * m[1] + g[6] * m[2] + g[7] * m[3];
        m[0] -= m0;
        if (i == STATES) {
            m[0] += g[NORMALISED];
            m[1] += g[NORMALISED + 1];
        }
        before_prediction(m, h, g[JERK_LEFT]);
    }
    for (int i = 0; i < STATES; i++)
        for (int k = 0; k < STATES; k++)
            full[i][k] = AT(s->information, i, k);
    for (int i = 0; i < STATES; i++)
        for (int k = 0; k < 2; k++)
            by[k][i] = full[i][0] * g[4 * k] + full[i][1] * g[4 * k + 1]
                + full[i][2] * g[4 * k + 2] + full[i][3] * g[4 * k + 3];
    for (int i = 0; i < 2; i++)
        for (int k = i; k < 2; k++) {
            full[i][k] += g[INVERSE + i + k] - by[i][k] - by[k][i];
            for (int r = 0; r < STATES; r++)
                full[i][k] += g[4 * i + r] * by[k][r];
            full[k][i] = full[i][k];
        }
    for (int i = 0; i < 2; i++)
        for (int k = 2; k < STATES; k++)
            full[k][i] = full[i][k] -= by[i][k];
    for (int i = 0; i < STATES; i++)
        before_prediction(full[i], h, g[JERK_LEFT]);
    for (int k = 0; k < STATES; k++) {
        Columns column[STATES] = {full[0][k], full[1][k], full[2][k], full[3][k]};
        before_prediction(column, h, g[JERK_LEFT]);
        for (int i = 0; i <= k; i++)
            AT(s->information, i, k) = column[i];
    }
}

/* Correct states and the variance of the acceleration, x, by what samples show; `shared` are the
   covariances of each with the state that it is shown of. */
static inline void correct_record(const Shown *s, Columns x[SMOOTHED + 1],
                                  const Columns shared[SMOOTHED][STATES])
{
    const Columns *c = shared[2];
    for (int i = 0; i < STATES; i++) {
        Columns sum = {0};
        for (int k = 0; k < STATES; k++)
            sum += AT(s->information, i, k) * c[k];
        x[VARIANCE] -= c[i] * sum;
        for (int r = 0; r < SMOOTHED; r++)
            x[r] -= shared[r][i] * s->mu[i];
    }
}

/*
 * One step of the filter of kalman.py, all joints, in one call. That file documents what is
 * computed and why; this does the same in the same order.
 *
 * state has a row for each entry of x and of the upper triangle of P, in the order of ENTRIES of
 * constant_jerk.py, and a column for each joint.
 */
#include <math.h>

#define STATES 4
#define REJECTED_VARIANCE 1e30

typedef struct {
    long joints;
    double *state;            /* (14, joints) */
    double *rejected;         /* (joints): rejected measurements in a row */
    const double *measured;   /* (2, joints); NaN where not measured */
    const double *variance;   /* (2, joints), of these */
    double *estimate;         /* (4, joints): position, velocity, acceleration, its deviation */
    double density, gate, acceleration_step, max_variance;
} Filter;

enum {REJECTING = 1, UNCERTAIN = 2};

static const int NUMBER[STATES][STATES] = {
    {4, 6, 7, 9}, {6, 5, 8, 10}, {7, 8, 11, 12}, {9, 10, 12, 13}};
static const double INVERSE_FACTORIAL[STATES] = {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0};

/* Return flags: REJECTING if an outlier was rejected, UNCERTAIN if max_variance is exceeded. */
__attribute__((visibility("default")))
int urdf2dyn_kalman(Filter *f, double h, double stamps)
{
    const long n = f->joints;
    double F[STATES], Q[STATES][STATES], powers[2 * STATES] = {1.0};
    int flags = 0;
    for (int k = 1; k < 2 * STATES; k++)
        powers[k] = powers[k - 1] * h;
    for (int k = 0; k < STATES; k++)
        F[k] = powers[k] * INVERSE_FACTORIAL[k];
    for (int i = 0; i < STATES; i++)
        for (int j = i; j < STATES; j++)
            Q[i][j] = f->density * powers[7 - i - j] * INVERSE_FACTORIAL[3 - i]
                * INVERSE_FACTORIAL[3 - j] / (7 - i - j);
    const double steps[2] = {0.5 * f->acceleration_step * h * h, f->acceleration_step * h};

    for (long joint = 0; joint < n; joint++) {
        double *z = f->state + joint;
        double x[STATES], P[STATES][STATES], FP[STATES][STATES];
        for (int i = 0; i < STATES; i++) {
            x[i] = 0.0;
            for (int k = i; k < STATES; k++)
                x[i] += F[k - i] * z[k * n];
            for (int j = 0; j < STATES; j++) {
                FP[i][j] = 0.0;
                for (int k = i; k < STATES; k++)
                    FP[i][j] += F[k - i] * z[NUMBER[k][j] * n];
            }
        }
        for (int i = 0; i < STATES; i++)
            for (int j = i; j < STATES; j++) {
                double sum = Q[i][j];
                for (int k = j; k < STATES; k++)
                    sum += FP[i][k] * F[k - j];
                P[i][j] = P[j][i] = sum;
            }

        double y[2], S[2], late[2], off = P[0][1];
        int lost[2];
        for (int k = 0; k < 2; k++) {
            y[k] = x[k] - f->measured[k * n + joint];
            late[k] = x[k + 1] * stamps;
            S[k] = P[k][k] + f->variance[k * n + joint] + late[k] * late[k];
        }
        off += late[0] * late[1];
        for (int k = 0; k < 2; k++)
            lost[k] = !(y[k] * y[k] <= f->gate * S[k] + f->gate * (steps[k] * steps[k]));
        const int outlier = lost[0] || (lost[1] && isfinite(f->measured[n + joint]));
        f->rejected[joint] = outlier ? f->rejected[joint] + 1.0 : 0.0;
        flags |= outlier ? REJECTING : 0;
        for (int k = 0; k < 2; k++)
            if (lost[k]) {
                S[k] = REJECTED_VARIANCE;
                y[k] = off = 0.0;
            }

        const double scale = 1.0 / (S[0] * S[1] - off * off);
        double K[2][STATES];
        for (int i = 0; i < STATES; i++) {
            K[0][i] = S[1] * scale * P[0][i] - off * scale * P[1][i];
            K[1][i] = S[0] * scale * P[1][i] - off * scale * P[0][i];
        }
        for (int i = 0; i < STATES; i++) {
            z[i * n] = x[i] - K[0][i] * y[0] - K[1][i] * y[1];
            for (int j = i; j < STATES; j++)
                z[NUMBER[i][j] * n] = P[i][j] - K[0][i] * P[0][j] - K[1][i] * P[1][j];
        }
        for (int i = 0; i < STATES - 1; i++)
            f->estimate[i * n + joint] = z[i * n];
        const double variance = z[NUMBER[2][2] * n];
        f->estimate[(STATES - 1) * n + joint] = sqrt(variance < 0.0 ? 0.0 : variance);
        flags |= variance < f->max_variance ? 0 : UNCERTAIN;
    }
    return flags;
}

/*
 * Errors of accelerations, as hindsight.py computes them. That file documents what is computed and
 * why; this does the same in the same order. Its constants are macros.
 */
#include <math.h>

typedef struct {
    long joints, number;
    long long *stamps;   /* (COMPARED_ROWS) */
    double *rows;        /* (COMPARED_ROWS, 3, joints): position, acceleration, declared variance */
    double *errors, *scale, *compared;   /* (joints) each */
} Hindsight;

/* Return the second derivative of the parabola through three positions. */
static double curvature(double before, double after, double q0, double q1, double q2)
{
    return 2.0 / (before + after) * ((q2 - q1) / after - (q1 - q0) / before);
}

static void look_back(Hindsight *s, double passed, const double *noise)
{
    const long n = s->joints;
    const double *row[5];
    double time[5];
    for (int k = 0; k < 5; k++) {
        const long index = (s->number + k * DIFFERENCE_ROWS) % COMPARED_ROWS;   /* from the oldest */
        row[k] = s->rows + index * 3 * n;
        time[k] = 1e-9 * (double)(s->stamps[index] - s->stamps[(s->number + 2 * DIFFERENCE_ROWS) % COMPARED_ROWS]);
    }
    const double step = 0.25 * (time[4] - time[0]);
    const double added = DIFFERENCE_NOISE / (step * step * step * step);
    const double error_gain = fmin(1.0 - exp(-passed / ERROR_MEMORY), 1.0 / ERROR_ROWS);
    const double scale_gain = fmin(1.0 - exp(-passed / SCALE_MEMORY), 1.0 / SCALE_ROWS);
    for (long j = 0; j < n; j++) {
        const double near = curvature(-time[1], time[3], row[1][j], row[2][j], row[3][j]);
        const double far = curvature(-time[0], time[4], row[0][j], row[2][j], row[4][j]);
        const double error = row[2][n + j] - (4.0 * near - far) / 3.0;
        const double square = error * error, declared = row[2][2 * n + j];
        if (!isfinite(square + declared))
            continue;
        const double first = 1.0 / (s->compared[j] += 1.0);
        s->errors[j] += fmax(error_gain, first) * (fmax(square - added * noise[j], 0.0) - s->errors[j]);
        s->scale[j] += fmax(scale_gain, first)
            * (fmin((square + added * noise[j]) / declared, MOST_OF_DECLARED) - s->scale[j]);
    }
}

/* Add a row, and compare the one in the middle of all; return the variances of accelerations. */
static void hindsight(Hindsight *s, long long stamp, const double *position,
                      const double *acceleration, const double *declared, const double *noise,
                      double *variance)
{
    const long n = s->joints;
    const long long last = s->stamps[(s->number + COMPARED_ROWS - 1) % COMPARED_ROWS];
    if (!s->number || stamp - last >= ROW_SPACING) {
        const long index = s->number++ % COMPARED_ROWS;
        double *row = s->rows + index * 3 * n;
        s->stamps[index] = stamp;
        for (long j = 0; j < n; j++) {
            row[j] = position[j];
            row[n + j] = acceleration[j];
            row[2 * n + j] = declared[j];
        }
        if (s->number >= COMPARED_ROWS)
            look_back(s, 1e-9 * (double)(stamp - last), noise);
    }
    for (long j = 0; j < n; j++)
        variance[j] = fmax(fmin(s->scale[j], 1.0) * declared[j], s->errors[j]);
}

/*
 * Errors of accelerations, as hindsight.py computes them. That file documents what is computed and
 * why; this does the same in the same order. Its constants are macros.
 */
#include <math.h>

typedef struct {
    long joints, number;
    long long *stamps;   /* (COMPARED_ROWS) */
    double *rows;        /* (COMPARED_ROWS, 3, joints): position, acceleration, declared variance */
    double *errors, *noise, *scale, *compared;   /* (2, joints): of the long, the short difference */
} Hindsight;

/* Return the second derivative of the parabola through three positions. */
static double curvature(double before, double after, double q0, double q1, double q2)
{
    return 2.0 / (before + after) * ((q2 - q1) / after - (q1 - q0) / before);
}

/* Compare with the difference of positions that are so many rows apart. */
static void look_back(Hindsight *s, long distance, long kind, double passed, const double *noise)
{
    const long n = s->joints, middle = s->number + COMPARED_ROWS / 2;
    const double *row[5];
    double time[5];
    for (int k = 0; k < 5; k++) {
        const long index = (middle + (k - 2) * distance) % COMPARED_ROWS;
        row[k] = s->rows + index * 3 * n;
        time[k] = 1e-9 * (double)(s->stamps[index] - s->stamps[middle % COMPARED_ROWS]);
    }
    const double step = 0.25 * (time[4] - time[0]);
    const double measured = DIFFERENCE_NOISE / (step * step * step * step);
    const double error_gain = fmin(1.0 - exp(-passed / ERROR_MEMORY), 1.0 / ERROR_ROWS);
    const double scale_gain = fmin(1.0 - exp(-passed / SCALE_MEMORY), 1.0 / SCALE_ROWS);
    const double least = kind ? LEAST_OF_NOISE : 0.0;   /* the short one is noisy */
    double *errors = s->errors + kind * n, *scale = s->scale + kind * n;
    double *shown = s->noise + kind * n;
    for (long j = 0; j < n; j++) {
        const double near = curvature(-time[1], time[3], row[1][j], row[2][j], row[3][j]);
        const double far = curvature(-time[0], time[4], row[0][j], row[2][j], row[4][j]);
        const double error = row[2][n + j] - (4.0 * near - far) / 3.0;
        const double square = error * error, declared = row[2][2 * n + j];
        if (!isfinite(square + declared))
            continue;
        const double first = 1.0 / (s->compared[kind * n + j] += 1.0);
        const double gain = fmax(error_gain, first), apart = near - far;
        shown[j] += gain * (CURVATURE_NOISE * apart * apart - shown[j]);
        const double added = fmin(measured * noise[j], shown[j]);
        errors[j] += gain * (fmax(square - added, -least * added) - errors[j]);
        scale[j] += fmax(scale_gain, first)
            * (fmin((square + added) / declared, MOST_OF_DECLARED) - scale[j]);
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
        if (s->number >= COMPARED_ROWS) {
            const double passed = 1e-9 * (double)(stamp - last);
            const double span = 1e-9 * (double)(stamp - s->stamps[s->number % COMPARED_ROWS]);
            const long most = lrint(DIFFERENCE_ROWS * SHORTEST_SPAN / span);
            look_back(s, DIFFERENCE_ROWS, 0, passed, noise);
            if (most <= MOST_SHORT_ROWS)
                look_back(s, most < 1 ? 1 : most, 1, passed, noise);
        }
    }
    for (long j = 0; j < n; j++) {
        const double either = fmax(fmin(s->scale[j], MOST_SCALE), fmin(s->scale[n + j], 1.0));
        const double scale = s->compared[j] > 0.0 ? either : 1.0;
        variance[j] = fmax(scale * declared[j], fmax(s->errors[j], s->errors[n + j]));
    }
}

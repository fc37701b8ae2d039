/*
 * The smoother of kalman_fixed_lag.py. That file corrects every state of the window by each
 * sample; this corrects the oldest one by all samples after it, whose gains are stored: the same
 * sums in the same order, for those filters that count.
 */

#define SMOOTHED 3

typedef struct {
    Filter *filter;
    long samples;             /* room for so many */
    double *steps;            /* (samples): time since the sample before [s] */
    double *states;           /* (samples, ROWS, filters, joints), after the sample */
    double *gains;            /* (samples, GAINS, filters, joints), as `correct` notes them */
    double *linked;           /* (samples, joints): 0 if the joint was reset after the sample */
    double *smoothed;         /* (4, joints): position, velocity, acceleration, its variance */
} Lag;

/* Add the weighted states of a filter at a sample, corrected by those after it, up to `last`. */
static void smooth(const Lag *lag, long filter, long first, long last)
{
    const Filter *f = lag->filter;
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    const double *state = lag->states + first % lag->samples * ROWS * all + filter * n;
    const double *restrict weight = f->bandwidth->weights + filter * n;
    double x[SMOOTHED][n + 1], variance[n + 1], C[SMOOTHED][STATES][n + 1];
    for (int r = 0; r < SMOOTHED; r++)
        for (long j = 0; j < n; j++) {
            x[r][j] = state[r * all + j];
            for (int i = 0; i < STATES; i++)
                C[r][i][j] = state[NUMBER[i][r] * all + j];
        }
    for (long j = 0; j < n; j++)
        variance[j] = state[NUMBER[2][2] * all + j];
    for (long number = first + 1; number <= last; number++) {
        const long slot = number % lag->samples;
        const double h = lag->steps[slot], h2 = h * h / 2.0, h3 = h * h * h / 6.0;
        const double *restrict g = lag->gains + slot * GAINS * all + filter * n;
        for (int r = 0; r < SMOOTHED; r++) {
            double *restrict C0 = C[r][0], *restrict C1 = C[r][1];
            double *restrict C2 = C[r][2], *restrict C3 = C[r][3];
            double *restrict xr = x[r];
            for (long j = 0; j < n; j++) {
                const double c3 = C3[j], c2 = C2[j] + h * c3;
                const double c1 = C1[j] + h * C2[j] + h2 * c3;
                const double c0 = C0[j] + h * C1[j] + h2 * C2[j] + h3 * c3;
                xr[j] -= c0 * g[8 * all + j] + c1 * g[9 * all + j];
                if (r == 2)
                    variance[j] -= c0 * (c0 * g[10 * all + j] + 2.0 * c1 * g[11 * all + j])
                        + c1 * c1 * g[12 * all + j];
                C0[j] = c0 - g[j] * c0 - g[4 * all + j] * c1;
                C1[j] = c1 - g[all + j] * c0 - g[5 * all + j] * c1;
                C2[j] = c2 - g[2 * all + j] * c0 - g[6 * all + j] * c1;
                C3[j] = c3 - g[3 * all + j] * c0 - g[7 * all + j] * c1;
            }
            const double *linked = lag->linked + slot * n;
            for (long j = 0; j < n; j++)
                if (linked[j] == 0.0)
                    C0[j] = C1[j] = C2[j] = C3[j] = 0.0;
        }
    }
    for (long j = 0; j < n; j++) {
        for (int r = 0; r < SMOOTHED; r++)
            lag->smoothed[r * n + j] += weight[j] * x[r][j];
        lag->smoothed[3 * n + j] += weight[j] * variance[j];
    }
}

/* Store the present state as that of sample number `last`, and smooth number `first`. */
__attribute__((visibility("default")))
void urdf2dyn_smooth(Lag *lag, long first, long last)
{
    const Filter *f = lag->filter;
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    double *restrict state = lag->states + last % lag->samples * ROWS * all;
    for (long c = 0; c < ROWS * all; c++)
        state[c] = f->state[c];
    for (long c = 0; c < (SMOOTHED + 1) * n; c++)
        lag->smoothed[c] = 0.0;
    for (long filter = 0; filter < f->bandwidth->filters; filter++)
        smooth(lag, filter, first, last);
}

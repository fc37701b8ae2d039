/*
 * The smoother of kalman_fixed_lag.py. That file corrects every state of the window by each
 * sample; this corrects the oldest one by all samples after it, whose gains are stored: the same
 * sums in the same order.
 */

#define SMOOTHED 3
#define WIDTH 8   /* columns at a time: vectors and a cache line */

typedef struct {
    Filter *filter;
    Hindsight *hindsight;     /* 0 for a single filter */
    long samples;             /* room for so many; after the last one, each array has WIDTH more */
    long following;           /* filter whose states are needed by themselves, or -1 */
    double *steps;            /* (samples): time since the sample before [s] */
    double *states;           /* (samples, ROWS, filters, joints), after the sample */
    double *gains;            /* (samples, GAINS, filters, joints), as `note` stores them */
    double *kept;             /* (samples, filters, joints): part of the jerk that is left after
                                 half of the step; negative if it was reset after the
                                 sample */
    double *smoothed;         /* (5, joints): position, velocity, acceleration, its variance by
                                 white noise, and the one to declare */
    double *followed;         /* (2, joints): position and velocity of `following` */
} Lag;

/* Predict the covariances of states with an earlier one, and correct both by a sample. */
static inline void pass(double C[STATES][WIDTH], double x[WIDTH], double h,
                        const double *restrict gains, const double *restrict kept, long all)
{
    const double h2 = h * h / 2.0, h3 = h * h * h / 6.0;
    for (int k = 0; k < WIDTH; k++) {
        const double *g = gains + k;
        const double c3 = fabs(kept[k]) * C[3][k], c2 = C[2][k] + h * c3;
        const double c1 = C[1][k] + h * C[2][k] + h2 * c3;
        const double c0 = C[0][k] + h * C[1][k] + h2 * C[2][k] + h3 * c3;
        x[k] -= c0 * g[8 * all] + c1 * g[9 * all];
        const double linked = kept[k] > 0.0 ? 1.0 : 0.0;
        C[0][k] = linked * (c0 - g[0] * c0 - g[4 * all] * c1);
        C[1][k] = linked * (c1 - g[all] * c0 - g[5 * all] * c1);
        C[2][k] = linked * (c2 - g[2 * all] * c0 - g[6 * all] * c1);
        C[3][k] = linked * (fabs(kept[k]) * c3 - g[3 * all] * c0 - g[7 * all] * c1);
    }
}

/* The same, and correct the variance of that earlier state. */
static inline void pass_with_variance(double C[STATES][WIDTH], double x[WIDTH],
                                      double variance[WIDTH], double h,
                                      const double *restrict gains,
                                      const double *restrict kept, long all)
{
    const double h2 = h * h / 2.0, h3 = h * h * h / 6.0;
    for (int k = 0; k < WIDTH; k++) {
        const double *g = gains + k;
        const double c3 = fabs(kept[k]) * C[3][k];
        const double c1 = C[1][k] + h * C[2][k] + h2 * c3;
        const double c0 = C[0][k] + h * C[1][k] + h2 * C[2][k] + h3 * c3;
        variance[k] -= c0 * (c0 * g[10 * all] + 2.0 * c1 * g[11 * all])
            + c1 * c1 * g[12 * all];
    }
    pass(C, x, h, gains, kept, all);
}

/* Smooth the states of some columns at a sample by those after it, up to `last`. */
static void smooth(const Lag *lag, long column, long first, long last,
                   double x[SMOOTHED + 1][WIDTH])
{
    const long all = lag->filter->bandwidth->filters * lag->filter->bandwidth->joints;
    const double *state = lag->states + first % lag->samples * ROWS * all + column;
    double C[SMOOTHED][STATES][WIDTH];
    for (int k = 0; k < WIDTH; k++) {
        for (int r = 0; r < SMOOTHED; r++) {
            x[r][k] = state[r * all + k];
            for (int i = 0; i < STATES; i++)
                C[r][i][k] = state[NUMBER[i][r] * all + k];
        }
        x[SMOOTHED][k] = state[NUMBER[2][2] * all + k];
    }
    for (long number = first + 1; number <= last; number++) {
        const long slot = number % lag->samples;
        const double *gains = lag->gains + slot * GAINS * all + column;
        const double *kept = lag->kept + slot * all + column;
        pass(C[0], x[0], lag->steps[slot], gains, kept, all);
        pass(C[1], x[1], lag->steps[slot], gains, kept, all);
        pass_with_variance(C[2], x[2], x[3], lag->steps[slot], gains, kept, all);
    }
}

/* Store the present state as that of sample number `last`, and smooth number `first`, which has
   the stamp. */
__attribute__((visibility("default")))
void urdf2dyn_smooth(Lag *lag, long first, long last, long long stamp)
{
    const Filter *f = lag->filter;
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    double *restrict state = lag->states + last % lag->samples * ROWS * all;
    for (long c = 0; c < ROWS * all; c++)
        state[c] = f->state[c];
    double each[SMOOTHED + 1][all + WIDTH];
    for (long column = 0; column < all; column += WIDTH) {
        double x[SMOOTHED + 1][WIDTH];
        smooth(lag, column, first, last, x);
        for (int r = 0; r <= SMOOTHED; r++)
            for (int k = 0; k < WIDTH; k++)
                each[r][column + k] = x[r][k];
    }
    const double *missed = f->bandwidth->onset->missed;
    const double *filtered = f->state + NUMBER[2][2] * all;
    double squares[all + 1], declared[n + 1];
    for (long j = 0; j < n; j++) {
        double least = INFINITY, part = 0.0, sum = 0.0, inverse = 0.0, mean[SMOOTHED + 1] = {0.0};
        for (long c = all - n + j; c >= 0; c -= n) {
            const double known = f->bandwidth->filters > 1 ? f->known[j] : 1.0;
            const double before = fmax(filtered[c], 0.0) * known;
            const double after = fmax(each[SMOOTHED][c], 0.0) * known;
            const double excess = fmax(f->bandwidth->squares[c] - before - missed[c], 0.0);
            const double away = each[2][c] - each[2][all - n + j];
            const int decays = f->bandwidth->decay[c] > 0.0;
            part = decays ? part : larger(part, after / larger(before, LEAST_VARIANCE));
            squares[c] = larger(SMOOTHED_NOISE * after + (decays ? excess : part * excess)
                              + fmin(missed[c], away * away), LEAST_VARIANCE);
            least = fmin(least, squares[c]);
        }
        for (long c = j; c < all; c += n) {
            const double weight = least / squares[c] * (least / squares[c]);
            sum += weight;
            inverse += weight / squares[c];
            for (int r = 0; r <= SMOOTHED; r++)
                mean[r] += weight * each[r][c];
        }
        for (int r = 0; r <= SMOOTHED; r++)
            lag->smoothed[r * n + j] = mean[r] / sum;
        for (int r = 0; r < 2 && lag->following >= 0; r++)
            lag->followed[r * n + j] = each[r][lag->following * n + j];
        declared[j] = sum / inverse;
    }
    double *variance = lag->smoothed + 4 * n;
    if (lag->hindsight)
        hindsight(lag->hindsight, stamp, each[0] + f->tracking * n, lag->smoothed + 2 * n,
                  declared, f->variance, variance);
    else
        for (long j = 0; j < n; j++)
            variance[j] = fmax(lag->smoothed[3 * n + j], 0.0);
}

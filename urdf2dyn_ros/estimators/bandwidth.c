/*
 * Weights of the filters of each joint, as bandwidth.py computes them. That file documents what is
 * computed and why; this does the same in the same order. Its constants are macros.
 */
#include <math.h>

typedef struct {
    long filters, joints, number;
    long long newest;
    double period;
    long long *stamps;     /* (STORED_STATES) */
    double *states;        /* (STORED_STATES, 4, filters, joints) */
    double *errors;        /* (HORIZON_COUNT, filters, joints) */
    double *compared;      /* (HORIZON_COUNT, joints) */
    long long *velocity;   /* (joints): newest stamp with a velocity */
    double *fast;          /* (joints): 1 with velocity, 0 without */
    double *weights;       /* (filters, joints) */
    double *variance;      /* (joints) */
    double *modelled;      /* (joints) */
} Bandwidth;

static const double HORIZONS[HORIZON_COUNT] = {HORIZON_0, HORIZON_1, HORIZON_2};

/* Return the index of the newest state that is no newer than a stamp, or -1. */
static long before(const Bandwidth *b, long long stamp)
{
    const long kept = b->number < STORED_STATES ? b->number : STORED_STATES;
    for (long back = 1; back <= kept; back++) {
        const long index = (b->number - back) % STORED_STATES;
        if (b->stamps[index] <= stamp)
            return index;
    }
    return -1;
}

static void compare(Bandwidth *b, long long stamp, double passed, const double *measured)
{
    const long n = b->joints, all = b->filters * n;
    const double forgotten = 1.0 - exp(-passed / PREDICTION_MEMORY);
    for (int slot = 0; slot < HORIZON_COUNT; slot++) {
        const long index = before(b, stamp - llround(HORIZONS[slot] * 1e9));
        if (index < 0)
            continue;
        const double h = 1e-9 * (double)(stamp - b->stamps[index]);
        const double *x = b->states + index * 4 * all;
        double gain[n + 1];
        for (long j = 0; j < n; j++) {
            int known = 1;
            for (long c = j; c < all; c += n)
                known = known && isfinite(x[c]);
            known = known && isfinite(measured[b->fast[j] != 0.0 ? n + j : j]);
            double *compared = b->compared + slot * n + j;
            *compared += known;
            gain[j] = known ? fmax(forgotten, 1.0 / *compared) : 0.0;
        }
        for (long k = 0; k < b->filters; k++)
            for (long j = 0; j < n; j++) {
                const long c = k * n + j;
                const double q = x[c], qd = x[all + c], qdd = x[2 * all + c];
                const double jerk = x[3 * all + c];
                const double error = b->fast[j] != 0.0
                    ? qd + h * (qdd + h / 2.0 * jerk) - measured[n + j]
                    : q + h * (qd + h / 2.0 * (qdd + h / 3.0 * jerk)) - measured[j];
                double *mean = b->errors + slot * all + c;
                *mean += gain[j] > 0.0 ? gain[j] * (error * error - *mean) : 0.0;
            }
    }
}

static void observe(Bandwidth *b, long long stamp, const double *state, const double *measured)
{
    const long n = b->joints, all = b->filters * n;
    if (b->newest) {
        const double passed = 1e-9 * (double)(stamp - b->newest);
        b->period += (passed - b->period) * (b->period > 0.0 ? PERIOD_GAIN : 1.0);
    }
    b->newest = stamp;
    for (long j = 0; j < n; j++) {
        if (isfinite(measured[n + j]))
            b->velocity[j] = stamp;
        const double fast = stamp - b->velocity[j] < VELOCITY_MISSING;
        if (fast != b->fast[j])
            for (int slot = 0; slot < HORIZON_COUNT; slot++)
                b->compared[slot * n + j] = 0.0;
        b->fast[j] = fast;
    }
    const long long last = b->number ? b->stamps[(b->number - 1) % STORED_STATES] : 0;
    if (stamp - last < STORED_EVERY)
        return;
    if (b->number)
        compare(b, stamp, 1e-9 * (double)(stamp - last), measured);
    const long index = b->number++ % STORED_STATES;
    b->stamps[index] = stamp;
    for (long c = 0; c < 4 * all; c++)
        b->states[index * 4 * all + c] = state[c];
}

/* declared: (filters, joints), variances of the accelerations. */
static void weigh(Bandwidth *b, const double *declared)
{
    const long n = b->joints, all = b->filters * n;
    double squares[all + 1], unexplained[n + 1];
    for (long c = 0; c < all; c++)
        squares[c] = 0.0;
    for (long j = 0; j < n; j++)
        unexplained[j] = INFINITY;
    for (int slot = 0; slot < HORIZON_COUNT; slot++) {
        const double h = HORIZONS[slot];
        const double *errors = b->errors + slot * all;
        for (long j = 0; j < n; j++) {
            const int fast = b->fast[j] != 0.0;
            if (!(b->compared[slot * n + j] > 0.0 && (
                    fast ? h <= LONGEST_FOR_VELOCITY : h >= FEWEST_PERIODS * b->period)))
                continue;
            const double effect = fast ? h * h : h * h * h * h / 4.0;
            double least = errors[j];
            for (long c = j + n; c < all; c += n)
                least = fmin(least, errors[c]);
            for (long c = j; c < all; c += n)
                squares[c] = fmax(squares[c], (errors[c] - least) / effect);
            unexplained[j] = fmin(unexplained[j], least / effect);
        }
    }
    for (long j = 0; j < n; j++) {
        double least = INFINITY, sum = 0.0, inverse = 0.0;
        for (long c = j; c < all; c += n) {
            squares[c] = fmax(fmax(declared[c], 0.0) + squares[c], LEAST_VARIANCE);
            least = fmin(least, squares[c]);
        }
        for (long c = j; c < all; c += n) {
            b->weights[c] = least / squares[c] * (least / squares[c]);
            sum += b->weights[c];
        }
        for (long c = j; c < all; c += n) {
            b->weights[c] /= sum;
            inverse += b->weights[c] / squares[c];
        }
        b->modelled[j] = 1.0 / inverse;
        b->variance[j] = b->modelled[j] + (isfinite(unexplained[j]) ? unexplained[j] : 0.0);
    }
}

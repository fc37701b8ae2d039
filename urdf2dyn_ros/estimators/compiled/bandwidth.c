/*
 * Weights of the filters of each joint, as bandwidth.py computes them. That file documents what is
 * computed and why; this does the same in the same order. Its constants are macros.
 */
#include <math.h>

typedef struct {
    long filters, joints, number;
    Onset *onset;
    double period;         /* usual time between samples [s] */
    long long *stamps;     /* (STORED_STATES) */
    double *states;        /* (STORED_STATES, 4, filters, joints) */
    double *errors;        /* (2, HORIZON_COUNT, filters, joints): of positions, of velocities */
    double *compared;      /* (2, HORIZON_COUNT, joints) */
    long long *velocity;   /* (joints): newest stamp with a velocity */
    double *fast;          /* (joints): 1 with velocity, 0 without */
    double *weights;       /* (filters, joints) */
    double *variance;      /* (joints) */
    double *declared;      /* (joints) */
    double *squares;       /* (filters, joints) */
    double *density;       /* (filters, joints): of the snap */
    double *decay;         /* (filters, joints): rate of the jerk */
    double *absent;        /* (filters, joints): added to squares */
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

static double time_scale(const Bandwidth *b)
{
    return fmax(1.0, b->period / SLOW_PERIOD);
}

/* Return the numbers of comparisons of a joint's positions, or velocities, at a horizon. */
static double *compared(const Bandwidth *b, int velocity, long slot, long j)
{
    return b->compared + (velocity * HORIZON_COUNT + slot) * b->joints + j;
}

/* Return whether predicted velocities of a joint judge. */
static int by_velocity(const Bandwidth *b, long j)
{
    const double positions = *compared(b, 0, 0, j), velocities = *compared(b, 1, 0, j);
    return b->fast[j] != 0.0 ? velocities >= FEWEST_COMPARED || positions == 0.0
        : positions < FEWEST_COMPARED && velocities > 0.0;
}

/* Average a row of the filters, (filters, joints), by their weights: (joints). */
static void average(const Bandwidth *b, const double *each, double *restrict mean)
{
    const long n = b->joints, all = b->filters * n;
    for (long j = 0; j < n; j++)
        mean[j] = 0.0;
    for (long first = 0; first < all; first += n)
        for (long j = 0; j < n; j++)
            mean[j] += b->weights[first + j] * each[first + j];
}

static void compare(Bandwidth *b, long long stamp, double passed, const double *measured)
{
    const long n = b->joints, all = b->filters * n;
    const double scale = time_scale(b);
    const double forgotten = 1.0 - exp(-passed / (PREDICTION_MEMORY * scale));
    for (int slot = 0; slot < HORIZON_COUNT; slot++) {
        const long index = before(b, stamp - llround(scale * HORIZONS[slot] * 1e9));
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
            double *number = compared(b, b->fast[j] != 0.0, slot, j);
            *number += known;
            gain[j] = known ? fmax(forgotten, 1.0 / *number) : 0.0;
        }
        double rate = 0.0, twice = h * h / 2.0, thrice = h * h * h / 6.0;
        for (long k = 0; k < b->filters; k++)
            for (long j = 0; j < n; j++) {
                const long c = k * n + j;
                const double q = x[c], qd = x[all + c], qdd = x[2 * all + c];
                if (b->decay[c] != rate) {
                    rate = b->decay[c];
                    const double once = rate > 0.0 ? -expm1(-h * rate) / rate : 0.0;
                    twice = rate > 0.0 ? (h - once) / rate : h * h / 2.0;
                    thrice = rate > 0.0 ? (h * h / 2.0 - twice) / rate : h * h * h / 6.0;
                }
                const double without = b->fast[j] != 0.0
                    ? (qd + h * qdd - measured[n + j]) / h
                    : (q + h * (qd + h / 2.0 * qdd) - measured[j]) / (h * h / 2.0);
                const double with = without + x[3 * all + c]
                    * (b->fast[j] != 0.0 ? twice / h : thrice / (h * h / 2.0));
                double *mean = b->errors
                    + ((b->fast[j] != 0.0) * HORIZON_COUNT + slot) * all + c;
                const double error = smaller(with * with, JERK_CLIPPING * (without * without));
                *mean += gain[j] > 0.0 && isfinite(error) ? gain[j] * (error - *mean) : 0.0;
            }
    }
}

static void observe(Bandwidth *b, long long stamp, const double *state, const double *measured)
{
    const long n = b->joints, all = b->filters * n;
    for (long j = 0; j < n; j++) {
        if (isfinite(measured[n + j]))
            b->velocity[j] = stamp;
        const double fast = stamp - b->velocity[j] < VELOCITY_MISSING;
        if (fast != b->fast[j]) {
            for (int slot = 0; slot < HORIZON_COUNT; slot++)
                *compared(b, fast != 0.0, slot, j) = 0.0;
            for (long c = j; c < STORED_STATES * 4 * all; c += n)
                b->states[c] = NAN;
        }
        b->fast[j] = fast;
    }
    const long long last = b->number ? b->stamps[(b->number - 1) % STORED_STATES] : 0;
    if (b->number && stamp - last < STORED_EVERY)
        return;
    if (b->number)
        compare(b, stamp, 1e-9 * (double)(stamp - last), measured);
    const long index = b->number++ % STORED_STATES;
    b->stamps[index] = stamp;
    for (long c = 0; c < 4 * all; c++)
        b->states[index * 4 * all + c] = state[c];
}

/* Add the excess of the errors of a joint at a horizon to squares. */
static void add_excess(const Bandwidth *b, long j, const double *errors, double *excess)
{
    const long n = b->joints, all = b->filters * n;
    double least = errors[j];
    for (long c = j + n; c < all; c += n)
        least = smaller(least, errors[c] + b->absent[c]);
    for (long c = j; c < all; c += n)
        excess[c] = larger(excess[c], errors[c] - SHARED * least);
}

/* Add what the horizons that suit a joint show. */
static void add_errors(const Bandwidth *b, long j, double *excess)
{
    const long n = b->joints, all = b->filters * n;
    const int fast = by_velocity(b, j);
    const double *before = 0, *kept = 0;   /* kept: used only for want of a longer horizon */
    long best = j;
    for (int slot = 0; slot < (fast ? VELOCITY_HORIZONS : HORIZON_COUNT); slot++) {
        const double *errors = b->errors + (fast * HORIZON_COUNT + slot) * all;
        if (*compared(b, fast, slot, j) == 0.0)
            continue;
        if (before && errors[best] > HORIZON_GATE * before[best]) {
            if (kept)
                add_excess(b, j, kept, excess);
            break;
        }
        kept = !fast && time_scale(b) * HORIZONS[slot] < FEWEST_PERIODS * b->period ? errors : 0;
        if (!kept)
            add_excess(b, j, errors, excess);
        before = errors;
        best = j;
        for (long c = j + n; c < all; c += n)
            best = errors[c] + b->absent[c] < errors[best] ? c : best;
    }
}

/* Weight the filters by the squares of their squared errors. Loops over joints are of vectors. */
static void share(Bandwidth *b, const double *declared, const double *squares)
{
    const long n = b->joints, all = b->filters * n;
    double least[n + 1], sum[n + 1], inverse[n + 1];
    for (long j = 0; j < n; j++)
        least[j] = INFINITY, sum[j] = inverse[j] = b->declared[j] = 0.0;
    for (long first = 0; first < all; first += n)
        for (long j = 0; j < n; j++)
            least[j] = smaller(squares[first + j], least[j]);
    for (long first = 0; first < all; first += n)
#pragma GCC ivdep
        for (long j = 0; j < n; j++) {
            const double part = least[j] / squares[first + j];
            b->weights[first + j] = part * part;
            sum[j] += part * part;
        }
    for (long first = 0; first < all; first += n)
#pragma GCC ivdep
        for (long j = 0; j < n; j++) {
            const long c = first + j;
            b->weights[c] /= sum[j];
            inverse[j] += b->weights[c] / squares[c];
            b->squares[c] = squares[c];
            b->declared[j] += b->weights[c] * declared[c];
        }
    for (long j = 0; j < n; j++)
        b->variance[j] = 1.0 / inverse[j];
}

/* Arrays: (filters, joints); declared: variances of the accelerations; known: (joints). */
static void weigh(Bandwidth *b, const double *declared, const double *accelerations,
                  const double *known, const char *single, const double *most, double h)
{
    const long n = b->joints, all = b->filters * n;
    double squares[all + 1], credible[all + 1];
    for (long first = 0; first < all; first += n)
        for (long j = 0; j < n; j++) {
            credible[first + j] = (b->filters > 1 ? known[j] : 1.0) * declared[first + j];
            squares[first + j] = 0.0;
        }
    for (long j = 0; j < n; j++)
        add_errors(b, j, squares);
    for (long c = 0; c < all; c++)
        squares[c] = larger(larger(credible[c], 0.0) + squares[c], LEAST_VARIANCE) + b->absent[c];
    if (b->filters > 1)
        add_missed(b->onset, n, all, squares, accelerations, credible, single, most,
                   h / time_scale(b));
    share(b, declared, squares);
}

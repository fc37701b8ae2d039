/*
 * One step of the filters of kalman.py, all joints, in one call. That file documents what is
 * computed and why; this does the same in the same order.
 *
 * state has a row for each entry of x and of the upper triangle of P, in the order of ENTRIES of
 * constant_jerk.py, and two for the innovations; a column for each filter and joint.
 */
#include <math.h>

#define STATES 4
#define ROWS 14
#define GAINS 13

typedef struct {
    Bandwidth *bandwidth;
    Hindsight *hindsight;     /* 0: the deviation is not needed */
    double *state;            /* (16, filters, joints) */
    double *rejected;         /* (joints): rejected measurements in a row */
    const double *measured;   /* (2, joints); NaN where not measured */
    const double *variance;   /* (2, joints), of these */
    const double *known;      /* (joints): part of the variance that was learned */
    const double *density;    /* (filters, joints) */
    double *estimate;         /* (4, joints): position, velocity, acceleration, its deviation */
    double *gains;            /* (GAINS, filters, joints) that a smoother needs, or 0 */
    double gate, acceleration_step, max_variance;
    long tracking;            /* filter that follows every motion */
} Filter;

enum {REJECTING = 1, UNCERTAIN = 2, WRONG_STAMP = 4};

static const int NUMBER[STATES][STATES] = {
    {4, 6, 7, 9}, {6, 5, 8, 10}, {7, 8, 11, 12}, {9, 10, 12, 13}};
static const double INVERSE_FACTORIAL[STATES] = {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0};

/* Predict every filter over h [s], and its innovations. */
static void predict(Filter *f, double h)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    double F[STATES], Q[STATES][STATES], powers[2 * STATES] = {1.0};
    for (int k = 1; k < 2 * STATES; k++)
        powers[k] = powers[k - 1] * h;
    for (int k = 0; k < STATES; k++)
        F[k] = powers[k] * INVERSE_FACTORIAL[k];
    for (int i = 0; i < STATES; i++)
        for (int j = i; j < STATES; j++)
            Q[i][j] = powers[7 - i - j] * INVERSE_FACTORIAL[3 - i] * INVERSE_FACTORIAL[3 - j]
                / (7 - i - j);
    double *restrict z = f->state;
    const double *restrict density = f->density;
    for (long c = 0; c < all; c++) {
        double x[STATES], P[STATES][STATES], FP[STATES][STATES];
        for (int i = 0; i < STATES; i++) {
            x[i] = 0.0;
            for (int k = i; k < STATES; k++)
                x[i] += F[k - i] * z[k * all + c];
            for (int j = 0; j < STATES; j++) {
                FP[i][j] = 0.0;
                for (int k = i; k < STATES; k++)
                    FP[i][j] += F[k - i] * z[NUMBER[k][j] * all + c];
            }
        }
        for (int i = 0; i < STATES; i++)
            for (int j = i; j < STATES; j++) {
                P[i][j] = density[c] * Q[i][j];
                for (int k = j; k < STATES; k++)
                    P[i][j] += FP[i][k] * F[k - j];
            }
        for (int i = 0; i < STATES; i++) {
            z[i * all + c] = x[i];
            for (int j = i; j < STATES; j++)
                z[NUMBER[i][j] * all + c] = P[i][j];
        }
    }
    for (int k = 0; k < 2; k++)
        for (long filter = 0; filter < f->bandwidth->filters; filter++)
            for (long j = 0; j < n; j++)
                z[(ROWS + k) * all + filter * n + j] =
                    z[k * all + filter * n + j] - f->measured[k * n + j];
}

/* Find the time by which a stamp is off: time_error of wrong_stamp.py. */
static double time_error(const Filter *f, double h, const double *late, int kind)
{
    const Bandwidth *b = f->bandwidth;
    const long n = b->joints, all = b->filters * n;
    const double *fastest = f->state + all - n;
    double size = 0.0, along = 0.0;
    if (b->filters < 2 || !(b->period > 0.0) || (kind != NEW && b->period < SHORTEST_SLIP))
        return 0.0;
    const double off = kind != NEW ? b->period : h - rint(h / b->period) * b->period;
    for (long j = 0; j < n; j++) {
        const double expected = off * f->estimate[n + j];
        double y = fastest[ROWS * all + j], S = f->variance[j];
        if (kind == NEW)
            S = fastest[NUMBER[0][0] * all + j] + S + late[j] * late[j];
        else {
            y = -f->measured[j];
            for (long filter = 0; filter < b->filters; filter++)
                y += b->weights[filter * n + j] * f->state[filter * n + j];
        }
        if (isfinite(y)) {
            size += expected / S * expected;
            along += expected / S * y;
        }
    }
    if (!(size > f->gate))
        return 0.0;
    if (kind == AFTER_SAME)
        return fabs(along - size) < SLIP_SPREAD * size ? off : 0.0;
    return along > FOLLOWED_PART * size ? off : 0.0;
}

/* Move the states of every filter to another time, and their innovations. */
static void move(Filter *f, double h)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    double *z = f->state;
    for (long c = 0; c < all; c++) {
        for (int i = 0; i < STATES; i++) {
            double power = h;
            for (int k = i + 1; k < STATES; k++, power *= h)
                z[i * all + c] += power * INVERSE_FACTORIAL[k - i] * z[k * all + c];
        }
        for (int k = 0; k < 2; k++)
            z[(ROWS + k) * all + c] = z[k * all + c] - f->measured[k * n + c % n];
    }
}

/* Find outliers: the fastest filter judges, whose predictions are nearest. kept: (2, joints). */
static int judge(Filter *f, double h, const double *late, int unused, double *kept)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    const double *fastest = f->state + all - n;
    const int adapts = f->bandwidth->filters > 1;
    const double steps[2] = {0.5 * f->acceleration_step * h * h, f->acceleration_step * h};
    int flags = 0;
    if (unused) {
        for (long j = 0; j < n; j++) {
            kept[j] = kept[n + j] = NAN;
            flags |= f->rejected[j] > 0.0 ? REJECTING : 0;
        }
        return flags;
    }
    for (long j = 0; j < n; j++) {
        int good[2];
        for (int k = 0; k < 2; k++) {
            const double shift = adapts ? SAMPLE_SHIFT * h * f->estimate[(k + 1) * n + j] : 0.0;
            const double y = fastest[(ROWS + k) * all + j];
            const double S = fastest[NUMBER[k][k] * all + j] + f->variance[k * n + j]
                + late[k * n + j] * late[k * n + j];
            good[k] = y * y <= f->gate * (S + shift * shift) + f->gate * (steps[k] * steps[k]);
        }
        if (adapts && f->rejected[j] >= MOST_REJECTED && fabs(fastest[ROWS * all + j]) < SMALL_JUMP)
            good[0] = 1;
        const int outlier = !good[0] || (!good[1] && isfinite(f->measured[n + j]));
        f->rejected[j] = outlier ? f->rejected[j] + 1.0 : 0.0;
        flags |= outlier ? REJECTING : 0;
        for (int k = 0; k < 2; k++)
            kept[k * n + j] = good[k] ? f->measured[k * n + j] : NAN;
    }
    return flags;
}

/* Note the gains of a filter's states, its innovations over their covariance, and its inverse. */
static void note(const Filter *f, long c, const double K[2][STATES], const double y[2],
                 const double S[2], double off)
{
    const long all = f->bandwidth->filters * f->bandwidth->joints;
    const double scale = 1.0 / (S[0] * S[1] - off * off);
    const double rest[] = {scale * (S[1] * y[0] - off * y[1]), scale * (S[0] * y[1] - off * y[0]),
                           scale * S[1], -scale * off, scale * S[0]};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < STATES; i++)
            f->gains[(k * STATES + i) * all + c] = K[k][i];
    for (int k = 0; k < GAINS - 2 * STATES; k++)
        f->gains[(2 * STATES + k) * all + c] = rest[k];
}

/* Correct every filter by the measurements that are kept. */
static void correct(Filter *f, const double *late, const double *kept)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    for (long filter = 0; filter < f->bandwidth->filters; filter++) {
        double *restrict z = f->state + filter * n;
        for (long j = 0; j < n; j++) {
            double x[STATES], P[STATES][STATES];
            for (int i = 0; i < STATES; i++) {
                x[i] = z[i * all + j];
                for (int k = i; k < STATES; k++)
                    P[i][k] = P[k][i] = z[NUMBER[i][k] * all + j];
            }
            const int lost[2] = {isnan(kept[j]), isnan(kept[n + j])};
            const double y[2] = {lost[0] ? 0.0 : z[ROWS * all + j],
                                 lost[1] ? 0.0 : z[(ROWS + 1) * all + j]};
            const double S[2] = {
                lost[0] ? REJECTED_VARIANCE : P[0][0] + f->variance[j] + late[j] * late[j],
                lost[1] ? REJECTED_VARIANCE
                    : P[1][1] + f->variance[n + j] + late[n + j] * late[n + j]};
            const double off = lost[0] || lost[1] ? 0.0 : P[0][1] + late[j] * late[n + j];
            const double scale = 1.0 / (S[0] * S[1] - off * off);
            double K[2][STATES];
            for (int i = 0; i < STATES; i++) {
                K[0][i] = S[1] * scale * P[0][i] - off * scale * P[1][i];
                K[1][i] = S[0] * scale * P[1][i] - off * scale * P[0][i];
            }
            if (f->gains)
                note(f, filter * n + j, K, y, S, off);
            for (int i = 0; i < STATES; i++) {
                z[i * all + j] = x[i] - K[0][i] * y[0] - K[1][i] * y[1];
                for (int k = i; k < STATES; k++)
                    z[NUMBER[i][k] * all + j] = P[i][k] - K[0][i] * P[0][k] - K[1][i] * P[1][k];
            }
        }
    }
}

/* Find the filters that follow each sample alone. */
static void follow(const Filter *f, const double *kept, char *single)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    const double *position = f->state + NUMBER[0][0] * all, *velocity = f->state + NUMBER[1][1] * all;
    for (long first = 0; first < all; first += n)
        for (long j = 0; j < n; j++)
            single[first + j] = position[first + j] > SINGLE_SAMPLE * f->variance[j]
                || (!isnan(kept[n + j])
                    && velocity[first + j] > SINGLE_SAMPLE * f->variance[n + j]);
}

/* Find the squared errors of accelerations that the innovations show at most. */
static void limit(const Filter *f, double h, const double *kept, double *most)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    const double *velocities = f->state + (ROWS + 1) * all;
    for (long first = 0; first < all; first += n)
        for (long j = 0; j < n; j++) {
            const double y = isnan(kept[n + j]) ? 0.0 : velocities[first + j] / h;
            most[first + j] = f->bandwidth->fast[j] != 0.0 ? INNOVATION_SHOWS * (y * y) : INFINITY;
        }
}

/*
 * Return flags: REJECTING if an outlier was rejected, UNCERTAIN if max_variance is exceeded,
 * WRONG_STAMP.
 */
__attribute__((visibility("default")))
int urdf2dyn_kalman(Filter *f, long long stamp, double h, double stamps, int kind)
{
    Bandwidth *b = f->bandwidth;
    const long n = b->joints, all = b->filters * n;
    double late[2 * n + 1], kept[2 * n + 1];
    predict(f, h);
    for (int k = 0; k < 2; k++)
        for (long j = 0; j < n; j++) {
            double rate = 0.0;
            for (long filter = 0; filter < b->filters; filter++)
                rate += b->weights[filter * n + j] * f->state[(k + 1) * all + filter * n + j];
            late[k * n + j] = rate * stamps;
        }
    const double off = time_error(f, h, late, kind);
    if (off != 0.0 && kind == AFTER_SAME)
        move(f, -off);
    int flags = judge(f, h, late, off != 0.0 && kind != AFTER_SAME, kept);
    flags |= off != 0.0 ? WRONG_STAMP : 0;
    correct(f, late, kept);
    if (b->filters > 1)
        observe(b, stamp, f->state, kept);
    char single[all + 1];
    double most[all + 1];
    follow(f, kept, single);
    limit(f, h, kept, most);
    weigh(b, f->state + NUMBER[2][2] * all, f->state + 2 * all, f->known, single, most, h);
    for (int k = 0; k < 3; k++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long filter = 0; filter < b->filters; filter++)
                sum += b->weights[filter * n + j] * f->state[k * all + filter * n + j];
            f->estimate[k * n + j] = sum;
        }
    double *deviation = f->estimate + 3 * n;
    if (f->hindsight)
        hindsight(f->hindsight, stamp, f->state + f->tracking * n, f->estimate + 2 * n,
                  b->variance, f->variance, deviation);
    for (long j = 0; j < n; j++) {
        deviation[j] = sqrt(f->hindsight ? deviation[j] : b->variance[j]);
        flags |= b->declared[j] < f->max_variance ? 0 : UNCERTAIN;
    }
    return flags;
}

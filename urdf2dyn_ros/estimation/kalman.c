/*
 * The work of kalman.py, hindsight.py and bank.py at each message, in C.
 *
 * Every function does what the method of that name does, by the same operations in the same
 * order: the results are the same to the last bit, unless multiply-adds are fused. A pointer in a
 * structure is the numpy array of that name, in its memory and shape. What happens before the
 * usual step is known is in Python alone.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__
#define VECTORS __attribute__((target_clones("avx2", "default"), flatten))   /* without FMA */
#else
#define VECTORS
#endif

/* Constants of the modules, by their names there; compiled_kalman.py hands over the values. */
#define CONSTANTS(X) X(DIFFUSE) X(STEADY) \
    X(SPACING) X(ROWS_KEPT) X(SQUARE_MEMORY) X(SIZE_MEMORY) X(FEWEST_VALUES) X(FIRST_USE_DELAYS) \
    X(LEAST_ERROR) X(LEAST_PART) X(SLOWER_REFERENCES) X(TOLD_REFERENCES) X(NOISE_RATIO) \
    X(PLATEAU_RATIO) X(LARGEST_VIBRATION) X(ALONE) \
    X(POSITION_GATE) X(SAME_DEVIATION) X(VELOCITY_GATE) X(PLAUSIBLE_CHANGE) X(USUAL_POSITION) \
    X(SUSPECT_GATE) X(MOST_UNCONFIRMED) X(LARGEST_RMS_RATIO) X(MOST_CONTRADICTIONS) \
    X(LEAST_TRUST) X(FIRST_TRUST) X(LEAST_TRUST_KEPT) X(TRUST_MEMORY) X(TRUST_SAMPLES) \
    X(MOST_VARIANCE) X(ALTERNATING_CORRELATION) X(LEAST_ALTERNATION) X(QUANTUM_TOLERANCE) X(REST_TIME) \
    X(LONGEST_BRIDGE) X(COPY_STEP) X(VALID) X(STARTING) X(LATE) X(REPEATED) X(CONTRADICTORY) X(DISTRUSTED) \
    X(BEGUN_ANEW) X(AFTER_GAP)
#define DECLARED(name) static double name;
#define NAMED(name) #name " "
#define SET(name) name = *values++;
CONSTANTS(DECLARED)
EXPORTED const char *const urdf2dyn_constants = CONSTANTS(NAMED);
EXPORTED const char *const urdf2dyn_version = VERSION;   /* which text this is the library of */

EXPORTED void urdf2dyn_set_constants(const double *values)
{
    CONSTANTS(SET)
}

typedef unsigned char Boolean;   /* of numpy */
typedef double Flag;             /* 0 or 1, as wide as what it selects: so loops become vectors */

/* The fields of a structure, by type and name; compiled_kalman.py reads them from the library.
 * void * is an array of numbers with several indices. */
#define FIELD(type, name) type name;
#define NAMED_FIELD(type, name) #type " " #name "\n"

#define BANK(X) X(int64_t, joints) X(int64_t, filters) X(int64_t, each) X(int64_t, derivative) \
    X(int64_t *, first) X(int64_t *, end)   /* filters that positions correct, and velocities */ \
    X(int64_t, rows) X(int64_t, oldest) X(int64_t, kept)   /* the past is a ring, some are kept */ \
    X(double, unit) X(int64_t *, order) X(int64_t *, slot) X(double *, w) X(double *, snap) \
    X(double *, jerk) X(double *, variances) X(double *, steady) \
    X(void *, x) X(void *, P) X(void *, past) X(void *, cross) \
    X(void *, residuals)   /* (n, k), which correct the past */
typedef struct { BANK(FIELD) } Bank;
EXPORTED const char *const urdf2dyn_Bank = BANK(NAMED_FIELD);

#define HINDSIGHT(X) X(int64_t, count) X(int64_t, judges) X(int64_t, number) \
    X(int64_t *, filters) X(int64_t *, rows) X(int64_t *, next) X(double *, delays) \
    X(double *, prior) X(double *, mixture_errors) X(double *, missed) X(double *, size) \
    X(double *, declared) X(double *, variance) X(double *, variance_ratio) X(double *, times) \
    X(double *, began) X(void *, errors) X(void *, weights) X(void *, shares) \
    X(void *, accelerations) X(void *, mixed) X(void *, references) X(Boolean *, velocities) \
    X(void *, work)   /* (2, k + 1, n) */
typedef struct { HINDSIGHT(FIELD) } Hindsight;
EXPORTED const char *const urdf2dyn_Hindsight = HINDSIGHT(NAMED_FIELD);

#define KALMAN_FILTERS(X) X(Bank, bank) X(Hindsight, hindsight) X(int64_t, velocities) \
    X(int64_t, bridged) X(int64_t, duplicate) X(int64_t, begun) X(int64_t *, outliers) \
    X(double, step) X(double, time) X(double, good) X(double, stalled) X(double, lag_began) \
    X(double *, usual) X(double *, counts) X(double *, trust) X(double *, velocity_trust) \
    X(double *, alternation) X(double *, quantum) X(double *, unconfirmed) X(double *, sampled) \
    X(double *, last) X(double *, shifts) X(double *, prompt)   /* (k,) */ \
    X(double *, measured) X(double *, estimate)   /* (2, n), the sample; (5, n), the result */ \
    X(void *, deviations) X(void *, oldest)   /* (3, k, n), of the past */
typedef struct { KALMAN_FILTERS(FIELD) } KalmanFilters;
EXPORTED const char *const urdf2dyn_KalmanFilters = KALMAN_FILTERS(NAMED_FIELD);

#define RANGE(index, first, end) for (long index = (first); index < (end); ++index)
#define EACH(index, count) RANGE(index, 0, count)
#define SHAPE(bank) const long K = (bank)->filters, n = (bank)->joints

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* ---- Bank: x (4, k, n), P (1 + n, 4, 4, k), past (m, 3, n, k), cross (m, 1 + n, 3, 4, k) */

/* Whether a covariance is in use: the shared one, 0, or that of joint slot - 1 */
#define IN_USE(bank, slot_) ((slot_) == 0 || (bank)->slot[(slot_) - 1] == (slot_))
#define ROW(bank, m) (((bank)->oldest + (m)) % (bank)->rows)   /* of the past, from the oldest */

static void start(Bank *bank, long joint, double q, double qd, long slot)
{
    SHAPE(bank);
    double (*x)[K][n] = bank->x, (*P)[4][K] = ((double (*)[4][4][K])bank->P)[slot];
    double (*past)[3][n][K] = bank->past, (*cross)[1 + n][3][4][K] = bank->cross;
    double deviation = DIFFUSE;
    memset(P, 0, sizeof (double [4][4][K]));
    EACH(k, K) {
        const int late = k >= bank->end[0];   /* a filter of velocities alone */
        x[0][k][joint] = q;
        x[1][k][joint] = late && isfinite(qd) ? qd : 0.0;
        x[2][k][joint] = x[3][k][joint] = 0.0;
        P[0][0][k] = late ? 0.0 : 1.0;
    }
    RANGE(i, 1, 4) {
        const double before = deviation;
        deviation *= slot ? bank->unit : bank->w[bank->each - 1];
        EACH(k, K) {
            const double variance = k < bank->end[0] ? deviation * deviation
                : i == 1 ? 1.0 : before * before;
            P[i][i][k] = i == 3 && bank->order[k] == 3 ? 0.0 : variance;
        }
    }
    EACH(m, bank->kept) {
        EACH(i, 3) EACH(k, K) past[ROW(bank, m)][i][joint][k] = x[i][k][joint];
        memset(cross[ROW(bank, m)][slot], 0, sizeof cross[0][0]);
    }
}

/* Four rows of `count` numbers: x <- F(h) x */
static void advance(double *restrict rows, long count, double h)
{
    const double h2 = h * h / 2.0, h3 = h * h * h / 6.0;
    EACH(e, count) {
        const double r1 = rows[count + e], r2 = rows[2 * count + e], r3 = rows[3 * count + e];
        rows[e] += h * r1 + h2 * r2 + h3 * r3;
        rows[count + e] = r1 + (h * r2 + h2 * r3);
        rows[2 * count + e] = r2 + h * r3;
    }
}

static void predict(Bank *bank, double h)
{
    SHAPE(bank);
    static const double factorials[] = {1.0, 1.0, 2.0, 6.0};
    double (*cross)[1 + n][3][4][K] = bank->cross, powers[8] = {1.0};
    EACH(m, 7) powers[m + 1] = powers[m] * h;
    advance(bank->x, K * n, h);
    EACH(slot, 1 + n) {
        double (*P)[4][K] = ((double (*)[4][4][K])bank->P)[slot];
        if (!IN_USE(bank, slot))
            continue;
        advance(P[0][0], 4 * K, h);
        EACH(i, 4) advance(P[i][0], K, h);
        EACH(m, bank->kept) EACH(i, 3) advance(cross[ROW(bank, m)][slot][i][0], K, h);
        EACH(i, 4) RANGE(j, i, 4) {
            const double snap = powers[7 - i - j]   /* see `_densities` */
                / (factorials[3 - i] * factorials[3 - j] * (double)(7 - i - j));
            const double jerk = j == 3 ? 0.0 : powers[5 - i - j]
                / (factorials[2 - i] * factorials[2 - j] * (double)(5 - i - j));
            EACH(k, K) P[i][j][k] += snap * bank->snap[k] + jerk * bank->jerk[k];
            memcpy(P[j][i], P[i][j], sizeof P[j][i]);
        }
    }
}

static void correct(Bank *bank, const double *measured, const Flag *used)
{
    SHAPE(bank);
    double (*x)[K][n] = bank->x, gain[4][K], row[4][K], scale[K], y[n];
    double (*past)[3][n][K] = bank->past, (*cross)[1 + n][3][4][K] = bank->cross;
    double (*residuals)[K] = bank->residuals;
    Flag here[n];
    EACH(i, 2) EACH(slot, 1 + n) {
        const long first = bank->first[i], end = bank->end[i];
        const double *z = measured + i * n, *variances = bank->variances + i * K;
        double (*P)[4][K] = ((double (*)[4][4][K])bank->P)[slot];
        int some = 0, mine = 0, both = 0;
        if (!IN_USE(bank, slot))
            continue;
        EACH(j, n) {
            here[j] = bank->slot[j] == slot ? used[i * n + j] : 0.0;
            some |= used[i * n + j] != 0.0;
            mine |= bank->slot[j] == slot;
            both |= here[j] != 0.0;
        }
        if (!both && (mine || !some))
            continue;
        memcpy(row, P[i], sizeof row);
        RANGE(k, first, end) scale[k] = 1.0 / (P[i][i][k] + variances[k]);
        EACH(r, 4) RANGE(k, first, end) gain[r][k] = P[r][i][k] * scale[k];
        RANGE(k, first, end) {
            EACH(j, n) y[j] = here[j] != 0.0 ? z[j] - x[i][k][j] : 0.0;
            EACH(r, 4) EACH(j, n) x[r][k][j] += gain[r][k] * y[j];
            EACH(j, bank->kept ? n : 0) residuals[j][k] = y[j];
        }
        EACH(r, 4) RANGE(c, r, 4) {
            RANGE(k, first, end) P[r][c][k] -= gain[r][k] * row[c][k];
            memcpy(P[c][r], P[r][c], sizeof P[c][r]);
        }
        EACH(m, bank->kept) EACH(r, 3) {
            double (*mine_of)[K] = cross[ROW(bank, m)][slot][r], *restrict g = gain[0];
            RANGE(k, first, end) g[k] = mine_of[i][k] * scale[k];
            EACH(c, 4) RANGE(k, first, end) mine_of[c][k] -= g[k] * row[c][k];
            RANGE(j, slot ? slot - 1 : 0, slot ? slot : n) {
                double *restrict state = past[ROW(bank, m)][r][j];
                RANGE(k, first, end) state[k] += g[k] * residuals[j][k];
            }
        }
    }
    RANGE(k, bank->end[0], K) EACH(j, n)   /* the position of a filter of velocities */
        x[0][k][j] = used[j] != 0.0 ? measured[j] : x[0][k][j];
    EACH(j, n) {
        const double *variance = ((double (*)[4][4][K])bank->P)[1 + j][bank->derivative]
            [bank->derivative];
        int settled = 1;
        EACH(k, bank->slot[j] ? K : 0) settled &= variance[k] < STEADY * bank->steady[k];
        if (settled)
            bank->slot[j] = 0;
    }
}

/* Sums over filters (k, n), in their order */
static void mixed(long K, long n, const double *weights, const double *values, double *sums)
{
    memset(sums, 0, (size_t)n * sizeof *sums);
    EACH(k, K) EACH(j, n) sums[j] += weights[k * n + j] * values[k * n + j];
}

/* ---- Hindsight: errors (count, k + 1, n), weights (k + 1, n), accelerations (ROWS_KEPT, k + 1, n) */

static void average(double *mean, double value, double gain, int some)
{
    *mean += some ? gain * (value - *mean) : 0.0;
}

static void judge(Hindsight *self, const Bank *bank, long i, double time)
{
    SHAPE(bank);
    const long kept = (long)ROWS_KEPT;
    const double delay = self->delays[i];
    long number = self->next[i] > self->number - kept ? self->next[i] : self->number - kept;
    while (number < self->number && self->times[number % kept] <= time - delay)
        ++number;
    if (number == self->next[i])
        return;
    self->next[i] = number;
    const long row = (number - 1) % kept, judge = self->filters[i];
    const double u = self->times[row];
    const double dt = number > 1 ? smaller(u - self->times[(number - 2) % kept], 1.0) : delay;
    double (*x)[K][n] = bank->x, (*errors)[K + 1][n] = self->errors, (*own)[n] = self->mixed;
    double (*accelerations)[K + 1][n] = self->accelerations;
    double (*references)[self->count][n] = self->references, reference[n];
    Flag old[n];
    double any = 0.0;
    EACH(j, n) {
        old[j] = time - self->began[j] >= FIRST_USE_DELAYS * delay ? 1.0 : 0.0;
        const double ago = time - u;
        reference[j] = x[bank->derivative][judge][j] - ago * x[bank->derivative + 1][judge][j];
        if (bank->derivative == 1)
            reference[j] += ago * ago / 2.0 * x[3][judge][j];
        references[row][i][j] = old[j] != 0.0 ? reference[j] : NAN;
        any = larger(any, old[j]);
    }
    self->rows[i] += any != 0.0;
    const double first = 1.0 / larger((double)self->rows[i], 1.0);
    const double gain = larger(smaller(1.0 - exp(-dt / SQUARE_MEMORY), 1.0 / FEWEST_VALUES), first);
    const double slow = larger(1.0 - exp(-dt / SIZE_MEMORY), first);
    EACH(k, i < self->judges ? K + 1 : 0) EACH(j, n) {   /* those of the others are not read */
        const double error = accelerations[row][k][j] - reference[j];
        errors[i][k][j] += old[j] != 0.0 ? gain * (error * error - errors[i][k][j]) : 0.0;
    }
    EACH(j, n) {
        const int some = old[j] != 0.0;
        const double error = own[row][j] - reference[j];
        const double missed = i + 1 < self->count ? reference[j] - references[row][i + 1][j] : NAN;
        average(self->mixture_errors + i * n + j, error * error, gain, some);
        average(self->size + i * n + j, reference[j] * reference[j], slow, some);
        average(self->missed + i * n + j, missed * missed, gain, some && isfinite(missed));
    }
}

/* The least error of each joint */
static void least(long K, long n, const double *errors, double *result)
{
    memcpy(result, errors, (size_t)n * sizeof *result);
    EACH(k, K) EACH(j, n) result[j] = smaller(errors[k * n + j], result[j]);
}

static void weigh(Hindsight *self, const Bank *bank)
{
    SHAPE(bank);
    const long last = (self->count < self->judges ? self->count : self->judges) - 1;
    const long d = bank->derivative;
    double (*errors)[K + 1][n] = self->errors, (*weights)[n] = self->weights;
    double (*shares)[n] = self->shares, (*error)[n] = self->work, (*variance_ratio)[n] = error + K + 1;
    double (*P)[4][4][K] = bank->P, size[n], lowest[n], sum[n];
    Flag enough[n];
    memcpy(error, errors[last], sizeof errors[last]);
    memcpy(size, self->size + last * n, sizeof size);
    EACH(j, n) enough[j] = 1.0;
    for (long i = last - 1; i >= 0 && (double)self->rows[i] >= FEWEST_VALUES; --i) {
        least(K + 1, n, errors[i + 1][0], lowest);
        EACH(j, n) {
            enough[j] = self->missed[i * n + j] <= lowest[j] ? enough[j] : 0.0;
            size[j] = enough[j] != 0.0 ? self->size[i * n + j] : size[j];
        }
        EACH(k, K + 1) EACH(j, n) error[k][j] = enough[j] != 0.0 ? errors[i][k][j] : error[k][j];
    }
    EACH(k, K) EACH(j, n)
        variance_ratio[k][j] = larger(P[bank->slot[j]][d][d][k] / bank->steady[k], 1.0);
    memcpy(variance_ratio[K], variance_ratio[bank->each - 1], sizeof variance_ratio[K]);
    EACH(k, K + 1) EACH(j, n)
        error[k][j] = k < bank->first[1] || k == K || self->velocities[j] ? variance_ratio[k][j]
            * (error[k][j] + (LEAST_ERROR + LEAST_PART * LEAST_PART * size[j])) : INFINITY;
    least(K + 1, n, error[0], lowest);
    memset(sum, 0, sizeof sum);
    EACH(k, K + 1) EACH(j, n) {
        const double part = lowest[j] / error[k][j];
        weights[k][j] = self->prior[k] * (part * part * part);
        sum[j] += weights[k][j];
    }
    EACH(k, K + 1) EACH(j, n) weights[k][j] /= sum[j];
    memcpy(shares, weights, sizeof shares[0] * (size_t)K);
    EACH(j, n) shares[bank->each - 1][j] += ALONE * weights[K][j];
    memset(sum, 0, sizeof sum);
    EACH(k, K) EACH(j, n) sum[j] += shares[k][j];
    EACH(k, K) EACH(j, n) shares[k][j] /= sum[j];
    mixed(K + 1, n, weights[0], variance_ratio[0], self->variance_ratio);
    EACH(j, n) {
        double most = self->mixture_errors[j];
        double declared = most;
        EACH(i, self->count) {
            const double now = self->mixture_errors[i * n + j];
            if (i < (long)SLOWER_REFERENCES) most = larger(now, most);
            const double next = i + 1 < self->count ? self->mixture_errors[(i + 1) * n + j]
                : i < (long)SLOWER_REFERENCES ? 0.0 : INFINITY;
            if (i < (long)TOLD_REFERENCES) declared = larger(now, declared);
            else if (next < (i < (long)SLOWER_REFERENCES ? NOISE_RATIO : PLATEAU_RATIO) * now)
                declared = larger(smaller(now, LARGEST_VIBRATION * LARGEST_VIBRATION), declared);
        }
        self->variance[j] = most * self->variance_ratio[j];
        self->declared[j] = declared * self->variance_ratio[j];
    }
}

static void add(Hindsight *self, const Bank *bank, double time, const double *trust, double at,
                const double *a)
{
    SHAPE(bank);
    const long kept = (long)ROWS_KEPT;
    double (*own)[n] = self->mixed;
    double (*accelerations)[K + 1][n] = self->accelerations;
    double (*references)[self->count][n] = self->references;
    int again = 0, lost = 0;   /* trust in velocities */
    EACH(j, n) {
        const int trusted = trust[j] >= LEAST_TRUST;
        lost |= self->velocities[j] > trusted;
        again |= bank->slot[j] || self->variance_ratio[j] > STEADY;
        self->velocities[j] = (Boolean)trusted;
    }
    if (lost)
        weigh(self, bank);
    if (self->number == 0 || at - self->times[(self->number - 1) % kept] >= SPACING) {
        EACH(i, self->number ? 0 : self->count) self->next[i] = 0;
        const long row = self->number++ % kept;
        self->times[row] = at;
        memcpy(accelerations[row], a, sizeof (double [K][n]));
        mixed(K, n, self->weights, a, own[row]);
        EACH(i, self->count) EACH(j, n) references[row][i][j] = NAN;
        for (long i = self->count - 1; i >= 0; --i)
            judge(self, bank, i, time);
        again = 1;
    }
    if (again)
        weigh(self, bank);
}

/* ---- KalmanFilters: usual, counts, row, last (2, n), deviations (MOST_CONTRADICTIONS, n) */

static void begin_joint(KalmanFilters *self, long joint, double q, double qd, long slot)
{
    self->bank.slot[joint] = slot;
    start(&self->bank, joint, q, qd, slot);
    self->hindsight.began[joint] = self->lag_began = self->sampled[joint] = self->time;
    self->hindsight.variance_ratio[joint] = INFINITY;
    self->trust[joint] = FIRST_TRUST;
    self->outliers[joint] = 0;
}

static void begin(KalmanFilters *self, const double *q, const double *qd)
{
    const long n = self->bank.joints;
    self->bank.kept = 0;
    self->begun = 1;   /* the times of `Lag` are to be forgotten, too */
    EACH(j, n) {
        self->last[j] = isfinite(q[j]) ? q[j] : self->last[j];
        self->last[n + j] = qd[j];
        begin_joint(self, j, self->last[j], qd[j], 0);
        self->velocity_trust[j] = FIRST_TRUST;
        self->quantum[j] = 0.0;
        self->outliers[n + j] = 0;
    }
    self->hindsight.number = 0;
    self->good = self->time;
    self->stalled = 0.0;
}

/* Position and velocity, z (2, n), are compared with what is expected */
static void innovations(const KalmanFilters *self, double *z, double *deviations, double *nearest,
                        double *limits)
{
    const Bank *bank = &self->bank;
    SHAPE(bank);
    double (*x)[K][n] = bank->x, expected[n];
    EACH(i, 2) {
        double *zi = z + i * n, *nearest_i = nearest + i * n;
        mixed(K, n, self->hindsight.shares, x[i][0], expected);
        EACH(j, n)
            deviations[i * n + j] = nearest_i[j] = zi[j] - expected[j];
        RANGE(k, i ? bank->end[0] : 0, i ? K : bank->first[1])
            EACH(j, k % bank->each < bank->each / 2 ? 0 : n) {
                const double other = zi[j] - x[i][k][j];
                nearest_i[j] = fabs(other) < fabs(nearest_i[j]) ? other : nearest_i[j];
            }
    }
    EACH(j, n) {
        const double h = self->time - self->sampled[j];
        const double position = PLAUSIBLE_CHANGE * (h * h) / 2.0, velocity = PLAUSIBLE_CHANGE * h;
        limits[j] = POSITION_GATE * POSITION_GATE * self->usual[j] + position * position;
        limits[n + j] = VELOCITY_GATE * VELOCITY_GATE * self->usual[n + j]
            + velocity * velocity;
    }
}

static void trust(KalmanFilters *self, double h, const Boolean *measured, const Boolean *bad,
                  const Boolean *stale)
{
    const long n = self->bank.joints;
    const double gain = smaller(1.0 - exp(-h / TRUST_MEMORY), 1.0 / TRUST_SAMPLES);
    EACH(e, 2 * n) {
        double *share = e < n ? self->trust + e : self->velocity_trust + e - n;
        if (measured[e] || (e >= n && !stale[e - n]))
            *share += gain * ((measured[e] && !bad[e] ? 1.0 : 0.0) - *share);
    }
}

static void learn(KalmanFilters *self, double h, const Boolean *measured, const Boolean *bad,
                  const double *y, const Boolean *settled, int same, const double *deviation)
{
    const long n = self->bank.joints;
    const double least = smaller(1.0 - exp(-h / SQUARE_MEMORY), 1.0 / FEWEST_VALUES);
    double *squares = self->alternation, *products = squares + n, *before = products + n;
    EACH(e, 2 * n) {
        if (measured[e] && !bad[e] && settled[e % n] && self->measured[e] != self->last[e]) {
            const double square = smaller(y[e] * y[e], SUSPECT_GATE * SUSPECT_GATE * self->usual[e]);
            self->counts[e] += 1.0;
            self->usual[e] += larger(least, 1.0 / (1.0 + self->counts[e]))
                * (square - self->usual[e]);
            if (e < n) {
                const double step = fabs(self->measured[e] - self->last[e]), q = self->quantum[e];
                const double rest = q > 0.0 ? fabs(step - q * rint(step / q)) : step;
                self->quantum[e] = rest <= QUANTUM_TOLERANCE * q ? q : rest;
            }
        }
        if (measured[e])
            self->outliers[e] = bad[e] ? self->outliers[e] + 1 : 0;
    }
    EACH(j, same ? 0 : n)
        if (measured[j] && settled[j]) {
            average(squares + j, deviation[j] * deviation[j], least, 1);
            average(products + j, deviation[j] * before[j], least, 1);
            before[j] = deviation[j];
        }
}

static void resolve(KalmanFilters *self, const double *z, const double *deviation,
                    const double *limits, Boolean *bad, Flag *used)
{
    SHAPE(&self->bank);
    const long in_a_row = (long)MOST_CONTRADICTIONS;
    double (*deviations)[n] = self->deviations, (*x)[K][n] = self->bank.x;
    long begun[n], count = 0;
    EACH(j, n) {
        if (bad[n + j] && self->outliers[n + j] >= in_a_row) {
            used[n + j] = 1.0;
            self->velocity_trust[j] = 0.0;
        }
        if (!bad[j])
            continue;
        if (self->outliers[j] < in_a_row) {
            deviations[self->outliers[j] - 1][j] = deviation[j];
            continue;
        }
        int same = 1;
        EACH(i, in_a_row - 1) {
            const double away = deviations[i][j] - deviation[j];
            same &= away * away <= limits[j] / 4.0;
        }
        if (same) {   /* the sensor has another zero */
            EACH(k, K) x[0][k][j] += deviation[j];
            self->shifts[j] += deviation[j];
            self->trust[j] = FIRST_TRUST;
            self->outliers[j] = 0;
            bad[j] = 0;
            used[j] = 1.0;
        } else {
            begun[count++] = j;
        }
    }
    if (count == n)
        begin(self, z, z + n);
    else
        EACH(e, count) begin_joint(self, begun[e], z[begun[e]], z[n + begun[e]], 1 + begun[e]);
}

/* KalmanFilters._correct */
static void use(KalmanFilters *self, double h, const double *z, const Flag *used,
                const Boolean *settled, const Boolean *unusual)
{
    Bank *bank = &self->bank;
    const Hindsight *hindsight = &self->hindsight;
    SHAPE(bank);
    const double (*weights)[n] = hindsight->weights, 
        *a = (double *)bank->x + bank->derivative * K * n;
    double before[n], after[n], bandwidth[n];
    mixed(K, n, weights[0], a, before);
    correct(bank, z, used);
    mixed(K, n, weights[0], a, after);
    memset(bandwidth, 0, sizeof bandwidth);
    EACH(k, K) EACH(j, n) bandwidth[j] += weights[k][j] * bank->w[k];
    EACH(j, n) {
        const double change = after[j] - before[j];
        const int suspect = isfinite(hindsight->variance_ratio[j]) && (!settled[j] || (unusual[j]
            && change * change > SUSPECT_GATE * SUSPECT_GATE * hindsight->variance[j]));
        self->unconfirmed[j] /= 1.0 + 2.0 * h * bandwidth[j];
        self->unconfirmed[j] = larger(self->unconfirmed[j], suspect ? fabs(change) : 0.0);
    }
}

static double outcome(KalmanFilters *self, int same, int repeated, const Boolean *bad, int compared)
{
    SHAPE(&self->bank);
    const int bridges = self->time - self->good < LONGEST_BRIDGE * self->step;
    const double *square = self->alternation, *product = square + n;
    const Hindsight *hindsight = &self->hindsight;
    const int seen = (double)hindsight->rows[0] >= FEWEST_VALUES;
    long count = 0, distrusted = 0, unsteady = !compared, in_a_row = 0, unconfirmed = 0;
    double a[n];
    mixed(K, n, hindsight->weights, (double *)self->bank.x + self->bank.derivative * K * n, a);
    EACH(j, n) {
        double size = 0.0;
        EACH(i, smaller(hindsight->count, SLOWER_REFERENCES)) size = larger(size, hindsight->size[i * n + j]);
        unconfirmed |= self->unconfirmed[j] * self->unconfirmed[j]
                > MOST_UNCONFIRMED * MOST_UNCONFIRMED * size
            || (seen && fabs(a[j]) > PLAUSIBLE_CHANGE + LARGEST_RMS_RATIO * sqrt(hindsight->size[j]));
        count += bad[j];
        distrusted |= self->trust[j] < LEAST_TRUST_KEPT
            || (square[j] > LEAST_ALTERNATION && product[j] < -ALTERNATING_CORRELATION * square[j]
                && square[j] > self->quantum[j] * self->quantum[j]);
        unsteady |= self->trust[j] < LEAST_TRUST || hindsight->variance_ratio[j] > MOST_VARIANCE;
        in_a_row |= self->outliers[j] > 1;
    }
    if (!same && !count)
        self->good = self->time;
    self->bridged = repeated ? self->bridged + 1 : 0;
    const long last = smaller(hindsight->judges, hindsight->count) - 1;   /* that chooses filters */
    return (double)hindsight->rows[last] < FEWEST_VALUES ? STARTING
        : distrusted ? DISTRUSTED : unsteady ? BEGUN_ANEW
        : repeated && !(bridges && self->bridged == 1) ? REPEATED
        : in_a_row || unconfirmed || (2 * count > n && !bridges) ? CONTRADICTORY : VALID;
}

static double compare(KalmanFilters *self, double h)
{
    const long n = self->bank.joints;
    const double *q = self->measured, (*deviations)[n] = self->deviations;
    double z[2 * n], deviation[2 * n], y[2 * n], limits[2 * n];
    Boolean measured[2 * n], bad[2 * n], stale[n], settled[n], unusual[n];
    Flag used[2 * n];
    int compared = 1, same = 1, alone = 1, beyond = 0, moves = 0, any_bad = 0, any_row = 0;
    long foreign = 0;
    memcpy(z, q, sizeof z);
    innovations(self, z, deviation, y, limits);
    EACH(j, n) {
        settled[j] = self->hindsight.variance_ratio[j] <= MOST_VARIANCE;
        compared &= settled[j];
        alone &= isinf(self->hindsight.variance_ratio[j]) != 0;
    }
    const int copied = h < COPY_STEP * self->step;
    if (copied) {   /* or its stamp is wrong, by a step at most */
        double speed[n];
        mixed(self->bank.filters, n, self->hindsight.shares,
              (double *)self->bank.x + self->bank.filters * n, speed);
        EACH(j, n) limits[j] += (self->step * speed[j]) * (self->step * speed[j]);
    }
    EACH(j, n)
        stale[j] = q[n + j] != 0.0 && q[j] == self->last[j] && q[n + j] == self->last[n + j];
    EACH(e, 2 * n) {
        const double before = e < n && self->outliers[e] ? deviations[self->outliers[e] - 1][e] : 0.0;
        const int again = fabs(deviation[e] - before) < SAME_DEVIATION * fabs(deviation[e]);
        measured[e] = isfinite(z[e]) && !(e >= n && stale[e - n]);
        const int is_beyond = measured[e] && (again || y[e] * y[e] > limits[e]);
        bad[e] = is_beyond && (settled[e % n] || self->outliers[e]);
        used[e] = measured[e] && !bad[e];
        any_bad |= bad[e];
        beyond |= is_beyond && e < n;
        moves |= e < n && measured[e] && deviation[e] * deviation[e] > limits[e]
            - (POSITION_GATE * POSITION_GATE - SUSPECT_GATE * SUSPECT_GATE) * self->usual[e];
        same &= e >= n || q[e] == self->last[e];
        any_row |= e < n && self->outliers[e];
        foreign += e < n && bad[e];
    }
    if (copied && !same && alone) {   /* of those that waited during a gap, the last */
        begin(self, q, q + n);
        return BEGUN_ANEW;
    }
    const int repeated = same && !copied && (beyond || self->stalled > 0.0);
    const int held = same && !copied && !repeated && moves && !self->duplicate;
    self->duplicate = held;
    if (copied || repeated || held) {
        memset(used, 0, sizeof used);
        if (copied && !same)
            trust(self, self->step, measured, bad, stale);
    } else {
        learn(self, h, measured, bad, y, settled, same, deviation);
        trust(self, h, measured, bad, stale);
        if (2 * foreign > (n > 2 ? n : 2))   /* another motion: of all joints */
            memset(used, 0, sizeof used);
        if (any_bad)
            resolve(self, z, deviation, limits, bad, used);
        EACH(e, 2 * n) self->last[e] = e >= n || isfinite(q[e]) ? q[e] : self->last[e];
        self->stalled = 0.0;
    }
    if (repeated && self->stalled == 0.0) {
        self->stalled = self->time;
    } else if (repeated && self->time - self->stalled > REST_TIME) {
        begin(self, q, q + n);
        return BEGUN_ANEW;
    }
    EACH(j, n) self->sampled[j] = used[j] != 0.0 ? self->time : self->sampled[j];
    EACH(j, n) unusual[j] = y[j] * y[j] > SUSPECT_GATE * SUSPECT_GATE * self->usual[j];
    use(self, h, z, used, settled, unusual);
    add(&self->hindsight, &self->bank, self->time, self->velocity_trust, self->time,
        (double *)self->bank.x + self->bank.derivative * self->bank.filters * n);
    EACH(j, copied || held ? n : 0) bad[j] = self->outliers[j] > 0;
    return outcome(self, same || copied, repeated, bad, compared);
}

/* `Hindsight.motion` of states (3, k, n), into (3, n) */
static void motion(const Hindsight *self, const Bank *bank, const double *states, double *result)
{
    SHAPE(bank);
    EACH(i, 3) mixed(K, n, i < bank->derivative ? self->shares : self->weights, states + i * K * n,
                     result + i * n);
}

static void prompt_velocities(const KalmanFilters *self, double *result)
{
    SHAPE(&self->bank);
    const double *weights = self->hindsight.weights, *v = (double *)self->bank.x + K * n;
    double sums[n];
    EACH(j, n) sums[j] = result[j] = 0.0;
    EACH(k, K) EACH(j, n) {
        const double weight = weights[k * n + j] * self->prompt[k];
        sums[j] += weight;
        result[j] += weight * v[k * n + j];
    }
    EACH(j, n) result[j] = sums[j] > 0.0 ? result[j] / sums[j] : self->estimate[n + j];
}

/*
 * `KalmanFilters.update` with the sample `measured`. Where these are the first velocities, for which
 * there are no filters, nothing is done and the result is -1.
 */
EXPORTED VECTORS int urdf2dyn_update(KalmanFilters *self, double time)
{
    const long n = self->bank.joints;
    const double h = time - self->time;
    double why = LATE;
    EACH(j, self->velocities ? 0 : n)
        if (isfinite(self->measured[n + j]))
            return -1;
    int some = 0;   /* as at the start, joints begin at a sample of all */
    EACH(j, isinf(h) ? n : 0) some |= !isfinite(self->measured[j]);
    if (h > 0.0 && !some)
        self->time = time;
    if (some) {
        why = AFTER_GAP;
    } else if (isinf(h)) {   /* after a pause */
        begin(self, self->measured, self->measured + n);
        EACH(j, n) {
            self->usual[j] = larger(self->usual[j], USUAL_POSITION);
            self->counts[j] = 0.0;
        }
        why = AFTER_GAP;
    } else if (h > 0.0) {
        predict(&self->bank, h);
        why = compare(self, h);
    }
    motion(&self->hindsight, &self->bank, self->bank.x, self->estimate);
    EACH(j, n) self->estimate[3 * n + j] = sqrt(self->hindsight.declared[j]);
    prompt_velocities(self, self->estimate + 4 * n);
    return (int)why;
}

/* `Bank.keep`, in the past with filters innermost */
EXPORTED void urdf2dyn_keep(KalmanFilters *self)
{
    Bank *bank = &self->bank;
    SHAPE(bank);
    const long row = ROW(bank, bank->kept++);
    double (*x)[K][n] = bank->x, (*P)[4][4][K] = bank->P;
    double (*past)[3][n][K] = bank->past, (*cross)[1 + n][3][4][K] = bank->cross;
    EACH(i, 3) EACH(k, K) EACH(j, n) past[row][i][j][k] = x[i][k][j];
    EACH(slot, 1 + n)
        if (IN_USE(bank, slot))
            memcpy(cross[row][slot], P[slot], sizeof cross[row][slot]);
}

/* `Lag._settle` */
EXPORTED VECTORS void urdf2dyn_settle(KalmanFilters *self)
{
    Bank *bank = &self->bank;
    SHAPE(bank);
    double (*past)[3][n][K] = bank->past, (*oldest)[K][n] = self->oldest;
    EACH(i, 3) EACH(j, n) EACH(k, K) oldest[i][k][j] = past[bank->oldest][i][j][k];
    motion(&self->hindsight, bank, oldest[0][0], self->estimate);
    bank->oldest = ROW(bank, 1);
    bank->kept -= 1;
}

/*
 * Noise of all joints, updated by a window of five samples, in one call: `_learn` of
 * sensor_noise.py with `update` of mismatch.py. They document what is computed and why; this does
 * the same in the same order. Their constants are macros here.
 */
#include <math.h>

typedef struct {
    long joints, turn;
    double *variance, *prior, *weight, *sum;   /* (2, joints) each */
    double *step, *fits, *judged, *known;       /* (joints) each */
    double *moments;                           /* (4, joints) */
    double *squares;                           /* (MEDIAN_WINDOWS, joints) */
    double *excess;                            /* (joints) */
    double stamps, windows, mean, square;
} Noise;

/* Weights of the divided difference of all samples, with norm 1. */
static void difference(const double *times, double *weights)
{
    double length = 0.0;
    for (int i = 0; i < WINDOW; i++) {
        double product = 1.0;
        for (int j = 0; j < WINDOW; j++)
            product *= i == j ? 1.0 : times[i] - times[j];
        weights[i] = 1.0 / product;
        length += weights[i] * weights[i];
    }
    for (int i = 0; i < WINDOW; i++)
        weights[i] /= sqrt(length);
}

/* Weights that integrate polynomials of degree 4 exactly: integrals of the Lagrange polynomials
   over the unit interval, multiplied out from their roots. */
static void integral(const double *times, double *weights)
{
    const double span = times[WINDOW - 1];
    for (int i = 0; i < WINDOW; i++) {
        double polynomial[WINDOW] = {1.0}, scale = 1.0;
        for (int j = 0, degree = 0; j < WINDOW; j++) {
            if (j == i)
                continue;
            degree++;
            for (int k = degree; k >= 0; k--)
                polynomial[k] = (k > 0 ? polynomial[k - 1] : 0.0)
                    - (k < degree ? times[j] / span * polynomial[k] : 0.0);
            scale *= (times[i] - times[j]) / span;
        }
        weights[i] = 0.0;
        for (int k = 0; k < WINDOW; k++)
            weights[i] += polynomial[k] / (k + 1);
        weights[i] *= span / scale;
    }
}

/* Regress the noise of the positions on the square of the velocity, all joints at once. */
static void learn_stamps(Noise *s, const double *e, const double *vv, const double *intervals,
                         double keep)
{
    const long n = s->joints;
    double *E_e = s->moments, *E_vv = E_e + n, *E_vvvv = E_vv + n, *E_evv = E_vvvv + n;
    double mean = 0.0, square = 0.0, spread = 0.0, variance = 0.0, fourth = 0.0;
    s->windows = keep * s->windows + 1.0;
    const double new = 1.0 / s->windows;
    for (long j = 0; j < n; j++) {
        if (!isnan(e[j])) {
            E_e[j] += new * (e[j] - E_e[j]);
            E_vv[j] += new * (vv[j] - E_vv[j]);
            E_vvvv[j] += new * (vv[j] * vv[j] - E_vvvv[j]);
            E_evv[j] += new * (e[j] * vv[j] - E_evv[j]);
        }
        spread += E_vvvv[j] - E_vv[j] * E_vv[j];
        fourth += E_vvvv[j];
        variance += E_evv[j] - E_e[j] * E_vv[j];
    }
    for (int i = 0; i < WINDOW - 1; i++) {
        mean += intervals[i] / (WINDOW - 1);
        square += intervals[i] * intervals[i] / (WINDOW - 1);
    }
    s->mean += new * (mean - s->mean);
    s->square += new * (square - s->square);
    variance = spread > SPEED_SPREAD * fourth ? variance / spread : 0.0;
    const double most = 0.5 * (s->square - s->mean * s->mean);   /* an interval has two stamps */
    const int regular = most < 1e-4 * s->mean * (1e-4 * s->mean);
    s->stamps = regular ? 0.0 : sqrt(smaller(larger(variance, 0.0), most));
}

/* Recognise an encoder by its steps: every change is a multiple of the smallest. */
static void learn_step(Noise *s, long j, const double *moves, int informative)
{
    double smallest = INFINITY;
    int fits = 1;
    for (int i = 0; i < WINDOW - 1; i++)
        smallest = moves[i] > 0.0 ? smaller(smallest, moves[i]) : smallest;
    if (smallest < s->step[j] * (1.0 - 1e-3))
        s->step[j] = smallest;
    if (!informative)
        return;
    for (int i = 0; i < WINDOW - 1; i++) {
        const double count = moves[i] / s->step[j];
        fits = fits && fabs(count - rint(count)) < 1e-2;
    }
    s->judged[j] += 1.0;
    s->fits[j] += larger(1.0 / s->judged[j], 0.05) * (fits - s->fits[j]);
}

/* Median of those of a column that are known, 0 of too few. */
static double median(const double *column, long stride)
{
    double sorted[MEDIAN_WINDOWS];
    int known = 0;
    for (int i = 0; i < MEDIAN_WINDOWS; i++) {
        const double value = column[i * stride];
        if (isnan(value))
            continue;
        int k = known++;
        for (; k > 0 && sorted[k - 1] > value; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = value;
    }
    return known < FEWEST_MISMATCHES ? 0.0 : sorted[(known - 1) / 2];
}

/* samples and rates: (WINDOW, 2, joints); passed: since the last window [s]. */
__attribute__((visibility("default")))
void urdf2dyn_learn(Noise *s, const double *times, const double *samples, const double *rates,
                    double passed)
{
    const long n = s->joints;
    const double keep = larger(0.0, 1.0 - passed / NOISE_MEMORY);
    const double prior[2] = {INITIAL_NOISE_POSITION * INITIAL_NOISE_POSITION, INITIAL_NOISE_VELOCITY * INITIAL_NOISE_VELOCITY};
    const double floor[2] = {LEAST_VARIANCES_POSITION, LEAST_VARIANCES_VELOCITY};
    double weights[WINDOW], integrals[WINDOW], intervals[WINDOW - 1], gain = 0.0;
    double shortest = INFINITY, longest = 0.0;
    double e[2 * n + 1], squares[2 * n + 1];
    difference(times, weights);
    for (int i = 0; i < WINDOW - 1; i++) {
        intervals[i] = times[i + 1] - times[i];
        shortest = smaller(shortest, intervals[i]);
        longest = larger(longest, intervals[i]);
    }
    const int even = shortest > 0.2 * longest;
    const double span = times[WINDOW - 1];
    if (even) {
        integral(times, integrals);
        for (int i = 0; i < WINDOW; i++)
            gain += integrals[i] * integrals[i];
        s->turn = (s->turn + 1) % MEDIAN_WINDOWS;
    }
    for (long j = 0; j < 2 * n; j++) {
        double sum = 0.0;
        squares[j] = 0.0;
        for (int i = 0; i < WINDOW; i++) {
            sum += weights[i] * samples[i * 2 * n + j];
            squares[j] += weights[i] * weights[i] * (rates[i * 2 * n + j] * rates[i * 2 * n + j]);
        }
        e[j] = sum * sum;
    }
    learn_stamps(s, e, squares, intervals, keep);

    for (long j = 0; j < n; j++) {
        double moves[WINDOW - 1], largest = 0.0, least = INFINITY, late[2];
        for (int i = 0; i < WINDOW - 1; i++) {
            moves[i] = fabs(samples[(i + 1) * 2 * n + j] - samples[i * 2 * n + j]);
            largest = larger(largest, moves[i]);
            least = smaller(least, moves[i]);
        }
        if (isnan(e[j]))
            largest = NAN;
        double learned_part = 0.0;
        const int informative[2] = {largest - least > CHANGE_SPREAD * largest, largest != 0.0};
        learn_step(s, j, moves, informative[0]);
        for (int k = 0; k < 2; k++) {
            const long at = k * n + j;
            const int known = isfinite(e[at]);
            late[k] = squares[at] * (s->stamps * s->stamps);
            const double part = s->variance[at] / (s->variance[at] + late[k]);
            const double share = known && informative[k] ? part * part : 0.0;
            const double excess = smaller(larger((known ? e[at] : 0.0) - late[k], 0.0),
                                        CLIPPING_MULTIPLE * s->variance[at] + floor[k]);
            if (share > 0.0) {
                s->weight[at] = keep * s->weight[at] + share;
                s->sum[at] = keep * s->sum[at] + share * excess;
                s->prior[at] *= 0.5;
            }
            const double weight = s->weight[at] + s->prior[at];
            const double learned = s->sum[at] + floor[k] * s->weight[at];
            learned_part = larger(learned_part, learned / (learned + INITIAL_SHARE * s->prior[at] * prior[k]));
            s->variance[at] = larger((s->sum[at] + s->prior[at] * prior[k])
                                     * (1.0 + SMALL_SAMPLE / weight) / weight, floor[k]);
        }
        double slowest = INFINITY, fastest = -INFINITY;
        for (int i = 0; i < WINDOW; i++) {
            slowest = smaller(slowest, samples[i * 2 * n + n + j]);
            fastest = larger(fastest, samples[i * 2 * n + n + j]);
        }
        const int varied = isfinite(e[n + j]) && fastest > slowest;
        s->known[j] = larger(learned_part, informative[1] ? s->known[j] : varied ? 1.0 : LEAST_LEARNED_PART);
        const double step = s->fits[j] > 0.9 ? s->step[j] : 0.0;
        s->variance[j] = larger(s->variance[j], step * step / 12.0);
        if (!even)
            continue;
        double change = samples[(WINDOW - 1) * 2 * n + j] - samples[j], area = 0.0;
        for (int i = 0; i < WINDOW; i++)
            area += integrals[i] * samples[i * 2 * n + n + j];
        change -= area;
        const double noise = 2.0 * (s->variance[j] + late[0]) + gain * s->variance[n + j];
        const double square = change * change / noise;
        if (informative[1])
            s->squares[s->turn * n + j] = isfinite(square) ? square : NAN;
        s->excess[j] = larger((median(s->squares + j, n) / CHI_SQUARED_MEDIAN - MISMATCH_GATE) * noise / (span * span),
                              (informative[1] ? keep : 1.0) * s->excess[j]);
        s->variance[n + j] += s->excess[j];
    }
}

/*
 * The smoother of kalman_fixed_lag.py. That file corrects every state of the window by each
 * sample; this corrects the oldest one by all samples after it, whose gains are stored: the
 * state backward, as the sum of what these samples show, and the variance of its acceleration
 * forward. Columns are in blocks, and what is stored of a block in one piece.
 */

#define SMOOTHED 3

typedef struct {
    Filter *filter;
    Hindsight *hindsight;     /* 0 for a single filter */
    long samples;             /* room for so many, a power of 2 */
    double *steps;            /* (samples): time since the sample before [s] */
    double *states;           /* (blocks, samples, ROWS, WIDTH), after the sample */
    double *gains;            /* (blocks, samples, GAINS, WIDTH) */
    double *smoothed;         /* (5, joints): position, velocity, acceleration, its variance by
                                 white noise, and the one to declare */
} Lag;

typedef double Columns __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

__attribute__((visibility("default"))) const long urdf2dyn_width = WIDTH;

/* Go back by a sample: the covariances with a state times mu are what all samples after that one
   correct it by, and this one as well afterwards. */
static inline void go_back(Columns mu[STATES], double h, const Columns *g)
{
    const double h2 = h * h * (1.0 / 2.0), h3 = h * h * h * (1.0 / 6.0);
    const Columns d = g[JERK_LEFT], m0 = g[LINKED] * mu[0], m1 = g[LINKED] * mu[1];
    const Columns m2 = g[LINKED] * mu[2], m3 = g[LINKED] * mu[3];
    const Columns n0 = g[NORMALISED] + m0 - (g[0] * m0 + g[1] * m1 + g[2] * m2 + g[3] * m3);
    const Columns n1 = g[NORMALISED + 1] + m1 - (g[4] * m0 + g[5] * m1 + g[6] * m2 + g[7] * m3);
    mu[0] = n0;
    mu[1] = h * n0 + n1;
    mu[2] = h2 * n0 + h * n1 + m2;
    mu[3] = d * (h3 * n0 + h2 * n1 + h * m2 + d * m3);
}

/* Predict the covariances C of states with an earlier acceleration, and correct them and its
   variance by a sample. */
static inline void pass(Columns C[STATES], Columns *variance, double h, const Columns *g)
{
    const double h2 = h * h * (1.0 / 2.0), h3 = h * h * h * (1.0 / 6.0);
    const Columns d = g[JERK_LEFT], linked = g[LINKED], c3 = d * C[3], c2 = C[2] + h * c3;
    const Columns c1 = C[1] + h * C[2] + h2 * c3, c0 = C[0] + h * C[1] + h2 * C[2] + h3 * c3;
    *variance -= c0 * (c0 * g[INVERSE] + 2.0 * c1 * g[INVERSE + 1]) + c1 * c1 * g[INVERSE + 2];
    C[0] = linked * (c0 - g[0] * c0 - g[4] * c1);
    C[1] = linked * (c1 - g[1] * c0 - g[5] * c1);
    C[2] = linked * (c2 - g[2] * c0 - g[6] * c1);
    C[3] = linked * (d * c3 - g[3] * c0 - g[7] * c1);
}

/* Smooth the states of a block of columns at a sample by those after it, up to `last`. */
static void smooth(const Lag *lag, long block, long first, long last, Columns x[SMOOTHED + 1])
{
    const long mask = lag->samples - 1, before = block * lag->samples;
    const Columns *state = (const Columns *)lag->states + (before + (first & mask)) * ROWS;
    const Columns *gains = (const Columns *)lag->gains + before * GAINS;
    Columns mu[STATES] = {0}, C[STATES];
    for (int i = 0; i < STATES; i++)
        C[i] = state[NUMBER[i][2]];
    x[SMOOTHED] = C[2];
    /* neither way needs the other: side by side, the processor need not wait for results */
    for (long back = last, on = first + 1; back > first; back--, on++) {
        go_back(mu, lag->steps[back & mask], gains + (back & mask) * GAINS);
        pass(C, x + SMOOTHED, lag->steps[on & mask], gains + (on & mask) * GAINS);
    }
    for (int r = 0; r < SMOOTHED; r++) {
        x[r] = state[r];
        for (int i = 0; i < STATES; i++)
            x[r] -= state[NUMBER[i][r]] * mu[i];
    }
}

/* Store the present state as that of sample number `last`, and smooth number `first`, which has
   the stamp. */
__attribute__((visibility("default")))
void urdf2dyn_smooth(Lag *lag, long first, long last, long long stamp)
{
    const Filter *f = lag->filter;
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    double each[SMOOTHED + 1][all + WIDTH];
    for (long column = 0; column < all; column += WIDTH) {
        const long block = column / WIDTH;
        Columns *state = (Columns *)lag->states
            + (block * lag->samples + last % lag->samples) * ROWS, x[SMOOTHED + 1];
        for (int r = 0; r < ROWS; r++)   /* of the last block maybe more than there is: not used */
            state[r] = *(const Columns *)(f->state + r * all + column);
        smooth(lag, block, first, last, x);
        for (int r = 0; r <= SMOOTHED; r++)
            *(Columns *)(each[r] + column) = x[r];
    }
    const double *missed = f->bandwidth->onset->missed;
    const double *filtered = f->state + NUMBER[2][2] * all;
    double squares[all + 1], declared[n + 1];
    for (long j = 0; j < n; j++) {
        double least = INFINITY, part = 0.0, sum = 0.0, inverse = 0.0, mean[SMOOTHED + 1] = {0.0};
        for (long c = all - n + j; c >= 0; c -= n) {
            const double known = f->bandwidth->filters > 1 ? f->known[j] : 1.0;
            const double before = larger(filtered[c], 0.0) * known;
            const double after = larger(each[SMOOTHED][c], 0.0) * known;
            const double excess = larger(f->bandwidth->squares[c] - before - missed[c], 0.0);
            const double away = each[2][c] - each[2][all - n + j];
            const int decays = f->bandwidth->decay[c] > 0.0;
            part = decays ? part : larger(part, after / larger(before, LEAST_VARIANCE));
            squares[c] = larger(SMOOTHED_NOISE * after + (decays ? excess : part * excess)
                              + smaller(away * away, missed[c]), LEAST_VARIANCE);
            least = smaller(squares[c], least);
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
        for (int r = 0; r < 2 && follows(f, j); r++)
            lag->smoothed[r * n + j] = each[r][f->following * n + j];
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

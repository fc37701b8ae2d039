/*
 * The smoother of kalman_fixed_lag.py. That file corrects every state of the window by each
 * sample; this does so at anchors, once by all samples since the one before, so that a longer
 * lag takes no more arithmetic. At an anchor, the states since the one before are corrected,
 * from the newest back, by what the samples after them show (shown.c), and their covariances
 * with the state at the anchor are stored. By these, the oldest one is corrected by the samples
 * after the anchor, which are added up until its sample is the oldest one.
 *
 * Columns are in blocks with anchors of their own, so that each sample is one for as many of them.
 * The covariances of a state of which little is known differ by so much that sums would lose them:
 * after a column was reset, every sample is an anchor for a while.
 */

/* Rows that are stored of a sample up to the anchor: position, velocity and acceleration, the
   variance of the last one, and covariances of each with the states at the anchor. Those of
   samples after it are the filter's ROWS. */
enum {SHARED_ROWS = SMOOTHED + 1, RECORD_ROWS = SHARED_ROWS + SMOOTHED * STATES};

typedef struct {
    Filter *filter;
    Hindsight *hindsight;     /* 0 for a single filter */
    long samples, blocks;     /* room for so many samples, a power of 2; blocks of columns */
    long turn;                /* block whose turn it is to have an anchor */
    double *steps;            /* (samples): time since the sample before [s] */
    double *states;           /* (samples, blocks, RECORD_ROWS, WIDTH) */
    double *gains;            /* (samples, GAINS, blocks, WIDTH) */
    double *shown;            /* (blocks, 30, WIDTH): by the samples after the anchor */
    long long *anchors;       /* (blocks): number of that sample; -1 before the first */
    long long *settled;       /* (blocks): number of the sample until which each is an anchor, as a
                                 column was reset before */
    double *smoothed;         /* (5, joints): position, velocity, acceleration, its variance by
                                 white noise, and the standard deviation to declare */
} Lag;

/* What is stored of a sample. */
static inline Columns *record_of(const Lag *lag, long block, long sample)
{
    return (Columns *)lag->states
        + ((sample & (lag->samples - 1)) * lag->blocks + block) * RECORD_ROWS;
}

/* Read the gains of a sample. */
static inline void recall_gains(const Lag *lag, long block, long sample, Columns gains[GAINS])
{
    const Columns *first = (const Columns *)lag->gains
        + (sample & (lag->samples - 1)) * GAINS * lag->blocks + block;
    for (int k = 0; k < GAINS; k++)
        gains[k] = first[k * lag->blocks];
}

/* Store what is stored of a sample up to the anchor. */
static inline void store(const Shown *s, Columns *record, Columns x[SMOOTHED + 1],
                         const Columns shared[SMOOTHED][STATES])
{
    correct_record(s, x, shared);
    for (int r = 0; r <= SMOOTHED; r++)
        record[r] = x[r];
    for (int r = 0; r < SMOOTHED; r++)
        for (int i = 0; i < STATES; i++)
            record[SHARED_ROWS + r * STATES + i] = s->left[i][0] * shared[r][0]
                + s->left[i][1] * shared[r][1] + s->left[i][2] * shared[r][2]
                + s->left[i][3] * shared[r][3];
}

/* Read what is stored of a sample up to the anchor. */
static inline void recall(const Columns *record, Columns x[SMOOTHED + 1],
                          Columns shared[SMOOTHED][STATES])
{
    memcpy(x, record, (SMOOTHED + 1) * sizeof *x);
    memcpy(shared, record + SHARED_ROWS, SMOOTHED * STATES * sizeof *x);
}

/* Make the newest sample the anchor of a block; `s` is what samples after its last one show. */
static void move_anchor(const Lag *lag, long block, long first, long last, Shown *s)
{
    const long mask = lag->samples - 1, anchor = lag->anchors[block];
    Columns x[SMOOTHED + 1], shared[SMOOTHED][STATES], gains[GAINS];
    for (long k = first; k <= anchor; k++) {
        Columns *record = record_of(lag, block, k);
        recall(record, x, shared);
        store(s, record, x, shared);
    }
    Shown after;
    show_nothing(&after);
    for (long k = last; k >= first && k > anchor; k--) {
        Columns *record = record_of(lag, block, k);
        for (int r = 0; r < SMOOTHED; r++) {
            x[r] = record[r];
            for (int i = 0; i < STATES; i++)
                shared[r][i] = record[NUMBER[i][r]];
        }
        x[VARIANCE] = shared[2][2];
        store(&after, record, x, shared);
        recall_gains(lag, block, k, gains);
        if (k < lag->settled[block])
            unlink_columns(after.left[0], sizeof after / sizeof *after.mu, gains[LINKED]);
        go_back(&after, lag->steps[k & mask], gains);
    }
    show_nothing(s);
    lag->anchors[block] = last;
}

/* Smooth the states of a block of columns at a sample by those after it, up to `last`. */
static void smooth(const Lag *lag, long block, int turn, long first, long last,
                   Columns x[SMOOTHED + 1])
{
    Shown *shown = (Shown *)lag->shown + block;
    Columns shared[SMOOTHED][STATES], gains[GAINS];
    if (first <= lag->anchors[block]) {
        recall_gains(lag, block, last, gains);
        add_sample(shown, lag->steps[last & (lag->samples - 1)], gains);
        if (last < lag->settled[block])
            unlink_columns(shown->left[0], STATES * STATES, gains[LINKED]);
    }
    if (turn || last < lag->settled[block] || first > lag->anchors[block])
        move_anchor(lag, block, first, last, shown);
    recall(record_of(lag, block, first), x, shared);
    correct_record(shown, x, shared);
}

/* Store the present state as that of sample number `last`, and smooth number `first`, which has
   the stamp. Return whether its variances are below max_variance. */
__attribute__((visibility("default")))
int urdf2dyn_smooth(Lag *lag, long first, long last, long long stamp)
{
    const Filter *f = lag->filter;
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n, blocks = lag->blocks;
    double each[SMOOTHED + 1][all + WIDTH];
    /* so many blocks have an anchor now that all do before the oldest sample is past theirs */
    const long turns = blocks / (last - first + 1) + 1;
    for (long column = 0; column < all; column += WIDTH) {
        const long block = column / WIDTH, ahead = block - lag->turn;
        Columns *state = record_of(lag, block, last), x[SMOOTHED + 1];
        for (int r = 0; r < ROWS; r++)   /* of the last block maybe more than there is: not used */
            state[r] = *(const Columns *)(f->state + r * all + column);
        smooth(lag, block, (ahead < 0 ? ahead + blocks : ahead) < turns, first, last, x);
        for (int r = 0; r <= SMOOTHED; r++)
            *(Columns *)(each[r] + column) = x[r];
    }
    lag->turn = blocks ? (lag->turn + turns) % blocks : 0;
    const double *missed = f->bandwidth->onset->missed;
    const double *filtered = f->state + NUMBER[2][2] * all;
    double squares[all + 1], declared[n + 1], least[n + 1], part[n + 1], sum[n + 1];
    for (long j = 0; j < n; j++)
        least[j] = INFINITY, part[j] = sum[j] = declared[j] = 0.0;
    for (long first_column = all - n; first_column >= 0; first_column -= n) {
        const int decays = f->bandwidth->decay[first_column] > 0.0;
#pragma GCC ivdep
        for (long j = 0; j < n; j++) {
            const long c = first_column + j;
            const double known = f->bandwidth->filters > 1 ? f->known[j] : 1.0;
            const double before = larger(filtered[c], 0.0) * known;
            const double after = larger(each[VARIANCE][c], 0.0) * known;
            const double excess = larger(f->bandwidth->squares[c] - before - missed[c], 0.0);
            const double away = each[2][c] - each[2][all - n + j];
            part[j] = decays ? part[j] : larger(part[j], after / larger(before, LEAST_VARIANCE));
            squares[c] = larger(SMOOTHED_NOISE * after + (decays ? excess : part[j] * excess)
                              + smaller(away * away, missed[c]), LEAST_VARIANCE);
            least[j] = smaller(squares[c], least[j]);
        }
    }
    for (long j = 0; j < (SMOOTHED + 1) * n; j++)
        lag->smoothed[j] = 0.0;
    for (long first_column = 0; first_column < all; first_column += n)
#pragma GCC ivdep
        for (long j = 0; j < n; j++) {
            const long c = first_column + j;
            const double weight = least[j] / squares[c] * (least[j] / squares[c]);
            sum[j] += weight;
            declared[j] += weight / squares[c];
            for (int r = 0; r <= SMOOTHED; r++)
                lag->smoothed[r * n + j] += weight * each[r][c];
        }
    for (long j = 0; j < n; j++) {
        for (int r = 0; r <= SMOOTHED; r++)
            lag->smoothed[r * n + j] /= sum[j];
        for (int r = 0; r < 2 && follows(f, j); r++)
            lag->smoothed[r * n + j] = each[r][f->following * n + j];
        declared[j] = sum[j] / declared[j];
    }
    const double *white = lag->smoothed + 3 * n;
    double *deviation = lag->smoothed + 4 * n;
    if (lag->hindsight)
        hindsight(lag->hindsight, stamp, each[0] + f->tracking * n, lag->smoothed + 2 * n,
                  declared, f->variance, deviation);
    int certain = 1;
    for (long j = 0; j < n; j++) {
        deviation[j] = sqrt(lag->hindsight ? deviation[j] : fmax(white[j], 0.0));
        certain &= white[j] < f->max_variance;
    }
    return certain;
}

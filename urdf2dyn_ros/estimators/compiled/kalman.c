/*
 * One step of the filters of kalman.py, all joints, in one call. That file documents what is
 * computed and why; this does the same in the same order.
 *
 * state has the rows of constant_jerk.c and a column for each filter and joint.
 */
typedef struct {
    Bandwidth *bandwidth;
    Hindsight *hindsight;     /* 0: the deviation is not needed */
    double *state;            /* (16, filters, joints) */
    double *rejected;         /* (2, joints): rejected measurements in a row */
    double *usual;            /* (7, joints): values of Usual in gate.py */
    const double *measured;   /* (2, joints); NaN where not measured */
    const double *variance;   /* (2, joints), of these */
    const double *known;      /* (joints): part of the variance that was learned */
    double *estimate;         /* (5, joints): position, mean velocity of the filters, acceleration
                                 and its deviation, velocity */
    double *gains;            /* (GAINS, apart) that a smoother needs, or 0 */
    double gate, acceleration_step, max_variance;
    double off;               /* by which the newest stamp is wrong [s] */
    long apart;               /* columns of gains; a few more than of the state */
    long tracking;            /* filter that follows every motion */
    long following;           /* the same, or -1 if there is none with the states of all joints
                                 whose velocity is measured */
    long ever;                /* whether all filters together may predict the sample */
} Filter;

enum {REJECTING = 1, UNCERTAIN = 2};

/* Predict every filter over h [s], and its innovations. */
static void predict(Filter *f, double h)
{
    const Bandwidth *b = f->bandwidth;
    const long n = b->joints, all = b->filters * n;
    double *restrict z = f->state, kept[all + 1];
    for (long first = 0; first < all; first += n) {
        const double left = exp(-0.5 * h * b->decay[first]);
        for (long c = first; c < first + n; c++)
            kept[c] = left;
    }
    predict_columns(z, all, h, b->density, kept);
    for (long c = 0; f->gains && c < all; c++) {
        f->gains[JERK_LEFT * f->apart + c] = kept[c];
        f->gains[LINKED * f->apart + c] = 1.0;
    }
    for (int k = 0; k < 2; k++)
        for (long filter = 0; filter < b->filters; filter++)
            for (long j = 0; j < n; j++)
                z[(ROWS + k) * all + filter * n + j] =
                    z[k * all + filter * n + j] - f->measured[k * n + j];
}

/* Return what the filters together predict: position (k = 0) or velocity (1). */
static double together(const Filter *f, int k, long j)
{
    const Bandwidth *b = f->bandwidth;
    const long n = b->joints, all = b->filters * n;
    double sum = 0.0;
    for (long filter = 0; filter < b->filters; filter++)
        sum += b->weights[filter * n + j] * f->state[k * all + filter * n + j];
    return sum;
}

/*
 * Find the time by which a stamp is off: time_error of wrong_stamp.py. h is the time since the last
 * sample, whose stamp was off by `behind` [s].
 */
static double time_error(const Filter *f, double h, double behind, const double *late, int kind)
{
    const Bandwidth *b = f->bandwidth;
    const long n = b->joints, all = b->filters * n;
    const double *fastest = f->state + all - n;
    double size = 0.0, along = 0.0, off = b->period;
    if (b->filters < 2 || !(b->period > 0.0) || (kind != NEW && b->period < SHORTEST_SLIP))
        return 0.0;
    double since = h + behind, least = floor(h / off + LEAST_CAUGHT_UP) + 1.0;
    if (behind <= 0.0 || least > rint(since / off))
        since = h, least = 1.0;
    const double passed = rint(since / off);
    const double curved = kind == NEW ? 0.5 * (h + behind) * (h + behind) : 0.0;
    for (long j = 0; j < n; j++) {
        double v = f->estimate[n + j], y = fastest[ROWS * all + j], S = f->variance[j];
        if (kind == NEW && passed <= 1.0 && behind <= 0.0)
            S = fastest[NUMBER[0][0] * all + j] + S + late[j] * late[j];
        else
            y = together(f, 0, j) - f->measured[j];
        if (kind == NEW && (passed > 1.0 || behind > 0.0)) {
            S += curved * curved * b->variance[j];
            v = 0.5 * (v + together(f, 1, j));
        }
        if (isfinite(y)) {
            size += v / S * v;
            along += v / S * y;
        }
    }
    if (kind == NEW) {
        const double taken = passed > 1.0 && size > 0.0
            ? rint((since - along / size) / off) : passed;
        off = since - fmin(fmax(taken, least), passed) * off;
    }
    size *= off * off;
    along *= off;
    if (!(size > f->gate))
        return 0.0;
    if (kind == AFTER_SAME)
        return fabs(along - size) < SLIP_SPREAD * size ? off : 0.0;
    return along > FOLLOWED_PART * size ? off : 0.0;
}

static const double INVERSE_FACTORIAL[STATES] = {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0};

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

/* Return whether all filters together predict the sample of a joint: usable.py. */
static int predicted(const Filter *f, double h, long j)
{
    return f->ever && (h < SHORT_PERIOD || isnan(f->measured[f->bandwidth->joints + j]));
}

/* Return whether a measurement is no outlier, and learn what is usual: gate.py. */
static int is_good(Filter *f, double h, const double *late, int k, long j)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    const double *fastest = f->state + all - n;
    const int adapts = f->bandwidth->filters > 1;
    const double stepped = f->acceleration_step * h * (k ? 1.0 : 0.5 * h);
    const double moved = adapts ? fabs(h * f->estimate[(k + 1) * n + j]) : 0.0;
    const double shift = k ? SAMPLE_SHIFT * moved
        : fmax(fmin(SAMPLE_SHIFT * moved, LARGE_SHIFT), LEAST_SAMPLE_SHIFT * moved);
    const double y = fastest[(ROWS + k) * all + j];
    const double S = fastest[NUMBER[k][k] * all + j] + f->variance[k * n + j]
        + late[k * n + j] * late[k * n + j];
    double limit = f->gate * (S + stepped * stepped + shift * shift);
    if (predicted(f, h, j) && adapts && !isnan(y)) {
        double *usual = f->usual + k * n + j, *factor = usual + 2 * n;
        const double now = fmax(1.0, MULTIPLE_OF_USUAL * *usual);
        if (f->rejected[k * n + j] == 0.0)
            *factor = now;
        *usual += USUAL_GAIN * (fmin(y * y / limit, MOST_OF_LIMIT * now) - *usual);
        limit *= *factor;
    }
    const int good = y * y <= limit;
    if (!adapts || k || isnan(y) || (good && f->rejected[j] == 0.0))
        return good;
    double *jump = f->usual + 4 * n + j, *deviation = jump + n, *position = deviation + n;
    const double mean = together(f, 0, j) - f->measured[j], growth = mean / *deviation;
    const int grows = f->ever && f->rejected[j] >= GROWING && *position != f->measured[j]
        && growth > LEAST_GROWTH && growth < MOST_GROWTH;
    *deviation = mean;
    *position = f->measured[j];
    if (f->rejected[j] == 0.0) {
        *jump = fabs(y - mean) <= SAME_JUMP * fabs(mean) && fabs(mean) > SMALL_JUMP ? mean : NAN;
        return 0;
    }
    if (fabs(mean - *jump) <= SAME_JUMP * fabs(*jump))
        return 0;
    return good || grows || (f->rejected[j] >= MOST_REJECTED && fabs(y) < SMALL_JUMP)
        || (predicted(f, h, j) && mean * mean <= limit);
}

/* Find outliers, and count those in a row. kept: (2, joints). */
static int judge(Filter *f, double h, const double *late, int unused, double *kept)
{
    const long n = f->bandwidth->joints;
    int flags = 0;
    for (long j = 0; j < n; j++) {
        const int missing = !isfinite(f->measured[j]);
        for (int k = 0; k < 2; k++) {
            const long c = k * n + j;
            const int good = !unused && is_good(f, h, late, k, j);
            if (!unused && !good && isfinite(f->measured[c]))
                f->rejected[c] += 1.0;
            else if (!unused && !missing)
                f->rejected[c] = 0.0;
            flags |= f->rejected[c] > 0.0 ? REJECTING : 0;
            kept[c] = good ? f->measured[c] : NAN;
        }
    }
    return flags;
}

/* Correct every filter by the measurements that are kept. */
static void correct(Filter *f, const double *late, const double *kept)
{
    const long n = f->bandwidth->joints, all = f->bandwidth->filters * n;
    double wide[3][2 * all + 1];   /* a column for each of the filters: loops over them are long */
    for (int k = 0; k < 2; k++)
        for (long first = k * all; first < (k + 1) * all; first += n)
            for (long j = 0; j < n; j++) {
                wide[0][first + j] = kept[k * n + j];
                wide[1][first + j] = f->variance[k * n + j];
                wide[2][first + j] = late[k * n + j];
            }
    if (f->gains)
        correct_columns(f->state, all, wide[0], wide[1], wide[2], f->gains, f->apart);
    else
        correct_columns(f->state, all, wide[0], wide[1], wide[2], 0, 0);
}

/* Return whether position and velocity of a joint are those of one filter. */
static int follows(const Filter *f, long joint)
{
    return f->following >= 0 && isfinite(f->measured[f->bandwidth->joints + joint]);
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
            most[first + j] = f->bandwidth->fast[j] != 0.0 ? INNOVATION_SHOWS * (y * y)
                : by_velocity(f->bandwidth, j) ? 0.0 : INFINITY;
        }
}

/*
 * Return flags: REJECTING if an outlier was rejected, UNCERTAIN if max_variance is exceeded. h is
 * the time since the last message, `since` that since the last sample, whose stamp was off by
 * `behind` [s].
 */
__attribute__((visibility("default")))
int urdf2dyn_kalman(Filter *f, long long stamp, double h, double since, double behind,
                    double stamps, int kind)
{
    Bandwidth *b = f->bandwidth;
    const long n = b->joints, all = b->filters * n;
    double late[2 * n + 1], kept[2 * n + 1];
    predict(f, h);
    for (int k = 0; k < 2; k++)
        average(b, f->state + (k + 1) * all, late + k * n);
    for (long c = 0; c < 2 * n; c++)
        late[c] *= stamps;
    const double off = f->off = time_error(f, since, behind, late, kind);
    if (off != 0.0 && kind == AFTER_SAME)
        move(f, -off);
    int flags = judge(f, h, late, off != 0.0 && kind != AFTER_SAME, kept);
    correct(f, late, kept);
    if (kind != CARRIED) {   /* a prediction says nothing of how good the filters are */
        char single[all + 1];
        double most[all + 1];
        if (b->filters > 1)
            observe(b, stamp, f->state, kept);
        follow(f, kept, single);
        limit(f, h, kept, most);
        weigh(b, f->state + NUMBER[2][2] * all, f->state + 2 * all, f->known, single, most, h);
    }
    for (int k = 0; k < 3; k++)
        average(b, f->state + k * all, f->estimate + k * n);
    for (long j = 0; j < n; j++) {
        const double *followed = f->state + f->following * n + j;
        f->estimate[4 * n + j] = follows(f, j) ? followed[all] : f->estimate[n + j];
        f->estimate[j] = follows(f, j) ? followed[0] : f->estimate[j];
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

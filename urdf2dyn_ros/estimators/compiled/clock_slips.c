/*
 * The usual samples of clock_slips.py, which documents what is computed and why; its constants are
 * macros.
 */
#include <math.h>
#include <string.h>

typedef struct {
    double shift, newest, step, usual;
    long since, same, repeated;
    long joints;
    double *q, *velocities;         /* (samples, joints): those kept, estimates before them */
    const double *sample, *rates;   /* (2, joints): the newest sample, the estimates before it */
} Slips;

/* Keep the newest sample, a time h after the last of those kept; return if it may be a slip. */
__attribute__((visibility("default")))
int urdf2dyn_follow_clock(Slips *s, double h, long kept)
{
    const long n = s->joints;
    const size_t size_of_row = (size_t)n * sizeof(double);
    const double *before = s->q + (kept - 1) * n;
    double size = 0.0;
    for (long j = 0; j < n; j++) {
        const double moved = h * (s->rates[j] + 0.5 * h * s->rates[n + j]);
        const double left = s->sample[j] - before[j] - moved;
        size += left * left;
    }
    const int same = memcmp(s->sample, before, size_of_row) == 0, stayed = s->same != 0;
    memcpy(s->q + kept * n, s->sample, size_of_row);
    memcpy(s->velocities + kept * n, s->rates, size_of_row);
    s->same = same;
    if (same)
        s->newest = -h;
    if (stayed || same || !isfinite(size))
        return 0;
    if (h < MOST_USUAL * s->step || s->step == 0.0)
        s->step += (h - s->step) * (s->step == 0.0 ? 1.0 : FOLLOWING_GAIN);
    s->since++;
    if (size > SIGNIFICANT * s->usual)
        return 1;
    s->repeated = 0;
    s->usual += FOLLOWING_GAIN * (size - s->usual);
    return 0;
}

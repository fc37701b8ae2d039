/*
 * Onsets of motions, as onset.py finds them. That file documents what is computed and why; this
 * does the same. Its constants are macros.
 */
#include <math.h>

typedef struct {
    double *deviations, *in_a_row, *missed;   /* (filters, joints) each */
    double *judged;                           /* (joints) */
} Onset;

/* What a filter shows of an onset; c is its column. */
static double shown(Onset *o, long c, double deviation, double usual, double variance, int single)
{
    const double square = deviation * deviation, side = deviation > 0.0 ? 1.0 : -1.0;
    if (!(square > ONSET_GATE * usual)) {
        o->in_a_row[c] = 0.0;
        return 0.0;
    }
    const double gate = (ONSET_GATE + NOISE_GATE * log(fmax(1.0, usual / variance))) * usual;
    if (!(square > gate)) {
        o->in_a_row[c] = 0.0;
        return 0.0;
    }
    o->in_a_row[c] = o->in_a_row[c] * side > 0.0 ? o->in_a_row[c] + side : side;
    return fabs(o->in_a_row[c]) >= (single ? 2.0 : 1.0) ? square - gate : 0.0;
}

/* Add the squared errors of the filters that missed an onset, (filters, joints), all of them. */
static void add_missed(Onset *o, long joints, long all, double *squares,
                       const double *accelerations, const double *declared, const char *single,
                       const double *most, double h)
{
    const double kept = exp(-h / ONSET_MEMORY), new = 1.0 - exp(-h / DEVIATION_MEMORY);
    double total[joints + 1], inverse[joints + 1], sum[joints + 1];
    for (long j = 0; j < joints; j++)
        total[j] = inverse[j] = sum[j] = 0.0;
    for (long first = 0; first < all; first += joints)
        for (long j = 0; j < joints; j++) {
            const double square = squares[first + j], weight = 1.0 / (square * square);
            total[j] += weight;
            inverse[j] += weight / square;
            sum[j] += weight * accelerations[first + j];
        }
    for (long j = 0; j < joints; j++) {
        const double mean = sum[j] / total[j];
        double faster = 0.0;
        o->judged[j] += 1.0;
        const double gain = fmax(new, 1.0 / o->judged[j]);
        for (long c = all - joints + j; c >= 0; c -= joints) {
            const double deviation = accelerations[c] - mean;
            const int present = squares[c] < ABSENT;
            o->missed[c] = larger(o->missed[c] * kept, smaller(most[c], faster));
            squares[c] += o->missed[c];
            const double excess = shown(o, c, deviation, larger(o->deviations[c], declared[c]),
                                        total[j] / inverse[j], single[c]);
            faster = present ? larger(faster, excess) : faster;
            o->deviations[c] += gain * (deviation * deviation - o->deviations[c]);
        }
    }
}

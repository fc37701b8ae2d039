/*
 * One state, or blocks of WIDTH states in the lanes of vectors, for a generated function.
 *
 * Before it stand vectors.h, the sizes INPUTS, ENTRIES (of all inputs), RESULT, ANGLES and
 * OPERATIONS, ALIKE(DO), and the generated angles_one, result_one, angles_many and result_many.
 * States are rows.
 *
 * ALIKE(DO) is DO(first, end, entry, size) for inputs `first` to before `end`, which have `size`
 * entries each, the first of them entry `entry` of all: loops over inputs with sizes that are
 * known, because copies of their bodies would take longer.
 */
#include <pthread.h>
#include <stdint.h>

#define AT_LEAST_ONE(size) ((size) > 0 ? (size) : 1)
#define GROUPS(size) (((size) + WIDTH - 1) / WIDTH)
#define ROOM(size) AT_LEAST_ONE(GROUPS(size))
#define MAX_THREADS 64
/* on the stack, for a block: beyond it states go one by one */
#define BLOCK_BYTES ((ENTRIES + RESULT + 3 * ANGLES) * WIDTH * 8)
#define LARGE (BLOCK_BYTES > (1 << 17))
#define WORTH_A_THREAD 200000  /* operations: several times what starting a thread costs */

typedef double quad __attribute__((vector_size(32)));
typedef double loose_quad __attribute__((vector_size(32), aligned(8)));

#ifdef __clang__
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef long long quad_integers __attribute__((vector_size(32)));
#define SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (quad_integers){i, j, k, l})
#endif

/* 4 x 4: rows `from_step` doubles apart to columns, `to_step` doubles apart */
INLINE void transpose(const double *from, ptrdiff_t from_step, double *to, ptrdiff_t to_step)
{
    const quad a = *(const loose_quad *)from;
    const quad b = *(const loose_quad *)(from + from_step);
    const quad c = *(const loose_quad *)(from + 2 * from_step);
    const quad d = *(const loose_quad *)(from + 3 * from_step);
    const quad e = SHUFFLE(a, b, 0, 4, 2, 6), f = SHUFFLE(a, b, 1, 5, 3, 7);
    const quad g = SHUFFLE(c, d, 0, 4, 2, 6), h = SHUFFLE(c, d, 1, 5, 3, 7);
    *(loose_quad *)to = SHUFFLE(e, g, 0, 1, 4, 5);
    *(loose_quad *)(to + to_step) = SHUFFLE(f, h, 0, 1, 4, 5);
    *(loose_quad *)(to + 2 * to_step) = SHUFFLE(e, g, 2, 3, 6, 7);
    *(loose_quad *)(to + 3 * to_step) = SHUFFLE(f, h, 2, 3, 6, 7);
}

/* WIDTH rows of `size` to `size` vectors, or back; the last tile overlaps the one before */
INLINE void exchange(double *rows, ptrdiff_t size, double *columns, int back)
{
#define TILE(k) \
    if (back) \
        transpose(columns + (k) * WIDTH + lane, WIDTH, rows + lane * size + (k), size); \
    else \
        transpose(rows + lane * size + (k), size, columns + (k) * WIDTH + lane, WIDTH);
    for (int lane = 0; lane < WIDTH && size >= 4; lane += 4) {
        for (ptrdiff_t k = 0; k + 4 <= size; k += 4)
            TILE(k)
        if (size % 4)
            TILE(size - 4)
    }
    for (int lane = 0; lane < WIDTH && size < 4; lane++)
        for (ptrdiff_t k = 0; k < size; k++)
            if (back)
                rows[lane * size + k] = columns[k * WIDTH + lane];
            else
                columns[k * WIDTH + lane] = rows[lane * size + k];
}

/* WIDTH states; `spoiled` becomes NaN with the first number that is not finite. Inlined into the
 * loop over blocks, the constants of the recursion would be hoisted, and spilled. */
static __attribute__((noinline)) void block(const double *const in[INPUTS], double *out, vector *spoiled)
{
    vector columns[ENTRIES], result[AT_LEAST_ONE(RESULT)];
    vector angles[AT_LEAST_ONE(ANGLES)], sines[AT_LEAST_ONE(ANGLES)];
    vector cosines[AT_LEAST_ONE(ANGLES)];
    const vector *states[INPUTS];
    vector even = {0}, odd = {0};
#define GATHER(first, end, entry, size) \
    for (int i = first; i < end; i++) { \
        states[i] = columns + entry + (i - first) * size; \
        exchange((double *)in[i], size, (double *)states[i], 0); \
    }
    ALIKE(GATHER)
    angles_many(states, angles);
    sines_cosines(ANGLES, angles, sines, cosines);
    result_many(states, sines, cosines, result);
    for (int k = 0; k + 1 < ENTRIES; k += 2) {
        even += 0.0 * columns[k];
        odd += 0.0 * columns[k + 1];
    }
    if (ENTRIES % 2)
        even += 0.0 * columns[ENTRIES - 1];
    for (int k = 0; k + 1 < RESULT; k += 2) {
        even += 0.0 * result[k];
        odd += 0.0 * result[k + 1];
    }
    if (RESULT % 2)
        even += 0.0 * result[RESULT - 1];
    *spoiled += even + odd;
    exchange(out, RESULT, (double *)result, 1);
}

/* the rest of a batch: its last state fills up the lanes */
static void partial_block(const double *const in[INPUTS], double *out, ptrdiff_t count,
                          vector *spoiled)
{
    double rows[WIDTH * ENTRIES], results[WIDTH * RESULT];
    const double *padded[INPUTS];
#define PAD(first, end, entry, size) \
    for (int i = first; i < end; i++) { \
        double *const to = rows + WIDTH * (entry + (i - first) * size); \
        padded[i] = to; \
        for (ptrdiff_t lane = 0; lane < WIDTH; lane++) \
            memcpy(to + lane * size, in[i] + (lane < count ? lane : count - 1) * size, \
                   size * sizeof(double)); \
    }
    ALIKE(PAD)
    block(padded, results, spoiled);
    memcpy(out, results, count * RESULT * sizeof(double));
}

/* states in a piece: some 10 microseconds */
#define PIECE ((WORTH_A_THREAD / 8 / OPERATIONS / WIDTH + 1) * WIDTH)

__attribute__((visibility("default"))) int urdf2dyn_one(const double *const in[], double *out);

struct batch {
    const double *const *in;
    double *out;
    ptrdiff_t count;
    ptrdiff_t next;  /* first state that no thread has begun */
    int spoiled;
};

/* piece by piece, as fast as each thread gets on: others may use the processors as well */
static void *work(void *argument)
{
    struct batch *batch = argument;
    const double *in[INPUTS];
    vector spoiled = {0};
    for (;;) {
        const ptrdiff_t first = __atomic_fetch_add(&batch->next, PIECE, __ATOMIC_RELAXED);
        if (first >= batch->count)
            break;
        const ptrdiff_t end = batch->count - first < PIECE ? batch->count : first + PIECE;
#define STATE_K(first, end, entry, size) \
    for (int i = first; i < end; i++) \
        in[i] = batch->in[i] + k * size;
        for (ptrdiff_t k = first; k < end; k += LARGE ? 1 : WIDTH) {
            double *const out = batch->out + k * RESULT;
            ALIKE(STATE_K)
            if (LARGE)
                spoiled[0] += urdf2dyn_one(in, out);
            else if (end - k >= WIDTH)
                block(in, out, &spoiled);
            else
                partial_block(in, out, end - k, &spoiled);
        }
    }
    for (int lane = 0; lane < WIDTH; lane++)
        if (!(spoiled[lane] == 0.0))
            __atomic_store_n(&batch->spoiled, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* 0, or 1 if anything in or out is not finite; pieces begin at blocks, so that a result does not
 * depend on the number of threads */
__attribute__((visibility("default"))) int urdf2dyn_many(
    const double *const in[], double *out, ptrdiff_t count, long threads)
{
    struct batch batch = {in, out, count, 0, 0};
    pthread_t started[MAX_THREADS];
    const double useful = 1.0 + (double)count * OPERATIONS / WORTH_A_THREAD;
    if (threads > useful)
        threads = (long)useful;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    long running = 0;
    while (running < threads - 1 && pthread_create(started + running, NULL, work, &batch) == 0)
        running++;
    work(&batch);  /* all of it, if there is no other thread */
    while (running > 0)
        pthread_join(started[--running], NULL);
    return batch.spoiled;
}

/* 0.0, or NaN if an entry is not finite */
static double spoils(const double *entries, ptrdiff_t size)
{
    quad sum = {0};
    double rest = 0.0;
    ptrdiff_t k = 0;
    for (; k + 4 <= size; k += 4)
        sum += 0.0 * *(const loose_quad *)(entries + k);
    for (; k < size; k++)
        rest += 0.0 * entries[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

/* one state: sines and cosines still come from vectors, filled up with zeros */
__attribute__((visibility("default"))) int urdf2dyn_one(const double *const in[], double *out)
{
    vector angles[ROOM(ANGLES)], sines[ROOM(ANGLES)], cosines[ROOM(ANGLES)];
    double spoiled = 0.0;
#define SPOILED(first, end, entry, size) \
    for (int i = first; i < end; i++) \
        spoiled += spoils(in[i], size);
    ALIKE(SPOILED)
    angles[ROOM(ANGLES) - 1] = (vector){0};
    angles_one(in, (double *)angles);
    sines_cosines(GROUPS(ANGLES), angles, sines, cosines);
    result_one(in, (const double *)sines, (const double *)cosines, out);
    spoiled += spoils(out, RESULT);
    return !(spoiled == 0.0);
}

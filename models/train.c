// SPDX-License-Identifier: MIT
// Learns one vector for each word from pairs of questions and code, and writes the packed model.
//
//   ken-model-train PAIRS OUT NAME [option=value...]      (options: train_priv.h)
//
// The vector of a bag of words is the normalised sum of its words' vectors, each times its weight
// and the root of its count. A piece of code is the sum of its fields' vectors (content, path,
// names, file) with learned factors. Training is symmetric InfoNCE: in a batch every question must
// tell its code from all the others, and the other way round. Batches are made of groups from one
// repository, whose pieces are hard to tell apart; pieces of the same file are no negatives.
// Gradients touch few words, so Adam is lazy: a word's moments move when the word is met.
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/fs.h"
#include "train_priv.h"

enum {
    DIMS_MAX = 1024, // of one training
    SECTION_ALIGN = 64,
};

static bool set_option(train_options *o, const char *arg)
{
#define X(name, value, text)                        \
    if (!strncmp(arg, #name "=", sizeof #name)) {   \
        o->name = strtod(arg + sizeof #name, NULL); \
        return true;                                \
    }
    TRAIN_OPTIONS(X)
#undef X
    fprintf(stderr, "'%s' is no option\n", arg);
    return false;
}

// ---- the packed model ----

typedef struct packed {
    const train_data *d;
    const float *rows; // n_words × n_dims, weights in them
    uint32_t n_dims;
    const uint32_t *order; // words by hash
} packed;

static const uint64_t *hash_of_words;

static int by_hash(const void *a, const void *b)
{
    uint64_t x = hash_of_words[*(const uint32_t *)a], y = hash_of_words[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static void pad(ken_buf *out)
{
    while (out->len % SECTION_ALIGN)
        ken_buf_putc(out, '\0');
}

static void put_head(ken_buf *out, const packed *p, const char *name, const float factors[4])
{
    char text[32] = { 0 };
    uint32_t numbers[3] = { 1, p->d->n_words, p->n_dims }, reserved[2] = { 0 };
    memcpy(text, name, strnlen(name, sizeof text - 1));
    ken_buf_put(out, "KENM", 4);
    ken_buf_put(out, numbers, sizeof numbers);
    ken_buf_put(out, text, sizeof text);
    ken_buf_put(out, factors, 4 * sizeof *factors);
    ken_buf_put(out, reserved, sizeof reserved);
    pad(out);
}

static float scale_of(const float *row, uint32_t n)
{
    float most = 1e-12f;
    for (uint32_t j = 0; j < n; j++)
        most = fabsf(row[j]) > most ? fabsf(row[j]) : most;
    return most / 127;
}

static void put_rows(ken_buf *out, const packed *p)
{
    for (uint32_t i = 0; i < p->d->n_words; i++)
        ken_buf_put(out, &p->d->hash[p->order[i]], sizeof(uint64_t));
    pad(out);
    for (uint32_t i = 0; i < p->d->n_words; i++) {
        float scale = scale_of(p->rows + (size_t)p->order[i] * p->n_dims, p->n_dims);
        ken_buf_put(out, &scale, sizeof scale);
    }
    pad(out);
    for (uint32_t i = 0; i < p->d->n_words; i++) {
        const float *row = p->rows + (size_t)p->order[i] * p->n_dims;
        float scale = scale_of(row, p->n_dims);
        for (uint32_t j = 0; j < p->n_dims; j++)
            ken_buf_putc(out, (char)(int8_t)lrintf(row[j] / scale));
    }
}

static int write_model(const char *path, const char *name, packed p, const float factors[4])
{
    uint32_t *order = ken_alloc(p.d->n_words * sizeof *order);
    for (uint32_t i = 0; i < p.d->n_words; i++)
        order[i] = i;
    hash_of_words = p.d->hash;
    qsort(order, p.d->n_words, sizeof *order, by_hash);
    p.order = order;
    ken_buf out = KEN_BUF_INIT((size_t)1 << 30);
    put_head(&out, &p, name, factors);
    put_rows(&out, &p);
    ken_err err = { 0 };
    ken_status st = ken_fs_write_atomic(path, ken_buf_str(&out), &err);
    if (st)
        fprintf(stderr, "%s\n", err.msg);
    ken_buf_release(&out);
    ken_free(order);
    return st != KEN_OK;
}

// ---- several models made one ----

// LAPACK: eigenvalues (ascending) and eigenvectors of a symmetric matrix, in place.
void ssyev_(const char *job, const char *half, const int *n, float *a, const int *n_row,
            float *values, float *work, const int *n_work, int *out_info);

// The second moment of the words' vectors, each word by the root of its share.
static float *moment_of(const float *rows, const train_data *d, uint32_t n)
{
    float *sum = ken_zalloc((size_t)n * n * sizeof *sum);
    float *scaled = ken_alloc((size_t)d->n_words * n * sizeof *scaled);
    for (uint32_t i = 0; i < d->n_words; i++)
        for (uint32_t j = 0; j < n; j++)
            scaled[(size_t)i * n + j] =
                rows[(size_t)i * n + j] * (float)pow(d->share[i] + 1e-9, 0.25);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)d->n_words, 1, scaled,
                (int)n, scaled, (int)n, 0, sum, (int)n);
    ken_free(scaled);
    return sum;
}

// Turns rows of `n` numbers into rows of the `n_out` directions that say most.
static float *project(const float *rows, const train_data *d, uint32_t n, uint32_t n_out)
{
    float *basis = moment_of(rows, d, n), *values = ken_alloc(n * sizeof *values);
    int size = (int)n, n_work = 64 * size, info = 0;
    float *work = ken_alloc((size_t)n_work * sizeof *work);
    ssyev_("V", "U", &size, basis, &size, values, work, &n_work, &info);
    float *out = ken_alloc((size_t)d->n_words * n_out * sizeof *out);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)d->n_words, (int)n_out, size, 1, rows,
                size, basis + (size_t)(n - n_out) * n, size, 0, out, (int)n_out);
    ken_free(basis);
    ken_free(values);
    ken_free(work);
    return out;
}

// ---- training ----

typedef struct joined {
    float *rows; // n_words × (seeds · dims)
    float factors[4];
} joined;

static void train_one(joined *out, const train_data *d, const train_options *o, uint32_t k)
{
    uint32_t n_dims = (uint32_t)o->dims, n_seeds = (uint32_t)o->seeds;
    train_table t;
    train_rng rng = { (uint64_t)o->seed * 1000 + k };
    train_table_init(&t, d, n_dims, &rng);
    train_run(&t, d, o, &rng);
    for (uint32_t i = 0; i < d->n_words; i++)
        for (uint32_t j = 0; j < n_dims; j++)
            out->rows[((size_t)i * n_seeds + k) * n_dims + j] =
                t.rows.value[(size_t)i * n_dims + j] * expf(t.weight.value[i]);
    for (int f = TRAIN_PATH; f < TRAIN_FIELDS; f++)
        out->factors[f - TRAIN_PATH] += expf(t.factor.value[f]) / (float)n_seeds;
    train_table_release(&t);
}

int main(int argc, char **argv)
{
#define X(name, value, text) .name = (value),
    train_options o = { TRAIN_OPTIONS(X) };
#undef X
    bool is_fine = argc >= 4;
    for (int i = 4; i < argc; i++)
        is_fine &= set_option(&o, argv[i]);
    if (!is_fine || o.dims > DIMS_MAX) {
        fprintf(stderr, "usage: %s PAIRS OUT NAME [option=value...]\n", argv[0]);
        return 2;
    }
    openblas_set_num_threads((int)o.threads);
    train_data d;
    train_load(&d, argv[1], (uint32_t)o.words, o.cap, (uint64_t)o.seed);
    uint32_t n = (uint32_t)(o.dims * o.seeds);
    joined all = { .rows = ken_zalloc((size_t)d.n_words * n * sizeof(float)) };
    for (uint32_t k = 0; k < (uint32_t)o.seeds; k++)
        train_one(&all, &d, &o, k);
    packed p = { .d = &d, .rows = all.rows, .n_dims = (uint32_t)o.dims };
    if (o.seeds > 1)
        p.rows = project(all.rows, &d, n, p.n_dims);
    return write_model(argv[2], argv[3], p, all.factors);
}

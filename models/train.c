// SPDX-License-Identifier: MIT
// Learns one vector for each word from pairs of questions and code, and writes the packed model.
//
//   ken-model-train PAIRS OUT NAME [option=value...]      (options: train_priv.h)
//
// The vector of a bag of words is the normalised sum of its words' vectors, each times its weight
// and the root of its count. The factors of a chunk's fields in the head are not learnt here: those
// that training finds for pairs suit questions less than the ones found by measuring. Training is
// symmetric InfoNCE: in a batch every question must tell its code from all the others, and the
// other way round. Batches are made of groups from one repository, whose pieces are hard to tell
// apart; pieces of the same file are no negatives. Gradients touch few words, so Adam is lazy: a
// word's moments move when the word is met.
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_file.h"
#include "train_priv.h"

enum {
    DIMS_MAX = 1024
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

static int train_and_write(const train_data *d, const train_options *o, const char *path,
                           const char *name)
{
    train_table t;
    train_rng rng = { (uint64_t)o->seed * 1000 };
    train_table_init(&t, d, (uint32_t)o->dims, &rng);
    train_run(&t, d, o, &rng);
    for (uint32_t i = 0; i < d->n_words; i++)
        cblas_sscal((int)t.n_dims, expf(t.weight.value[i]), t.rows.value + (size_t)i * t.n_dims, 1);
    model_table m = {
        d->n_words, t.n_dims, { 0.95f, 0.3f, 0.6f, 0.85f, 1.25f, 0.8f }, d->hash, t.rows.value
    };
    int rc = model_write(path, name, &m);
    train_table_release(&t);
    return rc;
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
    return train_and_write(&d, &o, argv[2], argv[3]);
}

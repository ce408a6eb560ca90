// SPDX-License-Identifier: MIT
// train_priv.h -- the trainer's parts: options, the pairs in memory, the table that is learnt.
#ifndef KEN_MODELS_TRAIN_PRIV_H
#define KEN_MODELS_TRAIN_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"
#include "pairs.h"

// name, default, meaning
#define TRAIN_OPTIONS(X)                                                   \
    X(dims, 256, "numbers of a vector")                                    \
    X(words, 30000, "words of the model")                                  \
    X(seed, 1, "of all chance")                                            \
    X(epochs, 2, "times that every pair is met")                           \
    X(batch, 1024, "pairs of a step")                                      \
    X(group, 32, "pairs of one repository in a row")                       \
    X(rate, 0.002, "step of a vector")                                     \
    X(weight_rate, 0.01, "step of a word's weight")                        \
    X(tau, 0.05, "temperature")                                            \
    X(dropout, 0.15, "share of a document's words that is not seen")       \
    X(truncate, 0.3, "share of documents of which only the front is seen") \
    X(path, 0.4, "share of documents with the words of their path")        \
    X(frame, 0.15, "share of questions that begin like one")               \
    X(cap, 0.01, "share of the pairs that one repository may give")        \
    X(threads, 1, "of the matrix products")

typedef struct train_options {
#define X(name, value, text) double name;
    TRAIN_OPTIONS(X)
#undef X
} train_options;

// ---- data --------------------------------------------------------------------------------------
typedef struct train_list {
    uint32_t at, n; // in `ids` and `counts`
} train_list;

typedef struct train_file {
    uint32_t repository;
    train_list path;
} train_file;

typedef struct train_pair {
    uint32_t file;
    uint8_t type;
    train_list query, content;
} train_pair;

typedef struct train_data {
    KEN_VEC(uint16_t) ids; // words of the model
    KEN_VEC(uint8_t) counts;
    KEN_VEC(train_file) files;
    KEN_VEC(train_pair) pairs;
    uint32_t n_words, n_repositories;
    uint64_t *hash;         // by word
    double *share;          // by word: of all words of the documents
    uint16_t frames[16][4]; // words of a beginning of a question
    uint32_t frame_len[16], n_frames;
} train_data;

// Reads folder/pairs.bin and folder/words.txt, and chooses the words. Ends the program on error.
void train_load(train_data *d, const char *folder, uint32_t n_words, double cap, uint64_t seed);

// ---- chance ------------------------------------------------------------------------------------
typedef struct train_rng {
    uint64_t state;
} train_rng;

static inline uint64_t train_random(train_rng *r) // splitmix64
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double train_uniform(train_rng *r)
{
    return (double)(train_random(r) >> 11) * 0x1p-53;
}

static inline uint32_t train_below(train_rng *r, uint32_t n)
{
    return (uint32_t)(train_random(r) % n);
}

// ---- the table ---------------------------------------------------------------------------------
typedef struct train_adam { // moments beside each value
    float *value, *grad, *m, *v;
    size_t n;
} train_adam;

typedef struct train_table {
    uint32_t n_words, n_dims;
    train_adam rows;   // n_words × n_dims
    train_adam weight; // by word, logarithm
} train_table;

void train_table_init(train_table *t, const train_data *d, uint32_t n_dims, train_rng *rng);
void train_table_release(train_table *t);
// All epochs; says how it goes on stderr.
void train_run(train_table *t, const train_data *d, const train_options *o, train_rng *rng);

#endif

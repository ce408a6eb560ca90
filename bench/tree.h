// SPDX-License-Identifier: MIT
// tree.h -- a tree that a benchmark asks: indexed anew, and pinned.
//
// Whatever cannot work ends the program with a message (bench.h).
#ifndef KEN_BENCH_TREE_H
#define KEN_BENCH_TREE_H

#include "json/json.h"
#include "query/query.h"

typedef struct bench_tree {
    ken_str root; // absolute, in the arena
    ken_store *store;
    ken_reader *reader;
    ken_snapshot *snapshot;
} bench_tree;

// Into the file `database`; `n_jobs` 0 = one per core. To be closed.
void bench_tree_open(const char *path, const char *database, unsigned n_jobs, ken_arena *arena,
                     bench_tree *out);
void bench_tree_close(bench_tree *t);

// Whether a result is one of a dataset's targets: paths below `dir` ("" or ending in '/'), which may
// have a line behind them.
bool bench_is_target(const json_t *targets, ken_str dir, ken_str path);

#endif

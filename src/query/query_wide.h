// SPDX-License-Identifier: MIT
// query_wide.h -- one question to several snapshots, ranked as if one index had the files of all.
//
// What ranking takes from the whole of an index (how many files have a word, average lengths, the largest
// program, how many files define a name) is taken from all of them together, so scores are comparable, and
// the best files are chosen among all. Files in whose chunks the question is looked for are as many as in
// one index. Other kinds of search ask each snapshot and merge by likeness.
//
// Snapshots are opened, and asked in parallel, by the host. With more of them than may be open at once they are
// opened again for each step: the same answer, later. One that fails is left out, and says why.
//
// Ownership: hits live until ken_wide_free. Threads: a question belongs to one thread; the host runs its
// jobs on others while that one waits. Errors: those of ken_search, where they are not of one snapshot.
#ifndef KEN_QUERY_QUERY_WIDE_H
#define KEN_QUERY_QUERY_WIDE_H

#include "query/query.h"

typedef void ken_wide_job(void *arg, size_t i);

typedef struct ken_wide_host {
    size_t n;        // snapshots
    size_t max_open; // at once, at least 1
    // Lends snapshot `i`, on whatever thread a job runs, until it is closed on the thread of the question.
    ken_status (*open)(void *ctx, size_t i, ken_snapshot **out, ken_err *err);
    void (*close)(void *ctx, size_t i, ken_snapshot *s);
    // Runs job(arg, 0 … n - 1), several at once, and returns when all have ended.
    void (*each)(void *ctx, size_t n, ken_wide_job *job, void *arg);
    void *ctx;
} ken_wide_host;

typedef struct ken_wide ken_wide;

ken_wide *ken_wide_new(const ken_wide_host *host) KEN_MUST_USE; // `host` is borrowed
void ken_wide_free(ken_wide *w);                                // closes what is open; NULL is fine

// Once for each ken_wide. As ken_search; `member` of a hit is the number of its snapshot.
ken_status ken_wide_search(ken_wide *w, ken_str query, const ken_search_opts *opts,
                           const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                           ken_err *err) KEN_MUST_USE;
// After a search: snapshot `i` of the answer, opened again if need be; borrowed until the next call of this. NULL
// when it cannot be, or has changed since.
ken_snapshot *ken_wide_reopen(ken_wide *w, size_t i);
// Why snapshot `i` has no part in the answer; KEN_OK when it has. Borrowed until ken_wide_free.
const ken_err *ken_wide_failure(const ken_wide *w, size_t i);

#endif

// SPDX-License-Identifier: MIT
// jobs.h -- the rows of jobs, in the catalog. They are not in the journal: no person wrote them.
//
// A row is queued, then running, then has ended; each call moves it only from where it may be, so that
// two processes that act on one job cannot both succeed.
//
// Ownership: what is loaded lives in the arena passed. Threads: as the catalog. Errors: KEN_ENOTFOUND
// for a row that is absent, or no longer in the state that the call needs (no message), KEN_ELIMIT, else
// as the catalog.
#ifndef KEN_STORE_JOBS_H
#define KEN_STORE_JOBS_H

#include "model/job.h"
#include "store/catalog.h"

enum {
    KEN_JOBS_QUEUED_MAX = 1000,
    KEN_JOBS_LISTED_MAX = 1000,
    KEN_JOB_PARAMS_MAX = 16 * 1024,
    KEN_JOB_TEXT_MAX = 1024, // message and error; longer ones are cut
};

// Queues `j`. When one of the same kind, project and parameters is queued already, that is `*out`.
ken_status ken_catalog_add_job(ken_catalog *c, const ken_job *j, ken_arena *arena, ken_job *out,
                               bool *out_is_new, ken_err *err) KEN_MUST_USE;
// queued -> running.
ken_status ken_catalog_start_job(ken_catalog *c, ken_uuid id, int64_t now_ms, ken_err *err)
    KEN_MUST_USE;
// Keeps n_done, n_total, milli_rate and message of one that runs, and looks whether somebody wants it to
// end.
ken_status ken_catalog_note_job(ken_catalog *c, const ken_job *j, bool *out_is_cancel_wanted,
                                ken_err *err) KEN_MUST_USE;

typedef struct ken_job_end {
    ken_job_state state; // one of those that have ended
    int64_t at_ms;
    ken_str message, error;
    bool is_tried_again; // a queued row takes its place, with one try more
    ken_uuid next;       // its id
} ken_job_end;

// queued or running -> ended.
ken_status ken_catalog_end_job(ken_catalog *c, ken_uuid id, const ken_job_end *e, ken_err *err)
    KEN_MUST_USE;
// queued -> cancelled; one that runs is marked, and its process looks at the mark. `*out` is the row as
// it is then: one that has ended stays as it was.
ken_status ken_catalog_cancel_job(ken_catalog *c, ken_uuid id, int64_t now_ms, ken_arena *arena,
                                  ken_job *out, ken_err *err) KEN_MUST_USE;
ken_status ken_catalog_find_job(ken_catalog *c, ken_uuid id, ken_arena *arena, ken_job *out,
                                ken_err *err) KEN_MUST_USE;

typedef struct ken_job_filter {
    const ken_uuid *project; // NULL = all, and those of none
    ken_job_state state;     // UNKNOWN = all
    bool is_oldest_first;
    size_t limit; // 1 to KEN_JOBS_LISTED_MAX
} ken_job_filter;

// Newest first, in the order in which they were queued.
ken_status ken_catalog_list_jobs(ken_catalog *c, const ken_job_filter *f, ken_arena *arena,
                                 ken_job **out, size_t *out_n, ken_err *err) KEN_MUST_USE;
// Forgets those that ended before `before_ms`, and all but the last `keep` that have ended.
ken_status ken_catalog_prune_jobs(ken_catalog *c, int64_t before_ms, size_t keep, ken_err *err)
    KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// clang-format off
#define KEN_CATALOG_JOB_SLOTS(X)                                                                 \
    /* The row was checked. */                                                                   \
    X(add_job, OWN, (const ken_job *j, ken_arena *arena, ken_job *out, bool *out_is_new, ken_err \
      *err), (j, arena, out, out_is_new, err), TEXT(j->params, 0))                               \
    X(start_job, PLAIN, (ken_uuid id, int64_t now_ms, ken_err *err), (id, now_ms, err), NOTHING) \
    X(note_job, PLAIN, (const ken_job *j, bool *out_is_cancel_wanted, ken_err *err), (j,         \
      out_is_cancel_wanted, err), NOTHING)                                                       \
    X(end_job, PLAIN, (ken_uuid id, const ken_job_end *e, ken_err *err), (id, e, err), NOTHING)  \
    X(cancel_job, PLAIN, (ken_uuid id, int64_t now_ms, ken_arena *arena, ken_job *out, ken_err   \
      *err), (id, now_ms, arena, out, err), NOTHING)                                             \
    X(find_job, PLAIN, (ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err), (id, arena,  \
      out, err), NOTHING)                                                                        \
    X(list_jobs, PLAIN, (const ken_job_filter *f, ken_arena *arena, ken_job **out, size_t *out_n, \
      ken_err *err), (f, arena, out, out_n, err), NOTHING)                                       \
    X(prune_jobs, PLAIN, (int64_t before_ms, size_t keep, ken_err *err), (before_ms, keep, err), \
      NOTHING)
// clang-format on

#endif

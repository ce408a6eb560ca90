// SPDX-License-Identifier: MIT
// jobs.h -- the rows of jobs, in the catalog. They are not in the journal: no person wrote them.
//
// A row is queued, then running, then has ended; each call moves it only from where it may be, so that
// two processes that act on one job cannot both succeed. One whose run came to nothing may be queued again.
//
// In a database many workers take jobs. What one has taken is its own for as long as its lease lasts, by the clock
// of the database, and each word of it prolongs that. The fence of a row grows when it is taken: who comes
// back later with an older one changes nothing. A file has one process that takes jobs (job.h), and no leases.
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
// Keeps a row of another catalog as it is; one that runs is KEN_EINVAL. Nothing is done where there is one of its id or,
// for one that is queued, the same is queued already.
ken_status ken_catalog_put_job(ken_catalog *c, const ken_job *j, ken_err *err) KEN_MUST_USE;

typedef struct ken_job_claim {
    ken_str worker; // who takes it; for people
    int64_t now_ms;
    uint32_t lease_ms;
} ken_job_claim;

// queued -> running: the oldest one that is due, of the project that was served longest ago among those of which
// none runs. Those of no project are of one project here. KEN_ENOTFOUND when there is none.
ken_status ken_catalog_claim_job(ken_catalog *c, const ken_job_claim *claim, ken_arena *arena,
                                 ken_job *out, ken_err *err) KEN_MUST_USE;
// Keeps n_done, n_total, milli_rate and message of one that runs, prolongs its lease, and looks whether somebody
// wants it to end. KEN_ENOTFOUND: it is not that worker's any more.
ken_status ken_catalog_note_job(ken_catalog *c, const ken_job *j, uint32_t lease_ms,
                                bool *out_is_cancel_wanted, ken_err *err) KEN_MUST_USE;

typedef struct ken_job_end {
    ken_job_state state; // one of those that have ended
    int64_t at_ms;
    ken_str message, error;
    bool
        is_tried_again; // it is queued again instead, unless the same is queued or it was cancelled
    bool counts;        // that is one try more
    uint32_t wait_ms;   // until then; a file does not keep it
    bool needs_expired; // only when nobody has prolonged its lease; a file has none
} ken_job_end;

// queued or running -> ended, or queued. `j`: its id and fence.
ken_status ken_catalog_end_job(ken_catalog *c, const ken_job *j, const ken_job_end *e, ken_err *err)
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
    bool is_expired;         // those that run and whose lease is over; of a file, all that run
    int64_t changed_at_ms;   // not before; 0 = all. A file does not keep it, and gives all
    size_t limit;            // 1 to KEN_JOBS_LISTED_MAX
} ken_job_filter;

// Newest first, in the order in which they were queued.
ken_status ken_catalog_list_jobs(ken_catalog *c, const ken_job_filter *f, ken_arena *arena,
                                 ken_job **out, size_t *out_n, ken_err *err) KEN_MUST_USE;
// How many of a kind wait or run.
typedef struct ken_job_counts {
    uint64_t n_queued[KEN_JOB_KIND_COUNT], n_running[KEN_JOB_KIND_COUNT];
} ken_job_counts;

// `project` NULL = of all.
ken_status ken_catalog_count_jobs(ken_catalog *c, const ken_uuid *project, ken_job_counts *out,
                                  ken_err *err) KEN_MUST_USE;
// Forgets those that ended before `before_ms`, and all but the last `keep` that have ended.
ken_status ken_catalog_prune_jobs(ken_catalog *c, int64_t before_ms, size_t keep, ken_err *err)
    KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// clang-format off
#define KEN_CATALOG_JOB_SLOTS(X)                                                                 \
    /* The row was checked. */                                                                   \
    X(add_job, OWN, (const ken_job *j, ken_arena *arena, ken_job *out, bool *out_is_new, ken_err \
      *err), (j, arena, out, out_is_new, err), TEXT(j->params, 0))                               \
    X(put_job, OWN, (const ken_job *j, ken_err *err), (j, err), TEXT(j->params, 0))              \
    X(claim_job, PLAIN, (const ken_job_claim *claim, ken_arena *arena, ken_job *out, ken_err     \
      *err), (claim, arena, out, err), TEXT(claim->worker, 0))                                   \
    X(note_job, PLAIN, (const ken_job *j, uint32_t lease_ms, bool *out_is_cancel_wanted, ken_err \
      *err), (j, lease_ms, out_is_cancel_wanted, err), NOTHING)                                  \
    X(end_job, PLAIN, (const ken_job *j, const ken_job_end *e, ken_err *err), (j, e, err),       \
      NOTHING)                                                                                   \
    X(cancel_job, PLAIN, (ken_uuid id, int64_t now_ms, ken_arena *arena, ken_job *out, ken_err   \
      *err), (id, now_ms, arena, out, err), NOTHING)                                             \
    X(find_job, PLAIN, (ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err), (id, arena,  \
      out, err), NOTHING)                                                                        \
    X(list_jobs, PLAIN, (const ken_job_filter *f, ken_arena *arena, ken_job **out, size_t *out_n, \
      ken_err *err), (f, arena, out, out_n, err), NOTHING)                                       \
    X(count_jobs, PLAIN, (const ken_uuid *project, ken_job_counts *out, ken_err *err),           \
      (project, out, err), NOTHING)                                                              \
    X(prune_jobs, PLAIN, (int64_t before_ms, size_t keep, ken_err *err), (before_ms, keep, err), \
      NOTHING)
// clang-format on

#endif

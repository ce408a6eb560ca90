// SPDX-License-Identifier: MIT
// job.h -- what a server does on its own: indexing, vectors, downloads, setting up rules, syncing. Each job is a
// row of the catalog (model/job.h), from the moment it is asked for until its history ends.
//
// In files one process runs jobs: the one that has ken_jobs open. In a database any number do, servers and
// workers alike; each job is done by one of them (store/jobs.h). Any process lists, looks at and
// cancels them (the functions on a ken_app). At most jobs.max_running run in a process at once, one of each
// project anywhere, and projects take turns, whatever each has queued.
//
// A job ends as done, failed, cancelled or interrupted, and says why. When its process ends before it, by
// closing or by being killed, one of a kind that goes on where it was is queued again, and its id stays;
// after three runs that were killed it is interrupted. With a database so is one that failed for what may
// pass, and it waits a little longer each time.
//
// Ownership: results live in the arena passed. Threads: safe from any thread. Locks: under `lock` only
// the pool's is taken, and no I/O is done; the lock of subscribers is held while they are called, and
// `lock` is taken under it. Errors: KEN_EBUSY
// when another process runs jobs of these files, KEN_ENOTFOUND with what to do, KEN_EINVAL, KEN_ELIMIT,
// else those of the catalog.
#ifndef KEN_JOB_JOB_H
#define KEN_JOB_JOB_H

#include "app/app.h"
#include "model/job.h"
#include "store/jobs.h"
#include "store/workers.h"

enum {
    KEN_JOBS_KEPT = 500, // that have ended
    KEN_JOBS_KEPT_DAYS = 30,
};

typedef struct ken_job_request {
    ken_job_kind kind;
    ken_uuid project;                    // where the kind is of one
    bool is_forced;                      // INDEX, RULES_SETUP, SYNC
    ken_str model;                       // MODEL_DOWNLOAD: its id
    ken_str frontend_path, backend_path; // RULES_SETUP; may be empty
} ken_job_request;

// ---- the process that runs them ----------------------------------------------------------------
typedef struct ken_jobs ken_jobs;

typedef struct ken_jobs_opts {
    const char *kind;    // "serve", "worker"; static. NULL = "serve"
    const char *version; // of the program; static
    // With a database: an index of that project has a new generation. On a thread of ours; may be NULL.
    void (*on_index)(void *ctx, ken_uuid project);
    void *ctx;
} ken_jobs_opts;

// Takes over what another run of the server left running, and begins with what is queued. The app must outlive
// it. `opts` may be NULL. KEN_EINVAL when it would run none, and there is no database whose workers do.
ken_status ken_jobs_open(ken_app *app, const ken_jobs_opts *opts, ken_jobs **out, ken_err *err)
    KEN_MUST_USE;
// Starts no further job, and waits for those that run; after `grace_ms` they are told to stop, and are queued
// again where they can be. What is queued stays so. NULL is fine.
void ken_jobs_close(ken_jobs *j, int64_t grace_ms);

// When the same (kind, project, parameters) is queued already, `*out` is that one.
ken_status ken_jobs_submit(ken_jobs *j, const ken_job_request *r, ken_arena *arena, ken_job *out,
                           bool *out_is_new, ken_err *err) KEN_MUST_USE;
// As ken_job_cancel, at once.
ken_status ken_jobs_cancel(ken_jobs *j, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
    KEN_MUST_USE;

// Called with each change of a state, and with progress at most ten times a second for each job, in the
// order in which it happened, on the thread where it did: it must be quick and call nothing of here. Of
// jobs of other processes, with a database, soon after it happened; a state that lasted a moment may be left out, and
// one may be told twice.
// Texts of `job` live for the call.
typedef void ken_jobs_fn(void *ctx, const ken_job *job);
// The number to end it with.
uint64_t ken_jobs_subscribe(ken_jobs *j, ken_jobs_fn *fn, void *ctx);
void ken_jobs_unsubscribe(ken_jobs *j, uint64_t number); // after it, `fn` is not called any more

typedef struct ken_jobs_counts {
    size_t n_queued; // in the catalog
    size_t n_running;
    uint64_t n_ended[KEN_JOB_STATE_COUNT]; // here since it was opened, by state
} ken_jobs_counts;
ken_jobs_counts ken_jobs_count(ken_jobs *j);

// Queues a sync for each clone whose time has come, unless one waits or runs. Any number of servers may do so.
void ken_jobs_queue_syncs(ken_jobs *j);

// ---- any process -------------------------------------------------------------------------------
// Newest first. What a process that is gone left running is queued again, or marked as interrupted, first.
ken_status ken_job_list(ken_app *app, const ken_job_filter *f, ken_arena *arena, ken_job **out,
                        size_t *out_n, ken_err *err) KEN_MUST_USE;
ken_status ken_job_find(ken_app *app, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
    KEN_MUST_USE;
// One that runs ends within a second; `*out` is as it is now.
ken_status ken_job_cancel(ken_app *app, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
    KEN_MUST_USE;
// Whether some process runs jobs of these data.
bool ken_job_is_served(ken_app *app);
// Who runs jobs of the database, and who did within the last day. KEN_EINVAL when there is none.
ken_status ken_job_list_workers(ken_app *app, ken_arena *arena, ken_worker **out, size_t *out_n,
                                ken_err *err) KEN_MUST_USE;
// {"id","kind","state","project_id","parameters","progress":{…},…}, see docs/cli.md.
json_t *ken_job_json(const ken_job *j);

#endif

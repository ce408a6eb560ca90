// SPDX-License-Identifier: MIT
// job.h -- what a server does on its own: indexing, vectors, downloads, setting up rules, syncing. Each job is a
// row of the catalog (model/job.h), from the moment it is asked for until its history ends.
//
// One process of these data runs jobs: the one that has ken_jobs open. Any process lists, looks at and
// cancels them (the functions on a ken_app). At most jobs.max_running run at once, one of each project,
// and projects take turns, whatever each has queued.
//
// A job ends as done, failed, cancelled or interrupted, and says why. When the process ends before it, by
// closing or by being killed, it is interrupted; one of a kind that goes on where it was is queued again,
// three times at most.
//
// Ownership: results live in the arena passed. Threads: safe from any thread. Locks: under `lock` only
// the pool's is taken, and no I/O is done; the lock of subscribers is held while they are called, and
// `lock` is taken under it. Errors: KEN_EBUSY
// when another process runs jobs of these data, KEN_ENOTFOUND with what to do, KEN_EINVAL, KEN_ELIMIT,
// else those of the catalog.
#ifndef KEN_JOB_JOB_H
#define KEN_JOB_JOB_H

#include "app/app.h"
#include "model/job.h"
#include "store/jobs.h"

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

// Marks as interrupted what another run of the server left running, and begins with what is queued.
// The app must outlive it.
ken_status ken_jobs_open(ken_app *app, ken_jobs **out, ken_err *err) KEN_MUST_USE;
// Starts no further job, and waits for those that run; after `grace_ms` they are told to stop and are
// interrupted. What is queued stays so. NULL is fine.
void ken_jobs_close(ken_jobs *j, int64_t grace_ms);

// When the same (kind, project, parameters) is queued already, `*out` is that one.
ken_status ken_jobs_submit(ken_jobs *j, const ken_job_request *r, ken_arena *arena, ken_job *out,
                           bool *out_is_new, ken_err *err) KEN_MUST_USE;
// As ken_job_cancel, at once.
ken_status ken_jobs_cancel(ken_jobs *j, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
    KEN_MUST_USE;

// Called with each change of a state, and with progress at most ten times a second for each job, in the
// order in which it happened, on the thread where it did: it must be quick and call nothing of here.
// Texts of `job` live for the call.
typedef void ken_jobs_fn(void *ctx, const ken_job *job);
// The number to end it with.
uint64_t ken_jobs_subscribe(ken_jobs *j, ken_jobs_fn *fn, void *ctx);
void ken_jobs_unsubscribe(ken_jobs *j, uint64_t number); // after it, `fn` is not called any more

typedef struct ken_jobs_counts {
    size_t n_queued, n_running;
    uint64_t n_ended[KEN_JOB_STATE_COUNT]; // since it was opened, by state
} ken_jobs_counts;
ken_jobs_counts ken_jobs_count(ken_jobs *j);

// ---- any process -------------------------------------------------------------------------------
// Newest first. What a process that is gone left running is marked as interrupted first.
ken_status ken_job_list(ken_app *app, const ken_job_filter *f, ken_arena *arena, ken_job **out,
                        size_t *out_n, ken_err *err) KEN_MUST_USE;
ken_status ken_job_find(ken_app *app, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
    KEN_MUST_USE;
// One that runs ends within a second; `*out` is as it is now.
ken_status ken_job_cancel(ken_app *app, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
    KEN_MUST_USE;
// Whether some process runs jobs of these data.
bool ken_job_is_served(ken_app *app);
// {"id","kind","state","project_id","parameters","progress":{…},…}, see docs/cli.md.
json_t *ken_job_json(const ken_job *j);

#endif

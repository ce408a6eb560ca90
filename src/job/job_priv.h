// SPDX-License-Identifier: MIT
// job_priv.h -- what the files of this folder share: a job in memory, and the process that runs it.
#ifndef KEN_JOB_JOB_PRIV_H
#define KEN_JOB_JOB_PRIV_H

#include <pthread.h>

#include "base/pool.h"
#include "base/vec.h"
#include "job/job.h"

enum {
    JOB_TRIES_MAX = 3, // runs that are interrupted, before no more are begun
    JOB_TICK_MS = 500, // rows are brought up to date, and marks are looked at
};

// One that is queued or runs. `lock` of its owner guards `job` but for what never changes (id, kind,
// project, params) and the fields behind it.
typedef struct job_entry {
    ken_jobs *owner;
    ken_arena arena; // of `params`
    ken_job job;     // its message and error are in the buffers below
    char message[KEN_JOB_TEXT_MAX + 1], error[KEN_JOB_TEXT_MAX + 1];
    ken_cancel cancel;
    bool is_cancelled;         // by a person; else a set `cancel` is the end of the process
    const char *stage;         // static; what the rate is of
    int64_t stage_ns;          // when it began
    uint64_t stage_done;       // and how much was done then
    int64_t published_ns;      // when subscribers last heard of it
    int64_t made_ns, began_ns; // by the clock that nobody sets; began 0 = not yet
} job_entry;

typedef KEN_VEC(job_entry *) job_entries;

// Whose turn was when: a project that was served later waits.
typedef struct job_turn {
    ken_uuid project;
    uint64_t number;
} job_turn;

typedef struct job_listener {
    uint64_t number;
    ken_jobs_fn *fn;
    void *ctx;
} job_listener;

struct ken_jobs {
    ken_app *app; // borrowed, outlives us
    int lock_fd;  // of the file that says that we run them
    ken_pool *pool;
    size_t max_running;
    pthread_mutex_t lock; // of all below but the listeners
    pthread_cond_t changed;
    job_entries queue; // in the order in which they came
    job_entries running;
    job_entries unwritten; // have ended, and their rows do not say so yet
    KEN_VEC(job_turn) turns;
    uint64_t n_turns;
    ken_jobs_counts counts;
    bool is_closing, has_ended;
    pthread_mutex_t listeners_lock;
    KEN_VEC(job_listener) listeners;
    uint64_t n_listeners; // ever
};

// ---- job_params.c ----
// The parameters of a request as the row has them, and back. KEN_EINVAL names the one that is wrong.
ken_status ken_job__write_params(const ken_job_request *r, ken_arena *arena, ken_str *out,
                                 ken_err *err) KEN_MUST_USE;
ken_status ken_job__read_params(const ken_job *j, ken_arena *arena, ken_job_request *out,
                                ken_err *err) KEN_MUST_USE;

// ---- job_queue.c: with the lock ----
job_entry *ken_job__new_entry(ken_jobs *j, const ken_job *row);
void ken_job__free_entry(job_entry *e);
// The next one to run, out of the queue: of the project that was served longest ago, among those of
// which none runs. NULL = none.
job_entry *ken_job__take_next(ken_jobs *j);
job_entry *ken_job__find_entry(const job_entries *list, ken_uuid id);
void ken_job__remove_entry(job_entries *list, const job_entry *e);

// ---- job_run.c ----
// Does what the job is for, on this thread; `*out_message` says what was done.
ken_status ken_job__run(job_entry *e, ken_arena *arena, ken_str *out_message, ken_err *err)
    KEN_MUST_USE;

// ---- job_row.c: the catalog ----
ken_status ken_job__end_row(ken_app *app, ken_uuid id, const ken_job_end *e, ken_err *err)
    KEN_MUST_USE;
// The lock of the process that runs jobs.
ken_status ken_job__lock(ken_app *app, int *out_fd, ken_err *err) KEN_MUST_USE;
// Who has the lock: rows that run have no process. `may_retry`: those that can be are queued again.
ken_status ken_job__interrupt_orphans(ken_app *app, ken_err *err) KEN_MUST_USE;
// What an interrupted job says, and whether it is queued again.
ken_job_end ken_job__interruption(const ken_job *j, ken_arena *arena);

// ---- job.c ----
// Takes over what a run says of itself: to the entry, and to subscribers when it is time.
void ken_job__set_progress(job_entry *e, const char *stage, uint64_t n_done, uint64_t n_total);
// Waits; false when the job is to end.
bool ken_job__pause(job_entry *e, int64_t ms);

#endif

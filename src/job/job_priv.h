// SPDX-License-Identifier: MIT
// job_priv.h -- what the files of this folder share: a job in memory, and the process that runs it.
#ifndef KEN_JOB_JOB_PRIV_H
#define KEN_JOB_JOB_PRIV_H

#include <pthread.h>

#include "base/pool.h"
#include "base/vec.h"
#include "job/job.h"
#include "store/workers.h"

enum {
    JOB_TRIES_MAX = 3,    // runs that came to nothing, before no more are begun
    JOB_TICK_MS = 500,    // rows are brought up to date, and marks are looked at
    JOB_AGAIN_MS = 1000,  // until the second run, with a database
    JOB_AGAIN_FACTOR = 5, // and so many times that until the third
    JOB_ENDED_HERE = 128, // jobs that are remembered
};

// One that runs. `lock` of its owner guards `job` but for what never changes (id, kind, project, params, fence) and
// the fields behind it.
typedef struct job_entry {
    ken_jobs *owner;
    ken_arena arena; // of `params`
    ken_job job;     // its message and error are in the buffers below
    char message[KEN_JOB_TEXT_MAX + 1], error[KEN_JOB_TEXT_MAX + 1];
    ken_cancel cancel;
    bool is_cancelled;    // by a person; else a set `cancel` is the end of the process, or
    bool is_lost;         // another has it
    bool is_over;         // its run is; what follows is its row
    ken_job_end end;      // then; texts are the buffers above
    const char *stage;    // static; what the rate is of
    int64_t stage_ns;     // when it began
    uint64_t stage_done;  // and how much was done then
    int64_t published_ns; // when subscribers last heard of it
    int64_t began_ns;     // by the clock that nobody sets
} job_entry;

typedef KEN_VEC(job_entry *) job_entries;

typedef struct job_listener {
    uint64_t number;
    ken_jobs_fn *fn;
    void *ctx;
} job_listener;

typedef struct job_watch job_watch; // job_watch.c

struct ken_jobs {
    ken_app *app; // borrowed, outlives us
    ken_jobs_opts opts;
    ken_database
        *db; // borrowed; NULL: files, and `lock_fd` is of the one that says that we run jobs
    int lock_fd;
    ken_uuid id; // of this worker
    const char *name;
    uint32_t lease_ms;
    ken_pool *pool;
    size_t max_running;
    job_watch *watch;     // NULL without a database
    pthread_mutex_t lock; // of all below but the listeners
    pthread_cond_t changed;
    job_entries running;
    job_entries unwritten;              // have ended, and their rows do not say so yet
    bool may_be_more;                   // jobs to take
    bool is_taking;                     // one is being taken
    int n_asking;                       // who queue one now
    ken_job ended_here[JOB_ENDED_HERE]; // id and fence of the last ones
    size_t n_ended_here;
    ken_jobs_counts counts;
    bool is_closing, has_ended;
    int64_t syncs_ns; // when syncs were queued last
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

// ---- job_entry.c ----
job_entry *ken_job__new_entry(ken_jobs *j, const ken_job *row);
void ken_job__free_entry(job_entry *e);
// With the lock:
job_entry *ken_job__find_entry(const job_entries *list, ken_uuid id);
void ken_job__remove_entry(job_entries *list, const job_entry *e);
void ken_job__cancel_entry(job_entry *e); // as a person wants it
// Takes over what a run says of itself: to the entry, and to subscribers when it is time.
void ken_job__set_progress(job_entry *e, const char *stage, uint64_t n_done, uint64_t n_total);
// Its end, as its row will have it.
void ken_job__set_end(job_entry *e, ken_status st, ken_str message, const ken_err *err);
// Waits; false when the job is to end.
bool ken_job__pause(job_entry *e, int64_t ms);

// ---- job_tell.c: subscribers ----
// The state of an entry at one moment, with texts of its own.
typedef struct job_copy {
    ken_job job;
    char message[KEN_JOB_TEXT_MAX + 1], error[KEN_JOB_TEXT_MAX + 1];
} job_copy;

void ken_job__copy_entry(const job_entry *e, job_copy *out); // with the lock
void ken_job__publish(job_entry *e);
bool ken_job__has_listeners(ken_jobs *j);
// Of a row that is no entry of ours.
void ken_job__tell(ken_jobs *j, const ken_job *row);

// ---- job_take.c ----
// A ken_job_fn: takes jobs and has them run, until the end.
void ken_job__take_until_end(void *ctx, size_t worker);
// False when the row could not be written.
bool ken_job__write_end(job_entry *e);
// There may be jobs to take.
void ken_job__wake(ken_jobs *j);

// ---- job_keep.c ----
// What the database is told of this process. With the lock, or before there are threads.
ken_worker ken_job__worker_of(const ken_jobs *j);
// A ken_job_fn: brings rows up to date, until the end.
void ken_job__keep_until_end(void *ctx, size_t worker);

// ---- job_watch.c: with a database ----
void ken_job__open_watch(ken_jobs *j);
// A ken_job_fn: hears of the jobs of others, until ken_job__end_watch.
void ken_job__watch_until_end(void *ctx, size_t worker);
void ken_job__end_watch(ken_jobs *j);
void ken_job__close_watch(ken_jobs *j);

// ---- job_run.c ----
// Does what the job is for, on this thread; `*out_message` says what was done.
ken_status ken_job__run(job_entry *e, ken_arena *arena, ken_str *out_message, ken_err *err)
    KEN_MUST_USE;

// ---- job_row.c: the catalog ----
// As ken_job_list, of the rows as they are.
ken_status ken_job__list_rows(ken_app *app, const ken_job_filter *f, ken_arena *arena,
                              ken_job **out, size_t *out_n, ken_err *err) KEN_MUST_USE;
ken_status ken_job__count_rows(ken_app *app, const ken_uuid *project, ken_job_counts *out,
                               ken_err *err) KEN_MUST_USE;
ken_status ken_job__end_row(ken_app *app, const ken_job *j, const ken_job_end *e, ken_err *err)
    KEN_MUST_USE;
// The lock of the process that runs jobs.
ken_status ken_job__lock(ken_app *app, int *out_fd, ken_err *err) KEN_MUST_USE;
// Rows that say that they run, and of which nothing is heard: of files all, and who asks has the lock.
ken_status ken_job__interrupt_orphans(ken_app *app, ken_err *err) KEN_MUST_USE;
// What a job says whose process is gone, or ends now (`is_given_back`), and whether it is queued again.
ken_job_end ken_job__interruption(const ken_job *j, bool is_given_back, ken_arena *arena);
// When one that came to nothing is begun again, with a database.
uint32_t ken_job__wait_ms(const ken_job *j);

// ---- job.c ----
// With the lock, until something changes or the time has come.
void ken_job__wait_until(ken_jobs *j, int64_t at_ns);

#endif

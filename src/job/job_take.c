// SPDX-License-Identifier: MIT
// Taking jobs. One thread asks the catalog for the next one as long as a thread of the pool is free for it; that
// thread does the job and writes how it ended.
//
// A row leads: a job is begun when its row went from queued to running, so one that another process has
// cancelled, or taken, is not begun; it has ended when its row says so. A row that cannot be written when its
// job ends (the disk is full, the database is away) is tried again with each tick; when the process ends before
// that, the row says "running" still, and whoever comes next finds nobody at it.
#include "app/catalog.h"
#include "base/clock.h"
#include "job/job_priv.h"
#include "metrics/metrics.h"
#include "obs/log.h"

enum {
    RETRY_MS = 500,  // until the next try when the catalog cannot be asked or written
    ASKING_MS = 1000 // a job waits no longer for the word that it was queued
};

#define NS_PER_MS INT64_C(1000000)
#define DAY_MS    (INT64_C(24) * 3600 * 1000)

// ---- the end of one ----------------------------------------------------------------------------

static void log_job(const job_entry *e, const char *what)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(e->job.id, id);
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("job_id", ken_str_c(id)),
        KEN_LOG_F_TEXT("kind", ken_str_c(ken_job_kind_word(e->job.kind))),
        KEN_LOG_F_TEXT("state", ken_str_c(ken_job_state_word(e->job.state))),
        KEN_LOG_F_TEXT("message", ken_str_c(e->message)),
        KEN_LOG_F_TEXT("error", ken_str_c(e->error)),
    };
    bool is_bad = e->job.state == KEN_JOB_FAILED || e->is_lost;
    ken_log_record(is_bad ? KEN_LOG_WARN : KEN_LOG_INFO, "job", what, fields,
                   sizeof fields / sizeof *fields);
}

static void count_end(const job_entry *e)
{
    const char *kind = ken_job_kind_word(e->job.kind);
    ken_metrics_add(KEN_METRIC_JOB_RUNS, 1, KEN_LABELS(kind, ken_job_state_word(e->end.state)));
    ken_metrics_time(KEN_METRIC_JOB_SECONDS, ken_clock_mono_ns() - e->began_ns, KEN_LABELS(kind));
}

static void set_lost(job_entry *e)
{
    pthread_mutex_lock(&e->owner->lock);
    e->is_lost = true;
    pthread_mutex_unlock(&e->owner->lock);
}

bool ken_job__write_end(job_entry *e)
{
    ken_jobs *j = e->owner;
    ken_err err = { 0 };
    ken_status st = ken_job__end_row(j->app, &e->job, &e->end, &err);
    if (st == KEN_ENOTFOUND && j->db) {
        set_lost(e);
        log_job(e, "job was lost to another worker before it ended: its end is not kept");
    }
    if (st && st != KEN_ENOTFOUND)
        KEN_LOG_WARNING("job", "the end of a job could not be written: %s", err.msg);
    return !st || st == KEN_ENOTFOUND;
}

static ken_status prune(ken_catalog *c, void *ctx, ken_err *err)
{
    (void)ctx;
    int64_t oldest = ken_clock_wall_ms() - KEN_JOBS_KEPT_DAYS * DAY_MS;
    return ken_catalog_prune_jobs(c, oldest, KEN_JOBS_KEPT, err);
}

// Of one that was to be queued again the catalog knows what became of it.
static void publish_end(job_entry *e)
{
    ken_arena a;
    ken_job row;
    if (e->is_lost)
        return; // others tell of it
    ken_arena_init(&a, 1024);
    if (e->end.is_tried_again && !ken_job_find(e->owner->app, e->job.id, &a, &row, NULL))
        ken_job__tell(e->owner, &row);
    else
        ken_job__publish(e);
    ken_arena_release(&a);
}

static void leave(job_entry *e, bool is_written)
{
    ken_jobs *j = e->owner;
    publish_end(e);
    pthread_mutex_lock(&j->lock);
    ken_job__remove_entry(&j->running, e);
    j->ended_here[j->n_ended_here++ % JOB_ENDED_HERE] =
        (ken_job){ .id = e->job.id, .fence = e->job.fence };
    if (!is_written)
        ken_vec_push(&j->unwritten, e);
    j->may_be_more = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    if (is_written)
        ken_job__free_entry(e);
}

// ---- doing one ---------------------------------------------------------------------------------

// It may have been taken before who queued it has told of it.
static void await_asking(ken_jobs *j)
{
    int64_t end_ns = ken_clock_mono_ns() + ASKING_MS * NS_PER_MS;
    pthread_mutex_lock(&j->lock);
    while (j->n_asking && ken_clock_mono_ns() < end_ns)
        ken_job__wait_until(j, end_ns);
    pthread_mutex_unlock(&j->lock);
}

static void do_job(void *ctx, size_t worker)
{
    job_entry *e = ctx;
    ken_arena a;
    ken_err err = { 0 };
    ken_str message = KEN_STR("");
    (void)worker;
    ken_arena_init(&a, 0);
    ken_pool_give_way();
    await_asking(e->owner);
    ken_job__publish(e);
    ken_status st = ken_job__run(e, &a, &message, &err);
    ken_job__set_end(e, st, message, &err);
    ken_arena_release(&a);
    count_end(e);
    bool is_written = ken_job__write_end(e);
    if (!e->is_lost)
        log_job(e, "job ended");
    if (is_written && ken_app_with_catalog(e->owner->app, true, prune, NULL, &err))
        KEN_LOG_WARNING("job", "the history of jobs could not be shortened: %s", err.msg);
    leave(e, is_written);
}

// ---- taking one --------------------------------------------------------------------------------

typedef struct taking {
    ken_job_claim claim;
    ken_arena *arena;
    ken_job job;
} taking;

static ken_status take_row(ken_catalog *c, void *ctx, ken_err *err)
{
    taking *t = ctx;
    return ken_catalog_claim_job(c, &t->claim, t->arena, &t->job, err);
}

static void begin(ken_jobs *j, const ken_job *row)
{
    job_entry *e = ken_job__new_entry(j, row);
    int64_t waited_ms = row->started_at_ms - row->created_at_ms;
    ken_metrics_time(KEN_METRIC_JOB_WAIT_SECONDS, (waited_ms > 0 ? waited_ms : 0) * NS_PER_MS,
                     KEN_LABELS(ken_job_kind_word(row->kind)));
    pthread_mutex_lock(&j->lock);
    ken_vec_push(&j->running, e);
    if (j->is_closing)
        ken_cancel_set(&e->cancel); // it is given back at once
    pthread_mutex_unlock(&j->lock);
    ken_pool_submit(j->pool, do_job, e); // there is a thread for each of them
}

// Without the lock. KEN_ENOTFOUND when there is nothing to take.
static ken_status take_one(ken_jobs *j, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 1024);
    taking t = { .claim = { .worker = j->db ? ken_str_c(j->name) : KEN_STR(""),
                            .now_ms = ken_clock_wall_ms(),
                            .lease_ms = j->lease_ms },
                 .arena = &a };
    ken_status st = ken_app_with_catalog(j->app, true, take_row, &t, err);
    if (!st)
        begin(j, &t.job);
    ken_arena_release(&a);
    return st;
}

void ken_job__wake(ken_jobs *j)
{
    pthread_mutex_lock(&j->lock);
    j->may_be_more = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

// With the lock.
static bool may_take(const ken_jobs *j)
{
    return j->may_be_more && !j->is_closing && j->running.len < j->max_running;
}

void ken_job__take_until_end(void *ctx, size_t worker)
{
    ken_jobs *j = ctx;
    bool was_told = false;
    (void)worker;
    pthread_mutex_lock(&j->lock);
    while (!j->has_ended) {
        if (!may_take(j)) {
            (void)pthread_cond_wait(&j->changed, &j->lock);
            continue;
        }
        ken_err err = { 0 };
        j->may_be_more = false;
        j->is_taking = true;
        pthread_mutex_unlock(&j->lock);
        ken_status st = take_one(j, &err);
        bool is_down = st && st != KEN_ENOTFOUND;
        if (is_down && !was_told)
            KEN_LOG_WARNING("job", "jobs cannot be taken now: %s", err.msg);
        was_told = is_down;
        pthread_mutex_lock(&j->lock);
        j->is_taking = false;
        j->may_be_more = j->may_be_more || st != KEN_ENOTFOUND;
        pthread_cond_broadcast(&j->changed);
        int64_t next_ns = ken_clock_mono_ns() + RETRY_MS * NS_PER_MS;
        while (is_down && !j->is_closing && ken_clock_mono_ns() < next_ns)
            ken_job__wait_until(j, next_ns);
    }
    pthread_mutex_unlock(&j->lock);
}

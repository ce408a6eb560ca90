// SPDX-License-Identifier: MIT
// The process that runs jobs. A pool has one thread for each job that may run, and one that brings rows
// up to date twice a second while some run, and sleeps otherwise.
//
// A row leads: a job is begun when its row goes from queued to running, so one that another process has
// cancelled is not begun; it has ended when its row says so. A row that cannot be written when its job ends
// (the disk is full, the catalog is locked) is tried again with each tick; when the process ends before
// that, the row says "running" still, and the next process finds it interrupted.
#include "job/job.h"

#include <time.h>

#include "app/catalog.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "job/job_priv.h"
#include "metrics/metrics.h"
#include "obs/log.h"

enum {
    PUBLISH_MS = 100, // at most ten times a second
    LOCK_TRIES = 10,
    LOCK_WAIT_MS = 50,
};

#define NS_PER_MS     INT64_C(1000000)
#define NS_PER_SECOND INT64_C(1000000000)
#define DAY_MS        (INT64_C(24) * 3600 * 1000)

// ---- waiting -----------------------------------------------------------------------------------

static void init_waiting(ken_jobs *j)
{
    pthread_condattr_t attr;
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->listeners_lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&j->changed, &attr);
    pthread_condattr_destroy(&attr);
}

// With the lock, until something changes or the time has come.
static void wait_until(ken_jobs *j, int64_t at_ns)
{
    const struct timespec t = { .tv_sec = (time_t)(at_ns / NS_PER_SECOND),
                                .tv_nsec = (long)(at_ns % NS_PER_SECOND) };
    (void)pthread_cond_timedwait(&j->changed, &j->lock, &t);
}

bool ken_job__pause(job_entry *e, int64_t ms)
{
    ken_jobs *j = e->owner;
    int64_t end_ns = ken_clock_mono_ns() + ms * NS_PER_MS;
    pthread_mutex_lock(&j->lock);
    while (!ken_cancel_is_set(&e->cancel) && ken_clock_mono_ns() < end_ns)
        wait_until(j, end_ns);
    bool goes_on = !ken_cancel_is_set(&e->cancel);
    pthread_mutex_unlock(&j->lock);
    return goes_on;
}

// ---- telling -----------------------------------------------------------------------------------

// The state of an entry at one moment, with texts of its own.
typedef struct copy {
    ken_job job;
    char message[KEN_JOB_TEXT_MAX + 1], error[KEN_JOB_TEXT_MAX + 1];
} copy;

static void copy_entry(const job_entry *e, copy *out)
{
    out->job = e->job;
    memcpy(out->message, e->message, sizeof out->message);
    memcpy(out->error, e->error, sizeof out->error);
    out->job.message = ken_str_c(out->message);
    out->job.error = ken_str_c(out->error);
}

static void tell(ken_jobs *j, const ken_job *job)
{
    for (size_t i = 0; i < j->listeners.len; i++)
        j->listeners.ptr[i].fn(j->listeners.ptr[i].ctx, job);
}

// The copy is made under the lock of listeners, so that each hears of changes in their order.
static void publish(job_entry *e)
{
    ken_jobs *j = e->owner;
    copy now;
    pthread_mutex_lock(&j->listeners_lock);
    pthread_mutex_lock(&j->lock);
    e->published_ns = ken_clock_mono_ns();
    copy_entry(e, &now);
    pthread_mutex_unlock(&j->lock);
    tell(j, &now.job);
    pthread_mutex_unlock(&j->listeners_lock);
}

uint64_t ken_jobs_subscribe(ken_jobs *j, ken_jobs_fn *fn, void *ctx)
{
    pthread_mutex_lock(&j->listeners_lock);
    const job_listener l = { ++j->n_listeners, fn, ctx };
    ken_vec_push(&j->listeners, l);
    pthread_mutex_unlock(&j->listeners_lock);
    return l.number;
}

void ken_jobs_unsubscribe(ken_jobs *j, uint64_t number)
{
    size_t kept = 0;
    pthread_mutex_lock(&j->listeners_lock);
    for (size_t i = 0; i < j->listeners.len; i++)
        if (j->listeners.ptr[i].number != number)
            j->listeners.ptr[kept++] = j->listeners.ptr[i];
    j->listeners.len = kept;
    pthread_mutex_unlock(&j->listeners_lock);
}

// ---- one job -----------------------------------------------------------------------------------

static void set_text(char *to, ken_str text)
{
    text = ken_utf8_clip(text, KEN_JOB_TEXT_MAX);
    if (text.len)
        memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
}

// The rate is that of the stage: scanning and parsing have nothing in common.
static uint64_t rate_of(const job_entry *e, uint64_t n_done, int64_t now_ns)
{
    int64_t ns = now_ns - e->stage_ns;
    if (ns < 300 * NS_PER_MS || n_done <= e->stage_done)
        return 0;
    return (uint64_t)((double)(n_done - e->stage_done) * 1000 * 1e9 / (double)ns);
}

void ken_job__set_progress(job_entry *e, const char *stage, uint64_t n_done, uint64_t n_total)
{
    ken_jobs *j = e->owner;
    int64_t now_ns = ken_clock_mono_ns();
    pthread_mutex_lock(&j->lock);
    if (e->stage != stage) {
        e->stage = stage;
        e->stage_ns = now_ns;
        e->stage_done = n_done;
        set_text(e->message, ken_str_c(stage));
    }
    e->job.n_done = n_done;
    e->job.n_total = n_total;
    e->job.milli_rate = rate_of(e, n_done, now_ns);
    bool is_due = now_ns - e->published_ns >= PUBLISH_MS * NS_PER_MS;
    pthread_mutex_unlock(&j->lock);
    if (is_due)
        publish(e);
}

typedef struct starting {
    ken_uuid id;
    int64_t at_ms;
} starting;

static ken_status start_row(ken_catalog *c, void *ctx, ken_err *err)
{
    const starting *s = ctx;
    return ken_catalog_start_job(c, s->id, s->at_ms, err);
}

static bool passes(ken_status st) // what is in the way now need not be so for long
{
    return st == KEN_EBUSY || st == KEN_ENOSPC || st == KEN_ENOMEM;
}

// KEN_ENOTFOUND: somebody has cancelled it. While the catalog cannot be written it stays queued.
static ken_status start(job_entry *e, ken_err *err)
{
    ken_jobs *j = e->owner;
    starting s = { .id = e->job.id };
    ken_status st = KEN_OK;
    do {
        s.at_ms = ken_clock_wall_ms();
        st = ken_app_with_catalog(j->app, true, start_row, &s, err);
    } while (passes(st) && ken_job__pause(e, JOB_TICK_MS));
    if (st)
        return st;
    pthread_mutex_lock(&j->lock);
    e->job.state = KEN_JOB_RUNNING;
    e->job.started_at_ms = s.at_ms;
    pthread_mutex_unlock(&j->lock);
    e->began_ns = ken_clock_mono_ns();
    ken_metrics_time(KEN_METRIC_JOB_WAIT_SECONDS, e->began_ns - e->made_ns,
                     KEN_LABELS(ken_job_kind_word(e->job.kind)));
    publish(e);
    return KEN_OK;
}

static ken_job_state state_after(const job_entry *e, ken_status st)
{
    if (!st)
        return KEN_JOB_DONE;
    if (!ken_cancel_is_set(&e->cancel) || st != KEN_ECANCELLED)
        return KEN_JOB_FAILED;
    return e->is_cancelled ? KEN_JOB_CANCELLED : KEN_JOB_INTERRUPTED;
}

// What its row will say; false when the row could not be written.
static bool write_end(job_entry *e)
{
    ken_jobs *j = e->owner;
    ken_arena a;
    copy now;
    pthread_mutex_lock(&j->lock);
    copy_entry(e, &now);
    pthread_mutex_unlock(&j->lock);
    ken_arena_init(&a, 512);
    ken_job_end end = { .state = now.job.state,
                        .at_ms = now.job.ended_at_ms,
                        .message = now.job.message,
                        .error = now.job.error };
    if (end.state == KEN_JOB_INTERRUPTED)
        end = ken_job__interruption(&now.job, &a);
    ken_err err = { 0 };
    ken_status st = ken_job__end_row(j->app, now.job.id, &end, &err);
    if (st && st != KEN_ENOTFOUND)
        KEN_LOG_WARNING("job", "the end of a job could not be written: %s", err.msg);
    ken_arena_release(&a);
    return !st || st == KEN_ENOTFOUND;
}

static void count_end(const job_entry *e)
{
    const char *kind = ken_job_kind_word(e->job.kind);
    ken_metrics_add(KEN_METRIC_JOB_RUNS, 1, KEN_LABELS(kind, ken_job_state_word(e->job.state)));
    if (e->began_ns)
        ken_metrics_time(KEN_METRIC_JOB_SECONDS, ken_clock_mono_ns() - e->began_ns,
                         KEN_LABELS(kind));
}

static void log_end(const job_entry *e)
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
    ken_log_record(e->job.state == KEN_JOB_FAILED ? KEN_LOG_WARN : KEN_LOG_INFO, "job", "job ended",
                   fields, sizeof fields / sizeof *fields);
}

static void set_end(job_entry *e, ken_status st, ken_str message, const ken_err *err)
{
    ken_jobs *j = e->owner;
    pthread_mutex_lock(&j->lock);
    e->job.state = state_after(e, st);
    j->counts.n_ended[e->job.state]++;
    e->job.ended_at_ms = ken_clock_wall_ms();
    e->job.milli_rate = 0;
    if (!st)
        set_text(e->message, message);
    if (e->job.state == KEN_JOB_FAILED)
        set_text(e->error, ken_str_c(err->msg[0] ? err->msg : ken_status_name(st)));
    if (e->job.state == KEN_JOB_INTERRUPTED)
        set_text(e->error, KEN_STR("the server ended before it"));
    pthread_mutex_unlock(&j->lock);
}

static void do_job(job_entry *e)
{
    ken_arena a;
    ken_err err = { 0 };
    ken_str message = KEN_STR("");
    ken_arena_init(&a, 0);
    ken_pool_give_way();
    ken_status st = ken_job__run(e, &a, &message, &err);
    set_end(e, st, message, &err);
    ken_arena_release(&a);
    count_end(e);
    log_end(e);
}

static void dispatch(ken_jobs *j);

static ken_status prune(ken_catalog *c, void *ctx, ken_err *err)
{
    (void)ctx;
    int64_t oldest = ken_clock_wall_ms() - KEN_JOBS_KEPT_DAYS * DAY_MS;
    return ken_catalog_prune_jobs(c, oldest, KEN_JOBS_KEPT, err);
}

// It has ended, or was never begun: another may run in its place.
static void leave(job_entry *e, bool is_written)
{
    ken_jobs *j = e->owner;
    if (ken_job_has_ended(e->job.state))
        publish(e);
    pthread_mutex_lock(&j->lock);
    ken_job__remove_entry(&j->running, e);
    if (!is_written)
        ken_vec_push(&j->unwritten, e);
    dispatch(j);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    if (is_written)
        ken_job__free_entry(e);
}

static void tell_cancelled(job_entry *e)
{
    pthread_mutex_lock(&e->owner->lock);
    e->job.state = KEN_JOB_CANCELLED;
    e->job.ended_at_ms = ken_clock_wall_ms();
    e->owner->counts.n_ended[KEN_JOB_CANCELLED]++;
    pthread_mutex_unlock(&e->owner->lock);
    count_end(e);
}

static void run_entry(void *ctx, size_t worker)
{
    job_entry *e = ctx;
    ken_err err = { 0 };
    (void)worker;
    ken_status st = start(e, &err);
    if (st == KEN_ENOTFOUND)
        tell_cancelled(e);
    if (st == KEN_ENOTFOUND || passes(st)) { // its row is as it should be
        leave(e, true);
        return;
    }
    if (st) {
        set_end(e, st, KEN_STR(""), &err);
        count_end(e);
        log_end(e);
    } else {
        do_job(e);
    }
    bool is_written = write_end(e);
    if (is_written && ken_app_with_catalog(e->owner->app, true, prune, NULL, &err))
        KEN_LOG_WARNING("job", "the history of jobs could not be shortened: %s", err.msg);
    leave(e, is_written);
}

// With the lock. The pool has a thread for each of them, so this does not wait.
static void dispatch(ken_jobs *j)
{
    while (!j->is_closing && j->running.len < j->max_running) {
        job_entry *e = ken_job__take_next(j);
        if (!e)
            break;
        ken_vec_push(&j->running, e);
        ken_pool_submit(j->pool, run_entry, e);
    }
}

// ---- twice a second ----------------------------------------------------------------------------

typedef struct noting {
    copy now;
    bool is_cancel_wanted;
} noting;

static ken_status note_row(ken_catalog *c, void *ctx, ken_err *err)
{
    noting *n = ctx;
    ken_status st = ken_catalog_note_job(c, &n->now.job, &n->is_cancel_wanted, err);
    if (!st || st == KEN_ENOTFOUND)
        return st;
    // Nothing can be written; a mark may be there all the same.
    ken_arena a;
    ken_job row;
    ken_arena_init(&a, 1024);
    if (!ken_catalog_find_job(c, n->now.job.id, &a, &row, NULL))
        n->is_cancel_wanted = row.is_cancel_wanted;
    ken_arena_release(&a);
    return st;
}

static void cancel_entry(job_entry *e)
{
    e->is_cancelled = true;
    e->job.is_cancel_wanted = true;
    ken_cancel_set(&e->cancel);
}

// With the lock, which is given up meanwhile: the entry may be gone after it.
static void note_one(ken_jobs *j, const job_entry *e)
{
    noting n = { .is_cancel_wanted = false };
    copy_entry(e, &n.now);
    pthread_mutex_unlock(&j->lock);
    bool is_behind = ken_app_with_catalog(j->app, true, note_row, &n, NULL) != KEN_OK;
    (void)is_behind; // the next tick tries again
    pthread_mutex_lock(&j->lock);
    job_entry *same = ken_job__find_entry(&j->running, n.now.job.id);
    if (same && n.is_cancel_wanted && !ken_cancel_is_set(&same->cancel)) {
        cancel_entry(same);
        pthread_cond_broadcast(&j->changed);
    }
}

static void write_left(ken_jobs *j)
{
    for (size_t n = j->unwritten.len; n > 0; n--) {
        job_entry *e = j->unwritten.ptr[0];
        pthread_mutex_unlock(&j->lock);
        bool is_written = write_end(e);
        pthread_mutex_lock(&j->lock);
        ken_job__remove_entry(&j->unwritten, e);
        if (is_written)
            ken_job__free_entry(e);
        else
            ken_vec_push(&j->unwritten, e);
    }
}

static void tick(ken_jobs *j)
{
    KEN_VEC(ken_uuid) ids = { 0 };
    for (size_t i = 0; i < j->running.len; i++)
        if (j->running.ptr[i]->job.state == KEN_JOB_RUNNING)
            ken_vec_push(&ids, j->running.ptr[i]->job.id);
    for (size_t i = 0; i < ids.len; i++) {
        const job_entry *e = ken_job__find_entry(&j->running, ids.ptr[i]);
        if (e && e->job.state == KEN_JOB_RUNNING)
            note_one(j, e);
    }
    ken_vec_release(&ids);
    write_left(j);
}

static void keep_rows(void *ctx, size_t worker)
{
    ken_jobs *j = ctx;
    (void)worker;
    pthread_mutex_lock(&j->lock);
    while (!j->has_ended) {
        if (!j->running.len && !j->unwritten.len) {
            (void)pthread_cond_wait(&j->changed, &j->lock);
            continue;
        }
        int64_t next_ns = ken_clock_mono_ns() + JOB_TICK_MS * NS_PER_MS;
        while (!j->has_ended && ken_clock_mono_ns() < next_ns)
            wait_until(j, next_ns);
        tick(j);
    }
    pthread_mutex_unlock(&j->lock);
}

// ---- opening and closing -----------------------------------------------------------------------

static void free_jobs(ken_jobs *j)
{
    for (size_t i = 0; i < j->queue.len; i++)
        ken_job__free_entry(j->queue.ptr[i]);
    for (size_t i = 0; i < j->unwritten.len; i++)
        ken_job__free_entry(j->unwritten.ptr[i]);
    ken_vec_release(&j->queue);
    ken_vec_release(&j->running);
    ken_vec_release(&j->unwritten);
    ken_vec_release(&j->turns);
    ken_vec_release(&j->listeners);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->listeners_lock);
    if (j->lock_fd >= 0)
        ken_fs_unlock(j->lock_fd);
    ken_free(j);
}

static ken_status load_queue(ken_catalog *c, void *ctx, ken_err *err)
{
    ken_jobs *j = ctx;
    const ken_job_filter f = { .state = KEN_JOB_QUEUED,
                               .is_oldest_first = true,
                               .limit = KEN_JOBS_LISTED_MAX };
    ken_arena a;
    ken_job *rows = NULL;
    size_t n = 0;
    ken_arena_init(&a, 0);
    ken_status st = ken_catalog_list_jobs(c, &f, &a, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        ken_vec_push(&j->queue, ken_job__new_entry(j, &rows[i]));
    ken_arena_release(&a);
    return st;
}

static ken_status start_threads(ken_jobs *j, ken_err *err)
{
    size_t wanted = (size_t)ken_config_u64(ken_app_config(j->app), KEN_CFG_MAX_RUNNING);
    j->pool = ken_pool_new(wanted + 1, wanted + 2, 0);
    size_t n = ken_pool_n_workers(j->pool);
    if (n < 2) {
        ken_pool_free(j->pool);
        return KEN_FAIL(err, KEN_ENOMEM, "no threads could be started for jobs");
    }
    j->max_running = n - 1;
    ken_pool_submit(j->pool, keep_rows, j);
    return KEN_OK;
}

// Who only asks about jobs has the lock for a moment.
static ken_status lock_for_long(ken_jobs *j, ken_err *err)
{
    ken_status st = KEN_OK;
    pthread_mutex_lock(&j->lock);
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (i)
            wait_until(j, ken_clock_mono_ns() + LOCK_WAIT_MS * NS_PER_MS);
        st = ken_job__lock(j->app, &j->lock_fd, err);
        if (st != KEN_EBUSY)
            break;
    }
    pthread_mutex_unlock(&j->lock);
    return st;
}

// With the lock.
static void put_entries(ken_metrics_sink *sink, const job_entries *list, ken_job_state state)
{
    for (size_t i = 0; i < list->len; i++)
        ken_metrics_put(
            sink, KEN_METRIC_JOBS, 1,
            KEN_LABELS(ken_job_kind_word(list->ptr[i]->job.kind), ken_job_state_word(state)));
}

static void read_metrics(void *ctx, ken_metrics_sink *sink)
{
    ken_jobs *j = ctx;
    pthread_mutex_lock(&j->lock);
    put_entries(sink, &j->queue, KEN_JOB_QUEUED);
    put_entries(sink, &j->running, KEN_JOB_RUNNING);
    pthread_mutex_unlock(&j->lock);
}

ken_status ken_jobs_open(ken_app *app, ken_jobs **out, ken_err *err)
{
    ken_jobs *j = ken_zalloc(sizeof *j);
    j->app = app;
    j->lock_fd = -1;
    init_waiting(j);
    ken_status st = lock_for_long(j, err);
    if (!st)
        st = ken_job__interrupt_orphans(app, err);
    if (!st)
        st = ken_app_with_catalog(app, true, load_queue, j, err);
    if (!st)
        st = start_threads(j, err);
    if (st) {
        free_jobs(j);
        return st;
    }
    pthread_mutex_lock(&j->lock);
    dispatch(j);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    ken_metrics_add_reader(read_metrics, j);
    *out = j;
    return KEN_OK;
}

void ken_jobs_close(ken_jobs *j, int64_t grace_ms)
{
    if (!j)
        return;
    ken_metrics_remove_reader(read_metrics, j);
    int64_t end_ns = ken_clock_mono_ns() + grace_ms * NS_PER_MS;
    pthread_mutex_lock(&j->lock);
    j->is_closing = true;
    while (j->running.len && ken_clock_mono_ns() < end_ns)
        wait_until(j, end_ns);
    for (size_t i = 0; i < j->running.len; i++)
        ken_cancel_set(&j->running.ptr[i]->cancel);
    pthread_cond_broadcast(&j->changed);
    while (j->running.len)
        (void)pthread_cond_wait(&j->changed, &j->lock);
    j->has_ended = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    ken_pool_free(j->pool);
    free_jobs(j);
}

// ---- asking for one ----------------------------------------------------------------------------

typedef struct submitting {
    ken_job job;
    ken_arena *arena;
    ken_job *out;
    bool is_new;
} submitting;

static ken_status add_row(ken_catalog *c, void *ctx, ken_err *err)
{
    submitting *s = ctx;
    return ken_catalog_add_job(c, &s->job, s->arena, s->out, &s->is_new, err);
}

ken_status ken_jobs_submit(ken_jobs *j, const ken_job_request *r, ken_arena *arena, ken_job *out,
                           bool *out_is_new, ken_err *err)
{
    submitting s = { .arena = arena, .out = out };
    s.job =
        (ken_job){ .id = ken_uuid_random(), .kind = r->kind, .created_at_ms = ken_clock_wall_ms() };
    ken_status st = ken_job__write_params(r, arena, &s.job.params, err);
    if (st)
        return st;
    s.job.has_project = ken_job_is_of_project(r->kind);
    if (s.job.has_project)
        s.job.project = r->project;
    st = ken_app_with_catalog(j->app, true, add_row, &s, err);
    if (st)
        return st;
    *out_is_new = s.is_new;
    if (!s.is_new)
        return KEN_OK;
    job_entry *e = ken_job__new_entry(j, out);
    publish(e); // before anyone can begin it
    pthread_mutex_lock(&j->lock);
    ken_vec_push(&j->queue, e);
    dispatch(j);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    return KEN_OK;
}

ken_status ken_jobs_cancel(ken_jobs *j, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
{
    ken_status st = ken_job_cancel(j->app, id, arena, out, err);
    if (st)
        return st;
    pthread_mutex_lock(&j->lock);
    job_entry *queued = ken_job__find_entry(&j->queue, id);
    job_entry *running = ken_job__find_entry(&j->running, id);
    if (queued)
        ken_job__remove_entry(&j->queue, queued);
    if (running)
        cancel_entry(running);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    if (queued) {
        tell_cancelled(queued);
        publish(queued);
        ken_job__free_entry(queued);
    }
    return KEN_OK;
}

ken_jobs_counts ken_jobs_count(ken_jobs *j)
{
    pthread_mutex_lock(&j->lock);
    ken_jobs_counts c = j->counts;
    c.n_queued = j->queue.len;
    c.n_running = j->running.len;
    pthread_mutex_unlock(&j->lock);
    return c;
}

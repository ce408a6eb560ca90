// SPDX-License-Identifier: MIT
// The process that runs jobs: its threads, its beginning and end, and what is asked of it. A pool has one thread
// for each job that may run, one that takes jobs (job_take.c), one that keeps rows up to date (job_keep.c) and,
// with a database, one that hears of the jobs of others (job_watch.c).
#include "job/job.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/catalog.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "job/job_priv.h"
#include "metrics/metrics.h"
#include "obs/log.h"

enum {
    LOCK_TRIES = 10,
    LOCK_WAIT_MS = 50,
    OWN_THREADS = 3,
};

#define NS_PER_MS     INT64_C(1000000)
#define NS_PER_SECOND INT64_C(1000000000)

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

void ken_job__wait_until(ken_jobs *j, int64_t at_ns)
{
    const struct timespec t = { .tv_sec = (time_t)(at_ns / NS_PER_SECOND),
                                .tv_nsec = (long)(at_ns % NS_PER_SECOND) };
    (void)pthread_cond_timedwait(&j->changed, &j->lock, &t);
}

// ---- what it may run ---------------------------------------------------------------------------

// Of the machine, or of the group of processes where that has less.
static uint64_t memory_bytes(void)
{
    uint64_t group = 0, all = 0;
    ken_buf text = KEN_BUF_INIT(64);
    long n = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (n > 0 && size > 0)
        all = (uint64_t)n * (uint64_t)size;
    if (!ken_fs_read(KEN_FS_CWD, "/sys/fs/cgroup/memory.max", 64, &text, NULL, NULL)) {
        ken_str line = ken_buf_str(&text), first;
        if (!ken_str_line_next(&line, &first) || !ken_str_parse_u64(first, &group))
            group = 0; // "max"
    }
    ken_buf_release(&text);
    return group && (!all || group < all) ? group : all;
}

static size_t count_slots(const ken_jobs *j)
{
    const ken_config *config = ken_app_config(j->app);
    size_t wanted = (size_t)ken_config_u64(config, KEN_CFG_MAX_RUNNING);
    uint64_t memory = memory_bytes() / 4 * 3, each = ken_config_u64(config, KEN_CFG_MEMORY_LIMIT);
    if (!j->db || !memory || wanted < 2 || memory / each >= wanted)
        return wanted;
    size_t n = memory / each ? (size_t)(memory / each) : 1;
    KEN_LOG_NOTE("job", "memory has room for %zu of %zu jobs at once (jobs.max_running)", n,
                 wanted);
    return n;
}

static ken_status make_threads(ken_jobs *j, ken_err *err)
{
    size_t wanted = count_slots(j), n_own = j->db ? OWN_THREADS : OWN_THREADS - 1;
    if (!wanted && !j->db)
        return KEN_FAIL(err, KEN_EINVAL,
                        "jobs.max_running is 0, and nobody else runs jobs of these files: only a "
                        "database has workers (DATABASE_URL)");
    j->pool = ken_pool_new(wanted + n_own, wanted + n_own + 1, 0);
    size_t n = ken_pool_n_workers(j->pool);
    if (n < n_own || (wanted && n == n_own)) {
        ken_pool_free(j->pool);
        return KEN_FAIL(err, KEN_ENOMEM, "no threads could be started for jobs");
    }
    j->max_running = n - n_own;
    return KEN_OK;
}

static void begin(ken_jobs *j)
{
    ken_pool_submit(j->pool, ken_job__keep_until_end, j);
    ken_pool_submit(j->pool, ken_job__take_until_end, j);
    if (j->db)
        ken_pool_submit(j->pool, ken_job__watch_until_end, j);
}

// ---- metrics -----------------------------------------------------------------------------------

static void read_metrics(void *ctx, ken_metrics_sink *sink)
{
    ken_jobs *j = ctx;
    ken_job_counts rows = { .n_queued = { 0 } };
    if (ken_job__count_rows(j->app, NULL, &rows, NULL))
        rows = (ken_job_counts){ .n_queued = { 0 } }; // none where it cannot be asked
    for (int kind = 1; kind < KEN_JOB_KIND_COUNT; kind++)
        if (rows.n_queued[kind])
            ken_metrics_put(sink, KEN_METRIC_JOBS, (double)rows.n_queued[kind],
                            KEN_LABELS(ken_job_kind_word((ken_job_kind)kind),
                                       ken_job_state_word(KEN_JOB_QUEUED)));
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; i < j->running.len; i++)
        ken_metrics_put(sink, KEN_METRIC_JOBS, 1,
                        KEN_LABELS(ken_job_kind_word(j->running.ptr[i]->job.kind),
                                   ken_job_state_word(KEN_JOB_RUNNING)));
    pthread_mutex_unlock(&j->lock);
}

ken_jobs_counts ken_jobs_count(ken_jobs *j)
{
    ken_job_counts rows = { .n_queued = { 0 } };
    bool is_known = !ken_job__count_rows(j->app, NULL, &rows, NULL);
    pthread_mutex_lock(&j->lock);
    ken_jobs_counts c = j->counts;
    c.n_queued = 0;
    for (int kind = 0; is_known && kind < KEN_JOB_KIND_COUNT; kind++)
        c.n_queued += (size_t)rows.n_queued[kind];
    c.n_running = j->running.len;
    pthread_mutex_unlock(&j->lock);
    return c;
}

// ---- opening and closing -----------------------------------------------------------------------

static void free_jobs(ken_jobs *j)
{
    for (size_t i = 0; i < j->unwritten.len; i++)
        ken_job__free_entry(j->unwritten.ptr[i]);
    ken_job__close_watch(j);
    ken_vec_release(&j->running);
    ken_vec_release(&j->unwritten);
    ken_vec_release(&j->listeners);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->listeners_lock);
    if (j->lock_fd >= 0)
        ken_fs_unlock(j->lock_fd);
    ken_free(j);
}

// Who only asks about jobs has the lock for a moment.
static ken_status lock_for_long(ken_jobs *j, ken_err *err)
{
    ken_status st = KEN_OK;
    pthread_mutex_lock(&j->lock);
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (i)
            ken_job__wait_until(j, ken_clock_mono_ns() + LOCK_WAIT_MS * NS_PER_MS);
        st = ken_job__lock(j->app, &j->lock_fd, err);
        if (st != KEN_EBUSY)
            break;
    }
    pthread_mutex_unlock(&j->lock);
    return st;
}

// Before it takes its first job the database knows it.
static ken_status say_hello(ken_jobs *j, ken_err *err)
{
    const ken_worker w = ken_job__worker_of(j);
    return j->db ? ken_database_put_worker(j->db, &w, j->lease_ms, err) : KEN_OK;
}

static ken_jobs *new_jobs(ken_app *app, const ken_jobs_opts *opts)
{
    ken_jobs *j = ken_zalloc(sizeof *j);
    j->app = app;
    j->opts = opts ? *opts : (ken_jobs_opts){ .kind = NULL };
    j->opts.kind = j->opts.kind ? j->opts.kind : "serve";
    j->opts.version = j->opts.version ? j->opts.version : "";
    j->id = ken_uuid_random();
    j->name = ken_app_process_name();
    j->lease_ms = (uint32_t)ken_config_u64(ken_app_config(app), KEN_CFG_LEASE) * 1000;
    j->lock_fd = -1;
    j->may_be_more = true;
    init_waiting(j);
    return j;
}

static void end_threads(ken_jobs *j)
{
    pthread_mutex_lock(&j->lock);
    j->has_ended = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    ken_job__end_watch(j);
    ken_pool_free(j->pool);
}

ken_status ken_jobs_open(ken_app *app, const ken_jobs_opts *opts, ken_jobs **out, ken_err *err)
{
    ken_jobs *j = new_jobs(app, opts);
    ken_status st = ken_app_find_database(app, &j->db, err);
    if (!st && !j->db)
        st = lock_for_long(j, err);
    if (!st)
        st = ken_job__interrupt_orphans(app, err);
    if (!st && j->db)
        ken_job__open_watch(j);
    if (!st)
        st = make_threads(j, err);
    if (st) {
        free_jobs(j);
        return st;
    }
    st = say_hello(j, err);
    if (st) {
        end_threads(j);
        free_jobs(j);
        return st;
    }
    begin(j);
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
    while ((j->running.len || j->is_taking) && ken_clock_mono_ns() < end_ns)
        ken_job__wait_until(j, end_ns);
    for (size_t i = 0; i < j->running.len; i++)
        ken_cancel_set(&j->running.ptr[i]->cancel);
    pthread_cond_broadcast(&j->changed);
    while (j->running.len || j->is_taking)
        (void)pthread_cond_wait(&j->changed, &j->lock);
    pthread_mutex_unlock(&j->lock);
    end_threads(j);
    if (j->db)
        (void)!ken_database_remove_worker(j->db, j->id, NULL); // else its lease runs out
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

// Nobody hears of the beginning of a job before they hear of the job (job_take.c).
static void count_asking(ken_jobs *j, int by)
{
    pthread_mutex_lock(&j->lock);
    j->n_asking += by;
    j->may_be_more = j->may_be_more || by < 0;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
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
    count_asking(j, 1);
    st = ken_app_with_catalog(j->app, true, add_row, &s, err);
    if (!st && s.is_new)
        ken_job__tell(j, out);
    count_asking(j, -1);
    if (!st)
        *out_is_new = s.is_new;
    return st;
}

ken_status ken_jobs_cancel(ken_jobs *j, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
{
    int64_t asked_at_ms = ken_clock_wall_ms();
    ken_status st = ken_job_cancel(j->app, id, arena, out, err);
    if (st)
        return st;
    // Else it runs, and tells of its end itself; or it had ended before.
    bool was_queued = out->state == KEN_JOB_CANCELLED && out->ended_at_ms >= asked_at_ms;
    pthread_mutex_lock(&j->lock);
    job_entry *running = ken_job__find_entry(&j->running, id);
    if (running)
        ken_job__cancel_entry(running);
    else if (was_queued)
        j->counts.n_ended[KEN_JOB_CANCELLED]++;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    if (!running && was_queued) {
        ken_metrics_add(
            KEN_METRIC_JOB_RUNS, 1,
            KEN_LABELS(ken_job_kind_word(out->kind), ken_job_state_word(KEN_JOB_CANCELLED)));
        ken_job__tell(j, out);
    }
    return KEN_OK;
}

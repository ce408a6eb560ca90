// SPDX-License-Identifier: MIT
// What is done beside jobs that run. Twice a second their rows are brought up to date, which prolongs their
// leases, and marks of others are looked at. With a database this process says that it is there, and jobs whose
// workers say nothing any more are queued again. Otherwise nothing wakes up while no job runs.
#include "app/catalog.h"
#include "base/clock.h"
#include "job/job_priv.h"
#include "obs/log.h"

enum {
    PER_LEASE = 3, // a lease is prolonged so many times before it would run out
    MS_PER_S = 1000,
    UPKEEP_MAX_MS = 10000,
};

#define NS_PER_MS INT64_C(1000000)

// ---- rows --------------------------------------------------------------------------------------

typedef struct noting {
    job_copy now;
    uint32_t lease_ms;
    bool is_cancel_wanted;
} noting;

static ken_status note_row(ken_catalog *c, void *ctx, ken_err *err)
{
    noting *n = ctx;
    ken_status st = ken_catalog_note_job(c, &n->now.job, n->lease_ms, &n->is_cancel_wanted, err);
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

// With the lock.
static void lose(job_entry *e)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(e->job.id, id);
    e->is_lost = true;
    ken_cancel_set(&e->cancel);
    KEN_LOG_WARNING("job", "%s %s was lost to another worker: its run is stopped",
                    ken_job_kind_word(e->job.kind), id);
}

// With the lock, which is given up meanwhile: the entry may be gone after it.
static void note_one(ken_jobs *j, const job_entry *e)
{
    noting n = { .lease_ms = j->lease_ms };
    ken_job__copy_entry(e, &n.now);
    pthread_mutex_unlock(&j->lock);
    ken_status st = ken_app_with_catalog(j->app, true, note_row, &n, NULL); // else the next tick
    pthread_mutex_lock(&j->lock);
    job_entry *same = ken_job__find_entry(&j->running, n.now.job.id);
    if (!same || same->job.fence != n.now.job.fence || same->is_over ||
        ken_cancel_is_set(&same->cancel))
        return;
    if (j->db && st == KEN_ENOTFOUND)
        lose(same);
    else if (n.is_cancel_wanted)
        ken_job__cancel_entry(same);
    pthread_cond_broadcast(&j->changed);
}

static void note_all(ken_jobs *j)
{
    KEN_VEC(ken_uuid) ids = { 0 };
    for (size_t i = 0; i < j->running.len; i++)
        ken_vec_push(&ids, j->running.ptr[i]->job.id);
    for (size_t i = 0; i < ids.len; i++) {
        const job_entry *e = ken_job__find_entry(&j->running, ids.ptr[i]);
        if (e && !e->is_over)
            note_one(j, e);
    }
    ken_vec_release(&ids);
}

static void write_left(ken_jobs *j)
{
    for (size_t n = j->unwritten.len; n > 0; n--) {
        job_entry *e = j->unwritten.ptr[0];
        pthread_mutex_unlock(&j->lock);
        bool is_written = ken_job__write_end(e);
        pthread_mutex_lock(&j->lock);
        ken_job__remove_entry(&j->unwritten, e);
        if (is_written)
            ken_job__free_entry(e);
        else
            ken_vec_push(&j->unwritten, e);
    }
}

// ---- with a database ---------------------------------------------------------------------------

ken_worker ken_job__worker_of(const ken_jobs *j)
{
    uint64_t n_ended = 0;
    for (int s = 0; s < KEN_JOB_STATE_COUNT; s++)
        n_ended += j->counts.n_ended[s];
    return (ken_worker){ .id = j->id,
                         .name = ken_str_c(j->name),
                         .kind = ken_str_c(j->opts.kind),
                         .version = ken_str_c(j->opts.version),
                         .max_running = j->is_closing ? 0 : (uint32_t)j->max_running,
                         .n_running = (uint32_t)j->running.len,
                         .n_done = j->counts.n_ended[KEN_JOB_DONE],
                         .n_failed = n_ended - j->counts.n_ended[KEN_JOB_DONE] };
}

// With the lock, which is given up meanwhile.
static void keep_up(ken_jobs *j)
{
    const ken_worker w = ken_job__worker_of(j);
    ken_err err = { 0 };
    pthread_mutex_unlock(&j->lock);
    ken_status st = ken_database_put_worker(j->db, &w, j->lease_ms, &err);
    if (!st)
        st = ken_job__interrupt_orphans(j->app, &err);
    if (st)
        KEN_LOG_WARNING("job", "the database cannot be told that this worker is there: %s",
                        err.msg);
    pthread_mutex_lock(&j->lock);
}

static int64_t upkeep_ns(const ken_jobs *j)
{
    int64_t ms = j->lease_ms / PER_LEASE;
    return (ms < MS_PER_S ? MS_PER_S : ms > UPKEEP_MAX_MS ? UPKEEP_MAX_MS : ms) * NS_PER_MS;
}

// ---- the loop ----------------------------------------------------------------------------------

// With the lock: when it is time for something; INT64_MAX = when something changes.
static int64_t next_ns(const ken_jobs *j, int64_t upkeep_at_ns)
{
    int64_t tick_ns = j->running.len || j->unwritten.len
                          ? ken_clock_mono_ns() + JOB_TICK_MS * NS_PER_MS
                          : INT64_MAX;
    return tick_ns < upkeep_at_ns ? tick_ns : upkeep_at_ns;
}

void ken_job__keep_until_end(void *ctx, size_t worker)
{
    ken_jobs *j = ctx;
    int64_t upkeep_at_ns = j->db ? ken_clock_mono_ns() + upkeep_ns(j) : INT64_MAX;
    (void)worker;
    pthread_mutex_lock(&j->lock);
    while (!j->has_ended) {
        int64_t at_ns = next_ns(j, upkeep_at_ns);
        if (at_ns == INT64_MAX) {
            (void)pthread_cond_wait(&j->changed, &j->lock);
            continue;
        }
        bool has_work = j->running.len || j->unwritten.len;
        while (!j->has_ended && ken_clock_mono_ns() < at_ns &&
               (has_work || !(j->running.len || j->unwritten.len)))
            ken_job__wait_until(j, at_ns);
        note_all(j);
        write_left(j);
        if (ken_clock_mono_ns() < upkeep_at_ns)
            continue;
        upkeep_at_ns = ken_clock_mono_ns() + upkeep_ns(j);
        keep_up(j);
    }
    pthread_mutex_unlock(&j->lock);
}

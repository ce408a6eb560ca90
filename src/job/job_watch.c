// SPDX-License-Identifier: MIT
// Jobs of other processes at the same database. One thread hears of changes (store/notices.h), or looks by itself
// where nothing can be heard, and reads the rows that changed lately. Subscribers are told what differs from what they
// were told before; so a notice that was lost costs a few seconds and nothing else. A worker without subscribers reads no
// rows: that somebody wants a job of its own to end it learns when it notes how far that is (job_keep.c).
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "app/catalog.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "job/job_priv.h"
#include "obs/log.h"
#include "store/notices.h"

enum {
    LISTEN_LOOK_MS = 5000, // between two looks without a notice
    BLIND_LOOK_MS = 1000,  // where nothing is heard
    LOOKS_APART_MS = 100,  // however much is heard
    OVERLAP_MS = 10000,    // a change may be committed so much later than it says
    RECONNECT_MS = 1000,   // then twice that, and so on
    RECONNECT_MAX_MS = 30000,
};

#define NS_PER_MS INT64_C(1000000)

// A row as it was last told.
typedef struct seen {
    ken_uuid id;
    uint64_t hash;
} seen;

typedef KEN_VEC(seen) seen_rows;

struct job_watch {
    int wake_fd;
    atomic_bool ends;
    ken_notices *notices; // NULL: nothing is heard
    bool may_listen;
    int64_t next_try_ns;
    int64_t wait_ms; // after a failure
    bool has_looked;
    int64_t since_ms; // the newest change seen
    seen_rows rows;
};

void ken_job__open_watch(ken_jobs *j)
{
    job_watch *w = ken_zalloc(sizeof *w);
    w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->may_listen = ken_config_bool(ken_app_config(j->app), KEN_CFG_LISTEN);
    w->wait_ms = RECONNECT_MS;
    j->watch = w;
}

void ken_job__end_watch(ken_jobs *j)
{
    const uint64_t one = 1;
    if (!j->watch)
        return;
    atomic_store(&j->watch->ends, true);
    (void)!write(j->watch->wake_fd, &one, sizeof one);
}

void ken_job__close_watch(ken_jobs *j)
{
    if (!j->watch)
        return;
    ken_notices_close(j->watch->notices);
    ken_vec_release(&j->watch->rows);
    if (j->watch->wake_fd >= 0)
        close(j->watch->wake_fd);
    ken_free(j->watch);
}

// ---- rows --------------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t hash, ken_str s)
{
    return hash * 31 + ken_hash64(s.ptr ? s.ptr : "", s.len);
}

// Of what subscribers are told.
static uint64_t hash_row(const ken_job *r)
{
    const uint64_t numbers[] = { r->state,  r->is_cancel_wanted, r->n_tries,
                                 r->n_done, r->n_total,          r->fence };
    return hash_text(hash_text(ken_hash64(numbers, sizeof numbers), r->message), r->error);
}

static bool was_told(const seen_rows *rows, const seen *now)
{
    for (size_t i = 0; i < rows->len; i++)
        if (ken_uuid_eq(rows->ptr[i].id, now->id))
            return rows->ptr[i].hash == now->hash;
    return false;
}

// What this process tells by itself, or has told already: the row was read a moment ago.
static bool is_own(ken_jobs *j, const ken_job *r)
{
    pthread_mutex_lock(&j->lock);
    const job_entry *e = ken_job__find_entry(&j->running, r->id);
    bool is = (e && e->job.fence >= r->fence) ||
              (r->state == KEN_JOB_RUNNING && ken_str_eq(r->worker, ken_str_c(j->name)));
    for (size_t i = 0; i < JOB_ENDED_HERE && !is; i++)
        is = ken_uuid_eq(j->ended_here[i].id, r->id) && j->ended_here[i].fence >= r->fence &&
             j->ended_here[i].fence;
    pthread_mutex_unlock(&j->lock);
    return is;
}

// A mark at a job that runs here.
static void see_mark(ken_jobs *j, const ken_job *r)
{
    if (!r->is_cancel_wanted || r->state != KEN_JOB_RUNNING)
        return;
    pthread_mutex_lock(&j->lock);
    job_entry *e = ken_job__find_entry(&j->running, r->id);
    if (e && e->job.fence == r->fence && !ken_cancel_is_set(&e->cancel)) {
        ken_job__cancel_entry(e);
        pthread_cond_broadcast(&j->changed);
    }
    pthread_mutex_unlock(&j->lock);
}

static void see_rows(ken_jobs *j, const ken_job *rows, size_t n)
{
    job_watch *w = j->watch;
    seen_rows now = { 0 };
    for (size_t i = 0; i < n; i++) {
        const seen s = { rows[i].id, hash_row(&rows[i]) };
        ken_vec_push(&now, s);
        if (rows[i].changed_at_ms > w->since_ms)
            w->since_ms = rows[i].changed_at_ms;
        see_mark(j, &rows[i]);
        if (w->has_looked && !was_told(&w->rows, &s) && !is_own(j, &rows[i]))
            ken_job__tell(j, &rows[i]);
    }
    ken_vec_release(&w->rows);
    w->rows = now;
    w->has_looked = true;
}

// What cannot be read now is read with the next look.
static void look(ken_jobs *j)
{
    int64_t since_ms = j->watch->since_ms - OVERLAP_MS;
    const ken_job_filter f = { .changed_at_ms = since_ms > 0 ? since_ms : 0,
                               .limit = KEN_JOBS_LISTED_MAX };
    ken_job *rows = NULL;
    size_t n = 0;
    ken_arena a;
    ken_arena_init(&a, 0);
    if (!ken_job__list_rows(j->app, &f, &a, &rows, &n, NULL))
        see_rows(j, rows, n);
    ken_arena_release(&a);
}

// ---- hearing -----------------------------------------------------------------------------------

static void fail_listening(job_watch *w, ken_status st, const ken_err *err)
{
    ken_notices_close(w->notices);
    w->notices = NULL;
    if (st == KEN_EUNSUPPORTED)
        w->may_listen = false;
    else if (w->wait_ms == RECONNECT_MS)
        KEN_LOG_WARNING("job", "nothing is heard of the database now, it is looked at instead: %s",
                        err->msg);
    w->next_try_ns = ken_clock_mono_ns() + w->wait_ms * NS_PER_MS;
    w->wait_ms = w->wait_ms * 2 < RECONNECT_MAX_MS ? w->wait_ms * 2 : RECONNECT_MAX_MS;
}

static void try_listening(ken_jobs *j)
{
    job_watch *w = j->watch;
    ken_err err = { 0 };
    if (w->notices || !w->may_listen || ken_clock_mono_ns() < w->next_try_ns)
        return;
    ken_status st = ken_notices_open(j->db, &w->notices, &err);
    if (st)
        fail_listening(w, st, &err);
    else
        w->wait_ms = RECONNECT_MS;
}

// Until something is told, or the time is over.
static ken_notice hear(job_watch *w, int64_t ms)
{
    ken_notice n = { .kind = KEN_NOTICE_NONE };
    ken_err err = { 0 };
    struct pollfd wake = { .fd = w->wake_fd, .events = POLLIN };
    if (!w->notices) {
        (void)poll(&wake, 1, (int)ms);
        return n;
    }
    ken_status st = ken_notices_wait(w->notices, w->wake_fd, (int)ms, &n, &err);
    if (st)
        fail_listening(w, st, &err);
    return n;
}

static void follow(ken_jobs *j, const ken_notice *n)
{
    if (n->kind == KEN_NOTICE_NEW_JOB)
        ken_job__wake(j);
    if (n->kind == KEN_NOTICE_INDEX && j->opts.on_index)
        j->opts.on_index(j->opts.ctx, n->id);
}

void ken_job__watch_until_end(void *ctx, size_t worker)
{
    ken_jobs *j = ctx;
    job_watch *w = j->watch;
    bool is_due = true; // a look
    int64_t looked_ns = 0, woken_ns = 0;
    (void)worker;
    while (!atomic_load(&w->ends)) {
        try_listening(j);
        int64_t every_ms = w->notices ? LISTEN_LOOK_MS : BLIND_LOOK_MS;
        int64_t at_ns = looked_ns + (is_due ? LOOKS_APART_MS : every_ms) * NS_PER_MS;
        int64_t left_ms = (at_ns - ken_clock_mono_ns() + NS_PER_MS - 1) / NS_PER_MS;
        ken_notice n = left_ms > 0 ? hear(w, left_ms) : (ken_notice){ .kind = KEN_NOTICE_NONE };
        follow(j, &n);
        bool is_of_job = n.kind == KEN_NOTICE_NEW_JOB || n.kind == KEN_NOTICE_JOB;
        is_due = is_due || (is_of_job && ken_job__has_listeners(j));
        if (n.kind || ken_clock_mono_ns() < at_ns)
            continue;
        looked_ns = ken_clock_mono_ns();
        is_due = false;
        if (!w->has_looked || ken_job__has_listeners(j))
            look(j);
        if (looked_ns - woken_ns < every_ms * NS_PER_MS)
            continue;
        woken_ns = looked_ns; // nobody may have told of a job, and nobody tells when one is due
        ken_job__wake(j);
    }
}

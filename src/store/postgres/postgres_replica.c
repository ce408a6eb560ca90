// SPDX-License-Identifier: MIT
// Questions on a streaming replica. Two promises hold:
//
//   1. What this process has seen or made of a tree is never answered by an older generation: each read remembers its
//      number, and one on the replica that finds a smaller one is begun again at the primary.
//   2. What others made is seen CHECK_MS after its commit at the latest: so often the primary is asked how far its log
//      is, and until the replica has replayed that much the primary answers.
//
// Positions of two logs can be compared when the replica follows this primary: it is of the same database server by its
// system identifier, and on the same timeline, which a promotion ends. One that was promoted, or follows another, is not
// asked, whatever its position.
//
// A thread looks as long as there are questions; no question waits for it, and the primary answers those that come before
// its first look. A replica that cannot be reached is left alone for RETRY_MS. When the primary cannot be asked nothing new
// is committed either, as far as anybody knows, and the replica goes on.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/vec.h"
#include "store/postgres/postgres_replica_priv.h"

enum {
    CHECK_MS = 1000,
    LOOK_MS = 400,    // between two looks, which may take a while themselves
    BEHIND_MS = 50,   // until one that is behind is looked at again
    ASKED_MS = 10000, // it is looked at for so long after a question
    RETRY_MS = 5000,
    CONNECT_S = 3,
};

typedef struct seen_tree {
    int64_t index, tree, generation;
} seen_tree;

typedef KEN_VEC(seen_tree) seen_trees;

typedef struct replica_state {
    bool is_down, is_behind, is_other;
    char why[sizeof(((ken_replica_usage *)NULL)->why)]; // it does not answer
} replica_state;

struct ken_pg_replica {
    ken_database *primary; // borrowed, it has us
    ken_database *database;
    char *url;        // owned
    ken_pool *looker; // owned; one thread, made when first needed
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_looking; // one thread connects or asks how far they are
    bool has_looker; // the thread is at it
    bool is_closing;
    replica_state now;
    int64_t fresh_until_ns; // so long it may answer without a look
    int64_t look_at_ns;     // not before
    int64_t asked_ns;       // the last question
    seen_trees seen;        // by index, then tree
    ken_replica_usage usage;
};

// ---- what was seen -----------------------------------------------------------------------------

static int compare(const seen_tree *t, int64_t index, int64_t tree)
{
    if (t->index != index)
        return t->index < index ? -1 : 1;
    return t->tree < tree ? -1 : t->tree > tree;
}

static size_t place_of(const seen_trees *seen, int64_t index, int64_t tree)
{
    size_t low = 0, high = seen->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&seen->ptr[middle], index, tree) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Raises what was seen to `generation`, and returns what it is then.
static int64_t raise_seen(seen_trees *seen, int64_t index, int64_t tree, int64_t generation)
{
    size_t at = place_of(seen, index, tree);
    if (at == seen->len || compare(&seen->ptr[at], index, tree)) {
        ken_vec_push(seen, ((seen_tree){ 0, 0, 0 }));
        memmove(seen->ptr + at + 1, seen->ptr + at, (seen->len - 1 - at) * sizeof *seen->ptr);
        seen->ptr[at] = (seen_tree){ index, tree, generation };
    }
    seen_tree *t = &seen->ptr[at];
    t->generation = t->generation > generation ? t->generation : generation;
    return t->generation;
}

void ken_store__pg_saw(ken_pg_replica *r, int64_t index, int64_t tree, int64_t generation)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    (void)raise_seen(&r->seen, index, tree, generation);
    pthread_mutex_unlock(&r->lock);
}

bool ken_store__pg_is_promised(ken_pg_replica *r, int64_t index, int64_t tree, int64_t generation)
{
    pthread_mutex_lock(&r->lock);
    bool is_older = raise_seen(&r->seen, index, tree, generation) > generation;
    r->usage.n_older += is_older;
    r->usage.n_answers += !is_older;
    pthread_mutex_unlock(&r->lock);
    return !is_older;
}

// ---- how far it is -----------------------------------------------------------------------------

// Of a server: where its log is, and which log that is. 0 = it may not be known.
typedef struct log_state {
    bool is_replica;
    int64_t position, timeline, system;
} log_state;

static ken_status read_state(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(log_state *)out = (log_state){ .is_replica = ken_store__pg_i64(row, 0) != 0,
                                     .position = ken_store__pg_i64(row, 1),
                                     .timeline = ken_store__pg_i64(row, 2) };
    return KEN_OK;
}

static ken_status read_identity(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                ken_err *err)
{
    (void)p, (void)arena, (void)err;
    log_state *s = out;
    int64_t timeline = ken_store__pg_i64(row, 1);
    s->system = ken_store__pg_i64(row, 0);
    s->timeline = s->timeline > timeline || !s->is_replica ? s->timeline : timeline;
    return KEN_OK;
}

// What the role may not read is left unknown.
static ken_status ask(ken_database *db, log_state *out, ken_err *err)
{
    ken_pg p;
    ken_store__pg_init(&p, db, "log", "ken", 0);
    ken_status st = ken_store__pg_one(&p, &(ken_pg_query){ .which = KEN_PG_LOG_STATE }, read_state,
                                      NULL, out, err);
    ken_err refused;
    if (!st && ken_store__pg_one(&p, &(ken_pg_query){ .which = KEN_PG_LOG_IDENTITY }, read_identity,
                                 NULL, out, &refused))
        out->system = 0;
    ken_store__pg_release(&p);
    return st;
}

static ken_status connect_replica(ken_pg_replica *r, ken_err *err)
{
    const ken_database_opts opts = { .url = r->url,
                                     .pool_size = r->usage.n_max,
                                     .max_overflow = UINT32_MAX,
                                     .connect_s = CONNECT_S,
                                     .is_schema_left = true };
    return r->database ? KEN_OK : ken_database_open(&opts, &r->database, err);
}

#define SAY(s, ...) snprintf((s)->why, sizeof(s)->why, __VA_ARGS__)

// Whether its log is that of the primary, so that positions can be compared.
static bool follows(const log_state *primary, const log_state *replica, replica_state *out)
{
    if (primary->system && replica->system && primary->system != replica->system)
        SAY(out, "it belongs to another server: its system identifier is %llu, the primary's %llu",
            (unsigned long long)replica->system, (unsigned long long)primary->system);
    else if (!replica->is_replica && replica->timeline != primary->timeline)
        SAY(out,
            "it was promoted, and is a primary of its own: timeline %lld, the primary's is %lld",
            (long long)replica->timeline, (long long)primary->timeline);
    else if (replica->timeline && primary->timeline && replica->timeline != primary->timeline)
        SAY(out, "it is on timeline %lld, the primary on %lld", (long long)replica->timeline,
            (long long)primary->timeline);
    else
        return true;
    return false;
}

// Without the lock: only one thread is here at a time, and nobody uses `database` before it is there.
static replica_state look(ken_pg_replica *r, const replica_state *was)
{
    log_state primary = { 0 }, replica = { 0 };
    ken_err err = { 0 };
    replica_state now = { .is_down = false };
    bool is_known = !ask(r->primary, &primary, NULL);
    now.is_down = connect_replica(r, &err) || ask(r->database, &replica, &err);
    if (now.is_down) {
        SAY(&now, "%.200s", err.msg);
        return now;
    }
    if (!is_known && was->is_other)
        return *was;
    now.is_other = is_known && !follows(&primary, &replica, &now);
    now.is_behind = is_known && !now.is_other && replica.position < primary.position;
    if (now.is_behind)
        SAY(&now, "it lacks %lld bytes of the primary's log",
            (long long)(primary.position - replica.position));
    return now;
}

static int64_t in_ms(int64_t ms)
{
    return ken_clock_mono_ns() + ms * 1000000;
}

static void wait_until(ken_pg_replica *r, int64_t at_ns)
{
    const struct timespec until = { .tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000 };
    (void)pthread_cond_timedwait(&r->changed, &r->lock, &until);
}

// The lock is held, and given up while it is looked.
static void look_now(ken_pg_replica *r)
{
    while (r->is_looking)
        pthread_cond_wait(&r->changed, &r->lock);
    const replica_state was = r->now;
    int64_t began_ns = ken_clock_mono_ns();
    r->is_looking = true;
    pthread_mutex_unlock(&r->lock);
    replica_state now = look(r, &was);
    pthread_mutex_lock(&r->lock);
    r->is_looking = false;
    r->now = now;
    r->usage.n_behind += now.is_behind;
    r->fresh_until_ns = began_ns + (int64_t)CHECK_MS * 1000000;
    r->look_at_ns = in_ms(now.is_down || now.is_other ? RETRY_MS
                          : now.is_behind             ? BEHIND_MS
                                                      : LOOK_MS);
    pthread_cond_broadcast(&r->changed);
}

// As long as there are questions.
static void look_on(void *ctx, size_t worker)
{
    (void)worker;
    ken_pg_replica *r = ctx;
    pthread_mutex_lock(&r->lock);
    while (!r->is_closing && ken_clock_mono_ns() - r->asked_ns < (int64_t)ASKED_MS * 1000000) {
        if (ken_clock_mono_ns() < r->look_at_ns)
            wait_until(r, r->look_at_ns);
        else
            look_now(r);
    }
    r->has_looker = false;
    pthread_mutex_unlock(&r->lock);
}

// The lock is held.
static void call_looker(ken_pg_replica *r)
{
    if (r->has_looker || r->is_closing)
        return;
    if (!r->looker)
        r->looker = ken_pool_new(1, 1, 0);
    r->has_looker = ken_pool_n_workers(r->looker) && ken_pool_try_submit(r->looker, look_on, r);
}

ken_database *ken_store__pg_reader(ken_pg_replica *r)
{
    pthread_mutex_lock(&r->lock);
    r->asked_ns = ken_clock_mono_ns();
    call_looker(r);
    const replica_state *now = &r->now;
    bool may =
        r->asked_ns < r->fresh_until_ns && !now->is_down && !now->is_behind && !now->is_other;
    ken_database *db = may ? r->database : NULL;
    pthread_mutex_unlock(&r->lock);
    return db;
}

void ken_store__pg_look_at_replica(ken_pg_replica *r)
{
    pthread_mutex_lock(&r->lock);
    look_now(r);
    pthread_mutex_unlock(&r->lock);
}

void ken_store__pg_replica_failed(ken_pg_replica *r, const ken_err *why)
{
    pthread_mutex_lock(&r->lock);
    r->now = (replica_state){ .is_down = true };
    SAY(&r->now, "%.200s", why->msg);
    r->look_at_ns = in_ms(RETRY_MS);
    pthread_mutex_unlock(&r->lock);
}

// ---- opening -----------------------------------------------------------------------------------

ken_pg_replica *ken_store__pg_new_replica(ken_database *primary, const char *url, uint32_t n_max)
{
    ken_pg_replica *r = ken_zalloc(sizeof *r);
    r->primary = primary;
    r->url = ken_strdup(url);
    r->usage.n_max = n_max;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void ken_store__pg_free_replica(ken_pg_replica *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->is_closing = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    ken_pool_free(r->looker);
    ken_database_close(r->database);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    ken_vec_release(&r->seen);
    ken_free(r->url);
    ken_free(r);
}

ken_replica_usage ken_store__pg_replica_usage(ken_pg_replica *r)
{
    pthread_mutex_lock(&r->lock);
    ken_replica_usage usage = r->usage;
    usage.exists = true;
    usage.is_known = r->fresh_until_ns > 0;
    usage.is_down = r->now.is_down;
    usage.is_behind = r->now.is_behind;
    usage.is_other = r->now.is_other;
    memcpy(usage.why, r->now.why, sizeof usage.why);
    pthread_mutex_unlock(&r->lock);
    return usage;
}

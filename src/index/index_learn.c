// SPDX-License-Identifier: MIT
// index_learn.c -- the workers of a run: read, hash, parse, cut, count.
//
// Workers take files in the order of the plan and hand over slots, of which there is a fixed number: a slow disk
// or store holds the workers back instead of filling memory. run.lock guards the two lists of slots,
// `known`, and the bytes that workers have in extraction; nothing slower than a look-up in `known` is
// done under it.
#include "base/alloc.h"
#include "base/pool.h"
#include "index/index_run_priv.h"

enum {
    SLOTS_PER_WORKER = 4,
};

static index_slot *take_free(index_run *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->free_slots)
        pthread_cond_wait(&r->has_free, &r->lock);
    index_slot *s = r->free_slots;
    r->free_slots = s->next;
    pthread_mutex_unlock(&r->lock);
    return s;
}

static void put_free(index_run *r, index_slot *s)
{
    pthread_mutex_lock(&r->lock);
    s->next = r->free_slots;
    r->free_slots = s;
    pthread_cond_signal(&r->has_free);
    pthread_mutex_unlock(&r->lock);
}

static void put_done(index_run *r, index_slot *s)
{
    pthread_mutex_lock(&r->lock);
    s->next = NULL;
    if (r->done_tail)
        r->done_tail->next = s;
    else
        r->done_head = s;
    r->done_tail = s;
    pthread_cond_signal(&r->has_done);
    pthread_mutex_unlock(&r->lock);
}

// NULL: a worker waits for the batch to be written.
static index_slot *take_done(index_run *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->done_head && !r->wants_flush)
        pthread_cond_wait(&r->has_done, &r->lock);
    index_slot *s = r->done_head;
    if (s)
        r->done_head = s->next;
    if (!r->done_head)
        r->done_tail = NULL;
    pthread_mutex_unlock(&r->lock);
    return s;
}

// A failed look-up only costs a parse; real faults are found by the writer's store.
static void look_up_known(index_run *r, index_slot *s)
{
    ken_content_info info;
    pthread_mutex_lock(&r->lock);
    if (!r->is_known_lost && !ken_cancel_is_set(r->cancel)) {
        ken_status st = ken_store_find_content(r->known, &s->key, &info, NULL);
        if (!st)
            s->known = info;
        r->is_known_lost = st && st != KEN_ENOTFOUND;
    }
    pthread_mutex_unlock(&r->lock);
}

// The writer takes what was handed over before, writes the batch, and lets this worker go on.
static void have_flushed(index_run *r)
{
    pthread_mutex_lock(&r->lock);
    r->wants_flush = true;
    pthread_cond_signal(&r->has_done);
    while (r->wants_flush)
        pthread_cond_wait(&r->has_room, &r->lock);
    pthread_mutex_unlock(&r->lock);
}

// What is kept for speed only is let go of before a file that else would lead beyond the limit.
static void make_room(index_run *r, index_worker *w, index_slot *s)
{
    ken_index__worker_empty(w);
    ken_index__slot_renew(s);
    if (!r->is_alone)
        have_flushed(r);
    ken_alloc_trim();
}

// Of a worker that waits for another one's large file.
static void ease(const index_run *r, index_worker *w)
{
    if (!ken_index__has_room(r, r->memory.in_work))
        ken_index__worker_empty(w);
    else if (w->made_for > INDEX_MEDIUM_FILE)
        ken_index__worker_renew(w);
}

// A large file takes many times its size while it is parsed: workers wait until there is room,
// and never when nobody else is at work. Who waits holds nothing for large files.
static void enter(index_run *r, index_worker *w, index_slot *s, uint64_t bytes)
{
    bool has_waited = false;
    pthread_mutex_lock(&r->lock);
    while (r->n_at_work && (r->in_work + bytes > r->memory.in_work ||
                            (bytes > INDEX_GAUGED && ken_index__is_pressed(r)))) {
        if (!has_waited) {
            has_waited = true;
            pthread_mutex_unlock(&r->lock);
            ease(r, w);
            pthread_mutex_lock(&r->lock);
            continue;
        }
        pthread_cond_wait(&r->has_room, &r->lock);
    }
    r->in_work += bytes;
    r->n_at_work++;
    pthread_mutex_unlock(&r->lock);
    if (bytes > r->memory.in_work / 4 && !ken_index__has_room(r, bytes))
        make_room(r, w, s);
}

static void leave(index_run *r, uint64_t bytes)
{
    pthread_mutex_lock(&r->lock);
    r->in_work -= bytes;
    r->n_at_work--;
    pthread_cond_broadcast(&r->has_room);
    pthread_mutex_unlock(&r->lock);
}

// Reads and learns the next file; false when none is left.
static bool work_one(index_run *r, size_t worker)
{
    size_t i = atomic_fetch_add(&r->next_work, 1);
    if (i >= r->n_work)
        return false;
    index_slot *s = take_free(r);
    s->file = r->work[i];
    s->failure = KEN_OK;
    s->stamp = r->scan.files[s->file].stamp;
    uint64_t size = s->stamp.size;
    if (size > r->job.max_file_bytes) // it is not read
        size = 0;
    index_worker *w = &r->workers[worker];
    if (ken_index__is_outgrown(s->made_for, size))
        ken_index__slot_renew(s);
    if (ken_index__is_outgrown(w->made_for, size))
        ken_index__worker_renew(w);
    enter(r, w, s, size * INDEX_PARSE_FACTOR);
    s->made_for = size > s->made_for ? size : s->made_for;
    w->made_for = size > w->made_for ? size : w->made_for;
    if (atomic_load(&r->is_stopping) || ken_cancel_is_set(r->cancel)) {
        s->failure = KEN_ECANCELLED;
    } else if (ken_index__file_read(&r->job, r->scan.files[s->file].path, s)) {
        if (r->known && !r->opts->is_forced)
            look_up_known(r, s);
        if (!s->known.id)
            ken_index__file_learn(&r->job, w, r->scan.files[s->file].path, s);
        if (ken_cancel_is_set(r->cancel)) // the facts of an interrupted parse are incomplete
            s->failure = KEN_ECANCELLED;
    }
    if (size > INDEX_LARGE_FILE)
        ken_index__worker_renew(w);
    leave(r, size * INDEX_PARSE_FACTOR);
    put_done(r, s);
    return true;
}

static void work(void *ctx, size_t worker)
{
    while (work_one(ctx, worker))
        ;
}

// Also after a failure, so that the worker sees it and ends.
static void flush_asked(index_run *r, ken_status *st, ken_err *err)
{
    if (!*st && r->n_in_batch && ken_index__builder_bytes(r) > INDEX_SEGMENT_LEAST)
        *st = ken_index__end_batch(r, err);
    if (*st)
        atomic_store(&r->is_stopping, true);
    pthread_mutex_lock(&r->lock);
    r->wants_flush = false;
    pthread_cond_broadcast(&r->has_room);
    pthread_mutex_unlock(&r->lock);
}

// Takes what the workers hand over until all is there; the first failure stops them. Without any
// this thread does their work as well.
static ken_status collect_all(index_run *r, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < r->n_work;) {
        if (r->is_alone)
            (void)work_one(r, 0);
        index_slot *s = take_done(r);
        if (!s) {
            flush_asked(r, &st, err);
            continue;
        }
        i++;
        r->n_done++;
        r->bytes_done += r->scan.files[s->file].stamp.size;
        if (!st)
            st = ken_index__keep(r, s, err);
        if (st)
            atomic_store(&r->is_stopping, true);
        if (r->scan.files[s->file].stamp.size > INDEX_LARGE_FILE)
            ken_index__slot_renew(s);
        put_free(r, s);
        ken_index__progress(r, "indexing", false);
    }
    if (st == KEN_ECANCELLED || st == KEN_ETIMEOUT)
        ken_index__commit_stopped(r); // the next run goes on from there
    if (r->is_in_batch && st) {
        ken_store_rollback(r->store);
        r->is_in_batch = false;
    }
    return st;
}

// Of those that are read: what is too large is not.
static uint64_t largest_file(const index_run *r)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < r->n_work; i++) {
        uint64_t size = r->scan.files[r->work[i]].stamp.size;
        if (size <= r->job.max_file_bytes && size > largest)
            largest = size;
    }
    return largest;
}

static void divide_memory(index_run *r)
{
    uint64_t limit = r->opts->memory_limit ? r->opts->memory_limit : INDEX_MEMORY_DEFAULT;
    uint64_t held = r->arena->used_bytes + r->scan_arena.used_bytes;
    uint64_t needed = ken_index__memory_needed(held, largest_file(r));
    if (needed > limit) {
        r->report->memory_limit = limit;
        r->report->memory_needed = needed;
    }
    r->memory = ken_index__split_memory(limit, held);
}

ken_status ken_index__learn(index_run *r, ken_err *err)
{
    if (!r->n_work)
        return KEN_OK;
    divide_memory(r);
    ken_alloc_trim(); // what scanning and reading the old list have left in pieces
    size_t n_workers = r->n_jobs < r->memory.n_workers ? r->n_jobs : r->memory.n_workers;
    if (n_workers > r->n_work)
        n_workers = r->n_work;
    ken_index__gauge_open(r);
    size_t n_slots = n_workers * SLOTS_PER_WORKER;
    r->slots = ken_zalloc(ken_mul_size(n_slots, sizeof *r->slots));
    r->workers = ken_zalloc(ken_mul_size(n_workers, sizeof *r->workers));
    for (size_t i = 0; i < n_slots; i++) {
        ken_index__slot_init(&r->slots[i]);
        r->slots[i].next = r->free_slots;
        r->free_slots = &r->slots[i];
    }
    for (size_t i = 0; i < n_workers; i++)
        ken_index__worker_init(&r->workers[i], &r->memory, n_workers);
    ken_pool *pool = ken_pool_new(n_workers, n_workers, (size_t)64 << 20);
    r->is_alone = !ken_pool_n_workers(pool);
    for (size_t i = 0; i < n_workers && !r->is_alone; i++)
        ken_pool_submit(pool, work, r);
    ken_status st = collect_all(r, err);
    ken_pool_free(pool);
    ken_index__gauge_close(r);
    r->partial.is_on = false; // the rest comes with the complete generation
    if (!st)
        st = ken_index__end_batch(r, err);
    for (size_t i = 0; i < n_workers; i++)
        ken_index__worker_release(&r->workers[i]);
    for (size_t i = 0; i < n_slots; i++)
        ken_index__slot_release(&r->slots[i]);
    ken_free(r->workers);
    ken_free(r->slots);
    ken_alloc_trim(); // the commit takes memory for every file
    return st;
}

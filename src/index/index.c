// SPDX-License-Identifier: MIT
// A run, start to end:
//   scan      which files there are                                  (a thread of its own,
//             while this one reads what the newest generation has)
//   compare   by size, times and inode with the newest generation    (this thread)
//             and, for files written about when they were last looked at, by content
//   learn     read, hash, parse, cut, count                          (workers)
//   keep      contents into the store, terms into a builder, which becomes a segment once large;
//             committed in batches, invisible until a generation has them (this thread, meanwhile)
//   commit    files, skips and the generation in one transaction     (this thread)
//
// Workers take files largest first and hand over slots, of which there is a fixed number: a slow
// disk or store holds the workers back instead of filling memory. Locks: run.lock guards the two
// lists of slots and `known`; nothing but a look-up in `known` is done under it.
#include "index/index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/pool.h"
#include "index/index_priv.h"

enum {
    SLOTS_PER_WORKER = 4,
    PROGRESS_EVERY_NS = 50000000,
    MAX_ISSUES = 1000,
    BATCH_CONTENTS = 4000, // at most so many in one transaction
    MAX_IN_RUN = 24,       // segments of a kind, before some are joined while a run goes on
    CLOCK_STEP_MS = 2000,  // file systems may tell two times no nearer than this apart
};

static const char seen_key[] = "index.seen_ms"; // when the last run began that saw every file

// What becomes of a scanned file.
typedef struct planned {
    int64_t content;       // 0 = not in the index
    int64_t row_id;        // row of the generation before, 0 = none
    int64_t changed_at_ms; // of that row
    ken_fs_stamp stamp;
    ken_skip_reason skip_before; // it was left out for this, and has the same stamp
    bool is_changed;             // its row must be written
} planned;

// Of the contents of files, each as often as files have it.
typedef struct counts {
    uint64_t n_files, n_chunks, n_symbols, n_bytes, n_lines;
} counts;

typedef struct run {
    ken_store *store;
    const char *root;
    ken_index_opts effective;   // opts, limited to the index's scope
    const ken_index_opts *opts; // these
    ken_str scope_before, scope;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_index_report *report;
    ken_index_files_fn *files; // of a look: what the index has; NULL = it is loaded
    void *files_ctx;
    uint64_t scope_generation; // of a look: that the scope is of
    ken_arena scan_arena;      // of `scan`, for as long as the run
    ken_scan_result scan;
    ken_status scan_status;
    ken_err scan_err;
    planned *plan;              // one per scanned file
    ken_skip_reason *late_skip; // one per scanned file: found when it was read
    size_t *work;               // scanned files to learn, largest first
    size_t n_work;
    index_job job;
    uint32_t n_jobs;
    atomic_size_t next_work;
    atomic_bool is_stopping;
    pthread_mutex_t lock;
    pthread_cond_t has_free, has_done, has_room;
    uint64_t in_work; // bytes that the files at hand may take, under the lock
    uint32_t n_at_work;
    index_slot *free_slots, *done_head, *done_tail;
    index_slot *slots;
    index_worker *workers;
    ken_store *known; // for look-ups by content, under the lock; NULL = nothing is known yet
    bool
        is_known_lost; // one failed, after seconds of waiting for a lock perhaps: the rest is parsed
    ken_lex_builder *builder;
    ken_mention_builder *mentions;
    ken_vector_builder *vectors;
    index_memory memory;
    uint32_t n_in_batch;
    bool is_in_batch;
    int64_t started_ns, progress_ns, now_ms;
    int64_t seen_ms;  // now_ms of the run that last saw every file
    bool is_look;     // nothing will be read or written
    bool has_changed; // something that was read is not as the generation before has it
    bool trusts_old;  // unchanged files are not looked at
    counts gained,
        lost; // by files since the generation before; all that is gained, when it is not trusted
    uint64_t bytes_done, bytes_total, n_done;
    KEN_VEC(ken_issue) issues;
} run;

static void say(run *r, const char *stage, bool is_forced)
{
    int64_t now = ken_clock_mono_ns();
    if (!r->opts->on_progress || (!is_forced && now - r->progress_ns < PROGRESS_EVERY_NS))
        return;
    r->progress_ns = now;
    ken_index_progress p = { stage, r->n_done, r->n_work, r->bytes_done, r->bytes_total };
    r->opts->on_progress(r->opts->progress_ctx, &p);
}

static void add_issue(run *r, ken_str path, const char *text)
{
    if (r->issues.len < MAX_ISSUES)
        ken_vec_push(&r->issues, ((ken_issue){ ken_arena_dup(r->arena, path),
                                               ken_arena_dup(r->arena, ken_str_c(text)) }));
}

// ---- workers -----------------------------------------------------------------------------------

static index_slot *take_free(run *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->free_slots)
        pthread_cond_wait(&r->has_free, &r->lock);
    index_slot *s = r->free_slots;
    r->free_slots = s->next;
    pthread_mutex_unlock(&r->lock);
    return s;
}

static void put_free(run *r, index_slot *s)
{
    pthread_mutex_lock(&r->lock);
    s->next = r->free_slots;
    r->free_slots = s;
    pthread_cond_signal(&r->has_free);
    pthread_mutex_unlock(&r->lock);
}

static void put_done(run *r, index_slot *s)
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

static index_slot *take_done(run *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->done_head)
        pthread_cond_wait(&r->has_done, &r->lock);
    index_slot *s = r->done_head;
    r->done_head = s->next;
    if (!r->done_head)
        r->done_tail = NULL;
    pthread_mutex_unlock(&r->lock);
    return s;
}

// A failed look-up only costs a parse; the writer's own store finds real faults.
static void look_up_known(run *r, index_slot *s)
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

// A large file takes many times its size while it is parsed: workers wait until there is room,
// and never when nobody else is at work.
static void enter(run *r, uint64_t bytes)
{
    pthread_mutex_lock(&r->lock);
    while (r->n_at_work && r->in_work + bytes > r->memory.in_work)
        pthread_cond_wait(&r->has_room, &r->lock);
    r->in_work += bytes;
    r->n_at_work++;
    pthread_mutex_unlock(&r->lock);
}

static void leave(run *r, uint64_t bytes)
{
    pthread_mutex_lock(&r->lock);
    r->in_work -= bytes;
    r->n_at_work--;
    pthread_cond_broadcast(&r->has_room);
    pthread_mutex_unlock(&r->lock);
}

// Reads and learns the next file; false when none is left.
static bool work_one(run *r, size_t worker)
{
    size_t i = atomic_fetch_add(&r->next_work, 1);
    if (i >= r->n_work)
        return false;
    index_slot *s = take_free(r);
    s->file = r->work[i];
    s->failure = KEN_OK;
    uint64_t size = r->scan.files[s->file].stamp.size;
    if (size > r->job.max_file_bytes) // it is not read
        size = 0;
    index_worker *w = &r->workers[worker];
    if (index_is_outgrown(s->made_for, size))
        index_slot_renew(s);
    if (index_is_outgrown(w->made_for, size))
        index_worker_renew(w);
    s->made_for = size > s->made_for ? size : s->made_for;
    w->made_for = size > w->made_for ? size : w->made_for;
    enter(r, size * INDEX_PARSE_FACTOR);
    if (atomic_load(&r->is_stopping) || ken_cancel_is_set(r->cancel)) {
        s->failure = KEN_ECANCELLED;
    } else if (index_file_read(&r->job, r->scan.files[s->file].path, s)) {
        if (r->known && !r->opts->is_forced)
            look_up_known(r, s);
        if (!s->known.id)
            index_file_learn(&r->job, w, s);
        if (ken_cancel_is_set(r->cancel)) // a parse that was cut short is not what the file says
            s->failure = KEN_ECANCELLED;
    }
    if (size > INDEX_LARGE_FILE)
        index_worker_renew(w);
    leave(r, size * INDEX_PARSE_FACTOR);
    put_done(r, s);
    return true;
}

static void work(void *ctx, size_t worker)
{
    while (work_one(ctx, worker))
        ;
}

// ---- keeping -----------------------------------------------------------------------------------

static ken_status end_batch(run *r, ken_err *err)
{
    if (!r->is_in_batch)
        return KEN_OK;
    ken_status st = index_flush_words(r->store, r->builder, r->n_jobs, err);
    if (!st)
        st = index_flush_mentions(r->store, r->mentions, err);
    if (!st)
        st = index_flush_vectors(r->store, r->vectors, err);
    static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_MENTIONS,
                                              KEN_SEGMENT_VECTORS };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !st; k++)
        st = index_join(r->store, kinds[k], MAX_IN_RUN, &(index_alive){ 0 }, err);
    if (!st)
        st = ken_store_commit(r->store, err);
    else
        ken_store_rollback(r->store);
    r->is_in_batch = false;
    r->n_in_batch = 0;
    return st;
}

static ken_status keep_content(run *r, index_slot *s, ken_content_info *out, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!r->is_in_batch) {
        st = ken_store_begin_write(r->store, err);
        if (st)
            return st;
        r->is_in_batch = true;
    }
    if (!r->opts->is_forced && !ken_store_find_content(r->store, &s->key, out, NULL))
        return KEN_OK; // the same content twice in one run
    int64_t id;
    const ken_packed packed = { ken_buf_str(&s->packed), ken_buf_str(&s->packed_refs) };
    st = ken_store_add_content(r->store, &s->key, &s->facts, &packed, &id, err);
    if (st)
        return st;
    *out = (ken_content_info){ .id = id,
                               .n_bytes = s->facts.n_bytes,
                               .n_lines = s->facts.n_lines,
                               .n_chunks = (uint32_t)s->facts.n_chunks,
                               .n_symbols = (uint32_t)s->facts.n_symbols };
    ken_lex_builder_add(r->builder, id, &s->doc, s->facts.symbols, s->facts.n_symbols);
    ken_mention_builder_add(r->mentions, id, s->mentions.ptr, s->mentions.len);
    if (r->job.wants_vectors)
        ken_vector_builder_add(r->vectors, id, s->vectors.values.ptr, s->vectors.scales.ptr,
                               (uint32_t)s->vectors.scales.len);
    r->report->n_parsed++;
    r->report->bytes_parsed += s->facts.n_bytes;
    r->n_in_batch++;
    bool is_full = ken_lex_builder_bytes(r->builder) + ken_mention_builder_bytes(r->mentions) +
                       ken_vector_builder_bytes(r->vectors) >
                   r->memory.builders;
    if (r->n_in_batch >= BATCH_CONTENTS || is_full)
        st = end_batch(r, err);
    if (is_full)
        ken_alloc_trim();
    return st;
}

// Whether the content of the file's row was learnt from the bytes that the slot has. A forced run,
// or one after a raised feature number, learns the same bytes again as a new content.
static ken_status compare_bytes(run *r, const planned *p, const index_slot *s, int64_t content,
                                bool *out_is_same, ken_err *err)
{
    *out_is_same = p->row_id && p->content == content;
    if (!p->row_id || *out_is_same)
        return KEN_OK;
    ken_sha256 before;
    ken_status st = ken_store_load_sha(r->store, p->content, &before, err);
    if (!st)
        *out_is_same = memcmp(&before, &s->key.sha, sizeof before) == 0;
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static void count(counts *c, const ken_content_info *info)
{
    c->n_files++;
    c->n_chunks += info->n_chunks;
    c->n_symbols += info->n_symbols;
    c->n_bytes += info->n_bytes;
    c->n_lines += info->n_lines;
}

// A file has lost a content. What is not trusted was not counted.
static ken_status count_lost(run *r, int64_t content, ken_err *err)
{
    ken_content_info info;
    if (!r->trusts_old)
        return KEN_OK;
    ken_status st = ken_store_load_info(r->store, content, &info, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_ECORRUPT,
                        "the index has no content %lld, which a file has: run ken index --force",
                        (long long)content);
    if (!st)
        count(&r->lost, &info);
    return st;
}

static ken_status keep_skip(run *r, const index_slot *s, planned *p, ken_err *err)
{
    ken_status st = p->content ? count_lost(r, p->content, err) : KEN_OK;
    if (st)
        return st;
    r->late_skip[s->file] = s->skip;
    if (s->skip == KEN_SKIP_UNREADABLE)
        add_issue(r, r->scan.files[s->file].path,
                  s->err.msg[0] ? s->err.msg : ken_skip_text(KEN_SKIP_UNREADABLE));
    r->has_changed = r->has_changed || p->row_id || s->skip != p->skip_before;
    p->content = 0;
    return KEN_OK;
}

static ken_status keep(run *r, index_slot *s, ken_err *err)
{
    planned *p = &r->plan[s->file];
    ken_status st = ken_cancel_check(r->cancel, err);
    if (st)
        return st;
    if (s->failure) {
        if (err)
            *err = s->err;
        return s->failure;
    }
    if (s->skip)
        return keep_skip(r, s, p, err);
    ken_content_info info = s->known;
    bool is_same = false;
    st = info.id ? KEN_OK : keep_content(r, s, &info, err);
    const int64_t content = info.id;
    if (!st)
        st = compare_bytes(r, p, s, content, &is_same, err);
    if (!st && p->content && p->content != content)
        st = count_lost(r, p->content, err);
    if (st)
        return st;
    if (p->content != content || !r->trusts_old)
        count(&r->gained, &info);
    p->is_changed = p->content != content || !ken_fs_stamp_eq(p->stamp, s->stamp);
    r->has_changed = r->has_changed || p->is_changed;
    if (!is_same)
        p->changed_at_ms = r->now_ms;
    if (p->row_id)
        ++*(is_same ? &r->report->n_unchanged : &r->report->n_modified);
    p->content = content;
    p->stamp = s->stamp;
    return KEN_OK;
}

// Takes what the workers hand over until all is there; the first failure stops them. Without any
// this thread does their work as well.
static ken_status collect_all(run *r, bool is_alone, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < r->n_work; i++) {
        if (is_alone)
            (void)work_one(r, 0);
        index_slot *s = take_done(r);
        r->n_done++;
        r->bytes_done += r->scan.files[s->file].stamp.size;
        if (!st)
            st = keep(r, s, err);
        if (st)
            atomic_store(&r->is_stopping, true);
        if (r->scan.files[s->file].stamp.size > INDEX_LARGE_FILE)
            index_slot_renew(s);
        put_free(r, s);
        say(r, "indexing", false);
    }
    bool is_stopped = st == KEN_ECANCELLED || st == KEN_ETIMEOUT;
    if (st && r->is_in_batch &&
        (!is_stopped || end_batch(r, NULL))) { // the next run goes on from there
        ken_store_rollback(r->store);
        r->is_in_batch = false;
    }
    return st;
}

// Of those that are read. They come largest first; what is too large is not read.
static uint64_t largest_file(const run *r)
{
    for (size_t i = 0; i < r->n_work; i++) {
        uint64_t size = r->scan.files[r->work[i]].stamp.size;
        if (size <= r->job.max_file_bytes)
            return size;
    }
    return 0;
}

static void divide_memory(run *r)
{
    uint64_t limit = r->opts->memory_limit ? r->opts->memory_limit : INDEX_MEMORY_DEFAULT;
    uint64_t held = r->arena->used_bytes + r->scan_arena.used_bytes;
    uint64_t needed = index_memory_needed(held, largest_file(r));
    if (needed > limit) {
        r->report->memory_limit = limit;
        r->report->memory_needed = needed;
    }
    r->memory = index_split_memory(limit, held);
}

static ken_status learn(run *r, ken_err *err)
{
    if (!r->n_work)
        return KEN_OK;
    divide_memory(r);
    size_t n_workers = r->n_jobs < r->memory.n_workers ? r->n_jobs : r->memory.n_workers;
    if (n_workers > r->n_work)
        n_workers = r->n_work;
    size_t n_slots = n_workers * SLOTS_PER_WORKER;
    r->slots = ken_zalloc(ken_mul_size(n_slots, sizeof *r->slots));
    r->workers = ken_zalloc(ken_mul_size(n_workers, sizeof *r->workers));
    for (size_t i = 0; i < n_slots; i++) {
        index_slot_init(&r->slots[i]);
        r->slots[i].next = r->free_slots;
        r->free_slots = &r->slots[i];
    }
    for (size_t i = 0; i < n_workers; i++)
        index_worker_init(&r->workers[i], r->memory.identifiers / n_workers);
    ken_pool *pool = ken_pool_new(n_workers, n_workers, (size_t)64 << 20);
    bool is_alone = !ken_pool_n_workers(pool);
    for (size_t i = 0; i < n_workers && !is_alone; i++)
        ken_pool_submit(pool, work, r);
    ken_status st = collect_all(r, is_alone, err);
    ken_pool_free(pool);
    if (!st)
        st = end_batch(r, err);
    for (size_t i = 0; i < n_workers; i++)
        index_worker_release(&r->workers[i]);
    for (size_t i = 0; i < n_slots; i++)
        index_slot_release(&r->slots[i]);
    ken_free(r->workers);
    ken_free(r->slots);
    ken_alloc_trim(); // the commit takes memory for every file
    return st;
}

// ---- comparing ---------------------------------------------------------------------------------

typedef struct old_files {
    const ken_file_row *rows; // sorted by path
    size_t n;
    bool *is_kept;
    index_late *late; // sorted by path
    size_t n_late;
    uint64_t skips_key; // of all that was left out; 0 = not known
} old_files;

static int by_size_down(const void *a, const void *b, void *ctx)
{
    const ken_scan_file *files = ctx;
    uint64_t x = files[*(const size_t *)a].stamp.size, y = files[*(const size_t *)b].stamp.size;
    return (x < y) - (x > y);
}

// True for a file that may have been written once more, at the same time by its clock, after it was
// read: its stamp says nothing. A time to come cannot be that of a write. The time of modification
// is looked at, too: some file systems do not keep the other.
static bool is_fresh(const run *r, ken_fs_stamp stamp)
{
    int64_t m = stamp.mtime_ns / 1000000, c = stamp.ctime_ns / 1000000;
    int64_t from = r->seen_ms - CLOCK_STEP_MS, to = r->now_ms + CLOCK_STEP_MS;
    return (m >= from && m <= to) || (c >= from && c <= to);
}

// A file that could not be read says nothing by its stamp: a run tries again, a look tries to open it.
static bool can_trust_skip(const run *r, ken_str path, ken_skip_reason reason)
{
    int fd = -1;
    ken_fs_stamp stamp;
    if (reason != KEN_SKIP_UNREADABLE)
        return true;
    if (!r->is_look || ken_fs_open_under(r->job.root_fd, path, &fd, &stamp, NULL) == KEN_EPERM)
        return r->is_look;
    ken_fs_close(fd);
    return false;
}

// Matches both sorted lists; whatever is new or looks changed becomes work.
static void compare(run *r, old_files *old)
{
    const bool trusts_old = r->trusts_old;
    r->plan = KEN_ARENA_ARRAY(r->arena, planned, r->scan.n_files + 1);
    r->work = KEN_ARENA_ARRAY(r->arena, size_t, r->scan.n_files + 1);
    r->late_skip = KEN_ARENA_ARRAY(r->arena, ken_skip_reason, r->scan.n_files + 1);
    size_t o = 0, l = 0;
    for (size_t i = 0; i < r->scan.n_files; i++) {
        const ken_scan_file *f = &r->scan.files[i];
        while (l < old->n_late && ken_str_cmp(old->late[l].path, f->path) < 0)
            l++;
        while (o < old->n && ken_str_cmp(old->rows[o].path, f->path) < 0)
            o++;
        planned *p = &r->plan[i];
        p->stamp = f->stamp;
        if (o < old->n && ken_str_eq(old->rows[o].path, f->path)) {
            const ken_file_row *row = &old->rows[o];
            *p = (planned){ .content = row->content,
                            .row_id = row->id,
                            .changed_at_ms = row->changed_at_ms,
                            .stamp = row->stamp };
            old->is_kept[o] = true;
            if (trusts_old && ken_fs_stamp_eq(row->stamp, f->stamp) && !is_fresh(r, f->stamp)) {
                r->report->n_unchanged++;
                continue;
            }
        }
        if (trusts_old && l < old->n_late && ken_str_eq(old->late[l].path, f->path) &&
            ken_fs_stamp_eq(old->late[l].stamp, f->stamp)) {
            p->skip_before = old->late[l].reason;
            if (!is_fresh(r, f->stamp) && can_trust_skip(r, f->path, p->skip_before)) {
                r->late_skip[i] = p->skip_before;
                continue;
            }
        }
        r->work[r->n_work++] = i;
        r->bytes_total += f->stamp.size;
    }
    qsort_r(r->work, r->n_work, sizeof *r->work, by_size_down, r->scan.files);
}

// ---- committing --------------------------------------------------------------------------------

// A new file with the content of one that is gone is that file, renamed: it keeps its row.
static ken_status find_renames(run *r, old_files *old, ken_err *err)
{
    ken_status st = KEN_OK;
    ken_map gone;
    ken_map_init(&gone);
    for (size_t o = 0; o < old->n; o++)
        if (!old->is_kept[o])
            ken_map_put(&gone, ken_str_n((const char *)&old->rows[o].content, sizeof(int64_t)), o,
                        NULL);
    for (size_t i = 0; gone.len && i < r->scan.n_files && !st; i++) {
        planned *p = &r->plan[i];
        if (p->row_id || !p->content)
            continue;
        uint64_t *at = ken_map_find(&gone, ken_str_n((const char *)&p->content, sizeof(int64_t)));
        if (!at || old->is_kept[*at])
            continue;
        old->is_kept[*at] = true;
        p->row_id = old->rows[*at].id;
        p->changed_at_ms = old->rows[*at].changed_at_ms;
        r->report->n_renamed++;
        st = count_lost(r, p->content, err);
    }
    ken_map_release(&gone);
    return st;
}

static ken_status put_files(run *r, old_files *old, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t o = 0; o < old->n && !st; o++) {
        if (old->is_kept[o])
            continue;
        st = count_lost(r, old->rows[o].content, err);
        if (!st)
            st = ken_store_remove_file(r->store, old->rows[o].id, err);
        r->report->n_removed++;
    }
    for (size_t i = 0; i < r->scan.n_files && !st; i++) {
        planned *p = &r->plan[i];
        if (!p->content) {
            if (p->row_id) { // became binary, too large …
                st = ken_store_remove_file(r->store, p->row_id, err);
                r->report->n_removed++;
            }
            continue;
        }
        r->report->n_files++;
        if (!p->is_changed)
            continue;
        ken_file_row row = { p->row_id, r->scan.files[i].path, p->content, p->stamp,
                             p->changed_at_ms };
        st = ken_store_put_file(r->store, &row, err);
        if (!p->row_id)
            r->report->n_added++;
    }
    return st;
}

static uint64_t key_of_skip(ken_str path, ken_skip_reason reason)
{
    uint64_t part[2] = { ken_hash_str(path), (uint64_t)reason };
    return ken_hash64(part, sizeof part);
}

// Of all paths that are left out, with their reasons, in whatever order they were met.
static uint64_t key_of_skips(const run *r)
{
    uint64_t key = 1;
    for (size_t i = 0; i < r->scan.n_skips; i++)
        key += key_of_skip(r->scan.skips[i].path, r->scan.skips[i].reason);
    for (size_t i = 0; i < r->scan.n_files; i++)
        if (r->late_skip[i])
            key += key_of_skip(r->scan.files[i].path, r->late_skip[i]);
    return key;
}

static ken_status put_skips(run *r, ken_generation *g, ken_err *err)
{
    size_t most = 0, n = 0, n_late = 0;
    for (size_t i = 0; i < r->scan.n_files; i++)
        most += r->late_skip[i] != KEN_SKIP_NONE;
    index_late *late = KEN_ARENA_ARRAY(r->arena, index_late, most + 1);
    ken_skip_row *rows = KEN_ARENA_ARRAY(r->arena, ken_skip_row, r->scan.n_skips + most + 1);
    for (size_t i = 0; i < r->scan.n_skips; i++)
        rows[n++] = (ken_skip_row){ r->scan.skips[i].path, r->scan.skips[i].reason };
    for (size_t i = 0; i < r->scan.n_files; i++) {
        if (!r->late_skip[i])
            continue;
        const ken_scan_file *f = &r->scan.files[i];
        rows[n++] = (ken_skip_row){ f->path, r->late_skip[i] };
        late[n_late++] = (index_late){ f->path, f->stamp, r->late_skip[i] };
    }
    for (size_t i = 0; i < n; i++)
        g->skips[rows[i].reason]++;
    r->report->n_skipped = n;
    memcpy(r->report->skips, g->skips, sizeof g->skips);
    ken_status st = ken_store_replace_skips(r->store, rows, n, err);
    if (!st)
        st = index_put_skips_key(r->store, key_of_skips(r), err);
    return st ? st : index_put_late(r->store, late, n_late, err);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The ids of contents that files have, in order.
static void list_live(void *ctx, const int64_t **out_ids, size_t *out_n)
{
    run *r = ctx;
    int64_t *live = KEN_ARENA_ARRAY(r->arena, int64_t, r->scan.n_files + 1);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < r->scan.n_files; i++)
        if (r->plan[i].content)
            live[n++] = r->plan[i].content;
    qsort(live, n, sizeof *live, by_id);
    for (size_t i = 0; i < n; i++)
        if (!kept || live[kept - 1] != live[i])
            live[kept++] = live[i];
    *out_ids = live;
    *out_n = kept;
}

// What the new generation holds: what the one before held, and the difference. So a small change
// looks at no row of a file that has not changed.
static ken_status add_up(const run *r, const ken_generation *before, ken_generation *g,
                         ken_err *err)
{
    static const ken_generation none = { 0 };
    const ken_generation *base = r->trusts_old ? before : &none;
    const struct {
        uint64_t before, gained, lost, *out;
    } sums[] = {
        { base->n_files, r->gained.n_files, r->lost.n_files, &g->n_files },
        { base->n_chunks, r->gained.n_chunks, r->lost.n_chunks, &g->n_chunks },
        { base->n_symbols, r->gained.n_symbols, r->lost.n_symbols, &g->n_symbols },
        { base->n_bytes, r->gained.n_bytes, r->lost.n_bytes, &g->n_bytes },
        { base->n_lines, r->gained.n_lines, r->lost.n_lines, &g->n_lines },
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        if (sums[i].lost > sums[i].before + sums[i].gained)
            return KEN_FAIL(err, KEN_ECORRUPT,
                            "the counts of generation %llu are wrong: run ken index --force",
                            (unsigned long long)before->number);
        *sums[i].out = sums[i].before + sums[i].gained - sums[i].lost;
    }
    return KEN_OK;
}

static ken_str feature_text(run *r)
{
    return ken_arena_printf(r->arena, "%d", KEN_INDEX_FEATURE);
}

static ken_status put_seen(run *r, ken_err *err)
{
    ken_str text = ken_arena_printf(r->arena, "%lld", (long long)r->now_ms);
    return ken_store_put_value(r->store, ken_str_c(seen_key), text, err);
}

// Nothing has changed, but files had to be read to know: the next run need not. If this cannot be
// kept, it does.
static void commit_seen(run *r)
{
    if (ken_store_begin_write(r->store, NULL))
        return;
    if (put_seen(r, NULL) || ken_store_commit(r->store, NULL))
        ken_store_rollback(r->store);
}

// A run that was asked to end at what cannot be read: folders and files that the scan met, and
// files that were opened since.
static ken_status check_readable(const run *r, ken_err *err)
{
    ken_str path = { NULL, 0 };
    if (!r->opts->is_strict)
        return KEN_OK;
    for (size_t i = 0; i < r->scan.n_skips && !path.ptr; i++)
        if (r->scan.skips[i].reason == KEN_SKIP_UNREADABLE)
            path = r->scan.skips[i].path;
    if (!path.ptr && r->issues.len)
        path = r->issues.ptr[0].path;
    if (!path.ptr)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EIO, "'%.*s' cannot be read; the index is as it was",
                    path.len > 200 ? 200 : (int)path.len, path.ptr);
}

// Folders and files that the scan could not read: each is an issue, as a file that cannot be opened is.
static void note_unreadable(run *r)
{
    for (size_t i = 0; i < r->scan.n_skips; i++)
        if (r->scan.skips[i].reason == KEN_SKIP_UNREADABLE)
            add_issue(r, r->scan.skips[i].path, ken_skip_text(KEN_SKIP_UNREADABLE));
}

static ken_status commit(run *r, old_files *old, const ken_generation *before, ken_err *err)
{
    ken_generation g = { .number = before->number + 1,
                         .at_ms = r->now_ms,
                         .git_head = r->scan.git_head,
                         .git_branch = r->scan.git_branch,
                         .root = ken_str_c(r->root) };
    index_alive alive = { .load = list_live, .ctx = r };
    ken_status st = ken_store_begin_write(r->store, err);
    if (st)
        return st;
    st = find_renames(r, old, err);
    if (!st)
        st = put_files(r, old, err);
    if (!st)
        st = put_skips(r, &g, err);
    if (!st)
        st = add_up(r, before, &g, err);
    if (!st)
        st = index_tidy(r->store, &alive, r->trusts_old ? r->lost.n_files : UINT64_MAX, err);
    if (!st)
        st = ken_store_put_value(r->store, KEN_STR("index.feature"), feature_text(r), err);
    if (!st)
        st = index_put_scope(r->store, r->scope, err);
    if (!st)
        st = put_seen(r, err);
    if (!st)
        st = ken_store_put_generation(r->store, &g, err);
    if (st)
        ken_store_rollback(r->store);
    else
        st = ken_store_commit(r->store, err);
    r->report->generation = g.number;
    r->report->n_chunks = g.n_chunks;
    r->report->n_symbols = g.n_symbols;
    return st;
}

// True when nothing at all is different from the newest generation.
static bool is_same(const run *r, const old_files *old, const ken_generation *g)
{
    if (!g->number || r->has_changed || !ken_str_eq(r->scope, r->scope_before) ||
        !ken_str_eq(g->git_head, r->scan.git_head) ||
        !ken_str_eq(g->git_branch, r->scan.git_branch))
        return false;
    for (size_t o = 0; o < old->n; o++)
        if (!old->is_kept[o])
            return false;
    return old->skips_key == key_of_skips(r);
}

static void report_same(run *r, const ken_generation *g)
{
    r->report->generation = g->number;
    r->report->n_files = g->n_files;
    r->report->n_chunks = g->n_chunks;
    r->report->n_symbols = g->n_symbols;
    memcpy(r->report->skips, g->skips, sizeof g->skips);
    for (int i = 0; i < KEN_SKIP_COUNT; i++)
        r->report->n_skipped += g->skips[i];
}

static ken_status load_seen(run *r, const ken_generation *g, ken_err *err)
{
    ken_str text = { NULL, 0 };
    uint64_t ms = 0;
    ken_status st = ken_store_load_value(r->store, ken_str_c(seen_key), r->arena, &text, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    r->seen_ms = !st && ken_str_parse_u64(text, &ms) && ms < INT64_MAX ? (int64_t)ms : g->at_ms;
    if (r->seen_ms > r->now_ms) // the clock was put back
        r->seen_ms = r->now_ms;
    return KEN_OK;
}

static ken_status load_old_files(run *r, old_files *old, ken_err *err)
{
    if (r->files)
        return r->files(r->files_ctx, &old->rows, &old->n, err);
    ken_file_row *rows = NULL;
    ken_status st = ken_store_load_files(r->store, r->arena, &rows, &old->n, NULL, err);
    old->rows = rows;
    return st;
}

static ken_status load_old(run *r, old_files *old, ken_generation *g, ken_err *err)
{
    ken_status st = load_old_files(r, old, err);
    if (!st)
        st = ken_store_load_generation(r->store, r->arena, g, err);
    if (st)
        return st;
    ken_str feature = { NULL, 0 };
    st = ken_store_load_value(r->store, KEN_STR("index.feature"), r->arena, &feature, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    char active[KEN_EMBED_NAME_MAX + 1];
    st = index_load_name(r->store, KEN_VECTOR_ACTIVE, r->arena, active, err);
    if (st)
        return st;
    r->job.wants_vectors = !*active;
    old->is_kept = KEN_ARENA_ARRAY(r->arena, bool, old->n + 1);
    st = index_load_late(r->store, r->arena, &old->late, &old->n_late, err);
    if (!st)
        st = index_load_skips_key(r->store, r->arena, &old->skips_key, err);
    if (!st)
        st = load_seen(r, g, err);
    if (st)
        return st;
    // A scope that another run has changed since it was read is that of another generation.
    r->trusts_old = !r->opts->is_forced && ken_str_eq(feature, feature_text(r)) &&
                    (!r->files || g->number == r->scope_generation);
    return KEN_OK;
}

static void scan(void *ctx, size_t worker)
{
    (void)worker;
    run *r = ctx;
    r->scan_status =
        ken_scan(r->root, &r->opts->scan, r->cancel, &r->scan_arena, &r->scan, &r->scan_err);
    if (r->scan_status || r->scan.n_files || r->opts->scan.wants_ignored)
        return;
    // Nothing is left: whoever asks why must be told what git ignores, too.
    ken_scan_opts all = r->opts->scan;
    all.wants_ignored = true;
    r->scan_status = ken_scan(r->root, &all, r->cancel, &r->scan_arena, &r->scan, &r->scan_err);
}

// Readers look contents up in a store of their own: the run's is busy writing. Pages that both map
// would be resident twice.
static ken_status open_known(run *r, const char *path, ken_err *err)
{
    ken_store_opts opts = { .path = path,
                            .is_read_only = true,
                            .map_bytes = KEN_STORE_MAP_NOTHING };
    return ken_store_open(&opts, &r->known, err);
}

// A scope that empties an index is a mistake, unless it was meant.
static ken_status check_scope(const run *r, const old_files *old, ken_err *err)
{
    size_t n_removed = 0, n_added = 0;
    if (!index_is_scope_given(&r->opts->scope) || r->opts->scope.may_shrink || !old->n)
        return KEN_OK;
    for (size_t o = 0; o < old->n; o++)
        n_removed += !old->is_kept[o];
    for (size_t i = 0; i < r->n_work; i++)
        n_added += !r->plan[r->work[i]].row_id;
    if (n_removed <= n_added)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "this scope would take %zu of %zu files out of the index and add %zu; to mean "
                    "that, give --only (in a tool call: only=true)",
                    n_removed, old->n, n_added);
}

// What the index is limited to, and of which generation that is.
static ken_status take_scope(run *r, ken_err *err)
{
    ken_status st = r->files ? ken_store_begin_read(r->store, err) : KEN_OK;
    if (st)
        return st;
    st = index_take_scope(r->store, r->arena, &r->effective, &r->scope_before, &r->scope, err);
    if (!st && r->files)
        st = ken_store_get_generation(r->store, &r->scope_generation, err);
    if (r->files)
        ken_store_rollback(r->store); // nothing was written
    return st;
}

// Scans the folder, and loads what the index has of it meanwhile.
static ken_status look(run *r, old_files *old, ken_generation *before, ken_err *err)
{
    ken_status st = take_scope(r, err);
    if (st)
        return st;
    r->job.max_file_bytes = r->opts->scan.max_file_bytes ? r->opts->scan.max_file_bytes : 1 << 20;
    ken_pool *pool = ken_pool_new(1, 1, 0);
    ken_pool_submit(pool, scan, r);
    st = load_old(r, old, before, err);
    ken_pool_free(pool);
    if (!st && r->scan_status)
        st = KEN_FAIL(err, r->scan_status, "%s", r->scan_err.msg);
    if (!st)
        compare(r, old);
    return st;
}

static ken_status run_all(run *r, const char *db_path, ken_err *err)
{
    old_files old = { 0 };
    ken_generation before = { 0 };
    say(r, "scanning", true);
    ken_status st = look(r, &old, &before, err);
    if (!st)
        st = check_readable(r, err);
    if (!st)
        st = check_scope(r, &old, err);
    if (st)
        return st;
    note_unreadable(r);
    if (r->trusts_old && !r->n_work && is_same(r, &old, &before)) {
        report_same(r, &before);
        return KEN_OK;
    }
    say(r, "indexing", true);
    if (db_path)
        st = open_known(r, db_path, err);
    if (!st)
        st = learn(r, err);
    if (!st)
        st = check_readable(r, err);
    if (!st && r->trusts_old && is_same(r, &old, &before)) {
        report_same(r, &before);
        commit_seen(r);
        return KEN_OK;
    }
    say(r, "committing", true);
    if (!st)
        st = commit(r, &old, &before, err);
    if (!st && r->report->n_parsed > 100)
        st = ken_store_checkpoint(r->store, err);
    return st;
}

static void open_run(run *r)
{
    r->opts = &r->effective;
    ken_arena_init(&r->scan_arena, 0);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->has_free, NULL);
    pthread_cond_init(&r->has_done, NULL);
    pthread_cond_init(&r->has_room, NULL);
    r->job.root_fd = -1;
    r->started_ns = ken_clock_mono_ns();
    r->now_ms = ken_clock_wall_ms();
}

static void close_run(run *r)
{
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->has_free);
    pthread_cond_destroy(&r->has_done);
    pthread_cond_destroy(&r->has_room);
    ken_arena_release(&r->scan_arena);
    ken_alloc_trim();
}

ken_status ken_index_run(ken_store *store, const char *root, const ken_index_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                         ken_err *err)
{
    ken_index_report report = { 0 };
    run r = { .store = store,
              .root = root,
              .effective = *opts,
              .cancel = cancel,
              .arena = arena,
              .report = &report };
    open_run(&r);
    r.n_jobs = opts->n_jobs ? opts->n_jobs : (uint32_t)ken_pool_cores();
    r.job =
        (index_job){ .root_fd = -1, .cancel = cancel, .wants_secrets = opts->scan.wants_secrets };
    r.builder = ken_lex_builder_new();
    r.mentions = ken_mention_builder_new();
    ken_vector_model model = index_builtin_model();
    r.vectors = ken_vector_builder_new(&model);
    ken_status st = ken_fs_open_dir(root, &r.job.root_fd, err);
    if (!st)
        st = run_all(&r, ken_store_path(store), err);
    ken_fs_close(r.job.root_fd);
    ken_store_close(r.known);
    ken_lex_builder_free(r.builder);
    ken_mention_builder_free(r.mentions);
    ken_vector_builder_free(r.vectors);
    report.issues = KEN_ARENA_ARRAY(arena, ken_issue, r.issues.len + 1);
    report.n_issues = r.issues.len;
    if (r.issues.len)
        memcpy(report.issues, r.issues.ptr, r.issues.len * sizeof *r.issues.ptr);
    ken_vec_release(&r.issues);
    close_run(&r);
    report.scope = r.scope;
    report.duration_ms = (ken_clock_mono_ns() - r.started_ns) / 1000000;
    if (!st)
        *out = report;
    return st;
}

// ---- looking -----------------------------------------------------------------------------------

static void count_behind(const run *r, const old_files *old, ken_index_look_report *out)
{
    for (size_t o = 0; o < old->n; o++)
        out->n_removed += !old->is_kept[o];
    for (size_t i = 0; i < r->n_work; i++) {
        size_t file = r->work[i];
        const planned *p = &r->plan[file];
        bool is_known = p->row_id || p->skip_before;
        bool looks_same =
            is_known && (p->skip_before || ken_fs_stamp_eq(p->stamp, r->scan.files[file].stamp));
        ++*(looks_same ? &out->n_doubtful : is_known ? &out->n_modified : &out->n_added);
    }
}

ken_status ken_index_look(ken_store *store, const char *root, const ken_index_opts *opts,
                          ken_index_files_fn *files, void *files_ctx, const ken_cancel *cancel,
                          ken_arena *arena, ken_index_look_report *out, ken_err *err)
{
    old_files old = { 0 };
    ken_generation before = { 0 };
    ken_index_report unused = { 0 };
    run r = { .store = store,
              .root = root,
              .effective = *opts,
              .cancel = cancel,
              .arena = arena,
              .report = &unused,
              .files = files,
              .files_ctx = files_ctx,
              .is_look = true };
    open_run(&r);
    ken_status st = ken_fs_open_dir(root, &r.job.root_fd, err);
    if (!st)
        st = look(&r, &old, &before, err);
    if (!st) {
        *out = (ken_index_look_report){ .generation = before.number };
        out->is_current = r.trusts_old && !r.n_work && is_same(&r, &old, &before);
        count_behind(&r, &old, out);
    }
    ken_fs_close(r.job.root_fd);
    close_run(&r);
    return st;
}

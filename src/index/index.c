// SPDX-License-Identifier: MIT
// A run, start to end:
//   scan      which files there are                                  (a thread of its own,
//             while this one reads what the newest generation has)
//   compare   by size, times and inode with the newest generation    (index_compare.c)
//             and, for files written around the time of the last run, by content
//   plan      a long first run reads first what will be wanted first (index_order.c, index_partial.c)
//   learn     read, hash, parse, cut, count                          (workers, index_learn.c)
//   keep      contents into the store, terms into a builder, which becomes a segment once large;
//             committed in batches, invisible until files of a generation have them (index_keep.c, meanwhile)
//   commit    files, skips and the generation in one transaction     (index_commit.c)
#include "index/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"
#include "index/index_run_priv.h"

enum {
    NS_PER_MS = 1000000,
    PROGRESS_EVERY_NS = 50 * NS_PER_MS,
    PACE_MS = 200, // before a pace can be told
    MAX_ISSUES = 1000,
};

// Parsing costs by the byte.
static int64_t left_ms(const index_run *r, int64_t now)
{
    int64_t ms = (now - r->learn_ns) / NS_PER_MS;
    if (!r->learn_ns || ms < PACE_MS || !r->bytes_done || r->bytes_done >= r->bytes_total)
        return 0;
    return (int64_t)((double)ms * (double)(r->bytes_total - r->bytes_done) / (double)r->bytes_done);
}

void ken_index__progress(index_run *r, const char *stage, bool is_forced)
{
    int64_t now = ken_clock_mono_ns();
    if (!r->opts->on_progress || (!is_forced && now - r->progress_ns < PROGRESS_EVERY_NS))
        return;
    r->progress_ns = now;
    ken_index_progress p = { stage,         r->n_done,      r->n_work,
                             r->bytes_done, r->bytes_total, left_ms(r, now) };
    r->opts->on_progress(r->opts->progress_ctx, &p);
}

void ken_index__add_issue(index_run *r, ken_str path, const char *text)
{
    if (r->issues.len < MAX_ISSUES)
        ken_vec_push(&r->issues, ((ken_issue){ ken_arena_dup(r->arena, path),
                                               ken_arena_dup(r->arena, ken_str_c(text)) }));
}

// A run that must fail when something cannot be read: folders and files that the scan met, and
// files that were opened since.
static ken_status check_readable(const index_run *r, ken_err *err)
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
static void note_unreadable(index_run *r)
{
    for (size_t i = 0; i < r->scan.n_skips; i++)
        if (r->scan.skips[i].reason == KEN_SKIP_UNREADABLE)
            ken_index__add_issue(r, r->scan.skips[i].path, ken_skip_text(KEN_SKIP_UNREADABLE));
}

static void report_same(index_run *r)
{
    const ken_generation *g = &r->before;
    r->report->generation = g->number;
    r->report->at_ms = g->at_ms;
    r->report->n_files = g->n_files;
    r->report->n_chunks = g->n_chunks;
    r->report->n_symbols = g->n_symbols;
    memcpy(r->report->skips, g->skips, sizeof g->skips);
    for (int i = 0; i < KEN_SKIP_COUNT; i++)
        r->report->n_skipped += g->skips[i];
}

static void scan(void *ctx, size_t worker)
{
    (void)worker;
    index_run *r = ctx;
    r->scan_status =
        ken_scan(r->root, &r->opts->scan, r->cancel, &r->scan_arena, &r->scan, &r->scan_err);
    if (r->scan_status || r->scan.n_files || r->opts->scan.wants_ignored)
        return;
    // No file is left: the reasons must include what git ignores.
    ken_scan_opts all = r->opts->scan;
    all.wants_ignored = true;
    r->scan_status = ken_scan(r->root, &all, r->cancel, &r->scan_arena, &r->scan, &r->scan_err);
}

// Workers look contents up through a store of their own: the run's is busy writing. Pages that both map
// would be resident twice.
static ken_status open_known(index_run *r, ken_err *err)
{
    ken_store_opts opts = ken_store_place(r->store);
    if (!opts.path)
        return KEN_OK; // a backend of a test
    opts.is_read_only = true;
    opts.is_glance = true;
    opts.map_bytes = KEN_STORE_MAP_NOTHING;
    return ken_store_open(&opts, &r->known, err);
}

// The scope of the index, and its generation.
static ken_status take_scope(index_run *r, ken_err *err)
{
    ken_status st = r->files ? ken_store_begin_read(r->store, err) : KEN_OK;
    if (st)
        return st;
    st = ken_index__take_scope(r->store, r->arena, &r->effective, &r->scope_before, &r->scope, err);
    if (!st)
        st = ken_index_load_roots(r->store, r->arena, &r->roots_before, err);
    const ken_roots *more = r->effective.scan.roots;
    r->roots_text = more && more->n ? ken_roots_format(more, r->arena) : KEN_STR("");
    if (!st && r->files)
        st = ken_store_get_generation(r->store, &r->scope_generation, err);
    if (r->files)
        ken_store_rollback(r->store); // nothing was written
    return st;
}

// What was cut by other sizes was extracted by another version.
static void set_chunks(index_run *r)
{
    r->chunks = ken_chunk_opts_format(&r->opts->chunks, r->arena);
    r->job.chunks = r->opts->chunks;
    r->job.feature = ken_index_feature(&r->opts->chunks, r->arena);
}

// Scans the folder, and loads what the index has of it meanwhile.
static ken_status scan_beside_old(index_run *r, ken_err *err)
{
    ken_status st = take_scope(r, err);
    if (st)
        return st;
    r->job.max_file_bytes = r->opts->scan.max_file_bytes ? r->opts->scan.max_file_bytes : 1 << 20;
    set_chunks(r);
    ken_pool *pool = ken_pool_new(1, 1, 0);
    ken_pool_submit(pool, scan, r);
    st = ken_index__load_old(r, err);
    ken_pool_free(pool);
    if (!st && r->scan_status)
        st = KEN_FAIL(err, r->scan_status, "%s", r->scan_err.msg);
    if (!st)
        st = ken_index__hold_gone(r, &r->old, err);
    if (!st)
        ken_index__compare(r);
    return st;
}

// What has passed since `*began`, where the next stage begins.
static int64_t end_stage(int64_t *began)
{
    int64_t now = ken_clock_mono_ns(), ns = now - *began;
    *began = now;
    return ns;
}

static ken_status run_all(index_run *r, ken_err *err)
{
    int64_t began = ken_clock_mono_ns();
    ken_index__progress(r, "scanning", true);
    ken_status st = scan_beside_old(r, err);
    r->report->scan_ns = end_stage(&began);
    if (!st)
        st = check_readable(r, err);
    if (!st)
        st = ken_index__check_scope(r, err);
    if (st)
        return st;
    note_unreadable(r);
    if (r->trusts_old && !r->n_work && ken_index__is_same(r)) {
        report_same(r);
        return KEN_OK;
    }
    ken_index__plan_partial(r);
    ken_index__progress(r, "indexing", true);
    r->learn_ns = ken_clock_mono_ns();
    st = open_known(r, err);
    if (!st)
        st = ken_index__learn(r, err);
    r->report->read_ns = end_stage(&began);
    if (!st)
        st = check_readable(r, err);
    if (!st && r->trusts_old && ken_index__is_same(r)) {
        report_same(r);
        ken_index__commit_seen(r);
        return KEN_OK;
    }
    ken_index__progress(r, "committing", true);
    if (!st)
        st = ken_cancel_check(r->cancel, err);
    if (!st)
        st = ken_index__commit(r, err);
    if (!st && r->report->n_parsed > 100)
        st = ken_store_checkpoint(r->store, err);
    r->report->commit_ns = end_stage(&began);
    return st;
}

static void open_run(index_run *r)
{
    r->opts = &r->effective;
    ken_arena_init(&r->scan_arena, 0);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->has_free, NULL);
    pthread_cond_init(&r->has_done, NULL);
    pthread_cond_init(&r->has_room, NULL);
    r->job.roots.fd = -1;
    r->gauge_fd = -1;
    r->started_ns = ken_clock_mono_ns();
    r->now_ms = ken_clock_wall_ms();
}

static void close_run(index_run *r)
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
    index_run r = { .store = store,
                    .root = root,
                    .effective = *opts,
                    .cancel = cancel,
                    .arena = arena,
                    .report = &report };
    open_run(&r);
    r.n_jobs = opts->n_jobs ? opts->n_jobs : (uint32_t)ken_pool_cores();
    r.job = (index_job){ .roots = { .fd = -1 },
                         .revision = opts->scan.revision,
                         .cancel = cancel,
                         .wants_secrets = opts->scan.wants_secrets,
                         .only_likely = opts->only_likely };
    r.builder = ken_lex_builder_new();
    r.mentions = ken_mention_builder_new();
    ken_vector_model model = ken_index__builtin_model();
    r.vectors = ken_vector_builder_new(&model);
    ken_status st = ken_index__open_roots(&r.job, root, opts->scan.roots, arena, err);
    if (!st)
        st = run_all(&r, err);
    ken_index__close_roots(&r.job);
    ken_store_close(r.known);
    ken_lex_builder_free(r.builder);
    ken_mention_builder_free(r.mentions);
    ken_vector_builder_free(r.vectors);
    report.issues = ken_arena_copy(arena, r.issues.ptr, r.issues.len, sizeof *report.issues);
    report.n_issues = r.issues.len;
    ken_vec_release(&r.issues);
    ken_vec_release(&r.past);
    ken_hash_set_release(&r.added);
    ken_vec_release(&r.edits);
    close_run(&r);
    report.scope = r.scope;
    report.duration_ms = (ken_clock_mono_ns() - r.started_ns) / 1000000;
    if (!st)
        *out = report;
    return st;
}

// ---- looking -----------------------------------------------------------------------------------

static void count_behind(const index_run *r, ken_index_look_report *out)
{
    for (size_t o = 0; o < r->old.n; o++)
        out->n_removed += !r->old.is_kept[o];
    for (size_t i = 0; i < r->n_work; i++) {
        size_t file = r->work[i];
        const index_planned *p = &r->plan[file];
        bool is_known = p->row_id || p->skip_before;
        ++*(ken_index__is_doubtful(r, file) ? &out->n_doubtful
            : is_known                      ? &out->n_modified
                                            : &out->n_added);
    }
}

ken_status ken_index_look(ken_store *store, const char *root, const ken_index_opts *opts,
                          ken_index_files_fn *files, void *files_ctx, const ken_cancel *cancel,
                          ken_arena *arena, ken_index_look_report *out, ken_err *err)
{
    ken_index_report unused = { 0 };
    index_run r = { .store = store,
                    .root = root,
                    .effective = *opts,
                    .cancel = cancel,
                    .arena = arena,
                    .report = &unused,
                    .files = files,
                    .files_ctx = files_ctx,
                    .is_look = true };
    open_run(&r);
    ken_status st = ken_index__open_roots(&r.job, root, opts->scan.roots, arena, err);
    if (!st)
        st = scan_beside_old(&r, err);
    if (!st && opts->reads_doubtful)
        ken_index__read_doubtful(&r);
    if (!st) {
        *out = (ken_index_look_report){ .generation = r.before.number };
        out->is_current = r.trusts_old && !r.n_work && ken_index__is_same(&r);
        count_behind(&r, out);
    }
    ken_index__close_roots(&r.job);
    close_run(&r);
    return st;
}

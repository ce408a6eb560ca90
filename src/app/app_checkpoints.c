// SPDX-License-Identifier: MIT
// Checkpoints of an index: the service beside a snapshot, and what is saved of a damaged index.
//
// A snapshot's store is pinned to one state, open for reading only. Checkpoints are read through a
// second one, so that what was saved is there in the same question, and written through a third,
// opened by the first write; both are closed with the handle. The writer waits for the transactions
// of an index run and takes no lock, because it changes nothing that a run reads.
#include <stdlib.h>

#include "app/app_priv.h"
#include "store/checkpoints.h"

enum {
    CACHE_BYTES = 2 * 1024 * 1024,
    MAX_MISSES = 10000, // rows in turn that cannot be read, before the rest is given up
};

static ken_status open_writer(void *ctx, ken_store **out, ken_err *err)
{
    app_handle *h = ctx;
    if (ken_config_bool(h->app->config, KEN_CFG_READ_ONLY))
        return KEN_FAIL(err, KEN_EPERM, "checkpoints are not written: the setting read_only is on");
    ken_status gone = ken_app__check_is_current(h, err);
    if (gone)
        return gone;
    const ken_store_opts opts = { .busy_ms = APP_WRITER_BUSY_MS, .cache_bytes = CACHE_BYTES };
    ken_status st = h->writer ? KEN_OK : ken_app__open_notes_of(&h->info, &opts, &h->writer, err);
    if (!st)
        *out = h->writer;
    return st;
}

// A worktree in another's index has a file of its own from the first time that somebody asks for what it holds.
static ken_status make_notes(const app_handle *h, ken_err *err)
{
    ken_store *store = NULL;
    if (ken_app__is_host(&h->info) || ken_app__has_notes(&h->info))
        return KEN_OK;
    ken_status st = ken_app__open_notes_of(&h->info, &(ken_store_opts){ 0 }, &store, err);
    ken_store_close(store);
    return st;
}

ken_status ken_app__open_notes(app_handle *h, ken_err *err)
{
    const ken_store_opts reading = { .is_read_only = true, .cache_bytes = CACHE_BYTES };
    if (h->notes)
        return KEN_OK;
    ken_status st = ken_app__check_is_current(h, err);
    if (!st)
        st = make_notes(h, err);
    return st ? st : ken_app__open_notes_of(&h->info, &reading, &h->notes, err);
}

ken_status ken_app_checkpoints(ken_app *app, ken_snapshot *snapshot, ken_checkpoints **out,
                               ken_err *err)
{
    app_handle *h = ken_app__handle_of(app, snapshot);
    ken_status st = ken_app__open_notes(h, err);
    if (st)
        return ken_app__explain(&h->info, st, err);
    const ken_checkpoints_opts opts = { .snap = snapshot,
                                        .store = h->notes,
                                        .root = h->info.root.ptr,
                                        .open_writer = open_writer,
                                        .writer_ctx = h };
    if (!h->checkpoints)
        h->checkpoints = ken_checkpoints_new(&opts);
    *out = h->checkpoints;
    return KEN_OK;
}

// ---- what is saved of a damaged index ----------------------------------------------------------

static const ken_str salvaged_name = { "checkpoints.salvaged", 20 };

typedef struct salvaged_row {
    int64_t id;
    uint64_t rev;
} salvaged_row;

typedef KEN_VEC(salvaged_row) salvaged_vec;

static int by_rev(const void *a, const void *b)
{
    const salvaged_row *x = a, *y = b;
    return x->rev < y->rev ? -1 : x->rev > y->rev;
}

// The ids that can be read, in the order they were last written. An id that fails is passed over.
static void list_readable(ken_store *damaged, salvaged_vec *rows)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    unsigned n_misses = 0;
    for (int64_t after = 0; n_misses < MAX_MISSES && after < INT64_MAX;) {
        ken_checkpoint_row row;
        ken_arena_reset(&arena);
        ken_status st = ken_store_next_checkpoint(damaged, after, &arena, &row, NULL);
        if (st == KEN_ENOTFOUND)
            break;
        n_misses = st ? n_misses + 1 : 0;
        after = st ? after + 1 : row.id;
        if (!st)
            ken_vec_push(rows, ((salvaged_row){ row.id, row.rev }));
    }
    if (rows->len)
        qsort(rows->ptr, rows->len, sizeof *rows->ptr, by_rev);
    ken_arena_release(&arena);
}

// Into the open write transaction. What the new index has already is not put twice, and what it
// refuses is lost: damage can be read as a row that makes no sense.
static ken_status put_rows(ken_store *store, ken_store *damaged, const salvaged_vec *rows,
                           uint64_t *out_n, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < rows->len; i++) {
        ken_checkpoint_row row, there;
        ken_arena_reset(&arena);
        if (ken_store_next_checkpoint(damaged, rows->ptr[i].id - 1, &arena, &row, NULL) ||
            ken_store_load_checkpoint(store, row.uuid, &arena, &there, NULL) != KEN_ENOTFOUND)
            continue;
        row.id = 0;
        st = ken_store_put_checkpoint(store, &row, err);
        *out_n += !st;
        if (st == KEN_EINVAL)
            st = KEN_OK;
    }
    ken_arena_release(&arena);
    return st;
}

ken_status ken_app__copy_checkpoints(ken_store *store, ken_store *from, uint64_t *out_n,
                                     ken_err *err)
{
    salvaged_vec rows = { 0 };
    list_readable(from, &rows);
    *out_n = 0;
    ken_status st = put_rows(store, from, &rows, out_n, err);
    ken_vec_release(&rows);
    return st;
}

static ken_status carry_over(ken_store *store, ken_store *damaged, ken_str name,
                             ken_index_report *out, ken_err *err)
{
    salvaged_vec rows = { 0 };
    ken_checkpoint_state was = { 0 };
    uint64_t n_kept = 0;
    if (ken_store_load_checkpoint_state(damaged, &was, NULL))
        was.n = 0; // not even that is known
    list_readable(damaged, &rows);
    ken_status st = ken_store_begin_write(store, err);
    if (!st) {
        st = put_rows(store, damaged, &rows, &n_kept, err);
        if (!st)
            st = ken_store_put_value(store, salvaged_name, name, err);
        if (!st)
            st = ken_store_commit(store, err);
        else
            ken_store_rollback(store);
    }
    ken_vec_release(&rows);
    if (!st) {
        out->n_checkpoints_kept = n_kept;
        out->n_checkpoints_lost = was.n > n_kept ? was.n - n_kept : 0;
    }
    return st;
}

static ken_status count_lost(ken_store *damaged, uint64_t n_kept, ken_index_report *out)
{
    ken_checkpoint_state was = { 0 };
    if (!ken_store_load_checkpoint_state(damaged, &was, NULL))
        out->n_checkpoints_lost = was.n > n_kept ? was.n - n_kept : 0;
    return KEN_OK;
}

ken_status ken_app__salvage(ken_store *store, ken_str db_path, ken_arena *arena,
                            ken_index_report *out, ken_err *err)
{
    uint64_t generation = 0;
    ken_str done, path;
    ken_store *damaged = NULL;
    ken_status st = ken_store_get_generation(store, &generation, err);
    if (st || generation)
        return st;
    // A new index has its checkpoints from the journal, when there is one.
    ken_checkpoint_state there = { 0 };
    st = ken_store_load_checkpoint_state(store, &there, err);
    if (st)
        return st;
    out->n_checkpoints_kept = there.n;
    path = ken_store_last_quarantined(db_path.ptr, arena);
    if (!path.len || !ken_store_load_value(store, salvaged_name, arena, &done, NULL))
        return KEN_OK;
    // What cannot be opened has nothing that can be read.
    ken_store_opts opts = { .path = path.ptr, .is_read_only = true };
    if (ken_store_open(&opts, &damaged, NULL))
        return KEN_OK;
    st = there.n ? count_lost(damaged, there.n, out) : carry_over(store, damaged, path, out, err);
    ken_store_close(damaged);
    return st;
}

// SPDX-License-Identifier: MIT
// The files of a tree, and what of it was skipped.
#include <stdlib.h>

#include "base/alloc.h"
#include "store/postgres/postgres_index_priv.h"

enum {
    EDITS_FIRST = 4, // in a transaction, that are written singly: what they lack is told at once
    EDITS_MAX = 512, // that are gathered; so many that are removed, too
};

// ---- files -------------------------------------------------------------------------------------

static ken_status read_file(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(ken_file_row *)out = (ken_file_row){
        .id = ken_store__pg_i64(row, 0),
        .path = ken_store__pg_keep(row, 1, arena),
        .content = ken_store__pg_i64(row, 2),
        .stamp = { .size = ken_store__pg_u64(row, 3, INT64_MAX),
                   .mtime_ns = ken_store__pg_i64(row, 4),
                   .ctime_ns = ken_store__pg_i64(row, 5),
                   .inode = (uint64_t)ken_store__pg_i64(row, 6) },
        .changed_at_ms = ken_store__pg_i64(row, 7),
    };
    return KEN_OK;
}

// Both lists come in the order of the paths, in one state of the database.
ken_status ken_store__pg_load_files(ken_store_backend *b, ken_arena *arena, ken_file_row **out,
                                    size_t *out_n, ken_content_info **out_contents, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_file_row *rows = NULL;
    ken_content_info *infos = NULL;
    size_t n = 0, n_infos = 0;
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = PG_ROWS(&x->p, PG_QUERY(FILE_SCAN, PG_INT(x->id), PG_INT(x->tree)), read_file, arena,
                     &rows, &n, err);
    if (!st && out_contents)
        st = PG_ROWS(&x->p, PG_QUERY(FILE_CONTENTS, PG_INT(x->id), PG_INT(x->tree)),
                     ken_store__pg_read_info, arena, &infos, &n_infos, err);
    if (!st && out_contents && n_infos != n)
        st = PG_CORRUPT(&x->p, err, "a file has no content");
    if (st)
        return st;
    *out = rows;
    *out_n = n;
    if (out_contents)
        *out_contents = infos;
    return KEN_OK;
}

#define PG_ROW(row)                                                                               \
    PG_BYTES((row)->path), PG_INT((row)->content), PG_INT((row)->stamp.size),                     \
        PG_INT((row)->stamp.mtime_ns), PG_INT((row)->stamp.ctime_ns), PG_INT((row)->stamp.inode), \
        PG_INT((row)->changed_at_ms)

static ken_status fail_content(const ken_pg_index *x, int64_t content, ken_err *err)
{
    return KEN_FAIL(err, KEN_EINVAL, "index '%s' has no content %lld", x->p.name,
                    (long long)content);
}

// No row was written: the file is not there, or its content.
static ken_status fail_unwritten(ken_pg_index *x, const ken_file_row *row, ken_err *err)
{
    ken_content_info info;
    ken_status st = ken_store__pg_load_info(&x->backend, row->content, &info, err);
    if (st == KEN_ENOTFOUND)
        return fail_content(x, row->content, err);
    return st ? st
              : KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no file %lld", x->p.name,
                         (long long)row->id);
}

static ken_status write_file(ken_pg_index *x, const ken_file_row *row, ken_err *err)
{
    uint64_t n = 0;
    int64_t id = row->id ? row->id : ++x->last.file;
    ken_status st = ken_store__pg_write(
        &x->p, row->id ? KEN_PG_FILE_PUT : KEN_PG_FILE_ADD,
        PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INT(id), PG_ROW(row)), &n, err);
    return st || n ? st : fail_unwritten(x, row, err);
}

// ---- changes of files --------------------------------------------------------------------------

static bool is_gathered(const ken_pg_index *x, int64_t id)
{
    for (size_t i = 0; i < x->edits.len; i++)
        if (x->edits.ptr[i].id == id)
            return true;
    return false;
}

void ken_store__pg_drop_edits(ken_pg_index *x)
{
    ken_vec_release(&x->edits);
    ken_arena_release(&x->edit_paths);
    ken_arena_init(&x->edit_paths, 0);
}

static ken_status put_many(ken_pg_index *x, const ken_file_row *rows, size_t n, ken_arena *arena,
                           int64_t **out_ids, size_t *out_n, ken_err *err)
{
    ken_str *paths = KEN_ARENA_ARRAY(arena, ken_str, n + 1);
    int64_t *columns[7]; // but for the path
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        columns[c] = KEN_ARENA_ARRAY(arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        const ken_file_row *r = &rows[i];
        const int64_t values[] = { r->id,
                                   r->content,
                                   (int64_t)r->stamp.size,
                                   r->stamp.mtime_ns,
                                   r->stamp.ctime_ns,
                                   (int64_t)r->stamp.inode,
                                   r->changed_at_ms };
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            columns[c][i] = values[c];
        paths[i] = r->path;
    }
    return PG_ROWS(&x->p,
                   PG_QUERY(FILE_PUT_MANY, PG_INT(x->id), PG_INT(x->tree), PG_INTS(columns[0], n),
                            PG_BLOBS(paths, n), PG_INTS(columns[1], n), PG_INTS(columns[2], n),
                            PG_INTS(columns[3], n), PG_INTS(columns[4], n), PG_INTS(columns[5], n),
                            PG_INTS(columns[6], n)),
                   ken_store__pg_read_i64, arena, out_ids, out_n, err);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// With one statement; renamed ones, and those that lack something, in their order behind it.
ken_status ken_store__pg_flush_edits(ken_pg_index *x, ken_err *err)
{
    ken_arena arena;
    int64_t *ids = NULL;
    size_t n = x->edits.len, n_put = 0;
    if (!n)
        return KEN_OK;
    ken_file_row *rows = x->edits.ptr; // what is run below must not flush them again
    x->edits.len = 0;
    ken_arena_init(&arena, 0);
    ken_status st = put_many(x, rows, n, &arena, &ids, &n_put, err);
    if (!st && n_put)
        qsort(ids, n_put, sizeof *ids, by_id);
    for (size_t i = 0; !st && n_put < n && i < n; i++)
        if (!n_put || !bsearch(&rows[i].id, ids, n_put, sizeof *ids, by_id))
            st = write_file(x, &rows[i], err);
    ken_arena_release(&arena);
    ken_arena_reset(&x->edit_paths);
    return st;
}

static ken_status gather_edit(ken_pg_index *x, const ken_file_row *row, ken_err *err)
{
    ken_status st = KEN_OK;
    if (x->edits.len == EDITS_MAX || is_gathered(x, row->id))
        st = ken_store__pg_flush(x, err);
    ken_file_row kept = *row;
    kept.path = ken_arena_dup(&x->edit_paths, row->path);
    if (!st)
        ken_vec_push(&x->edits, kept);
    return st;
}

// ---- new files ---------------------------------------------------------------------------------

// The content of every one is looked for when all are there: one by one, as a foreign key does it, takes twenty
// times as long.
ken_status ken_store__pg_flush_files(ken_pg_index *x, ken_err *err)
{
    int64_t n_orphans = 0, first = x->first_file;
    if (!x->files.n)
        return KEN_OK;
    ken_status st = ken_store__pg_copy_send(&x->p, KEN_PG_FILE_COPY, &x->files, err);
    if (!st)
        st = ken_store__pg_number(&x->p, PG_QUERY(FILE_ORPHANS, PG_INT(x->id), PG_INT(first)),
                                  &n_orphans, err);
    return st || !n_orphans ? st
                            : KEN_FAIL(err, KEN_EINVAL,
                                       "index '%s': %lld files have a content that is not there",
                                       x->p.name, (long long)n_orphans);
}

static ken_status gather_file(ken_pg_index *x, const ken_file_row *row, ken_err *err)
{
    int64_t id = ++x->last.file;
    x->first_file = x->files.n ? x->first_file : id;
    ken_store__pg_copy_row(&x->files,
                           PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INT(id), PG_ROW(row)));
    return x->files.rows.len < KEN_PG_COPY_BYTES ? KEN_OK : ken_store__pg_flush(x, err);
}

static ken_status read_path_hash(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                 ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(int64_t *)out = (int64_t)ken_hash_str(ken_store__pg_bytes(row, 0));
    return KEN_OK;
}

// A new path needs no answer of the server: such rows are gathered, and sent together.
ken_status ken_store__pg_put_file(ken_store_backend *b, const ken_file_row *row, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    bool may_be = true;
    uint64_t hash = ken_hash_str(row->path);
    if (row->content > x->last.content)
        return fail_content(x, row->content, err);
    ken_status st = KEN_OK;
    if (!row->id)
        st = ken_store__pg_may_have(x, &x->known_paths,
                                    PG_QUERY(FILE_PATHS, PG_INT(x->id), PG_INT(x->tree)),
                                    read_path_hash, hash, &may_be, err);
    ken_store__pg_know(&x->known_paths, hash);
    if (!st && !row->id && !may_be)
        return gather_file(x, row, err);
    if (!st && row->id && x->n_edits++ >= EDITS_FIRST)
        return gather_edit(x, row, err);
    if (!st)
        st = ken_store__pg_flush(x, err);
    return st ? st : write_file(x, row, err);
}

// ---- files that go -----------------------------------------------------------------------------

static ken_status remove_one(ken_pg_index *x, int64_t id, ken_err *err)
{
    uint64_t n = 0;
    ken_status st = ken_store__pg_write(
        &x->p, KEN_PG_FILE_REMOVE, PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INT(id)), &n, err);
    return st || n ? st
                   : KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no file %lld", x->p.name,
                              (long long)id);
}

ken_status ken_store__pg_flush_removed(ken_pg_index *x, ken_err *err)
{
    uint64_t n = x->removed.len, n_gone = 0;
    if (!n)
        return KEN_OK;
    x->removed.len = 0; // what is run below must not flush them again
    ken_status st = ken_store__pg_write(
        &x->p, KEN_PG_FILE_REMOVE_MANY,
        PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INTS(x->removed.ptr, n)), &n_gone, err);
    return st || n_gone == n
               ? st
               : KEN_FAIL(err, KEN_ENOTFOUND,
                          "index '%s' has not all of %llu files that are to be removed", x->p.name,
                          (unsigned long long)n);
}

// Those that are gathered go before any other file is written: one may take the place of another.
ken_status ken_store__pg_remove_file(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_status st = x->removed.len == EDITS_MAX || x->edits.len || x->files.n
                        ? ken_store__pg_flush(x, err)
                        : KEN_OK;
    if (st)
        return st;
    if (x->n_removed++ < EDITS_FIRST)
        return remove_one(x, id, err);
    ken_vec_push(&x->removed, id);
    return KEN_OK;
}

ken_status ken_store__pg_list_live(ken_store_backend *b, ken_arena *arena, int64_t **out,
                                   size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_status st = ken_store__pg_flush(x, err);
    return st ? st
              : PG_ROWS(&x->p, PG_QUERY(FILE_LIVE, PG_INT(x->id)), ken_store__pg_read_i64, arena,
                        out, out_n, err);
}

// ---- skips -------------------------------------------------------------------------------------

static int by_reason_and_path(const void *a, const void *b)
{
    const ken_skip_row *x = a, *y = b;
    return x->reason != y->reason ? (x->reason > y->reason) - (x->reason < y->reason)
                                  : ken_str_cmp(x->path, y->path);
}

// Each once.
static void gather_skips(const ken_pg_index *x, const ken_skip_row *rows, size_t n,
                         ken_pg_copy *out)
{
    ken_skip_row *sorted = ken_alloc(ken_mul_size(n + 1, sizeof *sorted));
    for (size_t i = 0; i < n; i++)
        sorted[i] = rows[i];
    qsort(sorted, n, sizeof *sorted, by_reason_and_path);
    for (size_t i = 0; i < n; i++)
        if (!i || by_reason_and_path(&sorted[i - 1], &sorted[i]))
            ken_store__pg_copy_row(out,
                                   PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INT(i),
                                             PG_TEXT(ken_str_c(ken_skip_word(sorted[i].reason))),
                                             PG_BYTES(sorted[i].path)));
    ken_free(sorted);
}

static ken_status write_skips(ken_pg_index *x, const ken_skip_row *rows, size_t n, int64_t hash,
                              ken_err *err)
{
    ken_pg_copy copy = { 0 };
    ken_status st = ken_store__pg_write(&x->p, KEN_PG_SKIP_CLEAR,
                                        PG_VALUES(PG_INT(x->id), PG_INT(x->tree)), NULL, err);
    if (!st)
        st =
            ken_store__pg_write(&x->p, KEN_PG_SKIP_SET_HASH,
                                PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INT(hash)), NULL, err);
    gather_skips(x, rows, n, &copy);
    if (!st)
        st = ken_store__pg_copy_send(&x->p, KEN_PG_SKIP_COPY, &copy, err);
    ken_store__pg_copy_drop(&copy);
    return st;
}

// Most runs find the same list again, which then costs its hash.
ken_status ken_store__pg_replace_skips(ken_store_backend *b, const ken_skip_row *rows, size_t n,
                                       ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    int64_t hash = ken_store__hash_skips(rows, n), old = 0;
    ken_status st = ken_store__pg_number(
        &x->p, PG_QUERY(SKIP_GET_HASH, PG_INT(x->id), PG_INT(x->tree)), &old, err);
    return st || hash == old ? st : write_skips(x, rows, n, hash, err);
}

static ken_status read_skip(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(ken_skip_row *)out = (ken_skip_row){
        .reason = ken_store__skip_reason(ken_store__pg_bytes(row, 0)),
        .path = ken_store__pg_keep(row, 1, arena),
    };
    return KEN_OK;
}

ken_status ken_store__pg_load_skips(ken_store_backend *b, ken_skip_reason reason, size_t limit,
                                    ken_arena *arena, ken_skip_row **out, size_t *out_n,
                                    ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p,
                   PG_QUERY(SKIP_SCAN, PG_INT(x->id), PG_INT(x->tree),
                            PG_INT(limit > INT32_MAX ? INT32_MAX : limit),
                            PG_TEXT(ken_str_c(reason ? ken_skip_word(reason) : ""))),
                   read_skip, arena, out, out_n, err);
}

// SPDX-License-Identifier: MIT
// Checkpoints: one row each, and one for each tag.
#include "store/sqlite/sqlite_priv.h"

// Tags in byte order, which is SQLite's own.
static ken_status load_tags(ken_sq *q, ken_arena *arena, ken_checkpoint_row *row, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TAG_SCAN, &st, err);
    if (s)
        return s;
    ken_str tags[KEN_CHECKPOINT_TAGS];
    size_t n = 0;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(row->id)));
    while (ken_store__sq_next(q, st, &s, err)) {
        if (n < KEN_CHECKPOINT_TAGS)
            tags[n++] = ken_store__sq_keep(st, 0, arena);
        else
            s = SQ_CORRUPT(q, err, "a checkpoint has too many tags");
    }
    ken_store__sq_done(st);
    if (s || !n)
        return s;
    ken_str *kept = ken_arena_copy(arena, tags, n, sizeof *kept);
    row->tags = kept;
    row->n_tags = n;
    return KEN_OK;
}

// The columns that every query of rows begins with.
static ken_status read_marks(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)arena;
    bool is_bad = false;
    ken_checkpoint_row row = { .id = sqlite3_column_int64(st, 0),
                               .rev = ken_store__sq_u64(st, 2, INT64_MAX, &is_bad) };
    if (is_bad || !ken_store__sq_fixed(st, 1, row.uuid.bytes, sizeof row.uuid.bytes))
        return SQ_CORRUPT(q, err, "a checkpoint has no usable id");
    *(ken_checkpoint_row *)out = row;
    return KEN_OK;
}

static ken_status read_row(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    bool is_bad = false;
    ken_checkpoint_row row;
    ken_status s = read_marks(q, st, arena, &row, err);
    if (s)
        return s;
    row.created_at_ms = (int64_t)ken_store__sq_u64(st, 3, INT64_MAX, &is_bad);
    row.updated_at_ms = (int64_t)ken_store__sq_u64(st, 4, INT64_MAX, &is_bad);
    row.token_count = ken_store__sq_u64(st, 5, INT32_MAX, &is_bad);
    if (is_bad)
        return SQ_CORRUPT(q, err, "a checkpoint has times that make no sense");
    row.git_branch = ken_store__sq_keep(st, 6, arena);
    row.git_commit = ken_store__sq_keep(st, 7, arena);
    row.summary = ken_store__sq_keep(st, 8, arena);
    row.git_dirty = ken_store__sq_keep(st, 9, arena);
    row.context = ken_store__sq_keep(st, 10, arena);
    row.description = ken_store__sq_keep(st, 11, arena);
    *(ken_checkpoint_row *)out = row;
    return KEN_OK;
}

// The one row of a statement with one parameter, with its tags.
static ken_status load_one(ken_sq *q, ken_sq_stmt which, ken_sq_value key, ken_arena *arena,
                           ken_checkpoint_row *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_checkpoint_row row = { 0 };
    ken_status s = ken_store__sq_get(q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, &key, 1);
    s = ken_store__sq_one(q, st, read_row, arena, &row, err);
    if (!s)
        s = load_tags(q, arena, &row, err);
    if (!s)
        *out = row;
    return s;
}

ken_status ken_store__sq_load_checkpoint(ken_store_backend *b, ken_uuid uuid, ken_arena *arena,
                                         ken_checkpoint_row *out, ken_err *err)
{
    return load_one(ken_sq_of(b), KEN_SQ_CHECKPOINT_GET, SQ_BYTES(uuid), arena, out, err);
}

ken_status ken_store__sq_next_checkpoint(ken_store_backend *b, int64_t after_id, ken_arena *arena,
                                         ken_checkpoint_row *out, ken_err *err)
{
    return load_one(ken_sq_of(b), KEN_SQ_CHECKPOINT_NEXT, SQ_INT(after_id), arena, out, err);
}

ken_status ken_store__sq_list_checkpoints(ken_store_backend *b, uint64_t since_rev, size_t limit,
                                          bool with_texts, ken_arena *arena,
                                          ken_checkpoint_row **out, size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_checkpoint_row *rows = NULL;
    size_t n = 0;
    ken_status s = ken_store__sq_get(
        q, with_texts ? KEN_SQ_CHECKPOINT_SCAN : KEN_SQ_CHECKPOINT_MARKS, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(since_rev > INT64_MAX ? INT64_MAX : since_rev),
                                     SQ_INT(limit > INT64_MAX ? INT64_MAX : limit)));
    s = SQ_ROWS(q, st, with_texts ? read_row : read_marks, arena, &rows, &n, err);
    for (size_t i = 0; !s && i < n; i++)
        s = load_tags(q, arena, &rows[i], err);
    if (!s) {
        *out = rows;
        *out_n = n;
    }
    return s;
}

static ken_status read_state(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)arena;
    bool is_bad = false;
    ken_checkpoint_state state = { .rev = ken_store__sq_u64(st, 0, INT64_MAX, &is_bad),
                                   .n = ken_store__sq_u64(st, 1, INT64_MAX, &is_bad) };
    if (is_bad)
        return SQ_CORRUPT(q, err, "the state of the checkpoints");
    *(ken_checkpoint_state *)out = state;
    return KEN_OK;
}

ken_status ken_store__sq_load_checkpoint_state(ken_store_backend *b, ken_checkpoint_state *out,
                                               ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CHECKPOINT_STATE, &st, err);
    if (!s)
        s = ken_store__sq_one(q, st, read_state, NULL, out, err);
    return s == KEN_ENOTFOUND ? SQ_CORRUPT(q, err, "the state of the checkpoints is gone") : s;
}

// ---- writes ------------------------------------------------------------------------------------

static ken_status raise_rev(ken_sq *q, int n_more, uint64_t *out_rev, ken_err *err)
{
    ken_status s = ken_store__sq_write(q, KEN_SQ_CHECKPOINT_BUMP, SQ_VALUES(SQ_INT(n_more)), err);
    ken_checkpoint_state state = { 0 };
    if (!s)
        s = ken_store__sq_load_checkpoint_state(&q->backend, &state, err);
    if (!s)
        *out_rev = state.rev;
    return s;
}

static ken_status replace_tags(ken_sq *q, const ken_checkpoint_row *row, ken_err *err)
{
    ken_status s = ken_store__sq_write(q, KEN_SQ_TAG_CLEAR, SQ_VALUES(SQ_INT(row->id)), err);
    for (size_t i = 0; !s && i < row->n_tags; i++)
        s = ken_store__sq_write(q, KEN_SQ_TAG_ADD,
                                SQ_VALUES(SQ_TEXT(row->tags[i]), SQ_INT(row->id)), err);
    return s;
}

static ken_status write_row(ken_sq *q, const ken_checkpoint_row *row, uint64_t rev, ken_err *err)
{
    return ken_store__sq_write(
        q, row->id ? KEN_SQ_CHECKPOINT_PUT : KEN_SQ_CHECKPOINT_ADD,
        SQ_VALUES(SQ_BYTES(row->uuid), SQ_INT(rev), SQ_INT(row->created_at_ms),
                  SQ_INT(row->updated_at_ms), SQ_INT(row->token_count), SQ_TEXT(row->git_branch),
                  SQ_TEXT(row->git_commit), SQ_TEXT(row->summary), SQ_TEXT(row->git_dirty),
                  SQ_TEXT(row->context), SQ_TEXT(row->description), SQ_INT(row->id)),
        err);
}

ken_status ken_store__sq_put_checkpoint(ken_store_backend *b, ken_checkpoint_row *row, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    uint64_t rev = 0;
    bool is_new = !row->id;
    ken_status s = raise_rev(q, is_new, &rev, err);
    if (!s)
        s = write_row(q, row, rev, err);
    if (!s && !is_new && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_ENOTFOUND, "checkpoint %lld is not in '%s'", (long long)row->id,
                     q->path);
    if (s)
        return s;
    ken_checkpoint_row stored = *row;
    stored.id = is_new ? sqlite3_last_insert_rowid(q->db) : row->id;
    s = replace_tags(q, &stored, err);
    if (!s)
        s = ken_store__sq_note(q, "checkpoint", json_integer(stored.id), err);
    if (!s) {
        row->id = stored.id;
        row->rev = rev;
    }
    return s;
}

ken_status ken_store__sq_remove_checkpoint(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    uint64_t rev = 0;
    ken_status s = ken_store__sq_write(q, KEN_SQ_CHECKPOINT_REMOVE, SQ_VALUES(SQ_INT(id)), err);
    if (!s && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_ENOTFOUND, "checkpoint %lld is not in '%s'", (long long)id, q->path);
    if (!s)
        s = raise_rev(q, -1, &rev, err);
    return s ? s : ken_store__sq_note(q, "checkpoint", json_integer(id), err);
}

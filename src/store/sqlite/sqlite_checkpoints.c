// SPDX-License-Identifier: MIT
// Checkpoints: one row each, and one for each tag.
#include "base/vec.h"
#include "store/sqlite/sqlite_priv.h"

typedef KEN_VEC(ken_checkpoint_row) row_vec;

// Tags in byte order, which is SQLite's own.
static ken_status load_tags(ken_sq *q, ken_arena *arena, ken_checkpoint_row *row, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TAG_SCAN, &st, err);
    if (s)
        return s;
    ken_str tags[KEN_CHECKPOINT_TAGS];
    size_t n = 0;
    sqlite3_bind_int64(st, 1, row->id);
    int rc = sqlite3_step(st);
    for (; n < KEN_CHECKPOINT_TAGS && rc == SQLITE_ROW; rc = sqlite3_step(st))
        tags[n++] = ken_arena_dup(arena, ken_store__sq_text(st, 0));
    if (rc != SQLITE_DONE)
        s = rc == SQLITE_ROW ? SQ_CORRUPT(q, err, "a checkpoint has too many tags")
                             : SQ_FAIL(q, rc, err, "reading");
    ken_store__sq_done(st);
    if (s || !n)
        return s;
    ken_str *kept = ken_arena_copy(arena, tags, n, sizeof *kept);
    row->tags = kept;
    row->n_tags = n;
    return KEN_OK;
}

// The columns that every query of rows begins with.
static ken_status read_marks(ken_sq *q, sqlite3_stmt *st, ken_checkpoint_row *out, ken_err *err)
{
    bool is_bad = false;
    ken_checkpoint_row row = { .id = sqlite3_column_int64(st, 0) };
    ken_str uuid = ken_store__sq_blob(st, 1);
    row.rev = ken_store__sq_u64(st, 2, INT64_MAX, &is_bad);
    if (is_bad || uuid.len != sizeof row.uuid.bytes)
        return SQ_CORRUPT(q, err, "a checkpoint has no usable id");
    memcpy(row.uuid.bytes, uuid.ptr, uuid.len);
    *out = row;
    return KEN_OK;
}

static ken_status read_row(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, ken_checkpoint_row *out,
                           ken_err *err)
{
    bool is_bad = false;
    ken_checkpoint_row row;
    ken_status s = read_marks(q, st, &row, err);
    if (s)
        return s;
    row.created_at_ms = (int64_t)ken_store__sq_u64(st, 3, INT64_MAX, &is_bad);
    row.updated_at_ms = (int64_t)ken_store__sq_u64(st, 4, INT64_MAX, &is_bad);
    row.token_count = ken_store__sq_u64(st, 5, INT32_MAX, &is_bad);
    if (is_bad)
        return SQ_CORRUPT(q, err, "a checkpoint has times that make no sense");
    row.git_branch = ken_arena_dup(arena, ken_store__sq_text(st, 6));
    row.git_commit = ken_arena_dup(arena, ken_store__sq_text(st, 7));
    row.summary = ken_arena_dup(arena, ken_store__sq_text(st, 8));
    row.git_dirty = ken_arena_dup(arena, ken_store__sq_text(st, 9));
    row.context = ken_arena_dup(arena, ken_store__sq_text(st, 10));
    row.description = ken_arena_dup(arena, ken_store__sq_text(st, 11));
    *out = row;
    return KEN_OK;
}

// The one row of a bound statement, with its tags.
static ken_status load_one(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, ken_checkpoint_row *out,
                           ken_err *err)
{
    ken_checkpoint_row row = { 0 };
    int rc = sqlite3_step(st);
    ken_status s = rc == SQLITE_ROW    ? read_row(q, st, arena, &row, err)
                   : rc == SQLITE_DONE ? KEN_ENOTFOUND
                                       : SQ_FAIL(q, rc, err, "reading");
    ken_store__sq_done(st);
    if (!s)
        s = load_tags(q, arena, &row, err);
    if (!s)
        *out = row;
    return s;
}

ken_status ken_store__sq_load_checkpoint(ken_store_backend *b, ken_uuid uuid, ken_arena *arena,
                                         ken_checkpoint_row *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CHECKPOINT_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_blob(st, 1, uuid.bytes, sizeof uuid.bytes);
    return load_one(q, st, arena, out, err);
}

ken_status ken_store__sq_next_checkpoint(ken_store_backend *b, int64_t after_id, ken_arena *arena,
                                         ken_checkpoint_row *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CHECKPOINT_NEXT, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, after_id);
    return load_one(q, st, arena, out, err);
}

static ken_status scan(ken_sq *q, sqlite3_stmt *st, bool with_texts, ken_arena *arena,
                       row_vec *rows, ken_err *err)
{
    ken_status s = KEN_OK;
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_checkpoint_row row;
        s = with_texts ? read_row(q, st, arena, &row, err) : read_marks(q, st, &row, err);
        if (!s)
            ken_vec_push(rows, row);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "reading");
    return s;
}

ken_status ken_store__sq_list_checkpoints(ken_store_backend *b, uint64_t since_rev, size_t limit,
                                          bool with_texts, ken_arena *arena,
                                          ken_checkpoint_row **out, size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(
        q, with_texts ? KEN_SQ_CHECKPOINT_SCAN : KEN_SQ_CHECKPOINT_MARKS, &st, err);
    if (s)
        return s;
    row_vec rows = { 0 };
    sqlite3_bind_int64(st, 1, since_rev > INT64_MAX ? INT64_MAX : (int64_t)since_rev);
    sqlite3_bind_int64(st, 2, limit > INT64_MAX ? INT64_MAX : (int64_t)limit);
    s = scan(q, st, with_texts, arena, &rows, err);
    ken_store__sq_done(st);
    for (size_t i = 0; !s && i < rows.len; i++)
        s = load_tags(q, arena, &rows.ptr[i], err);
    if (!s) {
        *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
        *out_n = rows.len;
    }
    ken_vec_release(&rows);
    return s;
}

ken_status ken_store__sq_load_checkpoint_state(ken_store_backend *b, ken_checkpoint_state *out,
                                               ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CHECKPOINT_STATE, &st, err);
    if (s)
        return s;
    bool is_bad = false;
    s = SQ_ROW(q, st, "the state of the checkpoints is gone", err);
    if (!s) {
        ken_checkpoint_state state = { .rev = ken_store__sq_u64(st, 0, INT64_MAX, &is_bad),
                                       .n = ken_store__sq_u64(st, 1, INT64_MAX, &is_bad) };
        s = is_bad ? SQ_CORRUPT(q, err, "the state of the checkpoints") : KEN_OK;
        if (!s)
            *out = state;
    }
    ken_store__sq_done(st);
    return s;
}

// ---- writes ------------------------------------------------------------------------------------

static ken_status raise_rev(ken_sq *q, int n_more, uint64_t *out_rev, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CHECKPOINT_BUMP, &st, err);
    if (s)
        return s;
    sqlite3_bind_int(st, 1, n_more);
    s = ken_store__sq_run(q, st, "writing to", err);
    ken_checkpoint_state state = { 0 };
    if (!s)
        s = ken_store__sq_load_checkpoint_state(&q->base, &state, err);
    if (!s)
        *out_rev = state.rev;
    return s;
}

static ken_status replace_tags(ken_sq *q, const ken_checkpoint_row *row, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TAG_CLEAR, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, row->id);
    s = ken_store__sq_run(q, st, "writing to", err);
    for (size_t i = 0; !s && i < row->n_tags; i++) {
        s = ken_store__sq_get(q, KEN_SQ_TAG_ADD, &st, err);
        if (s)
            return s;
        ken_store__sq_bind_text(st, 1, row->tags[i]);
        sqlite3_bind_int64(st, 2, row->id);
        s = ken_store__sq_run(q, st, "writing to", err);
    }
    return s;
}

static void bind_row(sqlite3_stmt *st, const ken_checkpoint_row *row, uint64_t rev)
{
    ken_store__sq_bind_blob(st, 1, row->uuid.bytes, sizeof row->uuid.bytes);
    sqlite3_bind_int64(st, 2, (int64_t)rev);
    sqlite3_bind_int64(st, 3, row->created_at_ms);
    sqlite3_bind_int64(st, 4, row->updated_at_ms);
    sqlite3_bind_int64(st, 5, (int64_t)row->token_count);
    ken_store__sq_bind_text(st, 6, row->git_branch);
    ken_store__sq_bind_text(st, 7, row->git_commit);
    ken_store__sq_bind_text(st, 8, row->summary);
    ken_store__sq_bind_text(st, 9, row->git_dirty);
    ken_store__sq_bind_text(st, 10, row->context);
    ken_store__sq_bind_text(st, 11, row->description);
    if (row->id)
        sqlite3_bind_int64(st, 12, row->id);
}

ken_status ken_store__sq_put_checkpoint(ken_store_backend *b, ken_checkpoint_row *row, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    uint64_t rev = 0;
    bool is_new = !row->id;
    ken_status s = raise_rev(q, is_new, &rev, err);
    if (!s)
        s = ken_store__sq_get(q, is_new ? KEN_SQ_CHECKPOINT_ADD : KEN_SQ_CHECKPOINT_PUT, &st, err);
    if (s)
        return s;
    bind_row(st, row, rev);
    s = ken_store__sq_run(q, st, "writing to", err);
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
    sqlite3_stmt *st = NULL;
    uint64_t rev = 0;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CHECKPOINT_REMOVE, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, id);
    s = ken_store__sq_run(q, st, "writing to", err);
    if (!s && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_ENOTFOUND, "checkpoint %lld is not in '%s'", (long long)id, q->path);
    if (!s)
        s = raise_rev(q, -1, &rev, err);
    return s ? s : ken_store__sq_note(q, "checkpoint", json_integer(id), err);
}

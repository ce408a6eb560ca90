// SPDX-License-Identifier: MIT
#include "base/vec.h"
#include "store/sqlite/sqlite_priv.h"

static ken_status load_tree(ken_sq *q, ken_arena *arena, ken_generation *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_LOAD, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    int rc = sqlite3_step(st);
    if (rc != SQLITE_ROW) {
        s = rc == SQLITE_DONE ? SQ_CORRUPT(q, err, "it has no tree")
                              : SQ_FAIL(q, rc, err, "reading");
    } else {
        bool is_bad = false;
        *out = (ken_generation){
            .number = ken_store__sq_u64(st, 0, INT64_MAX, &is_bad),
            .at_ms = sqlite3_column_int64(st, 1),
            .root = ken_arena_dup(arena, ken_store__sq_text(st, 2)),
            .git_head = ken_arena_dup(arena, ken_store__sq_text(st, 3)),
            .git_branch = ken_arena_dup(arena, ken_store__sq_text(st, 4)),
            .n_files = ken_store__sq_u64(st, 5, INT64_MAX, &is_bad),
            .n_chunks = ken_store__sq_u64(st, 6, INT64_MAX, &is_bad),
            .n_symbols = ken_store__sq_u64(st, 7, INT64_MAX, &is_bad),
            .n_bytes = ken_store__sq_u64(st, 8, INT64_MAX, &is_bad),
            .n_lines = ken_store__sq_u64(st, 9, INT64_MAX, &is_bad),
        };
        if (is_bad)
            s = SQ_CORRUPT(q, err, "the generation has numbers out of range");
    }
    ken_store__sq_done(st);
    return s;
}

static ken_status load_skip_counts(ken_sq *q, ken_generation *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_COUNT_SCAN, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    bool is_bad = false;
    int rc = sqlite3_step(st);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_skip_reason r = ken_store__sq_skip_reason(ken_store__sq_text(st, 0));
        out->skips[r] += ken_store__sq_u64(st, 1, INT64_MAX, &is_bad);
    }
    if (rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "reading");
    else if (is_bad)
        s = SQ_CORRUPT(q, err, "a count of skipped files is out of range");
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_load_generation(ken_store_backend *b, ken_arena *arena,
                                         ken_generation *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_generation g;
    ken_status st = load_tree(q, arena, &g, err);
    if (!st)
        st = load_skip_counts(q, &g, err);
    if (!st)
        *out = g;
    return st;
}

static ken_status put_skip_counts(ken_sq *q, const ken_generation *g, ken_err *err)
{
    for (int r = KEN_SKIP_NONE + 1; r < KEN_SKIP_COUNT; r++) {
        sqlite3_stmt *st = NULL;
        ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_COUNT_PUT, &st, err);
        if (s)
            return s;
        sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
        ken_store__sq_bind_text(st, 2, ken_str_c(ken_skip_word((ken_skip_reason)r)));
        sqlite3_bind_int64(st, 3, (int64_t)g->skips[r]);
        s = ken_store__sq_run(q, st, "writing to", err);
        if (s)
            return s;
    }
    return KEN_OK;
}

ken_status ken_store__sq_put_generation(ken_store_backend *b, const ken_generation *g, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_PUT, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    sqlite3_bind_int64(st, 2, (int64_t)g->number);
    sqlite3_bind_int64(st, 3, g->at_ms);
    ken_store__sq_bind_text(st, 4, g->root);
    ken_store__sq_bind_text(st, 5, g->git_head);
    ken_store__sq_bind_text(st, 6, g->git_branch);
    sqlite3_bind_int64(st, 7, (int64_t)g->n_files);
    sqlite3_bind_int64(st, 8, (int64_t)g->n_chunks);
    sqlite3_bind_int64(st, 9, (int64_t)g->n_symbols);
    sqlite3_bind_int64(st, 10, (int64_t)g->n_bytes);
    sqlite3_bind_int64(st, 11, (int64_t)g->n_lines);
    s = ken_store__sq_run(q, st, "writing to", err);
    if (!s && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_EINVAL, "generation %llu is not above the one in '%s'",
                     (unsigned long long)g->number, q->path);
    return s ? s : put_skip_counts(q, g, err);
}

ken_status ken_store__sq_get_generation(ken_store_backend *b, uint64_t *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_GET_NUMBER, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    s = SQ_ROW(q, st, "it has no tree", err);
    if (!s)
        *out = (uint64_t)sqlite3_column_int64(st, 0);
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_load_value(ken_store_backend *b, ken_str key, ken_arena *arena,
                                    ken_str *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_META_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, key);
    s = SQ_ROW(q, st, NULL, err);
    if (!s)
        *out = ken_arena_dup(arena, ken_store__sq_blob(st, 0));
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_put_value(ken_store_backend *b, ken_str key, ken_str value, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, value.ptr ? KEN_SQ_META_PUT : KEN_SQ_META_REMOVE, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, key);
    if (value.ptr)
        ken_store__sq_bind_blob(st, 2, value.ptr, value.len);
    return ken_store__sq_run(q, st, "writing to", err);
}

ken_status ken_store__sq_list_values(ken_store_backend *b, ken_arena *arena, ken_value_info **out,
                                     size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    KEN_VEC(ken_value_info) rows = { 0 };
    ken_status s = ken_store__sq_get(q, KEN_SQ_META_LIST, &st, err);
    if (s)
        return s;
    int rc = sqlite3_step(st);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_value_info row = { .key = ken_arena_dup(arena, ken_store__sq_text(st, 0)),
                               .n_bytes = (uint64_t)sqlite3_column_int64(st, 1) };
        ken_vec_push(&rows, row);
    }
    if (rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "reading");
    if (!s) {
        *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
        *out_n = rows.len;
    }
    ken_store__sq_done(st);
    ken_vec_release(&rows);
    return s;
}

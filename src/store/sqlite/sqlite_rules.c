// SPDX-License-Identifier: MIT
// Documents of rules: one row each, and one for each rule.
#include "base/vec.h"
#include "store/sqlite/sqlite_priv.h"

typedef KEN_VEC(ken_rule_document_row) row_vec;

static ken_status add_rules(ken_sq *q, int64_t document, const ken_rule_document_row *row,
                            ken_err *err)
{
    ken_status s = KEN_OK;
    for (size_t i = 0; !s && i < row->n_rules; i++) {
        sqlite3_stmt *st = NULL;
        s = ken_store__sq_get(q, KEN_SQ_RULE_ADD, &st, err);
        if (s)
            return s;
        const ken_rule *rule = &row->rules[i];
        sqlite3_bind_int64(st, 1, document);
        sqlite3_bind_int64(st, 2, (int64_t)i);
        sqlite3_bind_int64(st, 3, rule->first_line);
        sqlite3_bind_int64(st, 4, rule->last_line);
        ken_store__sq_bind_text(st, 5, rule->heading);
        ken_store__sq_bind_text(st, 6, rule->text);
        s = ken_store__sq_run(q, st, "writing", err);
    }
    return s;
}

static ken_status add_document(ken_sq *q, const ken_rule_document_row *row, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_RULE_DOCUMENT_ADD, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, row->path);
    sqlite3_bind_int64(st, 2, row->kind);
    ken_store__sq_bind_blob(st, 3, row->sha.bytes, sizeof row->sha.bytes);
    sqlite3_bind_int64(st, 4, (int64_t)row->n_bytes);
    sqlite3_bind_int64(st, 5, row->mtime_ns);
    sqlite3_bind_double(st, 6, row->weight);
    sqlite3_bind_int64(st, 7, row->indexed_at_ms);
    s = ken_store__sq_run(q, st, "writing", err);
    return s ? s : add_rules(q, sqlite3_last_insert_rowid(q->db), row, err);
}

ken_status ken_store__sq_replace_rule_documents(ken_store_backend *b,
                                                const ken_rule_document_row *rows, size_t n,
                                                ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status s = ken_store__sq_do(q, KEN_SQ_RULE_DOCUMENT_CLEAR, "writing", err);
    for (size_t i = 0; !s && i < n; i++)
        s = add_document(q, &rows[i], err);
    return s;
}

static ken_status read_row(ken_sq *q, sqlite3_stmt *st, ken_arena *arena,
                           ken_rule_document_row *out, ken_err *err)
{
    bool is_bad = false;
    ken_rule_document_row row = { .path = ken_arena_dup(arena, ken_store__sq_text(st, 0)) };
    row.kind = (ken_rule_kind)ken_store__sq_u64(st, 1, KEN_RULE_PATTERN, &is_bad);
    ken_str sha = ken_store__sq_blob(st, 2);
    row.n_bytes = ken_store__sq_u64(st, 3, INT64_MAX, &is_bad);
    row.mtime_ns = sqlite3_column_int64(st, 4);
    row.weight = sqlite3_column_double(st, 5);
    row.indexed_at_ms = sqlite3_column_int64(st, 6);
    row.n_rules = ken_store__sq_u64(st, 7, INT32_MAX, &is_bad);
    if (is_bad || sha.len != sizeof row.sha.bytes)
        return SQ_CORRUPT(q, err, "a document of rules makes no sense");
    memcpy(row.sha.bytes, sha.ptr, sha.len);
    *out = row;
    return KEN_OK;
}

ken_status ken_store__sq_load_rule_documents(ken_store_backend *b, ken_arena *arena,
                                             ken_rule_document_row **out, size_t *out_n,
                                             ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_RULE_DOCUMENT_SCAN, &st, err);
    if (s)
        return s;
    row_vec rows = { 0 };
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_rule_document_row row;
        s = read_row(q, st, arena, &row, err);
        if (!s)
            ken_vec_push(&rows, row);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "reading");
    ken_store__sq_done(st);
    if (!s) {
        *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
        *out_n = rows.len;
    }
    ken_vec_release(&rows);
    return s;
}

// SPDX-License-Identifier: MIT
// Documents of rules: one row each, and one for each rule.
#include "store/sqlite/sqlite_priv.h"

static ken_status add_rules(ken_sq *q, int64_t document, const ken_rule_document_row *row,
                            ken_err *err)
{
    ken_status s = KEN_OK;
    for (size_t i = 0; !s && i < row->n_rules; i++) {
        const ken_rule *rule = &row->rules[i];
        s = ken_store__sq_write(q, KEN_SQ_RULE_ADD,
                                SQ_VALUES(SQ_INT(document), SQ_INT(i), SQ_INT(rule->first_line),
                                          SQ_INT(rule->last_line), SQ_TEXT(rule->heading),
                                          SQ_TEXT(rule->text)),
                                err);
    }
    return s;
}

static ken_status add_document(ken_sq *q, const ken_rule_document_row *row, ken_err *err)
{
    ken_status s = ken_store__sq_write(
        q, KEN_SQ_RULE_DOCUMENT_ADD,
        SQ_VALUES(SQ_TEXT(row->path), SQ_INT(row->kind), SQ_BYTES(row->sha), SQ_INT(row->n_bytes),
                  SQ_INT(row->mtime_ns), SQ_REAL(row->weight), SQ_INT(row->indexed_at_ms)),
        err);
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

static ken_status read_row(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    bool is_bad = false;
    ken_rule_document_row row = {
        .path = ken_store__sq_keep(st, 0, arena),
        .kind = (ken_rule_kind)ken_store__sq_u64(st, 1, KEN_RULE_PATTERN, &is_bad),
        .n_bytes = ken_store__sq_u64(st, 3, INT64_MAX, &is_bad),
        .mtime_ns = sqlite3_column_int64(st, 4),
        .weight = sqlite3_column_double(st, 5),
        .indexed_at_ms = sqlite3_column_int64(st, 6),
        .n_rules = ken_store__sq_u64(st, 7, INT32_MAX, &is_bad),
    };
    if (is_bad || !ken_store__sq_fixed(st, 2, row.sha.bytes, sizeof row.sha.bytes))
        return SQ_CORRUPT(q, err, "a document of rules makes no sense");
    *(ken_rule_document_row *)out = row;
    return KEN_OK;
}

ken_status ken_store__sq_load_rule_documents(ken_store_backend *b, ken_arena *arena,
                                             ken_rule_document_row **out, size_t *out_n,
                                             ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_RULE_DOCUMENT_SCAN, &st, err);
    return s ? s : SQ_ROWS(q, st, read_row, arena, out, out_n, err);
}

static ken_status read_rule(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    bool is_bad = false;
    ken_rule rule = {
        .first_line = (uint32_t)ken_store__sq_u64(st, 0, UINT32_MAX, &is_bad),
        .last_line = (uint32_t)ken_store__sq_u64(st, 1, UINT32_MAX, &is_bad),
        .heading = ken_store__sq_keep(st, 2, arena),
        .text = ken_store__sq_keep(st, 3, arena),
    };
    *(ken_rule *)out = rule;
    return is_bad ? SQ_CORRUPT(q, err, "a rule has lines out of range") : KEN_OK;
}

ken_status ken_store__sq_load_rules(ken_store_backend *b, ken_str path, ken_arena *arena,
                                    ken_rule **out, size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_RULE_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(path)));
    return SQ_ROWS(q, st, read_rule, arena, out, out_n, err);
}

// SPDX-License-Identifier: MIT
// Checkpoints, and the documents of rules.
#include "store/postgres/postgres_index_priv.h"

// ---- checkpoints -------------------------------------------------------------------------------

static ken_status read_tags(ken_pg *p, ken_pg_row *row, int col, ken_arena *arena,
                            ken_checkpoint_row *out, ken_err *err)
{
    ken_store__pg_texts(row, col, arena, &out->tags, &out->n_tags);
    return out->n_tags > KEN_CHECKPOINT_TAGS ? PG_CORRUPT(p, err, "a checkpoint has too many tags")
                                             : KEN_OK;
}

static ken_checkpoint_row marks_of(ken_pg_row *row)
{
    ken_checkpoint_row c = { .id = ken_store__pg_i64(row, 0),
                             .rev = ken_store__pg_u64(row, 2, INT64_MAX) };
    ken_store__pg_fixed(row, 1, c.uuid.bytes, sizeof c.uuid.bytes);
    return c;
}

static ken_status read_marks(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    *(ken_checkpoint_row *)out = marks_of(row);
    return read_tags(p, row, 3, arena, out, err);
}

static ken_status read_checkpoint(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                  ken_err *err)
{
    ken_checkpoint_row c = marks_of(row);
    c.created_at_ms = ken_store__pg_ms(row, 3);
    c.updated_at_ms = ken_store__pg_ms(row, 4);
    c.token_count = ken_store__pg_u64(row, 5, INT32_MAX);
    c.git_branch = ken_store__pg_keep(row, 6, arena);
    c.git_commit = ken_store__pg_keep(row, 7, arena);
    c.summary = ken_store__pg_keep(row, 8, arena);
    c.git_dirty = ken_store__pg_keep(row, 9, arena);
    c.context = ken_store__pg_keep(row, 10, arena);
    c.description = ken_store__pg_keep(row, 11, arena);
    *(ken_checkpoint_row *)out = c;
    return read_tags(p, row, 12, arena, out, err);
}

ken_status ken_store__pg_load_checkpoint(ken_store_backend *b, ken_uuid uuid, ken_arena *arena,
                                         ken_checkpoint_row *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return ken_store__pg_one(&x->p, PG_QUERY(CHECKPOINT_GET, PG_INT(x->id), PG_UUID(uuid)),
                             read_checkpoint, arena, out, err);
}

ken_status ken_store__pg_next_checkpoint(ken_store_backend *b, int64_t after_id, ken_arena *arena,
                                         ken_checkpoint_row *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return ken_store__pg_one(&x->p, PG_QUERY(CHECKPOINT_NEXT, PG_INT(x->id), PG_INT(after_id)),
                             read_checkpoint, arena, out, err);
}

ken_status ken_store__pg_list_checkpoints(ken_store_backend *b, uint64_t since_rev, size_t limit,
                                          bool with_texts, ken_arena *arena,
                                          ken_checkpoint_row **out, size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    const ken_pg_value values[] = { PG_INT(x->id),
                                    PG_INT(since_rev > INT64_MAX ? INT64_MAX : since_rev),
                                    PG_INT(limit > INT64_MAX ? INT64_MAX : limit) };
    const ken_pg_query q = { with_texts ? KEN_PG_CHECKPOINT_SCAN : KEN_PG_CHECKPOINT_MARKS, values,
                             sizeof values / sizeof *values };
    return PG_ROWS(&x->p, &q, with_texts ? read_checkpoint : read_marks, arena, out, out_n, err);
}

static ken_status read_state(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(ken_checkpoint_state *)out = (ken_checkpoint_state){ ken_store__pg_u64(row, 0, INT64_MAX),
                                                           ken_store__pg_u64(row, 1, INT64_MAX) };
    return KEN_OK;
}

// The row is written with the commit: in a write transaction it is behind.
ken_status ken_store__pg_load_checkpoint_state(ken_store_backend *b, ken_checkpoint_state *out,
                                               ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    if (x->p.tx == KEN_PG_TX_WRITE) {
        *out = (ken_checkpoint_state){ (uint64_t)x->last.rev, (uint64_t)x->last.n_checkpoints };
        return KEN_OK;
    }
    ken_status st = ken_store__pg_one(&x->p, PG_QUERY(CHECKPOINT_STATE, PG_INT(x->id)), read_state,
                                      NULL, out, err);
    return st == KEN_ENOTFOUND ? PG_CORRUPT(&x->p, err, "its row is gone") : st;
}

ken_status ken_store__pg_put_checkpoint(ken_store_backend *b, ken_checkpoint_row *row, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    bool is_new = !row->id;
    int64_t id = is_new ? x->last.checkpoint + 1 : row->id, rev = x->last.rev + 1;
    uint64_t n = 0;
    ken_status st = ken_store__pg_write(
        &x->p, is_new ? KEN_PG_CHECKPOINT_ADD : KEN_PG_CHECKPOINT_PUT,
        PG_VALUES(PG_INT(x->id), PG_INT(id), PG_UUID(row->uuid), PG_INT(rev),
                  PG_TIME(row->created_at_ms), PG_TIME(row->updated_at_ms),
                  PG_INT(row->token_count), PG_TEXT(row->git_branch), PG_TEXT(row->git_commit),
                  PG_TEXT(row->summary), PG_TEXT(row->git_dirty), PG_TEXT(row->context),
                  PG_TEXT(row->description), PG_TEXTS(row->tags, row->n_tags)),
        &n, err);
    if (!st && !n)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "checkpoint %lld is not in '%s'", (long long)row->id,
                      x->p.name);
    if (st)
        return st;
    x->last.rev = rev;
    x->last.checkpoint = is_new ? id : x->last.checkpoint;
    x->last.n_checkpoints += is_new;
    row->id = id;
    row->rev = (uint64_t)rev;
    return KEN_OK;
}

ken_status ken_store__pg_remove_checkpoint(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    uint64_t n = 0;
    ken_status st = ken_store__pg_write(&x->p, KEN_PG_CHECKPOINT_REMOVE,
                                        PG_VALUES(PG_INT(x->id), PG_INT(id)), &n, err);
    if (!st && !n)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "checkpoint %lld is not in '%s'", (long long)id,
                      x->p.name);
    if (!st) {
        x->last.rev++;
        x->last.n_checkpoints--;
    }
    return st;
}

// ---- documents of rules ------------------------------------------------------------------------

static void gather_rules(const ken_pg_index *x, int64_t document, const ken_rule_document_row *row,
                         ken_pg_copy *out)
{
    for (size_t i = 0; i < row->n_rules; i++) {
        const ken_rule *rule = &row->rules[i];
        ken_store__pg_copy_row(out, PG_VALUES(PG_INT(x->id), PG_INT(document), PG_INT(i),
                                              PG_INT(rule->first_line), PG_INT(rule->last_line),
                                              PG_TEXT(rule->heading), PG_TEXT(rule->text)));
    }
}

ken_status ken_store__pg_replace_rule_documents(ken_store_backend *b,
                                                const ken_rule_document_row *rows, size_t n,
                                                ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_pg_copy documents = { 0 }, rules = { 0 };
    ken_status st =
        ken_store__pg_write(&x->p, KEN_PG_RULE_DOCUMENT_CLEAR, PG_VALUES(PG_INT(x->id)), NULL, err);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_rule_document_row *row = &rows[i];
        ken_store__pg_copy_row(&documents,
                               PG_VALUES(PG_INT(x->id), PG_INT(i + 1), PG_BYTES(row->path),
                                         PG_INT(row->kind), PG_SHA(row->sha), PG_INT(row->n_bytes),
                                         PG_INT(row->mtime_ns), PG_REAL(row->weight),
                                         PG_INT(row->indexed_at_ms)));
        gather_rules(x, (int64_t)i + 1, row, &rules);
    }
    if (!st)
        st = ken_store__pg_copy_send(&x->p, KEN_PG_RULE_DOCUMENT_COPY, &documents, err);
    if (!st)
        st = ken_store__pg_copy_settle(&x->p, err); // two of one path are told here
    if (!st)
        st = ken_store__pg_copy_send(&x->p, KEN_PG_RULE_COPY, &rules, err);
    ken_store__pg_copy_drop(&documents);
    ken_store__pg_copy_drop(&rules);
    return st;
}

static ken_status read_document(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                ken_err *err)
{
    (void)p, (void)err;
    ken_rule_document_row d = {
        .path = ken_store__pg_keep(row, 0, arena),
        .kind = (ken_rule_kind)ken_store__pg_u64(row, 1, KEN_RULE_PATTERN),
        .n_bytes = ken_store__pg_u64(row, 3, INT64_MAX),
        .mtime_ns = ken_store__pg_i64(row, 4),
        .weight = ken_store__pg_real(row, 5),
        .indexed_at_ms = ken_store__pg_i64(row, 6),
        .n_rules = ken_store__pg_u64(row, 7, INT32_MAX),
    };
    ken_store__pg_fixed(row, 2, d.sha.bytes, sizeof d.sha.bytes);
    *(ken_rule_document_row *)out = d;
    return KEN_OK;
}

ken_status ken_store__pg_load_rule_documents(ken_store_backend *b, ken_arena *arena,
                                             ken_rule_document_row **out, size_t *out_n,
                                             ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p, PG_QUERY(RULE_DOCUMENT_SCAN, PG_INT(x->id)), read_document, arena, out,
                   out_n, err);
}

static ken_status read_rule(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(ken_rule *)out = (ken_rule){
        .first_line = (uint32_t)ken_store__pg_u64(row, 0, UINT32_MAX),
        .last_line = (uint32_t)ken_store__pg_u64(row, 1, UINT32_MAX),
        .heading = ken_store__pg_keep(row, 2, arena),
        .text = ken_store__pg_keep(row, 3, arena),
    };
    return KEN_OK;
}

ken_status ken_store__pg_load_rules(ken_store_backend *b, ken_str path, ken_arena *arena,
                                    ken_rule **out, size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p, PG_QUERY(RULE_SCAN, PG_INT(x->id), PG_BYTES(path)), read_rule, arena, out,
                   out_n, err);
}

// SPDX-License-Identifier: MIT
// The generation of a tree, and values by name.
#include "store/postgres/postgres_index_priv.h"

static ken_status read_generation(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                  ken_err *err)
{
    (void)p, (void)err;
    *(ken_generation *)out = (ken_generation){
        .number = ken_store__pg_u64(row, 0, INT64_MAX),
        .at_ms = ken_store__pg_i64(row, 1),
        .root = ken_store__pg_keep(row, 2, arena),
        .git_head = ken_store__pg_keep(row, 3, arena),
        .git_branch = ken_store__pg_keep(row, 4, arena),
        .n_files = ken_store__pg_u64(row, 5, INT64_MAX),
        .n_chunks = ken_store__pg_u64(row, 6, INT64_MAX),
        .n_symbols = ken_store__pg_u64(row, 7, INT64_MAX),
        .n_bytes = ken_store__pg_u64(row, 8, INT64_MAX),
        .n_lines = ken_store__pg_u64(row, 9, INT64_MAX),
    };
    return KEN_OK;
}

typedef struct skip_count {
    ken_skip_reason reason;
    uint64_t n;
} skip_count;

static ken_status read_skip_count(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                  ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(skip_count *)out = (skip_count){ ken_store__skip_reason(ken_store__pg_bytes(row, 0)),
                                       ken_store__pg_u64(row, 1, INT64_MAX) };
    return KEN_OK;
}

ken_status ken_store__pg_load_generation(ken_store_backend *b, ken_arena *arena,
                                         ken_generation *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_generation g;
    skip_count *counts = NULL;
    size_t n = 0;
    ken_status st = ken_store__pg_one(&x->p, PG_QUERY(TREE_LOAD, PG_INT(x->id), PG_INT(x->tree)),
                                      read_generation, arena, &g, err);
    if (!st)
        st = PG_ROWS(&x->p, PG_QUERY(SKIP_COUNT_SCAN, PG_INT(x->id), PG_INT(x->tree)),
                     read_skip_count, arena, &counts, &n, err);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        g.skips[counts[i].reason] += counts[i].n;
    g.is_based = x->tree != KEN_PG_FIRST_TREE; // it began with the files of another
    *out = g;
    return KEN_OK;
}

static ken_status put_skip_counts(ken_pg_index *x, const ken_generation *g, ken_err *err)
{
    ken_pg_copy rows = { 0 };
    ken_status st = ken_store__pg_write(&x->p, KEN_PG_SKIP_COUNT_CLEAR,
                                        PG_VALUES(PG_INT(x->id), PG_INT(x->tree)), NULL, err);
    for (int r = KEN_SKIP_NONE + 1; r < KEN_SKIP_COUNT; r++)
        ken_store__pg_copy_row(&rows,
                               PG_VALUES(PG_INT(x->id), PG_INT(x->tree),
                                         PG_TEXT(ken_str_c(ken_skip_word((ken_skip_reason)r))),
                                         PG_INT(g->skips[r])));
    if (!st)
        st = ken_store__pg_copy_send(&x->p, KEN_PG_SKIP_COUNT_COPY, &rows, err);
    ken_store__pg_copy_drop(&rows);
    return st;
}

ken_status ken_store__pg_put_generation(ken_store_backend *b, const ken_generation *g, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    uint64_t n = 0;
    ken_status st = ken_store__pg_write(
        &x->p, KEN_PG_TREE_PUT,
        PG_VALUES(PG_INT(x->id), PG_INT(x->tree), PG_INT(g->number), PG_INT(g->at_ms),
                  PG_BYTES(g->root), PG_BYTES(g->git_head), PG_BYTES(g->git_branch),
                  PG_INT(g->n_files), PG_INT(g->n_chunks), PG_INT(g->n_symbols), PG_INT(g->n_bytes),
                  PG_INT(g->n_lines)),
        &n, err);
    x->made = (int64_t)g->number;
    if (!st && !n)
        st = KEN_FAIL(err, KEN_EINVAL, "generation %llu is not above the one in '%s'",
                      (unsigned long long)g->number, x->p.name);
    x->has_news = true;
    return st ? st : put_skip_counts(x, g, err);
}

// A read transaction began with it.
ken_status ken_store__pg_get_generation(ken_store_backend *b, uint64_t *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    int64_t n = x->generation;
    ken_status st =
        x->p.tx == KEN_PG_TX_READ
            ? KEN_OK
            : ken_store__pg_number(&x->p, PG_QUERY(TREE_GET_NUMBER, PG_INT(x->id), PG_INT(x->tree)),
                                   &n, err);
    if (!st)
        *out = (uint64_t)n;
    return st == KEN_ENOTFOUND ? PG_CORRUPT(&x->p, err, "it has no tree") : st;
}

// ---- values ------------------------------------------------------------------------------------

static ken_pg_value tree_of(const ken_pg_index *x, ken_str key)
{
    return PG_INT(ken_store_is_shared_value(key) ? KEN_PG_ALL_TREES : x->tree);
}

ken_status ken_store__pg_load_value(ken_store_backend *b, ken_str key, ken_arena *arena,
                                    ken_str *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return ken_store__pg_one(&x->p,
                             PG_QUERY(META_GET, PG_INT(x->id), tree_of(x, key), PG_TEXT(key)),
                             ken_store__pg_read_bytes, arena, out, err);
}

ken_status ken_store__pg_put_value(ken_store_backend *b, ken_str key, ken_str value, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    if (!value.ptr)
        return ken_store__pg_write(&x->p, KEN_PG_META_REMOVE,
                                   PG_VALUES(PG_INT(x->id), tree_of(x, key), PG_TEXT(key)), NULL,
                                   err);
    return ken_store__pg_write(
        &x->p, KEN_PG_META_PUT,
        PG_VALUES(PG_INT(x->id), tree_of(x, key), PG_TEXT(key), PG_BYTES(value)), NULL, err);
}

static ken_status read_value_info(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                  ken_err *err)
{
    (void)p, (void)err;
    *(ken_value_info *)out = (ken_value_info){ .key = ken_store__pg_keep(row, 0, arena),
                                               .n_bytes = ken_store__pg_u64(row, 1, INT64_MAX) };
    return KEN_OK;
}

ken_status ken_store__pg_list_values(ken_store_backend *b, ken_arena *arena, ken_value_info **out,
                                     size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p, PG_QUERY(META_LIST, PG_INT(x->id), PG_INT(x->tree)), read_value_info,
                   arena, out, out_n, err);
}

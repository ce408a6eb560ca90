// SPDX-License-Identifier: MIT
// Contents that lack rows, and rows that are put later. What a tree's contents have is noted as a value, so that only a run
// after a copy or a change of settings looks.
#include <stdio.h>

#include "store/postgres/postgres_index_priv.h"
#include "store/rows.h"

enum {
    KEPT_MAX = 64,
};

// What rows settings want: "text 1 relations 2 vectors 0".
static ken_str wanted(const ken_pg_index *x, char out[KEPT_MAX])
{
    int n = snprintf(out, KEPT_MAX, "text %d relations %d vectors %d",
                     ken_store__pg_keeps_text(x->p.db), (int)ken_store__pg_relations(x->p.db),
                     ken_store__pg_vectors_of(x->p.db)->is_on);
    return ken_str_n(out, (size_t)n);
}

static ken_status is_noted(ken_pg_index *x, ken_arena *arena, bool *out, ken_err *err)
{
    char text[KEPT_MAX];
    ken_str kept = KEN_STR("");
    ken_status st =
        ken_store__pg_load_value(&x->backend, KEN_STR(KEN_STORE_ROWS_KEPT), arena, &kept, err);
    *out = !st && ken_str_eq(kept, wanted(x, text));
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

ken_status ken_store__pg_find_lacking(ken_store_backend *b, ken_arena *arena,
                                      ken_store_lacking *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    const ken_relations relations = ken_store__pg_relations(x->p.db);
    ken_store_lacking l = { .is_known = false };
    ken_status st = is_noted(x, arena, &l.is_known, err);
    if (!st && !l.is_known) {
        st = PG_ROWS(&x->p,
                     PG_QUERY(LACKING_ROWS, PG_INT(x->id), PG_INT(x->tree),
                              PG_BOOL(ken_store__pg_keeps_text(x->p.db)),
                              PG_BOOL(relations != KEN_RELATIONS_NONE),
                              PG_BOOL(relations == KEN_RELATIONS_ALL)),
                     ken_store__pg_read_i64, arena, &l.contents, &l.n_contents, err);
    }
    if (!st && !l.is_known && ken_store__pg_vectors_of(x->p.db)->is_on)
        st = PG_ROWS(&x->p, PG_QUERY(LACKING_VECTORS, PG_INT(x->id), PG_INT(x->tree)),
                     ken_store__pg_read_i64, arena, &l.vectors, &l.n_vectors, err);
    if (!st)
        *out = l;
    return st;
}

ken_status ken_store__pg_note_rows(ken_store_backend *b, ken_err *err)
{
    char text[KEPT_MAX];
    const ken_str value = wanted(ken_pg_index_of(b), text);
    return ken_store__pg_put_value(b, KEN_STR(KEN_STORE_ROWS_KEPT), value, err);
}

ken_status ken_store__pg_put_rows(ken_store_backend *b, const ken_store_rows *rows, size_t n,
                                  ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    int64_t *ids = KEN_ARENA_ARRAY(&arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].content;
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = ken_store__pg_write(&x->p, KEN_PG_ROWS_CLEAR,
                                 PG_VALUES(PG_INT(x->id), PG_INTS(ids, n)), NULL, err);
    for (size_t i = 0; !st && i < n; i++)
        st = ken_store__pg_put_relations(x, rows[i].content, &rows[i].facts, &rows[i].packed, err);
    ken_arena_release(&arena);
    return st;
}

// ---- texts -------------------------------------------------------------------------------------

typedef struct text_row {
    int64_t content;
    ken_str text;
} text_row;

static ken_status read_text(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(text_row *)out = (text_row){ ken_store__pg_i64(row, 0), ken_store__pg_keep(row, 1, arena) };
    return KEN_OK;
}

ken_status ken_store__pg_load_texts(ken_store_backend *b, const int64_t *contents, size_t n,
                                    ken_arena *arena, ken_str *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    text_row *rows = NULL;
    size_t n_rows = 0;
    ken_status st = ken_store__pg_flush_relations(x, 1, err);
    if (!st)
        st = PG_ROWS(&x->p, PG_QUERY(TEXT_LIST, PG_INT(x->id), PG_INTS(contents, n)), read_text,
                     arena, &rows, &n_rows, err);
    for (size_t i = 0; !st && i < n; i++) {
        out[i] = (ken_str){ NULL, 0 };
        for (size_t k = 0; k < n_rows && !out[i].ptr; k++)
            if (rows[k].content == contents[i])
                out[i] = rows[k].text;
    }
    return st;
}

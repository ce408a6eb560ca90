// SPDX-License-Identifier: MIT
// Which indexes a question is put to. The words of all of them are a row for each segment of words
// (schema/0010_words.postgres.sql); they are told once a segment is committed, so a question may meet one that was not
// yet. Near vectors are those of pgvector, where it has an index of them.
#include <stdio.h>

#include "store/postgres/postgres_index_priv.h"

ken_status ken_store__pg_list_untold(ken_store_backend *b, ken_arena *arena, ken_segment_info **out,
                                     size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p, PG_QUERY(WORDS_UNTOLD, PG_INT(x->id)), ken_store__pg_read_segment, arena,
                   out, out_n, err);
}

ken_status ken_store__pg_put_words(ken_store_backend *b, int64_t segment, const int64_t *entries,
                                   size_t n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return ken_store__pg_write(&x->p, KEN_PG_WORDS_PUT,
                               PG_VALUES(PG_INT(x->id), PG_INT(segment), PG_INTS(entries, n)), NULL,
                               err);
}

// Sets what holds in the open transaction.
static ken_status tune(ken_pg *p, ken_pg_stmt which, const ken_pg_value *values, size_t n,
                       ken_err *err)
{
    PGresult *r = NULL;
    ken_status st = ken_store__pg_run(p, which, values, n, &r, err);
    ken_store__pg_done(p, r);
    return st;
}

static ken_status read_index(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(ken_words_index *)out = (ken_words_index){
        .name = ken_store__pg_keep(row, 0, arena),
        .codes = ken_store__pg_keep(row, 1, arena),
        .n_contents = ken_store__pg_u64(row, 2, INT64_MAX),
        .is_untold = ken_store__pg_i64(row, 3) != 0,
    };
    return KEN_OK;
}

ken_status ken_database_find_words(ken_database *db, const int64_t *entries, const ken_str *codes,
                                   size_t n, ken_arena *arena, ken_words_index **out, size_t *out_n,
                                   ken_err *err)
{
    ken_pg p;
    if (n > KEN_WORDS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "%zu words are looked for, over the limit of %d", n,
                        KEN_WORDS_MAX);
    ken_store__pg_init(&p, db, "table", "ken.segment_words", 0);
    ken_store__pg_begin(&p, KEN_PG_TX_READ);
    ken_status st = tune(&p, KEN_PG_WORDS_TUNE, NULL, 0, err);
    if (!st)
        st = PG_ROWS(&p, PG_QUERY(WORDS_FIND, PG_INTS(entries, n), PG_TEXTS(codes, n)), read_index,
                     arena, out, out_n, err);
    ken_store__pg_release(&p);
    return st;
}

// ---- near vectors --------------------------------------------------------------------------------

static ken_status read_near(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(ken_near_index *)out = (ken_near_index){ .name = ken_store__pg_keep(row, 0, arena),
                                               .distance = ken_store__pg_real(row, 1) };
    return KEN_OK;
}

// "[0.1,…]", as pgvector reads it.
static ken_str vector_text(const float *unit, uint32_t n_dims, ken_arena *arena)
{
    ken_buf b = { 0 };
    for (uint32_t i = 0; i < n_dims; i++)
        ken_buf_printf(&b, "%c%.6f", i ? ',' : '[', (double)unit[i]);
    ken_buf_putc(&b, ']');
    ken_str text = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

ken_status ken_database_find_near(ken_database *db, const char *model, const float *unit,
                                  uint32_t n_dims, uint32_t n_near, ken_arena *arena,
                                  ken_near_index **out, size_t *out_n, ken_err *err)
{
    const ken_database_opts *o = ken_store__pg_opts_of(db);
    char ef[16];
    ken_pg p;
    *out = NULL;
    *out_n = 0;
    if (!ken_store__pg_vectors_of(db)->is_on)
        return KEN_OK;
    ken_store__pg_init(&p, db, "table", "ken.embeddings", 0);
    snprintf(ef, sizeof ef, "%u", o->ef_search);
    ken_store__pg_begin(&p, KEN_PG_TX_READ);
    ken_status st =
        tune(&p, KEN_PG_NEAR_TUNE,
             PG_VALUES(PG_TEXT(ken_str_c(ef)), PG_TEXT(ken_str_c(o->iterative_scan))), err);
    if (!st)
        st = PG_ROWS(&p,
                     PG_QUERY(NEAR_FIND, PG_TEXT(ken_str_c(model)),
                              PG_TEXT(vector_text(unit, n_dims, arena)), PG_INT4(n_near)),
                     read_near, arena, out, out_n, err);
    ken_store__pg_release(&p);
    return st;
}

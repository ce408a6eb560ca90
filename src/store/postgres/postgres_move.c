// SPDX-License-Identifier: MIT
// What an exact copy needs of an index and of the values: keys of contents, numbers that are passed over.
#include "store/postgres/postgres_catalog_priv.h"
#include "store/postgres/postgres_index_priv.h"

// ---- an index ----------------------------------------------------------------------------------

static ken_status read_key(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    ken_content_key key = {
        .lang = (uint16_t)ken_store__pg_u64(row, 1, UINT16_MAX),
        .feature = (uint32_t)ken_store__pg_u64(row, 2, UINT32_MAX),
    };
    ken_store__pg_fixed(row, 0, key.sha.bytes, sizeof key.sha.bytes);
    *(ken_content_key *)out = key;
    return KEN_OK;
}

ken_status ken_store__pg_load_key(ken_store_backend *b, int64_t content, ken_content_key *out,
                                  ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_status st = x->p.tx == KEN_PG_TX_WRITE ? ken_store__pg_flush_contents(x, err) : KEN_OK;
    return st ? st
              : ken_store__pg_one(&x->p, PG_QUERY(CONTENT_KEY, PG_INT(x->id), PG_INT(content)),
                                  read_key, NULL, out, err);
}

static int64_t *counter_of(ken_pg_last *last, ken_store_clock clock)
{
    return clock == KEN_STORE_CONTENT_IDS   ? &last->content
           : clock == KEN_STORE_SEGMENT_IDS ? &last->segment
                                            : &last->rev;
}

static ken_status read_counters(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(ken_pg_last *)out = (ken_pg_last){ .content = ken_store__pg_i64(row, 0),
                                         .segment = ken_store__pg_i64(row, 1),
                                         .rev = ken_store__pg_i64(row, 2) };
    return KEN_OK;
}

ken_status ken_store__pg_load_last(ken_store_backend *b, ken_store_clock clock, int64_t *out,
                                   ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_pg_last last = x->last;
    ken_status st = x->p.tx == KEN_PG_TX_WRITE
                        ? KEN_OK
                        : ken_store__pg_one(&x->p, PG_QUERY(INDEX_LAST, PG_INT(x->id)),
                                            read_counters, NULL, &last, err);
    if (!st)
        *out = *counter_of(&last, clock);
    return st == KEN_ENOTFOUND ? PG_CORRUPT(&x->p, err, "its row is gone") : st;
}

// The counters are in memory until the commit.
ken_status ken_store__pg_skip_to(ken_store_backend *b, ken_store_clock clock, int64_t last,
                                 ken_err *err)
{
    int64_t *at = counter_of(&ken_pg_index_of(b)->last, clock);
    (void)err;
    *at = *at > last ? *at : last;
    return KEN_OK;
}

// ---- values ------------------------------------------------------------------------------------

static ken_status read_value(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(ken_catalog_value *)out = (ken_catalog_value){ .name = ken_store__pg_keep(row, 0, arena),
                                                     .value = ken_store__pg_keep(row, 1, arena) };
    return KEN_OK;
}

ken_status ken_store__pg_catalog_list_values(ken_catalog_backend *b, ken_arena *arena,
                                             ken_catalog_value **out, size_t *out_n, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return PG_ROWS(&c->p, &(ken_pg_query){ .which = KEN_PG_SETTING_LIST }, read_value, arena, out,
                   out_n, err);
}

// SPDX-License-Identifier: MIT
// What a writer need not ask for: hashes of what there is, loaded once. A hash that is not among them is
// that of something new; one that is may be.
#include "store/postgres/postgres_index_priv.h"

enum {
    ASK_FIRST = 16, // questions that are asked before all is loaded
};

void ken_store__pg_know(ken_pg_known *k, uint64_t hash)
{
    if (k->is_whole)
        ken_hash_set_put(&k->hashes, hash);
}

void ken_store__pg_forget(ken_pg_known *k)
{
    ken_hash_set_release(&k->hashes);
    *k = (ken_pg_known){ 0 };
}

static ken_status load(ken_pg_index *x, ken_pg_known *k, const ken_pg_query *all,
                       ken_pg_read_fn *read, ken_err *err)
{
    ken_arena arena;
    int64_t *hashes = NULL;
    size_t n = 0;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store__pg_flush(x, err); // what is gathered is there, too
    if (!st)
        st = PG_ROWS(&x->p, all, read, &arena, &hashes, &n, err);
    if (!st) {
        k->is_whole = true;
        ken_hash_set_reserve(&k->hashes, n + 1);
        for (size_t i = 0; i < n; i++)
            ken_hash_set_put(&k->hashes, (uint64_t)hashes[i]);
    }
    ken_arena_release(&arena);
    return st;
}

ken_status ken_store__pg_may_have(ken_pg_index *x, ken_pg_known *k, const ken_pg_query *all,
                                  ken_pg_read_fn *read, uint64_t hash, bool *out, ken_err *err)
{
    ken_status st = KEN_OK;
    *out = true;
    if (!k->is_whole && ++k->n_asked > ASK_FIRST)
        st = load(x, k, all, read, err);
    if (!st && k->is_whole)
        *out = ken_hash_set_has(&k->hashes, hash);
    return st;
}

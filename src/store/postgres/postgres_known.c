// SPDX-License-Identifier: MIT
// What a writer need not ask for: hashes of what there is, loaded once. A hash that is not among them is
// that of something new; one that is may be.
#include "base/alloc.h"
#include "store/postgres/postgres_index_priv.h"

enum {
    ASK_FIRST = 16, // questions that are asked before all is loaded
    FIRST_SLOTS = 1024,
};

static void put(ken_pg_known *k, uint64_t hash)
{
    size_t at = hash & (k->n_slots - 1);
    while (k->slots[at] && k->slots[at] != hash)
        at = (at + 1) & (k->n_slots - 1);
    k->len += !k->slots[at];
    k->slots[at] = hash;
}

static void grow(ken_pg_known *k, size_t n_more)
{
    size_t n = k->n_slots ? k->n_slots : FIRST_SLOTS;
    while (n < 2 * (k->len + n_more))
        n *= 2;
    if (n == k->n_slots)
        return;
    uint64_t *old = k->slots;
    size_t n_old = k->n_slots;
    k->slots = ken_zalloc(ken_mul_size(n, sizeof *k->slots));
    k->n_slots = n;
    k->len = 0;
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            put(k, old[i]);
    ken_free(old);
}

void ken_store__pg_know(ken_pg_known *k, uint64_t hash)
{
    if (!k->is_whole)
        return;
    grow(k, 1);
    put(k, hash ? hash : 1);
}

void ken_store__pg_forget(ken_pg_known *k)
{
    ken_free(k->slots);
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
        grow(k, n + 1);
        for (size_t i = 0; i < n; i++)
            put(k, hashes[i] ? (uint64_t)hashes[i] : 1);
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
    if (st || !k->is_whole)
        return st;
    hash = hash ? hash : 1;
    size_t at = hash & (k->n_slots - 1);
    while (k->slots[at] && k->slots[at] != hash)
        at = (at + 1) & (k->n_slots - 1);
    *out = k->slots[at] == hash;
    return KEN_OK;
}

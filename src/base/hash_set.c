// SPDX-License-Identifier: MIT
#include "base/hash_set.h"

#include "base/alloc.h"

enum {
    FIRST_SLOTS = 1024,
};

// A free slot is 0, so the hash 0 stands for 1.
static uint64_t mark_of(uint64_t hash)
{
    return hash ? hash : 1;
}

static void enter(ken_hash_set *s, uint64_t mark)
{
    size_t at = mark & (s->n_slots - 1);
    while (s->slots[at] && s->slots[at] != mark)
        at = (at + 1) & (s->n_slots - 1);
    s->len += !s->slots[at];
    s->slots[at] = mark;
}

void ken_hash_set_release(ken_hash_set *s)
{
    ken_free(s->slots);
    *s = (ken_hash_set){ 0 };
}

void ken_hash_set_reserve(ken_hash_set *s, size_t n_more)
{
    size_t n = s->n_slots ? s->n_slots : FIRST_SLOTS;
    while (n < 2 * (s->len + n_more))
        n *= 2;
    if (n == s->n_slots)
        return;
    uint64_t *old = s->slots;
    size_t n_old = s->n_slots;
    s->slots = ken_zalloc(ken_mul_size(n, sizeof *s->slots));
    s->n_slots = n;
    s->len = 0;
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            enter(s, old[i]);
    ken_free(old);
}

void ken_hash_set_put(ken_hash_set *s, uint64_t hash)
{
    ken_hash_set_reserve(s, 1);
    enter(s, mark_of(hash));
}

bool ken_hash_set_has(const ken_hash_set *s, uint64_t hash)
{
    uint64_t mark = mark_of(hash);
    if (!s->n_slots)
        return false;
    size_t at = mark & (s->n_slots - 1);
    while (s->slots[at] && s->slots[at] != mark)
        at = (at + 1) & (s->n_slots - 1);
    return s->slots[at] == mark;
}

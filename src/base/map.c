// SPDX-License-Identifier: MIT
#include "base/map.h"

#include "base/alloc.h"
#include "base/hash.h"

void ken_map_init(ken_map *m)
{
    *m = (ken_map){ 0 };
    ken_arena_init(&m->keys, 4096);
}

void ken_map_release(ken_map *m)
{
    ken_free(m->slots);
    ken_arena_release(&m->keys);
    *m = (ken_map){ 0 };
}

static ken_map_slot *slot_of(const ken_map *m, ken_str key, uint64_t hash)
{
    for (size_t i = hash & (m->n_slots - 1);; i = (i + 1) & (m->n_slots - 1)) {
        ken_map_slot *s = &m->slots[i];
        if (!s->key.ptr || (s->hash == hash && ken_str_eq(s->key, key)))
            return s;
    }
}

uint64_t *ken_map_find(const ken_map *m, ken_str key)
{
    if (!m->len)
        return NULL;
    ken_map_slot *s = slot_of(m, key, ken_hash_str(key));
    return s->key.ptr ? &s->value : NULL;
}

static void grow(ken_map *m)
{
    ken_map old = *m;
    m->n_slots = old.n_slots ? old.n_slots * 2 : 64;
    m->slots = ken_zalloc(ken_mul_size(m->n_slots, sizeof *m->slots));
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].key.ptr)
            *slot_of(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
    ken_free(old.slots);
}

uint64_t *ken_map_put(ken_map *m, ken_str key, uint64_t initial, bool *out_is_new)
{
    if ((m->len + 1) * 2 > m->n_slots)
        grow(m);
    uint64_t hash = ken_hash_str(key);
    ken_map_slot *s = slot_of(m, key, hash);
    bool is_new = !s->key.ptr;
    if (is_new) {
        *s = (ken_map_slot){ ken_arena_dup(&m->keys, key), hash, initial };
        m->len++;
    }
    if (out_is_new)
        *out_is_new = is_new;
    return &s->value;
}

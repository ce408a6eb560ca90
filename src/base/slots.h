// SPDX-License-Identifier: MIT
// slots.h -- a hash index of items that stand in an array of the caller: open addressing, linear probing.
//
// A slot holds the place of an item + 1; 0 is free. Keep them at most half full. In the header, so that the
// comparison is compiled into the loop of each user.
// Ownership: `at` is freed by ken_slots_release, unless the caller took it from an arena. Threads: one at a time.
// Errors: none.
#ifndef KEN_BASE_SLOTS_H
#define KEN_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

typedef struct ken_slots {
    uint32_t *at;
    size_t n; // a power of two, or 0
} ken_slots;

typedef bool ken_slots_is(const void *items, uint32_t place, const void *key);

// The slot of the item that is `key`, or the free one where it belongs. There are slots.
static inline uint32_t *ken_slots_find(const ken_slots *s, uint64_t hash, ken_slots_is *is,
                                       const void *items, const void *key)
{
    size_t i = hash & (s->n - 1);
    while (s->at[i] && !is(items, s->at[i] - 1, key))
        i = (i + 1) & (s->n - 1);
    return &s->at[i];
}

// Enters an item that is not there yet.
static inline uint32_t *ken_slots_enter(const ken_slots *s, uint64_t hash, uint32_t place)
{
    size_t i = hash & (s->n - 1);
    while (s->at[i])
        i = (i + 1) & (s->n - 1);
    s->at[i] = place + 1;
    return &s->at[i];
}

static inline bool ken_slots_has_room(const ken_slots *s, size_t n_items)
{
    return n_items * 2 <= s->n;
}

static inline void ken_slots_release(ken_slots *s)
{
    ken_free(s->at);
    *s = (ken_slots){ 0 };
}

// `n` free slots; the items have to be entered again.
static inline void ken_slots_make(ken_slots *s, size_t n)
{
    ken_free(s->at);
    s->at = (uint32_t *)ken_zalloc(ken_mul_size(n, sizeof *s->at));
    s->n = n;
}

static inline size_t ken_slots_bytes(const ken_slots *s)
{
    return s->n * sizeof *s->at;
}

#endif

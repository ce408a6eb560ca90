// SPDX-License-Identifier: MIT
// map.h -- hash map from bytes to u64; keys are copied into the map's own arena.
#ifndef KEN_BASE_MAP_H
#define KEN_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ken_map_slot {
    ken_str key; // in `keys`; ptr NULL = free
    uint64_t hash;
    uint64_t value;
} ken_map_slot;

typedef struct ken_map {
    ken_map_slot *slots; // open addressing, linear probing, at most half full
    size_t n_slots, len;
    ken_arena keys;
} ken_map;

void ken_map_init(ken_map *m);
void ken_map_release(ken_map *m);
// Borrowed pointer to the value, or NULL. Valid until the next put.
uint64_t *ken_map_find(const ken_map *m, ken_str key);
// The value of `key`, added as `initial` when it was absent (then *out_is_new is true; may be
// NULL).
uint64_t *ken_map_put(ken_map *m, ken_str key, uint64_t initial, bool *out_is_new);

#endif

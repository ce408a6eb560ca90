// SPDX-License-Identifier: MIT
// hash_set.h -- a set of 64-bit hashes: what is not in it was never put.
//
// Ownership: freed by ken_hash_set_release. All zeros is an empty set. Threads: one at a time. Errors: none.
#ifndef KEN_BASE_HASH_SET_H
#define KEN_BASE_HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ken_hash_set {
    uint64_t *slots; // open addressing, at most half full; 0 = free
    size_t n_slots, len;
} ken_hash_set;

void ken_hash_set_release(ken_hash_set *s);
// Makes room for so many more, which need not be.
void ken_hash_set_reserve(ken_hash_set *s, size_t n_more);
void ken_hash_set_put(ken_hash_set *s, uint64_t hash);
bool ken_hash_set_has(const ken_hash_set *s, uint64_t hash);

#endif

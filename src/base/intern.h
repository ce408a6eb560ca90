// SPDX-License-Identifier: MIT
// intern.h -- texts kept once: equal ones share their bytes, so that equal ones have equal
// pointers.
//
// Ownership: what is handed out lives as long as the table. Threads: one at a time. Errors: none.
#ifndef KEN_BASE_INTERN_H
#define KEN_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ken_intern_slot {
    const char *text; // NULL = free
    uint32_t len, hash;
} ken_intern_slot;

typedef struct ken_intern {
    ken_intern_slot *slots; // open addressing, linear probing, at most half full
    size_t n_slots, len;
    char *at;    // free space for texts
    size_t room; // bytes of it
    ken_arena texts;
} ken_intern;

void ken_intern_init(ken_intern *t);
void ken_intern_release(ken_intern *t);
size_t ken_intern_bytes(const ken_intern *t); // memory in use
// The one copy of `s`, also NUL-terminated. Texts of 4 GiB and more are not kept once.
ken_str ken_intern_put(ken_intern *t, ken_str s);

#endif

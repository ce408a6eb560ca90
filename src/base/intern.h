// SPDX-License-Identifier: MIT
// intern.h -- texts kept once: equal ones share their bytes, so that equal ones have equal
// pointers. A text takes its bytes, 5 to 8 more, and 11 to 21 for its slot.
//
// Ownership: what is handed out lives as long as the table. Threads: one at a time. Errors: none.
#ifndef KEN_BASE_INTERN_H
#define KEN_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct ken_intern {
    uint64_t *slots; // hash << 32 | place, 0 = free; linear probing, at most three quarters full
    size_t n_slots, len;
    KEN_VEC(char *) blocks; // of texts, from number 1 on; a place is a number and where in it
    size_t at;              // where the newest shared block is free
    uint32_t shared;        // its number
    ken_arena texts;
} ken_intern;

void ken_intern_init(ken_intern *t);
void ken_intern_release(ken_intern *t);
size_t ken_intern_bytes(const ken_intern *t); // memory in use
// The one copy of `s`, also NUL-terminated. Texts of 4 GiB and more are not kept once. Ends the
// program, as an allocation that fails does, beyond 16 GiB.
ken_str ken_intern_put(ken_intern *t, ken_str s);

#endif

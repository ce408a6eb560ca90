// SPDX-License-Identifier: MIT
// arena.h -- memory that dies together.
//
// A bump allocator over blocks. Results of a function that takes an arena live in it; scratch uses
// mark/rewind. Nothing in an arena owns anything outside it. One thread at a time.
// Built with KEN_ARENA_DEBUG every allocation is a malloc of its own, so that sanitizers see it.
#ifndef KEN_BASE_ARENA_H
#define KEN_BASE_ARENA_H

#include <stddef.h>

#include "base/attr.h"
#include "base/str.h"

typedef struct ken_arena_block ken_arena_block;

typedef struct ken_arena {
    ken_arena_block *head; // newest block first
    char *at, *end;        // free space of the newest block
    size_t used_bytes;     // handed out since the last reset
    size_t block_bytes;    // size of the next block; 0 = default
} ken_arena;

typedef struct ken_arena_mark {
    ken_arena_block *head;
    char *at;
    size_t used_bytes;
} ken_arena_mark;

void ken_arena_init(ken_arena *a, size_t block_bytes); // 0 = 64 KiB; allocates nothing yet
void ken_arena_release(ken_arena *a);
void ken_arena_reset(ken_arena *a); // keeps the largest block for reuse

void *ken_arena_alloc(ken_arena *a, size_t n_bytes) KEN_MUST_USE;  // 16-byte aligned, uninitialised
void *ken_arena_zalloc(ken_arena *a, size_t n_bytes) KEN_MUST_USE; // zeroed
// A copy of `n` items; memory of its own also when there are none.
void *ken_arena_copy(ken_arena *a, const void *items, size_t n, size_t item_bytes) KEN_MUST_USE;
#define KEN_ARENA_NEW(a, type)      ((type *)ken_arena_zalloc((a), sizeof(type)))
#define KEN_ARENA_ARRAY(a, type, n) ((type *)ken_arena_zalloc((a), ken_mul_size(sizeof(type), (n))))

ken_str ken_arena_dup(ken_arena *a, ken_str s); // copy, also NUL-terminated
char *ken_arena_strdup(ken_arena *a, const char *s);
ken_str ken_arena_printf(ken_arena *a, const char *fmt, ...) KEN_PRINTF(2, 3);

ken_arena_mark ken_arena_get_mark(const ken_arena *a);
void ken_arena_rewind(ken_arena *a, ken_arena_mark mark);

#endif

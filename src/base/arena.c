// SPDX-License-Identifier: MIT
// A bump allocator: an allocation bumps a pointer through the newest block; blocks are freed
// together.
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "base/alloc.h"

enum {
    ARENA_ALIGN = 16,
    ARENA_DEFAULT_BLOCK = 64 * 1024,
    ARENA_MAX_BLOCK = 1024 * 1024
};

struct ken_arena_block {
    ken_arena_block *next; // older
    size_t size;           // payload bytes
};

static char *payload_of(ken_arena_block *b)
{
    return (char *)b + ((sizeof *b + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1));
}

void ken_arena_init(ken_arena *a, size_t block_bytes)
{
    *a = (ken_arena){ .block_bytes = block_bytes ? block_bytes : ARENA_DEFAULT_BLOCK };
}

void ken_arena_release(ken_arena *a)
{
    ken_arena_rewind(a, (ken_arena_mark){ 0 });
}

void ken_arena_reset(ken_arena *a)
{
    ken_arena_block *keep = NULL;
#ifndef KEN_ARENA_DEBUG
    for (ken_arena_block *b = a->head; b; b = b->next)
        if (b->size <= ARENA_MAX_BLOCK && (!keep || b->size > keep->size))
            keep = b;
#endif
    for (ken_arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        if (b != keep)
            ken_free(b);
    }
    a->head = keep;
    a->at = a->end = NULL;
    a->used_bytes = 0;
    if (keep) {
        keep->next = NULL;
        a->at = payload_of(keep);
        a->end = a->at + keep->size;
    }
}

static void *add_block(ken_arena *a, size_t n_bytes)
{
    if (!a->block_bytes)
        a->block_bytes = ARENA_DEFAULT_BLOCK;
    size_t size = n_bytes;
#ifndef KEN_ARENA_DEBUG
    if (size < a->block_bytes)
        size = a->block_bytes;
    if (a->block_bytes < ARENA_MAX_BLOCK)
        a->block_bytes *= 2;
#endif
    ken_arena_block *b = ken_alloc(size + sizeof *b + ARENA_ALIGN);
    b->next = a->head;
    b->size = size;
    a->head = b;
    a->at = payload_of(b);
    a->end = a->at + size;
    return a->at;
}

// Refuses sizes that no memory has: rounded up, such a size would wrap and become small.
static size_t round_up(size_t n_bytes)
{
    if (n_bytes >= SIZE_MAX / 2)
        ken_alloc_fail(n_bytes);
    return n_bytes ? (n_bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1) : ARENA_ALIGN;
}

void *ken_arena_alloc(ken_arena *a, size_t n_bytes)
{
    n_bytes = round_up(n_bytes);
    char *p = a->at;
#ifdef KEN_ARENA_DEBUG
    p = add_block(a, n_bytes);
#else
    if ((size_t)(a->end - p) < n_bytes)
        p = add_block(a, n_bytes);
#endif
    a->at = p + n_bytes;
    a->used_bytes += n_bytes;
    return p;
}

void *ken_arena_zalloc(ken_arena *a, size_t n_bytes)
{
    n_bytes = round_up(n_bytes);
    return memset(ken_arena_alloc(a, n_bytes), 0, n_bytes);
}

void *ken_arena_copy(ken_arena *a, const void *items, size_t n, size_t item_bytes)
{
    size_t n_bytes = ken_mul_size(n, item_bytes);
    void *copy = ken_arena_alloc(a, n_bytes);
    if (n)
        memcpy(copy, items, n_bytes);
    return copy;
}

ken_str ken_arena_dup(ken_arena *a, ken_str s)
{
    char *p = ken_arena_alloc(a, s.len + 1);
    if (s.len)
        memcpy(p, s.ptr, s.len);
    p[s.len] = '\0';
    return (ken_str){ p, s.len };
}

char *ken_arena_strdup(ken_arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = ken_arena_alloc(a, n);
    memcpy(p, s, n);
    return p;
}

ken_str ken_arena_printf(ken_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    size_t len = n > 0 ? (size_t)n : 0;
    char *p = ken_arena_alloc(a, len + 1);
    p[0] = '\0';
    vsnprintf(p, len + 1, fmt, again);
    va_end(again);
    return (ken_str){ p, len };
}

ken_arena_mark ken_arena_get_mark(const ken_arena *a)
{
    return (ken_arena_mark){ a->head, a->at, a->used_bytes };
}

void ken_arena_rewind(ken_arena *a, ken_arena_mark mark)
{
    for (ken_arena_block *b = a->head, *next; b && b != mark.head; b = next) {
        next = b->next;
        ken_free(b);
        a->head = next;
    }
    a->at = mark.at;
    a->end = a->head ? payload_of(a->head) + a->head->size : NULL;
    a->used_bytes = mark.used_bytes;
}

// SPDX-License-Identifier: MIT
// Sizes up to SMALL_MAX are rounded up to 16 bytes, larger ones to powers of two, each with a list
// of freed pieces; those over 1 MiB are not used again before the reset. A piece begins with a head
// that names its heap and size.
#include <scanner_memory.h>
#include <stdint.h>
#include <string.h>

#include <tree_sitter/api.h>

#include "base/alloc.h"
#include "lang/lang_heap_priv.h"

enum {
    UNIT = 16,
    SMALL_MAX = 512,
    N_SMALL = SMALL_MAX / UNIT + 1,
    N_CLASSES = N_SMALL + 11, // 1 KiB … 1 MiB above the small ones
    FIRST_BLOCK = 256 << 10,
    MAX_BLOCK = 4 << 20,
    KEEP_BYTES = 8 << 20, // unless another share is set
};

typedef struct head {
    lang_heap *heap; // NULL = malloc
    uint64_t size;   // bytes that the piece holds
} head;

typedef struct block {
    struct block *next;
    size_t size; // with this header
} block;

typedef struct freed {
    struct freed *next;
} freed;

struct lang_heap {
    block *used, *spare;
    char *at, *end;
    freed *lists[N_CLASSES];
    size_t next_block, keep_bytes;
};

_Static_assert(sizeof(head) == UNIT && sizeof(block) == UNIT, "pieces are aligned to 16 bytes");

#ifdef KEN_ARENA_DEBUG
static const bool is_real = false;
#else
static const bool is_real = true;
#endif

static _Thread_local lang_heap *current;

bool ken_lang__heap_is_real(void)
{
    return is_real;
}

static unsigned class_of(size_t n, size_t *out_size)
{
    if (n <= SMALL_MAX) {
        unsigned c = (unsigned)((n + UNIT - 1) / UNIT);
        *out_size = (size_t)c * UNIT;
        return c;
    }
    unsigned c = N_SMALL;
    size_t size = (size_t)SMALL_MAX * 2;
    while (size < n) {
        size *= 2;
        c++;
    }
    *out_size = size;
    return c;
}

static void *add_block(lang_heap *h, size_t n)
{
    block *b = h->spare;
    if (b && b->size >= n + sizeof *b) {
        h->spare = b->next;
    } else {
        size_t size = n + sizeof *b > h->next_block ? n + sizeof *b : h->next_block;
        b = ken_alloc(size);
        b->size = size;
        if (h->next_block < MAX_BLOCK)
            h->next_block *= 2;
    }
    b->next = h->used;
    h->used = b;
    h->at = (char *)b + sizeof *b;
    h->end = (char *)b + b->size;
    return h->at;
}

static void *heap_malloc(size_t n)
{
    lang_heap *h = current;
    if (!h) {
        head *p = ken_alloc(n + sizeof *p);
        *p = (head){ NULL, n };
        return p + 1;
    }
    size_t size;
    unsigned c = class_of(n, &size);
    freed *f = c < N_CLASSES ? h->lists[c] : NULL;
    if (f) {
        h->lists[c] = f->next;
        return f;
    }
    char *at = h->at;
    if ((size_t)(h->end - at) < size + sizeof(head))
        at = add_block(h, size + sizeof(head));
    h->at = at + size + sizeof(head);
    head *p = (head *)(void *)at;
    *p = (head){ h, size };
    return p + 1;
}

static void heap_free(void *ptr)
{
    if (!ptr)
        return;
    head *p = (head *)ptr - 1;
    if (!p->heap) {
        ken_free(p);
        return;
    }
    size_t size;
    unsigned c = class_of(p->size, &size);
    if (c >= N_CLASSES || !p->size)
        return;
    freed *f = ptr;
    f->next = p->heap->lists[c];
    p->heap->lists[c] = f;
}

static void *heap_calloc(size_t n, size_t size)
{
    size_t bytes = ken_mul_size(n, size);
    void *p = heap_malloc(bytes);
    memset(p, 0, bytes);
    return p;
}

static void *heap_realloc(void *ptr, size_t n)
{
    if (!ptr)
        return heap_malloc(n);
    head *p = (head *)ptr - 1;
    if (!p->heap) {
        p = ken_realloc(p, n + sizeof *p);
        p->size = n;
        return p + 1;
    }
    if (n <= p->size)
        return ptr;
    lang_heap *outer = ken_lang__heap_enter(p->heap);
    void *q = heap_malloc(n);
    ken_lang__heap_enter(outer);
    memcpy(q, ptr, p->size);
    heap_free(ptr);
    return q;
}

static void *plain_calloc(size_t n, size_t size)
{
    return ken_zalloc(ken_mul_size(n, size));
}

// Scanners are compiled without checks of their memory, so they have these always. One of them asks for no bytes and
// writes some: as from malloc, there are a few.
static void *scanner_malloc(size_t n)
{
    return heap_malloc(n ? n : UNIT);
}

static void *scanner_calloc(size_t n, size_t size)
{
    return heap_calloc(1, n && size ? ken_mul_size(n, size) : UNIT);
}

static void *scanner_realloc(void *p, size_t n)
{
    return heap_realloc(p, n ? n : UNIT);
}

KEN_CONSTRUCTOR static void install(void)
{
    if (is_real)
        ts_set_allocator(heap_malloc, heap_calloc, heap_realloc, heap_free);
    else
        ts_set_allocator(ken_alloc, plain_calloc, ken_realloc, ken_free);
    ken_scanner_memory =
        (ken_scanner_memory_fns){ scanner_malloc, scanner_calloc, scanner_realloc, heap_free };
}

lang_heap *ken_lang__heap_new(void)
{
    lang_heap *h = ken_zalloc(sizeof *h);
    h->next_block = FIRST_BLOCK;
    h->keep_bytes = KEEP_BYTES;
    return h;
}

void ken_lang__heap_limit(lang_heap *h, size_t keep_bytes)
{
    h->keep_bytes = keep_bytes < KEEP_BYTES ? keep_bytes : KEEP_BYTES;
}

static void free_blocks(block *b)
{
    for (block *next; b; b = next) {
        next = b->next;
        ken_free(b);
    }
}

void ken_lang__heap_reset(lang_heap *h)
{
    size_t kept = 0;
    for (block *b = h->spare; b; b = b->next)
        kept += b->size;
    for (block *b = h->used, *next; b; b = next) {
        next = b->next;
        if (b->size <= MAX_BLOCK && kept + b->size <= h->keep_bytes) {
            kept += b->size;
            b->next = h->spare;
            h->spare = b;
        } else {
            ken_free(b);
        }
    }
    h->used = NULL;
    h->at = h->end = NULL;
    memset(h->lists, 0, sizeof h->lists);
}

void ken_lang__heap_free(lang_heap *h)
{
    if (!h)
        return;
    free_blocks(h->used);
    free_blocks(h->spare);
    ken_free(h);
}

lang_heap *ken_lang__heap_enter(lang_heap *h)
{
    lang_heap *outer = current;
    current = h;
    return outer;
}

// SPDX-License-Identifier: MIT
#include "base/intern.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum {
    FIRST_SLOTS = 1024,
    BLOCK_BYTES = 64 << 10, // of texts
    UNIT = 4,               // what a text begins at a multiple of
    OFFSET_BITS = 14,       // of BLOCK_BYTES / UNIT
    BLOCKS_MAX = 1 << (32 - OFFSET_BITS)
};

// Precedes each text.
typedef struct text_head {
    uint32_t len;
} text_head;

void ken_intern_init(ken_intern *t)
{
    *t = (ken_intern){ .n_slots = FIRST_SLOTS, .at = BLOCK_BYTES };
    t->slots = ken_zalloc(FIRST_SLOTS * sizeof *t->slots);
    ken_vec_push(&t->blocks, NULL); // so that no place is 0
    ken_arena_init(&t->texts, 0);
}

void ken_intern_release(ken_intern *t)
{
    ken_free(t->slots);
    ken_vec_release(&t->blocks);
    ken_arena_release(&t->texts);
    *t = (ken_intern){ 0 };
}

size_t ken_intern_bytes(const ken_intern *t)
{
    return t->n_slots * sizeof *t->slots + t->blocks.cap * sizeof *t->blocks.ptr +
           t->texts.used_bytes;
}

static ken_str text_at(const ken_intern *t, uint32_t place)
{
    const char *p =
        t->blocks.ptr[place >> OFFSET_BITS] + (size_t)(place & ((1U << OFFSET_BITS) - 1)) * UNIT;
    text_head head;
    memcpy(&head, p, sizeof head);
    return ken_str_n(p + sizeof head, head.len);
}

// Where the text is, or would be.
static uint64_t *slot_of(const ken_intern *t, ken_str s, uint32_t hash)
{
    for (size_t i = hash & (t->n_slots - 1);; i = (i + 1) & (t->n_slots - 1)) {
        uint64_t *slot = &t->slots[i];
        if (!*slot || (*slot >> 32 == hash && ken_str_eq(text_at(t, (uint32_t)*slot), s)))
            return slot;
    }
}

static void grow(ken_intern *t)
{
    uint64_t *old = t->slots;
    size_t n_old = t->n_slots;
    t->n_slots *= 2;
    t->slots = ken_zalloc(ken_mul_size(t->n_slots, sizeof *t->slots));
    for (size_t o = 0; o < n_old; o++) {
        size_t i = (old[o] >> 32) & (t->n_slots - 1);
        while (old[o] && t->slots[i])
            i = (i + 1) & (t->n_slots - 1);
        if (old[o])
            t->slots[i] = old[o];
    }
    ken_free(old);
}

static uint32_t add_block(ken_intern *t, size_t n_bytes)
{
    if (t->blocks.len == BLOCKS_MAX)
        ken_alloc_fail(n_bytes);
    ken_vec_push(&t->blocks, ken_arena_alloc(&t->texts, n_bytes));
    return (uint32_t)t->blocks.len - 1;
}

// Without the gaps that an arena leaves between its pieces. A large text has a block to itself.
static uint32_t copy(ken_intern *t, ken_str s)
{
    text_head head = { (uint32_t)s.len };
    size_t n = (sizeof head + s.len + 1 + UNIT - 1) / UNIT * UNIT, at = 0;
    uint32_t block;
    if (n > BLOCK_BYTES / 8) {
        block = add_block(t, n);
    } else {
        if (n > BLOCK_BYTES - t->at) {
            t->shared = add_block(t, BLOCK_BYTES);
            t->at = 0;
        }
        block = t->shared;
        at = t->at;
        t->at += n;
    }
    char *p = t->blocks.ptr[block] + at;
    memcpy(p, &head, sizeof head);
    memcpy(p + sizeof head, s.ptr, s.len);
    p[sizeof head + s.len] = '\0';
    return block << OFFSET_BITS | (uint32_t)(at / UNIT);
}

ken_str ken_intern_put(ken_intern *t, ken_str s)
{
    if (!s.len)
        return KEN_STR("");
    if (s.len > UINT32_MAX)
        return ken_arena_dup(&t->texts, s);
    uint32_t hash = (uint32_t)ken_hash_str(s);
    uint64_t *slot = slot_of(t, s, hash);
    if (!*slot) {
        if (++t->len * 4 > t->n_slots * 3) {
            grow(t);
            slot = slot_of(t, s, hash);
        }
        *slot = (uint64_t)hash << 32 | copy(t, s);
    }
    return text_at(t, (uint32_t)*slot);
}

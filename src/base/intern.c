// SPDX-License-Identifier: MIT
#include "base/intern.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum {
    FIRST_SLOTS = 1024,
    TEXT_BYTES = 64 << 10 // taken at a time
};

void ken_intern_init(ken_intern *t)
{
    *t = (ken_intern){ .n_slots = FIRST_SLOTS };
    t->slots = ken_zalloc(FIRST_SLOTS * sizeof *t->slots);
    ken_arena_init(&t->texts, 0);
}

void ken_intern_release(ken_intern *t)
{
    ken_free(t->slots);
    ken_arena_release(&t->texts);
    *t = (ken_intern){ 0 };
}

size_t ken_intern_bytes(const ken_intern *t)
{
    return t->n_slots * sizeof *t->slots + t->texts.used_bytes;
}

// Where the text is, or would be.
static ken_intern_slot *slot_of(const ken_intern *t, ken_str s, uint32_t hash)
{
    for (size_t i = hash & (t->n_slots - 1);; i = (i + 1) & (t->n_slots - 1)) {
        ken_intern_slot *slot = &t->slots[i];
        if (!slot->text ||
            (slot->hash == hash && slot->len == s.len && memcmp(slot->text, s.ptr, s.len) == 0))
            return slot;
    }
}

static void grow(ken_intern *t)
{
    ken_intern_slot *old = t->slots;
    size_t n_old = t->n_slots;
    t->n_slots *= 2;
    t->slots = ken_zalloc(ken_mul_size(t->n_slots, sizeof *t->slots));
    for (size_t o = 0; o < n_old; o++) {
        size_t i = old[o].hash & (t->n_slots - 1);
        while (old[o].text && t->slots[i].text)
            i = (i + 1) & (t->n_slots - 1);
        if (old[o].text)
            t->slots[i] = old[o];
    }
    ken_free(old);
}

// Without the gaps that an arena leaves between its pieces.
static const char *copy(ken_intern *t, ken_str s)
{
    if (s.len >= TEXT_BYTES / 8)
        return ken_arena_dup(&t->texts, s).ptr;
    if (t->room < s.len + 1) {
        t->at = ken_arena_alloc(&t->texts, TEXT_BYTES);
        t->room = TEXT_BYTES;
    }
    char *p = t->at;
    memcpy(p, s.ptr, s.len);
    p[s.len] = '\0';
    t->at += s.len + 1;
    t->room -= s.len + 1;
    return p;
}

ken_str ken_intern_put(ken_intern *t, ken_str s)
{
    if (!s.len)
        return KEN_STR("");
    if (s.len > UINT32_MAX)
        return ken_arena_dup(&t->texts, s);
    uint32_t hash = (uint32_t)ken_hash_str(s);
    ken_intern_slot *slot = slot_of(t, s, hash);
    if (!slot->text) {
        if (++t->len * 2 > t->n_slots) {
            grow(t);
            slot = slot_of(t, s, hash);
        }
        *slot = (ken_intern_slot){ copy(t, s), (uint32_t)s.len, hash };
    }
    return ken_str_n(slot->text, slot->len);
}

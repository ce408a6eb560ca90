// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "recall/recall_priv.h"

enum {
    FIRST_SLOTS = 1 << 10,
    FIRST_POSTINGS = 2, // most terms are in one or two texts
};

static bool has_term(const void *lists, uint32_t place, const void *term)
{
    return ((const recall_list *)lists)[place].term == *(const ken_term *)term;
}

static uint32_t *slot_of(const recall_lists *l, ken_term term)
{
    return ken_slots_find(&l->slots, term, has_term, l->all.ptr, &term);
}

static void make_slots(recall_lists *l, size_t n_slots)
{
    ken_slots_make(&l->slots, n_slots);
    for (size_t i = 0; i < l->all.len; i++)
        ken_slots_enter(&l->slots, l->all.ptr[i].term, (uint32_t)i);
}

const recall_list *ken_recall__find_list(const recall_lists *l, ken_term term)
{
    uint32_t at = l->slots.n ? *slot_of(l, term) : 0;
    return at ? &l->all.ptr[at - 1] : NULL;
}

static recall_list *list_of(recall_lists *l, ken_term term)
{
    if (!ken_slots_has_room(&l->slots, l->all.len + 1))
        make_slots(l, l->slots.n ? 2 * l->slots.n : FIRST_SLOTS);
    uint32_t *slot = slot_of(l, term);
    if (!*slot) {
        ken_vec_push(&l->all, ((recall_list){ .term = term }));
        *slot = (uint32_t)l->all.len;
    }
    return &l->all.ptr[*slot - 1];
}

void ken_recall__add_posting(recall_lists *l, ken_term term, recall_posting p)
{
    recall_list *list = list_of(l, term);
    if (list->len == list->cap) {
        uint32_t cap = list->cap ? list->cap + (list->cap + 1) / 2 : FIRST_POSTINGS;
        list->at = ken_realloc(list->at, ken_mul_size(cap, sizeof *list->at));
        l->n_bytes += (cap - list->cap) * sizeof *list->at;
        list->cap = cap;
    }
    list->at[list->len++] = p;
}

static void move_list(recall_list *list, const uint32_t *new_row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->len; i++) {
        uint32_t row = new_row[list->at[i] >> RECALL_ROW_SHIFT];
        if (row != UINT32_MAX)
            list->at[n++] =
                row << RECALL_ROW_SHIFT | (list->at[i] & ((1u << RECALL_ROW_SHIFT) - 1));
    }
    list->len = n;
}

void ken_recall__move_postings(recall_lists *l, const uint32_t *new_row)
{
    size_t n = 0;
    for (size_t i = 0; i < l->all.len; i++) {
        recall_list list = l->all.ptr[i];
        move_list(&list, new_row);
        if (list.len) {
            l->all.ptr[n++] = list;
        } else {
            l->n_bytes -= list.cap * sizeof *list.at;
            ken_free(list.at);
        }
    }
    l->all.len = n;
    if (l->slots.n)
        make_slots(l, l->slots.n);
}

void ken_recall__release_lists(recall_lists *l)
{
    for (size_t i = 0; i < l->all.len; i++)
        ken_free(l->all.ptr[i].at);
    ken_vec_release(&l->all);
    ken_slots_release(&l->slots);
    *l = (recall_lists){ 0 };
}

// SPDX-License-Identifier: MIT
// The files of a generation: their rows, what is known of their contents, and which file has a content. A generation
// that changed a few rows takes over those of the one before: an edit then costs what was edited.
#include "base/alloc.h"
#include "base/sorted.h"
#include "query/query_priv.h"
#include "store/store_edits.h"

ken_status ken_query__load_files(ken_snapshot *s, ken_err *err)
{
    size_t n = 0;
    if (s->rows)
        return KEN_OK;
    ken_arena_init(&s->file_arena, (size_t)256 << 10);
    ken_status st = ken_store_load_files(s->store, &s->file_arena, &s->rows, &n, &s->contents, err);
    s->n_files = (uint32_t)n;
    return st;
}

void ken_query__forget_files(ken_snapshot *s)
{
    ken_arena_release(&s->file_arena);
    s->rows = NULL;
    s->contents = NULL;
    s->n_files = 0;
}

// ---- following ---------------------------------------------------------------------------------

typedef struct row_place {
    int64_t id;
    uint32_t file;
} row_place;

static int by_id(const void *a, const void *b)
{
    const row_place *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// Where the rows are that have changed. False when one is not there.
static bool find_rows(const ken_snapshot *s, const ken_file_row *edits, size_t n, row_place *places)
{
    size_t n_missing = 0;
    for (size_t i = 0; i < n; i++)
        places[i] = (row_place){ edits[i].id, UINT32_MAX };
    qsort(places, n, sizeof *places, by_id);
    for (uint32_t f = 0; f < s->n_files; f++) {
        const int64_t id = s->rows[f].id;
        if (id < places[0].id || id > places[n - 1].id)
            continue;
        for (size_t k = KEN_FIRST_I64(row_place, id, places, n, id); k < n && places[k].id == id;
             k++)
            places[k].file = f;
    }
    for (size_t i = 0; i < n; i++)
        n_missing += places[i].file == UINT32_MAX;
    return !n_missing;
}

static ken_status apply(ken_snapshot *s, const ken_file_row *edits, size_t n,
                        const row_place *places, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n && !st; i++) {
        const size_t k = KEN_FIRST_I64(row_place, id, places, n, edits[i].id);
        const uint32_t f = places[k].file;
        ken_str path = s->rows[f].path;
        if (s->rows[f].content != edits[i].content)
            st = ken_store_load_info(s->store, edits[i].content, &s->contents[f], err);
        s->rows[f] = edits[i];
        s->rows[f].path = path;
    }
    return st;
}

ken_status ken_query__follow_files(ken_snapshot *s, uint64_t newest, ken_err *err)
{
    ken_arena arena;
    ken_file_row *edits = NULL;
    size_t n = 0;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_load_edits(s->store, &s->info, newest, &arena, &edits, &n, err);
    bool is_known = !st && n;
    if (is_known) {
        row_place *places = KEN_ARENA_ARRAY(&arena, row_place, n);
        is_known = find_rows(s, edits, n, places);
        if (is_known)
            st = apply(s, edits, n, places, err);
    }
    ken_arena_release(&arena);
    if (st || !is_known)
        ken_query__forget_files(s);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

// ---- contents ----------------------------------------------------------------------------------

static uint32_t slot_of(const query_owners *o, int64_t content)
{
    return (uint32_t)((uint64_t)content * UINT64_C(0x9E3779B97F4A7C15) >> 32) & o->mask;
}

// The slot of the content, or the free one where it belongs.
static uint32_t *find_slot(const ken_snapshot *s, int64_t content)
{
    const query_owners *o = &s->owners;
    uint32_t at = slot_of(o, content);
    while (o->slots[at] && s->rows[o->slots[at] - 1].content != content)
        at = (at + 1) & o->mask;
    return &o->slots[at];
}

void ken_query__link_contents(ken_snapshot *s, int32_t *next)
{
    uint32_t n_slots = 16;
    while (n_slots < 2 * (uint64_t)s->n_files && n_slots < UINT32_C(1) << 31)
        n_slots *= 2;
    s->owners.mask = n_slots - 1;
    s->owners.slots = KEN_ARENA_ARRAY(&s->arena, uint32_t, n_slots);
    for (uint32_t f = s->n_files; f-- > 0;) {
        uint32_t *slot = find_slot(s, s->rows[f].content);
        next[f] = (int32_t)*slot - 1;
        *slot = f + 1;
    }
}

int32_t ken_query__first_with(const ken_snapshot *s, int64_t content)
{
    return (int32_t)*find_slot(s, content) - 1;
}

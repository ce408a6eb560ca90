// SPDX-License-Identifier: MIT
// Merges segments of postings, names and vectors by one policy: a question reads few segments, and a
// change rewrites little (docs/decisions/0007-segments.md).
//
// Every run adds one segment of each kind, or some. When there are more than MAX_SEGMENTS, the
// smallest are merged, together with every larger one of at most JOIN_RATIO times their size so
// far. So each rewritten byte ends in a segment that is larger by a third at least: n changes write
// each byte O(log n) times. Each remaining segment is larger than JOIN_RATIO times all smaller ones
// together: a million files have at most eight. A merge streams its inputs and holds some blocks of
// each.
//
// Contents without a file are kept while they are few, for a branch that comes back. A merge in which they
// are more than a third drops them; when they are more than a third of everything, every segment in which
// they are more than a quarter is rewritten. A dropped content loses its row, so the same bytes are
// extracted again as a new content.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "index/index_parts_priv.h"

enum {
    MAX_SEGMENTS = 8,
    JOIN_RATIO = 3,
    SMALL_BYTES = 256 << 10, // segments below are joined whatever their ratio
    DEAD_MIN = 2000,         // contents that no file has, before anything is written anew for them
};

size_t ken_index__plan_join(const uint64_t *sizes, size_t n, size_t most)
{
    if (n <= most || n < 2)
        return n;
    size_t first = n - 1;
    uint64_t sum = sizes[first];
    for (;;) {
        while (first && (sizes[first - 1] / JOIN_RATIO <= sum || sizes[first - 1] < SMALL_BYTES))
            sum += sizes[--first];
        if (!first || (first < n - 1 && first < most))
            return first;
        sum += sizes[--first];
    }
}

// ---- what is alive -----------------------------------------------------------------------------

static ken_status need_ids(index_alive *a, ken_err *err)
{
    int64_t *ids = NULL;
    if (a->ids || !a->store)
        return KEN_OK;
    ken_status st = ken_store_list_live(a->store, a->arena, &ids, &a->n, err);
    a->ids = ids;
    return st;
}

// ---- joining -----------------------------------------------------------------------------------

// The rows of what the parts leave out go, too.
static ken_status drop_dead(ken_store *store, const index_part *parts, size_t n, ken_err *err)
{
    KEN_VEC(int64_t) dead = { 0 };
    for (size_t p = 0; p < n; p++)
        for (uint32_t i = 0; i < parts[p].n && parts[p].n_dead; i++)
            if (!parts[p].is_live[i])
                ken_vec_push(&dead, ken_index__part_id(&parts[p], i));
    ken_status st = dead.len ? ken_store_collect_some(store, dead.ptr, dead.len, err) : KEN_OK;
    ken_vec_release(&dead);
    return st;
}

// A branch may come back: what few files have lost is kept.
static void spare_dead(index_part *parts, size_t n)
{
    uint64_t n_contents = 0, n_dead = 0;
    for (size_t i = 0; i < n; i++) {
        n_contents += parts[i].n;
        n_dead += parts[i].n_dead;
    }
    if (n_dead * 3 > n_contents)
        return;
    for (size_t i = 0; i < n; i++) {
        ken_free(parts[i].is_live);
        parts[i].is_live = NULL;
        parts[i].n_dead = 0;
    }
}

static ken_status replace_parts(ken_store *store, ken_segment_kind kind, index_part *parts,
                                size_t n, bool spares_dead, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t from = 0, n_group; from < n && !st; from += n_group) {
        n_group = ken_index__group_parts(parts + from, n - from);
        if (spares_dead)
            spare_dead(parts + from, n_group);
        if (n_group == 1 && !parts[from].n_dead)
            continue; // there is nothing to join it with
        st = ken_index__write_parts(store, kind, parts + from, n_group, err);
        if (!st)
            st = drop_dead(store, parts + from, n_group, err);
        for (size_t i = from; i < from + n_group && !st; i++)
            st = ken_store_remove_segment(store, parts[i].info.id, err);
    }
    return st;
}

static int by_size_down(const void *a, const void *b)
{
    const ken_segment_info *x = a, *y = b;
    if (x->n_bytes != y->n_bytes)
        return x->n_bytes < y->n_bytes ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

// One step: false when there was nothing to do.
static ken_status join_once(ken_store *store, ken_segment_kind kind, size_t most,
                            index_alive *alive, bool *out_has_joined, ken_err *err)
{
    ken_arena arena;
    ken_segment_info *infos;
    size_t n, n_parts = 0;
    *out_has_joined = false;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_list_segments(store, kind, &arena, &infos, &n, err);
    if (st || n <= most)
        goto out;
    st = need_ids(alive, err);
    if (st)
        goto out;
    qsort(infos, n, sizeof *infos, by_size_down);
    uint64_t *sizes = KEN_ARENA_ARRAY(&arena, uint64_t, n);
    for (size_t i = 0; i < n; i++)
        sizes[i] = infos[i].n_bytes;
    size_t first = ken_index__plan_join(sizes, n, most);
    if (n - first > INDEX_PARTS_MAX)
        first = n - INDEX_PARTS_MAX;
    index_part parts[INDEX_PARTS_MAX] = { 0 };
    for (; first + n_parts < n && !st; n_parts++)
        st =
            ken_index__open_part(store, kind, &infos[first + n_parts], alive, &parts[n_parts], err);
    if (!st)
        st = replace_parts(store, kind, parts, n_parts, true, err);
    for (size_t i = 0; i < n_parts; i++)
        ken_index__close_part(&parts[i]);
    *out_has_joined = true;
out:
    ken_arena_release(&arena);
    return st;
}

ken_status ken_index__join(ken_store *store, ken_segment_kind kind, size_t most, index_alive *alive,
                           ken_err *err)
{
    ken_status st = KEN_OK;
    bool has_joined = true;
    // Segments of several models may stay more than they should: that ends, too.
    for (int i = 0; has_joined && !st && i < 64; i++)
        st = join_once(store, kind, most, alive, &has_joined, err);
    return st;
}

// ---- what is dead ------------------------------------------------------------------------------

// Writes those segments anew of which more than a quarter is dead.
static ken_status sweep(ken_store *store, ken_segment_kind kind, const index_alive *alive,
                        ken_err *err)
{
    ken_arena arena;
    ken_segment_info *infos;
    size_t n;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_list_segments(store, kind, &arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        index_part p = { 0 };
        st = ken_index__open_part(store, kind, &infos[i], alive, &p, err);
        if (!st && (uint64_t)p.n_dead * 4 > p.n)
            st = replace_parts(store, kind, &p, 1, false, err);
        ken_index__close_part(&p);
    }
    ken_arena_release(&arena);
    return st;
}

static ken_status count_contents(ken_store *store, uint64_t *out, ken_err *err)
{
    ken_arena arena;
    ken_segment_info *infos;
    size_t n;
    *out = 0;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_list_segments(store, KEN_SEGMENT_WORDS, &arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        *out += infos[i].n_contents;
    ken_arena_release(&arena);
    return st;
}

// How many contents files have, at least: what was counted once, less one for each file that lost its
// content since. So whether much is dead is known without looking at every file.
static const char live_key[] = "store.live_contents";

static ken_status load_live(ken_store *store, uint64_t *out, ken_err *err)
{
    ken_arena arena;
    ken_str value = { NULL, 0 };
    *out = 0;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_load_value(store, ken_str_c(live_key), &arena, &value, err);
    if (!st && !ken_str_parse_u64(value, out))
        *out = 0;
    ken_arena_release(&arena);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static bool are_many_dead(uint64_t n_contents, uint64_t n_live)
{
    uint64_t n_dead = n_contents > n_live ? n_contents - n_live : 0;
    return n_dead > DEAD_MIN && n_dead > n_live / 2;
}

static ken_status find_dead(ken_store *store, index_alive *alive, uint64_t n_lost,
                            bool *out_are_many, ken_err *err)
{
    char text[24];
    uint64_t n_contents = 0, before, n_live;
    ken_status st = count_contents(store, &n_contents, err);
    if (!st)
        st = load_live(store, &before, err);
    if (st)
        return st;
    n_live = before > n_lost ? before - n_lost : 0;
    *out_are_many = are_many_dead(n_contents, n_live);
    if (*out_are_many) {
        st = need_ids(alive, err);
        if (st)
            return st;
        n_live = alive->n;
        *out_are_many = are_many_dead(n_contents, n_live);
    }
    if (n_live == before)
        return KEN_OK;
    snprintf(text, sizeof text, "%llu", (unsigned long long)n_live);
    return ken_store_put_value(store, ken_str_c(live_key), ken_str_c(text), err);
}

ken_status ken_index__tidy(ken_store *store, index_alive *alive, uint64_t n_lost, ken_err *err)
{
    static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_MENTIONS,
                                              KEN_SEGMENT_VECTORS };
    bool are_many;
    ken_status st = find_dead(store, alive, n_lost, &are_many, err);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !st; k++) {
        if (are_many)
            st = sweep(store, kinds[k], alive, err);
        if (!st)
            st = ken_index__join(store, kinds[k], MAX_SEGMENTS, alive, err);
    }
    return st;
}

ken_status ken_index__tidy_vectors(ken_store *store, ken_err *err)
{
    return ken_index__join(store, KEN_SEGMENT_VECTORS, MAX_SEGMENTS, &(index_alive){ 0 }, err);
}

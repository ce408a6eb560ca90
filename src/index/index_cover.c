// SPDX-License-Identifier: MIT
// Finds the contents of the newest generation that have vectors of a model, from the lists of contents in
// the segments, without reading a vector.
#include <stdlib.h>

#include "index/index_priv.h"

static int by_content(const void *a, const void *b, void *ctx)
{
    const ken_file_row *rows = ctx;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    if (rows[i].content != rows[k].content)
        return rows[i].content < rows[k].content ? -1 : 1;
    return (i > k) - (i < k);
}

ken_status ken_index__load_live(ken_store *store, ken_arena *arena, index_cover *out, ken_err *err)
{
    ken_content_info *infos;
    size_t n;
    index_cover c = { 0 };
    ken_status st = ken_store_load_files(store, arena, &c.rows, &n, &infos, err);
    if (st)
        return st;
    c.order = KEN_ARENA_ARRAY(arena, size_t, n + 1);
    c.items = KEN_ARENA_ARRAY(arena, index_live, n + 1);
    for (size_t i = 0; i < n; i++)
        c.order[i] = i;
    qsort_r(c.order, n, sizeof *c.order, by_content, c.rows);
    for (size_t i = 0, end; i < n; i = end) {
        size_t row = c.order[i];
        for (end = i + 1; end < n && c.rows[c.order[end]].content == c.rows[row].content;)
            end++;
        if (!infos[row].n_chunks)
            continue;
        index_live item = {
            .id = c.rows[row].content, .first = i, .end = end, .n_chunks = infos[row].n_chunks
        };
        for (size_t k = i; k < end && !item.is_likely; k++)
            item.is_likely = ken_index__is_likely(c.rows[c.order[k]].path);
        c.items[c.n_items++] = item;
        c.n_chunks += item.n_chunks;
    }
    *out = c;
    return KEN_OK;
}

static int by_id(const void *key, const void *item)
{
    int64_t id = *(const int64_t *)key, other = ((const index_live *)item)->id;
    return (id > other) - (id < other);
}

static bool is_wanted(const index_cover *c, const index_live *item)
{
    return item->is_likely || !c->only_likely;
}

static void mark(index_cover *c, const ken_vector_segment *s)
{
    uint32_t n;
    const ken_vector_content *list = ken_vector_segment_contents(s, &n);
    for (uint32_t i = 0; i < n && c->n_items; i++) {
        index_live *item = bsearch(&list[i].id, c->items, c->n_items, sizeof *c->items, by_id);
        if (!item || item->has_vectors || item->n_chunks != list[i].n_rows)
            continue;
        item->has_vectors = true;
        c->n_done += is_wanted(c, item);
        c->n_chunks_done += item->n_chunks;
    }
    c->n_dims = ken_vector_segment_model(s)->n_dims;
}

// Opens a segment's head; `*out_is_ours`: it is of the model.
static ken_status open_head(ken_store *store, const ken_segment_info *info, const char *model,
                            ken_vector_segment **out, bool *out_is_ours, ken_err *err)
{
    ken_block_source source = ken_store_source(store, info);
    ken_status st = ken_vector_segment_open(&source, out, err);
    if (!st)
        *out_is_ours = !strcmp(ken_vector_segment_model(*out)->name, model);
    return st;
}

ken_status ken_index__mark_covered(ken_store *store, const char *model, ken_arena *arena,
                                   index_cover *cover, ken_err *err)
{
    ken_segment_info *infos;
    size_t n;
    cover->n_done = 0;
    cover->n_dims = 0;
    cover->n_bytes = 0;
    cover->has_others = false;
    cover->n_wanted = 0;
    cover->n_chunks_done = 0;
    for (size_t i = 0; i < cover->n_items; i++) {
        cover->items[i].has_vectors = false;
        cover->n_wanted += is_wanted(cover, &cover->items[i]);
    }
    ken_status st = ken_store_list_segments(store, KEN_SEGMENT_VECTORS, arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_vector_segment *s = NULL;
        bool is_ours = false;
        st = open_head(store, &infos[i], model, &s, &is_ours, err);
        if (!st && is_ours) {
            mark(cover, s);
            cover->n_bytes += infos[i].n_bytes;
        }
        cover->has_others = cover->has_others || !is_ours;
        ken_vector_segment_close(s);
    }
    return st;
}

ken_status ken_index__drop_others(ken_store *store, const char *model, ken_arena *arena,
                                  ken_err *err)
{
    ken_segment_info *infos;
    size_t n;
    ken_status st = ken_store_list_segments(store, KEN_SEGMENT_VECTORS, arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_vector_segment *s = NULL;
        bool is_ours = false;
        st = open_head(store, &infos[i], model, &s, &is_ours, err);
        ken_vector_segment_close(s);
        if (!st && !is_ours)
            st = ken_store_remove_segment(store, infos[i].id, err);
    }
    return st ? st : ken_store_drop_vectors(store, model, err);
}

ken_status ken_index__load_name(ken_store *store, const char *key, ken_arena *arena,
                                char out[KEN_EMBED_NAME_MAX + 1], ken_err *err)
{
    ken_str value = { "", 0 };
    ken_status st = ken_store_load_value(store, ken_str_c(key), arena, &value, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    value = ken_str_sub(value, 0, st ? 0 : KEN_EMBED_NAME_MAX);
    memcpy(out, value.ptr, value.len);
    out[value.len] = '\0';
    return KEN_OK;
}

static ken_str cost_key(ken_arena *arena, const char *model)
{
    return ken_arena_printf(arena, INDEX_COST "%s", model);
}

ken_status ken_index__load_cost(ken_store *store, const char *model, ken_arena *arena,
                                ken_index_cost *out, ken_err *err)
{
    ken_str value;
    *out = (ken_index_cost){ 0 };
    ken_status st = ken_store_load_value(store, cost_key(arena, model), arena, &value, err);
    if (st)
        return st == KEN_ENOTFOUND ? KEN_OK : st;
    size_t space = ken_str_find_char(value, ' ');
    if (space == SIZE_MAX || !ken_str_parse_u64(ken_str_sub(value, 0, space), &out->n_texts) ||
        !ken_str_parse_u64(ken_str_sub(value, space + 1, value.len), &out->n_ms))
        return KEN_FAIL(err, KEN_ECORRUPT, "cost of vectors: expected two numbers, got '%.*s'",
                        (int)(value.len < 100 ? value.len : 100), value.ptr);
    return KEN_OK;
}

ken_status ken_index__put_cost(ken_store *store, const char *model, const ken_index_cost *cost,
                               ken_arena *arena, ken_err *err)
{
    ken_str value = { NULL, 0 };
    if (cost)
        value = ken_arena_printf(arena, "%llu %llu", (unsigned long long)cost->n_texts,
                                 (unsigned long long)cost->n_ms);
    return ken_store_put_value(store, cost_key(arena, model), value, err);
}

ken_status ken_index_load_vectors(ken_store *store, ken_arena *arena, ken_index_vectors *out,
                                  ken_err *err)
{
    index_cover cover = { 0 };
    ken_index_vectors v = { .record = { "", 0 } };
    ken_status st = ken_index__load_name(store, KEN_VECTOR_ACTIVE, arena, v.active, err);
    if (!st)
        st = ken_index__load_name(store, INDEX_NEXT, arena, v.next, err);
    if (!st)
        st = ken_index__load_live(store, arena, &cover, err);
    if (st)
        return st;
    v.is_builtin = !*v.active;
    if (v.is_builtin)
        memcpy(v.active, ken_index__builtin_model().name, sizeof v.active);
    if (*v.next)
        st = ken_index__mark_covered(store, v.next, arena, &cover, err);
    v.n_next = cover.n_done;
    if (!st)
        st = ken_index__mark_covered(store, v.active, arena, &cover, err);
    if (!st)
        st = ken_index__load_cost(store, v.active, arena, &v.cost, err);
    if (!st && *v.next)
        st = ken_index__load_cost(store, v.next, arena, &v.next_cost, err);
    char made[KEN_EMBED_NAME_MAX + 1] = "";
    uint64_t ms = 0;
    if (!st)
        st = ken_index__load_name(store, INDEX_MADE, arena, made, err);
    if (ken_str_parse_u64(ken_str_c(made), &ms) && ms < INT64_MAX)
        v.made_at_ms = (int64_t)ms;
    if (!st)
        st = ken_store_load_value(store, KEN_STR(INDEX_ACTIVE_RECORD), arena, &v.record, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    v.n_contents = cover.n_items;
    v.n_active = cover.n_done;
    v.n_chunks = cover.n_chunks;
    v.n_active_chunks = cover.n_chunks_done;
    v.n_dims = cover.n_dims;
    v.n_bytes = cover.n_bytes;
    *out = v;
    return KEN_OK;
}

ken_status ken_index_lacks_vectors(ken_store *store, bool only_likely, bool *out, ken_err *err)
{
    char chosen[KEN_EMBED_NAME_MAX + 1] = "";
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = ken_index__load_name(store, INDEX_CHOSEN, &arena, chosen, err);
    ken_arena_release(&arena);
    *out = !st && *chosen && !only_likely;
    return st;
}

ken_status ken_index_has_others(ken_store *store, bool *out, ken_err *err)
{
    char active[KEN_EMBED_NAME_MAX + 1] = "", next[KEN_EMBED_NAME_MAX + 1] = "";
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = ken_index__load_name(store, KEN_VECTOR_ACTIVE, &arena, active, err);
    if (!st)
        st = ken_index__load_name(store, INDEX_NEXT, &arena, next, err);
    ken_arena_release(&arena);
    *out = !st && (*active || *next);
    return st;
}

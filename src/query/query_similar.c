// SPDX-License-Identifier: MIT
// What else means the same: the vector of the chunk at "path:line" is the question. One result per
// file, its other near chunks inside it; the chunk itself is no answer.
#include "query/query_priv.h"

enum {
    MAX_ROWS = 1000, // looked at
    MAX_PLACES = 3
};

typedef struct asked {
    uint32_t file, chunk;
    bool is_indexed; // `chunk` is a row of the file
    ken_vector_query vector;
} asked;

static bool parse_place(ken_str place, ken_str *path, uint64_t *line)
{
    *path = place;
    *line = 1;
    size_t colon = ken_str_rfind_char(place, ':');
    if (colon == SIZE_MAX)
        return true;
    *path = ken_str_sub(place, 0, colon);
    ken_str number = ken_str_sub(place, colon + 1, place.len);
    size_t dash = ken_str_find_char(number, '-'); // of a range the first line
    if (dash != SIZE_MAX)
        number = ken_str_sub(number, 0, dash);
    return ken_str_parse_u64(number, line) && *line >= 1;
}

// The vector of an indexed row, else of the text that the chunk has now; *out_has is false when the
// model knows no word of it.
static ken_status embed_chunk(ken_snapshot *s, query_text *t, asked *a, bool *out_has, ken_err *err)
{
    const ken_vector_matrix *m = &s->vectors.matrix;
    float unit[KEN_VECTOR_MAX_DIMS];
    uint32_t first = m->n_rows ? m->first_row[a->file] : 0,
             n = m->n_rows ? m->first_row[a->file + 1] - first : 0;
    a->is_indexed = !t->is_refreshed && a->chunk < n;
    if (!a->is_indexed)
        return query_embed(s, query_slice(t, t->facts.chunks[a->chunk].span), NULL, out_has,
                           &a->vector, err);
    size_t row = first + a->chunk;
    for (uint32_t d = 0; d < m->n_dims; d++)
        unit[d] = m->scales[row] * (float)m->values[row * m->n_dims + d];
    ken_vector_query_init(&a->vector, unit, m->n_dims);
    *out_has = true;
    return KEN_OK;
}

static ken_status read_place(ken_snapshot *s, ken_str place, ken_arena *arena, asked *a,
                             ken_err *err)
{
    ken_str path;
    uint64_t line;
    if (!parse_place(place, &path, &line))
        return KEN_FAIL(err, KEN_EINVAL, "query: expected path:line, got '" KEN_STR_FMT "'",
                        KEN_STR_ARG(place));
    ken_str relative = query_relative_path(s, path, arena);
    int64_t file = relative.ptr ? query_file_index(s, relative) : -1;
    if (file < 0)
        return KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' is not in the index",
                        KEN_STR_ARG(path));
    query_text t;
    ken_status st = query_load_text(s, (uint32_t)file, arena, &t, err);
    if (st)
        return st;
    bool has_vector = false;
    a->file = (uint32_t)file;
    a->chunk = UINT32_MAX;
    for (uint32_t i = 0; i < t.facts.n_chunks && a->chunk == UINT32_MAX; i++)
        if (line - 1 <= t.facts.chunks[i].last_line)
            a->chunk = i;
    if (a->chunk == UINT32_MAX)
        st = KEN_FAIL(err, KEN_EINVAL, "query: line %llu is behind the end of '" KEN_STR_FMT "'",
                      (unsigned long long)line, KEN_STR_ARG(path));
    else
        st = embed_chunk(s, &t, a, &has_vector, err);
    if (!st && !has_vector)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' has no known word there",
                      KEN_STR_ARG(place));
    query_close_text(&t);
    return st;
}

typedef struct filter {
    const ken_snapshot *s;
    const ken_search_opts *o;
} filter;

static bool passes(const void *ctx, uint32_t file)
{
    const filter *f = ctx;
    return query_file_passes(f->s, file, f->o);
}

static ken_hit *hit_of(ken_search_result *out, ken_str path)
{
    for (size_t i = 0; i < out->n_hits; i++)
        if (ken_str_eq(out->hits[i].path, path))
            return &out->hits[i];
    return NULL;
}

static void add_place(const query_text *t, uint32_t chunk, ken_arena *arena, ken_hit *hit)
{
    if (!hit->places)
        hit->places = KEN_ARENA_ARRAY(arena, ken_place, MAX_PLACES);
    if (hit->n_places < MAX_PLACES)
        hit->places[hit->n_places++] = query_place(t, chunk, arena);
}

// Adds the row's chunk as a result, or as a further place of one; false when the page is full.
static bool add_row(ken_snapshot *s, const ken_vector_hit *row, const ken_search_opts *o,
                    ken_arena *arena, uint32_t most, ken_search_result *out)
{
    uint32_t chunk = row->row - s->vectors.matrix.first_row[row->file];
    ken_hit *known = hit_of(out, s->rows[row->file].path);
    if (!known && out->n_hits == most)
        return false;
    if (known && known->n_places == MAX_PLACES) // nothing of it is wanted any more
        return true;
    query_text t;
    ken_status st = query_load_text(s, row->file, arena, &t, NULL);
    if (st) {
        out->n_removed += st == KEN_ENOTFOUND;
        return true;
    }
    bool is_there = chunk < t.facts.n_chunks && query_chunk_passes(&t.facts, chunk, o);
    if (is_there && known) {
        add_place(&t, chunk, arena, known);
    } else if (is_there) {
        ken_hit *hit = &out->hits[out->n_hits++];
        *hit = (ken_hit){ .score = (double)row->score, .similarity = (double)row->score };
        query_centre centre;
        query_centre_chunk(&t, chunk, o->kind, &centre);
        query_fill_hit(s, row->file, &t, chunk, &centre, o, arena, hit);
    }
    query_close_text(&t);
    return true;
}

ken_status query_similar(ken_snapshot *s, ken_str place, const ken_search_opts *o,
                         const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                         ken_err *err)
{
    asked a;
    ken_status st = ken_cancel_check(cancel, err);
    if (!st)
        st = query_load_vectors(s, err);
    if (!st)
        st = read_place(s, place, arena, &a, err);
    if (st)
        return st;
    uint32_t limit = query_limit(o), most = limit + o->offset;
    *out =
        (ken_search_result){ .hits = KEN_ARENA_ARRAY(arena, ken_hit, most), .strategy = "similar" };
    filter f = { s, o };
    ken_vector_hit *rows = KEN_ARENA_ARRAY(arena, ken_vector_hit, MAX_ROWS);
    size_t n = ken_vector_top_rows(&s->vectors.matrix, &a.vector, passes, &f, MAX_ROWS, rows);
    uint32_t itself = a.is_indexed ? s->vectors.matrix.first_row[a.file] + a.chunk : UINT32_MAX;
    for (size_t i = 0; i < n && (double)rows[i].score >= o->threshold; i++) {
        if (rows[i].row == itself)
            continue;
        out->is_truncated = !add_row(s, &rows[i], o, arena, most, out);
        if (out->is_truncated)
            break;
    }
    size_t passed = out->n_hits < o->offset ? out->n_hits : o->offset;
    out->n_total = out->n_hits;
    out->hits += passed;
    out->n_hits -= passed;
    return KEN_OK;
}

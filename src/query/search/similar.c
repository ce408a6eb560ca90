// SPDX-License-Identifier: MIT
// What else is like it. The definition around "path:line" is the question; without one, the chunk there.
//
//   1. the chunks nearest to the chunk's vector, and all of its own file, are looked at
//   2. each definition in them is compared with the question as text: the cosine of their words in
//      the built-in model, and how many of their words and pairs of words are the same
//
// So the same function of a sibling comes before its neighbours, wherever chunks begin. One result
// per file, its further definitions inside it; what holds the question, or is in it, is no answer.
#include <stdlib.h>

#include "base/hash.h"
#include "embed/embed_static.h"
#include "query/query_priv.h"

enum {
    MAX_ROWS = 120,       // chunks of other files that are looked at
    MAX_OWN = 200,        // of the same file
    MAX_DEFINITIONS = 32, // of a chunk
    MAX_MARKS = 4000,     // words and pairs of a text; what follows is not compared
    MAX_PLACES = 3
};

// Hashes of the words of a text and of each two neighbours, in order.
typedef struct marks {
    uint32_t *of;
    size_t n;
} marks;

typedef struct asked {
    uint32_t file, chunk;
    bool is_indexed;         // `chunk` is a row of the file
    ken_vector_query vector; // of the chunk
    ken_symbol_kind kind;    // of the definition, UNKNOWN = it is a chunk
    ken_span span;
    marks marks;
    bool has_words; // `words` is set
    float words[KEN_VECTOR_MAX_DIMS];
} asked;

typedef struct similar_place {
    uint32_t file, chunk;
    query_centre centre;
    double score;
} similar_place;

typedef KEN_VEC(similar_place) similar_places;

// ---- texts -------------------------------------------------------------------------------------

static int by_mark(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static marks marks_of(ken_str text, ken_arena *arena)
{
    marks m = { KEN_ARENA_ARRAY(arena, uint32_t, MAX_MARKS + 2), 0 };
    ken_str rest = text, token;
    uint32_t before = 0;
    while (m.n < MAX_MARKS && ken_token_next(&rest, &token)) {
        uint32_t word = (uint32_t)ken_hash64(token.ptr, token.len);
        if (m.n)
            m.of[m.n++] = before * 31 + word;
        m.of[m.n++] = before = word;
    }
    if (m.n)
        qsort(m.of, m.n, sizeof *m.of, by_mark);
    return m;
}

// How much two texts share, 0 to 1 (Dice's coefficient).
static double share_of(const marks *a, const marks *b)
{
    size_t n = 0, i = 0, k = 0;
    while (i < a->n && k < b->n) {
        uint32_t x = a->of[i], y = b->of[k];
        n += x == y;
        i += x <= y;
        k += y <= x;
    }
    return a->n + b->n ? 2.0 * (double)n / (double)(a->n + b->n) : 0;
}

static double similarity_of(const asked *a, ken_str text, ken_arena *arena)
{
    const ken_static_model *m = ken_static_builtin();
    float words[KEN_VECTOR_MAX_DIMS];
    double cosine = 0;
    ken_arena_mark mark = ken_arena_get_mark(arena);
    marks of_text = marks_of(text, arena);
    double share = share_of(&a->marks, &of_text);
    ken_arena_rewind(arena, mark);
    if (a->has_words && ken_static_embed_words(m, text, words))
        for (uint32_t d = 0; d < ken_static_n_dims(m); d++)
            cosine += (double)a->words[d] * (double)words[d];
    cosine = cosine < 0 ? 0 : cosine > 1 ? 1 : cosine;
    return cosine + (1 - cosine) * share;
}

// ---- the question ------------------------------------------------------------------------------

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
        return ken_query__embed(s, ken_query__slice(t, t->facts.chunks[a->chunk].span), NULL,
                                out_has, &a->vector, err);
    size_t row = first + a->chunk;
    for (uint32_t d = 0; d < m->n_dims; d++)
        unit[d] = m->scales[row] * (float)m->values[row * m->n_dims + d];
    ken_vector_query_init(&a->vector, unit, m->n_dims);
    *out_has = true;
    return KEN_OK;
}

static bool is_comparable(const ken_symbol *s)
{
    return ken_symbol_is_callable(s->kind) || ken_symbol_is_type(s->kind) ||
           s->kind == KEN_SYMBOL_TEST;
}

// The innermost definition around the line, as far as it is in the chunk; else the chunk.
static void find_question(query_text *t, uint32_t line, ken_arena *arena, asked *a)
{
    const ken_chunk *c = &t->facts.chunks[a->chunk];
    const ken_symbol *best = NULL;
    a->span = c->span;
    for (uint32_t i = 0; i < t->facts.n_symbols && t->facts.symbols[i].first_line <= line; i++) {
        const ken_symbol *s = &t->facts.symbols[i];
        if (s->last_line >= line && is_comparable(s))
            best = s;
    }
    if (best) {
        a->kind = best->kind;
        a->span.start = best->span.start > c->span.start ? best->span.start : c->span.start;
        a->span.end = best->span.end < c->span.end ? best->span.end : c->span.end;
    }
    if (a->span.start >= a->span.end)
        a->span = c->span;
    ken_str text = ken_query__slice(t, a->span);
    a->marks = marks_of(text, arena);
    a->has_words = ken_static_embed_words(ken_static_builtin(), text, a->words);
}

static ken_status read_place(ken_snapshot *s, ken_str place, ken_arena *arena, asked *a,
                             ken_err *err)
{
    ken_str path;
    uint64_t line;
    if (!parse_place(place, &path, &line))
        return KEN_FAIL(err, KEN_EINVAL, "query: expected path:line, got '" KEN_STR_FMT "'",
                        KEN_STR_ARG(place));
    ken_str relative = ken_query__relative_path(s, path, arena);
    int64_t file = relative.ptr ? ken_query__file_index(s, relative) : -1;
    if (file < 0)
        return ken_query__fail_unknown(s, path, arena, err);
    query_text t;
    ken_status st = ken_query__load_text(s, (uint32_t)file, arena, &t, err);
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
    if (!st && has_vector)
        find_question(&t, (uint32_t)line - 1, arena, a);
    if (!st && !has_vector)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' has no known word there",
                      KEN_STR_ARG(place));
    ken_query__close_text(&t);
    return st;
}

typedef struct filter {
    const ken_snapshot *s;
    const ken_search_opts *o;
} filter;

static bool passes(const void *ctx, uint32_t file)
{
    const filter *f = ctx;
    return ken_query__file_passes(f->s, file, f->o);
}

// ---- what is like it ----------------------------------------------------------------------------

static bool is_alike(const asked *a, ken_symbol_kind kind)
{
    if (ken_symbol_is_type(a->kind))
        return ken_symbol_is_type(kind);
    return a->kind == KEN_SYMBOL_UNKNOWN || ken_symbol_is_callable(kind) || kind == KEN_SYMBOL_TEST;
}

static void add_place(const asked *a, query_text *t, uint32_t file, uint32_t chunk,
                      const query_centre *centre, ken_arena *arena, similar_places *out)
{
    ken_span span = centre->span;
    if (file == a->file && span.start < a->span.end && a->span.start < span.end)
        return;
    double score = similarity_of(a, ken_query__slice(t, span), arena);
    ken_vec_push(out, ((similar_place){ file, chunk, *centre, score }));
}

// The definitions of a chunk that are of the question's sort; all of it when none begins there.
static void add_chunk(const asked *a, query_text *t, uint32_t file, uint32_t chunk,
                      const ken_search_opts *o, ken_arena *arena, similar_places *out)
{
    const ken_chunk *c = &t->facts.chunks[chunk];
    uint32_t symbols[MAX_DEFINITIONS],
        n = ken_view_chunk_symbols(&t->facts, chunk, MAX_DEFINITIONS, symbols);
    size_t before = out->len;
    for (uint32_t i = 0; i < n && a->kind; i++) {
        const ken_symbol *s = &t->facts.symbols[symbols[i]];
        query_centre centre = { (int32_t)symbols[i], s->first_line, s->last_line, s->span };
        if (!is_alike(a, s->kind) || (o->kind && o->kind != s->kind))
            continue;
        if (centre.span.end > c->span.end) {
            centre.span.end = c->span.end;
            centre.last_line = c->last_line;
        }
        add_place(a, t, file, chunk, &centre, arena, out);
    }
    if (out->len > before || (file == a->file && chunk == a->chunk))
        return;
    query_centre centre;
    ken_query__centre_chunk(t, chunk, o->kind, &centre);
    add_place(a, t, file, chunk, &centre, arena, out);
}

// Chunks [from, to) of a file, as far as they pass the filters.
static ken_status look_at(ken_snapshot *s, const asked *a, uint32_t file, uint32_t from,
                          uint32_t to, const ken_search_opts *o, ken_arena *arena,
                          similar_places *out, ken_search_result *result, ken_err *err)
{
    query_text t;
    ken_status st = ken_query__load_text(s, file, arena, &t, NULL);
    result->n_removed += st == KEN_ENOTFOUND;
    if (st)
        return ken_quota_check(err);
    for (uint32_t c = from; c < to && c < t.facts.n_chunks; c++)
        if (ken_query__chunk_passes(&t.facts, c, o))
            add_chunk(a, &t, file, c, o, arena, out);
    ken_query__close_text(&t);
    return ken_quota_check(err);
}

// The nearest chunks, and those of the own file.
static ken_status collect(ken_snapshot *s, const asked *a, const ken_search_opts *o,
                          ken_arena *arena, similar_places *out, ken_search_result *result,
                          ken_err *err)
{
    filter f = { s, o };
    const ken_vector_matrix *m = &s->vectors.matrix;
    ken_vector_hit *rows = KEN_ARENA_ARRAY(arena, ken_vector_hit, MAX_ROWS);
    size_t n = ken_vector_top_rows(m, &a->vector, passes, &f, MAX_ROWS, rows);
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n && !st; i++) {
        uint32_t chunk = rows[i].row - m->first_row[rows[i].file];
        if (rows[i].file != a->file)
            st = look_at(s, a, rows[i].file, chunk, chunk + 1, o, arena, out, result, err);
    }
    if (!st && passes(&f, a->file))
        st = look_at(s, a, a->file, 0, MAX_OWN, o, arena, out, result, err);
    return st;
}

static int by_score(const void *a, const void *b)
{
    const similar_place *x = a, *y = b;
    if (x->score < y->score || x->score > y->score)
        return x->score > y->score ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->centre.span.start > y->centre.span.start) -
           (x->centre.span.start < y->centre.span.start);
}

// ---- the answer --------------------------------------------------------------------------------

static ken_hit *hit_of(ken_search_result *out, ken_str path)
{
    for (size_t i = 0; i < out->n_hits; i++)
        if (ken_str_eq(out->hits[i].path, path))
            return &out->hits[i];
    return NULL;
}

static void add_further(const query_text *t, const similar_place *p, ken_arena *arena, ken_hit *hit)
{
    if (!hit->places)
        hit->places = KEN_ARENA_ARRAY(arena, ken_place, MAX_PLACES);
    ken_place *place = &hit->places[hit->n_places++];
    *place = (ken_place){ .first_line = p->centre.first_line, .last_line = p->centre.last_line };
    if (p->centre.symbol >= 0)
        place->symbol = ken_view_qualified(arena, &t->facts, (uint32_t)p->centre.symbol);
}

// Adds a result, or a further place of one; false when the page is full.
static bool show(ken_snapshot *s, const similar_place *p, const ken_search_opts *o,
                 ken_arena *arena, uint32_t most, ken_search_result *out)
{
    ken_hit *known = hit_of(out, s->rows[p->file].path);
    if (!known && out->n_hits == most)
        return false;
    if (known && known->n_places == MAX_PLACES) // nothing of it is wanted any more
        return true;
    query_text t;
    if (ken_query__load_text(s, p->file, arena, &t, NULL))
        return true;
    if (known) {
        add_further(&t, p, arena, known);
    } else {
        ken_hit *hit = &out->hits[out->n_hits++];
        *hit = (ken_hit){ .score = p->score, .similarity = p->score };
        ken_query__fill_hit(s, p->file, &t, p->chunk, &p->centre, o, arena, hit);
    }
    ken_query__close_text(&t);
    return true;
}

ken_status ken_query__similar(ken_snapshot *s, ken_str place, const ken_search_opts *o,
                              const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                              ken_err *err)
{
    asked a = { 0 };
    similar_places found = { 0 };
    ken_status st = ken_cancel_check(cancel, err);
    if (!st)
        st = ken_query__load_vectors(s, err);
    if (!st)
        st = read_place(s, place, arena, &a, err);
    if (st)
        return st;
    uint32_t limit = ken_query__limit(o), most = limit + o->offset;
    *out =
        (ken_search_result){ .hits = KEN_ARENA_ARRAY(arena, ken_hit, most), .strategy = "similar" };
    st = collect(s, &a, o, arena, &found, out, err);
    if (found.len)
        qsort(found.ptr, found.len, sizeof *found.ptr, by_score);
    for (size_t i = 0; !st && i < found.len && found.ptr[i].score >= o->threshold; i++) {
        out->is_truncated = !show(s, &found.ptr[i], o, arena, most, out);
        if (out->is_truncated)
            break;
    }
    ken_vec_release(&found);
    size_t passed = out->n_hits < o->offset ? out->n_hits : o->offset;
    out->n_total = out->n_hits + out->is_truncated;
    out->is_at_least = out->is_truncated;
    out->hits += passed;
    out->n_hits -= passed;
    return st;
}

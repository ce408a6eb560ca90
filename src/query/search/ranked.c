// SPDX-License-Identifier: MIT
// Ranked search, and ken_search, which is the way into all kinds of search. Files are ranked, then a chunk is chosen in each:
//   1. every file with any word of the question, in its text or its path, or with a chunk that is
//      near in meaning, gets its features but those of its chunks (one pass over posting heads);
//   2. the best CHOSEN of them have their chunks scored;
//   3. they are ordered by the weighted sum, the first are read from the disk and shown.
// One result per file, further good places of it inside; or each chunk that fits as a result of its own.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/best.h"
#include "base/clock.h"
#include "base/sorted.h"
#include "query/query_intent.h"
#include "query/query_priv.h"

enum {
    CHOSEN = 300,
    N_PATH_BITS = 2 * KEN_PATH_DATA,
    MAX_PLACES = 3,
    MAX_QUERY_BYTES = 10000
};

typedef struct ranked_file {
    uint32_t file;
    double score;
    ken_rank_vector v;
} ranked_file;

typedef struct search {
    ken_snapshot *s;
    const ken_search_opts *o;
    const ken_lex_query *q;
    ken_arena *arena;
    ken_str text;      // what it is about
    ken_str name;      // that the question is nothing but; empty when it has more words
    ken_str request;   // the first word, when it only makes the question a request
    float *definition; // by file, NULL when the question names nothing
    float *named;      // by file, NULL when nothing is called `name`
    uint32_t waived;
    bool has_meaning; // `meaning` and `near` are set
    ken_vector_query meaning;
    float *near; // by file: cosine of its best near chunk, -1 = none is near
    float far;   // about the most that a file without a near chunk reaches
    ken_str note;
    ken_search_times times;
    ranked_file *files;
    size_t n_files;
} search;

// ---- exact definitions ------------------------------------------------------------------------

static double definition_value(const ken_name_posting *p)
{
    static const double nesting[] = { 1, 0.9, 0.5 };
    double kind = ken_symbol_is_type(p->kind) ? 1 : ken_symbol_is_callable(p->kind) ? 0.8 : 0;
    return p->depth < 3 ? kind * nesting[p->depth] : 0;
}

typedef struct exact_name {
    ken_str wanted;
    const ken_lex_part *part;
    const ken_lex_corpus *corpus;
    const uint32_t *path_bits;
    float *value;      // by file, of this name
    bool has_variants; // a type or function that differs in case alone, not nested
    ken_vec_u32 files;
} exact_name;

static bool note_exact(void *ctx, ken_str text, const ken_name_posting *postings, uint32_t n)
{
    exact_name *x = ctx;
    if (!ken_str_eq(text, x->wanted))
        return true;
    for (uint32_t i = 0; i < n; i++) {
        float value = (float)definition_value(&postings[i]);
        if (value <= 0)
            continue;
        int32_t file = x->part->first_file[postings[i].content];
        for (; file >= 0; file = x->corpus->next_file[file]) {
            if (x->value[file] <= 0)
                ken_vec_push(&x->files, (uint32_t)file);
            if (x->value[file] < value)
                x->value[file] = value;
        }
    }
    return true;
}

// A file that defines a name of the question; the fewer files do, the more it says.
static ken_status find_definitions(search *x, ken_err *err)
{
    const ken_lex_corpus *c = &x->s->corpus;
    if (!x->q->n_names)
        return KEN_OK;
    x->definition = KEN_ARENA_ARRAY(x->arena, float, c->n_files + 1);
    exact_name e = { .corpus = c,
                     .value = ken_zalloc(ken_mul_size(c->n_files + 1, sizeof(float))) };
    ken_status st = KEN_OK;
    for (uint32_t n = 0; n < x->q->n_names && !st; n++) {
        e.wanted = x->q->names[n].text;
        for (uint32_t p = 0; p < c->n_parts && !st; p++) {
            e.part = &c->parts[p];
            st = ken_lex_names_equal(e.part->segment, e.wanted, note_exact, &e, err);
        }
        double share = (x->q->names[n].is_strong ? 1 : 0.5) / sqrt((double)e.files.len);
        for (size_t i = 0; i < e.files.len; i++) {
            uint32_t file = e.files.ptr[i];
            float value = (float)(share * (double)e.value[file]);
            if (x->definition[file] < value)
                x->definition[file] = value;
            e.value[file] = 0;
        }
        ken_vec_clear(&e.files);
    }
    ken_free(e.value);
    ken_vec_release(&e.files);
    return st;
}

// ---- the definition asked for -----------------------------------------------------------------

static bool note_named(void *ctx, ken_str text, const ken_name_posting *postings, uint32_t n)
{
    static const uint32_t no_code = KEN_PATH_DOC | KEN_PATH_DATA;
    exact_name *x = ctx;
    if (!ken_str_eq(text, x->wanted)) {
        for (uint32_t i = 0; i < n; i++)
            x->has_variants =
                x->has_variants || (postings[i].depth == 0 && definition_value(&postings[i]) > 0);
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t file = x->part->first_file[postings[i].content];
        for (; file >= 0; file = x->corpus->next_file[file]) {
            if (x->path_bits[file] & no_code)
                continue;
            if (x->value[file] <= 0)
                ken_vec_push(&x->files, (uint32_t)file);
            x->value[file] = 1;
        }
    }
    return true;
}

// One file defines the name, or one but for tests, examples and the like: it has it all, whatever it
// defines. Of several none is what was asked for; what else speaks for them decides.
static void settle_named(search *x, exact_name *e)
{
    static const uint32_t aside = KEN_PATH_TEST | KEN_PATH_EXAMPLE | KEN_PATH_COMPAT;
    uint32_t file = 0;
    size_t n = 0;
    for (size_t i = 0; i < e->files.len; i++)
        if (!(e->path_bits[e->files.ptr[i]] & aside)) {
            file = e->files.ptr[i];
            n++;
        }
    if (!n && e->files.len == 1 && !e->has_variants) {
        file = e->files.ptr[0];
        n = 1;
    }
    if (n != 1)
        return;
    x->named = KEN_ARENA_ARRAY(x->arena, float, x->s->n_files + 1);
    x->named[file] = 1;
    ken_lex_score_touch(&x->s->scores, file);
}

// Of a question that is a name: the file that defines it, in its case.
static ken_status find_named(search *x, ken_err *err)
{
    const ken_lex_corpus *c = &x->s->corpus;
    if (!x->name.len)
        return KEN_OK;
    exact_name e = { .wanted = x->name,
                     .corpus = c,
                     .path_bits = x->s->path_bits,
                     .value = KEN_ARENA_ARRAY(x->arena, float, c->n_files + 1) };
    ken_status st = KEN_OK;
    for (uint32_t p = 0; p < c->n_parts && !st; p++) {
        e.part = &c->parts[p];
        st = ken_lex_names_equal(e.part->segment, e.wanted, note_named, &e, err);
    }
    settle_named(x, &e);
    ken_vec_release(&e.files);
    return st;
}

static bool has_filters(const ken_search_opts *o)
{
    return o->file_type.len || o->directory.len || o->language.len || o->glob.len || o->since_ms ||
           o->until_ms || o->min_bytes || o->max_bytes || o->paths.n || o->other_paths.n;
}

// ---- meaning ----------------------------------------------------------------------------------

static bool passes(const void *ctx, uint32_t file)
{
    const search *x = ctx;
    return ken_query__file_passes(x->s, file, x->o);
}

// A file without a word of the question is no answer unless its cosine reaches this: vectors of
// what has nothing to do with a question stay below 0.23.
static const float related = 0.25F;

// A model that cannot be asked leaves words, unless only meaning was asked for.
static ken_status embed(search *x, ken_str query, const ken_cancel *cancel, bool *out_has,
                        ken_err *err)
{
    ken_err e = { 0 };
    int64_t began = ken_clock_mono_ns();
    ken_status st = ken_query__embed(x->s, query, cancel, out_has, &x->meaning, &e);
    x->times.embedding_ns = ken_clock_mono_ns() - began;
    if (st && st != KEN_ECANCELLED && x->o->mode != KEN_SEARCH_SEMANTIC) {
        x->note = ken_arena_printf(x->arena, "ranked by words alone: %s", e.msg);
        return KEN_OK;
    }
    if (st && err)
        *err = e;
    return st;
}

// Files with a chunk that is near join those that have words of the question.
static ken_status find_meaning(search *x, ken_str query, const ken_cancel *cancel, ken_err *err)
{
    ken_snapshot *s = x->s;
    if (x->o->mode == KEN_SEARCH_LEXICAL)
        return KEN_OK;
    ken_status st = ken_cancel_check(cancel, err);
    if (!st)
        st = ken_query__load_vectors(s, err);
    bool has_vector = false;
    if (!st)
        st = embed(x, query, cancel, &has_vector, err);
    if (st || !has_vector)
        return st;
    ken_vec_u32 near = { 0 };
    x->near = KEN_ARENA_ARRAY(x->arena, float, s->n_files + 1);
    for (uint32_t f = 0; f < s->n_files; f++)
        x->near[f] = -1;
    x->far = ken_vector_near_files(&s->vectors.matrix, &x->meaning,
                                   has_filters(x->o) ? passes : NULL, x, x->near, &near);
    for (size_t i = 0; i < near.len; i++)
        if (x->near[near.ptr[i]] >= (x->o->mode == KEN_SEARCH_SEMANTIC ? 0 : related))
            ken_lex_score_touch(&s->scores, near.ptr[i]);
    ken_vec_release(&near);
    x->has_meaning = true;
    return KEN_OK;
}

// The cosines of the best chunks of the chosen files: known when they are near, else looked up.
static void find_cosines(const search *x, const uint32_t *files, size_t n, float *out)
{
    uint32_t far[CHOSEN];
    float cosines[CHOSEN];
    size_t n_far = 0;
    for (size_t i = 0; i < n; i++)
        if (x->near[files[i]] <= -1)
            far[n_far++] = files[i];
    ken_vector_best(&x->s->vectors.matrix, &x->meaning, far, n_far, cosines);
    for (size_t i = 0, k = 0; i < n; i++)
        out[i] = x->near[files[i]] <= -1 ? cosines[k++] : x->near[files[i]];
}

static float meaning_of(float cosine)
{
    return cosine > 0 ? cosine : 0;
}

// ---- features ----------------------------------------------------------------------------------

// A feature that every file has before its chunks are looked at: values[file * stride] * scale.
typedef struct file_feature {
    ken_rank_feature feature;
    const float *values;
    size_t stride;
    float scale;
} file_feature;

enum {
    MAX_FILE_FEATURES = 7
};

static size_t file_features(const search *x, file_feature *out)
{
    const ken_lex_scores *s = &x->s->scores;
    const size_t pair = sizeof *s->sums / sizeof s->sums->words;
    size_t n = 0;
    out[n++] = (file_feature){ KEN_RANK_FILE, &s->sums->words, pair, (float)(1 / s->file_weights) };
    out[n++] =
        (file_feature){ KEN_RANK_COMMENTS, &s->sums->comments, pair, (float)(1 / s->word_weights) };
    out[n++] = (file_feature){ KEN_RANK_NAME_FIT, s->paths.name_fit, 1, 1 };
    out[n++] = (file_feature){ KEN_RANK_FOLDER, s->paths.folder_fit, 1, 1 };
    out[n++] = (file_feature){ KEN_RANK_SIZE, x->s->size, 1, 1 };
    if (x->definition)
        out[n++] = (file_feature){ KEN_RANK_DEFINITION, x->definition, 1, 1 };
    if (x->named)
        out[n++] = (file_feature){ KEN_RANK_NAMED, x->named, 1, 1 };
    return n;
}

// The scores of all files (`n_files`) before chunks are looked at: the sum that set_features makes,
// with two estimates. The best chunk is taken to match as well as the whole file, and a file without
// a near chunk to have the cosine `far`.
static const float *first_scores(const search *x)
{
    const ken_snapshot *s = x->s;
    float *out = KEN_ARENA_ARRAY(x->arena, float, s->n_files + 1);
    const float of_meaning = (float)ken_rank_weight(KEN_RANK_MEANING), far = meaning_of(x->far);
    for (uint32_t f = 0; x->has_meaning && f < s->n_files; f++)
        out[f] = (x->near[f] > far ? x->near[f] : far) * of_meaning;
    if (x->o->mode == KEN_SEARCH_SEMANTIC)
        return out;
    file_feature features[MAX_FILE_FEATURES];
    size_t n = file_features(x, features);
    for (size_t i = 0; i < n; i++) {
        const file_feature *c = &features[i];
        double weight = ken_rank_weight(c->feature);
        if (c->feature == KEN_RANK_FILE)
            weight += ken_rank_weight(KEN_RANK_CHUNK);
        const float w = (float)weight * c->scale;
        for (uint32_t f = 0; f < s->n_files; f++)
            out[f] += c->values[f * c->stride] * w;
    }
    float points[N_PATH_BITS]; // what the bits of a path add
    for (uint32_t bits = 0; bits < N_PATH_BITS; bits++)
        points[bits] = (float)ken_rank_path_points(bits, x->waived);
    for (uint32_t f = 0; f < s->n_files; f++)
        out[f] += points[s->path_bits[f]];
    return out;
}

// The score of a chosen file, whose chunks are scored by now.
static void set_features(search *x, ranked_file *r, float cosine)
{
    float *v = r->v.value;
    v[KEN_RANK_MEANING] = meaning_of(cosine);
    if (x->o->mode != KEN_SEARCH_SEMANTIC) {
        file_feature features[MAX_FILE_FEATURES];
        size_t n = file_features(x, features);
        for (size_t i = 0; i < n; i++)
            v[features[i].feature] =
                features[i].values[r->file * features[i].stride] * features[i].scale;
        const ken_lex_scores *scores = &x->s->scores;
        const ken_lex_file_score *f = &scores->files[r->file];
        v[KEN_RANK_CHUNK] = (float)((double)f->best / scores->chunk_weights);
        v[KEN_RANK_CHUNK2] = (float)((double)f->second / scores->chunk_weights);
        ken_rank_set_path(&r->v, x->s->path_bits[r->file], x->waived);
        for (int k = 0; x->o->without && k < KEN_RANK_COUNT; k++)
            if (x->o->without >> k & 1)
                v[k] = 0;
    }
    r->score = ken_rank_score(&r->v);
}

typedef struct candidate {
    double score;
    uint32_t file, at;
} candidate;

static int by_score(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static bool is_worse(const void *pa, const void *pb)
{
    const candidate *a = pa, *b = pb;
    return a->score != b->score ? a->score < b->score : a->file > b->file;
}

// The best of the files that words, paths or meaning brought up, in no order; returns how many.
static size_t choose(search *x, uint32_t *chosen)
{
    const ken_snapshot *s = x->s;
    const ken_vec_u32 *touched = &s->scores.touched;
    candidate heap[CHOSEN] = { 0 };
    size_t n = 0;
    bool filters = has_filters(x->o);
    const float *scores = first_scores(x);
    for (size_t i = 0; i < touched->len; i++) {
        candidate c = { (double)scores[touched->ptr[i]], touched->ptr[i], 0 };
        if ((n < CHOSEN || is_worse(&heap[0], &c)) &&
            (!filters || ken_query__file_passes(s, c.file, x->o)))
            ken_best_offer(heap, &n, CHOSEN, sizeof c, is_worse, &c);
    }
    for (size_t i = 0; i < n; i++)
        chosen[i] = heap[i].file;
    return n;
}

// Puts the chosen files in order: places are sorted, for a file's features are many.
static void order_files(search *x, const ranked_file *chosen)
{
    candidate order[CHOSEN];
    for (uint32_t i = 0; i < x->n_files; i++)
        order[i] = (candidate){ chosen[i].score, chosen[i].file, i };
    if (x->n_files)
        qsort(order, x->n_files, sizeof *order, by_score);
    for (size_t i = 0; i < x->n_files; i++)
        x->files[i] = chosen[order[i].at];
}

static ken_status rank_chosen(search *x, const uint32_t *chosen, ken_err *err)
{
    ken_snapshot *s = x->s;
    float cosines[CHOSEN] = { 0 };
    ken_status st = ken_lex_score_chunks(&s->corpus, x->q, chosen, x->n_files, &s->scores, err);
    if (st)
        return st;
    if (x->has_meaning)
        find_cosines(x, chosen, x->n_files, cosines);
    ranked_file *ranked = KEN_ARENA_ARRAY(x->arena, ranked_file, x->n_files + 1);
    x->files = KEN_ARENA_ARRAY(x->arena, ranked_file, x->n_files + 1);
    for (size_t i = 0; i < x->n_files; i++) {
        ranked[i].file = chosen[i];
        set_features(x, &ranked[i], cosines[i]);
    }
    order_files(x, ranked);
    return KEN_OK;
}

static ken_status rank_files(search *x, ken_str query, const ken_cancel *cancel, ken_err *err)
{
    ken_snapshot *s = x->s;
    uint32_t chosen[CHOSEN] = { 0 };
    ken_search_times *t = &x->times;
    t->began_ns = ken_clock_mono_ns();
    ken_status st = ken_lex_score_files(&s->corpus, x->q, s->paths, cancel, &s->scores, err);
    if (!st)
        st = find_definitions(x, err);
    if (!st)
        st = find_named(x, err);
    int64_t with_words = ken_clock_mono_ns();
    if (!st)
        st = find_meaning(x, query, cancel, err);
    if (st)
        return st;
    int64_t with_meaning = ken_clock_mono_ns();
    t->words_ns = with_words - t->began_ns;
    t->vectors_ns = with_meaning - with_words - t->embedding_ns;
    x->n_files = choose(x, chosen);
    st = rank_chosen(x, chosen, err);
    t->ranking_ns = ken_clock_mono_ns() - with_meaning;
    return st;
}

// ---- showing -----------------------------------------------------------------------------------

// The first chunk that ends behind a byte; they are in order.
static uint32_t chunk_behind(const ken_facts *facts, uint32_t byte)
{
    return (uint32_t)KEN_FIRST_BEHIND_U32(ken_chunk, span.end, facts->chunks, facts->n_chunks,
                                          byte);
}

static bool is_meant(const ken_query_name *n)
{
    return n->is_strong && !n->is_scope;
}

// 0.5 for a definition of a name of the question written like an identifier, 0.2 for another; a
// question that is a name is answered by its definition.
static double worth_of(const search *x, const ken_symbol *s)
{
    double worth = 0;
    bool is_code = ken_symbol_is_type(s->kind) || ken_symbol_is_callable(s->kind);
    if ((x->named && ken_str_eq(s->name, x->name)) || ken_str_eq(s->name, x->text))
        return is_code ? 6 : 5; // also the title of a test
    if (is_code && x->request.len && ken_str_eq_fold(x->request, s->name))
        worth = 0.5; // "find the clerk of a session" in a file that has a Find
    for (uint32_t n = 0; is_code && n < x->q->n_names; n++)
        if (ken_str_eq(x->q->names[n].text, s->name))
            worth = fmax(worth, is_meant(&x->q->names[n]) ? 0.5 : 0.2);
    return worth;
}

static void add_definitions(const search *x, const ken_facts *facts, double *bonus)
{
    bool has_names = x->q->n_names || x->named || x->request.len;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *s = &facts->symbols[i];
        if (!has_names && s->name.len != x->text.len)
            continue;
        double worth = worth_of(x, s);
        if (worth <= 0)
            continue;
        uint32_t c = chunk_behind(facts, s->span.start); // chunks of lines overlap
        for (; c < facts->n_chunks && facts->chunks[c].span.start <= s->span.start; c++)
            bonus[c] = fmax(bonus[c], worth);
    }
}

typedef struct scored_chunk {
    uint32_t chunk;
    double score;
} scored_chunk;

static int by_chunk_score(const void *a, const void *b)
{
    const scored_chunk *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

// Cosines of the file's chunks with the question, as indexed; NULL when there are none.
static float *indexed_cosines(const search *x, uint32_t file)
{
    const ken_vector_matrix *m = &x->s->vectors.matrix;
    uint32_t n = x->s->contents[file].n_chunks;
    if (!x->has_meaning || m->first_row[file + 1] - m->first_row[file] != n)
        return NULL;
    float *out = KEN_ARENA_ARRAY(x->arena, float, n + 1);
    ken_vector_rows(m, &x->meaning, file, out);
    return out;
}

// Points of each chunk for its words and its meaning, the latter less what all chunks have. `out_fits`:
// whether it has a word of the question or is near to it; may be NULL.
static double *chunk_points(const search *x, const ranked_file *r, const query_text *t,
                            bool *out_fits)
{
    const ken_lex_scores *scores = &x->s->scores;
    const float *indexed = scores->chunks.ptr + scores->files[r->file].first_chunk;
    uint32_t n = t->facts.n_chunks;
    float *cosines = NULL, least = 1;
    double *points = KEN_ARENA_ARRAY(x->arena, double, n + 1), *fresh = NULL;
    if (t->is_refreshed)
        fresh = ken_query__score_fresh(x->s, x->q, t, x->s->rows[r->file].path,
                                       x->has_meaning ? &x->meaning : NULL, x->arena, &cosines);
    else
        cosines = indexed_cosines(x, r->file);
    double factor =
        scores->chunk_weights > 0 ? ken_rank_weight(KEN_RANK_CHUNK) / scores->chunk_weights : 0;
    for (uint32_t i = 0; i < n && cosines; i++)
        least = fminf(least, cosines[i]);
    for (uint32_t i = 0; i < n; i++) {
        points[i] = factor * (fresh ? fresh[i] : (double)indexed[i]);
        if (out_fits)
            out_fits[i] = points[i] > 0 || (cosines && cosines[i] >= related);
        if (cosines)
            points[i] += ken_rank_weight(KEN_RANK_MEANING) * (double)(cosines[i] - least);
    }
    return points;
}

// Puts a chunk, later than all before it, among the best `most`, which are in order.
static size_t offer_chunk(scored_chunk *best, size_t n, size_t most, scored_chunk c)
{
    size_t at = n;
    while (at && c.score > best[at - 1].score)
        at--;
    if (at == most)
        return n;
    n += n < most;
    memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
    best[at] = c;
    return n;
}

// The file's chunks that pass the filters, best first: those that a result shows; all when the
// question quotes something; all that fit when each is a result.
static size_t order_chunks(const search *x, const ranked_file *r, const query_text *t,
                           scored_chunk **out)
{
    bool wants_all = x->o->wants_chunks || ken_query__has_words(x->o);
    size_t n = 0, most = wants_all ? t->facts.n_chunks : 1 + MAX_PLACES;
    bool *fits = x->o->wants_chunks ? KEN_ARENA_ARRAY(x->arena, bool, t->facts.n_chunks + 1) : NULL;
    const double *points = chunk_points(x, r, t, fits);
    double *bonus = KEN_ARENA_ARRAY(x->arena, double, t->facts.n_chunks + 1);
    add_definitions(x, &t->facts, bonus);
    *out = KEN_ARENA_ARRAY(x->arena, scored_chunk, most + 1);
    scored_chunk best = { 0, -1 };
    for (uint32_t i = 0; i < t->facts.n_chunks; i++) {
        if (!ken_query__chunk_passes(&t->facts, i, x->o))
            continue;
        scored_chunk c = { i, points[i] + ken_rank_weight(KEN_RANK_CHUNK) * bonus[i] };
        if (c.score > best.score)
            best = c;
        if (fits && !fits[i] && bonus[i] <= 0)
            continue;
        if (wants_all)
            (*out)[n++] = c;
        else
            n = offer_chunk(*out, n, most, c);
    }
    if (!n && best.score >= 0) // the file is here for its path
        (*out)[n++] = best;
    if (n && wants_all)
        qsort(*out, n, sizeof **out, by_chunk_score);
    return n;
}

// What the question quotes: the chunk with most of it comes first.
static void put_phrases_first(const search *x, query_text *t, scored_chunk *chunks, size_t n)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < n && most < x->o->phrases.n; i++) {
        size_t held = ken_query__count_phrases(t, t->facts.chunks[chunks[i].chunk].span, x->o);
        if (held > most) {
            most = held;
            best = i;
        }
    }
    scored_chunk first = chunks[best];
    memmove(chunks + 1, chunks, best * sizeof *chunks);
    chunks[0] = first;
}

// The file's chunks that may be shown, best first; 0 when its words do not pass.
static size_t choose_chunks(const search *x, const ranked_file *r, query_text *t,
                            scored_chunk **out)
{
    size_t n = order_chunks(x, r, t, out), kept = 0;
    if (!n || !ken_query__has_words(x->o))
        return n;
    if (!ken_query__need_text(t))
        return 0;
    put_phrases_first(x, t, *out, n);
    if (!x->o->wants_chunks)
        return ken_query__words_pass(t, t->facts.chunks[(*out)[0].chunk].span, x->o) ? n : 0;
    for (size_t i = 0; i < n; i++)
        if (ken_query__words_pass(t, t->facts.chunks[(*out)[i].chunk].span, x->o))
            (*out)[kept++] = (*out)[i];
    return kept;
}

static void add_places(const search *x, const query_text *t, const scored_chunk *chunks, size_t n,
                       ken_hit *hit)
{
    hit->places = KEN_ARENA_ARRAY(x->arena, ken_place, MAX_PLACES);
    for (size_t i = 1; i < n && hit->n_places < MAX_PLACES; i++) {
        if (chunks[i].score < 0.6 * chunks[0].score || chunks[i].score <= 0)
            break;
        hit->places[hit->n_places++] = ken_query__place(t, chunks[i].chunk, x->arena);
    }
}

static void explain(const search *x, const ranked_file *r, ken_hit *hit)
{
    hit->terms = KEN_ARENA_ARRAY(x->arena, ken_score_term, KEN_RANK_COUNT);
    for (int f = 0; f < KEN_RANK_COUNT; f++) {
        double value = (double)r->v.value[f], weight = ken_rank_weight((ken_rank_feature)f);
        if (value > 0)
            hit->terms[hit->n_terms++] = (ken_score_term){ ken_rank_text((ken_rank_feature)f),
                                                           value, weight, value * weight };
    }
}

// Of meaning alone it is the cosine.
static double similarity_of(const search *x, double score)
{
    double best =
        x->o->mode == KEN_SEARCH_SEMANTIC ? ken_rank_weight(KEN_RANK_MEANING) : ken_rank_best();
    double v = score / best;
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

// By meaning alone there are no words to choose a definition by.
static void centre_on(const search *x, query_text *t, uint32_t chunk, query_centre *out)
{
    const query_wanted w = { .q = x->q,
                             .idf = x->s->scores.chunk_idf,
                             .text = x->text,
                             .name = x->named ? x->name : KEN_STR(""),
                             .kind = x->o->kind,
                             .is_quoted = ken_query__has_words(x->o) };
    if (x->q->n_terms)
        ken_query__centre_question(t, chunk, &w, out);
    else
        ken_query__centre_chunk(t, chunk, x->o->kind, out);
}

static void fill_hit(const search *x, const ranked_file *r, query_text *t, uint32_t chunk,
                     double score, ken_hit *hit)
{
    query_centre centre;
    *hit = (ken_hit){ .score = score, .similarity = similarity_of(x, score) };
    centre_on(x, t, chunk, &centre);
    ken_query__fill_hit(x->s, r->file, t, chunk, &centre, x->o, x->arena, hit);
    if (x->o->wants_explain)
        explain(x, r, hit);
}

// Opens a file and chooses its chunks; 0, and the text is closed, when it has nothing to show: gone
// from the disk, or no chunk passes the filters.
static size_t open_file(const search *x, const ranked_file *r, query_text *t, scored_chunk **out,
                        ken_search_result *result)
{
    ken_status st = ken_query__load_text(x->s, r->file, x->arena, t, NULL);
    if (st) {
        result->n_removed += st == KEN_ENOTFOUND;
        return 0;
    }
    size_t n = choose_chunks(x, r, t, out);
    if (!n)
        ken_query__close_text(t);
    return n;
}

static bool show(const search *x, const ranked_file *r, ken_hit *hit, ken_search_result *out)
{
    query_text t;
    scored_chunk *chunks;
    size_t n = open_file(x, r, &t, &chunks, out);
    if (!n)
        return false;
    fill_hit(x, r, &t, chunks[0].chunk, r->score, hit);
    add_places(x, &t, chunks, n, hit);
    ken_query__close_text(&t);
    return true;
}

// True when the file has something to show; without filters on chunks that is not asked.
static bool can_show(const search *x, const ranked_file *r)
{
    query_text t;
    if (!x->o->chunk_types && !x->o->kind && !ken_query__has_words(x->o))
        return true;
    if (ken_query__load_text(x->s, r->file, x->arena, &t, NULL))
        return false;
    scored_chunk *chunks;
    size_t n = choose_chunks(x, r, &t, &chunks);
    ken_query__close_text(&t);
    return n > 0;
}

ken_status ken_query__settle_search(ken_status st, ken_search_result *out, ken_err *err)
{
    if (!out->n_hits || !ken_quota_settle(st, err))
        return st;
    out->is_truncated = true;
    return KEN_OK;
}

static bool is_near_enough(const search *x, double score)
{
    return similarity_of(x, score) >= x->o->threshold;
}

// Reads the first files from the disk until enough have something to show.
static ken_status show_best(const search *x, ken_search_result *out, ken_err *err)
{
    ken_status st = KEN_OK;
    const ken_search_opts *o = x->o;
    uint32_t limit = ken_query__limit(o), passed = 0;
    size_t i = 0;
    for (; i < x->n_files && is_near_enough(x, x->files[i].score); i++) {
        st = ken_quota_check(err);
        if (st)
            break;
        if (out->n_hits == limit) {
            out->is_truncated = can_show(x, &x->files[i]);
            if (out->is_truncated)
                break;
            continue;
        }
        ken_hit hit;
        if (show(x, &x->files[i], &hit, out) && passed++ >= o->offset)
            out->hits[out->n_hits++] = hit;
    }
    // What was not read counts when nothing in a file can speak against it.
    bool is_read = o->chunk_types || o->kind || ken_query__has_words(o);
    out->n_total = passed + out->is_truncated;
    for (i++; !is_read && i < x->n_files && is_near_enough(x, x->files[i].score); i++)
        out->n_total++;
    out->is_at_least = (is_read && out->is_truncated) || x->n_files == CHOSEN;
    return ken_query__settle_search(st, out, err);
}

// ---- chunks as results -------------------------------------------------------------------------

// A file whose chunks are results: their scores are the file's, less what its best chunk has more.
typedef struct opened_file {
    const ranked_file *r;
    const scored_chunk *chunks;
    size_t n, next;
} opened_file;

static double next_score(const opened_file *f)
{
    double less = f->chunks[0].score - f->chunks[f->next].score;
    return f->r->score - (less > 0 ? less : 0);
}

// The opened file whose next chunk is the best of all; NULL when none has a chunk left.
static opened_file *best_opened(opened_file *files, size_t n)
{
    opened_file *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (files[i].next < files[i].n && (!best || next_score(&files[i]) > next_score(best)))
            best = &files[i];
    return best;
}

// Merges the chunks of files, best first. A file is opened when no chunk of those before it is better
// than its best, so that a page reads few.
static ken_status show_chunks(const search *x, ken_search_result *out, ken_err *err)
{
    ken_status st = KEN_OK;
    opened_file *files = KEN_ARENA_ARRAY(x->arena, opened_file, x->n_files + 1);
    size_t n_files = 0, at = 0, passed = 0;
    uint32_t limit = ken_query__limit(x->o);
    for (;;) {
        st = ken_quota_check(err);
        if (st)
            break;
        opened_file *f = best_opened(files, n_files);
        query_text t;
        if (at < x->n_files && (!f || x->files[at].score > next_score(f))) {
            const ranked_file *r = &x->files[at++];
            scored_chunk *chunks;
            size_t n = open_file(x, r, &t, &chunks, out);
            if (n) {
                ken_query__close_text(&t);
                files[n_files++] = (opened_file){ r, chunks, n, 0 };
            }
            continue;
        }
        if (!f || !is_near_enough(x, next_score(f)))
            break;
        out->is_truncated = out->n_hits == limit;
        if (out->is_truncated)
            break;
        uint32_t chunk = f->chunks[f->next].chunk;
        double score = next_score(f);
        f->next++;
        if (passed++ < x->o->offset || ken_query__load_text(x->s, f->r->file, x->arena, &t, NULL))
            continue;
        if (chunk < t.facts.n_chunks) // or the file has changed since it was opened
            fill_hit(x, f->r, &t, chunk, score, &out->hits[out->n_hits++]);
        ken_query__close_text(&t);
    }
    out->n_total = passed + out->is_truncated;
    out->is_at_least = out->is_truncated || x->n_files == CHOSEN;
    return ken_query__settle_search(st, out, err);
}

// Its words, its names and what it forgives; returns what it is about.
static ken_str read_question(search *x, ken_str query, ken_lex_query *q)
{
    ken_str core, rest = query, first;
    bool asks_for_tests = ken_query_asks_for_tests(query, &core);
    if (!asks_for_tests)
        core = ken_query_core(query);
    x->waived = ken_rank_waived(query);
    x->text = core;
    if (x->s->is_about_tests)
        x->waived &= ~(uint32_t)KEN_WAIVED_HALF_TEST;
    if (asks_for_tests)
        x->waived |= KEN_WANTED_TEST;
    if (core.ptr > query.ptr && ken_token_next(&rest, &first))
        x->request = first;
    rest = core;
    ken_lex_query_parse(core, q);
    // A capital at the front of the core is none that begins the question.
    if (core.ptr > query.ptr && ken_token_next(&rest, &first) && ken_is_upper(first.ptr[0]) &&
        q->n_names < KEN_QUERY_NAMES && (!q->n_names || q->names[0].text.ptr != first.ptr))
        q->names[q->n_names++] = (ken_query_name){ first, false, false };
    if (x->o->mode != KEN_SEARCH_SEMANTIC && !asks_for_tests) // those of a name do not define it
        x->name = ken_query_sole_name(core);
    return core;
}

// Measured for words and the built-in model's meaning together; either alone has none.
static void set_confidence(const search *x, ken_search_result *out)
{
    if (x->o->mode != KEN_SEARCH_AUTO || *x->s->model || !x->s->vectors.matrix.n_dims)
        return;
    out->has_confidence = true;
    out->confidence = x->n_files ? ken_rank_confidence(&x->files[0].v) : 0;
    out->fits_nothing = out->confidence < KEN_RANK_FITS;
}

ken_status ken_query__ranked(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                             const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                             ken_err *err)
{
    ken_lex_query q;
    search x = { .s = s, .o = o, .q = &q, .arena = arena };
    query = read_question(&x, query, &q);
    if (o->mode == KEN_SEARCH_SEMANTIC)
        q = (ken_lex_query){ 0 };
    else if (!q.n_terms) // "g", "->": no words, but perhaps a name
        return ken_query__symbols(s, query, o, cancel, arena, out, err);
    ken_status st = rank_files(&x, query, cancel, err);
    if (st)
        return st;
    int64_t ranked = ken_clock_mono_ns();
    *out = (ken_search_result){ .hits = KEN_ARENA_ARRAY(arena, ken_hit, ken_query__limit(o)),
                                .strategy = o->mode == KEN_SEARCH_LEXICAL    ? "lexical"
                                            : o->mode == KEN_SEARCH_SEMANTIC ? "semantic"
                                                                             : "hybrid",
                                .note = x.note,
                                .times = x.times };
    set_confidence(&x, out);
    st = o->wants_chunks ? show_chunks(&x, out, err) : show_best(&x, out, err);
    out->times.quoting_ns = ken_clock_mono_ns() - ranked;
    return st;
}

ken_status ken_rank_candidates(ken_snapshot *s, ken_str query, ken_arena *arena,
                               ken_candidate **out, size_t *out_n, ken_err *err)
{
    ken_lex_query q;
    ken_search_opts opts = { 0 };
    query_check_pin(s);
    search x = { .s = s, .o = &opts, .q = &q, .arena = arena };
    query = read_question(&x, query, &q);
    ken_status st = rank_files(&x, query, NULL, err);
    *out = KEN_ARENA_ARRAY(arena, ken_candidate, x.n_files + 1);
    *out_n = st ? 0 : x.n_files;
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] =
            (ken_candidate){ s->rows[x.files[i].file].path, x.files[i].v, x.files[i].score };
    return st;
}

static ken_status ask_mode(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                           const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                           ken_err *err)
{
    switch (o->mode) {
    case KEN_SEARCH_SYMBOL:
        return ken_query__symbols(s, query, o, cancel, arena, out, err);
    case KEN_SEARCH_TEXT:
    case KEN_SEARCH_REGEX:
        return ken_query__text_search(s, query, o, cancel, arena, out, err);
    case KEN_SEARCH_SIMILAR:
        return ken_query__similar(s, query, o, cancel, arena, out, err);
    case KEN_SEARCH_AUTO:
    case KEN_SEARCH_LEXICAL:
    case KEN_SEARCH_SEMANTIC:
        return ken_query__ranked(s, query, o, cancel, arena, out, err);
    default:
        return KEN_FAIL(err, KEN_EINVAL, "search_type: %d is not known", (int)o->mode);
    }
}

// What is quoted may stand where ranking does not look: in a file that is none of the best, or in
// marks that are no words. Then it is looked for letter by letter.
static ken_status ask(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                      const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                      ken_err *err)
{
    ken_status st = ask_mode(s, query, o, cancel, arena, out, err);
    if (st || out->n_hits || !o->phrases.n || o->offset || o->mode != KEN_SEARCH_AUTO)
        return st;
    ken_search_opts opts = *o;
    opts.mode = KEN_SEARCH_TEXT;
    return ask_mode(s, o->phrases.texts[0], &opts, cancel, arena, out, err);
}

// Of what kinds of question blanks at the ends say nothing, and words may be filters.
static bool is_in_words(ken_search_mode mode)
{
    return mode == KEN_SEARCH_AUTO || mode == KEN_SEARCH_LEXICAL || mode == KEN_SEARCH_SEMANTIC ||
           mode == KEN_SEARCH_SYMBOL;
}

ken_status ken_search(ken_snapshot *s, ken_str query, const ken_search_opts *opts,
                      const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                      ken_err *err)
{
    query_check_pin(s);
    ken_search_opts o = *opts;
    ken_quota_offer_part();
    if (is_in_words(o.mode))
        query = ken_str_trim(query);
    if (!query.len || query.len > MAX_QUERY_BYTES)
        return KEN_FAIL(err, KEN_EINVAL, "query: expected 1 to %d bytes, got %zu", MAX_QUERY_BYTES,
                        query.len);
    ken_status st = KEN_OK;
    if (is_in_words(o.mode) && !o.is_verbatim)
        st = ken_query_parse(query, opts, arena, &query, &o, err);
    if (!st)
        st = ken_query__check_opts(&o, err);
    if (!st)
        st = ken_query__clean_directory(&o, arena, err);
    return st ? st : ask(s, query, &o, cancel, arena, out, err);
}

// SPDX-License-Identifier: MIT
// What is shown of ranked files: they are read from the disk, in order, until a page is full; of each the
// chunk that fits best, with further good places of it, or each chunk that fits as a result of its own.
#include <math.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "query/search/ranked_priv.h"

enum {
    MAX_PLACES = 3
};

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
static double worth_of(const query_search *x, const ken_symbol *s)
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

static void add_definitions(const query_search *x, const ken_facts *facts, double *bonus)
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
static float *indexed_cosines(const query_search *x, uint32_t file)
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
static double *chunk_points(const query_search *x, const query_ranked_file *r, const query_text *t,
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
            out_fits[i] = points[i] > 0 || (cosines && cosines[i] >= QUERY_RELATED);
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
static size_t order_chunks(const query_search *x, const query_ranked_file *r, const query_text *t,
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
static void put_phrases_first(const query_search *x, query_text *t, scored_chunk *chunks, size_t n)
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
static size_t choose_chunks(const query_search *x, const query_ranked_file *r, query_text *t,
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

static query_wanted wanted_of(const query_search *x)
{
    return (query_wanted){ .q = x->q,
                           .idf = x->s->scores.chunk_idf,
                           .text = x->text,
                           .name = x->named ? x->name : KEN_STR(""),
                           .kind = x->o->kind,
                           .is_quoted = ken_query__has_words(x->o) };
}

static bool is_told(const ken_hit *hit, uint32_t line)
{
    bool is_it = line == hit->first_line;
    for (size_t i = 0; i < hit->n_places; i++)
        is_it = is_it || line == hit->places[i].first_line;
    return is_it;
}

static void add_places(const query_search *x, query_text *t, const scored_chunk *chunks, size_t n,
                       ken_hit *hit)
{
    const query_wanted w = wanted_of(x);
    hit->places = KEN_ARENA_ARRAY(x->arena, ken_place, MAX_PLACES);
    for (size_t i = 1; i < n && hit->n_places < MAX_PLACES; i++) {
        if (chunks[i].score < 0.6 * chunks[0].score || chunks[i].score <= 0)
            break;
        ken_place p = ken_query__place(t, chunks[i].chunk, &w, x->arena);
        if (!is_told(hit, p.first_line))
            hit->places[hit->n_places++] = p;
    }
}

static void explain(const query_search *x, const query_ranked_file *r, ken_hit *hit)
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
static double similarity_of(const ken_search_opts *o, double score)
{
    double best =
        o->mode == KEN_SEARCH_SEMANTIC ? ken_rank_weight(KEN_RANK_MEANING) : ken_rank_best();
    double v = score / best;
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

// By meaning alone there are no words to choose a definition by.
static void centre_on(const query_search *x, query_text *t, uint32_t chunk, query_centre *out)
{
    const query_wanted w = wanted_of(x);
    if (x->q->n_terms)
        ken_query__centre_question(t, chunk, &w, out);
    else
        ken_query__centre_chunk(t, chunk, x->o->kind, out);
}

static void fill_hit(const query_search *x, const query_ranked_file *r, query_text *t,
                     uint32_t chunk, double score, ken_hit *hit)
{
    query_centre centre;
    *hit =
        (ken_hit){ .score = score, .similarity = similarity_of(x->o, score), .member = x->number };
    centre_on(x, t, chunk, &centre);
    ken_query__fill_hit(x->s, r->file, t, chunk, &centre, x->o, x->arena, hit);
    if (x->wide) // it outlives the snapshot
        hit->path = ken_arena_dup(x->arena, hit->path);
    if (x->o->wants_explain)
        explain(x, r, hit);
}

// Opens a file and chooses its chunks; 0, and the text is closed, when it has nothing to show: gone
// from the disk, or no chunk passes the filters.
static size_t open_file(const query_ranking *k, const query_ranked_file *r, query_text *t,
                        scored_chunk **out, ken_search_result *result)
{
    if (k->bring && !k->bring(k->ctx, r->of))
        return 0;
    ken_status st = ken_query__load_text(r->of->s, r->file, r->of->arena, t, NULL);
    if (st) {
        result->n_removed += st == KEN_ENOTFOUND;
        return 0;
    }
    size_t n = choose_chunks(r->of, r, t, out);
    if (!n)
        ken_query__close_text(t);
    return n;
}

static bool show(const query_ranking *k, const query_ranked_file *r, ken_hit *hit,
                 ken_search_result *out)
{
    query_text t;
    scored_chunk *chunks;
    size_t n = open_file(k, r, &t, &chunks, out);
    if (!n)
        return false;
    fill_hit(r->of, r, &t, chunks[0].chunk, r->score, hit);
    add_places(r->of, &t, chunks, n, hit);
    ken_query__close_text(&t);
    return true;
}

// True when the file has something to show; without filters on chunks that is not asked.
static bool can_show(const query_ranking *k, const query_ranked_file *r)
{
    query_text t;
    scored_chunk *chunks;
    ken_search_result ignored = { 0 };
    if (!k->o->chunk_types && !k->o->kind && !ken_query__has_words(k->o))
        return true;
    if (!open_file(k, r, &t, &chunks, &ignored))
        return false;
    ken_query__close_text(&t);
    return true;
}

ken_status ken_query__settle_search(ken_status st, ken_search_result *out, ken_err *err)
{
    if (!out->n_hits || !ken_quota_settle(st, err))
        return st;
    out->is_truncated = true;
    return KEN_OK;
}

static bool is_near_enough(const query_ranking *k, double score)
{
    return similarity_of(k->o, score) >= k->o->threshold;
}

// The files of a page and the one behind it. Of several snapshots each has few.
static void expect_page(const query_ranking *k)
{
    size_t n = (size_t)k->o->offset + ken_query__limit(k->o) + 1;
    if (k->bring || !k->n_files)
        return;
    n = n < k->n_files ? n : k->n_files;
    uint32_t *files = KEN_ARENA_ARRAY(k->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        files[i] = k->files[i].file;
    ken_query__expect_files(k->files[0].of->s, files, n);
}

// Reads the first files from the disk until enough have something to show.
static ken_status show_best(const query_ranking *k, ken_search_result *out, ken_err *err)
{
    ken_status st = KEN_OK;
    const ken_search_opts *o = k->o;
    uint32_t limit = ken_query__limit(o), passed = 0;
    size_t i = 0;
    expect_page(k);
    for (; i < k->n_files && is_near_enough(k, k->files[i].score); i++) {
        st = ken_quota_check(err);
        if (st)
            break;
        if (out->n_hits == limit) {
            out->is_truncated = can_show(k, &k->files[i]);
            if (out->is_truncated)
                break;
            continue;
        }
        ken_hit hit;
        if (show(k, &k->files[i], &hit, out) && passed++ >= o->offset)
            out->hits[out->n_hits++] = hit;
    }
    // What was not read counts when nothing in a file can speak against it.
    bool is_read = o->chunk_types || o->kind || ken_query__has_words(o);
    out->n_total = passed + out->is_truncated;
    for (i++; !is_read && i < k->n_files && is_near_enough(k, k->files[i].score); i++)
        out->n_total++;
    out->is_at_least = (is_read && out->is_truncated) || k->n_files == QUERY_CHOSEN;
    return ken_query__settle_search(st, out, err);
}

// ---- chunks as results -------------------------------------------------------------------------

// A file whose chunks are results: their scores are the file's, less what its best chunk has more.
typedef struct opened_file {
    const query_ranked_file *r;
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

static bool open_again(const query_ranking *k, const opened_file *f, query_text *t)
{
    return (!k->bring || k->bring(k->ctx, f->r->of)) &&
           !ken_query__load_text(f->r->of->s, f->r->file, f->r->of->arena, t, NULL);
}

// Merges the chunks of files, best first. A file is opened when no chunk of those before it is better
// than its best, so that a page reads few.
static ken_status show_chunks(const query_ranking *k, ken_search_result *out, ken_err *err)
{
    ken_status st = KEN_OK;
    opened_file *files = KEN_ARENA_ARRAY(k->arena, opened_file, k->n_files + 1);
    size_t n_files = 0, at = 0, passed = 0;
    uint32_t limit = ken_query__limit(k->o);
    expect_page(k);
    for (;;) {
        st = ken_quota_check(err);
        if (st)
            break;
        opened_file *f = best_opened(files, n_files);
        query_text t;
        if (at < k->n_files && (!f || k->files[at].score > next_score(f))) {
            const query_ranked_file *r = &k->files[at++];
            scored_chunk *chunks;
            size_t n = open_file(k, r, &t, &chunks, out);
            if (n) {
                ken_query__close_text(&t);
                files[n_files++] = (opened_file){ r, chunks, n, 0 };
            }
            continue;
        }
        if (!f || !is_near_enough(k, next_score(f)))
            break;
        out->is_truncated = out->n_hits == limit;
        if (out->is_truncated)
            break;
        uint32_t chunk = f->chunks[f->next].chunk;
        double score = next_score(f);
        f->next++;
        if (passed++ < k->o->offset || !open_again(k, f, &t))
            continue;
        if (chunk < t.facts.n_chunks) // or the file has changed since it was opened
            fill_hit(f->r->of, f->r, &t, chunk, score, &out->hits[out->n_hits++]);
        ken_query__close_text(&t);
    }
    out->n_total = passed + out->is_truncated;
    out->is_at_least = out->is_truncated || k->n_files == QUERY_CHOSEN;
    return ken_query__settle_search(st, out, err);
}

ken_status ken_query__show(const query_ranking *r, ken_search_result *out, ken_err *err)
{
    return r->o->wants_chunks ? show_chunks(r, out, err) : show_best(r, out, err);
}

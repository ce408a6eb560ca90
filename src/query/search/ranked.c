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
#include "query/query_intent.h"
#include "query/search/ranked_priv.h"

enum {
    N_PATH_BITS = 2 * KEN_PATH_DATA,
    MAX_QUERY_BYTES = 10000
};

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

// The fewer files define a name, the more it says.
static double definition_share(const query_search *x, uint32_t name, double n_files)
{
    return (x->q->names[name].is_strong ? 1 : 0.5) / sqrt(n_files);
}

static void raise_definition(query_search *x, uint32_t file, float value)
{
    if (x->definition[file] < value)
        x->definition[file] = value;
}

// What is known of a name once all its files are: its share, or, with others, the files themselves.
static void take_defining(query_search *x, uint32_t name, exact_name *e)
{
    double share = definition_share(x, name, (double)e->files.len);
    for (size_t i = 0; i < e->files.len; i++) {
        uint32_t file = e->files.ptr[i];
        if (x->wide)
            ken_vec_push(&x->wide->defining, ((query_defining){ name, file, e->value[file] }));
        else
            raise_definition(x, file, (float)(share * (double)e->value[file]));
        e->value[file] = 0;
    }
    ken_vec_clear(&e->files);
}

// A file that defines a name of the question.
ken_status ken_query__find_definitions(query_search *x, ken_err *err)
{
    const ken_lex_corpus *c = x->corpus;
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
        take_defining(x, n, &e);
    }
    ken_free(e.value);
    ken_vec_release(&e.files);
    return st;
}

void ken_query__settle_definitions(query_search *x, const uint32_t *n_defining)
{
    for (size_t i = 0; i < x->wide->defining.len; i++) {
        const query_defining *d = &x->wide->defining.ptr[i];
        double share = definition_share(x, d->name, n_defining[d->name]);
        raise_definition(x, d->file, (float)(share * (double)d->value));
    }
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

void ken_query__set_named(query_search *x, uint32_t file)
{
    x->named = KEN_ARENA_ARRAY(x->arena, float, x->s->n_files + 1);
    x->named[file] = 1;
    ken_lex_score_touch(&x->s->scores, file);
}

static query_named count_named(const ken_snapshot *s, const exact_name *e)
{
    static const uint32_t aside = KEN_PATH_TEST | KEN_PATH_EXAMPLE | KEN_PATH_COMPAT;
    query_named n = { .has_variants = e->has_variants };
    for (size_t i = 0; i < e->files.len; i++) {
        uint32_t file = e->files.ptr[i];
        if (s->path_bits[file] & aside) {
            n.aside = file;
            n.n_aside++;
        } else {
            n.main = file;
            n.n_main++;
        }
    }
    return n;
}

// One file defines the name, or one but for tests, examples and the like: it has it all, whatever it
// defines. Of several none is what was asked for; what else speaks for them decides.
int64_t ken_query__named_file(const query_named *n)
{
    if (n->n_main == 1)
        return n->main;
    return !n->n_main && n->n_aside == 1 && !n->has_variants ? (int64_t)n->aside : -1;
}

// Of a question that is a name: the file that defines it, in its case.
ken_status ken_query__find_named(query_search *x, ken_err *err)
{
    const ken_lex_corpus *c = x->corpus;
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
    query_named n = count_named(x->s, &e);
    int64_t file = ken_query__named_file(&n);
    if (x->wide)
        x->wide->named = n;
    else if (file >= 0)
        ken_query__set_named(x, (uint32_t)file);
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
    const query_search *x = ctx;
    return ken_query__file_passes(x->s, file, x->o);
}

// A model that cannot be asked leaves words, unless only meaning was asked for.
static ken_status embed(query_search *x, ken_str query, const ken_cancel *cancel, bool *out_has,
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

void ken_query__find_near(query_search *x)
{
    const ken_snapshot *s = x->s;
    ken_vec_u32 near = { 0 };
    x->near = KEN_ARENA_ARRAY(x->arena, float, s->n_files + 1);
    for (uint32_t f = 0; f < s->n_files; f++)
        x->near[f] = -1;
    x->far = ken_vector_near_files(&s->vectors.matrix, &x->meaning,
                                   has_filters(x->o) ? passes : NULL, x, x->near, &near);
    x->near_files = ken_arena_copy(x->arena, near.ptr, near.len, sizeof *near.ptr);
    x->n_near_files = near.len;
    ken_vec_release(&near);
    x->has_meaning = true;
}

// Files with a chunk that is near join those that have words of the question.
void ken_query__touch_near(query_search *x)
{
    for (size_t i = 0; i < x->n_near_files; i++)
        if (x->near[x->near_files[i]] >= (x->o->mode == KEN_SEARCH_SEMANTIC ? 0 : QUERY_RELATED))
            ken_lex_score_touch(&x->s->scores, x->near_files[i]);
}

static ken_status find_meaning(query_search *x, ken_str query, const ken_cancel *cancel,
                               ken_err *err)
{
    if (x->o->mode == KEN_SEARCH_LEXICAL)
        return KEN_OK;
    ken_status st = ken_cancel_check(cancel, err);
    if (!st)
        st = ken_query__load_vectors(x->s, err);
    bool has_vector = false;
    if (!st)
        st = embed(x, query, cancel, &has_vector, err);
    if (st || !has_vector)
        return st;
    ken_query__find_near(x);
    ken_query__touch_near(x);
    return KEN_OK;
}

// The cosines of the best chunks of the chosen files: known when they are near, else looked up.
static void find_cosines(const query_search *x, const uint32_t *files, size_t n, float *out)
{
    uint32_t far[QUERY_CHOSEN];
    float cosines[QUERY_CHOSEN];
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

static size_t file_features(const query_search *x, file_feature *out)
{
    const ken_lex_scores *s = &x->s->scores;
    const size_t pair = sizeof *s->sums / sizeof s->sums->words;
    size_t n = 0;
    out[n++] = (file_feature){ KEN_RANK_FILE, &s->sums->words, pair, (float)(1 / s->file_weights) };
    out[n++] =
        (file_feature){ KEN_RANK_COMMENTS, &s->sums->comments, pair, (float)(1 / s->word_weights) };
    out[n++] = (file_feature){ KEN_RANK_NAME_FIT, s->paths.name_fit, 1, 1 };
    out[n++] = (file_feature){ KEN_RANK_FOLDER, s->paths.folder_fit, 1, 1 };
    out[n++] = (file_feature){ KEN_RANK_SIZE, x->size, 1, 1 };
    if (x->definition)
        out[n++] = (file_feature){ KEN_RANK_DEFINITION, x->definition, 1, 1 };
    if (x->named)
        out[n++] = (file_feature){ KEN_RANK_NAMED, x->named, 1, 1 };
    return n;
}

// The scores of all files (`n_files`) before chunks are looked at: the sum that set_features makes,
// with two estimates. The best chunk is taken to match as well as the whole file, and a file without
// a near chunk to have the cosine `far`.
static const float *first_scores(const query_search *x)
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
static void set_features(query_search *x, query_ranked_file *r, float cosine)
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

static int by_score(const void *a, const void *b)
{
    const query_candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static bool is_worse(const void *pa, const void *pb)
{
    const query_candidate *a = pa, *b = pb;
    return a->score != b->score ? a->score < b->score : a->file > b->file;
}

size_t ken_query__choose(query_search *x, query_candidate out[QUERY_CHOSEN])
{
    const ken_snapshot *s = x->s;
    const ken_vec_u32 *touched = &s->scores.touched;
    size_t n = 0;
    bool filters = has_filters(x->o);
    const float *scores = first_scores(x);
    for (size_t i = 0; i < touched->len; i++) {
        query_candidate c = { (double)scores[touched->ptr[i]], touched->ptr[i], 0 };
        if ((n < QUERY_CHOSEN || is_worse(&out[0], &c)) &&
            (!filters || ken_query__file_passes(s, c.file, x->o)))
            ken_best_offer(out, &n, QUERY_CHOSEN, sizeof c, is_worse, &c);
    }
    return n;
}

// Puts the chosen files in order: places are sorted, for a file's features are many.
static void order_files(const query_ranked_file *chosen, size_t n, query_ranked_file *out)
{
    query_candidate order[QUERY_CHOSEN];
    for (uint32_t i = 0; i < n; i++)
        order[i] = (query_candidate){ chosen[i].score, chosen[i].file, i };
    if (n)
        qsort(order, n, sizeof *order, by_score);
    for (size_t i = 0; i < n; i++)
        out[i] = chosen[order[i].at];
}

ken_status ken_query__rank_chosen(query_search *x, const uint32_t *chosen, size_t n,
                                  query_ranked_file *out, ken_err *err)
{
    float cosines[QUERY_CHOSEN] = { 0 };
    ken_status st = ken_lex_score_chunks(x->corpus, x->q, chosen, n, &x->s->scores, err);
    if (st)
        return st;
    if (x->has_meaning)
        find_cosines(x, chosen, n, cosines);
    for (size_t i = 0; i < n; i++) {
        out[i] = (query_ranked_file){ .of = x, .file = chosen[i] };
        set_features(x, &out[i], cosines[i]);
    }
    return KEN_OK;
}

static ken_status rank_best(query_search *x, query_ranking *out, ken_err *err)
{
    query_candidate best[QUERY_CHOSEN];
    uint32_t chosen[QUERY_CHOSEN];
    size_t n = ken_query__choose(x, best);
    for (size_t i = 0; i < n; i++)
        chosen[i] = best[i].file;
    query_ranked_file *ranked = KEN_ARENA_ARRAY(x->arena, query_ranked_file, n + 1);
    ken_status st = ken_query__rank_chosen(x, chosen, n, ranked, err);
    if (st)
        return st;
    out->files = KEN_ARENA_ARRAY(x->arena, query_ranked_file, n + 1);
    out->n_files = n;
    order_files(ranked, n, out->files);
    return KEN_OK;
}

static ken_status rank_files(query_search *x, ken_str query, const ken_cancel *cancel,
                             query_ranking *out, ken_err *err)
{
    ken_snapshot *s = x->s;
    ken_search_times *t = &x->times;
    t->began_ns = ken_clock_mono_ns();
    ken_status st = ken_lex_score_files(x->corpus, x->q, s->paths, cancel, &s->scores, err);
    if (!st)
        st = ken_query__find_definitions(x, err);
    if (!st)
        st = ken_query__find_named(x, err);
    int64_t with_words = ken_clock_mono_ns();
    if (!st)
        st = find_meaning(x, query, cancel, err);
    if (st)
        return st;
    int64_t with_meaning = ken_clock_mono_ns();
    t->words_ns = with_words - t->began_ns;
    t->vectors_ns = with_meaning - with_words - t->embedding_ns;
    st = rank_best(x, out, err);
    t->ranking_ns = ken_clock_mono_ns() - with_meaning;
    return st;
}

// ---- asking -----------------------------------------------------------------------------------

ken_str ken_query__read_question(query_search *x, ken_str query, ken_lex_query *q)
{
    ken_str core, rest = query, first;
    bool asks_for_tests = ken_query_asks_for_tests(query, &core);
    if (!asks_for_tests)
        core = ken_query_core(query);
    x->waived = ken_rank_waived(query);
    x->text = core;
    if (x->s && x->s->is_about_tests)
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
static void set_confidence(const query_search *x, const query_ranking *r, ken_search_result *out)
{
    if (x->o->mode != KEN_SEARCH_AUTO || *x->s->model || !x->s->vectors.matrix.n_dims)
        return;
    ken_query__set_confidence(r, out);
}

void ken_query__set_confidence(const query_ranking *r, ken_search_result *out)
{
    out->has_confidence = true;
    out->confidence = r->n_files ? ken_rank_confidence(&r->files[0].v) : 0;
    out->fits_nothing = out->confidence < KEN_RANK_FITS;
}

const char *ken_query__strategy(const ken_search_opts *o)
{
    return o->mode == KEN_SEARCH_LEXICAL    ? "lexical"
           : o->mode == KEN_SEARCH_SEMANTIC ? "semantic"
                                            : "hybrid";
}

static query_search search_in(ken_snapshot *s, const ken_search_opts *o, const ken_lex_query *q,
                              ken_arena *arena)
{
    return (query_search){
        .s = s, .corpus = &s->corpus, .size = s->size, .o = o, .q = q, .arena = arena
    };
}

ken_status ken_query__ranked(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                             const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                             ken_err *err)
{
    ken_lex_query q;
    query_search x = search_in(s, o, &q, arena);
    query_ranking r = { .o = o, .arena = arena };
    query = ken_query__read_question(&x, query, &q);
    if (o->mode == KEN_SEARCH_SEMANTIC)
        q = (ken_lex_query){ 0 };
    else if (!q.n_terms) // "g", "->": no words, but perhaps a name
        return ken_query__symbols(s, query, o, cancel, arena, out, err);
    ken_status st = rank_files(&x, query, cancel, &r, err);
    if (st)
        return st;
    int64_t ranked = ken_clock_mono_ns();
    *out = (ken_search_result){ .hits = KEN_ARENA_ARRAY(arena, ken_hit, ken_query__limit(o)),
                                .strategy = ken_query__strategy(o),
                                .note = x.note,
                                .times = x.times };
    set_confidence(&x, &r, out);
    st = ken_query__show(&r, out, err);
    out->times.quoting_ns = ken_clock_mono_ns() - ranked;
    return st;
}

ken_status ken_rank_candidates(ken_snapshot *s, ken_str query, ken_arena *arena,
                               ken_candidate **out, size_t *out_n, ken_err *err)
{
    ken_lex_query q;
    ken_search_opts opts = { 0 };
    query_check_pin(s);
    query_search x = search_in(s, &opts, &q, arena);
    query_ranking r = { .o = &opts, .arena = arena };
    query = ken_query__read_question(&x, query, &q);
    ken_status st = rank_files(&x, query, NULL, &r, err);
    *out = KEN_ARENA_ARRAY(arena, ken_candidate, r.n_files + 1);
    *out_n = st ? 0 : r.n_files;
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] =
            (ken_candidate){ s->rows[r.files[i].file].path, r.files[i].v, r.files[i].score };
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

ken_status ken_query__read_search(ken_str *query, const ken_search_opts *opts, ken_arena *arena,
                                  ken_search_opts *out, ken_err *err)
{
    *out = *opts;
    ken_quota_offer_part();
    if (is_in_words(opts->mode))
        *query = ken_str_trim(*query);
    if (!query->len || query->len > MAX_QUERY_BYTES)
        return KEN_FAIL(err, KEN_EINVAL, "query: expected 1 to %d bytes, got %zu", MAX_QUERY_BYTES,
                        query->len);
    ken_status st = KEN_OK;
    if (is_in_words(opts->mode) && !opts->is_verbatim)
        st = ken_query_parse(*query, opts, arena, query, out, err);
    if (!st)
        st = ken_query__check_opts(out, err);
    return st ? st : ken_query__clean_directory(out, arena, err);
}

ken_status ken_search(ken_snapshot *s, ken_str query, const ken_search_opts *opts,
                      const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                      ken_err *err)
{
    ken_search_opts o;
    query_check_pin(s);
    ken_status st = ken_query__read_search(&query, opts, arena, &o, err);
    return st ? st : ask(s, query, &o, cancel, arena, out, err);
}

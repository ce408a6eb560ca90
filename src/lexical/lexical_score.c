// SPDX-License-Identifier: MIT
// The posting lists of a question are read once, and their heads only: one per file that holds a
// term, with the counts of the whole file. What was found is kept, for a term's weight is known
// when all its files are counted, and for the few hundred files that may matter, whose chunks are
// then read from where their heads stood. Everything is in the order of the lists, so that lengths
// and sums are met in order too.
#include "lexical/lexical_score.h"

#include <math.h>

#include "base/alloc.h"

static const double field_weight[KEN_FIELD_COUNT] = { 1, 1, 2 }; // names: 4, counted in halves
static const float file_k = 6, chunk_k = 4;
static const double file_name_boost = 6, folder_boost = 2;
enum {
    BATCH = 128 // heads read at a time
};

static double norm_of(int field, uint32_t len, double average)
{
    return field_weight[field] / (0.25 + 0.75 * len / average);
}

static void find_only_files(const ken_lex_corpus *c, ken_lex_part *part, ken_arena *arena)
{
    uint32_t n = ken_lex_segment_n_contents(part->segment);
    part->only_file = KEN_ARENA_ARRAY(arena, int32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        int32_t file = part->first_file[i];
        part->only_file[i] = file >= 0 && c->next_file[file] < 0 ? file : -1;
    }
}

static void measure_part(const ken_lex_corpus *c, ken_lex_part *part, ken_arena *arena)
{
    uint32_t n = ken_lex_segment_n_contents(part->segment);
    const ken_lex_content *contents = ken_lex_segment_contents(part->segment);
    part->norm = KEN_ARENA_ARRAY(arena, float, (size_t)n *KEN_FIELD_COUNT + 1);
    for (uint32_t i = 0; i < n; i++)
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            part->norm[i * KEN_FIELD_COUNT + (uint32_t)f] =
                (float)norm_of(f, contents[i].len[f], c->file_len[f]);
}

// Averages, and the norms that follow from them.
static void set_averages(ken_lex_corpus *c, double n_files, double n_chunks,
                         const double sum[KEN_FIELD_COUNT], ken_arena *arena)
{
    for (int f = 0; f < KEN_FIELD_COUNT; f++) {
        c->file_len[f] = n_files > 0 && sum[f] > 0 ? sum[f] / n_files : 1;
        c->chunk_len[f] = n_chunks > 0 && sum[f] > 0 ? sum[f] / n_chunks : 1;
        for (uint32_t len = 0; len < KEN_LEX_NORMS; len++)
            c->chunk_norm[f][len] = (float)norm_of(f, len, c->chunk_len[f]);
    }
    for (uint32_t p = 0; p < c->n_parts; p++)
        measure_part(c, &c->parts[p], arena);
}

void ken_lex_corpus_measure(ken_lex_corpus *c, ken_arena *arena)
{
    double sum[KEN_FIELD_COUNT] = { 0 };
    c->n_chunks = 0;
    for (uint32_t i = 0; i < c->n_files; i++) {
        const ken_lex_segment *s = c->parts[c->file_part[i]].segment;
        const ken_lex_content *content = &ken_lex_segment_contents(s)[c->file_ordinal[i]];
        c->n_chunks += content->n_chunks;
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            sum[f] += content->len[f];
    }
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        c->sum_len[f] = sum[f];
    for (uint32_t p = 0; p < c->n_parts; p++)
        find_only_files(c, &c->parts[p], arena);
    set_averages(c, c->n_files, (double)c->n_chunks, sum, arena);
}

void ken_lex_totals_add_corpus(ken_lex_totals *t, const ken_lex_corpus *c)
{
    t->n_files += c->n_files;
    t->n_chunks += (double)c->n_chunks;
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        t->sum_len[f] += c->sum_len[f];
}

void ken_lex_corpus_widen(const ken_lex_corpus *c, const ken_lex_totals *t, ken_arena *arena,
                          ken_lex_corpus *out)
{
    *out = *c;
    out->parts = KEN_ARENA_ARRAY(arena, ken_lex_part, c->n_parts + 1);
    if (c->n_parts)
        memcpy(out->parts, c->parts, c->n_parts * sizeof *c->parts);
    set_averages(out, t->n_files, t->n_chunks, t->sum_len, arena);
}

void ken_lex_scores_release(ken_lex_scores *s)
{
    ken_free(s->files);
    ken_free(s->sums);
    ken_free(s->term);
    ken_free(s->term_comments);
    ken_vec_release(&s->touched);
    ken_vec_release(&s->term_touched);
    ken_vec_release(&s->found);
    ken_vec_release(&s->runs);
    ken_vec_release(&s->chunks);
    ken_vec_release(&s->term_chunks);
    ken_path_match_release(&s->paths);
    *s = (ken_lex_scores){ 0 };
}

static void prepare(ken_lex_scores *s, uint32_t n_files)
{
    if (s->n_files != n_files || !s->files) {
        ken_lex_scores_release(s);
        s->n_files = n_files;
        s->files = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->files));
        s->sums = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->sums));
        s->term = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->term));
        s->term_comments = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->term_comments));
    }
    for (size_t i = 0; i < s->touched.len; i++)
        s->sums[s->touched.ptr[i]] = (ken_lex_sum){ 0 };
    ken_vec_clear(&s->touched);
    ken_vec_clear(&s->found);
    ken_vec_clear(&s->runs);
    ken_vec_reserve(&s->touched, (size_t)n_files + 1);
}

static float path_boost(const ken_path_match *m, uint32_t term, uint32_t file)
{
    double boost = 0;
    if (!m->is_listed || !m->is_listed[file])
        return 0;
    if (m->file_name[term])
        boost += file_name_boost * (double)m->file_name[term][file];
    if (m->folder[term])
        boost += folder_boost * (double)m->folder[term][file];
    return (float)boost;
}

static double idf(double n, double df)
{
    df = df > n ? n : df < 0 ? 0 : df;
    return log(1 + (n - df + 0.5) / (df + 0.5));
}

// ---- posting lists read -----------------------------------------------------------------------

typedef struct reader {
    const ken_lex_corpus *c;
    ken_lex_scores *s;
    const ken_lex_part *part;
    double n_files, n_chunks; // with the term at hand
} reader;

// A content with several files, or none: what no file has any more, such as the last versions of a
// file that is being worked on, must not make its words look common.
static void add_copies(reader *r, const ken_lex_list *list, ken_lex_found found)
{
    int32_t n = 0;
    for (int32_t f = (int32_t)found.file; f >= 0; f = r->c->next_file[f], n++) {
        found.file = (uint32_t)f;
        ken_vec_push(&r->s->found, found);
    }
    ken_lex_cursor cursor;
    const uint8_t *pos = NULL;
    uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
    r->n_files += n - 1;
    if (ken_lex_cursor_seek(&cursor, list, found.place))
        while (ken_lex_cursor_chunk(&cursor, &pos, &chunk, tf))
            r->n_chunks += n - 1;
}

static void add_heads(reader *r, const ken_lex_list *list, const ken_lex_head *heads, uint32_t n)
{
    const int32_t *only_file = r->part->only_file;
    ken_vec_reserve(&r->s->found, r->s->found.len + n);
    ken_lex_found *to = r->s->found.ptr + r->s->found.len;
    for (const ken_lex_head *h = heads; h < heads + n; h++) {
        const float *norm = r->part->norm + (size_t)h->content * KEN_FIELD_COUNT;
        float value = 0;
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            value += norm[f] * (float)h->tf[f];
        *to = (ken_lex_found){ (uint32_t)only_file[h->content], h->place, value,
                               (float)h->tf[KEN_FIELD_COMMENT] };
        if (only_file[h->content] >= 0) {
            to++;
            continue;
        }
        ken_lex_found found = *to;
        found.file = (uint32_t)r->part->first_file[h->content];
        r->s->found.len = (size_t)(to - r->s->found.ptr);
        add_copies(r, list, found);
        ken_vec_reserve(&r->s->found, r->s->found.len + n);
        to = r->s->found.ptr + r->s->found.len;
    }
    r->s->found.len = (size_t)(to - r->s->found.ptr);
}

static void read_list(reader *r, const ken_lex_list *list)
{
    uint32_t n_contents = ken_lex_segment_n_contents(r->part->segment), n, n_sound;
    ken_lex_head heads[BATCH];
    ken_lex_cursor cursor;
    ken_lex_cursor_init(&cursor, list);
    r->n_files += list->n_contents;
    r->n_chunks += list->n_chunks;
    do {
        n = n_sound = ken_lex_cursor_heads(&cursor, list, heads, BATCH);
        while (n_sound && heads[n_sound - 1].content >= n_contents)
            n_sound--;
        if (n_sound)
            add_heads(r, list, heads, n_sound);
    } while (n == BATCH && n_sound == n);
}

// Reads the posting lists of a term, one run for each; the bytes of a segment do not move.
static ken_status read_term(reader *r, const ken_query_term *term, uint32_t t, ken_err *err)
{
    r->n_files = r->n_chunks = 0;
    for (uint32_t p = 0; p < r->c->n_parts; p++) {
        r->part = &r->c->parts[p];
        for (uint32_t l = 0; l < term->n_lookups; l++) {
            ken_lex_run run = { .term = t, .lookup = l, .from = r->s->found.len };
            ken_status st = ken_lex_find(r->part->segment, term->lookup[l], &run.list, err);
            if (st)
                return st;
            if (!run.list.n_contents)
                continue;
            read_list(r, &run.list);
            run.to = r->s->found.len;
            ken_vec_push(&r->s->runs, run);
        }
    }
    return KEN_OK;
}

// What a term is worth now that all that have it are counted.
static void weigh_term(ken_lex_scores *s, const ken_query_term *term, uint32_t t, double file_idf,
                       double chunk_idf)
{
    s->file_idf[t] = term->weight * file_idf;
    s->chunk_idf[t] = term->weight * chunk_idf;
    if (!term->is_whole) {
        s->file_weights += s->file_idf[t];
        s->chunk_weights += s->chunk_idf[t];
        s->word_weights += s->chunk_idf[t];
    }
}

// ---- files -------------------------------------------------------------------------------------

typedef struct term_weights {
    float file, comments; // what the most of this term is worth
} term_weights;

// A file is touched when it first gains something; every gain is more than nothing. Returns the
// next place in the list of those that are.
static inline uint32_t *add_gain(ken_lex_sum *sums, uint32_t *touched, uint32_t file, float x,
                                 float comments, term_weights w)
{
    ken_lex_sum *sum = &sums[file];
    float gain = w.file * x / (x + file_k);
    *touched = file;
    touched += sum->words <= 0 && gain > 0;
    sum->words += gain;
    sum->comments += w.comments * comments / (comments + 2);
    return touched;
}

static void add_to_term(ken_lex_scores *s, uint32_t file, float x, float comments)
{
    if (s->term[file] <= 0)
        ken_vec_push(&s->term_touched, file);
    s->term[file] += x;
    s->term_comments[file] += comments;
}

// Adds one term's share to every file that it touches, by text or by path.
static void fold_term(ken_lex_scores *s, uint32_t t, size_t first_run, size_t end_run,
                      term_weights w)
{
    bool has_path = s->paths.file_name[t] || s->paths.folder[t], is_single = !has_path;
    for (size_t r = first_run; r < end_run; r++)
        is_single = is_single && !s->runs.ptr[r].lookup;
    size_t from = first_run < end_run ? s->runs.ptr[first_run].from : 0;
    size_t to = first_run < end_run ? s->runs.ptr[end_run - 1].to : 0;
    const ken_lex_found *found = s->found.ptr;
    uint32_t *touched = s->touched.ptr + s->touched.len;
    if (is_single) { // then a file is met once
        for (size_t i = from; i < to; i++)
            touched =
                add_gain(s->sums, touched, found[i].file, found[i].value, found[i].comments, w);
        s->touched.len = (size_t)(touched - s->touched.ptr);
        return;
    }
    for (size_t i = from; i < to; i++)
        add_to_term(s, found[i].file, found[i].value, found[i].comments);
    for (size_t i = 0; has_path && i < s->paths.files.len; i++) {
        uint32_t file = s->paths.files.ptr[i];
        float boost = path_boost(&s->paths, t, file);
        if (boost > 0)
            add_to_term(s, file, boost, 0);
    }
    for (size_t i = 0; i < s->term_touched.len; i++) {
        uint32_t file = s->term_touched.ptr[i];
        touched = add_gain(s->sums, touched, file, s->term[file], s->term_comments[file], w);
        s->term[file] = s->term_comments[file] = 0;
    }
    ken_vec_clear(&s->term_touched);
    s->touched.len = (size_t)(touched - s->touched.ptr);
}

static void begin_terms(ken_lex_scores *s)
{
    s->file_weights = s->chunk_weights = s->word_weights = 0;
}

static void add_term(const ken_lex_query *q, ken_lex_scores *s, uint32_t t, size_t first_run,
                     size_t end_run)
{
    term_weights w = { (float)s->file_idf[t], q->terms[t].is_whole ? 0 : (float)s->chunk_idf[t] };
    fold_term(s, t, first_run, end_run, w);
}

static void end_terms(const ken_lex_query *q, const ken_path_index *paths, ken_lex_scores *s)
{
    if (s->file_weights <= 0 || s->chunk_weights <= 0)
        s->file_weights = s->chunk_weights = s->word_weights = 1;
    if (!paths)
        return;
    ken_path_match_weigh(&s->paths, q, s->file_idf);
    for (size_t i = 0; i < s->paths.files.len; i++)
        if (s->sums[s->paths.files.ptr[i]].words <= 0)
            ken_vec_push(&s->touched, s->paths.files.ptr[i]);
}

// Term by term, so that what was read is still at hand when it is added up.
static ken_status add_terms(const ken_lex_corpus *c, const ken_lex_query *q,
                            const ken_cancel *cancel, ken_lex_scores *s, ken_err *err)
{
    reader r = { .c = c, .s = s };
    begin_terms(s);
    for (uint32_t t = 0; t < q->n_terms; t++) {
        size_t first = s->runs.len;
        ken_status st = read_term(&r, &q->terms[t], t, err);
        if (!st)
            st = ken_cancel_check(cancel, err);
        if (st)
            return st;
        weigh_term(s, &q->terms[t], t, idf(c->n_files, r.n_files),
                   idf((double)c->n_chunks, r.n_chunks));
        add_term(q, s, t, first, s->runs.len);
    }
    return KEN_OK;
}

static void match_paths(const ken_lex_corpus *c, const ken_lex_query *q,
                        const ken_path_index *paths, ken_lex_scores *out)
{
    prepare(out, c->n_files);
    if (paths)
        ken_path_index_match(paths, q, &out->paths);
}

ken_status ken_lex_score_files(const ken_lex_corpus *c, const ken_lex_query *q,
                               const ken_path_index *paths, const ken_cancel *cancel,
                               ken_lex_scores *out, ken_err *err)
{
    match_paths(c, q, paths, out);
    ken_status st = add_terms(c, q, cancel, out, err);
    if (!st)
        end_terms(q, paths, out);
    return st;
}

ken_status ken_lex_read_files(const ken_lex_corpus *c, const ken_lex_query *q,
                              const ken_path_index *paths, const ken_cancel *cancel,
                              ken_lex_scores *out, ken_err *err)
{
    reader r = { .c = c, .s = out };
    match_paths(c, q, paths, out);
    for (uint32_t t = 0; t < q->n_terms; t++) {
        ken_status st = read_term(&r, &q->terms[t], t, err);
        if (!st)
            st = ken_cancel_check(cancel, err);
        if (st)
            return st;
        out->files_with[t] = r.n_files;
        out->chunks_with[t] = r.n_chunks;
    }
    return KEN_OK;
}

void ken_lex_totals_add_terms(ken_lex_totals *t, const ken_lex_query *q, const ken_lex_scores *s)
{
    for (uint32_t i = 0; i < q->n_terms; i++) {
        t->files_with[i] += s->files_with[i];
        t->chunks_with[i] += s->chunks_with[i];
    }
}

void ken_lex_fold_files(const ken_lex_query *q, const ken_path_index *paths,
                        const ken_lex_totals *all, ken_lex_scores *s)
{
    size_t run = 0;
    begin_terms(s);
    for (uint32_t t = 0; t < q->n_terms; t++) {
        size_t first = run;
        while (run < s->runs.len && s->runs.ptr[run].term == t)
            run++;
        weigh_term(s, &q->terms[t], t, idf(all->n_files, all->files_with[t]),
                   idf(all->n_chunks, all->chunks_with[t]));
        add_term(q, s, t, first, run);
    }
    end_terms(q, paths, s);
}

void ken_lex_score_touch(ken_lex_scores *s, uint32_t file)
{
    bool is_listed = s->paths.is_listed && s->paths.is_listed[file];
    if (s->sums[file].words <= 0 && !is_listed)
        ken_vec_push(&s->touched, file);
}

// ---- chunks ------------------------------------------------------------------------------------

// A chosen file: its slots among the chunks, and their lengths.
typedef struct chosen_file {
    uint32_t first, n_chunks;
    const uint8_t *lens;
} chosen_file;

// A chosen file's entry of a posting list.
typedef struct pick {
    const ken_lex_run *run;
    const ken_lex_found *found;
    const chosen_file *file;
} pick;

typedef struct chunk_pass {
    const ken_lex_corpus *c;
    ken_lex_scores *s;
    chosen_file *chosen;
    KEN_VEC(pick) picks;
    ken_vec_u32 touched; // chunk slots of the term at hand
    ken_vec_u32 owner;   // file of each touched slot
} chunk_pass;

// Gives each chosen file its place among the chunks. What will be read of it lies anywhere, so it
// is asked of memory here.
static ken_status lay_out(chunk_pass *x, const uint32_t *files, size_t n, ken_err *err)
{
    ken_lex_scores *s = x->s;
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++) {
        ken_lex_segment *seg = x->c->parts[x->c->file_part[files[i]]].segment;
        uint32_t ordinal = x->c->file_ordinal[files[i]];
        chosen_file *chosen = &x->chosen[i];
        *chosen = (chosen_file){ at, ken_lex_segment_contents(seg)[ordinal].n_chunks, NULL };
        s->files[files[i]] = (ken_lex_file_score){ .first_chunk = at };
        ken_status st = ken_lex_segment_raw_lens(seg, ordinal, &chosen->lens, err);
        if (st)
            return st;
        __builtin_prefetch(chosen->lens);
        at += chosen->n_chunks;
    }
    ken_vec_reserve(&s->chunks, at + 1);
    ken_vec_reserve(&s->term_chunks, at + 1);
    s->chunks.len = s->term_chunks.len = at;
    memset(s->chunks.ptr, 0, at * sizeof *s->chunks.ptr);
    memset(s->term_chunks.ptr, 0, at * sizeof *s->term_chunks.ptr);
    return KEN_OK;
}

// Finds the entries of the chosen files, in the order of the lists.
static void pick_found(chunk_pass *x, const uint32_t *files, size_t n)
{
    const ken_lex_scores *s = x->s;
    uint32_t *number = ken_zalloc(ken_mul_size(s->n_files + (size_t)1, sizeof *number));
    for (size_t i = 0; i < n; i++)
        number[files[i]] = (uint32_t)i + 1;
    for (size_t r = 0; r < s->runs.len; r++) {
        const ken_lex_run *run = &s->runs.ptr[r];
        for (size_t i = run->from; i < run->to; i++) {
            const ken_lex_found *found = &s->found.ptr[i];
            if (!number[found->file])
                continue;
            __builtin_prefetch(run->list.at + (found->place >> 1));
            ken_vec_push(&x->picks, ((pick){ run, found, &x->chosen[number[found->file] - 1] }));
        }
    }
    ken_free(number);
}

static void add_chunk(chunk_pass *x, uint32_t slot, uint32_t file, float value)
{
    if (x->s->term_chunks.ptr[slot] <= 0) {
        ken_vec_push(&x->touched, slot);
        ken_vec_push(&x->owner, file);
    }
    x->s->term_chunks.ptr[slot] += value;
}

// The weight of one occurrence in a field of `len` terms.
static inline float chunk_norm(const ken_lex_corpus *c, int field, uint32_t len)
{
    return len < KEN_LEX_NORMS ? c->chunk_norm[field][len]
                               : (float)norm_of(field, len, c->chunk_len[field]);
}

static void add_chunks(chunk_pass *x, const pick *p)
{
    uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
    const uint8_t *pos = NULL;
    ken_lex_cursor cursor;
    if (!ken_lex_cursor_seek(&cursor, &p->run->list, p->found->place))
        return;
    while (ken_lex_cursor_chunk(&cursor, &pos, &chunk, tf) && chunk < p->file->n_chunks) {
        const uint8_t *len = p->file->lens + (size_t)chunk * KEN_FIELD_COUNT * 2;
        float value = 0;
        for (int f = 0; f < KEN_FIELD_COUNT; f++, len += 2)
            if (tf[f])
                value += (float)tf[f] * chunk_norm(x->c, f, (uint32_t)(len[0] | len[1] << 8));
        add_chunk(x, p->file->first + chunk, p->found->file, value);
    }
}

// The score of a chunk beyond the share of its path, which all chunks of its file have alike.
static void fold_chunks(chunk_pass *x, uint32_t t)
{
    ken_lex_scores *s = x->s;
    float weight = (float)s->chunk_idf[t];
    for (size_t i = 0; i < x->touched.len; i++) {
        uint32_t slot = x->touched.ptr[i];
        float path = path_boost(&s->paths, t, x->owner.ptr[i]);
        float both = s->term_chunks.ptr[slot] + path;
        s->chunks.ptr[slot] += weight * (both / (both + chunk_k) - path / (path + chunk_k));
        s->term_chunks.ptr[slot] = 0;
    }
    ken_vec_clear(&x->touched);
    ken_vec_clear(&x->owner);
}

static void pick_best(const ken_lex_corpus *c, const ken_lex_query *q, uint32_t file,
                      ken_lex_scores *s)
{
    const ken_lex_segment *seg = c->parts[c->file_part[file]].segment;
    uint32_t n = ken_lex_segment_contents(seg)[c->file_ordinal[file]].n_chunks;
    ken_lex_file_score *f = &s->files[file];
    double path = 0;
    bool is_listed = s->paths.is_listed && s->paths.is_listed[file];
    for (uint32_t t = 0; is_listed && t < q->n_terms; t++) {
        double boost = (double)path_boost(&s->paths, t, file);
        path += s->chunk_idf[t] * boost / (boost + (double)chunk_k);
    }
    float best = 0, second = 0;
    f->best_chunk = 0;
    for (uint32_t i = 0; i < n; i++) {
        float value = s->chunks.ptr[f->first_chunk + i];
        if (value > best) {
            second = best;
            best = value;
            f->best_chunk = i;
        } else if (value > second) {
            second = value;
        }
    }
    f->best = best + (float)path;
    f->second = n > 1 ? second + (float)path : 0;
}

ken_status ken_lex_score_chunks(const ken_lex_corpus *c, const ken_lex_query *q,
                                const uint32_t *files, size_t n_files, ken_lex_scores *s,
                                ken_err *err)
{
    chunk_pass x = { .c = c, .s = s };
    x.chosen = ken_alloc(ken_mul_size(n_files + 1, sizeof *x.chosen));
    ken_status st = lay_out(&x, files, n_files, err);
    if (!st)
        pick_found(&x, files, n_files);
    for (size_t i = 0; i < x.picks.len; i++) {
        const pick *p = &x.picks.ptr[i];
        add_chunks(&x, p);
        if (i + 1 == x.picks.len || p[1].run->term != p->run->term)
            fold_chunks(&x, p->run->term);
    }
    for (size_t i = 0; i < n_files && !st; i++)
        pick_best(c, q, files[i], s);
    ken_vec_release(&x.picks);
    ken_vec_release(&x.touched);
    ken_vec_release(&x.owner);
    ken_free(x.chosen);
    return st;
}

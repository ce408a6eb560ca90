// SPDX-License-Identifier: MIT
// Two passes over the posting lists of a question. The first reads the heads only: one per file
// that holds a term, with the counts of the whole file. The second, for the few hundred files that
// may matter, looks into the chunks. A list is walked in order, so that lengths are read in order
// too.
#include "lexical/lexical_score.h"

#include <math.h>

#include "base/alloc.h"

static const double field_weight[KEN_FIELD_COUNT] = { 1, 1, 2 }; // names: 4, counted in halves
static const double file_k = 6, chunk_k = 4;
static const double stem_boost = 6, folder_boost = 2;
enum {
    WALKED_MAX = 4096
}; // contents of a list

static void set_norms(const ken_lex_corpus *c, ken_lex_part *part, ken_arena *arena)
{
    uint32_t n = ken_lex_segment_n_contents(part->segment);
    const ken_lex_content *contents = ken_lex_segment_contents(part->segment);
    part->norm = KEN_ARENA_ARRAY(arena, float, (size_t)n *KEN_FIELD_COUNT + 1);
    for (uint32_t i = 0; i < n; i++)
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            part->norm[i * KEN_FIELD_COUNT + (uint32_t)f] =
                (float)(field_weight[f] / (0.25 + 0.75 * contents[i].len[f] / c->file_len[f]));
}

static uint32_t n_files_of(const ken_lex_corpus *c, const ken_lex_part *part, uint32_t content)
{
    uint32_t n = 0;
    for (int32_t file = part->first_file[content]; file >= 0; file = c->next_file[file])
        n++;
    return n;
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
    for (int f = 0; f < KEN_FIELD_COUNT; f++) {
        c->file_len[f] = c->n_files && sum[f] > 0 ? sum[f] / c->n_files : 1;
        c->chunk_len[f] = c->n_chunks && sum[f] > 0 ? sum[f] / (double)c->n_chunks : 1;
    }
    for (uint32_t p = 0; p < c->n_parts; p++) {
        ken_lex_part *part = &c->parts[p];
        set_norms(c, part, arena);
        part->n_files = 0;
        part->has_file_each = true;
        for (uint32_t i = 0; i < ken_lex_segment_n_contents(part->segment); i++) {
            uint32_t n = n_files_of(c, part, i);
            part->n_files += n;
            part->has_file_each = part->has_file_each && n == 1;
        }
    }
}

void ken_lex_scores_release(ken_lex_scores *s)
{
    ken_free(s->files);
    ken_free(s->stamp);
    ken_free(s->term);
    ken_free(s->term_comments);
    ken_vec_release(&s->touched);
    ken_vec_release(&s->term_touched);
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
        s->stamp = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->stamp));
        s->term = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->term));
        s->term_comments = ken_zalloc(ken_mul_size(n_files + 1, sizeof *s->term_comments));
    }
    s->epoch++;
    ken_vec_clear(&s->touched);
}

static ken_lex_file_score *touch(ken_lex_scores *s, uint32_t file)
{
    if (s->stamp[file] != s->epoch) {
        s->stamp[file] = s->epoch;
        s->files[file] = (ken_lex_file_score){ 0 };
        ken_vec_push(&s->touched, file);
    }
    return &s->files[file];
}

static float path_boost(const ken_path_match *m, uint32_t term, uint32_t file)
{
    double boost = 0;
    if (m->stem[term])
        boost += stem_boost * (double)m->stem[term][file];
    if (m->folder[term])
        boost += folder_boost * (double)m->folder[term][file];
    return (float)boost;
}

static double idf(double n, double df)
{
    if (df > n)
        df = n;
    return log(1 + (n - df + 0.5) / (df + 0.5));
}

// Adds how many files, and chunks of them, a list stands for. What no file has any more, such as
// the last versions of a file that is being worked on, must not make its words look common. A long
// list is taken to have its segment's share of files: there it hardly matters, and walking it would
// cost.
static void count_files(const ken_lex_corpus *c, const ken_lex_part *part, const ken_lex_list *list,
                        double *n_files, double *n_chunks)
{
    uint32_t n_contents = ken_lex_segment_n_contents(part->segment);
    if (part->has_file_each || list->n_contents > WALKED_MAX) {
        double share = n_contents ? (double)part->n_files / n_contents : 0;
        *n_files += share * list->n_contents;
        *n_chunks += share * list->n_chunks;
        return;
    }
    ken_lex_cursor cursor;
    ken_lex_cursor_init(&cursor, list);
    while (ken_lex_cursor_next(&cursor) && cursor.content < n_contents) {
        uint32_t n = n_files_of(c, part, cursor.content), chunk = 0, tf[KEN_FIELD_COUNT];
        const uint8_t *pos = NULL;
        *n_files += n;
        while (n && ken_lex_cursor_chunk(&cursor, &pos, &chunk, tf))
            *n_chunks += n;
    }
}

// Document frequencies of all terms; the lists stay readable, for a segment's bytes do not move.
static ken_status find_lists(const ken_lex_corpus *c, const ken_lex_query *q, ken_lex_list *lists,
                             ken_lex_scores *s, ken_err *err)
{
    s->file_weights = s->chunk_weights = s->word_weights = 0;
    for (uint32_t t = 0; t < q->n_terms; t++) {
        const ken_query_term *term = &q->terms[t];
        double n_files = 0, n_chunks = 0;
        for (uint32_t p = 0; p < c->n_parts; p++) {
            for (uint32_t l = 0; l < 2; l++) {
                ken_lex_list *list = &lists[(t * c->n_parts + p) * 2 + l];
                *list = (ken_lex_list){ 0 };
                if (l >= term->n_lookups)
                    continue;
                ken_status st = ken_lex_find(c->parts[p].segment, term->lookup[l], list, err);
                if (st)
                    return st;
                count_files(c, &c->parts[p], list, &n_files, &n_chunks);
            }
        }
        s->file_idf[t] = term->weight * idf(c->n_files, n_files);
        s->chunk_idf[t] = term->weight * idf((double)c->n_chunks, n_chunks);
        if (!term->is_whole) {
            s->file_weights += s->file_idf[t];
            s->chunk_weights += s->chunk_idf[t];
            s->word_weights += s->chunk_idf[t];
        }
    }
    if (s->file_weights <= 0 || s->chunk_weights <= 0)
        s->file_weights = s->chunk_weights = s->word_weights = 1;
    return KEN_OK;
}

// ---- files -------------------------------------------------------------------------------------

static float weigh(const uint32_t tf[KEN_FIELD_COUNT], const uint32_t len[KEN_FIELD_COUNT],
                   const double average[KEN_FIELD_COUNT])
{
    double sum = 0;
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        if (tf[f])
            sum += field_weight[f] * tf[f] / (0.25 + 0.75 * len[f] / average[f]);
    return (float)sum;
}

static void add_list(const ken_lex_corpus *c, const ken_lex_part *part, const ken_lex_list *list,
                     ken_lex_scores *s)
{
    uint32_t n_contents = ken_lex_segment_n_contents(part->segment);
    ken_lex_cursor cursor;
    ken_lex_cursor_init(&cursor, list);
    while (ken_lex_cursor_next(&cursor) && cursor.content < n_contents) {
        int32_t file = part->first_file[cursor.content];
        if (file < 0)
            continue;
        const float *norm = part->norm + (size_t)cursor.content * KEN_FIELD_COUNT;
        float value = 0;
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            value += norm[f] * (float)cursor.tf[f];
        for (; file >= 0; file = c->next_file[file]) {
            if (s->term[file] <= 0)
                ken_vec_push(&s->term_touched, (uint32_t)file);
            s->term[file] += value;
            s->term_comments[file] += (float)cursor.tf[KEN_FIELD_COMMENT];
        }
    }
}

// Adds one term's share to every file that it touches, by text or by path.
static void fold_term(const ken_query_term *term, uint32_t t, ken_lex_scores *s)
{
    bool has_path = s->paths.stem[t] || s->paths.folder[t];
    for (size_t i = 0; has_path && i < s->paths.files.len; i++) {
        uint32_t file = s->paths.files.ptr[i];
        float boost = path_boost(&s->paths, t, file);
        if (boost <= 0)
            continue;
        if (s->term[file] <= 0)
            ken_vec_push(&s->term_touched, file);
        s->term[file] += boost;
    }
    for (size_t i = 0; i < s->term_touched.len; i++) {
        uint32_t file = s->term_touched.ptr[i];
        double x = (double)s->term[file], comments = (double)s->term_comments[file];
        ken_lex_file_score *score = touch(s, file);
        score->words += (float)(s->file_idf[t] * x / (x + file_k));
        if (!term->is_whole)
            score->comments += (float)(s->chunk_idf[t] * comments / (comments + 2));
        s->term[file] = 0;
        s->term_comments[file] = 0;
    }
    ken_vec_clear(&s->term_touched);
}

ken_status ken_lex_score_files(const ken_lex_corpus *c, const ken_lex_query *q,
                               const ken_path_index *paths, const ken_cancel *cancel,
                               ken_lex_scores *out, ken_err *err)
{
    prepare(out, c->n_files);
    size_t n_lists = (size_t)q->n_terms * c->n_parts * 2;
    ken_lex_list *lists = ken_alloc(ken_mul_size(n_lists + 1, sizeof *lists));
    ken_status st = find_lists(c, q, lists, out, err);
    if (!st && paths)
        ken_path_index_match(paths, q, out->file_idf, &out->paths);
    for (uint32_t t = 0; t < q->n_terms && !st; t++) {
        for (uint32_t p = 0; p < c->n_parts; p++)
            for (uint32_t l = 0; l < 2; l++)
                if (lists[(t * c->n_parts + p) * 2 + l].n_contents)
                    add_list(c, &c->parts[p], &lists[(t * c->n_parts + p) * 2 + l], out);
        fold_term(&q->terms[t], t, out);
        st = ken_cancel_check(cancel, err);
    }
    for (size_t i = 0; !st && paths && i < out->paths.files.len; i++)
        touch(out, out->paths.files.ptr[i]);
    ken_free(lists);
    return st;
}

// ---- chunks ------------------------------------------------------------------------------------

typedef struct chunk_pass {
    const ken_lex_corpus *c;
    ken_lex_scores *s;
    const uint8_t *is_chosen; // by file
    ken_vec_u32 touched;      // chunk slots of the term at hand
    ken_vec_u32 owner;        // file of each touched slot
} chunk_pass;

static void add_chunk(chunk_pass *x, uint32_t slot, uint32_t file, float value)
{
    if (x->s->term_chunks.ptr[slot] <= 0) {
        ken_vec_push(&x->touched, slot);
        ken_vec_push(&x->owner, file);
    }
    x->s->term_chunks.ptr[slot] += value;
}

static ken_status add_chunks(chunk_pass *x, const ken_lex_part *part, const ken_lex_list *list,
                             ken_err *err)
{
    uint32_t n_contents = ken_lex_segment_n_contents(part->segment);
    ken_lex_cursor cursor;
    ken_lex_cursor_init(&cursor, list);
    while (ken_lex_cursor_next(&cursor) && cursor.content < n_contents) {
        int32_t file = part->first_file[cursor.content];
        while (file >= 0 && !x->is_chosen[file])
            file = x->c->next_file[file];
        if (file < 0)
            continue;
        const uint16_t *lens = NULL;
        ken_status st = ken_lex_segment_chunk_lens(part->segment, cursor.content, &lens, err);
        if (st)
            return st;
        uint32_t n_chunks = ken_lex_segment_contents(part->segment)[cursor.content].n_chunks;
        const uint8_t *pos = NULL;
        uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
        while (ken_lex_cursor_chunk(&cursor, &pos, &chunk, tf) && chunk < n_chunks) {
            uint32_t len[KEN_FIELD_COUNT];
            for (int f = 0; f < KEN_FIELD_COUNT; f++)
                len[f] = lens[(size_t)chunk * KEN_FIELD_COUNT + (size_t)f];
            float value = weigh(tf, len, x->c->chunk_len);
            for (int32_t at = file; at >= 0; at = x->c->next_file[at])
                if (x->is_chosen[at])
                    add_chunk(x, x->s->files[at].first_chunk + chunk, (uint32_t)at, value);
        }
    }
    return KEN_OK;
}

// What a chunk gains over the path's own share, which all chunks of its file have alike.
static void fold_chunks(chunk_pass *x, uint32_t t)
{
    ken_lex_scores *s = x->s;
    for (size_t i = 0; i < x->touched.len; i++) {
        uint32_t slot = x->touched.ptr[i];
        double path = (double)path_boost(&s->paths, t, x->owner.ptr[i]);
        double both = (double)s->term_chunks.ptr[slot] + path;
        s->chunks.ptr[slot] +=
            (float)(s->chunk_idf[t] * (both / (both + chunk_k) - path / (path + chunk_k)));
        s->term_chunks.ptr[slot] = 0;
    }
    ken_vec_clear(&x->touched);
    ken_vec_clear(&x->owner);
}

static void lay_out(const ken_lex_corpus *c, const uint32_t *files, size_t n, ken_lex_scores *s)
{
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const ken_lex_segment *seg = c->parts[c->file_part[files[i]]].segment;
        s->files[files[i]].first_chunk = at;
        at += ken_lex_segment_contents(seg)[c->file_ordinal[files[i]]].n_chunks;
    }
    ken_vec_reserve(&s->chunks, at + 1);
    ken_vec_reserve(&s->term_chunks, at + 1);
    s->chunks.len = s->term_chunks.len = at;
    memset(s->chunks.ptr, 0, at * sizeof *s->chunks.ptr);
    memset(s->term_chunks.ptr, 0, at * sizeof *s->term_chunks.ptr);
}

static void pick_best(const ken_lex_corpus *c, const ken_lex_query *q, uint32_t file,
                      ken_lex_scores *s)
{
    const ken_lex_segment *seg = c->parts[c->file_part[file]].segment;
    uint32_t n = ken_lex_segment_contents(seg)[c->file_ordinal[file]].n_chunks;
    ken_lex_file_score *f = &s->files[file];
    double path = 0;
    for (uint32_t t = 0; t < q->n_terms; t++) {
        double boost = (double)path_boost(&s->paths, t, file);
        path += s->chunk_idf[t] * boost / (boost + chunk_k);
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
    uint8_t *is_chosen = ken_zalloc(c->n_files + 1);
    for (size_t i = 0; i < n_files; i++)
        is_chosen[files[i]] = 1;
    lay_out(c, files, n_files, s);
    chunk_pass x = { .c = c, .s = s, .is_chosen = is_chosen };
    ken_status st = KEN_OK;
    for (uint32_t t = 0; t < q->n_terms && !st; t++) {
        for (uint32_t p = 0; p < c->n_parts && !st; p++) {
            for (uint32_t l = 0; l < q->terms[t].n_lookups && !st; l++) {
                ken_lex_list list;
                st = ken_lex_find(c->parts[p].segment, q->terms[t].lookup[l], &list, err);
                if (!st)
                    st = add_chunks(&x, &c->parts[p], &list, err);
            }
        }
        fold_chunks(&x, t);
    }
    for (size_t i = 0; i < n_files && !st; i++)
        pick_best(c, q, files[i], s);
    ken_vec_release(&x.touched);
    ken_vec_release(&x.owner);
    ken_free(is_chosen);
    return st;
}

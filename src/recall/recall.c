// SPDX-License-Identifier: MIT
// A text goes through the tokenizer as a file of one chunk whose name is the title, so that words of the
// title are counted apart from those of the body.
#include "recall/recall.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "recall/recall_priv.h"

#define TITLE_FACTOR 0.5F // of a title's meaning, beside the body's

enum {
    FIRST_SLOTS = 64,
    FIRST_ROWS = 64,
    DEAD_MIN = 64,     // dead rows that are never worth a move
    LINE_BYTES = 1500, // the tokenizer takes longer lines for data
};

ken_recall *ken_recall_new(void)
{
    ken_recall *r = ken_zalloc(sizeof *r);
    r->model = ken_static_builtin();
    ken_vocabulary vocabulary = ken_static_vocabulary(r->model);
    r->tokenizer = ken_tokenizer_new(&vocabulary);
    r->matrix.n_dims = ken_static_n_dims(r->model);
    return r;
}

// They grow here, so they are not as the matrix would have made them.
static void release_rows(ken_vector_matrix *m)
{
    ken_free(m->first_row);
    ken_free(m->values);
    ken_free(m->scales);
    ken_free(m->signs);
}

void ken_recall_free(ken_recall *r)
{
    if (!r)
        return;
    ken_recall__release_lists(&r->lists);
    ken_vec_release(&r->texts);
    ken_vec_release(&r->ids);
    ken_vec_release(&r->titles);
    ken_vec_release(&r->lengths);
    release_rows(&r->matrix);
    ken_slots_release(&r->slots);
    ken_tokenizer_free(r->tokenizer);
    ken_lex_doc_release(&r->doc);
    ken_static_rows_release(&r->rows);
    ken_vec_release(&r->lines);
    ken_vec_release(&r->sums);
    ken_vec_release(&r->merged);
    ken_vec_release(&r->sign_sums);
    ken_vec_release(&r->near);
    ken_vec_release(&r->passing);
    ken_vec_release(&r->levels);
    ken_free(r);
}

size_t ken_recall_count(const ken_recall *r)
{
    return r->n_live;
}

size_t ken_recall_bytes(const ken_recall *r)
{
    const ken_vector_matrix *m = &r->matrix;
    size_t row = m->n_dims + sizeof *m->scales + sizeof *m->first_row + m->n_dims / 8;
    return sizeof *r + r->lists.n_bytes + r->lists.all.cap * sizeof *r->lists.all.ptr +
           ken_slots_bytes(&r->lists.slots) + ken_slots_bytes(&r->slots) +
           r->texts.cap * sizeof *r->texts.ptr + r->ids.cap * sizeof *r->ids.ptr +
           r->titles.cap * sizeof *r->titles.ptr + r->lengths.cap * sizeof *r->lengths.ptr +
           r->n_rows_cap * row + r->sums.cap * sizeof *r->sums.ptr +
           r->merged.cap * sizeof *r->merged.ptr + r->sign_sums.cap * sizeof *r->sign_sums.ptr +
           r->near.cap * sizeof *r->near.ptr + r->passing.cap * sizeof *r->passing.ptr +
           r->levels.cap;
}

double ken_recall_relevance(double cosine)
{
    double relevance = 1 - (1 - cosine) / 2;
    return relevance > 0 ? relevance : 0;
}

// ---- ids ---------------------------------------------------------------------------------------

// The slot of an id, or the free one where it belongs.
static bool has_id(const void *ids, uint32_t row, const void *id)
{
    return ((const int64_t *)ids)[row] == *(const int64_t *)id;
}

// The slot of an id, or the free one where it belongs.
static uint32_t *slot_of(const ken_recall *r, int64_t id)
{
    return ken_slots_find(&r->slots, ken_hash64(&id, sizeof id), has_id, r->ids.ptr, &id);
}

static void make_slots(ken_recall *r, size_t n_slots)
{
    ken_slots_make(&r->slots, n_slots);
    for (size_t row = 0; row < r->texts.len; row++)
        if (r->texts.ptr[row].is_live)
            *slot_of(r, r->ids.ptr[row]) = (uint32_t)row + 1;
}

// ---- rows --------------------------------------------------------------------------------------

static void reserve_row(ken_recall *r)
{
    ken_vector_matrix *m = &r->matrix;
    size_t n = r->texts.len + 1;
    if (n <= r->n_rows_cap)
        return;
    size_t cap = r->n_rows_cap ? r->n_rows_cap + r->n_rows_cap / 2 : FIRST_ROWS;
    m->first_row = ken_realloc(m->first_row, ken_mul_size(cap + 1, sizeof *m->first_row));
    m->values = ken_realloc(m->values, ken_mul_size(cap, m->n_dims));
    m->scales = ken_realloc(m->scales, ken_mul_size(cap, sizeof *m->scales));
    m->signs = ken_realloc(m->signs, ken_vector_signs_bytes(m->n_dims, cap));
    for (size_t row = r->n_rows_cap; row <= cap; row++)
        m->first_row[row] = (uint32_t)row;
    r->n_rows_cap = cap;
}

static void move_row(ken_recall *r, size_t from, size_t to)
{
    r->texts.ptr[to] = r->texts.ptr[from];
    r->ids.ptr[to] = r->ids.ptr[from];
    r->titles.ptr[to] = r->titles.ptr[from];
    r->lengths.ptr[to] = r->lengths.ptr[from];
    ken_vector_matrix_move(&r->matrix, from, to);
}

static void close_up(ken_recall *r)
{
    uint32_t *new_row = ken_alloc(ken_mul_size(r->texts.len, sizeof *new_row)), n = 0;
    for (size_t row = 0; row < r->texts.len; row++) {
        new_row[row] = UINT32_MAX;
        if (!r->texts.ptr[row].is_live)
            continue;
        if (n != row)
            move_row(r, row, n);
        new_row[row] = n++;
    }
    r->texts.len = r->ids.len = r->titles.len = r->lengths.len = n;
    r->matrix.n_rows = r->matrix.n_files = n;
    ken_recall__move_postings(&r->lists, new_row);
    ken_free(new_row);
    make_slots(r, r->slots.n);
}

void ken_recall_remove(ken_recall *r, int64_t id)
{
    uint32_t at = r->slots.n ? *slot_of(r, id) : 0;
    recall_text *t = at ? &r->texts.ptr[at - 1] : NULL;
    if (!t || !t->is_live)
        return;
    t->is_live = false;
    r->titles.ptr[at - 1] = 0;
    r->matrix.scales[at - 1] = 0; // no cosine
    r->n_title -= r->lengths.ptr[at - 1].title;
    r->n_body -= r->lengths.ptr[at - 1].body;
    r->lengths.ptr[at - 1] = (recall_length){ RECALL_DEAD, RECALL_DEAD };
    r->n_live--;
    size_t n_dead = r->texts.len - r->n_live;
    if (n_dead > DEAD_MIN && n_dead > r->texts.len / 3)
        close_up(r);
}

// ---- texts -------------------------------------------------------------------------------------

uint64_t ken_recall__title_hash(ken_str title)
{
    char words[KEN_RECALL_TITLE_MAX + 1];
    size_t n = 0;
    ken_str token;
    title = ken_str_sub(title, 0, KEN_RECALL_TITLE_MAX);
    while (ken_token_next(&title, &token) && n + token.len < sizeof words) {
        memcpy(words + n, token.ptr, token.len);
        ken_token_fold(words + n, token.len);
        n += token.len;
        words[n++] = ' ';
    }
    return n ? ken_hash64(words, n) | 1 : 0;
}

static bool has_long_line(ken_str text)
{
    ken_str line;
    while (ken_str_line_next(&text, &line))
        if (line.len > LINE_BYTES)
            return true;
    return false;
}

// The same words in lines of a length that the tokenizer reads to their end.
static ken_str in_lines(ken_recall *r, ken_str text)
{
    if (!has_long_line(text))
        return text;
    size_t line = 0;
    ken_vec_clear(&r->lines);
    ken_vec_reserve(&r->lines, text.len);
    for (size_t i = 0; i < text.len; i++) {
        bool is_end = text.ptr[i] == '\n' || (i - line > LINE_BYTES && ken_is_space(text.ptr[i]));
        r->lines.ptr[i] = is_end ? '\n' : text.ptr[i];
        line = is_end ? i + 1 : line;
    }
    return ken_str_n(r->lines.ptr, text.len);
}

// Counts terms into `doc` and makes the vector in `rows`.
static void read_text(ken_recall *r, ken_str title, ken_str body)
{
    ken_symbol name = { .kind = KEN_SYMBOL_FUNCTION, .name = title };
    ken_chunk chunk = { .span = { 0, (uint32_t)body.len } };
    ken_facts facts = { .symbols = &name, .n_symbols = 1, .chunks = &chunk, .n_chunks = 1 };
    ken_tokenize(r->tokenizer, body, &facts, NULL, 0, &r->doc);
    ken_static_embed_titled(r->model, &r->doc.bags, TITLE_FACTOR, &r->rows);
}

static uint32_t times(uint32_t n)
{
    return n < RECALL_TIMES_MAX ? n : RECALL_TIMES_MAX;
}

static void add_postings(ken_recall *r, uint32_t row)
{
    for (size_t i = 0; i < r->doc.postings.len; i++) {
        const ken_posting *p = &r->doc.postings.ptr[i];
        uint32_t title = times(p->tf[KEN_FIELD_NAME] / 2u); // names count two each
        ken_recall__add_posting(&r->lists, p->key >> 24,
                                row << RECALL_ROW_SHIFT | title << RECALL_TITLE_SHIFT |
                                    times(p->tf[KEN_FIELD_BODY]));
    }
}

static uint16_t short_length(uint32_t n_terms)
{
    return (uint16_t)(n_terms < RECALL_LENGTH_MAX ? n_terms : RECALL_LENGTH_MAX);
}

static ken_str clipped(ken_str s, size_t most)
{
    return s.len ? ken_str_sub(s, 0, most) : KEN_STR("");
}

void ken_recall_mark(ken_recall *r, int64_t id, uint32_t facet)
{
    uint32_t at = r->slots.n ? *slot_of(r, id) : 0;
    if (at && r->texts.ptr[at - 1].is_live)
        ken_recall__add_posting(&r->lists, RECALL_FACET_TERM | facet, (at - 1) << RECALL_ROW_SHIFT);
}

void ken_recall_put(ken_recall *r, int64_t id, ken_str title, ken_str body)
{
    ken_recall_remove(r, id);
    if (r->n_live == KEN_RECALL_TEXTS_MAX)
        return;
    title = clipped(title, KEN_RECALL_TITLE_MAX);
    body = clipped(body, KEN_RECALL_TEXT_MAX);
    read_text(r, title, in_lines(r, body));
    reserve_row(r);
    if (!ken_slots_has_room(&r->slots, r->texts.len + 1))
        make_slots(r, r->slots.n ? 2 * r->slots.n : FIRST_SLOTS);
    uint32_t row = (uint32_t)r->texts.len;
    recall_text t = { .is_live = true };
    recall_length length = { short_length(r->doc.len[KEN_FIELD_NAME] / 2),
                             short_length(r->doc.len[KEN_FIELD_BODY]) };
    ken_vec_push(&r->texts, t);
    ken_vec_push(&r->ids, id);
    ken_vec_push(&r->titles, ken_recall__title_hash(title));
    ken_vec_push(&r->lengths, length);
    *slot_of(r, id) = row + 1;
    r->matrix.n_rows = r->matrix.n_files = row + 1;
    ken_vector_matrix_put(&r->matrix, row, r->rows.values.ptr, r->rows.scales.ptr, NULL);
    add_postings(r, row);
    r->n_title += length.title;
    r->n_body += length.body;
    r->n_live++;
}

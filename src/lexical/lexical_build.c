// SPDX-License-Identifier: MIT
// Building a segment: postings and names are collected as they come, then sorted and written once.
//
// Postings arrive content by content and chunk by chunk, so a stable sort by term alone orders them
// completely. They are put into parts by the highest eight bits of the term as they come; a part is
// small enough for the cache, where four radix passes sort the other 32 bits, eight bits each.
// Names are sorted by their folded text.
#include <stdlib.h>

#include "base/alloc.h"
#include "lexical/lexical_priv.h"

typedef struct built_name {
    uint64_t key;       // seg_name_key
    uint32_t text, len; // in `name_text`
    uint32_t content, symbol;
    uint8_t kind, depth;
} built_name;

enum {
    PART_BITS = 8,
    N_PARTS = 1 << PART_BITS,
    MAX_POSTING_BYTES = 48, // that a posting takes in its list, at most
};

typedef KEN_VEC(ken_posting) posting_vec;

struct ken_lex_builder {
    posting_vec parts[N_PARTS]; // by the highest bits of the term
    bool is_sorted[N_PARTS];    // by part, from ken_lex_builder_sort on
    bool has_sorted_names;
    size_t n_postings, n_room; // of all parts; how many they have room for
    KEN_VEC(ken_lex_content) contents;
    KEN_VEC(uint16_t) lens;
    KEN_VEC(built_name) names;
    ken_buf name_text;
    uint32_t n_chunks;
};

ken_lex_builder *ken_lex_builder_new(void)
{
    ken_lex_builder *b = ken_zalloc(sizeof *b);
    b->name_text.max = UINT32_MAX / 2;
    return b;
}

static void clear(ken_lex_builder *b)
{
    for (int i = 0; i < N_PARTS; i++)
        ken_vec_release(&b->parts[i]);
    memset(b->is_sorted, 0, sizeof b->is_sorted);
    b->has_sorted_names = false;
    b->n_postings = b->n_room = 0;
    ken_vec_release(&b->contents);
    ken_vec_release(&b->lens);
    ken_vec_release(&b->names);
    ken_buf_release(&b->name_text);
    b->n_chunks = 0;
}

void ken_lex_builder_free(ken_lex_builder *b)
{
    if (!b)
        return;
    clear(b);
    ken_free(b);
}

size_t ken_lex_builder_bytes(const ken_lex_builder *b)
{
    return b->n_room * sizeof(ken_posting) + b->names.cap * sizeof *b->names.ptr +
           b->name_text.cap + b->lens.cap * sizeof *b->lens.ptr;
}

uint32_t ken_lex_builder_n_contents(const ken_lex_builder *b)
{
    return (uint32_t)b->contents.len;
}

static inline void add_posting(ken_lex_builder *b, ken_posting p)
{
    posting_vec *part = &b->parts[p.key >> (64 - PART_BITS)];
    b->n_room -= part->cap;
    ken_vec_push(part, p);
    b->n_room += part->cap;
    b->n_postings++;
}

static void add_content(ken_lex_builder *b, int64_t id, const uint16_t *lens, uint32_t n_chunks,
                        const uint32_t len[KEN_FIELD_COUNT])
{
    ken_lex_content c = { .id = id, .first_chunk = b->n_chunks, .n_chunks = n_chunks };
    memcpy(c.len, len, sizeof c.len);
    ken_vec_push(&b->contents, c);
    size_t n_lens = (size_t)n_chunks * KEN_FIELD_COUNT;
    ken_vec_reserve(&b->lens, b->lens.len + n_lens);
    if (n_lens)
        memcpy(b->lens.ptr + b->lens.len, lens, n_lens * sizeof *lens);
    b->lens.len += n_lens;
    b->n_chunks += n_chunks;
}

static void add_name(ken_lex_builder *b, ken_str name, uint32_t content, uint32_t symbol,
                     ken_symbol_kind kind, uint32_t depth)
{
    size_t n = b->names.len;
    name = ken_str_sub(name, 0, SEG_NAME_MAX);
    built_name entry = { .key = seg_name_key(name),
                         .text = (uint32_t)b->name_text.len,
                         .len = (uint32_t)name.len,
                         .content = content,
                         .symbol = symbol,
                         .kind = (uint8_t)kind,
                         .depth = depth > 255 ? 255 : (uint8_t)depth };
    built_name *last = n ? &b->names.ptr[n - 1] : NULL;
    if (last && ken_str_eq(ken_str_n(b->name_text.ptr + last->text, last->len), name))
        entry.text = last->text; // merging brings names in order: one copy of each
    else
        ken_buf_put_str(&b->name_text, name);
    ken_vec_push(&b->names, entry);
}

// Ancestors other than namespaces, modules and implementations: these hold, they do not hide.
static uint32_t nesting_of(const ken_symbol *symbols, uint32_t at)
{
    uint32_t n = 0;
    for (int32_t p = symbols[at].parent; p >= 0; p = symbols[p].parent) {
        ken_symbol_kind k = symbols[p].kind;
        n += k != KEN_SYMBOL_NAMESPACE && k != KEN_SYMBOL_MODULE && k != KEN_SYMBOL_IMPL;
    }
    return n;
}

void ken_lex_builder_add(ken_lex_builder *b, int64_t content, const ken_lex_doc *doc,
                         const ken_symbol *symbols, uint32_t n_symbols)
{
    uint32_t ordinal = (uint32_t)b->contents.len;
    add_content(b, content, doc->lens.ptr, doc->n_chunks, doc->len);
    for (size_t i = 0; i < doc->postings.len; i++) {
        ken_posting p = doc->postings.ptr[i];
        p.content = ordinal;
        add_posting(b, p);
    }
    for (uint32_t i = 0; i < n_symbols; i++)
        add_name(b, symbols[i].name, ordinal, i, symbols[i].kind, nesting_of(symbols, i));
}

// ---- sorting -----------------------------------------------------------------------------------

enum {
    RADIX_BITS = 8,
    RADIX_SIZE = 1 << RADIX_BITS,
    RADIX_PASSES = (SEG_TERM_BITS - PART_BITS) / RADIX_BITS,
    TERM_SHIFT = 24, // of the term in a posting's key
};

_Static_assert(RADIX_PASSES % 2 == 0, "the last pass writes into the part's own array");

static inline unsigned digit_of(const ken_posting *p, int pass)
{
    return p->key >> (TERM_SHIFT + pass * RADIX_BITS) & (RADIX_SIZE - 1);
}

// Stable, by term. `spare` has room for as many.
static void sort_part(posting_vec *part, ken_posting *spare)
{
    if (part->len < 2)
        return;
    uint32_t counts[RADIX_PASSES][RADIX_SIZE] = { 0 };
    ken_posting *from = part->ptr, *to = spare;
    for (size_t i = 0; i < part->len; i++)
        for (int pass = 0; pass < RADIX_PASSES; pass++)
            counts[pass][digit_of(&from[i], pass)]++;
    for (int pass = 0; pass < RADIX_PASSES; pass++) {
        uint32_t sum = 0;
        for (int d = 0; d < RADIX_SIZE; d++) {
            uint32_t count = counts[pass][d];
            counts[pass][d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < part->len; i++)
            to[counts[pass][digit_of(&from[i], pass)]++] = from[i];
        ken_posting *swap = from;
        from = to;
        to = swap;
    }
}

static int name_order(const void *a, const void *b, void *ctx)
{
    const built_name *x = a, *y = b;
    const char *text = ctx;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    ken_str s = ken_str_n(text + x->text, x->len), t = ken_str_n(text + y->text, y->len);
    int c = s.len > 8 || t.len > 8 ? ken_str_cmp_fold(s, t) : 0;
    if (!c)
        c = ken_str_cmp(s, t);
    if (c)
        return c;
    if (x->content != y->content)
        return x->content < y->content ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static size_t largest_part(const ken_lex_builder *b)
{
    size_t most = 0;
    for (int i = 0; i < N_PARTS; i++)
        most = b->parts[i].len > most ? b->parts[i].len : most;
    return most;
}

bool ken_lex_builder_sort(ken_lex_builder *b, uint32_t share, uint32_t n_shares)
{
    ken_posting *spare = ken_try_alloc(ken_mul_size(largest_part(b) + 1, sizeof *spare));
    if (!spare)
        return false;
    for (uint32_t i = share; i < N_PARTS; i += n_shares) {
        if (!b->is_sorted[i])
            sort_part(&b->parts[i], spare);
        b->is_sorted[i] = true;
    }
    ken_free(spare);
    if (share == n_shares - 1 && !b->has_sorted_names) {
        if (b->names.len)
            qsort_r(b->names.ptr, b->names.len, sizeof *b->names.ptr, name_order, b->name_text.ptr);
        b->has_sorted_names = true;
    }
    return true;
}

// ---- writing -----------------------------------------------------------------------------------

// The functions from here to put_term write to memory that put_terms has made large enough.
static inline uint8_t *add_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

// One byte for a count in the body alone, else a mask of the fields and a byte for each.
static inline uint8_t *add_tf(uint8_t *to, const uint32_t tf[KEN_FIELD_COUNT])
{
    uint32_t body = tf[KEN_FIELD_BODY], comment = tf[KEN_FIELD_COMMENT], name = tf[KEN_FIELD_NAME];
    if (!comment && !name && body < 128) {
        *to++ = (uint8_t)body;
        return to;
    }
    *to++ = (uint8_t)(0x80 | (body ? 1 : 0) | (comment ? 2 : 0) | (name ? 4 : 0));
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        if (tf[f])
            to = add_varint(to, tf[f]);
    return to;
}

static inline void posting_tf(const ken_posting *p, uint32_t tf[KEN_FIELD_COUNT])
{
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        tf[f] = p->tf[f];
}

// The postings of one term in one content: head, and its chunks when there are several.
static uint8_t *add_in_content(uint8_t *to, uint8_t *detail, const ken_posting *p, size_t n,
                               uint32_t delta)
{
    uint32_t tf[KEN_FIELD_COUNT];
    if (n == 1) {
        to = add_varint(to, (uint64_t)delta << 1);
        to = add_varint(to, p->key & 0xffffff);
        posting_tf(p, tf);
        return add_tf(to, tf);
    }
    uint32_t sum[KEN_FIELD_COUNT] = { 0 }, last = 0;
    uint8_t *end = detail;
    for (size_t i = 0; i < n; i++) {
        uint32_t chunk = p[i].key & 0xffffff;
        posting_tf(&p[i], tf);
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            sum[f] += tf[f];
        end = add_varint(end, chunk - last);
        end = add_tf(end, tf);
        last = chunk;
    }
    size_t n_bytes = (size_t)(end - detail);
    to = add_varint(to, (uint64_t)delta << 1 | 1);
    to = add_tf(to, sum);
    to = add_varint(to, n_bytes);
    memcpy(to, detail, n_bytes);
    return to + n_bytes;
}

typedef struct term_run {
    ken_term term;
    uint32_t n_contents, n_chunks;
    size_t n_bytes;
} term_run;

// Encodes the postings of the term at p[0] and returns how many they are.
static size_t put_term(const ken_posting *p, size_t n, uint8_t *list, uint8_t *detail,
                       term_run *run)
{
    uint64_t term = p[0].key >> TERM_SHIFT;
    uint8_t *to = list;
    size_t i = 0;
    uint32_t last = 0;
    *run = (term_run){ .term = term };
    while (i < n && p[i].key >> TERM_SHIFT == term) {
        size_t j = i + 1;
        while (j < n && p[j].key >> TERM_SHIFT == term && p[j].content == p[i].content)
            j++;
        to = add_in_content(to, detail, &p[i], j - i, p[i].content - last);
        last = p[i].content;
        run->n_contents++;
        run->n_chunks += (uint32_t)(j - i);
        i = j;
    }
    run->n_bytes = (size_t)(to - list);
    return i;
}

// Part by part, each of which is freed. False when there is no memory for what a term has.
static bool put_terms(ken_lex_builder *b, seg_writer *w)
{
    size_t most = largest_part(b) + 1;
    uint8_t *detail = ken_try_alloc(ken_mul_size(most, MAX_POSTING_BYTES));
    uint8_t *list = ken_try_alloc(ken_mul_size(most, MAX_POSTING_BYTES));
    for (int i = 0; i < N_PARTS && detail && list; i++) {
        posting_vec *part = &b->parts[i];
        term_run run;
        for (size_t at = 0; at < part->len;) {
            at += put_term(part->ptr + at, part->len - at, list, detail, &run);
            ken_lex__put_term(w, run.term, run.n_contents, run.n_chunks,
                              ken_str_n((const char *)list, run.n_bytes));
        }
        ken_vec_release(part);
    }
    ken_free(detail);
    ken_free(list);
    return detail && list;
}

// Where a name is defined; `places` holds no more than one name's.
static size_t put_name(const ken_lex_builder *b, size_t from, ken_buf *places, seg_writer *w)
{
    const built_name *names = b->names.ptr;
    const char *text = b->name_text.ptr;
    ken_str name = ken_str_n(text + names[from].text, names[from].len);
    size_t to = from;
    uint32_t last = 0;
    ken_buf_clear(places);
    while (to < b->names.len && names[to].key == names[from].key &&
           ken_str_eq(ken_str_n(text + names[to].text, names[to].len), name)) {
        ken_buf_put_varint(places, names[to].content - last);
        ken_buf_put_varint(places, names[to].symbol);
        ken_buf_putc(places, (char)names[to].kind);
        ken_buf_putc(places, (char)names[to].depth);
        last = names[to++].content;
    }
    ken_lex__put_name(w, name, (uint32_t)(to - from), ken_buf_str(places));
    return to;
}

static bool put_names(const ken_lex_builder *b, seg_writer *w)
{
    ken_buf places = KEN_BUF_INIT((size_t)1 << 30);
    for (size_t i = 0; i < b->names.len;)
        i = put_name(b, i, &places, w);
    bool is_over = places.is_over || b->name_text.is_over;
    ken_buf_release(&places);
    return !is_over;
}

static void put_contents(const ken_lex_builder *b, seg_writer *w)
{
    for (size_t i = 0; i < b->contents.len; i++) {
        const ken_lex_content *c = &b->contents.ptr[i];
        ken_lex__put_content(w, c->id, c->n_chunks, c->len);
    }
    for (size_t i = 0; i < b->lens.len; i++) {
        uint8_t len[2] = { (uint8_t)b->lens.ptr[i], (uint8_t)(b->lens.ptr[i] >> 8) };
        ken_lex__put_lens(w, len, sizeof len);
    }
}

ken_status ken_lex_builder_finish(ken_lex_builder *b, const ken_block_sink *sink, ken_err *err)
{
    seg_writer w;
    size_t n_postings = b->n_postings;
    ken_status st = KEN_OK;
    ken_lex__writer_init(&w, sink);
    if (!ken_lex_builder_sort(b, 0, 1)) {
        st = KEN_FAIL(err, KEN_ENOMEM, "sorting %zu postings", n_postings);
    } else {
        put_contents(b, &w);
        ken_lex__begin_terms(&w, n_postings);
        if (!put_terms(b, &w))
            st = KEN_FAIL(err, KEN_ENOMEM, "writing %zu postings", n_postings);
        ken_lex__end_terms(&w);
        if (!put_names(b, &w) && !st)
            st = KEN_FAIL(err, KEN_ELIMIT, "the names of a search segment are too many");
    }
    ken_status end = ken_lex__writer_end(&w, st ? NULL : err);
    clear(b);
    return st ? st : end;
}

// SPDX-License-Identifier: MIT
// Building a segment: postings and names are collected as they come, then sorted and written once.
//
// Postings arrive content by content and chunk by chunk, so a stable sort by term alone orders them
// completely: four radix passes over the 40 bits of the term, ten bits each, 16 bytes per posting
// and pass, twice the memory of the postings while it runs. Names are sorted by their folded text.
#include <stdlib.h>

#include "base/alloc.h"
#include "lexical/lexical_priv.h"

typedef struct built_name {
    uint64_t key;       // seg_name_key
    uint32_t text, len; // in `name_text`
    uint32_t content, symbol;
    uint8_t kind, depth;
} built_name;

struct ken_lex_builder {
    KEN_VEC(ken_posting) postings;
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
    ken_vec_release(&b->postings);
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
    return b->postings.cap * sizeof *b->postings.ptr + b->names.cap * sizeof *b->names.ptr +
           b->name_text.cap + b->lens.cap * sizeof *b->lens.ptr;
}

uint32_t ken_lex_builder_n_contents(const ken_lex_builder *b)
{
    return (uint32_t)b->contents.len;
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
    ken_vec_reserve(&b->postings, b->postings.len + doc->postings.len);
    for (size_t i = 0; i < doc->postings.len; i++) {
        ken_posting *p = &b->postings.ptr[b->postings.len++];
        *p = doc->postings.ptr[i];
        p->content = ordinal;
    }
    for (uint32_t i = 0; i < n_symbols; i++)
        add_name(b, symbols[i].name, ordinal, i, symbols[i].kind, nesting_of(symbols, i));
}

// ---- sorting -----------------------------------------------------------------------------------

enum {
    RADIX_BITS = 10,
    RADIX_SIZE = 1 << RADIX_BITS,
    RADIX_PASSES = 4
};

// Stable, by term. False when there is no memory for the second array.
static bool sort_postings(ken_lex_builder *b)
{
    size_t n = b->postings.len;
    ken_posting *from = b->postings.ptr;
    ken_posting *to = ken_try_alloc(ken_mul_size(n, sizeof *to));
    if (!to)
        return false;
    static const uint32_t radix_mask = RADIX_SIZE - 1;
    uint32_t(*counts)[RADIX_SIZE] = ken_zalloc(RADIX_PASSES * sizeof *counts);
    for (size_t i = 0; i < n; i++)
        for (int pass = 0; pass < RADIX_PASSES; pass++)
            counts[pass][from[i].key >> (24 + pass * RADIX_BITS) & radix_mask]++;
    for (int pass = 0; pass < RADIX_PASSES; pass++) {
        uint32_t sum = 0;
        for (int d = 0; d < RADIX_SIZE; d++) {
            uint32_t count = counts[pass][d];
            counts[pass][d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[counts[pass][from[i].key >> (24 + pass * RADIX_BITS) & radix_mask]++] = from[i];
        ken_posting *swap = from;
        from = to;
        to = swap;
    }
    ken_free(counts);
    ken_free(to); // an even number of passes: `from` is the builder's own array again
    return true;
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

// ---- writing -----------------------------------------------------------------------------------

static void put32(ken_buf *b, uint32_t v)
{
    uint8_t p[4];
    seg_put32(p, v);
    ken_buf_put(b, p, sizeof p);
}

static void put64(ken_buf *b, uint64_t v)
{
    uint8_t p[8];
    seg_put64(p, v);
    ken_buf_put(b, p, sizeof p);
}

// One byte for a count in the body alone, else a mask of the fields and a byte for each.
static void put_tf(ken_buf *b, const uint32_t tf[KEN_FIELD_COUNT])
{
    uint32_t body = tf[KEN_FIELD_BODY], comment = tf[KEN_FIELD_COMMENT], name = tf[KEN_FIELD_NAME];
    if (!comment && !name && body < 128) {
        ken_buf_putc(b, (char)body);
        return;
    }
    ken_buf_putc(b, (char)(0x80 | (body ? 1 : 0) | (comment ? 2 : 0) | (name ? 4 : 0)));
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        if (tf[f])
            ken_buf_put_varint(b, tf[f]);
}

static void posting_tf(const ken_posting *p, uint32_t tf[KEN_FIELD_COUNT])
{
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        tf[f] = p->tf[f];
}

// The postings of one term in one content: head, and its chunks when there are several.
static void put_content(ken_buf *out, ken_buf *detail, const ken_posting *p, size_t n,
                        uint32_t delta)
{
    uint32_t tf[KEN_FIELD_COUNT];
    if (n == 1) {
        ken_buf_put_varint(out, (uint64_t)delta << 1);
        ken_buf_put_varint(out, p->key & 0xffffff);
        posting_tf(p, tf);
        put_tf(out, tf);
        return;
    }
    uint32_t sum[KEN_FIELD_COUNT] = { 0 }, last = 0;
    ken_buf_clear(detail);
    for (size_t i = 0; i < n; i++) {
        uint32_t chunk = p[i].key & 0xffffff;
        posting_tf(&p[i], tf);
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            sum[f] += tf[f];
        ken_buf_put_varint(detail, chunk - last);
        put_tf(detail, tf);
        last = chunk;
    }
    ken_buf_put_varint(out, (uint64_t)delta << 1 | 1);
    put_tf(out, sum);
    ken_buf_put_varint(out, detail->len);
    ken_buf_put_str(out, ken_buf_str(detail));
}

typedef struct term_run {
    uint32_t low; // low 32 bits of the term
    uint32_t n_contents, n_chunks;
    uint64_t n_bytes;
} term_run;

// Writes the postings of the term at postings[from] and returns the index of the next term.
static size_t put_term(const ken_lex_builder *b, size_t from, ken_buf *out, ken_buf *detail,
                       term_run *run)
{
    const ken_posting *p = b->postings.ptr;
    uint64_t term = p[from].key >> 24;
    size_t start = out->len, i = from;
    uint32_t last = 0;
    *run = (term_run){ .low = (uint32_t)term };
    while (i < b->postings.len && p[i].key >> 24 == term) {
        size_t j = i + 1;
        while (j < b->postings.len && p[j].key >> 24 == term && p[j].content == p[i].content)
            j++;
        put_content(out, detail, &p[i], j - i, p[i].content - last);
        last = p[i].content;
        run->n_contents++;
        run->n_chunks += (uint32_t)(j - i);
        i = j;
    }
    run->n_bytes = out->len - start;
    return i;
}

static uint32_t bucket_bits_for(size_t n_postings)
{
    uint32_t bits = SEG_MIN_BUCKET_BITS;
    while (bits < SEG_MAX_BUCKET_BITS && ((size_t)128 << bits) < n_postings)
        bits++;
    return bits;
}

// Buckets, dictionary and postings are written side by side, for each needs the others' lengths.
static void put_terms(const ken_lex_builder *b, seg_header *h, ken_buf *buckets, ken_buf *dict,
                      ken_buf *postings)
{
    ken_buf detail = KEN_BUF_INIT(0);
    h->bucket_bits = bucket_bits_for(b->postings.len);
    uint64_t n_buckets = (uint64_t)1 << h->bucket_bits, bucket = 0;
    size_t i = 0;
    for (; bucket < n_buckets; bucket++) {
        put32(buckets, (uint32_t)dict->len);
        bool is_first = true;
        while (i < b->postings.len &&
               b->postings.ptr[i].key >> (24 + SEG_TERM_BITS - h->bucket_bits) == bucket) {
            if (is_first)
                ken_buf_put_varint(dict, postings->len);
            is_first = false;
            term_run run;
            i = put_term(b, i, postings, &detail, &run);
            put32(dict, run.low);
            ken_buf_put_varint(dict, run.n_contents);
            ken_buf_put_varint(dict, run.n_chunks - run.n_contents);
            ken_buf_put_varint(dict, run.n_bytes);
            h->n_terms++;
        }
    }
    put32(buckets, (uint32_t)dict->len);
    ken_buf_release(&detail);
}

// One name: bytes shared with the one before, the rest, and where it is defined.
static size_t put_name(const ken_lex_builder *b, size_t from, ken_str before, ken_buf *out)
{
    const built_name *names = b->names.ptr;
    const char *text = b->name_text.ptr;
    ken_str name = ken_str_n(text + names[from].text, names[from].len);
    size_t shared = 0, to = from;
    while (shared < before.len && shared < name.len && before.ptr[shared] == name.ptr[shared])
        shared++;
    while (to < b->names.len && names[to].key == names[from].key &&
           ken_str_eq(ken_str_n(text + names[to].text, names[to].len), name))
        to++;
    ken_buf_put_varint(out, shared);
    ken_buf_put_varint(out, name.len - shared);
    ken_buf_put(out, name.ptr + shared, name.len - shared);
    ken_buf_put_varint(out, to - from);
    uint32_t last = 0;
    for (size_t i = from; i < to; i++) {
        ken_buf_put_varint(out, names[i].content - last);
        ken_buf_put_varint(out, names[i].symbol);
        ken_buf_putc(out, (char)names[i].kind);
        ken_buf_putc(out, (char)names[i].depth);
        last = names[i].content;
    }
    return to;
}

static void put_names(const ken_lex_builder *b, seg_header *h, ken_buf *keys, ken_buf *out)
{
    ken_str before = { NULL, 0 };
    for (size_t i = 0; i < b->names.len;) {
        if (h->n_names % SEG_NAMES_PER_BLOCK == 0) {
            before = (ken_str){ NULL, 0 };
            put64(keys, b->names.ptr[i].key);
            put64(keys, out->len);
            h->n_name_blocks++;
        }
        size_t next = put_name(b, i, before, out);
        before = ken_str_n(b->name_text.ptr + b->names.ptr[i].text, b->names.ptr[i].len);
        h->n_names++;
        i = next;
    }
}

static void put_contents(const ken_lex_builder *b, ken_buf *out)
{
    for (size_t i = 0; i < b->contents.len; i++) {
        const ken_lex_content *c = &b->contents.ptr[i];
        put64(out, (uint64_t)c->id);
        put32(out, c->first_chunk);
        put32(out, c->n_chunks);
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            put32(out, c->len[f]);
        put32(out, 0);
    }
}

static void put_lens(const ken_lex_builder *b, ken_buf *out)
{
    for (size_t i = 0; i < b->lens.len; i++) {
        ken_buf_putc(out, (char)(b->lens.ptr[i] & 0xff));
        ken_buf_putc(out, (char)(b->lens.ptr[i] >> 8));
    }
}

static void put_header(const seg_header *h, ken_buf *out)
{
    size_t start = out->len;
    const uint32_t fields[] = { SEG_MAGIC,  SEG_FORMAT,     h->n_contents, h->n_chunks,
                                h->n_terms, h->bucket_bits, h->n_names,    h->n_name_blocks };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put32(out, fields[i]);
    for (int i = 0; i < SEG_SECTIONS; i++)
        put64(out, h->at[i]);
    while (out->len - start < SEG_HEADER_BYTES)
        ken_buf_putc(out, 0);
}

ken_status ken_lex_builder_finish(ken_lex_builder *b, ken_buf *out, ken_err *err)
{
    ken_buf parts[SEG_END];
    for (int i = 0; i < SEG_END; i++)
        parts[i] = KEN_BUF_INIT((size_t)2 << 30);
    seg_header h = { .n_contents = (uint32_t)b->contents.len, .n_chunks = b->n_chunks };
    ken_status st = KEN_OK;
    if (!sort_postings(b)) {
        st = KEN_FAIL(err, KEN_ENOMEM, "sorting %zu postings", b->postings.len);
        goto out;
    }
    if (b->names.len)
        qsort_r(b->names.ptr, b->names.len, sizeof *b->names.ptr, name_order, b->name_text.ptr);
    put_contents(b, &parts[SEG_CONTENTS]);
    put_lens(b, &parts[SEG_CHUNK_LENS]);
    put_terms(b, &h, &parts[SEG_BUCKETS], &parts[SEG_DICT], &parts[SEG_POSTINGS]);
    put_names(b, &h, &parts[SEG_NAME_KEYS], &parts[SEG_NAMES]);
    uint64_t at = SEG_HEADER_BYTES;
    bool is_over = b->name_text.is_over;
    for (int i = 0; i < SEG_END; i++) {
        h.at[i] = at;
        at += parts[i].len;
        is_over = is_over || parts[i].is_over;
    }
    h.at[SEG_END] = at;
    put_header(&h, out);
    for (int i = 0; i < SEG_END; i++)
        ken_buf_put_str(out, ken_buf_str(&parts[i]));
    if (is_over || out->is_over)
        st = KEN_FAIL(err, KEN_ELIMIT, "a search segment of %zu postings is too large",
                      b->postings.len);
out:
    for (int i = 0; i < SEG_END; i++)
        ken_buf_release(&parts[i]);
    clear(b);
    return st;
}

// ---- merging -----------------------------------------------------------------------------------

typedef struct merge {
    ken_lex_builder *b;
    ken_lex_segment *s;
    const uint32_t *new_ordinal; // by old ordinal; UINT32_MAX = dead
} merge;

static bool merge_name(void *ctx, ken_str text, const ken_name_posting *postings, uint32_t n)
{
    merge *m = ctx;
    for (uint32_t i = 0; i < n; i++)
        if (m->new_ordinal[postings[i].content] != UINT32_MAX)
            add_name(m->b, text, m->new_ordinal[postings[i].content], postings[i].symbol,
                     postings[i].kind, postings[i].depth);
    return true;
}

// The chunks of the content at hand; false when they are damaged.
static bool merge_chunks(merge *m, ken_term term, const ken_lex_cursor *c, uint32_t *n_chunks)
{
    uint32_t ordinal = m->new_ordinal[c->content], chunk = 0, tf[KEN_FIELD_COUNT];
    const uint8_t *pos = NULL;
    for (; ken_lex_cursor_chunk(c, &pos, &chunk, tf); ++*n_chunks) {
        if (chunk >= ken_lex_segment_contents(m->s)[c->content].n_chunks)
            return false;
        ken_posting p = { .key = term << 24 | chunk, .content = ordinal };
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            p.tf[f] = tf[f] > UINT8_MAX ? UINT8_MAX : (uint8_t)tf[f];
        if (ordinal != UINT32_MAX)
            ken_vec_push(&m->b->postings, p);
    }
    return true;
}

// The segment read here is removed afterwards: what cannot be read whole must not pass for all.
static ken_status merge_list(merge *m, ken_term term, const ken_lex_list *list, ken_err *err)
{
    uint32_t n_contents = 0, n_chunks = 0;
    bool is_sound = true;
    ken_lex_cursor c;
    ken_lex_cursor_init(&c, list);
    while (is_sound && ken_lex_cursor_next(&c)) {
        n_contents++;
        is_sound =
            c.content < ken_lex_segment_n_contents(m->s) && merge_chunks(m, term, &c, &n_chunks);
    }
    if (is_sound && n_contents == list->n_contents && n_chunks == list->n_chunks)
        return KEN_OK;
    return KEN_FAIL(err, KEN_ECORRUPT, "a search segment's postings are damaged");
}

ken_status ken_lex_builder_merge(ken_lex_builder *b, ken_lex_segment *s, const bool *is_live,
                                 ken_err *err)
{
    uint32_t n = ken_lex_segment_n_contents(s);
    const ken_lex_content *contents = ken_lex_segment_contents(s);
    uint32_t *ordinals = ken_alloc(ken_mul_size(n, sizeof *ordinals));
    merge m = { b, s, ordinals };
    ken_status st = KEN_OK;
    for (uint32_t i = 0; i < n && !st; i++) {
        ordinals[i] = UINT32_MAX;
        if (!is_live[i])
            continue;
        ordinals[i] = (uint32_t)b->contents.len;
        const uint16_t *lens = NULL;
        st = ken_lex_segment_chunk_lens(s, i, &lens, err);
        if (!st)
            add_content(b, contents[i].id, lens, contents[i].n_chunks, contents[i].len);
    }
    uint64_t next = 0;
    ken_term term;
    ken_lex_list list;
    while (!st && ken_lex__next_term(s, &next, &term, &list, &st, err))
        st = merge_list(&m, term, &list, err);
    if (!st)
        st = ken_lex_names_prefix(s, KEN_STR(""), merge_name, &m, err);
    ken_free(ordinals);
    return st;
}

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
    // The most bytes that a posting takes among the postings, and a term in the dictionary.
    MAX_POSTING_BYTES = 48,
    MAX_DICT_BYTES = 40,
};

_Static_assert((int)PART_BITS <= (int)SEG_MIN_BUCKET_BITS, "a bucket lies in one part");

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

static void put32(ken_buf *b, uint32_t v)
{
    uint8_t p[4];
    ken_put32(p, v);
    ken_buf_put(b, p, sizeof p);
}

static void put64(ken_buf *b, uint64_t v)
{
    uint8_t p[8];
    ken_put64(p, v);
    ken_buf_put(b, p, sizeof p);
}

// The functions from here to put_bucket write to memory that put_part has made large enough.
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
    uint32_t low; // low 32 bits of the term
    uint32_t n_contents, n_chunks;
    uint64_t n_bytes;
} term_run;

// Writes the postings of the term at p[0] and returns how many they are.
static size_t put_term(const ken_posting *p, size_t n, uint8_t **to, uint8_t *detail, term_run *run)
{
    uint64_t term = p[0].key >> TERM_SHIFT;
    uint8_t *start = *to;
    size_t i = 0;
    uint32_t last = 0;
    *run = (term_run){ .low = (uint32_t)term };
    while (i < n && p[i].key >> TERM_SHIFT == term) {
        size_t j = i + 1;
        while (j < n && p[j].key >> TERM_SHIFT == term && p[j].content == p[i].content)
            j++;
        *to = add_in_content(*to, detail, &p[i], j - i, p[i].content - last);
        last = p[i].content;
        run->n_contents++;
        run->n_chunks += (uint32_t)(j - i);
        i = j;
    }
    run->n_bytes = (uint64_t)(*to - start);
    return i;
}

static uint32_t bucket_bits_for(size_t n_postings)
{
    uint32_t bits = SEG_MIN_BUCKET_BITS;
    while (bits < SEG_MAX_BUCKET_BITS && ((size_t)128 << bits) < n_postings)
        bits++;
    return bits;
}

typedef struct terms_out {
    ken_buf *buckets, *dict, *postings;
    uint8_t *detail; // room for the chunks of one term in one content
    uint32_t n_terms;
} terms_out;

// One bucket of the dictionary, and the postings of its terms; returns how many these are.
static size_t put_bucket(const ken_posting *p, size_t n, uint32_t shift, terms_out *o)
{
    uint8_t *to = (uint8_t *)o->postings->ptr + o->postings->len, *first = to;
    uint8_t *dict = (uint8_t *)o->dict->ptr + o->dict->len;
    uint64_t bucket = p[0].key >> shift;
    size_t i = 0;
    dict = add_varint(dict, o->postings->len);
    while (i < n && p[i].key >> shift == bucket) {
        term_run run;
        i += put_term(p + i, n - i, &to, o->detail, &run);
        ken_put32(dict, run.low);
        dict = add_varint(dict + 4, run.n_contents);
        dict = add_varint(dict, run.n_chunks - run.n_contents);
        dict = add_varint(dict, run.n_bytes);
        o->n_terms++;
    }
    o->postings->len += (size_t)(to - first);
    o->dict->len = (size_t)((char *)dict - o->dict->ptr);
    return i;
}

// Buckets, dictionary and postings are written side by side, for each needs the others' lengths.
static void put_part(const posting_vec *part, uint64_t first_bucket, uint64_t end_bucket,
                     uint32_t shift, terms_out *o)
{
    if (!ken_buf_reserve(o->postings, part->len * MAX_POSTING_BYTES) ||
        !ken_buf_reserve(o->dict, part->len * MAX_DICT_BYTES))
        return; // it is noted in them
    size_t i = 0;
    for (uint64_t bucket = first_bucket; bucket < end_bucket; bucket++) {
        put32(o->buckets, (uint32_t)o->dict->len);
        if (i < part->len && part->ptr[i].key >> shift == bucket)
            i += put_bucket(part->ptr + i, part->len - i, shift, o);
    }
}

// Writes part by part. False when there is no memory for what a term has in one content.
static bool put_terms(ken_lex_builder *b, seg_header *h, terms_out *o)
{
    o->detail = ken_try_alloc(ken_mul_size(largest_part(b) + 1, sizeof(ken_posting)));
    if (!o->detail)
        return false;
    h->bucket_bits = bucket_bits_for(b->n_postings);
    uint64_t n_buckets = (uint64_t)1 << (h->bucket_bits - PART_BITS);
    for (uint64_t i = 0; i < N_PARTS; i++) {
        posting_vec *part = &b->parts[i];
        put_part(part, i * n_buckets, (i + 1) * n_buckets, 64 - h->bucket_bits, o);
        ken_vec_release(part);
    }
    put32(o->buckets, (uint32_t)o->dict->len);
    h->n_terms = o->n_terms;
    ken_free(o->detail);
    return true;
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

static void put_names(const ken_lex_builder *b, seg_header *h, ken_buf *keys, ken_buf *out,
                      ken_buf *letters)
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
        put32(letters, seg_name_letters(before));
        h->n_names++;
        i = next;
    }
    while (letters->len % SEG_LETTERS_BYTES)
        put32(letters, 0);
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
    terms_out terms = { &parts[SEG_BUCKETS], &parts[SEG_DICT], &parts[SEG_POSTINGS], NULL, 0 };
    if (!ken_lex_builder_sort(b, 0, 1) || !put_terms(b, &h, &terms)) {
        st = KEN_FAIL(err, KEN_ENOMEM, "sorting %zu postings", b->n_postings);
        goto out;
    }
    put_contents(b, &parts[SEG_CONTENTS]);
    put_lens(b, &parts[SEG_CHUNK_LENS]);
    put_names(b, &h, &parts[SEG_NAME_KEYS], &parts[SEG_NAMES], &parts[SEG_NAME_LETTERS]);
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
                      b->n_postings);
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
            add_posting(m->b, p);
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

// SPDX-License-Identifier: MIT
// A segment must answer like the plain lists it was built from: terms, counts, chunks, names; after
// merging too. Damaged bytes may lose answers, never memory.
#include <stdio.h>
#include <string.h>

#include "ktest.h"
#include "lexical/lexical_priv.h"
#include "refusal_lab.h"
#include "unit/lexical/lexical_lab.h"

static ken_err err;

static void build(lab_segment *l, const lab_docs *docs, uint32_t block_bytes)
{
    ken_lex_builder *b = ken_lex_builder_new();
    lab_close(l);
    l->block_bytes = block_bytes;
    lab_build(l, docs, b);
    ken_lex_builder_free(b);
    err = (ken_err){ 0 };
    kt_ok_err(lab_open(l, &err), &err);
}

// ---- the plain lists ---------------------------------------------------------------------------

typedef struct fact {
    ken_term term;
    uint32_t content, chunk;
    uint8_t tf[KEN_FIELD_COUNT];
} fact;

typedef KEN_VEC(fact) facts_list;

static int by_term(const void *a, const void *b)
{
    const fact *x = a, *y = b;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    if (x->content != y->content)
        return x->content < y->content ? -1 : 1;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

static facts_list facts_of(const lab_docs *docs)
{
    facts_list all = { 0 };
    for (uint32_t d = 0; d < docs->len; d++) {
        for (size_t i = 0; i < docs->ptr[d].doc.postings.len; i++) {
            const ken_posting *p = &docs->ptr[d].doc.postings.ptr[i];
            fact f = { .term = p->key >> 24, .content = d, .chunk = p->key & 0xffffff };
            memcpy(f.tf, p->tf, sizeof f.tf);
            ken_vec_push(&all, f);
        }
    }
    if (all.len)
        qsort(all.ptr, all.len, sizeof *all.ptr, by_term);
    return all;
}

// The content at the cursor is that of facts [from, to), which differ in the chunk only.
static void check_content(const ken_lex_cursor *c, const fact *from, const fact *to)
{
    kt_eq_u(c->content, from->content);
    uint32_t sum[KEN_FIELD_COUNT] = { 0 };
    const uint8_t *pos = NULL;
    uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
    for (const fact *f = from; f < to; f++) {
        kt_true(ken_lex_cursor_chunk(c, &pos, &chunk, tf));
        kt_eq_u(chunk, f->chunk);
        for (int i = 0; i < KEN_FIELD_COUNT; i++) {
            kt_eq_u(tf[i], f->tf[i]);
            sum[i] += f->tf[i];
        }
    }
    kt_false(ken_lex_cursor_chunk(c, &pos, &chunk, tf));
    for (int i = 0; i < KEN_FIELD_COUNT; i++)
        kt_eq_u(c->tf[i], sum[i]);
}

// Read in bulk, a list says the same, and its contents can be gone back to.
static void check_heads(const ken_lex_list *list, uint32_t batch)
{
    ken_lex_cursor one, bulk, back;
    ken_lex_head heads[7];
    ken_lex_cursor_init(&one, list);
    ken_lex_cursor_init(&bulk, list);
    for (uint32_t n; (n = ken_lex_cursor_heads(&bulk, list, heads, batch));) {
        for (uint32_t i = 0; i < n; i++) {
            kt_true(ken_lex_cursor_next(&one));
            kt_eq_u(heads[i].content, one.content);
            kt_eq_mem(heads[i].tf, sizeof heads[i].tf, one.tf, sizeof one.tf);
            kt_true(ken_lex_cursor_seek(&back, list, heads[i].place));
            const uint8_t *pos = NULL, *pos_back = NULL;
            uint32_t chunk = 0, chunk_back = 0, tf[KEN_FIELD_COUNT], tf_back[KEN_FIELD_COUNT];
            while (ken_lex_cursor_chunk(&one, &pos, &chunk, tf)) {
                kt_true(ken_lex_cursor_chunk(&back, &pos_back, &chunk_back, tf_back));
                kt_eq_u(chunk_back, chunk);
                kt_eq_mem(tf_back, sizeof tf_back, tf, sizeof tf);
            }
            kt_false(ken_lex_cursor_chunk(&back, &pos_back, &chunk_back, tf_back));
        }
    }
    kt_false(ken_lex_cursor_next(&one));
}

static void check_term(ken_lex_segment *s, const fact *from, const fact *to)
{
    ken_lex_list list;
    kt_ok_err(ken_lex_find(s, from->term, &list, &err), &err);
    kt_eq_u(list.n_chunks, (uint64_t)(to - from));
    check_heads(&list, 1 + lab_pick(7));
    ken_lex_cursor c;
    ken_lex_cursor_init(&c, &list);
    uint32_t n_contents = 0;
    while (from < to) {
        const fact *next = from;
        while (next < to && next->content == from->content)
            next++;
        kt_true(ken_lex_cursor_next(&c));
        check_content(&c, from, next);
        n_contents++;
        from = next;
    }
    kt_false(ken_lex_cursor_next(&c));
    kt_eq_u(list.n_contents, n_contents);
}

typedef struct walk {
    ken_lex_segment *s;
    ken_term last;
    size_t n, n_most; // at which it stops
} walk;

static bool walk_term(void *ctx, ken_term term, uint32_t n_contents)
{
    walk *w = ctx;
    ken_lex_list list;
    kt_true(!w->n || term > w->last);
    kt_ok_err(ken_lex_find(w->s, term, &list, &err), &err);
    kt_eq_u(list.n_contents, n_contents);
    w->last = term;
    return ++w->n < w->n_most;
}

// All terms, one after the other, and as many as are wanted.
static void check_walk(ken_lex_segment *s, const facts_list *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->len; i++)
        n += !i || all->ptr[i].term != all->ptr[i - 1].term;
    walk w = { .s = s, .n_most = SIZE_MAX };
    kt_ok_err(ken_lex_each_term(s, walk_term, &w, &err), &err);
    kt_eq_u(w.n, n);
    w = (walk){ .s = s, .n_most = 2 };
    kt_ok_err(ken_lex_each_term(s, walk_term, &w, &err), &err);
    kt_eq_u(w.n, n < 2 ? n : 2);
}

static void check_terms(ken_lex_segment *s, const lab_docs *docs)
{
    facts_list all = facts_of(docs);
    check_walk(s, &all);
    for (size_t i = 0; i < all.len;) {
        size_t j = i;
        while (j < all.len && all.ptr[j].term == all.ptr[i].term)
            j++;
        check_term(s, all.ptr + i, all.ptr + j);
        // Neighbours in the dictionary that are not there.
        ken_lex_list list;
        if (j < all.len && all.ptr[j].term != all.ptr[i].term + 1) {
            kt_ok_err(ken_lex_find(s, all.ptr[i].term + 1, &list, &err), &err);
            kt_eq_u(list.n_contents, 0);
            kt_null(list.at);
        }
        i = j;
    }
    ken_vec_release(&all);
}

static void check_contents(ken_lex_segment *s, const lab_docs *docs)
{
    kt_eq_u(ken_lex_segment_n_contents(s), docs->len);
    uint32_t first = 0;
    for (uint32_t d = 0; d < docs->len; d++) {
        const lab_doc *doc = &docs->ptr[d];
        const ken_lex_content *c = &ken_lex_segment_contents(s)[d];
        kt_eq_i(c->id, doc->id);
        kt_eq_u(c->first_chunk, first);
        kt_eq_u(c->n_chunks, doc->doc.n_chunks);
        first += c->n_chunks;
        const uint16_t *lens = NULL;
        kt_ok_err(ken_lex_segment_chunk_lens(s, d, &lens, &err), &err);
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            kt_eq_u(c->len[f], doc->doc.len[f]);
        for (size_t i = 0; i < doc->doc.lens.len; i++)
            kt_eq_u(lens[i], doc->doc.lens.ptr[i]);
    }
    kt_eq_u(ken_lex_segment_n_chunks(s), first);
}

// ---- names, plainly ----------------------------------------------------------------------------

typedef struct named {
    ken_str text;
    uint32_t content, symbol, depth;
    ken_symbol_kind kind;
} named;

typedef KEN_VEC(named) named_list;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int c = ken_str_cmp_fold(x->text, y->text);
    if (!c)
        c = ken_str_cmp(x->text, y->text);
    if (c)
        return c;
    if (x->content != y->content)
        return x->content < y->content ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

// Those that are `wanted` in any case, or begin with it.
static named_list names_like(const lab_docs *docs, ken_str wanted, bool wants_equal)
{
    named_list all = { 0 };
    for (uint32_t d = 0; d < docs->len; d++) {
        for (uint32_t i = 0; i < docs->ptr[d].symbols.len; i++) {
            const ken_symbol *s = &docs->ptr[d].symbols.ptr[i];
            if (!ken_str_eq_fold(ken_str_sub(s->name, 0, wanted.len), wanted) ||
                (wants_equal && s->name.len != wanted.len))
                continue;
            uint32_t depth = 0;
            for (int32_t p = s->parent; p >= 0; p = docs->ptr[d].symbols.ptr[p].parent) {
                ken_symbol_kind k = docs->ptr[d].symbols.ptr[p].kind;
                depth +=
                    k != KEN_SYMBOL_NAMESPACE && k != KEN_SYMBOL_MODULE && k != KEN_SYMBOL_IMPL;
            }
            ken_vec_push(&all, ((named){ s->name, d, i, depth > 255 ? 255 : depth, s->kind }));
        }
    }
    if (all.len)
        qsort(all.ptr, all.len, sizeof *all.ptr, by_name);
    return all;
}

typedef struct name_check {
    const named_list *want;
    size_t at;
} name_check;

static bool check_name(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    name_check *x = ctx;
    for (uint32_t i = 0; i < n; i++, x->at++) {
        kt_true(x->at < x->want->len);
        const named *w = &x->want->ptr[x->at];
        kt_eq_mem(text.ptr, text.len, w->text.ptr, w->text.len);
        kt_eq_u(p[i].content, w->content);
        kt_eq_u(p[i].symbol, w->symbol);
        kt_eq_u(p[i].kind, w->kind);
        kt_eq_u(p[i].depth, w->depth);
    }
    return true;
}

static void check_like(ken_lex_segment *s, const lab_docs *docs, ken_str wanted, bool wants_equal)
{
    named_list want = names_like(docs, wanted, wants_equal);
    name_check x = { &want, 0 };
    kt_ok_err(wants_equal ? ken_lex_names_equal(s, wanted, check_name, &x, &err)
                          : ken_lex_names_prefix(s, wanted, check_name, &x, &err),
              &err);
    kt_eq_u(x.at, want.len);
    ken_vec_release(&want);
}

// Every name there is, in order, of which some may be passed over.
typedef struct near_check {
    named_list all;
    size_t at;
    ken_str wanted;
    size_t n_edits, n_given;
} near_check;

// Edits between two names in any case, plainly: a swap of neighbours is one.
static size_t edits_between(ken_str a, ken_str b)
{
    static size_t d[300][300];
    for (size_t i = 0; i <= a.len; i++) {
        for (size_t j = 0; j <= b.len; j++) {
            size_t least = i && j ? SIZE_MAX : i + j;
            if (i && j) {
                bool is_same = ken_lower(a.ptr[i - 1]) == ken_lower(b.ptr[j - 1]);
                size_t up = d[i - 1][j] + 1, left = d[i][j - 1] + 1;
                least = d[i - 1][j - 1] + !is_same;
                least = up < least ? up : least;
                least = left < least ? left : least;
                if (i > 1 && j > 1 && ken_lower(a.ptr[i - 1]) == ken_lower(b.ptr[j - 2]) &&
                    ken_lower(a.ptr[i - 2]) == ken_lower(b.ptr[j - 1]) && d[i - 2][j - 2] < least)
                    least = d[i - 2][j - 2] + 1;
            }
            d[i][j] = least;
        }
    }
    return d[a.len][b.len];
}

static void must_be_far(const near_check *x, ken_str name)
{
    const uint32_t kinds = (1u << SEG_LETTERS_LEN) - 1;
    bool holds = !((seg_name_letters(name) ^ seg_name_letters(x->wanted)) & kinds) &&
                 ken_str_find(name, x->wanted) != SIZE_MAX;
    if (holds || edits_between(x->wanted, name) <= x->n_edits)
        kt_fail("'" KEN_STR_FMT "' was not said to be near '" KEN_STR_FMT "'", KEN_STR_ARG(name),
                KEN_STR_ARG(x->wanted));
}

static bool check_near(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    near_check *x = ctx;
    while (x->at < x->all.len && !ken_str_eq(x->all.ptr[x->at].text, text))
        must_be_far(x, x->all.ptr[x->at++].text);
    for (uint32_t i = 0; i < n; i++, x->at++) {
        kt_true(x->at < x->all.len);
        kt_eq_u(p[i].content, x->all.ptr[x->at].content);
        kt_eq_u(p[i].symbol, x->all.ptr[x->at].symbol);
    }
    x->n_given++;
    return true;
}

static size_t check_near_names(ken_lex_segment *s, const lab_docs *docs, const char *wanted,
                               uint32_t n_edits)
{
    near_check x = { .all = names_like(docs, KEN_STR(""), false),
                     .wanted = ken_str_c(wanted),
                     .n_edits = n_edits };
    kt_ok_err(ken_lex_names_near(s, x.wanted, n_edits, check_near, &x, &err), &err);
    while (x.at < x.all.len)
        must_be_far(&x, x.all.ptr[x.at++].text);
    ken_vec_release(&x.all);
    return x.n_given;
}

static void check_near_all(ken_lex_segment *s, const lab_docs *docs)
{
    static const char *const asked[] = { "parse", "prase", "PARSER", "parseheadr",          "a",
                                         "",      "x2",    "zzz",    "eightlettersandmroe", "ber" };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        for (uint32_t n_edits = 1; n_edits <= 2; n_edits++)
            check_near_names(s, docs, asked[i], n_edits);
}

// `name` with an edit or two, or a part of it.
static const char *mistyped(ken_str name)
{
    static char out[300];
    size_t len = name.len < 256 ? name.len : 256;
    memcpy(out, name.ptr, len);
    if (len > 6 && !lab_pick(4)) {
        size_t from = lab_pick((uint32_t)len - 5);
        len = 4 + lab_pick((uint32_t)(len - from - 4));
        memmove(out, out + from, len);
    }
    for (uint32_t n = lab_pick(3); n && len > 1; n--) {
        size_t at = lab_pick((uint32_t)len - 1);
        char old = out[at];
        switch (lab_pick(4)) {
        case 0:
            out[at] = (char)('a' + lab_pick(26));
            break;
        case 1:
            out[at] = out[at + 1];
            out[at + 1] = old;
            break;
        case 2:
            memmove(out + at, out + at + 1, --len - at);
            break;
        default:
            memmove(out + at + 1, out + at, len++ - at);
            out[at] = (char)('A' + lab_pick(26));
            break;
        }
    }
    out[len] = '\0';
    return out;
}

// Typing errors of names that are there, against a comparison with each of them.
static void check_mistyped(ken_lex_segment *s, const lab_docs *docs)
{
    for (int i = 0; i < 12 && docs->len; i++) {
        const lab_doc *d = &docs->ptr[lab_pick((uint32_t)docs->len)];
        if (!d->symbols.len)
            continue;
        ken_str name = d->symbols.ptr[lab_pick((uint32_t)d->symbols.len)].name;
        check_near_names(s, docs, mistyped(name), 1 + lab_pick(2));
    }
}

static void check_names(ken_lex_segment *s, const lab_docs *docs)
{
    check_near_all(s, docs);
    check_mistyped(s, docs);
    check_like(s, docs, KEN_STR(""), false);
    for (uint32_t d = 0; d < docs->len; d++) {
        for (uint32_t i = 0; i < docs->ptr[d].symbols.len; i += 1 + lab_pick(3)) {
            char turned[300];
            ken_str name = docs->ptr[d].symbols.ptr[i].name;
            for (size_t k = 0; k < name.len; k++)
                turned[k] = ken_is_alpha(name.ptr[k]) && lab_pick(2) ? (char)(name.ptr[k] ^ 0x20)
                                                                     : name.ptr[k];
            check_like(s, docs, ken_str_n(turned, name.len), true);
            check_like(s, docs, ken_str_n(turned, lab_pick((uint32_t)name.len + 1)), false);
        }
    }
    check_like(s, docs, KEN_STR("no such name"), true);
    check_like(s, docs, KEN_STR("\xff\xff"), false);
}

// ---- documents by chance -----------------------------------------------------------------------

static uint32_t random_tf(void)
{
    switch (lab_pick(8)) {
    case 0:
        return 126 + lab_pick(4);
    case 1:
        return 255;
    case 2:
        return 1 + lab_pick(255);
    default:
        return lab_pick(4);
    }
}

static void random_postings(lab_doc *d, const ken_term *terms, uint32_t n_terms)
{
    for (uint32_t c = 0; c < d->doc.n_chunks; c++) {
        uint32_t at = lab_pick(n_terms);
        for (uint32_t n = lab_pick(12); n; n--) {
            uint32_t body = random_tf(), comment = random_tf(), name = random_tf();
            if (lab_pick(2)) // most words stand in the body alone
                comment = name = 0;
            lab_add_posting(d, terms[at], c, body + !(body + comment + name), comment, name);
            at += 1 + lab_pick(1 + n_terms / 12); // never the same term twice
            if (at >= n_terms)
                break;
        }
    }
}

static void random_names(lab_doc *d)
{
    static const char *const names[] = {
        "parse",
        "Parse",
        "PARSE",
        "parser",
        "parse_header",
        "parseHeader",
        "ParseHeader",
        "a",
        "A",
        "_",
        "$",
        "operator==",
        "Title of a section",
        "\303\234ber",
        "\303\274ber",
        "eightlet",
        "eightlettersandmore",
        "EightLettersAndMore",
        "eightlettersandless",
        "[",
        "{",
        "~Foo",
        "z",
        "zz",
        "",
        "x1",
        "X1",
    };
    enum {
        N_NAMES = sizeof names / sizeof *names
    };
    for (uint32_t n = lab_pick(30), i = 0; i < n; i++) {
        ken_symbol s = { .name = ken_str_c(names[lab_pick(N_NAMES)]),
                         .kind = (ken_symbol_kind)(1 + lab_pick(KEN_SYMBOL_KIND_COUNT - 1)),
                         .parent = i && lab_pick(2) ? (int32_t)lab_pick(i) : -1 };
        ken_vec_push(&d->symbols, s);
    }
}

static int by_value(const void *a, const void *b)
{
    ken_term x = *(const ken_term *)a, y = *(const ken_term *)b;
    return (x > y) - (x < y);
}

static uint32_t random_terms(ken_term *terms, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) // clusters, and the ends of the space
        terms[i] = lab_pick(4) ? lab_pick64() >> 24 : (lab_pick64() >> 60 << 36) + lab_pick(1000);
    terms[0] = 0;
    terms[n - 1] = ((uint64_t)1 << 40) - 1;
    qsort(terms, n, sizeof *terms, by_value);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!kept || terms[kept - 1] != terms[i])
            terms[kept++] = terms[i];
    return kept;
}

static void random_docs(lab_docs *docs, uint32_t n_docs, uint32_t n_terms)
{
    ken_term *terms = ken_alloc(n_terms * sizeof *terms);
    n_terms = random_terms(terms, n_terms);
    for (uint32_t d = 0; d < n_docs; d++) {
        lab_doc *doc = lab_add_doc(docs, lab_pick(20) ? lab_pick(6) : lab_pick(400));
        random_postings(doc, terms, n_terms);
        random_names(doc);
    }
    ken_free(terms);
}

static void check_all(ken_lex_segment *s, const lab_docs *docs)
{
    check_contents(s, docs);
    check_terms(s, docs);
    check_names(s, docs);
}

// ---- tests: reading back -----------------------------------------------------------------------

KEN_TEST(an_empty_segment_answers_nothing)
{
    lab_segment l = { 0 };
    lab_docs none = { 0 };
    build(&l, &none, 4096);
    check_all(l.s, &none);
    ken_lex_list list;
    kt_ok(ken_lex_find(l.s, 12345, &list, &err));
    kt_eq_u(list.n_contents, 0);
    lab_release(&l);
}

KEN_TEST(random_documents_read_back_as_they_were)
{
    static const uint32_t blocks[] = { 1, 7, 64, 1000, 4096, 65536 };
    for (uint64_t seed = 1; seed <= 60; seed++) {
        lab_seed(seed);
        lab_segment l = { 0 };
        lab_docs docs = { 0 };
        random_docs(&docs, 1 + lab_pick(40), 2 + lab_pick(300));
        build(&l, &docs, blocks[seed % 6]);
        check_all(l.s, &docs);
        lab_docs_release(&docs);
        lab_release(&l);
    }
}

KEN_TEST(counts_at_the_edges_of_their_encoding)
{
    static const uint32_t counts[] = { 0, 1, 2, 126, 127, 128, 129, 254, 255 };
    lab_docs docs = { 0 };
    ken_term term = 1;
    for (uint32_t chunks = 1; chunks <= 3; chunks += 2) {
        lab_doc *d = lab_add_doc(&docs, chunks);
        for (uint32_t c = 0; c < chunks; c++) {
            ken_term at = term;
            for (int i = 1; i < 9 * 9 * 9; i++)
                lab_add_posting(d, at++, c, counts[i % 9], counts[i / 9 % 9], counts[i / 81]);
        }
        term += 1000;
    }
    lab_segment l = { 0 };
    build(&l, &docs, 512);
    check_all(l.s, &docs);
    lab_docs_release(&docs);
    lab_release(&l);
}

// Enough postings that the dictionary has more than its smallest number of buckets.
KEN_TEST(many_terms_spread_over_many_buckets)
{
    lab_seed(5);
    lab_docs docs = { 0 };
    for (uint32_t d = 0; d < 300; d++) {
        lab_doc *doc = lab_add_doc(&docs, 4);
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t i = 0; i < 120; i++)
                lab_add_posting(doc, ((uint64_t)i << 33) + (lab_pick64() & 0x1ffffff), c, 1, 0, 0);
    }
    lab_segment l = { 0 };
    build(&l, &docs, 4096);
    ken_buf flat = KEN_BUF_INIT(0);
    lab_flatten(&l, 2, &flat);
    kt_true(ken_get32((const uint8_t *)flat.ptr + 20) > SEG_MIN_BUCKET_BITS);
    ken_buf_release(&flat);
    check_contents(l.s, &docs);
    check_terms(l.s, &docs);
    lab_docs_release(&docs);
    lab_release(&l);
}

// A content with thousands of chunks, and contents far apart: numbers of several bytes.
KEN_TEST(large_contents_and_wide_gaps)
{
    lab_docs docs = { 0 };
    for (uint32_t d = 0; d < 20000; d++) {
        lab_doc *doc = lab_add_doc(&docs, d == 10000 ? 20000 : 1);
        if (d % 9999 == 0)
            lab_add_posting(doc, 77, 0, 3, 0, 0);
        for (uint32_t c = 0; d == 10000 && c < 20000; c += 1 + c % 300)
            lab_add_posting(doc, 78, c, 200, 200, 200);
    }
    lab_segment l = { 0 };
    build(&l, &docs, 65536);
    check_contents(l.s, &docs);
    check_terms(l.s, &docs);
    lab_docs_release(&docs);
    lab_release(&l);
}

static bool stop_at_three(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    size_t *met = ctx;
    (void)text;
    (void)p;
    (void)n;
    return ++*met < 3;
}

KEN_TEST(a_name_walk_can_stop)
{
    lab_docs docs = { 0 };
    lab_doc *d = lab_add_doc(&docs, 1);
    char text[100][8];
    for (int i = 0; i < 100; i++) {
        snprintf(text[i], sizeof text[i], "name%02d", i);
        ken_vec_push(&d->symbols,
                     ((ken_symbol){
                         .name = ken_str_c(text[i]), .kind = KEN_SYMBOL_FUNCTION, .parent = -1 }));
    }
    lab_segment l = { 0 };
    build(&l, &docs, 4096);
    check_names(l.s, &docs);
    size_t met = 0;
    kt_ok(ken_lex_names_prefix(l.s, KEN_STR("NAME"), stop_at_three, &met, &err));
    kt_eq_u(met, 3);
    lab_docs_release(&docs);
    lab_release(&l);
}

// The walk of names must survive any name that a grammar may hand over.
KEN_TEST(very_long_names_do_not_hide_the_others)
{
    char longest[1000];
    memset(longest, 'n', sizeof longest);
    lab_docs docs = { 0 };
    lab_doc *d = lab_add_doc(&docs, 1);
    static const size_t lens[] = { 1, 8, 9, 200, 255, 256 };
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
        ken_vec_push(&d->symbols, ((ken_symbol){ .name = ken_str_n(longest, lens[i]),
                                                 .kind = KEN_SYMBOL_FUNCTION,
                                                 .parent = -1 }));
    lab_segment l = { 0 };
    build(&l, &docs, 4096);
    check_names(l.s, &docs);
    ken_vec_push(&d->symbols, ((ken_symbol){ .name = ken_str_n(longest, sizeof longest),
                                             .kind = KEN_SYMBOL_FUNCTION,
                                             .parent = -1 }));
    build(&l, &docs, 4096);
    d->symbols.len--;
    check_like(l.s, &docs, ken_str_n(longest, 200), true);
    lab_docs_release(&docs);
    lab_release(&l);
}

static ken_term any_term(const lab_docs *docs)
{
    for (size_t d = docs->len / 2; d < docs->len; d++)
        if (docs->ptr[d].doc.postings.len)
            return docs->ptr[d].doc.postings.ptr[0].key >> 24;
    kt_fail("no document has a word");
}

KEN_TEST(only_what_is_asked_for_is_read)
{
    lab_seed(6);
    lab_docs docs = { 0 };
    random_docs(&docs, 2000, 5000);
    lab_segment l = { 0 };
    build(&l, &docs, 4096);
    ken_term term = any_term(&docs);
    size_t at_open = ken_lex_segment_resident(l.s);
    kt_true(at_open < l.bytes.len / 4);
    ken_lex_list list;
    kt_ok(ken_lex_find(l.s, term, &list, &err));
    size_t after = ken_lex_segment_resident(l.s);
    kt_true(after > at_open && after < l.bytes.len / 2);
    uint32_t n_reads = l.n_reads;
    kt_ok(ken_lex_find(l.s, term, &list, &err));
    kt_eq_u(l.n_reads, n_reads); // a block is read once
    lab_docs_release(&docs);
    lab_release(&l);
}

// ---- tests: merging ----------------------------------------------------------------------------

// Joins segments; `keep` drops about one content in three.
static void merge(lab_segment *parts, size_t n, const lab_docs *docs, bool drops, lab_segment *out,
                  lab_docs *alive)
{
    enum {
        MOST = 8,
        MOST_DOCS = 64
    };
    bool is_live[MOST][MOST_DOCS] = { 0 };
    ken_lex_input inputs[MOST];
    for (size_t p = 0; p < n; p++) {
        for (size_t i = 0; i < docs[p].len; i++) {
            is_live[p][i] = !drops || lab_pick(3);
            if (is_live[p][i])
                ken_vec_push(alive, docs[p].ptr[i]);
        }
        inputs[p] = (ken_lex_input){ parts[p].s, drops ? is_live[p] : NULL, NULL };
    }
    out->block_bytes = 512;
    ken_block_sink sink = lab_sink(out);
    kt_ok_err(ken_lex_merge(inputs, n, &sink, &err), &err);
    kt_ok_err(lab_open(out, &err), &err);
}

// Section by section: which was written first is nobody's business.
static void check_same(lab_segment *a, lab_segment *b)
{
    ken_buf x = KEN_BUF_INIT(0), y = KEN_BUF_INIT(0);
    lab_flatten(a, 2, &x);
    lab_flatten(b, 2, &y);
    kt_eq_mem(x.ptr, x.len, y.ptr, y.len);
    ken_buf_release(&x);
    ken_buf_release(&y);
}

static void merge_by_chance(bool drops)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        lab_seed(seed);
        enum {
            MOST = 5
        };
        lab_segment parts[MOST] = { 0 }, merged = { 0 }, fresh = { 0 };
        lab_docs docs[MOST] = { 0 }, alive = { 0 };
        size_t n = 1 + lab_pick(MOST);
        for (size_t p = 0; p < n; p++) {
            random_docs(&docs[p], lab_pick(60), 2 + lab_pick(300));
            build(&parts[p], &docs[p], 777);
        }
        merge(parts, n, docs, drops, &merged, &alive);
        check_all(merged.s, &alive);
        build(&fresh, &alive, 512);
        check_same(&merged, &fresh);
        ken_vec_release(&alive);
        for (size_t p = 0; p < n; p++) {
            lab_docs_release(&docs[p]);
            lab_release(&parts[p]);
        }
        lab_release(&merged);
        lab_release(&fresh);
    }
}

KEN_TEST(merging_equals_building_from_scratch)
{
    merge_by_chance(false);
}

KEN_TEST(merging_drops_dead_contents_without_a_trace)
{
    merge_by_chance(true);
}

KEN_TEST(a_builder_starts_anew_after_finish)
{
    lab_docs docs = { 0 };
    lab_add_posting(lab_add_doc(&docs, 1), 5, 0, 1, 0, 0);
    lab_segment l = { 0 };
    ken_lex_builder *b = ken_lex_builder_new();
    for (int i = 0; i < 3; i++) {
        lab_close(&l);
        lab_build(&l, &docs, b);
        kt_eq_u(ken_lex_builder_n_contents(b), 0);
        kt_ok(lab_open(&l, &err));
        check_all(l.s, &docs);
    }
    ken_lex_builder_free(b);
    lab_docs_release(&docs);
    lab_release(&l);
}

KEN_TEST(sorting_in_shares_makes_the_same_segment)
{
    enum {
        SHARES = 3
    };
    lab_seed(5);
    lab_docs docs = { 0 };
    random_docs(&docs, 40, 300);
    lab_segment l = { 0 };
    build(&l, &docs, 512);
    ken_lex_builder *b = ken_lex_builder_new();
    for (size_t i = 0; i < docs.len; i++)
        ken_lex_builder_add(b, docs.ptr[i].id, &docs.ptr[i].doc, docs.ptr[i].symbols.ptr,
                            (uint32_t)docs.ptr[i].symbols.len);
    for (uint32_t share = SHARES; share-- > 0;)
        kt_true(ken_lex_builder_sort(b, share, SHARES));
    ken_buf bytes = KEN_BUF_INIT(0);
    ken_block_sink sink = ken_block_sink_of(&bytes, l.block_bytes);
    kt_ok_err(ken_lex_builder_finish(b, &sink, &err), &err);
    kt_true(ken_str_eq(ken_buf_str(&bytes), ken_buf_str(&l.bytes)));
    ken_buf_release(&bytes);
    ken_lex_builder_free(b);
    lab_docs_release(&docs);
    lab_release(&l);
}

// ---- tests: damage -----------------------------------------------------------------------------

static bool ignore_name(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    uint64_t *sum = ctx;
    for (size_t i = 0; i < text.len; i++)
        *sum += (uint8_t)text.ptr[i];
    for (uint32_t i = 0; i < n; i++)
        *sum += p[i].content + p[i].symbol + p[i].depth;
    return true;
}

static void walk_list(ken_lex_list *list, uint64_t *sum)
{
    ken_lex_cursor c;
    ken_lex_cursor_init(&c, list);
    while (ken_lex_cursor_next(&c)) {
        const uint8_t *pos = NULL;
        uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
        *sum += c.content + c.tf[0];
        while (ken_lex_cursor_chunk(&c, &pos, &chunk, tf))
            *sum += chunk + tf[1];
    }
}

// Asks everything of bytes that may be damaged. What fails says why; nothing else may happen.
static void ask_everything(lab_segment *l, const lab_docs *docs)
{
    err = (ken_err){ 0 };
    if (lab_open(l, &err)) {
        kt_true(err.status == KEN_ECORRUPT || err.status == KEN_EVERSION);
        kt_true(err.msg[0] != '\0');
        kt_null(l->s);
        return;
    }
    uint64_t sum = 0;
    for (uint32_t d = 0; d < docs->len; d++) {
        for (size_t i = 0; i < docs->ptr[d].doc.postings.len; i++) {
            ken_lex_list list;
            ken_status st =
                ken_lex_find(l->s, docs->ptr[d].doc.postings.ptr[i].key >> 24, &list, &err);
            kt_true(!st || st == KEN_ECORRUPT);
            if (!st)
                walk_list(&list, &sum);
        }
    }
    const uint16_t *lens = NULL;
    for (uint32_t i = 0; i < ken_lex_segment_n_contents(l->s); i++)
        kt_ok_err(ken_lex_segment_chunk_lens(l->s, i, &lens, &err), &err);
    ken_status st = ken_lex_names_prefix(l->s, KEN_STR(""), ignore_name, &sum, &err);
    kt_true(!st || st == KEN_ECORRUPT);
    st = ken_lex_names_equal(l->s, KEN_STR("parse"), ignore_name, &sum, &err);
    kt_true(!st || st == KEN_ECORRUPT);
    st = ken_lex_names_near(l->s, KEN_STR("parse"), 2, ignore_name, &sum, &err);
    kt_true(!st || st == KEN_ECORRUPT);
    uint32_t n = ken_lex_segment_n_contents(l->s);
    bool *is_live = ken_zalloc(n + 1);
    for (uint32_t i = 0; i < n; i++)
        is_live[i] = i % 3 != 0;
    ken_buf again = KEN_BUF_INIT(0);
    ken_block_sink sink = ken_block_sink_of(&again, 4096);
    ken_lex_input input = { l->s, is_live, NULL };
    st = ken_lex_merge(&input, 1, &sink, &err);
    kt_true(!st || st == KEN_ECORRUPT);
    ken_buf_release(&again);
    ken_free(is_live);
    lab_close(l);
}

enum {
    END_BYTES = SEG_HEAD_BYTES + 8 * SEG_SECTIONS + 20 // what says where everything is
};

KEN_TEST(flipped_bytes_never_crash)
{
    lab_seed(9);
    lab_docs docs = { 0 };
    random_docs(&docs, 12, 60);
    lab_segment whole = { 0 };
    build(&whole, &docs, 512);
    for (int round = 0; round < 10000; round++) {
        lab_segment l = { .block_bytes = 512 };
        ken_buf_put_str(&l.bytes, ken_buf_str(&whole.bytes));
        for (uint32_t n = 1 + lab_pick(4); n; n--) {
            size_t at = lab_pick(3) ? lab_pick((uint32_t)l.bytes.len)
                                    : l.bytes.len - 1 - lab_pick(END_BYTES);
            l.bytes.ptr[at] =
                lab_pick(2) ? (char)lab_pick(256) : (char)(l.bytes.ptr[at] ^ 1 << lab_pick(8));
        }
        ask_everything(&l, &docs);
        lab_release(&l);
    }
    lab_docs_release(&docs);
    lab_release(&whole);
}

// What the damaged copy of `whole` claims to have is written by a merge only if it is there.
static void check_merge_size(const lab_segment *whole, size_t at)
{
    static const char claim[] = { '\xff', '\xff', '\x7f' }; // two million, as a varint
    lab_segment l = { .block_bytes = 512 };
    ken_buf_put_str(&l.bytes, ken_buf_str(&whole->bytes));
    memcpy(l.bytes.ptr + at, claim, sizeof claim);
    err = (ken_err){ 0 };
    if (!lab_open(&l, &err)) {
        ken_buf again = KEN_BUF_INIT(0);
        ken_block_sink sink = ken_block_sink_of(&again, 512);
        ken_lex_input input = { l.s, NULL, NULL };
        ken_status st = ken_lex_merge(&input, 1, &sink, &err);
        kt_true(!st || st == KEN_ECORRUPT);
        kt_true(again.len <= 2 * whole->bytes.len);
        ken_buf_release(&again);
        lab_close(&l);
    }
    lab_release(&l);
}

KEN_TEST(a_merge_writes_no_more_than_there_is)
{
    lab_seed(11);
    lab_docs docs = { 0 };
    random_docs(&docs, 5, 30);
    lab_segment whole = { 0 };
    build(&whole, &docs, 512);
    for (size_t at = 0; at + 3 <= whole.bytes.len; at++)
        check_merge_size(&whole, at);
    lab_docs_release(&docs);
    lab_release(&whole);
}

KEN_TEST(every_truncation_is_refused)
{
    lab_seed(10);
    lab_docs docs = { 0 };
    random_docs(&docs, 5, 30);
    lab_segment whole = { 0 };
    build(&whole, &docs, 512);
    for (size_t n = 0; n < whole.bytes.len; n++) {
        lab_segment l = { .block_bytes = 512 };
        ken_buf_put(&l.bytes, whole.bytes.ptr, n);
        err = (ken_err){ 0 };
        kt_status(lab_open(&l, &err), KEN_ECORRUPT);
        kt_true(err.msg[0] != '\0');
        lab_release(&l);
    }
    lab_docs_release(&docs);
    lab_release(&whole);
}

KEN_TEST(noise_is_no_segment)
{
    lab_seed(11);
    lab_docs none = { 0 };
    for (int round = 0; round < 500; round++) {
        lab_segment l = { .block_bytes = 64 };
        for (uint32_t n = lab_pick(600); n; n--)
            ken_buf_putc(&l.bytes, (char)lab_pick(256));
        if (l.bytes.len >= 8 && lab_pick(2)) { // with the head of one
            ken_put32((uint8_t *)l.bytes.ptr, SEG_MAGIC);
            ken_put32((uint8_t *)l.bytes.ptr + 4, SEG_FORMAT);
        }
        ask_everything(&l, &none);
        lab_release(&l);
    }
}

static void older_answers_alike(uint32_t format)
{
    lab_seed(13);
    lab_docs docs = { 0 }, alive = { 0 };
    random_docs(&docs, 40, 60);
    lab_segment old = { .block_bytes = 512 }, merged = { 0 }, fresh = { 0 };
    build(&fresh, &docs, 512);
    lab_flatten(&fresh, format, &old.bytes);
    kt_ok_err(lab_open(&old, &err), &err);
    check_all(old.s, &docs);
    merge(&old, 1, &docs, false, &merged, &alive);
    check_same(&merged, &fresh);
    lab_release(&old);
    lab_release(&merged);
    lab_release(&fresh);
    ken_vec_release(&alive);
    lab_docs_release(&docs);
}

KEN_TEST(an_older_segment_answers_alike_and_merges_into_a_new_one)
{
    older_answers_alike(1);
    older_answers_alike(2);
}

// What is joined is read side by side: it may be of any size, what is held of it is not.
KEN_TEST(merging_holds_some_blocks_of_each_part)
{
    enum {
        PARTS = 3,
        UNIT = 4096
    };
    lab_seed(17);
    lab_segment parts[PARTS] = { 0 }, merged = { .block_bytes = UNIT };
    ken_lex_input inputs[PARTS];
    size_t n_bytes = 0;
    for (size_t p = 0; p < PARTS; p++) {
        lab_docs docs = { 0 };
        random_docs(&docs, 3000, 6000);
        build(&parts[p], &docs, UNIT);
        inputs[p] = (ken_lex_input){ parts[p].s, NULL, NULL };
        n_bytes += parts[p].bytes.len;
        lab_docs_release(&docs);
    }
    ken_block_sink sink = lab_sink(&merged);
    kt_ok_err(ken_lex_merge(inputs, PARTS, &sink, &err), &err);
    for (size_t p = 0; p < PARTS; p++) {
        kt_true(parts[p].bytes.len > (size_t)200 * UNIT);
        kt_true(ken_lex_segment_resident(parts[p].s) < parts[p].bytes.len / 4);
        lab_release(&parts[p]);
    }
    kt_true(merged.bytes.len > n_bytes / 2);
    kt_ok_err(lab_open(&merged, &err), &err);
    lab_release(&merged);
}

KEN_TEST(few_names_are_read_to_find_the_near_ones)
{
    lab_docs docs = { 0 };
    lab_doc *d = lab_add_doc(&docs, 1);
    char text[500][12];
    for (uint32_t i = 0; i < 500; i++) {
        snprintf(text[i], sizeof text[i], "%c%c%c_%c%c%c", 'a' + i % 7, 'h' + i % 5, 'm' + i % 11,
                 'a' + i % 23, 'a' + i % 19, 'a' + i % 17);
        ken_vec_push(&d->symbols,
                     ((ken_symbol){
                         .name = ken_str_c(text[i]), .kind = KEN_SYMBOL_FUNCTION, .parent = -1 }));
    }
    lab_segment l = { 0 };
    build(&l, &docs, 4096);
    size_t n = check_near_names(l.s, &docs, text[77], 1);
    kt_true(n >= 1 && n < 50);
    lab_release(&l);
    lab_docs_release(&docs);
}

KEN_TEST(a_newer_format_is_said_to_be_newer)
{
    lab_segment l = { 0 }, flat = { .block_bytes = 512 };
    lab_docs none = { 0 };
    build(&l, &none, 512);
    lab_flatten(&l, 3, &flat.bytes);
    kt_status(lab_open(&flat, &err), KEN_EVERSION);
    kt_has_str(err.msg, "format 3");
    lab_close(&l);
    ken_put32((uint8_t *)l.bytes.ptr + l.bytes.len - END_BYTES + 4, SEG_FORMAT + 1);
    kt_status(lab_open(&l, &err), KEN_EVERSION);
    kt_has_str(err.msg, "format 4");
    lab_release(&l);
    lab_release(&flat);
}

// A reader is told why its blocks did not come: gone (merged away) is not damaged.
KEN_TEST(failures_of_the_source_are_passed_on)
{
    lab_seed(12);
    lab_docs docs = { 0 };
    random_docs(&docs, 300, 300);
    lab_segment l = { 0 };
    build(&l, &docs, 256);
    l.failure = KEN_ENOTFOUND;
    ken_lex_list list;
    err = (ken_err){ 0 };
    kt_status(ken_lex_find(l.s, any_term(&docs), &list, &err), KEN_ENOTFOUND);
    kt_eq_str(err.msg, "the disk is gone");
    uint64_t sum = 0;
    kt_status(ken_lex_names_equal(l.s, KEN_STR("parse"), ignore_name, &sum, &err), KEN_ENOTFOUND);
    lab_close(&l);
    kt_status(lab_open(&l, &err), KEN_ENOTFOUND);
    lab_docs_release(&docs);
    lab_release(&l);
}

static ken_status open_and_close(void *ctx, ken_err *why)
{
    lab_segment *l = ctx;
    ken_status st = lab_open(l, why);
    if (!st)
        lab_close(l);
    return st;
}

KEN_TEST(memory_for_contents_may_be_refused)
{
    enum {
        MANY = 50000
    };
    lab_segment l = { .block_bytes = 256 };
    lab_docs docs = { 0 };
    for (int i = 0; i < MANY; i++)
        lab_add_doc(&docs, 0);
    ken_lex_builder *b = ken_lex_builder_new();
    lab_build(&l, &docs, b);
    ken_lex_builder_free(b);
    lab_docs_release(&docs);
    lab_refuse_memory(open_and_close, &l, MANY * sizeof(ken_lex_content));
    lab_release(&l);
}

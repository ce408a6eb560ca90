// SPDX-License-Identifier: MIT
// From words to terms, from a file to counts.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ktest.h"
#include "unit/lexical/lexical_lab.h"

KEN_TEST(words_and_wholes_are_different_terms)
{
    kt_true(ken_term_of_word(KEN_STR("parser")) != ken_term_of_whole(KEN_STR("parser")));
    kt_true(ken_term_of_word(KEN_STR("parser")) != ken_term_of_word(KEN_STR("parse")));
    kt_true(ken_term_of_word(KEN_STR("parser")) >> 40 == 0);
}

// ---- counting ----------------------------------------------------------------------------------

// A file that is described by hand: chunks and comments by the text that begins and ends them.
typedef struct count_lab {
    ken_arena arena;
    ken_str text;
    ken_facts facts;
    KEN_VEC(ken_chunk) chunks;
    KEN_VEC(ken_symbol) symbols;
    KEN_VEC(ken_span) comments;
    ken_tokenizer *tokenizer;
    ken_lex_doc doc;
} count_lab;

static void lab_start(count_lab *l, const char *text)
{
    memset(l, 0, sizeof *l);
    l->text = ken_str_c(text);
    l->tokenizer = ken_tokenizer_new(NULL);
}

static void lab_end(count_lab *l)
{
    ken_vec_release(&l->chunks);
    ken_vec_release(&l->symbols);
    ken_vec_release(&l->comments);
    ken_lex_doc_release(&l->doc);
    ken_tokenizer_free(l->tokenizer);
}

static ken_span span_of(const count_lab *l, const char *part)
{
    size_t at = ken_str_find(l->text, ken_str_c(part));
    kt_true(at != SIZE_MAX);
    return (ken_span){ (uint32_t)at, (uint32_t)(at + strlen(part)) };
}

static void lab_count(count_lab *l)
{
    if (!l->chunks.len)
        ken_vec_push(&l->chunks, ((ken_chunk){ .span = { 0, (uint32_t)l->text.len } }));
    l->facts = (ken_facts){ .n_bytes = (uint32_t)l->text.len,
                            .chunks = l->chunks.ptr,
                            .n_chunks = (uint32_t)l->chunks.len,
                            .symbols = l->symbols.ptr,
                            .n_symbols = (uint32_t)l->symbols.len };
    ken_tokenize(l->tokenizer, l->text, &l->facts, l->comments.ptr, l->comments.len, &l->doc);
}

// How often `term` stands in a field of a chunk.
static uint32_t tf_of(const count_lab *l, ken_term term, uint32_t chunk, int field)
{
    uint32_t n = 0, tf = 0;
    for (size_t i = 0; i < l->doc.postings.len; i++) {
        const ken_posting *p = &l->doc.postings.ptr[i];
        if (p->key != (term << 24 | chunk))
            continue;
        n++;
        tf = p->tf[field];
    }
    kt_true(n <= 1); // one posting for a term and a chunk
    return tf;
}

static uint32_t tf_word(const count_lab *l, const char *word, uint32_t chunk, int field)
{
    char stem[KEN_TOKEN_MAX + 2];
    size_t n = strlen(word);
    memcpy(stem, word, n);
    return tf_of(l, ken_term_of_word(ken_str_n(stem, ken_stem(stem, n))), chunk, field);
}

static uint32_t tf_whole(const count_lab *l, const char *whole, uint32_t chunk, int field)
{
    return tf_of(l, ken_term_of_whole(ken_str_c(whole)), chunk, field);
}

KEN_TEST(words_are_counted_by_field)
{
    count_lab l;
    lab_start(&l, "// retries are retried\nint retryCount = retry(1);\n");
    ken_vec_push(&l.comments, span_of(&l, "// retries are retried"));
    lab_count(&l);
    kt_eq_u(tf_word(&l, "retries", 0, KEN_FIELD_COMMENT), 2); // one stem: retri
    kt_eq_u(tf_word(&l, "retry", 0, KEN_FIELD_BODY), 2);
    kt_eq_u(tf_whole(&l, "retrycount", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(tf_word(&l, "count", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(tf_word(&l, "count", 0, KEN_FIELD_NAME), 0);
    kt_eq_u(tf_word(&l, "1", 0, KEN_FIELD_BODY), 0); // one byte says nothing
    // Lengths count parts, not wholes: "int retry count retry", "retries are retried".
    kt_eq_u(l.doc.len[KEN_FIELD_BODY], 4);
    kt_eq_u(l.doc.len[KEN_FIELD_COMMENT], 3);
    kt_eq_u(l.doc.len[KEN_FIELD_NAME], 0);
    lab_end(&l);
}

KEN_TEST(names_count_two_and_variables_one)
{
    count_lab l;
    lab_start(&l, "class RingBuffer { size_t fill; }");
    ken_vec_push(&l.symbols,
                 ((ken_symbol){ .name = KEN_STR("RingBuffer"),
                                .kind = KEN_SYMBOL_CLASS,
                                .span = span_of(&l, "class RingBuffer { size_t fill; }"),
                                .parent = -1 }));
    ken_vec_push(&l.symbols, ((ken_symbol){ .name = KEN_STR("fill"),
                                            .kind = KEN_SYMBOL_FIELD,
                                            .span = span_of(&l, "size_t fill;"),
                                            .parent = 0 }));
    lab_count(&l);
    kt_eq_u(tf_word(&l, "ring", 0, KEN_FIELD_NAME), 2);
    kt_eq_u(tf_word(&l, "buffer", 0, KEN_FIELD_NAME), 2);
    kt_eq_u(tf_whole(&l, "ringbuffer", 0, KEN_FIELD_NAME), 2);
    kt_eq_u(tf_word(&l, "fill", 0, KEN_FIELD_NAME), 1);
    kt_eq_u(tf_word(&l, "fill", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(l.doc.len[KEN_FIELD_NAME], 5); // 2 + 2 + 1
    lab_end(&l);
}

KEN_TEST(names_of_several_words_are_all_counted)
{
    count_lab l;
    lab_start(&l, "## Error handling rules\ntext\n");
    ken_vec_push(&l.symbols, ((ken_symbol){ .name = KEN_STR("Error handling rules"),
                                            .kind = KEN_SYMBOL_SECTION,
                                            .span = { 0, (uint32_t)l.text.len },
                                            .parent = -1 }));
    lab_count(&l);
    kt_eq_u(tf_word(&l, "error", 0, KEN_FIELD_NAME), 2);
    kt_eq_u(tf_word(&l, "handling", 0, KEN_FIELD_NAME), 2);
    kt_eq_u(tf_word(&l, "rules", 0, KEN_FIELD_NAME), 2);
    lab_end(&l);
}

KEN_TEST(each_chunk_has_its_own_counts)
{
    count_lab l;
    lab_start(&l, "alpha alpha beta\nbeta gamma // alpha\n");
    ken_span first = span_of(&l, "alpha alpha beta\n"),
             second = span_of(&l, "beta gamma // alpha\n");
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = first }));
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = second }));
    ken_vec_push(&l.comments, span_of(&l, "// alpha"));
    ken_vec_push(&l.symbols, ((ken_symbol){ .name = KEN_STR("gamma"),
                                            .kind = KEN_SYMBOL_FUNCTION,
                                            .span = span_of(&l, "gamma"),
                                            .parent = -1 }));
    lab_count(&l);
    kt_eq_u(tf_word(&l, "alpha", 0, KEN_FIELD_BODY), 2);
    kt_eq_u(tf_word(&l, "alpha", 1, KEN_FIELD_BODY), 0);
    kt_eq_u(tf_word(&l, "alpha", 1, KEN_FIELD_COMMENT), 1);
    kt_eq_u(tf_word(&l, "beta", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(tf_word(&l, "beta", 1, KEN_FIELD_BODY), 1);
    kt_eq_u(tf_word(&l, "gamma", 0, KEN_FIELD_NAME), 0); // a name counts where it begins
    kt_eq_u(tf_word(&l, "gamma", 1, KEN_FIELD_NAME), 2);
    kt_eq_u(l.doc.n_chunks, 2);
    kt_eq_u(l.doc.lens.len, 2 * KEN_FIELD_COUNT);
    kt_not_null(l.doc.lens.ptr);
    kt_eq_u(l.doc.lens.ptr[KEN_FIELD_BODY], 3);
    kt_eq_u(l.doc.lens.ptr[KEN_FIELD_COUNT + KEN_FIELD_BODY], 2);
    kt_eq_u(l.doc.lens.ptr[KEN_FIELD_COUNT + KEN_FIELD_COMMENT], 1);
    lab_end(&l);
}

// Line chunks of plain text overlap: what they share counts in both.
KEN_TEST(overlapping_chunks_both_count)
{
    count_lab l;
    lab_start(&l, "one two // three\nfour two\n");
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = { 0, 17 } }));
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = { 8, 26 } }));
    ken_vec_push(&l.comments, span_of(&l, "// three"));
    lab_count(&l);
    for (uint32_t c = 0; c < 2; c++)
        kt_eq_u(tf_word(&l, "three", c, KEN_FIELD_COMMENT), 1);
    kt_eq_u(tf_word(&l, "two", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(tf_word(&l, "two", 1, KEN_FIELD_BODY), 1);
    lab_end(&l);
}

KEN_TEST(counts_stop_at_255)
{
    char text[300 * 6 + 1];
    for (int i = 0; i < 300; i++)
        memcpy(text + 6 * i, "alpha\n", 6);
    text[300 * 6] = '\0';
    count_lab l;
    lab_start(&l, text);
    lab_count(&l);
    kt_eq_u(tf_word(&l, "alpha", 0, KEN_FIELD_BODY), 255);
    kt_eq_u(l.doc.len[KEN_FIELD_BODY], 300);
    lab_end(&l);
}

// Minified text and data: what stands far to the right of a line was not written by anybody.
KEN_TEST(the_rest_of_a_very_long_line_is_not_text)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "near ");
    for (int i = 0; i < 2000; i++)
        ken_buf_putc(&b, ' ');
    ken_buf_puts(&b, "far\nnext ");
    count_lab l;
    lab_start(&l, b.ptr);
    lab_count(&l);
    kt_eq_u(tf_word(&l, "near", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(tf_word(&l, "far", 0, KEN_FIELD_BODY), 0);
    kt_eq_u(tf_word(&l, "next", 0, KEN_FIELD_BODY), 1);
    lab_end(&l);
    ken_buf_release(&b);
}

KEN_TEST(a_document_replaces_the_one_before)
{
    count_lab l;
    lab_start(&l, "first words");
    lab_count(&l);
    l.text = KEN_STR("second");
    ken_vec_clear(&l.chunks);
    lab_count(&l);
    kt_eq_u(tf_word(&l, "first", 0, KEN_FIELD_BODY), 0);
    kt_eq_u(tf_word(&l, "second", 0, KEN_FIELD_BODY), 1);
    kt_eq_u(l.doc.len[KEN_FIELD_BODY], 1);
    l.text = KEN_STR("");
    ken_vec_clear(&l.chunks);
    l.facts.n_chunks = 0;
    ken_tokenize(l.tokenizer, l.text, &l.facts, NULL, 0, &l.doc);
    kt_eq_u(l.doc.postings.len, 0);
    kt_eq_u(l.doc.n_chunks, 0);
    lab_end(&l);
}

// ---- against a plain count ---------------------------------------------------------------------

// Everything that count_text does, said in the slow and obvious way.
typedef struct plain_count {
    ken_term term;
    uint32_t chunk, tf[KEN_FIELD_COUNT];
} plain_count;

typedef KEN_VEC(plain_count) plain_counts;

static void plain_add(plain_counts *all, ken_term term, uint32_t chunk, int field, uint32_t weight)
{
    for (size_t i = 0; i < all->len; i++) {
        if (all->ptr[i].term == term && all->ptr[i].chunk == chunk) {
            all->ptr[i].tf[field] += weight;
            return;
        }
    }
    ken_vec_push(all, ((plain_count){ .term = term, .chunk = chunk }));
    all->ptr[all->len - 1].tf[field] = weight;
}

static uint32_t plain_token(plain_counts *all, ken_str token, uint32_t chunk, int field,
                            uint32_t weight)
{
    ken_token_parts p;
    ken_token_split(token, &p);
    for (uint32_t i = 0; i < p.n_parts; i++) {
        char word[KEN_TOKEN_MAX + 2];
        memcpy(word, p.text + p.part[i].start, p.part[i].len);
        size_t n = ken_stem(word, p.part[i].len);
        plain_add(all, ken_term_of_word(ken_str_n(word, n)), chunk, field, weight);
    }
    if (p.is_compound)
        plain_add(all, ken_term_of_whole(ken_str_c(p.text)), chunk, field, weight);
    return p.n_parts * weight;
}

static int plain_field(const ken_span *comments, size_t n, uint32_t at)
{
    for (size_t i = 0; i < n; i++)
        if (comments[i].start <= at && at < comments[i].end)
            return KEN_FIELD_COMMENT;
    return KEN_FIELD_BODY;
}

static void plain_tokenize(const count_lab *l, plain_counts *all, uint32_t lens[][KEN_FIELD_COUNT])
{
    for (uint32_t c = 0; c < l->facts.n_chunks; c++) {
        ken_span span = l->facts.chunks[c].span;
        ken_str rest = ken_str_sub(l->text, span.start, span.end), token;
        while (ken_token_next(&rest, &token)) {
            uint32_t at = (uint32_t)(token.ptr - l->text.ptr);
            int field = plain_field(l->comments.ptr, l->comments.len, at);
            if (token.len >= 2 && token.len <= KEN_TOKEN_MAX)
                lens[c][field] += plain_token(all, token, c, field, 1);
        }
    }
    for (uint32_t s = 0; s < l->facts.n_symbols; s++) {
        const ken_symbol *sym = &l->facts.symbols[s];
        uint32_t c = 0;
        while (c + 1 < l->facts.n_chunks && l->facts.chunks[c + 1].span.start <= sym->span.start)
            c++;
        ken_str rest = sym->name, token;
        while (ken_token_next(&rest, &token))
            lens[c][KEN_FIELD_NAME] += plain_token(all, token, c, KEN_FIELD_NAME,
                                                   ken_symbol_is_variable(sym->kind) ? 1 : 2);
    }
}

static void random_file(count_lab *l, ken_buf *text)
{
    static const char *const words[] = {
        "alpha",      "betaGamma",   "HTTPServer",
        "snake_case", "x",           "9",
        "sha256",     "running",     "//",
        "\n",         "  ",          "__init__",
        "$val",       "\303\274ber", "the",
        "{}",         "1_000",       "veryLongCompoundIdentifierName",
    };
    ken_buf_clear(text);
    ken_vec_clear(&l->chunks);
    ken_vec_clear(&l->comments);
    ken_vec_clear(&l->symbols);
    for (uint32_t n = lab_pick(200) + 1; n; n--)
        ken_buf_printf(text, "%s%s", words[lab_pick(18)], lab_pick(3) ? " " : "\n");
    l->text = ken_buf_str(text);
    uint32_t len = (uint32_t)text->len, at = 0;
    while (at < len) { // chunks and comments begin between tokens: at spaces
        uint32_t end = at + 1 + lab_pick(len);
        for (end = end > len ? len : end; end < len && !ken_is_space(text->ptr[end]); end++)
            ;
        ken_vec_push(&l->chunks, ((ken_chunk){ .span = { at, end } }));
        at = end;
    }
    for (at = 0; at < len;) {
        uint32_t start = at + lab_pick(100), end;
        for (; start < len && !ken_is_space(text->ptr[start]); start++)
            ;
        for (end = start + lab_pick(40); end < len && !ken_is_space(text->ptr[end]); end++)
            ;
        if (start < len && end > start)
            ken_vec_push(&l->comments, ((ken_span){ start, end < len ? end : len }));
        at = end + 1;
    }
    for (uint32_t n = len ? lab_pick(6) : 0; n; n--) {
        uint32_t start = lab_pick(len);
        ken_vec_push(&l->symbols,
                     ((ken_symbol){ .name = ken_str_c(words[lab_pick(18)]),
                                    .kind = lab_pick(2) ? KEN_SYMBOL_FUNCTION : KEN_SYMBOL_FIELD,
                                    .span = { start, len },
                                    .parent = -1 }));
    }
}

KEN_TEST(counts_equal_a_plain_count)
{
    lab_seed(4711);
    count_lab l;
    lab_start(&l, "");
    ken_buf text = KEN_BUF_INIT(0);
    for (int round = 0; round < 150; round++) {
        random_file(&l, &text);
        lab_count(&l);
        plain_counts all = { 0 };
        uint32_t(*lens)[KEN_FIELD_COUNT] = ken_zalloc(l.facts.n_chunks * sizeof *lens);
        plain_tokenize(&l, &all, lens);
        kt_eq_u(l.doc.postings.len, all.len);
        for (size_t i = 0; i < all.len; i++)
            for (int f = 0; f < KEN_FIELD_COUNT; f++)
                kt_eq_u(tf_of(&l, all.ptr[i].term, all.ptr[i].chunk, f),
                        all.ptr[i].tf[f] > 255 ? 255 : all.ptr[i].tf[f]);
        kt_not_null(l.doc.lens.ptr);
        uint32_t sum[KEN_FIELD_COUNT] = { 0 };
        for (uint32_t c = 0; c < l.facts.n_chunks; c++) {
            for (int f = 0; f < KEN_FIELD_COUNT; f++) {
                kt_eq_u(l.doc.lens.ptr[c * KEN_FIELD_COUNT + (uint32_t)f], lens[c][f]);
                sum[f] += lens[c][f];
            }
        }
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            kt_eq_u(l.doc.len[f], sum[f]);
        ken_free(lens);
        ken_vec_release(&all);
    }
    ken_buf_release(&text);
    lab_end(&l);
}

// The table of identifiers starts anew when it is full; what it says must not change.
KEN_TEST(a_tokenizer_that_has_met_very_much_counts_the_same)
{
    count_lab l;
    lab_start(&l, "parseHeader parses headers");
    ken_buf b = KEN_BUF_INIT(0);
    for (int round = 0; round < 3; round++) {
        ken_buf_clear(&b);
        for (int i = 0; i < 120000; i++)
            ken_buf_printf(&b, "id%06d%c", round * 120000 + i, i % 100 ? ' ' : '\n');
        l.text = ken_buf_str(&b);
        ken_vec_clear(&l.chunks);
        lab_count(&l);
        kt_eq_u(l.doc.len[KEN_FIELD_BODY], 240000);
    }
    l.text = KEN_STR("parseHeader parses headers");
    ken_vec_clear(&l.chunks);
    lab_count(&l);
    kt_eq_u(l.doc.postings.len, 3);
    kt_eq_u(tf_word(&l, "parse", 0, KEN_FIELD_BODY), 2);
    kt_eq_u(tf_word(&l, "header", 0, KEN_FIELD_BODY), 2);
    kt_eq_u(tf_whole(&l, "parseheader", 0, KEN_FIELD_BODY), 1);
    ken_buf_release(&b);
    lab_end(&l);
}

// ---- words of a vocabulary ---------------------------------------------------------------------

static const char *const known[] = { "ring", "push", "full" };

static uint32_t find_known(const void *ctx, ken_str word)
{
    (void)ctx;
    for (uint32_t i = 0; i < 3; i++)
        if (ken_str_eq(word, ken_str_c(known[i])))
            return i;
    return KEN_WORD_NONE;
}

static uint16_t in_bag(const count_lab *l, uint32_t chunk, const char *word, ken_bag bag)
{
    const ken_bags *b = &l->doc.bags;
    if (!b->words.ptr || !b->ends.ptr)
        return 0;
    for (size_t i = chunk ? b->ends.ptr[chunk - 1] : 0; i < b->ends.ptr[chunk]; i++)
        if (b->words.ptr[i].word == find_known(NULL, ken_str_c(word)))
            return b->words.ptr[i].n[bag];
    return 0;
}

static void add_symbol(count_lab *l, const char *name, ken_symbol_kind kind, const char *text,
                       int32_t parent)
{
    ken_vec_push(
        &l->symbols,
        ((ken_symbol){
            .name = ken_str_c(name), .kind = kind, .span = span_of(l, text), .parent = parent }));
}

// Each text has identifiers of its own; what is remembered of them stays below the limit and what
// one text adds, and the counts are those of a tokenizer that has forgotten nothing.
KEN_TEST(a_tokenizer_remembers_no_more_than_its_limit)
{
    enum {
        LIMIT = 1 << 20,
        PER_TEXT = 1000,
        N_TEXTS = 60
    };
    size_t peak[2] = { 0 };
    for (int is_limited = 0; is_limited < 2; is_limited++) {
        ken_tokenizer *t = ken_tokenizer_new(NULL);
        if (is_limited)
            ken_tokenizer_limit(t, LIMIT);
        ken_lex_doc doc = { 0 };
        ken_buf text = KEN_BUF_INIT(0);
        for (unsigned k = 0; k < N_TEXTS; k++) {
            ken_buf_clear(&text);
            for (unsigned i = 0; i < PER_TEXT; i++)
                ken_buf_printf(&text, "w%ux%u\n", k, i);
            ken_chunk chunk = { .span = { 0, (uint32_t)text.len } };
            ken_facts facts = { .chunks = &chunk, .n_chunks = 1, .n_bytes = (uint32_t)text.len };
            ken_tokenize(t, ken_buf_str(&text), &facts, NULL, 0, &doc);
            kt_eq_u(doc.n_chunks, 1);
            kt_true(doc.postings.len >= PER_TEXT);
            size_t n = ken_tokenizer_bytes(t);
            peak[is_limited] = n > peak[is_limited] ? n : peak[is_limited];
        }
        ken_buf_release(&text);
        ken_lex_doc_release(&doc);
        ken_tokenizer_free(t);
    }
    kt_true(peak[1] <= 2 * LIMIT);
    kt_true(peak[0] > 2 * LIMIT);
}

KEN_TEST(words_of_a_vocabulary_are_counted_by_where_they_stand)
{
    static const char head[] = "class Ring { int full; ", // and in it, in chunks of their own:
        method[] = "// when full\n push(full) { ring(); } ", rest[] = "pushed }",
                      after[] = "x ring";
    char text[200];
    snprintf(text, sizeof text, "%s%s%s%s", head, method, rest, after);
    count_lab l;
    lab_start(&l, text);
    ken_tokenizer_free(l.tokenizer);
    l.tokenizer = ken_tokenizer_new(&(ken_vocabulary){ find_known, NULL, 3 });
    char class_text[200];
    snprintf(class_text, sizeof class_text, "%s%s%s", head, method, rest);
    add_symbol(&l, "Ring", KEN_SYMBOL_CLASS, class_text, -1);
    add_symbol(&l, "full", KEN_SYMBOL_FIELD, "int full;", 0);
    add_symbol(&l, "push", KEN_SYMBOL_METHOD, "push(full) { ring(); }", 0);
    ken_vec_push(&l.comments, span_of(&l, "// when full"));
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = span_of(&l, head) }));
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = span_of(&l, method) }));
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = span_of(&l, rest) }));
    ken_vec_push(&l.chunks, ((ken_chunk){ .span = span_of(&l, after) }));
    lab_count(&l);
    kt_eq_u(in_bag(&l, 0, "ring", KEN_BAG_CODE), 1);
    kt_eq_u(in_bag(&l, 0, "ring", KEN_BAG_NAME), 1);
    kt_eq_u(in_bag(&l, 0, "ring", KEN_BAG_OWNER), 0); // nobody owns itself
    kt_eq_u(in_bag(&l, 0, "full", KEN_BAG_NAME), 0);  // a variable is no name of a chunk
    kt_eq_u(in_bag(&l, 1, "full", KEN_BAG_COMMENT), 1);
    kt_eq_u(in_bag(&l, 1, "full", KEN_BAG_CODE), 1);
    kt_eq_u(in_bag(&l, 1, "push", KEN_BAG_NAME), 1);
    kt_eq_u(in_bag(&l, 1, "ring", KEN_BAG_OWNER), 1);
    kt_eq_u(in_bag(&l, 2, "ring", KEN_BAG_OWNER), 1);
    kt_eq_u(in_bag(&l, 2, "push", KEN_BAG_OWNER), 0); // it ended before
    kt_eq_u(in_bag(&l, 3, "ring", KEN_BAG_CODE), 1);
    kt_eq_u(in_bag(&l, 3, "ring", KEN_BAG_OWNER), 0);
    lab_end(&l);
}

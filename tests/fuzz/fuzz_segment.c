// SPDX-License-Identifier: MIT
// fuzz_segment -- a search segment of any bytes, opened and asked everything.
//
// A flag byte, then: 1 = the rest is a segment; else the rest is a list of changes to a small sound
// one, four bytes each: where (24 bits, wrapped), what; 2 = the first one says where to cut it. 4 =
// small blocks. Nothing may crash or read outside, and what fails must say why.
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "lexical/lexical.h"
#include "lexical/lexical_score.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    IS_WHOLE = 1,
    IS_CUT = 2,
    IS_SMALL = 4,
    N_CONTENTS = 9,
    UNIT = 512,
};

typedef struct bytes {
    const uint8_t *ptr;
    size_t len, block;
} bytes;

static const char *const words[] = {
    "alpha", "betaGamma", "retry_policy", "x9", "queue", "server"
};
enum {
    N_WORDS = sizeof words / sizeof *words
};

// ---- a sound segment ----------------------------------------------------------------------------

static ken_buf sound;

static void put_text(ken_buf *b, uint32_t content)
{
    for (uint32_t i = 0; i < 40 + content * 7; i++)
        ken_buf_printf(b, "%s%c", words[(i * i + content) % N_WORDS], i % 9 ? ' ' : '\n');
}

static void make_sound(void)
{
    ken_lex_builder *b = ken_lex_builder_new();
    ken_tokenizer *t = ken_tokenizer_new(NULL);
    ken_lex_doc doc = { 0 };
    ken_buf text = KEN_BUF_INIT(0);
    for (uint32_t i = 0; i < N_CONTENTS; i++) {
        ken_buf_clear(&text);
        put_text(&text, i);
        uint32_t n = (uint32_t)text.len;
        ken_chunk chunks[] = { { .span = { 0, n / 3 } }, { .span = { n / 3, n } } };
        ken_symbol symbols[] = {
            { .name = ken_str_c(words[i % N_WORDS]), .kind = KEN_SYMBOL_FUNCTION, .parent = -1 },
            { .name = KEN_STR("parse"), .kind = KEN_SYMBOL_CLASS, .parent = 0 }
        };
        ken_facts facts = {
            .n_bytes = n, .chunks = chunks, .n_chunks = 2, .symbols = symbols, .n_symbols = 2
        };
        ken_span comment = { n / 4, n / 2 };
        ken_tokenize(t, ken_buf_str(&text), &facts, &comment, 1, &doc);
        ken_lex_builder_add(b, i + 1, &doc, symbols, 2);
    }
    ken_block_sink sink = ken_block_sink_of(&sound, UNIT);
    KEN_ASSERT(!ken_lex_builder_finish(b, &sink, NULL));
    ken_lex_doc_release(&doc);
    ken_buf_release(&text);
    ken_tokenizer_free(t);
    ken_lex_builder_free(b);
}

// ---- asking it everything -----------------------------------------------------------------------

static ken_status read_block(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                             ken_err *err)
{
    const bytes *b = ctx;
    (void)segment;
    size_t at = (size_t)block * b->block;
    if (at > b->len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no such block");
    *out_n = b->len - at < b->block ? b->len - at : b->block;
    memcpy(into, b->ptr + at, *out_n);
    return KEN_OK;
}

static void check(ken_status st, const ken_err *err)
{
    KEN_ASSERT(!st || (st == KEN_ECORRUPT && err->msg[0]));
}

static bool note_name(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    uint64_t *sum = ctx;
    for (size_t i = 0; i < text.len; i++)
        *sum += (uint8_t)text.ptr[i];
    for (uint32_t i = 0; i < n; i++)
        *sum += p[i].content + p[i].symbol;
    return true;
}

static void merge(ken_lex_segment *s)
{
    ken_err err = { 0 };
    uint32_t n = ken_lex_segment_n_contents(s);
    bool *is_live = ken_zalloc(n + 1);
    for (uint32_t i = 0; i < n; i++)
        is_live[i] = i % 2 == 0;
    ken_buf out = KEN_BUF_INIT((size_t)16 << 20);
    ken_block_sink sink = ken_block_sink_of(&out, UNIT);
    ken_lex_input input = { s, is_live, NULL };
    ken_status st = ken_lex_merge(&input, 1, &sink, &err);
    KEN_ASSERT(!st || (err.msg[0] && (st == KEN_ECORRUPT || st == KEN_ELIMIT)));
    ken_buf_release(&out);
    ken_free(is_live);
}

// One file for every content, as a snapshot would have it.
static void score(ken_lex_segment *s)
{
    ken_err err = { 0 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    uint32_t n = ken_lex_segment_n_contents(s);
    ken_lex_part part = { .segment = s, .first_file = KEN_ARENA_ARRAY(&arena, int32_t, n + 1) };
    ken_lex_corpus c = { .parts = &part, .n_parts = 1, .n_files = n };
    c.next_file = KEN_ARENA_ARRAY(&arena, int32_t, n + 1);
    c.file_part = KEN_ARENA_ARRAY(&arena, uint32_t, n + 1);
    c.file_ordinal = KEN_ARENA_ARRAY(&arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        part.first_file[i] = i % 5 == 4 ? -1 : (int32_t)i;
        c.next_file[i] = -1;
        c.file_ordinal[i] = i;
    }
    ken_lex_corpus_measure(&c, &arena);
    ken_lex_scores scores = { 0 };
    ken_lex_query q;
    ken_lex_query_parse(KEN_STR("alpha betaGamma retry policy queue x9"), &q);
    ken_status st = ken_lex_score_files(&c, &q, NULL, NULL, &scores, &err);
    check(st, &err);
    // Chunks take memory for each chunk that the header claims: bounded by the bytes behind it.
    if (!st)
        check(ken_lex_score_chunks(&c, &q, scores.touched.ptr, scores.touched.len, &scores, &err),
              &err);
    ken_lex_scores_release(&scores);
    ken_arena_release(&arena);
}

static void find_words(ken_lex_segment *s, uint64_t *sum)
{
    ken_err err = { 0 };
    for (int i = 0; i < N_WORDS; i++) {
        ken_lex_query q;
        ken_lex_query_parse(ken_str_c(words[i]), &q);
        for (uint32_t t = 0; t < q.n_terms; t++) {
            ken_lex_list list;
            ken_status st = ken_lex_find(s, q.terms[t].lookup[0], &list, &err);
            check(st, &err);
            if (st)
                continue;
            ken_lex_cursor c;
            ken_lex_cursor_init(&c, &list);
            while (ken_lex_cursor_next(&c)) {
                const uint8_t *pos = NULL;
                uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
                while (ken_lex_cursor_chunk(&c, &pos, &chunk, tf))
                    *sum += chunk + tf[0];
            }
        }
    }
}

static void ask(const uint8_t *data, size_t len, size_t block)
{
    ken_err err = { 0 };
    bytes b = { data, len, block };
    ken_block_source source = { read_block, &b, 1, len, (uint32_t)block };
    ken_lex_segment *s = NULL;
    if (ken_lex_segment_open(&source, &s, &err)) {
        KEN_ASSERT(err.msg[0] && (err.status == KEN_ECORRUPT || err.status == KEN_EVERSION));
        return;
    }
    uint64_t sum = 0;
    find_words(s, &sum);
    check(ken_lex_names_prefix(s, KEN_STR(""), note_name, &sum, &err), &err);
    check(ken_lex_names_equal(s, KEN_STR("PARSE"), note_name, &sum, &err), &err);
    check(ken_lex_names_near(s, KEN_STR("prase"), 2, note_name, &sum, &err), &err);
    merge(s);
    score(s);
    ken_lex_segment_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!sound.len)
        make_sound();
    if (size < 1 || size > 65536)
        return 0;
    const unsigned flags = data[0];
    const size_t block = flags & IS_SMALL ? 61 : 4096;
    if (flags & IS_WHOLE) {
        ask(data + 1, size - 1, block);
        return 0;
    }
    size_t len = sound.len;
    uint8_t *copy = ken_alloc(len);
    memcpy(copy, sound.ptr, len);
    bool is_length = flags & IS_CUT;
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = (size_t)data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
        if (is_length)
            len = at % (sound.len + 1);
        else
            copy[at % sound.len] = data[i + 3];
        is_length = false;
    }
    ask(copy, len, block);
    ken_free(copy);
    return 0;
}

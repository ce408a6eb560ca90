// SPDX-License-Identifier: MIT
// lexical_lab.h -- what the tests of words share: chance that repeats, segments in memory, and the
// plain lists that a segment must agree with.
#ifndef KEN_TESTS_LEXICAL_LAB_H
#define KEN_TESTS_LEXICAL_LAB_H

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "blocks/sections.h"
#include "lexical/lexical.h"

// ---- chance ------------------------------------------------------------------------------------

static uint64_t lab_state = 1;

static inline void lab_seed(uint64_t seed)
{
    lab_state = seed * 0x9e3779b97f4a7c15u + 1;
}

static inline uint32_t lab_pick(uint32_t below) // xorshift; the same on every run
{
    lab_state ^= lab_state << 13;
    lab_state ^= lab_state >> 7;
    lab_state ^= lab_state << 17;
    return (uint32_t)((lab_state >> 11) % below);
}

static inline uint64_t lab_pick64(void)
{
    return (uint64_t)lab_pick(UINT32_MAX) << 32 | lab_pick(UINT32_MAX);
}

// ---- a segment in memory -----------------------------------------------------------------------

typedef struct lab_segment {
    ken_buf bytes;
    uint32_t block_bytes;
    uint32_t n_reads;
    ken_status failure; // of every read, when not KEN_OK
    ken_lex_segment *s;
} lab_segment;

static inline ken_status lab_read(void *ctx, int64_t segment, uint32_t block, void *into,
                                  size_t *out_n, ken_err *err)
{
    lab_segment *l = ctx;
    (void)segment;
    l->n_reads++;
    if (l->failure)
        return KEN_FAIL(err, l->failure, "the disk is gone");
    size_t at = (size_t)block * l->block_bytes, n = l->bytes.len - at;
    if (at > l->bytes.len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no such block");
    *out_n = n < l->block_bytes ? n : l->block_bytes;
    memcpy(into, l->bytes.ptr + at, *out_n);
    return KEN_OK;
}

static inline ken_status lab_open(lab_segment *l, ken_err *err)
{
    if (!l->block_bytes)
        l->block_bytes = 4096;
    ken_block_source source = { lab_read, l, 1, l->bytes.len, l->block_bytes };
    return ken_lex_segment_open(&source, &l->s, err);
}

static inline ken_block_sink lab_sink(lab_segment *l)
{
    if (!l->block_bytes)
        l->block_bytes = 4096;
    return ken_block_sink_of(&l->bytes, l->block_bytes);
}

// The same segment as an older program had it: sections one behind the other. Format 2, or 1, which
// had no letters of names.
static inline void lab_flatten(lab_segment *l, uint32_t format, ken_buf *out)
{
    enum {
        HEADER = 128,
        SECTIONS = 8
    };
    ken_block_source source = { lab_read, l, 1, l->bytes.len, l->block_bytes };
    ken_sections *s = NULL;
    uint8_t h[HEADER] = { 0 };
    uint64_t at = HEADER;
    if (ken_sections_open(&source, &s, NULL) || ken_sections_count(s) != SECTIONS)
        abort();
    memcpy(h, ken_sections_head(s).ptr, 32);
    ken_put32(h + 4, format);
    uint32_t n = format > 1 ? SECTIONS : SECTIONS - 1;
    for (uint32_t i = 0; i < n; i++) {
        ken_put64(h + 32 + (size_t)8 * i, at);
        at += ken_sections_len(s, i);
    }
    ken_put64(h + 32 + (size_t)8 * n, at);
    ken_buf_clear(out);
    ken_buf_put(out, h, sizeof h);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *p = NULL;
        uint64_t len = ken_sections_len(s, i);
        if (ken_sections_view(s, i, 0, len, &p, NULL))
            abort();
        ken_buf_put(out, p, (size_t)len);
    }
    ken_sections_close(s);
}

static inline void lab_close(lab_segment *l)
{
    ken_lex_segment_close(l->s);
    l->s = NULL;
}

static inline void lab_release(lab_segment *l)
{
    lab_close(l);
    ken_buf_release(&l->bytes);
}

// ---- documents by hand -------------------------------------------------------------------------

typedef struct lab_doc {
    int64_t id;
    ken_lex_doc doc;
    KEN_VEC(ken_symbol) symbols;
} lab_doc;

typedef KEN_VEC(lab_doc) lab_docs;

static inline void lab_docs_release(lab_docs *docs)
{
    for (size_t i = 0; i < docs->len; i++) {
        ken_lex_doc_release(&docs->ptr[i].doc);
        ken_vec_release(&docs->ptr[i].symbols);
    }
    ken_vec_release(docs);
}

static inline lab_doc *lab_add_doc(lab_docs *docs, uint32_t n_chunks)
{
    ken_vec_push(docs, ((lab_doc){ .id = (int64_t)docs->len * 3 + 7 }));
    lab_doc *d = &docs->ptr[docs->len - 1];
    d->doc.n_chunks = n_chunks;
    for (uint32_t i = 0; i < n_chunks * KEN_FIELD_COUNT; i++) {
        ken_vec_push(&d->doc.lens, (uint16_t)lab_pick(UINT16_MAX + 1));
        d->doc.len[i % KEN_FIELD_COUNT] += d->doc.lens.ptr[i];
    }
    return d;
}

// Postings of a document must come chunk by chunk.
static inline void lab_add_posting(lab_doc *d, ken_term term, uint32_t chunk, uint32_t body,
                                   uint32_t comment, uint32_t name)
{
    ken_posting p = { .key = term << 24 | chunk,
                      .tf = { (uint8_t)body, (uint8_t)comment, (uint8_t)name } };
    ken_vec_push(&d->doc.postings, p);
}

static inline void lab_build(lab_segment *l, const lab_docs *docs, ken_lex_builder *b)
{
    for (size_t i = 0; i < docs->len; i++)
        ken_lex_builder_add(b, docs->ptr[i].id, &docs->ptr[i].doc, docs->ptr[i].symbols.ptr,
                            (uint32_t)docs->ptr[i].symbols.len);
    ken_buf_clear(&l->bytes);
    ken_block_sink sink = lab_sink(l);
    if (ken_lex_builder_finish(b, &sink, NULL))
        abort();
}

#endif

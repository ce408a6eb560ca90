// SPDX-License-Identifier: MIT
// Writing a segment whose terms and names come in order, whoever has them: a builder that sorted
// them, or a merge that reads several segments side by side. Holds a block of each section.
#include <string.h>

#include "base/alloc.h"
#include "lexical/lexical_priv.h"

static void put32(seg_writer *w, uint32_t section, uint32_t v)
{
    uint8_t p[4];
    ken_put32(p, v);
    ken_sections_put(&w->out, section, p, sizeof p);
}

static void put64(seg_writer *w, uint32_t section, uint64_t v)
{
    uint8_t p[8];
    ken_put64(p, v);
    ken_sections_put(&w->out, section, p, sizeof p);
}

void ken_lex__writer_init(seg_writer *w, const ken_block_sink *sink)
{
    memset(w, 0, sizeof *w);
    ken_sections_writer_init(&w->out, sink, SEG_SECTIONS);
}

void ken_lex__put_content(seg_writer *w, int64_t id, uint32_t n_chunks,
                          const uint32_t len[KEN_FIELD_COUNT])
{
    put64(w, SEG_CONTENTS, (uint64_t)id);
    put32(w, SEG_CONTENTS, w->h.n_chunks);
    put32(w, SEG_CONTENTS, n_chunks);
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        put32(w, SEG_CONTENTS, len[f]);
    put32(w, SEG_CONTENTS, 0);
    w->h.n_contents++;
    w->h.n_chunks += n_chunks;
}

void ken_lex__put_lens(seg_writer *w, const void *raw, size_t n_bytes)
{
    ken_sections_put(&w->out, SEG_CHUNK_LENS, raw, n_bytes);
}

// ---- terms -------------------------------------------------------------------------------------

void ken_lex__begin_terms(seg_writer *w, uint64_t n_postings)
{
    uint32_t bits = SEG_MIN_BUCKET_BITS;
    while (bits < SEG_MAX_BUCKET_BITS && (uint64_t)128 << bits < n_postings)
        bits++;
    w->h.bucket_bits = bits;
}

// Buckets begin where the dictionary is now, up to `end`.
static void begin_buckets(seg_writer *w, uint64_t end)
{
    for (; w->n_bucket < end; w->n_bucket++)
        put32(w, SEG_BUCKETS, (uint32_t)w->out.len[SEG_DICT]);
}

static uint8_t *add_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

void ken_lex__put_term(seg_writer *w, ken_term term, uint32_t n_contents, uint32_t n_chunks,
                       ken_str list)
{
    uint8_t entry[48], *to = entry;
    uint64_t bucket = term >> (SEG_TERM_BITS - w->h.bucket_bits);
    if (w->n_bucket <= bucket) {
        begin_buckets(w, bucket + 1);
        to = add_varint(to, w->out.len[SEG_POSTINGS]);
    }
    ken_put32(to, (uint32_t)term);
    to = add_varint(to + 4, n_contents);
    to = add_varint(to, n_chunks - n_contents);
    to = add_varint(to, list.len);
    ken_sections_put(&w->out, SEG_DICT, entry, (size_t)(to - entry));
    ken_sections_put(&w->out, SEG_POSTINGS, list.ptr, list.len);
    w->h.n_terms++;
}

void ken_lex__end_terms(seg_writer *w)
{
    begin_buckets(w, ((uint64_t)1 << w->h.bucket_bits) + 1);
}

// ---- names -------------------------------------------------------------------------------------

void ken_lex__put_name(seg_writer *w, ken_str name, uint32_t n_places, ken_str places)
{
    uint8_t head[32], *to = head;
    if (w->h.n_names % SEG_NAMES_PER_BLOCK == 0) {
        w->n_before = 0;
        put64(w, SEG_NAME_KEYS, seg_name_key(name));
        put64(w, SEG_NAME_KEYS, w->out.len[SEG_NAMES]);
        w->h.n_name_blocks++;
    }
    size_t shared = 0;
    while (shared < w->n_before && shared < name.len && w->before[shared] == name.ptr[shared])
        shared++;
    to = add_varint(to, shared);
    to = add_varint(to, name.len - shared);
    ken_sections_put(&w->out, SEG_NAMES, head, (size_t)(to - head));
    ken_sections_put(&w->out, SEG_NAMES, name.ptr + shared, name.len - shared);
    to = add_varint(head, n_places);
    ken_sections_put(&w->out, SEG_NAMES, head, (size_t)(to - head));
    ken_sections_put(&w->out, SEG_NAMES, places.ptr, places.len);
    put32(w, SEG_NAME_LETTERS, seg_name_letters(name));
    memcpy(w->before, name.ptr, name.len);
    w->n_before = name.len;
    w->h.n_names++;
}

// ---- the end -----------------------------------------------------------------------------------

ken_status ken_lex__writer_end(seg_writer *w, ken_err *err)
{
    while (w->out.len[SEG_NAME_LETTERS] % SEG_LETTERS_BYTES)
        put32(w, SEG_NAME_LETTERS, 0);
    const uint32_t fields[] = {
        SEG_MAGIC,    SEG_FORMAT,       w->h.n_contents, w->h.n_chunks,
        w->h.n_terms, w->h.bucket_bits, w->h.n_names,    w->h.n_name_blocks
    };
    uint8_t head[SEG_HEAD_BYTES];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        ken_put32(head + 4 * i, fields[i]);
    bool is_over = w->out.len[SEG_DICT] > UINT32_MAX;
    ken_status st = ken_sections_writer_end(&w->out, head, sizeof head, err);
    return st || !is_over ? st : KEN_FAIL(err, KEN_ELIMIT, "a search segment has too many words");
}

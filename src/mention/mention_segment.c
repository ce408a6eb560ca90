// SPDX-License-Identifier: MIT
// A segment as it is read: all of it in memory, a binary search and at most 32 short lists a name.
#include "base/alloc.h"
#include "mention/mention_priv.h"

struct ken_mention_segment {
    uint8_t *bytes;
    size_t n_bytes, directory_at, lists_at;
    uint32_t n_contents, n_names, n_entries;
    int64_t *contents;
};

static ken_status corrupt(const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT, "a segment of names is damaged: %s", what);
}

static ken_status read_bytes(const ken_block_source *source, ken_mention_segment *s, ken_err *err)
{
    if (source->n_bytes > UINT32_MAX || !source->block_bytes)
        return corrupt("its size", err);
    uint32_t n_blocks =
        (uint32_t)((source->n_bytes + source->block_bytes - 1) / source->block_bytes);
    s->n_bytes = (size_t)source->n_bytes;
    s->bytes = ken_alloc((size_t)n_blocks * source->block_bytes + 1);
    for (uint32_t i = 0; i < n_blocks; i++) {
        size_t n = 0, want = s->n_bytes - (size_t)i * source->block_bytes;
        ken_status st = source->read(source->ctx, source->segment, i,
                                     s->bytes + (size_t)i * source->block_bytes, &n, err);
        if (st)
            return st;
        if (n != (want < source->block_bytes ? want : source->block_bytes))
            return corrupt("a block is cut short", err);
    }
    return KEN_OK;
}

static ken_status read_head(ken_mention_segment *s, ken_err *err)
{
    if (s->n_bytes < MENTION_HEADER_BYTES ||
        ken_get32(s->bytes + MENTION_AT_MAGIC) != MENTION_MAGIC ||
        ken_get32(s->bytes + MENTION_AT_FORMAT) != MENTION_FORMAT)
        return corrupt("it is not of this format", err);
    s->n_contents = ken_get32(s->bytes + MENTION_AT_CONTENTS);
    s->n_names = ken_get32(s->bytes + MENTION_AT_NAMES);
    s->n_entries = s->n_names / MENTION_STRIDE + (s->n_names % MENTION_STRIDE != 0);
    s->directory_at = MENTION_HEADER_BYTES + (size_t)s->n_contents * 8;
    s->lists_at = s->directory_at + (size_t)s->n_entries * MENTION_ENTRY_BYTES;
    if (s->lists_at > s->n_bytes)
        return corrupt("its lists begin behind its end", err);
    s->contents = ken_alloc(ken_mul_size(s->n_contents + (size_t)1, sizeof *s->contents));
    for (uint32_t i = 0; i < s->n_contents; i++)
        s->contents[i] = (int64_t)ken_get64(s->bytes + MENTION_HEADER_BYTES + (size_t)i * 8);
    return KEN_OK;
}

ken_status ken_mention_segment_open(const ken_block_source *source, ken_mention_segment **out,
                                    ken_err *err)
{
    ken_mention_segment *s = ken_zalloc(sizeof *s);
    ken_status st = read_bytes(source, s, err);
    if (!st)
        st = read_head(s, err);
    if (st)
        ken_mention_segment_close(s);
    else
        *out = s;
    return st;
}

void ken_mention_segment_close(ken_mention_segment *s)
{
    if (!s)
        return;
    ken_free(s->bytes);
    ken_free(s->contents);
    ken_free(s);
}

uint32_t ken_mention_segment_n_contents(const ken_mention_segment *s)
{
    return s->n_contents;
}

const int64_t *ken_mention_segment_contents(const ken_mention_segment *s)
{
    return s->contents;
}

// ---- lists -------------------------------------------------------------------------------------

typedef struct mention_list {
    uint32_t hash, n;
    const uint8_t *at; // of its ordinals
} mention_list;

static bool next_varint(const uint8_t **at, const uint8_t *end, uint32_t *out)
{
    uint64_t v;
    if (!ken_varint_get(at, end, &v) || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

// The head of the list at *at; `hash` is that of the one before.
static bool next_list(const ken_mention_segment *s, const uint8_t **at, uint32_t hash,
                      mention_list *out)
{
    const uint8_t *end = s->bytes + s->n_bytes;
    uint32_t step;
    if (!next_varint(at, end, &step) || !next_varint(at, end, &out->n) || out->n > s->n_contents ||
        step > UINT32_MAX - hash)
        return false;
    out->hash = hash + step;
    out->at = *at;
    return true;
}

// Goes over the ordinals of a list; `out` may be NULL.
static bool read_list(const ken_mention_segment *s, const mention_list *l, const uint8_t **at,
                      ken_mentions *out)
{
    const uint8_t *end = s->bytes + s->n_bytes;
    uint32_t ordinal = 0, step;
    *at = l->at;
    for (uint32_t i = 0; i < l->n; i++) {
        if (!next_varint(at, end, &step) || step >= s->n_contents - ordinal)
            return false;
        ordinal += step;
        if (out)
            ken_vec_push(out, ordinal);
    }
    return true;
}

static const uint8_t *entry_at(const ken_mention_segment *s, uint32_t i)
{
    return s->bytes + s->directory_at + (size_t)i * MENTION_ENTRY_BYTES;
}

// Where the lists of a directory's entry begin; NULL when that is outside.
static const uint8_t *lists_of(const ken_mention_segment *s, uint32_t entry)
{
    uint32_t offset = ken_get32(entry_at(s, entry) + 4);
    return offset <= s->n_bytes - s->lists_at ? s->bytes + s->lists_at + offset : NULL;
}

ken_status ken_mention_find(const ken_mention_segment *s, uint32_t hash, ken_mentions *out,
                            ken_err *err)
{
    uint32_t lo = 0, hi = s->n_entries;
    while (lo < hi) { // the last entry whose hash is not above
        uint32_t mid = lo + (hi - lo) / 2;
        if (ken_get32(entry_at(s, mid)) <= hash)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        return KEN_OK;
    const uint8_t *at = lists_of(s, lo - 1);
    uint32_t before = ken_get32(entry_at(s, lo - 1));
    uint32_t left = s->n_names - (lo - 1) * MENTION_STRIDE;
    for (uint32_t i = 0; at && i < MENTION_STRIDE && i < left; i++) {
        mention_list l;
        if (!next_list(s, &at, before, &l))
            return corrupt("a list", err);
        bool is_it = l.hash == hash;
        if (l.hash > hash)
            break;
        if (!read_list(s, &l, &at, is_it ? out : NULL))
            return corrupt("a list", err);
        if (is_it)
            break;
        before = l.hash;
    }
    return at ? KEN_OK : corrupt("its directory", err);
}

// ---- merging -----------------------------------------------------------------------------------

// All pairs of the segment, by content: how many each has, then its hashes one behind the other.
static ken_status gather(const ken_mention_segment *s, uint32_t *starts, ken_mentions *hashes,
                         ken_err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        const uint8_t *at = s->bytes + s->lists_at;
        ken_mentions ordinals = { 0 };
        uint32_t hash = 0;
        bool is_sound = true;
        for (uint32_t i = 0; is_sound && i < s->n_names; i++) {
            mention_list l;
            if (i % MENTION_STRIDE == 0)
                hash = ken_get32(entry_at(s, i / MENTION_STRIDE));
            ken_vec_clear(&ordinals);
            is_sound = next_list(s, &at, hash, &l) && read_list(s, &l, &at, &ordinals);
            hash = is_sound ? l.hash : hash;
            for (size_t k = 0; is_sound && k < ordinals.len; k++) {
                uint32_t *start = &starts[ordinals.ptr[k] + (pass ? 0 : 1)];
                if (pass)
                    hashes->ptr[*start] = hash;
                ++*start;
            }
        }
        ken_vec_release(&ordinals);
        if (!is_sound)
            return corrupt("a list", err);
        if (!pass) {
            for (uint32_t i = 0; i < s->n_contents; i++)
                starts[i + 1] += starts[i];
            ken_vec_reserve(hashes, starts[s->n_contents] + (size_t)1);
            hashes->len = starts[s->n_contents];
        }
    }
    return KEN_OK; // starts[i] is now where those of content i end
}

ken_status ken_mention_builder_merge(ken_mention_builder *b, const ken_mention_segment *s,
                                     const bool *is_live, ken_err *err)
{
    uint32_t *ends = ken_zalloc(ken_mul_size(s->n_contents + (size_t)2, sizeof *ends));
    ken_mentions hashes = { 0 };
    ken_status st = gather(s, ends, &hashes, err);
    for (uint32_t i = 0; !st && i < s->n_contents; i++) {
        uint32_t from = i ? ends[i - 1] : 0;
        if (is_live[i])
            ken_mention_builder_add(b, s->contents[i], hashes.ptr + from, ends[i] - from);
    }
    ken_free(ends);
    ken_vec_release(&hashes);
    return st;
}

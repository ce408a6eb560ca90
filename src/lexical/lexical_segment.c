// SPDX-License-Identifier: MIT
// Reading a segment. Its bytes have one place in memory, reserved when it is opened; a block is
// read into its place when something in it is first needed, so that every range is contiguous and
// only what questions touch is resident. Whatever a stored number says is checked against the
// section it is in.
#include <sys/mman.h>

#include "base/alloc.h"
#include "lexical/lexical_priv.h"

struct ken_lex_segment {
    ken_block_source source;
    uint8_t *base;      // reserved address space of n_bytes
    uint8_t *has_block; // one byte a block
    uint32_t n_blocks;
    size_t resident;
    seg_header h;
    ken_lex_content *contents;
    uint16_t *lens; // decoded chunk lengths of the last content asked for
    size_t lens_cap;
};

static ken_status damaged(const ken_lex_segment *s, const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT, "search segment %lld: %s", (long long)s->source.segment,
                    what);
}

static ken_status load_block(ken_lex_segment *s, uint32_t block, ken_err *err)
{
    size_t want = s->source.block_bytes, got = 0;
    if (block + 1 == s->n_blocks)
        want = (size_t)(s->source.n_bytes - (uint64_t)block * want);
    uint8_t *place = s->base + (size_t)block * s->source.block_bytes;
    ken_status st = s->source.read(s->source.ctx, s->source.segment, block, place, &got, err);
    if (st)
        return st;
    if (got != want)
        return damaged(s, "a block is too short", err);
    s->has_block[block] = 1;
    s->resident += want;
    return KEN_OK;
}

// Makes bytes [at, at + n) readable.
static ken_status view(ken_lex_segment *s, uint64_t at, uint64_t n, const uint8_t **out,
                       ken_err *err)
{
    if (at > s->source.n_bytes || n > s->source.n_bytes - at)
        return damaged(s, "a range is outside of it", err);
    uint32_t first = (uint32_t)(at / s->source.block_bytes);
    uint32_t last = n ? (uint32_t)((at + n - 1) / s->source.block_bytes) : first;
    for (uint32_t b = first; b <= last && b < s->n_blocks; b++) {
        ken_status st = s->has_block[b] ? KEN_OK : load_block(s, b, err);
        if (st)
            return st;
    }
    *out = s->base + at;
    return KEN_OK;
}

static ken_status read_header(ken_lex_segment *s, ken_err *err)
{
    const uint8_t *p = NULL;
    ken_status st = view(s, 0, SEG_HEADER_BYTES, &p, err);
    if (st)
        return st;
    if (ken_get32(p) != SEG_MAGIC)
        return damaged(s, "it does not begin like one", err);
    uint32_t format = ken_get32(p + 4);
    if (!format || format > SEG_FORMAT)
        return KEN_FAIL(err, KEN_EVERSION, "search segment has format %u, this program reads %d",
                        format, SEG_FORMAT);
    bool has_letters = format > 1;
    uint32_t *fields[] = { &s->h.n_contents,  &s->h.n_chunks, &s->h.n_terms,
                           &s->h.bucket_bits, &s->h.n_names,  &s->h.n_name_blocks };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = ken_get32(p + 8 + 4 * i);
    for (int i = 0, n = 0; i < SEG_SECTIONS; i++)
        if (i != SEG_NAME_LETTERS || has_letters)
            s->h.at[i] = ken_get64(p + 32 + 8 * n++);
    if (!has_letters) // no bytes of them
        s->h.at[SEG_NAME_LETTERS] = s->h.at[SEG_END];
    bool is_sound = s->h.at[0] == SEG_HEADER_BYTES && s->h.at[SEG_END] == s->source.n_bytes &&
                    s->h.bucket_bits >= SEG_MIN_BUCKET_BITS &&
                    s->h.bucket_bits <= SEG_MAX_BUCKET_BITS;
    for (int i = 1; i < SEG_SECTIONS; i++)
        is_sound = is_sound && s->h.at[i] >= s->h.at[i - 1];
    const uint64_t sizes[][2] = {
        { SEG_CONTENTS, (uint64_t)s->h.n_contents * SEG_CONTENT_BYTES },
        { SEG_CHUNK_LENS, (uint64_t)s->h.n_chunks * KEN_FIELD_COUNT * 2 },
        { SEG_BUCKETS, (((uint64_t)1 << (s->h.bucket_bits & 31)) + 1) * 4 },
        { SEG_NAME_KEYS, (uint64_t)s->h.n_name_blocks * SEG_NAME_KEY_BYTES },
        { SEG_NAME_LETTERS, has_letters ? (uint64_t)s->h.n_name_blocks * SEG_LETTERS_BYTES : 0 },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        is_sound = is_sound && s->h.at[sizes[i][0] + 1] - s->h.at[sizes[i][0]] == sizes[i][1];
    return is_sound ? KEN_OK : damaged(s, "its sections do not fit", err);
}

static ken_status read_contents(ken_lex_segment *s, ken_err *err)
{
    const uint8_t *p = NULL;
    ken_status st =
        view(s, s->h.at[SEG_CONTENTS], (uint64_t)s->h.n_contents * SEG_CONTENT_BYTES, &p, err);
    if (st)
        return st;
    s->contents = ken_alloc(ken_mul_size(s->h.n_contents, sizeof *s->contents));
    uint64_t chunk = 0;
    for (uint32_t i = 0; i < s->h.n_contents; i++, p += SEG_CONTENT_BYTES) {
        ken_lex_content *c = &s->contents[i];
        c->id = (int64_t)ken_get64(p);
        c->first_chunk = ken_get32(p + 8);
        c->n_chunks = ken_get32(p + 12);
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            c->len[f] = ken_get32(p + 16 + 4 * f);
        if (c->first_chunk != chunk)
            return damaged(s, "its contents do not add up", err);
        chunk += c->n_chunks;
    }
    return chunk == s->h.n_chunks ? KEN_OK : damaged(s, "its contents do not add up", err);
}

ken_status ken_lex_segment_open(const ken_block_source *source, ken_lex_segment **out, ken_err *err)
{
    if (source->n_bytes < SEG_HEADER_BYTES || !source->block_bytes ||
        source->n_bytes / source->block_bytes >= UINT32_MAX)
        return KEN_FAIL(err, KEN_ECORRUPT, "search segment %lld has %llu bytes",
                        (long long)source->segment, (unsigned long long)source->n_bytes);
    ken_lex_segment *s = ken_zalloc(sizeof *s);
    s->source = *source;
    s->n_blocks = (uint32_t)((source->n_bytes + source->block_bytes - 1) / source->block_bytes);
    s->has_block = ken_zalloc(s->n_blocks);
    s->base = mmap(NULL, (size_t)s->n_blocks * source->block_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ken_status st = KEN_OK;
    if (s->base == MAP_FAILED) {
        s->base = NULL;
        st = KEN_FAIL(err, KEN_ENOMEM, "a search segment of %llu bytes",
                      (unsigned long long)source->n_bytes);
    }
    if (!st)
        st = read_header(s, err);
    if (!st)
        st = read_contents(s, err);
    if (st)
        ken_lex_segment_close(s);
    else
        *out = s;
    return st;
}

void ken_lex_segment_close(ken_lex_segment *s)
{
    if (!s)
        return;
    if (s->base)
        munmap(s->base, (size_t)s->n_blocks * s->source.block_bytes);
    ken_free(s->has_block);
    ken_free(s->contents);
    ken_free(s->lens);
    ken_free(s);
}

uint32_t ken_lex_segment_n_contents(const ken_lex_segment *s)
{
    return s->h.n_contents;
}

uint32_t ken_lex_segment_n_chunks(const ken_lex_segment *s)
{
    return s->h.n_chunks;
}

const ken_lex_content *ken_lex_segment_contents(const ken_lex_segment *s)
{
    return s->contents;
}

size_t ken_lex_segment_resident(const ken_lex_segment *s)
{
    return s->resident;
}

ken_status ken_lex_segment_raw_lens(ken_lex_segment *s, uint32_t content, const uint8_t **out,
                                    ken_err *err)
{
    const ken_lex_content *c = &s->contents[content];
    return view(s, s->h.at[SEG_CHUNK_LENS] + (uint64_t)c->first_chunk * KEN_FIELD_COUNT * 2,
                (size_t)c->n_chunks * KEN_FIELD_COUNT * 2, out, err);
}

ken_status ken_lex_segment_chunk_lens(ken_lex_segment *s, uint32_t content, const uint16_t **out,
                                      ken_err *err)
{
    size_t n = (size_t)s->contents[content].n_chunks * KEN_FIELD_COUNT;
    const uint8_t *p = NULL;
    ken_status st = ken_lex_segment_raw_lens(s, content, &p, err);
    if (st)
        return st;
    s->lens = ken_vec_grow(s->lens, &s->lens_cap, n + 1, sizeof *s->lens);
    for (size_t i = 0; i < n; i++)
        s->lens[i] = (uint16_t)(p[2 * i] | p[2 * i + 1] << 8);
    *out = s->lens;
    return KEN_OK;
}

// ---- the dictionary --------------------------------------------------------------------------

typedef struct bucket {
    const uint8_t *at, *end;
    uint64_t postings; // offset of the next entry's postings in their section
} bucket;

static ken_status open_bucket(ken_lex_segment *s, uint64_t index, bucket *out, ken_err *err)
{
    *out = (bucket){ 0 };
    const uint8_t *p = NULL;
    ken_status st = view(s, s->h.at[SEG_BUCKETS] + index * 4, 8, &p, err);
    if (st)
        return st;
    uint32_t from = ken_get32(p), to = ken_get32(p + 4);
    uint64_t size = s->h.at[SEG_DICT + 1] - s->h.at[SEG_DICT];
    if (from > to || to > size)
        return damaged(s, "a bucket is outside of the dictionary", err);
    if (from == to)
        return KEN_OK;
    st = view(s, s->h.at[SEG_DICT] + from, to - from, &out->at, err);
    if (st)
        return st;
    out->end = out->at + (to - from);
    return ken_varint_get(&out->at, out->end, &out->postings)
               ? KEN_OK
               : damaged(s, "a bucket is cut short", err);
}

typedef struct dict_entry {
    uint32_t low;
    uint64_t n_contents, n_more, n_bytes, postings;
} dict_entry;

static bool next_entry(bucket *b, dict_entry *out)
{
    if (b->end - b->at < 4)
        return false;
    out->low = ken_get32(b->at);
    b->at += 4;
    out->postings = b->postings;
    if (!ken_varint_get(&b->at, b->end, &out->n_contents) ||
        !ken_varint_get(&b->at, b->end, &out->n_more) ||
        !ken_varint_get(&b->at, b->end, &out->n_bytes))
        return false;
    b->postings += out->n_bytes;
    return true;
}

enum {
    LIST_BYTES_MAX = INT32_MAX // what is left of a place next to its flag
};

static ken_status list_of(ken_lex_segment *s, const dict_entry *e, ken_lex_list *out, ken_err *err)
{
    uint64_t size = s->h.at[SEG_POSTINGS + 1] - s->h.at[SEG_POSTINGS];
    if (e->postings > size || e->n_bytes > size - e->postings || e->n_bytes > LIST_BYTES_MAX ||
        e->n_contents > s->h.n_contents || e->n_more > s->h.n_chunks)
        return damaged(s, "a posting list is outside of it", err);
    ken_status st = view(s, s->h.at[SEG_POSTINGS] + e->postings, e->n_bytes, &out->at, err);
    if (st)
        return st;
    out->end = out->at + e->n_bytes;
    out->n_contents = (uint32_t)e->n_contents;
    out->n_chunks = (uint32_t)(e->n_contents + e->n_more);
    return KEN_OK;
}

ken_status ken_lex_find(ken_lex_segment *s, ken_term term, ken_lex_list *out, ken_err *err)
{
    *out = (ken_lex_list){ 0 };
    bucket b;
    ken_status st = open_bucket(s, term >> (SEG_TERM_BITS - s->h.bucket_bits), &b, err);
    dict_entry e;
    while (!st && b.at && next_entry(&b, &e)) {
        if (e.low == (uint32_t)term)
            return list_of(s, &e, out, err);
    }
    return st;
}

bool ken_lex__next_term(ken_lex_segment *s, uint64_t *at, ken_term *term, ken_lex_list *list,
                        ken_status *st, ken_err *err)
{
    uint64_t n_buckets = (uint64_t)1 << s->h.bucket_bits;
    for (uint64_t index = *at >> 32; index < n_buckets; index++, *at = index << 32) {
        bucket b;
        *st = open_bucket(s, index, &b, err);
        if (*st)
            return false;
        dict_entry e;
        uint32_t n = 0, skip = (uint32_t)*at;
        while (b.at && next_entry(&b, &e)) {
            if (n++ < skip)
                continue;
            *term = (index >> (s->h.bucket_bits - SEG_MIN_BUCKET_BITS)) << 32 | e.low;
            *st = list_of(s, &e, list, err);
            *at = index << 32 | n;
            return !*st;
        }
        if (b.at != b.end) {
            *st = damaged(s, "a bucket is cut short", err);
            return false;
        }
    }
    return false;
}

// ---- names -------------------------------------------------------------------------------------

ken_status ken_lex__names_section(ken_lex_segment *s, ken_lex__names *out, ken_err *err)
{
    *out = (ken_lex__names){ .n_blocks = s->h.n_name_blocks };
    return view(s, s->h.at[SEG_NAME_KEYS], (uint64_t)out->n_blocks * SEG_NAME_KEY_BYTES, &out->keys,
                err);
}

ken_status ken_lex__names_letters(ken_lex_segment *s, ken_lex__names *names, ken_err *err)
{
    uint64_t at = s->h.at[SEG_NAME_LETTERS], n = s->h.at[SEG_NAME_LETTERS + 1] - at;
    return n ? view(s, at, n, &names->letters, err) : KEN_OK;
}

ken_status ken_lex__names_block(ken_lex_segment *s, const ken_lex__names *names, uint32_t block,
                                const uint8_t **out_at, const uint8_t **out_end, ken_err *err)
{
    uint64_t size = s->h.at[SEG_NAMES + 1] - s->h.at[SEG_NAMES];
    const uint8_t *key = names->keys + (size_t)block * SEG_NAME_KEY_BYTES;
    uint64_t from = ken_get64(key + 8);
    uint64_t to = block + 1 < names->n_blocks ? ken_get64(key + SEG_NAME_KEY_BYTES + 8) : size;
    if (from > to || to > size)
        return damaged(s, "a block of names is outside of it", err);
    ken_status st = view(s, s->h.at[SEG_NAMES] + from, to - from, out_at, err);
    if (!st)
        *out_end = *out_at + (to - from);
    return st;
}

// ---- posting lists -----------------------------------------------------------------------------

static inline bool get_varint32(const uint8_t **at, const uint8_t *end, uint32_t *out)
{
    const uint8_t *p = *at;
    if (p < end && *p < 0x80) { // nearly always
        *out = *p;
        *at = p + 1;
        return true;
    }
    uint64_t v;
    if (!ken_varint_get(at, end, &v) || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

static inline bool get_tf(const uint8_t **at, const uint8_t *end, uint32_t tf[KEN_FIELD_COUNT])
{
    if (*at >= end)
        return false;
    uint8_t code = *(*at)++;
    tf[KEN_FIELD_BODY] = tf[KEN_FIELD_COMMENT] = tf[KEN_FIELD_NAME] = 0;
    if (code < 0x80) {
        tf[KEN_FIELD_BODY] = code;
        return true;
    }
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        if (code & 1 << f && !get_varint32(at, end, &tf[f]))
            return false;
    return true;
}

void ken_lex_cursor_init(ken_lex_cursor *c, const ken_lex_list *list)
{
    *c = (ken_lex_cursor){ .at = list->at, .end = list->end };
}

// The chunks of a content that has several: skipped, for whoever wants them comes back.
static inline bool skip_detail(ken_lex_cursor *c)
{
    uint32_t n;
    if (!get_varint32(&c->at, c->end, &n) || n > (size_t)(c->end - c->at))
        return false;
    c->detail = c->at;
    c->at += n;
    c->detail_end = c->at;
    return true;
}

bool ken_lex_cursor_next(ken_lex_cursor *c)
{
    uint32_t head;
    if (!get_varint32(&c->at, c->end, &head))
        return false;
    c->content = c->has_started ? c->content + (head >> 1) : head >> 1;
    c->has_started = true;
    c->detail = NULL;
    if (!(head & 1))
        return get_varint32(&c->at, c->end, &c->chunk) && get_tf(&c->at, c->end, c->tf);
    return get_tf(&c->at, c->end, c->tf) && skip_detail(c);
}

// A place is where the chunks begin, times two, plus one when there are several.
static bool next_head(ken_lex_cursor *c, const uint8_t *base, ken_lex_head *out)
{
    const uint8_t *before = c->at;
    if (!ken_lex_cursor_next(c))
        return false;
    uint32_t head = 0, tf[KEN_FIELD_COUNT];
    bool is_sound = get_varint32(&before, c->at, &head);
    if (head & 1)
        is_sound = is_sound && get_tf(&before, c->at, tf);
    out->content = c->content;
    memcpy(out->tf, c->tf, sizeof out->tf);
    out->place = (uint32_t)(before - base) << 1 | (head & 1);
    return is_sound;
}

enum {
    USUAL_BYTES = 7 // of a head whose numbers are all below 128, at most
};

// A head whose numbers are all below 128, as nearly all are, taken apart without a branch: which
// counts there are, and whether there are several chunks, nobody can foretell. Returns where the
// next head is, or NULL when this one is not as usual.
static inline const uint8_t *usual_head(const uint8_t *p, const uint8_t *base, uint32_t *content,
                                        ken_lex_head *out)
{
    uint32_t several = p[0] & 1;
    const uint8_t *q = p + 2 - several;
    uint32_t code = q[0], mask = code & (0 - (code >> 7));
    uint32_t body = mask & 1, comment = mask >> 1 & 1, name = mask >> 2 & 1;
    uint32_t coded = q[1] & (0 - body);
    out->tf[KEN_FIELD_BODY] = mask ? coded : code;
    out->tf[KEN_FIELD_COMMENT] = q[1 + body] & (0 - comment);
    out->tf[KEN_FIELD_NAME] = q[1 + body + comment] & (0 - name);
    q += 1 + body + comment + name;
    uint32_t last = several ? q[0] : p[1];
    uint32_t all = p[0] | coded | out->tf[KEN_FIELD_COMMENT] | out->tf[KEN_FIELD_NAME] | last;
    if (all & 0x80)
        return NULL;
    *content += p[0] >> 1;
    out->content = *content;
    out->place = (uint32_t)((several ? q : p + 1) - base) << 1 | several;
    return q + (several ? 1 + last : 0);
}

uint32_t ken_lex_cursor_heads(ken_lex_cursor *c, const ken_lex_list *list, ken_lex_head *out,
                              uint32_t max)
{
    for (uint32_t n = 0; n < max; n++) {
        const uint8_t *next = NULL;
        if (c->end - c->at >= USUAL_BYTES)
            next = usual_head(c->at, list->at, &c->content, &out[n]);
        if (next && next <= c->end) {
            c->at = next;
            c->has_started = true;
        } else if (next || !next_head(c, list->at, &out[n])) {
            c->at = c->end;
            return n;
        }
    }
    return max;
}

bool ken_lex_cursor_seek(ken_lex_cursor *c, const ken_lex_list *list, uint32_t place)
{
    if (place >> 1 > (size_t)(list->end - list->at))
        return false;
    *c = (ken_lex_cursor){ .at = list->at + (place >> 1), .end = list->end };
    if (place & 1)
        return skip_detail(c);
    return get_varint32(&c->at, c->end, &c->chunk) && get_tf(&c->at, c->end, c->tf);
}

bool ken_lex_cursor_chunk(const ken_lex_cursor *c, const uint8_t **pos, uint32_t *chunk,
                          uint32_t tf[KEN_FIELD_COUNT])
{
    if (!c->detail) {
        if (*pos)
            return false;
        *pos = c->at;
        *chunk = c->chunk;
        memcpy(tf, c->tf, KEN_FIELD_COUNT * sizeof *tf);
        return true;
    }
    uint32_t delta, before = *pos ? *chunk : 0;
    if (!*pos)
        *pos = c->detail;
    if (!get_varint32(pos, c->detail_end, &delta) || !get_tf(pos, c->detail_end, tf))
        return false;
    *chunk = before + delta;
    return true;
}

// SPDX-License-Identifier: MIT
// Reading a segment. Its sections are ranges of memory of which a block is read when something in it
// is first needed (blocks/sections.h), so that only what questions touch is resident. Every
// stored number is checked against the section it is in.
#include "base/alloc.h"
#include "lexical/lexical_priv.h"

struct ken_lex_segment {
    ken_sections *bytes;
    seg_header h;
    ken_lex_content *contents;
    uint16_t *lens; // decoded chunk lengths of the last content asked for
    size_t lens_cap;
};

ken_status ken_lex__damaged(const ken_lex_segment *s, const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT, "search segment %lld: %s",
                    (long long)ken_sections_id(s->bytes), what);
}

static ken_status no_memory(const ken_lex_segment *s, uint32_t n, const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOMEM, "search segment %lld: no memory for its %u %s",
                    (long long)ken_sections_id(s->bytes), n, what);
}

ken_status ken_lex__view(ken_lex_segment *s, uint32_t section, uint64_t at, uint64_t n,
                         const uint8_t **out, ken_err *err)
{
    return ken_sections_view(s->bytes, section, at, n, out, err);
}

void ken_lex__forget(ken_lex_segment *s, uint32_t section, uint64_t below)
{
    ken_sections_forget(s->bytes, section, below);
}

static uint64_t len_of(const ken_lex_segment *s, uint32_t section)
{
    return ken_sections_len(s->bytes, section);
}

// Formats 1 and 2 begin with their head and with where the sections are.
static ken_status place_flat(ken_lex_segment *s, const uint8_t **head, ken_err *err)
{
    uint64_t at[SEG_SECTIONS], n_bytes = ken_sections_len(s->bytes, 0);
    if (n_bytes < SEG_FLAT_HEADER_BYTES)
        return ken_lex__damaged(s, "it is too short", err);
    ken_status st = ken_lex__view(s, 0, 0, SEG_FLAT_HEADER_BYTES, head, err);
    if (st)
        return st;
    if (ken_get32(*head) != SEG_MAGIC)
        return ken_lex__damaged(s, "it does not begin like one", err);
    uint32_t format = ken_get32(*head + 4);
    if (format != 1 && format != 2)
        return KEN_FAIL(err, KEN_EVERSION, "search segment has format %u, this program reads %d",
                        format, SEG_FORMAT);
    bool has_letters = format > 1;
    for (int i = 0; i < SEG_SECTIONS; i++)
        at[i] = ken_get64(*head + 32 + 8 * (size_t)i);
    uint64_t end =
        ken_get64(*head + 32 + 8 * (size_t)(has_letters ? SEG_SECTIONS : SEG_NAME_LETTERS));
    if (!has_letters) // no bytes of them
        at[SEG_NAME_LETTERS] = end;
    if (at[0] != SEG_FLAT_HEADER_BYTES || end != n_bytes)
        return ken_lex__damaged(s, "its sections do not fit", err);
    return ken_sections_place(s->bytes, at, SEG_SECTIONS, err);
}

static ken_status read_header(ken_lex_segment *s, ken_err *err)
{
    ken_str head = ken_sections_head(s->bytes);
    const uint8_t *p = (const uint8_t *)head.ptr;
    bool is_flat = ken_sections_is_flat(s->bytes), has_letters = true;
    if (is_flat) {
        ken_status st = place_flat(s, &p, err);
        if (st)
            return st;
        has_letters = ken_get32(p + 4) > 1;
    } else if (head.len != SEG_HEAD_BYTES || ken_get32(p) != SEG_MAGIC ||
               ken_sections_count(s->bytes) != SEG_SECTIONS) {
        return ken_lex__damaged(s, "it does not end like one", err);
    } else if (ken_get32(p + 4) != SEG_FORMAT) {
        return KEN_FAIL(err, KEN_EVERSION, "search segment has format %u, this program reads %d",
                        ken_get32(p + 4), SEG_FORMAT);
    }
    uint32_t *fields[] = { &s->h.n_contents,  &s->h.n_chunks, &s->h.n_terms,
                           &s->h.bucket_bits, &s->h.n_names,  &s->h.n_name_blocks };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = ken_get32(p + 8 + 4 * i);
    bool is_sound =
        s->h.bucket_bits >= SEG_MIN_BUCKET_BITS && s->h.bucket_bits <= SEG_MAX_BUCKET_BITS;
    const uint64_t sizes[][2] = {
        { SEG_CONTENTS, (uint64_t)s->h.n_contents * SEG_CONTENT_BYTES },
        { SEG_CHUNK_LENS, (uint64_t)s->h.n_chunks * KEN_FIELD_COUNT * 2 },
        { SEG_BUCKETS, (((uint64_t)1 << (s->h.bucket_bits & 31)) + 1) * 4 },
        { SEG_NAME_KEYS, (uint64_t)s->h.n_name_blocks * SEG_NAME_KEY_BYTES },
        { SEG_NAME_LETTERS, has_letters ? (uint64_t)s->h.n_name_blocks * SEG_LETTERS_BYTES : 0 },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        is_sound = is_sound && len_of(s, (uint32_t)sizes[i][0]) == sizes[i][1];
    return is_sound ? KEN_OK : ken_lex__damaged(s, "its sections do not fit", err);
}

static ken_status read_contents(ken_lex_segment *s, ken_err *err)
{
    const uint8_t *p = NULL;
    ken_status st =
        ken_lex__view(s, SEG_CONTENTS, 0, (uint64_t)s->h.n_contents * SEG_CONTENT_BYTES, &p, err);
    if (st)
        return st;
    s->contents = ken_try_alloc(ken_mul_size(s->h.n_contents, sizeof *s->contents));
    if (!s->contents)
        return no_memory(s, s->h.n_contents, "contents", err);
    uint64_t chunk = 0;
    for (uint32_t i = 0; i < s->h.n_contents; i++, p += SEG_CONTENT_BYTES) {
        ken_lex_content *c = &s->contents[i];
        c->id = (int64_t)ken_get64(p);
        c->first_chunk = ken_get32(p + 8);
        c->n_chunks = ken_get32(p + 12);
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            c->len[f] = ken_get32(p + 16 + 4 * f);
        if (c->first_chunk != chunk)
            return ken_lex__damaged(s, "its contents do not add up", err);
        chunk += c->n_chunks;
    }
    return chunk == s->h.n_chunks ? KEN_OK : ken_lex__damaged(s, "its contents do not add up", err);
}

ken_status ken_lex_segment_open(const ken_block_source *source, ken_lex_segment **out, ken_err *err)
{
    ken_lex_segment *s = ken_zalloc(sizeof *s);
    ken_status st = ken_sections_open(source, &s->bytes, err);
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
    ken_sections_close(s->bytes);
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
    return ken_sections_resident(s->bytes);
}

ken_status ken_lex_segment_raw_lens(ken_lex_segment *s, uint32_t content, const uint8_t **out,
                                    ken_err *err)
{
    const ken_lex_content *c = &s->contents[content];
    return ken_lex__view(s, SEG_CHUNK_LENS, (uint64_t)c->first_chunk * KEN_FIELD_COUNT * 2,
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
    uint16_t *lens = ken_vec_try_grow(s->lens, &s->lens_cap, n + 1, sizeof *s->lens);
    if (!lens)
        return no_memory(s, s->contents[content].n_chunks, "chunks of a content", err);
    s->lens = lens;
    for (size_t i = 0; i < n; i++)
        s->lens[i] = (uint16_t)(p[2 * i] | p[2 * i + 1] << 8);
    *out = s->lens;
    return KEN_OK;
}

// ---- the dictionary --------------------------------------------------------------------------

typedef struct bucket {
    uint64_t from; // of the dictionary
    const uint8_t *at, *end;
    uint64_t postings; // offset of the next entry's postings in their section
} bucket;

static ken_status open_bucket(ken_lex_segment *s, uint64_t index, bucket *out, ken_err *err)
{
    *out = (bucket){ 0 };
    const uint8_t *p = NULL;
    ken_status st = ken_lex__view(s, SEG_BUCKETS, index * 4, 8, &p, err);
    if (st)
        return st;
    uint32_t from = ken_get32(p), to = ken_get32(p + 4);
    uint64_t size = len_of(s, SEG_DICT);
    if (from > to || to > size)
        return ken_lex__damaged(s, "a bucket is outside of the dictionary", err);
    if (from == to)
        return KEN_OK;
    out->from = from;
    st = ken_lex__view(s, SEG_DICT, from, to - from, &out->at, err);
    if (st)
        return st;
    out->end = out->at + (to - from);
    return ken_varint_get(&out->at, out->end, &out->postings)
               ? KEN_OK
               : ken_lex__damaged(s, "a bucket is cut short", err);
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

// A list has a byte at least for each chunk: what it claims is bounded by what is there.
static ken_status check_entry(ken_lex_segment *s, const dict_entry *e, ken_err *err)
{
    uint64_t size = len_of(s, SEG_POSTINGS);
    if (e->postings > size || e->n_bytes > size - e->postings || e->n_bytes > LIST_BYTES_MAX ||
        e->n_contents > s->h.n_contents || e->n_more > s->h.n_chunks ||
        e->n_contents + e->n_more > e->n_bytes)
        return ken_lex__damaged(s, "a posting list is outside of it", err);
    return KEN_OK;
}

static ken_status list_of(ken_lex_segment *s, const dict_entry *e, ken_lex_list *out, ken_err *err)
{
    ken_status st = check_entry(s, e, err);
    if (!st)
        st = ken_lex__view(s, SEG_POSTINGS, e->postings, e->n_bytes, &out->at, err);
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

bool ken_lex__next_term(seg_terms *t, ken_status *st, ken_err *err)
{
    ken_lex_segment *s = t->s;
    uint64_t n_buckets = (uint64_t)1 << s->h.bucket_bits;
    while (t->at == t->end) {
        if (t->bucket == n_buckets)
            return false;
        bucket b;
        *st = open_bucket(s, t->bucket, &b, err);
        if (*st)
            return false;
        ken_lex__forget(s, SEG_BUCKETS, t->bucket * 4);
        ken_lex__forget(s, SEG_DICT, b.from);
        t->bucket++;
        t->at = b.at;
        t->end = b.end;
        t->postings = b.postings;
    }
    bucket b = { 0, t->at, t->end, t->postings };
    dict_entry e;
    if (!next_entry(&b, &e)) {
        *st = ken_lex__damaged(s, "a bucket is cut short", err);
        return false;
    }
    t->at = b.at;
    t->postings = b.postings;
    t->term = (t->bucket - 1) >> (s->h.bucket_bits - SEG_MIN_BUCKET_BITS) << 32 | e.low;
    if (t->has_no_lists) {
        *st = check_entry(s, &e, err);
        t->list = (ken_lex_list){ .n_contents = (uint32_t)e.n_contents,
                                  .n_chunks = (uint32_t)(e.n_contents + e.n_more) };
        return !*st;
    }
    if (e.postings <= len_of(s, SEG_POSTINGS))
        ken_lex__forget(s, SEG_POSTINGS, e.postings);
    *st = list_of(s, &e, &t->list, err);
    return !*st;
}

ken_status ken_lex_each_term(ken_lex_segment *s, ken_lex_term_fn *fn, void *ctx, ken_err *err)
{
    ken_status st = KEN_OK;
    seg_terms t = { .s = s, .has_no_lists = true };
    while (ken_lex__next_term(&t, &st, err) && fn(ctx, t.term, t.list.n_contents))
        continue;
    return st;
}

// ---- names -------------------------------------------------------------------------------------

ken_status ken_lex__names_section(ken_lex_segment *s, ken_lex__names *out, ken_err *err)
{
    *out = (ken_lex__names){ .n_blocks = s->h.n_name_blocks };
    return ken_lex__view(s, SEG_NAME_KEYS, 0, (uint64_t)out->n_blocks * SEG_NAME_KEY_BYTES,
                         &out->keys, err);
}

ken_status ken_lex__names_letters(ken_lex_segment *s, ken_lex__names *names, ken_err *err)
{
    uint64_t n = len_of(s, SEG_NAME_LETTERS);
    return n ? ken_lex__view(s, SEG_NAME_LETTERS, 0, n, &names->letters, err) : KEN_OK;
}

// The block whose key is at `key`; the next one's follows it, unless this one is the last.
static ken_status view_names(ken_lex_segment *s, const uint8_t *key, bool is_last,
                             const uint8_t **out_at, const uint8_t **out_end, ken_err *err)
{
    uint64_t size = len_of(s, SEG_NAMES), from = ken_get64(key + 8);
    uint64_t to = is_last ? size : ken_get64(key + SEG_NAME_KEY_BYTES + 8);
    if (from > to || to > size)
        return ken_lex__damaged(s, "a block of names is outside of it", err);
    ken_status st = ken_lex__view(s, SEG_NAMES, from, to - from, out_at, err);
    if (!st)
        *out_end = *out_at + (to - from);
    return st;
}

ken_status ken_lex__names_block(ken_lex_segment *s, const ken_lex__names *names, uint32_t block,
                                const uint8_t **out_at, const uint8_t **out_end, ken_err *err)
{
    return view_names(s, names->keys + (size_t)block * SEG_NAME_KEY_BYTES,
                      block + 1 == names->n_blocks, out_at, out_end, err);
}

bool ken_lex__next_names_block(ken_lex_segment *s, uint32_t block, const uint8_t **out_at,
                               const uint8_t **out_end, ken_status *st, ken_err *err)
{
    if (block >= s->h.n_name_blocks)
        return false;
    bool is_last = block + 1 == s->h.n_name_blocks;
    const uint64_t at = (uint64_t)block * SEG_NAME_KEY_BYTES;
    const uint8_t *key = NULL;
    *st = ken_lex__view(s, SEG_NAME_KEYS, at, (is_last ? 1 : 2) * SEG_NAME_KEY_BYTES, &key, err);
    if (*st)
        return false;
    if (ken_get64(key + 8) <= len_of(s, SEG_NAMES))
        ken_lex__forget(s, SEG_NAMES, ken_get64(key + 8));
    ken_lex__forget(s, SEG_NAME_KEYS, at);
    *st = view_names(s, key, is_last, out_at, out_end, err);
    return !*st;
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

// SPDX-License-Identifier: MIT
// A segment as it is read: its list of contents, a binary search in the directory, and at most 32
// short lists for a name.
#include "base/alloc.h"
#include "mention/mention_priv.h"

struct ken_mention_segment {
    ken_sections *bytes;
    uint32_t n_contents, n_names, n_entries;
    int64_t *contents;
};

static ken_status corrupt(const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT, "a segment of names is damaged: %s", what);
}

static uint64_t len_of(const ken_mention_segment *s, uint32_t section)
{
    return ken_sections_len(s->bytes, section);
}

// The places of the sections in format 1 follow from the numbers in its header.
static ken_status place_flat(ken_mention_segment *s, const uint8_t **head, ken_err *err)
{
    if (len_of(s, 0) < MENTION_FLAT_HEADER_BYTES)
        return corrupt("it is not of this format", err);
    ken_status st = ken_sections_view(s->bytes, 0, 0, MENTION_FLAT_HEADER_BYTES, head, err);
    if (st)
        return st;
    uint64_t n_names = ken_get32(*head + MENTION_AT_NAMES);
    uint64_t directory = MENTION_FLAT_HEADER_BYTES +
                         (uint64_t)ken_get32(*head + MENTION_AT_CONTENTS) * MENTION_ID_BYTES;
    const uint64_t at[MENTION_SECTIONS] = { MENTION_FLAT_HEADER_BYTES, directory,
                                            directory + (n_names + MENTION_STRIDE - 1) /
                                                            MENTION_STRIDE * MENTION_ENTRY_BYTES };
    return ken_sections_place(s->bytes, at, MENTION_SECTIONS, err);
}

static ken_status read_head(ken_mention_segment *s, ken_err *err)
{
    ken_str text = ken_sections_head(s->bytes);
    const uint8_t *head = (const uint8_t *)text.ptr;
    uint32_t format = MENTION_FORMAT;
    if (ken_sections_is_flat(s->bytes)) {
        ken_status st = place_flat(s, &head, err);
        if (st)
            return st;
        format = 1;
    } else if (text.len != MENTION_HEAD_BYTES || ken_sections_count(s->bytes) != MENTION_SECTIONS) {
        return corrupt("it is not of this format", err);
    }
    if (ken_get32(head + MENTION_AT_MAGIC) != MENTION_MAGIC ||
        ken_get32(head + MENTION_AT_FORMAT) != format)
        return corrupt("it is not of this format", err);
    s->n_contents = ken_get32(head + MENTION_AT_CONTENTS);
    s->n_names = ken_get32(head + MENTION_AT_NAMES);
    s->n_entries = s->n_names / MENTION_STRIDE + (s->n_names % MENTION_STRIDE != 0);
    if (len_of(s, MENTION_CONTENTS) != (uint64_t)s->n_contents * MENTION_ID_BYTES ||
        len_of(s, MENTION_DIRECTORY) != (uint64_t)s->n_entries * MENTION_ENTRY_BYTES)
        return corrupt("its numbers", err);
    return KEN_OK;
}

static ken_status read_contents(ken_mention_segment *s, ken_err *err)
{
    const uint8_t *p = NULL;
    uint64_t n_bytes = len_of(s, MENTION_CONTENTS);
    ken_status st = ken_sections_view(s->bytes, MENTION_CONTENTS, 0, n_bytes, &p, err);
    if (st)
        return st;
    s->contents = ken_try_alloc(ken_mul_size(s->n_contents + (size_t)1, sizeof *s->contents));
    if (!s->contents)
        return KEN_FAIL(err, KEN_ENOMEM, "no memory for the %u contents of a segment of names",
                        s->n_contents);
    for (uint32_t i = 0; i < s->n_contents; i++)
        s->contents[i] = (int64_t)ken_get64(p + (size_t)i * MENTION_ID_BYTES);
    ken_sections_forget(s->bytes, MENTION_CONTENTS, n_bytes);
    return KEN_OK;
}

ken_status ken_mention_segment_open(const ken_block_source *source, ken_mention_segment **out,
                                    ken_err *err)
{
    ken_mention_segment *s = ken_zalloc(sizeof *s);
    ken_status st = ken_sections_open(source, &s->bytes, err);
    if (!st)
        st = read_head(s, err);
    if (!st)
        st = read_contents(s, err);
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
    ken_sections_close(s->bytes);
    ken_free(s->contents);
    ken_free(s);
}

size_t ken_mention_segment_resident(const ken_mention_segment *s)
{
    return ken_sections_resident(s->bytes);
}

void ken_mention_segment_drop(ken_mention_segment *s)
{
    ken_sections_drop(s->bytes, MENTION_LISTS);
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
    uint32_t hash, n; // contents
} mention_list;

static bool next_varint(const uint8_t **at, const uint8_t *end, uint32_t *out)
{
    uint64_t v;
    if (!ken_varint_get(at, end, &v) || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

// Some lists, one behind the other.
typedef struct stride {
    const uint8_t *at, *end;
    uint64_t from; // among the lists
    uint32_t hash; // of the name before, or of the first
} stride;

static ken_status open_stride(const ken_mention_segment *s, uint32_t entry, stride *out,
                              ken_err *err)
{
    const uint8_t *p = NULL;
    bool is_last = entry + 1 == s->n_entries;
    *out = (stride){ 0 };
    uint64_t at = (uint64_t)entry * MENTION_ENTRY_BYTES, end = len_of(s, MENTION_LISTS);
    ken_status st = ken_sections_view(s->bytes, MENTION_DIRECTORY, at,
                                      (is_last ? 1 : 2) * MENTION_ENTRY_BYTES, &p, err);
    if (st)
        return st;
    uint64_t from = ken_get32(p + 4), to = is_last ? end : ken_get32(p + MENTION_ENTRY_BYTES + 4);
    if (from > to || to > end)
        return corrupt("its directory", err);
    out->hash = ken_get32(p);
    out->from = from;
    st = ken_sections_view(s->bytes, MENTION_LISTS, from, to - from, &out->at, err);
    out->end = st ? NULL : out->at + (to - from);
    return st;
}

// The head of the next list.
static bool next_list(const ken_mention_segment *s, stride *t, mention_list *out)
{
    uint32_t step;
    if (!next_varint(&t->at, t->end, &step) || !next_varint(&t->at, t->end, &out->n) ||
        out->n > s->n_contents || step > UINT32_MAX - t->hash)
        return false;
    out->hash = t->hash = t->hash + step;
    return true;
}

// Goes over the ordinals of a list; `out` may be NULL.
static bool read_list(const ken_mention_segment *s, const mention_list *l, stride *t,
                      ken_mentions *out)
{
    uint32_t ordinal = 0, step;
    for (uint32_t i = 0; i < l->n; i++) {
        if (!next_varint(&t->at, t->end, &step) || step >= s->n_contents - ordinal)
            return false;
        ordinal += step;
        if (out)
            ken_vec_push(out, ordinal);
    }
    return true;
}

ken_status ken_mention_find(const ken_mention_segment *s, uint32_t hash, ken_mentions *out,
                            ken_err *err)
{
    const uint8_t *entries = NULL;
    ken_status st = ken_sections_view(s->bytes, MENTION_DIRECTORY, 0, len_of(s, MENTION_DIRECTORY),
                                      &entries, err);
    uint32_t lo = 0, hi = st ? 0 : s->n_entries;
    while (lo < hi) { // the last entry whose hash is not above
        uint32_t mid = lo + (hi - lo) / 2;
        if (ken_get32(entries + (size_t)mid * MENTION_ENTRY_BYTES) <= hash)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        return st;
    stride t;
    st = open_stride(s, lo - 1, &t, err);
    uint32_t left = s->n_names - (lo - 1) * MENTION_STRIDE;
    for (uint32_t i = 0; !st && i < MENTION_STRIDE && i < left; i++) {
        mention_list l;
        if (!next_list(s, &t, &l))
            return corrupt("a list", err);
        if (l.hash > hash)
            break;
        if (!read_list(s, &l, &t, l.hash == hash ? out : NULL))
            return corrupt("a list", err);
        if (l.hash == hash)
            break;
    }
    return st;
}

// ---- from end to end ---------------------------------------------------------------------------

bool ken_mention__next(mention_walk *w, ken_status *st, ken_err *err)
{
    stride t = { w->at, w->end, 0, w->hash };
    mention_list l;
    uint32_t before = w->hash;
    if (w->name == w->s->n_names)
        return false;
    if (w->name % MENTION_STRIDE == 0) {
        uint32_t entry = w->name / MENTION_STRIDE;
        *st = open_stride(w->s, entry, &t, err);
        if (*st)
            return false;
        ken_sections_forget(w->s->bytes, MENTION_LISTS, t.from);
        ken_sections_forget(w->s->bytes, MENTION_DIRECTORY, (uint64_t)entry * MENTION_ENTRY_BYTES);
    }
    ken_vec_clear(&w->ordinals);
    // A merge removes its inputs afterwards, so they must be complete and in order.
    if (!next_list(w->s, &t, &l) || (w->name && l.hash <= before) ||
        !read_list(w->s, &l, &t, &w->ordinals)) {
        *st = corrupt("a list", err);
        return false;
    }
    w->at = t.at;
    w->end = t.end;
    w->hash = l.hash;
    w->name++;
    return true;
}

// SPDX-License-Identifier: MIT
// Every section has a range of reserved addresses; a unit is read into its place when something in
// it is first needed. In an older, flat segment a unit is a block and the one range is the segment.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "blocks/sections_priv.h"

typedef struct section {
    uint64_t start, len; // in the reserved addresses
    uint64_t n_full;     // units that lie among the full ones
    uint64_t first;      // of those, in `full`
    uint64_t rest_at;    // of what is left, in the segment
} section;

struct ken_sections {
    ken_block_source source;
    uint32_t unit; // bytes
    uint32_t n_sections;
    section sections[KEN_SECTIONS_MAX];
    uint32_t *full; // where the full units are, section by section
    bool is_flat;
    uint8_t *base; // reserved addresses of n_units
    uint64_t n_units;
    uint8_t *has_unit; // one byte a unit
    size_t resident;
    uint8_t *block; // the one that was read last in part; NULL until then
    uint32_t block_no;
    size_t block_len; // 0 = none
    uint8_t head[KEN_SECTIONS_HEAD_MAX];
    uint32_t n_head;
};

static ken_status damaged(const ken_sections *s, const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT, "search segment %lld: %s", (long long)s->source.segment,
                    what);
}

static ken_status too_large(const ken_sections *s, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOMEM, "search segment %lld: no memory for its %llu bytes",
                    (long long)s->source.segment, (unsigned long long)s->source.n_bytes);
}

// ---- bytes of the segment ----------------------------------------------------------------------

static ken_status read_block(ken_sections *s, uint32_t block, uint8_t *into, ken_err *err)
{
    uint64_t want = s->source.n_bytes - (uint64_t)block * s->source.block_bytes;
    size_t got = 0;
    if (want > s->source.block_bytes)
        want = s->source.block_bytes;
    ken_status st = s->source.read(s->source.ctx, s->source.segment, block, into, &got, err);
    if (st)
        return st;
    return got == want ? KEN_OK : damaged(s, "a block is too short", err);
}

static ken_status hold_block(ken_sections *s, uint32_t block, ken_err *err)
{
    if (s->block_len && s->block_no == block)
        return KEN_OK;
    if (!s->block)
        s->block = ken_alloc(s->source.block_bytes);
    s->block_len = 0;
    ken_status st = read_block(s, block, s->block, err);
    if (st)
        return st;
    uint64_t left = s->source.n_bytes - (uint64_t)block * s->source.block_bytes;
    s->block_no = block;
    s->block_len = left < s->source.block_bytes ? (size_t)left : s->source.block_bytes;
    return KEN_OK;
}

// [at, at + n) is inside the segment.
static ken_status read_range(ken_sections *s, uint64_t at, size_t n, uint8_t *into, ken_err *err)
{
    const uint32_t size = s->source.block_bytes;
    while (n) {
        uint32_t block = (uint32_t)(at / size);
        size_t from = (size_t)(at % size), part = size - from < n ? size - from : n;
        ken_status st;
        if (part == size) {
            st = read_block(s, block, into, err);
        } else {
            st = hold_block(s, block, err);
            if (!st)
                memcpy(into, s->block + from, part);
        }
        if (st)
            return st;
        into += part;
        at += part;
        n -= part;
    }
    return KEN_OK;
}

// ---- opening -----------------------------------------------------------------------------------

// The end of a segment of this layout.
typedef struct ending {
    uint64_t n_full, n_head, at_map;
} ending;

static ken_status read_ending(ken_sections *s, ending *out, ken_err *err)
{
    uint8_t end[SECTIONS_END_BYTES + 8 * KEN_SECTIONS_MAX];
    uint64_t n_bytes = s->source.n_bytes;
    s->is_flat = true;
    if (n_bytes < SECTIONS_END_BYTES)
        return KEN_OK;
    ken_status st = read_range(s, n_bytes - SECTIONS_END_BYTES, SECTIONS_END_BYTES, end, err);
    if (st || ken_get32(end + 16) != SECTIONS_MAGIC)
        return st;
    s->is_flat = false;
    s->unit = ken_get32(end);
    s->n_sections = ken_get32(end + 12);
    *out = (ending){ .n_full = ken_get32(end + 4), .n_head = ken_get32(end + 8) };
    uint64_t n_end = SECTIONS_END_BYTES + 8 * (uint64_t)s->n_sections;
    // A unit is a block of whoever wrote it. What is held for each unit (its place, whether it is
    // there) is bounded by the number of blocks only when no unit is smaller than one.
    if (s->unit < s->source.block_bytes || s->unit > SECTIONS_MAX_UNIT || !s->n_sections ||
        s->n_sections > KEN_SECTIONS_MAX || out->n_full > n_bytes / s->unit ||
        out->n_head > KEN_SECTIONS_HEAD_MAX || n_end > n_bytes)
        return damaged(s, "its end makes no sense", err);
    st = read_range(s, n_bytes - n_end, 8 * (size_t)s->n_sections, end, err);
    if (st)
        return st;
    uint64_t at = out->n_full * s->unit, n_full = 0, start = 0;
    for (uint32_t i = 0; i < s->n_sections; i++) {
        section *x = &s->sections[i];
        x->len = ken_get64(end + 8 * (size_t)i);
        if (x->len > n_bytes)
            return damaged(s, "its sections do not fit", err);
        x->n_full = x->len / s->unit;
        x->first = n_full;
        x->rest_at = at;
        x->start = start;
        n_full += x->n_full;
        at += x->len % s->unit;
        start += (x->len + s->unit - 1) / s->unit * s->unit;
    }
    out->at_map = at;
    s->n_units = start / s->unit;
    if (n_full != out->n_full || at + n_full + out->n_head + n_end != n_bytes)
        return damaged(s, "its sections do not fit", err);
    return KEN_OK;
}

static ken_status read_map(ken_sections *s, const ending *e, ken_err *err)
{
    size_t n = (size_t)e->n_full;
    uint64_t next[KEN_SECTIONS_MAX];
    uint8_t *map = ken_try_alloc(n + 1);
    s->full = ken_try_alloc(ken_mul_size(n + 1, sizeof *s->full));
    if (!map || !s->full) {
        ken_free(map);
        return too_large(s, err);
    }
    for (uint32_t i = 0; i < s->n_sections; i++)
        next[i] = s->sections[i].first;
    ken_status st = read_range(s, e->at_map, n, map, err);
    for (size_t i = 0; i < n && !st; i++) {
        const section *x = &s->sections[map[i] < s->n_sections ? map[i] : 0];
        if (map[i] >= s->n_sections || next[map[i]] >= x->first + x->n_full)
            st = damaged(s, "its map does not fit", err);
        else
            s->full[next[map[i]]++] = (uint32_t)i;
    }
    ken_free(map);
    s->n_head = (uint32_t)e->n_head;
    return st ? st : read_range(s, e->at_map + n, s->n_head, s->head, err);
}

// Addresses for all units, and a note for each whether it is there.
static ken_status reserve(ken_sections *s, ken_err *err)
{
    s->has_unit = ken_try_zalloc((size_t)s->n_units);
    if (!s->has_unit)
        return too_large(s, err);
    s->base = mmap(NULL, (size_t)s->n_units * s->unit, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->base != MAP_FAILED)
        return KEN_OK;
    s->base = NULL;
    return too_large(s, err);
}

ken_status ken_sections_open(const ken_block_source *source, ken_sections **out, ken_err *err)
{
    if (!source->n_bytes || !source->block_bytes ||
        source->n_bytes / source->block_bytes >= UINT32_MAX)
        return KEN_FAIL(err, KEN_ECORRUPT, "search segment %lld has %llu bytes",
                        (long long)source->segment, (unsigned long long)source->n_bytes);
    ken_sections *s = ken_zalloc(sizeof *s);
    ending e = { 0 };
    s->source = *source;
    ken_status st = read_ending(s, &e, err);
    if (!st && s->is_flat) {
        s->unit = source->block_bytes;
        s->n_units = (source->n_bytes + s->unit - 1) / s->unit;
        s->n_sections = 1;
        s->sections[0].len = source->n_bytes;
    } else if (!st) {
        st = read_map(s, &e, err);
    }
    if (!st && s->n_units)
        st = reserve(s, err);
    if (st)
        ken_sections_close(s);
    else
        *out = s;
    return st;
}

void ken_sections_close(ken_sections *s)
{
    if (!s)
        return;
    if (s->base)
        munmap(s->base, (size_t)s->n_units * s->unit);
    ken_free(s->has_unit);
    ken_free(s->full);
    ken_free(s->block);
    ken_free(s);
}

bool ken_sections_is_flat(const ken_sections *s)
{
    return s->is_flat;
}

ken_status ken_sections_place(ken_sections *s, const uint64_t *at, uint32_t n_sections,
                              ken_err *err)
{
    for (uint32_t i = 0; i < n_sections; i++) {
        uint64_t end = i + 1 < n_sections ? at[i + 1] : s->source.n_bytes;
        if (at[i] > end || end > s->source.n_bytes)
            return damaged(s, "its sections do not fit", err);
        s->sections[i] = (section){ .start = at[i], .len = end - at[i] };
    }
    s->n_sections = n_sections;
    return KEN_OK;
}

ken_str ken_sections_head(const ken_sections *s)
{
    return ken_str_n((const char *)s->head, s->n_head);
}

uint32_t ken_sections_count(const ken_sections *s)
{
    return s->n_sections;
}

uint64_t ken_sections_len(const ken_sections *s, uint32_t number)
{
    return s->sections[number].len;
}

// ---- reading -----------------------------------------------------------------------------------

static ken_status load_unit(ken_sections *s, const section *x, uint64_t unit, ken_err *err)
{
    uint8_t *place = s->base + unit * s->unit;
    uint64_t at = unit * s->unit, n = s->unit;
    if (s->is_flat) {
        if (n > s->source.n_bytes - at)
            n = s->source.n_bytes - at;
    } else {
        uint64_t i = unit - x->start / s->unit;
        at = i < x->n_full ? (uint64_t)s->full[x->first + i] * s->unit : x->rest_at;
        n = i < x->n_full ? s->unit : x->len % s->unit;
    }
    ken_status st = read_range(s, at, (size_t)n, place, err);
    if (st)
        return st;
    s->has_unit[unit] = 1;
    s->resident += (size_t)n;
    return KEN_OK;
}

ken_status ken_sections_view(ken_sections *s, uint32_t number, uint64_t at, uint64_t n,
                             const uint8_t **out, ken_err *err)
{
    const section *x = &s->sections[number];
    if (at > x->len || n > x->len - at)
        return damaged(s, "a range is outside of it", err);
    uint64_t from = x->start + at;
    if (n) {
        uint64_t last = (from + n - 1) / s->unit;
        for (uint64_t u = from / s->unit; u <= last; u++) {
            ken_status st = s->has_unit[u] ? KEN_OK : load_unit(s, x, u, err);
            if (st)
                return st;
        }
    }
    *out = s->base ? s->base + from : s->head;
    return KEN_OK;
}

void ken_sections_forget(ken_sections *s, uint32_t number, uint64_t below)
{
    const section *x = &s->sections[number];
    if (s->unit % (uint64_t)sysconf(_SC_PAGESIZE) || below > x->len)
        return;
    uint64_t from = (x->start + s->unit - 1) / s->unit, to = (x->start + below) / s->unit;
    while (from < to && !s->has_unit[to - 1]) // done before
        to--;
    uint64_t first = to;
    while (first > from && s->has_unit[first - 1])
        first--;
    if (first == to)
        return;
    (void)madvise(s->base + first * s->unit, (size_t)((to - first) * s->unit), MADV_DONTNEED);
    memset(s->has_unit + first, 0, (size_t)(to - first));
    s->resident -= (size_t)((to - first) * s->unit);
}

void ken_sections_drop(ken_sections *s, uint32_t number)
{
    const section *x = &s->sections[number];
    if (s->unit % (uint64_t)sysconf(_SC_PAGESIZE))
        return;
    uint64_t at = (x->start + s->unit - 1) / s->unit, end = (x->start + x->len) / s->unit;
    while (at < end) {
        uint64_t first = at;
        while (at < end && s->has_unit[at])
            at++;
        if (at > first) {
            (void)madvise(s->base + first * s->unit, (size_t)((at - first) * s->unit),
                          MADV_DONTNEED);
            memset(s->has_unit + first, 0, (size_t)(at - first));
            s->resident -= (size_t)((at - first) * s->unit);
        }
        at++;
    }
}

size_t ken_sections_resident(const ken_sections *s)
{
    return s->resident;
}

int64_t ken_sections_id(const ken_sections *s)
{
    return s->source.segment;
}

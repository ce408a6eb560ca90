// SPDX-License-Identifier: MIT
// Sizes as text, to be kept with what was cut by them: "target max min lines overlap", empty for the usual ones.
#include "chunk/chunk_priv.h"

// What an empty text means, and a size of 0. It is part of the form of an index and never changes: other defaults
// of the settings are written out, so that an index that was cut by these is known to differ.
static const ken_chunk_opts usual = {
    .target = 400, .max = 800, .min = 100, .lines = 50, .overlap = 10
};

static uint32_t at_most(uint32_t n, uint32_t max)
{
    return n < max ? n : max;
}

ken_chunk_opts ken_chunk__complete(const ken_chunk_opts *o)
{
    ken_chunk_opts d = o ? *o : (ken_chunk_opts){ 0 };
    d.max = d.max ? d.max : usual.max;
    d.target = at_most(d.target ? d.target : usual.target, d.max);
    d.min = at_most(d.min ? d.min : usual.min, d.target);
    d.lines = d.lines ? d.lines : usual.lines;
    d.overlap = d.is_apart ? 0 : at_most(d.overlap ? d.overlap : usual.overlap, d.lines - 1);
    d.is_apart = !d.overlap;
    return d;
}

ken_str ken_chunk_opts_format(const ken_chunk_opts *opts, ken_arena *arena)
{
    const ken_chunk_opts o = ken_chunk__complete(opts);
    if (o.target == usual.target && o.max == usual.max && o.min == usual.min &&
        o.lines == usual.lines && o.overlap == usual.overlap)
        return KEN_STR("");
    return ken_arena_printf(arena, "%u %u %u %u %u", o.target, o.max, o.min, o.lines, o.overlap);
}

ken_chunk_opts ken_chunk_opts_parse(ken_str text)
{
    ken_chunk_opts o = { 0 };
    uint32_t *const fields[] = { &o.target, &o.max, &o.min, &o.lines, &o.overlap };
    ken_str word;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint64_t n;
        if (!ken_str_split_next(&text, ' ', &word) || !ken_str_parse_u64(word, &n) ||
            n > KEN_CHUNK_SIZE_MAX)
            return (ken_chunk_opts){ 0 };
        *fields[i] = (uint32_t)n;
    }
    o.is_apart = !o.overlap;
    return o;
}

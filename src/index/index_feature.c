// SPDX-License-Identifier: MIT
// index_feature.c -- what extracted the contents of a generation: the version of the program with the sizes of chunks, and
// how many forced runs had begun to extract them again.
#include <stdio.h>

#include "base/hash.h"
#include "index/index_run_priv.h"

#define FORCED "store.forced" // of all trees

uint32_t ken_index_feature(const ken_chunk_opts *chunks, ken_arena *arena)
{
    ken_str sizes = ken_chunk_opts_format(chunks, arena);
    uint32_t feature = KEN_EXTRACTION_VERSION;
    return sizes.len ? feature | (uint32_t)(ken_hash_str(sizes) << 8) : feature;
}

ken_str ken_index__format_feature(uint32_t feature, uint64_t n_forced, ken_arena *arena)
{
    return n_forced ? ken_arena_printf(arena, "%u.%llu", feature, (unsigned long long)n_forced)
                    : ken_arena_printf(arena, "%u", feature);
}

ken_status ken_index_load_feature(ken_store *store, uint32_t *out, ken_err *err)
{
    ken_arena arena;
    ken_str text = { NULL, 0 };
    uint64_t number = 0;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_load_value(store, KEN_STR(INDEX_FEATURE), &arena, &text, err);
    text = ken_str_sub(text, 0, ken_str_find_char(text, '.'));
    if (!st && (!ken_str_parse_u64(text, &number) || number > UINT32_MAX))
        st = KEN_FAIL(err, KEN_ECORRUPT, "the value '%s' of the index is no number", INDEX_FEATURE);
    ken_arena_release(&arena);
    if (!st)
        *out = (uint32_t)number;
    return st;
}

ken_status ken_index__load_forced(ken_store *store, ken_arena *arena, uint64_t *out, ken_err *err)
{
    ken_str text = { NULL, 0 };
    *out = 0;
    ken_status st = ken_store_load_value(store, KEN_STR(FORCED), arena, &text, err);
    if (st == KEN_ENOTFOUND)
        return KEN_OK;
    if (!st && !ken_str_parse_u64(text, out))
        st = KEN_FAIL(err, KEN_ECORRUPT, "the value '%s' of the index is no number", FORCED);
    return st;
}

ken_status ken_index__put_forced(ken_store *store, uint64_t n, ken_err *err)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return ken_store_put_value(store, KEN_STR(FORCED), ken_str_c(text), err);
}

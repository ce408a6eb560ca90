// SPDX-License-Identifier: MIT
// The mark as text: "FIRST DONE TOTAL BYTES_DONE BYTES_TOTAL".
#include <inttypes.h>

#include "store/partial.h"

#define NAME "index.partial"

ken_status ken_partial_load(ken_store *store, ken_arena *arena, ken_partial *out, ken_err *err)
{
    ken_str text = { NULL, 0 }, word;
    uint64_t numbers[5] = { 0 };
    ken_status st = ken_store_load_value(store, KEN_STR(NAME), arena, &text, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    for (size_t i = 0; i < 5 && ken_str_split_next(&text, ' ', &word); i++)
        (void)ken_str_parse_u64(word, &numbers[i]);
    *out = (ken_partial){ .is_partial = !st,
                          .is_first = numbers[0] != 0,
                          .n_done = numbers[1],
                          .n_total = numbers[2],
                          .bytes_done = numbers[3],
                          .bytes_total = numbers[4] };
    return KEN_OK;
}

ken_status ken_partial_put(ken_store *store, const ken_partial *p, ken_arena *arena, ken_err *err)
{
    ken_str text = { NULL, 0 };
    if (p->is_partial)
        text = ken_arena_printf(arena, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                                p->is_first, p->n_done, p->n_total, p->bytes_done, p->bytes_total);
    return ken_store_put_value(store, KEN_STR(NAME), text, err);
}

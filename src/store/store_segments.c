// SPDX-License-Identifier: MIT
// What segments of all kinds are together.
#include "store/store.h"

ken_status ken_store_sum_segments(ken_store *s, ken_arena *arena, uint64_t *out_n,
                                  uint64_t *out_bytes, ken_err *err)
{
    static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_VECTORS,
                                              KEN_SEGMENT_MENTIONS };
    uint64_t n_all = 0, n_bytes = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        ken_segment_info *list = NULL;
        size_t n = 0;
        ken_status st = ken_store_list_segments(s, kinds[k], arena, &list, &n, err);
        if (st)
            return st;
        n_all += n;
        for (size_t i = 0; i < n; i++)
            n_bytes += list[i].n_bytes;
    }
    *out_n = n_all;
    *out_bytes = n_bytes;
    return KEN_OK;
}

// SPDX-License-Identifier: MIT
// fuzz_history -- a kept history from a database that somebody else made.
//
// What unpacking accepts is safe to ask, and comes back the same when it is packed again.
#include <stdint.h>

#include "base/assert.h"
#include "history/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(ken_history *h)
{
    ken_history_info info = ken_history_get_info(h);
    for (uint32_t i = 0; i < info.n_files; i++) {
        ken_history_file f = ken_history_at(h, i), found;
        KEN_ASSERT(ken_history_find(h, f.path, &found) && found.number == i);
        KEN_ASSERT(f.n_recent <= f.n_commits && f.n_authors <= f.n_commits);
        ken_history_neighbour near[KEN_HISTORY_NEIGHBOURS];
        size_t n = ken_history_neighbours(h, i, near);
        for (size_t k = 0; k < n; k++) {
            KEN_ASSERT(near[k].number < info.n_files && near[k].number != i);
            KEN_ASSERT(near[k].confidence > 0 && near[k].confidence <= 1);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_history *h = NULL, *again = NULL;
    if (ken_history_unpack(ken_str_n((const char *)data, size), &h, NULL))
        return 0;
    check(h);
    ken_buf one = { 0 }, two = { 0 };
    ken_history_pack(h, &one);
    KEN_ASSERT(!ken_history_unpack(ken_buf_str(&one), &again, NULL));
    ken_history_pack(again, &two);
    KEN_ASSERT(ken_str_eq(ken_buf_str(&one), ken_buf_str(&two)));
    ken_buf_release(&one);
    ken_buf_release(&two);
    ken_history_free(h);
    ken_history_free(again);
    return 0;
}

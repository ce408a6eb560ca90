// SPDX-License-Identifier: MIT
// The best of many: for any number that is kept, and with many alike.
#include <stdint.h>
#include <stdlib.h>

#include "base/best.h"
#include "ktest.h"

enum {
    ALL = 500,
    MOST = 40
};

typedef struct row {
    uint32_t score, id;
} row;

static bool is_worse(const void *pa, const void *pb)
{
    const row *a = pa, *b = pb;
    return a->score != b->score ? a->score < b->score : a->id > b->id;
}

static int best_first(const void *a, const void *b)
{
    return is_worse(a, b) - is_worse(b, a);
}

KEN_TEST(the_best_are_kept_whatever_their_order)
{
    uint64_t seed = 7;
    for (size_t most = 0; most <= MOST; most++) {
        row all[ALL], kept[MOST + 1];
        size_t n = 0;
        for (uint32_t i = 0; i < ALL; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            all[i] = (row){ (uint32_t)(seed >> 60), i };
            ken_best_offer(kept, &n, most, sizeof *kept, is_worse, &all[i]);
            kt_eq_u(n, i + 1 < most ? i + 1 : most);
        }
        qsort(all, ALL, sizeof *all, best_first);
        qsort(kept, n, sizeof *kept, best_first);
        for (size_t i = 0; i < n; i++)
            kt_eq_u(kept[i].id, all[i].id);
    }
}

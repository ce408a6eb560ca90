// SPDX-License-Identifier: MIT
#include "base/slots.h"
#include "ktest.h"

static bool is_number(const void *items, uint32_t place, const void *key)
{
    return ((const int *)items)[place] == *(const int *)key;
}

// All hashes fall together, at the end of the slots: the search goes on at their beginning.
KEN_TEST(items_of_one_hash_are_kept_apart)
{
    int items[8];
    uint32_t n = 0;
    ken_slots s = { 0 };
    kt_true(!ken_slots_has_room(&s, 1));
    ken_slots_make(&s, 16);
    for (int i = 0; i < 8; i++) {
        uint32_t *slot = ken_slots_find(&s, 15, is_number, items, &i);
        kt_eq_u(*slot, 0);
        items[n] = i;
        *slot = ++n;
    }
    kt_true(ken_slots_has_room(&s, 8) && !ken_slots_has_room(&s, 9));
    for (int i = 0; i < 8; i++)
        kt_eq_u(*ken_slots_find(&s, 15, is_number, items, &i), (uint64_t)i + 1);
    int absent = 8;
    kt_eq_u(*ken_slots_find(&s, 15, is_number, items, &absent), 0);
    // More slots: the items are entered again.
    ken_slots_make(&s, 32);
    for (uint32_t i = 0; i < n; i++)
        ken_slots_enter(&s, (uint64_t)items[i], i);
    for (int i = 0; i < 8; i++)
        kt_eq_u(*ken_slots_find(&s, (uint64_t)i, is_number, items, &i), (uint64_t)i + 1);
    kt_eq_u(ken_slots_bytes(&s), 32 * sizeof *s.at);
    ken_slots_release(&s);
    kt_null(s.at);
}

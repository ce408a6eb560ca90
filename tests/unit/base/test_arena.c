// SPDX-License-Identifier: MIT
#include "base/arena.h"
#include "ktest.h"

KEN_TEST(copies_of_arrays_are_independent_and_never_null)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    uint32_t items[] = { 3, 1, 2 };
    uint32_t *copy = ken_arena_copy(&a, items, 3, sizeof *items);
    items[1] = 9;
    kt_eq_u(copy[0] * 100 + copy[1] * 10 + copy[2], 312);
    uint32_t *none = ken_arena_copy(&a, NULL, 0, sizeof *items);
    kt_true(none != NULL);
    kt_true(none != copy);
    ken_arena_release(&a);
}

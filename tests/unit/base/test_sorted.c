// SPDX-License-Identifier: MIT
// Bisection: every key that is there, between, before and behind.
#include "base/sorted.h"
#include "ktest.h"

typedef struct row {
    int64_t id;
    ken_str name;
    uint32_t at;
} row;

KEN_TEST(the_first_item_that_is_not_before_the_key)
{
    row rows[9];
    static const char *const names[] = { "a", "c", "e", "g", "i", "k", "m", "o", "q" };
    for (uint32_t i = 0; i < 9; i++)
        rows[i] = (row){ 2 * (int64_t)i - 5, ken_str_c(names[i]), 2 * i + 1 };
    for (size_t n = 0; n <= 9; n++) {
        for (uint32_t key = 0; key <= 20; key++) {
            size_t want = key / 2 < n ? key / 2 : n;
            char name = (char)('a' + key - 1);
            kt_eq_u(KEN_FIRST_U32(row, at, rows, n, key), want);
            kt_eq_u(KEN_FIRST_I64(row, id, rows, n, (int64_t)key - 6), want);
            kt_eq_u(KEN_FIRST_STR(row, name, rows, n, ken_str_n(&name, 1)), want);
            size_t behind = (key + 1) / 2 < n ? (key + 1) / 2 : n;
            kt_eq_u(KEN_FIRST_BEHIND_U32(row, at, rows, n, key), behind);
        }
        kt_eq_u(KEN_FIRST_BEHIND_U32(row, at, rows, n, UINT32_MAX), n);
    }
}

KEN_TEST(of_several_alike_the_first)
{
    static const uint32_t keys[] = { 1, 4, 4, 4, 9 };
    kt_eq_u(ken_first_u32(keys, 5, sizeof *keys, 4), 1);
    kt_eq_u(ken_first_u32(keys, 5, sizeof *keys, 5), 4);
    kt_eq_u(ken_first_u32(NULL, 0, sizeof *keys, 5), 0);
}

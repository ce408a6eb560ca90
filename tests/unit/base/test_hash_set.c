// SPDX-License-Identifier: MIT
#include "base/hash_set.h"
#include "ktest.h"

KEN_TEST(a_hash_set_has_what_was_put_and_nothing_else)
{
    ken_hash_set s = { 0 };
    kt_false(ken_hash_set_has(&s, 0));
    for (uint64_t i = 0; i < 5000; i++)
        ken_hash_set_put(&s, i * UINT64_C(0x9e3779b97f4a7c15));
    ken_hash_set_put(&s, 0); // again
    kt_eq_u(s.len, 5000);
    for (uint64_t i = 0; i < 5000; i++)
        kt_true(ken_hash_set_has(&s, i * UINT64_C(0x9e3779b97f4a7c15)));
    for (uint64_t i = 5000; i < 9000; i++)
        kt_false(ken_hash_set_has(&s, i * UINT64_C(0x9e3779b97f4a7c15)));
    ken_hash_set_release(&s);
    kt_false(ken_hash_set_has(&s, 1));
}

// SPDX-License-Identifier: MIT
#include "base/buf.h"
#include "ktest.h"

KEN_TEST(signed_numbers_near_zero_are_small)
{
    static const int64_t some[] = { 0, -1, 1, -2, 2 };
    for (uint64_t i = 0; i < sizeof some / sizeof *some; i++)
        kt_eq_u(ken_zigzag(some[i]), i);
    static const int64_t all[] = { 0, 1, -1, 12345, -12345, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kt_eq_i(ken_unzigzag(ken_zigzag(all[i])), all[i]);
}

// SPDX-License-Identifier: MIT
// Large memory is zeroed, begins where rows of 64 bytes want it, and goes back whole.
#include <stdint.h>
#include <string.h>

#include "base/pages.h"
#include "ktest.h"

KEN_TEST(pages_are_zero_and_aligned)
{
    static const size_t sizes[] = { 0, 1, 4095, 4096, 100000, (2 << 20) - 4096, 2 << 20, 5000001 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *p = ken_pages_try_zalloc(sizes[i]);
        if (!p) {
            kt_fail("%zu bytes: there is no memory", sizes[i]);
            return;
        }
        kt_eq_u((uintptr_t)p % 64, 0);
        for (size_t at = 0; at < sizes[i]; at++)
            if (p[at])
                kt_fail("%zu bytes: byte %zu is %u", sizes[i], at, p[at]);
        memset(p, 1, sizes[i]);
        ken_pages_free(p, sizes[i]);
    }
    ken_pages_free(NULL, 4096);
}

KEN_TEST(pages_that_nobody_has_are_refused)
{
    kt_true(ken_pages_try_zalloc(SIZE_MAX) == NULL);
    kt_true(ken_pages_try_zalloc(SIZE_MAX / 2 - 1) == NULL);
}

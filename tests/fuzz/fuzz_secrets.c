// SPDX-License-Identifier: MIT
// fuzz_secrets.c -- masking and judging any bytes. Masking may only write stars, never touches a
// line break, and finds nothing more in what it has masked.
#include <stdint.h>

#include "base/assert.h"
#include "scan/scan.h"
#include "secret/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    ken_arena a;
    ken_arena_init(&a, 0);
    char *copy = ken_arena_alloc(&a, size + 1);
    memcpy(copy, data, size);
    size_t n = ken_secret_mask(copy, size);
    bool is_same = true;
    for (size_t i = 0; i < size; i++) {
        KEN_ASSERT(copy[i] == text.ptr[i] || (copy[i] == '*' && text.ptr[i] != '\n'));
        is_same &= copy[i] == text.ptr[i];
    }
    KEN_ASSERT(n || is_same);
    ken_skip_reason r = ken_scan_classify_content(KEN_STR("a.js"), text);
    KEN_ASSERT(r < KEN_SKIP_COUNT);
    KEN_ASSERT(ken_scan_classify_content(KEN_STR("a.md"), text) < KEN_SKIP_COUNT);
    KEN_ASSERT(ken_scan_classify_path(text, false, NULL) < KEN_SKIP_COUNT);
    ken_arena_release(&a);
    return 0;
}

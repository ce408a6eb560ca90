// SPDX-License-Identifier: MIT
// fuzz_secrets.c -- masking and judging any bytes. Masking writes only stars, only inside of the
// places that it tells, never over a line break, and finds nothing more in what it has masked.
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "scan/scan.h"
#include "secret/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct told {
    uint8_t *is_inside; // by byte
    size_t len, n;
} told;

static void on_place(void *ctx, const ken_secret_place *place)
{
    told *t = ctx;
    KEN_ASSERT(place->start < place->end && place->end <= t->len);
    KEN_ASSERT(place->kind > KEN_SECRET_NONE && place->kind < KEN_SECRET_COUNT);
    memset(t->is_inside + place->start, 1, place->end - place->start);
    t->n++;
}

static void check_mask(ken_str text, ken_arena *a)
{
    char *copy = ken_arena_alloc(a, text.len + 1);
    told t = { .is_inside = ken_arena_zalloc(a, text.len + 1), .len = text.len };
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    size_t n = ken_secret_mask_each(copy, text.len, on_place, &t);
    bool is_same = true;
    KEN_ASSERT(n == t.n);
    for (size_t i = 0; i < text.len; i++) {
        bool is_break = text.ptr[i] == '\n' || text.ptr[i] == '\r';
        KEN_ASSERT(copy[i] == text.ptr[i] || (copy[i] == '*' && !is_break && t.is_inside[i]));
        is_same &= copy[i] == text.ptr[i];
    }
    KEN_ASSERT(n || is_same);
    KEN_ASSERT(ken_secret_mask(copy, text.len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    ken_arena a;
    ken_arena_init(&a, 0);
    check_mask(text, &a);
    ken_skip_reason r = ken_scan_classify_content(KEN_STR("a.js"), text);
    KEN_ASSERT(r < KEN_SKIP_COUNT);
    KEN_ASSERT(ken_scan_classify_content(KEN_STR("a.md"), text) < KEN_SKIP_COUNT);
    KEN_ASSERT(ken_scan_classify_path(text, false, NULL) < KEN_SKIP_COUNT);
    ken_arena_release(&a);
    return 0;
}

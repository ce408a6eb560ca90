// SPDX-License-Identifier: MIT
// fuzz_frameworks -- a framework's YAML from a project that somebody else wrote. What is accepted
// has a name and stays within its bounds; what is refused says why and leaves nothing behind.
#include <stdint.h>

#include "base/assert.h"
#include "route/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ken_framework *f)
{
    KEN_ASSERT(f->name.len > 0);
    KEN_ASSERT(f->n_languages <= sizeof f->languages / sizeof *f->languages);
    KEN_ASSERT(f->n_modules <= sizeof f->modules / sizeof *f->modules);
    KEN_ASSERT(f->n_rules <= KEN_ROUTE_RULES && f->n_bindings <= KEN_BINDING_RULES);
    KEN_ASSERT(f->n_qualifiers <= KEN_BINDING_WORDS && f->n_primary <= KEN_BINDING_WORDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_frameworks f;
    ken_err err = { 0 };
    ken_frameworks_init(&f);
    size_t n = f.items.len;
    ken_str text = ken_str_n((const char *)data, size);
    ken_status st = ken_frameworks_add(&f, KEN_STR(".ken/frameworks/a.yaml"), text, &err);
    if (st) {
        KEN_ASSERT(err.msg[0] && f.items.len == n);
    } else {
        KEN_ASSERT(f.items.len == n || f.items.len == n + 1);
        for (size_t i = 0; i < f.items.len; i++)
            check(&f.items.ptr[i]);
        // Once more takes its own place.
        n = f.items.len;
        KEN_ASSERT(!ken_frameworks_add(&f, KEN_STR("b"), text, NULL) && f.items.len == n);
    }
    ken_frameworks_release(&f);
    return 0;
}

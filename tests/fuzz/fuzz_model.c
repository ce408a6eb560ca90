// SPDX-License-Identifier: MIT
// fuzz_model -- the bytes of a static model. What is opened can be asked for any word and gives
// finite numbers.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "embed/embed_static.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    ALIGN = 64,
    DIMS_MAX = 4096
};

static void ask(const ken_static_model *m, ken_str text)
{
    float out[DIMS_MAX];
    uint32_t n = ken_static_n_dims(m);
    KEN_ASSERT(n > 0 && n <= DIMS_MAX);
    (void)ken_static_embed_words(m, text, out);
    for (uint32_t i = 0; i < n; i++)
        KEN_ASSERT(isfinite(out[i]));
    ken_static_embed_path(m, KEN_STR("src/retry/policy.py"), NULL, out);
    for (uint32_t i = 0; i < n; i++)
        KEN_ASSERT(isfinite(out[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t room = (size / ALIGN + 1) * ALIGN;
    char *bytes = aligned_alloc(ALIGN, room);
    if (!bytes)
        return 0;
    if (size)
        memcpy(bytes, data, size);
    memset(bytes + size, 0, room - size);
    ken_static_model *m = NULL;
    ken_err err = { 0 };
    if (!ken_static_open(ken_str_n(bytes, size), &m, &err)) {
        KEN_ASSERT(ken_static_name(m));
        ask(m, KEN_STR("where are retries handled"));
        ask(m, KEN_STR(""));
        ken_static_close(m);
    } else {
        KEN_ASSERT(err.msg[0]);
    }
    free(bytes);
    return 0;
}

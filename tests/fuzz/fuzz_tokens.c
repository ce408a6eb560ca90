// SPDX-License-Identifier: MIT
// fuzz_tokens -- a text whose tokens are counted by the weights inside the program. The count has
// its bounds, and what is behind a text does not change it.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "token/token.h"
#include "token/token_count.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TIMES = 40
};

static void check_parts(ken_str text)
{
    ken_token_parts parts;
    ken_str token;
    for (ken_str rest = text; ken_token_next(&rest, &token);) {
        ken_token_split(token, &parts);
        for (uint32_t i = 0; i < parts.n_parts; i++)
            KEN_ASSERT(parts.part[i].len &&
                       parts.part[i].start + parts.part[i].len <= KEN_TOKEN_MAX);
    }
}

// Long pieces, which a short input cannot have.
static void check_long(ken_str text)
{
    char *many = malloc(text.len * TIMES + 1);
    if (!many)
        return;
    for (size_t i = 0; i < TIMES; i++)
        memcpy(many + i * text.len, text.ptr, text.len);
    KEN_ASSERT(ken_count_tokens(ken_str_n(many, text.len * TIMES)) >= 1);
    free(many);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    uint32_t n = ken_count_tokens(text);
    KEN_ASSERT(!n == !size);
    KEN_ASSERT(ken_count_tokens(text) == n);
    check_parts(text);
    if (size)
        check_long(text);
    return 0;
}

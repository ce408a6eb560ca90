// SPDX-License-Identifier: MIT
// fuzz_config -- a settings file that came with somebody else's repository.
//
// Whatever its bytes are, the values stay in their ranges, what belongs to the owner stays as it
// was, and an error has a text.
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "config/config_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(const ken_config *c)
{
    for (size_t i = 0; i < KEN_CFG_COUNT; i++) {
        const config_row *row = &ken_config__rows[i];
        const config_value *v = &c->values[i];
        KEN_ASSERT(v->source == KEN_CONFIG_DEFAULT || !row->is_for_owner);
        if (row->type == KEN_CONFIG_COUNT || row->type == KEN_CONFIG_SIZE)
            KEN_ASSERT(v->number >= row->min && v->number <= row->max);
        KEN_ASSERT(v->n_items <= CONFIG_LIST_MAX);
        for (size_t k = 0; k < v->n_items; k++)
            KEN_ASSERT(v->items[k].len <= CONFIG_VALUE_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_err err = { 0 };
    ken_config *c = ken_zalloc(sizeof *c);
    ken_arena_init(&c->arena, 0);
    KEN_ASSERT(!ken_config__apply_defaults(c, &err));
    if (size > CONFIG_FILE_MAX)
        size = CONFIG_FILE_MAX;
    ken_str text = { (const char *)data, size };
    ken_status st = ken_config__read_text(c, text, ".ken.yaml", KEN_CONFIG_PROJECT_FILE, &err);
    KEN_ASSERT(!st == !err.msg[0] && st == err.status);
    check_values(c);
    ken_config_free(c);
    return 0;
}

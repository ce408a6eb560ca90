// SPDX-License-Identifier: MIT
// Any text as a settings file of a client: what can be changed is a settings file afterwards, and what was put in
// can be taken out.
#include <stdlib.h>

#include "json/json.h"
#include "json/json_edit.h"

static const char *const path[] = { "a", "b" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    ken_buf with = KEN_BUF_INIT(0), without = KEN_BUF_INIT(0);
    json_t *value = json_pack("{s:[s]}", "k", "v");
    bool was_there = false;
    if (!ken_json_edit_set(text, path, 2, value, &with, NULL)) {
        if (ken_json_edit_remove(ken_buf_str(&with), path, 2, &without, &was_there, NULL) ||
            !was_there)
            abort();
        ken_buf_clear(&with);
        if (ken_json_edit_set(ken_buf_str(&without), path, 2, value, &with, NULL))
            abort();
    }
    json_decref(value);
    ken_buf_release(&with);
    ken_buf_release(&without);
    return 0;
}

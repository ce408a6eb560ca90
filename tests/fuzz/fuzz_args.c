// SPDX-License-Identifier: MIT
// fuzz_args -- the first byte picks an operation, the rest is what a client sent as its arguments. What
// is accepted is an object that fits the schema, also when it is asked again, and fills the struct of
// arguments; what is not is refused with a reason.
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/buf.h"
#include "json/json.h"
#include "tool/tool.h"
#include "tool/tool_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static json_t *schema_of(const ken_tool_spec *spec)
{
    json_t *listing = NULL, *schema;
    KEN_ASSERT(!ken_json_parse(ken_str_c(spec->listing), &listing, NULL));
    schema = json_incref(json_object_get(listing, "inputSchema"));
    json_decref(listing);
    return schema;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static json_t *schemas[256];
    static size_t n;
    for (; !schemas[0] || (n < 256 && ken_tool_spec_at(n)); n++)
        schemas[n] = schema_of(ken_tool_spec_at(n));
    KEN_ASSERT(n);
    if (!size)
        return 0;
    const ken_tool_spec *spec = ken_tool_spec_at(data[0] % n);
    const json_t *schema = schemas[data[0] % n];
    json_t *args = NULL, *ready = NULL, *again = NULL;
    ken_err err = { 0 };
    if (ken_json_parse(ken_str_n((const char *)data + 1, size - 1), &args, &err)) {
        KEN_ASSERT(err.msg[0]);
        return 0;
    }
    if (!json_is_object(args)) {
        json_decref(args);
        return 0;
    }
    if (ken_tool__prepare_args(spec, schema, args, &ready, &err)) {
        KEN_ASSERT(err.msg[0] && !ready);
    } else {
        KEN_ASSERT(json_is_object(ready));
        KEN_ASSERT(!ken_tool__prepare_args(spec, schema, ready, &again, NULL));
        KEN_ASSERT(json_equal(ready, again));
        void *filled = ken_alloc(spec->args_size);
        ken_tool__read_args(spec, ready, filled);
        ken_free(filled);
    }
    json_decref(again);
    json_decref(ready);
    json_decref(args);
    return 0;
}

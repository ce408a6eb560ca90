// SPDX-License-Identifier: MIT
// fuzz_args -- the first byte picks a tool, the rest is what a client sent as its arguments. What
// is accepted is an object that fits the tool's schema, also when it is asked again; what is not is
// refused with a reason.
#include <stdint.h>

#include "base/assert.h"
#include "base/buf.h"
#include "json/json.h"
#include "tool/tool.h"
#include "tool/tool_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static json_t *list_tools(void)
{
    ken_toolset *tools = NULL;
    ken_buf text = KEN_BUF_INIT(1 << 20);
    json_t *list = NULL;
    KEN_ASSERT(!ken_toolset_new(&(ken_toolset_opts){ .n_sets = 0 }, &tools, NULL));
    ken_toolset_list(tools, &text);
    KEN_ASSERT(!ken_json_parse(ken_buf_str(&text), &list, NULL));
    ken_buf_release(&text);
    ken_toolset_free(tools);
    return list;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static json_t *tools;
    if (!tools)
        tools = list_tools();
    if (!size)
        return 0;
    const json_t *tool = json_array_get(tools, data[0] % json_array_size(tools));
    const json_t *schema = json_object_get(tool, "inputSchema");
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
    if (ken_tool__prepare_args(schema, NULL, args, &ready, &err)) {
        KEN_ASSERT(err.msg[0] && !ready);
    } else {
        KEN_ASSERT(json_is_object(ready));
        KEN_ASSERT(!ken_tool__prepare_args(schema, NULL, ready, &again, NULL));
        KEN_ASSERT(json_equal(ready, again));
    }
    json_decref(again);
    json_decref(ready);
    json_decref(args);
    return 0;
}

// SPDX-License-Identifier: MIT
// completion/complete: values of arguments of prompts and of variables of resource templates.
#include "mcp/mcp_priv.h"

enum {
    START_MAX = 1000 // bytes
};

// What `params.ref` and the argument's name mean.
static ken_status find_kind(const json_t *params, ken_str name, ken_tool_complete_kind *out,
                            ken_err *err)
{
    const json_t *ref = json_object_get(params, "ref");
    ken_str type = ken_json_text(json_object_get(ref, "type"));
    ken_str prompt = ken_json_text(json_object_get(ref, "name"));
    ken_str uri = ken_json_text(json_object_get(ref, "uri"));
    if (ken_str_eq_c(type, "ref/prompt")) {
        if (ken_mcp__prompt_completes(prompt, name, out))
            return KEN_OK;
        return KEN_FAIL(err, KEN_EINVAL, "no prompt '%.80s' with an argument '%.80s'",
                        prompt.ptr ? prompt.ptr : "", name.ptr ? name.ptr : "");
    }
    if (ken_str_eq_c(type, "ref/resource")) {
        if (ken_mcp__template_completes(uri, name, out))
            return KEN_OK;
        return KEN_FAIL(err, KEN_EINVAL, "no resource template '%.200s' with a variable '%.80s'",
                        uri.ptr ? uri.ptr : "", name.ptr ? name.ptr : "");
    }
    return KEN_FAIL(err, KEN_EINVAL, "params.ref.type must be 'ref/prompt' or 'ref/resource'");
}

static void put_completion(const ken_mcp__request *r, const ken_tool_completion *c, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"completion\":{\"values\":[");
    for (size_t i = 0; i < c->n; i++) {
        if (i)
            ken_buf_putc(out, ',');
        ken_json_put_quoted(out, c->values[i]);
    }
    ken_buf_printf(out, "],\"total\":%zu,\"hasMore\":%s}", c->n_total,
                   c->has_more ? "true" : "false");
    ken_mcp__end_result(out);
}

void ken_mcp__complete(ken_mcp__request *r, ken_buf *out)
{
    const json_t *argument = json_object_get(r->msg.params, "argument");
    const json_t *known = json_object_get(json_object_get(r->msg.params, "context"), "arguments");
    const json_t *name = json_object_get(argument, "name"),
                 *value = json_object_get(argument, "value");
    ken_tool_complete_kind kind = KEN_COMPLETE_NOTHING;
    ken_tool_completion c = { 0 };
    ken_err err = { 0 };
    ken_status st = KEN_OK;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    if (!json_is_string(name) || !json_is_string(value))
        st = KEN_FAIL(&err, KEN_EINVAL, "params.argument must have the strings 'name' and 'value'");
    else if (json_string_length(value) > START_MAX)
        st = KEN_FAIL(&err, KEN_EINVAL, "params.argument.value has more than %d bytes", START_MAX);
    if (!st)
        st = find_kind(r->msg.params, ken_json_text(name), &kind, &err);
    if (!st) {
        ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
        ctx.is_reading = true;
        // A project that does not exist completes to nothing; whoever uses it then is told.
        if (ken_tool_complete(r->server->app, kind, ken_json_text(value),
                              ken_json_text(json_object_get(known, "project")), &ctx, &arena, &c,
                              &err))
            c = (ken_tool_completion){ 0 };
        put_completion(r, &c, out);
    } else {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, err.msg, (ken_str){ NULL, 0 }, out);
    }
    ken_arena_release(&arena);
}

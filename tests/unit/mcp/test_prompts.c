// SPDX-License-Identifier: MIT
// Prompts and completion, as far as they need no project.
#include "mcp_lab.h"

static const json_t *prompt_at(const json_t *answer, size_t i)
{
    return json_array_get(json_object_get(json_object_get(answer, "result"), "prompts"), i);
}

KEN_TEST(prompts_are_listed_with_their_arguments_in_both_eras)
{
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}");
    bool has_change = false;
    for (size_t i = 0; prompt_at(v, i); i++) {
        const json_t *p = prompt_at(v, i), *args = json_object_get(p, "arguments");
        kt_true(json_string_length(json_object_get(p, "description")) > 10);
        const json_t *last = json_array_get(args, json_array_size(args) - 1);
        kt_eq_text(ken_json_text(json_object_get(last, "name")), "project");
        kt_true(json_is_false(json_object_get(last, "required")));
        has_change |= ken_str_eq_c(ken_json_text(json_object_get(p, "name")), "plan_change");
    }
    kt_true(has_change);
    json_decref(v);
    v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\",\"params\":{" LAB_META
                "}}");
    kt_not_null(prompt_at(v, 0));
    kt_true(json_is_integer(json_object_get(json_object_get(v, "result"), "ttlMs")));
    json_decref(v);
    lab_fails(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\",\"params\":{\"cursor\":\"x\"}}",
        KEN_MCP__INVALID_PARAMS, "1");
}

static void refuses(const char *params, const char *why)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":%s}", params);
    json_t *v = lab_ask(text);
    kt_eq_i(lab_code(v), KEN_MCP__INVALID_PARAMS);
    kt_has_str(json_string_value(json_object_get(json_object_get(v, "error"), "message")), why);
    json_decref(v);
}

KEN_TEST(prompts_that_are_asked_for_wrongly_say_why)
{
    refuses("{}", "params.name must be a string");
    refuses("{\"name\":\"nope\"}", "no prompt 'nope'; prompts/list shows");
    refuses("{\"name\":\"explain\"}", "needs the argument 'symbol'");
    refuses("{\"name\":\"explain\",\"arguments\":{\"symbol\":\"  \"}}",
            "needs the argument 'symbol'");
    refuses("{\"name\":\"explain\",\"arguments\":{\"symbol\":7}}",
            "argument 'symbol' must be a string");
    refuses("{\"name\":\"explain\",\"arguments\":{\"symbol\":\"x\",\"of\":\"y\"}}",
            "has no argument 'of'");
    refuses("{\"name\":\"explain\",\"arguments\":[]}", "params.arguments must be an object");
}

static void completes(const char *params, int code, const char *why)
{
    char text[800];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\",\"params\":%s}",
             params);
    json_t *v = lab_ask(text);
    kt_eq_i(lab_code(v), code);
    if (why)
        kt_has_str(json_string_value(json_object_get(json_object_get(v, "error"), "message")), why);
    else
        kt_eq_u(json_array_size(json_object_get(
                    json_object_get(json_object_get(v, "result"), "completion"), "values")),
                0);
    json_decref(v);
}

KEN_TEST(completion_names_what_it_does_not_know)
{
    completes("{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"find\"},"
              "\"argument\":{\"name\":\"question\",\"value\":\"wh\"}}",
              0, NULL);
    completes("{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"nope\"},"
              "\"argument\":{\"name\":\"question\",\"value\":\"wh\"}}",
              KEN_MCP__INVALID_PARAMS, "no prompt 'nope' with an argument 'question'");
    completes("{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"ken://x\"},"
              "\"argument\":{\"name\":\"project\",\"value\":\"\"}}",
              KEN_MCP__INVALID_PARAMS, "no resource template 'ken://x'");
    completes("{\"ref\":{\"type\":\"ref/other\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}}",
              KEN_MCP__INVALID_PARAMS, "params.ref.type");
    completes("{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"find\"},\"argument\":{\"name\":\"a\"}}",
              KEN_MCP__INVALID_PARAMS, "params.argument");
    completes("{}", KEN_MCP__INVALID_PARAMS, "params.argument");
}

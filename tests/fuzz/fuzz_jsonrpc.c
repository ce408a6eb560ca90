// SPDX-License-Identifier: MIT
// Every line of the input is one message to a session over tools that need no index. What comes
// back must be one valid message per line.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/utf8.h"
#include "json/json.h"
#include "mcp/mcp.h"

static ken_status echo(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)err;
    *out = json_deep_copy(env->given);
    return KEN_OK;
}

static void echo_text(const json_t *answer, ken_paint *out)
{
    ken_json_dump(answer, out->out);
}

static const ken_tool_alias aliases[] = { { "max_results", "limit" } };

#define SPEC(tool)                                                                          \
    &(const ken_tool_spec)                                                                  \
    {                                                                                       \
        .name = tool, .set = "t", .is_read_only = true, .aliases = aliases, .n_aliases = 1, \
        .listing = "{\"name\":\"" tool "\",\"inputSchema\":{\"type\":\"object\","           \
                   "\"properties\":{\"query\":{\"type\":\"string\",\"minLength\":1,"        \
                   "\"maxLength\":9},\"limit\":{\"type\":\"integer\",\"minimum\":1,"        \
                   "\"maximum\":50},\"list\":{\"type\":\"array\",\"items\":{\"enum\":"      \
                   "[\"a\",1,null]},\"maxItems\":3},\"project\":{\"type\":\"string\"},"     \
                   "\"file_path\":{\"type\":\"string\"},\"format\":{\"type\":\"string\","   \
                   "\"enum\":[\"json\",\"text\"]}},\"additionalProperties\":false}}",       \
    }

static const ken_tool_def defs[] = {
    { SPEC("echo"), echo, echo_text },
    { SPEC("list_projects"), echo, NULL },
    { SPEC("get_repo_status"), echo, NULL },
    { SPEC("outline"), echo, NULL },
};

static void check(void *ctx, const ken_mcp_sent *sent)
{
    (void)ctx;
    ken_str message = sent->text;
    json_t *v = NULL;
    KEN_ASSERT(ken_utf8_is_valid(message));
    KEN_ASSERT(ken_str_find_char(message, '\n') == SIZE_MAX);
    json_error_t e;
    v = json_loadb(message.ptr, message.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    // Ids beyond 64 bits come back as they came; jansson does not read those.
    KEN_ASSERT(v || strstr(e.text, "too big integer"));
    KEN_ASSERT(!v || json_object_get(v, "result") || json_object_get(v, "error") ||
               json_object_get(v, "method"));
    json_decref(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ken_mcp_server *server;
    if (!server) {
        ken_toolset *tools = NULL;
        ken_toolset_opts opts = { .defs = defs, .n_defs = sizeof defs / sizeof *defs };
        ken_status st = ken_toolset_new(&opts, &tools, NULL);
        if (!st)
            st = ken_mcp_server_new(NULL, &(ken_mcp_opts){ .tools = tools, .n_workers = 1 },
                                    &server, NULL);
        KEN_ASSERT(!st);
    }
    ken_mcp_session *session =
        ken_mcp_session_new(server, &(ken_mcp_session_opts){ .send = check });
    ken_str rest = ken_str_n((const char *)data, size), line;
    while (ken_str_split_next(&rest, '\n', &line)) {
        if (line.len)
            ken_mcp_session_receive(session, line, NULL);
    }
    KEN_ASSERT(ken_mcp_session_wait(session, 10000));
    ken_mcp_session_free(session);
    return 0;
}

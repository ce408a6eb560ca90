// SPDX-License-Identifier: MIT
// fuzz_uri -- the address of a resource that a client asks for. Tools answer with their arguments
// here: what an address was taken for, written as an address again, is taken for the same.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/utf8.h"
#include "json/json.h"
#include "mcp/mcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ken_status echo(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)err;
    *out = json_deep_copy(env->given);
    return KEN_OK;
}

#define SPEC(tool)                                                                \
    &(const ken_tool_spec)                                                        \
    {                                                                             \
        .name = tool, .set = "t", .is_read_only = true,                           \
        .listing = "{\"name\":\"" tool "\",\"inputSchema\":{\"type\":\"object\"," \
                   "\"properties\":{\"project\":{\"type\":\"string\"},"           \
                   "\"file_path\":{\"type\":\"string\"}},"                        \
                   "\"additionalProperties\":false}}",                            \
    }

static const ken_tool_def defs[] = {
    { SPEC("list_projects"), echo, NULL },
    { SPEC("get_repo_status"), echo, NULL },
    { SPEC("outline"), echo, NULL },
};

static ken_mcp_server *make_server(void)
{
    ken_toolset *tools = NULL;
    ken_mcp_server *server = NULL;
    ken_toolset_opts opts = { .defs = defs, .n_defs = sizeof defs / sizeof *defs };
    KEN_ASSERT(!ken_toolset_new(&opts, &tools, NULL));
    KEN_ASSERT(!ken_mcp_server_new(NULL, &(ken_mcp_opts){ .tools = tools, .n_workers = 1 }, &server,
                                   NULL));
    return server;
}

static json_t
    *last; // what came back; written by the session's threads, read after they are waited for

static void keep(void *ctx, const ken_mcp_sent *sent)
{
    (void)ctx;
    ken_str message = sent->text;
    json_decref(last);
    last = NULL;
    KEN_ASSERT(ken_str_find_char(message, '\n') == SIZE_MAX);
    KEN_ASSERT(!ken_json_parse(message, &last, NULL));
}

static void send(ken_mcp_session *s, const char *message)
{
    ken_mcp_session_receive(s, ken_str_c(message), NULL);
    KEN_ASSERT(ken_mcp_session_wait(s, 10000));
}

// The arguments that the address became; NULL: it was refused, with a reason.
static json_t *read_uri(ken_mcp_session *s, ken_str uri)
{
    ken_buf b = { 0 };
    json_t *args = NULL;
    ken_buf_puts(
        &b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":");
    ken_json_put_quoted(&b, uri);
    ken_buf_puts(&b, "}}");
    send(s, b.ptr);
    ken_buf_release(&b);
    KEN_ASSERT(last);
    const json_t *error = json_object_get(last, "error");
    if (error) {
        KEN_ASSERT(ken_json_text(json_object_get(error, "message")).len);
        return NULL;
    }
    const json_t *contents = json_object_get(json_object_get(last, "result"), "contents");
    const json_t *first = json_array_get(contents, 0);
    KEN_ASSERT(ken_str_eq(ken_json_text(json_object_get(first, "uri")), uri));
    KEN_ASSERT(!ken_json_parse(ken_json_text(json_object_get(first, "text")), &args, NULL));
    return args;
}

static void put_escaped(ken_buf *b, ken_str text)
{
    for (size_t i = 0; i < text.len; i++)
        ken_buf_printf(b, "%%%02X", (unsigned char)text.ptr[i]);
}

static void check_again(ken_mcp_session *s, const json_t *args)
{
    ken_str project = ken_json_text(json_object_get(args, "project"));
    ken_str path = ken_json_text(json_object_get(args, "file_path"));
    ken_buf b = { 0 };
    bool is_outline = json_object_get(args, "file_path") != NULL;
    if (!project.len || (is_outline && !path.len)) // white space around arguments is dropped
        return;
    KEN_ASSERT(ken_utf8_is_valid(project) && ken_utf8_is_valid(path));
    ken_buf_puts(&b, "ken://");
    put_escaped(&b, project);
    ken_buf_puts(&b, is_outline ? "/outline/" : "/status");
    put_escaped(&b, path);
    json_t *again = b.len < 8192 ? read_uri(s, ken_buf_str(&b)) : json_deep_copy(args);
    KEN_ASSERT(again && json_equal(again, args));
    json_decref(again);
    ken_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ken_mcp_server *server;
    if (!server)
        server = make_server();
    ken_str uri = ken_str_n((const char *)data, size);
    if (!ken_utf8_is_valid(uri))
        return 0; // no message can hold it
    ken_mcp_session *s = ken_mcp_session_new(server, &(ken_mcp_session_opts){ .send = keep });
    send(s,
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
         "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"f\",\"version\":\"1\"}}}");
    send(s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    json_t *args = read_uri(s, uri);
    if (args)
        check_again(s, args);
    json_decref(args);
    ken_mcp_session_free(s);
    json_decref(last);
    last = NULL;
    return 0;
}

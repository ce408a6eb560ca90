// SPDX-License-Identifier: MIT
// Which methods there are, and those that are answered at once.
#include "base/alloc.h"
#include "mcp/mcp_priv.h"

enum {
    LIST_TTL_MS = 3600 * 1000,
    SWITCHED_TTL_MS = 60 * 1000, // of tools that somebody can switch
};

#define CAPABILITIES_BEHIND_TOOLS                                              \
    ",\"resources\":{\"subscribe\":true,\"listChanged\":true},\"prompts\":{}," \
    "\"completions\":{},\"logging\":{}}"

// Tools change where somebody can switch them.
static void put_capabilities(const ken_mcp_server *s, ken_buf *out)
{
    ken_buf_puts(out, s->opts.roster ? "{\"tools\":{\"listChanged\":true}" : "{\"tools\":{}");
    ken_buf_puts(out, CAPABILITIES_BEHIND_TOOLS);
}

// Newest first. 2025-03-26 is not among them: it would oblige us to take batches.
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18", "2024-11-05" };

static const char *negotiate(ken_str wanted)
{
    size_t n = sizeof legacy_versions / sizeof *legacy_versions;
    for (size_t i = 0; i < n; i++) {
        if (ken_str_eq_c(wanted, legacy_versions[i]))
            return legacy_versions[i];
    }
    // A revision that lies between two of ours: its clients know the older one. Else the newest.
    for (size_t i = 0; wanted.len == 10 && i < n; i++) {
        ken_str v = ken_str_c(legacy_versions[i]);
        if (ken_str_cmp(v, wanted) < 0 && ken_str_cmp(wanted, ken_str_c(legacy_versions[0])) < 0)
            return legacy_versions[i];
    }
    return legacy_versions[0];
}

// What the client says of itself holds until it says something else.
static void keep_client(ken_mcp_session *s, const json_t *params, const char *era)
{
    json_t *capabilities = json_object_get(params, "capabilities");
    char *client = ken_mcp__client_of(json_object_get(params, "clientInfo"));
    pthread_mutex_lock(&s->lock);
    ken_free(s->client);
    s->client = client;
    s->era = era;
    json_decref(s->client_capabilities);
    s->client_capabilities = json_is_object(capabilities) ? json_incref(capabilities) : NULL;
    pthread_mutex_unlock(&s->lock);
}

static void do_initialize(ken_mcp__request *r, ken_buf *out)
{
    const ken_mcp_server *s = r->server;
    const json_t *version = json_object_get(r->msg.params, "protocolVersion");
    if (!json_is_string(version)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "params.protocolVersion must be a string",
                              (ken_str){ NULL, 0 }, out);
        return;
    }
    keep_client(r->session, r->msg.params, negotiate(ken_json_text(version)));
    ken_free(r->client);
    r->client = ken_mcp__client_of(json_object_get(r->msg.params, "clientInfo"));
    ken_mcp__roster_note_client(r);
    ken_mcp__roster_open(r->session);
    ken_mcp__begin_result(r, out);
    ken_buf_printf(out, "\"protocolVersion\":\"%s\",\"capabilities\":", r->session->era);
    put_capabilities(s, out);
    ken_buf_puts(out, ",\"serverInfo\":");
    ken_buf_put_str(out, ken_buf_str(&s->server_info));
    ken_buf_puts(out, ",\"instructions\":");
    ken_buf_put_str(out, ken_buf_str(&s->instructions));
    ken_mcp__end_result(out);
}

static void do_discover(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"supportedVersions\":[\"" KEN_MCP__MODERN_VERSION "\"],"
                      "\"capabilities\":");
    put_capabilities(r->server, out);
    ken_buf_puts(out, ",\"instructions\":");
    ken_buf_put_str(out, ken_buf_str(&r->server->instructions));
    ken_mcp__put_cache_hints(r, LIST_TTL_MS, "public", out);
    ken_mcp__end_result(out);
}

static void do_ping(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_mcp__end_result(out);
}

// Everything fits on one page, so that no cursor was ever given out.
static bool refuses_cursor(ken_mcp__request *r, ken_buf *out)
{
    const json_t *cursor = json_object_get(r->msg.params, "cursor");
    if (!cursor || json_is_null(cursor) || (json_is_string(cursor) && !json_string_length(cursor)))
        return false;
    ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "params.cursor is not one of ours",
                          (ken_str){ NULL, 0 }, out);
    return true;
}

// The array without its end; whether it has none.
static bool put_tools(ken_mcp_server *s, ken_buf *out)
{
    size_t n = ken_toolset_count(s->tools), n_on = 0;
    ken_str all = ken_buf_str(&s->tools_list);
    for (size_t i = 0; i < n; i++)
        n_on += ken_mcp_roster_is_on(s->opts.roster, ken_str_c(ken_toolset_name(s->tools, i)));
    if (n_on == n) {
        ken_buf_put_str(out, ken_str_sub(all, 0, all.len - 1));
        return !n;
    }
    ken_buf_putc(out, '[');
    n_on = 0;
    for (size_t i = 0; i < n; i++) {
        ken_str name = ken_str_c(ken_toolset_name(s->tools, i));
        if (!ken_mcp_roster_is_on(s->opts.roster, name))
            continue;
        ken_buf_puts(out, n_on++ ? "," : "");
        ken_buf_puts(out, ken_toolset_listing(s->tools, i));
    }
    return !n_on;
}

static void do_tools_list(ken_mcp__request *r, ken_buf *out)
{
    if (refuses_cursor(r, out))
        return;
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"tools\":");
    bool is_empty = put_tools(r->server, out);
    ken_mcp__put_extension(r->server, KEN_MCP_TOOLS, is_empty, out);
    ken_buf_putc(out, ']');
    ken_mcp__put_cache_hints(r, r->server->opts.roster ? SWITCHED_TTL_MS : LIST_TTL_MS, "public",
                             out);
    ken_mcp__end_result(out);
}

static void do_resources_list(ken_mcp__request *r, ken_buf *out)
{
    if (!refuses_cursor(r, out))
        ken_mcp__resources_list(r, out);
}

static void do_templates_list(ken_mcp__request *r, ken_buf *out)
{
    if (!refuses_cursor(r, out))
        ken_mcp__resources_templates_list(r, out);
}

static void do_prompts_list(ken_mcp__request *r, ken_buf *out)
{
    if (!refuses_cursor(r, out))
        ken_mcp__prompts_list(r, out);
}

static void do_set_level(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__level level;
    if (!ken_mcp__level_parse(ken_json_text(json_object_get(r->msg.params, "level")), &level)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS,
                              "params.level must be one of debug, info, notice, warning, error, "
                              "critical, alert, emergency",
                              (ken_str){ NULL, 0 }, out);
        return;
    }
    pthread_mutex_lock(&r->session->lock);
    r->session->level = level;
    pthread_mutex_unlock(&r->session->lock);
    do_ping(r, out);
}

// ---- the table ---------------------------------------------------------------------------------

static const ken_mcp__method methods[] = {
    { "initialize", do_initialize, true, false, KEN_MCP__HERE },
    { "ping", do_ping, true, false, KEN_MCP__HERE },
    { "logging/setLevel", do_set_level, true, false, KEN_MCP__HERE },
    { "server/discover", do_discover, false, true, KEN_MCP__HERE },
    { "tools/list", do_tools_list, true, true, KEN_MCP__HERE },
    { "tools/call", ken_mcp__tools_call, true, true, KEN_MCP__WORKER },
    { "resources/list", do_resources_list, true, true, KEN_MCP__WORKER },
    { "resources/templates/list", do_templates_list, true, true, KEN_MCP__HERE },
    { "resources/read", ken_mcp__resources_read, true, true, KEN_MCP__WORKER },
    { "resources/subscribe", ken_mcp__resources_subscribe, true, false, KEN_MCP__HERE },
    { "resources/unsubscribe", ken_mcp__resources_unsubscribe, true, false, KEN_MCP__HERE },
    { "prompts/list", do_prompts_list, true, true, KEN_MCP__HERE },
    { "prompts/get", ken_mcp__prompts_get, true, true, KEN_MCP__WORKER },
    { "completion/complete", ken_mcp__complete, true, true, KEN_MCP__WORKER },
    { "subscriptions/listen", ken_mcp__listen, false, true, KEN_MCP__HELD },
};

const ken_mcp__method *ken_mcp__find_method(ken_str name, bool is_modern)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if ((is_modern ? methods[i].is_modern : methods[i].is_legacy) &&
            ken_str_eq_c(name, methods[i].name))
            return &methods[i];
    }
    return NULL;
}

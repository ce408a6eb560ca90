// SPDX-License-Identifier: MIT
// Both eras, calls, progress, cancellation.
#include <stdlib.h>

#include "mcp_lab.h"

static const json_t *member(const json_t *v, const char *a, const char *b)
{
    v = json_object_get(v, a);
    return b ? json_object_get(v, b) : v;
}

// ---- legacy -------------------------------------------------------------------------------------

static void negotiates(const char *wanted, const char *given)
{
    char text[200];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{}}}",
             wanted);
    json_t *v = lab_ask(text);
    kt_eq_text(ken_json_text(member(v, "result", "protocolVersion")), given);
    json_decref(v);
}

KEN_TEST(initialize_negotiates)
{
    negotiates("2025-11-25", "2025-11-25");
    negotiates("2025-06-18", "2025-06-18");
    negotiates("2024-11-05", "2024-11-05");
    negotiates("2025-03-26", "2024-11-05");
    negotiates("2026-07-28", "2025-11-25");
    negotiates("2099-01-01", "2025-11-25");
    negotiates("2024-10-07", "2025-11-25");
    negotiates("", "2025-11-25");
    negotiates("nonsense", "2025-11-25");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}", KEN_MCP__INVALID_PARAMS,
              "0");
}

KEN_TEST(initialize_says_who_we_are)
{
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                        "\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}");
    const json_t *r = member(v, "result", NULL);
    kt_eq_text(ken_json_text(member(r, "serverInfo", "name")), "ken");
    kt_eq_text(ken_json_text(member(r, "serverInfo", "version")), "1.2.3");
    kt_not_null(member(r, "capabilities", "tools"));
    kt_true(json_is_object(member(r, "capabilities", "logging")));
    kt_not_null(member(r, "capabilities", "prompts"));
    kt_not_null(member(r, "capabilities", "completions"));
    kt_null(member(r, "resultType", NULL));
    ken_str text = ken_json_text(member(r, "instructions", NULL));
    kt_true(text.len > 100 && text.len <= 2048);
    json_decref(v);
}

KEN_TEST(the_servers_name_is_a_setting)
{
    setenv("XDG_CONFIG_HOME", ktest_path("cfg"), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    setenv("KEN_MCP_NAME", "codebase-mcp", 1);
    ken_config *config = NULL;
    ken_app *app = NULL;
    ken_mcp_server *server = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
    kt_ok_err(ken_mcp_server_new(app, &(ken_mcp_opts){ 0 }, &server, &err), &err);
    kt_true(
        ken_str_starts(ken_buf_str(&server->server_info), KEN_STR("{\"name\":\"codebase-mcp\",")));
    ken_mcp_server_free(server);
    ken_app_close(app);
    ken_config_free(config);
    unsetenv("KEN_MCP_NAME");
}

KEN_TEST(requests_before_initialize_are_served)
{
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    kt_eq_u(json_array_size(member(v, "result", "tools")), 6);
    kt_null(member(v, "result", "ttlMs"));
    json_decref(v);
}

// ---- modern -------------------------------------------------------------------------------------

KEN_TEST(discover_answers_like_initialize)
{
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":\"server-discover-probe-1\","
                        "\"method\":\"server/discover\",\"params\":{" LAB_META "}}");
    const json_t *r = member(v, "result", NULL);
    kt_eq_text(ken_json_text(member(r, "resultType", NULL)), "complete");
    kt_eq_text(ken_json_text(json_array_get(member(r, "supportedVersions", NULL), 0)),
               "2026-07-28");
    kt_true(ken_json_text(member(r, "instructions", NULL)).len > 100);
    kt_true(json_is_integer(member(r, "ttlMs", NULL)));
    kt_eq_text(ken_json_text(member(r, "cacheScope", NULL)), "public");
    kt_eq_text(ken_json_text(json_object_get(
                   member(r, "_meta", "io.modelcontextprotocol/serverInfo"), "name")),
               "ken");
    json_decref(v);
}

KEN_TEST(modern_requests_carry_their_version)
{
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
              KEN_MCP__INVALID_PARAMS, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
              "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
              KEN_MCP__INVALID_PARAMS, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
              "\"io.modelcontextprotocol/protocolVersion\":7,"
              "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
              KEN_MCP__INVALID_PARAMS, "1");
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
                        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\","
                        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    kt_eq_i(lab_code(v), KEN_MCP__UNSUPPORTED_VERSION);
    const json_t *data = member(v, "error", "data");
    kt_eq_text(ken_json_text(member(data, "requested", NULL)), "1900-01-01");
    kt_eq_text(ken_json_text(json_array_get(member(data, "supported", NULL), 0)), "2026-07-28");
    json_decref(v);
}

KEN_TEST(removed_methods_are_gone_in_the_modern_era)
{
    static const char *const names[] = { "initialize", "ping", "logging/setLevel",
                                         "resources/subscribe", "no/such" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{" LAB_META "}}",
                 names[i]);
        lab_fails(text, KEN_MCP__METHOD_NOT_FOUND, "1");
    }
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\"}",
              KEN_MCP__METHOD_NOT_FOUND, "1");
}

KEN_TEST(lists_and_reads_can_be_cached)
{
    static const char *const names[] = { "tools/list", "resources/list", "resources/templates/list",
                                         "resources/read" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
                 "\"params\":{\"uri\":\"ken://projects\"," LAB_META "}}",
                 names[i]);
        json_t *v = lab_ask(text);
        const json_t *r = member(v, "result", NULL);
        kt_true(json_is_integer(member(r, "ttlMs", NULL)));
        kt_true(json_is_string(member(r, "cacheScope", NULL)));
        kt_eq_text(ken_json_text(member(r, "resultType", NULL)), "complete");
        json_decref(v);
    }
}

KEN_TEST(listening_is_acknowledged_and_ends_when_cancelled)
{
    lab l;
    lab_open(&l);
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"subscriptions/listen\",\"params\":{"
                "\"notifications\":{\"toolsListChanged\":true}," LAB_META "}}");
    json_t *v = lab_take(&l, 0);
    kt_eq_text(ken_json_text(member(v, "method", NULL)),
               "notifications/subscriptions/acknowledged");
    const json_t *params = member(v, "params", NULL);
    kt_eq_i(json_integer_value(member(params, "_meta", "io.modelcontextprotocol/subscriptionId")),
            9);
    kt_eq_u(json_object_size(member(params, "notifications", NULL)), 0);
    json_decref(v);
    kt_true(ken_mcp_session_wait(l.session, 0)); // it holds up nothing
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                "\"params\":{\"requestId\":9}}");
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"subscriptions/listen\",\"params\":{"
                "\"notifications\":{}," LAB_META "}}");
    kt_eq_u(lab_n_sent(&l), 2);
    lab_close(&l); // and frees the open one
}

// ---- tools/list ---------------------------------------------------------------------------------

static size_t list_bytes(const char *set, const char *golden)
{
    ken_str name = ken_str_c(set);
    lab l = { .tools = NULL };
    lab_open_with(&l, &(ken_mcp_opts){ .version = "0", .toolsets = &name, .n_toolsets = 1 });
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    json_t *v = lab_take(&l, 0);
    size_t bytes = strlen(l.sent.ptr[0]);
    if (golden) {
        char *text = json_dumps(v, JSON_INDENT(2));
        kt_golden(golden, text, strlen(text));
        free(text);
    }
    const json_t *tools = member(v, "result", "tools");
    for (size_t i = 0; i < json_array_size(tools); i++) {
        const json_t *t = json_array_get(tools, i);
        kt_true(ken_json_text(member(t, "description", NULL)).len < 1000);
        kt_true(ken_json_text(member(t, "name", NULL)).len < 50);
        kt_true(json_is_boolean(member(t, "annotations", "readOnlyHint")));
        kt_true(json_is_boolean(member(t, "annotations", "destructiveHint")));
        kt_true(json_is_boolean(member(t, "annotations", "idempotentHint")));
        bool reaches_others =
            ken_str_eq_c(ken_json_text(member(t, "name", NULL)), "sync_repository");
        kt_eq_i(json_is_true(member(t, "annotations", "openWorldHint")), reaches_others);
        kt_true(json_is_false(member(t, "inputSchema", "additionalProperties")));
    }
    json_decref(v);
    lab_close(&l);
    return bytes;
}

// A token is counted as four bytes; tests/clients/wire.test.mjs counts real ones.
KEN_TEST(the_tool_list_is_small)
{
    kt_true(list_bytes("all", "mcp/tools_list.json") / 4 <= 5200);
    kt_true(list_bytes("search", NULL) / 4 <= 2200);
}

KEN_TEST(cursors_are_not_ours)
{
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
              "\"params\":{\"cursor\":\"x\"}}",
              KEN_MCP__INVALID_PARAMS, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\","
              "\"params\":{\"cursor\":7}}",
              KEN_MCP__INVALID_PARAMS, "1");
}

// ---- tools/call ---------------------------------------------------------------------------------

static json_t *call(const char *name, const char *arguments)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"%s\",\"arguments\":%s}}",
             name, arguments);
    return lab_ask(text);
}

static ken_str content_text(const json_t *v)
{
    return ken_json_text(
        json_object_get(json_array_get(member(v, "result", "content"), 0), "text"));
}

KEN_TEST(text_and_structure_carry_the_same)
{
    json_t *v = call("echo", "{\"a\":\" x\\u0007\\ny \"}"), *same = NULL;
    kt_true(json_is_false(member(v, "result", "isError")));
    kt_ok(ken_json_parse(content_text(v), &same, NULL));
    kt_true(json_equal(same, member(v, "result", "structuredContent")));
    kt_eq_text(ken_json_text(json_object_get(same, "a")), "x\a\ny");
    json_decref(same);
    json_decref(v);
}

KEN_TEST(format_text_is_text_only)
{
    json_t *v = call("echo", "{\"format\":\"text\"}");
    kt_eq_text(content_text(v), "text of {\"format\":\"text\"}");
    kt_null(member(v, "result", "structuredContent"));
    json_decref(v);
}

KEN_TEST(answers_are_text_unless_json_is_asked_for)
{
    lab l = lab_new();
    lab_open_with(&l, &(ken_mcp_opts){ .version = "1", .tools = l.tools });
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                "\"params\":{\"name\":\"echo\"}}");
    json_t *v = lab_take(&l, 0);
    kt_eq_text(content_text(v), "text of {}");
    json_decref(v);
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
                "\"params\":{\"name\":\"echo\",\"arguments\":{\"format\":\"json\"}}}");
    v = lab_take(&l, 1);
    kt_eq_text(content_text(v), "{\"format\":\"json\"}");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(null_arguments_are_none)
{
    json_decref(call("echo", "null"));
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                        "\"params\":{\"name\":\"echo\"}}");
    kt_eq_text(content_text(v), "{}");
    json_decref(v);
}

KEN_TEST(failures_are_results)
{
    json_t *v = call("fail", "{}");
    kt_true(json_is_true(member(v, "result", "isError")));
    kt_eq_text(content_text(v), "Error: it \"broke\" \uFFFD");
    const json_t *error = json_object_get(member(v, "result", "structuredContent"), "error");
    kt_eq_text(ken_json_text(json_object_get(error, "code")), "ENOTFOUND");
    kt_eq_text(ken_json_text(json_object_get(error, "message")), "it \"broke\" \uFFFD");
    json_decref(v);
    v = call("echo", "{\"b\":1}");
    kt_true(json_is_true(member(v, "result", "isError")));
    kt_has_str(content_text(v).ptr, "Error: args: unknown name 'b'");
    json_decref(v);
    v = call("fail", "{\"ms\":8}"); // KEN_EBUSY
    kt_has_str(content_text(v).ptr, "Try again in a moment.");
    json_decref(v);
    v = call("fail", "{\"ms\":15}"); // KEN_EINTERNAL
    kt_eq_i(lab_code(v), KEN_MCP__INTERNAL);
    json_decref(v);
}

KEN_TEST(calls_must_look_like_calls)
{
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", KEN_MCP__INVALID_PARAMS,
              "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":1}}",
              KEN_MCP__INVALID_PARAMS, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
              "\"params\":{\"name\":\"echo\",\"arguments\":[]}}",
              KEN_MCP__INVALID_PARAMS, "1");
    json_t *v = call("ecko", "{}");
    kt_eq_i(lab_code(v), KEN_MCP__INVALID_PARAMS);
    kt_eq_text(ken_json_text(member(v, "error", "message")),
               "unknown tool 'ecko'; did you mean 'echo'?");
    json_decref(v);
}

// ---- long calls ---------------------------------------------------------------------------------

#define SLOW(id, ms, meta)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"slow\"," \
    "\"arguments\":{\"ms\":" ms "}" meta "}}"
#define CANCEL(id) \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

KEN_TEST(ping_is_answered_while_a_call_runs)
{
    lab l;
    lab_open(&l);
    lab_put(&l, SLOW("1", "10000", ""));
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    kt_eq_u(lab_n_sent(&l), 1);
    kt_eq_u(ken_mcp_session_n_running(l.session), 1);
    lab_put(&l, CANCEL("1"));
    lab_close(&l);
}

KEN_TEST(a_cancelled_call_stops_without_an_answer)
{
    static const char *const ids[] = { "1", "\"x\"", "0", "99999999999999999999999" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lab l;
        char start[200], stop[200];
        lab_open(&l);
        snprintf(start, sizeof start, SLOW("%s", "10000", ""), ids[i]);
        snprintf(stop, sizeof stop, CANCEL("%s"), ids[i]);
        lab_put(&l, start);
        lab_sleep_ms(20);
        int64_t at = ken_clock_mono_ns();
        lab_put(&l, stop);
        kt_true(ken_mcp_session_wait(l.session, 2000));
        kt_true(ken_clock_mono_ns() - at < 500 * 1000000ll);
        kt_eq_u(lab_n_sent(&l), 0);
        lab_put(&l, stop); // once more does nothing
        lab_close(&l);
    }
}

KEN_TEST(another_id_is_not_cancelled)
{
    lab l;
    lab_open(&l);
    lab_put(&l, SLOW("1", "30", ""));
    lab_put(&l, CANCEL("\"1\""));
    lab_put(&l, CANCEL("2"));
    json_t *v = lab_take(&l, 0);
    kt_not_null(member(v, "result", "content"));
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(an_id_in_use_is_refused)
{
    lab l;
    lab_open(&l);
    lab_put(&l, SLOW("1", "10000", ""));
    lab_put(&l, SLOW("1", "10000", ""));
    json_t *v = lab_take(&l, 0);
    kt_eq_i(lab_code(v), KEN_MCP__INVALID_REQUEST);
    json_decref(v);
    lab_put(&l, CANCEL("1"));
    kt_true(ken_mcp_session_wait(l.session, 2000));
    lab_put(&l, SLOW("1", "1", ""));
    json_decref(lab_take(&l, 1));
    lab_close(&l);
}

KEN_TEST(progress_only_grows_and_only_when_asked_for)
{
    lab l;
    lab_open(&l);
    lab_put(&l, SLOW("1", "700", ",\"_meta\":{\"progressToken\":\"t\"}"));
    lab_put(&l, SLOW("2", "700", ""));
    lab_put(&l, SLOW("3", "700", ",\"_meta\":{\"progressToken\":1.5}"));
    kt_true(ken_mcp_session_wait(l.session, 10000));
    double last = 0;
    size_t n = 0;
    bool is_answered = false;
    for (size_t i = 0; i < lab_n_sent(&l); i++) {
        json_t *v = lab_take(&l, i);
        if (member(v, "method", NULL)) {
            const json_t *p = member(v, "params", NULL);
            kt_eq_text(ken_json_text(member(p, "progressToken", NULL)), "t");
            kt_eq_text(ken_json_text(member(p, "message", NULL)), "half\uFFFD");
            double now = json_number_value(member(p, "progress", NULL));
            kt_true(now > last);
            kt_false(is_answered);
            last = now;
            n++;
        } else {
            is_answered |= json_integer_value(member(v, "id", NULL)) == 1;
        }
        json_decref(v);
    }
    kt_true(n >= 2 && n <= 20); // about every 100 ms
    lab_close(&l);
}

// However many calls are sent, all are answered, and what is quick is answered before them.
KEN_TEST(calls_wait_for_their_turn)
{
    enum {
        N = 3000
    };
    lab l;
    lab_open(&l);
    char text[200];
    for (int i = 0; i < 4; i++) { // every worker has something to do
        snprintf(text, sizeof text, SLOW("\"slow %d\"", "10000", ""), i);
        lab_put(&l, text);
    }
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":"
                 "{\"name\":\"echo\",\"arguments\":{\"a\":\"%d\"}}}",
                 i, i);
        lab_put(&l, text);
    }
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
    kt_eq_u(lab_n_sent(&l), 1);
    kt_eq_u(ken_mcp_session_n_waiting(l.session), N);
    lab_put(&l, CANCEL("2999")); // waits
    kt_eq_u(ken_mcp_session_n_waiting(l.session), N - 1);
    kt_false(ken_mcp_session_is_full(l.session));
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, CANCEL("\"slow %d\""), i);
        lab_put(&l, text);
    }
    kt_true(ken_mcp_session_wait(l.session, 60000));
    kt_eq_u(lab_n_sent(&l), N);
    char *seen = ken_zalloc(N);
    for (size_t i = 1; i < N; i++) {
        json_t *v = lab_take(&l, i);
        json_int_t id = json_integer_value(member(v, "id", NULL));
        const json_t *given = member(member(v, "result", NULL), "structuredContent", "a");
        kt_true(id >= 0 && id < N - 1 && !seen[id]);
        snprintf(text, sizeof text, "%d", (int)id);
        kt_eq_text(ken_json_text(given), text);
        seen[id] = 1;
        json_decref(v);
    }
    ken_free(seen);
    lab_close(&l);
}

KEN_TEST(a_session_says_when_it_is_full)
{
    enum {
        PAD = 100 * 1024
    };
    lab l;
    lab_open(&l);
    ken_buf text = KEN_BUF_INIT(1 << 20);
    char pad[1024 + 1];
    memset(pad, 'x', sizeof pad - 1);
    pad[sizeof pad - 1] = '\0';
    ken_mcp_session_hold(l.session, true); // the client takes nothing
    size_t n = 0;
    for (; !ken_mcp_session_is_full(l.session) && n < 1000; n++) {
        ken_buf_clear(&text);
        ken_buf_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",", n);
        ken_buf_puts(&text, "\"params\":{\"name\":\"echo\",\"arguments\":{\"a\":\"");
        for (size_t i = 0; i < PAD / 1024; i++)
            ken_buf_puts(&text, pad);
        ken_buf_puts(&text, "\"}}}");
        ken_mcp_session_receive(l.session, ken_buf_str(&text), NULL);
    }
    kt_true(n > 100 && n < 200); // 16 MiB
    kt_eq_u(lab_n_sent(&l), 0);
    kt_eq_u(ken_mcp_session_n_waiting(l.session), n);
    ken_mcp_session_hold(l.session, false);
    kt_true(ken_mcp_session_wait(l.session, 20000));
    kt_eq_u(lab_n_sent(&l), n);
    kt_false(ken_mcp_session_is_full(l.session));
    ken_buf_release(&text);
    lab_close(&l);
}

// What was received is answered, whatever becomes of it.
KEN_TEST(a_session_that_is_stopped_answers_everything)
{
    lab l;
    lab_open(&l);
    char text[200];
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, SLOW("%d", "10000", ""), i);
        lab_put(&l, text);
    }
    ken_mcp_session_stop(l.session);
    kt_true(ken_mcp_session_wait(l.session, 5000));
    kt_eq_u(lab_n_sent(&l), 20);
    size_t n_refused = 0;
    for (size_t i = 0; i < 20; i++) {
        json_t *v = lab_take(&l, i);
        n_refused += lab_code(v) == KEN_MCP__INTERNAL;
        kt_true(lab_code(v) || json_is_true(member(v, "result", "isError")));
        json_decref(v);
    }
    kt_true(n_refused >= 16);
    lab_close(&l);
}

// ---- resources ----------------------------------------------------------------------------------

KEN_TEST(resources_are_answers_of_tools)
{
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}");
    const json_t *first = json_array_get(member(v, "result", "resources"), 0);
    kt_eq_text(ken_json_text(member(first, "uri", NULL)), "ken://projects");
    json_decref(v);
    v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                "\"params\":{\"uri\":\"ken://my%20project/outline/src/a%23b.c\"}}");
    const json_t *c = json_array_get(member(v, "result", "contents"), 0);
    kt_eq_text(ken_json_text(member(c, "text", NULL)),
               "{\"project\":\"my project\",\"file_path\":\"src/a#b.c\"}");
    json_decref(v);
}

KEN_TEST(absent_resources_are_errors_of_their_era)
{
    static const char *const uris[] = {
        "ken://p/status", "ken://p/no/such",   "file:///etc/passwd", "ken://",
        "ken://%",        "ken://p%zz/status", "ken://p%00/status",  ""
    };
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                 "\"params\":{\"uri\":\"%s\"}}",
                 uris[i]);
        lab_fails(text, KEN_MCP__RESOURCE_NOT_FOUND, "1");
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                 "\"params\":{\"uri\":\"%s\"," LAB_META "}}",
                 uris[i]);
        json_t *v = lab_ask(text);
        kt_eq_i(lab_code(v), KEN_MCP__INVALID_PARAMS);
        kt_eq_text(ken_json_text(json_object_get(member(v, "error", "data"), "uri")), uris[i]);
        json_decref(v);
    }
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\"}",
              KEN_MCP__INVALID_PARAMS, "1");
}

KEN_TEST(a_client_that_wants_to_know_is_told_how_calls_end)
{
    lab l;
    lab_open(&l);
    lab_put(
        &l,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}}");
    json_decref(lab_take(&l, 0));
    lab_put(
        &l,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}");
    json_t *told = lab_take(&l, 1), *answer = lab_take(&l, 2);
    kt_eq_text(ken_json_text(json_object_get(told, "method")), "notifications/message");
    kt_eq_text(ken_json_text(member(told, "params", "level")), "info");
    kt_has_str(json_string_value(member(told, "params", "data")), "echo: ok in ");
    kt_not_null(json_object_get(answer, "result"));
    json_decref(told);
    json_decref(answer);
    lab_put(
        &l,
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"error\"}}");
    json_decref(lab_take(&l, 3));
    lab_put(
        &l,
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}");
    answer = lab_take(&l, 4);
    kt_not_null(json_object_get(answer, "result"));
    json_decref(answer);
    kt_true(ken_mcp_session_wait(l.session, 5000));
    kt_eq_u(lab_n_sent(&l), 5);
    lab_close(&l);
}

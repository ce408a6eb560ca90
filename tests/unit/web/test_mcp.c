// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "web_lab.h"

// ---- what a client may send --------------------------------------------------------------------

KEN_TEST(a_post_is_json_and_takes_json_or_events)
{
    lab_start();
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    kt_has_str(lab_post("/mcp", "\nContent-Type: text/plain", ping), "HTTP/1.1 415");
    kt_has_str(lab_post("/mcp", "\nContent-Type: application/json\nAccept: text/html", ping),
               "HTTP/1.1 406");
    kt_has_str(lab_post("/mcp", LAB_JSON, "{\"jsonrpc\":"), "HTTP/1.1 400");
    kt_has_str(lab_post("/mcp", LAB_JSON, "{\"jsonrpc\":"), "-32700");
    kt_has_str(lab_post("/mcp", LAB_JSON, "[]"), "-32600");
    kt_has_str(lab_post("/mcp", LAB_JSON, ping), "HTTP/1.1 400"); // no session
    kt_has_str(lab_ask("PUT /mcp HTTP/1.1", NULL), "HTTP/1.1 405");
    kt_has_str(
        lab_ask("GET /mcp HTTP/1.1\nAccept: text/event-stream\nMCP-Protocol-Version: 2026-07-28",
                NULL),
        "HTTP/1.1 405");
    kt_has_str(lab_ask("GET /mcp HTTP/1.1\nAccept: application/json", NULL), "HTTP/1.1 406");
    kt_has_str(lab_ask("GET /mcp HTTP/1.1\nAccept: text/event-stream", NULL), "HTTP/1.1 400");
    lab_stop();
}

// ---- the stateless era -------------------------------------------------------------------------

static const char *modern(const char *headers, const char *method, const char *params)
{
    char all[512], body[2048];
    snprintf(all, sizeof all, LAB_MODERN "\nMcp-Method: %s%s", method, headers);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"%s\",\"params\":{" LAB_META "%s%s}}",
             method, *params ? "," : "", params);
    return lab_post("/mcp", all, body);
}

KEN_TEST(a_stateless_request_is_answered_as_its_headers_say)
{
    lab_start();
    kt_has_str(modern("", "server/discover", ""), "\"resultType\":\"complete\"");
    const char *answer =
        modern("\nMcp-Name: list_projects", "tools/call", "\"name\":\"list_projects\"");
    kt_has_str(answer, "HTTP/1.1 200");
    kt_has_str(answer, "\"isError\":false");
    kt_null(lab_header(answer, "Mcp-Session-Id"));
    kt_has_str(modern("\nMcp-Name: =?base64?bGlzdF9wcm9qZWN0cw==?=", "tools/call",
                      "\"name\":\"list_projects\""),
               "\"isError\":false");
    kt_has_str(modern("\nMcp-Name: =?base64?!!?=", "tools/call", "\"name\":\"list_projects\""),
               "-32020");
    kt_has_str(modern("\nMcp-Name: search", "tools/call", "\"name\":\"list_projects\""), "-32020");
    kt_has_str(modern("", "tools/call", "\"name\":\"list_projects\""), "HTTP/1.1 400");
    answer = modern("", "no/such", "");
    kt_has_str(answer, "HTTP/1.1 404");
    kt_has_str(answer, "-32601");
    kt_has_str(modern("", "initialize", ""), "HTTP/1.1 404");
    answer = lab_post("/mcp", LAB_JSON "\nMCP-Protocol-Version: 2027-01-01\nMcp-Method: ping",
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{"
                      "\"io.modelcontextprotocol/protocolVersion\":\"2027-01-01\","
                      "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    kt_has_str(answer, "HTTP/1.1 400");
    kt_has_str(answer, "-32022");
    lab_stop();
}

KEN_TEST(the_same_id_may_be_used_by_many_clients_at_once)
{
    lab_start();
    int fds[8];
    static char request[2048];
    snprintf(request, sizeof request,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" LAB_META
             ",\"name\":\"list_projects\"}}");
    char head[4096];
    snprintf(
        head, sizeof head,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: list_projects\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        strlen(request), request);
    for (size_t i = 0; i < 8; i++) {
        fds[i] = lab_dial();
        lab_say(fds[i], head);
    }
    for (size_t i = 0; i < 8; i++) {
        kt_has_str(lab_hear(fds[i], "isError\":false"), "isError\":false");
        close(fds[i]);
    }
    lab_stop();
}

// ---- sessions ----------------------------------------------------------------------------------

static const char *in_session(const char *id, const char *body)
{
    const char *headers =
        lab_fmt(LAB_JSON "\nMcp-Session-Id: %s\nMCP-Protocol-Version: 2025-11-25", id);
    return lab_post("/mcp", headers, body);
}

KEN_TEST(a_session_lives_until_it_is_deleted)
{
    lab_start();
    const char *id = lab_initialize("/mcp", "");
    kt_has_str(in_session(id, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
               "HTTP/1.1 202");
    kt_has_str(in_session(id, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
               "\"result\":{}");
    const char *head = lab_fmt("DELETE /mcp HTTP/1.1\nMcp-Session-Id: %s", id);
    kt_has_str(lab_ask(head, NULL), "HTTP/1.1 204");
    kt_has_str(lab_ask(head, NULL), "HTTP/1.1 404");
    kt_has_str(in_session(id, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
               "HTTP/1.1 404");
    kt_has_str(in_session("none", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
               "HTTP/1.1 404");
    lab_stop();
}

KEN_TEST(only_delete_ends_a_session)
{
    lab_start();
    const char *id = lab_initialize("/mcp", "");
    const char *answer = lab_ask(lab_fmt("HEAD /mcp HTTP/1.1\nMcp-Session-Id: %s", id), NULL);
    kt_has_str(answer, "HTTP/1.1 405");
    kt_eq_str(lab_header(answer, "Allow"), "GET, POST, DELETE");
    kt_has_str(in_session(id, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
               "\"result\":{}");
    lab_stop();
}

KEN_TEST(who_takes_no_stream_cannot_subscribe)
{
    lab_start();
    static const char headers[] =
        "\nContent-Type: application/json\nAccept: application/json\n"
        "MCP-Protocol-Version: 2026-07-28\nMcp-Method: subscriptions/listen";
    static const char body[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","
                               "\"params\":{" LAB_META ",\"notifications\":{}}}";
    kt_has_str(lab_post("/mcp", headers, body), "HTTP/1.1 406");
    lab_stop();
}

KEN_TEST(an_unknown_version_is_refused)
{
    lab_start();
    const char *id = lab_initialize("/mcp", "");
    const char *headers =
        lab_fmt(LAB_JSON "\nMcp-Session-Id: %s\nMCP-Protocol-Version: 1999-01-01", id);
    kt_has_str(lab_post("/mcp", headers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
               "HTTP/1.1 400");
    lab_stop();
}

KEN_TEST(a_bound_endpoint_reaches_no_other_project)
{
    ktest_write("one/a.c", "int one(void) { return 1; }\n");
    ktest_write("two/b.c", "int two(void) { return 2; }\n");
    lab_start();
    char body[512];
    for (size_t i = 0; i < 2; i++) {
        snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path(i ? "two" : "one"));
        kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    }
    kt_has_str(lab_post("/mcp/nothing", LAB_MODERN, "{}"), "HTTP/1.1 404");
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" LAB_META
        ",\"name\":\"search_code\",\"arguments\":{\"query\":\"%s\"%s}}}";
    char text[1024];
    static const char headers[] = LAB_MODERN "\nMcp-Method: tools/call\nMcp-Name: search_code";
    snprintf(text, sizeof text, call, "one", "");
    kt_has_str(lab_post("/mcp/one", headers, text), "a.c");
    snprintf(text, sizeof text, call, "two", "");
    kt_null(strstr(lab_post("/mcp/one", headers, text), "b.c"));
    snprintf(text, sizeof text, call, "two", ",\"project\":\"two\"");
    const char *answer = lab_post("/mcp/one", headers, text);
    kt_has_str(answer, "\"isError\":true");
    kt_null(strstr(answer, "b.c"));
    snprintf(text, sizeof text, call, "two", ",\"project\":\"*\"");
    kt_null(strstr(lab_post("/mcp/one", headers, text), "b.c"));
    lab_stop();
}

// ---- streams -----------------------------------------------------------------------------------

// Opens a stream of a session and hears what is there up to `until`; the connection.
static int open_stream(const char *id, const char *last, const char *until)
{
    char text[512];
    int fd = lab_dial();
    snprintf(
        text, sizeof text,
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n%s%s%s\r\n",
        id, last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
    lab_say(fd, text);
    kt_has_str(lab_hear(fd, until), until);
    return fd;
}

// Three requests, then 429: over an endpoint for all, by name, by path, by address, left out where there is one.
static void check_is_counted(const char *method, const char *name, const char *const arguments[3])
{
    const ken_config_flag flags[] = { { "server.project_rate_limit", "1", "x" },
                                      { "server.project_rate_burst", "3", "x" } };
    char body[700];
    lab_open_app(flags, 2);
    snprintf(body, sizeof body, "%s", ktest_path("src"));
    ken_project_info p;
    kt_ok_err(ken_app_add_project(lab.app, ken_str_c(body), KEN_STR(""), &lab.arena, &p, &lab.err),
              &lab.err);
    lab_serve(NULL);
    for (size_t i = 0; i < 4; i++) {
        const char *answer = modern(name, method, arguments[i % 3]);
        kt_has_str(answer, i < 3 ? "HTTP/1.1 200" : "HTTP/1.1 429");
        if (i == 3)
            kt_not_null(lab_header(answer, "Retry-After"));
    }
    // The API counts in the same account, and what is about no project in none.
    snprintf(body, sizeof body, "{\"project\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/get_repo_status", LAB_JSON, body), "HTTP/1.1 429");
    kt_has_str(lab_post("/api/v1/get_repo_status", LAB_JSON, "{}"), "HTTP/1.1 429");
    kt_has_str(lab_post("/api/v1/list_projects", LAB_JSON, "{}"), "HTTP/1.1 200");
    kt_has_str(modern("\nMcp-Name: list_projects", "tools/call", "\"name\":\"list_projects\""),
               "HTTP/1.1 200");
    lab_stop();
}

KEN_TEST(a_project_is_counted_by_whatever_name_it_is_asked)
{
    ktest_write("src/a.c", "int a;\n");
    char by_path[700];
    snprintf(by_path, sizeof by_path,
             "\"name\":\"get_repo_status\",\"arguments\":{\"project\":\"%s\"}", ktest_path("src"));
    check_is_counted(
        "tools/call", "\nMcp-Name: get_repo_status",
        (const char *const[]){ "\"name\":\"get_repo_status\",\"arguments\":{\"project\":\" src \"}",
                               by_path, "\"name\":\"get_repo_status\",\"arguments\":{}" });
}

KEN_TEST(resources_count_for_their_project)
{
    ktest_write("src/a.c", "int a;\n");
    static const char uri[] = "\"uri\":\"ken://src/status\"";
    check_is_counted("resources/read", "\nMcp-Name: ken://src/status",
                     (const char *const[]){ uri, uri, uri });
}

// ---- code that was sent ------------------------------------------------------------------------

static const char *context_call(const char *session, const char *more)
{
    return lab_post(
        "/mcp", lab_fmt(LAB_JSON "\nMcp-Session-Id: %s", session),
        lab_fmt("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                "\"name\":\"build_context\",\"arguments\":{\"query\":\"add_numbers\"%s}}}",
                more));
}

KEN_TEST(a_session_is_not_sent_the_same_code_twice)
{
    static const char code[] = "return first + second";
    char first[64], second[64], body[600];
    ktest_write("src/a.c",
                "int add_numbers(int first, int second)\n{\n    return first + second;\n}\n");
    lab_start();
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    snprintf(first, sizeof first, "%s", lab_initialize("/mcp", ""));
    snprintf(second, sizeof second, "%s", lab_initialize("/mcp", ""));
    kt_has_str(context_call(first, ""), code);
    const char *answer = context_call(first, "");
    kt_has_str(answer, "HTTP/1.1 200");
    kt_null(strstr(answer, code));
    kt_has_str(answer, "add_numbers"); // what was sent is named
    kt_has_str(answer, "seen: \\\"\\\" sends it again");
    kt_has_str(context_call(first, ",\"seen\":\"\""), code);
    kt_null(strstr(context_call(first, ""), code));
    // Another session was sent nothing yet, and what has changed is new.
    kt_has_str(context_call(second, ""), code);
    ktest_write("src/a.c",
                "int add_numbers(int first, int second)\n{\n    return second + first;\n}\n");
    kt_has_str(context_call(first, ""), "return second + first");
    lab_stop();
}

// There the client says it.
KEN_TEST(a_stateless_client_gives_back_what_it_has_seen)
{
    static const char code[] = "return first + second";
    char body[600], handle[400] = "";
    ktest_write("src/a.c",
                "int add_numbers(int first, int second)\n{\n    return first + second;\n}\n");
    lab_start();
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    static const char call[] =
        "\"name\":\"build_context\",\"arguments\":{\"query\":\"add_numbers\"%s}";
    kt_has_str(modern("\nMcp-Name: build_context", "tools/call", lab_fmt(call, "")), code);
    const char *answer = modern("\nMcp-Name: build_context", "tools/call", lab_fmt(call, ""));
    kt_has_str(answer, code); // nothing is inferred from the request before
    const char *at = strstr(answer, "seen: k1");
    kt_not_null(at);
    snprintf(handle, sizeof handle, ",\"seen\":\"%.*s\"", (int)strcspn(at + 6, "\\\""), at + 6);
    answer = modern("\nMcp-Name: build_context", "tools/call", lab_fmt(call, handle));
    kt_has_str(answer, "HTTP/1.1 200");
    kt_null(strstr(answer, code));
    lab_stop();
}

KEN_TEST(a_subscriber_is_told_what_changes)
{
    ktest_write("one/a.c", "int one(void) { return 1; }\n");
    lab_start();
    const char *body = lab_fmt("{\"repo_path\":\"%s\"}", ktest_path("one"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    const char *id = lab_initialize("/mcp", "");
    int fd = open_stream(id, NULL, ": ok");
    kt_has_str(
        in_session(id,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
                   "\"uri\":\"ken://one/file/a.c\"}}"),
        "\"result\":{}");
    kt_has_str(
        in_session(id,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
                   "\"uri\":\"http://x\"}}"),
        "-32002");
    sleep(2);
    ktest_write("one/a.c", "int one(void) { return 11; }\n");
    const char *told = lab_hear(fd, "notifications/resources/updated");
    kt_has_str(told, "\"uri\":\"ken://one/file/a.c\"");
    kt_has_str(told, "id: 0_1\n");
    close(fd);
    // What came while nobody read is read later.
    fd = open_stream(id, "0_0", "id: 0_1\n");
    close(fd);
    const char *head = lab_fmt(
        "GET /mcp HTTP/1.1\nAccept: text/event-stream\nMcp-Session-Id: %s\nLast-Event-ID: 7_1", id);
    kt_has_str(lab_ask(head, NULL), "HTTP/1.1 400");
    lab_stop();
}

KEN_TEST(a_listener_is_told_first_what_is_honoured)
{
    ktest_write("one/a.c", "int one(void) { return 1; }\n");
    lab_start();
    char body[1024], text[2048];
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("one"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    snprintf(
        body, sizeof body,
        "{\"jsonrpc\":\"2.0\",\"id\":\"sub\",\"method\":\"subscriptions/listen\",\"params\":{" LAB_META
        ",\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true,\"resourceSubscriptions\":[\"ken://one/status\","
        "\"ken://../x\"]}}}");
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
             "text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
             "subscriptions/listen\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(body), body);
    int fd = lab_dial();
    lab_say(fd, text);
    kt_has_str(lab_hear(fd, "status\"]}"), "\"notifications\":{\"toolsListChanged\":true,"
                                           "\"resourceSubscriptions\":[\"ken://one/status\"]}");
    sleep(2);
    ktest_write("one/b.c", "int two(void) { return 2; }\n");
    const char *told = lab_hear(fd, "resources/updated");
    kt_has_str(told, "\"io.modelcontextprotocol/subscriptionId\":\"sub\"");
    close(fd);
    lab_stop();
}

KEN_TEST(the_end_of_the_server_ends_its_streams)
{
    lab_start();
    const char *id = lab_initialize("/mcp", "");
    int fd = open_stream(id, NULL, ": ok");
    int64_t from = ken_clock_mono_ns();
    lab_stop();
    kt_true(ken_clock_mono_ns() - from < 1500000000);
    (void)lab_hear(fd, NULL);
    close(fd);
}

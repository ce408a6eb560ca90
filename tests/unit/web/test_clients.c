// SPDX-License-Identifier: MIT
// Who calls tools, what was called, and tools that are switched off.
#include "app/catalog.h"
#include "web_lab.h"

// A project of that name, indexed; its id, which lives as long as the test.
static ken_str add_project(const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s/a.c", name);
    ktest_write(file, "int one(void) { return 1; }\n");
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON,
                        lab_fmt("{\"repo_path\":\"%s\"}", ktest_path(name))),
               "HTTP/1.1 200");
    ken_project_info p;
    kt_ok_err(ken_app_find_project(lab.app, ken_str_c(name), KEN_STR(""), &lab.arena, &p, &lab.err),
              &lab.err);
    char *id = ken_arena_alloc(&lab.arena, KEN_UUID_TEXT);
    ken_uuid_format(p.id, id);
    return ken_str_c(id);
}

#define CLIENT_META                                                          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{},"                     \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"robin\",\"version\":\"2.5\"}}"

static const char *call_modern(const char *tool, const char *args)
{
    return lab_post("/mcp", lab_fmt(LAB_MODERN "\nMcp-Method: tools/call\nMcp-Name: %s", tool),
                    lab_fmt("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                            "\"name\":\"%s\",\"arguments\":%s," CLIENT_META "}}",
                            tool, args));
}

static const char *legacy_post(const char *id, const char *method, const char *params)
{
    return lab_post(
        "/mcp", lab_fmt(LAB_JSON "\nMCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: %s", id),
        lab_fmt("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}", method, params));
}

static json_t *get_json(const char *path, const char *headers)
{
    const char *answer = lab_ask(lab_fmt("GET %s HTTP/1.1%s", path, headers), NULL);
    json_t *v = NULL;
    kt_has_str(answer, "HTTP/1.1 200");
    kt_ok_err(ken_json_parse(ken_str_c(strstr(answer, "\r\n\r\n") + 4), &v, &lab.err), &lab.err);
    return v;
}

static const json_t *at(const json_t *v, const char *list, size_t i)
{
    return json_array_get(json_object_get(v, list), i);
}

static ken_str text(const json_t *v, const char *key)
{
    return ken_json_text(json_object_get(v, key));
}

static long long number(const json_t *v, const char *key)
{
    return (long long)json_integer_value(json_object_get(v, key));
}

KEN_TEST(clients_of_both_eras_and_their_calls_are_listed)
{
    lab_start();
    (void)add_project("one");
    kt_has_str(call_modern("search_code", "{\"query\":\"one\"}"), "HTTP/1.1 200");
    kt_has_str(call_modern("get_definition", "{\"symbol_name\":\"nobody_has_this\"}"),
               "\"isError\":true");
    const char *id = lab_initialize("/mcp", "");
    kt_has_str(legacy_post(id, "tools/call", "{\"name\":\"list_projects\",\"arguments\":{}}"),
               "\"isError\":false");
    json_t *v = get_json("/api/v1/clients", "");
    kt_eq_u(json_array_size(json_object_get(v, "clients")), 2);
    kt_eq_u(json_array_size(json_object_get(v, "calls")), 3);
    const json_t *modern = at(v, "clients", 1);
    kt_eq_text(text(modern, "name"), "robin");
    kt_eq_text(text(modern, "version"), "2.5");
    kt_eq_text(text(modern, "transport"), "http");
    kt_eq_text(text(modern, "era"), "2026-07-28");
    kt_eq_i(number(modern, "calls"), 2);
    kt_eq_i(number(modern, "errors"), 1);
    kt_true(number(modern, "tokens") > 0);
    kt_eq_text(text(at(v, "clients", 0), "era"), "2025-11-25");
    kt_true(json_is_true(json_object_get(at(v, "clients", 0), "is_connected")));
    // The newest first.
    kt_eq_text(text(at(v, "calls", 0), "tool"), "list_projects");
    kt_eq_i(number(at(v, "calls", 0), "id"), 3);
    kt_true(json_is_true(json_object_get(at(v, "calls", 1), "is_error")));
    kt_has_str(text(at(v, "calls", 1), "error").ptr, "nobody_has_this");
    kt_eq_text(text(json_object_get(at(v, "calls", 2), "project"), "name"), "one");
    json_decref(v);
    v = get_json("/api/v1/clients?limit=1", "");
    kt_eq_u(json_array_size(json_object_get(v, "calls")), 1);
    json_decref(v);
    kt_has_str(lab_get("/api/v1/clients?limit=201"), "HTTP/1.1 400");
    // A session that is ended is not connected.
    kt_has_str(lab_ask(lab_fmt("DELETE /mcp HTTP/1.1\nMcp-Session-Id: %s", id), NULL),
               "HTTP/1.1 2");
    for (int i = 0; i < 50; i++) {
        v = get_json("/api/v1/clients", "");
        bool is_connected = json_is_true(json_object_get(at(v, "clients", 0), "is_connected"));
        json_decref(v);
        if (!is_connected)
            break;
        kt_true(i < 49);
        usleep(100000);
    }
    lab_stop();
}

KEN_TEST(calls_are_kept_in_bounded_memory)
{
    lab_start();
    for (int i = 0; i < 230; i++)
        kt_has_str(call_modern("list_projects", "{}"), "HTTP/1.1 200");
    json_t *v = get_json("/api/v1/clients", "");
    kt_eq_u(json_array_size(json_object_get(v, "calls")), 200);
    kt_eq_i(number(at(v, "calls", 0), "id"), 230);
    kt_eq_i(number(at(v, "clients", 0), "calls"), 230);
    json_decref(v);
    lab_stop();
}

KEN_TEST(an_ended_call_is_told_to_who_listens)
{
    lab_start();
    (void)add_project("one");
    int fd = lab_dial();
    lab_say(fd, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kt_has_str(lab_hear(fd, "event: mcp:tools"), "event: mcp:status");
    kt_has_str(call_modern("search_code", "{\"query\":\"one\"}"), "HTTP/1.1 200");
    kt_has_str(lab_hear(fd, "\"tool\":\"search_code\""), "event: mcp:request\n");
    close(fd);
    lab_stop();
}

KEN_TEST(who_is_bound_to_a_project_hears_of_that_alone)
{
    ken_access_token t;
    ken_str secret;
    lab_start();
    (void)add_project("one");
    (void)add_project("two");
    ken_project_info p;
    kt_ok_err(ken_app_find_project(lab.app, KEN_STR("two"), KEN_STR(""), &lab.arena, &p, &lab.err),
              &lab.err);
    const ken_app_token_opts wish = {
        .name = KEN_STR("b"), .scopes = KEN_SCOPES_ALL, .is_bound = true, .project = p.id
    };
    kt_ok_err(ken_app_add_token(lab.app, &wish, &lab.arena, &t, &secret, &lab.err), &lab.err);
    kt_has_str(call_modern("search_code", "{\"query\":\"one\",\"project\":\"one\"}"), "200");
    char headers[256];
    snprintf(headers, sizeof headers, "\nAuthorization: Bearer " KEN_STR_FMT, KEN_STR_ARG(secret));
    json_t *v = get_json("/api/v1/clients", headers);
    kt_eq_u(json_array_size(json_object_get(v, "calls")), 0);
    kt_eq_u(json_array_size(json_object_get(v, "clients")), 0);
    json_decref(v);
    kt_has_str(call_modern("search_code", "{\"query\":\"one\",\"project\":\"two\"}"), "200");
    v = get_json("/api/v1/clients", headers);
    kt_eq_u(json_array_size(json_object_get(v, "calls")), 1);
    kt_eq_i(number(at(v, "clients", 0), "calls"), 1);
    json_decref(v);
    // An error of who may touch all projects may name another.
    kt_has_str(call_modern("get_definition", "{\"symbol_name\":\"zebra\",\"project\":\"two\"}"),
               "\"isError\":true");
    v = get_json("/api/v1/clients", headers);
    kt_true(json_is_true(json_object_get(at(v, "calls", 0), "is_error")));
    kt_null(json_object_get(at(v, "calls", 0), "error"));
    json_decref(v);
    // Nor does it switch tools for all.
    kt_has_str(lab_post("/api/v1/tools", lab_fmt(LAB_JSON "%s", headers),
                        "{\"name\":\"search\",\"is_enabled\":false}"),
               "HTTP/1.1 403");
    lab_stop();
}

KEN_TEST(a_tool_is_switched_off_and_clients_are_told)
{
    lab_start();
    const char *id = lab_initialize("/mcp", "");
    kt_has_str(legacy_post(id, "tools/list", "{}"), "\"name\":\"search_code\"");
    char stream[400];
    int fd = lab_dial();
    snprintf(stream, sizeof stream,
             "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
             "Mcp-Session-Id: %s\r\n\r\n",
             id);
    lab_say(fd, stream);
    kt_has_str(lab_hear(fd, "\n\n"), "text/event-stream");
    kt_has_str(
        lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"search_code\",\"is_enabled\":false}"),
        "\"is_enabled\":false");
    kt_has_str(lab_hear(fd, "list_changed"), "notifications/tools/list_changed");
    close(fd);
    kt_null(strstr(legacy_post(id, "tools/list", "{}"), "\"name\":\"search_code\""));
    kt_has_str(legacy_post(id, "tools/call", "{\"name\":\"search_code\",\"arguments\":{}}"),
               "switched off");
    kt_has_str(call_modern("search_code", "{\"query\":\"x\"}"), "switched off");
    // For agents: a person's page still asks.
    kt_has_str(lab_get("/api/v1/search_code?query=x"), "HTTP/1.1 404"); // there is no project
    kt_has_str(lab_get("/api/v1/tools"), "\"name\":\"search_code\",\"set\":\"search\","
                                         "\"is_enabled\":false");
    kt_has_str(
        lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"search_code\",\"is_enabled\":true}"),
        "\"is_enabled\":true");
    kt_has_str(legacy_post(id, "tools/list", "{}"), "\"name\":\"search_code\"");
    kt_has_str(lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"list_files\",\"is_enabled\":true}"),
               "HTTP/1.1 404");
    kt_has_str(lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"search\"}"), "HTTP/1.1 400");
    lab_stop();
}

static ken_status put_off(ken_catalog *c, void *ctx, ken_err *err)
{
    return ken_catalog_put_value(c, KEN_STR("mcp.tools_off"), ken_str_c(ctx), err);
}

static bool is_offered(const char *tool)
{
    return strstr(legacy_post(lab_initialize("/mcp", ""), "tools/list", "{}"),
                  lab_fmt("\"name\":\"%s\"", tool));
}

KEN_TEST(a_tool_that_is_switched_off_stays_off_over_a_restart)
{
    lab_start();
    kt_has_str(lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"outline\",\"is_enabled\":false}"),
               "\"is_enabled\":false");
    kt_has_str(
        lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"search_code\",\"is_enabled\":false}"),
        "\"is_enabled\":false");
    lab_stop();
    lab_start();
    kt_false(is_offered("search_code") || is_offered("outline"));
    kt_true(is_offered("get_definition"));
    kt_has_str(call_modern("search_code", "{\"query\":\"x\"}"), "switched off");
    kt_has_str(
        lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"search_code\",\"is_enabled\":true}"),
        "\"is_enabled\":true");
    lab_stop();
    lab_start();
    kt_true(is_offered("search_code"));
    kt_false(is_offered("outline"));
    lab_stop();
}

KEN_TEST(what_another_process_switches_is_seen_and_names_of_no_tool_are_kept)
{
    char value[] = "tool_of_tomorrow\nlist_files\n\noutline\n";
    char before[] = "outline\n";
    ken_str kept = { "", 0 };
    lab_open_app(NULL, 0);
    kt_ok_err(ken_app_with_catalog(lab.app, true, put_off, before, &lab.err), &lab.err);
    lab_serve(NULL);
    kt_false(is_offered("outline"));
    kt_true(is_offered("search_code"));
    kt_ok_err(ken_app_with_catalog(lab.app, true, put_off, value, &lab.err), &lab.err);
    kt_has_str(
        lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"search_code\",\"is_enabled\":false}"),
        "\"is_enabled\":false");
    kt_has_str(lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"outline\",\"is_enabled\":true}"),
               "\"is_enabled\":true");
    ken_catalog *c = NULL;
    kt_ok_err(ken_app_take_catalog(lab.app, false, &c, &lab.err), &lab.err);
    kt_ok_err(ken_catalog_load_value(c, KEN_STR("mcp.tools_off"), &lab.arena, &kept, &lab.err),
              &lab.err);
    ken_app_give_catalog(lab.app, c);
    kt_eq_text(kept, "tool_of_tomorrow\nlist_files\nsearch_code\n");
    kt_true(is_offered("outline"));
    kt_ok_err(ken_app_with_catalog(lab.app, true, put_off, before, &lab.err), &lab.err);
    for (int i = 0; i < 80 && is_offered("outline"); i++) // it looks every two seconds
        usleep(100000);
    kt_false(is_offered("outline"));
    kt_true(is_offered("search_code"));
    lab_stop();
}

KEN_TEST(who_listens_in_the_stateless_era_hears_of_tools)
{
    lab_start();
    int fd = lab_dial();
    const char *body = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"subscriptions/listen\","
                       "\"params\":{" LAB_META ",\"notifications\":{\"toolsListChanged\":true}}}";
    lab_say(fd, lab_fmt("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                        "Content-Type: application/json\r\n"
                        "Accept: application/json, text/event-stream\r\n"
                        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n"
                        "Content-Length: %zu\r\n\r\n%s",
                        strlen(body), body));
    kt_has_str(lab_hear(fd, "acknowledged"), "text/event-stream");
    kt_has_str(lab_post("/api/v1/tools", LAB_JSON, "{\"name\":\"outline\",\"is_enabled\":false}"),
               "HTTP/1.1 200");
    kt_has_str(lab_hear(fd, "tools/list_changed"), "subscriptionId\":9");
    close(fd);
    lab_stop();
}

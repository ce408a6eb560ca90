// SPDX-License-Identifier: MIT
#include "web_lab.h"

KEN_TEST(health_is_told_to_anybody)
{
    lab_start();
    kt_has_str(lab_get("/healthz"), "HTTP/1.1 200");
    kt_has_str(lab_get("/readyz"), "HTTP/1.1 200");
    kt_has_str(lab_get("/metrics"),
               "ken_http_requests_total{route=\"/healthz\",method=\"GET\",status=\"200\"} 1");
    lab_stop();
}

KEN_TEST(another_name_of_the_server_is_refused)
{
    lab_start();
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: evil.example", NULL), "HTTP/1.1 403");
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: localhost.evil.example", NULL),
               "HTTP/1.1 403");
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: 127.evil.example", NULL), "HTTP/1.1 403");
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: 127.0.0.1.evil.example:80", NULL),
               "HTTP/1.1 403");
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: 127.0.0.1:1", NULL), "HTTP/1.1 200");
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: [::1]:7420", NULL), "HTTP/1.1 200");
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: LOCALHOST", NULL), "HTTP/1.1 200");
    lab_stop();
}

KEN_TEST(pages_of_other_origins_are_refused)
{
    const ken_config_flag flags[] = { { "server.allowed_origins", "https://app.example.com",
                                        "x" } };
    lab_open_app(flags, 1);
    lab_serve(NULL);
    const char *const refused[] = { "http://evil.example", "null", "https://localhost",
                                    "http://localhost:3000",
                                    "https://app.example.com.evil.example" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *head =
            lab_fmt("GET /healthz HTTP/1.1\nHost: localhost\nOrigin: %s", refused[i]);
        const char *answer = lab_ask(head, NULL);
        kt_has_str(answer, "HTTP/1.1 403");
        kt_has_str(answer, "application/problem+json");
        kt_null(lab_header(answer, "Access-Control-Allow-Origin"));
    }
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: localhost\nOrigin: http://localhost", NULL),
               "200");
    kt_has_str(
        lab_ask("GET /healthz HTTP/1.1\nHost: localhost\nOrigin: https://app.example.com", NULL),
        "200");
    lab_stop();
}

KEN_TEST(another_address_needs_a_token)
{
    const ken_config_flag flags[] = { { "server.host", "0.0.0.0", "--host" } };
    lab_open_app(flags, 1);
    const ken_web_opts o = { .version = "1" };
    kt_status(ken_web_open(lab.app, &o, &lab.web, &lab.err), KEN_EPERM);
    kt_has_str(lab.err.msg, "ken token add");
    ken_access_token t;
    ken_str read, write;
    kt_ok_err(
        ken_app_add_token(lab.app,
                          &(ken_app_token_opts){ .name = KEN_STR("r"), .scopes = KEN_SCOPE_F_READ },
                          &lab.arena, &t, &read, &lab.err),
        &lab.err);
    kt_ok_err(ken_app_add_token(
                  lab.app, &(ken_app_token_opts){ .name = KEN_STR("w"), .scopes = KEN_SCOPES_ALL },
                  &lab.arena, &t, &write, &lab.err),
              &lab.err);
    lab_serve(NULL);
    char headers[256];
    const char *answer = lab_post("/api/v1/list_projects", LAB_JSON, "{}");
    kt_has_str(answer, "HTTP/1.1 401");
    kt_eq_str(lab_header(answer, "WWW-Authenticate"), "Bearer");
    answer = lab_post("/mcp", LAB_JSON "\nAuthorization: Bearer ken_wrong", "{}");
    kt_has_str(answer, "HTTP/1.1 401");
    kt_eq_str(lab_header(answer, "WWW-Authenticate"), "Bearer error=\"invalid_token\"");
    kt_has_str(lab_get("/healthz"), "HTTP/1.1 200");
    kt_has_str(lab_get("/metrics"), "HTTP/1.1 401");
    kt_has_str(lab_post("/webhook/github", LAB_JSON, "{}"),
               "HTTP/1.1 404"); // its secret is not set
    snprintf(headers, sizeof headers, LAB_JSON "\nAuthorization: Bearer " KEN_STR_FMT,
             KEN_STR_ARG(read));
    kt_has_str(lab_post("/api/v1/list_projects", headers, "{}"), "HTTP/1.1 200");
    kt_has_str(lab_post("/api/v1/create_task", headers, "{\"title\":\"x\"}"), "HTTP/1.1 403");
    snprintf(headers, sizeof headers, LAB_JSON "\nAuthorization: bearer " KEN_STR_FMT,
             KEN_STR_ARG(write));
    kt_has_str(lab_post("/api/v1/list_projects", headers, "{}"), "HTTP/1.1 200");
    lab_stop();
}

// Whoever has an account on the machine can connect to 127.0.0.1.
KEN_TEST(a_loopback_address_can_need_a_token_too)
{
    const ken_config_flag flags[] = { { "server.require_token", "true", "--require-token" } };
    ken_access_token t;
    ken_str secret;
    lab_open_app(flags, 1);
    const ken_web_opts o = { .version = "1" };
    kt_status(ken_web_open(lab.app, &o, &lab.web, &lab.err), KEN_EPERM);
    kt_has_str(lab.err.msg, "server.require_token");
    kt_has_str(lab.err.msg, "ken token add");
    const ken_app_token_opts wish = { .name = KEN_STR("r"), .scopes = KEN_SCOPE_F_READ };
    kt_ok_err(ken_app_add_token(lab.app, &wish, &lab.arena, &t, &secret, &lab.err), &lab.err);
    lab_serve(NULL);
    char with[256];
    snprintf(with, sizeof with, LAB_JSON "\nAuthorization: Bearer " KEN_STR_FMT,
             KEN_STR_ARG(secret));
    kt_has_str(lab_post("/api/v1/list_projects", LAB_JSON, "{}"), "HTTP/1.1 401");
    kt_has_str(lab_post("/mcp", LAB_JSON, "{}"), "HTTP/1.1 401");
    kt_has_str(lab_get("/healthz"), "HTTP/1.1 200");
    kt_has_str(lab_post("/api/v1/list_projects", with, "{}"), "HTTP/1.1 200");
    // The name of the server is checked as before.
    kt_has_str(lab_ask("GET /healthz HTTP/1.1\nHost: evil.example", NULL), "HTTP/1.1 403");
    int fd = lab_dial_unix();
    lab_say(fd,
            "GET /api/v1/list_projects HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    kt_has_str(lab_hear(fd, NULL), "HTTP/1.1 200"); // of the user who runs the server
    close(fd);
    lab_stop();
}

KEN_TEST(one_server_for_one_data_folder)
{
    lab_start();
    ken_web *other = NULL;
    kt_status(ken_web_open(lab.app, &(ken_web_opts){ .version = "1" }, &other, &lab.err),
              KEN_EBUSY);
    kt_has_str(lab.err.msg, "another ken serve");
    lab_stop();
}

KEN_TEST(a_taken_port_is_said)
{
    char port[16];
    lab_start();
    snprintf(port, sizeof port, "%d", lab.port);
    ken_config *config = NULL;
    setenv("KEN_DATA_DIR", ktest_path("other"), 1);
    const ken_config_flag flag = { "server.port", port, "--port" };
    kt_ok_err(ken_config_load(&(ken_config_load_opts){ NULL, &flag, 1 }, &config, &lab.err),
              &lab.err);
    ken_app *app = NULL;
    kt_ok_err(ken_app_open(config, &app, &lab.err), &lab.err);
    ken_web *web = NULL;
    kt_status(ken_web_open(app, &(ken_web_opts){ .version = "1" }, &web, &lab.err), KEN_EBUSY);
    ken_app_close(app);
    ken_config_free(config);
    lab_stop();
}

KEN_TEST(a_problem_says_what_and_which_request)
{
    lab_start();
    const char *answer =
        lab_post("/api/v1/outline", LAB_JSON "\nX-Request-Id: abc-1", "{\"file\":3}");
    kt_has_str(answer, "HTTP/1.1 400");
    kt_has_str(answer, "\"code\":\"EINVAL\"");
    kt_has_str(answer, "\"request_id\":\"abc-1\"");
    kt_eq_str(lab_header(answer, "X-Request-Id"), "abc-1");
    answer = lab_post("/api/v1/outline", LAB_JSON "\nX-Request-Id: a b", "{\"file\":3}");
    kt_eq_u(strlen(lab_header(answer, "X-Request-Id")), 36);
    kt_has_str(lab_get("/api/v1/no_such"), "HTTP/1.1 404");
    answer = lab_get("/api/v1/create_task?title=x");
    kt_has_str(answer, "HTTP/1.1 405");
    kt_has_str(answer, "\"title\":\"Method not allowed\"");
    static const char *const bad[] = { "%ff=1", "query=%c3", "\xff", "%zz=1", "%00=1" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        answer = lab_get(lab_fmt("/api/v1/search?%s", bad[i]));
        kt_has_str(answer, "HTTP/1.1 400");
        kt_has_str(answer, "the query has a bad escape");
    }
    kt_has_str(lab_post("/api/v1/outline", "\nContent-Type: text/plain", "{}"), "HTTP/1.1 415");
    kt_has_str(lab_post("/api/v1/outline", LAB_JSON, "[1]"), "HTTP/1.1 400");
    lab_stop();
}

KEN_TEST(what_is_known_is_not_sent_again)
{
    lab_start();
    const char *answer = lab_get("/api/v1/list_projects");
    kt_has_str(answer, "HTTP/1.1 200");
    const char *head = lab_fmt("GET /api/v1/list_projects HTTP/1.1\nIf-None-Match: %s",
                               lab_header(answer, "ETag"));
    kt_has_str(lab_ask(head, NULL), "HTTP/1.1 304");
    lab_stop();
}

// ---- what is known, told without making the answer again ------------------------------------------

static const char *ask_again(const char *path, const char *etag)
{
    return lab_ask(lab_fmt("GET %s HTTP/1.1\nIf-None-Match: \"%s\"", path, etag), NULL);
}

// The value of an ETag of that answer, without quotes.
static const char *etag_of(const char *answer, char out[80])
{
    const char *tag = lab_header(answer, "ETag");
    kt_has_str(answer, "HTTP/1.1 200");
    kt_not_null(tag);
    snprintf(out, 80, "%.*s", (int)strcspn(tag + 1, "\""), tag + 1);
    return out;
}

static size_t n_calls_of(const char *tool)
{
    char line[120];
    snprintf(line, sizeof line, "ken_tool_calls_total{tool=\"%s\",status=\"OK\"} ", tool);
    const char *at = strstr(lab_get("/metrics"), line);
    return at ? (size_t)atoi(at + strlen(line)) : 0;
}

KEN_TEST(what_follows_from_the_index_is_known_until_it_changes)
{
    static const char path[] = "/api/v1/get_definition?symbol_name=add&project=src";
    char body[600], tag[80], newer[80];
    ktest_write("src/a.c", "int add(int a, int b)\n{\n    return a + b;\n}\n");
    lab_start();
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    etag_of(lab_get(path), tag);
    kt_eq_u(n_calls_of("get_definition"), 1);
    for (int i = 0; i < 3; i++)
        kt_has_str(ask_again(path, tag), "HTTP/1.1 304");
    kt_eq_u(n_calls_of("get_definition"), 1); // the work was not done again
    // Other arguments, and who asks for any.
    kt_has_str(ask_again("/api/v1/get_definition?symbol_name=add&project=src&limit=1", tag),
               "HTTP/1.1 200");
    kt_has_str(lab_ask(lab_fmt("GET %s HTTP/1.1\nIf-None-Match: *",
                               "/api/v1/get_definition?symbol_name=none&project=src"),
                       NULL),
               "HTTP/1.1 404");
    // A file that nobody has indexed since it changed.
    ktest_write("src/a.c", "int add(int a, int b)\n{\n    return b + a;\n}\n");
    const char *answer = ask_again(path, tag);
    kt_has_str(answer, "return b + a;");
    kt_true(strcmp(etag_of(answer, newer), tag) != 0);
    kt_has_str(ask_again(path, newer), "HTTP/1.1 304");
    kt_has_str(ask_again(path, tag), "HTTP/1.1 200");
    // A new file, and one that is gone: another definition of the name.
    ktest_write("src/b.c", "int add(int a, int b)\n{\n    return 0;\n}\n");
    answer = ask_again(path, newer);
    kt_has_str(answer, "b.c");
    etag_of(answer, newer);
    kt_eq_i(unlink(ktest_path("src/b.c")), 0);
    answer = ask_again(path, newer);
    kt_has_str(answer, "HTTP/1.1 200");
    kt_null(strstr(answer, "b.c"));
    lab_stop();
}

// Back to what it was is no way back to the old answer's number, but the same text would be right.
KEN_TEST(a_file_that_is_changed_back_is_looked_at_again)
{
    static const char path[] = "/api/v1/outline?file_path=a.c&project=src";
    char body[600], tag[80];
    ktest_write("src/a.c", "int first(void)\n{\n    return 1;\n}\n");
    lab_start();
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    for (int i = 0; i < 4; i++) {
        const char *name = i % 2 ? "first" : "second";
        kt_has_str(lab_get(path), i % 2 ? "second" : "first");
        etag_of(lab_get(path), tag);
        ktest_write("src/a.c", lab_fmt("int %s(void)\n{\n    return 1;\n}\n", name));
        kt_has_str(ask_again(path, tag), name);
    }
    lab_stop();
}

// Where more than the index decides, the answer is made and compared.
KEN_TEST(what_depends_on_more_is_made_before_it_is_known)
{
    char body[600], tag[80];
    ktest_write("src/a.c", "int add(int a, int b)\n{\n    return a + b;\n}\n");
    lab_start();
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    etag_of(lab_get("/api/v1/list_tasks"), tag);
    kt_has_str(ask_again("/api/v1/list_tasks", tag), "HTTP/1.1 304");
    kt_has_str(lab_post("/api/v1/create_task", LAB_JSON, "{\"title\":\"meanwhile\"}"),
               "HTTP/1.1 200");
    kt_has_str(ask_again("/api/v1/list_tasks", tag), "meanwhile");
    etag_of(lab_get("/api/v1/get_repo_status?project=src"), tag);
    ktest_write("src/new.c", "int more;\n");
    kt_has_str(ask_again("/api/v1/get_repo_status?project=src", tag), "HTTP/1.1 200");
    const ken_tool_spec *spec;
    for (size_t i = 0; (spec = ken_tool_spec_at(i)); i++) {
        if (spec->is_of_index && (!spec->is_read_only || !spec->is_of_project))
            kt_fail("%s cannot follow from an index alone", spec->name);
    }
    lab_stop();
}

KEN_TEST(a_query_has_the_types_of_its_parameters)
{
    ktest_write("src/a.c", "int add(int a, int b)\n{\n    return a + b;\n}\n");
    lab_start();
    char body[512], path[512];
    snprintf(body, sizeof body, "{\"repo_path\":\"%s\"}", ktest_path("src"));
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON, body), "HTTP/1.1 200");
    snprintf(path, sizeof path, "/api/v1/search_code?query=add&limit=1&explain=true&project=src");
    kt_has_str(lab_get(path), "\"file_path\":\"a.c\"");
    kt_has_str(lab_get("/api/v1/search_code?query=add&limit=many&project=src"), "limit");
    kt_has_str(lab_get("/api/v1/search_code?query=%zz"), "HTTP/1.1 400");
    lab_stop();
}

// ---- what the API says of itself ---------------------------------------------------------------

KEN_TEST(every_operation_is_in_the_openapi_document)
{
    lab_start();
    const char *answer = lab_get("/api/v1/openapi.json");
    const ken_tool_spec *spec;
    json_t *doc = NULL;
    kt_ok_err(ken_json_parse(ken_str_c(strstr(answer, "\r\n\r\n") + 4), &doc, &lab.err), &lab.err);
    kt_eq_text(ken_json_text(json_object_get(doc, "openapi")), "3.1.0");
    const json_t *paths = json_object_get(doc, "paths");
    for (size_t i = 0; (spec = ken_tool_spec_at(i)); i++) {
        const json_t *item = json_object_get(paths, lab_fmt("/api/v1/%s", spec->name));
        kt_not_null(json_object_get(item, "post"));
        kt_true(!json_object_get(item, "get") == !spec->is_read_only);
    }
    json_decref(doc);
    answer = lab_get("/api/v1/reference");
    kt_has_str(answer, "Content-Security-Policy: default-src 'none'");
    kt_has_str(answer, "<code>POST, GET /api/v1/search_code</code>");
    lab_stop();
}

// ---- limits ------------------------------------------------------------------------------------

KEN_TEST(a_client_that_asks_too_often_is_told_when_to_come_back)
{
    const ken_config_flag flags[] = { { "server.rate_limit", "1", "x" },
                                      { "server.rate_burst", "2", "x" } };
    lab_open_app(flags, 2);
    lab_serve(NULL);
    for (size_t i = 0; i < 2; i++)
        kt_has_str(lab_get("/api/v1/list_projects"), "HTTP/1.1 200");
    const char *answer = lab_get("/api/v1/list_projects");
    kt_has_str(answer, "HTTP/1.1 429");
    kt_eq_str(lab_header(answer, "Retry-After"), "1");
    kt_has_str(lab_get("/healthz"), "HTTP/1.1 200");
    lab_stop();
}

KEN_TEST(a_proxy_counts_only_when_it_is_trusted)
{
    const ken_config_flag limits[] = { { "server.rate_limit", "1", "x" },
                                       { "server.rate_burst", "1", "x" },
                                       { "server.trusted_proxies", "127.0.0.0/8", "x" } };
    static const char from[] = "GET /api/v1/list_projects HTTP/1.1\nX-Forwarded-For: %s";
    lab_open_app(limits, 2);
    lab_serve(NULL);
    kt_has_str(lab_ask(lab_fmt(from, "192.0.2.1"), NULL), "HTTP/1.1 200");
    kt_has_str(lab_ask(lab_fmt(from, "192.0.2.2"), NULL), "HTTP/1.1 429");
    lab_stop();
    lab_open_app(limits, 3);
    lab_serve(NULL);
    kt_has_str(lab_ask(lab_fmt(from, "192.0.2.1"), NULL), "HTTP/1.1 200");
    kt_has_str(lab_ask(lab_fmt(from, "9.9.9.9, 192.0.2.1, 127.0.0.9"), NULL), "HTTP/1.1 429");
    kt_has_str(lab_ask(lab_fmt(from, "2001:db8::1"), NULL), "HTTP/1.1 200");
    kt_has_str(
        lab_ask("GET /api/v1/list_projects HTTP/1.1\nHost: localhost\nX-Forwarded-For: 192.0.2.7\n"
                "X-Forwarded-Proto: https\nOrigin: https://localhost",
                NULL),
        "HTTP/1.1 200");
    lab_stop();
}

KEN_TEST(settings_and_models_take_a_token_of_scope_admin)
{
    ken_access_token t;
    ken_str secret[3];
    lab_start();
    const ken_app_token_opts wishes[] = {
        { .name = KEN_STR("r"), .scopes = KEN_SCOPE_F_READ },
        { .name = KEN_STR("w"), .scopes = KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE },
        { .name = KEN_STR("a"), .scopes = KEN_SCOPES_ALL },
    };
    for (size_t i = 0; i < 3; i++)
        kt_ok_err(ken_app_add_token(lab.app, &wishes[i], &lab.arena, &t, &secret[i], &lab.err),
                  &lab.err);
    const char *body = "{\"key\":\"indexing.jobs\",\"value\":\"1\"}";
    for (size_t i = 0; i < 3; i++) {
        const char *head =
            lab_fmt(LAB_JSON "\nAuthorization: Bearer " KEN_STR_FMT, KEN_STR_ARG(secret[i]));
        kt_has_str(lab_post("/api/v1/change_setting", head, body),
                   i < 2 ? "HTTP/1.1 403" : "HTTP/1.1 200");
    }
    static const char *const models[][2] = {
        { "/api/v1/add_model",
          "{\"id\":\"mine\",\"source\":\"/m.onnx\",\"tokenizer_source\":\"/vocab.txt\"}" },
        { "/api/v1/remove_model", "{\"model\":\"mine\",\"confirm\":true}" },
    };
    for (size_t m = 0; m < 2; m++) {
        for (size_t i = 0; i < 3; i++) {
            const char *head =
                lab_fmt(LAB_JSON "\nAuthorization: Bearer " KEN_STR_FMT, KEN_STR_ARG(secret[i]));
            kt_has_str(lab_post(models[m][0], head, models[m][1]),
                       i < 2 ? "HTTP/1.1 403" : "HTTP/1.1 200");
        }
    }
    kt_has_str(lab_get("/api/v1/list_settings"), "\"source_kind\":\"user_file\"");
    kt_has_str(lab_get("/api/v1/change_setting?key=indexing.jobs"), "HTTP/1.1 405");
    lab_stop();
}

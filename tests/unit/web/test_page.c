// SPDX-License-Identifier: MIT
// The page: what a browser is given before it has asked anything of the API.
#include "web_lab.h"

static void need_page(void)
{
    if (strstr(lab_get("/"), "HTTP/1.1 200"))
        return;
    lab_stop();
    kt_skip("page", "ken was built without it");
}

// The first address in the document that begins so.
static const char *first_asset(const char *document)
{
    const char *begin = strstr(document, "/assets/");
    size_t n = begin ? strcspn(begin, "\"") : 0;
    return begin ? lab_fmt("%.*s", (int)n, begin) : "";
}

KEN_TEST(every_view_is_the_same_document)
{
    lab_start();
    need_page();
    const char *const views[] = { "/",       "/search",   "/outline?file=a.c",
                                  "/agents", "/settings", "/tasks?task=1" };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const char *answer = lab_get(views[i]);
        kt_has_str(answer, "HTTP/1.1 200");
        kt_has_str(answer, "<div id=\"app\">");
        kt_eq_str(lab_header(answer, "Cache-Control"), "no-cache");
    }
    kt_has_str(lab_get("/nothing"), "HTTP/1.1 404");
    kt_has_str(lab_get("/assets/nothing.js"), "HTTP/1.1 404");
    kt_has_str(lab_get("/assets/../index.html"), "HTTP/1.1 404");
    kt_has_str(lab_post("/search", LAB_JSON, "{}"), "HTTP/1.1 405");
    lab_stop();
}

KEN_TEST(what_it_may_do_is_limited)
{
    lab_start();
    need_page();
    const char *answer = lab_get("/");
    const char *policy = lab_header(answer, "Content-Security-Policy");
    kt_has_str(policy, "default-src 'none'");
    kt_has_str(policy, "script-src 'self';");
    kt_has_str(policy, "require-trusted-types-for 'script'");
    kt_null(strstr(policy, "unsafe"));
    kt_null(strstr(policy, "http"));
    kt_eq_str(lab_header(answer, "X-Content-Type-Options"), "nosniff");
    kt_eq_str(lab_header(answer, "Referrer-Policy"), "no-referrer");
    lab_stop();
}

KEN_TEST(assets_keep_and_the_document_is_asked_for_again)
{
    lab_start();
    need_page();
    const char *document = lab_get("/");
    const char *etag = lab_fmt("%s", lab_header(document, "ETag"));
    const char *asset = lab_get(first_asset(document));
    kt_has_str(asset, "HTTP/1.1 200");
    kt_has_str(lab_header(asset, "Content-Type"), "text/");
    kt_has_str(lab_header(asset, "Cache-Control"), "immutable");
    kt_has_str(lab_ask(lab_fmt("GET / HTTP/1.1\nHost: localhost\nIf-None-Match: %s", etag), NULL),
               "HTTP/1.1 304");
    lab_stop();
}

// A server that answers nobody without a token.
static void start_with_token(void)
{
    const ken_config_flag flags[] = { { "server.require_token", "true", "--require-token" } };
    const ken_app_token_opts wish = { .name = KEN_STR("r"), .scopes = KEN_SCOPE_F_READ };
    ken_access_token t;
    ken_str secret;
    lab_open_app(flags, 1);
    kt_ok_err(ken_app_add_token(lab.app, &wish, &lab.arena, &t, &secret, &lab.err), &lab.err);
    lab_serve(NULL);
}

#define BROWSER "\nHost: localhost\nAccept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"

KEN_TEST(a_browser_at_the_address_for_clients_is_led_to_the_view_of_them)
{
    start_with_token();
    need_page();
    const char *answer = lab_ask("GET /mcp HTTP/1.1" BROWSER, NULL);
    kt_has_str(answer, "HTTP/1.1 303");
    kt_eq_str(lab_header(answer, "Location"), "agents");
    // A client is none, whatever it can read, and shows its token.
    kt_has_str(lab_get("/mcp"), "HTTP/1.1 401");
    kt_has_str(lab_ask("GET /mcp HTTP/1.1\nHost: localhost\nAccept: text/event-stream, */*", NULL),
               "HTTP/1.1 401");
    kt_has_str(lab_ask("POST /mcp HTTP/1.1" BROWSER, "{}"), "HTTP/1.1 401");
    kt_has_str(lab_ask("GET /mcp/app HTTP/1.1" BROWSER, NULL), "HTTP/1.1 401");
    lab_stop();
}

KEN_TEST(it_comes_without_a_token_and_what_it_shows_does_not)
{
    start_with_token();
    need_page();
    const char *document = lab_get("/search");
    kt_has_str(document, "HTTP/1.1 200");
    kt_has_str(lab_get(first_asset(document)), "HTTP/1.1 200");
    kt_has_str(lab_get("/api/v1/list_projects"), "HTTP/1.1 401");
    kt_has_str(lab_get("/api/v1/events"), "HTTP/1.1 401");
    // The name of the server is checked for it, too.
    kt_has_str(lab_ask("GET / HTTP/1.1\nHost: evil.example", NULL), "HTTP/1.1 403");
    lab_stop();
}

// SPDX-License-Identifier: MIT
// The real server with the fixtures of the conformance suite beside its own tools. Says where it is in
// one line of JSON and serves until its input ends.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/app.h"
#include "base/alloc.h"
#include "fixtures.h"
#include "web/web.h"

// ---- the lists ---------------------------------------------------------------------------------

enum {
    LIST_BYTES = 64 * 1024
};

static const fixture *const tools[] = { content_tools, asking_tools, input_tools, NULL };
static const fixture *const all_prompts[] = { prompts, input_prompts, NULL };

static const fixture *find(const fixture *const *groups, ken_str name)
{
    for (; *groups; groups++)
        for (const fixture *f = *groups; f->name; f++)
            if (ken_str_eq_c(name, f->name))
                return f;
    return NULL;
}

// One entry; `id` is what the list calls a fixture's name.
static void put_entry(const fixture *f, const char *id, const char *details, ken_buf *out)
{
    ken_buf_printf(out, "%s{\"%s\":\"%s\",", out->len ? "," : "", id, f->name);
    if (strcmp(id, "name") != 0)
        ken_buf_printf(out, "\"name\":\"%s\",", f->name);
    ken_buf_printf(out, "\"description\":\"%s\"", f->description);
    if (f->details || details)
        ken_buf_printf(out, ",%s", f->details ? f->details : details);
    ken_buf_putc(out, '}');
}

static char *list_of(const fixture *const *groups, const char *id, const char *details)
{
    ken_buf out = KEN_BUF_INIT(LIST_BYTES);
    for (; *groups; groups++)
        for (const fixture *f = *groups; f->name; f++)
            put_entry(f, id, details, &out);
    return ken_buf_steal(&out);
}

// ---- what the server asks ----------------------------------------------------------------------

static const fixture *fixture_of(const ken_mcp_call *c)
{
    ken_str name = ken_json_text(json_object_get(c->params, "name"));
    if (ken_str_eq_c(c->method, "tools/call"))
        return find(tools, name);
    if (ken_str_eq_c(c->method, "prompts/get"))
        return find(all_prompts, name);
    if (ken_str_eq_c(c->method, "resources/read"))
        return find_resource(ken_json_text(json_object_get(c->params, "uri")));
    return NULL;
}

static bool is_subscription(const ken_mcp_call *c)
{
    return !c->is_modern &&
           (ken_str_eq_c(c->method, "resources/subscribe") ||
            ken_str_eq_c(c->method, "resources/unsubscribe")) &&
           is_watched(ken_json_text(json_object_get(c->params, "uri")));
}

static bool takes(const ken_mcp_call *c)
{
    return fixture_of(c) || is_subscription(c) ||
           (ken_str_eq_c(c->method, "completion/complete") && is_completed(c));
}

static int run(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    const fixture *f = fixture_of(c);
    if (f)
        return f->run(c, out, err);
    if (!is_subscription(c)) // nothing is known that would complete these arguments
        ken_buf_puts(out, "\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}");
    return 0;
}

// ---- the server --------------------------------------------------------------------------------

static void serve_until_input_ends(const ken_web *web)
{
    char text[256];
    printf("{\"url\":\"%s\",\"mcp\":\"%s/mcp\"}\n", ken_web_url(web), ken_web_url(web));
    fflush(stdout);
    while (read(STDIN_FILENO, text, sizeof text) > 0)
        ;
}

int main(void)
{
    static const fixture *const listed_resources[] = { resources, NULL };
    static const fixture *const listed_templates[] = { templates, NULL };
    static const char no_arguments[] =
        "\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false}";
    const ken_config_flag port = { .name = "server.port", .value = "0" };
    const ken_config_load_opts load = { .flags = &port, .n_flags = 1 };
    char *lists[KEN_MCP_LISTS] = {
        [KEN_MCP_TOOLS] = list_of(tools, "name", no_arguments),
        [KEN_MCP_RESOURCES] = list_of(listed_resources, "uri", NULL),
        [KEN_MCP_TEMPLATES] = list_of(listed_templates, "uriTemplate", NULL),
        [KEN_MCP_PROMPTS] = list_of(all_prompts, "name", NULL),
    };
    ken_mcp_extension extension = { .takes = takes, .run = run };
    const ken_mcp_opts mcp = { .version = "0", .extension = &extension };
    const ken_web_opts opts = { .version = "0", .mcp = &mcp };
    ken_config *config = NULL;
    ken_app *app = NULL;
    ken_web *web = NULL;
    ken_err err = { 0 };
    for (size_t i = 0; i < KEN_MCP_LISTS; i++)
        extension.lists[i] = lists[i];
    ken_status st = ken_config_load(&load, &config, &err);
    if (!st)
        st = ken_app_open(config, &app, &err);
    if (!st)
        st = ken_web_open(app, &opts, &web, &err);
    if (!st)
        st = ken_web_start(web, &err);
    if (st)
        fprintf(stderr, "%s\n", err.msg);
    else
        serve_until_input_ends(web);
    ken_web_stop(web, 1000);
    if (app)
        ken_app_close(app);
    if (config)
        ken_config_free(config);
    for (size_t i = 0; i < KEN_MCP_LISTS; i++)
        ken_free(lists[i]);
    return st ? EXIT_FAILURE : EXIT_SUCCESS;
}

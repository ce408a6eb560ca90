// SPDX-License-Identifier: MIT
// /api/v1/tools: the tools that agents are offered. Those that are switched off are a value of the catalog, a name on a
// line, so it outlives the server. Each server of these data reads it when it begins, and every two seconds for what
// another one has switched; names that it does not know (another version's) are kept and have no effect.
#include "app/catalog.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "web/web_priv.h"

enum {
    BODY_MAX = 4096,
    LOOK_MS = 2000, // between two looks at the value
    NAME_SHOWN = 80,
};

static const ken_str setting = { KEN_MCP_TOOLS_OFF, sizeof KEN_MCP_TOOLS_OFF - 1 };

// ---- the value ----------------------------------------------------------------------------------

typedef struct tools_off {
    ken_arena *arena;
    ken_str lines;
    ken_str name; // to switch
    bool is_enabled;
} tools_off;

static bool is_tool(ken_str name)
{
    const ken_tool_spec *s = ken_tool_spec_find(name);
    return s && *s->set;
}

static ken_status load_lines(ken_catalog *c, void *ctx, ken_err *err)
{
    tools_off *t = ctx;
    t->lines = KEN_STR("");
    ken_status st = ken_catalog_load_value(c, setting, t->arena, &t->lines, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static ken_status switch_one(void *ctx, ken_str was, ken_str *out, ken_err *err)
{
    (void)err;
    tools_off *t = ctx;
    ken_buf changed = KEN_BUF_INIT(was.len + BODY_MAX);
    ken_str rest = was, line;
    while (ken_str_line_next(&rest, &line))
        if (line.len && !ken_str_eq(line, t->name))
            ken_buf_printf(&changed, KEN_STR_FMT "\n", KEN_STR_ARG(line));
    if (!t->is_enabled)
        ken_buf_printf(&changed, KEN_STR_FMT "\n", KEN_STR_ARG(t->name));
    t->lines = ken_arena_dup(t->arena, ken_buf_str(&changed));
    ken_buf_release(&changed);
    *out = t->lines.len ? t->lines : (ken_str){ NULL, 0 };
    return KEN_OK;
}

static ken_status put_switch(ken_catalog *c, void *ctx, ken_err *err)
{
    return ken_catalog_change_value(c, setting, switch_one, ctx, err);
}

// Reads the value, after a tool was switched in it where `act` does so, and does what it says.
static ken_status keep_to_value(ken_web *w, ken_app_catalog_fn *act, tools_off *t, ken_err *err)
{
    pthread_mutex_lock(&w->tools_lock); // an older value is not applied after a newer one
    ken_status st = ken_app_with_catalog(w->app, act != load_lines, act, t, err);
    if (st == KEN_ENOTFOUND) { // there is no catalog yet
        t->lines = KEN_STR("");
        st = KEN_OK;
    }
    if (!st)
        ken_mcp_roster_set_off(w->roster, t->lines);
    pthread_mutex_unlock(&w->tools_lock);
    return st;
}

ken_status ken_web__load_tools(ken_web *w, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 1024);
    ken_status st = keep_to_value(w, load_lines, &(tools_off){ .arena = &a }, err);
    ken_arena_release(&a);
    return st;
}

void ken_web__tick_tools(ken_web *w)
{
    int64_t now_ns = ken_clock_mono_ns();
    if (now_ns < w->next_tools_ns)
        return;
    w->next_tools_ns = now_ns + (int64_t)LOOK_MS * 1000000;
    (void)!ken_web__load_tools(w, NULL); // what cannot be read now is with the next look
}

// ---- answers ------------------------------------------------------------------------------------

static json_t *tool_json(const ken_web *w, const ken_tool_spec *s)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", ken_str_c(s->name));
    ken_json_set_str(o, "set", ken_str_c(s->set));
    ken_json_set_bool(o, "is_enabled", ken_mcp_http_offers(w->mcp, ken_str_c(s->name)));
    return o;
}

json_t *ken_web__tools_json(const ken_web *w)
{
    json_t *o = json_object(), *tools = json_array();
    const ken_tool_spec *s;
    for (size_t i = 0; (s = ken_tool_spec_at(i)); i++)
        if (*s->set)
            ken_json_append(tools, tool_json(w, s));
    ken_json_set(o, "tools", tools);
    return o;
}

static void get_tools(void *ctx, ken_httpd_request *r)
{
    ken_web__answer_json(r, 200, ken_web__tools_json(ctx));
}

// ---- switching ----------------------------------------------------------------------------------

typedef struct switching { // in the arena of its request
    ken_web *web;
    ken_httpd_request *r;
    tools_off change;
} switching;

static ken_status read_switch(ken_httpd_request *r, json_t *body, tools_off *out, ken_err *err)
{
    const web_request *q = ken_web__request(r);
    if (!ken_grant_allows(&q->grant, KEN_SCOPE_F_ADMIN, NULL))
        return KEN_FAIL(err, KEN_EPERM,
                        "tools are switched with an access token of scope admin that is bound to "
                        "no project");
    if (!json_is_object(body))
        return KEN_FAIL(err, KEN_EINVAL, "the body must be a JSON object");
    ken_status st = ken_json_read_str(body, "body", "name", &out->name, err);
    if (!st)
        st = ken_json_read_bool(body, "body", "is_enabled", &out->is_enabled, err);
    if (!st && (!out->name.len || !json_is_boolean(json_object_get(body, "is_enabled"))))
        st = KEN_FAIL(err, KEN_EINVAL, "body.name and body.is_enabled are needed");
    if (!st && !is_tool(out->name))
        st = KEN_FAIL(err, KEN_ENOTFOUND,
                      "no tool '" KEN_STR_FMT "' that agents are offered; /api/v1/tools lists them",
                      KEN_STR_ARG(ken_utf8_clip(out->name, NAME_SHOWN)));
    return st;
}

static void run_switch(void *ctx, size_t worker)
{
    (void)worker;
    switching *s = ctx;
    ken_err err = { 0 };
    if (keep_to_value(s->web, put_switch, &s->change, &err))
        ken_web__answer_failure(s->r, &err);
    else
        ken_web__answer_json(s->r, 200, tool_json(s->web, ken_tool_spec_find(s->change.name)));
}

static void set_tool(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    json_t *body = NULL;
    ken_err err = { 0 };
    ken_arena *arena = ken_httpd_arena(r);
    switching *s = ken_arena_zalloc(arena, sizeof *s);
    *s = (switching){ .web = w, .r = r, .change = { .arena = arena, .name = KEN_STR("") } };
    ken_status st = ken_json_parse(ken_httpd_body(r), &body, &err);
    if (!st)
        st = read_switch(r, body, &s->change, &err);
    s->change.name = ken_arena_dup(arena, s->change.name);
    json_decref(body);
    if (st)
        ken_web__answer_failure(r, &err);
    else if (!ken_pool_try_submit(w->pool, run_switch, s))
        ken_web__answer_busy(r);
}

void ken_web__add_tools(ken_web *w)
{
    ken_web__add_route(w, "GET", "/api/v1/tools", get_tools, 0);
    ken_web__add_route(w, "POST", "/api/v1/tools", set_tool, BODY_MAX);
}

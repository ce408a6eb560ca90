// SPDX-License-Identifier: MIT
// /api/v1/clients and /api/v1/tools: who calls tools over MCP, and which ones they are offered.
#include "web/web_priv.h"

enum {
    BODY_MAX = 4096
};

// ---- clients and calls --------------------------------------------------------------------------

static json_t *client_json(const ken_mcp_seen_client *c)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "id", c->id);
    ken_json_set_str(o, "name", ken_str_c(c->name));
    ken_json_set_str(o, "version", ken_str_c(c->version));
    ken_json_set_str(o, "transport", ken_str_c(c->transport));
    ken_json_set_str(o, "era", ken_str_c(c->era));
    if (c->project[0])
        ken_json_set_str(o, "project", ken_str_c(c->project));
    ken_json_set_bool(o, "is_connected", c->is_connected);
    ken_json_set_time_ms(o, "connected_since", c->since_ms);
    ken_json_set_time_ms(o, "last_seen", c->seen_ms);
    ken_json_set_u64(o, "calls", c->n_calls);
    ken_json_set_u64(o, "errors", c->n_errors);
    ken_json_set_u64(o, "tokens", c->n_tokens);
    return o;
}

json_t *ken_web__call_json(const ken_mcp_seen_call *c, ken_str project)
{
    // An error of a client that may touch all projects may name another one.
    bool may_tell = !project.len || ken_str_eq_c(project, c->bound);
    json_t *o = json_object();
    ken_json_set_u64(o, "id", c->id);
    ken_json_set_time_ms(o, "at", c->at_ms);
    ken_json_set_str(o, "tool", ken_str_c(c->tool));
    ken_json_set_u64(o, "client_id", c->client_id);
    ken_json_set_str(o, "client", ken_str_c(c->client));
    ken_json_set_str(o, "transport", ken_str_c(c->transport));
    if (c->about.project_id[0]) {
        json_t *p = json_object();
        ken_json_set_str(p, "id", ken_str_c(c->about.project_id));
        ken_json_set_str(p, "name", ken_str_c(c->about.project));
        ken_json_set(o, "project", p);
    }
    const int64_t took_us = c->took_ns / 1000;
    ken_json_set_real(o, "took_ms", (double)took_us / 1000);
    ken_json_set_u64(o, "tokens", c->n_tokens);
    ken_json_set_bool(o, "is_error", c->is_error);
    if (c->is_error && may_tell)
        ken_json_set_str(o, "error", ken_str_c(c->error));
    return o;
}

// The only project that a caller may know of; empty = any.
static ken_str project_of(ken_httpd_request *r)
{
    const web_request *q = ken_web__request(r);
    char *id = ken_arena_zalloc(ken_httpd_arena(r), KEN_UUID_TEXT);
    if (q->grant.is_bound)
        ken_uuid_format(q->grant.project, id);
    return ken_str_c(id);
}

static void get_clients(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_mcp_seen_client *clients;
    ken_mcp_seen_call *calls;
    uint64_t limit = KEN_MCP_CALLS_KEPT;
    ken_str text = ken_httpd_query(r, "limit"), project = project_of(r);
    if (text.len && (!ken_str_parse_u64(text, &limit) || !limit || limit > KEN_MCP_CALLS_KEPT)) {
        ken_web__answer_problem(r, 400, "EINVAL", "limit must be 1 to 200");
        return;
    }
    json_t *o = json_object(), *list = json_array(), *last = json_array();
    size_t n = ken_mcp_roster_list_clients(w->roster, project, ken_httpd_arena(r), &clients);
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, client_json(&clients[i]));
    n = ken_mcp_roster_list_calls(w->roster, project, (size_t)limit, ken_httpd_arena(r), &calls);
    for (size_t i = 0; i < n; i++)
        ken_json_append(last, ken_web__call_json(&calls[i], project));
    ken_json_set(o, "clients", list);
    ken_json_set(o, "calls", last);
    ken_web__answer_json(r, 200, o);
}

// ---- tools --------------------------------------------------------------------------------------

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

static ken_status read_switch(ken_httpd_request *r, json_t *body, ken_str *name, bool *is_enabled,
                              ken_err *err)
{
    const web_request *q = ken_web__request(r);
    if (!ken_grant_allows(&q->grant, KEN_SCOPE_F_ADMIN, NULL))
        return KEN_FAIL(err, KEN_EPERM,
                        "tools are switched with an access token of scope admin that is bound to "
                        "no project");
    if (!json_is_object(body))
        return KEN_FAIL(err, KEN_EINVAL, "the body must be a JSON object");
    ken_status st = ken_json_read_str(body, "body", "name", name, err);
    if (!st)
        st = ken_json_read_bool(body, "body", "is_enabled", is_enabled, err);
    if (!st && (!name->len || !json_is_boolean(json_object_get(body, "is_enabled"))))
        st = KEN_FAIL(err, KEN_EINVAL, "body.name and body.is_enabled are needed");
    return st;
}

static void set_tool(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    json_t *body = NULL;
    ken_str name = KEN_STR("");
    bool is_enabled = false;
    ken_err err = { 0 };
    ken_status st = ken_json_parse(ken_httpd_body(r), &body, &err);
    if (!st)
        st = read_switch(r, body, &name, &is_enabled, &err);
    if (!st)
        st = ken_mcp_roster_set_tool(w->roster, name, is_enabled, &err);
    if (st)
        ken_web__answer_failure(r, &err);
    else
        ken_web__answer_json(r, 200, tool_json(w, ken_tool_spec_find(name)));
    json_decref(body);
}

void ken_web__add_clients(ken_web *w)
{
    ken_web__add_route(w, "GET", "/api/v1/clients", get_clients, 0);
    ken_web__add_route(w, "GET", "/api/v1/tools", get_tools, 0);
    ken_web__add_route(w, "POST", "/api/v1/tools", set_tool, BODY_MAX);
}

// SPDX-License-Identifier: MIT
// /api/v1/clients: who calls tools over MCP, and the last calls.
#include "web/web_priv.h"

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

void ken_web__add_clients(ken_web *w)
{
    ken_web__add_route(w, "GET", "/api/v1/clients", get_clients, 0);
}

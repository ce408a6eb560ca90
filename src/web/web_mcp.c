// SPDX-License-Identifier: MIT
// /mcp, and /mcp/<project>, which can never reach another project.
#include "web/web_priv.h"

static void handle(ken_web *w, ken_httpd_request *r, const ken_uuid *project)
{
    const web_request *q = ken_web__request(r);
    char *id = ken_arena_zalloc(ken_httpd_arena(r), KEN_UUID_TEXT);
    bool is_bound = project || q->grant.is_bound;
    if (project && q->grant.is_bound && !ken_uuid_eq(*project, q->grant.project)) {
        ken_web__answer_problem(r, 403, "EPERM", "this access token is of another project");
        return;
    }
    if (is_bound)
        ken_uuid_format(project ? *project : q->grant.project, id);
    if (!ken_web__take_project(w, r, ken_str_c(id)))
        return;
    const ken_mcp_http_caller caller = {
        .name = q->is_anonymous ? KEN_STR("") : ken_web__caller(r, q),
        .project = ken_str_c(id),
        .admit = ken_web__take_named_project,
        .admit_ctx = w,
        .is_read_only = !(q->grant.scopes & KEN_SCOPE_F_WRITE),
        .request_id = ken_str_c(q->id),
        .trace = ken_web__trace(r),
    };
    ken_mcp_http_handle(w->mcp, r, &caller);
}

static void of_any(void *ctx, ken_httpd_request *r)
{
    if (ken_web__wants_page(ctx, r))
        ken_web__show_agents(r);
    else
        handle(ctx, r, NULL);
}

static void of_one(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_project_info p;
    ken_err err = { 0 };
    if (ken_app_find_project(w->app, ken_httpd_param(r, "project"), KEN_STR(""), ken_httpd_arena(r),
                             &p, &err))
        ken_web__answer_failure(r, &err);
    else
        handle(w, r, &p.id);
}

void ken_web__add_mcp(ken_web *w)
{
    size_t max = ken_config_u64(w->config, KEN_CFG_SERVER_BODY);
    max = max < KEN_MCP_MESSAGE_MAX ? max : KEN_MCP_MESSAGE_MAX;
    static const char *const methods[] = { "GET", "POST", "DELETE" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t body = methods[i][0] == 'P' ? max : 0;
        ken_web__add_route(w, methods[i], "/mcp", of_any, body);
        ken_web__add_route(w, methods[i], "/mcp/{project}", of_one, body);
    }
}

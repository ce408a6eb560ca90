// SPDX-License-Identifier: MIT
// list_projects: what is known; opens no index.
#include "base/clock.h"
#include "base/figure.h"
#include "base/table.h"
#include "tool/tool_graph_priv.h"

ken_status ken_tool__list_projects(const ken_tool_env *env, const void *args, json_t **out,
                                   ken_err *err)
{
    const ken_args_list_projects *a = args;
    ken_project_info *projects = NULL, one;
    size_t n = 0;
    ken_status st;
    if (env->ctx->project.len) {
        st = ken_tool__find_project(env, (ken_str){ "", 0 }, &one, err);
        projects = &one;
        n = 1;
    } else {
        st = ken_app_list_projects(env->app, env->arena, &projects, &n, err);
    }
    if (st)
        return st;
    json_t *list = json_array(), *o = json_object();
    for (size_t i = (size_t)a->offset; i < n; i++) {
        json_t *p = ken_tool__project_json(&projects[i]);
        ken_json_set_time(p, "indexed_at", projects[i].indexed_at_ms);
        ken_json_set_str(p, "status",
                         projects[i].is_archived     ? KEN_STR("archived")
                         : !projects[i].root_exists  ? KEN_STR("missing")
                         : projects[i].indexed_at_ms ? KEN_STR("indexed")
                                                     : KEN_STR("not_indexed"));
        ken_json_set_bool(p, "is_active", !projects[i].is_archived);
        ken_json_append(list, p);
    }
    ken_json_set(o, "projects", list);
    ken_json_set_u64(o, "total", n);
    if (!n)
        ken_json_set_str(o, "hint",
                         KEN_STR("nothing is indexed yet; call {index_repository} with "
                                 "the path of a folder"));
    ken_tool__fit(o, "projects", env->ctx->max_bytes, "there are more projects than fit here");
    ken_tool__set_page(o, "projects", "total", a->offset);
    *out = o;
    return KEN_OK;
}

void ken_tool__list_projects_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "projects");
    const int64_t now = ken_clock_wall_ms();
    ken_arena a;
    ken_table t;
    ken_arena_init(&a, 0);
    ken_table_init(&t, &a, "name|status|indexed|root");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        int64_t at = 0;
        bool is_dated = ken_clock_parse_ms(ken_tool__member(p, "indexed_at"), &at);
        ken_table_add(&t, ken_tool__member(p, "name"));
        ken_table_add(&t, ken_tool__member(p, "status"));
        ken_table_add(&t, ken_figure_age(&a, is_dated ? at : 0, now));
        ken_table_add(&t, ken_tool__member(p, "root"));
    }
    if (json_array_size(list))
        ken_table_paint(&t, out);
    ken_tool__put_page_tail(answer, "projects", "total", out);
    ken_arena_release(&a);
}

// SPDX-License-Identifier: MIT
// list_projects: what is known, and what is at work; opens no index unless it is asked for their sizes.
#include "app/projects.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/table.h"
#include "tool/tool_graph_priv.h"

enum {
    LANGS_SHOWN = 10
};

static void set_sizes(json_t *o, const ken_snapshot_stats *s)
{
    ken_json_set_u64(o, "files", s->n_files);
    ken_json_set_u64(o, "lines", s->n_lines);
    ken_json_set_u64(o, "bytes", s->n_bytes);
    ken_json_set_u64(o, "chunks", s->n_chunks);
    ken_json_set_u64(o, "symbols", s->n_symbols);
    ken_json_set(o, "languages", ken_tool__langs_json(s, LANGS_SHOWN, true));
}

// As the index is: nobody asked for it to be brought up to date.
static void count_project(const ken_tool_env *env, const ken_project_info *project, json_t *o)
{
    ken_snapshot *snap = NULL;
    ken_snapshot_stats stats;
    ken_err why = { 0 };
    if (!project->indexed_at_ms || project->is_archived)
        return;
    ken_status st = ken_app_borrow(env->app, project, &snap, &why);
    if (!st) {
        st = ken_snapshot_get_stats(snap, env->arena, &stats, &why);
        if (!st)
            set_sizes(o, &stats);
        ken_app_give_back(env->app, project, snap);
    }
    if (st)
        ken_json_set_str(o, "problem",
                         ken_str_c(why.msg[0] ? why.msg : ken_status_text(why.status)));
}

static json_t *project_json(const ken_tool_env *env, const ken_project_info *project)
{
    json_t *p = ken_tool__project_json(project);
    ken_app_run run;
    bool is_indexing = ken_app_find_run(env->app, project, env->arena, &run);
    ken_json_set_time(p, "indexed_at", project->indexed_at_ms);
    ken_json_set_str(p, "status",
                     project->is_archived     ? KEN_STR("archived")
                     : !project->root_exists  ? KEN_STR("missing")
                     : project->indexed_at_ms ? KEN_STR("indexed")
                     : is_indexing            ? KEN_STR("indexing")
                                              : KEN_STR("not_indexed"));
    ken_json_set_bool(p, "is_active", !project->is_archived);
    if (is_indexing)
        ken_json_set(p, "indexing", ken_tool__run_json(&run));
    return p;
}

static ken_status list_known(const ken_tool_env *env, ken_project_info **out, size_t *out_n,
                             ken_err *err)
{
    if (!env->ctx->project.len)
        return ken_app_list_projects(env->app, env->arena, out, out_n, err);
    *out = KEN_ARENA_NEW(env->arena, ken_project_info);
    *out_n = 1;
    return ken_tool__find_project(env, (ken_str){ "", 0 }, *out, err);
}

ken_status ken_tool__list_projects(const ken_tool_env *env, const void *args, json_t **out,
                                   ken_err *err)
{
    const ken_args_list_projects *a = args;
    ken_project_info *projects = NULL;
    ken_uuid selected = { { 0 } };
    size_t n = 0;
    ken_status st = list_known(env, &projects, &n, err);
    if (st)
        return st;
    // A list without that mark is better than none.
    bool has_selected = !ken_app_load_selected(env->app, &selected, NULL);
    json_t *list = json_array(), *o = json_object();
    uint64_t limit = a->limit ? a->limit : UINT64_MAX;
    for (uint64_t i = a->offset; i < n && i - a->offset < limit && !st; i++) {
        json_t *p = project_json(env, &projects[i]);
        ken_json_set_bool(p, "is_selected", has_selected && ken_uuid_eq(projects[i].id, selected));
        if (a->counts)
            count_project(env, &projects[i], p);
        ken_json_append(list, p);
        st = ken_cancel_check(env->ctx->cancel, err);
    }
    ken_json_set(o, "projects", list);
    if (st) {
        json_decref(o);
        return st;
    }
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
        const json_t *run = json_object_get(p, "indexing");
        ken_table_add(&t, run ? ken_tool__run_text(run, &a) : ken_tool__member(p, "status"));
        ken_table_add(&t, ken_figure_age(&a, is_dated ? at : 0, now));
        ken_table_add(&t, ken_tool__member(p, "root"));
    }
    if (json_array_size(list))
        ken_table_paint(&t, out);
    ken_tool__put_page_tail(answer, "projects", "total", out);
    ken_arena_release(&a);
}

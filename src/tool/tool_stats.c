// SPDX-License-Identifier: MIT
// stats: languages, sizes and counts of an index.
#include "base/clock.h"
#include "base/figure.h"
#include "base/table.h"
#include "tool/tool_graph_priv.h"

enum {
    LANGS_SHOWN = 40 // in text
};

static void set_counts(json_t *o, const ken_snapshot_stats *s)
{
    json_t *langs = json_array();
    ken_json_set_u64(o, "generation", s->generation);
    ken_json_set_time(o, "indexed_at", s->indexed_at_ms);
    ken_json_set_u64(o, "files", s->n_files);
    ken_json_set_u64(o, "lines", s->n_lines);
    ken_json_set_u64(o, "bytes", s->n_bytes);
    ken_json_set_u64(o, "chunks", s->n_chunks);
    ken_json_set_u64(o, "symbols", s->n_symbols);
    ken_json_set_u64(o, "files_with_errors", s->n_error_files);
    ken_json_set_u64(o, "files_cut_by_lines", s->n_fallback_files);
    ken_json_set_u64(o, "segments", s->n_segments);
    ken_json_set_u64(o, "segment_bytes", s->segment_bytes);
    ken_json_set_u64(o, "index_bytes", s->store_bytes);
    for (size_t i = 0; i < s->n_langs; i++) {
        json_t *l = json_object();
        ken_json_set_str(l, "language", s->langs[i].language);
        ken_json_set_u64(l, "files", s->langs[i].n_files);
        ken_json_set_u64(l, "lines", s->langs[i].n_lines);
        ken_json_set_u64(l, "bytes", s->langs[i].n_bytes);
        ken_json_append(langs, l);
    }
    ken_json_set(o, "languages", langs);
}

// ---- all projects ------------------------------------------------------------------------------

typedef struct totals {
    uint64_t n_files, n_lines, n_bytes, n_chunks, n_symbols, store_bytes;
} totals;

static json_t *project_counts(const ken_snapshot_stats *s, const ken_project_info *p, totals *all)
{
    json_t *o = ken_tool__project_json(p);
    ken_json_set_time(o, "indexed_at", s->indexed_at_ms);
    ken_json_set_u64(o, "files", s->n_files);
    ken_json_set_u64(o, "lines", s->n_lines);
    ken_json_set_u64(o, "bytes", s->n_bytes);
    ken_json_set_u64(o, "chunks", s->n_chunks);
    ken_json_set_u64(o, "symbols", s->n_symbols);
    ken_json_set_u64(o, "index_bytes", s->store_bytes);
    all->n_files += s->n_files;
    all->n_lines += s->n_lines;
    all->n_bytes += s->n_bytes;
    all->n_chunks += s->n_chunks;
    all->n_symbols += s->n_symbols;
    all->store_bytes += s->store_bytes;
    return o;
}

// As their indexes are: nobody asked for each of them to be brought up to date.
static ken_status stats_of_all(const ken_tool_env *env, json_t **out, ken_err *err)
{
    ken_project_info *projects = NULL;
    size_t n = 0;
    if (env->ctx->project.len && !env->ctx->is_command)
        return KEN_FAIL(err, KEN_EPERM, "this endpoint serves one project; leave the project out");
    ken_status st = ken_app_list_projects(env->app, env->arena, &projects, &n, err);
    if (st)
        return st;
    totals all = { 0 };
    json_t *list = json_array(), *others = json_array(), *o = json_object();
    for (size_t i = 0; i < n && !st; i++) {
        ken_snapshot *snap = NULL;
        ken_snapshot_stats s;
        ken_err why = { 0 };
        if (!projects[i].indexed_at_ms || ken_app_borrow(env->app, &projects[i], &snap, &why)) {
            json_t *other = ken_tool__project_json(&projects[i]);
            ken_json_set_str(other, "reason",
                             why.status ? ken_str_c(why.msg) : KEN_STR("not indexed"));
            ken_json_append(others, other);
            continue;
        }
        st = ken_snapshot_get_stats(snap, env->arena, &s, err);
        if (!st)
            ken_json_append(list, project_counts(&s, &projects[i], &all));
        ken_app_give_back(env->app, &projects[i], snap);
        if (!st)
            st = ken_cancel_check(env->ctx->cancel, err);
    }
    ken_json_set_u64(o, "total", json_array_size(list));
    ken_json_set_u64(o, "files", all.n_files);
    ken_json_set_u64(o, "lines", all.n_lines);
    ken_json_set_u64(o, "bytes", all.n_bytes);
    ken_json_set_u64(o, "chunks", all.n_chunks);
    ken_json_set_u64(o, "symbols", all.n_symbols);
    ken_json_set_u64(o, "index_bytes", all.store_bytes);
    ken_json_set(o, "projects", list);
    ken_json_set(o, "without_index", others);
    ken_tool__fit(o, "projects", env->ctx->max_bytes, "more projects than fit here");
    if (st)
        json_decref(o);
    else
        *out = o;
    return st;
}

ken_status ken_tool__stats(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    const ken_args_stats *a = args;
    ken_tool__scope scope;
    if (a->all || ken_str_eq(a->project, KEN_STR("*")))
        return stats_of_all(env, out, err);
    ken_status st = ken_tool__open(env, a->project, &scope, err);
    if (st)
        return st;
    json_t *o = json_object();
    set_counts(o, &scope.stats);
    ken_tool__set_scope(o, &scope);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

static uint64_t count_of(const json_t *o, const char *key)
{
    return (uint64_t)ken_tool__number(o, key);
}

static void add_row(ken_table *t, ken_str name, const json_t *o)
{
    ken_table_add(t, name);
    ken_table_add(t, ken_figure_count(t->arena, count_of(o, "files")));
    ken_table_add(t, ken_figure_count(t->arena, count_of(o, "lines")));
    ken_table_add(t, ken_figure_size(t->arena, count_of(o, "bytes")));
}

static void add_project_row(ken_table *t, ken_str name, const json_t *o)
{
    add_row(t, name, o);
    ken_table_add(t, ken_figure_count(t->arena, count_of(o, "chunks")));
    ken_table_add(t, ken_figure_count(t->arena, count_of(o, "symbols")));
    ken_table_add(t, ken_figure_size(t->arena, count_of(o, "index_bytes")));
}

static void put_all(const json_t *answer, const json_t *projects, ken_paint *out)
{
    const json_t *others = json_object_get(answer, "without_index");
    const int64_t now = ken_clock_wall_ms();
    ken_arena arena;
    ken_table t;
    ken_arena_init(&arena, 0);
    ken_table_init(&t, &arena, "project|>files|>lines|>size|>chunks|>symbols|>index|indexed");
    for (size_t i = 0; i < json_array_size(projects); i++) {
        const json_t *p = json_array_get(projects, i);
        int64_t at = 0;
        add_project_row(&t, ken_tool__member(p, "name"), p);
        bool is_dated = ken_clock_parse_ms(ken_tool__member(p, "indexed_at"), &at);
        ken_table_add(&t, ken_figure_age(&arena, is_dated ? at : 0, now));
    }
    add_project_row(&t, KEN_STR("all"), answer);
    ken_table_add(&t, KEN_STR(""));
    ken_table_paint(&t, out);
    for (size_t i = 0; i < json_array_size(others); i++) {
        const json_t *p = json_array_get(others, i);
        ken_paint_note(out, KEN_STR_FMT ": " KEN_STR_FMT, KEN_STR_ARG(ken_tool__member(p, "name")),
                       KEN_STR_ARG(ken_tool__member(p, "reason")));
    }
    ken_tool__put_tail(answer, out);
    ken_arena_release(&arena);
}

void ken_tool__stats_text(const json_t *answer, ken_paint *out)
{
    const json_t *projects = json_object_get(answer, "projects");
    if (projects) {
        put_all(answer, projects, out);
        return;
    }
    const json_t *langs = json_object_get(answer, "languages");
    const uint64_t bytes = count_of(answer, "bytes"), stored = count_of(answer, "index_bytes"),
                   n_errors = count_of(answer, "files_with_errors"),
                   n_by_lines = count_of(answer, "files_cut_by_lines");
    ken_arena arena;
    ken_table t;
    ken_arena_init(&arena, 0);
    ken_table_init(&t, &arena, "language|>files|>lines|>size");
    for (size_t i = 0; i < json_array_size(langs) && i < LANGS_SHOWN; i++)
        add_row(&t, ken_tool__member(json_array_get(langs, i), "language"),
                json_array_get(langs, i));
    add_row(&t, KEN_STR("all"), answer);
    ken_table_paint(&t, out);
    ken_paint_puts(out, "\n");
    ken_tool__put_row(out, "chunks", ken_figure_count(&arena, count_of(answer, "chunks")));
    ken_tool__put_row(out, "symbols", ken_figure_count(&arena, count_of(answer, "symbols")));
    ken_tool__put_row(
        out, "index",
        ken_arena_printf(&arena, KEN_STR_FMT ", %.0f%% of the source; %lld segments, " KEN_STR_FMT,
                         KEN_STR_ARG(ken_figure_size(&arena, stored)),
                         bytes ? 100 * (double)stored / (double)bytes : 0,
                         ken_tool__number(answer, "segments"),
                         KEN_STR_ARG(ken_figure_size(&arena, count_of(answer, "segment_bytes")))));
    if (n_errors + n_by_lines)
        ken_tool__put_row(
            out, "parsing",
            ken_arena_printf(&arena, "%llu files with syntax errors, %llu cut by lines",
                             (unsigned long long)n_errors, (unsigned long long)n_by_lines));
    ken_arena_release(&arena);
}

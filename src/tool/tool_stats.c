// SPDX-License-Identifier: MIT
// stats: languages, sizes and counts of an index.
#include "base/clock.h"
#include "base/figure.h"
#include "base/table.h"
#include "metrics/metrics.h"
#include "tool/tool_graph_priv.h"

enum {
    LANGS_SHOWN = 40 // in text
};

static void set_counts(json_t *o, const ken_snapshot_stats *s)
{
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
    ken_json_set(o, "languages", ken_tool__langs_json(s, s->n_langs, true));
}

// ---- caches ------------------------------------------------------------------------------------

static const struct {
    ken_metric metric;
    const char *key;
} cache_counts[] = {
    { KEN_METRIC_CACHE_HITS, "hits" },           { KEN_METRIC_CACHE_MISSES, "misses" },
    { KEN_METRIC_CACHE_EVICTIONS, "evictions" }, { KEN_METRIC_CACHE_ENTRIES, "entries" },
    { KEN_METRIC_CACHE_BYTES, "bytes" },
};

static json_t *cache_named(json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ken_str_eq_c(ken_tool__member(json_array_get(list, i), "name"), name))
            return json_array_get(list, i);
    json_t *o = json_object();
    ken_json_set_str(o, "name", ken_str_c(name));
    ken_json_append(list, o);
    return o;
}

static void set_counted(json_t *list, const ken_metric_family *f)
{
    for (size_t k = 0; k < sizeof cache_counts / sizeof *cache_counts; k++)
        for (size_t i = 0; i < f->n && f->def == ken_metric_def_of(cache_counts[k].metric); i++)
            ken_json_set_u64(cache_named(list, f->points[i].labels[0]), cache_counts[k].key,
                             (uint64_t)f->points[i].value);
}

// What this process found in memory, of all projects, since it began to count.
static void set_caches(json_t *o, ken_arena *arena)
{
    ken_metric_family *families = NULL;
    if (!ken_metrics_is_on())
        return;
    json_t *list = json_array();
    size_t n = ken_metrics_read(arena, &families);
    for (size_t i = 0; i < n; i++)
        set_counted(list, &families[i]);
    ken_json_set(o, "caches", list);
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
    set_caches(o, env->arena);
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
    ken_snapshot_stats stats;
    if (a->all || ken_str_eq(a->project, KEN_STR("*")))
        return stats_of_all(env, out, err);
    ken_status st = ken_tool__open(env, a->project, &scope, err);
    if (st)
        return st;
    st = ken_snapshot_get_stats(scope.snap, env->arena, &stats, err);
    if (!st) {
        *out = json_object();
        set_counts(*out, &stats);
        set_caches(*out, env->arena);
        ken_tool__set_scope(*out, &scope);
    }
    ken_tool__close(env, &scope);
    return st;
}

static uint64_t count_of(const json_t *o, const char *key)
{
    return (uint64_t)ken_tool__number(o, key);
}

static void put_caches(const json_t *answer, ken_arena *arena, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "caches");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        uint64_t hits = count_of(c, "hits"), all = hits + count_of(c, "misses");
        ken_tool__put_row(out, ken_tool__member(c, "name").ptr,
                          ken_arena_printf(arena, "%.1f%% of %llu look-ups were in memory",
                                           all ? 100 * (double)hits / (double)all : 0,
                                           (unsigned long long)all));
    }
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
        ken_arena_printf(&arena,
                         KEN_STR_FMT ", %.0f%% of the source; " KEN_STR_FMT ", " KEN_STR_FMT,
                         KEN_STR_ARG(ken_figure_size(&arena, stored)),
                         bytes ? 100 * (double)stored / (double)bytes : 0,
                         KEN_STR_ARG(ken_figure_n(&arena, count_of(answer, "segments"), "segment")),
                         KEN_STR_ARG(ken_figure_size(&arena, count_of(answer, "segment_bytes")))));
    if (n_errors + n_by_lines)
        ken_tool__put_row(out, "parsing",
                          ken_tool__parsing_text((uint64_t)n_errors, (uint64_t)n_by_lines, &arena));
    put_caches(answer, &arena, out);
    ken_arena_release(&arena);
}

// SPDX-License-Identifier: MIT
// stats: languages, sizes and counts of an index.
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

ken_status ken_tool__stats(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    const ken_args_stats *a = args;
    ken_tool__scope scope;
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

void ken_tool__stats_text(const json_t *answer, ken_paint *out)
{
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

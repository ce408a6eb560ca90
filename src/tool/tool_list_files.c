// SPDX-License-Identifier: MIT
// list_files: what a folder of the index holds.
#include "query/query_folder.h"
#include "tool/tool_graph_priv.h"

typedef struct question {
    const ken_tool_env *env;
    ken_folder_opts opts;
    ken_folder found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_list_folder(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found, err);
}

static void set_counts(json_t *o, const ken_folder_entry *e)
{
    ken_json_set_u64(o, "files", e->n_files);
    ken_json_set_u64(o, "chunks", e->n_chunks);
    ken_json_set_u64(o, "symbols", e->n_symbols);
    ken_json_set_u64(o, "lines", e->n_lines);
    ken_json_set_u64(o, "bytes", e->n_bytes);
}

static json_t *entry_json(const ken_folder_entry *e)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", e->name);
    ken_json_set_str(o, "path", e->path);
    ken_json_set_str(o, "kind", e->is_folder ? KEN_STR("folder") : KEN_STR("file"));
    set_counts(o, e);
    if (e->language.len)
        ken_json_set_str(o, "language", e->language);
    ken_json_set_bool(o, "has_syntax_errors", e->n_with_errors > 0);
    return o;
}

ken_status ken_tool__list_files(const ken_tool_env *env, const void *args, json_t **out,
                                ken_err *err)
{
    const ken_args_list_files *a = args;
    question q = { .env = env,
                   .opts = { .directory = a->directory,
                             .filter = a->filter,
                             .limit = (size_t)a->limit,
                             .offset = (size_t)a->offset } };
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = json_object(), *list = json_array(), *totals = json_object();
    ken_json_set_str(o, "directory", q.found.path);
    for (size_t i = 0; i < q.found.n; i++)
        ken_json_append(list, entry_json(&q.found.entries[i]));
    set_counts(totals, &q.found.whole);
    ken_json_set(o, "entries", list);
    ken_json_set_u64(o, "folders", q.found.n_folders);
    ken_json_set(o, "totals", totals);
    ken_json_set_u64(o, "total", q.found.n_total);
    if (!q.found.n_total && a->filter.len)
        ken_json_set_str(o, "note", KEN_STR("no path below the folder has that part"));
    ken_tool__set_scope(o, &scope);
    ken_tool__fit(o, "entries", env->ctx->max_bytes, "there is more than fits here");
    ken_tool__set_page(o, "entries", "total", a->offset);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

void ken_tool__list_files_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_table(json_object_get(answer, "entries"), "PATH|KIND|LANGUAGE|>FILES|>LINES",
                        "path|kind|language|#files|#lines", out);
    ken_tool__put_page_tail(answer, "entries", "total", out);
}

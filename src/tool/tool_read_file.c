// SPDX-License-Identifier: MIT
// A file of a project as a text: for those who want nothing else of it, and read_file, which gives its lines.
#include "base/figure.h"
#include "query/query_folder.h"
#include "tool/tool_graph_priv.h"

ken_status ken_tool_read_file(ken_app *app, ken_str project, ken_str path, const ken_tool_ctx *ctx,
                              ken_arena *arena, ken_str *out, ken_err *err)
{
    ken_tool_missed missed = { .unread = "" };
    const ken_tool_env env = { .app = app, .ctx = ctx, .arena = arena, .missed = &missed };
    ken_tool__scope scope;
    ken_file_view view;
    ken_status st = ken_tool__open(&env, project, &scope, err);
    if (st)
        return st;
    st = ken_view_file(scope.snap, path, arena, &view, err);
    if (!st)
        *out = ken_arena_dup(arena, view.text);
    ken_tool__close(&env, &scope);
    return st;
}

// ---- read_file ----------------------------------------------------------------------------------

typedef struct question {
    const ken_tool_env *env;
    ken_lines_opts opts;
    ken_lines found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_read_lines(s, &q->opts, q->env->arena, &q->found, err);
}

static void set_lines(json_t *o, const ken_lines *l)
{
    bool has_any = l->last >= l->first;
    ken_json_set_str(o, "file_path", l->path);
    ken_json_set_str(o, "language", l->language);
    ken_json_set_u64(o, "lines", l->n_lines);
    ken_json_set_u64(o, "start_line", has_any ? l->first : 0);
    ken_json_set_u64(o, "end_line", has_any ? l->last : 0);
    ken_json_set_str(o, "content", l->text);
    ken_json_set_bool(o, "has_syntax_errors", l->n_error_bytes > 0);
    ken_json_set_bool(o, "has_secrets", l->is_masked);
    if (l->is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    if (l->is_cut)
        ken_json_set_bool(o, "truncated", true);
    if (l->is_cut && l->last < l->n_lines)
        ken_json_set_u64(o, "next_line", l->last + 1u);
    if (l->is_line_cut)
        ken_json_set_bool(o, "line_cut", true);
}

ken_status ken_tool__read_file(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_read_file *a = args;
    // A third of the answer's size, for JSON has two bytes for a line break and six for some others.
    size_t room = env->ctx->max_bytes / 3, max = (size_t)a->max_bytes;
    question q = { .env = env,
                   .opts = { .path = a->file_path,
                             .first = (uint32_t)a->line_start,
                             .last = a->has_line_end ? (uint32_t)a->line_end : 0,
                             .max_bytes = max < room ? max : room } };
    ken_tool__scope scope;
    if (a->has_line_end && a->line_end < a->line_start)
        return KEN_FAIL(err, KEN_EINVAL, "args.line_end: it is before line_start");
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = json_object();
    set_lines(o, &q.found);
    ken_tool__set_scope(o, &scope);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

void ken_tool__read_file_text(const json_t *answer, ken_paint *out)
{
    ken_str text = ken_tool__member(answer, "content");
    size_t n = (size_t)ken_tool__number(answer, "start_line");
    long long next = ken_tool__number(answer, "next_line");
    ken_paint_path(out, ken_tool__member(answer, "file_path"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, "  " KEN_STR_FMT ", %lld line%s\n",
                     KEN_STR_ARG(ken_tool__member(answer, "language")),
                     ken_tool__number(answer, "lines"),
                     ken_tool__number(answer, "lines") == 1 ? "" : "s");
    ken_paint_code(out, text, n, NULL, 0);
    if (next)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "more: line_start %lld\n", next);
}

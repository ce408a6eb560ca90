// SPDX-License-Identifier: MIT
// Completion of what a person types: names of projects, paths of files, symbols.
#include "tool/tool_priv.h"

enum {
    SYMBOLS_MAX = 50 // of one search
};

static void add_value(ken_tool_completion *c, ken_str value)
{
    c->n_total++;
    if (c->n < KEN_TOOL_COMPLETION_MAX)
        c->values[c->n++] = value;
}

static bool starts_fold(ken_str text, ken_str start)
{
    return text.len >= start.len && ken_str_eq_fold(ken_str_sub(text, 0, start.len), start);
}

static ken_status complete_project(const ken_tool_env *env, ken_str start, ken_tool_completion *c,
                                   ken_err *err)
{
    ken_project_info *projects = NULL, one;
    size_t n = 1;
    ken_status st = KEN_OK;
    if (env->ctx->project.len)
        st = ken_tool__find_project(env, (ken_str){ "", 0 }, projects = &one, err);
    else
        st = ken_app_list_projects(env->app, env->arena, &projects, &n, err);
    for (size_t i = 0; i < n && !st; i++)
        if (starts_fold(projects[i].name, start) || ken_str_starts(projects[i].root, start))
            add_value(c, projects[i].name);
    return st;
}

// Whole paths that begin so, then those whose file name does.
static void complete_path(const ken_tool__scope *scope, ken_str start, ken_tool_completion *c)
{
    const ken_file_row *rows = NULL;
    size_t n = ken_snapshot_list_files(scope->snap, &rows);
    for (size_t i = 0; i < n; i++)
        if (ken_str_starts(rows[i].path, start))
            add_value(c, rows[i].path);
    for (size_t i = 0; i < n && start.len; i++) {
        size_t slash = ken_str_rfind_char(rows[i].path, '/');
        ken_str name =
            ken_str_sub(rows[i].path, slash == SIZE_MAX ? 0 : slash + 1, rows[i].path.len);
        if (starts_fold(name, start) && !ken_str_starts(rows[i].path, start))
            add_value(c, rows[i].path);
    }
}

static bool is_listed(const ken_tool_completion *c, ken_str value)
{
    for (size_t i = 0; i < c->n; i++)
        if (ken_str_eq(c->values[i], value))
            return true;
    return false;
}

// Symbols whose last name begins so; several definitions of one name are one value.
static ken_status complete_symbol(const ken_tool_env *env, const ken_tool__scope *scope,
                                  ken_str start, ken_tool_completion *c, ken_err *err)
{
    const ken_search_opts opts = { .mode = KEN_SEARCH_SYMBOL,
                                   .limit = SYMBOLS_MAX,
                                   .is_verbatim = true };
    ken_search_result r;
    ken_str last = start;
    for (size_t i = 0; i < start.len; i++)
        if (ken_str_find_char(KEN_STR(".:#/"), start.ptr[i]) != SIZE_MAX)
            last = ken_str_sub(start, i + 1, start.len);
    if (!last.len)
        return KEN_OK;
    ken_status st = ken_search(scope->snap, last, &opts, env->ctx->cancel, env->arena, &r, err);
    for (size_t i = 0; !st && i < r.n_hits; i++) {
        ken_str name = r.hits[i].symbol;
        size_t dot = ken_str_rfind_char(name, '.');
        ken_str tail = ken_str_sub(name, dot == SIZE_MAX ? 0 : dot + 1, name.len);
        if ((starts_fold(tail, last) || starts_fold(name, start)) && !is_listed(c, name))
            add_value(c, name);
    }
    if (!st && r.is_truncated)
        c->has_more = true;
    return st;
}

ken_status ken_tool_complete(ken_app *app, ken_tool_complete_kind kind, ken_str start,
                             ken_str project, const ken_tool_ctx *ctx, ken_arena *arena,
                             ken_tool_completion *out, ken_err *err)
{
    ken_tool_missed missed = { .unread = "" };
    const ken_tool_env env = { .app = app, .ctx = ctx, .arena = arena, .missed = &missed };
    ken_tool_completion c = { .values = KEN_ARENA_ARRAY(arena, ken_str, KEN_TOOL_COMPLETION_MAX) };
    ken_status st = KEN_OK;
    if (kind == KEN_COMPLETE_PROJECT) {
        st = complete_project(&env, start, &c, err);
    } else if (kind != KEN_COMPLETE_NOTHING) {
        ken_tool__scope scope;
        st = ken_tool__open(&env, project, &scope, err);
        if (st)
            return st;
        if (kind == KEN_COMPLETE_PATH)
            complete_path(&scope, start, &c);
        else
            st = complete_symbol(&env, &scope, start, &c, err);
        for (size_t i = 0; i < c.n; i++) // what is borrowed of the snapshot
            c.values[i] = ken_arena_dup(arena, c.values[i]);
        ken_tool__close(&env, &scope);
    }
    c.has_more |= c.n_total > c.n;
    if (!st)
        *out = c;
    return st;
}

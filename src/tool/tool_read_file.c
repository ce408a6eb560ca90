// SPDX-License-Identifier: MIT
// A file of a project as a text, for those who want nothing else of it; and whether something changed.
#include "base/hash.h"
#include "base/sorted.h"
#include "tool/tool_priv.h"

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

// What a file is now, or the whole index.
static ken_status state_of(const ken_snapshot *snap, ken_str path, uint64_t *out, ken_err *err)
{
    if (!path.len) {
        *out = ken_snapshot_generation(snap);
        return KEN_OK;
    }
    const ken_file_row *rows;
    size_t n = ken_snapshot_list_files(snap, &rows);
    size_t at = KEN_FIRST_STR(ken_file_row, path, rows, n, path);
    if (at == n || !ken_str_eq(rows[at].path, path))
        return KEN_FAIL(err, KEN_ENOTFOUND, "no indexed file '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_str_sub(path, 0, 200)));
    *out = (uint64_t)rows[at].content;
    return KEN_OK;
}

ken_status ken_tool_state(ken_app *app, ken_str project, ken_str path, const ken_tool_ctx *ctx,
                          uint64_t *out, ken_err *err)
{
    ken_arena arena;
    ken_tool_missed missed = { .unread = "" };
    ken_tool__scope scope;
    ken_arena_init(&arena, 0);
    const ken_tool_env env = { .app = app, .ctx = ctx, .arena = &arena, .missed = &missed };
    ken_status st = ken_tool__open(&env, project, &scope, err);
    if (!st) {
        st = state_of(scope.snap, path, out, err);
        ken_tool__close(&env, &scope);
    }
    ken_arena_release(&arena);
    return st;
}

ken_status ken_tool_projects_state(ken_app *app, uint64_t *out, ken_err *err)
{
    ken_arena arena;
    ken_project_info *projects;
    size_t n;
    ken_buf all = KEN_BUF_INIT(16 << 20);
    ken_arena_init(&arena, 0);
    ken_status st = ken_app_list_projects(app, &arena, &projects, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_buf_put(&all, &projects[i].id, sizeof projects[i].id);
        ken_buf_put_str(&all, projects[i].name);
        ken_buf_putc(&all, '\0');
    }
    if (!st)
        *out = ken_hash_str(ken_buf_str(&all));
    ken_buf_release(&all);
    ken_arena_release(&arena);
    return st;
}

// SPDX-License-Identifier: MIT
// A file of a project as a text, for those who want nothing else of it.
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

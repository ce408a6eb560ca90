// SPDX-License-Identifier: MIT
// Whether something changed: numbers that are others when an answer may be.
#include "base/hash.h"
#include "base/sorted.h"
#include "tool/tool_priv.h"

enum {
    STATE_MAX = 1 << 20 // bytes of what a state is made of
};

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

// ---- of an answer ------------------------------------------------------------------------------

static void put_u64(ken_buf *out, uint64_t n)
{
    ken_buf_printf(out, "%llu\n", (unsigned long long)n);
}

static void put_line(ken_buf *out, ken_str text)
{
    put_u64(out, text.len);
    ken_buf_put_str(out, text);
}

// All that answers take from elsewhere than the files: names, the commit and the place where a remote shows it. An index
// that was made anew counts generations from the beginning, but at another time.
static void put_scope(ken_buf *out, const ken_tool__scope *scope, const ken_tool__link *link)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(scope->project.id, id);
    put_line(out, ken_str_c(id));
    put_line(out, scope->project.name);
    put_line(out, scope->project.root);
    put_u64(out, ken_snapshot_generation(scope->snap));
    put_u64(out, (uint64_t)scope->head.indexed_at_ms);
    put_line(out, scope->head.git_head);
    put_line(out, link->base);
    put_line(out, link->blob);
    put_line(out, link->commit);
    put_line(out, scope->project.further);
    for (size_t i = 0; i < link->roots.n; i++) {
        put_line(out, link->more[i].head);
        put_line(out, link->more[i].base);
    }
}

bool ken_tool_answer_state(ken_app *app, const ken_tool_spec *spec, const json_t *args,
                           const ken_tool_ctx *ctx, uint64_t *out)
{
    ken_arena arena;
    ken_err err = { 0 };
    ken_tool_missed missed = { .unread = "" };
    ken_tool__scope scope;
    ken_str project = ken_tool_named_project(spec, args);
    if (!spec->is_of_index || !project.ptr)
        return false;
    ken_arena_init(&arena, 0);
    ken_buf text = KEN_BUF_INIT(STATE_MAX);
    const ken_tool_env env = {
        .app = app, .ctx = ctx, .arena = &arena, .missed = &missed, .given = args
    };
    bool is_told = !ken_tool__open(&env, project, &scope, &err);
    if (is_told) {
        ken_tool__link link = ken_tool__find_link(ken_app_config(app), &arena, &scope.project);
        put_line(&text, ken_str_c(spec->name));
        put_scope(&text, &scope, &link);
        ken_json_dump(args, &text);
        ken_tool__close(&env, &scope);
        is_told = !missed.unread[0] && !missed.failure.status && !text.is_over;
        *out = ken_hash_str(ken_buf_str(&text));
    }
    ken_buf_release(&text);
    ken_arena_release(&arena);
    return is_told;
}

// SPDX-License-Identifier: MIT
// Which project a call is about, and a snapshot of it.
//
// Named: by id, name or path. Not named: the one project of a bound endpoint; else the project
// around the caller's folder; else that folder's own git work tree, which is registered; else the
// only project there is. No other folder becomes a project by being asked about: that takes
// index_repository or rag_setup. A project that was never indexed is indexed first, when settings allow it.
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/figure.h"
#include "base/path.h"
#include "base/url.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    BUSY_WAIT_NS = 50 * 1000 * 1000
};

ken_str ken_tool__absolute(const ken_tool_env *env, ken_str path)
{
    if (ken_str_starts(path, KEN_STR("/")) || !env->ctx->cwd.len)
        return ken_path_normalise(env->arena, path);
    return ken_path_normalise(env->arena, ken_path_join(env->arena, env->ctx->cwd, path));
}

static bool may_index(const ken_tool_env *env)
{
    return !env->ctx->is_read_only && ken_config_bool(ken_app_config(env->app), KEN_CFG_AUTO_INDEX);
}

ken_str ken_tool__find_work_tree(ken_arena *arena, ken_str dir)
{
    while (dir.len > 1) {
        ken_str mark = ken_path_join(arena, dir, KEN_STR(".git"));
        if (ken_fs_exists(mark.ptr))
            return dir;
        dir = ken_path_dir(dir);
    }
    return (ken_str){ NULL, 0 };
}

// What was tried and did not work leaves no trace when something else did.
static ken_status give_err(ken_status st, const ken_err *tried, ken_err *err)
{
    if (st && err)
        *err = *tried;
    return st;
}

// The git work tree that the caller works in, which becomes a project with the first question: that
// the client was started there is its owner's word. ptr NULL when there is none.
static ken_str own_tree(const ken_tool_env *env)
{
    bool may_add = may_index(env) && !env->ctx->is_reading && env->ctx->cwd.len;
    return may_add ? ken_tool__find_work_tree(env->arena, env->ctx->cwd) : (ken_str){ NULL, 0 };
}

ken_status ken_tool__find_served(const ken_tool_env *env, ken_project_info *out, ken_err *err)
{
    ken_str cwd = env->ctx->cwd;
    ken_err tried = { 0 };
    if (!cwd.len)
        return KEN_ENOTFOUND;
    ken_status st = ken_app_find_project(env->app, cwd, cwd, env->arena, out, &tried);
    if (st != KEN_ENOTFOUND)
        return give_err(st, &tried, err);
    ken_str tree = own_tree(env);
    return tree.ptr ? ken_app_add_client_project(env->app, tree, (ken_str){ "", 0 }, env->arena,
                                                 out, err)
                    : KEN_ENOTFOUND;
}

static ken_status find_unnamed(const ken_tool_env *env, ken_project_info *out, ken_err *err)
{
    const ken_str none = { "", 0 };
    ken_err tried = { 0 };
    ken_status st = ken_tool__find_served(env, out, err);
    if (st != KEN_ENOTFOUND)
        return st;
    st = ken_app_find_project(env->app, none, env->ctx->cwd, env->arena, out, &tried);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "no project is indexed yet; call index_repository with the path "
                        "of a folder");
    return give_err(st, &tried, err);
}

static ken_status find_named(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                             ken_err *err)
{
    bool is_path = ken_str_find_char(ref, '/') != SIZE_MAX || ken_str_starts(ref, KEN_STR("."));
    ken_str what = is_path ? ken_tool__absolute(env, ref) : ref;
    ken_err tried = { 0 };
    ken_status st = ken_app_find_project(env->app, what, env->ctx->cwd, env->arena, out, &tried);
    if (st == KEN_ENOTFOUND && is_path && !env->ctx->project.len) {
        ken_str real, tree = own_tree(env);
        if (tree.ptr && !ken_path_real(env->arena, what, &real, NULL) &&
            (ken_str_eq(real, tree) || ken_str_eq(real, env->ctx->cwd)))
            return ken_app_add_client_project(env->app, real, (ken_str){ "", 0 }, env->arena, out,
                                              err);
        return KEN_FAIL(err, st,
                        "'" KEN_STR_FMT "' is in no project; if it is to be one, call "
                        "index_repository with repo_path '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(ref, 200)),
                        KEN_STR_ARG(ken_utf8_clip(what, 200)));
    }
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "no project '" KEN_STR_FMT "'; list_projects shows those there "
                        "are, index_repository adds one",
                        KEN_STR_ARG(ken_utf8_clip(ken_url_masked(ref, env->arena), 200)));
    return give_err(st, &tried, err);
}

ken_status ken_tool__find_or_add(const ken_tool_env *env, ken_str path, ken_project_info *out,
                                 ken_err *err)
{
    ken_err tried = { 0 };
    if (env->ctx->project.len)
        return ken_tool__find_project(env, path, out, err);
    ken_status st = ken_app_find_project(env->app, path, env->ctx->cwd, env->arena, out, &tried);
    if (st == KEN_ENOTFOUND && may_index(env))
        return ken_app_add_client_project(env->app, path, (ken_str){ "", 0 }, env->arena, out, err);
    return give_err(st, &tried, err);
}

ken_status ken_tool__find_project(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                                  ken_err *err)
{
    ken_str bound = env->ctx->project;
    if (!bound.len)
        return ref.len ? find_named(env, ref, out, err) : find_unnamed(env, out, err);
    ken_project_info p = { .name = { NULL, 0 } }, asked = p;
    ken_status st = ken_app_find_project(env->app, bound, (ken_str){ "", 0 }, env->arena, &p, err);
    if (st)
        return st;
    if (ref.len) {
        st = find_named(env, ref, &asked, err);
        // Another project and no project look the same from here.
        if (st || !ken_uuid_eq(asked.id, p.id))
            return KEN_FAIL(err, KEN_EPERM,
                            "this endpoint serves project '" KEN_STR_FMT "' only; "
                            "leave the project out",
                            KEN_STR_ARG(p.name));
    }
    *out = p;
    return KEN_OK;
}

// ---- snapshots ---------------------------------------------------------------------------------

void ken_tool__on_index(void *ctx, const ken_index_progress *p)
{
    const ken_tool_env *env = ctx;
    char message[120];
    if (!env->ctx->on_progress)
        return;
    // One scale over all stages, so that progress only ever grows: the work is in the second.
    double share = p->n_total ? (double)p->n_done / (double)p->n_total : 0;
    double done = !strcmp(p->stage, "waiting")      ? 0
                  : !strcmp(p->stage, "scanning")   ? 2 * share
                  : !strcmp(p->stage, "committing") ? 96 + 3 * share
                  : !strcmp(p->stage, "embedding")  ? 99 + share
                                                    : 2 + 94 * share;
    if (p->n_total)
        snprintf(message, sizeof message, "%s: %llu of %llu files", p->stage,
                 (unsigned long long)p->n_done, (unsigned long long)p->n_total);
    else
        snprintf(message, sizeof message, "%s", p->stage);
    env->ctx->on_progress(
        env->ctx->progress_ctx,
        &(ken_tool_progress){ .done = done, .total = 100, .message = message, .indexing = p });
}

ken_app_indexing ken_tool__indexing(const ken_tool_env *env, bool is_forced)
{
    return (ken_app_indexing){ .is_forced = is_forced,
                               .on_progress = ken_tool__on_index,
                               .progress_ctx = (void *)(uintptr_t)env }; // not changed
}

static ken_status index_first(const ken_tool_env *env, const ken_project_info *project,
                              ken_err *err)
{
    const ken_app_indexing how = ken_tool__indexing(env, false);
    ken_index_report report;
    return ken_app_index_as_set(env->app, project, &how, env->ctx->cancel, env->arena, &report,
                                err);
}

static void pause_briefly(void)
{
    ken_quota *paused = ken_quota_pause();
    nanosleep(&(struct timespec){ .tv_nsec = BUSY_WAIT_NS }, NULL);
    ken_quota_resume(paused);
}

// Another call or process may be at it: then its turn comes after that.
static ken_status index_in_turn(const ken_tool_env *env, const ken_project_info *project,
                                ken_err *err)
{
    for (;;) {
        ken_err tried = { 0 };
        ken_status st = index_first(env, project, &tried);
        if (st == KEN_EBUSY) {
            pause_briefly();
            st = ken_cancel_check(env->ctx->cancel, &tried);
            if (!st)
                continue;
        }
        return give_err(st, &tried, err);
    }
}

ken_status ken_tool__index_now(const ken_tool_env *env, const ken_project_info *project,
                               ken_err *err)
{
    ken_quota *paused = ken_quota_pause();
    ken_status st =
        may_index(env) && project->root_exists ? index_in_turn(env, project, err) : KEN_OK;
    ken_quota_resume(paused);
    return st;
}

// Another call may be indexing the same project for the first time: then waits for it.
static ken_status ask_app(const ken_tool_env *env, const ken_project_info *project,
                          ken_snapshot **out, int64_t *out_catch_up_ns, ken_err *err)
{
    const ken_app_asking how = { .may_index = may_index(env),
                                 .cancel = env->ctx->cancel,
                                 .on_progress = ken_tool__on_index,
                                 .progress_ctx = (void *)(uintptr_t)env, // not changed
                                 .out_catch_up_ns = out_catch_up_ns };
    ken_err tried = { 0 };
    int64_t began = ken_clock_mono_ns();
    for (bool was_indexed = false;;) {
        int64_t asked = ken_clock_mono_ns();
        ken_status st = ken_app_ask(env->app, project, &how, out, &tried);
        *out_catch_up_ns += asked - began;
        if (st != KEN_ENOTFOUND)
            return give_err(st, &tried, err);
        if (was_indexed || !may_index(env))
            return KEN_FAIL(err, st,
                            "project '" KEN_STR_FMT "' is not indexed yet; call "
                            "index_repository with repo_path '" KEN_STR_FMT "'",
                            KEN_STR_ARG(ken_utf8_clip(project->name, 80)),
                            KEN_STR_ARG(ken_utf8_clip(project->root, 200)));
        st = index_first(env, project, &tried);
        was_indexed = !st;
        if (st == KEN_EBUSY) {
            pause_briefly();
            st = ken_cancel_check(env->ctx->cancel, &tried);
        }
        if (st)
            return give_err(st, &tried, err);
    }
}

ken_status ken_tool__open_project(const ken_tool_env *env, const ken_project_info *project,
                                  ken_tool__scope *out, ken_err *err)
{
    ken_tool__scope scope = { .project = *project, .began_ns = ken_clock_mono_ns() };
    int64_t catch_up_ns = 0;
    ken_tool__note_project(env, project);
    ken_status st = ask_app(env, project, &scope.snap, &catch_up_ns, err);
    if (st)
        return st;
    scope.head = ken_snapshot_get_head(scope.snap);
    scope.opening_ns = ken_clock_mono_ns() - scope.began_ns;
    ken_tool__note_time(env, KEN_TOOL__CATCH_UP, scope.began_ns, catch_up_ns);
    ken_tool__note_time(env, KEN_TOOL__OPEN, scope.began_ns + catch_up_ns,
                        scope.opening_ns - catch_up_ns);
    *out = scope;
    return KEN_OK;
}

// The commit that a call names with `at`; without one the folder's files are meant.
static ken_status find_revision(const ken_tool_env *env, ken_project_info *project, ken_err *err)
{
    const json_t *named = json_object_get(env->given, "at");
    ken_str at = ken_json_text(named);
    ken_err tried = { 0 };
    if (!named)
        return KEN_OK;
    ken_status st =
        ken_app_find_revision(env->app, project, at, env->ctx->cancel, env->arena, project, &tried);
    if (st == KEN_ENOTFOUND && may_index(env)) {
        st = index_first(env, project, &tried);
        if (!st)
            st = ken_app_find_revision(env->app, project, at, env->ctx->cancel, env->arena, project,
                                       &tried);
    }
    if (!st) {
        snprintf(env->missed->commit, sizeof env->missed->commit, KEN_STR_FMT,
                 KEN_STR_ARG(project->commit));
        snprintf(env->missed->at, sizeof env->missed->at, KEN_STR_FMT, KEN_STR_ARG(at));
    }
    return give_err(st, &tried, err);
}

ken_status ken_tool__open(const ken_tool_env *env, ken_str ref, ken_tool__scope *out, ken_err *err)
{
    ken_project_info project = { .name = { NULL, 0 } };
    ken_status st = ken_tool__find_project(env, ref, &project, err);
    if (!st)
        st = find_revision(env, &project, err);
    return st ? st : ken_tool__open_project(env, &project, out, err);
}

void ken_tool__close(const ken_tool_env *env, ken_tool__scope *scope)
{
    if (!scope->snap)
        return;
    ken_err why = { 0 };
    if (ken_snapshot_check(scope->snap, &why) && !env->missed->failure.status)
        env->missed->failure = why;
    ken_str unread = ken_snapshot_unread(scope->snap);
    if (unread.len && !env->missed->unread[0])
        snprintf(env->missed->unread, sizeof env->missed->unread, KEN_STR_FMT, KEN_STR_ARG(unread));
    ken_app_give_back(env->app, &scope->project, scope->snap);
    scope->snap = NULL;
}

// ---- as JSON -----------------------------------------------------------------------------------

// Where the files are whose paths begin with "@NAME/".
static json_t *roots_json(const ken_project_info *p)
{
    ken_arena a;
    ken_arena_init(&a, 1024);
    json_t *o = json_object();
    const ken_roots roots = ken_app_roots(p, &a);
    for (size_t i = 0; i < roots.n; i++)
        ken_json_set_str(o,
                         ken_arena_printf(&a, "@" KEN_STR_FMT, KEN_STR_ARG(roots.more[i].name)).ptr,
                         roots.more[i].path);
    ken_arena_release(&a);
    return o;
}

json_t *ken_tool__langs_json(const ken_snapshot_stats *s, size_t most, bool has_bytes)
{
    json_t *langs = json_array();
    for (size_t i = 0; i < s->n_langs && i < most; i++) {
        json_t *l = json_object();
        ken_json_set_str(l, "language", s->langs[i].language);
        ken_json_set_u64(l, "files", s->langs[i].n_files);
        ken_json_set_u64(l, "lines", s->langs[i].n_lines);
        if (has_bytes)
            ken_json_set_u64(l, "bytes", s->langs[i].n_bytes);
        ken_json_append(langs, l);
    }
    return langs;
}

json_t *ken_tool__project_json(const ken_project_info *p)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(p->id, id);
    json_t *o = json_object();
    ken_json_set_str(o, "id", ken_str_c(id));
    ken_json_set_str(o, "name", p->name);
    ken_json_set_str(o, "root", p->root);
    if (p->further.len)
        ken_json_set(o, "roots", roots_json(p));
    return o;
}

json_t *ken_tool__run_json(const ken_app_run *run)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "pid", (uint64_t)run->pid);
    ken_json_set_str(o, "stage", run->stage);
    ken_json_set_u64(o, "files_done", run->n_done);
    ken_json_set_u64(o, "files_total", run->n_total);
    if (run->left_ms)
        ken_json_set_u64(o, "seconds_left", (uint64_t)(run->left_ms + 999) / 1000);
    return o;
}

ken_str ken_tool__run_text(const json_t *run, ken_arena *a)
{
    const ken_app_run left = { .left_ms = ken_tool__number(run, "seconds_left") * 1000 };
    ken_str stage = ken_tool__member(run, "stage");
    long long total = ken_tool__number(run, "files_total");
    if (!total)
        return stage;
    return ken_arena_printf(
        a, KEN_STR_FMT ", " KEN_STR_FMT " of " KEN_STR_FMT " files" KEN_STR_FMT, KEN_STR_ARG(stage),
        KEN_STR_ARG(ken_figure_count(a, (uint64_t)ken_tool__number(run, "files_done"))),
        KEN_STR_ARG(ken_figure_count(a, (uint64_t)total)),
        KEN_STR_ARG(ken_app_left_text(&left, a)));
}

json_t *ken_tool__index_json(const ken_tool__scope *scope)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "generation", scope->head.generation);
    ken_json_set_time(o, "indexed_at", scope->head.indexed_at_ms);
    return o;
}

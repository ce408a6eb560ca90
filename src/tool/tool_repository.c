// SPDX-License-Identifier: MIT
// add_repository, sync_repository, list_repositories, remove_repository: remote repositories.
#include "app/remotes.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/table.h"
#include "tool/tool_graph_priv.h"

enum {
    PATHS_SHOWN = 20, // of each kind, in text
    SHORT_ID = 10,
};

// ---- what a sync did ---------------------------------------------------------------------------

static void set_changes(json_t *o, const ken_sync_report *r)
{
    static const char *const names[] = { [KEN_SYNC_ADDED] = "added",
                                         [KEN_SYNC_MODIFIED] = "modified",
                                         [KEN_SYNC_DELETED] = "deleted",
                                         [KEN_SYNC_RENAMED] = "renamed" };
    json_t *lists[sizeof names / sizeof *names];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        ken_json_set(o, names[k], lists[k] = json_array());
    for (size_t i = 0; i < r->n_changes; i++) {
        const ken_sync_change *c = &r->changes[i];
        json_t *item = NULL;
        if (c->kind == KEN_SYNC_RENAMED) {
            item = json_object();
            ken_json_set_str(item, "old", c->old_path);
            ken_json_set_str(item, "new", c->path);
        } else {
            item = ken_json_str(c->path);
        }
        ken_json_append(lists[c->kind], item);
    }
    ken_json_set_u64(o, "total", r->n_changes);
}

static json_t *synced_json(const ken_tool_env *env, const ken_project_info *project,
                           const ken_remote *remote, const ken_app_sync_report *r)
{
    const ken_sync_report *s = &r->synced;
    json_t *o = json_object();
    bool is_same = ken_str_eq(s->from, s->commit);
    ken_json_set_str(o, "status", is_same ? KEN_STR("up_to_date") : KEN_STR("synced"));
    ken_json_set(o, "project", ken_tool__project_json(project));
    ken_json_set(o, "remote", ken_app_remote_json(remote));
    ken_json_set(o, "from_commit", s->from.len ? ken_json_str(s->from) : NULL);
    ken_json_set_str(o, "to_commit", s->commit);
    set_changes(o, s);
    if (!s->from.len)
        ken_json_set_str(o, "note", KEN_STR("the first sync: every file is new"));
    else if (!is_same && !s->knows_changes)
        ken_json_set_str(o, "note",
                         KEN_STR("the commit before is not in the clone any more, so the changed "
                                 "files are not known"));
    ken_json_set_bool(o, "fetched_anew", s->is_anew);
    ken_json_set_u64(o, "files_indexed", r->indexed.n_files);
    ken_json_set_u64(o, "files_parsed", r->indexed.n_parsed);
    ken_json_set_u64(o, "generation", r->indexed.generation);
    ken_json_set_real(o, "fetch_seconds", (double)r->fetch_ms / 1000);
    ken_json_set_real(o, "index_seconds", (double)r->index_ms / 1000);
    static const char *const lists[] = { "added", "modified", "deleted", "renamed" };
    ken_tool__fit_lists(o, lists, sizeof lists / sizeof *lists, env->ctx->max_bytes,
                        "more files changed than fit here");
    return o;
}

static ken_status sync_remote(const ken_tool_env *env, const ken_project_info *project,
                              bool is_forced, json_t **out, ken_err *err)
{
    ken_remote remote;
    ken_app_sync_report r;
    const ken_app_sync_opts opts = { .indexing = ken_tool__indexing(env, is_forced) };
    ken_status st = ken_app_sync(env->app, project, &opts, env->ctx->cancel, env->arena, &r, err);
    if (!st)
        st = ken_app_find_remote(env->app, project, env->arena, &remote, err);
    if (!st)
        *out = synced_json(env, project, &remote, &r);
    return st;
}

// ---- the operations ----------------------------------------------------------------------------

ken_status ken_tool__add_repository(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_add_repository *a = args;
    ken_project_info project;
    ken_remote remote;
    if (env->ctx->project.len)
        return KEN_FAIL(err, KEN_EPERM, "this endpoint serves one project only");
    ken_buf sparse = KEN_BUF_INIT(KEN_REMOTE_SPARSE_MAX + 1);
    for (size_t i = 0; i < json_array_size(a->sparse); i++) {
        if (i)
            ken_buf_putc(&sparse, '\n');
        ken_buf_put_str(&sparse, ken_json_text(json_array_get(a->sparse, i)));
    }
    ken_str patterns = ken_arena_dup(env->arena, ken_buf_str(&sparse));
    bool is_over = sparse.is_over;
    ken_buf_release(&sparse);
    if (is_over)
        return KEN_FAIL(err, KEN_ELIMIT, "args.sparse: the patterns are over %d bytes in all",
                        KEN_REMOTE_SPARSE_MAX);
    const ken_app_remote_opts opts = { .url = a->url,
                                       .branch = a->branch,
                                       .name = a->name,
                                       .sparse = patterns,
                                       .has_depth = a->has_depth,
                                       .depth = (uint32_t)a->depth,
                                       .has_interval = a->has_interval_seconds,
                                       .interval_s = (uint32_t)a->interval_seconds };
    ken_status st = ken_app_add_remote(env->app, &opts, env->arena, &project, &remote, err);
    if (st)
        return ken_err_wrap(err, "args");
    ken_err why = { 0 };
    st = sync_remote(env, &project, false, out, &why);
    // Of a first one that failed nothing is kept: the URL may be wrong.
    if (st && !remote.synced_at_ms && st != KEN_EBUSY)
        (void)!ken_app_remove_project(env->app, &project, NULL);
    if (st && err)
        *err = why;
    return st;
}

// A folder of somebody's own: git's state in it is theirs.
static ken_status index_folder(const ken_tool_env *env, const ken_project_info *project,
                               bool is_forced, json_t **out, ken_err *err)
{
    const ken_app_indexing how = ken_tool__indexing(env, is_forced);
    ken_index_report r;
    ken_status st =
        ken_app_index_as_set(env->app, project, &how, env->ctx->cancel, env->arena, &r, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set_str(o, "status", KEN_STR("indexed"));
    ken_json_set(o, "project", ken_tool__project_json(project));
    ken_json_set(o, "remote", NULL);
    ken_json_set_u64(o, "total", r.n_added + r.n_modified + r.n_removed);
    ken_json_set_u64(o, "files_indexed", r.n_files);
    ken_json_set_u64(o, "files_parsed", r.n_parsed);
    ken_json_set_u64(o, "generation", r.generation);
    ken_json_set_real(o, "index_seconds", (double)r.duration_ms / 1000);
    *out = o;
    return KEN_OK;
}

ken_status ken_tool__sync_repository(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_sync_repository *a = args;
    ken_project_info project;
    ken_remote remote;
    ken_status st = ken_tool__find_project(env, a->project, &project, err);
    if (st)
        return st;
    ken_tool__note_project(env, &project);
    st = ken_app_find_remote(env->app, &project, env->arena, &remote, err);
    if (st == KEN_ENOTFOUND)
        return index_folder(env, &project, a->force, out, err);
    return st ? st : sync_remote(env, &project, a->force, out, err);
}

static const char *state_of(const ken_remote *r, int64_t now_ms)
{
    if (r->n_failures)
        return "failing";
    if (!r->synced_at_ms)
        return "never_synced";
    return ken_app_next_sync_ms(r) <= now_ms ? "due" : "synced";
}

json_t *ken_tool__remote_json(const ken_remote *r)
{
    json_t *o = ken_app_remote_json(r);
    int64_t next = ken_app_next_sync_ms(r);
    ken_json_set_str(o, "state", ken_str_c(state_of(r, ken_clock_wall_ms())));
    if (next == INT64_MAX)
        ken_json_set(o, "next_sync", NULL);
    else
        ken_json_set_time(o, "next_sync", next);
    return o;
}

ken_status ken_tool__list_repositories(const ken_tool_env *env, const void *args, json_t **out,
                                       ken_err *err)
{
    (void)args;
    ken_remote *remotes = NULL;
    size_t n = 0, n_shown = 0;
    ken_status st = ken_app_list_remotes(env->app, env->arena, &remotes, &n, err);
    if (st)
        return st;
    json_t *list = json_array(), *o = json_object();
    for (size_t i = 0; i < n; i++) {
        char id[KEN_UUID_TEXT];
        ken_project_info project;
        ken_uuid_format(remotes[i].project, id);
        if (ken_tool__find_project(env, ken_str_c(id), &project, NULL))
            continue; // not of this endpoint
        json_t *row = ken_tool__remote_json(&remotes[i]);
        ken_json_set(row, "project", ken_tool__project_json(&project));
        ken_tool__set_upstream(env, &project, &remotes[i], row);
        ken_json_append(list, row);
        n_shown++;
    }
    ken_json_set(o, "repositories", list);
    ken_json_set_u64(o, "total", n_shown);
    if (!n_shown)
        ken_json_set_str(o, "hint", KEN_STR("there are none; 'ken repo add URL' adds one"));
    ken_tool__fit(o, "repositories", env->ctx->max_bytes, "there are more than fit here");
    *out = o;
    return KEN_OK;
}

ken_status ken_tool__remove_repository(const ken_tool_env *env, const void *args, json_t **out,
                                       ken_err *err)
{
    const ken_args_remove_repository *a = args;
    ken_project_info project;
    ken_remote remote;
    ken_status st = ken_tool__find_project(env, a->project, &project, err);
    if (st)
        return st;
    st = ken_app_find_remote(env->app, &project, env->arena, &remote, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "project '" KEN_STR_FMT
                        "' is a folder of yours, not a clone that ken keeps; "
                        "'ken projects remove' forgets it",
                        KEN_STR_ARG(project.name));
    if (!st && !a->confirm)
        st =
            KEN_FAIL(err, KEN_EINVAL,
                     "args.confirm: removing the clone and the index of '" KEN_STR_FMT "' needs it",
                     KEN_STR_ARG(project.name));
    return st ? st : ken_tool__remove(env, &project, out, err);
}

// ---- text --------------------------------------------------------------------------------------

static void put_paths(const json_t *answer, const char *key, const char *sign, ken_paint *out)
{
    const json_t *list = json_object_get(answer, key);
    size_t n = json_array_size(list), n_shown = n < PATHS_SHOWN ? n : PATHS_SHOWN;
    for (size_t i = 0; i < n_shown; i++) {
        const json_t *item = json_array_get(list, i);
        ken_paint_puts(out, sign);
        if (json_is_object(item)) {
            ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(item, "old"));
            ken_paint_puts(out, " -> ");
            ken_paint_path(out, ken_tool__member(item, "new"));
        } else {
            ken_paint_path(out, ken_json_text(item));
        }
        ken_paint_puts(out, "\n");
    }
    if (n_shown < n)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "%sand %zu more\n", sign, n - n_shown);
}

void ken_tool__sync_repository_text(const json_t *answer, ken_paint *out)
{
    ken_str to = ken_tool__member(answer, "to_commit"),
            from = ken_tool__member(answer, "from_commit");
    ken_str status = ken_tool__member(answer, "status"),
            branch = ken_tool__member(json_object_get(answer, "remote"), "branch");
    ken_paint_str(out, KEN_STYLE_PATH,
                  ken_tool__member(json_object_get(answer, "project"), "name"));
    if (ken_str_eq_c(status, "indexed"))
        ken_paint_puts(out, ": indexed; it is a folder of yours, so nothing was fetched");
    else if (ken_str_eq_c(status, "up_to_date"))
        ken_paint_printf(out, KEN_STYLE_PLAIN, ": nothing new on " KEN_STR_FMT " at " KEN_STR_FMT,
                         KEN_STR_ARG(branch), KEN_STR_ARG(ken_str_sub(to, 0, SHORT_ID)));
    else
        ken_paint_printf(out, KEN_STYLE_PLAIN,
                         ": " KEN_STR_FMT " is at " KEN_STR_FMT "%s" KEN_STR_FMT,
                         KEN_STR_ARG(branch), KEN_STR_ARG(ken_str_sub(to, 0, SHORT_ID)),
                         from.len ? ", was at " : "", KEN_STR_ARG(ken_str_sub(from, 0, SHORT_ID)));
    ken_paint_printf(out, KEN_STYLE_PLAIN, "; %lld file%s, %lld parsed\n",
                     ken_tool__number(answer, "files_indexed"),
                     ken_tool__number(answer, "files_indexed") == 1 ? "" : "s",
                     ken_tool__number(answer, "files_parsed"));
    put_paths(answer, "deleted", "  - ", out);
    put_paths(answer, "renamed", "  > ", out);
    put_paths(answer, "added", "  + ", out);
    put_paths(answer, "modified", "  ~ ", out);
    ken_tool__put_tail(answer, out);
}

void ken_tool__add_repository_text(const json_t *answer, ken_paint *out)
{
    ken_tool__sync_repository_text(answer, out);
}

void ken_tool__list_repositories_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "repositories");
    const int64_t now = ken_clock_wall_ms();
    ken_arena a;
    ken_table t;
    ken_arena_init(&a, 0);
    ken_table_init(&t, &a, "name|state|branch|commit|synced|url");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        int64_t at = 0;
        bool is_dated = ken_clock_parse_ms(ken_tool__member(r, "last_synced"), &at);
        ken_table_add(&t, ken_tool__member(json_object_get(r, "project"), "name"));
        ken_table_add(&t, ken_tool__member(r, "state"));
        ken_table_add(&t, ken_tool__member(r, "branch"));
        ken_table_add(&t, ken_str_sub(ken_tool__member(r, "commit"), 0, SHORT_ID));
        ken_table_add(&t, ken_figure_age(&a, is_dated ? at : 0, now));
        ken_table_add(&t, ken_tool__member(r, "url"));
    }
    if (json_array_size(list))
        ken_table_paint(&t, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        if (!ken_tool__member(r, "error").len)
            continue;
        ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(json_object_get(r, "project"), "name"));
        ken_paint_puts(out, ": ");
        ken_paint_str(out, KEN_STYLE_BAD, ken_tool__member(r, "error"));
        ken_paint_puts(out, "\n");
    }
    ken_tool__put_tail(answer, out);
    ken_arena_release(&a);
}

void ken_tool__remove_repository_text(const json_t *answer, ken_paint *out)
{
    ken_paint_puts(out, "removed the clone and the index of ");
    ken_paint_str(out, KEN_STYLE_PATH,
                  ken_tool__member(json_object_get(answer, "project"), "name"));
    ken_paint_puts(out, "\n");
}

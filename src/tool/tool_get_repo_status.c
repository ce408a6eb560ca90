// SPDX-License-Identifier: MIT
// get_repo_status: the state of one project's index, and what changed on disk since.
#include <stdlib.h>

#include "app/follow.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/path.h"
#include "scan/scan.h"
#include "store/database.h"
#include "store/store.h"
#include "tool/tool_graph_priv.h"

enum {
    EXAMPLES_MAX = 10,
    LANGS_MAX = 20
};

typedef struct pending {
    uint64_t n_added, n_modified, n_removed;
    json_t *examples;
} pending;

static void note(pending *p, uint64_t *count, const char *mark, ken_str path)
{
    ++*count;
    if (json_array_size(p->examples) < EXAMPLES_MAX) {
        ken_buf b = KEN_BUF_INIT(8192);
        ken_buf_printf(&b, "%s ", mark);
        ken_buf_put_str(&b, path);
        ken_json_append(p->examples, ken_json_str(ken_buf_str(&b)));
        ken_buf_release(&b);
    }
}

static int by_path(const void *key, const void *row)
{
    return ken_str_cmp(*(const ken_str *)key, ((const ken_skip_row *)row)->path);
}

static int skip_order(const void *a, const void *b)
{
    return ken_str_cmp(((const ken_skip_row *)a)->path, ((const ken_skip_row *)b)->path);
}

static bool is_of_gone(const ken_scan_result *disk, ken_str path)
{
    for (size_t i = 0; i < disk->n_gone; i++) {
        const ken_roots one = { .fd = -1, .more = (ken_root *)(uintptr_t)disk->gone[i], .n = 1 };
        ken_str below;
        if (ken_roots_find(&one, path, &below))
            return true;
    }
    return false;
}

// Both lists are sorted by path. A candidate that was left out for its content is not pending.
static void compare(const ken_scan_result *disk, const ken_file_row *rows, size_t n_rows,
                    const ken_skip_row *skips, size_t n_skips, pending *p)
{
    size_t i = 0, k = 0;
    while (i < disk->n_files || k < n_rows) {
        int c = i == disk->n_files ? 1
                : k == n_rows      ? -1
                                   : ken_str_cmp(disk->files[i].path, rows[k].path);
        if (c > 0 && is_of_gone(disk, rows[k].path)) { // kept as it is
            k++;
            continue;
        }
        if (c > 0) {
            note(p, &p->n_removed, "D", rows[k++].path);
            continue;
        }
        const ken_scan_file *f = &disk->files[i++];
        if (c == 0) {
            if (!ken_fs_stamp_eq(f->stamp, rows[k++].stamp))
                note(p, &p->n_modified, "M", f->path);
        } else if (!n_skips || !bsearch(&f->path, skips, n_skips, sizeof *skips, by_path)) {
            note(p, &p->n_added, "A", f->path);
        }
    }
}

static ken_status scan_root(const ken_tool_env *env, const ken_project_info *project,
                            ken_scan_result *out, ken_err *err)
{
    ken_config *settings = NULL;
    ken_str root = ken_arena_dup(env->arena, project->root);
    ken_status st = ken_app_load_settings(env->app, project, &settings, err);
    if (st)
        return st;
    ken_index_opts opts = ken_app_index_opts(settings);
    ken_roots *roots =
        KEN_ARENA_NEW(env->arena, ken_roots); // those that are gone are of the result
    *roots = ken_app_roots(project, env->arena);
    opts.scan.roots = roots;
    st = ken_scan(root.ptr, &opts.scan, env->ctx->cancel, env->arena, out, err);
    ken_config_free(settings);
    return st;
}

static ken_status find_pending(const ken_tool_env *env, ken_snapshot *snap,
                               const ken_scan_result *disk, pending *out, ken_err *err)
{
    const ken_file_row *rows = NULL;
    ken_skip_row *skips = NULL;
    size_t n_rows = ken_snapshot_list_files(snap, &rows), n_skips = 0;
    ken_status st = ken_snapshot_list_skips(snap, KEN_SKIP_NONE, SIZE_MAX / 4096, env->arena,
                                            &skips, &n_skips, err);
    if (st)
        return st;
    if (n_skips)
        qsort(skips, n_skips, sizeof *skips, skip_order);
    compare(disk, rows, n_rows, skips, n_skips, out);
    return KEN_OK;
}

static json_t *pending_json(const pending *p)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "total", p->n_added + p->n_modified + p->n_removed);
    ken_json_set_u64(o, "added", p->n_added);
    ken_json_set_u64(o, "modified", p->n_modified);
    ken_json_set_u64(o, "removed", p->n_removed);
    ken_json_set(o, "examples", json_incref(p->examples));
    return o;
}

static void set_stats(json_t *o, const ken_snapshot_stats *s)
{
    json_t *skips = json_object();
    ken_json_set_u64(o, "generation", s->generation);
    ken_json_set_u64(o, "files", s->n_files);
    ken_json_set_u64(o, "chunks", s->n_chunks);
    ken_json_set_u64(o, "symbols", s->n_symbols);
    ken_json_set_u64(o, "lines", s->n_lines);
    ken_json_set_u64(o, "bytes", s->n_bytes);
    ken_json_set_u64(o, "store_bytes", s->store_bytes);
    ken_json_set_u64(o, "files_with_syntax_errors", s->n_error_files);
    ken_json_set_u64(o, "files_cut_by_lines", s->n_fallback_files);
    for (int i = 1; i < KEN_SKIP_COUNT; i++) {
        if (s->skips[i])
            ken_json_set_u64(skips, ken_skip_word((ken_skip_reason)i), s->skips[i]);
    }
    ken_json_set(o, "languages", ken_tool__langs_json(s, LANGS_MAX, false));
    ken_json_set(o, "skipped", skips);
}

static void set_commit(json_t *o, const char *key, ken_str commit)
{
    ken_json_set(o, key, commit.len ? ken_json_str(commit) : NULL);
}

// A model may be there and a server named: what counts is whether the last try made vectors.
static void set_failure(const ken_tool_env *env, const ken_project_info *project,
                        const ken_model_record *m, json_t *o)
{
    ken_str text = { "", 0 };
    if (ken_str_eq_c(m->provider, "builtin") || m->status != KEN_MODEL_READY)
        return;
    ken_status st = ken_app_load_embed_failure(env->app, project, env->arena, &text);
    if (!st)
        return;
    json_t *failure = json_object();
    ken_json_set_str(o, "status", KEN_STR("error"));
    ken_json_set_str(failure, "code", ken_str_c(ken_status_name(st)));
    ken_json_set_str(failure, "message", text);
    ken_json_set(o, "last_failure", failure);
}

// Which model makes its vectors, and where its code is sent for them: null when nowhere.
static void set_embedding(const ken_tool_env *env, const ken_project_info *project, json_t *o)
{
    ken_config *settings = NULL;
    ken_model_record m = { 0 };
    ken_err e = { 0 };
    json_t *v = json_object();
    ken_status st = ken_app_load_settings(env->app, project, &settings, &e);
    if (!st)
        st = ken_app_project_model(env->app, project, settings, env->arena, &m, &e);
    if (st) {
        ken_json_set_str(v, "error", ken_str_c(e.msg));
    } else {
        ken_json_set_str(v, "provider", m.provider);
        ken_json_set_str(v, "model", m.id);
        ken_json_set(v, "version", m.sha256.len ? ken_json_str(m.sha256) : NULL);
        ken_json_set_str(v, "status", ken_str_c(ken_model_status_word(m.status)));
        set_failure(env, project, &m, v);
        ken_json_set(v, "sent_to", m.url.len ? ken_json_str(m.url) : NULL);
    }
    ken_json_set(o, "embedding", v);
    ken_config_free(settings);
}

static void set_cost(json_t *o, const ken_index_cost *cost)
{
    if (!cost->n_texts)
        return;
    ken_json_set_u64(o, "texts", cost->n_texts);
    ken_json_set_real(o, "seconds", (double)cost->n_ms / 1000);
}

// Whose vectors answer, what they have cost, and which are to replace them.
static void set_vectors(const ken_tool_env *env, const ken_project_info *project, json_t *o)
{
    ken_index_vectors v;
    if (ken_app_load_vectors(env->app, project, env->arena, &v, NULL))
        return;
    json_t *j = json_object(), *next = NULL;
    ken_json_set_str(j, "model", ken_str_c(v.active));
    ken_json_set_bool(j, "is_builtin", v.is_builtin);
    ken_json_set_u64(j, "dims", v.n_dims);
    ken_json_set_u64(j, "complete", v.n_active);
    ken_json_set_u64(j, "total", v.n_contents);
    ken_json_set_u64(j, "chunks", v.n_active_chunks);
    ken_json_set_u64(j, "total_chunks", v.n_chunks);
    ken_json_set_u64(j, "bytes", v.n_bytes);
    set_cost(j, &v.cost);
    if (*v.next) {
        next = json_object();
        ken_json_set_str(next, "model", ken_str_c(v.next));
        ken_json_set_u64(next, "complete", v.n_next);
        set_cost(next, &v.next_cost);
    }
    if (v.made_at_ms)
        ken_json_set_time(j, "made_at", v.made_at_ms);
    ken_json_set(j, "next", next);
    ken_json_set(o, "vectors", j);
}

// Of a project that was indexed and whose folder is there.
static ken_status add_state(const ken_tool_env *env, const ken_project_info *project, json_t *o,
                            ken_err *err)
{
    ken_snapshot *snap = NULL;
    ken_snapshot_stats stats;
    ken_scan_result disk;
    pending p = { .examples = NULL };
    const int64_t checked_at_ms = ken_clock_wall_ms();   // of what came later nothing is said
    ken_status st = scan_root(env, project, &disk, err); // takes long, so no snapshot waits for it
    if (!st)
        st = ken_app_borrow(env->app, project, &snap, err);
    if (st)
        return st;
    st = ken_snapshot_get_stats(snap, env->arena, &stats, err);
    if (!st) {
        p.examples = json_array();
        st = find_pending(env, snap, &disk, &p, err);
    }
    if (!st) {
        bool is_stale = p.n_added || p.n_modified || p.n_removed;
        bool is_partial = ken_snapshot_is_partial(snap);
        ken_json_set_str(o, "status",
                         is_partial ? KEN_STR("partial")
                         : is_stale ? KEN_STR("stale")
                                    : KEN_STR("ready"));
        set_commit(o, "current_commit", ken_app_read_head(project->root, env->arena));
        set_commit(o, "indexed_commit", stats.git_head);
        set_commit(o, "branch", stats.git_branch);
        ken_json_set_time(o, "last_sync", stats.indexed_at_ms);
        ken_json_set_time(o, "checked_at", checked_at_ms);
        ken_json_set(o, "pending_changes", pending_json(&p));
        set_stats(o, &stats);
        set_embedding(env, project, o);
        set_vectors(env, project, o);
        if (is_partial)
            ken_json_set_str(o, "hint", ken_arena_dup(env->arena, ken_snapshot_unread(snap)));
        else if (is_stale)
            ken_json_set_str(o, "hint",
                             KEN_STR("files changed since the last sync; call "
                                     "{index_repository} to bring the index up to date"));
    }
    json_decref(p.examples);
    ken_app_give_back(env->app, project, snap);
    return st;
}

// ---- files that are left out --------------------------------------------------------------------

static ken_skip_reason reason_of(ken_str word)
{
    for (int i = 1; i < KEN_SKIP_COUNT; i++)
        if (ken_str_eq_c(word, ken_skip_word((ken_skip_reason)i)))
            return (ken_skip_reason)i;
    return KEN_SKIP_NONE;
}

// Of all that is left out, or of what is ignored, files that git ignores are the rest.
static ken_status note_rest(const ken_tool_env *env, ken_str wanted,
                            const ken_project_info *project, size_t n_listed, json_t *o,
                            ken_err *err)
{
    uint64_t n = 0;
    ken_status st = KEN_OK;
    if (ken_str_eq_c(wanted, "all") || ken_str_eq_c(wanted, "ignored"))
        st = ken_app_count_ignored(project, env->ctx->cancel, env->arena, &n, err);
    if (!st && n) {
        ken_json_set_str(o, "note",
                         ken_arena_printf(env->arena,
                                          "%s%llu more file%s or folder%s that git ignores %s not "
                                          "listed; 'git status --ignored' names them",
                                          n_listed ? "" : "nothing else was skipped; ",
                                          (unsigned long long)n, n == 1 ? "" : "s",
                                          n == 1 ? "" : "s", n == 1 ? "is" : "are"));
    } else if (!st && !n_listed) {
        ken_json_set_str(o, "note", KEN_STR("nothing was skipped"));
    }
    return st;
}

static ken_status list_skips(const ken_tool_env *env, const ken_args_get_repo_status *a,
                             const ken_project_info *project, json_t *o, ken_err *err)
{
    ken_scan_skip *rows = NULL;
    size_t n = 0;
    json_t *list = json_array();
    ken_status st = ken_app_list_skips(env->app, project, reason_of(a->skipped), SIZE_MAX,
                                       env->arena, &rows, &n, err);
    for (uint64_t i = a->offset; i < n && i - a->offset < a->limit && !st; i++) {
        json_t *row = json_object();
        ken_json_set_str(row, "file_path", rows[i].path);
        ken_json_set_str(row, "reason", ken_str_c(ken_skip_word(rows[i].reason)));
        ken_json_append(list, row);
    }
    ken_json_set(o, "skipped", list);
    ken_json_set_u64(o, "total", n);
    if (!st)
        st = note_rest(env, a->skipped, project, n, o, err);
    ken_tool__fit(o, "skipped", env->ctx->max_bytes, "more files than fit here");
    ken_tool__set_page(o, "skipped", "total", a->offset);
    return st;
}

// ---- what the last runs changed ----------------------------------------------------------------

static ken_status list_changes(const ken_tool_env *env, const ken_args_get_repo_status *a,
                               const ken_project_info *project, json_t *o, ken_err *err)
{
    ken_snapshot *snap = NULL;
    ken_file_event *events = NULL;
    size_t n = 0;
    json_t *list = json_array();
    ken_json_set(o, "changes", list);
    ken_status st = ken_app_borrow(env->app, project, &snap, err);
    if (st)
        return st;
    st = ken_index_load_events(ken_snapshot_store(snap), env->arena, &events, &n, err);
    for (uint64_t i = a->offset; i < n && i - a->offset < a->limit && !st; i++) {
        const ken_file_event *e = &events[n - 1 - i]; // newest first
        json_t *row = json_object();
        ken_json_set_str(row, "file_path", e->path);
        if (e->old_path.len)
            ken_json_set_str(row, "old_path", e->old_path);
        ken_json_set_str(row, "event", ken_str_c(ken_file_event_word(e->kind)));
        ken_json_set_u64(row, "generation", e->generation);
        ken_json_set_time(row, "at", e->at_ms);
        ken_json_append(list, row);
    }
    ken_json_set_u64(o, "total", n);
    if (!st && !n)
        ken_json_set_str(o, "note", KEN_STR("no run since the first has changed a file"));
    ken_app_give_back(env->app, project, snap);
    ken_tool__fit(o, "changes", env->ctx->max_bytes, "more changes than fit here");
    ken_tool__set_page(o, "changes", "total", a->offset);
    return st;
}

// ---- the answer ---------------------------------------------------------------------------------

static void set_unindexed(const ken_tool_env *env, ken_str root, json_t *o)
{
    ken_json_set_str(o, "status", KEN_STR("not_indexed"));
    set_commit(o, "current_commit", ken_app_read_head(root, env->arena));
    ken_json_set_str(o, "hint",
                     KEN_STR("call {index_repository}, or search: the first search indexes"));
}

// Whether a first run that has not ended has something to show.
static bool has_begun(const ken_tool_env *env, const ken_project_info *project)
{
    ken_snapshot *snap = NULL;
    if (ken_app_borrow(env->app, project, &snap, NULL))
        return false;
    ken_app_give_back(env->app, project, snap);
    return true;
}

// The file of its index, or its name in a database.
static ken_str place_of(const ken_project_info *project, ken_arena *arena)
{
    if (!project->database)
        return project->db_path;
    return ken_arena_printf(arena, "%s#" KEN_STR_FMT, ken_database_name(project->database),
                            KEN_STR_ARG(project->db_path));
}

// Where the database has one: whether it is asked, and why not, as it was last looked at.
static void set_replica(const ken_project_info *project, json_t *o)
{
    ken_replica_usage r = { .exists = false };
    if (project->database)
        r = ken_database_get_replica(project->database);
    if (!r.exists)
        return;
    if (!r.is_known) { // once in a process
        ken_database_check_replica(project->database);
        r = ken_database_get_replica(project->database);
    }
    json_t *replica = json_object();
    ken_json_set_str(replica, "state",
                     r.is_down     ? KEN_STR("down")
                     : r.is_other  ? KEN_STR("other")
                     : r.is_behind ? KEN_STR("behind")
                                   : KEN_STR("used"));
    if (r.why[0])
        ken_json_set_str(replica, "reason", ken_str_c(r.why));
    json_object_set_new(o, "replica", replica);
}

static ken_status set_status(const ken_tool_env *env, const ken_project_info *project, json_t *o,
                             ken_err *err)
{
    ken_json_set_str(o, "index_path", place_of(project, env->arena));
    set_replica(project, o);
    if (project->is_archived) {
        ken_json_set_str(o, "status", KEN_STR("archived"));
        ken_json_set_time(o, "last_sync", project->indexed_at_ms);
        return KEN_OK;
    }
    if (!project->root_exists) {
        ken_json_set_str(o, "status", KEN_STR("missing"));
        ken_json_set_time(o, "last_sync", project->indexed_at_ms);
        ken_json_set_str(o, "hint",
                         project->database
                             ? KEN_STR("the project's folder is not on this machine: questions are "
                                       "answered from the database, as it was indexed elsewhere")
                             : KEN_STR("the project's folder is gone; {index_repository} with "
                                       "its new path makes a new project"));
        return KEN_OK;
    }
    if (project->indexed_at_ms || has_begun(env, project))
        return add_state(env, project, o, err);
    set_unindexed(env, project->root, o);
    return KEN_OK;
}

// Of a clone that ken keeps: where it comes from, and how the last sync went.
static ken_status set_remote(const ken_tool_env *env, const ken_project_info *project, json_t *o,
                             ken_err *err)
{
    ken_remote r;
    ken_status st = ken_app_find_remote(env->app, project, env->arena, &r, err);
    if (!st)
        ken_json_set(o, "remote", ken_tool__remote_json(&r));
    if (!st || st == KEN_ENOTFOUND)
        ken_tool__set_upstream(env, project, st ? NULL : &r, o);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

// What some process is at: an index is written by one at a time.
static void set_run(const ken_tool_env *env, const ken_project_info *project, json_t *o)
{
    ken_app_run run;
    if (ken_app_find_run(env->app, project, env->arena, &run))
        ken_json_set(o, "indexing", ken_tool__run_json(&run));
}

// Whether the server that answers follows the folder without questions.
static void set_watch(const ken_tool_env *env, const ken_project_info *project, json_t *o)
{
    ken_app_followed how;
    if (!ken_app_find_followed(env->app, project->id, &how))
        return;
    json_t *watch = json_object();
    ken_json_set_str(watch, "how", how.is_polled ? KEN_STR("polled") : KEN_STR("kernel"));
    ken_json_set_bool(watch, "is_behind", how.is_behind);
    ken_json_set_u64(watch, "entries", how.n_watched);
    ken_json_set(o, "watch", watch);
}

// A folder that is no project yet looks like a project that was not indexed yet, without an id.
static json_t *unknown_json(const ken_tool_env *env, ken_str root)
{
    json_t *o = json_object(), *project = json_object();
    ken_json_set(project, "id", NULL);
    ken_json_set_str(project, "name", ken_path_base(root));
    ken_json_set_str(project, "root", root);
    ken_json_set(o, "project", project);
    set_unindexed(env, root, o);
    return o;
}

static ken_status find_project(const ken_tool_env *env, const ken_args_get_repo_status *a,
                               ken_project_info *out, ken_err *err)
{
    ken_err tried = { 0 };
    if (!a->root.len)
        return ken_tool__find_project(env, a->project, out, err);
    if (env->ctx->project.len)
        return ken_tool__find_project(env, a->root, out, err);
    ken_str root = ken_tool__absolute(env, a->root);
    ken_status st = ken_app_find_project(env->app, root, KEN_STR(""), env->arena, out, &tried);
    if (!st && !ken_str_eq(out->root, root)) // a folder of a project is none
        return KEN_ENOTFOUND;
    if (st && st != KEN_ENOTFOUND && err)
        *err = tried;
    return st;
}

ken_status ken_tool__get_repo_status(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_get_repo_status *a = args;
    ken_project_info project;
    ken_status st = find_project(env, a, &project, err);
    if (st == KEN_ENOTFOUND && a->root.len && !env->ctx->project.len) {
        *out = unknown_json(env, ken_tool__absolute(env, a->root));
        return KEN_OK;
    }
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(&project));
    if (a->changes)
        st = list_changes(env, a, &project, o, err);
    else if (a->skipped.len)
        st = list_skips(env, a, &project, o, err);
    else
        st = set_status(env, &project, o, err);
    if (!st && !a->changes && !a->skipped.len)
        st = set_remote(env, &project, o, err);
    if (!st)
        set_run(env, &project, o);
    if (!st && !a->changes && !a->skipped.len)
        set_watch(env, &project, o);
    if (st) {
        json_decref(o);
        return st;
    }
    *out = o;
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

static void put_skipped_files(const json_t *list, ken_paint *out)
{
    ken_str last = KEN_STR("");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        ken_str reason = ken_tool__member(row, "reason");
        if (!ken_str_eq(reason, last))
            ken_paint_printf(out, KEN_STYLE_BOLD, "%s" KEN_STR_FMT " (%s)\n", i ? "\n" : "",
                             KEN_STR_ARG(reason), ken_skip_text(reason_of(reason)));
        last = reason;
        ken_paint_puts(out, "  ");
        ken_paint_path(out, ken_tool__member(row, "file_path"));
        ken_paint_puts(out, "\n");
    }
}

static void put_changes(const json_t *list, ken_paint *out)
{
    long long last = -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        long long generation = ken_tool__number(row, "generation");
        if (generation != last)
            ken_paint_printf(out, KEN_STYLE_BOLD, "%sgeneration %lld, " KEN_STR_FMT "\n",
                             i ? "\n" : "", generation, KEN_STR_ARG(ken_tool__member(row, "at")));
        last = generation;
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  %-9s",
                         json_string_value(json_object_get(row, "event")));
        if (ken_tool__member(row, "old_path").len) {
            ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(row, "old_path"));
            ken_paint_puts(out, " -> ");
        }
        ken_paint_path(out, ken_tool__member(row, "file_path"));
        ken_paint_puts(out, "\n");
    }
}

static ken_str age_of(const json_t *o, const char *key, ken_arena *a)
{
    int64_t at = 0;
    if (!ken_clock_parse_ms(ken_tool__member(o, key), &at))
        return KEN_STR("");
    return ken_figure_age(a, at, ken_clock_wall_ms());
}

static ken_str short_commit(const json_t *o, const char *key)
{
    return ken_str_sub(ken_tool__member(o, key), 0, 12);
}

static void put_state(const json_t *o, ken_paint *out, ken_arena *a)
{
    ken_str status = ken_tool__member(o, "status");
    const json_t *changes = json_object_get(o, "pending_changes");
    if (ken_str_eq(status, KEN_STR("missing")))
        status = ken_str_find(ken_tool__member(o, "hint"), KEN_STR("database")) != SIZE_MAX
                     ? KEN_STR("the folder is not on this machine")
                     : KEN_STR("the folder is gone; to forget the project: ken projects remove");
    if (ken_tool__number(changes, "total"))
        status = ken_arena_printf(
            a, KEN_STR_FMT ": since then %lld added, %lld modified, %lld removed",
            KEN_STR_ARG(status), ken_tool__number(changes, "added"),
            ken_tool__number(changes, "modified"), ken_tool__number(changes, "removed"));
    ken_tool__put_row(out, "state", status);
    ken_tool__put_texts(json_object_get(changes, "examples"), "            ", ", ", "\n", out);
}

// Of the last run that changed something: this very call has compared the folder with the index.
static void put_age(const json_t *o, ken_paint *out, ken_arena *a)
{
    ken_str age = age_of(o, "last_sync", a);
    bool is_checked = age.len && json_object_get(o, "checked_at");
    ken_tool__put_row(
        out, "indexed",
        is_checked ? ken_arena_printf(a, KEN_STR_FMT "; checked now", KEN_STR_ARG(age)) : age);
}

static void put_commit(const json_t *o, ken_paint *out, ken_arena *a)
{
    ken_str is_at = short_commit(o, "current_commit"), was_at = short_commit(o, "indexed_commit"),
            branch = ken_tool__member(o, "branch"), row = was_at;
    if (!was_at.len)
        return;
    if (branch.len)
        row = ken_arena_printf(a, KEN_STR_FMT " on " KEN_STR_FMT, KEN_STR_ARG(row),
                               KEN_STR_ARG(branch));
    if (is_at.len && !ken_str_eq(is_at, was_at))
        row = ken_arena_printf(a, KEN_STR_FMT "; the work tree is at " KEN_STR_FMT,
                               KEN_STR_ARG(row), KEN_STR_ARG(is_at));
    ken_tool__put_row(out, "commit", row);
    if (json_object_get(o, "upstream"))
        ken_tool__put_row(
            out, "upstream",
            ken_arena_printf(a, KEN_STR_FMT ", as fetched last: %lld ahead, %lld behind",
                             KEN_STR_ARG(ken_tool__member(o, "upstream")),
                             ken_tool__number(o, "ahead"), ken_tool__number(o, "behind")));
}

static void put_watch(const json_t *watch, ken_paint *out, ken_arena *a)
{
    if (!watch)
        return;
    bool is_polled = ken_str_eq(ken_tool__member(watch, "how"), KEN_STR("polled"));
    bool is_behind = json_is_true(json_object_get(watch, "is_behind"));
    ken_tool__put_row(out, "watched",
                      ken_arena_printf(a, "%s, %s", is_polled ? "by looking now and then" : "yes",
                                       is_behind ? "an update is to come" : "up to date"));
}

// "behind: it lacks 96 bytes of the primary's log"
static void put_replica(const json_t *r, ken_paint *out, ken_arena *a)
{
    if (!r)
        return;
    ken_str state = ken_tool__member(r, "state"), reason = ken_tool__member(r, "reason");
    ken_tool__put_row(out, "replica",
                      ken_arena_printf(a, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(state),
                                       reason.len ? ": " : "", KEN_STR_ARG(reason)));
}

// "https://host/path, main: synced 5 minutes ago"
static void put_remote(const json_t *r, ken_paint *out, ken_arena *a)
{
    if (!r)
        return;
    ken_str age = age_of(r, "last_synced", a), error = ken_tool__member(r, "error");
    ken_tool__put_row(out, "remote",
                      ken_arena_printf(a, KEN_STR_FMT ", " KEN_STR_FMT ": synced " KEN_STR_FMT,
                                       KEN_STR_ARG(ken_tool__member(r, "url")),
                                       KEN_STR_ARG(ken_tool__member(r, "branch")),
                                       KEN_STR_ARG(age.len ? age : KEN_STR("never"))));
    if (error.len)
        ken_tool__put_row(out, "failing",
                          ken_arena_printf(a, "%lld syncs in a row: " KEN_STR_FMT,
                                           ken_tool__number(r, "failures"), KEN_STR_ARG(error)));
}

static void put_embedding(const json_t *e, ken_paint *out, ken_arena *a)
{
    ken_str error = ken_tool__member(e, "error"), status = ken_tool__member(e, "status"),
            url = ken_tool__member(e, "sent_to");
    bool is_ready = ken_str_eq(status, KEN_STR("ready"));
    if (e && !error.len)
        error = ken_arena_printf(a, KEN_STR_FMT " (" KEN_STR_FMT ")%s" KEN_STR_FMT "%s" KEN_STR_FMT,
                                 KEN_STR_ARG(ken_tool__member(e, "model")),
                                 KEN_STR_ARG(ken_tool__member(e, "provider")), is_ready ? "" : ", ",
                                 KEN_STR_ARG(is_ready ? KEN_STR("") : status),
                                 url.len ? "; code is sent to " : "", KEN_STR_ARG(url));
    ken_str why = ken_tool__member(json_object_get(e, "last_failure"), "message");
    if (why.len)
        error = ken_arena_printf(a, KEN_STR_FMT "; the last try: " KEN_STR_FMT, KEN_STR_ARG(error),
                                 KEN_STR_ARG(why));
    ken_tool__put_row(out, "model", error);
}

// Whose vectors answer, and how far those are that are to replace them.
static void put_vectors(const json_t *v, ken_paint *out, ken_arena *a)
{
    const json_t *next = json_object_get(v, "next");
    ken_str age = age_of(v, "made_at", a);
    ken_buf text = KEN_BUF_INIT(0);
    if (!v)
        return;
    ken_buf_printf(
        &text, KEN_STR_FMT ", %lld dimensions, " KEN_STR_FMT " of " KEN_STR_FMT ", " KEN_STR_FMT,
        KEN_STR_ARG(ken_tool__member(v, "model")), ken_tool__number(v, "dims"),
        KEN_STR_ARG(ken_figure_count(a, (uint64_t)ken_tool__number(v, "complete"))),
        KEN_STR_ARG(ken_figure_n(a, (uint64_t)ken_tool__number(v, "total"), "content")),
        KEN_STR_ARG(ken_figure_size(a, (uint64_t)ken_tool__number(v, "bytes"))));
    if (ken_tool__number(v, "chunks") < ken_tool__number(v, "total_chunks"))
        ken_buf_printf(
            &text, ", " KEN_STR_FMT " of " KEN_STR_FMT " have vectors",
            KEN_STR_ARG(ken_figure_count(a, (uint64_t)ken_tool__number(v, "chunks"))),
            KEN_STR_ARG(ken_figure_n(a, (uint64_t)ken_tool__number(v, "total_chunks"), "chunk")));
    if (ken_tool__number(v, "texts"))
        ken_buf_printf(&text, ", " KEN_STR_FMT " in " KEN_STR_FMT,
                       KEN_STR_ARG(ken_figure_n(a, (uint64_t)ken_tool__number(v, "texts"), "text")),
                       KEN_STR_ARG(ken_figure_duration(
                           a, (int64_t)(json_number_value(json_object_get(v, "seconds")) * 1000))));
    ken_buf_printf(&text, "%s" KEN_STR_FMT, age.len ? ", " : "", KEN_STR_ARG(age));
    if (json_is_object(next))
        ken_buf_printf(
            &text, "; " KEN_STR_FMT " is at " KEN_STR_FMT ", to go on: ken index",
            KEN_STR_ARG(ken_tool__member(next, "model")),
            KEN_STR_ARG(ken_figure_count(a, (uint64_t)ken_tool__number(next, "complete"))));
    ken_tool__put_row(out, "vectors", ken_buf_str(&text));
    ken_buf_release(&text);
}

static void put_counts(const json_t *o, ken_paint *out, ken_arena *a)
{
    static const char *const counts[] = { "generation", "files", "chunks", "symbols", "lines" };
    const json_t *langs = json_object_get(o, "languages");
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (json_object_get(o, counts[i]))
            ken_tool__put_row(out, counts[i],
                              ken_figure_count(a, (uint64_t)ken_tool__number(o, counts[i])));
    for (size_t i = 0; i < json_array_size(langs); i++) {
        const json_t *l = json_array_get(langs, i);
        ken_buf_printf(&text, "%s" KEN_STR_FMT " %lld", i ? ", " : "",
                       KEN_STR_ARG(ken_tool__member(l, "language")), ken_tool__number(l, "files"));
    }
    ken_tool__put_row(out, "languages", ken_buf_str(&text));
    ken_buf_release(&text);
}

static void put_skip_counts(const json_t *o, ken_paint *out, ken_arena *a)
{
    const json_t *skipped = json_object_get(o, "skipped");
    const char *reason;
    json_t *n;
    json_object_foreach((json_t *)(uintptr_t)skipped, reason, n)
    {
        ken_tool__put_row(
            out, "skipped",
            ken_arena_printf(a, KEN_STR_FMT "  %s: %s",
                             KEN_STR_ARG(ken_figure_count(a, (uint64_t)json_integer_value(n))),
                             reason, ken_skip_text(reason_of(ken_str_c(reason)))));
    }
    long long n_errors = ken_tool__number(o, "files_with_syntax_errors"),
              n_by_lines = ken_tool__number(o, "files_cut_by_lines");
    if (n_errors + n_by_lines)
        ken_tool__put_row(out, "parsing",
                          ken_tool__parsing_text((uint64_t)n_errors, (uint64_t)n_by_lines, a));
}

static void put_run(const json_t *run, ken_paint *out, ken_arena *a)
{
    if (run)
        ken_tool__put_row(out, "running",
                          ken_arena_printf(a, KEN_STR_FMT ", by process %lld",
                                           KEN_STR_ARG(ken_tool__run_text(run, a)),
                                           ken_tool__number(run, "pid")));
}

// The further ones, and which of them are not there now.
static void put_roots(const json_t *project, ken_paint *out, ken_arena *arena)
{
    const char *name;
    json_t *path;
    json_object_foreach(json_object_get(project, "roots"), name, path)
    {
        ken_str folder = ken_json_text(path);
        ken_tool__put_row(
            out, name,
            ken_fs_exists(ken_arena_dup(arena, folder).ptr)
                ? folder
                : ken_arena_printf(arena, KEN_STR_FMT " (gone)", KEN_STR_ARG(folder)));
    }
}

void ken_tool__get_repo_status_text(const json_t *answer, ken_paint *out)
{
    const json_t *project = json_object_get(answer, "project"),
                 *skipped = json_object_get(answer, "skipped"),
                 *changes = json_object_get(answer, "changes");
    ken_arena a;
    if (changes) {
        put_changes(changes, out);
        ken_tool__put_page_tail(answer, "changes", "total", out);
        return;
    }
    if (json_is_array(skipped)) {
        put_skipped_files(skipped, out);
        ken_tool__put_page_tail(answer, "skipped", "total", out);
        return;
    }
    ken_arena_init(&a, 0);
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(project, "name"));
    ken_paint_puts(out, "\n");
    ken_tool__put_row(out, "root", ken_tool__member(project, "root"));
    put_roots(project, out, &a);
    put_state(answer, out, &a);
    put_run(json_object_get(answer, "indexing"), out, &a);
    ken_tool__put_row(out, "id", ken_tool__member(project, "id"));
    ken_tool__put_row(out, "index", ken_tool__member(answer, "index_path"));
    put_replica(json_object_get(answer, "replica"), out, &a);
    put_age(answer, out, &a);
    put_watch(json_object_get(answer, "watch"), out, &a);
    put_commit(answer, out, &a);
    put_remote(json_object_get(answer, "remote"), out, &a);
    put_counts(answer, out, &a);
    put_embedding(json_object_get(answer, "embedding"), out, &a);
    put_vectors(json_object_get(answer, "vectors"), out, &a);
    put_skip_counts(answer, out, &a);
    if (json_object_size(skipped))
        ken_paint_note(out, "{skipped} lists the skipped files");
    ken_tool__put_tail(answer, out);
    ken_arena_release(&a);
}

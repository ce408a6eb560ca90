// SPDX-License-Identifier: MIT
// get_repo_status: the state of one project's index, and what changed on disk since.
#include <stdlib.h>

#include "scan/scan.h"
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

// Both lists are sorted by path. A candidate that was left out for its content is not pending.
static void compare(const ken_scan_result *disk, const ken_file_row *rows, size_t n_rows,
                    const ken_skip_row *skips, size_t n_skips, pending *p)
{
    size_t i = 0, k = 0;
    while (i < disk->n_files || k < n_rows) {
        int c = i == disk->n_files ? 1
                : k == n_rows      ? -1
                                   : ken_str_cmp(disk->files[i].path, rows[k].path);
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
    json_t *langs = json_array(), *skips = json_object();
    ken_json_set_u64(o, "generation", s->generation);
    ken_json_set_u64(o, "files", s->n_files);
    ken_json_set_u64(o, "chunks", s->n_chunks);
    ken_json_set_u64(o, "symbols", s->n_symbols);
    ken_json_set_u64(o, "lines", s->n_lines);
    ken_json_set_u64(o, "bytes", s->n_bytes);
    ken_json_set_u64(o, "store_bytes", s->store_bytes);
    ken_json_set_u64(o, "files_with_syntax_errors", s->n_error_files);
    ken_json_set_u64(o, "files_cut_by_lines", s->n_fallback_files);
    for (size_t i = 0; i < s->n_langs && i < LANGS_MAX; i++) {
        json_t *l = json_object();
        ken_json_set_str(l, "language", s->langs[i].language);
        ken_json_set_u64(l, "files", s->langs[i].n_files);
        ken_json_set_u64(l, "lines", s->langs[i].n_lines);
        ken_json_append(langs, l);
    }
    for (int i = 1; i < KEN_SKIP_COUNT; i++) {
        if (s->skips[i])
            ken_json_set_u64(skips, ken_skip_word((ken_skip_reason)i), s->skips[i]);
    }
    ken_json_set(o, "languages", langs);
    ken_json_set(o, "skipped", skips);
}

static void set_commit(json_t *o, const char *key, ken_str commit)
{
    ken_json_set(o, key, commit.len ? ken_json_str(commit) : NULL);
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
        ken_json_set_str(o, "status", is_stale ? KEN_STR("stale") : KEN_STR("ready"));
        set_commit(o, "current_commit", ken_app_read_head(project->root, env->arena));
        set_commit(o, "indexed_commit", stats.git_head);
        set_commit(o, "branch", stats.git_branch);
        ken_json_set_time(o, "last_sync", stats.indexed_at_ms);
        ken_json_set(o, "pending_changes", pending_json(&p));
        set_stats(o, &stats);
        set_embedding(env, project, o);
        set_vectors(env, project, o);
        if (is_stale)
            ken_json_set_str(o, "hint",
                             KEN_STR("files changed since the last sync; call "
                                     "index_repository to bring the index up to date"));
    }
    json_decref(p.examples);
    ken_app_give_back(env->app, project, snap);
    return st;
}

ken_status ken_tool__get_repo_status(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_get_repo_status *a = args;
    ken_project_info project;
    ken_status st = ken_tool__find_project(env, a->project, &project, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(&project));
    if (!project.root_exists) {
        ken_json_set_str(o, "status", KEN_STR("missing"));
        ken_json_set_str(o, "hint",
                         KEN_STR("the project's folder is gone; index_repository with "
                                 "its new path makes a new project"));
    } else if (!project.indexed_at_ms) {
        ken_json_set_str(o, "status", KEN_STR("not_indexed"));
        set_commit(o, "current_commit", ken_app_read_head(project.root, env->arena));
        ken_json_set_str(o, "hint",
                         KEN_STR("call index_repository, or search: the first search "
                                 "indexes"));
    } else {
        st = add_state(env, &project, o, err);
    }
    if (st) {
        json_decref(o);
        return st;
    }
    *out = o;
    return KEN_OK;
}

void ken_tool__get_repo_status_text(const json_t *answer, ken_paint *out)
{
    static const char *const counts[] = { "generation", "files", "chunks", "symbols", "lines" };
    static const char *const texts[] = { "status", "branch", "current_commit", "indexed_commit",
                                         "last_sync" };
    const json_t *project = json_object_get(answer, "project");
    const json_t *changes = json_object_get(answer, "pending_changes");
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(project, "name"));
    ken_paint_puts(out, "  ");
    ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(project, "root"));
    ken_paint_puts(out, "\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ken_str v = ken_tool__member(answer, texts[i]);
        if (v.len)
            ken_paint_printf(out, KEN_STYLE_PLAIN, "%s: " KEN_STR_FMT "\n", texts[i],
                             KEN_STR_ARG(v));
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (json_object_get(answer, counts[i]))
            ken_paint_printf(out, KEN_STYLE_PLAIN, "%s: %lld\n", counts[i],
                             ken_tool__number(answer, counts[i]));
    if (changes)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "pending changes: %lld\n",
                         ken_tool__number(changes, "total"));
    ken_tool__put_tail(answer, out);
}

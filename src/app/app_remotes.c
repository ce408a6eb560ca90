// SPDX-License-Identifier: MIT
// Remote repositories: the project, its folder, its row, and when it is synced.
#include "app/app_priv.h"
#include "app/remotes.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/patience.h"
#include "base/pool.h"
#include "obs/log.h"

enum {
    NAMES_MAX = 100, // folders that are tried for a name
    NAME_MAX_BYTES = 100,
    BACKOFF_MAX = 6,        // doublings
    INDEX_WAIT_MS = 600000, // for another process that writes the index
    SYNC_WAIT_MS = 10000,   // for another that syncs the clone
    LOOK_MS = 10000,        // between two looks whether a sync is due
    NS_PER_MS = 1000000,
};

#define DAY_MS (INT64_C(24) * 3600 * 1000)

// ---- the catalog -------------------------------------------------------------------------------

typedef struct remote_query {
    ken_uuid project;
    ken_arena *arena;
    ken_remote *one, **list;
    size_t *n;
} remote_query;

static ken_status find_one(ken_catalog *c, void *ctx, ken_err *err)
{
    const remote_query *q = ctx;
    return ken_catalog_find_remote(c, q->project, q->arena, q->one, err);
}

static ken_status list_all(ken_catalog *c, void *ctx, ken_err *err)
{
    const remote_query *q = ctx;
    return ken_catalog_list_remotes(c, q->arena, q->list, q->n, err);
}

static ken_status put_synced(ken_catalog *c, void *ctx, ken_err *err)
{
    return ken_catalog_set_remote_synced(c, ctx, err);
}

ken_status ken_app_find_remote(ken_app *app, const ken_project_info *project, ken_arena *arena,
                               ken_remote *out, ken_err *err)
{
    return ken_app_with_catalog(
        app, false, find_one, &(remote_query){ .project = project->id, .arena = arena, .one = out },
        err);
}

ken_status ken_app_list_remotes(ken_app *app, ken_arena *arena, ken_remote **out, size_t *out_n,
                                ken_err *err)
{
    *out = NULL;
    *out_n = 0;
    ken_status st = ken_app_with_catalog(
        app, false, list_all, &(remote_query){ .arena = arena, .list = out, .n = out_n }, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

// ---- adding ------------------------------------------------------------------------------------

static ken_str protocols_of(const ken_app *app, ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(4096);
    const ken_str *list = NULL;
    size_t n = ken_config_list(app->config, KEN_CFG_SYNC_PROTOCOLS, &list);
    for (size_t i = 0; i < n; i++) {
        if (i)
            ken_buf_putc(&b, ',');
        ken_buf_put_str(&b, list[i]);
    }
    ken_str text = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

static ken_sync_source source_of(const ken_app *app, const ken_remote *r, ken_arena *arena)
{
    return (ken_sync_source){ .url = r->url,
                              .branch = r->follows_default ? KEN_STR("") : r->branch,
                              .sparse = r->sparse,
                              .depth = r->depth,
                              .protocols = protocols_of(app, arena) };
}

static ken_status check_name(ken_str name, ken_err *err)
{
    bool is_good =
        name.len && name.len <= NAME_MAX_BYTES && name.ptr[0] != '.' && name.ptr[0] != '-';
    for (size_t i = 0; i < name.len; i++)
        is_good = is_good && (unsigned char)name.ptr[i] > ' ' && name.ptr[i] != '/';
    if (is_good)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "name: a folder's name of 1 to %d bytes is needed, without spaces and '/'; got "
                    "'" KEN_STR_FMT "'",
                    NAME_MAX_BYTES, KEN_STR_ARG(ken_str_sub(name, 0, NAME_MAX_BYTES)));
}

typedef struct adding {
    ken_app *app;
    ken_remote *remote;
    ken_str name; // wanted; empty = keep what there is
    ken_arena *arena;
    ken_catalog_row row;
    ken_project_info project;
} adding;

// Whether both are one clone. One that follows the remote's default is not that of the branch which is it now.
static bool is_same(const ken_remote *there, const ken_remote *wanted)
{
    return ken_str_eq(there->url, wanted->url) && ken_str_eq(there->sparse, wanted->sparse) &&
           (wanted->branch.len
                ? !there->follows_default && ken_str_eq(there->branch, wanted->branch)
                : there->follows_default);
}

// The row of a remote with the same source, whatever else is said of it.
static ken_status find_same(ken_catalog *c, adding *a, ken_err *err)
{
    ken_remote *list;
    size_t n;
    ken_status st = ken_catalog_list_remotes(c, a->arena, &list, &n, err);
    for (size_t i = 0; i < n && !st; i++) {
        if (is_same(&list[i], a->remote)) {
            a->remote->project = list[i].project;
            return ken_catalog_find_by_id(c, list[i].project, a->arena, &a->row, err);
        }
    }
    return st ? st : KEN_ENOTFOUND;
}

// A folder for it that no project has.
static ken_status add_row(ken_catalog *c, adding *a, ken_str wanted, ken_err *err)
{
    for (int i = 1; i <= NAMES_MAX; i++) {
        ken_str name =
            i > 1 ? ken_arena_printf(a->arena, KEN_STR_FMT "-%d", KEN_STR_ARG(wanted), i) : wanted;
        ken_str root = ken_path_join(a->arena, a->app->repos_dir, name), real;
        if (ken_fs_exists(root.ptr))
            continue;
        ken_status st = ken_fs_make_dirs(root.ptr, 0700, err);
        if (!st)
            st = ken_path_real(a->arena, root, &real, err);
        if (!st && !ken_catalog_find_by_root(c, real, a->arena, &a->row, NULL))
            continue; // of a clone that somebody removed by hand
        if (!st)
            st = ken_catalog_add(c, real, name, ken_clock_wall_ms(), a->arena, &a->row, err);
        if (st)
            ken_fs_remove_empty(root.ptr);
        return st;
    }
    return KEN_FAIL(err, KEN_EEXIST, "name: '" KEN_STR_FMT "' and %d more are taken; give another",
                    KEN_STR_ARG(wanted), NAMES_MAX - 1);
}

static ken_status add_to_catalog(ken_catalog *c, void *ctx, ken_err *err)
{
    adding *a = ctx;
    ken_str wanted = a->name.len ? a->name : ken_sync_name_of(a->remote->url);
    ken_status st = find_same(c, a, err);
    bool is_new = st == KEN_ENOTFOUND;
    if (is_new)
        st = check_name(wanted, err);
    if (is_new && !st)
        st = add_row(c, a, wanted, err);
    else if (!st && a->name.len)
        st = ken_catalog_add(c, a->row.root, a->name, ken_clock_wall_ms(), a->arena, &a->row, err);
    a->remote->project = a->row.id;
    if (!st)
        st = ken_catalog_put_remote(c, a->remote, err);
    if (!st) {
        a->project = ken_app__project_of(&a->row);
        st = ken_app__load_further(c, &a->project, a->arena, err);
    }
    if (st && is_new && a->row.root.len) {
        (void)!ken_catalog_remove(c, a->row.id, NULL);
        ken_fs_remove_empty(ken_arena_dup(a->arena, a->row.root).ptr);
    }
    return st;
}

ken_status ken_app_add_remote(ken_app *app, const ken_app_remote_opts *o, ken_arena *arena,
                              ken_project_info *out, ken_remote *out_remote, ken_err *err)
{
    ken_remote r = {
        .url = o->url,
        .branch = o->branch,
        .sparse = o->sparse,
        .depth =
            o->has_depth ? o->depth : (uint32_t)ken_config_u64(app->config, KEN_CFG_SYNC_DEPTH),
        .interval_s = o->has_interval
                          ? o->interval_s
                          : (uint32_t)ken_config_u64(app->config, KEN_CFG_SYNC_INTERVAL) * 60,
    };
    ken_sync_source source = source_of(app, &r, arena);
    ken_status st = ken_sync_check(&source, err);
    if (!st && o->name.len)
        st = check_name(o->name, err);
    adding a = { .app = app, .remote = &r, .name = o->name, .arena = arena };
    if (!st)
        st = ken_app_with_catalog(app, true, add_to_catalog, &a, err);
    if (st)
        return st;
    *out = a.project;
    return ken_app_find_remote(app, out, arena, out_remote, err);
}

void ken_app_add_set_remote(ken_app *app)
{
    ken_arena a;
    ken_project_info project;
    ken_remote r;
    ken_err err = { 0 };
    const ken_app_remote_opts opts = { .url = ken_config_str(app->config, KEN_CFG_REPO_URL),
                                       .branch = ken_config_str(app->config, KEN_CFG_REPO_BRANCH) };
    if (!opts.url.len)
        return;
    ken_arena_init(&a, 0);
    if (ken_app_add_remote(app, &opts, &a, &project, &r, &err))
        KEN_LOG_WARNING("sync", "repository.url: %s", err.msg);
    ken_arena_release(&a);
}

// Whether the project's folder is where clones are now. That of a data folder that was moved, copied or named by
// another path is not: what lies at the old place may be anything, or a clone of somebody else.
bool ken_app__has_clone(const ken_app *app, const ken_project_info *project)
{
    ken_arena a;
    ken_str real;
    ken_arena_init(&a, 0);
    bool has = !ken_path_real(&a, app->repos_dir, &real, NULL) &&
               ken_str_eq(ken_path_dir(project->root), real);
    ken_arena_release(&a);
    return has;
}

// ---- syncing -----------------------------------------------------------------------------------

static void on_stage(void *ctx, const char *stage)
{
    const ken_app_sync_opts *o = ctx;
    if (o->indexing.on_progress)
        o->indexing.on_progress(o->indexing.progress_ctx, &(ken_index_progress){ .stage = stage });
}

static void *ctx_of(const ken_app_sync_opts *o)
{
    return (void *)(uintptr_t)o; // not changed
}

// What happened is kept; that this cannot be done is not worth failing for.
static void keep(ken_app *app, ken_remote *r, const ken_sync_report *synced, ken_status st,
                 const ken_err *why)
{
    r->tried_at_ms = ken_clock_wall_ms();
    r->n_failures = st ? r->n_failures + 1 : 0;
    r->error = st ? ken_str_c(why->msg[0] ? why->msg : ken_status_text(st)) : KEN_STR("");
    if (!st) {
        r->synced_at_ms = r->tried_at_ms;
        r->commit = synced->commit;
        r->branch = synced->branch;
    }
    (void)!ken_app_with_catalog(app, true, put_synced, r, NULL);
}

static void on_wait(void *ctx)
{
    on_stage(ctx, "waiting");
}

// Another process may be indexing, often for a question that met the new files first.
static ken_status index_clone(ken_app *app, const ken_project_info *project,
                              const ken_app_sync_opts *o, const ken_cancel *cancel,
                              ken_arena *arena, ken_index_report *out, ken_err *err)
{
    ken_patience p = { .max_ms = INDEX_WAIT_MS, .on_wait = on_wait, .ctx = ctx_of(o) };
    ken_err e = { 0 };
    ken_status st;
    do
        st = ken_app_index_as_set(app, project, &o->indexing, cancel, arena, out, &e);
    while (ken_patience_tries_again(&p, &st, cancel, &e));
    if (st && err)
        *err = e;
    return st;
}

// One that is at it is waited for for a moment: often it was killed, and its git is about to end.
static ken_status sync_clone(const ken_sync_source *source, const ken_project_info *project,
                             const ken_app_sync_opts *o, const ken_cancel *cancel, ken_arena *arena,
                             ken_sync_report *out, ken_err *err)
{
    const ken_sync_opts how = { .is_anew = o->indexing.is_forced,
                                .on_stage = on_stage,
                                .ctx = ctx_of(o) };
    ken_patience p = { .max_ms = o->max_wait_ms ? o->max_wait_ms : SYNC_WAIT_MS,
                       .on_wait = on_wait,
                       .ctx = ctx_of(o) };
    ken_status st;
    do
        st = ken_sync_run(source, project->root.ptr, &how, cancel, arena, out, err);
    while (ken_patience_tries_again(&p, &st, cancel, err));
    return st;
}

ken_status ken_app_sync(ken_app *app, const ken_project_info *project,
                        const ken_app_sync_opts *opts, const ken_cancel *cancel, ken_arena *arena,
                        ken_app_sync_report *out, ken_err *err)
{
    ken_remote r;
    ken_err why = { 0 };
    *out = (ken_app_sync_report){ .fetch_ms = 0 };
    ken_status st = ken_app__check_active(project, err);
    if (!st)
        st = ken_app_find_remote(app, project, arena, &r, &why);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "project '" KEN_STR_FMT
                        "' is a folder of yours, not a clone that ken keeps; "
                        "'ken repo add URL' makes one",
                        KEN_STR_ARG(project->name));
    if (st)
        return st;
    if (!ken_app__has_clone(app, project)) {
        return KEN_FAIL(err, KEN_EUNSUPPORTED,
                        "project '" KEN_STR_FMT "' is a clone at '" KEN_STR_FMT
                        "', which is not in '" KEN_STR_FMT
                        "': the data folder was moved; remove the repository (its files stay) and "
                        "add it again",
                        KEN_STR_ARG(project->name), KEN_STR_ARG(project->root),
                        KEN_STR_ARG(app->repos_dir));
    }
    ken_sync_source source = source_of(app, &r, arena);
    static const ken_app_sync_opts none;
    const ken_app_sync_opts *o = opts ? opts : &none;
    int64_t began = ken_clock_mono_ns();
    st = sync_clone(&source, project, o, cancel, arena, &out->synced, &why);
    out->fetch_ms = (ken_clock_mono_ns() - began) / NS_PER_MS;
    if (st != KEN_EBUSY && st != KEN_ECANCELLED) // of those others know more
        keep(app, &r, &out->synced, st, &why);
    if (st) {
        if (err)
            *err = why;
        return st;
    }
    began = ken_clock_mono_ns();
    st = index_clone(app, project, o, cancel, arena, &out->indexed, err);
    out->index_ms = (ken_clock_mono_ns() - began) / NS_PER_MS;
    return st;
}

ken_status ken_app_fetch_versions(ken_app *app, const ken_project_info *project, ken_str path,
                                  const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    ken_remote r;
    ken_status st = ken_app_find_remote(app, project, arena, &r, err);
    if (st || !ken_app__has_clone(app, project))
        return st ? st : KEN_ENOTFOUND;
    ken_sync_source source = source_of(app, &r, arena);
    return ken_sync_fetch_versions(&source, project->root.ptr, path, cancel, arena, err);
}

int64_t ken_app_next_sync_ms(const ken_remote *r)
{
    if (!r->interval_s)
        return INT64_MAX;
    if (!r->tried_at_ms)
        return 0;
    int64_t interval = (int64_t)r->interval_s * 1000;
    int64_t spread = (int64_t)(ken_hash64(r->project.bytes, sizeof r->project.bytes) %
                               (uint64_t)(interval / 10 + 1));
    uint32_t n = r->n_failures < BACKOFF_MAX ? r->n_failures : BACKOFF_MAX;
    int64_t wait = interval << n;
    if (n && wait > DAY_MS)
        wait = interval > DAY_MS ? interval : DAY_MS;
    return r->tried_at_ms + wait + spread;
}

// ---- behind a question -------------------------------------------------------------------------

typedef struct due_sync {
    ken_app *app;
    ken_project_info project; // its texts live in `arena`
    ken_arena arena;
} due_sync;

static void run_due_sync(void *ctx, size_t worker)
{
    (void)worker;
    due_sync *d = ctx;
    ken_remote r;
    ken_app_sync_report report;
    ken_err err = { 0 };
    ken_pool_give_way();
    if (!ken_app_find_remote(d->app, &d->project, &d->arena, &r, NULL) &&
        ken_app_next_sync_ms(&r) <= ken_clock_wall_ms() &&
        ken_app_sync(d->app, &d->project, NULL, &d->app->syncs_end, &d->arena, &report, &err))
        KEN_LOG_WARNING("sync", "'" KEN_STR_FMT "' could not be synced: %s",
                        KEN_STR_ARG(d->project.name), err.msg);
    ken_arena_release(&d->arena);
    ken_free(d);
}

// With the lock: whether it is time to look, and somebody to do it.
static bool takes_look(ken_app *app)
{
    int64_t now = ken_clock_mono_ns();
    if (now < app->next_syncs_ns)
        return false;
    app->next_syncs_ns = now + (int64_t)LOOK_MS * NS_PER_MS;
    if (!app->syncs)
        app->syncs = ken_pool_new(1, 1, 0);
    return ken_pool_n_workers(app->syncs) > 0; // else the question would wait for it
}

void ken_app__sync_if_due(ken_app *app, const ken_project_info *project)
{
    pthread_mutex_lock(&app->lock);
    bool is_time = takes_look(app);
    pthread_mutex_unlock(&app->lock);
    if (!is_time)
        return;
    due_sync *d = ken_zalloc(sizeof *d);
    d->app = app;
    ken_arena_init(&d->arena, 0);
    d->project = ken_app__dup_project(project, &d->arena);
    if (ken_pool_try_submit(app->syncs, run_due_sync, d))
        return;
    ken_arena_release(&d->arena); // one waits already
    ken_free(d);
}

void ken_app__end_syncs(ken_app *app)
{
    ken_cancel_set(&app->syncs_end);
    ken_pool_free(app->syncs);
    app->syncs = NULL;
}

void ken_app_leave_syncs(ken_app *app)
{
    app->leaves_syncs = true;
}

// ---- as JSON -----------------------------------------------------------------------------------

static json_t *lines_json(ken_str text)
{
    json_t *list = json_array();
    ken_str line;
    while (ken_str_line_next(&text, &line))
        ken_json_append(list, ken_json_str(line));
    return list;
}

static void set_text(json_t *o, const char *key, ken_str s)
{
    ken_json_set(o, key, s.len ? ken_json_str(s) : NULL);
}

json_t *ken_app_remote_json(const ken_remote *r)
{
    json_t *o = json_object();
    ken_json_set_str(o, "url", r->url);
    set_text(o, "branch", r->branch);
    set_text(o, "commit", r->commit);
    ken_json_set_time(o, "last_synced", r->synced_at_ms);
    ken_json_set_time(o, "last_tried", r->tried_at_ms);
    ken_json_set_u64(o, "interval_seconds", r->interval_s);
    ken_json_set_u64(o, "depth", r->depth);
    if (r->sparse.len)
        ken_json_set(o, "sparse", lines_json(r->sparse));
    ken_json_set_u64(o, "failures", r->n_failures);
    if (r->error.len)
        ken_json_set_str(o, "error", r->error);
    return o;
}

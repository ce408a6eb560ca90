// SPDX-License-Identifier: MIT
#include "app/app.h"

#include <sys/resource.h>

#include "app/app_priv.h"
#include "app/wide.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/quota.h"
#include "obs/log.h"
#include "scan/scan.h"

enum {
    GRAPH_SHARE = 8,     // of the memory limit for what each open project holds of its graph
    QUESTION_SHARE = 2,  // and of what one question may take, for it may have to make all of it
    CONFLICTS_MAX = 4,   // that a run is begun so often for
    DESCRIPTORS = 8,     // of an open index and what watches its folder, at most
    OPEN_BYTES = 1 << 20 // of it beside what it holds: of 300 that hold 0.3 MiB each takes 1.6
};

// ---- start and stop ----

ken_status ken_app_open(const ken_config *config, ken_app **out, ken_err *err)
{
    (void)err;
    ken_app *app = ken_zalloc(sizeof *app);
    app->config = config;
    ken_arena_init(&app->arena, 1024);
    ken_str data = ken_config_data_dir(config);
    app->catalog_path = ken_path_join(&app->arena, data, KEN_STR("config/projects.db"));
    app->index_dir = ken_path_join(&app->arena, data, KEN_STR("indexes"));
    app->repos_dir = ken_path_join(&app->arena, data, KEN_STR("repos"));
    pthread_mutex_init(&app->lock, NULL);
    pthread_mutex_init(&app->database_lock, NULL);
    pthread_mutex_init(&app->leases_lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&app->leases_changed, &attr);
    pthread_condattr_destroy(&attr);
    ken_metrics_add_reader(ken_app__read_metrics, app);
    *out = app;
    return KEN_OK;
}

static void close_handle(app_handle *h)
{
    if (!h)
        return;
    ken_checkpoints_free(h->checkpoints);
    ken_rulebook_free(h->rulebook);
    if (h->snapshot)
        ken_reader_unpin(h->reader);
    ken_reader_free(h->reader);
    ken_revision_free(h->revision);
    ken_store_close(h->store);
    ken_store_close(h->notes);
    ken_store_close(h->writer); // after the reader: the last to close brings the log in
    ken_arena_release(&h->arena);
    ken_free(h);
}

void ken_app_close(ken_app *app)
{
    if (!app)
        return;
    ken_metrics_remove_reader(ken_app__read_metrics, app);
    ken_app__end_syncs(app);
    ken_app__end_warming(app);
    ken_app__end_following(app);
    ken_app__end_firsts(app);
    ken_pool_free(app->helpers);
    ken_app__end_leases(app);
    ken_cancel_set(&app->builds_end);
    ken_pool_free(app->builds);
    for (size_t i = 0; i < app->handles.len; i++)
        close_handle(app->handles.ptr[i]);
    for (size_t i = 0; i < app->catalogs.len; i++)
        ken_catalog_close(app->catalogs.ptr[i]);
    for (size_t i = 0; i < app->steps.len; i++)
        ken_app__free_step(app->steps.ptr[i]);
    ken_app__close_tasks(app);
    ken_vec_release(&app->steps);
    ken_vec_release(&app->handles);
    ken_vec_release(&app->catalogs);
    ken_vec_release(&app->known_tokens);
    ken_database_close(app->database);
    pthread_mutex_destroy(&app->database_lock);
    pthread_cond_destroy(&app->leases_changed);
    pthread_mutex_destroy(&app->leases_lock);
    pthread_mutex_destroy(&app->lock);
    ken_arena_release(&app->arena);
    ken_free(app);
}

const ken_config *ken_app_config(const ken_app *app)
{
    return app->config;
}

ken_status ken_app__explain(const ken_project_info *project, ken_status st, ken_err *err)
{
    ken_err was = err ? *err : (ken_err){ 0 };
    if (st == KEN_ECORRUPT)
        return KEN_FAIL(err, st,
                        "the index of '" KEN_STR_FMT
                        "' is damaged (%.150s); to rebuild it: ken index --force " KEN_STR_FMT,
                        KEN_STR_ARG(project->name), was.msg, KEN_STR_ARG(project->root));
    if (st == KEN_EVERSION)
        return KEN_FAIL(err, st,
                        "the index of '" KEN_STR_FMT "' was made by a newer ken (%.150s); update "
                        "ken, or make a new index with: ken index --force " KEN_STR_FMT,
                        KEN_STR_ARG(project->name), was.msg, KEN_STR_ARG(project->root));
    if (st == KEN_ECANCELLED || st == KEN_ETIMEOUT)
        return st;
    (void)ken_err_wrap(err, "project '" KEN_STR_FMT "'", KEN_STR_ARG(project->name));
    return st;
}

// ---- damage ----

// What makes the database at `path` whole again.
static ken_status explain_damage(ken_app *app, ken_str path, ken_arena *arena, ken_err *err)
{
    ken_project_info *list = NULL;
    size_t n = 0;
    if (ken_str_eq(path, app->catalog_path)) {
        ken_err was = err ? *err : (ken_err){ 0 };
        return KEN_FAIL(err, KEN_ECORRUPT, "%.400s; to make it whole again: ken restore", was.msg);
    }
    if (!ken_app_list_projects(app, arena, &list, &n, NULL))
        for (size_t i = 0; i < n; i++)
            if (ken_str_eq(list[i].db_path, path))
                return ken_app__explain(&list[i], KEN_ECORRUPT, err);
    (void)ken_err_wrap(err, "run 'ken doctor'");
    return KEN_ECORRUPT;
}

ken_status ken_app_end_answer(ken_app *app, ken_status st, ken_err *err)
{
    ken_arena arena;
    ken_str path;
    ken_err e = { 0 };
    ken_arena_init(&arena, 1024);
    if (st != KEN_ECORRUPT && ken_store_find_damage(&arena, &path, &e)) {
        ken_store_forget_damage();
        st = explain_damage(app, path, &arena, &e);
        if (err)
            *err = e;
    }
    ken_store_forget_damage();
    ken_arena_release(&arena);
    return st;
}

static bool has_met_damage(void)
{
    ken_arena arena;
    ken_str path;
    ken_arena_init(&arena, 1024);
    bool has = ken_store_find_damage(&arena, &path, NULL) != KEN_OK;
    ken_arena_release(&arena);
    return has;
}

// ---- snapshots ----

static void lend(app_handle *h)
{
    h->is_lent = true;
    h->lent_to = pthread_self();
}

// `tree`: of the project's trees in its index; NULL = any.
static app_handle *take_idle(ken_app *app, ken_uuid project, const ken_uuid *tree)
{
    app_handle *found = NULL;
    pthread_mutex_lock(&app->lock);
    for (size_t i = 0; i < app->handles.len && !found; i++) {
        app_handle *h = app->handles.ptr[i];
        if (!h->is_lent && ken_uuid_eq(h->project, project) &&
            (!tree || ken_uuid_eq(h->info.tree, *tree)))
            found = h;
    }
    if (found)
        lend(found);
    pthread_mutex_unlock(&app->lock);
    return found;
}

// After one of the project came into the list or went out of it, under the lock.
static void count_sharers(ken_app *app, ken_uuid project)
{
    unsigned n = 0;
    for (size_t i = 0; i < app->handles.len; i++)
        n += ken_uuid_eq(app->handles.ptr[i]->project, project);
    for (size_t i = 0; i < app->handles.len; i++)
        if (ken_uuid_eq(app->handles.ptr[i]->project, project))
            atomic_store_explicit(&app->handles.ptr[i]->n_sharers, n, memory_order_relaxed);
}

// Takes the handle out of the list, then closes it without the lock.
static void forget(ken_app *app, app_handle *h)
{
    pthread_mutex_lock(&app->lock);
    for (size_t i = 0; i < app->handles.len; i++)
        if (app->handles.ptr[i] == h)
            app->handles.ptr[i] = app->handles.ptr[--app->handles.len];
    count_sharers(app, h->project);
    pthread_mutex_unlock(&app->lock);
    close_handle(h);
}

static void remember(ken_app *app, app_handle *h)
{
    pthread_mutex_lock(&app->lock);
    ken_vec_push(&app->handles, h);
    count_sharers(app, h->project);
    pthread_mutex_unlock(&app->lock);
}

app_handle *ken_app__handle_of(ken_app *app, const ken_snapshot *s)
{
    app_handle *found = NULL;
    pthread_mutex_lock(&app->lock);
    for (size_t i = 0; i < app->handles.len && !found; i++)
        if (app->handles.ptr[i]->snapshot == s)
            found = app->handles.ptr[i];
    pthread_mutex_unlock(&app->lock);
    KEN_ASSERT(found); // every snapshot that is lent has one
    return found;
}

static ken_status open_handle(ken_app *app, const ken_project_info *project, app_handle **out,
                              ken_err *err)
{
    app_handle *h = ken_zalloc(sizeof *h);
    h->app = app;
    ken_arena_init(&h->arena, 0);
    h->info = ken_app__dup_project(project, &h->arena); // what a model is opened by
    h->project = project->id;
    lend(h);
    atomic_init(&h->n_sharers, 1);
    h->identity = ken_app__identity(project);
    ken_status st = ken_app__open_index(
        project, &(ken_store_opts){ .is_read_only = true, .may_ask_replica = true }, &h->store,
        err);
    if (st) {
        close_handle(h);
        return st;
    }
    h->reader = ken_reader_new(h->store);
    if (h->info.commit.len)
        h->revision = ken_revision_new(h->info.root.ptr, h->info.commit);
    ken_reader_set_revision(h->reader, h->revision);
    *out = h;
    return KEN_OK;
}

// In a database the pin tells: what it reads is found by the number of the index, and no other has it.
static bool is_current(const app_handle *h)
{
    return h->identity && (h->info.database || ken_app__identity(&h->info) == h->identity);
}

ken_status ken_app__check_is_current(const app_handle *h, ken_err *err)
{
    uint64_t identity = 0;
    ken_status st = ken_app__identify(&h->info, &identity, err);
    if (st ? st != KEN_ENOTFOUND : identity == h->identity)
        return st;
    return KEN_FAIL(err, KEN_EBUSY,
                    "the index of '" KEN_STR_FMT "' was removed or replaced meanwhile; try again",
                    KEN_STR_ARG(h->info.name));
}

ken_status ken_app__take_handle(ken_app *app, const ken_project_info *project, app_handle **out,
                                ken_err *err)
{
    app_handle *h = take_idle(app, project->id, &project->tree);
    // One that cannot follow (its database or its root was replaced) makes room for a new one.
    if (h && (!is_current(h) || !ken_reader_is_current(h->reader))) {
        forget(app, h);
        h = NULL;
    }
    ken_metrics_add(h ? KEN_METRIC_CACHE_HITS : KEN_METRIC_CACHE_MISSES, 1, KEN_LABELS("index"));
    ken_status st = h ? KEN_OK : open_handle(app, project, &h, err);
    if (st)
        return st;
    if (!h->used_at)
        remember(app, h);
    *out = h;
    return KEN_OK;
}

app_handle *ken_app__take_idle(ken_app *app, const ken_project_info *project, ken_held_files *out)
{
    app_handle *h = take_idle(app, project->id, &project->tree);
    *out = (ken_held_files){ 0 };
    if (h && is_current(h))
        ken_reader_list_held(h->reader, out);
    return h;
}

void ken_app__give_idle(ken_app *app, app_handle *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&app->lock);
    h->is_lent = false;
    pthread_mutex_unlock(&app->lock);
}

// What a snapshot keeps from its first pin on.
static void prepare(app_handle *h, ken_snapshot *s)
{
    const ken_config *config = h->app->config;
    uint64_t held = ken_config_u64(config, KEN_CFG_CACHE_SIZE);
    if (!held)
        held = ken_config_u64(config, KEN_CFG_MEMORY_LIMIT) / GRAPH_SHARE;
    uint64_t made = ken_config_u64(config, KEN_CFG_QUERY_MEMORY_LIMIT) / QUESTION_SHARE;
    ken_snapshot_limit_graph(s, (size_t)(held < made ? held : made), &h->n_sharers);
    ken_snapshot_set_embedder(s, ken_app__open_active, h);
    ken_snapshot_set_keeper(s, ken_app__keep, h);
}

ken_status ken_app__pin_handle(app_handle *h, ken_err *err)
{
    ken_app *app = h->app;
    ken_snapshot *s = NULL;
    ken_account *counted = ken_quota_exempt();
    ken_status st = ken_reader_pin(h->reader, &s, err);
    ken_quota_count(counted);
    if (st)
        return st;
    if (!h->used_at)
        prepare(h, s);
    pthread_mutex_lock(&app->lock);
    h->snapshot = s;
    pthread_mutex_unlock(&app->lock);
    return KEN_OK;
}

static ken_status take_pinned(ken_app *app, const ken_project_info *project,
                              ken_database_reading *in, app_handle **out, ken_err *err)
{
    for (;;) {
        ken_status st = ken_app__take_handle(app, project, out, err);
        if (st)
            return st;
        bool is_new = !(*out)->used_at;
        st = ken_store_share_read((*out)->store, in, err);
        if (!st)
            st = ken_app__pin_handle(*out, err);
        if (!st)
            return KEN_OK;
        ken_app__give_handle(app, *out);
        if (is_new) // one that was open may hold what is no more
            return st;
    }
}

ken_quota_limits ken_app_question_limits(const ken_app *app)
{
    return (ken_quota_limits){ .ms = ken_config_u64(app->config, KEN_CFG_QUERY_TIMEOUT) * 1000,
                               .bytes = ken_config_u64(app->config, KEN_CFG_QUERY_MEMORY_LIMIT) };
}

// Why the index could not be opened or read, with what to do.
static ken_status fail_opening(const ken_project_info *project, ken_status st, ken_err *why,
                               ken_err *err)
{
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "project '" KEN_STR_FMT "' is not indexed yet; run: ken index " KEN_STR_FMT,
                        KEN_STR_ARG(project->name), KEN_STR_ARG(project->root));
    (void)ken_app__explain(project, st, why);
    if (err)
        *err = *why;
    return st;
}

// What an open index takes serves every question to come, and is no cost of the one that opens it.
ken_status ken_app_borrow_in(ken_app *app, const ken_project_info *project,
                             ken_database_reading *in, ken_snapshot **out, ken_err *err)
{
    ken_err e = { 0 };
    app_handle *h = NULL;
    ken_status st = ken_app__check_active(project, err);
    if (st)
        return st;
    ken_account *counted = ken_quota_exempt();
    st = take_pinned(app, project, in, &h, &e);
    ken_quota_count(counted);
    if (st)
        return fail_opening(project, st, &e, err);
    *out = h->snapshot;
    return KEN_OK;
}

ken_status ken_app_borrow(ken_app *app, const ken_project_info *project, ken_snapshot **out,
                          ken_err *err)
{
    return ken_app_borrow_in(app, project, NULL, out, err);
}

size_t ken_app_open_at_once(ken_app *app)
{
    size_t n = 0, n_bytes = 0;
    pthread_mutex_lock(&app->lock);
    for (size_t i = 0; i < app->handles.len; i++) {
        n += app->handles.ptr[i]->held_bytes != 0;
        n_bytes += app->handles.ptr[i]->held_bytes;
    }
    pthread_mutex_unlock(&app->lock);
    const uint64_t room = ken_config_u64(app->config, KEN_CFG_OPEN_SIZE);
    uint64_t most = n ? room / (n_bytes / n + 1) : 0;
    struct rlimit descriptors = { 0 };
    if (getrlimit(RLIMIT_NOFILE, &descriptors) || descriptors.rlim_cur / 2 / DESCRIPTORS < most)
        most = descriptors.rlim_cur / 2 / DESCRIPTORS;
    if (most < APP_OPEN_AT_ONCE)
        return APP_OPEN_AT_ONCE;
    return most < APP_OPEN_MOST ? (size_t)most : APP_OPEN_MOST;
}

// The idle handle that was used longest ago, out of the list, when there are too many.
static app_handle *take_surplus(ken_app *app)
{
    size_t n_idle = 0, n_bytes = 0, oldest = SIZE_MAX;
    const size_t most = (size_t)ken_config_u64(app->config, KEN_CFG_OPEN_SIZE);
    for (size_t i = 0; i < app->handles.len; i++) {
        app_handle *h = app->handles.ptr[i];
        if (h->is_lent)
            continue;
        n_idle++;
        n_bytes += h->held_bytes;
        if (oldest == SIZE_MAX || h->used_at < app->handles.ptr[oldest]->used_at)
            oldest = i;
    }
    if (n_idle <= APP_IDLE_SNAPSHOTS || (n_idle <= APP_OPEN_MOST && n_bytes <= most))
        return NULL;
    app_handle *h = app->handles.ptr[oldest];
    app->handles.ptr[oldest] = app->handles.ptr[--app->handles.len];
    count_sharers(app, h->project);
    return h;
}

void ken_app__give_handle(ken_app *app, app_handle *h)
{
    bool was_pinned = h->snapshot != NULL;
    size_t graph_bytes =
        was_pinned && ken_metrics_is_on() ? ken_snapshot_graph_bytes(h->snapshot) : 0;
    size_t held_bytes = was_pinned ? ken_snapshot_held_bytes(h->snapshot) : 0;
    if (was_pinned)
        ken_reader_unpin(h->reader);
    if (!was_pinned || has_met_damage()) { // what it holds may lack something
        h->snapshot = NULL;
        forget(app, h);
        return;
    }
    pthread_mutex_lock(&app->lock);
    h->snapshot = NULL;
    h->is_lent = false;
    h->used_at = ++app->n_uses;
    h->graph_bytes = graph_bytes;
    h->held_bytes = held_bytes ? held_bytes + OPEN_BYTES : 0;
    app_handle *surplus = take_surplus(app);
    pthread_mutex_unlock(&app->lock);
    if (surplus)
        ken_metrics_add(KEN_METRIC_CACHE_EVICTIONS, 1, KEN_LABELS("index"));
    close_handle(surplus);
}

void ken_app_give_back(ken_app *app, const ken_project_info *project, ken_snapshot *s)
{
    (void)project;
    ken_app__give_handle(app, ken_app__handle_of(app, s));
}

void ken_app__drop_idle(ken_app *app, ken_uuid project)
{
    for (;;) {
        app_handle *h = take_idle(app, project, NULL);
        if (!h)
            return;
        forget(app, h);
    }
}

ken_status ken_app_list_skips(ken_app *app, const ken_project_info *project, ken_skip_reason reason,
                              size_t limit, ken_arena *arena, ken_scan_skip **out, size_t *out_n,
                              ken_err *err)
{
    (void)app;
    ken_store *store = NULL;
    ken_skip_row *rows = NULL;
    size_t n = 0;
    ken_err e = { 0 };
    ken_status st =
        ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, &e);
    if (!st)
        st = ken_store_load_skips(store, reason, limit, arena, &rows, &n, &e);
    ken_store_close(store);
    if (st)
        return fail_opening(project, st, &e, err);
    *out = KEN_ARENA_ARRAY(arena, ken_scan_skip, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (ken_scan_skip){ .path = rows[i].path, .reason = rows[i].reason };
    *out_n = n;
    return KEN_OK;
}

ken_status ken_app_count_ignored(const ken_project_info *project, const ken_cancel *cancel,
                                 ken_arena *arena, uint64_t *out, ken_err *err)
{
    const ken_roots roots = ken_app_roots(project, arena);
    ken_scan_opts opts = { .roots = &roots }, all = { .roots = &roots, .wants_ignored = true };
    ken_scan_result without = { 0 }, with = { 0 };
    const char *root = ken_arena_dup(arena, project->root).ptr;
    ken_status st = ken_scan(root, &opts, cancel, arena, &without, err);
    if (!st)
        st = ken_scan(root, &all, cancel, arena, &with, err);
    if (!st)
        *out = with.n_skips > without.n_skips ? with.n_skips - without.n_skips : 0;
    return st;
}

// ---- indexing ----

static uint32_t size_of(const ken_config *settings, ken_config_key key)
{
    return (uint32_t)ken_config_u64(settings, key);
}

static ken_chunk_opts chunk_sizes(const ken_config *settings)
{
    ken_chunk_opts o = {
        .target = size_of(settings, KEN_CFG_CHUNK_TOKENS),
        .max = size_of(settings, KEN_CFG_CHUNK_MAX_TOKENS),
        .min = size_of(settings, KEN_CFG_CHUNK_MIN_TOKENS),
        .lines = size_of(settings, KEN_CFG_CHUNK_SIZE_LINES),
        .overlap = size_of(settings, KEN_CFG_CHUNK_OVERLAP_LINES),
    };
    o.is_apart = !o.overlap;
    return o;
}

ken_index_opts ken_app_index_opts(const ken_config *settings)
{
    ken_index_opts o = { 0 };
    o.scan.n_include = ken_config_list(settings, KEN_CFG_INCLUDE, &o.scan.include);
    o.scan.n_exclude = ken_config_list(settings, KEN_CFG_EXCLUDE, &o.scan.exclude);
    o.scan.max_file_bytes = ken_config_u64(settings, KEN_CFG_MAX_FILE_SIZE);
    o.scan.own_dir = ken_config_data_dir(settings);
    o.scan.wants_secrets = ken_config_bool(settings, KEN_CFG_SECRETS);
    o.n_jobs = (uint32_t)ken_config_u64(settings, KEN_CFG_JOBS);
    o.memory_limit = ken_config_u64(settings, KEN_CFG_MEMORY_LIMIT);
    o.only_likely = ken_app__only_likely(settings);
    o.chunks = chunk_sizes(settings);
    return o;
}

static ken_status check_globs(const char *key, const ken_str *globs, size_t n, ken_err *err)
{
    for (size_t i = 0; i < n; i++) {
        ken_err e = { 0 };
        ken_status st = ken_glob_check(globs[i], &e);
        if (st)
            return KEN_FAIL(err, st, "'%s': %s", key, e.msg);
    }
    return KEN_OK;
}

// A failure that goes away with the file; the others are of the disk, other processes or the caller.
static bool is_about_the_file(ken_status st)
{
    return st != KEN_EBUSY && st != KEN_ENOSPC && st != KEN_ENOMEM && st != KEN_ECANCELLED &&
           st != KEN_ETIMEOUT && st != KEN_EUNSUPPORTED;
}

// What SQL, servers without the folder and questions to many projects read. The run is whole without it, and the next one tries again.
static void fill_rows(ken_store *store, const ken_project_info *project, const ken_index_opts *opts,
                      const ken_cancel *cancel)
{
    ken_err err = { 0 };
    ken_index_fill_report r;
    ken_status st =
        ken_index_fill(store, project->root.ptr, opts->scan.max_file_bytes, cancel, &r, &err);
    if (!st)
        st = ken_index_tell_words(store, cancel, &err);
    if (st && st != KEN_ECANCELLED)
        KEN_LOG_WARNING("app", "rows of '" KEN_STR_FMT "' in the database: %.300s",
                        KEN_STR_ARG(project->name), err.msg);
}

// `*is_unusable`: the database cannot be opened, or parts of it are damaged.
static ken_status index_once(ken_app *app, const ken_project_info *project, const app_run *run,
                             const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                             bool *is_unusable, ken_err *err)
{
    ken_store *store = NULL;
    const ken_index_opts *opts = &run->opts;
    const ken_store_opts store_opts = { .map_bytes = ken_index_map_bytes(opts->memory_limit),
                                        .cache_bytes = ken_index_cache_bytes(opts->memory_limit),
                                        .run = ken_app__run_of(run->lock) };
    ken_index_report saved = { 0 };
    ken_status st = ken_app__open_index(project, &store_opts, &store, err);
    // A forced run replaces what is damaged, so it looks at all of it first.
    if (!st && opts->is_forced)
        st = ken_store_verify(store, err);
    *is_unusable = st && is_about_the_file(st);
    if (!st && ken_app__is_host(project) && !project->database)
        st = ken_app__salvage(store, project->db_path, arena, &saved, err);
    if (!st)
        st = ken_index_run(store, project->root.ptr, opts, cancel, arena, out, err);
    if (!st)
        ken_app__drop_trees(app, store);
    if (!st && project->database && !project->commit.len)
        fill_rows(store, project, opts, cancel);
    ken_store_close(store);
    if (!st) {
        out->n_checkpoints_kept = saved.n_checkpoints_kept;
        out->n_checkpoints_lost = saved.n_checkpoints_lost;
    }
    return st;
}

// The lock is held. A forced run replaces what is damaged.
static ken_status index_locked(ken_app *app, const ken_project_info *project, const app_run *run,
                               const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                               ken_err *err)
{
    ken_err e = { 0 };
    bool is_unusable = false;
    ken_status st = index_once(app, project, run, cancel, arena, out, &is_unusable, &e);
    // Nobody else writes it, so a database let another transaction through; what was committed stays.
    for (int n = 1; st == KEN_EBUSY && project->database && n < CONFLICTS_MAX; n++) {
        e = (ken_err){ 0 };
        st = index_once(app, project, run, cancel, arena, out, &is_unusable, &e);
    }
    if (run->opts.is_forced && !project->database && (is_unusable || st == KEN_ECORRUPT)) {
        ken_str kept;
        e = (ken_err){ 0 };
        ken_app__drop_idle(app, project->id);
        st = ken_store_quarantine(project->db_path.ptr, arena, &kept, &e);
        if (!st)
            st = index_once(app, project, run, cancel, arena, out, &is_unusable, &e);
        if (!st)
            ken_store_forget_damage(); // of the file that was moved away
    }
    if (st) {
        (void)ken_app__explain(project, st, &e);
        if (err)
            *err = e;
    }
    return st;
}

void ken_app__note_indexed(ken_app *app, const ken_project_info *project, int64_t at_ms)
{
    if (project->commit.len)
        return;
    // The time is for lists only: the generation is what counts, so failing here is no failure.
    ken_catalog *c = NULL;
    if (project->indexed_at_ms == at_ms)
        return;
    if (ken_app_take_catalog(app, false, &c, NULL))
        return;
    if (ken_catalog_set_indexed(c, project->id, at_ms, NULL)) {
        ken_catalog_close(c);
        return;
    }
    ken_app_give_catalog(app, c);
}

// A thread that indexes would wait for its own question where readers are in a writer's way.
static bool is_asking(ken_app *app, ken_uuid project)
{
    bool is = false;
    pthread_mutex_lock(&app->lock);
    for (size_t i = 0; i < app->handles.len; i++) {
        const app_handle *h = app->handles.ptr[i];
        is = is || (h->snapshot && ken_uuid_eq(h->project, project) &&
                    pthread_equal(h->lent_to, pthread_self()));
    }
    pthread_mutex_unlock(&app->lock);
    return is;
}

static ken_status index_project(ken_app *app, const ken_project_info *project,
                                const ken_index_opts *opts, const ken_cancel *cancel,
                                ken_arena *arena, ken_index_report *out, ken_err *err)
{
    KEN_ASSERT(!is_asking(app, project->id));
    ken_config *settings = NULL;
    ken_index_opts from_settings;
    app_lock *lock = NULL;
    ken_cancel until_lost = { .also = cancel };
    ken_status st = KEN_OK;
    if (!opts) {
        st = ken_app_load_settings(app, project, &settings, err);
        if (st)
            return st;
        from_settings = ken_app_index_opts(settings);
        opts = &from_settings;
    }
    st = check_globs("indexing.include", opts->scan.include, opts->scan.n_include, err);
    if (!st)
        st = check_globs("indexing.exclude", opts->scan.exclude, opts->scan.n_exclude, err);
    if (!st)
        st = ken_app__lock_index(app, project, &lock, err);
    if (st)
        goto out;
    app_run run;
    ken_app__watch_lock(lock, &until_lost);
    const ken_roots roots = ken_app_roots(project, arena);
    ken_index_opts with_roots = *opts;
    with_roots.scan.roots = &roots;
    st = ken_app__begin_run(app, project, &with_roots, lock, &until_lost, &run, err);
    if (!st)
        st = index_locked(app, project, &run, &until_lost, arena, out, err);
    st = ken_app__explain_lost(lock, st, err);
    ken_app__end_run(&run);
    ken_app__unlock_index(app, lock);
    if (!st)
        ken_app__note_indexed(app, project, out->at_ms);
    ken_alloc_trim();
out:
    ken_config_free(settings);
    return st;
}

// It has a limit of its own, and is no cost of a question that it is done for.
ken_status ken_app__index(ken_app *app, const ken_project_info *project, const ken_index_opts *opts,
                          const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                          ken_err *err)
{
    ken_err e = { 0 };
    ken_status st = ken_app__check_active(project, err);
    if (st)
        return st;
    ken_quota *paused = ken_quota_pause();
    int64_t began = ken_clock_mono_ns();
    ken_metrics_add(KEN_METRIC_INDEX_RUNNING, 1, NULL);
    st = index_project(app, project, opts, cancel, arena, out, &e);
    ken_metrics_add(KEN_METRIC_INDEX_RUNNING, -1, NULL);
    ken_quota_resume(paused);
    ken_app__count_run(st, st ? NULL : out, ken_clock_mono_ns() - began);
    ken_app__log_run(project, st, st ? NULL : out, &e);
    if (!st)
        ken_app__tend_vectors(app, project);
    if (st && err)
        *err = e;
    return st;
}

ken_status ken_app_index(ken_app *app, const ken_project_info *project, const ken_index_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                         ken_err *err)
{
    ken_app_asking how = { .may_index = true, .cancel = cancel };
    if (opts) {
        how.on_progress = opts->on_progress;
        how.progress_ctx = opts->progress_ctx;
    }
    ken_status st = ken_app__await_end(app, project, &how, err);
    return st ? st : ken_app__index(app, project, opts, cancel, arena, out, err);
}

ken_status ken_app_index_as_set(ken_app *app, const ken_project_info *project,
                                const ken_app_indexing *how, const ken_cancel *cancel,
                                ken_arena *arena, ken_index_report *out, ken_err *err)
{
    ken_config *settings = NULL;
    ken_status st = ken_app_load_settings(app, project, &settings, err);
    if (st)
        return st;
    ken_index_opts opts = ken_app_index_opts(settings);
    opts.is_forced = how->is_forced;
    opts.on_progress = how->on_progress;
    opts.progress_ctx = how->progress_ctx;
    st = ken_app_index(app, project, &opts, cancel, arena, out, err);
    ken_config_free(settings);
    return st;
}

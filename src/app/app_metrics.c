// SPDX-License-Identifier: MIT
// What an app counts of its runs, and what is read of its open indexes when somebody looks.
#include "app/app_priv.h"
#include "base/fs.h"

void ken_app__count_run(ken_status st, const ken_index_report *r, int64_t ns)
{
    if (!ken_metrics_is_on())
        return;
    ken_metrics_add(KEN_METRIC_INDEX_RUNS, 1, KEN_LABELS(ken_status_name(st)));
    ken_metrics_time(KEN_METRIC_INDEX_SECONDS, ns, NULL);
    if (st)
        return;
    const struct {
        const char *change;
        uint64_t n;
    } files[] = { { "added", r->n_added },
                  { "modified", r->n_modified },
                  { "removed", r->n_removed },
                  { "renamed", r->n_renamed } };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        ken_metrics_add(KEN_METRIC_INDEX_FILES, (int64_t)files[i].n, KEN_LABELS(files[i].change));
    ken_metrics_add(KEN_METRIC_INDEX_PARSED, (int64_t)r->n_parsed, NULL);
    ken_metrics_add(KEN_METRIC_INDEX_BYTES, (int64_t)r->bytes_parsed, NULL);
    ken_metrics_add(KEN_METRIC_INDEX_ISSUES, (int64_t)r->n_issues, NULL);
    ken_metrics_time(KEN_METRIC_INDEX_STAGE_SECONDS, r->scan_ns, KEN_LABELS("scan"));
    ken_metrics_time(KEN_METRIC_INDEX_STAGE_SECONDS, r->read_ns, KEN_LABELS("parse"));
    ken_metrics_time(KEN_METRIC_INDEX_STAGE_SECONDS, r->commit_ns, KEN_LABELS("commit"));
}

// ---- open indexes ------------------------------------------------------------------------------

static double size_of(ken_arena *arena, ken_str path, const char *suffix)
{
    ken_fs_info info = { 0 };
    ken_str name = ken_arena_printf(arena, KEN_STR_FMT "%s", KEN_STR_ARG(path), suffix);
    return ken_fs_stat_target(name.ptr, &info, NULL) ? 0 : (double)info.stamp.size;
}

// The databases of the open indexes, each once, and the memory of their graphs as it was when they were
// last given back.
static size_t list_open(ken_app *app, ken_arena *arena, ken_str **out_paths, double *out_graphs,
                        size_t *out_n_handles)
{
    size_t n = 0;
    pthread_mutex_lock(&app->lock);
    ken_str *paths = KEN_ARENA_ARRAY(arena, ken_str, app->handles.len + 1);
    for (size_t i = 0; i < app->handles.len; i++) {
        const app_handle *h = app->handles.ptr[i];
        bool is_known = false;
        for (size_t k = 0; k < n; k++)
            is_known = is_known || ken_str_eq(paths[k], h->info.db_path);
        if (!is_known && !h->info.database)
            paths[n++] = ken_arena_dup(arena, h->info.db_path);
        *out_graphs += (double)h->graph_bytes;
    }
    *out_n_handles = app->handles.len;
    pthread_mutex_unlock(&app->lock);
    *out_paths = paths;
    return n;
}

static void read_replica(ken_app *app, ken_metrics_sink *sink)
{
    pthread_mutex_lock(&app->database_lock);
    ken_replica_usage r =
        app->database ? ken_database_get_replica(app->database) : (ken_replica_usage){ 0 };
    pthread_mutex_unlock(&app->database_lock);
    if (!r.exists)
        return;
    ken_metrics_put(sink, KEN_METRIC_REPLICA_STATE, r.is_down, KEN_LABELS("down"));
    ken_metrics_put(sink, KEN_METRIC_REPLICA_STATE, r.is_behind, KEN_LABELS("behind"));
    ken_metrics_put(sink, KEN_METRIC_REPLICA_STATE, r.is_other, KEN_LABELS("other"));
    ken_metrics_put(sink, KEN_METRIC_REPLICA_READS, (double)r.n_answers, KEN_LABELS("answered"));
    ken_metrics_put(sink, KEN_METRIC_REPLICA_READS, (double)r.n_older, KEN_LABELS("older"));
}

void ken_app__read_metrics(void *ctx, ken_metrics_sink *sink)
{
    ken_app *app = ctx;
    ken_arena arena;
    ken_str *paths = NULL;
    double graphs = 0, data = 0, log = 0;
    size_t n_handles = 0;
    ken_arena_init(&arena, 0);
    size_t n = list_open(app, &arena, &paths, &graphs, &n_handles);
    for (size_t i = 0; i < n; i++) {
        data += size_of(&arena, paths[i], "");
        log += size_of(&arena, paths[i], "-wal");
    }
    ken_metrics_put(sink, KEN_METRIC_STORE_BYTES, data, KEN_LABELS("index"));
    ken_metrics_put(sink, KEN_METRIC_STORE_BYTES, log, KEN_LABELS("index_log"));
    ken_metrics_put(sink, KEN_METRIC_STORE_BYTES, size_of(&arena, app->catalog_path, ""),
                    KEN_LABELS("catalog"));
    ken_metrics_put(sink, KEN_METRIC_INDEX_OPEN, (double)n, NULL);
    ken_metrics_put(sink, KEN_METRIC_CACHE_ENTRIES, (double)n_handles, KEN_LABELS("index"));
    ken_metrics_put(sink, KEN_METRIC_CACHE_BYTES, graphs, KEN_LABELS("graph"));
    ken_app__read_followed(app, sink);
    read_replica(app, sink);
    ken_arena_release(&arena);
}

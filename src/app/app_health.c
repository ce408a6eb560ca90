// SPDX-License-Identifier: MIT
// What `ken doctor` looks at: folders, settings, git, the catalog, every index.
#include <inttypes.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/app.h"
#include "app/app_health_priv.h"
#include "base/path.h"
#include "proc/proc_git.h"
#include "sandbox/sandbox.h"

enum {
    LITTLE_SPACE_MIB = 512
};

const char *ken_health_word(ken_health h)
{
    static const char *const words[] = { "unknown", "ok", "warn", "fail" };
    return words[(unsigned)h <= KEN_HEALTH_FAIL ? h : 0];
}

void ken_app__add_health(checkup *c, const char *name, ken_health health, ken_str text)
{
    ken_health_check check = { name, health, text };
    ken_vec_push(&c->checks, check);
}

// The nearest folder at or above `path` that exists.
static ken_str existing(ken_arena *a, ken_str path)
{
    while (path.len > 1 && !ken_fs_exists(ken_arena_dup(a, path).ptr))
        path = ken_path_dir(path);
    return ken_arena_dup(a, path.len ? path : KEN_STR("/"));
}

static void check_data_dir(checkup *c)
{
    ken_str dir = ken_config_data_dir(c->app->config);
    ken_str there = existing(c->arena, dir);
    struct statvfs fs;
    if (access(there.ptr, W_OK)) {
        ken_app__add_health(c, "data folder", KEN_HEALTH_FAIL,
                            ken_arena_printf(c->arena,
                                             "'" KEN_STR_FMT
                                             "' cannot be written; set KEN_DATA_DIR to a "
                                             "folder that can",
                                             KEN_STR_ARG(there)));
        return;
    }
    uint64_t free_mib = UINT64_MAX;
    if (!statvfs(there.ptr, &fs))
        free_mib = (uint64_t)fs.f_bavail * fs.f_frsize >> 20;
    ken_app__add_health(c, "data folder",
                        free_mib < LITTLE_SPACE_MIB ? KEN_HEALTH_WARN : KEN_HEALTH_OK,
                        ken_arena_printf(c->arena, KEN_STR_FMT ", %" PRIu64 " MiB free",
                                         KEN_STR_ARG(dir), free_mib));
}

// Settings of other programs' files may have no effect here: each is named with its reason.
static void check_settings(checkup *c)
{
    const ken_config_note *notes;
    ken_str file = ken_config_user_file(c->app->config);
    bool is_there = file.len && ken_fs_exists(file.ptr);
    size_t n = ken_config_notes(c->app->config, &notes);
    ken_app__add_health(c, "settings", KEN_HEALTH_OK,
                        ken_arena_printf(c->arena, KEN_STR_FMT "%s", KEN_STR_ARG(file),
                                         is_there ? "" : " (none; defaults are used)"));
    for (size_t i = 0; i < n; i++) {
        ken_app__add_health(
            c, "settings", KEN_HEALTH_WARN,
            ken_arena_printf(c->arena,
                             "'" KEN_STR_FMT "' (" KEN_STR_FMT ") has no effect: " KEN_STR_FMT,
                             KEN_STR_ARG(notes[i].name), KEN_STR_ARG(notes[i].where),
                             KEN_STR_ARG(notes[i].text)));
    }
}

// An ONNX model that was downloaded, or is set, needs a library to run it.
static void check_runtime(checkup *c)
{
    ken_model_record *list = NULL;
    size_t n = 0;
    ken_err err = { 0 };
    bool is_needed = ken_str_eq_c(ken_config_str(c->app->config, KEN_CFG_EMBED_PROVIDER), "onnx");
    if (ken_app__has_catalog(c->app) && !ken_app_list_models(c->app, c->arena, &list, &n, NULL))
        for (size_t i = 0; i < n; i++)
            is_needed = is_needed || (list[i].status == KEN_MODEL_READY &&
                                      ken_str_eq_c(list[i].provider, "onnx"));
    if (!is_needed)
        return;
    const char *path = ken_config_str(c->app->config, KEN_CFG_ONNX_RUNTIME).ptr;
    if (ken_embed_check_runtime(path, &err))
        ken_app__add_health(c, "onnx", KEN_HEALTH_WARN,
                            ken_arena_dup(c->arena, ken_str_c(err.msg)));
    else
        ken_app__add_health(c, "onnx", KEN_HEALTH_OK, KEN_STR("ONNX Runtime is there"));
}

static void check_sandbox(checkup *c)
{
    ken_str mode = ken_config_str(c->app->config, KEN_CFG_SANDBOX), text;
    int landlock = ken_sandbox_landlock();
    bool is_wanted = ken_str_eq_c(mode, "on") || ken_str_eq_c(mode, "strict");
    ken_health health = KEN_HEALTH_OK;
    if (ken_str_eq_c(mode, "off")) {
        health = KEN_HEALTH_WARN;
        text = KEN_STR("off (security.sandbox); auto is the default");
    } else if (!landlock) {
        health = is_wanted ? KEN_HEALTH_FAIL : KEN_HEALTH_OK;
        text = KEN_STR("system calls only: this kernel has no Landlock");
    } else {
        text = ken_arena_printf(c->arena, KEN_STR_FMT ", with version %d of Landlock",
                                KEN_STR_ARG(mode), landlock);
    }
    ken_app__add_health(c, "sandbox", health, text);
}

static void check_git(checkup *c)
{
    static const char *const argv[] = { "--version", NULL };
    ken_proc_result r;
    ken_proc_opts opts = { .argv = argv, .timeout_ms = 5000, .cancel = c->cancel };
    if (ken_git_run(&opts, &r, NULL)) {
        ken_app__add_health(c, "git", KEN_HEALTH_WARN,
                            KEN_STR("not found; folders are walked, and commits are not known"));
        return;
    }
    if (r.exit_code == 0)
        ken_app__add_health(c, "git", KEN_HEALTH_OK,
                            ken_arena_dup(c->arena, ken_str_trim(ken_buf_str(&r.out))));
    else
        ken_app__add_health(c, "git", KEN_HEALTH_WARN,
                            ken_arena_printf(c->arena, "git --version failed: " KEN_STR_FMT,
                                             KEN_STR_ARG(ken_proc_complaint(&r))));
    ken_proc_result_release(&r);
}

// Opens the index, reads its generation, and with is_deep all of it.
static ken_status look_into(checkup *c, const ken_project_info *p, ken_generation *out,
                            ken_err *err)
{
    ken_store *store = NULL;
    ken_status st = ken_app__open_index(p, &(ken_store_opts){ .is_read_only = true }, &store, err);
    if (!st)
        st = ken_store_load_generation(store, c->arena, out, err);
    if (!st && c->is_deep)
        st = ken_store_verify(store, err);
    ken_store_close(store);
    return st;
}

// What would be missing when the index had to be made anew.
static void check_checkpoints(checkup *c, const ken_project_info *p)
{
    ken_store_journal journal = { 0 };
    ken_err err = { 0 };
    ken_status st =
        p->database ? KEN_OK : ken_store_read_journal(p->notes_path.ptr, &journal, &err);
    if (st) {
        ken_app__add_health(c, "checkpoints", KEN_HEALTH_FAIL,
                            ken_arena_dup(c->arena, ken_str_c(err.msg)));
    } else if (journal.n_damaged) {
        ken_app__add_health(c, "checkpoints", KEN_HEALTH_WARN,
                            ken_arena_printf(c->arena,
                                             "'" KEN_STR_FMT
                                             "': the journal of its checkpoints has "
                                             "%" PRIu64 " damaged records; run: ken restore",
                                             KEN_STR_ARG(p->name), journal.n_damaged));
    }
}

static void check_project(checkup *c, const ken_project_info *p)
{
    ken_err err = { 0 };
    ken_generation g = { 0 };
    ken_config *settings = NULL;
    ken_status st = look_into(c, p, &g, &err);
    ken_health health = KEN_HEALTH_OK;
    ken_str text;
    if (st == KEN_ENOTFOUND || (!st && !g.number)) {
        health = KEN_HEALTH_WARN;
        text = ken_arena_printf(c->arena,
                                "'" KEN_STR_FMT "' was never indexed; run: ken index " KEN_STR_FMT,
                                KEN_STR_ARG(p->name), KEN_STR_ARG(p->root));
    } else if (st) {
        health = KEN_HEALTH_FAIL;
        (void)ken_app__explain(p, st, &err);
        text = ken_arena_dup(c->arena, ken_str_c(err.msg));
    } else if (!p->root_exists) {
        health = KEN_HEALTH_WARN;
        text = ken_arena_printf(c->arena,
                                "'" KEN_STR_FMT "': its folder " KEN_STR_FMT
                                " is %s; to forget it: ken projects remove",
                                KEN_STR_ARG(p->name), KEN_STR_ARG(p->root),
                                p->database ? "not on this machine" : "gone");
    } else if (ken_app_load_settings(c->app, p, &settings, &err)) {
        health = KEN_HEALTH_FAIL;
        text = ken_arena_dup(c->arena, ken_str_c(err.msg));
    } else {
        text = ken_arena_printf(c->arena, "'" KEN_STR_FMT "': %" PRIu64 " files%s",
                                KEN_STR_ARG(p->name), g.n_files,
                                c->is_deep ? ", every page is sound" : "");
    }
    ken_config_free(settings);
    ken_app__add_health(c, "project", health, text);
    check_checkpoints(c, p);
}

static void check_replica(checkup *c, ken_database *db)
{
    ken_database_check_replica(db);
    ken_replica_usage r = ken_database_get_replica(db);
    if (!r.exists)
        return;
    const char *what = r.is_down     ? "it does not answer"
                       : r.is_other  ? "it does not follow the primary"
                       : r.is_behind ? "it is behind"
                                     : NULL;
    ken_app__add_health(
        c, "replica", what ? KEN_HEALTH_WARN : KEN_HEALTH_OK,
        what ? ken_arena_printf(c->arena, "%s (%s); the primary is asked", what, r.why)
             : KEN_STR("it has what the primary has"));
}

// A database of PostgreSQL: it can be reached, and its tables are those that were made.
static void check_database(checkup *c)
{
    ken_database *db = NULL;
    ken_err err = { 0 };
    ken_status st = ken_app__get_database(c->app, &db, &err);
    if (!st)
        st = ken_database_check_schema(db, &err);
    ken_app__add_health(
        c, "database", st ? KEN_HEALTH_FAIL : KEN_HEALTH_OK,
        st ? ken_arena_dup(c->arena, ken_str_c(err.msg))
           : ken_arena_printf(c->arena, "%s, schema version %d%s", ken_database_name(db),
                              ken_database_schema(),
                              ken_database_get_usage(db).is_pooled ? ", through a pooler" : ""));
    if (!st)
        check_replica(c, db);
}

static ken_str vectors_text(checkup *c, const ken_database_vectors *v)
{
    if (!v->is_on)
        return ken_arena_printf(c->arena, "%s; the vectors of the indexes themselves are scanned",
                                v->why);
    ken_str recall =
        v->has_recall
            ? ken_arena_printf(c->arena, "recall@10 %.3f beside the exact scan", v->recall)
            : KEN_STR("recall not measured yet");
    return ken_arena_printf(c->arena,
                            "pgvector %s: %" PRIu64 " vectors (%s) of %" PRIu64 " models, %" PRIu64
                            " with an HNSW index; " KEN_STR_FMT,
                            v->version, v->n_rows, v->type, v->n_models, v->n_indexed,
                            KEN_STR_ARG(recall));
}

// Where nobody asked for pgvector there is nothing to say.
static void check_vectors(checkup *c)
{
    ken_database *db = NULL;
    ken_database_vectors v = { .is_on = false };
    ken_err err = { 0 };
    ken_status st = ken_app__get_database(c->app, &db, NULL);
    if (st) // said already
        return;
    st = ken_database_get_vectors(db, &v, &err);
    if (!st && !v.is_on && !v.why[0])
        return;
    ken_app__add_health(c, "vectors",
                        st         ? KEN_HEALTH_FAIL
                        : !v.is_on ? KEN_HEALTH_WARN
                                   : KEN_HEALTH_OK,
                        st ? ken_arena_dup(c->arena, ken_str_c(err.msg)) : vectors_text(c, &v));
}

// What people wrote: the database, and its journal.
static void check_catalog(checkup *c)
{
    const char *path = c->app->catalog_path.ptr;
    ken_catalog *catalog = NULL;
    ken_catalog_journal journal = { 0 };
    bool agrees = true;
    ken_err err = { 0 };
    if (!ken_fs_exists(path) && !ken_catalog_has_journal(path))
        return;
    ken_status st = ken_catalog_open(path, true, &catalog, &err);
    if (st == KEN_ENOTFOUND)
        st = KEN_FAIL(&err, st, "projects.db is not there, but its journal is; run: ken restore");
    if (!st)
        st = ken_catalog_verify(catalog, &agrees, &err);
    if (!st)
        st = ken_catalog_read_journal(path, &journal, &err);
    ken_catalog_close(catalog);
    if (st)
        ken_app__add_health(c, "tasks", KEN_HEALTH_FAIL,
                            ken_arena_dup(c->arena, ken_str_c(err.msg)));
    else if (!agrees || journal.n_damaged)
        ken_app__add_health(
            c, "tasks", KEN_HEALTH_WARN,
            ken_arena_printf(c->arena, "the journal of projects.db has %s; run: ken restore",
                             journal.n_damaged ? "damaged records" : "writes that it lacks"));
    else
        ken_app__add_health(
            c, "tasks", KEN_HEALTH_OK,
            ken_arena_printf(c->arena, "projects.db is sound; %" PRIu64 " records in its journal",
                             journal.n_records));
}

static ken_status check_projects(checkup *c, ken_err *err)
{
    ken_project_info *list = NULL;
    size_t n = 0;
    ken_err e = { 0 };
    if (ken_app_list_projects(c->app, c->arena, &list, &n, &e)) {
        ken_app__add_health(c, "projects", KEN_HEALTH_FAIL,
                            ken_arena_dup(c->arena, ken_str_c(e.msg)));
        return KEN_OK;
    }
    ken_app__add_health(c, "projects", KEN_HEALTH_OK, ken_arena_printf(c->arena, "%zu known", n));
    for (size_t i = 0; i < n; i++) {
        ken_status st = ken_cancel_check(c->cancel, err);
        if (st)
            return st;
        check_project(c, &list[i]);
        ken_app__check_frameworks(c, &list[i]);
    }
    return KEN_OK;
}

ken_status ken_app_check_health(ken_app *app, bool is_deep, const ken_cancel *cancel,
                                ken_arena *arena, ken_health_check **out, size_t *out_n,
                                ken_err *err)
{
    checkup c = { .app = app, .cancel = cancel, .arena = arena, .is_deep = is_deep };
    check_data_dir(&c);
    check_settings(&c);
    check_runtime(&c);
    check_sandbox(&c);
    check_git(&c);
    if (ken_app__has_database(app)) {
        check_database(&c);
        check_vectors(&c);
    } else if (is_deep)
        check_catalog(&c);
    ken_status st = check_projects(&c, err);
    if (!st) {
        *out = ken_arena_copy(arena, c.checks.ptr, c.checks.len, sizeof **out);
        *out_n = c.checks.len;
    }
    ken_vec_release(&c.checks);
    return st;
}

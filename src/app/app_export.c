// SPDX-License-Identifier: MIT
// ken export: the newest generation is copied into an index of its own, which holds nothing else, and that is
// packed. So nothing of the person, the machine or another branch can be in a bundle, and a reader's snapshot
// is all that it needs of the index.
#include "app/app_bundle_priv.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "proc/proc_git.h"
#include "store/checkpoints.h"
#include "sync/sync.h"

enum {
    PLACES_MAX = 64,
    GIT_MS = 3000,
};

// ---- places --------------------------------------------------------------------------------------

static ken_status clear_place(const app_place *p, ken_err *err)
{
    static const char *const suffixes[] = { "-wal", "-shm", "-journal", ".writes", ".tag", "" };
    ken_arena a;
    ken_status st = KEN_OK;
    ken_arena_init(&a, 1024);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !st; i++)
        st = ken_fs_remove(
            ken_arena_printf(&a, KEN_STR_FMT "%s", KEN_STR_ARG(p->path), suffixes[i]).ptr, err);
    ken_arena_release(&a);
    return st;
}

ken_status ken_app__take_place(ken_app *app, ken_arena *arena, app_place *out, ken_err *err)
{
    ken_err e = { 0 };
    app_place p = { .lock = -1 };
    ken_status st = ken_fs_make_dirs(app->index_dir.ptr, 0700, err);
    if (st)
        return st;
    st = KEN_EBUSY;
    for (int i = 1; i <= PLACES_MAX && st == KEN_EBUSY; i++) {
        p.path = ken_arena_printf(arena, KEN_STR_FMT "/travel-%d", KEN_STR_ARG(app->index_dir), i);
        e = (ken_err){ 0 };
        st = ken_fs_lock(ken_arena_printf(arena, KEN_STR_FMT ".lock", KEN_STR_ARG(p.path)).ptr,
                         &p.lock, &e);
    }
    if (!st) {
        st = clear_place(&p, &e);
        if (st)
            ken_fs_unlock(p.lock);
    }
    if (st && err)
        *err = e;
    if (!st)
        *out = p;
    return st;
}

void ken_app__give_place(app_place *p)
{
    if (p->lock < 0)
        return;
    bool is_left = clear_place(p, NULL) != KEN_OK; // the next one removes it
    (void)is_left;
    ken_fs_unlock(p->lock);
    p->lock = -1;
}

void ken_app__on_bytes(void *ctx, uint64_t done_bytes, uint64_t total_bytes)
{
    const app_bytes_progress *p = ctx;
    const ken_index_progress now = { p->stage, 0, 0, done_bytes, total_bytes, 0 };
    if (p->on_progress)
        p->on_progress(p->ctx, &now);
}

// ---- exporting -----------------------------------------------------------------------------------

typedef struct export
{
    ken_app *app;
    const ken_project_info *project;
    const ken_app_export_opts *opts;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_app_export_report *out;
}
export;

// The address of the origin, without what could be a secret; empty when there is none.
static ken_str find_origin(ken_str root, ken_arena *arena)
{
    const char *argv[] = { "config", "--get", "remote.origin.url", NULL };
    const ken_proc_opts opts = {
        .argv = argv, .cwd = root.ptr, .timeout_ms = GIT_MS, .max_out_bytes = KEN_BUNDLE_TEXT_MAX
    };
    ken_proc_result r;
    ken_str url = KEN_STR("");
    if (ken_git_run(&opts, &r, NULL))
        return url;
    if (!r.exit_code)
        url = ken_sync_show(ken_str_trim(ken_buf_str(&r.out)), arena);
    ken_proc_result_release(&r);
    url = ken_str_sub(url, 0, ken_str_find_char(url, '?'));
    // A path says where things are on this machine, and nothing to another one.
    return ken_str_find(url, KEN_STR(":")) == SIZE_MAX || ken_str_starts(url, KEN_STR("file:"))
               ? KEN_STR("")
               : url;
}

static ken_status copy_notes(export *x, ken_store *from, ken_store *to, ken_err *err)
{
    ken_store *notes = NULL;
    const ken_project_info *p = x->project;
    if (!x->opts->with_notes)
        return KEN_OK;
    if (ken_app__is_host(p))
        return ken_app__copy_checkpoints(to, from, &x->out->info.n_checkpoints, err);
    ken_status st =
        ken_app__open_notes_of(p, &(ken_store_opts){ .is_read_only = true }, &notes, err);
    if (!st)
        st = ken_app__copy_checkpoints(to, notes, &x->out->info.n_checkpoints, err);
    ken_store_close(notes);
    return st == KEN_ENOTFOUND ? KEN_OK : st; // nobody wrote anything
}

// Of further roots the names alone: where they are on this machine is nobody's business.
static ken_str names_of(ken_str text, ken_arena *arena)
{
    ken_roots roots = ken_roots_parse(text, arena);
    for (size_t i = 0; i < roots.n; i++)
        roots.more[i].path = KEN_STR("/");
    return ken_roots_format(&roots, arena);
}

static ken_status copy_index(export *x, ken_store *from, ken_store *to, ken_err *err)
{
    ken_index_copy_report copied;
    ken_bundle_info *i = &x->out->info;
    ken_index_copy_opts opts = { .root = { "", 0 },
                                 .on_progress = x->opts->on_progress,
                                 .progress_ctx = x->opts->progress_ctx };
    ken_str text;
    ken_status st = ken_index_load_roots(from, x->arena, &text, err);
    if (!st)
        st = ken_store_begin_write(to, err);
    if (st)
        return st;
    opts.roots = names_of(text, x->arena);
    st = ken_index_copy(from, to, &opts, x->cancel, &copied, err);
    if (!st)
        st = copy_notes(x, from, to, err);
    if (st) {
        ken_store_rollback(to);
        return st;
    }
    i->n_files = copied.n_files;
    i->n_contents = copied.n_added;
    i->n_chunks = copied.n_chunks;
    i->n_symbols = copied.n_symbols;
    i->n_source_bytes = copied.n_bytes;
    return ken_store_commit(to, err);
}

// What the header says of it.
static ken_status describe(export *x, ken_store *store, ken_err *err)
{
    ken_generation g;
    ken_index_vectors v;
    uint32_t feature = 0;
    ken_bundle_info *i = &x->out->info;
    ken_status st = ken_store_load_generation(store, x->arena, &g, err);
    if (!st)
        st = ken_index_load_feature(store, &feature, err);
    if (!st)
        st = ken_index_load_vectors(store, x->arena, &v, err);
    if (st)
        return st;
    i->kind = KEN_STR(APP_BUNDLE_KIND);
    i->program = x->opts->program;
    i->schema = (uint64_t)ken_store_sqlite_schema();
    i->feature = feature;
    i->project = x->project->name;
    i->commit = g.git_head;
    i->branch = g.git_branch;
    i->remote = find_origin(x->project->root, x->arena);
    i->model = ken_arena_dup(x->arena, ken_str_c(v.active));
    i->made_at_ms = ken_clock_wall_ms();
    return KEN_OK;
}

static ken_status copy_out(export *x, ken_str path, ken_err *err)
{
    ken_store *from = NULL, *to = NULL;
    ken_status st =
        ken_app__open_index(x->project, &(ken_store_opts){ .is_read_only = true }, &from, err);
    if (st == KEN_ENOTFOUND)
        st = KEN_FAIL(err, st,
                      "project '" KEN_STR_FMT "' is not indexed yet; run: ken index " KEN_STR_FMT,
                      KEN_STR_ARG(x->project->name), KEN_STR_ARG(x->project->root));
    if (!st)
        st = ken_store_get_size(from, &x->out->n_index_bytes, err);
    if (!st)
        st = ken_store_open(&(ken_store_opts){ .path = path.ptr }, &to, err);
    if (!st)
        st = copy_index(x, from, to, err);
    if (!st)
        st = describe(x, to, err);
    if (!st)
        st = ken_store_checkpoint(to, err);
    ken_store_close(to); // the last to close: the log is in the file
    ken_store_close(from);
    return st;
}

ken_status ken_app_export(ken_app *app, const ken_project_info *project,
                          const ken_app_export_opts *opts, const ken_cancel *cancel,
                          ken_arena *arena, ken_app_export_report *out, ken_err *err)
{
    app_place place;
    ken_app_export_report report = { .info = { .kind = { "", 0 } } };
    export x = { app, project, opts, cancel, arena, &report };
    app_bytes_progress told = { "packing", opts->on_progress, opts->progress_ctx };
    const ken_bundle_job job = { ken_app__on_bytes, &told, cancel };
    ken_status st = ken_app__check_active(project, err);
    if (!st)
        st = ken_app__take_place(app, arena, &place, err);
    if (st)
        return st;
    st = copy_out(&x, place.path, err);
    if (!st)
        st = ken_bundle_write(place.path.ptr, &report.info, ken_arena_dup(arena, opts->path).ptr,
                              &job, &report.n_bytes, err);
    ken_app__give_place(&place);
    if (!st)
        *out = report;
    return st;
}

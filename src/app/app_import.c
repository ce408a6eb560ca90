// SPDX-License-Identifier: MIT
// ken import: a bundle is fetched and unpacked beside the indexes, every page and every blob of it is looked at,
// and then its generation is copied into the project's index in one transaction (ken_index_copy). Readers see
// the old generation until that is committed; who is killed in between leaves it as it was, and a file that
// the next one to take the place removes.
#include <time.h>

#include "app/app_bundle_priv.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "httpc/httpc.h"
#include "proc/proc_git.h"
#include "sync/sync.h"

enum {
    WAIT_MS = 50
};

#define FETCH_MAX_BYTES ((uint64_t)16 << 30)

struct ken_app_bundle {
    ken_arena arena;
    app_place fetched; // lock -1 = it is a file of somebody's
    ken_bundle *bundle;
};

// ---- opening -------------------------------------------------------------------------------------

bool ken_app_is_bundle_url(ken_str from)
{
    return ken_str_find(from, KEN_STR("://")) != SIZE_MAX;
}

static ken_status check_url(ken_str url, ken_arena *arena, ken_err *err)
{
    ken_status st = ken_httpc_check_url(url, err);
    if (st || ken_str_eq_fold(ken_str_sub(url, 0, 8), KEN_STR("https://")) ||
        ken_httpc_is_loopback(url))
        return st;
    return KEN_FAIL(err, KEN_EINVAL,
                    "'" KEN_STR_FMT "': an index is fetched by https, by http of this machine only",
                    KEN_STR_ARG(ken_sync_show(url, arena)));
}

static ken_status fetch(ken_app *app, ken_app_bundle *b, ken_str url, ken_app_bytes_fn *on_progress,
                        void *progress_ctx, const ken_cancel *cancel, ken_err *err)
{
    ken_status st = check_url(url, &b->arena, err);
    if (!st)
        st = ken_app__take_place(app, &b->arena, &b->fetched, err);
    if (st)
        return st;
    ken_httpc *http = ken_httpc_new();
    st = ken_httpc_fetch(http,
                         &(ken_httpc_download){ .url = ken_arena_dup(&b->arena, url).ptr,
                                                .path = b->fetched.path.ptr,
                                                .bearer = ken_git_find_token(url, &b->arena),
                                                .max_bytes = FETCH_MAX_BYTES,
                                                .progress = on_progress,
                                                .ctx = progress_ctx,
                                                .cancel = cancel },
                         NULL, err);
    ken_httpc_free(http);
    return st;
}

ken_status ken_app_open_bundle(ken_app *app, ken_str from, ken_app_bytes_fn *on_progress,
                               void *progress_ctx, const ken_cancel *cancel, ken_app_bundle **out,
                               ken_err *err)
{
    ken_app_bundle *b = ken_zalloc(sizeof *b);
    ken_arena_init(&b->arena, 0);
    b->fetched.lock = -1;
    ken_str path = ken_arena_dup(&b->arena, from);
    ken_status st = KEN_OK;
    if (ken_app_is_bundle_url(from)) {
        st = fetch(app, b, from, on_progress, progress_ctx, cancel, err);
        path = b->fetched.path;
    }
    if (!st)
        st = ken_bundle_open(path.ptr, &b->bundle, err);
    if (st) {
        ken_app_close_bundle(b);
        return st;
    }
    *out = b;
    return KEN_OK;
}

void ken_app_close_bundle(ken_app_bundle *b)
{
    if (!b)
        return;
    ken_bundle_close(b->bundle);
    ken_app__give_place(&b->fetched);
    ken_arena_release(&b->arena);
    ken_free(b);
}

const ken_bundle_info *ken_app_bundle_info(const ken_app_bundle *b)
{
    return ken_bundle_info_of(b->bundle);
}

// ---- whether it fits -----------------------------------------------------------------------------

static ken_status check_versions(ken_app *app, ken_str root, const ken_bundle_info *i,
                                 ken_arena *arena, ken_err *err)
{
    ken_config *settings = NULL;
    const ken_project_info place = { .root = root };
    if (!ken_str_eq_c(i->kind, APP_BUNDLE_KIND))
        return KEN_FAIL(err, KEN_EVERSION,
                        "the bundle holds an index of kind '" KEN_STR_FMT
                        "', and this ken reads '%s': update ken",
                        KEN_STR_ARG(ken_str_sub(i->kind, 0, 40)), APP_BUNDLE_KIND);
    if (i->schema > (uint64_t)ken_store_sqlite_schema())
        return KEN_FAIL(err, KEN_EVERSION,
                        "the bundle was made by ken " KEN_STR_FMT
                        " with schema %llu, and this ken knows up to %d: update ken",
                        KEN_STR_ARG(ken_str_sub(i->program, 0, 40)), (unsigned long long)i->schema,
                        (int)ken_store_sqlite_schema());
    ken_status st = ken_app_load_settings(app, &place, &settings, err);
    if (st)
        return st;
    const ken_index_opts opts = ken_app_index_opts(settings);
    uint32_t feature = ken_index_feature(&opts.chunks, arena);
    ken_config_free(settings);
    if (i->feature == feature)
        return KEN_OK;
    return KEN_FAIL(
        err, KEN_EVERSION,
        "the bundle was extracted by ken " KEN_STR_FMT
        " (feature %llu), and this ken, with the sizes of chunks of its settings, would "
        "extract everything again (feature %u): export it with this version and these "
        "settings, or use that version",
        KEN_STR_ARG(ken_str_sub(i->program, 0, 40)), (unsigned long long)i->feature, feature);
}

static ken_status check_commit(ken_str root, const ken_bundle_info *i, ken_arena *arena,
                               ken_err *err)
{
    if (ken_app__has_commit(root, i->commit, arena))
        return KEN_OK;
    if (!i->commit.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "the bundle of '" KEN_STR_FMT
                        "' names no commit, so whether it belongs to '" KEN_STR_FMT
                        "' cannot be told; to import it all the same: --any-commit",
                        KEN_STR_ARG(ken_str_sub(i->project, 0, 80)), KEN_STR_ARG(root));
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "the bundle is of '" KEN_STR_FMT "' at commit " KEN_STR_FMT
                    ", which the repository at '" KEN_STR_FMT
                    "' does not have: it is of another repository, or must be fetched first (git "
                    "fetch origin " KEN_STR_FMT "); to import it all the same: --any-commit",
                    KEN_STR_ARG(ken_str_sub(i->project, 0, 80)),
                    KEN_STR_ARG(ken_str_sub(i->commit, 0, 64)), KEN_STR_ARG(root),
                    KEN_STR_ARG(ken_str_sub(i->branch.len ? i->branch : i->commit, 0, 100)));
}

// ---- importing -----------------------------------------------------------------------------------

typedef struct import {
    ken_app *app;
    ken_str root, name;
    ken_app_bundle *bundle;
    const ken_app_import_opts *opts;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_app_import_report *out;
    bool was_known; // the project
    ken_str roots;  // the project's, of those that the bundle has
} import;

static ken_status fail_present(const ken_project_info *p, ken_err *err)
{
    return KEN_FAIL(err, KEN_EEXIST,
                    "project '" KEN_STR_FMT
                    "' has an index already, which 'ken index' brings up to date; to replace it, "
                    "checkpoints kept: --force",
                    KEN_STR_ARG(p->name));
}

// The project of exactly this folder, and whether it has an index.
static ken_status find_present(import *x, ken_err *err)
{
    ken_project_info p;
    ken_store *store = NULL;
    uint64_t generation = 0;
    x->was_known = !ken_app_find_project(x->app, x->root, KEN_STR(""), x->arena, &p, NULL) &&
                   ken_str_eq(p.root, x->root);
    if (!x->was_known)
        return KEN_OK;
    ken_status st = ken_app__check_active(&p, err);
    if (st || x->opts->replaces ||
        ken_app__open_index(&p, &(ken_store_opts){ .is_read_only = true }, &store, NULL))
        return st;
    st = ken_store_get_generation(store, &generation, err);
    ken_store_close(store);
    return st || !generation ? st : fail_present(&p, err);
}

// What is inside must be what the header says, and sound.
static ken_status check_inside(const import *x, ken_store *from, ken_err *err)
{
    uint32_t feature = 0;
    ken_generation g = { .number = 0 };
    ken_err e = { 0 };
    const ken_bundle_info *info = ken_app_bundle_info(x->bundle);
    ken_status st = ken_store_verify(from, &e);
    if (!st)
        st = ken_index_load_feature(from, &feature, &e);
    if (!st)
        st = ken_store_load_generation(from, x->arena, &g, &e);
    if (!st && (feature != info->feature || !ken_str_eq(g.git_head, info->commit)))
        st = KEN_FAIL(&e, KEN_ECORRUPT, "its header is of another index");
    if (!st)
        return KEN_OK;
    ken_store_forget_damage(); // of a file that is nobody's
    return KEN_FAIL(err, st, "what the bundle holds is not sound: %.300s; export it again", e.msg);
}

static ken_status write_index(import *x, ken_store *from, ken_store *to, ken_err *err)
{
    uint64_t generation = 0;
    ken_app_import_report *r = x->out;
    const ken_index_copy_opts opts = { .root = r->project.root,
                                       .roots = x->roots,
                                       .on_progress = x->opts->on_progress,
                                       .progress_ctx = x->opts->progress_ctx };
    ken_status st = ken_store_begin_write(to, err);
    if (st)
        return st;
    st = ken_store_get_generation(to, &generation, err);
    if (!st && generation && !x->opts->replaces) // an index that was taken up, or made meanwhile
        st = fail_present(&r->project, err);
    if (!st)
        st = ken_index_copy(from, to, &opts, x->cancel, &r->copied, err);
    if (!st && x->opts->with_notes)
        st = ken_app__copy_checkpoints(to, from, &r->n_checkpoints, err);
    if (!st)
        return ken_store_commit(to, err);
    ken_store_rollback(to);
    return st;
}

static ken_status import_locked(import *x, ken_store *from, ken_err *err)
{
    ken_store *to = NULL;
    ken_err e = { 0 };
    ken_project_info first = x->out->project;
    first.tree = (ken_uuid){ { 0 } };
    const ken_store_opts opts = { .busy_ms = APP_WRITER_BUSY_MS };
    ken_status st = ken_app__open_index(&first, &opts, &to, &e);
    if (!st)
        st = write_index(x, from, to, &e);
    if (!st) {
        ken_status kept = ken_store_checkpoint(to, NULL); // else at the next close
        (void)kept;
    }
    ken_store_close(to);
    if (st && st != KEN_EEXIST && st != KEN_ENOSPC)
        (void)ken_app__explain(&x->out->project, st, &e);
    if (st && err)
        *err = e;
    return st;
}

// A question that brings the index up to date has it for a moment; a long run is not waited for to its end.
static ken_status wait_for_index(const import *x, app_lock **out_lock, ken_err *err)
{
    ken_status st = KEN_EBUSY;
    for (int waited_ms = 0; st == KEN_EBUSY && waited_ms <= APP_WRITER_BUSY_MS;
         waited_ms += WAIT_MS) {
        ken_status stopped = ken_cancel_check(x->cancel, err);
        if (stopped)
            return stopped;
        if (waited_ms)
            nanosleep(&(struct timespec){ .tv_nsec = WAIT_MS * 1000 * 1000 }, NULL);
        st = ken_app__lock_index(x->app, &x->out->project, out_lock, err);
    }
    return st;
}

// The further roots of the bundle are those of the project that have the same names.
static ken_status bind_roots(import *x, ken_store *from, ken_err *err)
{
    ken_str text;
    const ken_project_info *p = &x->out->project;
    ken_status st = ken_index_load_roots(from, x->arena, &text, err);
    if (st)
        return st;
    ken_roots wanted = ken_roots_parse(text, x->arena);
    const ken_roots there = ken_app_roots(p, x->arena);
    for (size_t i = 0; i < wanted.n; i++) {
        ken_str below, mark = ken_root_path(&wanted.more[i], KEN_STR(""), x->arena);
        const ken_root *own = ken_roots_find(&there, mark, &below);
        if (!own) {
            return KEN_FAIL(err, KEN_EINVAL,
                            "the bundle has files of a further root '" KEN_STR_FMT
                            "', and where that is here is not known; name the folder of each, then "
                            "import with --force: ken index " KEN_STR_FMT " --add-root " KEN_STR_FMT
                            "=DIR",
                            KEN_STR_ARG(wanted.more[i].name), KEN_STR_ARG(p->root),
                            KEN_STR_ARG(wanted.more[i].name));
        }
        wanted.more[i].path = own->path;
    }
    x->roots = ken_roots_format(&wanted, x->arena);
    return KEN_OK;
}

// The folder becomes a project only now that all of the bundle was looked at, and stays none when it fails.
static ken_status put_into_project(import *x, ken_store *from, ken_err *err)
{
    app_lock *lock = NULL;
    ken_project_info *p = &x->out->project;
    ken_status st = ken_app_add_project(x->app, x->root, x->name, x->arena, p, err);
    // What is imported is whole: it is not put among the files of other worktrees.
    if (!st)
        st = ken_app__unshare(x->app, p, x->arena, p, err);
    if (st)
        return st;
    st = bind_roots(x, from, err);
    if (!st)
        st = wait_for_index(x, &lock, err);
    if (!st) {
        st = import_locked(x, from, err);
        ken_app__unlock_index(x->app, lock);
    }
    if (!st)
        ken_app__note_indexed(x->app, p, ken_clock_wall_ms());
    else if (!x->was_known && st != KEN_EEXIST) {
        ken_status removed = ken_app_remove_project(x->app, p, NULL);
        (void)removed;
    }
    return st;
}

static ken_status import_from(import *x, ken_str path, ken_err *err)
{
    ken_store *from = NULL;
    app_bytes_progress told = { "unpacking", x->opts->on_progress, x->opts->progress_ctx };
    const ken_bundle_job job = { ken_app__on_bytes, &told, x->cancel };
    int64_t began = ken_clock_mono_ns();
    ken_status st = ken_bundle_unpack(x->bundle->bundle, path.ptr, &job, err);
    if (!st)
        st = ken_store_open(&(ken_store_opts){ .path = path.ptr }, &from, err);
    if (!st)
        st = check_inside(x, from, err);
    x->out->unpack_ms = (ken_clock_mono_ns() - began) / 1000000;
    began = ken_clock_mono_ns();
    if (!st)
        st = put_into_project(x, from, err);
    x->out->copy_ms = (ken_clock_mono_ns() - began) / 1000000;
    ken_store_close(from);
    return st;
}

ken_status ken_app_import(ken_app *app, ken_str root, ken_str name, ken_app_bundle *bundle,
                          const ken_app_import_opts *opts, const ken_cancel *cancel,
                          ken_arena *arena, ken_app_import_report *out, ken_err *err)
{
    app_place place;
    ken_app_import_report report = { .n_checkpoints = 0 };
import x = {.app = app, .root = root, .name = name, .bundle = bundle, .opts = opts, .cancel = cancel, .arena = arena, .out = & report };
    const ken_bundle_info *info = ken_app_bundle_info(bundle);
    ken_status st = check_versions(app, root, info, arena, err);
    if (!st && !opts->is_any_commit)
        st = check_commit(root, info, arena, err);
    if (!st)
        st = find_present(&x, err);
    if (!st)
        st = ken_app__take_place(app, arena, &place, err);
    if (st)
        return st;
    st = import_from(&x, place.path, err);
    ken_app__give_place(&place);
    ken_alloc_trim();
    if (!st)
        *out = report;
    return st;
}

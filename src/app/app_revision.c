// SPDX-License-Identifier: MIT
// A project as a commit has it: one more tree in the project's index, made of git's objects when it is first asked
// about. It is never compared again, as a commit does not change; its id is made of all that its files follow from
// (commit, settings, version), so what would be another tree has another id. Trees that nobody asks for any more
// are removed, as those of worktrees that are gone.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/app_priv.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/quota.h"

enum {
    USED_STEP_MS = 3600000, // the time of the last question is kept as exactly as that
    BUSY_STEP_NS = 20000000,
    BUSY_WAIT_MS = 30000, // at most, while another process writes the index
    UUID_VERSION_AT = 6,  // byte of an id
    UUID_OURS = 0x80,     // "version 8": made of what it names; those of projects are random
};

#define DAY_MS  86400000
#define USED_AT "revision.used_ms" // the value of its tree

// ---- which tree --------------------------------------------------------------------------------

bool ken_app__is_revision(ken_uuid tree)
{
    return (tree.bytes[UUID_VERSION_AT] & 0xf0) == UUID_OURS;
}

static void put_globs(ken_buf *b, const char *word, const ken_str *globs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ken_buf_printf(b, "%s %zu " KEN_STR_FMT "\n", word, globs[i].len, KEN_STR_ARG(globs[i]));
}

static ken_uuid tree_of(const ken_project_info *project, ken_str commit, const ken_index_opts *o,
                        ken_arena *arena)
{
    char id[KEN_UUID_TEXT];
    ken_buf b = KEN_BUF_INIT(0);
    ken_uuid_format(project->id, id);
    ken_buf_printf(&b, "revision\n%s\n" KEN_STR_FMT "\n%u %llu %d\n", id, KEN_STR_ARG(commit),
                   ken_index_feature(&o->chunks, arena), (unsigned long long)o->scan.max_file_bytes,
                   o->scan.wants_secrets);
    put_globs(&b, "include", o->scan.include, o->scan.n_include);
    put_globs(&b, "exclude", o->scan.exclude, o->scan.n_exclude);
    put_globs(&b, "scope", &o->scope_lines, 1);
    ken_uuid tree = ken_uuid_of(ken_buf_str(&b));
    tree.bytes[UUID_VERSION_AT] = (uint8_t)((tree.bytes[UUID_VERSION_AT] & 0x0f) | UUID_OURS);
    ken_buf_release(&b);
    return tree;
}

// What the project's index is limited to, its commits are too.
static ken_status load_scope(const ken_project_info *project, ken_arena *arena, ken_str *out,
                             ken_err *err)
{
    ken_store *store = NULL;
    uint64_t generation = 0;
    ken_err e = { 0 };
    ken_status st =
        ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, &e);
    if (!st)
        st = ken_store_get_generation(store, &generation, &e);
    if (!st && !generation)
        st = KEN_ENOTFOUND;
    if (!st)
        st = ken_index_load_scope(store, arena, out, &e);
    ken_store_close(store);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "project '" KEN_STR_FMT "' is not indexed yet; run: ken index " KEN_STR_FMT,
                        KEN_STR_ARG(project->name), KEN_STR_ARG(project->root));
    if (!st)
        return KEN_OK;
    (void)ken_app__explain(project, st, &e);
    if (err)
        *err = e;
    return st;
}

static ken_status load_opts(ken_app *app, const ken_project_info *project, ken_arena *arena,
                            ken_config **settings, ken_index_opts *out, ken_err *err)
{
    ken_status st = ken_app_load_settings(app, project, settings, err);
    if (st)
        return st;
    *out = ken_app_index_opts(*settings);
    return load_scope(project, arena, &out->scope_lines, err);
}

// A commit is one repository's; what the other folders had then, no name says.
static ken_status check_is_one_folder(const ken_project_info *project, ken_err *err)
{
    if (!project->further.len)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EUNSUPPORTED,
                    "project '" KEN_STR_FMT
                    "' has several folders, and a commit belongs to one repository: ask a project "
                    "of that folder alone about it",
                    KEN_STR_ARG(project->name));
}

ken_status ken_app_find_revision(ken_app *app, const ken_project_info *project, ken_str name,
                                 const ken_cancel *cancel, ken_arena *arena, ken_project_info *out,
                                 ken_err *err)
{
    ken_config *settings = NULL;
    ken_index_opts opts;
    ken_project_info found = *project;
    ken_status st = ken_app__check_active(project, err);
    if (!st)
        st = check_is_one_folder(project, err);
    if (!st)
        st = ken_revision_resolve(ken_arena_dup(arena, project->root).ptr, name, cancel, arena,
                                  &found.commit, err);
    if (!st)
        st = load_opts(app, project, arena, &settings, &opts, err);
    if (!st) {
        found.work_tree = project->tree;
        found.tree = tree_of(project, found.commit, &opts, arena);
        *out = found;
    }
    ken_config_free(settings);
    return st;
}

// ---- asking ------------------------------------------------------------------------------------

// By its own tree, the project's index is asked.
static ken_project_info project_of(const ken_project_info *revision)
{
    ken_project_info p = *revision;
    p.tree = revision->work_tree;
    p.commit = KEN_STR("");
    return p;
}

static ken_status make(ken_app *app, const ken_project_info *revision, const ken_app_asking *how,
                       ken_err *err)
{
    ken_arena arena;
    ken_config *settings = NULL;
    ken_index_opts opts;
    ken_index_report report;
    const ken_project_info project = project_of(revision);
    ken_arena_init(&arena, 0);
    ken_status st = load_opts(app, &project, &arena, &settings, &opts, err);
    if (!st) {
        opts.scan.revision =
            ken_revision_new(ken_arena_dup(&arena, revision->root).ptr, revision->commit);
        opts.on_progress = how->on_progress;
        opts.progress_ctx = how->progress_ctx;
        st = ken_app_index(app, revision, &opts, how->cancel, &arena, &report, err);
        ken_revision_free(opts.scan.revision);
    }
    ken_config_free(settings);
    ken_arena_release(&arena);
    return st;
}

// Another process may be writing the index; it may even be making this tree.
static ken_status make_or_wait(ken_app *app, const ken_project_info *revision,
                               const ken_app_asking *how, int64_t until_ns, bool *was_made,
                               ken_err *err)
{
    ken_err e = { 0 };
    ken_status st = make(app, revision, how, &e);
    *was_made = !st;
    if (st == KEN_EBUSY && ken_clock_mono_ns() < until_ns) {
        nanosleep(&(struct timespec){ .tv_nsec = BUSY_STEP_NS }, NULL);
        return ken_cancel_check(how->cancel, err);
    }
    if (st && err)
        *err = e;
    return st;
}

static int64_t used_at(ken_store *store, ken_arena *arena)
{
    ken_str text = { NULL, 0 };
    ken_generation g = { 0 };
    uint64_t ms = 0;
    if (!ken_store_load_value(store, KEN_STR(USED_AT), arena, &text, NULL) &&
        ken_str_parse_u64(text, &ms) && ms < INT64_MAX)
        return (int64_t)ms;
    return ken_store_load_generation(store, arena, &g, NULL) ? 0 : g.at_ms;
}

static void note_use(ken_app *app, ken_snapshot *s)
{
    ken_arena arena;
    ken_arena_init(&arena, 1024);
    int64_t now = ken_clock_wall_ms();
    if (now - used_at(ken_snapshot_store(s), &arena) > USED_STEP_MS)
        ken_app__keep(ken_app__handle_of(app, s), KEN_STR(USED_AT),
                      ken_arena_printf(&arena, "%lld", (long long)now));
    ken_arena_release(&arena);
}

ken_status ken_app__ask_revision(ken_app *app, const ken_project_info *revision,
                                 const ken_app_asking *how, ken_snapshot **out, ken_err *err)
{
    int64_t until_ns = ken_clock_mono_ns() + (int64_t)BUSY_WAIT_MS * 1000000;
    for (bool was_made = false;;) {
        ken_err e = { 0 };
        ken_status st = ken_app_borrow(app, revision, out, &e);
        if (!st) {
            note_use(app, *out);
            return KEN_OK;
        }
        if (st == KEN_ENOTFOUND && was_made)
            st = KEN_FAIL(&e, KEN_EBUSY,
                          "the index of commit " KEN_STR_FMT " was removed meanwhile; try again",
                          KEN_STR_ARG(ken_str_sub(revision->commit, 0, 12)));
        if (st == KEN_ENOTFOUND && !how->may_index)
            st = KEN_FAIL(&e, KEN_EPERM,
                          "commit " KEN_STR_FMT " of '" KEN_STR_FMT
                          "' was not asked about yet, and this question may not index it",
                          KEN_STR_ARG(ken_str_sub(revision->commit, 0, 12)),
                          KEN_STR_ARG(revision->name));
        if (st == KEN_ENOTFOUND) {
            ken_quota *paused = ken_quota_pause();
            e = (ken_err){ 0 };
            st = make_or_wait(app, revision, how, until_ns, &was_made, &e);
            ken_quota_resume(paused);
        }
        if (st) {
            if (err)
                *err = e;
            return st;
        }
    }
}

// ---- removing ----------------------------------------------------------------------------------

typedef struct kept {
    ken_uuid tree;
    int64_t used_ms;
} kept;

static int by_use(const void *a, const void *b) // the last first
{
    const kept *x = a, *y = b;
    return (x->used_ms < y->used_ms) - (x->used_ms > y->used_ms);
}

// When somebody last asked about it. One that cannot be read is as old as it was made.
static int64_t load_use(const ken_store *index, const ken_tree_info *tree, ken_arena *arena)
{
    ken_store *store = NULL;
    ken_store_opts opts = ken_store_place(index);
    opts.is_read_only = true;
    opts.tree = tree->project;
    int64_t ms = ken_store_open(&opts, &store, NULL) ? 0 : used_at(store, arena);
    ken_store_close(store);
    return ms > tree->at_ms ? ms : tree->at_ms;
}

// None is removed that was made lately, as long as there are few: then nobody looks when they were used.
static bool are_all_wanted(const ken_tree_info *trees, size_t n, uint64_t most, int64_t since_ms)
{
    uint64_t n_revisions = 0;
    for (size_t i = 0; i < n; i++)
        if (ken_app__is_revision(trees[i].project) && trees[i].generation) {
            n_revisions++;
            if (trees[i].at_ms < since_ms)
                return false;
        }
    return n_revisions <= most;
}

size_t ken_app__unused_revisions(const ken_app *app, ken_store *store, const ken_tree_info *trees,
                                 size_t n, ken_arena *arena, ken_uuid *out)
{
    uint64_t most = ken_config_u64(app->config, KEN_CFG_REVISIONS);
    int64_t days = (int64_t)ken_config_u64(app->config, KEN_CFG_REVISION_DAYS);
    int64_t now = ken_clock_wall_ms();
    if (are_all_wanted(trees, n, most, now - days * DAY_MS))
        return 0;
    kept *list = KEN_ARENA_ARRAY(arena, kept, n + 1);
    size_t n_kept = 0, n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (ken_app__is_revision(trees[i].project) && trees[i].generation)
            list[n_kept++] = (kept){ trees[i].project, load_use(store, &trees[i], arena) };
    if (n_kept)
        qsort(list, n_kept, sizeof *list, by_use);
    for (size_t i = 0; i < n_kept; i++)
        if (i >= most || now - list[i].used_ms > days * DAY_MS)
            out[n_out++] = list[i].tree;
    return n_out;
}

// SPDX-License-Identifier: MIT
// The steps of a sync: a repository to fetch into, the commits, the files. The first sync and the hundredth
// are the same, so one that was killed is simply done again. HEAD moves when all files are written.
#include <stdio.h>

#include "base/path.h"
#include "sync/sync_priv.h"

enum {
    PACKS_MAX = 50, // of the clone, then they become one
};

static void tell(const ken_sync_opts *o, const char *stage)
{
    if (o && o->on_stage)
        o->on_stage(o->ctx, stage);
}

// ---- the branch --------------------------------------------------------------------------------

// "ref: refs/heads/main\tHEAD\n<id>\tHEAD\n": what the remote's HEAD is.
static ken_str branch_of_head(ken_str text)
{
    ken_str prefix = KEN_STR("ref: refs/heads/"), line;
    while (ken_str_line_next(&text, &line)) {
        size_t tab = ken_str_find_char(line, '\t');
        if (tab != SIZE_MAX && ken_str_starts(line, prefix))
            return ken_str_sub(line, prefix.len, tab);
    }
    return KEN_STR("");
}

static ken_status find_branch(sync_job *j, ken_str *out, ken_err *err)
{
    if (j->source->branch.len) {
        *out = ken_arena_dup(j->arena, j->source->branch);
        return KEN_OK;
    }
    const char *argv[] = { "ls-remote", "--symref", "--", j->reach.url, "HEAD", NULL };
    ken_str text;
    ken_status st = ken_sync__git(j, argv, &text, err);
    if (st)
        return st;
    *out = ken_arena_dup(j->arena, branch_of_head(text));
    // What a server says is checked like what a person says.
    ken_sync_source named = *j->source;
    named.branch = *out;
    if (!out->len || ken_sync_check(&named, NULL))
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "the remote does not say which branch is its default; name one, and see "
                        "whether there is a repository at that address");
    return KEN_OK;
}

ken_status ken_sync_look(const ken_sync_source *s, const ken_cancel *cancel, ken_arena *arena,
                         ken_str *out_branch, ken_str *out_commit, ken_err *err)
{
    sync_job j;
    ken_status st = ken_sync_check(s, err);
    if (st)
        return st;
    ken_sync__begin(&j, s, "/", 0, cancel, arena);
    st = find_branch(&j, out_branch, err);
    if (st)
        return st;
    const char *argv[] = {
        "ls-remote", "--", j.reach.url,
        ken_arena_printf(arena, "refs/heads/" KEN_STR_FMT, KEN_STR_ARG(*out_branch)).ptr, NULL
    };
    ken_str text;
    st = ken_sync__git(&j, argv, &text, err);
    size_t tab = st ? SIZE_MAX : ken_str_find_char(text, '\t');
    if (!st && tab == SIZE_MAX)
        return KEN_FAIL(err, KEN_ENOTFOUND, "the remote has no branch '" KEN_STR_FMT "'",
                        KEN_STR_ARG(*out_branch));
    if (!st)
        *out_commit = ken_arena_dup(arena, ken_str_sub(text, 0, tab));
    return st;
}

// ---- the repository ----------------------------------------------------------------------------

// The URL is kept where links to the remote's pages are made from (tool_link.c).
static ken_status make_repository(sync_job *j, bool is_anew, ken_err *err)
{
    ken_status st = is_anew ? ken_sync__set_aside(j, err) : KEN_OK;
    const char *init[] = { "init", ".", NULL };
    if (!st && !ken_fs_exists(ken_sync__in_clone(j, ".git").ptr))
        st = ken_sync__git(j, init, NULL, err);
    const char *url[] = { "config", "remote.origin.url", j->reach.url, NULL };
    if (!st)
        st = ken_sync__git(j, url, NULL, err);
    return st;
}

static ken_str tracking_ref(const sync_job *j, ken_str branch)
{
    return ken_arena_printf(j->arena, "refs/remotes/origin/" KEN_STR_FMT, KEN_STR_ARG(branch));
}

// Contents come with the checkout, only those that are checked out. A server that cannot leave them out
// sends all; one without shallow clones (files behind a plain web server) is asked for everything.
static ken_status fetch(sync_job *j, ken_str branch, bool is_whole, ken_err *err)
{
    const char *argv[8] = { "fetch", "--force" };
    size_t n = 2;
    ken_str depth = ken_arena_printf(j->arena, "--depth=%u", j->source->depth);
    if (!is_whole && j->source->depth)
        argv[n++] = depth.ptr;
    else if (ken_fs_exists(ken_sync__in_clone(j, ".git/shallow").ptr)) // it had a depth before
        argv[n++] = "--unshallow";
    if (!is_whole)
        argv[n++] = "--filter=blob:none";
    argv[n++] = "origin";
    argv[n++] = ken_arena_printf(j->arena, "+refs/heads/" KEN_STR_FMT ":" KEN_STR_FMT,
                                 KEN_STR_ARG(branch), KEN_STR_ARG(tracking_ref(j, branch)))
                    .ptr;
    argv[n] = NULL;
    ken_err why = { 0 };
    ken_status st = ken_sync__git(j, argv, NULL, &why);
    if (st == KEN_EIO && !is_whole && strstr(why.msg, "dumb http"))
        return fetch(j, branch, true, err);
    if (st && err)
        *err = why;
    return st;
}

// The id of a commit; empty when there is none of that name.
static ken_status find_commit(sync_job *j, const char *name, ken_str *out, ken_err *err)
{
    const char *argv[] = { "rev-parse", "--verify", "--quiet",
                           ken_arena_printf(j->arena, "%s^{commit}", name).ptr, NULL };
    ken_str text;
    ken_status st = ken_sync__ask(j, argv, &text, err);
    if (!st)
        *out = ken_arena_dup(j->arena, ken_str_trim(text));
    return st;
}

// ---- the files ---------------------------------------------------------------------------------

// Which files are checked out. A clone that always had all of them needs no patterns; one that had not gets
// those back by the pattern for all.
static ken_status write_sparse(sync_job *j, ken_err *err)
{
    ken_str file = ken_sync__in_clone(j, ".git/info/sparse-checkout"), wanted = j->source->sparse;
    if (!wanted.len && !ken_fs_exists(file.ptr))
        return KEN_OK;
    const char *set[] = { "config", "core.sparseCheckout", "true", NULL };
    ken_str lines = ken_arena_printf(j->arena, KEN_STR_FMT "\n",
                                     KEN_STR_ARG(wanted.len ? wanted : KEN_STR("/*")));
    ken_status st = ken_fs_make_dirs(ken_sync__in_clone(j, ".git/info").ptr, 0700, err);
    if (!st)
        st = ken_fs_write_atomic(file.ptr, lines, err);
    return st ? st : ken_sync__git(j, set, NULL, err);
}

static ken_status check_out(sync_job *j, ken_str branch, ken_str commit, bool is_anew, ken_err *err)
{
    const char *checkout[] = { "checkout", "--no-track", "-B", branch.ptr, commit.ptr, "--", NULL };
    const char *clean[] = { "clean", NULL };
    ken_status st = write_sparse(j, err);
    if (!st)
        st = ken_sync__git(j, checkout, NULL, err);
    // Without the index of before, nobody knows which files are too many.
    return !st && is_anew ? ken_sync__git(j, clean, NULL, err) : st;
}

// Each fetch leaves a pack. What is reached from no commit that counts goes with it.
static void tidy_up(sync_job *j)
{
    const char *gc[] = { "gc", "--prune=now", NULL };
    // A pack is three files, and one more in a clone without all contents.
    if (ken_fs_count_entries(ken_sync__in_clone(j, ".git/objects/pack").ptr) >
        4 * (size_t)PACKS_MAX)
        (void)!ken_sync__git(j, gc, NULL, NULL);
}

static ken_status sync_once(sync_job *j, const ken_sync_opts *o, bool is_anew, ken_sync_report *out,
                            ken_err *err)
{
    *out = (ken_sync_report){ .is_anew = is_anew, .from = KEN_STR("") };
    tell(o, "fetching");
    ken_status st = ken_fs_make_dirs(j->folder, 0700, err);
    if (!st)
        st = find_branch(j, &out->branch, err);
    if (!st)
        ken_sync__remove_ref_locks(j, out->branch);
    if (!st && is_anew && ken_fs_exists(ken_sync__in_clone(j, ".git").ptr))
        (void)!find_commit(j, "HEAD", &out->from, NULL);
    if (!st)
        st = make_repository(j, is_anew, err);
    if (!st && !is_anew)
        st = find_commit(j, "HEAD", &out->from, err);
    if (!st)
        st = fetch(j, out->branch, false, err);
    if (!st)
        st = find_commit(j, tracking_ref(j, out->branch).ptr, &out->commit, err);
    if (!st && !out->commit.len)
        st = KEN_FAIL(err, KEN_ECORRUPT, "the clone lacks the commit that was fetched");
    if (st)
        return st;
    tell(o, "checking out");
    st = check_out(j, out->branch, out->commit, is_anew, err);
    if (!st && out->from.len) {
        ken_status listed = ken_sync__list_changes(j, out, err);
        st = listed == KEN_ENOTFOUND ? KEN_OK : listed;
    }
    return st;
}

// The files as they were, so that they are those of a commit, and the room of the new ones is free. What cannot be
// done is left to the next sync.
static void check_out_again(sync_job *j, const ken_sync_report *r)
{
    const char *clean[] = { "clean", NULL };
    const char *checkout[] = { "checkout", "HEAD", "--", NULL };
    if (!ken_sync__git(j, clean, NULL, NULL) && r->from.len)
        (void)!ken_sync__git(j, checkout, NULL, NULL);
}

// Whatever fails leaves the repository and the files that were there before, and no part of a pack.
static ken_status try_once(sync_job *j, const ken_sync_opts *o, bool is_anew, ken_sync_report *out,
                           ken_err *err)
{
    ken_status st = ken_sync__put_back(j, err); // of a sync that was killed
    if (st)
        return st;
    ken_sync__remove_litter(j);
    st = sync_once(j, o, is_anew, out, err);
    if (!st)
        return ken_sync__drop_before(j, err);
    (void)!ken_sync__put_back(j, NULL);
    ken_sync__remove_litter(j);
    if (out->commit.len) // the files were at it
        check_out_again(j, out);
    return st;
}

ken_status ken_sync__lock(const char *folder, ken_arena *arena, int *out_fd, ken_err *err)
{
    ken_str parent = ken_arena_dup(arena, ken_path_dir(ken_str_c(folder)));
    ken_status st = ken_fs_make_dirs(parent.ptr, 0700, err);
    if (!st)
        st = ken_fs_lock(ken_arena_printf(arena, "%s.lock", folder).ptr, out_fd, err);
    if (st == KEN_EBUSY)
        st = KEN_FAIL(err, KEN_EBUSY, "'%s' is being synced already", folder);
    return st;
}

ken_status ken_sync_run(const ken_sync_source *s, const char *folder, const ken_sync_opts *opts,
                        const ken_cancel *cancel, ken_arena *arena, ken_sync_report *out,
                        ken_err *err)
{
    int lock = -1;
    sync_job j;
    ken_status st = ken_sync_check(s, err);
    if (!st)
        st = ken_sync__lock(folder, arena, &lock, err);
    if (st)
        return st;
    ken_err why = { 0 };
    ken_sync__begin(&j, s, folder, opts ? opts->timeout_ms : 0, cancel, arena);
    j.lock_fd = lock;
    j.has_clone = ken_fs_exists(ken_sync__in_clone(&j, ".git").ptr);
    bool is_anew = opts && opts->is_anew;
    st = try_once(&j, opts, is_anew, out, &why);
    if (!is_anew && st == KEN_ECORRUPT)
        st = try_once(&j, opts, true, out, &why);
    if (!st)
        tidy_up(&j);
    else if (err)
        *err = why;
    ken_fs_unlock(lock);
    return st;
}

ken_status ken_sync_remove(const char *folder, ken_err *err)
{
    ken_arena a;
    int lock = -1;
    ken_arena_init(&a, 0);
    ken_status st = ken_sync__lock(folder, &a, &lock, err);
    if (!st) {
        st = ken_fs_remove_tree(folder, err);
        if (!st)
            st = ken_fs_remove_tree(ken_sync__path_before(folder, &a).ptr, err);
        if (!st)
            (void)!ken_fs_remove(ken_arena_printf(&a, "%s.lock", folder).ptr, NULL);
        ken_fs_unlock(lock);
    }
    ken_arena_release(&a);
    return st;
}

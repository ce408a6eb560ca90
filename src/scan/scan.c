// SPDX-License-Identifier: MIT
// Discovers the files of a tree. One scan: if git can list the files, go through its list folder by folder,
// else walk. Both use the same rules and fill the same two vectors. Every folder is opened without
// following links, and every file is opened relative to its folder, so that nothing outside of the root
// is ever reached, even when something is moved meanwhile.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/utf8.h"
#include "scan/scan_priv.h"

enum {
    SCAN_DEFAULT_FILE_BYTES = 1 << 20
};

// ---- judges -----------------------------------------------------------------------------------
void ken_scan__skip(scan_job *job, ken_str path, ken_skip_reason reason)
{
    if (!ken_utf8_is_valid(path)) {
        ken_buf b = KEN_BUF_INIT(0);
        ken_utf8_repair(&b, path);
        path = ken_arena_dup(job->arena, ken_buf_str(&b));
        ken_buf_release(&b);
    }
    ken_scan_skip s = { .path = path, .reason = reason };
    ken_vec_push(&job->skips, s);
}

void ken_scan__watch(const scan_job *job, ken_str path)
{
    const ken_scan_watcher *w = job->opts->watcher;
    if (w)
        w->on_folder(w->ctx, job->root_fd, job->opts->mark, path);
}

bool ken_scan_decides(ken_str name)
{
    static const char *const names[] = { ".gitignore", ".git",       "HEAD",
                                         "config",     "objects",    "refs",
                                         "pom.xml",    "Cargo.toml", "build.sbt" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(name, names[i]))
            return true;
    return ken_scan__is_marker(name);
}

static bool is_included(const scan_job *job, ken_str path)
{
    return !job->include.len || ken_scan__globs_match(job->include, path);
}

static ken_skip_reason judge_folder_kind(const scan_job *job, ken_str name, bool is_untracked)
{
    ken_skip_reason reason = KEN_SKIP_NONE;
    switch (ken_scan__folder_kind(name)) {
    case SCAN_FOLDER_ORDINARY:
        break;
    case SCAN_FOLDER_NEVER:
        reason = KEN_SKIP_FOLDER;
        break;
    case SCAN_FOLDER_VENDORED:
        reason = KEN_SKIP_VENDORED;
        break;
    case SCAN_FOLDER_OUTPUT:
        reason = is_untracked ? KEN_SKIP_FOLDER : KEN_SKIP_NONE;
        break;
    }
    bool is_asked_for =
        reason && ken_scan__globs_name(job->include, name) && !ken_str_eq(name, KEN_STR(".git"));
    return is_asked_for ? KEN_SKIP_NONE : reason;
}

ken_skip_reason ken_scan__judge_errno(scan_job *job, int sys_errno, ken_str path)
{
    if (sys_errno == ENOENT || sys_errno == ENOTDIR || sys_errno == ELOOP)
        return KEN_SKIP_NONE;
    ken_err why = { 0 };
    ken_status st = KEN_FAIL_ERRNO(&why, sys_errno, "reading '" KEN_STR_FMT "'", KEN_STR_ARG(path));
    if (st == KEN_ENOMEM && !job->fault.status)
        job->fault = why;
    return KEN_SKIP_UNREADABLE;
}

// A folder of the first root that is called as a further root is.
static bool is_hidden(const scan_job *job, ken_str folder)
{
    const ken_roots *roots = job->opts->roots;
    for (size_t i = 0; roots && i < roots->n; i++)
        if (folder.ptr[0] == '@' &&
            ken_str_eq(ken_str_sub(folder, 1, folder.len), roots->more[i].name))
            return true;
    return false;
}

ken_skip_reason ken_scan__judge_folder(const scan_job *job, ken_str folder, bool is_untracked)
{
    ken_str name = ken_path_base(folder);
    if (folder.len > SCAN_MAX_PATH)
        return KEN_SKIP_UNREADABLE;
    if (ken_scan__is_bad_name(name))
        return KEN_SKIP_NAME;
    if (job->own.len && ken_str_eq(folder, job->own))
        return KEN_SKIP_FOLDER;
    if (is_hidden(job, folder))
        return KEN_SKIP_FOLDER;
    if (ken_scan__globs_match_folder(job->exclude, folder))
        return KEN_SKIP_IGNORED;
    if (!job->opts->wants_secrets && ken_scan__is_secret_folder(name))
        return KEN_SKIP_SECRET;
    return judge_folder_kind(job, name, is_untracked);
}

static ken_skip_reason judge_name(const scan_job *job, ken_str path)
{
    if (path.len > SCAN_MAX_PATH)
        return KEN_SKIP_UNREADABLE;
    if (ken_scan__is_bad_name(ken_path_base(path)))
        return KEN_SKIP_NAME;
    if (ken_scan__globs_match(job->exclude, path))
        return KEN_SKIP_IGNORED;
    return ken_scan__judge_name(path, false, job->opts->wants_secrets);
}

static ken_skip_reason judge_info(const scan_job *job, const ken_fs_info *info)
{
    switch (info->kind) {
    case KEN_FS_FILE:
        if (!info->stamp.size)
            return KEN_SKIP_EMPTY;
        return info->stamp.size > job->max_file_bytes ? KEN_SKIP_TOO_LARGE : KEN_SKIP_NONE;
    case KEN_FS_LINK:
        return KEN_SKIP_SYMLINK;
    case KEN_FS_DIR:
    case KEN_FS_OTHER:
    case KEN_FS_UNKNOWN:
        break;
    }
    return KEN_SKIP_SPECIAL;
}

// A tracked path that is a folder on disk: a submodule, unless it was never checked out.
static void take_submodule(scan_job *job, int dir_fd, const char *name, ken_str path)
{
    char dot_git[SCAN_MAX_PATH + 8];
    snprintf(dot_git, sizeof dot_git, "%s/.git", name);
    ken_fs_info info;
    if (!ken_fs_stat(dir_fd, dot_git, &info, NULL))
        ken_scan__skip(job, ken_arena_printf(job->arena, KEN_STR_FMT "/", KEN_STR_ARG(path)),
                       KEN_SKIP_SUBMODULE);
}

void ken_scan__take(scan_job *job, int dir_fd, ken_str path, bool is_ignored)
{
    if (!is_included(job, path))
        return;
    ken_skip_reason reason = is_ignored ? KEN_SKIP_IGNORED : judge_name(job, path);
    if (reason) {
        ken_scan__skip(job, path, reason);
        return;
    }
    char name[SCAN_MAX_PATH + 1];
    ken_str base = ken_path_base(path);
    memcpy(name, base.ptr, base.len);
    name[base.len] = '\0';
    ken_fs_info info;
    ken_status st = ken_fs_stat(dir_fd, name, &info, NULL);
    if (st == KEN_ENOTFOUND)
        return;
    reason = st ? ken_scan__judge_errno(job, errno, path) : judge_info(job, &info);
    if (st && !reason)
        return;
    if (!st && info.kind == KEN_FS_FILE && job->opts->watcher)
        job->opts->watcher->on_file(job->opts->watcher->ctx, job->root_fd, job->opts->mark, path,
                                    &info);
    if (!st && info.kind == KEN_FS_DIR) {
        take_submodule(job, dir_fd, name, path);
    } else if (reason) {
        ken_scan__skip(job, path, reason);
    } else {
        ken_scan_file f = { path, info.stamp };
        ken_vec_push(&job->files, f);
    }
}

// A file of a commit, as it would be in a work tree where just that is checked out: submodules are not there.
static void take_committed(scan_job *job, const ken_revision_entry *e)
{
    const ken_fs_info info = { .kind = e->kind, .stamp = e->stamp };
    if (!is_included(job, e->path))
        return;
    ken_skip_reason reason = judge_name(job, e->path);
    if (!reason && e->kind == KEN_FS_DIR)
        return;
    if (!reason)
        reason = judge_info(job, &info);
    if (reason) {
        ken_scan__skip(job, e->path, reason);
        return;
    }
    ken_scan_file f = { e->path, e->stamp };
    ken_vec_push(&job->files, f);
}

// ---- git's list -------------------------------------------------------------------------------
typedef struct list_cursor {
    scan_job *job;
    scan_candidates list;
    const ken_revision_entry
        *entries; // of a commit, in the order of the list; NULL = of the work tree
    size_t at;
    ken_str folder; // the last one that was judged good, with everything above it
    int folder_fd;  // of `folder`; -1 while nobody needed it
    bool is_broken; // `folder` cannot be opened
} list_cursor;

static bool is_below(ken_str path, ken_str folder)
{
    return path.len > folder.len && path.ptr[folder.len] == '/' && ken_str_starts(path, folder);
}

// Candidates below `folder` are adjacent, beginning with the current one.
static size_t end_of_folder(const list_cursor *c, ken_str folder)
{
    size_t i = c->at;
    while (i < c->list.len && is_below(c->list.ptr[i].path, folder))
        i++;
    return i;
}

static bool has_tracked(const list_cursor *c, ken_str folder)
{
    for (size_t i = c->at; i < c->list.len && is_below(c->list.ptr[i].path, folder); i++)
        if (c->list.ptr[i].is_tracked)
            return true;
    return false;
}

// A folder that is marked as a virtual environment or a cache.
static bool has_marker(const list_cursor *c, ken_str folder)
{
    for (size_t i = c->at; i < c->list.len && is_below(c->list.ptr[i].path, folder); i++) {
        ken_str name = ken_str_sub(c->list.ptr[i].path, folder.len + 1, SIZE_MAX);
        if (!c->list.ptr[i].is_tracked && ken_scan__is_marker(name))
            return true;
        if (ken_str_cmp(name, KEN_STR("pyvenv.cfg")) > 0)
            return false; // sorted: no marker can follow
    }
    return false;
}

static void skip_folder(list_cursor *c, ken_str folder, ken_skip_reason reason)
{
    ken_scan__skip(c->job, ken_str_n(folder.ptr, folder.len + 1), reason); // with its '/'
    c->at = end_of_folder(c, folder);
}

// git takes a folder for a repository, and lists nothing of it, once its .git is whole. One that is not yet is being made,
// and what makes it whole happens in there.
static void watch_unfinished(const list_cursor *c, ken_str folder)
{
    ken_fs_info info;
    if (!c->job->opts->watcher)
        return;
    ken_str dot_git = ken_path_join(&c->job->scratch, folder, KEN_STR(".git"));
    if (!ken_fs_stat(c->job->root_fd, dot_git.ptr, &info, NULL) && info.kind == KEN_FS_DIR)
        ken_scan__watch(c->job, dot_git);
}

// Judges the folders of `path` that are new since the last candidate. False when one was skipped.
static bool enter_folders(list_cursor *c, ken_str path)
{
    ken_str dir = ken_path_dir(path);
    if (ken_str_eq(dir, c->folder))
        return true;
    size_t from = c->folder.len && is_below(path, c->folder) ? c->folder.len + 1 : 0;
    while (!from && c->folder.len) { // back up to the last folder that both share
        c->folder = ken_path_dir(c->folder);
        from = c->folder.len && is_below(path, c->folder) ? c->folder.len + 1 : 0;
    }
    ken_fs_close(c->folder_fd);
    c->folder_fd = -1;
    c->is_broken = false;
    for (size_t i = from; i < path.len; i++) {
        if (path.ptr[i] != '/' || i + 1 == path.len)
            continue;
        ken_str folder = ken_str_sub(path, 0, i);
        ken_skip_reason reason = ken_scan__judge_folder(c->job, folder, true);
        if (reason == KEN_SKIP_FOLDER && has_tracked(c, folder))
            reason = ken_scan__judge_folder(c->job, folder, false);
        if (!reason && has_marker(c, folder))
            reason = KEN_SKIP_FOLDER;
        if (reason) {
            skip_folder(c, folder, reason);
            return false;
        }
        if (!c->entries)
            watch_unfinished(c, folder);
        c->folder = folder;
    }
    c->folder = dir;
    return true;
}

static void take_candidate(list_cursor *c, ken_str path)
{
    if (c->entries) {
        take_committed(c->job, &c->entries[c->at++]);
        return;
    }
    if (c->folder_fd < 0 && !c->is_broken) {
        ken_scan__watch(c->job, c->folder);
        c->folder_fd = ken_fs_open_dir_under(c->job->root_fd, c->folder);
        c->is_broken = c->folder_fd < 0;
        ken_skip_reason why =
            c->is_broken ? ken_scan__judge_errno(c->job, errno, c->folder) : KEN_SKIP_NONE;
        if (why && c->folder.len) {
            skip_folder(c, c->folder, why);
            return;
        }
    }
    if (!c->is_broken) // else it is gone, or a link by now: git knows an older state
        ken_scan__take(c->job, c->folder_fd, path, false);
    c->at++;
}

// git ends the name of an untracked repository with a '/' and lists nothing below it.
static void take_repository(list_cursor *c, ken_str path)
{
    ken_str folder = ken_str_sub(path, 0, path.len - 1);
    ken_skip_reason reason = ken_scan__judge_folder(c->job, folder, true);
    ken_scan__skip(c->job, path, reason ? reason : KEN_SKIP_SUBMODULE);
    c->at++;
}

static ken_status take_list(scan_job *job, scan_candidates list, const ken_revision_entry *entries,
                            ken_err *err)
{
    list_cursor c = {
        .job = job, .list = list, .entries = entries, .folder = KEN_STR(""), .folder_fd = -1
    };
    ken_status st = KEN_OK;
    for (size_t n = 0; c.at < list.len && !st; n++) {
        ken_str path = list.ptr[c.at].path;
        bool is_repository = path.ptr[path.len - 1] == '/';
        if (!enter_folders(&c, ken_str_sub(path, 0, path.len - is_repository)))
            continue;
        if (is_repository)
            take_repository(&c, path);
        else
            take_candidate(&c, path);
        if (n % SCAN_CANCEL_EVERY == 0)
            st = ken_cancel_check(job->cancel, err);
    }
    ken_fs_close(c.folder_fd);
    return st;
}

// ---- discovery --------------------------------------------------------------------------------
// Where ken's own data lie when they lie below the root.
static ken_str find_own(scan_job *job)
{
    ken_str dir = job->opts->own_dir, real;
    if (!dir.len)
        return KEN_STR("");
    if (ken_path_real(&job->scratch, dir, &real, NULL))
        real = dir;
    ken_str below = ken_path_relative(job->root, real);
    return below.ptr ? below : KEN_STR("");
}

static ken_status job_open(scan_job *job, const char *root, ken_err *err)
{
    if (!root || root[0] != '/')
        return KEN_FAIL(err, KEN_EINVAL, "root '%s' is not an absolute path", root ? root : "");
    ken_status st = ken_path_real(&job->scratch, ken_str_c(root), &job->root, err);
    if (st)
        return st;
    ken_fs_info info;
    st = ken_fs_stat(KEN_FS_CWD, job->root.ptr, &info, err);
    if (st)
        return st;
    if (info.kind != KEN_FS_DIR)
        return KEN_FAIL(err, KEN_EINVAL, "root '%s' is not a folder", root);
    st = ken_fs_open_dir(job->root.ptr, &job->root_fd, err);
    if (st)
        return st;
    if (ken_scan__git_is_bare(job->root_fd))
        return KEN_FAIL(err, KEN_EINVAL, "root '%s' is a bare git repository, without any files",
                        root);
    const ken_scan_opts *o = job->opts;
    job->own = o->revision ? KEN_STR("") : find_own(job);
    st = ken_scan__globs(&job->scratch, o->include, o->n_include, &job->include, err);
    if (!st)
        st = ken_scan__globs(&job->scratch, o->exclude, o->n_exclude, &job->exclude, err);
    if (!st && o->mark.len) {
        ken_scan__globs_below(&job->scratch, o->mark, &job->include);
        ken_scan__globs_below(&job->scratch, o->mark, &job->exclude);
    }
    return st;
}

// A file or folder that git ignores and --include spells out; `path` without the '/' at its end.
static ken_status take_spelt(scan_job *job, const scan_git *git, ken_str path, bool is_folder,
                             ken_err *err)
{
    ken_skip_reason reason = is_folder ? ken_scan__judge_folder(job, path, true) : KEN_SKIP_NONE;
    if (reason)
        ken_scan__skip(job, ken_str_n(path.ptr, path.len + is_folder), reason);
    else if (is_folder)
        return ken_scan__walk_ignored(job, git, path, err);
    int fd = reason ? -1 : ken_fs_open_dir_under(job->root_fd, ken_path_dir(path));
    if (fd >= 0)
        ken_scan__take(job, fd, path, false);
    ken_fs_close(fd);
    return KEN_OK;
}

// Takes what git ignores and --include spells out; lists the rest as skips when that is wanted. For a folder that
// is skipped by name, that is the reason.
static ken_status take_ignored(scan_job *job, const scan_git *git, ken_err *err)
{
    scan_candidates list = { 0 };
    ken_status st = ken_scan__git_list(job, true, &list, err);
    for (size_t i = 0; i < list.len && !st; i++) {
        ken_str path = list.ptr[i].path;
        bool is_folder = path.ptr[path.len - 1] == '/';
        ken_str bare = ken_str_sub(path, 0, path.len - is_folder);
        // git lists a folder of which it ignores each entry, and then the entries. That is no ignored folder.
        if (is_folder && i + 1 < list.len && is_below(list.ptr[i + 1].path, bare))
            continue;
        scan_spelt spelt = ken_scan__globs_spell(job->include, bare);
        if (spelt == SCAN_SPELT_ITSELF || (is_folder && spelt)) {
            st = take_spelt(job, git, bare, is_folder, err);
        } else if (job->opts->wants_ignored && is_included(job, path)) {
            ken_skip_reason reason =
                is_folder ? ken_scan__judge_folder(job, bare, true) : KEN_SKIP_NONE;
            ken_scan__skip(job, path, reason ? reason : KEN_SKIP_IGNORED);
            job->skips.ptr[job->skips.len - 1].is_git_ignored = true;
        }
    }
    ken_free(list.ptr);
    return st;
}

// git names files only. A folder that has none yet may get some.
static ken_status watch_folders(scan_job *job, const scan_git *git, ken_err *err)
{
    size_t n_skips = job->skips.len;
    job->is_for_folders = true;
    ken_status st = ken_scan__walk(job, git, err);
    job->is_for_folders = false;
    job->skips.len = n_skips;
    return st;
}

// Discovers files and skips: in git's list, or by a walk where git does not list any.
static ken_status job_collect(scan_job *job, const scan_git *git, bool *out_is_walked, ken_err *err)
{
    if (git && !job->opts->without_git) {
        scan_candidates list = { 0 };
        ken_err inner = { 0 };
        ken_status st = KEN_OK;
        // Before git lists them: a file that comes between would be neither listed nor told.
        if (job->opts->watcher && job->opts->watcher->wants_folders)
            st = watch_folders(job, git, &inner);
        if (!st)
            st = ken_scan__git_list(job, false, &list, &inner);
        bool is_usable = !st && list.len; // empty: a new repository, or a root that git ignores
        if (is_usable)
            st = take_list(job, list, NULL, &inner);
        ken_free(list.ptr);
        if (is_usable && !st &&
            (job->opts->wants_ignored || ken_scan__globs_spell_any(job->include))) {
            st = take_ignored(job, git, &inner);
            if (st == KEN_EUNSUPPORTED)
                st = KEN_OK; // git's own files are known
        }
        if (is_usable || (st && st != KEN_EUNSUPPORTED))
            return st ? KEN_FAIL(err, st, "%s", inner.msg) : KEN_OK;
    }
    *out_is_walked = true;
    return ken_scan__walk(job, git, err);
}

// The files of a commit instead of those of the folder: all are tracked.
static ken_status job_collect_revision(scan_job *job, ken_err *err)
{
    ken_revision_entry *entries = NULL;
    scan_candidates list = { 0 };
    ken_status st =
        ken_revision_list(job->opts->revision, job->cancel, job->arena, &entries, &list.len, err);
    if (st)
        return st;
    list.ptr = ken_zalloc(ken_mul_size(list.len + 1, sizeof *list.ptr));
    for (size_t i = 0; i < list.len; i++)
        list.ptr[i] = (scan_candidate){ entries[i].path, true };
    st = take_list(job, list, entries, err);
    ken_free(list.ptr);
    return st;
}

static int compare_files(const void *a, const void *b)
{
    const ken_scan_file *x = a, *y = b;
    return ken_str_cmp(x->path, y->path);
}

static int compare_skips(const void *a, const void *b)
{
    const ken_scan_skip *x = a, *y = b;
    int c = ken_str_cmp(x->path, y->path);
    return c ? c : (int)x->reason - (int)y->reason;
}

// A sorted copy in the arena; git's list leaves nothing to sort.
static void *finish(ken_arena *a, const void *items, size_t n, size_t item_bytes,
                    int (*compare)(const void *, const void *))
{
    char *copy = ken_arena_copy(a, items, n, item_bytes);
    for (size_t i = 1; i < n; i++) {
        if (compare(copy + (i - 1) * item_bytes, copy + i * item_bytes) > 0) {
            qsort(copy, n, item_bytes, compare);
            break;
        }
    }
    return copy;
}

// Nothing is reported below a folder that is. Works on sorted skips; returns how many stay.
static size_t drop_nested(ken_scan_skip *skips, size_t n)
{
    size_t n_kept = 0;
    ken_str folder = KEN_STR("");
    for (size_t i = 0; i < n; i++) {
        ken_str path = skips[i].path;
        if (folder.len && ken_str_starts(path, folder))
            continue;
        if (path.ptr[path.len - 1] == '/')
            folder = path;
        skips[n_kept++] = skips[i];
    }
    return n_kept;
}

static ken_status scan_one(const char *root, const ken_scan_opts *opts, const ken_cancel *cancel,
                           ken_arena *arena, ken_scan_result *out, ken_err *err)
{
    static const ken_scan_opts defaults = { 0 };
    scan_job job = {
        .opts = opts ? opts : &defaults, .cancel = cancel, .arena = arena, .root_fd = -1
    };
    job.max_file_bytes =
        job.opts->max_file_bytes ? job.opts->max_file_bytes : SCAN_DEFAULT_FILE_BYTES;
    ken_arena_init(&job.scratch, 0);
    ken_scan_result r = { 0 };
    scan_git git;
    ken_status st = job_open(&job, root, err);
    if (st || (!job.opts->revision && ken_scan__again(&job, out)))
        goto out;
    r.is_git = ken_scan__git_find(&job.scratch, job.root, &git);
    if (job.opts->watcher)
        ken_scan__tell_controls(&job, r.is_git ? &git : NULL);
    st = job.opts->revision ? job_collect_revision(&job, err)
                            : job_collect(&job, r.is_git ? &git : NULL, &r.is_walked, err);
    if (!st && job.fault.status) {
        st = job.fault.status;
        if (err)
            *err = job.fault;
    }
    if (st)
        goto out;
    if (job.opts->revision)
        r.git_head = ken_arena_dup(arena, ken_revision_id(job.opts->revision));
    else if (r.is_git)
        ken_scan__git_head(arena, &git, &r.git_head, &r.git_branch);
    r.n_files = job.files.len;
    r.files = finish(arena, job.files.ptr, r.n_files, sizeof *r.files, compare_files);
    r.skips = finish(arena, job.skips.ptr, job.skips.len, sizeof *r.skips, compare_skips);
    r.n_skips = drop_nested(r.skips, job.skips.len);
    if (job.opts->memory)
        ken_scan__remember(&job, &r);
    *out = r;
out:
    ken_fs_close(job.root_fd);
    ken_vec_release(&job.files);
    ken_vec_release(&job.skips);
    ken_arena_release(&job.scratch);
    return st;
}

// ---- several roots ----------------------------------------------------------------------------

// A further root by its real path, without a link on the way.
static bool can_open(const ken_root *root)
{
    ken_root copy = *root;
    ken_roots one = { .fd = -1, .more = &copy, .n = 1 };
    ken_roots_open(&one);
    ken_roots_close(&one);
    return !copy.is_gone;
}

// Joins what a further root has to the result: lists of both stay in the arena.
static void add_result(ken_arena *arena, const ken_root *root, const ken_scan_result *r,
                       ken_scan_result *out)
{
    ken_scan_file *files = KEN_ARENA_ARRAY(arena, ken_scan_file, out->n_files + r->n_files + 1);
    ken_scan_skip *skips = KEN_ARENA_ARRAY(arena, ken_scan_skip, out->n_skips + r->n_skips + 1);
    if (out->n_files)
        memcpy(files, out->files, out->n_files * sizeof *files);
    if (out->n_skips)
        memcpy(skips, out->skips, out->n_skips * sizeof *skips);
    out->files = files;
    out->skips = skips;
    for (size_t i = 0; i < r->n_files; i++)
        files[out->n_files++] =
            (ken_scan_file){ ken_root_path(root, r->files[i].path, arena), r->files[i].stamp };
    for (size_t i = 0; i < r->n_skips; i++) {
        skips[out->n_skips] = r->skips[i];
        skips[out->n_skips++].path = ken_root_path(root, r->skips[i].path, arena);
    }
}

static ken_status scan_further(const ken_root *root, const ken_scan_opts *opts,
                               const ken_cancel *cancel, ken_arena *arena, ken_scan_result *out,
                               ken_err *err)
{
    ken_scan_result r = { 0 };
    ken_scan_opts own = *opts;
    own.roots = NULL;
    own.mark = ken_arena_printf(arena, "@" KEN_STR_FMT, KEN_STR_ARG(root->name));
    if (opts->watcher)
        opts->watcher->on_control(opts->watcher->ctx, root->path.ptr, true);
    ken_status st =
        can_open(root) ? scan_one(root->path.ptr, &own, cancel, arena, &r, err) : KEN_ENOTFOUND;
    if (st == KEN_ENOTFOUND) {
        out->gone[out->n_gone++] = root;
        return KEN_OK;
    }
    if (st)
        return ken_err_wrap(err, "root '" KEN_STR_FMT "'", KEN_STR_ARG(root->name));
    add_result(arena, root, &r, out);
    return KEN_OK;
}

ken_status ken_scan(const char *root, const ken_scan_opts *opts, const ken_cancel *cancel,
                    ken_arena *arena, ken_scan_result *out, ken_err *err)
{
    if (!opts || !opts->roots || !opts->roots->n)
        return scan_one(root, opts, cancel, arena, out, err);
    ken_scan_result r;
    ken_scan_opts whole = *opts;
    whole.memory = NULL; // it holds one root
    if (opts->memory)
        ken_scan_memory_forget(opts->memory);
    ken_status st = scan_one(root, &whole, cancel, arena, &r, err);
    r.gone = KEN_ARENA_ARRAY(arena, const ken_root *, opts->roots->n);
    for (size_t i = 0; i < opts->roots->n && !st; i++)
        st = scan_further(&opts->roots->more[i], &whole, cancel, arena, &r, err);
    if (st)
        return st;
    r.files = finish(arena, r.files, r.n_files, sizeof *r.files, compare_files);
    r.skips = finish(arena, r.skips, r.n_skips, sizeof *r.skips, compare_skips);
    *out = r;
    return KEN_OK;
}

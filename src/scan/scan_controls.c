// SPDX-License-Identifier: MIT
// Dependencies of a scan's result outside of the folders that it walks: whether a work tree
// lies around the root, git's own state, and the ignore files above and elsewhere.
#include "base/path.h"
#include "scan/scan_priv.h"

static void tell(scan_job *job, ken_str dir, const char *name, bool is_identity)
{
    const ken_scan_watcher *w = job->opts->watcher;
    w->on_control(w->ctx, ken_path_join(&job->scratch, dir, ken_str_c(name)).ptr, is_identity);
}

static ken_str above(ken_str dir)
{
    ken_str up = ken_path_dir(dir);
    return up.len ? up : KEN_STR("/");
}

// A work tree nearer than the one that was found, and the ignore files between it and the root.
static void tell_around(scan_job *job, const scan_git *git)
{
    for (ken_str dir = job->root;; dir = above(dir)) {
        tell(job, dir, ".git", true);
        if (git && dir.len < job->root.len)
            tell(job, dir, ".gitignore", false);
        if (dir.len <= 1 || (git && ken_str_eq(dir, git->top)))
            return;
    }
}

// HEAD, the branch that it names, wherever it is kept, and the list of tracked files.
static void tell_state(scan_job *job, const scan_git *git)
{
    ken_str ref = ken_scan__git_ref(&job->scratch, git);
    tell(job, git->git_dir, "HEAD", false);
    tell(job, git->git_dir, "index", false);
    tell(job, git->common_dir, "packed-refs", false);
    tell(job, git->common_dir, "reftable/tables.list", false);
    if (ref.len) {
        tell(job, git->git_dir, ref.ptr, false);
        tell(job, git->common_dir, ref.ptr, false);
    }
}

void ken_scan__tell_controls(scan_job *job, const scan_git *git)
{
    const ken_scan_watcher *w = job->opts->watcher;
    tell(job, job->root, "", true);
    tell_around(job, git);
    if (git)
        tell_state(job, git);
    scan_excludes x = ken_scan__excludes(&job->scratch, job->opts->home, git);
    for (size_t i = 0; i < x.sources.len; i++)
        w->on_control(w->ctx, x.sources.ptr[i], false);
    ken_scan__excludes_release(&x);
}

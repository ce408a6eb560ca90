// SPDX-License-Identifier: MIT
// The state of a git work tree. The work tree, the head and the branch are read from git's own
// files, because a process costs more than all of that; only the list of files comes from git
// itself, started with everything off that a repository's settings could make it run.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/path.h"
#include "proc/proc_git.h"
#include "scan/scan_priv.h"

enum {
    GIT_SMALL_FILE = 4096,
    GIT_PACKED_REFS = 64 << 20,
    GIT_MAX_LIST = 512 << 20,
    GIT_TIMEOUT_MS = 120000, // while it works; one that waits is ended much sooner
    GIT_SYMREF_DEPTH = 5,    // as git
};

// ---- finding the work tree --------------------------------------------------------------------

// Joins and reads a small file of git; its text without white space at the ends, NULL ptr when it
// cannot be read.
static ken_str read_small(ken_arena *a, ken_str dir, ken_str name)
{
    ken_str path = ken_path_join(a, dir, name), text = { NULL, 0 };
    ken_buf b = KEN_BUF_INIT(GIT_SMALL_FILE);
    if (!ken_fs_read(KEN_FS_CWD, path.ptr, GIT_SMALL_FILE, &b, NULL, NULL))
        text = ken_arena_dup(a, ken_str_trim(ken_buf_str(&b)));
    ken_buf_release(&b);
    return text;
}

static bool has_entry(ken_arena *a, ken_str dir, ken_str name)
{
    return ken_fs_exists(ken_path_join(a, dir, name).ptr);
}

static bool is_git_dir(ken_arena *a, ken_str dir)
{
    return has_entry(a, dir, KEN_STR("HEAD")) &&
           (has_entry(a, dir, KEN_STR("objects")) || has_entry(a, dir, KEN_STR("commondir")));
}

// The git folder of `top`/.git: the folder itself, or the one that the file names.
static bool find_git_dir(ken_arena *a, ken_str top, ken_str *out)
{
    ken_str dot_git = ken_path_join(a, top, KEN_STR(".git"));
    ken_fs_info info;
    if (ken_fs_stat(KEN_FS_CWD, dot_git.ptr, &info, NULL))
        return false;
    *out = dot_git;
    if (info.kind == KEN_FS_FILE) {
        ken_str text = read_small(a, top, KEN_STR(".git"));
        if (!ken_str_starts(text, KEN_STR("gitdir:")))
            return false;
        text = ken_str_trim(ken_str_sub(text, strlen("gitdir:"), text.len));
        *out = ken_path_join(a, top, text);
    }
    return is_git_dir(a, *out);
}

bool ken_scan__git_find(ken_arena *a, ken_str root, scan_git *out)
{
    for (ken_str top = root;;) {
        ken_str git_dir;
        if (find_git_dir(a, top, &git_dir)) {
            ken_str common = read_small(a, git_dir, KEN_STR("commondir"));
            *out = (scan_git){ top, git_dir, git_dir };
            if (common.len)
                out->common_dir = ken_path_join(a, git_dir, common);
            return true;
        }
        if (top.len <= 1)
            return false;
        top = ken_path_dir(top);
        if (!top.len)
            top = KEN_STR("/");
    }
}

bool ken_scan__git_is_bare(int dir_fd)
{
    static const char *const entries[] = { "HEAD", "objects", "refs", "config" };
    ken_fs_info info;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (ken_fs_stat(dir_fd, entries[i], &info, NULL))
            return false;
    return true;
}

// ---- head and branch --------------------------------------------------------------------------
static bool is_commit_id(ken_str s)
{
    if (!s.ptr || (s.len != 40 && s.len != 64))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_digit(s.ptr[i]) && !(s.ptr[i] >= 'a' && s.ptr[i] <= 'f'))
            return false;
    return true;
}

// Refuses what could lead out of the git folder.
static bool is_ref_name(ken_str ref)
{
    return ken_str_starts(ref, KEN_STR("refs/")) && ken_str_find(ref, KEN_STR("..")) == SIZE_MAX &&
           !memchr(ref.ptr, '\0', ref.len);
}

static ken_str find_packed(ken_arena *a, const scan_git *git, ken_str ref)
{
    ken_str path = ken_path_join(a, git->common_dir, KEN_STR("packed-refs")), id = { NULL, 0 };
    ken_buf b = KEN_BUF_INIT(GIT_PACKED_REFS);
    if (!ken_fs_read(KEN_FS_CWD, path.ptr, GIT_PACKED_REFS, &b, NULL, NULL)) {
        ken_str rest = ken_buf_str(&b), line;
        while (!id.ptr && ken_str_line_next(&rest, &line)) {
            ken_str found = ken_str_sub(line, 0, ken_str_find_char(line, ' '));
            if (line.len == found.len + 1 + ref.len && ken_str_ends(line, ref) &&
                is_commit_id(found))
                id = ken_arena_dup(a, found);
        }
    }
    ken_buf_release(&b);
    return id;
}

static void ask_git_for_head(ken_arena *a, const scan_git *git, ken_str *out_head,
                             ken_str *out_branch)
{
    static const char *const argv[] = { "rev-parse", "HEAD", "--symbolic-full-name", "HEAD", NULL };
    ken_proc_result r;
    ken_proc_opts o = { .argv = argv, .cwd = git->top.ptr, .timeout_ms = GIT_TIMEOUT_MS };
    if (ken_git_run(&o, &r, NULL))
        return;
    ken_str rest = ken_buf_str(&r.out), id, ref;
    if (r.exit_code == 0 && ken_str_line_next(&rest, &id) && ken_str_line_next(&rest, &ref)) {
        if (is_commit_id(id))
            *out_head = ken_arena_dup(a, id);
        if (ken_str_starts(ref, KEN_STR("refs/heads/")))
            *out_branch = ken_arena_dup(a, ken_str_sub(ref, strlen("refs/heads/"), ref.len));
    }
    ken_proc_result_release(&r);
}

ken_str ken_scan__git_ref(ken_arena *a, const scan_git *git)
{
    ken_str text = read_small(a, git->git_dir, KEN_STR("HEAD"));
    if (!ken_str_starts(text, KEN_STR("ref:")))
        return KEN_STR("");
    ken_str ref = ken_str_trim(ken_str_sub(text, strlen("ref:"), text.len));
    return is_ref_name(ref) ? ken_arena_dup(a, ref) : KEN_STR("");
}

void ken_scan__git_head(ken_arena *a, const scan_git *git, ken_str *out_head, ken_str *out_branch)
{
    *out_head = *out_branch = KEN_STR("");
    ken_str text = read_small(a, git->git_dir, KEN_STR("HEAD"));
    for (int depth = 0; depth < GIT_SYMREF_DEPTH; depth++) {
        if (is_commit_id(text)) {
            *out_head = text;
            return;
        }
        if (!ken_str_starts(text, KEN_STR("ref:")))
            return;
        ken_str ref = ken_str_trim(ken_str_sub(text, strlen("ref:"), text.len));
        if (!is_ref_name(ref))
            return;
        // Repositories that keep references in tables show this name to whoever reads the file.
        if (ken_str_starts(ref, KEN_STR("refs/heads/.invalid"))) {
            ask_git_for_head(a, git, out_head, out_branch);
            return;
        }
        if (ken_str_starts(ref, KEN_STR("refs/heads/")) && !depth)
            *out_branch = ken_str_sub(ref, strlen("refs/heads/"), ref.len);
        text = read_small(a, git->git_dir, ref);
        if (!text.ptr)
            text = read_small(a, git->common_dir, ref);
        if (!text.ptr)
            text = find_packed(a, git, ref);
        if (!text.ptr)
            return; // no commit yet
    }
}

ken_str ken_scan_head(ken_str root, ken_arena *arena)
{
    scan_git git;
    ken_str head = KEN_STR(""), branch;
    if (ken_scan__git_find(arena, root, &git))
        ken_scan__git_head(arena, &git, &head, &branch);
    return head;
}

// ---- the list of files ------------------------------------------------------------------------

// A path that leads somewhere else cannot come from git; a damaged index is not believed.
static bool is_plain_path(ken_str path)
{
    if (!path.len || path.ptr[0] == '/')
        return false;
    ken_str rest = path, part;
    while (ken_str_split_next(&rest, '/', &part))
        if (ken_str_eq(part, KEN_STR("..")) || ken_str_eq(part, KEN_STR(".")) ||
            ken_str_eq(part, KEN_STR(".git")))
            return false;
    return true;
}

typedef KEN_VEC(scan_candidate) candidate_vec;

static int compare_candidates(const void *a, const void *b)
{
    const scan_candidate *x = a, *y = b;
    int c = ken_str_cmp(x->path, y->path);
    return c ? c : (int)y->is_tracked - (int)x->is_tracked;
}

// git prints "<tag> <path>" with a NUL after each: '?' for untracked files, letters for tracked
// ones.
static void parse_list(ken_str text, candidate_vec *out)
{
    ken_str entry;
    while (ken_str_split_next(&text, '\0', &entry)) {
        if (entry.len < 3 || entry.ptr[1] != ' ')
            continue;
        scan_candidate c = { ken_str_sub(entry, 2, entry.len), entry.ptr[0] != '?' };
        if (is_plain_path(c.path))
            ken_vec_push(out, c);
    }
}

// git prints two runs, untracked then tracked, each in order; only odd cases need a real sort.
static void merge_runs(candidate_vec *v)
{
    size_t mid = 1;
    while (mid < v->len && compare_candidates(&v->ptr[mid - 1], &v->ptr[mid]) <= 0)
        mid++;
    size_t end = mid + 1;
    while (end < v->len && compare_candidates(&v->ptr[end - 1], &v->ptr[end]) <= 0)
        end++;
    if (mid >= v->len)
        return;
    if (end < v->len) {
        qsort(v->ptr, v->len, sizeof *v->ptr, compare_candidates);
        return;
    }
    scan_candidate *merged = ken_alloc(ken_mul_size(v->len, sizeof *merged));
    size_t i = 0, k = mid, n = 0;
    while (i < mid && k < v->len)
        merged[n++] = compare_candidates(&v->ptr[i], &v->ptr[k]) <= 0 ? v->ptr[i++] : v->ptr[k++];
    while (i < mid)
        merged[n++] = v->ptr[i++];
    while (k < v->len)
        merged[n++] = v->ptr[k++];
    memcpy(v->ptr, merged, n * sizeof *merged);
    ken_free(merged);
}

// A file with a merge conflict is listed once for each side.
static void drop_doubles(candidate_vec *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->len; i++)
        if (!n || !ken_str_eq(v->ptr[n - 1].path, v->ptr[i].path))
            v->ptr[n++] = v->ptr[i];
    v->len = n;
}

void ken_scan__git_parse_list(ken_str text, scan_candidates *out)
{
    candidate_vec v = { 0 };
    parse_list(text, &v);
    merge_runs(&v);
    drop_doubles(&v);
    *out = (scan_candidates){ v.ptr, v.len };
}

static ken_status run_list(scan_job *job, const char *const *argv, ken_proc_result *out,
                           ken_err *err)
{
    ken_err inner = { 0 };
    const char *home = job->opts->home; // whose settings count, when the caller gives it
    const char *env[] = { NULL, "XDG_CONFIG_HOME", NULL };
    if (home)
        env[0] = ken_arena_printf(&job->scratch, "HOME=%s", home).ptr;
    ken_status st = ken_git_run(&(ken_proc_opts){ .argv = argv,
                                                  .cwd = job->root.ptr,
                                                  .env = env,
                                                  .timeout_ms = GIT_TIMEOUT_MS,
                                                  .max_out_bytes = GIT_MAX_LIST,
                                                  .cancel = job->cancel },
                                out, &inner);
    if (st && ken_cancel_check(job->cancel, NULL))
        return KEN_FAIL(err, st, "%s", inner.msg);
    if (st)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "%s", inner.msg);
    if (out->exit_code != 0) {
        ken_str why = ken_proc_complaint(out);
        st = KEN_FAIL(err, KEN_EUNSUPPORTED, "git ended with %d: " KEN_STR_FMT, out->exit_code,
                      KEN_STR_ARG(why));
        ken_proc_result_release(out);
    }
    return st;
}

static ken_status list(scan_job *job, const char *const *argv, scan_candidates *out, ken_err *err)
{
    ken_proc_result r;
    ken_status st = run_list(job, argv, &r, err);
    if (st)
        return st;
    ken_scan__git_parse_list(ken_arena_dup(job->arena, ken_buf_str(&r.out)), out);
    ken_proc_result_release(&r);
    return KEN_OK;
}

static const char *const wanted[] = { "ls-files",           "-z", "-t", "--cached", "--others",
                                      "--exclude-standard", NULL };

ken_status ken_scan__git_list(scan_job *job, bool is_of_ignored, scan_candidates *out, ken_err *err)
{
    static const char *const ignored[] = { "ls-files",    "-z",       "-t",
                                           "--ignored",   "--others", "--exclude-standard",
                                           "--directory", NULL };
    return list(job, is_of_ignored ? ignored : wanted, out, err);
}

ken_status ken_scan__git_list_some(scan_job *job, const ken_str *paths, size_t n,
                                   scan_candidates *out, ken_err *err)
{
    const size_t n_wanted = sizeof wanted / sizeof *wanted - 1;
    const char **argv = KEN_ARENA_ARRAY(&job->scratch, const char *, n_wanted + n + 2);
    for (size_t i = 0; i < n_wanted; i++)
        argv[i] = wanted[i];
    argv[n_wanted] = "--";
    for (size_t i = 0; i < n; i++)
        argv[n_wanted + 1 + i] =
            ken_arena_printf(&job->scratch, ":(literal)" KEN_STR_FMT, KEN_STR_ARG(paths[i])).ptr;
    argv[n_wanted + 1 + n] = NULL;
    return list(job, argv, out, err);
}

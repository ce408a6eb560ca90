// SPDX-License-Identifier: MIT
// git status in its second porcelain format, line by line, and git log from a commit on.
#include "history/history_state.h"

#include <stdlib.h>

#include "base/fs.h"
#include "base/path.h"
#include "history/history_priv.h"

enum {
    STATE_MS = 5000,
    MAX_PATHS = 100000, // that are sorted, and counted
};

// Passes over `n` words.
static ken_str after_words(ken_str line, unsigned n)
{
    while (n--)
        (void)ken_history__take(&line, ' ');
    return line;
}

static void add_path(history_state_job *j, ken_str text)
{
    ken_str path = ken_history__path(j->arena, text);
    if (path.ptr && j->paths.len < MAX_PATHS)
        ken_vec_push(&j->paths, ken_arena_dup(j->arena, path));
}

static void on_header(history_state_job *j, ken_str line)
{
    ken_str name = ken_history__take(&line, ' ');
    if (ken_str_eq(name, KEN_STR("branch.oid")) && ken_is_object_id(line))
        j->state.commit = ken_arena_dup(j->arena, line);
    else if (ken_str_eq(name, KEN_STR("branch.head")) && !ken_str_starts(line, KEN_STR("(")))
        j->state.branch = ken_history__words(j->arena, line, HISTORY_MAX_PATH);
}

// "# name value", "1 … path" (changed), "u … path" (unmerged), "? path" (untracked).
void ken_history__state_line(void *job, ken_str line)
{
    history_state_job *j = job;
    if (ken_str_starts(line, KEN_STR("# ")))
        on_header(j, ken_str_sub(line, 2, line.len));
    else if (ken_str_starts(line, KEN_STR("1 ")))
        add_path(j, after_words(line, 8));
    else if (ken_str_starts(line, KEN_STR("u ")))
        add_path(j, after_words(line, 10));
    else if (ken_str_starts(line, KEN_STR("? ")))
        add_path(j, ken_str_sub(line, 2, line.len));
}

static ken_status run_lines(const char *root, const char *const *argv, void (*fn)(void *, ken_str),
                            void *ctx, const ken_cancel *cancel, ken_err *err)
{
    ken_proc_result r;
    ken_status st = ken_history__run_lines(
        &(ken_proc_opts){ .argv = argv, .cwd = root, .timeout_ms = STATE_MS, .cancel = cancel }, fn,
        ctx, &r, err);
    if (st)
        return st;
    ken_str why = ken_proc_complaint(&r);
    if (r.exit_code)
        st = KEN_FAIL(err, KEN_EUNSUPPORTED, "git ended with %d: %.*s", r.exit_code,
                      (int)(why.len < 200 ? why.len : 200), why.ptr);
    ken_proc_result_release(&r);
    return st;
}

// A failure that is not the caller's wish becomes a reason.
static ken_status settle(ken_status st, const ken_err *tried, const ken_cancel *cancel,
                         ken_arena *arena, ken_str *out_reason, ken_err *err)
{
    if (!st)
        return KEN_OK;
    ken_status asked = ken_cancel_check(cancel, err);
    *out_reason = ken_history__words(arena, ken_str_c(tried->msg), HISTORY_MAX_REASON);
    return asked;
}

static int path_order(const void *a, const void *b)
{
    return ken_str_cmp(*(const ken_str *)a, *(const ken_str *)b);
}

void ken_history__state_finish(history_state_job *j, size_t max_dirty, ken_work_state *out)
{
    if (j->paths.len)
        qsort(j->paths.ptr, j->paths.len, sizeof *j->paths.ptr, path_order);
    j->state.n_dirty_all = j->paths.len;
    j->state.n_dirty = j->paths.len < max_dirty ? j->paths.len : max_dirty;
    j->state.dirty = ken_arena_copy(j->arena, j->paths.ptr, j->state.n_dirty, sizeof(ken_str));
    *out = j->state;
}

// Whether git would find a repository: seen without starting it.
static bool has_git(const char *root, ken_arena *arena)
{
    for (ken_str dir = ken_str_c(root); dir.len; dir = ken_path_dir(dir)) {
        if (ken_fs_exists(ken_path_join(arena, dir, KEN_STR(".git")).ptr))
            return true;
        if (dir.len == 1)
            break;
    }
    return false;
}

static ken_status read_state(history_state_job *j, const char *root, const ken_cancel *cancel,
                             ken_err *err)
{
    static const char *const argv[] = { "status",
                                        "--porcelain=v2",
                                        "--branch",
                                        "--untracked-files=all",
                                        "--no-renames",
                                        "--no-ahead-behind",
                                        "--",
                                        ".",
                                        NULL };
    if (!has_git(root, j->arena))
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "not a git work tree");
    return run_lines(root, argv, ken_history__state_line, j, cancel, err);
}

ken_status ken_history_state(const char *root, size_t max_dirty, const ken_cancel *cancel,
                             ken_arena *arena, ken_work_state *out, ken_err *err)
{
    const ken_str none = { "", 0 };
    history_state_job j = { .arena = arena,
                            .state = { .branch = none, .commit = none, .reason = none } };
    ken_err tried = { 0 };
    ken_status st = read_state(&j, root, cancel, &tried);
    st = settle(st, &tried, cancel, arena, &j.state.reason, err);
    if (!st)
        ken_history__state_finish(&j, max_dirty, out);
    ken_vec_release(&j.paths);
    return st;
}

// ---- commits -----------------------------------------------------------------------------------

typedef struct since_job {
    ken_arena *arena;
    size_t max;
    ken_history_since since;
} since_job;

// "id time author<unit separator>subject"
static void on_commit(void *ctx, ken_str line)
{
    since_job *j = ctx;
    uint64_t time_s = 0;
    ken_str id = ken_history__take(&line, ' '), time = ken_history__take(&line, ' ');
    if (!ken_is_object_id(id) || !ken_str_parse_u64(time, &time_s) || time_s > HISTORY_MAX_TIME_S)
        return;
    if (j->since.n == j->max) {
        j->since.is_truncated = true;
        return;
    }
    ken_str author = ken_history__take(&line, '\x1f');
    j->since.commits[j->since.n++] = (ken_history_commit){
        .id = ken_arena_dup(j->arena, id),
        .author = ken_history__words(j->arena, author, HISTORY_MAX_NAME),
        .subject = ken_history__words(j->arena, line, HISTORY_MAX_SUBJECT),
        .time_s = (int64_t)time_s,
    };
}

ken_status ken_history_list_since(const char *root, ken_str commit, size_t max,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_history_since *out, ken_err *err)
{
    since_job j = { .arena = arena, .max = max, .since = { .reason = { "", 0 } } };
    if (!ken_is_object_id(commit)) {
        j.since.reason = KEN_STR("there was no commit");
        *out = j.since;
        return KEN_OK;
    }
    const char *argv[] = {
        "log",
        "--no-merges",
        "--format=%H %ct %aN%x1f%s",
        ken_arena_printf(arena, "--max-count=%zu", max + 1).ptr,
        ken_arena_printf(arena, KEN_STR_FMT "..HEAD", KEN_STR_ARG(commit)).ptr,
        "--",
        ".",
        NULL,
    };
    ken_err tried = { 0 };
    j.since.commits = KEN_ARENA_ARRAY(arena, ken_history_commit, max + 1);
    ken_status st = run_lines(root, argv, on_commit, &j, cancel, &tried);
    st = settle(st, &tried, cancel, arena, &j.since.reason, err);
    if (!st)
        *out = j.since;
    return st;
}

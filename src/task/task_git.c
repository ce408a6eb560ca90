// SPDX-License-Identifier: MIT
// What git says of the commits and branches that a task is linked to.
#include "base/utf8.h"
#include "proc/proc_git.h"
#include "secret/secret.h"
#include "task/task_priv.h"

enum {
    GIT_MS = 3000, // a link does not wait longer for a text that is nice to have
    GIT_BYTES = 64 * 1024,
    SUBJECT_BYTES = 500,
};

// One line without control characters, cut at a character.
static ken_str keep_subject(ken_str out, ken_arena *arena)
{
    ken_str line = { 0 };
    ken_buf text = KEN_BUF_INIT(0);
    if (!ken_str_line_next(&out, &line) || !line.len)
        return (ken_str){ 0 };
    ken_utf8_repair(&text, line);
    ken_secret_mask(text.ptr, text.len);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            text.ptr[i] = ' ';
    ken_str subject = ken_arena_dup(arena, ken_utf8_clip(ken_buf_str(&text), SUBJECT_BYTES));
    ken_buf_release(&text);
    return subject;
}

// Whether git answered; the text is in `out`, which the caller releases then.
static bool ask_git(const char *root, const char *const *argv, const ken_cancel *cancel,
                    ken_proc_result *out)
{
    ken_proc_opts opts = { .argv = argv,
                           .cwd = root,
                           .timeout_ms = GIT_MS,
                           .max_out_bytes = GIT_BYTES,
                           .cancel = cancel };
    return !ken_git_run(&opts, out, NULL);
}

static bool is_repository(const char *root, const ken_cancel *cancel)
{
    const char *const argv[] = { "rev-parse", "--git-dir", NULL };
    ken_proc_result r;
    if (!ask_git(root, argv, cancel, &r))
        return false;
    bool is_one = !r.exit_code;
    ken_proc_result_release(&r);
    return is_one;
}

// The hash and the subject, a line each. A name that is no hash (a branch `abcdef0`) is not meant.
static bool take_commit(ken_str text, ken_str digits, ken_arena *arena, ken_task_commit *out)
{
    ken_str hash;
    if (!ken_str_line_next(&text, &hash) || !ken_str_starts(hash, digits))
        return false;
    if (ken_task__parse_commit(hash, arena, &out->hash, NULL))
        return false;
    out->message = keep_subject(text, arena);
    return true;
}

ken_task__known ken_task__find_commit(const char *root, ken_str digits, const ken_cancel *cancel,
                                      ken_arena *arena, ken_task_commit *out)
{
    const char *const argv[] = {
        "log", "-1", "--no-walk", "--format=%H%n%s", "--encoding=UTF-8", digits.ptr, "--", NULL
    };
    ken_proc_result r;
    if (!ask_git(root, argv, cancel, &r))
        return KEN_TASK__NOT_ASKED;
    bool is_known = !r.exit_code && take_commit(ken_buf_str(&r.out), digits, arena, out);
    ken_proc_result_release(&r);
    if (is_known)
        return KEN_TASK__KNOWN;
    return is_repository(root, cancel) ? KEN_TASK__UNKNOWN : KEN_TASK__NOT_ASKED;
}

// A branch of this repository, or one as it was last seen at a remote.
static bool is_ref_of(ken_str ref, ken_str branch)
{
    if (ken_str_starts(ref, KEN_STR("refs/heads/")))
        return ken_str_eq(ken_str_sub(ref, strlen("refs/heads/"), ref.len), branch);
    ken_str remote;
    ref = ken_str_sub(ref, strlen("refs/remotes/"), ref.len);
    return ken_str_split_next(&ref, '/', &remote) && ken_str_eq(ref, branch);
}

ken_task__known ken_task__find_branch(const char *root, ken_str branch, const ken_cancel *cancel,
                                      ken_arena *arena)
{
    ken_str here =
        ken_arena_printf(arena, "--glob=refs/heads/" KEN_STR_FMT "*", KEN_STR_ARG(branch));
    ken_str away =
        ken_arena_printf(arena, "--glob=refs/remotes/*/" KEN_STR_FMT "*", KEN_STR_ARG(branch));
    const char *const argv[] = { "rev-parse", "--symbolic-full-name", here.ptr, away.ptr, NULL };
    ken_proc_result r;
    if (!ask_git(root, argv, cancel, &r))
        return KEN_TASK__NOT_ASKED;
    bool is_known = false;
    ken_str refs = ken_buf_str(&r.out), ref;
    while (!r.exit_code && !is_known && ken_str_line_next(&refs, &ref))
        is_known = is_ref_of(ref, branch);
    ken_task__known known = r.exit_code ? KEN_TASK__NOT_ASKED
                            : is_known  ? KEN_TASK__KNOWN
                                        : KEN_TASK__UNKNOWN;
    ken_proc_result_release(&r);
    return known;
}

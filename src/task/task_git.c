// SPDX-License-Identifier: MIT
// What git says of a commit that a task is linked to.
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

static bool is_repository(const char *root, const ken_cancel *cancel)
{
    const char *const argv[] = { "rev-parse", "--git-dir", NULL };
    ken_proc_result r;
    ken_proc_opts opts = { .argv = argv,
                           .cwd = root,
                           .timeout_ms = GIT_MS,
                           .max_out_bytes = GIT_BYTES,
                           .cancel = cancel };
    if (ken_git_run(&opts, &r, NULL))
        return false;
    bool is_one = !r.exit_code;
    ken_proc_result_release(&r);
    return is_one;
}

ken_str ken_task__read_subject(const char *root, ken_str hash, const ken_cancel *cancel,
                               bool *out_lacks, ken_arena *arena)
{
    const char *const argv[] = { "log",    "-1", "--no-walk", "--format=%s", "--encoding=UTF-8",
                                 hash.ptr, "--", NULL };
    ken_proc_result r;
    ken_proc_opts opts = { .argv = argv,
                           .cwd = root,
                           .timeout_ms = GIT_MS,
                           .max_out_bytes = GIT_BYTES,
                           .cancel = cancel };
    ken_str subject = { 0 };
    if (ken_git_run(&opts, &r, NULL))
        return subject;
    bool is_known = !r.exit_code;
    if (is_known)
        subject = keep_subject(ken_buf_str(&r.out), arena);
    ken_proc_result_release(&r);
    *out_lacks = *out_lacks || (!is_known && is_repository(root, cancel));
    return subject;
}

// SPDX-License-Identifier: MIT
// Which files git takes for renamed and edited: what is gone and what is new are alike enough.
#include "base/vec.h"
#include "proc/proc_git.h"
#include "scan/scan.h"

enum {
    RENAMES_MS = 5000,
    RENAMES_BYTES = 4 << 20,
};

typedef KEN_VEC(ken_scan_rename) rename_vec;

static bool is_id(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]))
            return false;
    return s.len > 0;
}

// "R087\0old\0new\0" for each.
static void parse(ken_str text, ken_arena *arena, rename_vec *out)
{
    ken_str word, from, to;
    while (ken_str_split_next(&text, '\0', &word) && ken_str_starts(word, KEN_STR("R")) &&
           ken_str_split_next(&text, '\0', &from) && ken_str_split_next(&text, '\0', &to)) {
        ken_scan_rename r = { ken_arena_dup(arena, from), ken_arena_dup(arena, to) };
        ken_vec_push(out, r);
    }
}

void ken_scan_find_renames(const char *root, ken_str commit, const ken_cancel *cancel,
                           ken_arena *arena, ken_scan_rename **out, size_t *out_n)
{
    *out = NULL;
    *out_n = 0;
    if (!is_id(commit))
        return;
    ken_proc_result r;
    const char *argv[] = { "diff",
                           "--name-status",
                           "-z",
                           "--find-renames",
                           "--diff-filter=R",
                           "--relative",
                           ken_arena_dup(arena, commit).ptr,
                           "--",
                           NULL };
    const ken_proc_opts opts = { .argv = argv,
                                 .cwd = root,
                                 .timeout_ms = RENAMES_MS,
                                 .max_out_bytes = RENAMES_BYTES,
                                 .cancel = cancel };
    if (ken_git_run(&opts, &r, NULL))
        return;
    rename_vec v = { .len = 0 };
    if (!r.exit_code)
        parse(ken_buf_str(&r.out), arena, &v);
    ken_proc_result_release(&r);
    *out = ken_arena_copy(arena, v.ptr, v.len, sizeof *v.ptr);
    *out_n = v.len;
    ken_vec_release(&v);
}

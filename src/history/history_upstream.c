// SPDX-License-Identifier: MIT
// How far the present commit and a branch of the remote are apart, as far as it was fetched.
#include "history/history_priv.h"

enum {
    COUNT_MS = 5000,
    COUNT_BYTES = 4096,
};

// KEN_ENOTFOUND when git says that there is nothing.
static ken_status ask(const char *root, const char *const *argv, const ken_cancel *cancel,
                      ken_arena *arena, ken_str *out)
{
    ken_proc_result r;
    ken_status st = ken_git_run(&(ken_proc_opts){ .argv = argv,
                                                  .cwd = root,
                                                  .timeout_ms = COUNT_MS,
                                                  .max_out_bytes = COUNT_BYTES,
                                                  .cancel = cancel },
                                &r, NULL);
    if (st)
        return st;
    if (r.exit_code)
        st = KEN_ENOTFOUND;
    else
        *out = ken_arena_dup(arena, ken_str_trim(ken_buf_str(&r.out)));
    ken_proc_result_release(&r);
    return st;
}

bool ken_history_upstream(const char *root, const char *ref, const ken_cancel *cancel,
                          ken_arena *arena, ken_history_distance *out)
{
    const char *upstream = ref ? ref : "@{upstream}";
    const char *name[] = { "rev-parse", "--abbrev-ref", "--verify", "--quiet", upstream, NULL };
    const char *base[] = { "merge-base", "HEAD", upstream, NULL };
    const char *count[] = { "rev-list", "--left-right",
                            "--count",  ken_arena_printf(arena, "HEAD...%s", upstream).ptr,
                            "--",       NULL };
    ken_history_distance d = { .ref = KEN_STR("") };
    ken_str text, ahead;
    // Without a commit that both have the numbers would be those of all commits that a shallow clone has.
    if (ask(root, name, cancel, arena, &d.ref) || !d.ref.len ||
        ask(root, base, cancel, arena, &text) || ask(root, count, cancel, arena, &text) ||
        !ken_str_split_next(&text, '\t', &ahead) || !ken_str_parse_u64(ahead, &d.n_ahead) ||
        !ken_str_parse_u64(text, &d.n_behind))
        return false;
    d.ref = ken_history__words(arena, d.ref, HISTORY_MAX_NAME);
    *out = d;
    return true;
}

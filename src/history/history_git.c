// SPDX-License-Identifier: MIT
// Questions to git that come before the real one.
#include "history/history_priv.h"

enum {
    SMALL_BYTES = 1 << 20,
    SMALL_MS = 10000,
};

static ken_status ask(const char *root, const char *const *argv, const ken_cancel *cancel,
                      ken_proc_result *out, ken_err *err)
{
    return ken_git_run(&(ken_proc_opts){ .argv = argv,
                                         .cwd = root,
                                         .timeout_ms = SMALL_MS,
                                         .max_out_bytes = SMALL_BYTES,
                                         .cancel = cancel },
                       out, err);
}

static ken_status why_not(const ken_proc_result *r, ken_str is_inside, ken_err *err)
{
    ken_str why = ken_proc_complaint(r);
    if (ken_str_eq(is_inside, KEN_STR("false")) ||
        ken_str_find(why, KEN_STR("not a git repository")) != SIZE_MAX)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "not a git work tree");
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "git ended with %d: %.*s", r->exit_code,
                    (int)(why.len < 200 ? why.len : 200), why.ptr);
}

ken_status ken_history__tree_open(const char *root, const ken_cancel *cancel, ken_arena *arena,
                                  history_tree *out, ken_err *err)
{
    static const char *const argv[] = { "rev-parse",     "--is-inside-work-tree",
                                        "--show-prefix", "--is-shallow-repository",
                                        "--quiet",       "--verify",
                                        "HEAD",          NULL };
    ken_proc_result r;
    ken_err inner = { 0 };
    ken_status st = ask(root, argv, cancel, &r, &inner);
    if (st && ken_cancel_check(cancel, NULL))
        return KEN_FAIL(err, st, "%s", inner.msg);
    if (st)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "git cannot be run: %.200s", inner.msg);
    ken_str rest = ken_buf_str(&r.out);
    ken_str is_inside = ken_history__take(&rest, '\n');
    if (!ken_str_eq(is_inside, KEN_STR("true"))) {
        st = why_not(&r, is_inside, err);
    } else { // without a commit there are fewer lines, and it ends with 1
        out->prefix = ken_arena_dup(arena, ken_history__take(&rest, '\n'));
        out->is_shallow = ken_str_eq(ken_history__take(&rest, '\n'), KEN_STR("true"));
        ken_str head = ken_history__take(&rest, '\n');
        out->head = ken_is_object_id(head) ? ken_arena_dup(arena, head) : KEN_STR("");
    }
    ken_proc_result_release(&r);
    return st;
}

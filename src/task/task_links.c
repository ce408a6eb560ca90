// SPDX-License-Identifier: MIT
// The branch and the commit that a change links to a task, or takes away from it.
#include "store/catalog.h"
#include "task/task_priv.h"

// The commit of a task whose hash begins with the digits; NULL when there is none, or are several.
static const ken_task_commit *find_linked(const ken_task *task, ken_str digits)
{
    const ken_task_commit *found = NULL;
    for (size_t i = 0; i < task->n_commits; i++) {
        if (!ken_str_starts(task->commits[i].hash, digits))
            continue;
        if (found)
            return NULL;
        found = &task->commits[i];
    }
    return found;
}

static bool has_branch(const ken_task *task, ken_str name)
{
    for (size_t i = 0; i < task->n_branches; i++)
        if (ken_str_eq(task->branches[i].name, name))
            return true;
    return false;
}

enum {
    ROOTS_MAX = 2
};

// Of the project that the task is linked to, then of the repository the caller is in.
static size_t find_roots(ken_tasks *t, const ken_task *task, const ken_task_input *in,
                         ken_arena *arena, const char **out)
{
    const ken_uuid *project = in->sets_project    ? in->project
                              : task->has_project ? &task->project
                                                  : NULL;
    ken_catalog_row row;
    size_t n = 0;
    if (project && !ken_catalog_find_by_id(t->catalog, *project, arena, &row, NULL))
        out[n++] = row.root.ptr;
    if (in->root)
        out[n++] = in->root;
    return n;
}

static void remark_on(const ken_task_input *in, ken_arena *arena, const char *kind, ken_str name,
                      const char *way)
{
    if (!in->out_remark)
        return;
    ken_str before = *in->out_remark;
    *in->out_remark =
        ken_arena_printf(arena,
                         KEN_STR_FMT "%s%s " KEN_STR_FMT " is linked, and the repository does not "
                                     "have it: %s, or take the link away with %s -" KEN_STR_FMT,
                         KEN_STR_ARG(before), before.len ? "; " : "", kind, KEN_STR_ARG(name), way,
                         kind, KEN_STR_ARG(name));
}

// Of less than a whole hash git must know the rest.
static ken_status find_commit(const ken_task_input *in, const char *const *roots, size_t n_roots,
                              ken_str digits, ken_arena *arena, ken_task_commit *out, ken_err *err)
{
    ken_task__known known = KEN_TASK__NOT_ASKED;
    *out = (ken_task_commit){ .hash = digits };
    for (size_t i = 0; i < n_roots && known != KEN_TASK__KNOWN; i++) {
        ken_task__known k = ken_task__find_commit(roots[i], digits, in->cancel, arena, out);
        known = k > known ? k : known;
    }
    if (known == KEN_TASK__KNOWN)
        return KEN_OK;
    ken_status st = ken_cancel_check(in->cancel, err);
    if (st)
        return st;
    if (digits.len < KEN_TASK_COMMIT_DIGITS)
        return KEN_FAIL(err, KEN_EINVAL,
                        "commit: %s '" KEN_STR_FMT "'; give all %d hexadecimal digits",
                        known ? "no commit of the repository, or more than one, begins with"
                              : "no repository could be asked which one begins with",
                        KEN_STR_ARG(digits), KEN_TASK_COMMIT_DIGITS);
    if (known == KEN_TASK__UNKNOWN)
        remark_on(in, arena, "commit", digits, "fetch it");
    return KEN_OK;
}

static ken_status find_lost_commit(const ken_task *task, ken_str digits, ken_str *out, ken_err *err)
{
    const ken_task_commit *found = find_linked(task, digits);
    *out = found ? found->hash : digits;
    if (found || digits.len == KEN_TASK_COMMIT_DIGITS)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "commit: no commit of the task, or more than one, begins with '" KEN_STR_FMT
                    "'; get_task has the whole hashes",
                    KEN_STR_ARG(digits));
}

static void look_for_branch(const ken_task_input *in, const char *const *roots, size_t n_roots,
                            ken_arena *arena)
{
    ken_task__known known = KEN_TASK__NOT_ASKED;
    for (size_t i = 0; i < n_roots && known != KEN_TASK__KNOWN; i++) {
        ken_task__known k = ken_task__find_branch(roots[i], in->branch, in->cancel, arena);
        known = k > known ? k : known;
    }
    if (known == KEN_TASK__UNKNOWN)
        remark_on(in, arena, "branch", in->branch, "make it");
}

ken_status ken_task__prepare_links(ken_tasks *t, ken_uuid uuid, const ken_task_input *in,
                                   ken_arena *arena, ken_task_edit *e, ken_err *err)
{
    ken_task task = { 0 };
    ken_str digits = { 0 };
    const char *roots[ROOTS_MAX];
    if (!in->commit.ptr && !e->branch.ptr)
        return KEN_OK;
    ken_status st = in->commit.ptr
                        ? ken_task__parse_commit(ken_task__linked(in->commit), arena, &digits, err)
                        : KEN_OK;
    if (!st)
        st = ken_catalog_load_task(t->catalog, uuid, arena, &task, err);
    if (st)
        return st;
    size_t n_roots = find_roots(t, &task, in, arena, roots);
    if (e->branch.ptr && in->out_remark && !has_branch(&task, e->branch))
        look_for_branch(in, roots, n_roots, arena);
    if (!in->commit.ptr)
        return KEN_OK;
    if (ken_task__is_lost(in->commit))
        return find_lost_commit(&task, digits, &e->lost_commit, err);
    const ken_task_commit *there = find_linked(&task, digits);
    if (there) {
        e->commit.hash = there->hash;
        return KEN_OK;
    }
    return find_commit(in, roots, n_roots, digits, arena, &e->commit, err);
}

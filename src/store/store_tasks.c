// SPDX-License-Identifier: MIT
// What an edit changes in a task.
#include "base/clock.h"
#include "store/store_tasks_priv.h"

static ken_status check_is_unchanged(const ken_task *t, int64_t wanted_ms, ken_err *err)
{
    char is[KEN_TIME_MS_TEXT], wanted[KEN_TIME_MS_TEXT], uuid[KEN_UUID_TEXT];
    if (!wanted_ms || wanted_ms == t->updated_at_ms)
        return KEN_OK;
    ken_clock_format_ms(t->updated_at_ms, is);
    ken_clock_format_ms(wanted_ms, wanted);
    ken_uuid_format(t->uuid, uuid);
    return KEN_FAIL(err, KEN_EEXIST,
                    "task %s was changed since: its updated_at is %s, not %s; read it again, and "
                    "give that as if_updated_at",
                    uuid, is, wanted);
}

static bool same_text(ken_str a, ken_str b)
{
    return ken_str_eq(a, b); // none and empty are the same
}

// Applies the texts and the project of an edit; returns whether one of them differs.
static bool apply_fields(ken_task *t, const ken_task_edit *e)
{
    const struct {
        ken_str *is, to;
    } texts[] = {
        { &t->title, e->title },
        { &t->status, e->status },
        { &t->description, e->description },
        { &t->notes, e->notes },
    };
    bool is_different = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].to.ptr && !same_text(*texts[i].is, texts[i].to)) {
            *texts[i].is = texts[i].to;
            is_different = true;
        }
    if (e->sets_project &&
        (t->has_project != !!e->project || (e->project && !ken_uuid_eq(t->project, *e->project)))) {
        t->has_project = e->project;
        t->project = e->project ? *e->project : (ken_uuid){ { 0 } };
        is_different = true;
    }
    return is_different;
}

static bool has_branch(const ken_task *t, ken_str name)
{
    for (size_t i = 0; i < t->n_branches; i++)
        if (ken_str_eq(t->branches[i].name, name))
            return true;
    return false;
}

static bool has_commit(const ken_task *t, ken_str hash)
{
    for (size_t i = 0; i < t->n_commits; i++)
        if (ken_str_eq(t->commits[i].hash, hash))
            return true;
    return false;
}

const ken_task_reference *ken_store__task_reference(const ken_task *t, ken_str path)
{
    for (size_t i = 0; i < t->n_references; i++)
        if (ken_str_eq(t->references[i].path, path))
            return &t->references[i];
    return NULL;
}

static bool same_references(const ken_task *t, const ken_task_edit *e)
{
    if (t->n_references != e->n_references)
        return false;
    for (size_t i = 0; i < e->n_references; i++)
        if (!ken_str_eq(t->references[i].path, e->references[i].path) ||
            !ken_str_eq(t->references[i].type, e->references[i].type))
            return false;
    return true;
}

static ken_status find_difference(ken_task *now, const ken_task_edit *e, ken_task_difference *out,
                                  ken_err *err)
{
    *out = (ken_task_difference){
        .fields = apply_fields(now, e),
        .references = e->sets_references && !same_references(now, e),
        .branch = e->branch.ptr && !has_branch(now, e->branch),
        .commit = e->commit.hash.ptr && !has_commit(now, e->commit.hash),
        .lost_branch = e->lost_branch.ptr && has_branch(now, e->lost_branch),
        .lost_commit = e->lost_commit.ptr && has_commit(now, e->lost_commit),
    };
    out->is_any = out->fields || out->references || out->branch || out->commit ||
                  out->lost_branch || out->lost_commit;
    if (e->lost_branch.ptr && !out->lost_branch)
        return KEN_FAIL(err, KEN_EINVAL, "branch: the task is not linked to '" KEN_STR_FMT "'",
                        KEN_STR_ARG(e->lost_branch));
    if (e->lost_commit.ptr && !out->lost_commit)
        return KEN_FAIL(err, KEN_EINVAL, "commit: the task is not linked to " KEN_STR_FMT,
                        KEN_STR_ARG(e->lost_commit));
    if (out->branch && now->n_branches >= KEN_TASK_BRANCHES_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "branch: a task is linked to at most %d branches",
                        KEN_TASK_BRANCHES_MAX);
    if (out->commit && now->n_commits >= KEN_TASK_COMMITS_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "commit: a task is linked to at most %d commits",
                        KEN_TASK_COMMITS_MAX);
    return KEN_OK;
}

ken_status ken_store__task_edited(const ken_task *was, const ken_task_edit *e, ken_task *now,
                                  ken_task_difference *out, ken_err *err)
{
    ken_status st = check_is_unchanged(was, e->if_updated_at_ms, err);
    if (st)
        return st;
    *now = *was;
    st = find_difference(now, e, out, err);
    if (!st && out->is_any)
        now->updated_at_ms = e->now_ms > was->updated_at_ms ? e->now_ms : was->updated_at_ms + 1;
    return st;
}

bool ken_store__task_moves(const ken_task *was, const ken_task *now)
{
    return !ken_str_eq(was->status, now->status) || was->has_project != now->has_project ||
           !ken_uuid_eq(was->project, now->project);
}

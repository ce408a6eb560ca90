// SPDX-License-Identifier: MIT
// Changes tasks: one transaction for each operation, so that a reader sees a task, its links, its history
// and the totals change together.
#include "store/sqlite/sqlite_tasks_priv.h"

// ---- totals ----------------------------------------------------------------------------------

static ken_status count_one(ken_sq_catalog *c, ken_sq_stmt which, const ken_task *t, ken_str branch,
                            ken_err *err)
{
    return ken_store__sq_write(
        &c->q, which,
        SQ_VALUES(SQ_TEXT(branch),
                  SQ_BLOB(t->project.bytes, t->has_project ? sizeof t->project.bytes : 0),
                  SQ_TEXT(t->status)),
        err);
}

static ken_status take_one(ken_sq_catalog *c, const ken_task *t, ken_str branch, ken_err *err)
{
    ken_status s = count_one(c, KEN_SQ_TASK_COUNT_TAKE, t, branch, err);
    return s ? s : count_one(c, KEN_SQ_TASK_COUNT_CLEAN, t, branch, err);
}

// The task, and the same for each of its branches.
ken_status ken_store__count_task(ken_sq_catalog *c, const ken_task *t, ken_err *err)
{
    ken_status s = count_one(c, KEN_SQ_TASK_COUNT_ADD, t, KEN_STR(""), err);
    for (size_t i = 0; !s && i < t->n_branches; i++)
        s = count_one(c, KEN_SQ_TASK_COUNT_ADD, t, t->branches[i].name, err);
    return s;
}

static ken_status count_out(ken_sq_catalog *c, const ken_task *t, ken_err *err)
{
    ken_status s = take_one(c, t, KEN_STR(""), err);
    for (size_t i = 0; !s && i < t->n_branches; i++)
        s = take_one(c, t, t->branches[i].name, err);
    return s;
}

// ---- rows ------------------------------------------------------------------------------------

static ken_status next_rev(ken_sq_catalog *c, int64_t *out, ken_err *err)
{
    ken_status s = ken_store__sq_do(&c->q, KEN_SQ_TASK_CLOCK_TICK, "writing to", err);
    return s ? s : ken_store__task_clock(c, out, err);
}

// TASK_ADD or TASK_PUT: the whole row.
static ken_status put_row(ken_sq_catalog *c, ken_sq_stmt which, const ken_task *t, ken_err *err)
{
    return ken_store__sq_write(
        &c->q, which,
        SQ_VALUES(SQ_INT(t->id), SQ_BYTES(t->uuid), SQ_INT(t->rev), SQ_TEXT(t->status),
                  t->has_project ? SQ_BYTES(t->project) : SQ_NULL, SQ_INT(t->created_at_ms),
                  SQ_INT(t->updated_at_ms), SQ_TEXT(t->title), SQ_SOME(t->description),
                  SQ_SOME(t->notes)),
        err);
}

static ken_status add_change(ken_sq_catalog *c, const ken_task *t, ken_str from, ken_err *err)
{
    return ken_store__sq_write(
        &c->q, KEN_SQ_TASK_CHANGE_ADD,
        SQ_VALUES(SQ_INT(t->id), SQ_SOME(from), SQ_TEXT(t->status), SQ_INT(t->updated_at_ms)), err);
}

static ken_status add_reference(ken_sq_catalog *c, const ken_task *t, const ken_task_reference *r,
                                int64_t at_ms, ken_err *err)
{
    return ken_store__sq_write(
        &c->q, KEN_SQ_TASK_REFERENCE_ADD,
        SQ_VALUES(SQ_INT(t->id), SQ_TEXT(r->path), SQ_TEXT(r->type), SQ_INT(at_ms)), err);
}

static ken_status add_branch(ken_sq_catalog *c, const ken_task *t, ken_str name, ken_err *err)
{
    return ken_store__sq_write(&c->q, KEN_SQ_TASK_BRANCH_ADD,
                               SQ_VALUES(SQ_INT(t->id), SQ_TEXT(name), SQ_INT(t->updated_at_ms)),
                               err);
}

static ken_status add_commit(ken_sq_catalog *c, const ken_task *t, const ken_task_commit *commit,
                             ken_err *err)
{
    return ken_store__sq_write(&c->q, KEN_SQ_TASK_COMMIT_ADD,
                               SQ_VALUES(SQ_INT(t->id), SQ_TEXT(commit->hash),
                                         SQ_SOME(commit->message), SQ_INT(t->updated_at_ms)),
                               err);
}

// `which`: a statement of a task and a name.
static ken_status remove_link(ken_sq_catalog *c, ken_sq_stmt which, const ken_task *t, ken_str name,
                              ken_err *err)
{
    return ken_store__sq_write(&c->q, which, SQ_VALUES(SQ_INT(t->id), SQ_TEXT(name)), err);
}

// `which`: a statement whose parameters are the id of a task and its rev, as far as it has them.
static ken_status run_for_task(ken_sq_catalog *c, ken_sq_stmt which, const ken_task *t,
                               ken_err *err)
{
    return ken_store__sq_write(&c->q, which, SQ_VALUES(SQ_INT(t->id), SQ_INT(t->rev)), err);
}

static ken_status note(ken_sq_catalog *c, const ken_task *t, ken_err *err)
{
    return ken_store__sq_note(&c->q, "task", json_integer(t->id), err);
}

// ---- adding ----------------------------------------------------------------------------------

static ken_status add(ken_sq_catalog *c, const ken_task *task, ken_arena *arena, ken_task *out,
                      ken_err *err)
{
    ken_task t = *task;
    t.updated_at_ms = t.created_at_ms;
    t.n_branches = 0;
    ken_status s = next_rev(c, &t.rev, err);
    if (!s)
        s = put_row(c, KEN_SQ_TASK_ADD, &t, err);
    t.id = sqlite3_last_insert_rowid(c->q.db);
    if (!s)
        s = add_change(c, &t, (ken_str){ 0 }, err);
    for (size_t i = 0; !s && i < t.n_references; i++)
        s = add_reference(c, &t, &t.references[i], t.created_at_ms, err);
    if (!s)
        s = ken_store__count_task(c, &t, err);
    if (!s)
        s = note(c, &t, err);
    return s ? s : ken_store__task_by_uuid(c, t.uuid, arena, out, err);
}

ken_status ken_store__catalog_add_task(ken_catalog_backend *b, const ken_task *task,
                                       ken_arena *arena, ken_task *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_task t = { 0 };
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__catalog_end(c, add(c, task, arena, &t, err), err);
    if (!s)
        *out = t;
    return s;
}

// ---- changing --------------------------------------------------------------------------------

// Those that stay keep their time.
static ken_status put_references(ken_sq_catalog *c, const ken_task *t, const ken_task_edit *e,
                                 ken_err *err)
{
    ken_status s = run_for_task(c, KEN_SQ_TASK_REFERENCES_REMOVE, t, err);
    for (size_t i = 0; !s && i < e->n_references; i++) {
        const ken_task_reference *old = ken_store__task_reference(t, e->references[i].path);
        s = add_reference(c, t, &e->references[i], old ? old->at_ms : t->updated_at_ms, err);
    }
    return s;
}

static ken_status write_difference(ken_sq_catalog *c, const ken_task *was, ken_task *now,
                                   const ken_task_edit *e, const ken_task_difference *d,
                                   ken_err *err)
{
    bool moves = ken_store__task_moves(was, now);
    ken_status s = next_rev(c, &now->rev, err);
    if (!s && moves)
        s = count_out(c, was, err);
    if (!s && moves)
        s = ken_store__count_task(c, now, err);
    if (!s)
        s = put_row(c, KEN_SQ_TASK_PUT, now, err);
    if (!s && !ken_str_eq(was->status, now->status))
        s = add_change(c, now, was->status, err);
    if (!s && d->references)
        s = put_references(c, now, e, err);
    if (!s && d->branch)
        s = add_branch(c, now, e->branch, err);
    if (!s && d->branch)
        s = count_one(c, KEN_SQ_TASK_COUNT_ADD, now, e->branch, err);
    if (!s && d->commit)
        s = add_commit(c, now, &e->commit, err);
    if (!s && d->lost_branch)
        s = remove_link(c, KEN_SQ_TASK_BRANCH_REMOVE, now, e->lost_branch, err);
    if (!s && d->lost_branch)
        s = take_one(c, now, e->lost_branch, err);
    if (!s && d->lost_commit)
        s = remove_link(c, KEN_SQ_TASK_COMMIT_REMOVE, now, e->lost_commit, err);
    return s ? s : run_for_task(c, KEN_SQ_TASK_BRANCHES_MOVE, now, err);
}

static ken_status update(ken_sq_catalog *c, ken_uuid uuid, const ken_task_edit *e, ken_arena *arena,
                         ken_task *out, ken_err *err)
{
    ken_task was = { 0 };
    ken_task_difference d = { 0 };
    ken_status s = ken_store__task_by_uuid(c, uuid, arena, &was, err);
    if (s)
        return s;
    ken_task now = was;
    s = ken_store__task_edited(&was, e, &now, &d, err);
    if (!s && d.is_any) {
        s = write_difference(c, &was, &now, e, &d, err);
        if (!s)
            s = note(c, &now, err);
        if (!s)
            s = ken_store__task_by_uuid(c, uuid, arena, &now, err);
    }
    if (!s)
        *out = now;
    return s;
}

ken_status ken_store__catalog_update_task(ken_catalog_backend *b, ken_uuid uuid,
                                          const ken_task_edit *edit, ken_arena *arena,
                                          ken_task *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_task t = { 0 };
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__catalog_end(c, update(c, uuid, edit, arena, &t, err), err);
    if (!s)
        *out = t;
    return s;
}

// ---- removing --------------------------------------------------------------------------------

ken_status ken_store__drop_task(ken_sq_catalog *c, const ken_task *t, ken_err *err)
{
    ken_status s = count_out(c, t, err);
    if (!s)
        s = run_for_task(c, KEN_SQ_TASK_REMOVE, t, err);
    return s ? s : note(c, t, err);
}

static ken_status remove_task(ken_sq_catalog *c, ken_uuid uuid, ken_arena *arena, ken_err *err)
{
    ken_task t = { 0 };
    ken_status s = ken_store__task_by_uuid(c, uuid, arena, &t, err);
    return s ? s : ken_store__drop_task(c, &t, err);
}

ken_status ken_store__catalog_remove_task(ken_catalog_backend *b, ken_uuid uuid, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_arena arena;
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    ken_arena_init(&arena, 0);
    s = ken_store__catalog_end(c, remove_task(c, uuid, &arena, err), err);
    ken_arena_release(&arena);
    return s;
}

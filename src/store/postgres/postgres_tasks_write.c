// SPDX-License-Identifier: MIT
// Changes tasks: one transaction for each operation, so that a reader sees a task, its links, its history
// and the totals change together. Each begins with the lock of the clock.
#include "base/alloc.h"
#include "store/postgres/postgres_tasks_priv.h"

// ---- the clock ---------------------------------------------------------------------------------

// The next rev, which nobody else has before the commit.
static ken_status lock_clock(ken_pg_catalog *c, int64_t *out_next, ken_err *err)
{
    int64_t rev = 0;
    ken_status st =
        ken_store__pg_number(&c->p, &(ken_pg_query){ .which = KEN_PG_TASK_CLOCK_LOCK }, &rev, err);
    *out_next = rev + 1;
    return st == KEN_ENOTFOUND ? PG_CORRUPT(&c->p, err, "the clock of tasks is gone") : st;
}

static ken_status set_clock(ken_pg_catalog *c, int64_t rev, ken_err *err)
{
    return ken_store__pg_write(&c->p, KEN_PG_TASK_CLOCK_SET, PG_VALUES(PG_INT(rev)), NULL, err);
}

// ---- totals ------------------------------------------------------------------------------------

// `t->project` is zeros where there is none.
static ken_status count(ken_pg_catalog *c, ken_pg_stmt which, const ken_task *t,
                        const ken_str *branches, size_t n, ken_err *err)
{
    return ken_store__pg_write(
        &c->p, which, PG_VALUES(PG_TEXTS(branches, n), PG_UUID(t->project), PG_TEXT(t->status)),
        NULL, err);
}

static ken_status take(ken_pg_catalog *c, const ken_task *t, const ken_str *branches, size_t n,
                       ken_err *err)
{
    ken_status st = count(c, KEN_PG_TASK_COUNT_TAKE, t, branches, n, err);
    return st ? st : count(c, KEN_PG_TASK_COUNT_CLEAN, t, branches, n, err);
}

// Of the task itself, and of each of its branches.
static size_t counted_branches(const ken_task *t, ken_str out[KEN_TASK_BRANCHES_MAX + 1])
{
    size_t n = 0;
    out[n++] = KEN_STR("");
    for (size_t i = 0; i < t->n_branches && i < KEN_TASK_BRANCHES_MAX; i++)
        out[n++] = t->branches[i].name;
    return n;
}

static ken_status count_in(ken_pg_catalog *c, const ken_task *t, ken_err *err)
{
    ken_str branches[KEN_TASK_BRANCHES_MAX + 1];
    size_t n = counted_branches(t, branches);
    return count(c, KEN_PG_TASK_COUNT_ADD, t, branches, n, err);
}

static ken_status count_out(ken_pg_catalog *c, const ken_task *t, ken_err *err)
{
    ken_str branches[KEN_TASK_BRANCHES_MAX + 1];
    size_t n = counted_branches(t, branches);
    return take(c, t, branches, n, err);
}

// ---- rows --------------------------------------------------------------------------------------

// TASK_ADD or TASK_PUT: the whole row.
static ken_status put_row(ken_pg_catalog *c, ken_pg_stmt which, const ken_task *t, ken_err *err)
{
    return ken_store__pg_write(&c->p, which,
                               PG_VALUES(PG_UUID(t->uuid), PG_INT(t->rev), PG_TEXT(t->status),
                                         PG_IF(t->has_project, PG_UUID(t->project)),
                                         PG_TIME(t->created_at_ms), PG_TIME(t->updated_at_ms),
                                         PG_TEXT(t->title), PG_SOME(t->description),
                                         PG_SOME(t->notes)),
                               NULL, err);
}

static ken_status add_change(ken_pg_catalog *c, const ken_task *t, ken_str from, ken_err *err)
{
    return ken_store__pg_write(
        &c->p, KEN_PG_TASK_CHANGE_ADD,
        PG_VALUES(PG_UUID(t->uuid), PG_SOME(from), PG_TEXT(t->status), PG_TIME(t->updated_at_ms)),
        NULL, err);
}

static ken_status add_reference(ken_pg_catalog *c, const ken_task *t, const ken_task_reference *r,
                                int64_t at_ms, ken_err *err)
{
    return ken_store__pg_write(
        &c->p, KEN_PG_TASK_REFERENCE_ADD,
        PG_VALUES(PG_UUID(t->uuid), PG_TEXT(r->path), PG_TEXT(r->type), PG_TIME(at_ms)), NULL, err);
}

static ken_status add_branch(ken_pg_catalog *c, const ken_task *t, ken_str name, ken_err *err)
{
    ken_status st = ken_store__pg_write(
        &c->p, KEN_PG_TASK_BRANCH_ADD,
        PG_VALUES(PG_UUID(t->uuid), PG_TEXT(name), PG_TIME(t->updated_at_ms), PG_INT(t->rev)), NULL,
        err);
    return st ? st : count(c, KEN_PG_TASK_COUNT_ADD, t, &name, 1, err);
}

static ken_status remove_branch(ken_pg_catalog *c, const ken_task *t, ken_str name, ken_err *err)
{
    ken_status st = ken_store__pg_write(&c->p, KEN_PG_TASK_BRANCH_REMOVE,
                                        PG_VALUES(PG_UUID(t->uuid), PG_TEXT(name)), NULL, err);
    return st ? st : take(c, t, &name, 1, err);
}

static ken_status add_commit(ken_pg_catalog *c, const ken_task *t, const ken_task_commit *commit,
                             ken_err *err)
{
    return ken_store__pg_write(&c->p, KEN_PG_TASK_COMMIT_ADD,
                               PG_VALUES(PG_UUID(t->uuid), PG_TEXT(commit->hash),
                                         PG_SOME(commit->message), PG_TIME(t->updated_at_ms)),
                               NULL, err);
}

static ken_status remove_commit(ken_pg_catalog *c, const ken_task *t, ken_str hash, ken_err *err)
{
    return ken_store__pg_write(&c->p, KEN_PG_TASK_COMMIT_REMOVE,
                               PG_VALUES(PG_UUID(t->uuid), PG_TEXT(hash)), NULL, err);
}

// ---- adding ------------------------------------------------------------------------------------

typedef struct work {
    ken_uuid uuid;
    const ken_task *task;
    const ken_task_edit *edit;
    ken_arena *arena;
    ken_task out;
} work;

static ken_status add(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    work *w = ctx;
    ken_task t = *w->task;
    t.updated_at_ms = t.created_at_ms;
    t.n_branches = 0;
    if (!t.has_project)
        t.project = (ken_uuid){ { 0 } };
    ken_status st = lock_clock(c, &t.rev, err);
    if (!st)
        st = put_row(c, KEN_PG_TASK_ADD, &t, err);
    if (!st)
        st = add_change(c, &t, (ken_str){ 0 }, err);
    for (size_t i = 0; !st && i < t.n_references; i++)
        st = add_reference(c, &t, &t.references[i], t.created_at_ms, err);
    if (!st)
        st = count_in(c, &t, err);
    if (!st)
        st = set_clock(c, t.rev, err);
    return st ? st : ken_store__pg_task(c, t.uuid, w->arena, &w->out, err);
}

ken_status ken_store__pg_catalog_add_task(ken_catalog_backend *b, const ken_task *task,
                                          ken_arena *arena, ken_task *out, ken_err *err)
{
    work w = { .task = task, .arena = arena };
    ken_status st = ken_store__pg_change(ken_pg_catalog_of(b), add, &w, err);
    if (!st)
        *out = w.out;
    return st;
}

// ---- changing ----------------------------------------------------------------------------------

// Those that stay keep their time.
static ken_status put_references(ken_pg_catalog *c, const ken_task *t, const ken_task_edit *e,
                                 ken_err *err)
{
    ken_status st = ken_store__pg_write(&c->p, KEN_PG_TASK_REFERENCES_REMOVE,
                                        PG_VALUES(PG_UUID(t->uuid)), NULL, err);
    for (size_t i = 0; !st && i < e->n_references; i++) {
        const ken_task_reference *old = ken_store__task_reference(t, e->references[i].path);
        st = add_reference(c, t, &e->references[i], old ? old->at_ms : t->updated_at_ms, err);
    }
    return st;
}

static ken_status write_links(ken_pg_catalog *c, const ken_task *now, const ken_task_edit *e,
                              const ken_task_difference *d, ken_err *err)
{
    ken_status st = d->references ? put_references(c, now, e, err) : KEN_OK;
    if (!st && d->branch)
        st = add_branch(c, now, e->branch, err);
    if (!st && d->commit)
        st = add_commit(c, now, &e->commit, err);
    if (!st && d->lost_branch)
        st = remove_branch(c, now, e->lost_branch, err);
    if (!st && d->lost_commit)
        st = remove_commit(c, now, e->lost_commit, err);
    return st;
}

static ken_status write_difference(ken_pg_catalog *c, const ken_task *was, const ken_task *now,
                                   const ken_task_edit *e, const ken_task_difference *d,
                                   ken_err *err)
{
    bool moves = ken_store__task_moves(was, now);
    ken_status st = moves ? count_out(c, was, err) : KEN_OK;
    if (!st && moves)
        st = count_in(c, now, err);
    if (!st)
        st = put_row(c, KEN_PG_TASK_PUT, now, err);
    if (!st && !ken_str_eq(was->status, now->status))
        st = add_change(c, now, was->status, err);
    if (!st)
        st = write_links(c, now, e, d, err);
    if (!st && now->n_branches)
        st = ken_store__pg_write(&c->p, KEN_PG_TASK_BRANCHES_MOVE,
                                 PG_VALUES(PG_UUID(now->uuid), PG_INT(now->rev)), NULL, err);
    return st ? st : set_clock(c, now->rev, err);
}

static ken_status update(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    work *w = ctx;
    ken_task was = { 0 }, now = { 0 };
    ken_task_difference d = { 0 };
    int64_t rev = 0;
    ken_status st = lock_clock(c, &rev, err);
    if (!st)
        st = ken_store__pg_task(c, w->uuid, w->arena, &was, err);
    if (!st)
        st = ken_store__task_edited(&was, w->edit, &now, &d, err);
    if (!st && d.is_any) {
        now.rev = rev;
        st = write_difference(c, &was, &now, w->edit, &d, err);
        if (!st)
            st = ken_store__pg_task(c, w->uuid, w->arena, &now, err);
    }
    w->out = now;
    return st;
}

// As the database keeps its texts, so that what is there already is known again.
static ken_task_edit as_kept(const ken_task_edit *e, ken_arena *arena)
{
    ken_task_edit kept = *e;
    ken_str *const texts[] = { &kept.title,       &kept.status,      &kept.description,
                               &kept.notes,       &kept.branch,      &kept.commit.hash,
                               &kept.lost_branch, &kept.lost_commit, &kept.commit.message };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = ken_store__pg_as_kept(*texts[i], arena);
    ken_task_reference *list = KEN_ARENA_ARRAY(arena, ken_task_reference, e->n_references);
    for (size_t i = 0; i < e->n_references; i++)
        list[i] = (ken_task_reference){
            .path = ken_store__pg_as_kept(e->references[i].path, arena),
            .type = ken_store__pg_as_kept(e->references[i].type, arena),
        };
    kept.references = list;
    return kept;
}

ken_status ken_store__pg_catalog_update_task(ken_catalog_backend *b, ken_uuid uuid,
                                             const ken_task_edit *edit, ken_arena *arena,
                                             ken_task *out, ken_err *err)
{
    const ken_task_edit kept = as_kept(edit, arena);
    work w = { .uuid = uuid, .edit = &kept, .arena = arena };
    ken_status st = ken_store__pg_change(ken_pg_catalog_of(b), update, &w, err);
    if (!st)
        *out = w.out;
    return st;
}

// ---- removing ----------------------------------------------------------------------------------

static ken_status remove_task(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    work *w = ctx;
    ken_task t = { 0 };
    int64_t rev = 0; // stays as it is: nobody is told of tasks that are gone
    ken_status st = lock_clock(c, &rev, err);
    if (!st)
        st = ken_store__pg_task(c, w->uuid, w->arena, &t, err);
    if (!st)
        st = count_out(c, &t, err);
    return st ? st
              : ken_store__pg_write(&c->p, KEN_PG_TASK_REMOVE, PG_VALUES(PG_UUID(w->uuid)), NULL,
                                    err);
}

ken_status ken_store__pg_catalog_remove_task(ken_catalog_backend *b, ken_uuid uuid, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    work w = { .uuid = uuid, .arena = &arena };
    ken_status st = ken_store__pg_change(ken_pg_catalog_of(b), remove_task, &w, err);
    ken_arena_release(&arena);
    return st;
}

// ---- putting whole tasks -----------------------------------------------------------------------

typedef struct whole {
    const ken_task *tasks;
    size_t n;
    int64_t last_rev;
} whole;

static ken_status drop(ken_pg_catalog *c, ken_uuid uuid, ken_err *err)
{
    ken_arena arena;
    ken_task old = { 0 };
    ken_arena_init(&arena, 0);
    ken_status st = ken_store__pg_task(c, uuid, &arena, &old, err);
    if (!st)
        st = count_out(c, &old, err);
    if (!st)
        st = ken_store__pg_write(&c->p, KEN_PG_TASK_REMOVE, PG_VALUES(PG_UUID(uuid)), NULL, err);
    ken_arena_release(&arena);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static ken_status put_links(ken_pg_catalog *c, const ken_task *t, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < t->n_references; i++)
        st = add_reference(c, t, &t->references[i], t->references[i].at_ms, err);
    for (size_t i = 0; !st && i < t->n_branches; i++)
        st = ken_store__pg_write(&c->p, KEN_PG_TASK_BRANCH_ADD,
                                 PG_VALUES(PG_UUID(t->uuid), PG_TEXT(t->branches[i].name),
                                           PG_TIME(t->branches[i].at_ms), PG_INT(t->rev)),
                                 NULL, err);
    for (size_t i = 0; !st && i < t->n_commits; i++)
        st = ken_store__pg_write(&c->p, KEN_PG_TASK_COMMIT_ADD,
                                 PG_VALUES(PG_UUID(t->uuid), PG_TEXT(t->commits[i].hash),
                                           PG_SOME(t->commits[i].message),
                                           PG_TIME(t->commits[i].at_ms)),
                                 NULL, err);
    for (size_t i = 0; !st && i < t->n_changes; i++)
        st = ken_store__pg_write(&c->p, KEN_PG_TASK_CHANGE_ADD,
                                 PG_VALUES(PG_UUID(t->uuid), PG_SOME(t->changes[i].from),
                                           PG_TEXT(t->changes[i].to), PG_TIME(t->changes[i].at_ms)),
                                 NULL, err);
    return st;
}

static ken_status put_whole(ken_pg_catalog *c, const ken_task *task, ken_err *err)
{
    ken_task t = *task;
    if (!t.has_project)
        t.project = (ken_uuid){ { 0 } };
    ken_status st = drop(c, t.uuid, err);
    if (!st)
        st = put_row(c, KEN_PG_TASK_ADD, &t, err);
    if (!st)
        st = put_links(c, &t, err);
    return st ? st : count_in(c, &t, err);
}

static ken_status put_all(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    const whole *w = ctx;
    int64_t next = 0;
    ken_status st = lock_clock(c, &next, err);
    for (size_t i = 0; !st && i < w->n; i++)
        st = put_whole(c, &w->tasks[i], err);
    return st || next > w->last_rev ? st : set_clock(c, w->last_rev, err);
}

ken_status ken_store__pg_catalog_put_tasks(ken_catalog_backend *b, const ken_task *tasks, size_t n,
                                           int64_t last_rev, ken_err *err)
{
    whole w = { tasks, n, last_rev };
    return ken_store__pg_change(ken_pg_catalog_of(b), put_all, &w, err);
}

// SPDX-License-Identifier: MIT
#include "task/task.h"

#include "base/alloc.h"
#include "store/move.h"
#include "task/task_priv.h"

enum {
    DEEP_OFFSET = 500
};

// ---- opening ---------------------------------------------------------------------------------

static ken_status keep_statuses(ken_tasks *t, const ken_tasks_opts *opts, ken_err *err)
{
    if (!opts->n_statuses || opts->n_statuses > KEN_TASK_STATUSES_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "tasks.statuses: must have 1 to %d statuses, not %zu",
                        KEN_TASK_STATUSES_MAX, opts->n_statuses);
    t->statuses = KEN_ARENA_ARRAY(&t->arena, ken_str, opts->n_statuses);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < opts->n_statuses; i++) {
        st = ken_task__check_line("tasks.statuses", opts->statuses[i], 1, KEN_TASK_STATUS_MAX, err);
        t->statuses[t->n_statuses++] = ken_arena_dup(&t->arena, opts->statuses[i]);
    }
    return st;
}

ken_status ken_tasks_open(const ken_tasks_opts *opts, ken_tasks **out, ken_err *err)
{
    ken_tasks *t = ken_zalloc(sizeof *t);
    ken_arena_init(&t->arena, 1024);
    ken_status st = keep_statuses(t, opts, err);
    if (!st)
        st = opts->database
                 ? ken_catalog_open_in(opts->database, opts->is_read_only, &t->catalog, err)
                 : ken_catalog_open(opts->path, opts->is_read_only, &t->catalog, err);
    if (!st)
        st = ken_catalog_check_whole(t->catalog, err);
    if (st) {
        ken_tasks_close(t);
        return st;
    }
    *out = t;
    return KEN_OK;
}

void ken_tasks_close(ken_tasks *t)
{
    if (!t)
        return;
    ken_task__memory_free(t->memory);
    ken_task__order_free(t->order);
    ken_catalog_close(t->catalog);
    ken_arena_release(&t->arena);
    ken_free(t);
}

bool ken_tasks_is_current(const ken_tasks *t)
{
    return ken_catalog_is_current(t->catalog);
}

bool ken_tasks_is_behind(ken_tasks *t)
{
    return ken_catalog_is_behind(t->catalog);
}

// ---- inputs ----------------------------------------------------------------------------------

static ken_status check_input(const ken_tasks *t, const ken_task_input *in, ken_err *err)
{
    ken_status st = KEN_OK;
    if (in->title.ptr)
        st = ken_task__check_line("title", in->title, 1, KEN_TASK_TITLE_MAX, err);
    if (!st && in->description.ptr)
        st = ken_task__check_text("description", in->description, 0, KEN_TASK_TEXT_MAX, err);
    if (!st && in->notes.ptr)
        st = ken_task__check_text("notes", in->notes, 0, KEN_TASK_TEXT_MAX, err);
    if (!st && in->status.ptr)
        st = ken_task__check_status(t, in->status, err);
    if (!st && in->branch.ptr)
        st = ken_task__check_branch(ken_task__linked(in->branch), err);
    return st ? st : ken_task__check_references(in->references, in->n_references, err);
}

static bool has_path(const ken_task_reference *refs, size_t n, ken_str path)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq(refs[i].path, path))
            return true;
    return false;
}

// Each path once, with a type.
static size_t keep_references(const ken_task_input *in, ken_arena *arena, ken_task_reference **out)
{
    ken_str types = KEN_STR(KEN_TASK_REFERENCE_TYPES), first = types;
    (void)ken_str_split_next(&types, ',', &first);
    ken_task_reference *refs = KEN_ARENA_ARRAY(arena, ken_task_reference, in->n_references + 1);
    size_t n = 0;
    for (size_t i = 0; i < in->n_references; i++) {
        const ken_task_reference *r = &in->references[i];
        if (!has_path(refs, n, r->path))
            refs[n++] = (ken_task_reference){ r->path, r->type.ptr ? r->type : first, 0 };
    }
    *out = refs;
    return n;
}

static ken_status explain(ken_status st, ken_str id, ken_err *err)
{
    if (st != KEN_ENOTFOUND)
        return st;
    return KEN_FAIL(err, st, "task_id: there is no task " KEN_STR_FMT "; list_tasks shows all",
                    KEN_STR_ARG(ken_str_sub(id, 0, 60)));
}

// ---- operations ------------------------------------------------------------------------------

ken_status ken_tasks_create(ken_tasks *t, const ken_task_input *in, ken_arena *arena, ken_task *out,
                            ken_err *err)
{
    if (!in->title.ptr)
        return KEN_FAIL(err, KEN_EINVAL, "title: is required, 1 to %d characters",
                        KEN_TASK_TITLE_MAX);
    ken_status st = check_input(t, in, err);
    if (st)
        return st;
    ken_task task = { .uuid = ken_uuid_random(),
                      .title = in->title,
                      .description = in->description,
                      .notes = in->notes,
                      .status = in->status.ptr ? in->status : t->statuses[0],
                      .has_project = in->project,
                      .created_at_ms = in->now_ms };
    if (in->project)
        task.project = *in->project;
    task.n_references = keep_references(in, arena, &task.references);
    return ken_catalog_add_task(t->catalog, &task, arena, out, err);
}

ken_status ken_tasks_get(ken_tasks *t, ken_str id, ken_arena *arena, ken_task *out, ken_err *err)
{
    ken_uuid uuid;
    ken_status st = ken_task__parse_id(id, &uuid, err);
    return st ? st : explain(ken_catalog_load_task(t->catalog, uuid, arena, out, err), id, err);
}

ken_status ken_tasks_update(ken_tasks *t, ken_str id, const ken_task_input *in, ken_arena *arena,
                            ken_task *out, ken_err *err)
{
    ken_uuid uuid;
    ken_task_reference *references = NULL;
    const ken_str none = { NULL, 0 };
    ken_task_edit e = { .title = in->title,
                        .description = in->description,
                        .notes = in->notes,
                        .status = in->status,
                        .branch = ken_task__is_lost(in->branch) ? none : in->branch,
                        .lost_branch =
                            ken_task__is_lost(in->branch) ? ken_task__linked(in->branch) : none,
                        .sets_project = in->sets_project,
                        .project = in->project,
                        .sets_references = in->sets_references,
                        .now_ms = in->now_ms };
    ken_status st = ken_task__parse_id(id, &uuid, err);
    if (!st)
        st = check_input(t, in, err);
    if (!st && in->if_updated_at.ptr)
        st = ken_task__parse_time(in->if_updated_at, &e.if_updated_at_ms, err);
    if (!st)
        st = ken_task__prepare_links(t, uuid, in, arena, &e, err);
    if (!st) {
        e.n_references = keep_references(in, arena, &references);
        e.references = references;
        st = ken_catalog_update_task(t->catalog, uuid, &e, arena, out, err);
    }
    return explain(st, id, err);
}

ken_status ken_tasks_delete(ken_tasks *t, ken_str id, ken_arena *arena, ken_task *out, ken_err *err)
{
    ken_task task = { 0 };
    ken_status st = ken_tasks_get(t, id, arena, &task, err);
    if (!st)
        st = explain(ken_catalog_remove_task(t->catalog, task.uuid, err), id, err);
    if (!st) {
        ken_task__order_drop(t, task.id);
        *out = task;
    }
    return st;
}

ken_status ken_tasks_find(ken_tasks *t, ken_str prefix, size_t limit, ken_arena *arena,
                          ken_task **out, size_t *out_n, ken_err *err)
{
    ken_uuid first, last;
    ken_status st = ken_task__parse_prefix(prefix, &first, &last, err);
    return st ? st : ken_catalog_find_tasks(t->catalog, first, last, limit, arena, out, out_n, err);
}

static ken_status check_query(const ken_tasks *t, const ken_task_query *q, ken_err *err)
{
    ken_status st = q->status.ptr ? ken_task__check_status(t, q->status, err) : KEN_OK;
    if (!st && q->branch.ptr)
        st = ken_task__check_branch(q->branch, err);
    if (!st && q->text.ptr)
        st = ken_task__check_text("query", q->text, 1, KEN_TASK_QUERY_MAX, err);
    if (!st && q->limit > KEN_TASK_LIMIT_MAX)
        st = KEN_FAIL(err, KEN_EINVAL, "limit: must be 1 to %d, not %llu", KEN_TASK_LIMIT_MAX,
                      (unsigned long long)q->limit);
    if (!st && q->offset > KEN_TASK_OFFSET_MAX)
        st = KEN_FAIL(err, KEN_EINVAL, "offset: must be at most %d, not %llu", KEN_TASK_OFFSET_MAX,
                      (unsigned long long)q->offset);
    return st;
}

// Whoever looks far down once may be a process that ends then; whoever does so again is helped by
// having all tasks in memory.
static bool is_deep_again(ken_tasks *t, const ken_task_query *q)
{
    bool has_been_deep = t->has_been_deep;
    t->has_been_deep |= q->offset >= DEEP_OFFSET;
    return has_been_deep && q->offset >= DEEP_OFFSET;
}

static ken_status list(ken_tasks *t, const ken_task_query *q, ken_arena *arena, ken_task_page *out,
                       ken_err *err)
{
    bool is_whole = false;
    ken_status deep =
        is_deep_again(t, q) ? ken_task__list_deep(t, q, arena, out, &is_whole, err) : KEN_OK;
    if (deep || is_whole)
        return deep;
    const ken_task_filter filter = { .status = q->status,
                                     .branch = q->branch,
                                     .project = q->project,
                                     .limit = (size_t)q->limit,
                                     .offset = (size_t)q->offset };
    ken_task_page page = { 0 };
    ken_status st =
        ken_catalog_list_tasks(t->catalog, &filter, arena, &page.tasks, &page.n, &page.total, err);
    page.has_more = q->offset + page.n < page.total;
    if (!st)
        *out = page;
    return st;
}

ken_status ken_tasks_list(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                          ken_task_page *out, ken_err *err)
{
    ken_task_query full = *q;
    if (!full.limit)
        full.limit = KEN_TASK_LIMIT;
    ken_status st = check_query(t, &full, err);
    if (st)
        return st;
    return full.text.ptr ? ken_task__search(t, &full, arena, out, err)
                         : list(t, &full, arena, out, err);
}

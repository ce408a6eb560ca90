// SPDX-License-Identifier: MIT
// Reading tasks. Lists walk the index of their filter in the order of `rev`, totals are sums of
// task_count, so neither costs more when there are more tasks.
#include "base/alloc.h"
#include "base/vec.h"
#include "secret/secret.h"
#include "store/sqlite/sqlite_tasks_priv.h"

// ---- rows ------------------------------------------------------------------------------------

// Without a pointer when it is NULL.
static ken_str text_or_null(sqlite3_stmt *st, int col)
{
    ken_str none = { 0 };
    return sqlite3_column_type(st, col) == SQLITE_NULL ? none : ken_store__sq_text(st, col);
}

static ken_str keep_text(ken_arena *arena, ken_str s)
{
    return s.ptr ? ken_arena_dup(arena, s) : s;
}

// A row of KEN_SQ_TASK; texts are borrowed until the next step.
static ken_status read_task(ken_sq_catalog *c, sqlite3_stmt *st, ken_task *out, ken_err *err)
{
    ken_str uuid = ken_store__sq_blob(st, 1), project = ken_store__sq_blob(st, 4);
    ken_task t = {
        .id = sqlite3_column_int64(st, 0),
        .rev = sqlite3_column_int64(st, 2),
        .status = ken_store__sq_text(st, 3),
        .has_project = project.len > 0,
        .created_at_ms = sqlite3_column_int64(st, 5),
        .updated_at_ms = sqlite3_column_int64(st, 6),
        .title = ken_store__sq_text(st, 7),
        .description = text_or_null(st, 8),
        .notes = text_or_null(st, 9),
    };
    if (uuid.len != sizeof t.uuid.bytes ||
        (t.has_project && project.len != sizeof t.project.bytes) || !t.status.len)
        return SQ_CORRUPT(&c->q, err, "a task has no usable id, project or status");
    memcpy(t.uuid.bytes, uuid.ptr, sizeof t.uuid.bytes);
    if (t.has_project)
        memcpy(t.project.bytes, project.ptr, sizeof t.project.bytes);
    *out = t;
    return KEN_OK;
}

static ken_status keep_task(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena, ken_task *out,
                            ken_err *err)
{
    ken_task t = { 0 };
    ken_status s = read_task(c, st, &t, err);
    if (s)
        return s;
    t.status = ken_arena_dup(arena, t.status);
    t.title = ken_arena_dup(arena, t.title);
    t.description = keep_text(arena, t.description);
    t.notes = keep_text(arena, t.notes);
    *out = t;
    return KEN_OK;
}

ken_status ken_store__task_row(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena, ken_task *out,
                               ken_err *err)
{
    int rc = sqlite3_step(st);
    ken_status s = rc == SQLITE_ROW    ? keep_task(c, st, arena, out, err)
                   : rc == SQLITE_DONE ? KEN_ENOTFOUND
                                       : SQ_FAIL(&c->q, rc, err, "reading");
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__task_by_uuid(ken_sq_catalog *c, ken_uuid uuid, ken_arena *arena,
                                   ken_task *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, KEN_SQ_TASK_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_blob(st, 1, uuid.bytes, sizeof uuid.bytes);
    return ken_store__task_row(c, st, arena, out, err);
}

// ---- what hangs on a task --------------------------------------------------------------------

typedef void read_fn(sqlite3_stmt *st, ken_arena *arena, void *item);

static void read_reference(sqlite3_stmt *st, ken_arena *arena, void *item)
{
    *(ken_task_reference *)item =
        (ken_task_reference){ .path = ken_arena_dup(arena, ken_store__sq_text(st, 0)),
                              .type = ken_arena_dup(arena, ken_store__sq_text(st, 1)),
                              .at_ms = sqlite3_column_int64(st, 2) };
}

static void read_branch(sqlite3_stmt *st, ken_arena *arena, void *item)
{
    *(ken_task_branch *)item =
        (ken_task_branch){ .name = ken_arena_dup(arena, ken_store__sq_text(st, 0)),
                           .at_ms = sqlite3_column_int64(st, 1) };
}

// Subjects are masked before they are kept, but an older catalog, or a journal that is put back, may
// hold some from before that was so.
static ken_str keep_subject(ken_arena *arena, ken_str s)
{
    ken_str kept = keep_text(arena, s);
    if (kept.len)
        ken_secret_mask((char *)(uintptr_t)kept.ptr, kept.len); // it is in the arena, ours
    return kept;
}

static void read_commit(sqlite3_stmt *st, ken_arena *arena, void *item)
{
    *(ken_task_commit *)item =
        (ken_task_commit){ .hash = ken_arena_dup(arena, ken_store__sq_text(st, 0)),
                           .message = keep_subject(arena, text_or_null(st, 1)),
                           .at_ms = sqlite3_column_int64(st, 2) };
}

static void read_change(sqlite3_stmt *st, ken_arena *arena, void *item)
{
    *(ken_task_change *)item =
        (ken_task_change){ .from = keep_text(arena, text_or_null(st, 0)),
                           .to = ken_arena_dup(arena, ken_store__sq_text(st, 1)),
                           .at_ms = sqlite3_column_int64(st, 2) };
}

// All rows of one list of a task, `item_bytes` each.
static ken_status load_list(ken_sq_catalog *c, ken_sq_stmt which, const ken_task *t,
                            size_t item_bytes, read_fn *read, ken_arena *arena, void **out,
                            size_t *out_n, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, which, &st, err);
    if (s)
        return s;
    char *items = NULL;
    size_t n = 0, cap = 0;
    sqlite3_bind_int64(st, 1, t->id);
    int rc = sqlite3_step(st);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        items = ken_vec_grow(items, &cap, n + 1, item_bytes);
        read(st, arena, items + n++ * item_bytes);
    }
    if (rc != SQLITE_DONE)
        s = SQ_FAIL(&c->q, rc, err, "reading");
    if (!s && n)
        *out = ken_arena_copy(arena, items, n, item_bytes);
    *out_n = n;
    ken_free(items);
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__task_links(ken_sq_catalog *c, bool wants_changes, ken_arena *arena,
                                 ken_task *t, ken_err *err)
{
    void *references = NULL, *branches = NULL, *commits = NULL, *changes = NULL;
    ken_status s = load_list(c, KEN_SQ_TASK_REFERENCES, t, sizeof *t->references, read_reference,
                             arena, &references, &t->n_references, err);
    if (!s)
        s = load_list(c, KEN_SQ_TASK_BRANCHES, t, sizeof *t->branches, read_branch, arena,
                      &branches, &t->n_branches, err);
    if (!s)
        s = load_list(c, KEN_SQ_TASK_COMMITS, t, sizeof *t->commits, read_commit, arena, &commits,
                      &t->n_commits, err);
    if (!s && wants_changes)
        s = load_list(c, KEN_SQ_TASK_CHANGES, t, sizeof *t->changes, read_change, arena, &changes,
                      &t->n_changes, err);
    t->references = references;
    t->branches = branches;
    t->commits = commits;
    t->changes = changes;
    return s;
}

ken_status ken_store__task_clock(ken_sq_catalog *c, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, KEN_SQ_TASK_CLOCK_GET, &st, err);
    if (s)
        return s;
    s = SQ_ROW(&c->q, st, "the clock of tasks is gone", err);
    if (!s)
        *out = sqlite3_column_int64(st, 0);
    ken_store__sq_done(st);
    return s;
}

// ---- questions -------------------------------------------------------------------------------

// One state for all that a question reads.
static ken_status begin_read(ken_sq_catalog *c, ken_err *err)
{
    ken_status s = c->q.is_immutable ? ken_store__sq_refresh(&c->q, err) : KEN_OK;
    return s ? s : ken_store__sq_do(&c->q, KEN_SQ_BEGIN_READ, "reading", err);
}

static ken_status end_read(ken_sq_catalog *c, ken_status st, ken_err *err)
{
    ken_status ended = ken_store__sq_do(&c->q, KEN_SQ_COMMIT, "reading", st ? NULL : err);
    return st ? st : ended;
}

static ken_status load(ken_sq_catalog *c, sqlite3_stmt *st, bool wants_changes, ken_arena *arena,
                       ken_task *out, ken_err *err)
{
    ken_task t = { 0 };
    ken_status s = ken_store__task_row(c, st, arena, &t, err);
    if (!s)
        s = ken_store__task_links(c, wants_changes, arena, &t, err);
    if (!s)
        *out = t;
    return s;
}

ken_status ken_store__catalog_load_task(ken_catalog_backend *b, ken_uuid uuid, ken_arena *arena,
                                        ken_task *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = begin_read(c, err);
    if (s)
        return s;
    s = ken_store__sq_get(&c->q, KEN_SQ_TASK_GET, &st, err);
    if (!s) {
        ken_store__sq_bind_blob(st, 1, uuid.bytes, sizeof uuid.bytes);
        s = load(c, st, true, arena, out, err);
    }
    return end_read(c, s, err);
}

static ken_status load_by_id(ken_sq_catalog *c, int64_t id, ken_arena *arena, ken_task *out,
                             ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, KEN_SQ_TASK_GET_BY_ID, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, id);
    return load(c, st, false, arena, out, err);
}

ken_status ken_store__catalog_load_tasks(ken_catalog_backend *b, const int64_t *ids, size_t n,
                                         ken_arena *arena, ken_task *out, size_t *out_n,
                                         ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    size_t n_found = 0;
    ken_status s = begin_read(c, err);
    if (s)
        return s;
    for (size_t i = 0; i < n && !s; i++) {
        s = load_by_id(c, ids[i], arena, &out[n_found], err);
        n_found += !s;
        if (s == KEN_ENOTFOUND)
            s = KEN_OK;
    }
    s = end_read(c, s, err);
    if (!s)
        *out_n = n_found;
    return s;
}

static ken_sq_stmt list_statement(const ken_task_filter *f)
{
    if (f->branch.ptr)
        return KEN_SQ_TASK_LIST_BRANCH;
    if (f->project)
        return f->status.ptr ? KEN_SQ_TASK_LIST_PROJECT_STATUS : KEN_SQ_TASK_LIST_PROJECT;
    return f->status.ptr ? KEN_SQ_TASK_LIST_STATUS : KEN_SQ_TASK_LIST;
}

// What a statement does not have as a parameter is refused by SQLite, which does not matter here.
static void bind_filter(sqlite3_stmt *st, const ken_task_filter *f)
{
    if (f->status.ptr)
        ken_store__sq_bind_text(st, 1, f->status);
    if (f->project)
        ken_store__sq_bind_blob(st, 2, f->project->bytes, sizeof f->project->bytes);
    if (f->branch.ptr)
        ken_store__sq_bind_text(st, 3, f->branch);
}

static ken_status count_listed(ken_sq_catalog *c, const ken_task_filter *f, uint64_t *out,
                               ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, KEN_SQ_TASK_TOTAL, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 3, KEN_STR(""));
    bind_filter(st, f);
    bool is_bad = false;
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        *out = ken_store__sq_u64(st, 0, INT64_MAX, &is_bad);
    else
        s = SQ_FAIL(&c->q, rc, err, "reading");
    if (!s && is_bad)
        s = SQ_CORRUPT(&c->q, err, "a number of tasks is negative");
    ken_store__sq_done(st);
    return s;
}

typedef KEN_VEC(ken_task) task_vec;

// All rows of a statement that is bound.
static ken_status step_rows(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena, task_vec *out,
                            ken_err *err)
{
    ken_status s = KEN_OK;
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_task t = { 0 };
        s = keep_task(c, st, arena, &t, err);
        if (!s)
            ken_vec_push(out, t);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(&c->q, rc, err, "reading");
    ken_store__sq_done(st);
    return s;
}

// Gives the rows to the arena.
static void keep_rows(task_vec *rows, ken_arena *arena, ken_task **out, size_t *out_n)
{
    *out = ken_arena_copy(arena, rows->ptr, rows->len, sizeof **out);
    *out_n = rows->len;
    ken_vec_release(rows);
}

ken_status ken_store__catalog_find_tasks(ken_catalog_backend *b, ken_uuid first, ken_uuid last,
                                         size_t limit, ken_arena *arena, ken_task **out,
                                         size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    task_vec rows = { 0 };
    ken_status s = c->q.is_immutable ? ken_store__sq_refresh(&c->q, err) : KEN_OK;
    if (!s)
        s = ken_store__sq_get(&c->q, KEN_SQ_TASK_FIND, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_blob(st, 1, first.bytes, sizeof first.bytes);
    ken_store__sq_bind_blob(st, 2, last.bytes, sizeof last.bytes);
    sqlite3_bind_int64(st, 3, (int64_t)limit);
    s = step_rows(c, st, arena, &rows, err);
    if (s)
        ken_vec_release(&rows);
    else
        keep_rows(&rows, arena, out, out_n);
    return s;
}

static ken_status list_rows(ken_sq_catalog *c, const ken_task_filter *f, size_t limit,
                            ken_arena *arena, task_vec *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, list_statement(f), &st, err);
    if (s)
        return s;
    bind_filter(st, f);
    sqlite3_bind_int64(st, 4, (int64_t)limit);
    sqlite3_bind_int64(st, 5, (int64_t)f->offset);
    return step_rows(c, st, arena, out, err);
}

// In a read transaction. Stops at the last row there is: so a walk ends that searches a branch for tasks
// of a rare status.
static ken_status list_page(ken_sq_catalog *c, const ken_task_filter *f, ken_arena *arena,
                            task_vec *out, uint64_t *out_total, ken_err *err)
{
    ken_status s = count_listed(c, f, out_total, err);
    if (s || f->offset >= *out_total)
        return s;
    uint64_t rest = *out_total - f->offset;
    s = list_rows(c, f, rest < f->limit ? (size_t)rest : f->limit, arena, out, err);
    for (size_t i = 0; !s && i < out->len; i++)
        s = ken_store__task_links(c, false, arena, &out->ptr[i], err);
    return s;
}

ken_status ken_store__catalog_list_tasks(ken_catalog_backend *b, const ken_task_filter *filter,
                                         ken_arena *arena, ken_task **out, size_t *out_n,
                                         uint64_t *out_total, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    task_vec rows = { 0 };
    uint64_t total = 0;
    ken_status s = begin_read(c, err);
    if (s)
        return s;
    s = end_read(c, list_page(c, filter, arena, &rows, &total, err), err);
    if (s) {
        ken_vec_release(&rows);
        return s;
    }
    keep_rows(&rows, arena, out, out_n);
    *out_total = total;
    return KEN_OK;
}

ken_status ken_store__catalog_scan_tasks(ken_catalog_backend *b, int64_t after_rev,
                                         ken_task_seen_fn *fn, void *ctx, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = c->q.is_immutable ? ken_store__sq_refresh(&c->q, err) : KEN_OK;
    if (!s)
        s = ken_store__sq_get(&c->q, KEN_SQ_TASK_SCAN, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, after_rev);
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_task t = { 0 };
        s = read_task(c, st, &t, err);
        if (!s)
            fn(ctx, &t, ken_store__sq_text(st, 10));
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(&c->q, rc, err, "reading");
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__catalog_last_task_rev(ken_catalog_backend *b, int64_t *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = c->q.is_immutable ? ken_store__sq_refresh(&c->q, err) : KEN_OK;
    return s ? s : ken_store__task_clock(c, out, err);
}

// SPDX-License-Identifier: MIT
// Reading tasks. Lists walk the index of their filter in the order of `rev`, totals are sums of
// task_count, so neither costs more when there are more tasks.
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
static ken_status read_task(ken_sq *q, sqlite3_stmt *st, ken_task *out, ken_err *err)
{
    ken_task t = {
        .id = sqlite3_column_int64(st, 0),
        .rev = sqlite3_column_int64(st, 2),
        .status = ken_store__sq_text(st, 3),
        .has_project = ken_store__sq_blob(st, 4).len > 0,
        .created_at_ms = sqlite3_column_int64(st, 5),
        .updated_at_ms = sqlite3_column_int64(st, 6),
        .title = ken_store__sq_text(st, 7),
        .description = text_or_null(st, 8),
        .notes = text_or_null(st, 9),
    };
    if (!ken_store__sq_fixed(st, 1, t.uuid.bytes, sizeof t.uuid.bytes) || !t.status.len ||
        (t.has_project && !ken_store__sq_fixed(st, 4, t.project.bytes, sizeof t.project.bytes)))
        return SQ_CORRUPT(q, err, "a task has no usable id, project or status");
    *out = t;
    return KEN_OK;
}

static ken_status keep_task(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    ken_task t = { 0 };
    ken_status s = read_task(q, st, &t, err);
    if (s)
        return s;
    t.status = ken_arena_dup(arena, t.status);
    t.title = ken_arena_dup(arena, t.title);
    t.description = keep_text(arena, t.description);
    t.notes = keep_text(arena, t.notes);
    *(ken_task *)out = t;
    return KEN_OK;
}

// TASK_GET or TASK_GET_BY_ID, whose parameter is `key`.
static ken_status load_row(ken_sq_catalog *c, ken_sq_stmt which, ken_sq_value key, ken_arena *arena,
                           ken_task *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, &key, 1);
    return ken_store__sq_one(&c->q, st, keep_task, arena, out, err);
}

// ---- what hangs on a task --------------------------------------------------------------------

static ken_status read_reference(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                 ken_err *err)
{
    (void)q, (void)err;
    *(ken_task_reference *)out = (ken_task_reference){ .path = ken_store__sq_keep(st, 0, arena),
                                                       .type = ken_store__sq_keep(st, 1, arena),
                                                       .at_ms = sqlite3_column_int64(st, 2) };
    return KEN_OK;
}

static ken_status read_branch(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                              ken_err *err)
{
    (void)q, (void)err;
    *(ken_task_branch *)out = (ken_task_branch){ .name = ken_store__sq_keep(st, 0, arena),
                                                 .at_ms = sqlite3_column_int64(st, 1) };
    return KEN_OK;
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

static ken_status read_commit(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                              ken_err *err)
{
    (void)q, (void)err;
    *(ken_task_commit *)out =
        (ken_task_commit){ .hash = ken_store__sq_keep(st, 0, arena),
                           .message = keep_subject(arena, text_or_null(st, 1)),
                           .at_ms = sqlite3_column_int64(st, 2) };
    return KEN_OK;
}

static ken_status read_change(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                              ken_err *err)
{
    (void)q, (void)err;
    *(ken_task_change *)out = (ken_task_change){ .from = keep_text(arena, text_or_null(st, 0)),
                                                 .to = ken_store__sq_keep(st, 1, arena),
                                                 .at_ms = sqlite3_column_int64(st, 2) };
    return KEN_OK;
}

// All rows of one list of a task. `out` is a pointer to the pointer to its first.
static ken_status load_list(ken_sq_catalog *c, ken_sq_stmt which, const ken_task *t,
                            ken_sq_row_kind kind, ken_arena *arena, void *out, size_t *out_n,
                            ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(t->id)));
    return ken_store__sq_rows(&c->q, st, &kind, arena, out, out_n, err);
}

static ken_status load_links(ken_sq_catalog *c, bool wants_changes, ken_arena *arena, ken_task *t,
                             ken_err *err)
{
    const struct {
        ken_sq_stmt which;
        ken_sq_row_kind kind;
        void *out;
        size_t *out_n;
    } lists[] = {
        { KEN_SQ_TASK_REFERENCES,
          { read_reference, sizeof *t->references },
          &t->references,
          &t->n_references },
        { KEN_SQ_TASK_BRANCHES,
          { read_branch, sizeof *t->branches },
          &t->branches,
          &t->n_branches },
        { KEN_SQ_TASK_COMMITS, { read_commit, sizeof *t->commits }, &t->commits, &t->n_commits },
        { KEN_SQ_TASK_CHANGES, { read_change, sizeof *t->changes }, &t->changes, &t->n_changes },
    };
    size_t n = sizeof lists / sizeof *lists - !wants_changes;
    ken_status s = KEN_OK;
    for (size_t i = 0; !s && i < n; i++)
        s = load_list(c, lists[i].which, t, lists[i].kind, arena, lists[i].out, lists[i].out_n,
                      err);
    return s;
}

ken_status ken_store__task_clock(ken_sq_catalog *c, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, KEN_SQ_TASK_CLOCK_GET, &st, err);
    return s ? s : ken_store__sq_load_number(&c->q, st, "the clock of tasks is gone", out, err);
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

static ken_status load(ken_sq_catalog *c, ken_sq_stmt which, ken_sq_value key, bool wants_changes,
                       ken_arena *arena, ken_task *out, ken_err *err)
{
    ken_task t = { 0 };
    ken_status s = load_row(c, which, key, arena, &t, err);
    if (!s)
        s = load_links(c, wants_changes, arena, &t, err);
    if (!s)
        *out = t;
    return s;
}

ken_status ken_store__task_by_uuid(ken_sq_catalog *c, ken_uuid uuid, ken_arena *arena,
                                   ken_task *out, ken_err *err)
{
    return load(c, KEN_SQ_TASK_GET, SQ_BYTES(uuid), true, arena, out, err);
}

ken_status ken_store__catalog_load_task(ken_catalog_backend *b, ken_uuid uuid, ken_arena *arena,
                                        ken_task *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = begin_read(c, err);
    return s ? s : end_read(c, ken_store__task_by_uuid(c, uuid, arena, out, err), err);
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
        s = load(c, KEN_SQ_TASK_GET_BY_ID, SQ_INT(ids[i]), false, arena, &out[n_found], err);
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
    int64_t n = 0;
    ken_status s = ken_store__sq_get(&c->q, KEN_SQ_TASK_TOTAL, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 3, KEN_STR(""));
    bind_filter(st, f);
    s = ken_store__sq_load_number(&c->q, st, "there is no number of tasks", &n, err);
    if (!s && n < 0)
        return SQ_CORRUPT(&c->q, err, "a number of tasks is negative");
    if (!s)
        *out = (uint64_t)n;
    return s;
}

ken_status ken_store__catalog_find_tasks(ken_catalog_backend *b, ken_uuid first, ken_uuid last,
                                         size_t limit, ken_arena *arena, ken_task **out,
                                         size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_TASK_FIND, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(first), SQ_BYTES(last), SQ_INT(limit)));
    return SQ_ROWS(&c->q, st, keep_task, arena, out, out_n, err);
}

static ken_status list_rows(ken_sq_catalog *c, const ken_task_filter *f, size_t limit,
                            ken_arena *arena, ken_task **out, size_t *out_n, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(&c->q, list_statement(f), &st, err);
    if (s)
        return s;
    bind_filter(st, f);
    sqlite3_bind_int64(st, 4, (int64_t)limit);
    sqlite3_bind_int64(st, 5, (int64_t)f->offset);
    return SQ_ROWS(&c->q, st, keep_task, arena, out, out_n, err);
}

// In a read transaction. Stops at the last row there is: so a walk ends that searches a branch for tasks
// of a rare status.
static ken_status list_page(ken_sq_catalog *c, const ken_task_filter *f, ken_arena *arena,
                            ken_task **out, size_t *out_n, uint64_t *out_total, ken_err *err)
{
    ken_status s = count_listed(c, f, out_total, err);
    if (s || f->offset >= *out_total)
        return s;
    uint64_t rest = *out_total - f->offset;
    s = list_rows(c, f, rest < f->limit ? (size_t)rest : f->limit, arena, out, out_n, err);
    for (size_t i = 0; !s && i < *out_n; i++)
        s = load_links(c, false, arena, &(*out)[i], err);
    return s;
}

ken_status ken_store__catalog_list_tasks(ken_catalog_backend *b, const ken_task_filter *filter,
                                         ken_arena *arena, ken_task **out, size_t *out_n,
                                         uint64_t *out_total, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_task *rows = NULL;
    size_t n = 0;
    uint64_t total = 0;
    ken_status s = begin_read(c, err);
    if (s)
        return s;
    s = end_read(c, list_page(c, filter, arena, &rows, &n, &total, err), err);
    if (s)
        return s;
    *out = rows;
    *out_n = n;
    *out_total = total;
    return KEN_OK;
}

ken_status ken_store__catalog_scan_tasks(ken_catalog_backend *b, int64_t after_rev,
                                         ken_task_seen_fn *fn, void *ctx, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_TASK_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(after_rev)));
    while (ken_store__sq_next(&c->q, st, &s, err)) {
        ken_task t = { 0 };
        s = read_task(&c->q, st, &t, err);
        if (!s)
            fn(ctx, &t, ken_store__sq_text(st, 10));
    }
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__catalog_last_task_rev(ken_catalog_backend *b, int64_t *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = c->q.is_immutable ? ken_store__sq_refresh(&c->q, err) : KEN_OK;
    return s ? s : ken_store__task_clock(c, out, err);
}

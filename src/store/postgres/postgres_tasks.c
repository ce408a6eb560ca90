// SPDX-License-Identifier: MIT
// Reading tasks. Lists walk the index of their filter in the order of `rev`, totals are sums of
// task_counts, so neither costs more when there are more tasks. What hangs on the tasks of a page comes
// with one statement.
#include <string.h>

#include "base/alloc.h"
#include "secret/secret.h"
#include "store/postgres/postgres_tasks_priv.h"

// ---- rows --------------------------------------------------------------------------------------

static ken_status read_task(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    ken_task t = {
        .id = ken_store__pg_i64(row, 0),
        .rev = ken_store__pg_i64(row, 2),
        .status = ken_store__pg_keep(row, 3, arena),
        .created_at_ms = ken_store__pg_ms(row, 5),
        .updated_at_ms = ken_store__pg_ms(row, 6),
        .title = ken_store__pg_keep(row, 7, arena),
        .description = ken_store__pg_keep_some(row, 8, arena),
        .notes = ken_store__pg_keep_some(row, 9, arena),
    };
    ken_store__pg_fixed(row, 1, t.uuid.bytes, sizeof t.uuid.bytes);
    t.has_project = ken_store__pg_uuid(row, 4, &t.project);
    if (!t.status.len)
        return PG_CORRUPT(p, err, "a task has no status");
    *(ken_task *)out = t;
    return KEN_OK;
}

// The lists of a task, in the order of their rows.
typedef enum link_kind {
    LINK_REFERENCE = 0,
    LINK_BRANCH,
    LINK_COMMIT,
    LINK_CHANGE,
    LINK_KINDS,
} link_kind;

typedef struct link {
    ken_uuid task;
    link_kind kind;
    ken_str first, second;
    int64_t at_ms;
} link;

static ken_status read_link(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    link l = {
        .kind = (link_kind)ken_store__pg_u64(row, 1, LINK_CHANGE),
        .first = ken_store__pg_keep(row, 2, arena),
        .second = ken_store__pg_keep_some(row, 3, arena),
        .at_ms = ken_store__pg_ms(row, 4),
    };
    ken_store__pg_fixed(row, 0, l.task.bytes, sizeof l.task.bytes);
    *(link *)out = l;
    return KEN_OK;
}

// ---- what hangs on tasks -----------------------------------------------------------------------

// Subjects are masked before they are kept, but an older catalog may hold some from before that was so.
static ken_str mask_subject(ken_str s)
{
    if (s.len)
        ken_secret_mask((char *)(uintptr_t)s.ptr, s.len); // it is in the arena, ours
    return s;
}

static void set_link(ken_task *t, const link *l)
{
    switch (l->kind) {
    case LINK_REFERENCE:
        t->references[t->n_references++] = (ken_task_reference){ l->first, l->second, l->at_ms };
        break;
    case LINK_BRANCH:
        t->branches[t->n_branches++] = (ken_task_branch){ l->first, l->at_ms };
        break;
    case LINK_COMMIT:
        t->commits[t->n_commits++] =
            (ken_task_commit){ l->first, mask_subject(l->second), l->at_ms };
        break;
    case LINK_CHANGE:
        t->changes[t->n_changes++] = (ken_task_change){ l->second, l->first, l->at_ms };
        break;
    case LINK_KINDS:
        break;
    }
}

static void set_links(ken_task *t, const link *links, size_t n, ken_arena *arena)
{
    size_t counts[LINK_KINDS] = { 0 };
    for (size_t i = 0; i < n; i++)
        counts[links[i].kind]++;
    t->references = KEN_ARENA_ARRAY(arena, ken_task_reference, counts[LINK_REFERENCE]);
    t->branches = KEN_ARENA_ARRAY(arena, ken_task_branch, counts[LINK_BRANCH]);
    t->commits = KEN_ARENA_ARRAY(arena, ken_task_commit, counts[LINK_COMMIT]);
    t->changes = KEN_ARENA_ARRAY(arena, ken_task_change, counts[LINK_CHANGE]);
    for (size_t i = 0; i < n; i++)
        set_link(t, &links[i]);
}

// The first of the links, which are in the order of their tasks, that is of `task` or a later one.
static size_t first_of(const link *links, size_t n, ken_uuid task)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(links[middle].task.bytes, task.bytes, sizeof task.bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static ken_str uuid_text(ken_uuid id, ken_arena *arena)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    return ken_arena_dup(arena, ken_str_c(text));
}

static ken_status load_links(ken_pg_catalog *c, bool wants_changes, ken_arena *arena, ken_task *t,
                             size_t n, ken_err *err)
{
    link *links = NULL;
    size_t n_links = 0;
    ken_str *ids = KEN_ARENA_ARRAY(arena, ken_str, n);
    for (size_t i = 0; i < n; i++)
        ids[i] = uuid_text(t[i].uuid, arena);
    ken_status st = PG_ROWS(&c->p, PG_QUERY(TASK_LINKS, PG_TEXTS(ids, n), PG_BOOL(wants_changes)),
                            read_link, arena, &links, &n_links, err);
    for (size_t i = 0; !st && i < n; i++) {
        size_t from = first_of(links, n_links, t[i].uuid), to = from;
        while (to < n_links && ken_uuid_eq(links[to].task, t[i].uuid))
            to++;
        set_links(&t[i], links + from, to - from, arena);
    }
    return st;
}

// ---- one task, or some -------------------------------------------------------------------------

ken_status ken_store__pg_task(ken_pg_catalog *c, ken_uuid uuid, ken_arena *arena, ken_task *out,
                              ken_err *err)
{
    ken_task t = { 0 };
    ken_status st =
        ken_store__pg_one(&c->p, PG_QUERY(TASK_GET, PG_UUID(uuid)), read_task, arena, &t, err);
    if (!st)
        st = load_links(c, true, arena, &t, 1, err);
    if (!st)
        *out = t;
    return st;
}

// What a question wants and gets.
typedef struct question {
    ken_uuid uuid;
    const int64_t *ids;
    const ken_task_filter *filter;
    ken_arena *arena;
    ken_task *tasks;
    size_t n; // of the ids, then of the tasks
    uint64_t total;
} question;

static ken_status load_one(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_store__pg_task(c, q->uuid, q->arena, q->tasks, err);
}

ken_status ken_store__pg_catalog_load_task(ken_catalog_backend *b, ken_uuid uuid, ken_arena *arena,
                                           ken_task *out, ken_err *err)
{
    question q = { .uuid = uuid, .arena = arena, .tasks = out };
    return ken_store__pg_ask(ken_pg_catalog_of(b), load_one, &q, err);
}

static ken_status load_some(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    question *q = ctx;
    size_t n = 0;
    ken_str *numbers = KEN_ARENA_ARRAY(q->arena, ken_str, q->n);
    for (size_t i = 0; i < q->n; i++)
        numbers[i] = ken_arena_printf(q->arena, "%lld", (long long)q->ids[i]);
    ken_status st = PG_ROWS(&c->p, PG_QUERY(TASK_BY_NUMBERS, PG_TEXTS(numbers, q->n)), read_task,
                            q->arena, &q->tasks, &n, err);
    if (!st)
        st = load_links(c, false, q->arena, q->tasks, n, err);
    q->total = n;
    return st;
}

ken_status ken_store__pg_catalog_load_tasks(ken_catalog_backend *b, const int64_t *ids, size_t n,
                                            ken_arena *arena, ken_task *out, size_t *out_n,
                                            ken_err *err)
{
    question q = { .ids = ids, .n = n, .arena = arena };
    ken_status st = ken_store__pg_ask(ken_pg_catalog_of(b), load_some, &q, err);
    if (st)
        return st;
    for (size_t i = 0; i < q.total; i++)
        out[i] = q.tasks[i];
    *out_n = (size_t)q.total;
    return KEN_OK;
}

ken_status ken_store__pg_catalog_find_tasks(ken_catalog_backend *b, ken_uuid first, ken_uuid last,
                                            size_t limit, ken_arena *arena, ken_task **out,
                                            size_t *out_n, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return PG_ROWS(&c->p, PG_QUERY(TASK_FIND, PG_UUID(first), PG_UUID(last), PG_INT(limit)),
                   read_task, arena, out, out_n, err);
}

// ---- lists -------------------------------------------------------------------------------------

static const ken_uuid no_project;

static ken_pg_value project_of(const ken_task_filter *f)
{
    const ken_uuid *project = f->project ? f->project : &no_project;
    return PG_IF(f->project, PG_UUID(*project));
}

static ken_pg_value status_of(const ken_task_filter *f)
{
    return PG_IF(f->status.ptr, PG_TEXT(f->status));
}

static ken_status list_rows(ken_pg_catalog *c, const ken_task_filter *f, size_t limit,
                            ken_arena *arena, ken_task **out, size_t *out_n, ken_err *err)
{
    ken_pg_value values[5] = { PG_INT(limit), PG_INT(f->offset) };
    ken_pg_query q = { KEN_PG_TASK_LIST, values, 2 };
    if (f->branch.ptr) {
        q.which = KEN_PG_TASK_LIST_BRANCH;
        values[q.n++] = PG_TEXT(f->branch);
        values[q.n++] = project_of(f);
        values[q.n++] = status_of(f);
    } else if (f->project) {
        q.which = f->status.ptr ? KEN_PG_TASK_LIST_PROJECT_STATUS : KEN_PG_TASK_LIST_PROJECT;
        values[q.n++] = project_of(f);
        if (f->status.ptr)
            values[q.n++] = status_of(f);
    } else if (f->status.ptr) {
        q.which = KEN_PG_TASK_LIST_STATUS;
        values[q.n++] = status_of(f);
    }
    return PG_ROWS(&c->p, &q, read_task, arena, out, out_n, err);
}

// Stops at the last row there is: so a walk ends that searches a branch for tasks of a rare status.
static ken_status list_page(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    question *q = ctx;
    const ken_task_filter *f = q->filter;
    int64_t total = 0;
    ken_str branch = f->branch.ptr ? f->branch : KEN_STR("");
    q->n = 0;
    ken_status st = ken_store__pg_number(
        &c->p, PG_QUERY(TASK_TOTAL, PG_TEXT(branch), project_of(f), status_of(f)), &total, err);
    if (!st && total < 0)
        st = PG_CORRUPT(&c->p, err, "a number of tasks is negative");
    q->total = (uint64_t)total;
    if (st || f->offset >= q->total)
        return st;
    uint64_t rest = q->total - f->offset;
    size_t limit = rest < f->limit ? (size_t)rest : f->limit;
    st = list_rows(c, f, limit, q->arena, &q->tasks, &q->n, err);
    return st ? st : load_links(c, false, q->arena, q->tasks, q->n, err);
}

ken_status ken_store__pg_catalog_list_tasks(ken_catalog_backend *b, const ken_task_filter *filter,
                                            ken_arena *arena, ken_task **out, size_t *out_n,
                                            uint64_t *out_total, ken_err *err)
{
    question q = { .filter = filter, .arena = arena };
    ken_status st = ken_store__pg_ask(ken_pg_catalog_of(b), list_page, &q, err);
    if (st)
        return st;
    *out = q.tasks;
    *out_n = q.n;
    *out_total = q.total;
    return KEN_OK;
}

// ---- what changed ------------------------------------------------------------------------------

typedef struct seen_task {
    ken_task task;
    ken_str branches;
} seen_task;

static ken_status read_seen(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    seen_task *s = out;
    s->branches = ken_store__pg_keep(row, 10, arena);
    return read_task(p, row, arena, &s->task, err);
}

// A page of those after `*rev`, which becomes that of the last. `*out_n` is 0 after the end.
static ken_status scan_page(ken_pg_catalog *c, int64_t *rev, ken_task_seen_fn *fn, void *ctx,
                            size_t *out_n, ken_err *err)
{
    ken_arena arena;
    seen_task *rows = NULL;
    *out_n = 0;
    ken_arena_init(&arena, 0);
    ken_status st =
        PG_ROWS(&c->p, PG_QUERY(TASK_SCAN, PG_INT(*rev)), read_seen, &arena, &rows, out_n, err);
    for (size_t i = 0; !st && i < *out_n; i++) {
        fn(ctx, &rows[i].task, rows[i].branches);
        *rev = rows[i].task.rev;
    }
    ken_arena_release(&arena);
    return st;
}

// In one state. It is not begun again when the connection is lost: some were given already.
ken_status ken_store__pg_catalog_scan_tasks(ken_catalog_backend *b, int64_t after_rev,
                                            ken_task_seen_fn *fn, void *ctx, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    ken_status st = KEN_OK;
    ken_store__pg_begin(&c->p, KEN_PG_TX_READ);
    for (size_t n = 1; !st && n;)
        st = scan_page(c, &after_rev, fn, ctx, &n, err);
    ken_store__pg_rollback(&c->p);
    return st;
}

ken_status ken_store__pg_catalog_last_task_rev(ken_catalog_backend *b, int64_t *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    ken_status st =
        ken_store__pg_number(&c->p, &(ken_pg_query){ .which = KEN_PG_TASK_CLOCK_GET }, out, err);
    return st == KEN_ENOTFOUND ? PG_CORRUPT(&c->p, err, "the clock of tasks is gone") : st;
}

// SPDX-License-Identifier: MIT
// Tasks found again by their words and by what they mean.
//
// The texts are in a recall, with what a filter looks at as their facets. It follows the clock of
// the tasks: before every question what has a larger rev is put in again. Deleted tasks are met
// when a page is loaded; then they are taken out and the question is asked once more.
#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "recall/recall.h"
#include "task/task_priv.h"

struct ken_task__memory {
    ken_recall *recall;
    int64_t rev;    // all up to it is here
    ken_map facets; // what filters ask for -> its number
    ken_buf text;   // of the task that is put in
};

void ken_task__memory_free(ken_task__memory *m)
{
    if (!m)
        return;
    ken_recall_free(m->recall);
    ken_map_release(&m->facets);
    ken_buf_release(&m->text);
    ken_free(m);
}

static ken_task__memory *memory_new(void)
{
    ken_task__memory *m = ken_zalloc(sizeof *m);
    m->recall = ken_recall_new();
    ken_map_init(&m->facets);
    return m;
}

// ---- following ---------------------------------------------------------------------------------

// Kinds of facets, as first byte of their names.
#define STATUS  's'
#define PROJECT 'p'
#define BRANCH  'b'

static ken_str name_of(ken_task__memory *m, char kind, ken_str value)
{
    ken_buf_clear(&m->text);
    ken_buf_putc(&m->text, kind);
    ken_buf_put_str(&m->text, value);
    return ken_buf_str(&m->text);
}

static void mark(ken_task__memory *m, int64_t id, char kind, ken_str value)
{
    uint64_t facet = *ken_map_put(&m->facets, name_of(m, kind, value), m->facets.len, NULL);
    ken_recall_mark(m->recall, id, (uint32_t)facet);
}

static void take_in(void *ctx, const ken_task *t, ken_str branches)
{
    ken_task__memory *m = ctx;
    ken_str branch;
    ken_buf_clear(&m->text);
    ken_buf_put_str(&m->text, t->description);
    ken_buf_putc(&m->text, '\n');
    ken_buf_put_str(&m->text, t->notes);
    ken_recall_put(m->recall, t->id, t->title, ken_buf_str(&m->text));
    mark(m, t->id, STATUS, t->status);
    if (t->has_project)
        mark(m, t->id, PROJECT, ken_task__project_bytes(&t->project));
    while (ken_str_line_next(&branches, &branch))
        mark(m, t->id, BRANCH, branch);
    m->rev = t->rev;
}

static ken_status follow(ken_tasks *t, ken_err *err)
{
    int64_t rev = 0;
    if (!t->memory)
        t->memory = memory_new();
    ken_status st = ken_catalog_last_task_rev(t->catalog, &rev, err);
    return st || rev <= t->memory->rev
               ? st
               : ken_catalog_scan_tasks(t->catalog, t->memory->rev, take_in, t->memory, err);
}

// ---- asking ------------------------------------------------------------------------------------

enum {
    KINDS = 3
};

typedef struct question {
    uint32_t facets[KINDS];
    ken_recall_filter filter;
} question;

// What no task has is a facet that no text has.
static void ask_for(question *asked, ken_task__memory *m, char kind, ken_str value)
{
    const uint64_t *facet = ken_map_find(&m->facets, name_of(m, kind, value));
    asked->facets[asked->filter.n_all++] = facet ? (uint32_t)*facet : UINT32_MAX;
}

static void make_question(ken_task__memory *m, const ken_task_query *q, question *out)
{
    *out = (question){ .filter = { .all = out->facets } };
    if (q->status.ptr)
        ask_for(out, m, STATUS, q->status);
    if (q->project)
        ask_for(out, m, PROJECT, ken_task__project_bytes(q->project));
    if (q->branch.ptr)
        ask_for(out, m, BRANCH, q->branch);
}

// The tasks of `hits`. Those that are gone are taken out, and make the page incomplete.
static ken_status load_page(ken_tasks *t, const ken_recall_hit *hits, size_t n, ken_arena *arena,
                            ken_task_page *out, bool *out_is_whole, ken_err *err)
{
    int64_t *ids = KEN_ARENA_ARRAY(arena, int64_t, n + 1);
    out->tasks = KEN_ARENA_ARRAY(arena, ken_task, n + 1);
    out->scores = KEN_ARENA_ARRAY(arena, double, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = hits[i].id;
    ken_status st = ken_catalog_load_tasks(t->catalog, ids, n, arena, out->tasks, &out->n, err);
    if (st)
        return st;
    *out_is_whole = out->n == n;
    for (size_t i = 0, k = 0; i < n; i++) {
        if (k < out->n && out->tasks[k].id == hits[i].id)
            out->scores[k++] = hits[i].score;
        else
            ken_recall_remove(t->memory->recall, hits[i].id);
    }
    return KEN_OK;
}

ken_status ken_task__search(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                            ken_task_page *out, ken_err *err)
{
    ken_task_page page = { 0 };
    bool is_whole = false;
    ken_status st = follow(t, err);
    question asked;
    make_question(t->memory, q, &asked);
    const ken_recall_filter *filter = asked.filter.n_all ? &asked.filter : NULL;
    while (!st && !is_whole) { // each further turn has removed something
        ken_recall_hit *hits = NULL;
        size_t n = ken_recall_search(t->memory->recall, q->text, filter,
                                     (size_t)(q->offset + q->limit + 1), arena, &hits);
        size_t from = q->offset < n ? (size_t)q->offset : n;
        st = load_page(t, n > from ? hits + from : NULL, n - from, arena, &page, &is_whole, err);
    }
    page.has_more = page.n > q->limit; // one more than wanted was loaded, so it is there
    if (page.has_more)
        page.n = (size_t)q->limit;
    if (!st)
        *out = page;
    return st;
}

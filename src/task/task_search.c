// SPDX-License-Identifier: MIT
// Tasks found again by their words and by what they mean.
//
// The texts are in a recall, and beside them what a filter looks at. Both follow the clock of the
// tasks: before every question what has a larger rev is put in again. Deleted tasks are met when a
// page is loaded; then they are taken out and the question is asked once more.
#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "recall/recall.h"
#include "task/task_priv.h"

typedef struct entry {
    ken_str status, branches; // in `texts`; the second one a line
    ken_uuid project;
    bool has_project;
} entry;

struct ken_task__memory {
    ken_recall *recall;
    int64_t rev;   // all up to it is here
    ken_map by_id; // to its place in `entries`
    KEN_VEC(entry) entries;
    ken_map text_places; // the same few texts again and again: to their place in `texts`
    KEN_VEC(ken_str) texts;
    ken_arena arena; // of `texts`
    ken_buf body;    // of the task that is put in
};

void ken_task__memory_free(ken_task__memory *m)
{
    if (!m)
        return;
    ken_recall_free(m->recall);
    ken_map_release(&m->by_id);
    ken_map_release(&m->text_places);
    ken_vec_release(&m->entries);
    ken_vec_release(&m->texts);
    ken_arena_release(&m->arena);
    ken_buf_release(&m->body);
    ken_free(m);
}

static ken_task__memory *memory_new(void)
{
    ken_task__memory *m = ken_zalloc(sizeof *m);
    m->recall = ken_recall_new();
    ken_map_init(&m->by_id);
    ken_map_init(&m->text_places);
    ken_arena_init(&m->arena, 0);
    return m;
}

// ---- following ---------------------------------------------------------------------------------

static ken_str keep(ken_task__memory *m, ken_str text)
{
    bool is_new = false;
    uint64_t place = *ken_map_put(&m->text_places, text, m->texts.len, &is_new);
    if (is_new)
        ken_vec_push(&m->texts, ken_arena_dup(&m->arena, text));
    return m->texts.ptr[place];
}

static ken_str key_of(const int64_t *id)
{
    return ken_str_n((const char *)id, sizeof *id);
}

static void take_in(void *ctx, const ken_task *t, ken_str branches)
{
    ken_task__memory *m = ctx;
    bool is_new = false;
    entry e = { .status = keep(m, t->status),
                .branches = keep(m, branches),
                .project = t->project,
                .has_project = t->has_project };
    uint64_t place = *ken_map_put(&m->by_id, key_of(&t->id), m->entries.len, &is_new);
    if (is_new)
        ken_vec_push(&m->entries, e);
    else
        m->entries.ptr[place] = e;
    ken_buf_clear(&m->body);
    ken_buf_put_str(&m->body, t->description);
    ken_buf_putc(&m->body, '\n');
    ken_buf_put_str(&m->body, t->notes);
    ken_recall_put(m->recall, t->id, t->title, ken_buf_str(&m->body));
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

typedef struct question {
    const ken_task__memory *memory;
    const ken_task_query *query;
} question;

static bool has_line(ken_str text, ken_str wanted)
{
    ken_str line;
    while (ken_str_line_next(&text, &line))
        if (ken_str_eq(line, wanted))
            return true;
    return false;
}

static bool passes(void *ctx, int64_t id)
{
    const question *q = ctx;
    const uint64_t *place = ken_map_find(&q->memory->by_id, key_of(&id));
    const entry *e = place ? &q->memory->entries.ptr[*place] : NULL;
    return e && (!q->query->status.ptr || ken_str_eq(e->status, q->query->status)) &&
           (!q->query->project ||
            (e->has_project && ken_uuid_eq(e->project, *q->query->project))) &&
           (!q->query->branch.ptr || has_line(e->branches, q->query->branch));
}

// The tasks of `hits`; one that is gone is taken out, and makes the page incomplete.
static ken_status load_page(ken_tasks *t, const ken_recall_hit *hits, size_t n, ken_arena *arena,
                            ken_task_page *out, bool *out_is_whole, ken_err *err)
{
    out->tasks = KEN_ARENA_ARRAY(arena, ken_task, n + 1);
    out->scores = KEN_ARENA_ARRAY(arena, double, n + 1);
    out->n = 0;
    *out_is_whole = true;
    for (size_t i = 0; i < n; i++) {
        ken_status st =
            ken_catalog_load_listed_task(t->catalog, hits[i].id, arena, &out->tasks[out->n], err);
        if (st == KEN_ENOTFOUND) {
            ken_recall_remove(t->memory->recall, hits[i].id);
            *out_is_whole = false;
        } else if (st) {
            return st;
        } else {
            out->scores[out->n++] = hits[i].score;
        }
    }
    return KEN_OK;
}

ken_status ken_task__search(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                            ken_task_page *out, ken_err *err)
{
    ken_task_page page = { 0 };
    bool is_whole = false;
    ken_status st = follow(t, err);
    question asked = { t->memory, q };
    while (!st && !is_whole) { // each further turn has removed something
        ken_recall_hit *hits = NULL;
        size_t n = ken_recall_search(t->memory->recall, q->text, passes, &asked,
                                     (size_t)(q->offset + q->limit + 1), arena, &hits);
        size_t from = q->offset < n ? (size_t)q->offset : n, rest = n - from;
        page.has_more = rest > q->limit;
        st = load_page(t, hits + from, page.has_more ? (size_t)q->limit : rest, arena, &page,
                       &is_whole, err);
    }
    if (!st)
        *out = page;
    return st;
}

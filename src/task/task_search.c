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

// What a filter looks at, as numbers: it is asked about every task there is.
typedef struct entry {
    uint32_t status, project, branches; // places in `texts`, from 1; the last one a line
} entry;

enum {
    PAGE_SHIFT = 12,
    PAGE_ENTRIES = 1 << PAGE_SHIFT,
    PAGES_MAX = 1 << 20, // four billion ids; tasks beyond are not found
};

struct ken_task__memory {
    ken_recall *recall;
    int64_t rev;            // all up to it is here
    KEN_VEC(entry *) pages; // by the upper bits of an id; NULL where there is no task
    ken_map places;         // of the same few texts again and again
    KEN_VEC(ken_str) texts;
    ken_arena arena; // of `texts`
    ken_buf body;    // of the task that is put in
};

void ken_task__memory_free(ken_task__memory *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->pages.len; i++)
        ken_free(m->pages.ptr[i]);
    ken_recall_free(m->recall);
    ken_map_release(&m->places);
    ken_vec_release(&m->pages);
    ken_vec_release(&m->texts);
    ken_arena_release(&m->arena);
    ken_buf_release(&m->body);
    ken_free(m);
}

static ken_task__memory *memory_new(void)
{
    ken_task__memory *m = ken_zalloc(sizeof *m);
    m->recall = ken_recall_new();
    ken_map_init(&m->places);
    ken_arena_init(&m->arena, 0);
    return m;
}

// ---- following ---------------------------------------------------------------------------------

static uint32_t keep(ken_task__memory *m, ken_str text)
{
    bool is_new = false;
    uint64_t place = *ken_map_put(&m->places, text, m->texts.len + 1, &is_new);
    if (is_new)
        ken_vec_push(&m->texts, ken_arena_dup(&m->arena, text));
    return (uint32_t)place;
}

static ken_str text_of(const ken_uuid *project)
{
    return project ? ken_str_n((const char *)project->bytes, sizeof project->bytes) : KEN_STR("");
}

// Where the entry of a task is; NULL when there is none and `may_make` is false.
static entry *find_entry(ken_task__memory *m, int64_t id, bool may_make)
{
    uint64_t page = (uint64_t)id >> PAGE_SHIFT;
    if (may_make && page < PAGES_MAX) {
        while (m->pages.len <= page)
            ken_vec_push(&m->pages, NULL);
        if (!m->pages.ptr[page])
            m->pages.ptr[page] = ken_zalloc(PAGE_ENTRIES * sizeof(entry));
    }
    entry *entries = page < m->pages.len ? m->pages.ptr[page] : NULL;
    return entries ? &entries[id & (PAGE_ENTRIES - 1)] : NULL;
}

static void take_in(void *ctx, const ken_task *t, ken_str branches)
{
    ken_task__memory *m = ctx;
    entry *e = find_entry(m, t->id, true);
    m->rev = t->rev;
    if (!e)
        return;
    *e = (entry){ .status = keep(m, t->status),
                  .project = keep(m, text_of(t->has_project ? &t->project : NULL)),
                  .branches = keep(m, branches) };
    ken_buf_clear(&m->body);
    ken_buf_put_str(&m->body, t->description);
    ken_buf_putc(&m->body, '\n');
    ken_buf_put_str(&m->body, t->notes);
    ken_recall_put(m->recall, t->id, t->title, ken_buf_str(&m->body));
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

#define ANY UINT32_MAX

typedef struct question {
    ken_task__memory *memory;
    uint32_t status, project; // what they must be; ANY, or 0 for what no task has
    ken_str branch;           // ptr NULL = any
    uint8_t *has_branch;      // of each text, whether it has the branch: 0 = not looked at yet
} question;

static bool has_line(ken_str text, ken_str wanted)
{
    ken_str line;
    while (ken_str_line_next(&text, &line))
        if (ken_str_eq(line, wanted))
            return true;
    return false;
}

static bool is_on_branch(const question *q, uint32_t branches)
{
    enum {
        NO = 1,
        YES
    };
    uint8_t *known = &q->has_branch[branches - 1];
    if (!*known)
        *known = has_line(q->memory->texts.ptr[branches - 1], q->branch) ? YES : NO;
    return *known == YES;
}

static bool passes(void *ctx, int64_t id)
{
    const question *q = ctx;
    const entry *e = find_entry(q->memory, id, false);
    return e && (q->status == ANY || e->status == q->status) &&
           (q->project == ANY || e->project == q->project) &&
           (!q->branch.ptr || is_on_branch(q, e->branches));
}

static uint32_t place_of(const ken_task__memory *m, ken_str text)
{
    const uint64_t *place = ken_map_find(&m->places, text);
    return place ? (uint32_t)*place : 0;
}

static question make_question(ken_task__memory *m, const ken_task_query *q, ken_arena *arena)
{
    question asked = { .memory = m, .status = ANY, .project = ANY, .branch = q->branch };
    if (q->status.ptr)
        asked.status = place_of(m, q->status);
    if (q->project)
        asked.project = place_of(m, text_of(q->project));
    if (q->branch.ptr)
        asked.has_branch = ken_arena_zalloc(arena, m->texts.len + 1);
    return asked;
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
    question asked = make_question(t->memory, q, arena);
    bool has_filter = q->status.ptr || q->project || q->branch.ptr;
    while (!st && !is_whole) { // each further turn has removed something
        ken_recall_hit *hits = NULL;
        size_t n = ken_recall_search(t->memory->recall, q->text, has_filter ? passes : NULL, &asked,
                                     (size_t)(q->offset + q->limit + 1), arena, &hits);
        size_t from = q->offset < n ? (size_t)q->offset : n;
        st = load_page(t, hits + from, n - from, arena, &page, &is_whole, err);
    }
    page.has_more = page.n > q->limit; // one more than wanted was loaded, so it is there
    if (page.has_more)
        page.n = (size_t)q->limit;
    if (!st)
        *out = page;
    return st;
}

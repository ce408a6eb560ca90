// SPDX-License-Identifier: MIT
// Pages far down a list.
//
// The database comes to an offset by stepping over every row before it. Here all tasks stand in
// memory in the order of their last change, with what filters look at as numbers, so that a page at
// any depth is one pass over a few bytes each; only its rows are loaded. What changed stands at the
// end, and leaves an empty place where it was. What others deleted shows in the number of tasks,
// and then all are read again.
#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "task/task_priv.h"

enum {
    TURNS_MAX = 4, // as often others may change what is being read
    SPARE_PLACES = 4096,
};

typedef struct mark {
    int64_t id, rev;                    // id 0: an empty place
    uint32_t status, project, branches; // places in `texts`, from 1; the last one a line
} mark;

struct ken_task__order {
    int64_t rev;         // all up to it is here
    KEN_VEC(mark) marks; // by rev
    size_t n;            // that are no empty places
    ken_map places;      // of ids: index in `marks`
    ken_map numbers;     // of texts
    KEN_VEC(ken_str) texts;
    ken_arena arena; // of `texts`
};

void ken_task__order_free(ken_task__order *o)
{
    if (!o)
        return;
    ken_vec_release(&o->marks);
    ken_map_release(&o->places);
    ken_map_release(&o->numbers);
    ken_vec_release(&o->texts);
    ken_arena_release(&o->arena);
    ken_free(o);
}

static ken_task__order *order_new(void)
{
    ken_task__order *o = ken_zalloc(sizeof *o);
    ken_map_init(&o->places);
    ken_map_init(&o->numbers);
    ken_arena_init(&o->arena, 0);
    return o;
}

// ---- following ---------------------------------------------------------------------------------

static ken_str key_of(const int64_t *id)
{
    return ken_str_n((const char *)id, sizeof *id);
}

static uint32_t keep(ken_task__order *o, ken_str text)
{
    bool is_new = false;
    uint64_t number = *ken_map_put(&o->numbers, text, o->texts.len + 1, &is_new);
    if (is_new)
        ken_vec_push(&o->texts, ken_arena_dup(&o->arena, text));
    return (uint32_t)number;
}

static uint32_t number_of(const ken_task__order *o, ken_str text)
{
    const uint64_t *number = ken_map_find(&o->numbers, text);
    return number ? (uint32_t)*number : 0;
}

static void drop(ken_task__order *o, int64_t id)
{
    const uint64_t *place = ken_map_find(&o->places, key_of(&id));
    if (!place || o->marks.ptr[*place].id != id)
        return;
    o->marks.ptr[*place].id = 0;
    o->n--;
}

static void take_in(void *ctx, const ken_task *t, ken_str branches)
{
    ken_task__order *o = ctx;
    drop(o, t->id);
    *ken_map_put(&o->places, key_of(&t->id), 0, NULL) = o->marks.len;
    mark m = { .id = t->id,
               .rev = t->rev,
               .status = keep(o, t->status),
               .project = keep(o, ken_task__project_bytes(t->has_project ? &t->project : NULL)),
               .branches = keep(o, branches) };
    ken_vec_push(&o->marks, m);
    o->n++;
    o->rev = t->rev;
}

static ken_status count_tasks(ken_tasks *t, uint64_t *out, ken_err *err)
{
    ken_arena none;
    ken_task *rows = NULL;
    size_t n = 0;
    ken_arena_init(&none, 0);
    ken_status st =
        ken_catalog_list_tasks(t->catalog, &(ken_task_filter){ 0 }, &none, &rows, &n, out, err);
    ken_arena_release(&none);
    return st;
}

static void start_anew(ken_tasks *t)
{
    ken_task__order_free(t->order);
    t->order = order_new();
}

static ken_status read_changes(ken_tasks *t, ken_err *err)
{
    int64_t rev = 0;
    ken_status st = ken_catalog_last_task_rev(t->catalog, &rev, err);
    return st || rev <= t->order->rev
               ? st
               : ken_catalog_scan_tasks(t->catalog, t->order->rev, take_in, t->order, err);
}

static ken_status follow(ken_tasks *t, ken_err *err)
{
    uint64_t n = 0;
    if (!t->order || t->order->marks.len > 2 * t->order->n + SPARE_PLACES)
        start_anew(t);
    ken_status st = read_changes(t, err);
    if (!st)
        st = count_tasks(t, &n, err);
    if (st || n == t->order->n)
        return st;
    start_anew(t);
    return read_changes(t, err);
}

void ken_task__order_drop(ken_tasks *t, int64_t id)
{
    if (t->order)
        drop(t->order, id);
}

// ---- asking ------------------------------------------------------------------------------------

#define ANY UINT32_MAX

typedef struct wanted {
    uint32_t status, project; // ANY, or 0 for what no task has
    uint8_t *has_branch;      // by text; NULL = any
} wanted;

static bool has_line(ken_str text, ken_str line)
{
    ken_str one;
    while (ken_str_line_next(&text, &one))
        if (ken_str_eq(one, line))
            return true;
    return false;
}

static wanted wanted_of(const ken_task__order *o, const ken_task_query *q, ken_arena *arena)
{
    wanted w = { .status = ANY, .project = ANY };
    if (q->status.ptr)
        w.status = number_of(o, q->status);
    if (q->project)
        w.project = number_of(o, ken_task__project_bytes(q->project));
    if (!q->branch.ptr)
        return w;
    w.has_branch = ken_arena_zalloc(arena, o->texts.len + 1);
    for (size_t i = 0; i < o->texts.len; i++)
        w.has_branch[i + 1] = has_line(o->texts.ptr[i], q->branch);
    return w;
}

static bool passes(const wanted *w, const mark *m)
{
    return m->id && (w->status == ANY || m->status == w->status) &&
           (w->project == ANY || m->project == w->project) &&
           (!w->has_branch || w->has_branch[m->branches]);
}

// The marks of a page, the last changed first; returns how many. *out_total: that pass.
static size_t pick(const ken_task__order *o, const ken_task_query *q, ken_arena *arena,
                   const mark **out, uint64_t *out_total)
{
    wanted w = wanted_of(o, q, arena);
    uint64_t n_passed = 0;
    size_t n = 0;
    for (size_t i = o->marks.len; i-- > 0;)
        if (passes(&w, &o->marks.ptr[i]) && n_passed++ >= q->offset && n < q->limit)
            out[n++] = &o->marks.ptr[i];
    *out_total = n_passed;
    return n;
}

// Loads the rows of the marks; false in *out_is_whole when one of them has changed since, or is
// gone.
static ken_status load(ken_tasks *t, const mark *const *marks, size_t n, ken_arena *arena,
                       ken_task_page *out, bool *out_is_whole, ken_err *err)
{
    int64_t *ids = KEN_ARENA_ARRAY(arena, int64_t, n + 1);
    out->tasks = KEN_ARENA_ARRAY(arena, ken_task, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = marks[i]->id;
    ken_status st = ken_catalog_load_tasks(t->catalog, ids, n, arena, out->tasks, &out->n, err);
    *out_is_whole = !st && out->n == n;
    for (size_t i = 0; *out_is_whole && i < n; i++)
        *out_is_whole = out->tasks[i].rev == marks[i]->rev;
    return st;
}

ken_status ken_task__list_deep(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                               ken_task_page *out, bool *out_is_whole, ken_err *err)
{
    const mark **marks = KEN_ARENA_ARRAY(arena, const mark *, (size_t)q->limit);
    ken_status st = KEN_OK;
    *out_is_whole = false;
    for (int turn = 0; !st && !*out_is_whole && turn < TURNS_MAX; turn++) {
        ken_task_page page = { 0 };
        st = follow(t, err);
        if (st)
            return st;
        size_t n = pick(t->order, q, arena, marks, &page.total);
        st = load(t, marks, n, arena, &page, out_is_whole, err);
        page.has_more = q->offset + page.n < page.total;
        if (*out_is_whole)
            *out = page;
    }
    return st;
}

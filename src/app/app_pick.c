// SPDX-License-Identifier: MIT
// Which of the projects in a database a question is put to. Behind questions, the words of those are written that the
// database has none of yet: they were indexed by an older ken, or came from elsewhere.
#include <stdlib.h>

#include "app/app_priv.h"
#include "app/wide.h"
#include "base/quota.h"
#include "obs/log.h"
#include "store/database.h"

enum {
    TOLD_AT_ONCE = 64, // of one call behind a question
    NEAR_VECTORS = 200,
};

// Of rows that begin with the name of an index.
static int by_name(const void *a, const void *b)
{
    return ken_str_cmp(*(const ken_str *)a, *(const ken_str *)b);
}

static const void *row_of(const void *rows, size_t n, size_t bytes, ken_str name)
{
    return n ? bsearch(&name, rows, n, bytes, by_name) : NULL;
}

// ---- telling the words ---------------------------------------------------------------------------

typedef struct telling {
    ken_app *app;
    ken_arena arena;
    size_t n;
    ken_project_info projects[TOLD_AT_ONCE];
} telling;

// One that was removed meanwhile is not made again.
static ken_status tell_one(const telling *t, const ken_project_info *p, ken_err *err)
{
    ken_store *store = NULL;
    const ken_store_opts reads = { .is_read_only = true }, writes = { .map_bytes = 0 };
    ken_status st = ken_app__open_index(p, &reads, &store, err);
    ken_store_close(store);
    store = NULL;
    if (st)
        return st == KEN_ENOTFOUND ? KEN_OK : st;
    st = ken_app__open_index(p, &writes, &store, err);
    if (!st)
        st = ken_index_tell_words(store, &t->app->builds_end, err);
    ken_store_close(store);
    return st;
}

static void tell(void *ctx, size_t worker)
{
    (void)worker;
    telling *t = ctx;
    ken_err first = { 0 };
    size_t n_failed = 0;
    ken_pool_give_way();
    for (size_t i = 0; i < t->n && !ken_cancel_is_set(&t->app->builds_end); i++) {
        ken_err err = { 0 };
        ken_status st = tell_one(t, &t->projects[i], &err);
        if (st && st != KEN_ECANCELLED && !n_failed++)
            first = err;
    }
    if (n_failed)
        KEN_LOG_WARNING("app", "words of %zu of %zu projects in the database: %.300s", n_failed,
                        t->n, first.msg);
    atomic_store(&t->app->is_telling, false);
    ken_arena_release(&t->arena);
    ken_free(t);
}

static bool has_index(const telling *t, const ken_project_info *p)
{
    for (size_t i = 0; i < t->n; i++)
        if (ken_str_eq(t->projects[i].db_path, p->db_path))
            return true;
    return false;
}

// Each time from another one on: those that fail are not in the way of the others.
static void tell_behind(ken_app *app, const ken_project_info *const *projects, const size_t *list,
                        size_t n)
{
    if (!n || !app->is_serving || atomic_exchange(&app->is_telling, true))
        return;
    telling *t = ken_zalloc(sizeof *t);
    const size_t from = atomic_fetch_add(&app->told_from, TOLD_AT_ONCE);
    t->app = app;
    ken_arena_init(&t->arena, 0);
    for (size_t i = 0; i < n && t->n < TOLD_AT_ONCE; i++) {
        const ken_project_info *p = projects[list[(from + i) % n]];
        if (!has_index(t, p))
            t->projects[t->n++] = ken_app__dup_project(p, &t->arena);
    }
    ken_pool *pool = ken_app__builds(app);
    if (pool && ken_pool_try_submit(pool, tell, t))
        return;
    atomic_store(&app->is_telling, false);
    ken_arena_release(&t->arena);
    ken_free(t);
}

// ---- picking -------------------------------------------------------------------------------------

// What is known of each project's index.
static void join(const ken_project_info *const *projects, size_t n, ken_words_index *rows,
                 size_t n_rows, ken_near_index *near, size_t n_near, ken_pick_index *out)
{
    if (n_rows)
        qsort(rows, n_rows, sizeof *rows, by_name);
    if (n_near)
        qsort(near, n_near, sizeof *near, by_name);
    for (size_t i = 0; i < n; i++) {
        const ken_str name = projects[i]->db_path;
        const ken_words_index *words = row_of(rows, n_rows, sizeof *rows, name);
        const ken_near_index *nearest = row_of(near, n_near, sizeof *near, name);
        out[i] = (ken_pick_index){ .distance = nearest ? nearest->distance : -1 };
        if (!words)
            continue;
        out[i].codes = words->codes;
        out[i].n_contents = words->n_contents;
        out[i].is_untold = words->is_untold;
    }
}

// Words alone are enough, so a failure is no one of the question; what ends the question does so later.
static void find_near(ken_database *db, const ken_pick_question *q, ken_arena *arena,
                      ken_near_index **out, size_t *out_n)
{
    ken_err err = { 0 };
    *out_n = 0;
    ken_status st = !q->n_dims ? KEN_OK
                               : ken_database_find_near(db, q->model, q->unit, q->n_dims,
                                                        NEAR_VECTORS, arena, out, out_n, &err);
    if (st)
        *out_n = 0;
    if (st && st != KEN_ECANCELLED)
        KEN_LOG_WARNING("app", "near vectors for a question to many projects: %.300s", err.msg);
}

ken_status ken_app_pick(ken_app *app, const ken_project_info *const *projects, size_t n,
                        const ken_pick_question *q, size_t most, bool may_tell, ken_arena *arena,
                        ken_picked *out, ken_err *err)
{
    ken_words_index *rows = NULL;
    ken_near_index *near = NULL;
    size_t n_rows = 0, n_near = 0;
    ken_database *db = projects[0]->database;
    ken_status st =
        ken_database_find_words(db, q->entries, q->codes, q->n, arena, &rows, &n_rows, err);
    if (st)
        return st;
    find_near(db, q, arena, &near, &n_near);
    ken_pick_index *list = KEN_ARENA_ARRAY(arena, ken_pick_index, n + 1);
    join(projects, n, rows, n_rows, near, n_near, list);
    ken_pick_choose(q, list, n, most, arena, out);
    if (may_tell)
        tell_behind(app, projects, out->untold, out->n_untold);
    return KEN_OK;
}

// SPDX-License-Identifier: MIT
// Which of the projects in a database have words of a question; and, behind questions, the words of those that were
// indexed before the database was told of any, or came from elsewhere.
#include <stdlib.h>

#include "app/app_priv.h"
#include "app/wide.h"
#include "base/quota.h"
#include "obs/log.h"
#include "store/database.h"

enum {
    UNTOLD_SHARE = 4,  // of what is asked, a quarter at most are projects whose words are not known
    TOLD_AT_ONCE = 64, // of one call behind a question
    NEAR_VECTORS = 200,
};

static int by_name(const void *a, const void *b)
{
    return ken_str_cmp(((const ken_words_index *)a)->name, ((const ken_words_index *)b)->name);
}

typedef struct scored {
    double score;
    size_t at;
} scored;

static int by_score(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
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
static void tell_behind(ken_app *app, const ken_project_info *const *projects, const scored *list,
                        size_t n)
{
    if (!n || !app->is_serving || atomic_exchange(&app->is_telling, true))
        return;
    telling *t = ken_zalloc(sizeof *t);
    const size_t from = atomic_fetch_add(&app->told_from, TOLD_AT_ONCE);
    t->app = app;
    ken_arena_init(&t->arena, 0);
    for (size_t i = 0; i < n && t->n < TOLD_AT_ONCE; i++) {
        const ken_project_info *p = projects[list[(from + i) % n].at];
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

// What is known of each project's index, in the order of the projects.
static void join_words(const ken_project_info *const *projects, size_t n, ken_words_index *rows,
                       size_t n_rows, ken_pick_index *out, bool *is_untold)
{
    if (n_rows)
        qsort(rows, n_rows, sizeof *rows, by_name);
    for (size_t i = 0; i < n; i++) {
        const ken_words_index key = { .name = projects[i]->db_path };
        const ken_words_index *found =
            n_rows ? bsearch(&key, rows, n_rows, sizeof *rows, by_name) : NULL;
        out[i] = (ken_pick_index){ .distance = -1 };
        if (found) {
            out[i].codes = found->codes;
            out[i].n_contents = found->n_contents;
        }
        is_untold[i] = found && found->is_untold;
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

// Returns how many of the projects have one.
static size_t join_near(const ken_project_info *const *projects, size_t n,
                        const ken_near_index *near, size_t n_near, ken_pick_index *out)
{
    size_t n_joined = 0;
    for (size_t k = 0; k < n_near; k++)
        for (size_t i = 0; i < n; i++)
            if (ken_str_eq(near[k].name, projects[i]->db_path)) {
                out[i].distance = near[k].distance;
                n_joined++;
            }
    return n_joined;
}

ken_status ken_app_pick(ken_app *app, const ken_project_info *const *projects, size_t n,
                        const ken_pick_question *q, size_t most, bool may_tell, ken_arena *arena,
                        ken_app_picked *out, ken_err *err)
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
    bool *is_untold = KEN_ARENA_ARRAY(arena, bool, n + 1);
    scored *with = KEN_ARENA_ARRAY(arena, scored, n + 1),
           *untold = KEN_ARENA_ARRAY(arena, scored, n + 1);
    ken_app_picked p = { .at = KEN_ARENA_ARRAY(arena, size_t, n + 1), .by_words = q->n != 0 };
    join_words(projects, n, rows, n_rows, list, is_untold);
    p.by_vectors = join_near(projects, n, near, n_near, list) != 0;
    if (!p.by_words && !p.by_vectors) {
        *out = (ken_app_picked){ .is_all = true };
        return KEN_OK;
    }
    ken_pick_score(q, list, n);
    for (size_t i = 0; i < n; i++) {
        if (is_untold[i])
            untold[p.n_untold++] = (scored){ list[i].score, i };
        else if (list[i].score > 0)
            with[p.n_with++] = (scored){ list[i].score, i };
    }
    qsort(with, p.n_with, sizeof *with, by_score);
    qsort(untold, p.n_untold, sizeof *untold, by_score);
    const size_t room = most > p.n_with ? most - p.n_with : 0, share = most / UNTOLD_SHARE;
    for (size_t i = 0; i < p.n_untold && i < (room > share ? room : share); i++)
        p.at[p.n++] = untold[i].at;
    for (size_t i = 0; i < p.n_with && p.n < most; i++)
        p.at[p.n++] = with[i].at;
    qsort(p.at, p.n, sizeof *p.at, by_place);
    if (may_tell)
        tell_behind(app, projects, untold, p.n_untold);
    *out = p;
    return KEN_OK;
}

// SPDX-License-Identifier: MIT
// A catalog and its sums. Each row is one transaction of the copy, and what is there already is left as it is: so a
// copy that was stopped goes on where it was. Rows that the original does not have go first, as a root, a name or a
// rev of theirs may be another's now.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "move/move_priv.h"
#include "store/access_tokens.h"
#include "store/jobs.h"
#include "store/move.h"
#include "store/remotes.h"
#include "store/tasks.h"

enum {
    TASKS_AT_ONCE = 50, // of one transaction
};

// ---- projects ----------------------------------------------------------------------------------

static void add_project(ken_move_sum *sum, const ken_catalog_row *p)
{
    move_row r;
    ken_move__begin(&r, sum);
    ken_move__uuid(&r, p->id);
    ken_move__uuid(&r, p->index_of);
    ken_move__text(&r, p->name);
    ken_move__bytes(&r, p->root);
    ken_move__number(&r, (uint64_t)p->created_at_ms);
    ken_move__number(&r, (uint64_t)p->indexed_at_ms);
    ken_move__number(&r, p->is_active);
    ken_move__end(&r);
}

static int by_project(const void *a, const void *b)
{
    return memcmp(((const ken_catalog_row *)a)->id.bytes, ((const ken_catalog_row *)b)->id.bytes,
                  sizeof(ken_uuid));
}

// By id: names are repaired in one place and not in the other, which changes their order.
static ken_status list_projects(ken_catalog *c, ken_arena *arena, ken_catalog_row **out,
                                size_t *out_n, ken_err *err)
{
    ken_status st = ken_catalog_list(c, arena, out, out_n, err);
    if (!st && *out_n)
        qsort(*out, *out_n, sizeof **out, by_project);
    return st;
}

static const ken_catalog_row *find_project(const ken_catalog_row *rows, size_t n, ken_uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (ken_uuid_eq(rows[i].id, id))
            return &rows[i];
    return NULL;
}

static ken_status put_project(ken_catalog *to, const ken_catalog_row *p, const ken_catalog_row *old,
                              ken_arena *arena, ken_err *err)
{
    ken_catalog_row made;
    ken_status st =
        old ? ken_catalog_add(to, p->root, p->name, p->created_at_ms, arena, &made, err)
            : ken_catalog_add_as(to, p->id, p->root, p->name, p->created_at_ms, arena, &made, err);
    if (st)
        return st;
    if (!ken_uuid_eq(made.index_of, p->index_of))
        st = ken_catalog_share(to, p->id, p->index_of, err);
    if (!st && made.is_active != p->is_active)
        st = ken_catalog_set_active(to, p->id, p->is_active, err);
    if (!st && made.indexed_at_ms != p->indexed_at_ms)
        st = ken_catalog_set_indexed(to, p->id, p->indexed_at_ms, err);
    return st;
}

static ken_status copy_projects(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err)
{
    ken_catalog_row *rows = NULL, *old = NULL;
    size_t n = 0, n_old = 0;
    ken_status st = list_projects(from, arena, &rows, &n, err);
    if (!st)
        st = list_projects(to, arena, &old, &n_old, err);
    for (size_t i = 0; !st && i < n_old; i++) {
        const ken_catalog_row *p = find_project(rows, n, old[i].id);
        if (p && ken_str_eq(p->root, old[i].root))
            continue;
        st = ken_catalog_remove(to, old[i].id, err);
        old[i].id = (ken_uuid){ { 0 } };
    }
    for (size_t i = 0; !st && i < n; i++)
        st = put_project(to, &rows[i], find_project(old, n_old, rows[i].id), arena, err);
    return st;
}

static ken_status sum_projects(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_catalog_row *rows = NULL;
    size_t n = 0;
    ken_status st = list_projects(c, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        add_project(sum, &rows[i]);
    return st;
}

// ---- remotes -----------------------------------------------------------------------------------

static int by_remote(const void *a, const void *b)
{
    return memcmp(((const ken_remote *)a)->project.bytes, ((const ken_remote *)b)->project.bytes,
                  sizeof(ken_uuid));
}

static ken_status list_remotes(ken_catalog *c, ken_arena *arena, ken_remote **out, size_t *out_n,
                               ken_err *err)
{
    ken_status st = ken_catalog_list_remotes(c, arena, out, out_n, err);
    if (!st && *out_n)
        qsort(*out, *out_n, sizeof **out, by_remote);
    return st;
}

static ken_status sum_remotes(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_remote *rows = NULL;
    size_t n = 0;
    ken_status st = list_remotes(c, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_remote *m = &rows[i];
        move_row r;
        ken_move__begin(&r, sum);
        ken_move__uuid(&r, m->project);
        const ken_str texts[] = { m->url, m->branch, m->sparse, m->commit, m->error };
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            ken_move__text(&r, texts[k]);
        const uint64_t numbers[] = { m->depth,
                                     m->interval_s,
                                     m->follows_default,
                                     (uint64_t)m->synced_at_ms,
                                     (uint64_t)m->tried_at_ms,
                                     m->n_failures };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            ken_move__number(&r, numbers[k]);
        ken_move__end(&r);
    }
    return st;
}

static ken_status copy_remotes(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err)
{
    ken_remote *rows = NULL, *old = NULL;
    size_t n = 0, n_old = 0;
    ken_status st = list_remotes(from, arena, &rows, &n, err);
    if (!st)
        st = list_remotes(to, arena, &old, &n_old, err);
    for (size_t i = 0; !st && i < n_old; i++)
        st = ken_catalog_remove_remote(to, old[i].project, err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_remote said = rows[i];
        if (said.follows_default)
            said.branch = KEN_STR("");
        st = ken_catalog_put_remote(to, &said, err);
        if (!st)
            st = ken_catalog_set_remote_synced(to, &rows[i], err);
    }
    return st;
}

// ---- settings ----------------------------------------------------------------------------------

static ken_status list_settings(ken_catalog *c, ken_arena *arena, ken_catalog_value **out,
                                size_t *out_n, ken_err *err)
{
    size_t n = 0, n_kept = 0;
    ken_status st = ken_catalog_list_values(c, arena, out, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        if (!ken_str_starts((*out)[i].name, KEN_STR(KEN_MOVE_VALUES)))
            (*out)[n_kept++] = (*out)[i];
    *out_n = n_kept;
    return st;
}

static ken_status sum_settings(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_catalog_value *rows = NULL;
    size_t n = 0;
    ken_status st = list_settings(c, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        move_row r;
        ken_move__begin(&r, sum);
        ken_move__text(&r, rows[i].name);
        ken_move__text(&r, rows[i].value);
        ken_move__end(&r);
    }
    return st;
}

static bool has_setting(const ken_catalog_value *rows, size_t n, ken_str name, ken_str *out)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq(rows[i].name, name)) {
            *out = rows[i].value;
            return true;
        }
    return false;
}

static ken_status copy_settings(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err)
{
    ken_catalog_value *rows = NULL, *old = NULL;
    size_t n = 0, n_old = 0;
    ken_str value;
    ken_status st = list_settings(from, arena, &rows, &n, err);
    if (!st)
        st = list_settings(to, arena, &old, &n_old, err);
    for (size_t i = 0; !st && i < n_old; i++)
        if (!has_setting(rows, n, old[i].name, &value))
            st = ken_catalog_put_value(to, old[i].name, (ken_str){ NULL, 0 }, err);
    for (size_t i = 0; !st && i < n; i++)
        if (!has_setting(old, n_old, rows[i].name, &value) || !ken_str_eq(value, rows[i].value))
            st = ken_catalog_put_value(to, rows[i].name, rows[i].value, err);
    return st;
}

// ---- models ------------------------------------------------------------------------------------

static int by_model(const void *a, const void *b)
{
    return ken_str_cmp(((const ken_model_record *)a)->id, ((const ken_model_record *)b)->id);
}

static ken_status list_models(ken_catalog *c, ken_arena *arena, ken_model_record **out,
                              size_t *out_n, ken_err *err)
{
    ken_status st = ken_catalog_list_models(c, arena, out, out_n, err);
    if (!st && *out_n)
        qsort(*out, *out_n, sizeof **out, by_model);
    return st;
}

static ken_status sum_models(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_model_record *rows = NULL;
    size_t n = 0;
    ken_status st = list_models(c, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_model_record *m = &rows[i];
        move_row r;
        ken_move__begin(&r, sum);
#define X(name) ken_move__text(&r, m->name);
        KEN_MODEL_TEXTS(X)
#undef X
#define X(name) ken_move__number(&r, m->name);
        KEN_MODEL_NUMBERS(X)
#undef X
        ken_move__number(&r, m->status);
        ken_move__number(&r, m->is_preloaded);
        ken_move__end(&r);
    }
    return st;
}

static ken_status copy_models(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err)
{
    ken_model_record *rows = NULL, *old = NULL;
    size_t n = 0, n_old = 0, k = 0;
    ken_status st = list_models(from, arena, &rows, &n, err);
    if (!st)
        st = list_models(to, arena, &old, &n_old, err);
    for (size_t i = 0; !st && i < n_old; i++) {
        while (k < n && ken_str_cmp(rows[k].id, old[i].id) < 0)
            k++;
        if (k == n || !ken_str_eq(rows[k].id, old[i].id))
            st = ken_catalog_remove_model(to, old[i].id, err);
    }
    for (size_t i = 0; !st && i < n; i++)
        st = ken_catalog_put_model(to, &rows[i], err);
    return st;
}

// ---- access tokens -----------------------------------------------------------------------------

static ken_status sum_tokens(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_access_token *rows = NULL;
    size_t n = 0;
    ken_status st = ken_catalog_list_tokens(c, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_access_token *t = &rows[i];
        move_row r;
        ken_move__begin(&r, sum);
        ken_move__uuid(&r, t->id);
        ken_move__text(&r, t->name);
        ken_move__bytes(&r, ken_str_n((const char *)t->hash.bytes, sizeof t->hash.bytes));
        ken_move__number(&r, t->scopes);
        ken_move__uuid(&r, t->is_bound ? t->project : (ken_uuid){ { 0 } });
        ken_move__number(&r, (uint64_t)t->created_at_ms);
        ken_move__number(&r, (uint64_t)t->expires_at_ms);
        ken_move__end(&r);
    }
    return st;
}

static bool has_token(const ken_access_token *rows, size_t n, ken_uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (ken_uuid_eq(rows[i].id, id))
            return true;
    return false;
}

// They are added and revoked, never changed.
static ken_status copy_tokens(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err)
{
    ken_access_token *rows = NULL, *old = NULL;
    size_t n = 0, n_old = 0;
    ken_status st = ken_catalog_list_tokens(from, arena, &rows, &n, err);
    if (!st)
        st = ken_catalog_list_tokens(to, arena, &old, &n_old, err);
    for (size_t i = 0; !st && i < n_old; i++)
        if (!has_token(rows, n, old[i].id))
            st = ken_catalog_remove_token(to, old[i].id, err);
    for (size_t i = 0; !st && i < n; i++)
        if (!has_token(old, n_old, rows[i].id))
            st = ken_catalog_add_token(to, &rows[i], err);
    return st;
}

// ---- tasks -------------------------------------------------------------------------------------

typedef struct task_mark {
    ken_uuid uuid;
    int64_t rev;
} task_mark;

typedef KEN_VEC(task_mark) task_marks;

static void see_task(void *ctx, const ken_task *task, ken_str branches)
{
    task_marks *marks = ctx;
    (void)branches;
    ken_vec_push(marks, ((task_mark){ task->uuid, task->rev }));
}

static int by_uuid(const void *a, const void *b)
{
    return memcmp(((const task_mark *)a)->uuid.bytes, ((const task_mark *)b)->uuid.bytes,
                  sizeof(ken_uuid));
}

static void add_task(ken_move_sum *sum, const ken_task *t)
{
    move_row r;
    ken_move__begin(&r, sum);
    ken_move__uuid(&r, t->uuid);
    ken_move__uuid(&r, t->has_project ? t->project : (ken_uuid){ { 0 } });
    const uint64_t numbers[] = { (uint64_t)t->rev,
                                 (uint64_t)t->created_at_ms,
                                 (uint64_t)t->updated_at_ms,
                                 t->n_references,
                                 t->n_branches,
                                 t->n_commits,
                                 t->n_changes };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ken_move__number(&r, numbers[i]);
    const ken_str texts[] = { t->title, t->status, t->description, t->notes };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ken_move__text(&r, texts[i]);
    for (size_t i = 0; i < t->n_references; i++) {
        ken_move__text(&r, t->references[i].path);
        ken_move__text(&r, t->references[i].type);
        ken_move__number(&r, (uint64_t)t->references[i].at_ms);
    }
    for (size_t i = 0; i < t->n_branches; i++) {
        ken_move__text(&r, t->branches[i].name);
        ken_move__number(&r, (uint64_t)t->branches[i].at_ms);
    }
    for (size_t i = 0; i < t->n_commits; i++) {
        ken_move__text(&r, t->commits[i].hash);
        ken_move__text(&r, t->commits[i].message);
        ken_move__number(&r, (uint64_t)t->commits[i].at_ms);
    }
    for (size_t i = 0; i < t->n_changes; i++) {
        ken_move__text(&r, t->changes[i].from);
        ken_move__text(&r, t->changes[i].to);
        ken_move__number(&r, (uint64_t)t->changes[i].at_ms);
    }
    ken_move__end(&r);
}

// In the order of their revs.
static ken_status sum_tasks(ken_catalog *c, const ken_move_job *job, ken_move_sum *sum,
                            ken_err *err)
{
    task_marks marks = { 0 };
    ken_arena arena;
    ken_status st = ken_catalog_scan_tasks(c, 0, see_task, &marks, err);
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !st && i < marks.len; i++) {
        ken_task t;
        ken_arena_reset(&arena);
        st = ken_move__tell(job, i, marks.len, err);
        if (!st)
            st = ken_catalog_load_task(c, marks.ptr[i].uuid, &arena, &t, err);
        if (!st)
            add_task(sum, &t);
        if (st == KEN_ENOTFOUND)
            st = KEN_OK; // removed meanwhile
    }
    ken_arena_release(&arena);
    ken_vec_release(&marks);
    return st;
}

// Those of `marks` that `others` lack, or have with another rev when `with_revs`; both by uuid.
static void keep_different(task_marks *marks, const task_marks *others, bool with_revs)
{
    size_t n = 0;
    for (size_t i = 0, o = 0; i < marks->len; i++) {
        const task_mark *m = &marks->ptr[i];
        while (o < others->len && by_uuid(&others->ptr[o], m) < 0)
            o++;
        bool is_there = o < others->len && !by_uuid(&others->ptr[o], m);
        if (!is_there || (with_revs && others->ptr[o].rev != m->rev))
            marks->ptr[n++] = *m;
    }
    marks->len = n;
}

static ken_status load_marks(ken_catalog *c, task_marks *out, ken_err *err)
{
    ken_status st = ken_catalog_scan_tasks(c, 0, see_task, out, err);
    if (!st && out->len)
        qsort(out->ptr, out->len, sizeof *out->ptr, by_uuid);
    return st;
}

static ken_status remove_tasks(ken_catalog *to, const task_marks *has, const task_marks *wanted,
                               ken_err *err)
{
    task_marks gone = { 0 };
    ken_status st = KEN_OK;
    for (size_t i = 0; i < has->len; i++)
        ken_vec_push(&gone, has->ptr[i]);
    keep_different(&gone, wanted, false);
    for (size_t i = 0; !st && i < gone.len; i++)
        st = ken_catalog_remove_task(to, gone.ptr[i].uuid, err);
    ken_vec_release(&gone);
    return st;
}

static ken_status put_some(ken_catalog *from, ken_catalog *to, const task_mark *marks, size_t n,
                           int64_t last_rev, ken_err *err)
{
    ken_arena arena;
    ken_task tasks[TASKS_AT_ONCE];
    size_t n_found = 0;
    ken_status st = KEN_OK;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !st && i < n; i++) {
        st = ken_catalog_load_task(from, marks[i].uuid, &arena, &tasks[n_found], err);
        n_found += !st;
        if (st == KEN_ENOTFOUND)
            st = KEN_OK; // removed meanwhile
    }
    if (!st)
        st = ken_catalog_put_tasks(to, tasks, n_found, last_rev, err);
    ken_arena_release(&arena);
    return st;
}

static ken_status copy_tasks(ken_catalog *from, ken_catalog *to, const ken_move_job *job,
                             ken_err *err)
{
    task_marks wanted = { 0 }, has = { 0 };
    int64_t last_rev = 0;
    ken_status st = ken_catalog_last_task_rev(from, &last_rev, err);
    if (!st)
        st = load_marks(from, &wanted, err);
    if (!st)
        st = load_marks(to, &has, err);
    if (!st)
        st = remove_tasks(to, &has, &wanted, err);
    if (!st)
        keep_different(&wanted, &has, true);
    size_t at = 0;
    while (!st && at < wanted.len) {
        size_t n = wanted.len - at < TASKS_AT_ONCE ? wanted.len - at : TASKS_AT_ONCE;
        st = ken_cancel_check(job->cancel, err);
        if (!st)
            st = put_some(from, to, wanted.ptr + at, n, last_rev, err);
        at += n;
    }
    if (!st)
        st = ken_catalog_put_tasks(to, NULL, 0, last_rev,
                                   err); // what was given to tasks that are gone
    ken_vec_release(&wanted);
    ken_vec_release(&has);
    return st;
}

// ---- jobs --------------------------------------------------------------------------------------

static bool is_queued(const ken_job *queued, size_t n, const ken_job *j)
{
    for (size_t i = 0; i < n; i++)
        if (queued[i].kind == j->kind && queued[i].has_project == j->has_project &&
            ken_uuid_eq(queued[i].project, j->project) && ken_str_eq(queued[i].params, j->params))
            return true;
    return false;
}

// One that runs is of a process that is not at the copy: there it waits for its turn again, unless somebody wants it to
// end, or the same waits already.
static ken_job as_moved(const ken_job *job, const ken_job *queued, size_t n_queued)
{
    ken_job j = *job;
    if (j.state == KEN_JOB_RUNNING && (j.is_cancel_wanted || is_queued(queued, n_queued, &j))) {
        j.state = j.is_cancel_wanted ? KEN_JOB_CANCELLED : KEN_JOB_INTERRUPTED;
        j.ended_at_ms = j.started_at_ms;
        j.error = KEN_STR("it ran where this installation was moved from");
    } else if (j.state == KEN_JOB_RUNNING) {
        j.state = KEN_JOB_QUEUED;
        j.started_at_ms = 0;
        j.n_done = j.n_total = j.milli_rate = 0;
        j.message = j.error = KEN_STR("");
    }
    j.is_cancel_wanted = false;
    return j;
}

static int by_creation(const void *a, const void *b)
{
    const ken_job *x = a, *y = b;
    if (x->created_at_ms != y->created_at_ms)
        return x->created_at_ms < y->created_at_ms ? -1 : 1;
    return memcmp(x->id.bytes, y->id.bytes, sizeof x->id.bytes);
}

static ken_status list_jobs(ken_catalog *c, ken_arena *arena, ken_job **out, size_t *out_n,
                            ken_err *err)
{
    ken_job *lists[KEN_JOB_STATE_COUNT];
    size_t counts[KEN_JOB_STATE_COUNT] = { 0 }, n = 0;
    ken_status st = KEN_OK;
    for (int s = KEN_JOB_UNKNOWN + 1; !st && s < KEN_JOB_STATE_COUNT; s++) {
        const ken_job_filter f = { .state = (ken_job_state)s, .limit = KEN_JOBS_LISTED_MAX };
        st = ken_catalog_list_jobs(c, &f, arena, &lists[s], &counts[s], err);
        n += counts[s];
    }
    if (st)
        return st;
    ken_job *all = KEN_ARENA_ARRAY(arena, ken_job, n + 1);
    n = 0;
    for (int s = KEN_JOB_UNKNOWN + 1; s < KEN_JOB_STATE_COUNT; s++)
        for (size_t i = 0; i < counts[s]; i++)
            all[n++] = as_moved(&lists[s][i], lists[KEN_JOB_QUEUED], counts[KEN_JOB_QUEUED]);
    qsort(all, n, sizeof *all, by_creation);
    *out = all;
    *out_n = n;
    return KEN_OK;
}

static ken_status sum_jobs(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_job *rows = NULL;
    size_t n = 0;
    ken_status st = list_jobs(c, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_job *j = &rows[i];
        move_row r;
        ken_move__begin(&r, sum);
        ken_move__uuid(&r, j->id);
        ken_move__uuid(&r, j->has_project ? j->project : (ken_uuid){ { 0 } });
        const uint64_t numbers[] = { j->kind,
                                     j->state,
                                     j->n_tries,
                                     j->n_done,
                                     j->n_total,
                                     j->milli_rate,
                                     (uint64_t)j->created_at_ms,
                                     (uint64_t)j->started_at_ms,
                                     (uint64_t)j->ended_at_ms };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            ken_move__number(&r, numbers[k]);
        ken_move__text(&r, j->params);
        ken_move__text(&r, j->message);
        ken_move__text(&r, j->error);
        ken_move__end(&r);
    }
    return st;
}

// They are of an earlier try, and the source has gone on since.
static ken_status remove_jobs(ken_catalog *c, ken_arena *arena, ken_err *err)
{
    const ken_job_filter f = { .state = KEN_JOB_QUEUED, .limit = KEN_JOBS_LISTED_MAX };
    ken_job *queued = NULL, after;
    size_t n = 0;
    ken_status st = ken_catalog_list_jobs(c, &f, arena, &queued, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        st = ken_catalog_cancel_job(c, queued[i].id, ken_clock_wall_ms(), arena, &after, err);
    return st ? st : ken_catalog_prune_jobs(c, 0, 0, err);
}

static ken_status copy_jobs(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err)
{
    ken_job *rows = NULL;
    size_t n = 0;
    ken_status st = remove_jobs(to, arena, err);
    if (!st)
        st = list_jobs(from, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        st = ken_catalog_put_job(to, &rows[i], err);
    return st;
}

// ---- the whole ---------------------------------------------------------------------------------

typedef ken_status sum_fn(ken_catalog *c, ken_arena *arena, ken_move_sum *sum, ken_err *err);
typedef ken_status copy_fn(ken_catalog *from, ken_catalog *to, ken_arena *arena, ken_err *err);

// In the order in which they are copied: tasks, which are many, by themselves.
static const struct {
    ken_move_part part;
    sum_fn *sum;
    copy_fn *copy;
} parts[] = {
    { KEN_MOVE_PROJECTS, sum_projects, copy_projects },
    { KEN_MOVE_REMOTES, sum_remotes, copy_remotes },
    { KEN_MOVE_SETTINGS, sum_settings, copy_settings },
    { KEN_MOVE_MODELS, sum_models, copy_models },
    { KEN_MOVE_TOKENS, sum_tokens, copy_tokens },
    { KEN_MOVE_JOBS, sum_jobs, copy_jobs },
};

ken_status ken_move_sum_catalog(ken_catalog *c, const ken_move_job *job, ken_move_sums *out,
                                ken_err *err)
{
    ken_arena arena;
    ken_status st = KEN_OK;
    *out = (ken_move_sums){ 0 };
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !st && i < sizeof parts / sizeof *parts; i++)
        st = parts[i].sum(c, &arena, &out->parts[parts[i].part], err);
    ken_arena_release(&arena);
    return st ? st : sum_tasks(c, job, &out->parts[KEN_MOVE_TASKS], err);
}

ken_status ken_move_catalog(ken_catalog *from, ken_catalog *to, const ken_move_job *job,
                            ken_err *err)
{
    ken_arena arena;
    ken_status st = KEN_OK;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !st && i < sizeof parts / sizeof *parts; i++)
        st = parts[i].copy(from, to, &arena, err);
    ken_arena_release(&arena);
    return st ? st : copy_tasks(from, to, job, err);
}

// SPDX-License-Identifier: MIT
// Which job is next. Projects take turns: the first in the queue of the project that was served longest
// ago, so that a project that queues a hundred jobs delays another by one of them at most.
#include "base/alloc.h"
#include "base/clock.h"
#include "job/job_priv.h"

enum {
    TURNS_MAX = 1024 // projects whose last turn is remembered
};

job_entry *ken_job__new_entry(ken_jobs *j, const ken_job *row)
{
    job_entry *e = ken_zalloc(sizeof *e);
    ken_arena_init(&e->arena, 256);
    e->owner = j;
    e->made_ns = ken_clock_mono_ns();
    e->job = *row;
    e->job.params = ken_arena_dup(&e->arena, row->params);
    e->job.message = e->job.error = KEN_STR("");
    return e;
}

void ken_job__free_entry(job_entry *e)
{
    if (!e)
        return;
    ken_arena_release(&e->arena);
    ken_free(e);
}

job_entry *ken_job__find_entry(const job_entries *list, ken_uuid id)
{
    for (size_t i = 0; i < list->len; i++)
        if (ken_uuid_eq(list->ptr[i]->job.id, id))
            return list->ptr[i];
    return NULL;
}

void ken_job__remove_entry(job_entries *list, const job_entry *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++)
        if (list->ptr[i] != e)
            list->ptr[kept++] = list->ptr[i];
    list->len = kept;
}

// Jobs of no project take turns as if they were of one: its id is all 0.
static bool runs_one_of(const ken_jobs *j, ken_uuid project)
{
    for (size_t i = 0; i < j->running.len; i++)
        if (ken_uuid_eq(j->running.ptr[i]->job.project, project))
            return true;
    return false;
}

static uint64_t last_turn(const ken_jobs *j, ken_uuid project)
{
    for (size_t i = 0; i < j->turns.len; i++)
        if (ken_uuid_eq(j->turns.ptr[i].project, project))
            return j->turns.ptr[i].number;
    return 0;
}

static void set_turn(ken_jobs *j, ken_uuid project)
{
    size_t at = 0, oldest = 0;
    for (; at < j->turns.len && !ken_uuid_eq(j->turns.ptr[at].project, project); at++)
        if (j->turns.ptr[at].number < j->turns.ptr[oldest].number)
            oldest = at;
    const job_turn turn = { project, ++j->n_turns };
    if (at < j->turns.len)
        j->turns.ptr[at] = turn;
    else if (j->turns.len < TURNS_MAX)
        ken_vec_push(&j->turns, turn);
    else
        j->turns.ptr[oldest] = turn;
}

job_entry *ken_job__take_next(ken_jobs *j)
{
    job_entry *best = NULL;
    uint64_t best_turn = 0;
    for (size_t i = 0; i < j->queue.len; i++) {
        job_entry *e = j->queue.ptr[i];
        uint64_t turn = last_turn(j, e->job.project);
        if ((best && turn >= best_turn) || runs_one_of(j, e->job.project))
            continue;
        best = e;
        best_turn = turn;
    }
    if (best) {
        set_turn(j, best->job.project);
        ken_job__remove_entry(&j->queue, best);
    }
    return best;
}

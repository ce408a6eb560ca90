// SPDX-License-Identifier: MIT
// Syncs of clones whose time has come. Servers and workers of one database all look: the same job is queued
// once, and one that waits or runs already is not queued again.
#include "app/remotes.h"
#include "base/clock.h"
#include "job/job_priv.h"
#include "obs/log.h"

enum {
    LOOK_MS = 5000 // between two looks at the list
};

static bool is_due(ken_jobs *j, const ken_remote *r, ken_arena *arena)
{
    char id[KEN_UUID_TEXT];
    ken_project_info project;
    if (ken_app_next_sync_ms(r) > ken_clock_wall_ms())
        return false;
    ken_uuid_format(r->project, id);
    return !ken_app_find_project(j->app, ken_str_c(id), KEN_STR(""), arena, &project, NULL) &&
           !project.is_archived;
}

// One that cannot be asked about is looked at again soon.
static bool is_at_work(ken_jobs *j, const ken_remote *r)
{
    ken_job_counts n;
    return ken_job__count_rows(j->app, &r->project, &n, NULL) || n.n_queued[KEN_JOB_SYNC] ||
           n.n_running[KEN_JOB_SYNC];
}

static void queue_sync(ken_jobs *j, const ken_remote *r, ken_arena *arena)
{
    ken_job job;
    bool is_new;
    ken_err err = { 0 };
    const ken_job_request wish = { .kind = KEN_JOB_SYNC, .project = r->project };
    if (ken_jobs_submit(j, &wish, arena, &job, &is_new, &err))
        KEN_LOG_WARNING("sync", "a sync could not be queued: %s", err.msg);
}

void ken_jobs_queue_syncs(ken_jobs *j)
{
    int64_t now_ns = ken_clock_mono_ns();
    pthread_mutex_lock(&j->lock);
    bool is_time = !j->syncs_ns || now_ns - j->syncs_ns >= (int64_t)LOOK_MS * 1000000;
    if (is_time)
        j->syncs_ns = now_ns;
    pthread_mutex_unlock(&j->lock);
    if (!is_time)
        return;
    ken_arena a;
    ken_remote *list = NULL;
    size_t n = 0;
    ken_arena_init(&a, 0);
    if (!ken_app_list_remotes(j->app, &a, &list, &n, NULL))
        for (size_t i = 0; i < n; i++)
            if (is_due(j, &list[i], &a) && !is_at_work(j, &list[i]))
                queue_sync(j, &list[i], &a);
    ken_arena_release(&a);
}

// SPDX-License-Identifier: MIT
// What the server looks for by itself. Remote repositories are synced when their time has come, by jobs. No
// repository waits for another: a job is of one project, and projects take turns. With watch.enabled other
// projects are followed.
#include "app/follow.h"
#include "app/remotes.h"
#include "base/clock.h"
#include "obs/log.h"
#include "web/web_priv.h"

enum {
    LOOK_MS = 5000, // between two looks at the list
};

static bool is_due(ken_web *w, const ken_remote *r, ken_arena *arena)
{
    char id[KEN_UUID_TEXT];
    ken_project_info project;
    if (ken_app_next_sync_ms(r) > ken_clock_wall_ms())
        return false;
    ken_uuid_format(r->project, id);
    return !ken_app_find_project(w->app, ken_str_c(id), KEN_STR(""), arena, &project, NULL) &&
           !project.is_archived;
}

static void queue_sync(ken_web *w, const ken_remote *r, ken_arena *arena)
{
    ken_job job;
    bool is_new;
    ken_err err = { 0 };
    const ken_job_request wish = { .kind = KEN_JOB_SYNC, .project = r->project };
    if (ken_jobs_submit(w->jobs, &wish, arena, &job, &is_new, &err))
        KEN_LOG_WARNING("sync", "a sync could not be queued: %s", err.msg);
}

void ken_web__tick_syncs(ken_web *w)
{
    int64_t now_ns = ken_clock_mono_ns();
    if (now_ns < w->next_syncs_ns)
        return;
    w->next_syncs_ns = now_ns + (int64_t)LOOK_MS * 1000000;
    ken_arena a;
    ken_remote *list = NULL;
    size_t n = 0;
    ken_arena_init(&a, 0);
    if (!ken_app_list_remotes(w->app, &a, &list, &n, NULL))
        for (size_t i = 0; i < n; i++)
            if (is_due(w, &list[i], &a))
                queue_sync(w, &list[i], &a);
    ken_arena_release(&a);
    ken_app_follow_all(w->app);
}

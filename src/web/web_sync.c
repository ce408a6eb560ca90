// SPDX-License-Identifier: MIT
// What the server looks for by itself. Remote repositories are synced when their time has come, by jobs. No
// repository waits for another: a job is of one project, and projects take turns. With watch.enabled other
// projects are followed. What another process has indexed is opened.
#include "app/follow.h"
#include "base/clock.h"
#include "web/web_priv.h"

enum {
    LOOK_MS = 5000, // between two looks at the projects
};

void ken_web__tick_syncs(ken_web *w)
{
    int64_t now_ns = ken_clock_mono_ns();
    ken_jobs_queue_syncs(w->jobs);
    if (now_ns < w->next_syncs_ns)
        return;
    w->next_syncs_ns = now_ns + (int64_t)LOOK_MS * 1000000;
    ken_app_follow_all(w->app);
    ken_app_warm(w->app);
}

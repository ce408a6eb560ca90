// SPDX-License-Identifier: MIT
// Indexes that keep in step while nobody asks. One loop waits for the kernel's word about all followed
// folders. One that has news is looked at in slices until it is quiet, whatever comes meanwhile: a
// file that is written a thousand times a second costs a look a slice, and not a thousand.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "app/app_priv.h"
#include "app/follow.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "obs/log.h"

enum {
    NS_PER_MS = 1000000,
    SLICES = 4, // of the quiet time
    SLICE_MIN_MS = 10,
    SLICE_MAX_MS = 250,
    BUSY_MS = 1000,        // until the next try while another process indexes
    GONE_MS = 1000,        // until a folder that is gone is looked for again
    FAILED_MS = 1000,      // until the next try after a failure; then twice that, and so on
    FAILED_MAX_MS = 60000, // at most
    POLL_MIN_MS = 2000,
    POLL_MAX_MS = 600000,
    POLL_FACTOR = 100, // so many times what a look takes
};

typedef struct followed {
    ken_uuid id;
    app_step *step;
    char *root;
    int fd;            // of its watch; -1 = none yet
    int64_t first_ns;  // of what waits for an update; 0 = nothing does
    int64_t last_ns;   // of the last that came
    int64_t due_ns;    // it is looked at then; INT64_MAX = when the kernel tells something
    int64_t failed_ms; // between tries
    char told[200];    // of what stands in the way
    // Guarded by the follower's lock:
    uint64_t used_at;           // larger = asked later
    bool is_leaving, is_wanted; // to be ended; a question has left it behind
    ken_app_followed seen;
} followed;

struct app_follower {
    ken_app *app;
    ken_app_follow_opts opts;
    const ken_cancel *stop;
    int64_t quiet_ns, at_most_ns, slice_ns;
    int wake_fd;
    bool is_alone;               // it follows one project, for ken_app_follow
    ken_status ended;            // why that one is followed no more
    pthread_mutex_t lock;        // guards all below; a leaf
    KEN_VEC(followed *) list;    // changed by the thread that follows only
    KEN_VEC(followed *) joining; // will be added to it
    uint64_t n_uses;
    size_t n_max;
    ken_pool *pool; // NULL until there is something to follow
    ken_cancel end; // of the pool's thread
};

// ---- the list ----------------------------------------------------------------------------------

static app_follower *new_follower(ken_app *app)
{
    app_follower *f = ken_zalloc(sizeof *f);
    const ken_config *config = app->config;
    f->app = app;
    f->quiet_ns = (int64_t)ken_config_u64(config, KEN_CFG_WATCH_QUIET) * NS_PER_MS;
    f->at_most_ns = (int64_t)ken_config_u64(config, KEN_CFG_WATCH_AT_MOST) * NS_PER_MS;
    f->slice_ns = f->quiet_ns / SLICES;
    if (f->slice_ns < (int64_t)SLICE_MIN_MS * NS_PER_MS)
        f->slice_ns = (int64_t)SLICE_MIN_MS * NS_PER_MS;
    if (f->slice_ns > (int64_t)SLICE_MAX_MS * NS_PER_MS)
        f->slice_ns = (int64_t)SLICE_MAX_MS * NS_PER_MS;
    f->n_max = (size_t)ken_config_u64(config, KEN_CFG_WATCH_PROJECTS);
    f->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

static void free_followed(followed *e)
{
    ken_app__follow_step(e->step, false);
    ken_free(e->root);
    ken_free(e);
}

static size_t n_entries(const app_follower *f)
{
    return f->list.len + f->joining.len;
}

static followed *entry(const app_follower *f, size_t i)
{
    return i < f->list.len ? f->list.ptr[i] : f->joining.ptr[i - f->list.len];
}

static void free_follower(app_follower *f)
{
    for (size_t i = 0; i < n_entries(f); i++)
        free_followed(entry(f, i));
    ken_vec_release(&f->list);
    ken_vec_release(&f->joining);
    if (f->wake_fd >= 0)
        close(f->wake_fd);
    pthread_mutex_destroy(&f->lock);
    ken_free(f);
}

static void wake(const app_follower *f)
{
    const uint64_t one = 1;
    if (f->wake_fd >= 0)
        (void)!write(f->wake_fd, &one, sizeof one);
}

// With the lock.
static followed *find(const app_follower *f, ken_uuid id)
{
    for (size_t i = 0; i < n_entries(f); i++)
        if (!entry(f, i)->is_leaving && ken_uuid_eq(entry(f, i)->id, id))
            return entry(f, i);
    return NULL;
}

// With the lock: the number of those that stay, and the one that was asked longest ago.
static size_t count(const app_follower *f, followed **out_oldest)
{
    size_t n = 0;
    *out_oldest = NULL;
    for (size_t i = 0; i < n_entries(f); i++) {
        followed *e = entry(f, i);
        if (e->is_leaving)
            continue;
        n++;
        if (!*out_oldest || e->used_at < (*out_oldest)->used_at)
            *out_oldest = e;
    }
    return n;
}

// With the lock. Its first look is due at once.
static void add(app_follower *f, const ken_project_info *project)
{
    followed *e = ken_zalloc(sizeof *e);
    e->id = project->id;
    e->step = ken_app__step_of(f->app, project->id);
    e->root = ken_strdup(project->root.ptr);
    e->fd = -1;
    e->used_at = ++f->n_uses;
    e->seen.is_behind = true;
    ken_app__follow_step(e->step, true);
    ken_vec_push(&f->joining, e);
}

static void leave(app_follower *f, followed *e)
{
    pthread_mutex_lock(&f->lock);
    e->is_leaving = true;
    pthread_mutex_unlock(&f->lock);
}

static bool is_leaving(app_follower *f, const followed *e)
{
    pthread_mutex_lock(&f->lock);
    bool is = e->is_leaving;
    pthread_mutex_unlock(&f->lock);
    return is;
}

// ---- one update --------------------------------------------------------------------------------

static void set_due(followed *e, int64_t ms)
{
    e->due_ns = ken_clock_mono_ns() + ms * NS_PER_MS;
}

// It is told once; the same again is not.
static bool is_new(followed *e, ken_str what)
{
    char text[sizeof e->told];
    snprintf(text, sizeof text, KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(what, 0, sizeof text - 1)));
    bool is = strcmp(text, e->told) != 0;
    memcpy(e->told, text, sizeof text);
    return is;
}

static void tell(const app_follower *f, const ken_app_update *u)
{
    if (f->opts.on_update)
        f->opts.on_update(f->opts.ctx, u);
}

static void on_failure(const app_follower *f, followed *e, ken_app_update *u, const ken_err *err)
{
    e->failed_ms = e->failed_ms ? e->failed_ms * 2 : FAILED_MS;
    if (e->failed_ms > FAILED_MAX_MS)
        e->failed_ms = FAILED_MAX_MS;
    set_due(e, e->failed_ms);
    e->first_ns = 0;
    u->error = ken_str_c(err->msg[0] ? err->msg : ken_status_text(u->status));
    if (is_new(e, u->error))
        tell(f, u);
}

static int64_t poll_ms(const app_unasked *done)
{
    int64_t ms = done->look_ns / NS_PER_MS * POLL_FACTOR;
    return ms < POLL_MIN_MS ? POLL_MIN_MS : ms > POLL_MAX_MS ? POLL_MAX_MS : ms;
}

static bool has_changed(const ken_index_report *r)
{
    return r->n_added || r->n_modified || r->n_removed || r->n_renamed;
}

// Of a model that is not built in. That it cannot be had is in the log, and with the project.
static void embed(const app_follower *f, ken_app_update *u, ken_app_embedding *made,
                  ken_arena *arena)
{
    ken_config *settings = NULL;
    if (!has_changed(&u->report) || ken_app_load_settings(f->app, u->project, &settings, NULL))
        return;
    if (!ken_app_embed(f->app, u->project, settings, f->opts.on_progress, f->opts.ctx, f->stop,
                       arena, made, NULL) &&
        made->was_needed)
        u->made = made;
    ken_config_free(settings);
}

static void on_success(const app_follower *f, followed *e, ken_app_update *u,
                       const app_unasked *done)
{
    e->first_ns = 0;
    e->failed_ms = 0;
    e->fd = ken_app__step_fd(e->step);
    e->due_ns = INT64_MAX;
    u->polled = done->why;
    u->poll_ms = poll_ms(done);
    u->report = done->report;
    if (u->polled.len)
        set_due(e, u->poll_ms);
    u->is_polled_anew = is_new(e, u->polled) && u->polled.len;
    if (done->was_run || u->is_polled_anew)
        tell(f, u);
}

static void bring_up_to_date(app_follower *f, followed *e, const ken_project_info *project,
                             ken_arena *arena)
{
    ken_app_embedding made;
    ken_app_update u = { .project = project };
    app_unasked done;
    ken_err err = { 0 };
    const app_unasked_opts how = { .stop = f->stop,
                                   .on_progress = f->opts.on_progress,
                                   .progress_ctx = f->opts.ctx };
    u.status = ken_app__update_step(f->app, project, e->step, &how, arena, &done, &err);
    u.ns = done.ns;
    if (u.status == KEN_EBUSY) {
        set_due(e, BUSY_MS);
    } else if (u.status == KEN_ECANCELLED) { // a question goes on with it
        e->first_ns = e->last_ns = ken_clock_mono_ns();
        e->due_ns = e->first_ns + f->slice_ns;
    } else if (u.status) {
        on_failure(f, e, &u, &err);
    } else {
        u.report = done.report;
        if (done.was_run)
            embed(f, &u, &made, arena);
        on_success(f, e, &u, &done);
    }
    pthread_mutex_lock(&f->lock);
    e->seen = (ken_app_followed){ .is_polled = done.why.len > 0,
                                  .is_behind = u.status != KEN_OK,
                                  .n_watched = done.n_watched };
    pthread_mutex_unlock(&f->lock);
    ken_metrics_add(KEN_METRIC_WATCH_UPDATES, u.status || done.was_run,
                    KEN_LABELS(ken_status_name(u.status)));
}

static bool is_folder(const char *path)
{
    ken_fs_info info;
    return !ken_fs_stat(KEN_FS_CWD, path, &info, NULL) && info.kind == KEN_FS_DIR;
}

static void update(app_follower *f, followed *e)
{
    ken_arena arena;
    ken_project_info project;
    ken_err err = { 0 };
    char id[KEN_UUID_TEXT];
    if (is_leaving(f, e))
        return;
    if (e->told[0] && !is_folder(e->root)) { // looked for without the catalog
        set_due(e, GONE_MS);
        return;
    }
    ken_arena_init(&arena, 0);
    ken_uuid_format(e->id, id);
    ken_status st =
        ken_app_find_project(f->app, ken_str_c(id), KEN_STR(""), &arena, &project, &err);
    if (!st)
        st = ken_app__check_active(&project, &err);
    if (st == KEN_ENOTFOUND || st == KEN_EPERM) {
        f->ended = st;
        leave(f, e);
    } else if (st || !is_folder(e->root)) {
        ken_app_update u = { .project = &project, .status = st ? st : KEN_ENOTFOUND };
        if (!st)
            (void)KEN_FAIL(&err, u.status, "the folder '%.160s' is gone", e->root);
        else
            project = (ken_project_info){ .root = ken_str_c(e->root) };
        on_failure(f, e, &u, &err);
        set_due(e, st ? e->failed_ms : GONE_MS);
    } else {
        bring_up_to_date(f, e, &project, &arena);
    }
    ken_arena_release(&arena);
}

// ---- the loop ----------------------------------------------------------------------------------

static bool has_news(const followed *e)
{
    struct pollfd fd = { .fd = e->fd, .events = POLLIN };
    return poll(&fd, 1, 0) > 0;
}

// What waits is looked at until it is quiet, or for as long as it may be.
static void look_at_due(app_follower *f, followed *e, int64_t now)
{
    if (e->first_ns && has_news(e)) {
        ken_app__drain_step(e->step);
        e->last_ns = now;
    }
    bool waits = e->first_ns && now - e->first_ns < f->at_most_ns;
    if (waits && (now - e->last_ns < f->quiet_ns || ken_app__is_step_busy(e->step)))
        e->due_ns = now + f->slice_ns;
    else
        update(f, e);
}

static void begin_waiting(app_follower *f, followed *e, int64_t now)
{
    pthread_mutex_lock(&f->lock);
    e->seen.is_behind = true;
    pthread_mutex_unlock(&f->lock);
    e->first_ns = e->last_ns = now;
    e->due_ns = now + f->slice_ns;
    ken_app__drain_step(e->step);
}

static void take_wakes(const app_follower *f)
{
    uint64_t n;
    (void)!read(f->wake_fd, &n, sizeof n);
}

// Entries come and go here.
static void change_list(app_follower *f)
{
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->joining.len; i++)
        ken_vec_push(&f->list, f->joining.ptr[i]);
    ken_vec_clear(&f->joining);
    pthread_mutex_unlock(&f->lock);
    for (size_t i = f->list.len; i-- > 0;) {
        followed *e = f->list.ptr[i];
        if (!is_leaving(f, e))
            continue;
        pthread_mutex_lock(&f->lock);
        f->list.ptr[i] = f->list.ptr[--f->list.len];
        pthread_mutex_unlock(&f->lock);
        ken_app__rest_step(f->app, e->id);
        free_followed(e);
    }
}

// What questions have left behind waits from now on.
static void take_wanted(app_follower *f, int64_t now)
{
    for (size_t i = 0; i < f->list.len; i++) {
        followed *e = f->list.ptr[i];
        pthread_mutex_lock(&f->lock);
        bool is_wanted = e->is_wanted;
        e->is_wanted = false;
        pthread_mutex_unlock(&f->lock);
        if (is_wanted && !e->first_ns)
            begin_waiting(f, e, now);
    }
}

typedef KEN_VEC(struct pollfd) poll_list;

// Of those that wait for nothing but the kernel's word; the first is the wake descriptor. Returns when
// something is due.
static int64_t list_fds(app_follower *f, poll_list *out)
{
    int64_t due_ns = INT64_MAX;
    ken_vec_clear(out);
    ken_vec_push(out, ((struct pollfd){ .fd = f->wake_fd, .events = POLLIN }));
    for (size_t i = 0; i < f->list.len; i++) {
        const followed *e = f->list.ptr[i];
        due_ns = e->due_ns < due_ns ? e->due_ns : due_ns;
        ken_vec_push(out, ((struct pollfd){ .fd = e->first_ns ? -1 : e->fd, .events = POLLIN }));
    }
    return due_ns;
}

// A signal between the look at `stop` and the wait would be missed: it comes only while we wait.
static void wait_for_news(const app_follower *f, poll_list *fds, int64_t due_ns)
{
    sigset_t held, before;
    int64_t left = due_ns - ken_clock_mono_ns();
    left = left > 0 ? left : 0;
    struct timespec at_most = { left / 1000000000, (long)(left % 1000000000) };
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    if (!ken_cancel_is_set(f->stop) &&
        ppoll(fds->ptr, fds->len, due_ns == INT64_MAX ? NULL : &at_most, &before) < 0)
        for (size_t i = 0; i < fds->len; i++)
            fds->ptr[i].revents = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void follow(app_follower *f)
{
    poll_list fds = { 0 };
    while (!ken_cancel_is_set(f->stop) && !(f->is_alone && f->ended)) {
        change_list(f);
        int64_t due_ns = list_fds(f, &fds);
        wait_for_news(f, &fds, due_ns);
        if (fds.ptr[0].revents)
            take_wakes(f);
        int64_t now = ken_clock_mono_ns();
        take_wanted(f, now);
        for (size_t i = 0; i < f->list.len; i++)
            if (fds.ptr[i + 1].revents)
                begin_waiting(f, f->list.ptr[i], now);
        for (size_t i = 0; i < f->list.len && !ken_cancel_is_set(f->stop); i++)
            if (f->list.ptr[i]->due_ns <= now)
                look_at_due(f, f->list.ptr[i], now);
    }
    ken_vec_release(&fds);
}

ken_status ken_app_follow(ken_app *app, const ken_project_info *project,
                          const ken_app_follow_opts *opts, const ken_cancel *stop, ken_err *err)
{
    app_follower *f = new_follower(app);
    f->opts = *opts;
    f->stop = stop;
    f->is_alone = true;
    add(f, project);
    follow(f);
    ken_status st = f->ended;
    free_follower(f);
    if (st == KEN_OK)
        return KEN_OK;
    return KEN_FAIL(err, st, "project '" KEN_STR_FMT "' was %s meanwhile",
                    KEN_STR_ARG(project->name), st == KEN_EPERM ? "archived" : "removed");
}

ken_status ken_app_load_changes(ken_app *app, const ken_project_info *project, uint64_t generation,
                                ken_arena *arena, ken_file_event **out, size_t *out_n, ken_err *err)
{
    (void)app;
    ken_store *store = NULL;
    ken_file_event *list = NULL;
    size_t n = 0, n_kept = 0;
    ken_status st =
        ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, err);
    if (!st)
        st = ken_index_load_events(store, arena, &list, &n, err);
    ken_store_close(store);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        if (list[i].generation == generation)
            list[n_kept++] = list[i];
    *out = list;
    *out_n = n_kept;
    return KEN_OK;
}

// ---- in a process that stays -------------------------------------------------------------------

static void log_update(void *ctx, const ken_app_update *u)
{
    (void)ctx;
    if (u->status)
        KEN_LOG_WARNING("watch", "'" KEN_STR_FMT "' is not followed for now: " KEN_STR_FMT,
                        KEN_STR_ARG(u->project->root), KEN_STR_ARG(u->error));
    else if (u->is_polled_anew)
        KEN_LOG_WARNING(
            "watch",
            "'" KEN_STR_FMT "' is looked at every %lld ms instead of watched: " KEN_STR_FMT,
            KEN_STR_ARG(u->project->root), (long long)u->poll_ms, KEN_STR_ARG(u->polled));
}

static void run_follower(void *ctx, size_t worker)
{
    (void)worker;
    ken_pool_give_way();
    follow(ctx);
}

void ken_app__begin_following(ken_app *app)
{
    if (app->follower || !ken_config_bool(app->config, KEN_CFG_WATCH_ENABLED))
        return;
    app->follower = new_follower(app);
    app->follower->opts = (ken_app_follow_opts){ .on_update = log_update };
    app->follower->stop = &app->follower->end;
}

void ken_app__end_following(ken_app *app)
{
    app_follower *f = app->follower;
    if (!f)
        return;
    ken_cancel_set(&f->end);
    wake(f);
    ken_pool_free(f->pool);
    free_follower(f);
    app->follower = NULL;
}

// With the lock. Whoever syncs a clone indexes it.
static void join(app_follower *f, const ken_project_info *project)
{
    followed *oldest;
    if (ken_path_is_under(f->app->repos_dir, project->root))
        return;
    if (!f->pool)
        f->pool = ken_pool_new(1, 1, 0);
    if (!ken_pool_n_workers(f->pool))
        return;
    if (count(f, &oldest) >= f->n_max && oldest)
        oldest->is_leaving = true;
    add(f, project);
    if (f->n_uses == 1)
        ken_pool_submit(f->pool, run_follower, f);
}

void ken_app__follow_asked(ken_app *app, const ken_project_info *project)
{
    app_follower *f = app->follower;
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    followed *e = find(f, project->id);
    if (e)
        e->used_at = ++f->n_uses;
    else
        join(f, project);
    pthread_mutex_unlock(&f->lock);
    if (!e)
        wake(f);
}

void ken_app__tell_follower(ken_app *app, ken_uuid project)
{
    app_follower *f = app->follower;
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    followed *e = find(f, project);
    if (e)
        e->is_wanted = true;
    pthread_mutex_unlock(&f->lock);
    wake(f);
}

void ken_app__unfollow(ken_app *app, ken_uuid project)
{
    app_follower *f = app->follower;
    followed *e = NULL;
    if (f) {
        pthread_mutex_lock(&f->lock);
        e = find(f, project);
        if (e)
            e->is_leaving = true;
        pthread_mutex_unlock(&f->lock);
        wake(f);
    }
    if (e)
        ken_app__settle_step(app, project);
    else
        ken_app__rest_step(app, project);
}

static int by_indexed_down(const void *a, const void *b)
{
    const ken_project_info *x = a, *y = b;
    return (x->indexed_at_ms < y->indexed_at_ms) - (x->indexed_at_ms > y->indexed_at_ms);
}

void ken_app__sort_newest(ken_project_info *list, size_t n)
{
    qsort(list, n, sizeof *list, by_indexed_down);
}

static bool is_kept(const ken_project_info *list, size_t n, ken_uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (ken_uuid_eq(list[i].id, id))
            return !list[i].is_archived;
    return false;
}

void ken_app_follow_all(ken_app *app)
{
    app_follower *f = app->follower;
    ken_arena arena;
    ken_project_info *list = NULL;
    size_t n = 0;
    followed *oldest;
    if (!f)
        return;
    ken_arena_init(&arena, 0);
    if (!ken_app_list_projects(app, &arena, &list, &n, NULL)) {
        ken_app__sort_newest(list, n);
        pthread_mutex_lock(&f->lock);
        bool has_changed = false;
        for (size_t i = 0; i < n_entries(f); i++)
            if (!entry(f, i)->is_leaving && !is_kept(list, n, entry(f, i)->id))
                has_changed = entry(f, i)->is_leaving = true;
        for (size_t i = 0; i < n && count(f, &oldest) < f->n_max; i++) {
            if (list[i].is_archived || !list[i].indexed_at_ms || !list[i].root_exists ||
                find(f, list[i].id))
                continue;
            join(f, &list[i]);
            has_changed = true;
        }
        pthread_mutex_unlock(&f->lock);
        if (has_changed)
            wake(f);
    }
    ken_arena_release(&arena);
}

bool ken_app_find_followed(ken_app *app, ken_uuid project, ken_app_followed *out)
{
    app_follower *f = app->follower;
    if (!f)
        return false;
    pthread_mutex_lock(&f->lock);
    const followed *e = find(f, project);
    if (e) {
        *out = e->seen;
    }
    pthread_mutex_unlock(&f->lock);
    return e != NULL;
}

void ken_app__read_followed(ken_app *app, ken_metrics_sink *sink)
{
    app_follower *f = app->follower;
    double n[2] = { 0 }, watched = 0;
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < n_entries(f); i++) {
        n[entry(f, i)->seen.is_polled]++;
        watched += entry(f, i)->seen.n_watched;
    }
    pthread_mutex_unlock(&f->lock);
    ken_metrics_put(sink, KEN_METRIC_WATCH_PROJECTS, n[0], KEN_LABELS("kernel"));
    ken_metrics_put(sink, KEN_METRIC_WATCH_PROJECTS, n[1], KEN_LABELS("polled"));
    ken_metrics_put(sink, KEN_METRIC_WATCH_ENTRIES, watched, NULL);
}

// SPDX-License-Identifier: MIT
// An answer is what a fresh index of the folder would give. So before each question the index is
// compared with the folder, and brought up to date when they differ. A server has the kernel tell it of
// changes: while there are none, a question costs the look at that queue and at a few files of git.
//
// What stands in the way is no failure: the question is answered of what there is, and says what was
// not looked at. One thread at a time compares a project; the others wait and find it done.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/app_priv.h"
#include "app/wide.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/quota.h"
#include "watch/watch.h"

enum {
    NS_PER_MS = 1000000,
    NS_PER_SECOND = 1000 * NS_PER_MS,
    LOCK_STEP_MS = 10,    // between two looks at the cancel flag
    BUSY_STEP_MS = 20,    // between two tries while another process writes the index
    BUSY_WAIT_MS = 2000,  // at most; a whole run takes longer, a question does not wait for it
    CLOCK_STEP_MS = 2000, // file systems may tell two times no nearer than this apart
    TRUST_MS = 30000,     // the kernel's word is taken for so long, and for longer on large trees:
    TRUST_FACTOR = 200,   // so many times what comparing takes
    GRACE_MS = 200,       // that a question gives a run which nobody asked for
};

// A file outside of the watched folders, as it was before it was looked at.
typedef struct step_control {
    const char *path; // in the step's arena
    bool is_identity; // only what it is counts, not what it holds
    bool is_there;
    ken_fs_info info;
} step_control;

// How far the index of one project is in step with its folder.
struct app_step {
    ken_uuid project;
    pthread_mutex_t lock; // guards is_taken and unasked, a leaf
    pthread_cond_t is_free;
    ken_cancel *unasked;     // of a run that no question waits for; NULL = there is none
    atomic_bool is_followed; // somebody wants to know when a question leaves it behind
    bool is_taken;           // while the index is compared with the folder: guards all that follows
    ken_watch *watch;        // NULL where nobody stays to be told
    ken_scan_memory *memory; // of the last scan, where there is a watch
    ken_arena arena;         // of the controls
    KEN_VEC(step_control) controls;
    int64_t compare_ns;       // that comparing all of it took, without a run
    int64_t blind_until_ns;   // then it is tried again to watch everything
    int64_t trusted_until_ns; // then it is compared in any case: not every change is told (watch.h)
    bool is_whole;            // everything was looked at, not only what the kernel named
    bool is_racy;        // a control was so new that a further write may leave its times, untold
    bool is_in_step;     // nothing differed when it was last compared
    uint64_t generation; // that was compared
    uint64_t db_inode;   // of the database that has it
};

// What one question found out.
typedef struct step_note {
    char behind[240]; // "" = nothing
    bool is_run;      // a long run is at work on what is there, so nothing was compared
    uint64_t generation;
    app_handle *handle; // what was compared, pinned, for the answer; NULL = none
} step_note;

// ---- steps -------------------------------------------------------------------------------------

// With the app's lock.
static app_step *step_in_list(const ken_app *app, ken_uuid project)
{
    for (size_t i = 0; i < app->steps.len; i++)
        if (ken_uuid_eq(app->steps.ptr[i]->project, project))
            return app->steps.ptr[i];
    return NULL;
}

static app_step *find_step(ken_app *app, ken_uuid project)
{
    pthread_mutex_lock(&app->lock);
    app_step *s = step_in_list(app, project);
    pthread_mutex_unlock(&app->lock);
    return s;
}

app_step *ken_app__step_of(ken_app *app, ken_uuid project)
{
    pthread_mutex_lock(&app->lock);
    app_step *s = step_in_list(app, project);
    if (!s) {
        s = ken_zalloc(sizeof *s);
        s->project = project;
        pthread_mutex_init(&s->lock, NULL);
        pthread_condattr_t attr;
        pthread_condattr_init(&attr);
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        pthread_cond_init(&s->is_free, &attr);
        pthread_condattr_destroy(&attr);
        ken_arena_init(&s->arena, 0);
        ken_vec_push(&app->steps, s);
    }
    pthread_mutex_unlock(&app->lock);
    return s;
}

void ken_app__free_step(app_step *s)
{
    if (!s)
        return;
    ken_watch_free(s->watch);
    ken_scan_memory_free(s->memory);
    ken_vec_release(&s->controls);
    ken_arena_release(&s->arena);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->is_free);
    ken_free(s);
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = (long)ms * NS_PER_MS }, NULL);
}

// Another question may be comparing; it is not waited for longer than this question lives. A run that
// nobody asked for gives way: what it has done so far is kept, and this question goes on with it.
static ken_status lock_step(app_step *s, const ken_cancel *cancel, ken_err *err)
{
    ken_status st = KEN_OK;
    int64_t grace_ns = ken_clock_mono_ns() + (int64_t)GRACE_MS * NS_PER_MS;
    pthread_mutex_lock(&s->lock);
    while (s->is_taken && !st) {
        int64_t now = ken_clock_mono_ns(), ns = now + (int64_t)LOCK_STEP_MS * NS_PER_MS;
        struct timespec until = { ns / NS_PER_SECOND, (long)(ns % NS_PER_SECOND) };
        if (s->unasked && now > grace_ns)
            ken_cancel_set(s->unasked);
        pthread_cond_timedwait(&s->is_free, &s->lock, &until);
        st = ken_cancel_check(cancel, err);
    }
    if (!st)
        s->is_taken = true;
    pthread_mutex_unlock(&s->lock);
    return st;
}

// False while a question has it.
static bool try_lock_step(app_step *s, ken_cancel *unasked)
{
    pthread_mutex_lock(&s->lock);
    bool is_ours = !s->is_taken;
    if (is_ours) {
        s->is_taken = true;
        s->unasked = unasked;
    }
    pthread_mutex_unlock(&s->lock);
    return is_ours;
}

static void unlock_step(app_step *s)
{
    pthread_mutex_lock(&s->lock);
    s->is_taken = false;
    s->unasked = NULL;
    pthread_cond_signal(&s->is_free);
    pthread_mutex_unlock(&s->lock);
}

// ---- what a scan depends on --------------------------------------------------------------------

static void on_folder(void *ctx, int root_fd, ken_str mark, ken_str path)
{
    const app_step *s = ctx;
    ken_watch_add(s->watch, root_fd, mark, path);
}

static void on_file(void *ctx, int root_fd, ken_str mark, ken_str path, const ken_fs_info *info)
{
    const app_step *s = ctx;
    ken_watch_add_file(s->watch, root_fd, mark, path, info->id.inode, info->n_links > 1);
}

static bool look_at_control(step_control *c)
{
    return !ken_fs_stat_target(c->path, &c->info, NULL);
}

// The memory's scan may turn out to be a whole one: it tells what it looks at once more.
static void on_control(void *ctx, const char *path, bool is_identity)
{
    app_step *s = ctx;
    for (size_t i = 0; i < s->controls.len; i++)
        if (s->controls.ptr[i].is_identity == is_identity &&
            strcmp(s->controls.ptr[i].path, path) == 0)
            return;
    step_control c = { .path = ken_arena_dup(&s->arena, ken_str_c(path)).ptr,
                       .is_identity = is_identity };
    bool is_told = is_identity || ken_watch_add_control(s->watch, path);
    c.is_there = look_at_control(&c);
    int64_t age = ken_clock_wall_ms() - c.info.stamp.ctime_ns / NS_PER_MS;
    s->is_racy = s->is_racy || (!is_told && c.is_there && age < CLOCK_STEP_MS);
    ken_vec_push(&s->controls, c);
}

static bool are_controls_same(const app_step *s)
{
    for (size_t i = 0; i < s->controls.len; i++) {
        const step_control *was = &s->controls.ptr[i];
        step_control now = { .path = was->path };
        bool is_there = look_at_control(&now);
        if (is_there != was->is_there)
            return false;
        if (!is_there)
            continue;
        if (!ken_fs_id_eq(now.info.id, was->info.id) ||
            (!was->is_identity && !ken_fs_stamp_eq(now.info.stamp, was->info.stamp)))
            return false;
    }
    return true;
}

// How long the kernel's word is taken, when comparing takes `ns`.
static int64_t trust_of(int64_t ns)
{
    const int64_t least = (int64_t)TRUST_MS * NS_PER_MS;
    return ns * TRUST_FACTOR > least ? ns * TRUST_FACTOR : least;
}

// Whether the kernel named all that has changed since the last scan.
static bool is_all_named(app_step *s, ken_watch_news news, int64_t now)
{
    return news <= KEN_WATCH_FILES && s->controls.len && !s->is_racy && now < s->trusted_until_ns &&
           are_controls_same(s);
}

static void on_name(void *ctx, ken_str path)
{
    ken_scan_memory_tell(ctx, path);
}

// Everything is looked at, and noted, anew. Folders stay watched while none came or went.
static bool begin_whole_scan(app_step *s, ken_watch_news news, int64_t now)
{
    bool wants_folders = news >= KEN_WATCH_TREE || !are_controls_same(s);
    if (news ==
        KEN_WATCH_BLIND) { // every question compares; all folders are looked for now and then
        wants_folders = wants_folders && now >= s->blind_until_ns;
        s->blind_until_ns = wants_folders ? now + trust_of(0) : s->blind_until_ns;
    }
    if (wants_folders && ken_watch_begin(s->watch, NULL))
        wants_folders = false;
    ken_scan_memory_forget(s->memory);
    ken_vec_clear(&s->controls);
    ken_arena_reset(&s->arena);
    s->is_racy = false;
    s->is_whole = true;
    s->trusted_until_ns = now + trust_of(s->compare_ns);
    return wants_folders;
}

// Before a scan, of a step that has a watch.
static void begin_scan(app_step *s, ken_scan_watcher *out)
{
    bool wants_folders = false;
    s->is_whole = false;
    ken_watch_news news = s->controls.len ? ken_watch_look(s->watch) : KEN_WATCH_TREE;
    int64_t now = ken_clock_mono_ns();
    if (!is_all_named(s, news, now) || !ken_watch_name(s->watch, on_name, s->memory))
        wants_folders = begin_whole_scan(s, news, now);
    ken_watch_forget(s->watch);
    *out = (ken_scan_watcher){ .on_folder = on_folder,
                               .on_file = on_file,
                               .on_control = on_control,
                               .ctx = s,
                               .wants_folders = wants_folders };
}

// ---- comparing ---------------------------------------------------------------------------------

typedef struct comparison {
    ken_app *app;
    const ken_project_info *project;
    const ken_app_asking *how;
    app_step *step;
    ken_index_opts opts;
    ken_roots roots;   // of the project
    ken_cancel cancel; // the question's, and the time that this may take
    ken_arena *arena;
    ken_scan_watcher watcher;
    ken_index_look_report seen;
    bool is_unindexed;  // nothing was indexed yet
    bool is_stale;      // an index that was open since an earlier question could not be pinned
    app_handle *handle; // of the look, pinned unless that failed; NULL = none
    ken_quota *quota;   // of the question, which does not pay for comparing
} comparison;

static void begin(comparison *c)
{
    if (!c->step->watch)
        return;
    begin_scan(c->step, &c->watcher);
    c->opts.scan.watcher = &c->watcher;
    c->opts.scan.memory = c->step->memory;
}

static void give_back(comparison *c)
{
    if (c->handle)
        ken_app__give_handle(c->app, c->handle);
    c->handle = NULL;
}

// While the folder is scanned, the index is opened for the answer: what it has is needed for both.
static ken_status pin_files(void *ctx, const ken_file_row **out, size_t *out_n, ken_err *err)
{
    comparison *c = ctx;
    ken_quota_resume(c->quota);
    ken_status st = ken_app__pin_handle(c->handle, err);
    c->quota = ken_quota_pause();
    c->is_unindexed = st == KEN_ENOTFOUND;
    c->is_stale = st && c->handle->used_at;
    if (!st)
        *out_n = ken_snapshot_list_files(c->handle->snapshot, out);
    return st;
}

static ken_status look_once(comparison *c, ken_err *err)
{
    c->is_stale = false;
    ken_status st = ken_app__take_handle(c->app, c->project, &c->handle, err);
    c->is_unindexed = st == KEN_ENOTFOUND;
    if (st)
        return st;
    int64_t began = ken_clock_mono_ns();
    begin(c);
    c->roots = ken_app_roots(c->project, c->arena);
    c->opts.scan.roots = &c->roots;
    st = ken_index_look(c->handle->store, c->project->root.ptr, &c->opts, pin_files, c, &c->cancel,
                        c->arena, &c->seen, err);
    int64_t now = ken_clock_mono_ns();
    if (c->step->is_whole) {
        c->step->compare_ns = now - began;
        c->step->trusted_until_ns = now + trust_of(c->step->compare_ns);
    }
    if (st)
        give_back(c);
    return st;
}

static ken_status look_at_folder(comparison *c, ken_err *err)
{
    ken_status st = look_once(c, err);
    return st && c->is_stale ? look_once(c, err) : st;
}

static ken_status try_update(comparison *c, ken_err *err)
{
    ken_index_report report;
    begin(c);
    app_handle *idle = ken_app__take_idle(c->app, c->project, &c->opts.held);
    ken_status st = ken_app_index(c->app, c->project, &c->opts, &c->cancel, c->arena, &report, err);
    ken_app__give_idle(c->app, idle);
    c->opts.held = (ken_held_files){ 0 };
    if (!st)
        c->seen = (ken_index_look_report){ .generation = report.generation, .is_current = true };
    return st;
}

static bool is_long_run(comparison *c)
{
    ken_app_run run;
    return ken_app__is_long_run(c->app, c->project, c->arena, &run);
}

// Another process may be writing: often the same, a moment earlier.
static ken_status update(comparison *c, ken_err *err)
{
    int64_t until = ken_clock_mono_ns() + (int64_t)BUSY_WAIT_MS * NS_PER_MS;
    for (;;) {
        ken_err tried = { 0 };
        ken_status st = try_update(c, &tried);
        if (st == KEN_EBUSY && ken_clock_mono_ns() < until && !is_long_run(c)) {
            sleep_ms(BUSY_STEP_MS);
            continue;
        }
        if (st && err)
            *err = tried;
        return st;
    }
}

static void tell_behind(const ken_index_look_report *seen, const char *why, step_note *out)
{
    const uint64_t n = seen->n_added + seen->n_modified + seen->n_removed;
    if (!n && !seen->n_doubtful)
        snprintf(out->behind, sizeof out->behind, "the index may be behind its folder: %.180s",
                 why);
    else if (!n)
        snprintf(out->behind, sizeof out->behind,
                 "%" PRIu64 " file%s may have changed since the index looked: %.150s",
                 seen->n_doubtful, seen->n_doubtful == 1 ? "" : "s", why);
    else
        snprintf(out->behind, sizeof out->behind,
                 "%" PRIu64 " changed file%s not in the index yet (%" PRIu64 " new, %" PRIu64
                 " removed): %.120s",
                 n, n == 1 ? " is" : "s are", seen->n_added, seen->n_removed, why);
}

// Whether there is no more than what a run has done so far.
static bool is_partial(comparison *c)
{
    ken_snapshot *s = NULL;
    ken_quota_resume(c->quota);
    bool is = !ken_app_borrow(c->app, c->project, &s, NULL) && ken_snapshot_is_partial(s);
    if (s)
        ken_app_give_back(c->app, c->project, s);
    c->quota = ken_quota_pause();
    return is;
}

// What an earlier process has begun and not ended takes longer than a question waits.
static bool is_left_to_run(const comparison *c)
{
    return c->app->is_serving && c->handle && ken_snapshot_is_partial(c->handle->snapshot);
}

// What an answer says while a run is at work that nobody waits for. A partial generation says by itself
// how many files it has.
static void tell_run(const ken_app *app, const ken_project_info *project, ken_snapshot *s)
{
    ken_app_run run;
    ken_arena a;
    ken_arena_init(&a, 1024);
    (void)ken_app_find_run(app, project, &a, &run); // one that has ended meanwhile has no numbers
    ken_str text = ken_snapshot_is_partial(s) ? KEN_STR("the others are being read")
                                              : KEN_STR("the index is being brought up to date");
    if (!ken_snapshot_is_partial(s) && run.n_total)
        text =
            ken_arena_printf(&a, KEN_STR_FMT ", " KEN_STR_FMT " of " KEN_STR_FMT " files are read",
                             KEN_STR_ARG(text), KEN_STR_ARG(ken_figure_count(&a, run.n_done)),
                             KEN_STR_ARG(ken_figure_count(&a, run.n_total)));
    ken_snapshot_set_behind(s, ken_arena_printf(&a, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(text),
                                                KEN_STR_ARG(ken_app_left_text(&run, &a))));
    ken_arena_release(&a);
}

// Nobody could write down that files have the bytes which the index has, though that may be so.
static bool is_only_doubted(const ken_index_look_report *seen)
{
    return seen->n_doubtful && !seen->n_added && !seen->n_modified && !seen->n_removed;
}

// Fails only when the question is over; what else is in the way goes into the note.
static ken_status compare(comparison *c, step_note *out, ken_err *err)
{
    ken_err why = { 0 };
    // What the kernel told of is not looked for first, unless another process is writing.
    bool is_told = c->how->may_index && c->step->generation && c->step->watch &&
                   ken_watch_look(c->step->watch) == KEN_WATCH_FILES;
    out->is_run = !is_told && is_long_run(c) && is_partial(c);
    if (out->is_run)
        return KEN_OK;
    bool is_current = is_told && !try_update(c, NULL);
    ken_status st = is_current ? KEN_OK : look_at_folder(c, &why);
    if (c->is_unindexed) // whoever borrows will say so
        return KEN_OK;
    is_current = !st && c->seen.is_current;
    if (!st && !is_current && c->how->may_index && !is_left_to_run(c)) {
        give_back(c);
        st = update(c, &why);
        is_current = !st;
    }
    if (!is_current && is_only_doubted(&c->seen) && !ken_cancel_check(c->how->cancel, NULL)) {
        give_back(c);
        c->opts.reads_doubtful = true;
        is_current = !look_at_folder(c, NULL) && c->seen.is_current;
    }
    c->step->is_in_step = is_current;
    c->step->generation = out->generation = c->seen.generation;
    c->step->db_inode = ken_app__identity(c->project);
    if (!is_current && ken_cancel_check(c->how->cancel, NULL)) {
        give_back(c);
        return ken_cancel_check(c->how->cancel, err);
    }
    out->handle = c->handle;
    if (is_current)
        return KEN_OK;
    if (!st)
        tell_behind(&c->seen, "this question does not update it", out);
    else if (st == KEN_ETIMEOUT && c->app->is_serving && ken_app__begin_first(c->app, c->project))
        tell_behind(&c->seen, "they are being read; ask again", out);
    else if (st == KEN_ETIMEOUT)
        tell_behind(&c->seen, "there was no time for all of them; ask again", out);
    else if (st == KEN_EBUSY)
        tell_behind(&c->seen, "another process is indexing; ask again", out);
    else
        tell_behind(&c->seen, why.msg, out);
    return KEN_OK;
}

// ---- asking ------------------------------------------------------------------------------------

static bool is_in_step(const app_step *s, const ken_project_info *project)
{
    return s->watch && s->is_in_step && !s->is_racy && ken_clock_mono_ns() < s->trusted_until_ns &&
           !ken_watch_look(s->watch) && are_controls_same(s) &&
           (project->database || ken_app__identity(project) == s->db_inode); // else the pin tells
}

static ken_status catch_up(ken_app *app, const ken_project_info *project, const ken_app_asking *how,
                           app_step *step, ken_quota **paused, step_note *out, ken_err *err)
{
    ken_config *settings = NULL;
    ken_arena arena;
    ken_status st = ken_app_load_settings(app, project, &settings, err);
    if (st)
        return st;
    ken_arena_init(&arena, 0);
    comparison c = { .app = app,
                     .project = project,
                     .how = how,
                     .step = step,
                     .opts = ken_app_index_opts(settings),
                     .arena = &arena,
                     .quota = *paused };
    c.cancel.also = how->cancel;
    c.cancel.deadline_ns = ken_clock_mono_ns() +
                           (int64_t)ken_config_u64(settings, KEN_CFG_CATCH_UP) * 1000 * NS_PER_MS;
    c.opts.on_progress = how->on_progress;
    c.opts.progress_ctx = how->progress_ctx;
    st = compare(&c, out, err);
    *paused = c.quota;
    ken_arena_release(&arena);
    ken_config_free(settings);
    return st;
}

static void begin_watch(app_step *s)
{
    if (s->watch)
        return;
    s->watch = ken_watch_new(ken_scan_decides);
    s->memory = ken_scan_memory_new();
}

// What it costs is no cost of the question.
static ken_status follow_folder(ken_app *app, const ken_project_info *project,
                                const ken_app_asking *how, app_step *step, bool is_doubted,
                                step_note *out, ken_err *err)
{
    ken_quota *paused = ken_quota_pause();
    ken_status st = lock_step(step, how->cancel, err);
    if (!st) {
        if (app->is_serving)
            begin_watch(step);
        *out = (step_note){ .generation = step->generation };
        if (is_doubted || !is_in_step(step, project)) {
            step->is_in_step = false;
            st = catch_up(app, project, how, step, &paused, out, err);
        }
        bool is_left = !step->is_in_step && atomic_load(&step->is_followed);
        unlock_step(step);
        if (is_left)
            ken_app__tell_follower(app, project->id);
    }
    ken_quota_resume(paused);
    return st;
}

// Of the index as it is at this moment of a run.
static ken_status ask_meanwhile(ken_app *app, const ken_project_info *project, ken_snapshot **out,
                                ken_err *err)
{
    ken_status st = ken_app_borrow(app, project, out, err);
    if (!st)
        tell_run(app, project, *out);
    return st;
}

// The folder is on another machine, which indexed it: there is nothing to compare with, and the answer says of
// when it is.
static ken_status ask_elsewhere(ken_app *app, const ken_project_info *project, ken_snapshot **out,
                                ken_err *err)
{
    char at[KEN_TIME_MS_TEXT], text[240];
    ken_status st = ken_app_borrow(app, project, out, err);
    if (st)
        return st;
    const ken_snapshot_head g = ken_snapshot_get_head(*out);
    ken_str head = ken_str_sub(g.git_head, 0, 12);
    ken_clock_format_ms(g.indexed_at_ms, at);
    snprintf(text, sizeof text,
             "its folder is not on this machine: this is generation %" PRIu64 " of %s%s" KEN_STR_FMT
             ", and nothing was checked for changes",
             g.generation, at, head.len ? ", commit " : "", KEN_STR_ARG(head));
    ken_snapshot_set_behind(*out, ken_str_c(text));
    return KEN_OK;
}

static ken_status ask_now(ken_app *app, const ken_project_info *project, const ken_app_asking *how,
                          ken_snapshot **out, ken_err *err)
{
    if (ken_app__is_elsewhere(project))
        return ask_elsewhere(app, project, out, err);
    app_step *step = ken_app__step_of(app, project->id);
    step_note note;
    int64_t began = ken_clock_mono_ns();
    // Twice when another process has written meanwhile: it may have other settings.
    for (bool is_second = false;; is_second = true) {
        ken_status st = follow_folder(app, project, how, step, is_second, &note, err);
        if (st)
            return st;
        if (how->out_catch_up_ns)
            *how->out_catch_up_ns = ken_clock_mono_ns() - began;
        if (note.handle)
            *out = note.handle->snapshot;
        else
            st = ken_app_borrow(app, project, out, err);
        if (st)
            return st;
        if (is_second || note.is_run || note.behind[0] ||
            ken_snapshot_generation(*out) == note.generation)
            break;
        ken_app_give_back(app, project, *out);
    }
    if (note.is_run)
        tell_run(app, project, *out);
    else if (note.behind[0])
        ken_snapshot_set_behind(*out, ken_str_c(note.behind));
    if (app->is_serving && !app->leaves_syncs)
        ken_app__sync_if_due(app, project);
    ken_app__follow_asked(app, project);
    return KEN_OK;
}

static ken_status ask_or_await(ken_app *app, const ken_project_info *project,
                               const ken_app_asking *how, ken_snapshot **out, ken_err *err)
{
    bool is_running = false;
    ken_status st = ken_app__await_first(app, project, how, &is_running, err);
    if (st)
        return st;
    return is_running ? ask_meanwhile(app, project, out, err)
                      : ask_now(app, project, how, out, err);
}

ken_status ken_app_catch_up(ken_app *app, const ken_project_info *project,
                            const ken_app_asking *how, ken_arena *arena, ken_str *out_behind,
                            ken_err *err)
{
    step_note note = { .handle = NULL };
    bool is_running = false;
    ken_status st = ken_app__check_active(project, err);
    if (!st && ken_app__is_elsewhere(project)) {
        *out_behind = KEN_STR("its folder is not on this machine, and nothing was checked for "
                              "changes");
        return KEN_OK;
    }
    if (!st)
        st = ken_app__await_first(app, project, how, &is_running, err);
    if (!st && !is_running)
        st =
            follow_folder(app, project, how, ken_app__step_of(app, project->id), false, &note, err);
    if (st)
        return st;
    if (note.handle)
        ken_app__give_handle(app, note.handle);
    *out_behind = is_running || note.is_run ? KEN_STR("the index is being brought up to date")
                                            : ken_arena_dup(arena, ken_str_c(note.behind));
    if (app->is_serving && !app->leaves_syncs)
        ken_app__sync_if_due(app, project);
    ken_app__follow_asked(app, project);
    return KEN_OK;
}

static ken_status keep_open(ken_app *app, const ken_project_info *project, ken_snapshot *s,
                            size_t *out_held, ken_err *err)
{
    ken_status st = s ? KEN_OK : ken_app_borrow(app, project, &s, err);
    if (st)
        return st;
    st = ken_snapshot_warm(s, err);
    *out_held = ken_snapshot_held_bytes(s);
    ken_app_give_back(app, project, s);
    return st;
}

// With the step: a question waits for the rest, and finds the index open.
static ken_status open_step(ken_app *app, const ken_project_info *project, app_step *step,
                            const ken_cancel *cancel, size_t *out_held, ken_err *err)
{
    const ken_app_asking how = { .cancel = cancel };
    step_note note = { .handle = NULL };
    ken_quota *paused = NULL;
    begin_watch(step);
    ken_status st = catch_up(app, project, &how, step, &paused, &note, err);
    if (st)
        return st;
    return keep_open(app, project, note.handle ? note.handle->snapshot : NULL, out_held, err);
}

ken_status ken_app__open_unasked(ken_app *app, const ken_project_info *project,
                                 const ken_cancel *cancel, size_t *out_held, ken_err *err)
{
    *out_held = 0;
    if (ken_app__is_elsewhere(project))
        return keep_open(app, project, NULL, out_held, err);
    app_step *step = ken_app__step_of(app, project->id);
    if (!try_lock_step(step, NULL))
        return KEN_OK;
    ken_status st =
        step->is_in_step ? KEN_OK : open_step(app, project, step, cancel, out_held, err);
    unlock_step(step);
    return st;
}

static ken_status pause_for_other(const ken_app_asking *how, ken_err *err)
{
    ken_quota *paused = ken_quota_pause();
    sleep_ms(BUSY_STEP_MS);
    ken_quota_resume(paused);
    return ken_cancel_check(how->cancel, err);
}

// Without comparing: nothing was indexed, or not all.
static bool is_unfinished(ken_app *app, const ken_project_info *project)
{
    ken_snapshot *s = NULL;
    ken_status st = project->indexed_at_ms ? KEN_OK : ken_app_borrow(app, project, &s, NULL);
    bool is = st == KEN_ENOTFOUND || (s && ken_snapshot_is_partial(s));
    if (s)
        ken_app_give_back(app, project, s);
    return is;
}

// In a process that stays, a first index is made behind the questions, and so is the rest of one that an
// earlier process has begun.
ken_status ken_app_ask(ken_app *app, const ken_project_info *project, const ken_app_asking *how,
                       ken_snapshot **out, ken_err *err)
{
    ken_status st = ken_app__check_active(project, err);
    if (!st && project->commit.len)
        return ken_app__ask_revision(app, project, how, out, err);
    bool is_begun = !app->is_serving || !how->may_index || ken_app__is_elsewhere(project);
    if (!st && !is_begun && is_unfinished(app, project))
        is_begun = ken_app__begin_first(app, project);
    while (!st) {
        ken_err tried = { 0 };
        st = ask_or_await(app, project, how, out, &tried);
        bool lacks_much = st ? st == KEN_ENOTFOUND : ken_snapshot_is_partial(*out);
        if (lacks_much && !is_begun && ken_app__begin_first(app, project)) {
            if (!st)
                ken_app_give_back(app, project, *out);
            is_begun = true;
            st = KEN_OK;
            continue;
        }
        if (st == KEN_EBUSY && is_begun && app->is_serving) { // another process is at it
            is_begun = false;
            st = pause_for_other(how, err);
            continue;
        }
        if (st && err)
            *err = tried;
        return st;
    }
    return st;
}

// ---- without a question ------------------------------------------------------------------------

int ken_app__step_fd(app_step *s)
{
    return s->watch ? ken_watch_fd(s->watch) : -1;
}

void ken_app__follow_step(app_step *s, bool is_followed)
{
    atomic_store(&s->is_followed, is_followed);
}

void ken_app__drain_step(app_step *s)
{
    if (!try_lock_step(s, NULL))
        return;
    if (s->watch)
        (void)ken_watch_look(s->watch);
    unlock_step(s);
}

bool ken_app__is_step_busy(app_step *s)
{
    bool is_busy = true;
    if (!try_lock_step(s, NULL))
        return true;
    is_busy = false;
    char lock[4096 + 8];
    for (size_t i = 0; i < s->controls.len && !is_busy; i++) {
        const char *path = s->controls.ptr[i].path;
        if (!ken_str_ends(ken_str_c(path), KEN_STR("/index")))
            continue;
        int n = snprintf(lock, sizeof lock, "%s.lock", path);
        is_busy = n > 0 && (size_t)n < sizeof lock && ken_fs_exists(lock);
    }
    unlock_step(s);
    return is_busy;
}

// A watch that is blind tells nothing: then it is only looked, which writes nothing.
static ken_status run_unasked(comparison *c, app_unasked *out, ken_err *err)
{
    app_step *s = c->step;
    ken_status st = KEN_OK;
    if (s->generation && s->controls.len && ken_watch_look(s->watch) == KEN_WATCH_BLIND) {
        int64_t began = ken_clock_mono_ns();
        st = look_at_folder(c, err);
        out->look_ns = ken_clock_mono_ns() - began;
        give_back(c);
        if (!st && c->seen.is_current)
            return KEN_OK;
    }
    begin(c);
    st = ken_app_index(c->app, c->project, &c->opts, &c->cancel, c->arena, &out->report, err);
    out->was_run = !st;
    if (!st)
        c->seen = (ken_index_look_report){ .generation = out->report.generation };
    return st;
}

static ken_status update_unasked(comparison *c, app_unasked *out, ken_err *err)
{
    app_step *s = c->step;
    begin_watch(s);
    if (is_in_step(s, c->project))
        return KEN_OK;
    s->is_in_step = false;
    int64_t began = ken_clock_mono_ns();
    ken_status st = run_unasked(c, out, err);
    out->ns = ken_clock_mono_ns() - began;
    if (!st) {
        s->is_in_step = true;
        s->generation = c->seen.generation;
        s->db_inode = ken_app__identity(c->project);
    }
    return st;
}

ken_status ken_app__update_step(ken_app *app, const ken_project_info *project, app_step *step,
                                const app_unasked_opts *how, ken_arena *arena, app_unasked *out,
                                ken_err *err)
{
    ken_config *settings = NULL;
    *out = (app_unasked){ .why = KEN_STR("") };
    ken_status st = ken_app_load_settings(app, project, &settings, err);
    if (st)
        return st;
    comparison c = { .app = app,
                     .project = project,
                     .step = step,
                     .opts = ken_app_index_opts(settings),
                     .arena = arena };
    c.cancel.also = how->stop;
    c.opts.on_progress = how->on_progress;
    c.opts.progress_ctx = how->progress_ctx;
    st = KEN_EBUSY;
    if (try_lock_step(step, &c.cancel)) {
        st = update_unasked(&c, out, err);
        if (step->watch) // what came meanwhile is left to the descriptor
            out->why = ken_arena_dup(arena, ken_watch_why(step->watch));
        out->n_watched = step->watch ? ken_watch_n(step->watch) : 0;
        unlock_step(step);
    }
    ken_config_free(settings);
    return st;
}

void ken_app__settle_step(ken_app *app, ken_uuid project)
{
    app_step *s = find_step(app, project);
    if (s && !lock_step(s, NULL, NULL))
        unlock_step(s);
}

void ken_app__rest_step(ken_app *app, ken_uuid project)
{
    app_step *s = find_step(app, project);
    if (!s || lock_step(s, NULL, NULL))
        return;
    ken_watch_free(s->watch);
    ken_scan_memory_free(s->memory);
    s->watch = NULL;
    s->memory = NULL;
    s->is_in_step = false;
    ken_vec_clear(&s->controls);
    unlock_step(s);
}

void ken_app_serve(ken_app *app)
{
    app->is_serving = true;
    ken_app__begin_following(app);
}

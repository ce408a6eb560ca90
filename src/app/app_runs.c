// SPDX-License-Identifier: MIT
// Runs of all processes of one data folder. Whose a run is and how far stands in the lock file of its index,
// behind the pid, so that anyone can be told. Runs that read everything take turns: each holds one of
// indexing.runs lock files, and others wait; what changed since the last run is read without a turn.
#include <stdio.h>
#include <time.h>

#include "app/app.h"
#include "app/app_priv.h"
#include "base/clock.h"
#include "base/fs.h"
#include "store/workers.h"

enum {
    TURN_WAIT_NS = 100 * 1000 * 1000
};

static void note(void *ctx, const ken_index_progress *p)
{
    app_run *run = ctx;
    char text[128];
    snprintf(text, sizeof text, "%s %s %llu %llu %lld", run->project, p->stage,
             (unsigned long long)p->n_done, (unsigned long long)p->n_total, (long long)p->left_ms);
    ken_app__note_lock(run->lock, text);
    if (run->asked->on_progress)
        run->asked->on_progress(run->asked->progress_ctx, p);
}

// KEN_EBUSY when all turns are taken.
static ken_status take_turn(ken_app *app, uint64_t n_runs, int *out_fd, ken_err *err)
{
    ken_arena a;
    ken_status st = KEN_EBUSY;
    ken_arena_init(&a, 1024);
    for (uint64_t i = 1; i <= n_runs && st == KEN_EBUSY; i++) {
        ken_err e = { 0 };
        ken_str path = ken_arena_printf(&a, KEN_STR_FMT "/run-%llu.lock",
                                        KEN_STR_ARG(app->index_dir), (unsigned long long)i);
        st = ken_fs_lock(path.ptr, out_fd, &e);
        if (st && st != KEN_EBUSY && err)
            *err = e;
    }
    ken_arena_release(&a);
    return st;
}

static ken_status wait_for_turn(ken_app *app, const ken_cancel *cancel, app_run *run, ken_err *err)
{
    uint64_t n_runs = ken_config_u64(app->config, KEN_CFG_RUNS);
    for (;;) {
        ken_status st = take_turn(app, n_runs, &run->turn_fd, err);
        if (st != KEN_EBUSY)
            return st;
        st = ken_cancel_check(cancel, err);
        if (st)
            return st;
        note(run, &(ken_index_progress){ .stage = "waiting" });
        nanosleep(&(struct timespec){ .tv_nsec = TURN_WAIT_NS }, NULL);
    }
}

ken_status ken_app__begin_run(ken_app *app, const ken_project_info *project,
                              const ken_index_opts *asked, app_lock *lock, const ken_cancel *cancel,
                              app_run *out, ken_err *err)
{
    *out = (app_run){ .asked = asked, .opts = *asked, .lock = lock, .turn_fd = -1 };
    ken_uuid_format(project->id, out->project);
    out->opts.on_progress = note;
    out->opts.progress_ctx = out;
    bool reads_everything = asked->is_forced || !project->indexed_at_ms;
    return reads_everything ? wait_for_turn(app, cancel, out, err) : KEN_OK;
}

void ken_app__end_run(app_run *run)
{
    ken_fs_unlock(run->turn_fd);
}

// What the run has noted, on this machine or, with a database, on another.
static bool find_note(const ken_app *app, const ken_project_info *project, ken_arena *arena,
                      int *out_pid, ken_str *out)
{
    char text[96];
    ken_str path = ken_app__lock_path(app, project->database, project->db_path, arena), holder;
    if (ken_fs_peek_lock(path.ptr, out_pid, text)) {
        *out = ken_arena_dup(arena, ken_str_c(text));
        return true;
    }
    return project->database &&
           !ken_database_find_run(project->database, project->db_path, arena, &holder, out, NULL);
}

bool ken_app_find_run(const ken_app *app, const ken_project_info *project, ken_arena *arena,
                      ken_app_run *out)
{
    ken_str rest, word;
    *out = (ken_app_run){ 0 };
    if (!find_note(app, project, arena, &out->pid, &rest))
        return false;
    ken_uuid id;
    if (!ken_str_split_next(&rest, ' ', &word) || !ken_uuid_parse(word, &id) ||
        !ken_uuid_eq(id, project->id))
        return false;
    if (ken_str_split_next(&rest, ' ', &word))
        out->stage = word;
    if (ken_str_split_next(&rest, ' ', &word))
        (void)ken_str_parse_u64(word, &out->n_done);
    if (ken_str_split_next(&rest, ' ', &word))
        (void)ken_str_parse_u64(word, &out->n_total);
    uint64_t left_ms = 0;
    if (ken_str_split_next(&rest, ' ', &word) && ken_str_parse_u64(word, &left_ms) &&
        left_ms < INT64_MAX)
        out->left_ms = (int64_t)left_ms;
    return true;
}

// SPDX-License-Identifier: MIT
// Runs of all processes of one data folder. How far a run is stands in the lock file of its index, behind
// the pid, so that anyone can be told. Runs that read everything take turns: each holds one of
// indexing.runs lock files, and others wait; what changed since the last run is read without a turn.
#include <stdio.h>
#include <time.h>

#include "app/app.h"
#include "app/app_priv.h"
#include "base/clock.h"
#include "base/fs.h"

enum {
    TURN_WAIT_NS = 100 * 1000 * 1000
};

static void note(void *ctx, const ken_index_progress *p)
{
    app_run *run = ctx;
    char text[80];
    snprintf(text, sizeof text, "%s %llu %llu", p->stage, (unsigned long long)p->n_done,
             (unsigned long long)p->n_total);
    ken_fs_note_lock(run->lock_fd, text);
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
                              const ken_index_opts *asked, int lock_fd, const ken_cancel *cancel,
                              app_run *out, ken_err *err)
{
    *out = (app_run){ .asked = asked, .opts = *asked, .lock_fd = lock_fd, .turn_fd = -1 };
    out->opts.on_progress = note;
    out->opts.progress_ctx = out;
    bool reads_everything = asked->is_forced || !project->indexed_at_ms;
    return reads_everything ? wait_for_turn(app, cancel, out, err) : KEN_OK;
}

void ken_app__end_run(app_run *run)
{
    ken_fs_unlock(run->turn_fd);
}

bool ken_app_find_run(const ken_project_info *project, ken_arena *arena, ken_app_run *out)
{
    char text[96];
    ken_str path = ken_arena_printf(arena, KEN_STR_FMT ".lock", KEN_STR_ARG(project->db_path));
    *out = (ken_app_run){ 0 };
    if (!ken_fs_peek_lock(path.ptr, &out->pid, text))
        return false;
    ken_str rest = ken_arena_dup(arena, ken_str_c(text)), word;
    if (ken_str_split_next(&rest, ' ', &word))
        out->stage = word;
    if (ken_str_split_next(&rest, ' ', &word))
        (void)ken_str_parse_u64(word, &out->n_done);
    if (ken_str_split_next(&rest, ' ', &word))
        (void)ken_str_parse_u64(word, &out->n_total);
    return true;
}

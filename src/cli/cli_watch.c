// SPDX-License-Identifier: MIT
// ken watch: the index follows the folder until the command is ended; one line for each update.
#include <inttypes.h>

#include "app/follow.h"
#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    PATHS_SHOWN = 3,
    PATHS_LISTED = 100, // in JSON
};

typedef struct watching {
    cli *x;
    cli_progress progress;
    uint64_t generation; // that was told; 0 = none yet
    ken_arena arena;     // of one line
} watching;

static void on_progress(void *ctx, const ken_index_progress *p)
{
    watching *w = ctx;
    ken_cli__progress_show(&w->progress, p);
}

// ---- people ------------------------------------------------------------------------------------

static void put_count(ken_buf *b, uint64_t n, const char *what)
{
    if (n)
        ken_buf_printf(b, "%s%" PRIu64 " %s", b->len ? ", " : "", n, what);
}

static void put_paths(ken_buf *b, const ken_file_event *events, size_t n)
{
    for (size_t i = 0; i < n && i < PATHS_SHOWN; i++)
        ken_buf_printf(b, "%s" KEN_STR_FMT, i ? ", " : ": ", KEN_STR_ARG(events[i].path));
    if (n > PATHS_SHOWN)
        ken_buf_printf(b, " and %zu more", n - PATHS_SHOWN);
}

static void print_update(watching *w, const ken_app_update *u, const ken_file_event *events,
                         size_t n_events)
{
    const ken_index_report *r = &u->report;
    ken_buf b = KEN_BUF_INIT(65536);
    char at[KEN_TIME_TEXT];
    put_count(&b, r->n_modified, "changed");
    put_count(&b, r->n_added, "added");
    put_count(&b, r->n_renamed, "renamed");
    put_count(&b, r->n_removed, "removed");
    if (b.len)
        put_paths(&b, events, n_events);
    else
        ken_buf_puts(&b, "another commit or branch, the same files");
    ken_clock_format(ken_clock_wall_ms(), at);
    ken_cli__paint(w->x, KEN_STYLE_DIM, "%s  ", at);
    ken_cli__print_text(ken_buf_str(&b));
    ken_cli__paint(w->x, KEN_STYLE_DIM, "  " KEN_STR_FMT "\n",
                   KEN_STR_ARG(ken_figure_duration(&w->arena, u->ns / 1000000)));
    ken_buf_release(&b);
}

static void print_begin(watching *w, const ken_app_update *u)
{
    ken_cli__print_text(
        ken_arena_printf(&w->arena, "watching " KEN_STR_FMT " of " KEN_STR_FMT "; Ctrl-C ends it\n",
                         KEN_STR_ARG(ken_figure_n(&w->arena, u->report.n_files, "file")),
                         KEN_STR_ARG(u->project->root)));
    ken_cli__print("\n");
}

// ---- programs ----------------------------------------------------------------------------------

static void print_line(const char *event, json_t *o)
{
    char at[KEN_TIME_TEXT];
    ken_clock_format(ken_clock_wall_ms(), at);
    ken_json_set_str(o, "event", ken_str_c(event));
    ken_json_set_str(o, "at", ken_str_c(at));
    ken_cli__print_json_line(o);
}

static json_t *paths_json(const ken_file_event *events, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n && i < PATHS_LISTED; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "path", events[i].path);
        ken_json_set_str(o, "change", ken_str_c(ken_file_event_word(events[i].kind)));
        ken_json_append(list, o);
    }
    return list;
}

static void print_report(const char *event, const ken_app_update *u, const ken_file_event *events,
                         size_t n_events)
{
    const ken_index_report *r = &u->report;
    json_t *o = json_object();
    ken_json_set_u64(o, "generation", r->generation);
    ken_json_set_u64(o, "files", r->n_files);
    ken_json_set_u64(o, "modified", r->n_modified);
    ken_json_set_u64(o, "added", r->n_added);
    ken_json_set_u64(o, "renamed", r->n_renamed);
    ken_json_set_u64(o, "removed", r->n_removed);
    ken_json_set_u64(o, "duration_ms", (uint64_t)(u->ns / 1000000));
    ken_json_set(o, "paths", paths_json(events, n_events));
    print_line(event, o);
}

// ---- what happened -----------------------------------------------------------------------------

static void tell_failure(watching *w, const ken_app_update *u)
{
    if (!w->x->is_json) {
        ken_cli__warn(KEN_STR_FMT "; it will be tried again", KEN_STR_ARG(u->error));
        return;
    }
    json_t *o = json_object();
    ken_json_set_str(o, "code", ken_str_c(ken_status_name(u->status)));
    ken_json_set_str(o, "message", u->error);
    print_line("error", o);
}

static void tell_polling(watching *w, const ken_app_update *u)
{
    if (!w->x->is_json) {
        ken_cli__warn("the kernel cannot tell of changes here: " KEN_STR_FMT
                      ". The folder is looked at every " KEN_STR_FMT " instead",
                      KEN_STR_ARG(u->polled),
                      KEN_STR_ARG(ken_figure_duration(&w->arena, u->poll_ms)));
        return;
    }
    json_t *o = json_object();
    ken_json_set_str(o, "why", u->polled);
    ken_json_set_u64(o, "every_ms", (uint64_t)u->poll_ms);
    print_line("polling", o);
}

static void tell_update(watching *w, const ken_app_update *u)
{
    ken_file_event *events = NULL;
    size_t n = 0;
    bool is_first = !w->generation;
    if (u->report.generation == w->generation)
        return;
    w->generation = u->report.generation;
    if (!is_first &&
        ken_app_load_changes(w->x->app, u->project, w->generation, &w->arena, &events, &n, NULL))
        n = 0;
    if (w->x->is_json)
        print_report(is_first ? "watching" : "update", u, events, n);
    else if (is_first)
        print_begin(w, u);
    else
        print_update(w, u, events, n);
}

static void on_update(void *ctx, const ken_app_update *u)
{
    watching *w = ctx;
    ken_cli__progress_end(&w->progress);
    if (u->status)
        tell_failure(w, u);
    else if (u->report.generation)
        tell_update(w, u);
    if (!u->status && u->is_polled_anew)
        tell_polling(w, u);
    if (u->made && !w->x->is_json)
        ken_cli__note(w->x, KEN_STR_FMT, KEN_STR_ARG(ken_app_embedding_text(u->made, &w->arena)));
    if (fflush(stdout)) // nobody reads any more
        ken_cancel_set(w->x->cancel);
    ken_arena_reset(&w->arena);
    ken_cli__progress_init(&w->progress, w->x);
}

static ken_status run_watch(cli *x, ken_err *err)
{
    cli_place place;
    watching w = { .x = x };
    const ken_app_follow_opts opts = { on_update, on_progress, &w };
    ken_status st = ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &place, err);
    if (!st && !place.is_known)
        st = ken_app_add_project(x->app, place.project.root, KEN_STR(""), &x->arena, &place.project,
                                 err);
    if (!st)
        st = ken_app_enter_sandbox(x->app, &place.project, true, err);
    if (st)
        return st;
    ken_app_log_notes(x->app);
    ken_arena_init(&w.arena, 0);
    ken_cli__progress_init(&w.progress, x);
    st = ken_app_follow(x->app, &place.project, &opts, x->cancel, err);
    ken_cli__progress_end(&w.progress);
    ken_arena_release(&w.arena);
    return st;
}

const cli_command ken_cli__watch_command = {
    "watch",
    "[PATH]",
    "keep the index of a project up to date while files are saved",
    "Ends with Ctrl-C or SIGTERM, with exit code 0. One line for each update, with --json an object each.\n"
    "An update begins when no file was saved for watch.quiet_ms, at most watch.at_most_ms after the first.\n"
    "Questions need none of this: they bring the index up to date themselves. After a large change\n"
    "they are quicker with it.",
    NULL,
    0,
    0,
    1,
    true,
    false,
    run_watch,
    NULL,
    0,
    NULL
};

// SPDX-License-Identifier: MIT
// follow.h -- indexes that keep in step with their folders while nobody asks.
//
// The kernel says that something was saved. Once nothing more has come for watch.quiet_ms, and no git command is
// at work on the tree, the index is brought up to date, as by a question (app_step.c). While saves never
// pause, that is done watch.at_most_ms after the first of them. Until then nothing wakes up. A folder
// of which the kernel cannot tell everything is compared now and then, at a hundredth of the time at most.
//
// Threads: ken_app_follow works on the thread that calls it. What a server follows is brought up to date by
// one thread, which gives way to questions: one that has waited a moment stops the run, and goes on with it.
// Errors: those of single updates are told, and tried again.
#ifndef KEN_APP_FOLLOW_H
#define KEN_APP_FOLLOW_H

#include "app/app.h"

// One update. Texts are borrowed for the call.
typedef struct ken_app_update {
    const ken_project_info *project;
    ken_status status; // of the run; its counts are those of `report` when it is KEN_OK
    ken_str error;
    ken_index_report report;
    int64_t ns;
    const ken_app_embedding
        *made;           // vectors of a model that is not built in; NULL = none were needed
    ken_str polled;      // why the kernel cannot tell of changes; empty = it does
    bool is_polled_anew; // that is another reason than before
    int64_t poll_ms;     // until the next look, where `polled` is not empty
} ken_app_update;

// `on_update` is called after a run, and when what stands in the way is another than before: a run that
// fails, a folder that is gone, one that has to be polled (then `report` has no generation).
typedef struct ken_app_follow_opts {
    void (*on_update)(void *ctx, const ken_app_update *u);
    ken_index_progress_fn *on_progress; // may be NULL
    void *ctx;                          // of both
} ken_app_follow_opts;

// Follows one project until `stop` is set: by another thread that also sends a signal, or by a handler of
// SIGINT or SIGTERM. KEN_ENOTFOUND or KEN_EPERM when it was removed or archived meanwhile.
ken_status ken_app_follow(ken_app *app, const ken_project_info *project,
                          const ken_app_follow_opts *opts, const ken_cancel *stop, ken_err *err)
    KEN_MUST_USE;

// The files that came, changed and went with a generation, those that are kept (index.h).
ken_status ken_app_load_changes(ken_app *app, const ken_project_info *project, uint64_t generation,
                                ken_arena *arena, ken_file_event **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

// ---- in a process that stays, where watch.enabled is set ----
// The projects that are asked are followed, those that were asked last, up to watch.max_projects. This adds
// the others that have an index, while there is room, and ends what was removed or archived. Clones that
// ken keeps are left out: whoever syncs them indexes them.
void ken_app_follow_all(ken_app *app);

// How a project is followed.
typedef struct ken_app_followed {
    bool is_polled;     // not everything can be told by the kernel
    bool is_behind;     // something was saved, or could not be indexed yet
    uint32_t n_watched; // folders and files
} ken_app_followed;

// False when it is not followed.
bool ken_app_find_followed(ken_app *app, ken_uuid project, ken_app_followed *out);

#endif

// SPDX-License-Identifier: MIT
// wide.h -- what a question to several projects needs: several threads, and many open indexes.
//
// Threads: safe from any thread. A snapshot that a job borrows is the question's: it is handed to its thread
// at once (ken_app_hand_over), which gives it back.
#ifndef KEN_APP_WIDE_H
#define KEN_APP_WIDE_H

#include <pthread.h>

#include "app/app.h"
#include "query/query_pick.h"

// How many snapshots one question may have open: 128, or as many as cache.open_size has room for by what those that were
// open hold on average, where there are descriptors for them.
size_t ken_app_open_at_once(ken_app *app);

// Which of many projects in one database a question is put to (ken_pick_choose), by what that knows of them. With `may_tell`
// it is told what it does not know, behind the question, in a process that stays.
ken_status ken_app_pick(ken_app *app, const ken_project_info *const *projects, size_t n,
                        const ken_pick_question *q, size_t most, bool may_tell, ken_arena *arena,
                        ken_picked *out, ken_err *err) KEN_MUST_USE;

typedef void ken_app_job(void *arg, size_t i);

// Runs job(arg, 0 … n - 1) on the calling thread and on idle ones of the process, and returns when all
// have ended. As many threads as there are processors, over all questions.
void ken_app_each(ken_app *app, size_t n, ken_app_job *job, void *arg);

// ken_app_ask in two steps, for all that is read in one state of a database must be up to date before. First the index
// is compared with its folder, and brought up to date where it may be: `*out_behind`, in the arena, says what that
// could not do, empty = nothing. `how->out_catch_up_ns` is not used.
ken_status ken_app_catch_up(ken_app *app, const ken_project_info *project,
                            const ken_app_asking *how, ken_arena *arena, ken_str *out_behind,
                            ken_err *err) KEN_MUST_USE;
// Then it is borrowed as it is, in that state; NULL = in a transaction of its own. Each part ends with
// ken_app_give_back.
ken_status ken_app_borrow_in(ken_app *app, const ken_project_info *project,
                             ken_database_reading *in, ken_snapshot **out, ken_err *err)
    KEN_MUST_USE;
// The snapshot is lent to `thread` from now on.
void ken_app_hand_over(ken_app *app, const ken_snapshot *s, pthread_t thread);
// Closes what is idle of a project: what is held of a damaged index may lack something.
void ken_app_forget(ken_app *app, const ken_project_info *project);

#endif

// SPDX-License-Identifier: MIT
// app.h -- the owner of everything that lives long: settings, projects, open indexes.
//
// Opening an app reads settings and nothing else; a project's index is opened when it is first asked
// for. Commands and tools get everything through it.
//
// Threads: safe from any thread. Each ken_project is used by one thread at a time: borrow it with
// ken_app_borrow and give it back; a busy project gives a second handle on the same index.
#ifndef KEN_APP_APP_H
#define KEN_APP_APP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/id.h"
#include "config/config.h"
#include "index/index.h"
#include "query/query.h"

typedef struct ken_app ken_app;

ken_status ken_app_open(const ken_config *config, ken_app **out, ken_err *err) KEN_MUST_USE;
void ken_app_close(ken_app *app);
const ken_config *ken_app_config(const ken_app *app);

typedef struct ken_project_info {
    ken_uuid id;
    ken_str name;    // base name of the root unless set
    ken_str root;    // absolute real path
    ken_str db_path; // its index
    int64_t indexed_at_ms; // 0 = never completely
    bool root_exists;
} ken_project_info;

// All known projects, by name.
ken_status ken_app_list_projects(ken_app *app, ken_arena *arena, ken_project_info **out,
                                 size_t *out_n, ken_err *err) KEN_MUST_USE;

// Finds a project by id, name or root path (or a path below a root). Empty `ref`: the only project
// there is, else the one around `cwd`; KEN_EINVAL that lists the projects when that is not clear.
ken_status ken_app_find_project(ken_app *app, ken_str ref, ken_str cwd, ken_arena *arena,
                                ken_project_info *out, ken_err *err) KEN_MUST_USE;

// The project of the folder `path` (absolute or relative to the working directory), registered when it
// was unknown. `name` may be empty. KEN_ENOTFOUND, KEN_EINVAL (a file), KEN_EPERM for a bad path.
ken_status ken_app_add_project(ken_app *app, ken_str path, ken_str name, ken_arena *arena,
                               ken_project_info *out, ken_err *err) KEN_MUST_USE;

// Brings a project's index up to date. `opts` may be NULL for what settings say.
ken_status ken_app_index(ken_app *app, const ken_project_info *project, const ken_index_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                         ken_err *err) KEN_MUST_USE;

// A snapshot of the project's newest generation, for this thread until it is given back.
// KEN_ENOTFOUND when it was never indexed.
ken_status ken_app_borrow(ken_app *app, const ken_project_info *project, ken_snapshot **out,
                          ken_err *err) KEN_MUST_USE;
void ken_app_give_back(ken_app *app, const ken_project_info *project, ken_snapshot *s);

// The skipped files of the newest generation; reason KEN_SKIP_NONE = all.
ken_status ken_app_list_skips(ken_app *app, const ken_project_info *project, ken_skip_reason reason,
                              size_t limit, ken_arena *arena, ken_scan_skip **out, size_t *out_n,
                              ken_err *err) KEN_MUST_USE;

#endif

// SPDX-License-Identifier: MIT
// projects.h -- the list of projects as a person looks after it: which one is selected, what each is limited to, what a
// scan would take, and folders to choose from.
//
// Ownership: results live in the arena passed. Threads: safe from any thread. Errors: those of app.h.
#ifndef KEN_APP_PROJECTS_H
#define KEN_APP_PROJECTS_H

#include "app/app.h"

// ---- the selected one: app_selected.c -----------------------------------------------------------
// At most one project of these data is selected; that outlives the process. KEN_ENOTFOUND without a message when none
// is: none was chosen, or it was removed or archived since.
ken_status ken_app_load_selected(ken_app *app, ken_uuid *out, ken_err *err) KEN_MUST_USE;
// KEN_EPERM for an archived one.
ken_status ken_app_select_project(ken_app *app, const ken_project_info *project, ken_err *err)
    KEN_MUST_USE;

// ---- names and limits: app_project.c, app_limits.c ----------------------------------------------
// `project` is brought up to date.
ken_status ken_app_rename_project(ken_app *app, ken_project_info *project, ken_str name,
                                  ken_arena *arena, ken_err *err) KEN_MUST_USE;

// What its index is limited to, beside the settings (index.h).
ken_status ken_app_load_limits(ken_app *app, const ken_project_info *project, ken_arena *arena,
                               ken_index_limits *out, ken_err *err) KEN_MUST_USE;
// Kept in the index, which is made when there is none; the next run keeps to it. A run that ends is waited for a moment;
// KEN_EBUSY while one goes on.
ken_status ken_app_put_limits(ken_app *app, const ken_project_info *project,
                              const ken_index_limits *limits, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

// How large its index was, by generation (index.h). Opens the index, and none of its files.
ken_status ken_app_load_sizes(ken_app *app, const ken_project_info *project, ken_arena *arena,
                              ken_index_sizes **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- folders: app_folders.c ---------------------------------------------------------------------
typedef struct ken_app_folder {
    ken_str name, path; // absolute
    bool is_repository; // has a .git
    bool is_allowed;    // a client may make it a project
    bool is_project;    // it is the root of one:
    ken_uuid project;
} ken_app_folder;

typedef struct ken_app_folders_opts {
    ken_str path;      // absolute; empty = where choosing begins
    bool wants_hidden; // those whose name begins with '.', too; they come last
} ken_app_folders_opts;

typedef struct ken_app_folders {
    ken_str path;   // its real path; empty = the folders of projects.roots, which are listed
    ken_str parent; // that may be listed, too; empty = none
    ken_app_folder *folders;
    size_t n;
    bool is_cut; // there are more than KEN_APP_FOLDERS_MAX
} ken_app_folders;

enum {
    KEN_APP_FOLDERS_MAX = 10000
};

// Folders in a folder, by name. Links are not listed. With projects.roots nothing outside of these is shown; without,
// neither folders of the system nor those that hold keys. KEN_EPERM.
ken_status ken_app_list_folders(ken_app *app, const ken_app_folders_opts *o,
                                const ken_cancel *cancel, ken_arena *arena, ken_app_folders *out,
                                ken_err *err) KEN_MUST_USE;
// Whether a client may look at what is in the folder, a real path.
ken_status ken_app_check_look(ken_app *app, ken_str path, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

// The real path of a folder that may become a project by a client's word; KEN_EPERM, KEN_EINVAL and KEN_ENOTFOUND say why
// it may not. One that is a project already may stay one.
ken_status ken_app_check_candidate(ken_app *app, ken_str path, ken_arena *arena, ken_str *out,
                                   ken_err *err) KEN_MUST_USE;

#endif

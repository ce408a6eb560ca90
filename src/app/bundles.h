// SPDX-License-Identifier: MIT
// bundles.h -- an index that travels: exported into a file, imported on another machine.
//
// What a bundle holds is said in src/bundle/README.md: what was derived from files, and the checkpoints only
// where they are asked for.
//
// Ownership: results live in the arena passed; what is said of an open bundle, in it. Threads: safe from any
// thread; an open bundle belongs to one. Errors: those of bundle.h and ken_index_copy, and KEN_EVERSION for
// what this ken cannot go on with, KEN_ENOTFOUND when the repository does not have the
// bundle's commit, KEN_EEXIST for a project
// that has an index.
#ifndef KEN_APP_BUNDLES_H
#define KEN_APP_BUNDLES_H

#include "app/app.h"
#include "bundle/bundle.h"

typedef struct ken_app_export_opts {
    ken_str path;                       // of the bundle; what is there is replaced
    ken_str program;                    // version of ken
    bool with_notes;                    // checkpoints too
    ken_index_progress_fn *on_progress; // may be NULL
    void *progress_ctx;
} ken_app_export_opts;

typedef struct ken_app_export_report {
    ken_bundle_info info;
    uint64_t n_bytes;       // of the bundle
    uint64_t n_index_bytes; // of the project's index
} ken_app_export_report;

// The newest generation, as one moment sees it, whatever writes meanwhile. KEN_ENOTFOUND for a project that
// was never indexed.
ken_status ken_app_export(ken_app *app, const ken_project_info *project,
                          const ken_app_export_opts *opts, const ken_cancel *cancel,
                          ken_arena *arena, ken_app_export_report *out, ken_err *err) KEN_MUST_USE;

typedef struct ken_app_bundle ken_app_bundle;

// Opens a file, or fetches a URL into the data folder first: https, or http of this machine. A token is taken
// from the environment (ken_git_find_token). No message shows the query of a URL.
ken_status ken_app_open_bundle(ken_app *app, ken_str from, ken_app_bytes_fn *on_progress,
                               void *progress_ctx, const ken_cancel *cancel, ken_app_bundle **out,
                               ken_err *err) KEN_MUST_USE;
void ken_app_close_bundle(ken_app_bundle *b); // removes what was fetched; NULL is fine
const ken_bundle_info *ken_app_bundle_info(const ken_app_bundle *b);
bool ken_app_is_bundle_url(ken_str from); // rather than a path

typedef struct ken_app_import_opts {
    bool replaces;      // an index that the project has; else KEN_EEXIST
    bool is_any_commit; // does not ask whether the repository has the bundle's commit
    bool with_notes;    // the bundle's checkpoints, beside those there are
    ken_index_progress_fn *on_progress; // may be NULL
    void *progress_ctx;
} ken_app_import_opts;

typedef struct ken_app_import_report {
    ken_project_info project;
    ken_index_copy_report copied;
    uint64_t n_checkpoints; // that came with it
    int64_t unpack_ms, copy_ms;
} ken_app_import_report;

// Makes the bundle's generation that of the project at the folder `root`, which becomes one. Until the one
// commit of it, and after a failure, everything is as it was.
ken_status ken_app_import(ken_app *app, ken_str root, ken_str name, ken_app_bundle *bundle,
                          const ken_app_import_opts *opts, const ken_cancel *cancel,
                          ken_arena *arena, ken_app_import_report *out, ken_err *err) KEN_MUST_USE;

#endif

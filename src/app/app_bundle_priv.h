// SPDX-License-Identifier: MIT
// app_bundle_priv.h -- what export and import share: a place for a file that is not finished.
#ifndef KEN_APP_APP_BUNDLE_PRIV_H
#define KEN_APP_APP_BUNDLE_PRIV_H

#include "app/app_priv.h"
#include "app/bundles.h"

#define APP_BUNDLE_KIND "sqlite"

// A name in the folder of indexes that is this process' until it is given back. What a process that was killed
// left under it is removed when it is taken.
typedef struct app_place {
    ken_str path; // in the arena
    int lock;
} app_place;

ken_status ken_app__take_place(ken_app *app, ken_arena *arena, app_place *out, ken_err *err)
    KEN_MUST_USE;
void ken_app__give_place(app_place *p); // removes what is there

// Progress of bytes as that of an index.
typedef struct app_bytes_progress {
    const char *stage;
    ken_index_progress_fn *on_progress;
    void *ctx;
} app_bytes_progress;

ken_bundle_progress_fn ken_app__on_bytes; // `ctx` is one

#endif

// SPDX-License-Identifier: MIT
// remote.h -- the remote repository that a project's folder is a clone of: what people said of it, and
// what the last syncs found. A row of the catalog.
//
// Texts are borrowed; an absent one is empty.
#ifndef KEN_MODEL_REMOTE_H
#define KEN_MODEL_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "base/str.h"

enum {
    KEN_REMOTE_URL_MAX = 2048, // bytes
    KEN_REMOTE_BRANCH_MAX = 255,
    KEN_REMOTE_SPARSE_MAX = 16 * 1024,
    KEN_REMOTE_ERROR_MAX = 1024,
};

typedef struct ken_remote {
    ken_uuid project;
    ken_str url;          // without password
    ken_str branch;       // empty = the remote's own default, until a sync names it
    ken_str sparse;       // paths, one a line, without a line break at the end; empty = everything
    uint32_t depth;       // commits of history; 0 = all of it
    uint32_t interval_s;  // between two syncs on its own; 0 = never
    bool follows_default; // nobody said a branch: read only, it is what an empty one was put as
    // What the last syncs found.
    ken_str commit;       // that the folder is at; hexadecimal, empty before the first sync
    int64_t synced_at_ms; // the last one that succeeded; 0 = none
    int64_t tried_at_ms;  // the last one, however it ended
    uint32_t n_failures;  // in a row since the last that succeeded
    ken_str error;        // of the last one; empty when it succeeded
} ken_remote;

#endif

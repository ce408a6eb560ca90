// SPDX-License-Identifier: MIT
// revision_priv.h -- what the files of this folder share.
#ifndef KEN_REVISION_REVISION_PRIV_H
#define KEN_REVISION_REVISION_PRIV_H

#include <pthread.h>

#include "base/id.h"
#include "proc/proc_git.h"
#include "revision/revision.h"

// A file that was listed. By its id git finds its bytes in a tenth of the time that the way through the commit's
// trees takes.
typedef struct revision_known {
    ken_str path; // borrowed from the list's arena, which outlives us
    ken_str id;   // in the same
} revision_known;

struct ken_revision {
    ken_arena arena; // of the texts
    const char *root;
    ken_str id;
    pthread_mutex_t lock;
    // Under the lock:
    ken_proc_talk *git; // cat-file; NULL = not started
    ken_str prefix;     // of the root below the top, with a '/' at its end; empty = it is the top
    bool has_prefix;
    const revision_known *known; // by path; NULL until the files are listed
    size_t n_known;
};

// Runs a git that prints what is wanted or says why not.
ken_status ken_revision__run(const char *root, const char *const *argv, size_t max_bytes,
                             const ken_cancel *cancel, ken_proc_result *out, ken_err *err)
    KEN_MUST_USE;
// The clone does not have the contents of a file that the commit has.
ken_status ken_revision__lacks(const ken_revision *r, ken_str path, ken_err *err);
// When it was committed, in seconds.
ken_status ken_revision__time(ken_revision *r, const ken_cancel *cancel, int64_t *out, ken_err *err)
    KEN_MUST_USE;

#endif

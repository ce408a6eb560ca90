// SPDX-License-Identifier: MIT
// revision.h -- the files of one commit, read from git's object database: nothing is checked out.
//
// A name (branch, tag, id, main~3) becomes the id of a commit once; everything else goes by the id. Names of
// files come from `git ls-tree`, their bytes from one `git cat-file --batch`, which is started with the first
// file and stays: as they were committed, without filters or conversions. What is no plain file (links,
// submodules) is listed as such and never read. A clone that lacks an object says so; none is fetched.
//
// Ownership: results live in the arena passed. Threads: any at once; reads take turns (a lock inside, a leaf).
// Errors: KEN_EINVAL for a name that names no commit, or several; KEN_EUNSUPPORTED without git or a
// repository, or when git refuses; KEN_ENOTFOUND for a file that the commit does not have; KEN_EIO for an
// object that is missing or damaged; KEN_ECANCELLED and KEN_ETIMEOUT.
#ifndef KEN_REVISION_REVISION_H
#define KEN_REVISION_REVISION_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/fs.h"

enum {
    KEN_REVISION_NAME_MAX = 250 // bytes of a name
};

// The full id of the commit that `name` means in the repository around the folder `root`.
ken_status ken_revision_resolve(const char *root, ken_str name, const ken_cancel *cancel,
                                ken_arena *arena, ken_str *out, ken_err *err) KEN_MUST_USE;

typedef struct ken_revision ken_revision;

// The files of commit `id` (as resolved) below `root`. Asks nothing yet.
ken_revision *ken_revision_new(const char *root, ken_str id);
void ken_revision_free(ken_revision *r); // NULL is fine
ken_str ken_revision_id(const ken_revision *r);

typedef struct ken_revision_entry {
    ken_str path;       // relative to the root
    ken_fs_kind kind;   // FILE, LINK, or DIR: a submodule
    ken_fs_stamp stamp; // the size, and the time of the commit
} ken_revision_entry;

// All of them, by path. Names that git would not check out ("..", ".git") are left out. `arena` outlives `r`,
// which reads by this list from then on.
ken_status ken_revision_list(ken_revision *r, const ken_cancel *cancel, ken_arena *arena,
                             ken_revision_entry **out, size_t *out_n, ken_err *err) KEN_MUST_USE;
// One of them.
ken_status ken_revision_find(ken_revision *r, ken_str path, const ken_cancel *cancel,
                             ken_revision_entry *out, ken_err *err) KEN_MUST_USE;
// The bytes of a file that was listed or found. KEN_ELIMIT when it is larger than `max_bytes`.
ken_status ken_revision_read(ken_revision *r, ken_str path, size_t max_bytes,
                             const ken_cancel *cancel, ken_buf *out, ken_err *err) KEN_MUST_USE;

#endif

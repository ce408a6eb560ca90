// SPDX-License-Identifier: MIT
// remotes.h -- the rows of remote repositories, in the catalog: at most one of a project.
//
// What people said (url, branch, paths, depth, interval) is in the journal with the project's row and
// goes with it. What syncs found is not: a catalog that is made of its journal does not know it, and the
// next sync finds it again.
//
// Ownership: what is loaded lives in the arena passed. Threads: as the catalog. Errors: KEN_ENOTFOUND
// for an absent row (no message), KEN_EINVAL and KEN_ELIMIT for what no row may have, else as the
// catalog.
#ifndef KEN_STORE_REMOTES_H
#define KEN_STORE_REMOTES_H

#include "model/remote.h"
#include "store/catalog.h"

// Adds the remote of a project, or replaces what was said of it. What syncs found stays, unless url or
// branch is another than theirs. KEN_ENOTFOUND when there is no such project; KEN_EEXIST when another
// one has the same url, branch and paths.
ken_status ken_catalog_put_remote(ken_catalog *c, const ken_remote *r, ken_err *err) KEN_MUST_USE;
ken_status ken_catalog_find_remote(ken_catalog *c, ken_uuid project, ken_arena *arena,
                                   ken_remote *out, ken_err *err) KEN_MUST_USE;
// By the names of the projects, then their roots.
ken_status ken_catalog_list_remotes(ken_catalog *c, ken_arena *arena, ken_remote **out,
                                    size_t *out_n, ken_err *err) KEN_MUST_USE;
// Keeps commit, branch, both times, n_failures and error; the branch counts where none was said. An
// error is cut to KEN_REMOTE_ERROR_MAX bytes, its secrets are masked. It is not waited for the disk: a
// power cut may take the last ones.
ken_status ken_catalog_set_remote_synced(ken_catalog *c, const ken_remote *r, ken_err *err)
    KEN_MUST_USE;
// The project and its folder stay.
ken_status ken_catalog_remove_remote(ken_catalog *c, ken_uuid project, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// clang-format off
#define KEN_CATALOG_REMOTE_SLOTS(X)                                                              \
    /* The row was checked. KEN_EEXIST has a message. */                                         \
    X(put_remote, OWN, (const ken_remote *r, ken_err *err), (r, err), TEXT(r->url, 0))           \
    X(find_remote, PLAIN, (ken_uuid project, ken_arena *arena, ken_remote *out, ken_err *err),   \
      (project, arena, out, err), NOTHING)                                                       \
    X(list_remotes, PLAIN, (ken_arena *arena, ken_remote **out, size_t *out_n, ken_err *err),    \
      (arena, out, out_n, err), NOTHING)                                                         \
    /* The row was checked; its error has no secret and is short enough. */                      \
    X(set_remote_synced, OWN, (const ken_remote *r, ken_err *err), (r, err), TEXT(r->commit, 0)) \
    X(remove_remote, PLAIN, (ken_uuid project, ken_err *err), (project, err), NOTHING)
// clang-format on

#endif

// SPDX-License-Identifier: MIT
// query_secrets.h -- where secrets are masked in the files of an index, as the files are on disk now.
//
// Never the secret itself: path, line and kind. Ownership: results live in the arena. Threads: as
// the snapshot's. Errors: KEN_ECANCELLED, KEN_ENOTFOUND when the project's folder is gone.
#ifndef KEN_QUERY_QUERY_SECRETS_H
#define KEN_QUERY_QUERY_SECRETS_H

#include "query/query.h"
#include "secret/secret.h"

typedef struct ken_masked_place {
    ken_str path;
    uint32_t line; // 1-based
    ken_secret_kind kind;
} ken_masked_place;

typedef struct ken_masked_opts {
    size_t limit, offset; // of the places
} ken_masked_opts;

typedef struct ken_masked {
    ken_masked_place *places; // by path, then line: the page that was asked for
    size_t n_places;
    uint64_t n_all;
    uint64_t n_files; // that have any
    uint64_t of_kind[KEN_SECRET_COUNT];
} ken_masked;

ken_status ken_snapshot_find_masked(ken_snapshot *s, const ken_masked_opts *opts,
                                    const ken_cancel *cancel, ken_arena *arena, ken_masked *out,
                                    ken_err *err) KEN_MUST_USE;

#endif

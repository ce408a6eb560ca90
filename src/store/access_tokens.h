// SPDX-License-Identifier: MIT
// access_tokens.h -- the rows of access tokens, in the catalog. The secret itself is nowhere: a row
// has its SHA-256, which is enough to know it again, as it is 256 random bits.
//
// Ownership: what is loaded lives in the arena passed. Threads: as the catalog. Errors: KEN_ENOTFOUND
// for an absent row (no message), KEN_EEXIST for a name that is taken, KEN_ELIMIT, else as the catalog.
#ifndef KEN_STORE_ACCESS_TOKENS_H
#define KEN_STORE_ACCESS_TOKENS_H

#include "base/hash.h"
#include "store/catalog.h"

enum {
    KEN_ACCESS_TOKENS_MAX = 1000, // each request compares with all
};

typedef struct ken_access_token {
    ken_uuid id;
    ken_str name; // no two have the same
    ken_sha256 hash;
    unsigned scopes;  // KEN_SCOPE_F_…
    bool is_bound;    // to `project`
    ken_uuid project; // its row may be gone
    int64_t created_at_ms;
    int64_t expires_at_ms; // 0 = never
} ken_access_token;

// By name.
ken_status ken_catalog_list_tokens(ken_catalog *c, ken_arena *arena, ken_access_token **out,
                                   size_t *out_n, ken_err *err) KEN_MUST_USE;
ken_status ken_catalog_add_token(ken_catalog *c, const ken_access_token *t, ken_err *err)
    KEN_MUST_USE;
ken_status ken_catalog_remove_token(ken_catalog *c, ken_uuid id, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// clang-format off
#define KEN_CATALOG_TOKEN_SLOTS(X)                                                               \
    X(list_tokens, PLAIN, (ken_arena *arena, ken_access_token **out, size_t *out_n, ken_err      \
      *err), (arena, out, out_n, err), NOTHING)                                                  \
    /* The row was checked. KEN_EEXIST and KEN_ELIMIT have a message. */                         \
    X(add_token, OWN, (const ken_access_token *t, ken_err *err), (t, err), TEXT(t->name, 0))     \
    X(remove_token, PLAIN, (ken_uuid id, ken_err *err), (id, err), NOTHING)
// clang-format on

#endif

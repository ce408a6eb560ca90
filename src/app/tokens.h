// SPDX-License-Identifier: MIT
// tokens.h -- access tokens of the server: who may call it, and for what.
//
// A token is "ken_" and 43 characters, 32 random bytes; only its SHA-256 is kept, in the catalog.
//
// Ownership: results live in the arena passed. Threads: safe from any thread. Errors: KEN_EPERM for a
// token that does not count, else those of the catalog. No message has a secret.
#ifndef KEN_APP_TOKENS_H
#define KEN_APP_TOKENS_H

#include "app/app.h"
#include "model/grant.h"
#include "store/access_tokens.h"

#define KEN_TOKEN_PREFIX "ken_"

typedef struct ken_app_token_opts {
    ken_str name;          // 1 to 64 letters, digits, '-', '_' and '.'; no id
    unsigned scopes;       // KEN_SCOPE_F_…
    bool is_bound;         // to `project`
    ken_uuid project;      // of a known project
    int64_t expires_at_ms; // 0 = never
} ken_app_token_opts;

// `*out_secret` is told here and never again. KEN_EEXIST when there is one of that name.
ken_status ken_app_add_token(ken_app *app, const ken_app_token_opts *opts, ken_arena *arena,
                             ken_access_token *out, ken_str *out_secret, ken_err *err) KEN_MUST_USE;
// By name, those that have expired too.
ken_status ken_app_list_tokens(ken_app *app, ken_arena *arena, ken_access_token **out,
                               size_t *out_n, ken_err *err) KEN_MUST_USE;
// `ref` is a name or an id. KEN_ENOTFOUND says what to do.
ken_status ken_app_revoke_token(ken_app *app, ken_str ref, ken_arena *arena, ken_access_token *out,
                                ken_err *err) KEN_MUST_USE;

// Whether a text has the form of one: another is of somebody else (oauth.h).
bool ken_app_is_token(ken_str bearer);
// What the bearer may do. For each request: the list is in memory, and read again when it is older than
// half a second, so that what another process adds or revokes counts within one. KEN_EPERM when the token
// is unknown, revoked or expired, which is not told apart; other errors mean that it could not be found out.
ken_status ken_app_check_token(ken_app *app, ken_str bearer, ken_grant *out, ken_err *err)
    KEN_MUST_USE;

#endif

// SPDX-License-Identifier: MIT
// oauth.h -- the server as an OAuth 2.1 resource server: access tokens (JWT, RFC 9068) of one
// authorization server, checked with the keys that it publishes.
//
// Checking a token does no I/O. Keys come with ken_oauth_fetch, which waits for the network: on a thread
// that may, when ken_oauth_wants_keys says so, and when a check says that it lacks a key. New keys are
// noticed by a token that names one that is not known (rotation), at most once a minute, and once an hour.
//
// Ownership: texts of the options are copied. Threads: safe from any thread; one lock, a leaf. Errors:
// KEN_EPERM for a token that does not count, with a reason and nothing of the token; KEN_EBUSY when keys
// must be fetched before it can be told; of fetching KEN_EIO, KEN_ETIMEOUT, KEN_ECANCELLED, KEN_EINVAL for
// an answer that is not as it must be.
#ifndef KEN_OAUTH_OAUTH_H
#define KEN_OAUTH_OAUTH_H

#include <jansson.h>

#include "base/attr.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/str.h"
#include "model/grant.h"

enum {
    KEN_OAUTH_LEEWAY_S = 60, // that clocks may differ
};

typedef struct ken_oauth ken_oauth;

typedef struct ken_oauth_opts {
    ken_str issuer;   // its URL; https, or http on this machine
    ken_str resource; // the URL of this server, which a token must name in aud (RFC 8707)
} ken_oauth_opts;

// KEN_EINVAL names what is wrong with an address.
ken_status ken_oauth_new(const ken_oauth_opts *opts, ken_oauth **out, ken_err *err) KEN_MUST_USE;
void ken_oauth_free(ken_oauth *o); // NULL is fine

// Two clocks: times of tokens are compared with that of the wall, ages of keys are counted by the
// monotonic one, which nobody sets.
typedef struct ken_oauth_now {
    int64_t wall_ms, mono_ms;
} ken_oauth_now;

// What the bearer may do now. Scopes are read, write and admin, bare or as
// "ken:read"; others are passed over. The grant is bound to no project; its name is the subject.
ken_status ken_oauth_check(ken_oauth *o, ken_str bearer, ken_oauth_now now, ken_grant *out,
                           ken_err *err) KEN_MUST_USE;

// Whether keys are absent or old, or a check asked for one that is not known; not again within a minute
// of the last try.
bool ken_oauth_wants_keys(ken_oauth *o, int64_t mono_ms);
// Asks the issuer for its metadata (RFC 8414, else OpenID Connect) and its keys. On failure those that
// are known go on for a day.
ken_status ken_oauth_fetch(ken_oauth *o, int64_t mono_ms, const ken_cancel *cancel, ken_err *err)
    KEN_MUST_USE;

// Where clients find the next document: beside the resource, at its host.
ken_str ken_oauth_metadata_url(const ken_oauth *o, ken_arena *arena);
// The document of /.well-known/oauth-protected-resource (RFC 9728).
json_t *ken_oauth_metadata_json(const ken_oauth *o);
// The value of WWW-Authenticate: with the address of that document, and why ("invalid_token",
// "insufficient_scope"; NULL = no token came).
ken_str ken_oauth_challenge(ken_str metadata_url, const char *why, unsigned scopes,
                            ken_arena *arena);

#endif

// SPDX-License-Identifier: MIT
// oauth_priv.h -- the issuer that is trusted, and its keys.
#ifndef KEN_OAUTH_OAUTH_PRIV_H
#define KEN_OAUTH_OAUTH_PRIV_H

#include <pthread.h>

#include "oauth/jwt.h"
#include "oauth/oauth.h"

struct ken_oauth {
    ken_arena arena; // of the two
    ken_str issuer, resource;
    pthread_mutex_t lock; // of all below; held for no I/O and no signature
    ken_jwk keys[KEN_JWKS_KEYS_MAX];
    size_t n_keys;
    int64_t fetched_at_ms; // the keys, monotonic; 0 = never
    int64_t tried_at_ms;
    bool has_tried, lacks_key; // a token named a key that is not among them
};

// "https://host/tenant" -> "https://host/.well-known/NAME/tenant" (RFC 8414, section 3.1; RFC 9728, 3.1).
ken_str ken_oauth__well_known(ken_str url, const char *name, ken_arena *arena);
// https, or http to this machine, where nobody listens in between; no user, no fragment.
bool ken_oauth__is_safe_url(ken_str s);

#endif

// SPDX-License-Identifier: MIT
// jwt.h -- a signed JSON web token, taken apart; and the keys of a JSON web key set.
//
// Nothing of a token counts before its signature does: reading one checks only its form. The algorithm of
// a signature is that of the key, which a token must name; "none" and shared secrets are no algorithms here.
//
// Ownership: a token borrows from its text and the arena; ken_jwt_release frees its claims. Keys are
// freed with ken_jwk_release. Threads: values; a key may be used by several threads. Errors: KEN_EINVAL
// for the form, KEN_ELIMIT for the size, KEN_EPERM for a signature that is not right.
#ifndef KEN_OAUTH_JWT_H
#define KEN_OAUTH_JWT_H

#include <jansson.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

enum {
    KEN_JWT_BYTES_MAX = 16 * 1024,
    KEN_JWT_HEADER_MAX = 4 * 1024, // decoded
    KEN_JWT_SIGNATURE_MAX = 1024,  // of an RSA key of 8,192 bits
    KEN_JWT_KID_MAX = 256,
    KEN_JWKS_KEYS_MAX = 64,
};

// id, name in tokens, type of key, its reader (jwk.c)
#define KEN_JWT_ALG_TABLE(X)           \
    X(RS256, "RS256", "RSA", read_rsa) \
    X(ES256, "ES256", "EC", read_p256) \
    X(EDDSA, "EdDSA", "OKP", read_ed25519)

typedef enum ken_jwt_alg {
    KEN_JWT_NONE = 0, // never one of a token
#define X(id, name, kty, read) KEN_JWT_##id,
    KEN_JWT_ALG_TABLE(X)
#undef X
    KEN_JWT_ALG_COUNT
} ken_jwt_alg;

typedef struct ken_jwt {
    ken_jwt_alg alg;
    ken_str kid;         // of the key; empty = not named
    ken_str signed_text; // header and claims as they came
    ken_str signature;
    json_t *claims; // an object
} ken_jwt;

ken_status ken_jwt_read(ken_str text, ken_arena *arena, ken_jwt *out, ken_err *err) KEN_MUST_USE;
void ken_jwt_release(ken_jwt *t);

typedef struct ken_jwk {
    ken_jwt_alg alg;
    char kid[KEN_JWT_KID_MAX + 1]; // "" = it has none
    void *pkey;                    // OpenSSL's
} ken_jwk;

// The keys of a set that can check signatures; others are passed over. `out` has room for
// KEN_JWKS_KEYS_MAX.
ken_status ken_jwks_read(ken_str text, ken_jwk *out, size_t *out_n, ken_err *err) KEN_MUST_USE;
void ken_jwk_release(ken_jwk *k);
ken_jwk ken_jwk_share(const ken_jwk *k); // another reference
// KEN_OK: the key has signed it.
ken_status ken_jwt_verify(const ken_jwt *t, const ken_jwk *k, ken_err *err) KEN_MUST_USE;

#endif

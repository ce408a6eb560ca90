// SPDX-License-Identifier: MIT
// fuzz_jwt -- what a caller says of itself, and the keys of an issuer. Up to the first line end a bearer,
// behind it a set of keys. A token that is taken apart is within its limits and made of its text; a key
// of another algorithm has never signed it; without keys nothing is granted.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "oauth/jwt.h"
#include "oauth/oauth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const own_set =
    "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\","
    "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"; // RFC 8037, appendix A

static void check_token(ken_str text, const ken_jwk *keys, size_t n_keys)
{
    ken_arena a;
    ken_jwt t = { .alg = KEN_JWT_NONE };
    ken_err err = { 0 };
    ken_arena_init(&a, 0);
    ken_status st = ken_jwt_read(text, &a, &t, &err);
    KEN_ASSERT(st ? err.msg[0] != '\0' : t.alg && json_is_object(t.claims));
    if (!st) {
        KEN_ASSERT(text.len <= KEN_JWT_BYTES_MAX && t.kid.len <= KEN_JWT_KID_MAX);
        KEN_ASSERT(t.signed_text.ptr == text.ptr && t.signed_text.len < text.len);
        KEN_ASSERT(t.signature.len && t.signature.len <= KEN_JWT_SIGNATURE_MAX);
    }
    for (size_t i = 0; !st && i < n_keys; i++)
        KEN_ASSERT(ken_jwt_verify(&t, &keys[i], NULL) == KEN_EPERM || t.alg == keys[i].alg);
    ken_jwt_release(&t);
    ken_arena_release(&a);
}

static void check_grant(ken_str text)
{
    static ken_oauth *o;
    ken_grant g;
    const ken_oauth_opts opts = { .issuer = KEN_STR("https://id.example.com"),
                                  .resource = KEN_STR("https://ken.example.com/mcp") };
    if (!o)
        KEN_ASSERT(!ken_oauth_new(&opts, &o, NULL));
    KEN_ASSERT(ken_oauth_check(o, text, (ken_oauth_now){ 1, 1 }, &g, NULL) !=
               KEN_OK); // it has no keys
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str all = ken_str_n((const char *)data, size);
    size_t end = ken_str_find_char(all, '\n');
    ken_str bearer = ken_str_sub(all, 0, end);
    ken_str set = end == SIZE_MAX ? ken_str_c(own_set) : ken_str_sub(all, end + 1, all.len);
    ken_jwk keys[KEN_JWKS_KEYS_MAX];
    size_t n = 0;
    if (ken_jwks_read(set, keys, &n, NULL))
        n = 0;
    KEN_ASSERT(n <= KEN_JWKS_KEYS_MAX);
    check_token(bearer, keys, n);
    check_grant(bearer);
    for (size_t i = 0; i < n; i++)
        ken_jwk_release(&keys[i]);
    return 0;
}

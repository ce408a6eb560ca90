// SPDX-License-Identifier: MIT
// Keys of a set, and signatures that they made. Only public parts are read.
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/base64.h"
#include "json/json.h"
#include "oauth/jwt.h"

enum {
    RSA_BITS_MIN = 2048,
    RSA_BITS_MAX = 8192,
    RSA_EXPONENT_BYTES = 5,
    P256_BYTES = 32,
    ED25519_BYTES = 32,
};

// ---- from numbers to a key ---------------------------------------------------------------------

static bool read_bytes(const json_t *jwk, const char *name, uint8_t *out, size_t max, size_t *out_n)
{
    return ken_base64url_parse(ken_json_text(json_object_get(jwk, name)), out, max, out_n) &&
           *out_n;
}

static EVP_PKEY *make_key(const char *type, OSSL_PARAM_BLD *b)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(b);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    bool is_made = params && ctx && EVP_PKEY_fromdata_init(ctx) > 0 &&
                   EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params) > 0;
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    return is_made ? key : NULL;
}

static EVP_PKEY *read_rsa(const json_t *jwk)
{
    uint8_t n_bytes[RSA_BITS_MAX / 8], e_bytes[RSA_EXPONENT_BYTES];
    size_t n_len = 0, e_len = 0;
    if (!read_bytes(jwk, "n", n_bytes, sizeof n_bytes, &n_len) ||
        !read_bytes(jwk, "e", e_bytes, sizeof e_bytes, &e_len))
        return NULL;
    EVP_PKEY *key = NULL;
    BIGNUM *n = BN_bin2bn(n_bytes, (int)n_len, NULL), *e = BN_bin2bn(e_bytes, (int)e_len, NULL);
    OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
    bool is_sound = n && e && b && BN_num_bits(n) >= RSA_BITS_MIN && BN_is_odd(n) && BN_is_odd(e) &&
                    !BN_is_one(e);
    if (is_sound && OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_N, n) &&
        OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_E, e))
        key = make_key("RSA", b);
    OSSL_PARAM_BLD_free(b);
    BN_free(n);
    BN_free(e);
    return key;
}

// OpenSSL refuses a point that is not on the curve.
static EVP_PKEY *read_p256(const json_t *jwk)
{
    uint8_t point[1 + 2 * P256_BYTES] = { 4 };
    size_t x_len = 0, y_len = 0;
    if (!ken_str_eq_c(ken_json_text(json_object_get(jwk, "crv")), "P-256") ||
        !read_bytes(jwk, "x", point + 1, P256_BYTES, &x_len) || x_len != P256_BYTES ||
        !read_bytes(jwk, "y", point + 1 + P256_BYTES, P256_BYTES, &y_len) || y_len != P256_BYTES)
        return NULL;
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
    if (b && OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
        OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point))
        key = make_key("EC", b);
    OSSL_PARAM_BLD_free(b);
    return key;
}

static EVP_PKEY *read_ed25519(const json_t *jwk)
{
    uint8_t x[ED25519_BYTES];
    size_t n = 0;
    if (!ken_str_eq_c(ken_json_text(json_object_get(jwk, "crv")), "Ed25519") ||
        !read_bytes(jwk, "x", x, sizeof x, &n) || n != sizeof x)
        return NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x, sizeof x);
}

static const struct {
    const char *name, *kty;
    EVP_PKEY *(*read)(const json_t *jwk);
} kinds[KEN_JWT_ALG_COUNT] = {
#define X(id, name, kty, read) [KEN_JWT_##id] = { name, kty, read },
    KEN_JWT_ALG_TABLE(X)
#undef X
};

// A key says itself what it is for; one that says something else is not for us.
static bool read_key(const json_t *jwk, ken_jwk *out)
{
    ken_str kty = ken_json_text(json_object_get(jwk, "kty"));
    ken_str use = ken_json_text(json_object_get(jwk, "use"));
    ken_str alg = ken_json_text(json_object_get(jwk, "alg"));
    ken_str kid = ken_json_text(json_object_get(jwk, "kid"));
    ken_jwk k = { .alg = KEN_JWT_NONE };
    if ((use.len && !ken_str_eq_c(use, "sig")) || kid.len > KEN_JWT_KID_MAX)
        return false;
    for (int i = 1; i < KEN_JWT_ALG_COUNT; i++)
        if (ken_str_eq_c(kty, kinds[i].kty) && (!alg.len || ken_str_eq_c(alg, kinds[i].name)))
            k.alg = (ken_jwt_alg)i;
    if (!k.alg)
        return false;
    if (kid.len)
        memcpy(k.kid, kid.ptr, kid.len);
    k.pkey = kinds[k.alg].read(jwk);
    if (!k.pkey)
        return false;
    *out = k;
    return true;
}

ken_status ken_jwks_read(ken_str text, ken_jwk *out, size_t *out_n, ken_err *err)
{
    json_t *o = NULL;
    size_t n = 0;
    ken_status st = ken_json_parse(text, &o, err);
    const json_t *keys = json_object_get(o, "keys");
    if (!st && !json_is_array(keys))
        st = KEN_FAIL(err, KEN_EINVAL, "keys: a list of keys is needed");
    if (!st && json_array_size(keys) > KEN_JWKS_KEYS_MAX)
        st = KEN_FAIL(err, KEN_ELIMIT, "keys: at most %d are taken", KEN_JWKS_KEYS_MAX);
    for (size_t i = 0; !st && i < json_array_size(keys); i++)
        n += read_key(json_array_get(keys, i), &out[n]);
    json_decref(o);
    if (!st && !n)
        st = KEN_FAIL(err, KEN_EINVAL, "keys: none is an RSA, P-256 or Ed25519 key for signatures");
    if (!st)
        *out_n = n;
    return st;
}

void ken_jwk_release(ken_jwk *k)
{
    EVP_PKEY_free(k->pkey);
    k->pkey = NULL;
}

ken_jwk ken_jwk_share(const ken_jwk *k)
{
    ken_jwk other = *k;
    EVP_PKEY_up_ref(other.pkey);
    return other;
}

// ---- signatures --------------------------------------------------------------------------------

// Two numbers of 32 bytes each become what OpenSSL wants. NULL: they are not that.
static unsigned char *der_of_p256(ken_str s, size_t *out_len)
{
    unsigned char *der = NULL;
    if (s.len != 2 * (size_t)P256_BYTES)
        return NULL;
    ECDSA_SIG *sig = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn((const unsigned char *)s.ptr, P256_BYTES, NULL);
    BIGNUM *v = BN_bin2bn((const unsigned char *)s.ptr + P256_BYTES, P256_BYTES, NULL);
    bool is_set = sig && r && v && ECDSA_SIG_set0(sig, r, v);
    if (!is_set) { // else they are the signature's
        BN_free(r);
        BN_free(v);
    }
    int n = is_set ? i2d_ECDSA_SIG(sig, &der) : -1;
    ECDSA_SIG_free(sig);
    *out_len = n > 0 ? (size_t)n : 0;
    return n > 0 ? der : NULL;
}

static bool has_signed(const ken_jwk *k, ken_str text, const unsigned char *sig, size_t sig_len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const EVP_MD *md = k->alg == KEN_JWT_EDDSA ? NULL : EVP_sha256();
    bool is_right =
        ctx && EVP_DigestVerifyInit(ctx, NULL, md, NULL, k->pkey) == 1 &&
        EVP_DigestVerify(ctx, sig, sig_len, (const unsigned char *)text.ptr, text.len) == 1;
    EVP_MD_CTX_free(ctx);
    return is_right;
}

ken_status ken_jwt_verify(const ken_jwt *t, const ken_jwk *k, ken_err *err)
{
    bool is_right = false;
    if (t->alg != k->alg)
        return KEN_FAIL(err, KEN_EPERM, "its algorithm is not that of the key");
    if (k->alg == KEN_JWT_ES256) {
        size_t n = 0;
        unsigned char *der = der_of_p256(t->signature, &n);
        is_right = der && has_signed(k, t->signed_text, der, n);
        OPENSSL_free(der);
    } else {
        is_right = has_signed(k, t->signed_text, (const unsigned char *)t->signature.ptr,
                              t->signature.len);
    }
    return is_right ? KEN_OK : KEN_FAIL(err, KEN_EPERM, "its signature is not right");
}

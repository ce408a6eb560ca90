// SPDX-License-Identifier: MIT
#include "oauth/jwt.h"

#include <string.h>

#include "base/base64.h"
#include "json/json.h"

static const char *const algs[KEN_JWT_ALG_COUNT] = { "",
#define X(id, name, kty, read) name,
                                                     KEN_JWT_ALG_TABLE(X)
#undef X
};

static ken_jwt_alg alg_of(ken_str name)
{
    for (int i = 1; i < KEN_JWT_ALG_COUNT; i++)
        if (ken_str_eq_c(name, algs[i]))
            return (ken_jwt_alg)i;
    return KEN_JWT_NONE;
}

static ken_status decode(ken_str part, const char *what, size_t max, ken_arena *arena, ken_str *out,
                         ken_err *err)
{
    size_t n = 0;
    uint8_t *bytes = ken_arena_alloc(arena, max);
    if (!part.len || !ken_base64url_parse(part, bytes, max, &n))
        return KEN_FAIL(err, KEN_EINVAL, "%s: not base64url, or over %zu bytes", what, max);
    *out = ken_str_n((const char *)bytes, n);
    return KEN_OK;
}

static ken_status read_object(ken_str text, const char *what, json_t **out, ken_err *err)
{
    json_t *o = NULL;
    ken_status st = ken_json_parse(text, &o, NULL); // its message may quote what is secret
    if (!st && json_is_object(o)) {
        *out = o;
        return KEN_OK;
    }
    json_decref(o);
    return KEN_FAIL(err, KEN_EINVAL, "%s: not a JSON object", what);
}

static ken_status read_header(ken_str text, ken_arena *arena, ken_jwt *out, ken_err *err)
{
    json_t *o = NULL;
    ken_str alg = { "", 0 }, kid = { "", 0 };
    ken_status st = read_object(text, "header", &o, err);
    if (!st)
        st = ken_json_read_str(o, "header", "alg", &alg, err);
    if (!st)
        st = ken_json_read_str(o, "header", "kid", &kid, err);
    out->alg = alg_of(alg);
    if (!st && !out->alg)
        st = KEN_FAIL(err, KEN_EINVAL, "header.alg: RS256, ES256 or EdDSA is needed");
    // What must be understood and is not, is no token for us (RFC 7515, 4.1.11).
    if (!st && json_object_get(o, "crit"))
        st = KEN_FAIL(err, KEN_EINVAL, "header.crit: no extension is known");
    if (!st && (kid.len > KEN_JWT_KID_MAX || (kid.len && memchr(kid.ptr, '\0', kid.len))))
        st = KEN_FAIL(err, KEN_ELIMIT, "header.kid: over %d bytes", KEN_JWT_KID_MAX);
    out->kid = ken_arena_dup(arena, kid);
    json_decref(o);
    return st;
}

ken_status ken_jwt_read(ken_str text, ken_arena *arena, ken_jwt *out, ken_err *err)
{
    if (text.len > KEN_JWT_BYTES_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "a token has at most %d bytes", KEN_JWT_BYTES_MAX);
    size_t first = ken_str_find_char(text, '.');
    ken_str rest = first == SIZE_MAX ? KEN_STR("") : ken_str_sub(text, first + 1, text.len);
    size_t second = ken_str_find_char(rest, '.');
    if (second == SIZE_MAX ||
        ken_str_find_char(ken_str_sub(rest, second + 1, rest.len), '.') != SIZE_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "a token has three parts");
    ken_jwt t = { .signed_text = ken_str_sub(text, 0, first + 1 + second) };
    ken_str header = KEN_STR(""), claims = KEN_STR("");
    ken_status st =
        decode(ken_str_sub(text, 0, first), "header", KEN_JWT_HEADER_MAX, arena, &header, err);
    if (!st)
        st = decode(ken_str_sub(rest, second + 1, rest.len), "signature", KEN_JWT_SIGNATURE_MAX,
                    arena, &t.signature, err);
    if (!st)
        st = read_header(header, arena, &t, err);
    if (!st)
        st = decode(ken_str_sub(rest, 0, second), "claims", KEN_JWT_BYTES_MAX, arena, &claims, err);
    if (!st)
        st = read_object(claims, "claims", &t.claims, err);
    if (!st)
        *out = t;
    return st;
}

void ken_jwt_release(ken_jwt *t)
{
    json_decref(t->claims);
    t->claims = NULL;
}

// SPDX-License-Identifier: MIT
// A small issuer of our own on this machine: real keys, real signatures, real HTTP.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/hash.h"
#include "httpd/httpd.h"
#include "ktest.h"
#include "oauth/jwt.h"
#include "oauth/oauth.h"

enum {
    KEYS = 4
};
#define RESOURCE "https://ken.example.com/mcp"
#define ZEROS    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" // no point of the curve
#define NOW_S    INT64_C(1800000000)
#define NOW_MS   (NOW_S * 1000)

static ken_arena arena;
static ken_err err;

// ---- the issuer --------------------------------------------------------------------------------

typedef struct key {
    const char *kid, *kty, *alg;
    EVP_PKEY *pkey;
} key;

static key keys[KEYS];
static size_t n_published; // keys[0 … n_published - 1] are in the set
static ken_httpd *server;
static char issuer[64];
static char document[4096], key_set[16 * 1024];
static atomic_int n_asked;

static void answer(ken_httpd_request *r, const char *text)
{
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = *text ? 200 : 404,
                                                  .type = "application/json",
                                                  .body = ken_str_c(text) });
}

static void give_document(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    atomic_fetch_add(&n_asked, 1);
    answer(r, document);
}

static void give_keys(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer(r, key_set);
}

static const ken_httpd_route routes[] = {
    { "GET", "/.well-known/openid-configuration", give_document, 0 },
    { "GET", "/keys", give_keys, 0 },
};

static const char *coded(const void *data, size_t n)
{
    char *to = ken_arena_alloc(&arena, KEN_BASE64URL_LEN(n) + 1);
    ken_base64url_into(data, n, to);
    return to;
}

static const char *coded_bn(const EVP_PKEY *k, const char *name)
{
    BIGNUM *bn = NULL;
    unsigned char bytes[1024];
    kt_eq_i(EVP_PKEY_get_bn_param(k, name, &bn), 1);
    int n = BN_bn2bin(bn, bytes);
    BN_free(bn);
    return coded(bytes, (size_t)n);
}

static void put_key(ken_buf *b, const key *k)
{
    unsigned char bytes[256];
    size_t n = sizeof bytes;
    ken_buf_printf(b, "%s{\"kid\":\"%s\",\"kty\":\"%s\",\"use\":\"sig\",", b->len > 9 ? "," : "",
                   k->kid, k->kty);
    if (!strcmp(k->kty, "RSA")) {
        ken_buf_printf(b, "\"n\":\"%s\",\"e\":\"%s\"}", coded_bn(k->pkey, OSSL_PKEY_PARAM_RSA_N),
                       coded_bn(k->pkey, OSSL_PKEY_PARAM_RSA_E));
    } else if (!strcmp(k->kty, "EC")) {
        kt_eq_i(EVP_PKEY_get_octet_string_param(k->pkey, OSSL_PKEY_PARAM_PUB_KEY, bytes, n, &n), 1);
        kt_eq_u(n, 65);
        ken_buf_printf(b, "\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"}", coded(bytes + 1, 32),
                       coded(bytes + 33, 32));
    } else {
        kt_eq_i(EVP_PKEY_get_raw_public_key(k->pkey, bytes, &n), 1);
        ken_buf_printf(b, "\"crv\":\"Ed25519\",\"x\":\"%s\"}", coded(bytes, n));
    }
}

static void publish(size_t n)
{
    ken_buf b = KEN_BUF_INIT(sizeof key_set);
    n_published = n;
    ken_buf_puts(&b, "{\"keys\":[");
    for (size_t i = 0; i < n; i++)
        put_key(&b, &keys[i]);
    ken_buf_puts(&b, "]}");
    snprintf(key_set, sizeof key_set, "%s", b.ptr);
    ken_buf_release(&b);
}

static void start_issuer(void)
{
    ken_arena_init(&arena, 0);
    keys[0] = (key){ "rsa", "RSA", "RS256", EVP_RSA_gen(2048) };
    keys[1] = (key){ "ec", "EC", "ES256", EVP_EC_gen("P-256") };
    keys[2] = (key){ "ed", "OKP", "EdDSA", EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") };
    keys[3] = (key){ "next", "OKP", "EdDSA", EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") };
    publish(3);
    atomic_store(&n_asked, 0);
    kt_ok_err(ken_httpd_start(&(ken_httpd_opts){ .address = "127.0.0.1",
                                                 .routes = routes,
                                                 .n_routes = sizeof routes / sizeof *routes },
                              &server, &err),
              &err);
    snprintf(issuer, sizeof issuer, "http://127.0.0.1:%u", ken_httpd_port(server));
    snprintf(document, sizeof document, "{\"issuer\":\"%s\",\"jwks_uri\":\"%s/keys\"}", issuer,
             issuer);
}

static void stop_issuer(void)
{
    ken_httpd_stop(server, 100);
    for (size_t i = 0; i < KEYS; i++)
        EVP_PKEY_free(keys[i].pkey);
    ken_arena_release(&arena);
}

static ken_oauth *open_oauth(void)
{
    ken_oauth *o = NULL;
    const ken_oauth_opts opts = { .issuer = ken_str_c(issuer), .resource = KEN_STR(RESOURCE) };
    kt_ok_err(ken_oauth_new(&opts, &o, &err), &err);
    return o;
}

static ken_oauth *open_with_keys(void)
{
    ken_oauth *o = open_oauth();
    kt_ok_err(ken_oauth_fetch(o, NOW_MS, NULL, &err), &err);
    return o;
}

// ---- tokens ------------------------------------------------------------------------------------

static size_t sign(const key *k, ken_str text, unsigned char *out, size_t max)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char sig[1024];
    size_t n = sizeof sig;
    const EVP_MD *md = strcmp(k->kty, "OKP") ? EVP_sha256() : NULL;
    kt_eq_i(EVP_DigestSignInit(ctx, NULL, md, NULL, k->pkey), 1);
    kt_eq_i(EVP_DigestSign(ctx, sig, &n, (const unsigned char *)text.ptr, text.len), 1);
    EVP_MD_CTX_free(ctx);
    if (strcmp(k->kty, "EC") != 0) {
        kt_true(n <= max);
        memcpy(out, sig, n);
        return n;
    }
    const unsigned char *at = sig;
    ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &at, (long)n);
    kt_eq_i(BN_bn2binpad(ECDSA_SIG_get0_r(s), out, 32), 32);
    kt_eq_i(BN_bn2binpad(ECDSA_SIG_get0_s(s), out + 32, 32), 32);
    ECDSA_SIG_free(s);
    return 64;
}

static ken_str make(const char *header, const char *claims, const key *k)
{
    unsigned char sig[1024];
    ken_str text = ken_arena_printf(&arena, "%s.%s", coded(header, strlen(header)),
                                    coded(claims, strlen(claims)));
    size_t n = sign(k, text, sig, sizeof sig);
    return ken_arena_printf(&arena, KEN_STR_FMT ".%s", KEN_STR_ARG(text), coded(sig, n));
}

// The claims of a good token; `more` comes last and may be empty.
static const char *claims_with(const char *iss, const char *aud, int64_t exp, const char *more)
{
    return ken_arena_printf(&arena, "{\"iss\":\"%s\",\"aud\":%s,\"exp\":%lld,\"sub\":\"ann\"%s}",
                            iss, aud, (long long)exp, more)
        .ptr;
}

static const char *good_claims(void)
{
    return claims_with(issuer, "\"" RESOURCE "\"", NOW_S + 300, ",\"scope\":\"ken:write openid\"");
}

static const char *header_of(const key *k)
{
    return ken_arena_printf(&arena, "{\"alg\":\"%s\",\"kid\":\"%s\",\"typ\":\"at+jwt\"}", k->alg,
                            k->kid)
        .ptr;
}

static ken_oauth_now at(int64_t ms)
{
    return (ken_oauth_now){ ms, ms };
}

static ken_status check(ken_oauth *o, ken_str token, ken_grant *out)
{
    err = (ken_err){ 0 };
    return ken_oauth_check(o, token, at(NOW_MS), out, &err);
}

static void refused(ken_oauth *o, ken_str token, const char *why)
{
    ken_grant g;
    ken_status st = check(o, token, &g);
    if (st != KEN_EPERM || !strstr(err.msg, why))
        kt_fail("%s, '%s' instead of '%s'", ken_status_name(st), err.msg, why);
}

// ---- tests -------------------------------------------------------------------------------------

KEN_TEST(tokens_of_each_kind_of_key_count)
{
    start_issuer();
    ken_oauth *o = open_oauth();
    ken_grant g;
    kt_true(ken_oauth_wants_keys(o, NOW_MS));
    kt_status(check(o, make(header_of(&keys[0]), good_claims(), &keys[0]), &g), KEN_EBUSY);
    kt_ok_err(ken_oauth_fetch(o, NOW_MS, NULL, &err), &err);
    kt_false(ken_oauth_wants_keys(o, NOW_MS));
    for (size_t i = 0; i < 3; i++) {
        kt_ok_err(check(o, make(header_of(&keys[i]), good_claims(), &keys[i]), &g), &err);
        kt_eq_str(g.name, "ann");
        kt_eq_u(g.scopes, KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE);
        kt_false(g.is_bound);
        // Without the name of a key the ones of its algorithm are tried.
        const char *bare = ken_arena_printf(&arena, "{\"alg\":\"%s\"}", keys[i].alg).ptr;
        kt_ok_err(check(o, make(bare, good_claims(), &keys[i]), &g), &err);
    }
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(other_signatures_do_not)
{
    start_issuer();
    ken_oauth *o = open_with_keys();
    refused(o, make(header_of(&keys[2]), good_claims(), &keys[3]), "signature");
    refused(o, make("{\"alg\":\"none\",\"kid\":\"rsa\"}", good_claims(), &keys[0]), "header.alg");
    refused(o, make("{\"alg\":\"None\"}", good_claims(), &keys[0]), "header.alg");
    refused(o, make("{\"kid\":\"rsa\"}", good_claims(), &keys[0]), "header.alg");
    refused(o, make("{\"alg\":\"ES256\",\"kid\":\"rsa\"}", good_claims(), &keys[0]), "algorithm");
    refused(o,
            make("{\"alg\":\"RS256\",\"kid\":\"rsa\",\"crit\":[\"x\"]}", good_claims(), &keys[0]),
            "header.crit");
    // The public key as a shared secret: the oldest trick.
    refused(o, make("{\"alg\":\"HS256\",\"kid\":\"rsa\"}", good_claims(), &keys[0]), "header.alg");
    ken_str good = make(header_of(&keys[1]), good_claims(), &keys[1]);
    for (size_t i = 0; i < good.len; i++) {
        char *changed = ken_arena_strdup(&arena, good.ptr);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        ken_grant g;
        kt_status(check(o, ken_str_n(changed, good.len), &g), KEN_EPERM);
        kt_status(check(o, ken_str_sub(good, 0, i), &g), KEN_EPERM);
    }
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(claims_are_checked)
{
    const char *aud = "\"" RESOURCE "\"", *scope = ",\"scope\":\"read\"";
    start_issuer();
    ken_oauth *o = open_with_keys();
    ken_grant g;
    const struct {
        const char *claims, *why;
    } bad[] = {
        { claims_with("https://evil.example", aud, NOW_S + 300, scope), "iss:" },
        { claims_with(issuer, "\"https://other.example/mcp\"", NOW_S + 300, scope), "aud:" },
        { claims_with(issuer, "[]", NOW_S + 300, scope), "aud:" },
        { claims_with(issuer, "null", NOW_S + 300, scope), "aud:" },
        { claims_with(issuer, aud, NOW_S - 60, scope), "exp:" },
        { claims_with(issuer, aud, -1, scope), "exp:" },
        { claims_with(issuer, aud, NOW_S + 300, ",\"nbf\":1800000061,\"scope\":\"read\""), "nbf:" },
        { claims_with(issuer, aud, NOW_S + 300, ",\"nbf\":\"soon\",\"scope\":\"read\""), "nbf:" },
        { claims_with(issuer, aud, NOW_S + 300, ",\"scope\":\"openid profile\""), "scope:" },
        { claims_with(issuer, aud, NOW_S + 300, ",\"scope\":7"), "scope:" },
        { claims_with(issuer, aud, NOW_S + 300, ""), "scope:" },
        { "{}", "iss:" },
        { "[]", "claims:" },
        { "{\"iss\":1,\"iss\":2}", "claims:" },
        { ken_arena_printf(&arena, "{\"iss\":\"%s\",\"aud\":%s,\"scope\":\"read\"}", issuer, aud)
              .ptr,
          "exp:" },
        { ken_arena_printf(&arena, "{\"iss\":\"%s\",\"aud\":%s,\"exp\":1e300,\"scope\":\"read\"}",
                           issuer, aud)
              .ptr,
          "exp:" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(o, make(header_of(&keys[1]), bad[i].claims, &keys[1]), bad[i].why);
    const char *good[] = {
        claims_with(issuer, aud, NOW_S - 59, scope), // clocks differ
        claims_with(issuer, "[\"x\",\"" RESOURCE "\"]", NOW_S + 1, ",\"scp\":[\"read\",\"x\"]"),
        claims_with(issuer, aud, NOW_S + 1,
                    ",\"nbf\":1800000059.5,\"iat\":1,\"scope\":\"ken:read\""),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        kt_ok_err(check(o, make(header_of(&keys[1]), good[i], &keys[1]), &g), &err);
        kt_eq_u(g.scopes, KEN_SCOPE_F_READ);
    }
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(new_keys_are_fetched_and_a_flood_of_names_asks_once)
{
    start_issuer();
    ken_oauth *o = open_with_keys();
    ken_grant g;
    ken_str next = make(header_of(&keys[3]), good_claims(), &keys[3]);
    refused(o, next, "a key that the issuer has not"); // fetched a moment ago
    publish(4);
    kt_false(ken_oauth_wants_keys(o, NOW_MS + 59000));
    kt_true(ken_oauth_wants_keys(o, NOW_MS + 60000));
    kt_status(ken_oauth_check(o, next, at(NOW_MS + 60000), &g, &err), KEN_EBUSY);
    kt_ok_err(ken_oauth_fetch(o, NOW_MS + 60000, NULL, &err), &err);
    kt_ok_err(ken_oauth_check(o, next, at(NOW_MS + 60000), &g, &err), &err);
    // What was taken out of the set counts no more once it was fetched again.
    keys[0] = (key){ "new", "RSA", "RS256", keys[0].pkey };
    publish(1);
    kt_true(ken_oauth_wants_keys(o, NOW_MS + 3660000)); // after an hour
    kt_ok_err(ken_oauth_fetch(o, NOW_MS + 3660000, NULL, &err), &err);
    refused(o, make(header_of(&keys[1]), good_claims(), &keys[1]), "a key that the issuer has not");
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(a_clock_that_is_set_makes_no_key_older)
{
    start_issuer();
    ken_oauth *o = open_with_keys();
    ken_grant g;
    ken_str good = make(header_of(&keys[0]), good_claims(), &keys[0]);
    ken_str next = make(header_of(&keys[3]), good_claims(), &keys[3]);
    ken_oauth_now back = { NOW_MS - INT64_C(172800000), NOW_MS + 60000 };
    ken_oauth_now ahead = { NOW_MS + INT64_C(172800000), NOW_MS };
    kt_ok_err(ken_oauth_check(o, good, back, &g, &err), &err);
    kt_status(ken_oauth_check(o, next, back, &g, &err), KEN_EBUSY); // a minute has passed
    kt_status(ken_oauth_check(o, good, ahead, &g, &err), KEN_EPERM);
    kt_has_str(err.msg, "expired");
    kt_status(ken_oauth_check(o, next, ahead, &g, &err), KEN_EPERM); // asked a moment ago
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(an_issuer_that_is_away_or_wrong)
{
    start_issuer();
    ken_oauth *o = open_with_keys();
    ken_grant g;
    ken_str good = make(header_of(&keys[2]), good_claims(), &keys[2]);
    static const char *const wrong[] = {
        "",
        "[",
        "{}",
        "{\"issuer\":\"https://evil.example\",\"jwks_uri\":\"https://evil.example/k\"}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(document, sizeof document, "%s", wrong[i]);
        kt_true(ken_oauth_fetch(o, NOW_MS, NULL, &err) != KEN_OK);
        kt_has_str(err.msg, "keys of 'http://127.0.0.1");
        kt_ok_err(check(o, good, &g), &err); // with the keys there are
    }
    snprintf(document, sizeof document,
             "{\"issuer\":\"%s\",\"jwks_uri\":\"http://ken.example.com/keys\"}", issuer);
    kt_true(ken_oauth_fetch(o, NOW_MS, NULL, &err) != KEN_OK);
    kt_has_str(err.msg, "https: address");
    snprintf(document, sizeof document, "{\"issuer\":\"%s\",\"jwks_uri\":\"%s/keys\"}", issuer,
             issuer);
    static const char *const sets[] = {
        "",
        "7",
        "{\"keys\":{}}",
        "{\"keys\":[]}",
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}",
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}", // 17 bits
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" ZEROS "\",\"y\":\"" ZEROS "\"}]}",
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        snprintf(key_set, sizeof key_set, "%s", sets[i]);
        if (!ken_oauth_fetch(o, NOW_MS, NULL, &err))
            kt_fail("'%s' was taken", sets[i]);
    }
    kt_ok_err(check(o, good, &g), &err);
    kt_status(ken_oauth_check(o, good, at(NOW_MS + INT64_C(86400000)), &g, &err),
              KEN_EBUSY); // a day
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(large_tokens_are_refused)
{
    start_issuer();
    ken_oauth *o = open_with_keys();
    char *large = ken_arena_alloc(&arena, 64 * 1024);
    memset(large, 'a', 64 * 1024);
    refused(o, ken_str_n(large, 64 * 1024), "at most 16384 bytes");
    refused(o, ken_str_n(large, 1000), "three parts");
    refused(o, KEN_STR(""), "three parts");
    refused(o, KEN_STR(".."), "header");
    refused(o, KEN_STR("a.b.c.d"), "three parts");
    ken_oauth_free(o);
    stop_issuer();
}

KEN_TEST(addresses_are_checked)
{
    static const char *const bad[] = { "",
                                       "ken",
                                       "http://id.example.com",
                                       "ftp://id.example.com",
                                       "https://",
                                       "https://a b",
                                       "https://user@id.example.com",
                                       "https://id.example.com/#x",
                                       "http://127.0.0.1.evil.example" };
    ken_oauth *o = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ken_oauth_opts opts = { .issuer = ken_str_c(bad[i]), .resource = KEN_STR(RESOURCE) };
        kt_status(ken_oauth_new(&opts, &o, &err), KEN_EINVAL);
        kt_has_str(err.msg, "issuer:");
    }
    ken_oauth_free(NULL);
}

KEN_TEST(what_clients_are_told)
{
    ken_oauth *o = NULL;
    ken_arena_init(&arena, 0);
    const ken_oauth_opts opts = { .issuer = KEN_STR("https://id.example.com/tenant"),
                                  .resource = KEN_STR(RESOURCE) };
    kt_ok_err(ken_oauth_new(&opts, &o, &err), &err);
    kt_eq_text(ken_oauth_metadata_url(o, &arena),
               "https://ken.example.com/.well-known/oauth-protected-resource/mcp");
    json_t *doc = ken_oauth_metadata_json(o);
    kt_eq_str(json_string_value(json_object_get(doc, "resource")), RESOURCE);
    kt_eq_str(json_string_value(json_array_get(json_object_get(doc, "authorization_servers"), 0)),
              "https://id.example.com/tenant");
    kt_eq_u(json_array_size(json_object_get(doc, "scopes_supported")), 3);
    json_decref(doc);
    kt_eq_text(ken_oauth_challenge(KEN_STR("https://k/.well-known/x"), NULL, 0, &arena),
               "Bearer resource_metadata=\"https://k/.well-known/x\"");
    kt_eq_text(ken_oauth_challenge(KEN_STR("https://k/x"), "insufficient_scope",
                                   KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE, &arena),
               "Bearer resource_metadata=\"https://k/x\", error=\"insufficient_scope\", "
               "scope=\"write\"");
    ken_oauth_free(o);
    ken_arena_release(&arena);
}

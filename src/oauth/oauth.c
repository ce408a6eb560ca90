// SPDX-License-Identifier: MIT
// A token is checked in this order: its form, its key, its signature, who made it, for whom, when; then
// what it grants. Only then is anything of it used.
#include "oauth/oauth.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/net.h"
#include "base/utf8.h"
#include "json/json.h"
#include "oauth/oauth_priv.h"

enum {
    URL_MAX = 2048,
    AUDIENCES_MAX = 64,
    SAME_KEYS_MAX = 8, // tried when a token names none
};

#define HOUR_MS      (INT64_C(3600) * 1000)
#define DAY_MS       (24 * HOUR_MS)
#define TRY_AGAIN_MS (INT64_C(60) * 1000)

// ---- opening -----------------------------------------------------------------------------------

bool ken_oauth__is_safe_url(ken_str s)
{
    const ken_str https = KEN_STR("https://"), http = KEN_STR("http://");
    bool is_https = ken_str_starts(s, https);
    if (!is_https && !ken_str_starts(s, http))
        return false;
    ken_str host = ken_str_sub(s, is_https ? https.len : http.len, s.len);
    size_t n = 0;
    while (n < host.len && host.ptr[n] != '/')
        n++;
    host = ken_str_sub(host, 0, n);
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] <= ' ' || (unsigned char)s.ptr[i] >= 0x7f || s.ptr[i] == '#' ||
            s.ptr[i] == '"' || s.ptr[i] == '\\')
            return false;
    if (ken_str_find_char(host, '@') != SIZE_MAX)
        return false;
    size_t bracket = ken_str_find_char(host, ']'), from = bracket == SIZE_MAX ? 0 : bracket;
    size_t colon = ken_str_find_char(ken_str_sub(host, from, host.len), ':');
    ken_str name = colon == SIZE_MAX ? host : ken_str_sub(host, 0, from + colon);
    return name.len && s.len <= URL_MAX &&
           (is_https || ken_net_is_loopback(name) || ken_str_eq_c(name, "localhost"));
}

static ken_status check_url(const char *what, ken_str s, ken_err *err)
{
    if (ken_oauth__is_safe_url(s))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "%s: '" KEN_STR_FMT "' is no https: address (http: is for this machine only)",
                    what, KEN_STR_ARG(ken_utf8_clip(s, 100)));
}

ken_status ken_oauth_new(const ken_oauth_opts *opts, ken_oauth **out, ken_err *err)
{
    ken_status st = check_url("issuer", opts->issuer, err);
    if (!st)
        st = check_url("resource", opts->resource, err);
    if (st)
        return st;
    ken_oauth *o = ken_zalloc(sizeof *o);
    ken_arena_init(&o->arena, 256);
    o->issuer = ken_arena_dup(&o->arena, opts->issuer);
    o->resource = ken_arena_dup(&o->arena, opts->resource);
    pthread_mutex_init(&o->lock, NULL);
    *out = o;
    return KEN_OK;
}

void ken_oauth_free(ken_oauth *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->n_keys; i++)
        ken_jwk_release(&o->keys[i]);
    pthread_mutex_destroy(&o->lock);
    ken_arena_release(&o->arena);
    ken_free(o);
}

// ---- keys --------------------------------------------------------------------------------------

// References to the keys that may have signed it: the one that it names, or those of its algorithm.
static size_t take_keys(ken_oauth *o, const ken_jwt *t, int64_t mono_ms, ken_jwk *out,
                        bool *out_lacks)
{
    size_t n = 0;
    pthread_mutex_lock(&o->lock);
    bool is_known = o->fetched_at_ms && mono_ms - o->fetched_at_ms < DAY_MS;
    for (size_t i = 0; is_known && i < o->n_keys && n < SAME_KEYS_MAX; i++) {
        const ken_jwk *k = &o->keys[i];
        if (t->kid.len ? ken_str_eq_c(t->kid, k->kid) : k->alg == t->alg)
            out[n++] = ken_jwk_share(k);
    }
    o->lacks_key = o->lacks_key || !n;
    // Whoever makes tokens up must not have the issuer asked for each.
    *out_lacks = !n && (!is_known || mono_ms - o->tried_at_ms >= TRY_AGAIN_MS);
    pthread_mutex_unlock(&o->lock);
    return n;
}

static ken_status check_signature(ken_oauth *o, const ken_jwt *t, int64_t mono_ms, ken_err *err)
{
    ken_jwk keys[SAME_KEYS_MAX];
    bool lacks = false;
    size_t n = take_keys(o, t, mono_ms, keys, &lacks);
    ken_status st =
        lacks ? KEN_FAIL(err, KEN_EBUSY, "the keys of the issuer must be fetched first")
        : n   ? KEN_EPERM
              : KEN_FAIL(err, KEN_EPERM, "it is signed with a key that the issuer has not");
    for (size_t i = 0; i < n; i++) {
        if (st)
            st = ken_jwt_verify(t, &keys[i], err);
        ken_jwk_release(&keys[i]);
    }
    return st;
}

bool ken_oauth_wants_keys(ken_oauth *o, int64_t mono_ms)
{
    pthread_mutex_lock(&o->lock);
    bool is_old = !o->fetched_at_ms || mono_ms - o->fetched_at_ms >= HOUR_MS;
    bool may_try = !o->has_tried || mono_ms - o->tried_at_ms >= TRY_AGAIN_MS;
    bool wants = may_try && (is_old || o->lacks_key);
    pthread_mutex_unlock(&o->lock);
    return wants;
}

// ---- claims ------------------------------------------------------------------------------------

// A list of texts, or one: aud.
static bool names(const json_t *value, ken_str wanted)
{
    if (json_is_string(value))
        return ken_str_eq(ken_json_text(value), wanted);
    for (size_t i = 0; i < json_array_size(value) && i < AUDIENCES_MAX; i++)
        if (ken_str_eq(ken_json_text(json_array_get(value, i)), wanted))
            return true;
    return false;
}

// Seconds since 1970, whole or not. False: it is there and no such number.
static bool read_time(const json_t *claims, const char *name, bool *out_has, double *out_s)
{
    const json_t *v = json_object_get(claims, name);
    *out_has = v != NULL;
    if (!v)
        return true;
    *out_s = json_is_number(v) ? json_number_value(v) : -1;
    return isfinite(*out_s) && *out_s >= 0 && *out_s < 1e12;
}

static ken_status check_times(const json_t *claims, int64_t now_ms, ken_err *err)
{
    bool has_exp = false, has_nbf = false;
    double exp = 0, nbf = 0, now = (double)now_ms / 1000;
    if (!read_time(claims, "exp", &has_exp, &exp) || !has_exp)
        return KEN_FAIL(err, KEN_EPERM, "exp: the time when it ends is needed");
    if (!read_time(claims, "nbf", &has_nbf, &nbf))
        return KEN_FAIL(err, KEN_EPERM, "nbf: it is no time");
    if (now >= exp + KEN_OAUTH_LEEWAY_S)
        return KEN_FAIL(err, KEN_EPERM, "exp: it has expired");
    if (has_nbf && now < nbf - KEN_OAUTH_LEEWAY_S)
        return KEN_FAIL(err, KEN_EPERM, "nbf: it does not count yet");
    return KEN_OK;
}

static ken_status check_claims(const ken_oauth *o, const json_t *claims, int64_t now_ms,
                               ken_err *err)
{
    if (!ken_str_eq(ken_json_text(json_object_get(claims, "iss")), o->issuer))
        return KEN_FAIL(err, KEN_EPERM, "iss: it is of another issuer");
    if (!names(json_object_get(claims, "aud"), o->resource))
        return KEN_FAIL(err, KEN_EPERM, "aud: it is for another server");
    return check_times(claims, now_ms, err);
}

// Words that are not ours are the business of others.
static unsigned scopes_of(ken_str words)
{
    const ken_str prefix = KEN_STR("ken:");
    unsigned all = 0, one = 0;
    ken_str word;
    while (ken_str_split_next(&words, ' ', &word)) {
        if (ken_str_starts(word, prefix))
            word = ken_str_sub(word, prefix.len, word.len);
        bool is_one = ken_str_find_char(word, ',') == SIZE_MAX && ken_scopes_parse(word, &one);
        all |= is_one ? one : 0;
    }
    return all;
}

static unsigned read_scopes(const json_t *claims)
{
    const json_t *list = json_object_get(claims, "scp");
    unsigned all =
        scopes_of(ken_json_text(json_object_get(claims, "scope"))) | scopes_of(ken_json_text(list));
    for (size_t i = 0; i < json_array_size(list) && i < AUDIENCES_MAX; i++)
        all |= scopes_of(ken_json_text(json_array_get(list, i)));
    return all;
}

// It goes into logs: what is not printable is made harmless there.
static void set_name(ken_grant *g, ken_str subject)
{
    ken_str s = ken_utf8_clip(subject.len ? subject : KEN_STR("oauth"), KEN_GRANT_NAME_MAX);
    memcpy(g->name, s.ptr, s.len);
    g->name[s.len] = '\0';
}

static ken_status check(ken_oauth *o, const ken_jwt *t, ken_oauth_now now, ken_grant *out,
                        ken_err *err)
{
    ken_grant g = { .scopes = 0 };
    ken_status st = check_signature(o, t, now.mono_ms, err);
    if (!st)
        st = check_claims(o, t->claims, now.wall_ms, err);
    if (st)
        return st;
    g.scopes = read_scopes(t->claims);
    if (!g.scopes)
        return KEN_FAIL(err, KEN_EPERM, "scope: read, write or admin is needed");
    set_name(&g, ken_json_text(json_object_get(t->claims, "sub")));
    *out = g;
    return KEN_OK;
}

ken_status ken_oauth_check(ken_oauth *o, ken_str bearer, ken_oauth_now now, ken_grant *out,
                           ken_err *err)
{
    ken_arena a;
    ken_jwt t = { .alg = KEN_JWT_NONE };
    ken_err why = { 0 };
    ken_arena_init(&a, 8192);
    ken_status st = ken_jwt_read(bearer, &a, &t, &why);
    bool is_no_token = st != KEN_OK;
    if (!st)
        st = check(o, &t, now, out, &why);
    ken_jwt_release(&t);
    ken_arena_release(&a);
    if (!st)
        return KEN_OK;
    return KEN_FAIL(err, is_no_token ? KEN_EPERM : st, "the access token does not count: %s",
                    why.msg);
}

// ---- for clients -------------------------------------------------------------------------------

ken_str ken_oauth__well_known(ken_str url, const char *name, ken_arena *arena)
{
    size_t start = ken_str_find(url, KEN_STR("://")) + 3;
    size_t slash = ken_str_find_char(ken_str_sub(url, start, url.len), '/');
    ken_str host = slash == SIZE_MAX ? url : ken_str_sub(url, 0, start + slash);
    ken_str path = ken_str_sub(url, host.len, url.len);
    if (path.len && path.ptr[path.len - 1] == '/')
        path = ken_str_sub(path, 0, path.len - 1);
    return ken_arena_printf(arena, KEN_STR_FMT "/.well-known/%s" KEN_STR_FMT, KEN_STR_ARG(host),
                            name, KEN_STR_ARG(path));
}

ken_str ken_oauth_metadata_url(const ken_oauth *o, ken_arena *arena)
{
    return ken_oauth__well_known(o->resource, "oauth-protected-resource", arena);
}

json_t *ken_oauth_metadata_json(const ken_oauth *o)
{
    static const char *const scopes[] = { "read", "write", "admin" };
    json_t *doc = json_object(), *servers = json_array(), *list = json_array(),
           *methods = json_array();
    ken_json_append(servers, ken_json_str(o->issuer));
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        ken_json_append(list, ken_json_str(ken_str_c(scopes[i])));
    ken_json_append(methods, ken_json_str(KEN_STR("header")));
    ken_json_set_str(doc, "resource", o->resource);
    ken_json_set(doc, "authorization_servers", servers);
    ken_json_set(doc, "scopes_supported", list);
    ken_json_set(doc, "bearer_methods_supported", methods);
    ken_json_set_str(doc, "resource_name", KEN_STR("ken"));
    return doc;
}

ken_str ken_oauth_challenge(ken_str metadata_url, const char *why, unsigned scopes,
                            ken_arena *arena)
{
    ken_str text = ken_arena_printf(arena, "Bearer resource_metadata=\"" KEN_STR_FMT "\"",
                                    KEN_STR_ARG(metadata_url));
    if (why)
        text = ken_arena_printf(arena, KEN_STR_FMT ", error=\"%s\"", KEN_STR_ARG(text), why);
    if (scopes) // a client asks for the largest: it includes those before it
        text = ken_arena_printf(arena, KEN_STR_FMT ", scope=\"%s\"", KEN_STR_ARG(text),
                                scopes & KEN_SCOPE_F_ADMIN   ? "admin"
                                : scopes & KEN_SCOPE_F_WRITE ? "write"
                                                             : "read");
    return text;
}

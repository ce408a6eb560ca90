// SPDX-License-Identifier: MIT
// The keys of the issuer: first the document that says where they are, then the set.
#include "httpc/httpc.h"
#include "json/json.h"
#include "oauth/oauth_priv.h"

enum {
    DOCUMENT_MAX = 64 * 1024,
    KEYS_MAX = 256 * 1024,
    TIMEOUT_MS = 10 * 1000,
};

typedef struct fetching {
    ken_oauth *o;
    ken_httpc *http;
    const ken_cancel *cancel;
    ken_arena *arena;
} fetching;

static ken_status get(const fetching *f, ken_str url, size_t max, ken_httpc_response *out,
                      ken_err *err)
{
    const ken_httpc_header accept = { "Accept", "application/json" };
    const ken_httpc_request r = { .url = ken_arena_dup(f->arena, url).ptr,
                                  .headers = &accept,
                                  .n_headers = 1,
                                  .timeout_ms = TIMEOUT_MS,
                                  .max_bytes = max,
                                  .cancel = f->cancel };
    ken_status st = ken_httpc_send(f->http, &r, out, err);
    if (st || out->status == 200)
        return st;
    int status = out->status;
    ken_buf_release(&out->body);
    return KEN_FAIL(err, KEN_EIO, "'" KEN_STR_FMT "' answers with status %d", KEN_STR_ARG(url),
                    status);
}

// OpenID Connect has it behind the path.
static ken_str openid_document(const fetching *f)
{
    ken_str issuer = f->o->issuer;
    if (issuer.ptr[issuer.len - 1] == '/')
        issuer = ken_str_sub(issuer, 0, issuer.len - 1);
    return ken_arena_printf(f->arena, KEN_STR_FMT "/.well-known/openid-configuration",
                            KEN_STR_ARG(issuer));
}

static ken_status read_document(const fetching *f, ken_str text, ken_str *out_url, ken_err *err)
{
    json_t *o = NULL;
    ken_str issuer = { "", 0 }, url = { "", 0 };
    ken_status st = ken_json_parse(text, &o, err);
    if (!st)
        st = ken_json_read_str(o, "metadata", "issuer", &issuer, err);
    if (!st)
        st = ken_json_read_str(o, "metadata", "jwks_uri", &url, err);
    // Another issuer's document would have its keys trusted in the name of ours.
    if (!st && !ken_str_eq(issuer, f->o->issuer))
        st = KEN_FAIL(err, KEN_EINVAL, "metadata.issuer: it is of another issuer");
    if (!st && !ken_oauth__is_safe_url(url))
        st = KEN_FAIL(err, KEN_EINVAL, "metadata.jwks_uri: an https: address is needed");
    if (!st)
        *out_url = ken_arena_dup(f->arena, url);
    json_decref(o);
    return st;
}

static ken_status find_keys_url(const fetching *f, ken_str *out, ken_err *err)
{
    const ken_str places[] = { ken_oauth__well_known(f->o->issuer, "oauth-authorization-server",
                                                     f->arena),
                               openid_document(f) };
    ken_status st = KEN_EIO;
    for (size_t i = 0; i < sizeof places / sizeof *places && st && st != KEN_ECANCELLED; i++) {
        ken_httpc_response r = { .status = 0 };
        st = get(f, places[i], DOCUMENT_MAX, &r, err);
        if (st)
            continue;
        st = read_document(f, ken_buf_str(&r.body), out, err);
        ken_buf_release(&r.body);
    }
    return st;
}

static ken_status fetch_keys(const fetching *f, ken_jwk *keys, size_t *n, ken_err *err)
{
    ken_str url = { "", 0 };
    ken_httpc_response r = { .status = 0 };
    ken_status st = find_keys_url(f, &url, err);
    if (!st)
        st = get(f, url, KEYS_MAX, &r, err);
    if (st)
        return st;
    st = ken_jwks_read(ken_buf_str(&r.body), keys, n, err);
    ken_buf_release(&r.body);
    return st;
}

static void set_keys(ken_oauth *o, const ken_jwk *keys, size_t n, int64_t mono_ms)
{
    ken_jwk old[KEN_JWKS_KEYS_MAX];
    pthread_mutex_lock(&o->lock);
    size_t n_old = o->n_keys;
    for (size_t i = 0; i < n_old; i++)
        old[i] = o->keys[i];
    for (size_t i = 0; i < n; i++)
        o->keys[i] = keys[i];
    o->n_keys = n;
    o->fetched_at_ms = mono_ms;
    o->lacks_key = false;
    pthread_mutex_unlock(&o->lock);
    for (size_t i = 0; i < n_old; i++)
        ken_jwk_release(&old[i]);
}

ken_status ken_oauth_fetch(ken_oauth *o, int64_t mono_ms, const ken_cancel *cancel, ken_err *err)
{
    ken_jwk keys[KEN_JWKS_KEYS_MAX];
    size_t n = 0;
    ken_arena a;
    pthread_mutex_lock(&o->lock);
    o->has_tried = true;
    o->tried_at_ms = mono_ms;
    pthread_mutex_unlock(&o->lock);
    ken_arena_init(&a, 1024);
    const fetching f = { o, ken_httpc_new(), cancel, &a };
    ken_status st = fetch_keys(&f, keys, &n, err);
    ken_httpc_free(f.http);
    ken_arena_release(&a);
    if (st)
        return ken_err_wrap(err, "keys of '" KEN_STR_FMT "'", KEN_STR_ARG(o->issuer));
    set_keys(o, keys, n, mono_ms);
    return KEN_OK;
}

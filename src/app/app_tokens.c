// SPDX-License-Identifier: MIT
// Access tokens. Each request compares the hash of what it brings with all hashes there are, without
// stopping at the right one.
#include "app/app_priv.h"
#include "app/tokens.h"
#include "base/alloc.h"
#include "base/base64.h"
#include "base/clock.h"

enum {
    SECRET_BYTES = 32,
    PREFIX_LEN = sizeof KEN_TOKEN_PREFIX - 1,
    TOKEN_LEN = PREFIX_LEN + KEN_BASE64URL_LEN(SECRET_BYTES),
};

#define FRESH_NS (INT64_C(500) * 1000 * 1000)

// ---- the catalog -----------------------------------------------------------------------------

ken_status ken_app_list_tokens(ken_app *app, ken_arena *arena, ken_access_token **out,
                               size_t *out_n, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = ken_app_take_catalog(app, false, &c, err);
    if (st == KEN_ENOTFOUND) {
        *out = NULL;
        *out_n = 0;
        return KEN_OK;
    }
    if (!st)
        st = ken_catalog_list_tokens(c, arena, out, out_n, err);
    if (!st)
        ken_app_give_catalog(app, c);
    else
        ken_catalog_close(c);
    return st;
}

static void forget_list(ken_app *app)
{
    pthread_mutex_lock(&app->lock);
    app->tokens_at_ns = 0;
    pthread_mutex_unlock(&app->lock);
}

static ken_status check_opts(const ken_app_token_opts *o, int64_t now_ms, ken_err *err)
{
    ken_uuid id;
    bool is_name =
        o->name.len && o->name.len <= KEN_GRANT_NAME_MAX && !ken_uuid_parse(o->name, &id);
    for (size_t i = 0; i < o->name.len; i++)
        is_name = is_name &&
                  (ken_is_word(o->name.ptr[i]) || o->name.ptr[i] == '-' || o->name.ptr[i] == '.');
    if (!is_name)
        return KEN_FAIL(err, KEN_EINVAL,
                        "name: a token is called by 1 to %d letters, digits, '-', '_' and '.', and "
                        "not by an id",
                        KEN_GRANT_NAME_MAX);
    if (o->expires_at_ms && o->expires_at_ms <= now_ms)
        return KEN_FAIL(err, KEN_EINVAL, "expires: the time is over already; give one to come");
    return KEN_OK;
}

static ken_str new_secret(ken_arena *arena)
{
    uint8_t bytes[SECRET_BYTES];
    char text[KEN_BASE64URL_LEN(SECRET_BYTES) + 1];
    ken_random_into(bytes, sizeof bytes);
    ken_base64url_into(bytes, sizeof bytes, text);
    return ken_arena_printf(arena, KEN_TOKEN_PREFIX "%s", text);
}

ken_status ken_app_add_token(ken_app *app, const ken_app_token_opts *opts, ken_arena *arena,
                             ken_access_token *out, ken_str *out_secret, ken_err *err)
{
    int64_t now_ms = ken_clock_wall_ms();
    ken_catalog *c = NULL;
    ken_status st = check_opts(opts, now_ms, err);
    if (st)
        return st;
    ken_str secret = new_secret(arena);
    const ken_access_token t = {
        .id = ken_uuid_random(),
        .name = ken_arena_dup(arena, opts->name),
        .hash = ken_sha256_of(secret.ptr, secret.len),
        .scopes = opts->scopes,
        .is_bound = opts->is_bound,
        .project = opts->project,
        .created_at_ms = now_ms,
        .expires_at_ms = opts->expires_at_ms,
    };
    st = ken_app_take_catalog(app, true, &c, err);
    if (st)
        return st;
    st = ken_catalog_add_token(c, &t, err);
    ken_app_give_catalog(app, c);
    forget_list(app);
    if (st)
        return st;
    *out = t;
    *out_secret = secret;
    return KEN_OK;
}

static const ken_access_token *find_token(const ken_access_token *list, size_t n, ken_str ref)
{
    ken_uuid id;
    bool is_id = ken_uuid_parse(ref, &id);
    for (size_t i = 0; i < n; i++)
        if (is_id ? ken_uuid_eq(list[i].id, id) : ken_str_eq(list[i].name, ref))
            return &list[i];
    return NULL;
}

ken_status ken_app_revoke_token(ken_app *app, ken_str ref, ken_arena *arena, ken_access_token *out,
                                ken_err *err)
{
    ken_catalog *c = NULL;
    ken_access_token *list = NULL;
    size_t n = 0;
    ken_status st = ken_app_list_tokens(app, arena, &list, &n, err);
    if (st)
        return st;
    const ken_access_token *found = find_token(list, n, ref);
    if (found)
        st = ken_app_take_catalog(app, true, &c, err);
    if (found && !st) {
        st = ken_catalog_remove_token(c, found->id, err);
        ken_app_give_catalog(app, c);
        forget_list(app);
    }
    if (!found || st == KEN_ENOTFOUND) // it may be a secret that was meant to be revoked
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no access token of that name or id; to see all: ken token list");
    if (!st)
        *out = *found;
    return st;
}

// ---- each request ----------------------------------------------------------------------------

bool ken_app_is_token(ken_str bearer)
{
    uint8_t bytes[SECRET_BYTES];
    size_t n = 0;
    return bearer.len == TOKEN_LEN && ken_str_starts(bearer, KEN_STR(KEN_TOKEN_PREFIX)) &&
           ken_base64url_parse(ken_str_sub(bearer, PREFIX_LEN, bearer.len), bytes, sizeof bytes,
                               &n);
}

static app_token known_of(const ken_access_token *t)
{
    app_token k = { .hash = t->hash,
                    .expires_at_ms = t->expires_at_ms,
                    .grant = { .scopes = t->scopes,
                               .is_bound = t->is_bound,
                               .project = t->project,
                               .token = t->id } };
    size_t n = t->name.len < KEN_GRANT_NAME_MAX ? t->name.len : KEN_GRANT_NAME_MAX;
    memcpy(k.grant.name, t->name.ptr, n);
    return k;
}

static ken_status load_list(ken_app *app, int64_t now_ns, ken_err *err)
{
    ken_arena a;
    ken_access_token *list = NULL;
    size_t n = 0;
    ken_arena_init(&a, 4096);
    ken_status st = ken_app_list_tokens(app, &a, &list, &n, err);
    pthread_mutex_lock(&app->lock);
    if (!st) {
        app->known_tokens.len = 0;
        for (size_t i = 0; i < n; i++)
            ken_vec_push(&app->known_tokens, known_of(&list[i]));
        app->tokens_at_ns = now_ns;
    }
    pthread_mutex_unlock(&app->lock);
    ken_arena_release(&a);
    return st;
}

static bool is_list_fresh(ken_app *app, int64_t now_ns)
{
    pthread_mutex_lock(&app->lock);
    bool is_fresh = app->tokens_at_ns && now_ns - app->tokens_at_ns < FRESH_NS;
    pthread_mutex_unlock(&app->lock);
    return is_fresh;
}

ken_status ken_app_check_token(ken_app *app, ken_str bearer, ken_grant *out, ken_err *err)
{
    int64_t now_ns = ken_clock_mono_ns(), now_ms = ken_clock_wall_ms();
    ken_sha256 hash = ken_sha256_of(bearer.ptr, ken_app_is_token(bearer) ? bearer.len : 0);
    bool is_known = false;
    if (!is_list_fresh(app, now_ns)) {
        ken_status st = load_list(app, now_ns, err);
        if (st)
            return st;
    }
    pthread_mutex_lock(&app->lock);
    for (size_t i = 0; i < app->known_tokens.len; i++) {
        const app_token *t = &app->known_tokens.ptr[i];
        bool is_it = ken_is_same_secret(t->hash.bytes, hash.bytes, sizeof hash.bytes) &&
                     (!t->expires_at_ms || t->expires_at_ms > now_ms);
        if (is_it)
            *out = t->grant;
        is_known = is_known || is_it;
    }
    pthread_mutex_unlock(&app->lock);
    return is_known ? KEN_OK
                    : KEN_FAIL(err, KEN_EPERM,
                               "the access token is unknown, revoked or expired; to make one: "
                               "ken token add NAME");
}

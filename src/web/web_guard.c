// SPDX-License-Identifier: MIT
// Who may come in: names that a request may give the server (so that no web page reaches it by another
// name), origins, access tokens, and how often.
#include <stdio.h>
#include <string.h>

#include "app/tokens.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/net.h"
#include "metrics/metrics.h"
#include "web/web_priv.h"

static void count_refusal(const char *why)
{
    ken_metrics_add(KEN_METRIC_HTTP_REFUSED, 1, KEN_LABELS(why));
}

// ---- names -------------------------------------------------------------------------------------

// Without the port; of "[::1]:7420" the part in brackets.
static ken_str host_name(ken_str host)
{
    if (host.len && host.ptr[0] == '[') {
        size_t close = ken_str_find_char(host, ']');
        return close == SIZE_MAX ? host : ken_str_sub(host, 0, close + 1);
    }
    size_t colon = ken_str_find_char(host, ':');
    return colon == SIZE_MAX ? host : ken_str_sub(host, 0, colon);
}

bool ken_web__is_loopback(ken_str host)
{
    return ken_str_eq_fold(host, KEN_STR("localhost")) || ken_net_is_loopback(host);
}

static bool is_listed(const ken_web *w, ken_config_key key, ken_str word)
{
    const ken_str *items;
    size_t n = ken_config_list(w->config, key, &items);
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_fold(items[i], word))
            return true;
    return false;
}

// A page of another site can make a browser ask for its own name and get our address (DNS rebinding);
// it cannot make it send our name.
static bool is_our_name(const ken_web *w, ken_str host)
{
    const ken_str *names;
    ken_str name = host_name(host);
    if (w->is_loopback && ken_web__is_loopback(name))
        return true;
    if (is_listed(w, KEN_CFG_SERVER_ALLOWED_HOSTS, name) ||
        is_listed(w, KEN_CFG_SERVER_ALLOWED_HOSTS, host) || ken_str_eq_fold(name, w->host))
        return true;
    // Every request to another address needs a token, which no foreign page has.
    return !w->is_loopback && !ken_config_list(w->config, KEN_CFG_SERVER_ALLOWED_HOSTS, &names);
}

// The origin of the server's own pages, or one that the owner allows.
static bool is_our_origin(const ken_web *w, ken_str origin, ken_str host, bool is_tls)
{
    ken_str scheme = is_tls ? KEN_STR("https://") : KEN_STR("http://");
    if (ken_str_starts(origin, scheme) &&
        ken_str_eq_fold(ken_str_sub(origin, scheme.len, origin.len), host))
        return true;
    return is_listed(w, KEN_CFG_SERVER_ALLOWED_ORIGINS, origin);
}

static const char *find_foreign(const ken_web *w, const ken_httpd_request *r, const web_request *q)
{
    int64_t uid;
    ken_str host = ken_httpd_header(r, "Host"), origin = ken_httpd_header(r, "Origin");
    bool is_unix = ken_str_eq_c(ken_httpd_peer(r, &uid), "unix");
    if (!is_unix && !is_our_name(w, host))
        return "the Host header names another server; server.allowed_hosts lists names that may be used";
    if (origin.ptr && !is_our_origin(w, origin, host, q->is_tls))
        return "pages of this Origin may not call the server; server.allowed_origins lists those that may";
    return NULL;
}

// ---- rights ------------------------------------------------------------------------------------

static const ken_grant all_rights = { .scopes = KEN_SCOPES_ALL, .name = "local" };

static void refuse_token(const ken_web *w, ken_httpd_request *r, const char *detail, bool was_shown)
{
    const char *challenge = was_shown ? "Bearer error=\"invalid_token\"" : "Bearer";
    if (w->oauth)
        challenge = ken_oauth_challenge(w->oauth_url, was_shown ? "invalid_token" : NULL, 0,
                                        ken_httpd_arena(r))
                        .ptr;
    const ken_httpd_field field = { "WWW-Authenticate", challenge };
    count_refusal("unauthorized");
    ken_web__answer_problem_with(r, 401, "EPERM", detail, &field, 1);
}

// One of ours, else of the authorization server, where there is one.
static ken_status check_token(ken_web *w, ken_str token, ken_grant *out, ken_err *err)
{
    const ken_oauth_now now = { ken_clock_wall_ms(), ken_clock_mono_ns() / 1000000 };
    if (w->oauth && !ken_app_is_token(token))
        return ken_oauth_check(w->oauth, token, now, out, err);
    return ken_app_check_token(w->app, token, out, err);
}

// False: it was refused.
static bool find_grant(ken_web *w, ken_httpd_request *r, web_request *q)
{
    ken_str header = ken_httpd_header(r, "Authorization");
    ken_err err = { 0 };
    if (!header.ptr) {
        q->grant = all_rights;
        q->is_anonymous = true;
        int64_t uid;
        bool is_own = ken_str_eq_c(ken_httpd_peer(r, &uid), "unix");
        if (!w->needs_token || is_own)
            return true;
        refuse_token(w, r, "an access token is needed: Authorization: Bearer …", false);
        return false;
    }
    bool is_bearer =
        header.len > 7 && ken_str_eq_fold(ken_str_sub(header, 0, 7), KEN_STR("Bearer "));
    ken_str token = is_bearer ? ken_str_trim(ken_str_sub(header, 7, header.len)) : KEN_STR("");
    ken_status st = token.len
                        ? check_token(w, token, &q->grant, &err)
                        : KEN_FAIL(&err, KEN_EPERM, "Authorization must be 'Bearer' and a token");
    if (!st)
        return true;
    const ken_httpd_field soon = { "Retry-After", "1" };
    if (st == KEN_EBUSY) // keys that a worker fetches
        ken_web__answer_problem_with(r, 503, "EBUSY", err.msg, &soon, 1);
    else if (st == KEN_EPERM)
        refuse_token(w, r, w->oauth ? err.msg : "this access token is unknown, revoked or expired",
                     true);
    else
        ken_web__answer_failure(r, &err);
    return false;
}

// ---- how often ---------------------------------------------------------------------------------

static bool take(ken_throttle *t, ken_httpd_request *r, ken_str key, const char *whose)
{
    char seconds[24], text[120];
    uint64_t ms = ken_throttle_take(t, key, ken_clock_mono_ns());
    if (!ms)
        return true;
    snprintf(seconds, sizeof seconds, "%llu", (unsigned long long)((ms + 999) / 1000));
    snprintf(text, sizeof text, "too many requests %s; the next is taken in %llu ms", whose,
             (unsigned long long)ms);
    const ken_httpd_field field = { "Retry-After", seconds };
    count_refusal("throttled");
    ken_web__answer_problem_with(r, 429, "ELIMIT", text, &field, 1);
    return false;
}

bool ken_web__take_project(ken_web *w, ken_httpd_request *r, ken_str project)
{
    return !project.len || take(w->projects, r, project, "to this project");
}

bool ken_web__take_named_project(void *ctx, ken_httpd_request *r, ken_str named)
{
    ken_web *w = ctx;
    ken_project_info p;
    char id[KEN_UUID_TEXT];
    ken_err err;
    if (!ken_config_u64(w->config, KEN_CFG_SERVER_PROJECT_RATE) ||
        ken_app_find_project(w->app, named, KEN_STR(""), ken_httpd_arena(r), &p, &err))
        return true;
    ken_uuid_format(p.id, id);
    return ken_web__take_project(w, r, ken_str_c(id));
}

// A token of ours and a subject of the authorization server may have the same name.
ken_str ken_web__caller(ken_httpd_request *r, const web_request *q)
{
    static const ken_uuid none;
    if (q->is_anonymous)
        return ken_arena_printf(ken_httpd_arena(r), "a" KEN_STR_FMT, KEN_STR_ARG(q->peer));
    return ken_arena_printf(ken_httpd_arena(r), "%c%s",
                            ken_uuid_eq(q->grant.token, none) ? 'o' : 't', q->grant.name);
}

static bool take_caller(ken_web *w, ken_httpd_request *r, const web_request *q)
{
    return take(w->callers, r, ken_web__caller(r, q), "of this client");
}

// ---- the request -------------------------------------------------------------------------------

static bool is_plain(ken_str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (!ken_is_word(id.ptr[i]) && id.ptr[i] != '-' && id.ptr[i] != '.')
            return false;
    return id.len && id.len < WEB_REQUEST_ID;
}

static web_request *take_request(const ken_web *w, ken_httpd_request *r)
{
    web_request *q = ken_arena_zalloc(ken_httpd_arena(r), sizeof *q);
    ken_str id = ken_httpd_header(r, "X-Request-Id");
    if (is_plain(id))
        memcpy(q->id, id.ptr, id.len);
    else
        ken_uuid_format(ken_uuid_random(), q->id);
    ken_web__read_proxy(w, r, q);
    ken_httpd_set_user(r, q);
    return q;
}

// Probes must answer without a token, and say nothing that needs one; so must what says where to get one, and the page
// that asks people for theirs.
static bool is_open_to_all(const ken_web *w, const ken_httpd_request *r)
{
    ken_str path = ken_httpd_path(r);
    return ken_str_eq_c(path, "/healthz") || ken_str_eq_c(path, "/readyz") ||
           ken_web__is_metadata(r) || ken_web__is_of_page(w, r) || ken_web__wants_page(w, r);
}

// What is signed needs no token, and grants nothing else.
static bool is_signed(const ken_httpd_request *r, web_request *q)
{
    q->is_anonymous = ken_str_eq_c(ken_httpd_path(r), "/webhook/github");
    return q->is_anonymous;
}

bool ken_web__check(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    web_request *q = take_request(w, r);
    const char *foreign = find_foreign(w, r, q);
    bool is_open = is_open_to_all(w, r);
    if (!is_open)
        ken_web__begin_span(r, q);
    if (foreign) {
        count_refusal("origin");
        ken_web__answer_problem(r, 403, "EPERM", foreign);
        return false;
    }
    return is_open || ((is_signed(r, q) || find_grant(w, r, q)) && take_caller(w, r, q));
}

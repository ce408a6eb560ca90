// SPDX-License-Identifier: MIT
// Access tokens of an authorization server (oauth.h), where the owner names one: which it is, its keys,
// and what clients are told about it. The loop never waits for the issuer: a worker fetches its keys.
#include "base/clock.h"
#include "obs/log.h"
#include "web/web_priv.h"

ken_status ken_web__open_oauth(ken_web *w, ken_err *err)
{
    const ken_oauth_opts o = { .issuer = ken_config_str(w->config, KEN_CFG_OAUTH_ISSUER),
                               .resource = ken_config_str(w->config, KEN_CFG_OAUTH_RESOURCE) };
    if (!o.issuer.len)
        return KEN_OK;
    ken_status st = ken_oauth_new(&o, &w->oauth, err);
    if (st)
        return ken_err_wrap(err, "oauth.issuer and oauth.resource");
    w->oauth_url = ken_oauth_metadata_url(w->oauth, &w->arena);
    return KEN_OK;
}

static void fetch_keys(void *ctx, size_t worker)
{
    ken_web *w = ctx;
    ken_err err = { 0 };
    (void)worker;
    if (ken_oauth_fetch(w->oauth, ken_clock_mono_ns() / 1000000, &w->oauth_end, &err))
        KEN_LOG_WARNING("web", "%s", err.msg);
    atomic_store(&w->is_fetching, false);
}

void ken_web__tick_oauth(ken_web *w)
{
    if (!w->oauth || !ken_oauth_wants_keys(w->oauth, ken_clock_mono_ns() / 1000000) ||
        atomic_exchange(&w->is_fetching, true))
        return;
    if (!ken_pool_try_submit(w->pool, fetch_keys, w))
        atomic_store(&w->is_fetching, false); // the next tick tries again
}

static void tell_metadata(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_web__answer_json(r, 200, ken_oauth_metadata_json(w->oauth));
}

#define METADATA "/.well-known/oauth-protected-resource"

void ken_web__add_oauth(ken_web *w)
{
    if (!w->oauth)
        return;
    ken_web__add_route(w, "GET", METADATA, tell_metadata, 0);
    ken_web__add_route(w, "GET", METADATA "/{path...}", tell_metadata, 0);
}

bool ken_web__is_metadata(const ken_httpd_request *r)
{
    return ken_str_starts(ken_httpd_path(r), KEN_STR(METADATA));
}

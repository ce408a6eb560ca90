// SPDX-License-Identifier: MIT
// One record for each request, its metrics, and the trace that it belongs to.
#include "metrics/metrics_http.h"
#include "obs/log.h"
#include "web/web_priv.h"

void ken_web__done(void *ctx, const ken_httpd_request *r)
{
    const web_request *q = ken_web__request(r);
    ken_web *w = ctx;
    atomic_fetch_add(&w->n_requests, 1);
    const ken_metrics_http done = {
        .route = ken_httpd_route_of(r),
        .method = ken_httpd_method(r),
        .status = ken_httpd_status(r),
        .in_bytes = ken_httpd_body(r).len,
        .out_bytes = ken_httpd_answered_bytes(r),
        .ns = ken_httpd_age_ns(r),
    };
    ken_metrics_http_end(&done);
    if (!ken_log_is_on(KEN_LOG_INFO) || !q)
        return;
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("request_id", ken_str_c(q->id)),
        KEN_LOG_F_TEXT("peer", q->peer),
        KEN_LOG_F_TEXT("token", ken_str_c(q->is_anonymous ? "" : q->grant.name)),
        KEN_LOG_F_TEXT("method", done.method),
        KEN_LOG_F_TEXT("path", ken_httpd_path(r)),
        KEN_LOG_F_COUNT("status", (uint64_t)done.status),
        KEN_LOG_F_COUNT("bytes", done.out_bytes),
        KEN_LOG_F_MS("total_time_ms", done.ns),
    };
    ken_log_record(KEN_LOG_INFO, "web", "request", fields, sizeof fields / sizeof *fields);
}

const ken_otel_context *ken_web__trace(ken_httpd_request *r)
{
    ken_str parent = ken_httpd_header(r, "traceparent");
    if (!parent.len)
        return NULL;
    ken_otel_context *c = ken_arena_alloc(ken_httpd_arena(r), sizeof *c);
    return ken_otel_context_parse(parent, ken_httpd_header(r, "tracestate"), c) ? c : NULL;
}

// SPDX-License-Identifier: MIT
// One record for each request, its metrics, and the trace that it belongs to.
#include <stdio.h>

#include "metrics/metrics_http.h"
#include "obs/log.h"
#include "web/web_priv.h"

// Named and described as OpenTelemetry says of HTTP servers; without the path, which may name a project.
static void end_span(const web_request *q, const ken_httpd_request *r, const ken_metrics_http *done)
{
    char name[200], status[8];
    if (!q->span.is_recorded)
        return;
    bool has_failed = done->status >= 500 || !done->status;
    const char *method = ken_metrics_http_method(done->method);
    snprintf(name, sizeof name, "%s%s%s", method ? method : "HTTP", *done->route ? " " : "",
             done->route);
    snprintf(status, sizeof status, "%d", done->status);
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("http.request.method", ken_str_c(method ? method : "_OTHER")),
        KEN_LOG_F_TEXT("http.route", ken_str_c(done->route)),
        KEN_LOG_F_COUNT("http.response.status_code", (uint64_t)done->status),
        KEN_LOG_F_TEXT("url.scheme", ken_str_c(q->is_tls ? "https" : "http")),
        KEN_LOG_F_TEXT("user_agent.original", ken_httpd_header(r, "User-Agent")),
        KEN_LOG_F_TEXT("ken.request.id", ken_str_c(q->id)),
        KEN_LOG_F_TEXT("error.type", ken_str_c(!has_failed     ? ""
                                               : !done->status ? "connection_closed"
                                                               : status)),
    };
    ken_otel_close(&q->span, ken_str_c(name), fields, sizeof fields / sizeof *fields,
                   has_failed ? "no answer, or one that says that the server failed" : NULL);
}

void ken_web__done(void *ctx, const ken_httpd_request *r)
{
    const web_request *q = ken_web__request(r);
    ken_web *w = ctx;
    atomic_fetch_add(&w->n_requests, 1);
    if (ken_httpd_status(r) >= 400)
        atomic_fetch_add(&w->n_errors, 1);
    const ken_metrics_http done = {
        .route = ken_httpd_route_of(r),
        .method = ken_httpd_method(r),
        .status = ken_httpd_status(r),
        .in_bytes = ken_httpd_body(r).len,
        .out_bytes = ken_httpd_answered_bytes(r),
        .ns = ken_httpd_age_ns(r),
    };
    ken_metrics_http_end(&done);
    if (q)
        end_span(q, r, &done);
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

void ken_web__begin_span(ken_httpd_request *r, web_request *q)
{
    ken_otel_context parent;
    ken_str header = ken_httpd_header(r, "traceparent");
    bool has_parent =
        header.len && ken_otel_context_parse(header, ken_httpd_header(r, "tracestate"), &parent);
    ken_otel_open(&q->span, KEN_OTEL_SERVER, has_parent ? &parent : NULL);
}

const ken_otel_context *ken_web__trace(const ken_httpd_request *r)
{
    const web_request *q = ken_web__request(r);
    return ken_otel_context_is_set(&q->span.self) ? &q->span.self : NULL;
}

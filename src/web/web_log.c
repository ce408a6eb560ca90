// SPDX-License-Identifier: MIT
// One record for each request, and its metrics.
#include <stdio.h>

#include "metrics/metrics.h"
#include "obs/log.h"
#include "web/web_priv.h"

void ken_web__done(void *ctx, const ken_httpd_request *r)
{
    (void)ctx;
    char status[16], method[16];
    const web_request *q = ken_web__request(r);
    const char *route = ken_httpd_route_of(r);
    int64_t ns = ken_httpd_age_ns(r);
    uint64_t n_bytes = ken_httpd_answered_bytes(r);
    snprintf(status, sizeof status, "%d", ken_httpd_status(r));
    snprintf(method, sizeof method, KEN_STR_FMT, KEN_STR_ARG(ken_httpd_method(r)));
    route = *route ? route : "none";
    ken_metrics_add(KEN_METRIC_HTTP_REQUESTS, 1, KEN_LABELS(route, method, status));
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, ns, KEN_LABELS(route));
    ken_metrics_add(KEN_METRIC_HTTP_RESPONSE_BYTES, (int64_t)n_bytes, KEN_LABELS(route));
    ken_metrics_add(KEN_METRIC_HTTP_REQUEST_BYTES, (int64_t)ken_httpd_body(r).len,
                    KEN_LABELS(route));
    if (!ken_log_is_on(KEN_LOG_INFO) || !q)
        return;
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("request_id", ken_str_c(q->id)),
        KEN_LOG_F_TEXT("client", q->peer),
        KEN_LOG_F_TEXT("token", ken_str_c(q->is_anonymous ? "" : q->grant.name)),
        KEN_LOG_F_TEXT("method", ken_str_c(method)),
        KEN_LOG_F_TEXT("path", ken_httpd_path(r)),
        KEN_LOG_F_COUNT("status", (uint64_t)ken_httpd_status(r)),
        KEN_LOG_F_COUNT("bytes", n_bytes),
        KEN_LOG_F_MS("total_time_ms", ns),
    };
    ken_log_record(KEN_LOG_INFO, "web", "request", fields, sizeof fields / sizeof *fields);
}

// SPDX-License-Identifier: MIT
#include "metrics/metrics_http.h"

#include <stdio.h>

#include "metrics/metrics.h"

const char *ken_metrics_http_method(ken_str method)
{
    static const char *const known[] = {
        "GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (ken_str_eq_c(method, known[i]))
            return known[i];
    }
    return NULL;
}

void ken_metrics_http_end(const ken_metrics_http *done)
{
    char status[16];
    const char *route = done->route && *done->route ? done->route : "none";
    const char *method = ken_metrics_http_method(done->method);
    if (!ken_metrics_is_on())
        return;
    snprintf(status, sizeof status, "%d", done->status);
    ken_metrics_add(KEN_METRIC_HTTP_REQUESTS, 1,
                    KEN_LABELS(route, method ? method : "other", status));
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, done->ns, KEN_LABELS(route));
    ken_metrics_add(KEN_METRIC_HTTP_REQUEST_BYTES, (int64_t)done->in_bytes, KEN_LABELS(route));
    ken_metrics_add(KEN_METRIC_HTTP_RESPONSE_BYTES, (int64_t)done->out_bytes, KEN_LABELS(route));
}

// SPDX-License-Identifier: MIT
// metrics_http.h -- what a server counts of each HTTP request.
//
// Threads: any.
#ifndef KEN_METRICS_METRICS_HTTP_H
#define KEN_METRICS_METRICS_HTTP_H

#include <stdint.h>

#include "base/str.h"

typedef struct ken_metrics_http {
    const char *route; // its pattern, "/mcp/{project}", never the path; NULL or "" = no route fits
    ken_str method;    // as it came
    int status;        // 200
    uint64_t in_bytes, out_bytes; // of the bodies
    int64_t ns;                   // from the whole request to the end of the answer
} ken_metrics_http;

// One that is known, static: methods are what clients write. NULL = it is none.
const char *ken_metrics_http_method(ken_str method);

// A request was answered, or its client has gone.
void ken_metrics_http_end(const ken_metrics_http *done);

#endif

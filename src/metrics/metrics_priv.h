// SPDX-License-Identifier: MIT
// metrics_priv.h -- what the parts of the module share.
#ifndef KEN_METRICS_METRICS_PRIV_H
#define KEN_METRICS_METRICS_PRIV_H

#include "metrics/metrics.h"

// metrics_process.c: of this process; a reader.
void ken_metrics__start_process(void);
void ken_metrics__read_process(void *ctx, ken_metrics_sink *sink);
void ken_metrics__stop_process(void);

#endif

// SPDX-License-Identifier: MIT
// otel_priv.h -- what the parts of the module share.
#ifndef KEN_OTEL_OTEL_PRIV_H
#define KEN_OTEL_OTEL_PRIV_H

#include "base/buf.h"
#include "otel/otel.h"

// ---- otel_json.c: OTLP as JSON ------------------------------------------------------------------
void ken_otel__put_text(ken_buf *out, const char *key, ken_str value); // an attribute
void ken_otel__put_field(ken_buf *out, const ken_log_field *f);
// One span as an object.
void ken_otel__put_span(ken_buf *out, const ken_otel_context *self, const uint8_t parent[8],
                        ken_otel_kind kind, ken_str name, int64_t began_ns, int64_t end_ns,
                        const ken_log_field *attributes, size_t n, const char *error);
// All metrics, as the members of `metrics`; how many points.
size_t ken_otel__put_metrics(ken_buf *out, int64_t began_ns);
// A moment of ken_clock_mono_ns, in nanoseconds since the epoch.
uint64_t ken_otel__wall_ns(int64_t mono_ns);
// Compares the clocks once more.
void ken_otel__set_clock(void);

// "name=value,…" with percent escapes undone, one after the other; false at the end. What is no pair
// fails. `name` and `value` are cleared first.
ken_status ken_otel__next_pair(ken_str *rest, ken_buf *name, ken_buf *value, bool *out_has,
                               ken_err *err) KEN_MUST_USE;

// ---- otel_span.c --------------------------------------------------------------------------------
// Which traces are recorded from now on.
ken_status ken_otel__set_sampler(ken_str name, ken_str ratio, ken_err *err) KEN_MUST_USE;

// ---- otel_send.c --------------------------------------------------------------------------------
// Takes the text of a span, unless there is no room; `span` is empty after.
void ken_otel__queue(ken_buf *span);

#endif

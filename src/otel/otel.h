// SPDX-License-Identifier: MIT
// otel.h -- OpenTelemetry: traces and metrics to a collector, over OTLP/HTTP as JSON, and the context of
// a trace (W3C traceparent) in and out.
//
// Off until ken_otel_start; then a span costs its text, and one thread sends what has gathered. Nobody
// waits for the collector: the queue is bounded, and what finds no room is dropped and counted. Names,
// statuses and times leave, no questions and no code.
//
// The context of a thread says which span its work belongs to. It is kept also while nothing is sent, so
// that requests of ours to other servers carry the trace of who asked.
//
// Ownership: texts are copied. Threads: any; start and stop from one, start before the others record.
// Locks: one guards the queue, a leaf. Errors: KEN_EINVAL for an endpoint or headers that are none.
#ifndef KEN_OTEL_OTEL_H
#define KEN_OTEL_OTEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"
#include "obs/log.h"

// ---- the context of a trace: W3C Trace Context ---------------------------------------------------
enum {
    KEN_OTEL_PARENT_TEXT = 56, // "00-<32>-<16>-01" and the NUL
    KEN_OTEL_STATE_MAX = 512,  // bytes of tracestate; a longer one is dropped
};

typedef struct ken_otel_context {
    uint8_t trace[16], span[8]; // all zeros: there is none
    uint8_t flags;              // 1 = who asks records it
    char state[KEN_OTEL_STATE_MAX + 1];
} ken_otel_context;

// What a request carried; false, and `out` empty, when that is no traceparent. `state` may be empty.
bool ken_otel_context_parse(ken_str parent, ken_str state, ken_otel_context *out);
bool ken_otel_context_is_set(const ken_otel_context *c);
void ken_otel_context_format(const ken_otel_context *c, char out[KEN_OTEL_PARENT_TEXT]);

// Of this thread; NULL = none. The pointer is valid while the work goes on.
const ken_otel_context *ken_otel_now(void);
// Makes `c` (NULL = none) that of this thread and returns the one that was, to be entered again.
const ken_otel_context *ken_otel_enter(const ken_otel_context *c);

// ---- spans -------------------------------------------------------------------------------------
typedef enum ken_otel_kind {
    KEN_OTEL_INTERNAL = 1,
    KEN_OTEL_SERVER,
    KEN_OTEL_CLIENT,
} ken_otel_kind;

typedef struct ken_otel_span {
    ken_otel_context self; // what is done within belongs to
    uint8_t parent[8];     // all zeros: none
    ken_otel_kind kind;
    int64_t began_ns;
    bool is_recorded;
    const ken_otel_context *outer;
} ken_otel_span;

// Part of `parent`; NULL = the first of a trace. Recorded when traces are sent and the sampler says so. For work that
// goes from thread to thread: who does a part of it gives &s->self as the parent.
void ken_otel_open(ken_otel_span *s, ken_otel_kind kind, const ken_otel_context *parent);
void ken_otel_close(const ken_otel_span *s, ken_str name, const ken_log_field *attributes, size_t n,
                    const char *error);
// The same of one thread's work: without a parent it is part of what the thread does, and until its end it is what the
// thread does.
void ken_otel_begin(ken_otel_span *s, ken_otel_kind kind, const ken_otel_context *parent);
// `error`: what went wrong, static; NULL = nothing.
void ken_otel_end(ken_otel_span *s, ken_str name, const ken_log_field *attributes, size_t n,
                  const char *error);
// A part of a span that is over: `began_ns` of ken_clock_mono_ns.
void ken_otel_add_part(const ken_otel_span *whole, const char *name, int64_t began_ns, int64_t ns);

// ---- sending -----------------------------------------------------------------------------------
// Which traces are recorded, by the names that OpenTelemetry has for it.
#define KEN_OTEL_SAMPLER_TABLE(X)                  \
    X(PARENT_ALWAYS_ON, "parentbased_always_on")   \
    X(PARENT_ALWAYS_OFF, "parentbased_always_off") \
    X(PARENT_RATIO, "parentbased_traceidratio")    \
    X(ALWAYS_ON, "always_on")                      \
    X(ALWAYS_OFF, "always_off")                    \
    X(RATIO, "traceidratio")

typedef struct ken_otel_opts {
    const char *endpoint; // "http://127.0.0.1:4318"; /v1/traces and /v1/metrics are added
    ken_str headers;      // "name=value,name=value", values percent-encoded
    ken_str service_name; // empty = "ken"
    ken_str attributes;   // of the resource, as `headers`
    const char *version;
    bool has_traces, has_metrics;
    // As who asks, and where nobody asked all of them, unless one of the names says otherwise; empty = that.
    ken_str sampler;
    ken_str sampler_ratio; // of traces, 0 to 1, by their ids; empty = 1
    // 0 = 5 s, 60 s, 10 s, 2,048 spans
    int64_t traces_every_ms, metrics_every_ms, timeout_ms;
    size_t max_spans;
} ken_otel_opts;

ken_status ken_otel_start(const ken_otel_opts *opts, ken_err *err) KEN_MUST_USE;
// Sends what is left, for at most `grace_ms`. Fine when it was never started.
void ken_otel_stop(int64_t grace_ms);

extern atomic_bool ken_otel__is_tracing;
static inline bool ken_otel_is_tracing(void)
{
    return atomic_load_explicit(&ken_otel__is_tracing, memory_order_relaxed);
}

typedef struct ken_otel_counts {
    uint64_t n_sent, n_dropped; // spans
    uint64_t n_waiting;
} ken_otel_counts;
ken_otel_counts ken_otel_count(void);

#endif

// SPDX-License-Identifier: MIT
// metrics.h -- counters, gauges and histograms of a server, and what a scrape shows of them.
//
// Nothing is counted until ken_metrics_start: until then each point of measurement costs one relaxed
// load, so a command that is over in milliseconds pays nothing. From then on counting takes a look-up
// of the labels and an atomic addition, and no lock once a label set is known. The memory is bounded:
// metrics_list.h says how many label sets a metric may have, what is beyond is counted as "other".
//
// Ownership: what is read lives in the arena passed. Threads: any; ken_metrics_start and
// ken_metrics_stop while there are no others. Locks: one for new label sets, a leaf; one for readers,
// which is held while they run, so what they lock is taken under it. Errors: none.
#ifndef KEN_METRICS_METRICS_H
#define KEN_METRICS_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "metrics/metrics_list.h"

typedef enum ken_metric {
    KEN_METRIC_NONE = 0,
#define X(id, kind, name, labels, most, text) KEN_METRIC_##id,
    KEN_METRICS(X)
#undef X
    KEN_METRIC_END
} ken_metric;

typedef enum ken_metric_kind {
    KEN_METRIC_COUNTER = 1,
    KEN_METRIC_GAUGE,
    KEN_METRIC_TIMER,
} ken_metric_kind;

enum {
    KEN_METRIC_LABELS = 3,      // of one metric
    KEN_METRIC_LABEL_MAX = 100, // bytes of a value; longer ones are cut
    KEN_METRIC_BUCKETS = 18,    // of a timer, without the one that has no bound
};

typedef struct ken_metric_def {
    const char *name, *labels, *text; // as metrics_list.h has them
    ken_metric_kind kind;
    unsigned most;
} ken_metric_def;

// Upper bounds of a timer's buckets, in nanoseconds: 0.1 ms to 60 s.
extern const uint64_t ken_metric_bounds_ns[KEN_METRIC_BUCKETS];
const ken_metric_def *ken_metric_def_of(ken_metric m);
// The name of its i-th label; empty when it has no such.
ken_str ken_metric_label(const ken_metric_def *def, unsigned i);

// ---- counting ----------------------------------------------------------------------------------
extern atomic_bool ken_metrics__is_on;
static inline bool ken_metrics_is_on(void)
{
    return atomic_load_explicit(&ken_metrics__is_on, memory_order_relaxed);
}

void ken_metrics_start(const char *version); // further calls do nothing
void ken_metrics_stop(void);                 // forgets everything

// The values of the labels, in order, all of them; NULL for a metric without.
#define KEN_LABELS(...) ((const char *const[KEN_METRIC_LABELS]){ __VA_ARGS__ })

void ken_metrics__add(ken_metric m, int64_t n, const char *const *labels);
void ken_metrics__set(ken_metric m, int64_t value, const char *const *labels);
void ken_metrics__time(ken_metric m, int64_t ns, const char *const *labels);

// To a counter, n ≥ 0; to a gauge, any.
static inline void ken_metrics_add(ken_metric m, int64_t n, const char *const *labels)
{
    if (ken_metrics_is_on())
        ken_metrics__add(m, n, labels);
}

static inline void ken_metrics_set(ken_metric m, int64_t value, const char *const *labels)
{
    if (ken_metrics_is_on())
        ken_metrics__set(m, value, labels);
}

static inline void ken_metrics_time(ken_metric m, int64_t ns, const char *const *labels)
{
    if (ken_metrics_is_on())
        ken_metrics__time(m, ns, labels);
}

// ---- values that are only read when somebody asks ------------------------------------------------
typedef struct ken_metrics_sink ken_metrics_sink;
// Adds to a counter or gauge of this one look; what several readers give for the same is summed.
void ken_metrics_put(ken_metrics_sink *s, ken_metric m, double value, const char *const *labels);

// Called at each look, on the thread that looks; it must not wait. At most KEN_METRICS_READERS.
typedef void ken_metrics_read_fn(void *ctx, ken_metrics_sink *sink);
enum {
    KEN_METRICS_READERS = 32
};
void ken_metrics_add_reader(ken_metrics_read_fn *fn, void *ctx);
void ken_metrics_remove_reader(ken_metrics_read_fn *fn, void *ctx); // it is not running any more

// ---- looking -----------------------------------------------------------------------------------
typedef struct ken_metric_point {
    const char *labels[KEN_METRIC_LABELS]; // as many as the metric has; valid UTF-8
    double value;                          // of a timer: the sum, in seconds
    // Of a timer: how many fell into each bucket alone, the last one without bound. Else NULL.
    const uint64_t *buckets;
    uint64_t count; // of a timer: all of them
} ken_metric_point;

typedef struct ken_metric_family {
    const ken_metric_def *def;
    ken_metric_point *points; // ordered by labels
    size_t n;
} ken_metric_family;

// Those that have points, in the order of the list.
size_t ken_metrics_read(ken_arena *arena, ken_metric_family **out);

typedef enum ken_metrics_form {
    KEN_METRICS_PROMETHEUS = 1, // text format 0.0.4
    KEN_METRICS_OPENMETRICS,    // 1.0.0
} ken_metrics_form;

// The Content-Type of a form.
const char *ken_metrics_type(ken_metrics_form form);
void ken_metrics_write(ken_buf *out, ken_metrics_form form);

#endif

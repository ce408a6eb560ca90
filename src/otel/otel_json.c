// SPDX-License-Identifier: MIT
// OTLP as JSON: the mapping of protocol buffers, but for ids, which are hexadecimal. Whole numbers of 64
// bits are strings, enumerations are numbers.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "json/json.h"
#include "metrics/metrics.h"
#include "otel/otel_priv.h"

enum {
    TEXT_MAX = 400,             // bytes of a value
    SPAN_STATUS_ERROR = 2,      // trace.v1.Status
    TEMPORALITY_CUMULATIVE = 2, // metrics.v1.AggregationTemporality
};

// What is to be added to the monotonic clock; set anew with each sending, for the wall clock may be set.
static atomic_int_fast64_t clock_gap_ns;

void ken_otel__set_clock(void)
{
    int64_t gap = ken_clock_wall_ms() * 1000000 - ken_clock_mono_ns();
    atomic_store_explicit(&clock_gap_ns, gap, memory_order_relaxed);
}

uint64_t ken_otel__wall_ns(int64_t mono_ns)
{
    int64_t at = mono_ns + atomic_load_explicit(&clock_gap_ns, memory_order_relaxed);
    return at > 0 ? (uint64_t)at : 0;
}

// ---- attributes --------------------------------------------------------------------------------

void ken_otel__put_text(ken_buf *out, const char *key, ken_str value)
{
    ken_buf_puts(out, "{\"key\":");
    ken_json_put_quoted(out, ken_str_c(key));
    ken_buf_puts(out, ",\"value\":{\"stringValue\":");
    ken_json_put_quoted(out, ken_utf8_clip(value, TEXT_MAX));
    ken_buf_puts(out, "}}");
}

void ken_otel__put_field(ken_buf *out, const ken_log_field *f)
{
    if (f->type == KEN_LOG_TEXT)
        ken_otel__put_text(out, f->name, f->text);
    else if (f->type == KEN_LOG_COUNT)
        ken_buf_printf(out, "{\"key\":\"%s\",\"value\":{\"intValue\":\"%llu\"}}", f->name,
                       (unsigned long long)f->count);
    else
        ken_buf_printf(out, "{\"key\":\"%s\",\"value\":{\"doubleValue\":%.9g}}", f->name, f->real);
}

// ---- a span ------------------------------------------------------------------------------------

static void put_id(ken_buf *out, const char *name, const uint8_t *bytes, size_t n)
{
    char hex[33];
    ken_hex_into(bytes, n, hex);
    ken_buf_printf(out, "\"%s\":\"%s\",", name, hex);
}

void ken_otel__put_span(ken_buf *out, const ken_otel_context *self, const uint8_t parent[8],
                        ken_otel_kind kind, ken_str name, int64_t began_ns, int64_t end_ns,
                        const ken_log_field *attributes, size_t n, const char *error)
{
    static const uint8_t none[8];
    ken_buf_putc(out, '{');
    put_id(out, "traceId", self->trace, sizeof self->trace);
    put_id(out, "spanId", self->span, sizeof self->span);
    if (memcmp(parent, none, sizeof none) != 0)
        put_id(out, "parentSpanId", parent, sizeof none);
    if (self->state[0]) {
        ken_buf_puts(out, "\"traceState\":");
        ken_json_put_quoted(out, ken_str_c(self->state));
        ken_buf_putc(out, ',');
    }
    ken_buf_puts(out, "\"name\":");
    ken_json_put_quoted(out, ken_utf8_clip(name, TEXT_MAX));
    ken_buf_printf(out,
                   ",\"kind\":%d,\"startTimeUnixNano\":\"%llu\",\"endTimeUnixNano\":\"%llu\","
                   "\"attributes\":[",
                   (int)kind, (unsigned long long)ken_otel__wall_ns(began_ns),
                   (unsigned long long)ken_otel__wall_ns(end_ns));
    for (size_t i = 0, k = 0; i < n; i++) {
        if (attributes[i].type == KEN_LOG_TEXT && !attributes[i].text.len)
            continue;
        ken_buf_puts(out, k++ ? "," : "");
        ken_otel__put_field(out, &attributes[i]);
    }
    ken_buf_puts(out, "],\"status\":{");
    if (error) {
        ken_buf_printf(out, "\"code\":%d,\"message\":", SPAN_STATUS_ERROR);
        ken_json_put_quoted(out, ken_str_c(error));
    }
    ken_buf_puts(out, "}}");
}

// ---- metrics -----------------------------------------------------------------------------------

static void put_number(ken_buf *out, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        ken_buf_printf(out, "\"asInt\":\"%.0f\"", value);
    else
        ken_buf_printf(out, "\"asDouble\":%.15g", isfinite(value) ? value : 0);
}

static void put_buckets(ken_buf *out, const ken_metric_point *p)
{
    ken_buf_printf(out, "\"count\":\"%llu\",\"sum\":%.15g,\"bucketCounts\":[",
                   (unsigned long long)p->count, p->value);
    for (size_t i = 0; i <= KEN_METRIC_BUCKETS; i++)
        ken_buf_printf(out, "%s\"%llu\"", i ? "," : "", (unsigned long long)p->buckets[i]);
    ken_buf_puts(out, "],\"explicitBounds\":[");
    for (size_t i = 0; i < KEN_METRIC_BUCKETS; i++)
        ken_buf_printf(out, "%s%g", i ? "," : "", (double)ken_metric_bounds_ns[i] / 1e9);
    ken_buf_putc(out, ']');
}

static void put_point(ken_buf *out, const ken_metric_def *def, const ken_metric_point *p,
                      uint64_t began, uint64_t now)
{
    ken_buf_puts(out, "{\"attributes\":[");
    for (unsigned i = 0; i < KEN_METRIC_LABELS && p->labels[i]; i++) {
        char key[64];
        ken_str name = ken_metric_label(def, i);
        snprintf(key, sizeof key, KEN_STR_FMT, KEN_STR_ARG(name));
        ken_buf_puts(out, i ? "," : "");
        ken_otel__put_text(out, key, ken_str_c(p->labels[i]));
    }
    ken_buf_puts(out, "],");
    if (def->kind != KEN_METRIC_GAUGE)
        ken_buf_printf(out, "\"startTimeUnixNano\":\"%llu\",", (unsigned long long)began);
    ken_buf_printf(out, "\"timeUnixNano\":\"%llu\",", (unsigned long long)now);
    if (def->kind == KEN_METRIC_TIMER)
        put_buckets(out, p);
    else
        put_number(out, p->value);
    ken_buf_putc(out, '}');
}

static const char *unit_of(const char *name)
{
    ken_str s = ken_str_c(name);
    return ken_str_ends(s, KEN_STR("_seconds")) ? "s"
           : ken_str_ends(s, KEN_STR("_bytes")) ? "By"
                                                : "1";
}

static void put_family(ken_buf *out, const ken_metric_family *f, uint64_t began, uint64_t now)
{
    static const char *const kinds[] = { "", "sum", "gauge", "histogram" };
    const ken_metric_def *def = f->def;
    ken_buf_printf(out, "{\"name\":\"%s\",\"description\":", def->name);
    ken_json_put_quoted(out, ken_str_c(def->text));
    ken_buf_printf(out, ",\"unit\":\"%s\",\"%s\":{\"dataPoints\":[", unit_of(def->name),
                   kinds[def->kind]);
    for (size_t i = 0; i < f->n; i++) {
        ken_buf_puts(out, i ? "," : "");
        put_point(out, def, &f->points[i], began, now);
    }
    ken_buf_putc(out, ']');
    if (def->kind != KEN_METRIC_GAUGE)
        ken_buf_printf(out, ",\"aggregationTemporality\":%d", TEMPORALITY_CUMULATIVE);
    if (def->kind == KEN_METRIC_COUNTER)
        ken_buf_puts(out, ",\"isMonotonic\":true");
    ken_buf_puts(out, "}}");
}

size_t ken_otel__put_metrics(ken_buf *out, int64_t began_ns)
{
    ken_arena arena;
    ken_metric_family *families;
    size_t n_points = 0;
    ken_arena_init(&arena, 0);
    size_t n = ken_metrics_read(&arena, &families);
    uint64_t began = ken_otel__wall_ns(began_ns), now = ken_otel__wall_ns(ken_clock_mono_ns());
    for (size_t i = 0; i < n; i++) {
        ken_buf_puts(out, i ? "," : "");
        put_family(out, &families[i], began, now);
        n_points += families[i].n;
    }
    ken_arena_release(&arena);
    return n_points;
}

// ---- pairs -------------------------------------------------------------------------------------

static void put_decoded(ken_buf *out, ken_str text)
{
    text = ken_str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        i += ken_percent_at(text, i, &c) ? 2 : 0;
        ken_buf_putc(out, c);
    }
}

ken_status ken_otel__next_pair(ken_str *rest, ken_buf *name, ken_buf *value, bool *out_has,
                               ken_err *err)
{
    ken_str pair = { NULL, 0 };
    *out_has = false;
    while (ken_str_split_next(rest, ',', &pair)) {
        size_t at = ken_str_find_char(pair, '=');
        if (!ken_str_trim(pair).len)
            continue;
        if (at == SIZE_MAX || !ken_str_trim(ken_str_sub(pair, 0, at)).len)
            return KEN_FAIL(err, KEN_EINVAL,
                            "a list of names and values is 'name=value,name=value'");
        ken_buf_clear(name);
        ken_buf_clear(value);
        put_decoded(name, ken_str_sub(pair, 0, at));
        put_decoded(value, ken_str_sub(pair, at + 1, pair.len));
        *out_has = true;
        return KEN_OK;
    }
    return KEN_OK;
}

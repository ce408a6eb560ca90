// SPDX-License-Identifier: MIT
// Text for a scrape. The two forms differ in the names of counters (the family of OpenMetrics has no
// _total), in the line with the unit and in the end; samples look the same.
#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "metrics/metrics.h"

static const char *const kind_words[] = { "", "counter", "gauge", "histogram" };

const char *ken_metrics_type(ken_metrics_form form)
{
    return form == KEN_METRICS_OPENMETRICS
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

// `has_quotes`: quotes are escaped as well.
static void put_escaped(ken_buf *out, ken_str text, bool has_quotes)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\\' || (c == '"' && has_quotes))
            ken_buf_putc(out, '\\');
        if (c == '\n')
            ken_buf_puts(out, "\\n");
        else
            ken_buf_putc(out, c);
    }
}

static void put_number(ken_buf *out, double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        ken_buf_printf(out, "%.0f", value);
    else
        ken_buf_printf(out, "%.15g", value);
}

// "{route="/mcp",le="0.1"}"; `le` NULL = no such label.
static void put_labels(ken_buf *out, const ken_metric_def *def, const ken_metric_point *p,
                       const char *le)
{
    const char *before = "{";
    for (unsigned i = 0; i < KEN_METRIC_LABELS && p->labels[i]; i++, before = ",") {
        ken_str name = ken_metric_label(def, i);
        ken_buf_printf(out, "%s" KEN_STR_FMT "=\"", before, KEN_STR_ARG(name));
        put_escaped(out, ken_str_c(p->labels[i]), true);
        ken_buf_putc(out, '"');
    }
    if (le) {
        ken_buf_printf(out, "%sle=\"%s\"", before, le);
        before = ",";
    }
    if (*before == ',')
        ken_buf_putc(out, '}');
}

static void put_sample(ken_buf *out, const ken_metric_def *def, const ken_metric_point *p,
                       const char *suffix, double value)
{
    ken_buf_printf(out, "%s%s", def->name, suffix);
    put_labels(out, def, p, NULL);
    ken_buf_putc(out, ' ');
    put_number(out, value);
    ken_buf_putc(out, '\n');
}

static void put_timer(ken_buf *out, const ken_metric_def *def, const ken_metric_point *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i <= KEN_METRIC_BUCKETS; i++) {
        char bound[32] = "+Inf";
        // OpenMetrics wants a number with a point.
        if (i < KEN_METRIC_BUCKETS && ken_metric_bounds_ns[i] % 1000000000 == 0)
            snprintf(bound, sizeof bound, "%.1f", (double)ken_metric_bounds_ns[i] / 1e9);
        else if (i < KEN_METRIC_BUCKETS)
            snprintf(bound, sizeof bound, "%g", (double)ken_metric_bounds_ns[i] / 1e9);
        sum += p->buckets[i];
        ken_buf_printf(out, "%s_bucket", def->name);
        put_labels(out, def, p, bound);
        ken_buf_printf(out, " %llu\n", (unsigned long long)sum);
    }
    put_sample(out, def, p, "_sum", p->value);
    put_sample(out, def, p, "_count", (double)p->count);
}

static void put_unit(ken_buf *out, const char *name)
{
    static const char *const units[] = { "seconds", "bytes" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (ken_str_ends(ken_str_c(name), ken_str_c(units[i])))
            ken_buf_printf(out, "# UNIT %s %s\n", name, units[i]);
    }
}

static void put_family(ken_buf *out, const ken_metric_family *f, ken_metrics_form form)
{
    bool is_open = form == KEN_METRICS_OPENMETRICS;
    const ken_metric_def *def = f->def;
    const char *suffix = def->kind == KEN_METRIC_COUNTER ? "_total" : "";
    ken_buf_printf(out, "# HELP %s%s ", def->name, is_open ? "" : suffix);
    put_escaped(out, ken_str_c(def->text), is_open);
    ken_buf_printf(out, "\n# TYPE %s%s %s\n", def->name, is_open ? "" : suffix,
                   kind_words[def->kind]);
    if (is_open)
        put_unit(out, def->name);
    for (size_t i = 0; i < f->n; i++) {
        if (def->kind == KEN_METRIC_TIMER)
            put_timer(out, def, &f->points[i]);
        else
            put_sample(out, def, &f->points[i], suffix, f->points[i].value);
    }
}

void ken_metrics_write(ken_buf *out, ken_metrics_form form)
{
    ken_arena arena;
    ken_metric_family *families;
    ken_arena_init(&arena, 0);
    size_t n = ken_metrics_read(&arena, &families);
    for (size_t i = 0; i < n; i++)
        put_family(out, &families[i], form);
    if (form == KEN_METRICS_OPENMETRICS)
        ken_buf_puts(out, "# EOF\n");
    ken_arena_release(&arena);
}

// SPDX-License-Identifier: MIT
// otlp_check.h -- whether a body is what OTLP's JSON may be: the messages of opentelemetry-proto 1.x as
// far as we send them, each with its members and the form of their values, and nothing else.
#ifndef KEN_TESTS_OTLP_CHECK_H
#define KEN_TESTS_OTLP_CHECK_H

#include <string.h>

#include <jansson.h>

#include "ktest.h"

typedef enum otlp_form {
    OTLP_TEXT = 1,
    OTLP_U64,    // a string of digits
    OTLP_NUMBER, // a JSON number
    OTLP_INT,    // a whole one
    OTLP_BOOL,
    OTLP_TRACE, // 32 hexadecimal digits, lower case
    OTLP_SPAN,  // 16
    OTLP_U64S,  // lists of those
    OTLP_NUMBERS,
    OTLP_MESSAGE, // an object of type `type`
    OTLP_LIST,    // of such
    OTLP_VALUE,   // exactly one member of AnyValue
} otlp_form;

typedef struct otlp_member {
    const char *message, *name;
    otlp_form form;
    const char *type;
    bool is_needed;
} otlp_member;

static const otlp_member otlp_members[] = {
    { "ExportTraceServiceRequest", "resourceSpans", OTLP_LIST, "ResourceSpans", true },
    { "ResourceSpans", "resource", OTLP_MESSAGE, "Resource", true },
    { "ResourceSpans", "scopeSpans", OTLP_LIST, "ScopeSpans", true },
    { "ScopeSpans", "scope", OTLP_MESSAGE, "Scope", true },
    { "ScopeSpans", "spans", OTLP_LIST, "Span", true },
    { "Resource", "attributes", OTLP_LIST, "KeyValue", true },
    { "Scope", "name", OTLP_TEXT, NULL, true },
    { "Scope", "version", OTLP_TEXT, NULL, true },
    { "KeyValue", "key", OTLP_TEXT, NULL, true },
    { "KeyValue", "value", OTLP_VALUE, NULL, true },
    { "Span", "traceId", OTLP_TRACE, NULL, true },
    { "Span", "spanId", OTLP_SPAN, NULL, true },
    { "Span", "parentSpanId", OTLP_SPAN, NULL, false },
    { "Span", "traceState", OTLP_TEXT, NULL, false },
    { "Span", "name", OTLP_TEXT, NULL, true },
    { "Span", "kind", OTLP_INT, NULL, true },
    { "Span", "startTimeUnixNano", OTLP_U64, NULL, true },
    { "Span", "endTimeUnixNano", OTLP_U64, NULL, true },
    { "Span", "attributes", OTLP_LIST, "KeyValue", true },
    { "Span", "status", OTLP_MESSAGE, "Status", true },
    { "Status", "code", OTLP_INT, NULL, false },
    { "Status", "message", OTLP_TEXT, NULL, false },
    { "ExportMetricsServiceRequest", "resourceMetrics", OTLP_LIST, "ResourceMetrics", true },
    { "ResourceMetrics", "resource", OTLP_MESSAGE, "Resource", true },
    { "ResourceMetrics", "scopeMetrics", OTLP_LIST, "ScopeMetrics", true },
    { "ScopeMetrics", "scope", OTLP_MESSAGE, "Scope", true },
    { "ScopeMetrics", "metrics", OTLP_LIST, "Metric", true },
    { "Metric", "name", OTLP_TEXT, NULL, true },
    { "Metric", "description", OTLP_TEXT, NULL, true },
    { "Metric", "unit", OTLP_TEXT, NULL, true },
    { "Metric", "gauge", OTLP_MESSAGE, "Gauge", false },
    { "Metric", "sum", OTLP_MESSAGE, "Sum", false },
    { "Metric", "histogram", OTLP_MESSAGE, "Histogram", false },
    { "Gauge", "dataPoints", OTLP_LIST, "NumberDataPoint", true },
    { "Sum", "dataPoints", OTLP_LIST, "NumberDataPoint", true },
    { "Sum", "aggregationTemporality", OTLP_INT, NULL, true },
    { "Sum", "isMonotonic", OTLP_BOOL, NULL, true },
    { "Histogram", "dataPoints", OTLP_LIST, "HistogramDataPoint", true },
    { "Histogram", "aggregationTemporality", OTLP_INT, NULL, true },
    { "NumberDataPoint", "attributes", OTLP_LIST, "KeyValue", true },
    { "NumberDataPoint", "startTimeUnixNano", OTLP_U64, NULL, false },
    { "NumberDataPoint", "timeUnixNano", OTLP_U64, NULL, true },
    { "NumberDataPoint", "asInt", OTLP_U64, NULL, false },
    { "NumberDataPoint", "asDouble", OTLP_NUMBER, NULL, false },
    { "HistogramDataPoint", "attributes", OTLP_LIST, "KeyValue", true },
    { "HistogramDataPoint", "startTimeUnixNano", OTLP_U64, NULL, true },
    { "HistogramDataPoint", "timeUnixNano", OTLP_U64, NULL, true },
    { "HistogramDataPoint", "count", OTLP_U64, NULL, true },
    { "HistogramDataPoint", "sum", OTLP_NUMBER, NULL, true },
    { "HistogramDataPoint", "bucketCounts", OTLP_U64S, NULL, true },
    { "HistogramDataPoint", "explicitBounds", OTLP_NUMBERS, NULL, true },
};

enum {
    OTLP_MEMBERS = sizeof otlp_members / sizeof *otlp_members
};

static bool otlp_is_of(const json_t *v, const char *allowed, size_t len)
{
    const char *s = json_string_value(v);
    return s && *s && strspn(s, allowed) == strlen(s) && (!len || strlen(s) == len);
}

static bool otlp_is_value(const json_t *v)
{
    const json_t *text = json_object_get(v, "stringValue");
    const json_t *whole = json_object_get(v, "intValue"), *real = json_object_get(v, "doubleValue");
    return json_object_size(v) == 1 &&
           (json_is_string(text) || otlp_is_of(whole, "0123456789", 0) || json_is_number(real));
}

static void otlp_check(const char *message, const json_t *v);

static bool otlp_is_list(const otlp_member *m, const json_t *v)
{
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *item = json_array_get(v, i);
        if (m->form == OTLP_LIST)
            otlp_check(m->type, item);
        else if (m->form == OTLP_U64S ? !otlp_is_of(item, "0123456789", 0) : !json_is_number(item))
            return false;
    }
    return json_is_array(v);
}

static bool otlp_fits(const otlp_member *m, const json_t *v)
{
    switch (m->form) {
    case OTLP_TEXT:
        return json_is_string(v);
    case OTLP_U64:
        return otlp_is_of(v, "0123456789", 0);
    case OTLP_NUMBER:
        return json_is_number(v);
    case OTLP_INT:
        return json_is_integer(v);
    case OTLP_BOOL:
        return json_is_boolean(v);
    case OTLP_TRACE:
        return otlp_is_of(v, "0123456789abcdef", 32);
    case OTLP_SPAN:
        return otlp_is_of(v, "0123456789abcdef", 16);
    case OTLP_U64S:
    case OTLP_NUMBERS:
    case OTLP_LIST:
        return otlp_is_list(m, v);
    case OTLP_MESSAGE:
        otlp_check(m->type, v);
        return true;
    case OTLP_VALUE:
        return otlp_is_value(v);
    default:
        return false;
    }
}

// Fails the test and says where.
static void otlp_check(const char *message, const json_t *v)
{
    size_t n_known = 0;
    if (!json_is_object(v))
        kt_fail("%s is no object", message);
    for (size_t i = 0; i < OTLP_MEMBERS; i++) {
        const otlp_member *m = &otlp_members[i];
        if (strcmp(m->message, message) != 0)
            continue;
        const json_t *member = json_object_get(v, m->name);
        if (!member && m->is_needed)
            kt_fail("%s has no '%s'", message, m->name);
        if (member && !otlp_fits(m, member))
            kt_fail("%s: '%s' has another form", message, m->name);
        n_known += member != NULL;
    }
    if (n_known != json_object_size(v))
        kt_fail("%s has members that it must not have", message);
}

#endif

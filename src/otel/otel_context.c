// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/hash.h"
#include "otel/otel.h"

enum {
    VERSION_AT = 0,
    TRACE_AT = 3,
    SPAN_AT = 36,
    FLAGS_AT = 53,
    PARENT_LEN = 55,
};

static _Thread_local const ken_otel_context *now;

static bool is_zero(const uint8_t *bytes, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= bytes[i];
    return !any;
}

// The specification wants lower case.
static bool is_lower(ken_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (ken_is_upper(text.ptr[i]))
            return false;
    }
    return true;
}

static bool is_state(ken_str state)
{
    if (state.len > KEN_OTEL_STATE_MAX)
        return false;
    for (size_t i = 0; i < state.len; i++) {
        if (state.ptr[i] < ' ' || state.ptr[i] > '~')
            return false;
    }
    return true;
}

// Later versions may have more behind a further dash; what is known of them is read.
bool ken_otel_context_parse(ken_str parent, ken_str state, ken_otel_context *out)
{
    uint8_t version = 0;
    ken_otel_context c = { .flags = 0 };
    *out = c;
    parent = ken_str_trim(parent);
    state = ken_str_trim(state);
    if (parent.len < PARENT_LEN || parent.ptr[TRACE_AT - 1] != '-' ||
        parent.ptr[SPAN_AT - 1] != '-' || parent.ptr[FLAGS_AT - 1] != '-' || !is_lower(parent))
        return false;
    if (!ken_hex_parse(ken_str_sub(parent, VERSION_AT, 2), &version, 1) || version == 0xff ||
        !ken_hex_parse(ken_str_sub(parent, TRACE_AT, SPAN_AT - 1), c.trace, sizeof c.trace) ||
        !ken_hex_parse(ken_str_sub(parent, SPAN_AT, FLAGS_AT - 1), c.span, sizeof c.span) ||
        !ken_hex_parse(ken_str_sub(parent, FLAGS_AT, PARENT_LEN), &c.flags, 1))
        return false;
    bool has_end = version ? parent.len == PARENT_LEN || parent.ptr[PARENT_LEN] == '-'
                           : parent.len == PARENT_LEN;
    if (!has_end || is_zero(c.trace, sizeof c.trace) || is_zero(c.span, sizeof c.span))
        return false;
    c.flags &= 1; // the others have no meaning yet
    if (is_state(state))
        snprintf(c.state, sizeof c.state, KEN_STR_FMT, KEN_STR_ARG(state));
    *out = c;
    return true;
}

bool ken_otel_context_is_set(const ken_otel_context *c)
{
    return !is_zero(c->trace, sizeof c->trace);
}

void ken_otel_context_format(const ken_otel_context *c, char out[KEN_OTEL_PARENT_TEXT])
{
    char trace[2 * sizeof c->trace + 1], span[2 * sizeof c->span + 1];
    ken_hex_into(c->trace, sizeof c->trace, trace);
    ken_hex_into(c->span, sizeof c->span, span);
    snprintf(out, KEN_OTEL_PARENT_TEXT, "00-%s-%s-%02x", trace, span, c->flags);
}

const ken_otel_context *ken_otel_now(void)
{
    return now;
}

const ken_otel_context *ken_otel_enter(const ken_otel_context *c)
{
    const ken_otel_context *was = now;
    now = c;
    return was;
}

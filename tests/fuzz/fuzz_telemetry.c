// SPDX-License-Identifier: MIT
// fuzz_telemetry -- what a request says of its trace and of what it takes, and lists of names and
// values from the environment. The input is traceparent, a line end, and the rest: tracestate, Accept and
// such a list. What was read of a trace is written and read as the same.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "httpd/httpd.h"
#include "otel/otel_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_trace(ken_str parent, ken_str state)
{
    ken_otel_context c, again;
    char text[KEN_OTEL_PARENT_TEXT];
    if (!ken_otel_context_parse(parent, state, &c)) {
        KEN_ASSERT(!ken_otel_context_is_set(&c));
        return;
    }
    KEN_ASSERT(ken_otel_context_is_set(&c));
    ken_otel_context_format(&c, text);
    KEN_ASSERT(ken_otel_context_parse(ken_str_c(text), ken_str_c(c.state), &again));
    KEN_ASSERT(memcmp(c.trace, again.trace, sizeof c.trace) == 0);
    KEN_ASSERT(memcmp(c.span, again.span, sizeof c.span) == 0);
    KEN_ASSERT(c.flags == again.flags && strcmp(c.state, again.state) == 0);
    KEN_ASSERT(!strpbrk(c.state, "\r\n"));
}

static void read_pairs(ken_str list)
{
    ken_buf name = KEN_BUF_INIT(256), value = KEN_BUF_INIT(256);
    bool has = true;
    while (has && !ken_otel__next_pair(&list, &name, &value, &has, NULL))
        KEN_ASSERT(!has || name.len);
    ken_buf_release(&name);
    ken_buf_release(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str rest = ken_str_n((const char *)data, size), parent = { NULL, 0 };
    ken_str_line_next(&rest, &parent);
    read_trace(parent, rest);
    read_pairs(rest);
    double weight = ken_httpd_weight(rest, "text/plain");
    KEN_ASSERT(weight >= 0 && weight <= 1);
    return 0;
}

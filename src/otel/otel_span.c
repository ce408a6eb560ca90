// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "otel/otel_priv.h"

enum {
    SPAN_MAX = 16 * 1024 // bytes of its text
};

static void new_span_id(uint8_t out[8])
{
    ken_uuid id = ken_uuid_random();
    memcpy(out, id.bytes, 4); // around the bits that tell the version
    memcpy(out + 4, id.bytes + 12, 4);
    if (!(out[0] | out[1] | out[2] | out[3]))
        out[0] = 1; // all zeros is none
}

void ken_otel_begin(ken_otel_span *s, ken_otel_kind kind, const ken_otel_context *parent)
{
    if (!parent || !ken_otel_context_is_set(parent))
        parent = ken_otel_now();
    *s = (ken_otel_span){ .kind = kind, .outer = ken_otel_now() };
    s->is_recorded = ken_otel_is_tracing() && (!parent || parent->flags & 1);
    if (!s->is_recorded) { // what is done belongs to who asked
        ken_otel_enter(parent);
        return;
    }
    s->began_ns = ken_clock_mono_ns();
    if (parent) {
        s->self = *parent;
        memcpy(s->parent, parent->span, sizeof s->parent);
    } else {
        ken_uuid id = ken_uuid_random();
        memcpy(s->self.trace, id.bytes, sizeof s->self.trace);
        s->self.flags = 1;
    }
    new_span_id(s->self.span);
    ken_otel_enter(&s->self);
}

void ken_otel_end(ken_otel_span *s, ken_str name, const ken_log_field *attributes, size_t n,
                  const char *error)
{
    ken_otel_enter(s->outer);
    if (!s->is_recorded)
        return;
    ken_buf text = KEN_BUF_INIT(SPAN_MAX);
    ken_otel__put_span(&text, &s->self, s->parent, s->kind, name, s->began_ns, ken_clock_mono_ns(),
                       attributes, n, error);
    ken_otel__queue(&text);
    ken_buf_release(&text);
}

void ken_otel_add_part(const ken_otel_span *whole, const char *name, int64_t began_ns, int64_t ns)
{
    if (!whole->is_recorded)
        return;
    ken_otel_context self = whole->self;
    ken_buf text = KEN_BUF_INIT(SPAN_MAX);
    new_span_id(self.span);
    ken_otel__put_span(&text, &self, whole->self.span, KEN_OTEL_INTERNAL, ken_str_c(name), began_ns,
                       began_ns + ns, NULL, 0, NULL);
    ken_otel__queue(&text);
    ken_buf_release(&text);
}

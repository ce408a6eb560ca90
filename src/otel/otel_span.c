// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "otel/otel_priv.h"

enum {
    SPAN_MAX = 16 * 1024 // bytes of its text
};

// ---- which are recorded ------------------------------------------------------------------------

typedef enum sampler {
    SAMPLER_NONE = 0,
#define X(id, name) SAMPLER_##id,
    KEN_OTEL_SAMPLER_TABLE(X)
#undef X
} sampler;

static const char *const sampler_names[] = { "",
#define X(id, name) name,
                                             KEN_OTEL_SAMPLER_TABLE(X)
#undef X
};

static atomic_int the_sampler = SAMPLER_PARENT_ALWAYS_ON;
static atomic_uint_fast64_t ratio_limit; // of what an id says, as a number of 63 bits

ken_status ken_otel__set_sampler(ken_str name, ken_str ratio, ken_err *err)
{
    double share = 1;
    int found = SAMPLER_PARENT_ALWAYS_ON;
    if (ratio.len && (!ken_str_parse_double(ratio, &share) || share < 0 || share > 1))
        return KEN_FAIL(err, KEN_EINVAL, "the ratio of the sampler must be a number from 0 to 1");
    if (name.len) {
        found = (int)(sizeof sampler_names / sizeof *sampler_names);
        while (--found && !ken_str_eq_c(name, sampler_names[found]))
            ;
    }
    if (!found)
        return KEN_FAIL(err, KEN_EINVAL, "'" KEN_STR_FMT "' is no sampler", KEN_STR_ARG(name));
    atomic_store(&the_sampler, found);
    atomic_store(&ratio_limit, (uint64_t)(share * 9223372036854775808.0));
    return KEN_OK;
}

// By the end of the id, as the specification has it, so that all services decide alike.
static bool is_in_ratio(const uint8_t trace[16])
{
    uint64_t number = 0;
    for (size_t i = 8; i < 16; i++)
        number = number << 8 | trace[i];
    return number >> 1 < atomic_load(&ratio_limit);
}

static bool is_sampled(const ken_otel_context *parent, const uint8_t trace[16])
{
    int s = atomic_load(&the_sampler);
    bool asks_parent = s == SAMPLER_PARENT_ALWAYS_ON || s == SAMPLER_PARENT_ALWAYS_OFF ||
                       s == SAMPLER_PARENT_RATIO;
    if (parent && asks_parent)
        return parent->flags & 1;
    if (s == SAMPLER_RATIO || s == SAMPLER_PARENT_RATIO)
        return is_in_ratio(trace);
    return s == SAMPLER_ALWAYS_ON || s == SAMPLER_PARENT_ALWAYS_ON;
}

// ---- a span ------------------------------------------------------------------------------------

static void new_id(uint8_t out[8])
{
    ken_uuid id = ken_uuid_random();
    memcpy(out, id.bytes, 4); // around the bits that tell the version
    memcpy(out + 4, id.bytes + 12, 4);
    if (!(out[0] | out[1] | out[2] | out[3]))
        out[0] = 1; // all zeros is none
}

void ken_otel_open(ken_otel_span *s, ken_otel_kind kind, const ken_otel_context *parent)
{
    bool has_parent = parent && ken_otel_context_is_set(parent);
    *s = (ken_otel_span){ .kind = kind };
    if (has_parent)
        s->self = *parent;
    if (!ken_otel_is_tracing()) // what is done belongs to who asked
        return;
    if (!has_parent) {
        new_id(s->self.trace);
        new_id(s->self.trace + 8);
    }
    s->is_recorded = is_sampled(has_parent ? parent : NULL, s->self.trace);
    s->self.flags = s->is_recorded;
    if (!s->is_recorded && has_parent)
        return;
    s->began_ns = ken_clock_mono_ns();
    memcpy(s->parent, s->self.span, sizeof s->parent);
    new_id(s->self.span);
}

void ken_otel_close(const ken_otel_span *s, ken_str name, const ken_log_field *attributes, size_t n,
                    const char *error)
{
    if (!s->is_recorded)
        return;
    ken_buf text = KEN_BUF_INIT(SPAN_MAX);
    ken_otel__put_span(&text, &s->self, s->parent, s->kind, name, s->began_ns, ken_clock_mono_ns(),
                       attributes, n, error);
    ken_otel__queue(&text);
    ken_buf_release(&text);
}

void ken_otel_begin(ken_otel_span *s, ken_otel_kind kind, const ken_otel_context *parent)
{
    const ken_otel_context *outer = ken_otel_now();
    if (!parent || !ken_otel_context_is_set(parent))
        parent = outer;
    ken_otel_open(s, kind, parent);
    s->outer = outer;
    // Also a trace that is not recorded: what is done within must not begin another.
    ken_otel_enter(s->is_recorded || ken_otel_is_tracing() ? &s->self : parent);
}

void ken_otel_end(ken_otel_span *s, ken_str name, const ken_log_field *attributes, size_t n,
                  const char *error)
{
    ken_otel_enter(s->outer);
    ken_otel_close(s, name, attributes, n, error);
}

void ken_otel_add_part(const ken_otel_span *whole, const char *name, int64_t began_ns, int64_t ns)
{
    if (!whole->is_recorded)
        return;
    ken_otel_context self = whole->self;
    ken_buf text = KEN_BUF_INIT(SPAN_MAX);
    new_id(self.span);
    ken_otel__put_span(&text, &self, whole->self.span, KEN_OTEL_INTERNAL, ken_str_c(name), began_ns,
                       began_ns + ns, NULL, 0, NULL);
    ken_otel__queue(&text);
    ken_buf_release(&text);
}

// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/clock.h"
#include "fake_http.h"
#include "metrics/metrics.h"
#include "otel/otel.h"
#include "otlp_check.h"

enum {
    N_MANY = 3000
};

// ---- the context -------------------------------------------------------------------------------

#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define SPAN   "b7ad6b7169203331"
#define PARENT "00-" TRACE "-" SPAN "-01"

KEN_TEST(a_context_is_read_as_the_specification_says)
{
    static const struct {
        const char *parent;
        bool is_one;
    } cases[] = {
        { PARENT, true },
        { "00-" TRACE "-" SPAN "-00", true },
        { "  " PARENT " ", true },
        { "01-" TRACE "-" SPAN "-01-what-is-new", true },
        { "cc-" TRACE "-" SPAN "-09", true },
        { "", false },
        { "00-" TRACE "-" SPAN, false },
        { "00-" TRACE "-" SPAN "-01-more", false }, // version 00 has no more
        { "01-" TRACE "-" SPAN "-01.more", false },
        { "ff-" TRACE "-" SPAN "-01", false },
        { "00-00000000000000000000000000000000-" SPAN "-01", false },
        { "00-" TRACE "-0000000000000000-01", false },
        { "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01", false },
        { "00-" TRACE "-b7ad6b716920333g-01", false },
        { "00_" TRACE "-" SPAN "-01", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_otel_context c;
        bool is_one = ken_otel_context_parse(ken_str_c(cases[i].parent), KEN_STR("a=b"), &c);
        if (is_one != cases[i].is_one || is_one != ken_otel_context_is_set(&c))
            kt_fail("'%s' is%s taken for a context", cases[i].parent, is_one ? "" : " not");
    }
    char text[KEN_OTEL_PARENT_TEXT], state[700];
    ken_otel_context c;
    kt_true(ken_otel_context_parse(KEN_STR(PARENT), KEN_STR("vendor=1,other=2"), &c));
    ken_otel_context_format(&c, text);
    kt_eq_str(text, PARENT);
    kt_eq_str(c.state, "vendor=1,other=2");
    memset(state, 'x', sizeof state); // too long: the context stays, the state goes
    kt_true(ken_otel_context_parse(KEN_STR(PARENT), ken_str_n(state, sizeof state), &c));
    kt_eq_str(c.state, "");
    kt_true(ken_otel_context_parse(KEN_STR(PARENT), KEN_STR("a=b\r\nX: y"), &c));
    kt_eq_str(c.state, "");
}

KEN_TEST(a_context_is_passed_on_while_nothing_is_sent)
{
    ken_otel_context c;
    ken_otel_span s;
    kt_true(ken_otel_context_parse(KEN_STR(PARENT), KEN_STR(""), &c));
    ken_otel_begin(&s, KEN_OTEL_SERVER, &c);
    kt_false(s.is_recorded);
    kt_true(ken_otel_now() == &c);
    ken_otel_end(&s, KEN_STR("call"), NULL, 0, NULL);
    kt_null(ken_otel_now());
    ken_otel_begin(&s, KEN_OTEL_SERVER, NULL);
    kt_null(ken_otel_now());
    ken_otel_end(&s, KEN_STR("call"), NULL, 0, NULL);
}

// ---- a collector -------------------------------------------------------------------------------

typedef struct collector {
    fake_http http;
    int status, n_failures; // the next answers
    const char *headers, *body;
    int stall_ms;
} collector;

static void handle(fake_http *s, const fake_request *q, fake_reply *out)
{
    collector *c = s->ctx;
    (void)q;
    out->status = c->n_failures ? c->status : 200;
    out->stall_ms = c->stall_ms;
    snprintf(out->headers, sizeof out->headers, "%s",
             c->n_failures && c->headers ? c->headers : "");
    ken_buf_puts(&out->body, c->body ? c->body : "{\"partialSuccess\":{}}");
    c->n_failures -= c->n_failures > 0;
}

static void begin(collector *c, ken_otel_opts o)
{
    ken_err err = { 0 };
    ken_metrics_stop();
    ken_metrics_start("1");
    fake_http_start(&c->http, handle, c);
    fake_http_forget(&c->http);
    o.endpoint = c->http.url;
    o.version = "1.2";
    if (!o.has_metrics)
        o.has_traces = true;
    kt_ok_err(ken_otel_start(&o, &err), &err);
}

// Sends what is left; the collector still has what came.
static void flush(void)
{
    ken_otel_stop(5000);
}

static void end(collector *c)
{
    ken_otel_stop(5000);
    fake_http_stop(&c->http);
    ken_metrics_stop();
}

// The body of the i-th request, checked.
static json_t *body_of(collector *c, size_t i, const char *path, const char *message)
{
    char line[64];
    snprintf(line, sizeof line, "POST %s HTTP/1.1\r\n", path);
    kt_true(c->http.n_requests > i);
    kt_true(ken_str_starts(ken_buf_str(&c->http.log[i]), ken_str_c(line)));
    kt_has_str(c->http.log[i].ptr, "\r\nContent-Type: application/json\r\n");
    json_t *v =
        json_loads(strstr(c->http.log[i].ptr, "\r\n\r\n") + 4, JSON_REJECT_DUPLICATES, NULL);
    kt_not_null(v);
    otlp_check(message, v);
    return v;
}

static const json_t *spans_of(const json_t *v)
{
    const json_t *scopes =
        json_object_get(json_array_get(json_object_get(v, "resourceSpans"), 0), "scopeSpans");
    return json_object_get(json_array_get(scopes, 0), "spans");
}

static const char *text_of(const json_t *v, const char *name)
{
    return json_string_value(json_object_get(v, name));
}

static void record(const char *name, const ken_otel_context *parent)
{
    ken_otel_span s;
    ken_otel_begin(&s, KEN_OTEL_SERVER, parent);
    ken_otel_end(&s, ken_str_c(name), NULL, 0, NULL);
}

// ---- traces ------------------------------------------------------------------------------------

KEN_TEST(spans_are_sent_with_their_parents)
{
    static collector c;
    ken_otel_context asked;
    ken_otel_span call, inner;
    c = (collector){ .body = NULL };
    begin(&c, (ken_otel_opts){ .headers = KEN_STR("x-key=s%2C%20t, x-tenant = 7"),
                               .service_name = KEN_STR("ken of \"us\""),
                               .attributes = KEN_STR("deployment.environment=test%20bed") });
    kt_true(ken_otel_context_parse(KEN_STR(PARENT), KEN_STR("v=1"), &asked));
    ken_otel_begin(&call, KEN_OTEL_SERVER, &asked);
    int64_t now = ken_clock_mono_ns();
    ken_otel_begin(&inner, KEN_OTEL_CLIENT, NULL);
    ken_otel_end(&inner, KEN_STR("POST"), NULL, 0, "ETIMEOUT");
    ken_otel_add_part(&call, "rank", now, 2000000);
    const ken_log_field fields[] = { KEN_LOG_F_TEXT("tool", KEN_STR("search\n\xff")),
                                     KEN_LOG_F_TEXT("empty", KEN_STR("")),
                                     KEN_LOG_F_COUNT("results", 7), KEN_LOG_F_REAL("share", 0.5) };
    ken_otel_end(&call, KEN_STR("search_code"), fields, 4, NULL);
    flush();
    json_t *v = body_of(&c, 0, "/v1/traces", "ExportTraceServiceRequest");
    const json_t *spans = spans_of(v);
    kt_eq_u(json_array_size(spans), 3);
    const json_t *client = json_array_get(spans, 0), *part = json_array_get(spans, 1);
    const json_t *server = json_array_get(spans, 2);
    kt_eq_str(text_of(server, "traceId"), TRACE);
    kt_eq_str(text_of(server, "parentSpanId"), SPAN);
    kt_eq_str(text_of(server, "traceState"), "v=1");
    kt_eq_str(text_of(client, "traceId"), TRACE);
    kt_eq_str(text_of(client, "parentSpanId"), text_of(server, "spanId"));
    kt_eq_str(text_of(part, "parentSpanId"), text_of(server, "spanId"));
    kt_true(strcmp(text_of(part, "spanId"), text_of(client, "spanId")) != 0);
    kt_eq_str(text_of(server, "name"), "search_code");
    kt_eq_i(json_integer_value(json_object_get(server, "kind")), 2);
    kt_eq_i(json_integer_value(json_object_get(client, "kind")), 3);
    kt_eq_i(json_integer_value(json_object_get(json_object_get(client, "status"), "code")), 2);
    kt_eq_u(json_array_size(json_object_get(server, "attributes")), 3);
    uint64_t from = 0, to = 0, wall = (uint64_t)ken_clock_wall_ms() * 1000000;
    kt_true(ken_str_parse_u64(ken_str_c(text_of(part, "startTimeUnixNano")), &from));
    kt_true(ken_str_parse_u64(ken_str_c(text_of(part, "endTimeUnixNano")), &to));
    kt_eq_u(to - from, 2000000);
    kt_true(from < wall + UINT64_C(1000000000) && from + UINT64_C(60000000000) > wall);
    kt_has_str(c.http.log[0].ptr, "\r\nx-key: s, t\r\n");
    kt_has_str(c.http.log[0].ptr, "\r\nx-tenant: 7\r\n");
    kt_has_str(c.http.log[0].ptr, "{\"stringValue\":\"ken of \\\"us\\\"\"}");
    kt_has_str(c.http.log[0].ptr, "{\"key\":\"deployment.environment\",\"value\":{\"stringValue\":"
                                  "\"test bed\"}}");
    json_decref(v);
    end(&c);
}

KEN_TEST(who_does_not_record_is_not_recorded)
{
    static collector c;
    ken_otel_context asked;
    c = (collector){ .body = NULL };
    begin(&c, (ken_otel_opts){ .max_spans = 0 });
    kt_true(ken_otel_context_parse(KEN_STR("00-" TRACE "-" SPAN "-00"), KEN_STR(""), &asked));
    record("quiet", &asked);
    record("own", NULL);
    flush();
    json_t *v = body_of(&c, 0, "/v1/traces", "ExportTraceServiceRequest");
    kt_eq_u(json_array_size(spans_of(v)), 1);
    kt_eq_str(text_of(json_array_get(spans_of(v), 0), "name"), "own");
    kt_null(text_of(json_array_get(spans_of(v), 0), "parentSpanId"));
    json_decref(v);
    end(&c);
}

// How many of a thousand traces are recorded: begun here, by who records, by who does not.
static void check_sampler(const char *name, const char *ratio, size_t own, size_t asked,
                          size_t unasked)
{
    static collector c;
    const char *const parents[] = { NULL, "01", "00" };
    const size_t want[] = { own, asked, unasked };
    for (size_t k = 0; k < 3; k++) {
        c = (collector){ .body = NULL };
        begin(&c, (ken_otel_opts){ .max_spans = 4000,
                                   .sampler = ken_str_c(name),
                                   .sampler_ratio = ken_str_c(ratio) });
        size_t n_recorded = 0;
        for (size_t i = 0; i < 1000; i++) {
            ken_otel_context parent;
            ken_otel_span s, inner;
            char text[KEN_OTEL_PARENT_TEXT];
            // Ids that are spread evenly over all.
            snprintf(text, sizeof text, "00-%016zx%016llx-" SPAN "-%s", i + 1,
                     (unsigned long long)i * UINT64_C(18446744073709551),
                     parents[k] ? parents[k] : "01");
            kt_true(ken_otel_context_parse(ken_str_c(text), KEN_STR(""), &parent));
            ken_otel_begin(&s, KEN_OTEL_SERVER, parents[k] ? &parent : NULL);
            ken_otel_begin(&inner, KEN_OTEL_CLIENT, NULL);
            // What is done within is recorded when the whole is, and what is asked elsewhere says so.
            if (k || strncmp(name, "always", 6) == 0 || strncmp(name, "parent", 6) == 0)
                kt_true(inner.is_recorded == s.is_recorded);
            kt_true((ken_otel_now()->flags & 1) == inner.is_recorded);
            n_recorded += s.is_recorded;
            ken_otel_end(&inner, KEN_STR("inner"), NULL, 0, NULL);
            ken_otel_end(&s, KEN_STR("call"), NULL, 0, NULL);
        }
        bool is_share = want[k] > 0 && want[k] < 1000;
        if (is_share ? n_recorded + 80 < want[k] || n_recorded > want[k] + 80
                     : n_recorded != want[k])
            kt_fail("%s %s: %zu of 1000 recorded, case %zu", name, ratio, n_recorded, k);
        end(&c);
    }
}

KEN_TEST(the_sampler_decides_which_traces_are_recorded)
{
    check_sampler("", "", 1000, 1000, 0);
    check_sampler("parentbased_always_off", "", 0, 1000, 0);
    check_sampler("parentbased_traceidratio", "0.25", 250, 1000, 0);
    check_sampler("always_on", "", 1000, 1000, 1000);
    check_sampler("always_off", "", 0, 0, 0);
    check_sampler("traceidratio", "0.25", 250, 250, 250);
    check_sampler("traceidratio", "1", 1000, 1000, 1000);
    ken_err err = { 0 };
    const ken_otel_opts wrong = { .endpoint = "http://127.0.0.1:1",
                                  .has_traces = true,
                                  .sampler_ratio = KEN_STR("1.5") };
    kt_status(ken_otel_start(&wrong, &err), KEN_EINVAL);
    kt_has_str(err.msg, "from 0 to 1");
}

KEN_TEST(nobody_waits_for_a_collector_and_what_has_no_room_is_counted)
{
    static collector c;
    c = (collector){ .stall_ms = 1500 };
    begin(&c, (ken_otel_opts){ .max_spans = 100, .traces_every_ms = 1 });
    int64_t began = ken_clock_mono_ns();
    for (int i = 0; i < N_MANY; i++)
        record("call", NULL);
    kt_true(ken_clock_mono_ns() - began < INT64_C(1400) * 1000000);
    ken_otel_counts n = ken_otel_count();
    kt_true(n.n_dropped > N_MANY / 2);
    kt_true(n.n_waiting <= 100);
    ken_buf text = KEN_BUF_INIT(0);
    char line[100];
    ken_metrics_write(&text, KEN_METRICS_PROMETHEUS);
    snprintf(line, sizeof line,
             "ken_otel_dropped_total{signal=\"traces\",reason=\"queue_full\"} %llu\n",
             (unsigned long long)n.n_dropped);
    kt_has_str(text.ptr, line);
    ken_buf_release(&text);
    began = ken_clock_mono_ns();
    ken_otel_stop(300); // which does not wait for it either
    kt_true(ken_clock_mono_ns() - began < INT64_C(1400) * 1000000);
    end(&c);
}

static void wait_for(collector *c, size_t n_requests)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&c->http.lock);
        bool is_there = c->http.n_requests >= n_requests;
        pthread_mutex_unlock(&c->http.lock);
        if (is_there)
            return;
        usleep(10000);
    }
    kt_fail("no %zu requests came", n_requests);
}

KEN_TEST(what_fails_in_passing_is_sent_again_and_what_is_refused_is_not)
{
    static collector c;
    c = (collector){ .status = 503, .n_failures = 2, .headers = "Retry-After: 0\r\n" };
    begin(&c, (ken_otel_opts){ .traces_every_ms = 1 });
    record("first", NULL);
    wait_for(&c, 3);
    for (int i = 0; i < 500 && !ken_otel_count().n_sent; i++)
        usleep(10000);
    kt_eq_u(ken_otel_count().n_sent, 1);
    c.status = 400;
    c.n_failures = 1;
    record("second", NULL);
    wait_for(&c, 4);
    flush();
    kt_eq_u(c.http.n_requests, 4);
    json_t *v = body_of(&c, 2, "/v1/traces", "ExportTraceServiceRequest");
    kt_eq_str(text_of(json_array_get(spans_of(v), 0), "name"), "first");
    json_decref(v);
    end(&c);
}

KEN_TEST(what_a_collector_took_in_part_is_counted)
{
    static collector c;
    c = (collector){ .body =
                         "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"no\"}}" };
    begin(&c, (ken_otel_opts){ .traces_every_ms = 20 });
    for (int i = 0; i < 3; i++)
        record("call", NULL);
    wait_for(&c, 1);
    for (int i = 0; i < 500 && !ken_otel_count().n_dropped; i++)
        usleep(10000);
    kt_true(ken_otel_count().n_dropped > 0);
    end(&c);
}

// ---- metrics -----------------------------------------------------------------------------------

KEN_TEST(metrics_are_sent_with_all_their_kinds)
{
    static collector c;
    c = (collector){ .body = NULL };
    begin(&c, (ken_otel_opts){ .has_metrics = true, .metrics_every_ms = 3600 * 1000 });
    ken_metrics_add(KEN_METRIC_TOOL_CALLS, 3, KEN_LABELS("search_code", "OK"));
    ken_metrics_time(KEN_METRIC_TOOL_SECONDS, 3000000, KEN_LABELS("search_code"));
    flush(); // which sends what there is
    json_t *v = body_of(&c, 0, "/v1/metrics", "ExportMetricsServiceRequest");
    const char *text = c.http.log[0].ptr;
    kt_has_str(text, "{\"name\":\"ken_tool_calls\",");
    kt_has_str(text, "\"sum\":{\"dataPoints\":[{\"attributes\":[{\"key\":\"tool\",\"value\":"
                     "{\"stringValue\":\"search_code\"}}");
    kt_has_str(text, "\"asInt\":\"3\"}],\"aggregationTemporality\":2,\"isMonotonic\":true}");
    kt_has_str(text, "\"unit\":\"s\",\"histogram\":");
    kt_has_str(text, "\"count\":\"1\",\"sum\":0.003,");
    kt_has_str(text, "\"unit\":\"By\",\"gauge\":"); // of the process
    json_decref(v);
    end(&c);
}

// ---- settings ----------------------------------------------------------------------------------

KEN_TEST(what_is_no_endpoint_or_list_is_refused)
{
    static const struct {
        ken_otel_opts opts;
        const char *part;
    } cases[] = {
        { { .endpoint = "localhost:4318" }, "localhost:4318" },
        { { .endpoint = "grpc://localhost:4317" }, "grpc" },
        { { .endpoint = "http://localhost:4318", .headers = { "key", 3 } }, "name=value" },
        { { .endpoint = "http://localhost:4318", .attributes = { "=x", 2 } }, "name=value" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_err err = { 0 };
        ken_otel_opts o = cases[i].opts;
        o.has_traces = true;
        kt_status(ken_otel_start(&o, &err), KEN_EINVAL);
        kt_has_str(err.msg, cases[i].part);
    }
    ken_otel_stop(0); // was never started
}

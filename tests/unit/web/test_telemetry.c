// SPDX-License-Identifier: MIT
// What the log, the metrics and the traces say of requests.
#include "fake_http.h"
#include "metrics/metrics.h"
#include "obs/log.h"
#include "otel/otel.h"
#include "proc/proc.h"
#include "web_lab.h"

#define CHECKERS      KEN_TEST_SOURCE_DIR "/../build/tools"
#define TRACE_A       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define TRACE_B       "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define TRACE_C       "cccccccccccccccccccccccccccccccc"
#define PARENT(trace) "00-" trace "-b7ad6b7169203331-01"

static void take(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    (void)q;
    out->status = 200;
    ken_buf_puts(&out->body, "{}");
}

// The three ways to call a tool.
static void call_thrice(void)
{
    kt_has_str(lab_post("/mcp",
                        LAB_MODERN "\nMcp-Method: tools/call\nMcp-Name: list_projects"
                                   "\nX-Request-Id: first\ntraceparent: " PARENT(TRACE_C),
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
                        "\"name\":\"list_projects\",\"_meta\":{"
                        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                        "\"io.modelcontextprotocol/clientCapabilities\":{},"
                        "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"probe\","
                        "\"version\":\"2.1\"},\"traceparent\":\"" PARENT(TRACE_A) "\"}}}"),
               "HTTP/1.1 200");
    const char *answer =
        lab_post("/mcp", LAB_JSON,
                 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                 "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                 "\"clientInfo\":{\"name\":\"old probe\",\"version\":\"1\"}}}");
    const char *id = lab_header(answer, "Mcp-Session-Id");
    kt_not_null(id);
    kt_has_str(lab_post("/mcp",
                        lab_fmt(LAB_JSON "\nMcp-Session-Id: %s\nX-Request-Id: second"
                                         "\ntraceparent: " PARENT(TRACE_B),
                                id),
                        "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{"
                        "\"name\":\"list_projects\"}}"),
               "HTTP/1.1 200");
    kt_has_str(lab_ask("GET /api/v1/list_projects HTTP/1.1\nUser-Agent: curl/8\nX-Request-Id: third"
                       "\ntraceparent: " PARENT(TRACE_C) "\ntracestate: v=1",
                       NULL),
               "HTTP/1.1 200");
}

// The record of that message and request; owned.
static json_t *record_of(ken_str log, const char *message, const char *request)
{
    ken_str line;
    while (ken_str_line_next(&log, &line)) {
        json_t *v = json_loadb(line.ptr, line.len, 0, NULL);
        const json_t *id = json_object_get(json_object_get(v, "context"), "request_id");
        if (ken_str_eq_c(ken_json_text(json_object_get(v, "message")), message) &&
            ken_str_eq_c(ken_json_text(id), request))
            return v;
        json_decref(v);
    }
    kt_fail("no '%s' of '%s' in the log", message, request);
}

static void has_text(const json_t *record, const char *name, const char *want)
{
    kt_eq_text(ken_json_text(json_object_get(json_object_get(record, "context"), name)), want);
}

// The value of an attribute of a span, as text; NULL = it has none.
static const char *attribute(const json_t *span, const char *name)
{
    size_t i;
    json_t *a;
    json_array_foreach(json_object_get(span, "attributes"), i, a)
    {
        const json_t *v = json_object_get(a, "value");
        if (!strcmp(json_string_value(json_object_get(a, "key")), name))
            return json_string_value(
                json_object_iter_value(json_object_iter((json_t *)(uintptr_t)v)));
    }
    return NULL;
}

// The span of that name whose attribute has that value; in `all`.
static const json_t *find_span(const json_t *all, const char *name, const char *key,
                               const char *value)
{
    size_t i;
    json_t *span;
    json_array_foreach(all, i, span)
    {
        const char *is = attribute(span, key);
        if (!strcmp(json_string_value(json_object_get(span, "name")), name) && is &&
            !strcmp(is, value))
            return span;
    }
    kt_fail("no span '%s' with %s=%s", name, key, value);
}

static void has_id(const json_t *span, const char *name, const char *want)
{
    kt_eq_str(json_string_value(json_object_get(span, name)), want);
}

static json_t *sent_spans(const fake_http *collector)
{
    json_t *all = json_array();
    for (size_t i = 0; i < collector->n_requests; i++) {
        json_t *v = json_loads(strstr(collector->log[i].ptr, "\r\n\r\n") + 4, 0, NULL);
        const json_t *scope = json_array_get(
            json_object_get(json_array_get(json_object_get(v, "resourceSpans"), 0), "scopeSpans"),
            0);
        json_array_extend(all, json_object_get(scope, "spans"));
        json_decref(v);
    }
    return all;
}

// From the client's span to the request, from there to the call.
KEN_TEST(a_request_is_a_span_between_its_client_and_the_call)
{
    static fake_http collector;
    fake_http_start(&collector, take, NULL);
    fake_http_forget(&collector);
    lab_open_app(NULL, 0);
    kt_ok(ken_otel_start(
        &(ken_otel_opts){ .endpoint = collector.url, .has_traces = true, .version = "1" }, NULL));
    lab_serve(NULL);
    call_thrice();
    kt_has_str(lab_get("/healthz"), "HTTP/1.1 200");
    kt_has_str(lab_ask("GET /api/v1/no_such HTTP/1.1\nX-Request-Id: odd", NULL), "HTTP/1.1 404");
    kt_has_str(lab_ask("GET /api/v1/list_projects HTTP/1.1\ntraceparent: 00-" TRACE_B
                       "-b7ad6b7169203331-00\nX-Request-Id: quiet",
                       NULL),
               "HTTP/1.1 200");
    lab_stop();
    ken_otel_stop(5000);
    json_t *all = sent_spans(&collector);
    const json_t *api = find_span(all, "GET /api/v1/{operation}", "ken.request.id", "third");
    const json_t *call = find_span(all, "list_projects", "ken.request.id", "third");
    has_id(api, "traceId", TRACE_C);
    has_id(api, "parentSpanId", "b7ad6b7169203331");
    has_id(api, "traceState", "v=1");
    kt_eq_i(json_integer_value(json_object_get(api, "kind")), 2);
    kt_eq_str(attribute(api, "http.request.method"), "GET");
    kt_eq_str(attribute(api, "http.route"), "/api/v1/{operation}");
    kt_eq_str(attribute(api, "http.response.status_code"), "200");
    kt_eq_str(attribute(api, "url.scheme"), "http");
    kt_eq_str(attribute(api, "user_agent.original"), "curl/8");
    has_id(call, "traceId", TRACE_C);
    has_id(call, "parentSpanId", json_string_value(json_object_get(api, "spanId")));
    // Of a session: the same; where the message says what it belongs to, that counts for the call.
    const json_t *second = find_span(all, "POST /mcp", "ken.request.id", "second");
    has_id(second, "traceId", TRACE_B);
    has_id(find_span(all, "list_projects", "ken.request.id", "second"), "parentSpanId",
           json_string_value(json_object_get(second, "spanId")));
    has_id(find_span(all, "POST /mcp", "ken.request.id", "first"), "traceId", TRACE_C);
    has_id(find_span(all, "list_projects", "ken.request.id", "first"), "traceId", TRACE_A);
    const json_t *odd = find_span(all, "GET /api/v1/{operation}", "ken.request.id", "odd");
    kt_eq_str(attribute(odd, "http.response.status_code"), "404");
    kt_eq_u(json_object_size(json_object_get(odd, "status")), 0); // the client's fault
    size_t i;
    json_t *span;
    json_array_foreach(all, i, span)
    {
        const char *route = attribute(span, "http.route"), *id = attribute(span, "ken.request.id");
        kt_true(!route || strcmp(route, "/healthz") != 0);
        kt_true(!id || strcmp(id, "quiet") != 0); // who asked does not record
    }
    json_decref(all);
    fake_http_stop(&collector);
    ken_metrics_stop();
}

KEN_TEST(a_call_is_told_with_who_asked_and_belongs_to_its_trace)
{
    static const struct {
        const char *request, *client, *trace;
    } calls[] = { { "first", "probe/2.1", TRACE_A },
                  { "second", "old probe/1", TRACE_B },
                  { "third", "curl/8", TRACE_C } };
    static fake_http collector;
    fake_http_start(&collector, take, NULL);
    fake_http_forget(&collector);
    lab_open_app(NULL, 0);
    kt_ok(ken_otel_start(
        &(ken_otel_opts){ .endpoint = collector.url, .has_traces = true, .version = "1" }, NULL));
    lab_serve(NULL);
    kt_ok(ken_log_open_file(ktest_path("ken.log"), 1 << 20, 1, NULL));
    ken_log_setup(KEN_LOG_INFO, true);
    call_thrice();
    lab_stop();
    ken_log_setup(KEN_LOG_WARN, false);
    ken_log_close_file();
    ken_otel_stop(5000);
    ken_str log = ktest_read(ktest_path("ken.log"));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        json_t *call = record_of(log, "tool call", calls[i].request);
        json_t *request = record_of(log, "request", calls[i].request);
        has_text(call, "client", calls[i].client);
        has_text(call, "trace_id", calls[i].trace);
        has_text(call, "tool", "list_projects");
        has_text(request, "peer", "127.0.0.1");
        kt_eq_i(json_integer_value(json_object_get(json_object_get(request, "context"), "status")),
                200);
        json_decref(call);
        json_decref(request);
    }
    kt_true(collector.n_requests > 0);
    kt_has_str(collector.log[0].ptr, "\"traceState\":\"v=1\"");
    fake_http_stop(&collector);
    ken_metrics_stop();
}

KEN_TEST(metrics_of_a_server_at_work_are_fit_for_prometheus)
{
    lab_start();
    call_thrice();
    kt_has_str(lab_ask("BREW /mcp HTTP/1.1", NULL), "HTTP/1.1 4");
    const char *answer = lab_get("/metrics");
    kt_has_str(answer,
               "ken_http_requests_total{route=\"/mcp\",method=\"POST\",status=\"200\"} 3\n");
    kt_has_str(answer, "ken_tool_calls_total{tool=\"list_projects\",status=\"OK\"} 3\n");
    kt_has_str(answer, "ken_mcp_queue_seconds_count 2\n");
    kt_has_str(answer, "ken_mcp_sessions 1\n");
    kt_null(strstr(answer, "BREW"));
    ktest_write("metrics.txt", strstr(answer, "\r\n\r\n") + 4);
    // as Prometheus 2.42 asks
    kt_has_str(lab_ask("GET /metrics HTTP/1.1\nAccept: application/openmetrics-text;version=1.0.0,"
                       "application/openmetrics-text;version=0.0.1;q=0.75,"
                       "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                       NULL),
               "# EOF\n");
    static const char *const texts[] = { "*/*", "text/plain, application/openmetrics-text;q=0.2",
                                         "application/openmetrics-text;q=0" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char head[200];
        snprintf(head, sizeof head, "GET /metrics HTTP/1.1\nAccept: %s", texts[i]);
        kt_has_str(lab_ask(head, NULL), "text/plain; version=0.0.4");
    }
    kt_has_str(lab_ask("GET /metrics HTTP/1.1\nAccept: application/openmetrics-text", NULL),
               "\n# EOF\n");
    lab_stop();
    ken_metrics_stop();
    if (access(CHECKERS "/promtool", X_OK))
        kt_skip("checkers", "not under build/tools/; tools/fetch_checkers.py says why");
    const char *const argv[] = { "sh", "-c", CHECKERS "/promtool check metrics < metrics.txt",
                                 NULL };
    ken_proc_result r;
    kt_ok(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir() }, &r, NULL));
    kt_eq_text(ken_buf_str(&r.errors), "");
    kt_eq_text(ken_buf_str(&r.out), "");
    kt_eq_i(r.exit_code, 0);
    ken_proc_result_release(&r);
}

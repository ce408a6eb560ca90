// SPDX-License-Identifier: MIT
// What is measured of calls, with real indexes: metrics, records in the log and traces.
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "fake_http.h"
#include "json/json.h"
#include "ktest.h"
#include "metrics/metrics.h"
#include "obs/log.h"
#include "proc/proc.h"
#include "tool/tool.h"

typedef struct lab {
    ken_config *config;
    ken_app *app;
    ken_buf text; // of the last look
    const ken_otel_context *trace;
} lab;

static void lab_open(lab *l)
{
    ken_err err = { 0 };
    ken_config_flag flags[] = { { .name = "data.dir", .value = ktest_path("data/x") } };
    ktest_write("proj/.git/HEAD", "ref: refs/heads/main\n");
    ktest_write("proj/src/retry.c", "// Waits longer after each failure.\n"
                                    "int retry_with_backoff(int n)\n{\n    return n * 2;\n}\n");
    ktest_write("proj/src/other.c", "int other(void)\n{\n    return 1;\n}\n");
    ktest_write("proj/src/main.c", "int other(void);\nint retry_with_backoff(int n);\n"
                                   "int main(void)\n{\n"
                                   "    return other() + retry_with_backoff(3);\n}\n");
    *l = (lab){ .text = KEN_BUF_INIT(0) };
    kt_ok_err(
        ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 1 }, &l->config, &err),
        &err);
    kt_ok_err(ken_app_open(l->config, &l->app, &err), &err);
    ken_metrics_stop();
    ken_metrics_start("1");
}

static void lab_close(lab *l)
{
    ken_app_close(l->app);
    ken_config_free(l->config);
    ken_metrics_stop();
    ken_buf_release(&l->text);
}

static ken_status call(lab *l, const char *tool, const char *args)
{
    json_t *in = NULL, *out = NULL;
    ken_err err = { 0 };
    const ken_tool_ctx ctx = { .cwd = ken_str_c(ktest_path("proj")),
                               .is_text = true,
                               .request_id = KEN_STR("r-17"),
                               .client = KEN_STR("probe/2.1"),
                               .trace = l->trace };
    kt_ok(ken_json_parse(ken_str_c(args), &in, NULL));
    ken_status st = ken_tool_call(l->app, tool, in, &ctx, &out, &err);
    json_decref(in);
    json_decref(out);
    return st;
}

static const char *look(lab *l)
{
    ken_buf_clear(&l->text);
    ken_metrics_write(&l->text, KEN_METRICS_PROMETHEUS);
    return l->text.ptr;
}

// -1 = it is not there.
static double value_of(const char *t, const char *name)
{
    char line[120];
    double value = -1;
    snprintf(line, sizeof line, "\n%s ", name);
    const char *at = strstr(t, line);
    ken_str rest = ken_str_c(at ? at + strlen(line) : ""), number;
    if (at && ken_str_line_next(&rest, &number))
        kt_true(ken_str_parse_double(number, &value));
    return value;
}

// ---- metrics -----------------------------------------------------------------------------------

KEN_TEST(calls_are_counted_by_tool_and_status)
{
    lab l;
    lab_open(&l);
    kt_ok(call(&l, "search_code", "{\"query\":\"retry with backoff\"}"));
    kt_ok(call(&l, "search_code", "{\"query\":\"other\"}"));
    kt_status(call(&l, "search_code", "{}"), KEN_EINVAL);
    kt_status(call(&l, "no_such_tool", "{}"), KEN_ENOTFOUND);
    const char *t = look(&l);
    kt_has_str(t, "ken_tool_calls_total{tool=\"search_code\",status=\"OK\"} 2\n");
    kt_has_str(t, "ken_tool_calls_total{tool=\"search_code\",status=\"EINVAL\"} 1\n");
    kt_has_str(t, "ken_tool_calls_total{tool=\"unknown\",status=\"ENOTFOUND\"} 1\n");
    kt_has_str(t, "ken_tool_call_seconds_count{tool=\"search_code\"} 3\n");
    kt_has_str(t, "ken_tool_calls_in_flight 0\n");
    kt_true(strstr(t, "ken_tool_answer_bytes_total{tool=\"search_code\"}") != NULL);
    static const char *const phases[] = { "catch_up", "open", "words", "vectors", "rank", "show" };
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        char line[100];
        snprintf(line, sizeof line, "ken_tool_phase_seconds_count{phase=\"%s\"} 2\n", phases[i]);
        kt_has_str(t, line);
    }
    lab_close(&l);
}

KEN_TEST(runs_caches_and_stores_are_counted)
{
    lab l;
    lab_open(&l);
    kt_ok(call(&l, "search_code", "{\"query\":\"retry with backoff\"}"));
    kt_ok(call(&l, "find_usages", "{\"symbol_name\":\"other\"}"));
    kt_ok(call(&l, "find_usages", "{\"symbol_name\":\"retry_with_backoff\"}"));
    kt_true(value_of(look(&l), "ken_cache_bytes{cache=\"graph\"}") > 0);
    ktest_write("proj/src/other.c", "int other2(void)\n{\n    return 11;\n}\n");
    ktest_write("proj/src/new.c", "int added(void)\n{\n    return other2();\n}\n");
    kt_ok(call(&l, "search_code", "{\"query\":\"added\"}"));
    const char *t = look(&l);
    double n_runs = value_of(t, "ken_index_runs_total{status=\"OK\"}");
    kt_true(n_runs >= 2);
    kt_has_str(t, "ken_index_runs_in_flight 0\n");
    kt_near(value_of(t, "ken_index_run_seconds_count"), n_runs, 0);
    kt_near(value_of(t, "ken_index_stage_seconds_count{stage=\"parse\"}"), n_runs, 0);
    kt_has_str(t, "ken_index_files_total{change=\"added\"} 4\n");
    kt_has_str(t, "ken_index_files_total{change=\"modified\"} 1\n");
    kt_has_str(t, "ken_index_parsed_files_total 5\n");
    kt_has_str(t, "ken_index_open 1\n");
    kt_true(value_of(t, "ken_index_parsed_bytes_total") > 100);
    kt_true(value_of(t, "ken_store_bytes{file=\"index\"}") > 10000);
    kt_true(value_of(t, "ken_store_bytes{file=\"catalog\"}") > 1000);
    kt_true(value_of(t, "ken_store_commit_seconds_count") >= 2);
    kt_true(value_of(t, "ken_store_transactions_total{kind=\"write\",status=\"OK\"}") >= 2);
    kt_true(value_of(t, "ken_cache_misses_total{cache=\"index\"}") >= 1);
    kt_true(value_of(t, "ken_cache_hits_total{cache=\"index\"}") >= 2);
    kt_true(value_of(t, "ken_cache_misses_total{cache=\"graph\"}") >= 1);
    lab_close(&l);
}

// ---- the log -----------------------------------------------------------------------------------

static double phase_of(const json_t *c, const char *name)
{
    const json_t *v = json_object_get(c, name);
    if (!json_is_real(v))
        kt_fail("no '%s'", name);
    return json_real_value(v);
}

KEN_TEST(a_call_is_a_record_with_its_phases)
{
    lab l;
    lab_open(&l);
    kt_ok(ken_log_open_file(ktest_path("ken.log"), 1 << 20, 1, NULL));
    ken_log_setup(KEN_LOG_INFO, true);
    kt_ok(call(&l, "search_code", "{\"query\":\"retry with backoff\"}"));
    kt_status(call(&l, "get_definition", "{\"color\":1}"), KEN_EINVAL);
    ken_log_setup(KEN_LOG_WARN, false);
    ken_log_close_file();
    ken_str log = ktest_read(ktest_path("ken.log")), line;
    json_t *calls[3] = { NULL };
    size_t n = 0;
    while (ken_str_line_next(&log, &line)) {
        json_t *v = json_loadb(line.ptr, line.len, 0, NULL);
        if (n < 3 && ken_str_eq_c(ken_json_text(json_object_get(v, "message")), "tool call"))
            calls[n++] = json_incref(v);
        json_decref(v);
    }
    kt_eq_u(n, 2);
    const json_t *c = json_object_get(calls[0], "context");
    kt_eq_text(ken_json_text(json_object_get(c, "request_id")), "r-17");
    kt_eq_text(ken_json_text(json_object_get(c, "client")), "probe/2.1");
    kt_eq_text(ken_json_text(json_object_get(c, "tool")), "search_code");
    kt_eq_text(ken_json_text(json_object_get(c, "project")), "proj");
    kt_eq_text(ken_json_text(json_object_get(c, "status")), "OK");
    double parts = phase_of(c, "catch_up_time_ms") + phase_of(c, "open_time_ms") +
                   phase_of(c, "words_time_ms") + phase_of(c, "vectors_time_ms") +
                   phase_of(c, "rank_time_ms") + phase_of(c, "show_time_ms");
    kt_true(parts > 0 && parts <= phase_of(c, "total_time_ms") + 0.01);
    c = json_object_get(calls[1], "context");
    kt_eq_text(ken_json_text(json_object_get(c, "status")), "EINVAL");
    kt_true(ken_str_find(ken_json_text(json_object_get(c, "error")), KEN_STR("color")) != SIZE_MAX);
    json_decref(calls[0]);
    json_decref(calls[1]);
    lab_close(&l);
}

// A server that ends after it has started; what is in `log` of the project's folder then.
static ken_str serve(const char *before)
{
    char script[900], data[600];
    const char *const argv[] = { "sh", "-c", script, NULL };
    ken_proc_result r;
    ken_err err = { 0 };
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s", ktest_path("data/z"));
    snprintf(script, sizeof script,
             "rm -f out; exec 2>log; %s \"%s\" serve --port 0 -v >out & n=0; "
             "while [ ! -s out ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n+1)); done; kill $!; wait",
             before, KEN_BINARY);
    const char *const env[] = { data, NULL };
    kt_ok_err(
        ken_proc_run(
            &(ken_proc_opts){ .argv = argv, .cwd = ktest_path("proj"), .env = ktest_env(env) }, &r,
            &err),
        &err);
    ken_proc_result_release(&r);
    return ktest_read(ktest_path("proj/log"));
}

KEN_TEST(a_server_writes_json_unless_the_journal_reads_it)
{
    ktest_write("proj/a.c", "int a;\n");
    json_t *v = NULL;
    ken_str log = serve(""), line;
    kt_true(ken_str_line_next(&log, &line));
    kt_ok(ken_json_parse(line, &v, NULL));
    kt_true(json_is_string(json_object_get(v, "timestamp")));
    json_decref(v);
    log = serve("JOURNAL_STREAM=$(stat -c %d:%i log)");
    kt_true(ken_str_starts(log, KEN_STR("<6>serve: serves at http://127.0.0.1:")));
}

// ---- traces ------------------------------------------------------------------------------------

#define TRACE_ID "0af7651916cd43dd8448eb211c80319c"
#define PARENT   "00-" TRACE_ID "-b7ad6b7169203331-01"

static void take(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    (void)q;
    out->status = 200;
    ken_buf_puts(&out->body, "{}");
}

// The span of that name in what came, its text; "" when there is none.
static const char *span_of(fake_http *s, const char *name)
{
    char mark[60];
    snprintf(mark, sizeof mark, "\"name\":\"%s\",\"kind\"", name);
    for (size_t i = 0; i < s->n_requests; i++) {
        const char *at = strstr(s->log[i].ptr, mark);
        while (at && at > s->log[i].ptr && strncmp(at, "{\"traceId\"", 10) != 0)
            at--;
        if (at)
            return at;
    }
    return "";
}

KEN_TEST(a_call_is_a_span_with_its_phases)
{
    static fake_http collector;
    static const char *const phases[] = { "catch_up", "open", "words", "vectors", "rank", "show" };
    ken_otel_context asked;
    lab l;
    lab_open(&l);
    fake_http_start(&collector, take, NULL);
    fake_http_forget(&collector);
    kt_ok(ken_otel_start(
        &(ken_otel_opts){ .endpoint = collector.url, .has_traces = true, .version = "1" }, NULL));
    kt_true(ken_otel_context_parse(KEN_STR(PARENT), KEN_STR("v=1"), &asked));
    l.trace = &asked;
    kt_ok(call(&l, "search_code", "{\"query\":\"retry with backoff\"}"));
    kt_status(call(&l, "get_definition", "{}"), KEN_EINVAL);
    kt_null(ken_otel_now());
    ken_otel_stop(5000);
    const char *span = span_of(&collector, "search_code");
    kt_has_str(span, "{\"traceId\":\"" TRACE_ID "\",");
    kt_has_str(span, "\"parentSpanId\":\"b7ad6b7169203331\"");
    kt_has_str(span, "{\"key\":\"ken.project.name\",\"value\":{\"stringValue\":\"proj\"}}");
    kt_has_str(span, "{\"key\":\"ken.client\",\"value\":{\"stringValue\":\"probe/2.1\"}}");
    char own[17];
    snprintf(own, sizeof own, "%.16s", strstr(span, "\"spanId\":\"") + 10);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        char parent[60];
        snprintf(parent, sizeof parent, "\"parentSpanId\":\"%s\",", own);
        kt_true(ken_str_find(ken_str_n(span_of(&collector, phases[i]), 200), ken_str_c(parent)) !=
                SIZE_MAX);
    }
    kt_has_str(span_of(&collector, "get_definition"),
               "\"status\":{\"code\":2,\"message\":\"EINVAL\"}");
    fake_http_stop(&collector);
    lab_close(&l);
}

// What is asked of a project stays on the machine.
KEN_TEST(a_server_sends_what_its_environment_says)
{
    static fake_http collector;
    static const char script[] =
        "printf '%s\\n' "
        "'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"probe\",\"version\":\"1\"}}}' "
        "'{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"search_code\",\"arguments\":{\"query\":\"retry with backoff\"}}}' | " KEN_BINARY
        " mcp";
    char endpoint[120], data[600];
    lab l;
    lab_open(&l);
    lab_close(&l);
    fake_http_start(&collector, take, NULL);
    fake_http_forget(&collector);
    snprintf(endpoint, sizeof endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT=%s/", collector.url);
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s", ktest_path("data/y"));
    const char *const env[] = { endpoint, data, "OTEL_SERVICE_NAME=ken-test", NULL };
    const char *const argv[] = { "sh", "-c", script, NULL };
    ken_proc_result r;
    ken_err err = { 0 };
    kt_ok_err(
        ken_proc_run(
            &(ken_proc_opts){ .argv = argv, .cwd = ktest_path("proj"), .env = ktest_env(env) }, &r,
            &err),
        &err);
    kt_eq_i(r.exit_code, 0);
    kt_has_str(r.out.ptr, "retry_with_backoff");
    kt_has_str(span_of(&collector, "search_code"), "gen_ai.tool.name");
    bool has_metrics = false;
    for (size_t i = 0; i < collector.n_requests; i++) {
        const char *text = collector.log[i].ptr;
        kt_has_str(text, "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"ken-test\"}}");
        kt_null(strstr(text, "retry with backoff"));
        has_metrics = has_metrics || strstr(text, "ken_tool_calls");
    }
    kt_true(has_metrics);
    ken_proc_result_release(&r);
    fake_http_stop(&collector);
}

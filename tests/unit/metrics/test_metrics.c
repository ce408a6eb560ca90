// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <stdio.h>

#include "base/fs.h"
#include "ktest.h"
#include "metrics/metrics.h"
#include "metrics/metrics_http.h"
#include "proc/proc.h"

#define CHECKERS KEN_TEST_SOURCE_DIR "/../build/tools"
#define MS       INT64_C(1000000)

static ken_buf text;

static const char *write_text(ken_metrics_form form)
{
    ken_buf_clear(&text);
    ken_metrics_write(&text, form);
    return text.ptr;
}

static void begin(void)
{
    ken_metrics_stop();
    ken_metrics_start("1.2.3");
}

static void end(void)
{
    ken_metrics_stop();
    ken_buf_release(&text);
}

// ---- counting ----------------------------------------------------------------------------------

KEN_TEST(nothing_is_counted_before_start)
{
    ken_metrics_stop();
    ken_metrics_add(KEN_METRIC_HTTP_REQUESTS, 1, KEN_LABELS("/mcp", "POST", "200"));
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, MS, KEN_LABELS("/mcp"));
    begin();
    write_text(KEN_METRICS_PROMETHEUS);
    kt_true(strstr(text.ptr, "ken_http_requests_total{") == NULL);
    kt_has_str(text.ptr, "ken_build_info{version=\"1.2.3\"} 1\n");
    end();
}

KEN_TEST(counters_are_kept_by_label_set)
{
    begin();
    ken_metrics_add(KEN_METRIC_HTTP_REQUESTS, 1, KEN_LABELS("/mcp", "POST", "200"));
    ken_metrics_add(KEN_METRIC_HTTP_REQUESTS, 2, KEN_LABELS("/mcp", "POST", "200"));
    ken_metrics_add(KEN_METRIC_HTTP_REQUESTS, 1, KEN_LABELS("/mcp", "POST", "404"));
    ken_metrics_add(KEN_METRIC_HTTP_IN_FLIGHT, 3, NULL);
    ken_metrics_add(KEN_METRIC_HTTP_IN_FLIGHT, -1, NULL);
    ken_metrics_set(KEN_METRIC_MCP_QUEUE, 7, NULL);
    const char *t = write_text(KEN_METRICS_PROMETHEUS);
    kt_has_str(t, "# TYPE ken_http_requests_total counter\n"
                  "ken_http_requests_total{route=\"/mcp\",method=\"POST\",status=\"200\"} 3\n"
                  "ken_http_requests_total{route=\"/mcp\",method=\"POST\",status=\"404\"} 1\n");
    kt_has_str(t, "\nken_http_requests_in_flight 2\n");
    kt_has_str(t, "\nken_mcp_queue_length 7\n");
    kt_has_str(t, "\nken_http_connections_cut_total 0\n"); // there from the start
    end();
}

KEN_TEST(times_fall_into_buckets)
{
    begin();
    const char *const *mcp = KEN_LABELS("/mcp");
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, 50 * 1000, mcp);        // 0.05 ms
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, MS / 10, mcp);          // a bound is inside
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, MS / 10 + 1, mcp);      // and no more
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, 60 * 1000 * MS, mcp);   // the last bound
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, 3600 * 1000 * MS, mcp); // none
    ken_metrics_time(KEN_METRIC_HTTP_SECONDS, -5, mcp);               // a clock that went back
    const char *t = write_text(KEN_METRICS_PROMETHEUS);
    kt_has_str(t, "ken_http_request_seconds_bucket{route=\"/mcp\",le=\"0.0001\"} 3\n"
                  "ken_http_request_seconds_bucket{route=\"/mcp\",le=\"0.00025\"} 4\n");
    kt_has_str(t, "le=\"30.0\"} 4\nken_http_request_seconds_bucket{route=\"/mcp\",le=\"60.0\"} 5\n"
                  "ken_http_request_seconds_bucket{route=\"/mcp\",le=\"+Inf\"} 6\n"
                  "ken_http_request_seconds_sum{route=\"/mcp\"} 3660.000250001\n"
                  "ken_http_request_seconds_count{route=\"/mcp\"} 6\n");
    end();
}

KEN_TEST(label_sets_are_bounded)
{
    const unsigned most = ken_metric_def_of(KEN_METRIC_HTTP_REFUSED)->most;
    begin();
    for (unsigned i = 0; i < 10 * most; i++) {
        char reason[16];
        snprintf(reason, sizeof reason, "r%03u", i);
        ken_metrics_add(KEN_METRIC_HTTP_REFUSED, 1, KEN_LABELS(reason));
    }
    ken_metrics_add(KEN_METRIC_HTTP_REFUSED, 5, KEN_LABELS("r000")); // known ones go on
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_metric_family *f;
    size_t n = ken_metrics_read(&arena, &f);
    while (n && f->def != ken_metric_def_of(KEN_METRIC_HTTP_REFUSED)) {
        f++;
        n--;
    }
    kt_true(n > 0);
    kt_eq_u(f->n, most + 1);
    kt_eq_str(f->points[0].labels[0], "other"); // before "r…"
    kt_near(f->points[0].value, 9 * most, 0);
    kt_near(f->points[1].value, 6, 0);
    ken_arena_release(&arena);
    end();
}

KEN_TEST(labels_are_escaped_cut_and_repaired)
{
    char longest[3 * KEN_METRIC_LABEL_MAX];
    begin();
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    ken_metrics_add(KEN_METRIC_HTTP_REFUSED, 1, KEN_LABELS("a\"b\\c\nd\xff"));
    ken_metrics_add(KEN_METRIC_HTTP_REFUSED, 1, KEN_LABELS(longest));
    longest[KEN_METRIC_LABEL_MAX] = '\0';
    const char *t = write_text(KEN_METRICS_PROMETHEUS);
    kt_has_str(t, "{reason=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\"} 1\n");
    kt_has_str(t, longest);
    longest[KEN_METRIC_LABEL_MAX] = 'x';
    kt_true(strstr(t, longest) == NULL);
    end();
}

KEN_TEST(a_request_is_counted)
{
    begin();
    ken_metrics_http_end(&(ken_metrics_http){ .route = "/mcp/{project}",
                                              .method = KEN_STR("POST"),
                                              .status = 200,
                                              .in_bytes = 120,
                                              .out_bytes = 3000,
                                              .ns = 2 * MS });
    ken_metrics_http_end(&(ken_metrics_http){ .method = KEN_STR("BREW\n"), .status = 405 });
    const char *t = write_text(KEN_METRICS_PROMETHEUS);
    kt_has_str(t, "{route=\"/mcp/{project}\",method=\"POST\",status=\"200\"} 1\n");
    kt_has_str(t, "{route=\"none\",method=\"other\",status=\"405\"} 1\n");
    kt_has_str(t, "ken_http_request_bytes_total{route=\"/mcp/{project}\"} 120\n");
    kt_has_str(t, "ken_http_response_bytes_total{route=\"/mcp/{project}\"} 3000\n");
    kt_has_str(t, "ken_http_request_seconds_sum{route=\"/mcp/{project}\"} 0.002\n");
    end();
}

// ---- threads -----------------------------------------------------------------------------------

enum {
    N_THREADS = 4,
    N_ROUNDS = 20000
};

static void *count(void *ctx)
{
    (void)ctx;
    for (int i = 0; i < N_ROUNDS; i++) {
        char route[16];
        snprintf(route, sizeof route, "/r%d", i % 100); // more than there may be
        ken_metrics_add(KEN_METRIC_HTTP_REQUEST_BYTES, 1, KEN_LABELS(route));
        ken_metrics_time(KEN_METRIC_HTTP_SECONDS, i, KEN_LABELS("/mcp"));
    }
    return NULL;
}

KEN_TEST(nothing_is_lost_between_threads)
{
    pthread_t threads[N_THREADS];
    begin();
    for (int i = 0; i < N_THREADS; i++)
        kt_eq_i(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (int i = 0; i < 20; i++)
        write_text(KEN_METRICS_OPENMETRICS);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    ken_arena arena;
    ken_metric_family *f;
    ken_arena_init(&arena, 0);
    size_t n = ken_metrics_read(&arena, &f);
    double bytes = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < f[i].n; k++) {
            if (f[i].def == ken_metric_def_of(KEN_METRIC_HTTP_REQUEST_BYTES))
                bytes += f[i].points[k].value;
            if (f[i].def == ken_metric_def_of(KEN_METRIC_HTTP_SECONDS))
                kt_eq_u(f[i].points[k].count, N_THREADS * N_ROUNDS);
        }
    }
    kt_near(bytes, N_THREADS * N_ROUNDS, 0);
    ken_arena_release(&arena);
    end();
}

// ---- readers -----------------------------------------------------------------------------------

static void read_jobs(void *ctx, ken_metrics_sink *sink)
{
    ken_metrics_put(sink, KEN_METRIC_JOBS, *(const double *)ctx, KEN_LABELS("index", "running"));
    ken_metrics_put(sink, KEN_METRIC_HTTP_CONNECTIONS, 4, NULL);
}

KEN_TEST(readers_are_asked_at_each_look)
{
    double one = 1, two = 2;
    begin();
    ken_metrics_add_reader(read_jobs, &one);
    ken_metrics_add_reader(read_jobs, &two);
    kt_has_str(write_text(KEN_METRICS_PROMETHEUS),
               "ken_jobs{kind=\"index\",state=\"running\"} 3\n");
    kt_has_str(text.ptr, "\nken_http_connections 8\n");
    two = 5;
    ken_metrics_remove_reader(read_jobs, &one);
    kt_has_str(write_text(KEN_METRICS_PROMETHEUS),
               "ken_jobs{kind=\"index\",state=\"running\"} 5\n");
    ken_metrics_remove_reader(read_jobs, &two);
    end();
}

static double value_of(const char *t, const char *name)
{
    char line[100];
    double value = -1;
    snprintf(line, sizeof line, "\n%s ", name);
    const char *at = strstr(t, line);
    if (!at)
        kt_fail("no '%s'", name);
    ken_str rest = ken_str_c(at + strlen(line)), number;
    kt_true(ken_str_line_next(&rest, &number) && ken_str_parse_double(number, &value));
    return value;
}

KEN_TEST(the_process_is_told)
{
    begin();
    const char *t = write_text(KEN_METRICS_PROMETHEUS);
    double fds = value_of(t, "process_open_fds");
    kt_true(value_of(t, "process_resident_memory_bytes") > 1e6);
    kt_true(value_of(t, "process_virtual_memory_bytes") > 1e6);
    kt_true(value_of(t, "process_cpu_seconds_total") > 0);
    kt_true(value_of(t, "process_threads") >= 1);
    kt_true(value_of(t, "process_max_fds") > fds);
    kt_true(value_of(t, "process_start_time_seconds") > 1.7e9);
    int fd = -1;
    kt_ok(ken_fs_open_own("/proc/self/stat", &fd, NULL));
    kt_near(value_of(write_text(KEN_METRICS_PROMETHEUS), "process_open_fds"), fds + 1, 0);
    ken_fs_close(fd);
    end();
}

// ---- forms -------------------------------------------------------------------------------------

KEN_TEST(the_forms_differ_where_they_must)
{
    begin();
    ken_metrics_add(KEN_METRIC_HTTP_REQUEST_BYTES, 10, KEN_LABELS("/mcp"));
    const char *t = write_text(KEN_METRICS_OPENMETRICS);
    kt_has_str(t, "# TYPE ken_http_request_bytes counter\n# UNIT ken_http_request_bytes bytes\n"
                  "ken_http_request_bytes_total{route=\"/mcp\"} 10\n");
    kt_true(ken_str_ends(ken_buf_str(&text), KEN_STR("\n# EOF\n")));
    t = write_text(KEN_METRICS_PROMETHEUS);
    kt_has_str(t, "# TYPE ken_http_request_bytes_total counter\n"
                  "ken_http_request_bytes_total{route=\"/mcp\"} 10\n");
    kt_true(strstr(t, "# EOF") == NULL && strstr(t, "# UNIT") == NULL);
    end();
}

// Some of everything, odd labels among them.
static void count_everything(void)
{
    for (int m = KEN_METRIC_NONE + 1; m < KEN_METRIC_END; m++) {
        const ken_metric_def *def = ken_metric_def_of((ken_metric)m);
        const char *values[KEN_METRIC_LABELS] = { NULL };
        for (unsigned i = 0; ken_metric_label(def, i).len; i++)
            values[i] = i ? "a\"b\\c\nd" : "first";
        if (def->kind == KEN_METRIC_TIMER)
            ken_metrics_time((ken_metric)m, 3 * MS, values);
        else
            ken_metrics_add((ken_metric)m, 3, values);
    }
}

static void check_with(const char *command)
{
    const char *const argv[] = { "sh", "-c", command, NULL };
    ken_proc_result r;
    ken_err err = { 0 };
    kt_ok_err(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir() }, &r, &err), &err);
    if (r.exit_code || r.out.len || r.errors.len)
        kt_fail("'%s' ended with %d: %s%s", command, r.exit_code, r.out.ptr ? r.out.ptr : "",
                r.errors.ptr ? r.errors.ptr : "");
    ken_proc_result_release(&r);
}

static void checker_or_skip(const char *path)
{
    if (!ken_fs_exists(path))
        kt_skip("checkers", "not under build/tools/; tools/fetch_checkers.py says why");
}

KEN_TEST(promtool_finds_nothing_to_say)
{
    checker_or_skip(CHECKERS "/promtool");
    begin();
    count_everything();
    ktest_write("metrics.txt", write_text(KEN_METRICS_PROMETHEUS));
    check_with(CHECKERS "/promtool check metrics < metrics.txt");
    end();
}

// The strictest reader there is of the other form: that of the Prometheus client for Python.
KEN_TEST(a_reader_of_openmetrics_finds_nothing_to_say)
{
    checker_or_skip(CHECKERS "/prometheus_client");
    begin();
    count_everything();
    ktest_write("metrics.txt", write_text(KEN_METRICS_OPENMETRICS));
    check_with(
        "PYTHONPATH=" CHECKERS " python3 -c 'from prometheus_client.openmetrics import parser\n"
        "n = len(list(parser.text_string_to_metric_families(open(\"metrics.txt\").read())))\n"
        "assert n >= 20, n'");
    end();
}

// SPDX-License-Identifier: MIT
// Log and trace lines as they arrive on stderr.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "json/json.h"
#include "ktest.h"
#include "obs/log.h"
#include "obs/trace.h"

static int saved_fd, pipe_fds[2];
static char captured[8192];

static void capture(void)
{
    kt_eq_i(pipe(pipe_fds), 0);
    saved_fd = dup(STDERR_FILENO);
    dup2(pipe_fds[1], STDERR_FILENO);
}

static const char *captured_text(void)
{
    dup2(saved_fd, STDERR_FILENO);
    close(saved_fd);
    close(pipe_fds[1]);
    ssize_t n = read(pipe_fds[0], captured, sizeof captured - 1);
    close(pipe_fds[0]);
    captured[n > 0 ? n : 0] = '\0';
    return captured;
}

KEN_TEST(levels_are_words)
{
    ken_log_level level = KEN_LOG_NONE;
    kt_ok(ken_log_level_parse(KEN_STR("WARNING"), &level, NULL));
    kt_eq_u(level, KEN_LOG_WARN);
    kt_ok(ken_log_level_parse(KEN_STR("Debug"), &level, NULL));
    kt_eq_u(level, KEN_LOG_DEBUG);
    kt_status(ken_log_level_parse(KEN_STR("loud"), &level, NULL), KEN_EINVAL);
    kt_eq_str(ken_log_level_word(KEN_LOG_ERROR), "error");
}

KEN_TEST(only_what_matters_is_written)
{
    capture();
    ken_log_setup(KEN_LOG_WARN, false);
    KEN_LOG_NOTE("test", "not this");
    KEN_LOG_WARNING("test", "but %s", "this\nand\x01that");
    const char *text = captured_text();
    kt_null(strstr(text, "not this"));
    kt_has_str(text, "warn  test: but this and?that\n");
}

KEN_TEST(the_journal_gets_priorities_and_no_time)
{
    struct stat end;
    char named[64];
    capture();
    kt_eq_i(fstat(STDERR_FILENO, &end), 0);
    snprintf(named, sizeof named, "%llu:%llu", (unsigned long long)end.st_dev,
             (unsigned long long)end.st_ino);
    setenv("JOURNAL_STREAM", named, 1);
    bool is_journal = ken_log_is_journal();
    snprintf(named, sizeof named, "%llu:%llu", (unsigned long long)end.st_dev,
             (unsigned long long)end.st_ino + 1);
    setenv("JOURNAL_STREAM", named, 1); // inherited, and stderr leads elsewhere
    bool is_other = ken_log_is_journal();
    setenv("JOURNAL_STREAM", "1", 1);
    bool is_half = ken_log_is_journal();
    unsetenv("JOURNAL_STREAM");
    bool is_none = ken_log_is_journal();
    ken_log_use_journal(true);
    ken_log_setup(KEN_LOG_DEBUG, false);
    KEN_LOG_ERR("test", "worst");
    KEN_LOG_WARNING("test", "bad");
    KEN_LOG_NOTE("test", "good");
    KEN_LOG_DETAIL("test", "small");
    ken_log_record(KEN_LOG_INFO, "test", "values", &KEN_LOG_F_COUNT("n", 1), 1);
    ken_log_setup(KEN_LOG_WARN, true);
    KEN_LOG_WARNING("test", "bad");
    ken_log_setup(KEN_LOG_WARN, false);
    ken_log_use_journal(false);
    const char *text = captured_text();
    kt_true(is_journal);
    kt_false(is_other || is_half || is_none);
    kt_has_str(text, "<3>test: worst\n<4>test: bad\n<6>test: good\n<7>test: small\n"
                     "<6>test: values n=1\n<4>{\"timestamp\":\"");
}

KEN_TEST(secrets_are_not_written)
{
    capture();
    KEN_LOG_WARNING("test", "bad line 'gh%s'", "p_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B");
    kt_has_str(captured_text(), "bad line 'ghp_************************************'\n");
}

// Its end lies behind the end of the line, and without it, it is not known as one.
KEN_TEST(a_secret_that_the_line_cuts_is_masked_first)
{
    char middle[1200 + 1], token[1400], big[5000];
    for (size_t i = 0; i + 1 < sizeof middle; i++)
        middle[i] = "Qk4zd2hYb2Vq"[i % 12];
    middle[sizeof middle - 1] = '\0';
    snprintf(token, sizeof token, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0%s.%s", middle,
             "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P");
    snprintf(big, sizeof big, "%1500s %s", "before", token);
    capture();
    KEN_LOG_WARNING("test", "%s", big);
    const char *text = captured_text();
    kt_has_str(text, "before eyJ***");
    kt_null(strstr(text, "Qk4zd2hYb2Vq"));
    kt_ok(ken_trace_setup(KEN_STR("test"), NULL));
    snprintf(big, sizeof big, "%3500s %s", "before", token);
    capture();
    KEN_TRACE("test", 1, "%s", big);
    text = captured_text();
    kt_ok(ken_trace_setup(KEN_STR(""), NULL));
    kt_has_str(text, "before eyJ***");
    kt_null(strstr(text, "Qk4zd2hYb2Vq"));
}

KEN_TEST(json_lines_parse)
{
    capture();
    ken_log_setup(KEN_LOG_INFO, true);
    KEN_LOG_NOTE("test", "a \"quote\" \\ \xff \u00e9 and\ttab");
    const char *text = captured_text();
    ken_log_setup(KEN_LOG_WARN, false);
    json_t *v = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_str_c(text), &v, &err), &err);
    kt_true(ken_json_text(json_object_get(v, "timestamp")).len == 20);
    kt_eq_text(ken_json_text(json_object_get(v, "message")), "a \"quote\" \\ ? \u00e9 and tab");
    kt_eq_text(ken_json_text(json_object_get(v, "level")), "info");
    json_decref(v);
}

static void write_record(void)
{
    char long_text[3000];
    memset(long_text, 'y', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("query", KEN_STR("a \"b\" gh"
                                        "p_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B")),
        KEN_LOG_F_COUNT("results_count", 10),
        KEN_LOG_F_MS("total_time_ms", 1234567),
        KEN_LOG_F_TEXT("long", ken_str_c(long_text)),
    };
    ken_log_record(KEN_LOG_INFO, "search", "search completed", fields, 4);
}

KEN_TEST(a_record_has_its_values_in_context)
{
    capture();
    ken_log_setup(KEN_LOG_INFO, true);
    write_record();
    const char *text = captured_text();
    json_t *v = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_str_c(text), &v, &err), &err);
    kt_eq_text(ken_json_text(json_object_get(v, "message")), "search completed");
    const json_t *c = json_object_get(v, "context");
    kt_eq_text(ken_json_text(json_object_get(c, "query")),
               "a \"b\" ghp_************************************");
    kt_eq_i(json_integer_value(json_object_get(c, "results_count")), 10);
    kt_true(json_real_value(json_object_get(c, "total_time_ms")) > 1.23);
    kt_true(ken_json_text(json_object_get(c, "long")).len < 500);
    json_decref(v);
    capture();
    ken_log_setup(KEN_LOG_INFO, false);
    write_record();
    text = captured_text();
    kt_has_str(text, "info  search: search completed query=\"a ");
    kt_has_str(text, " results_count=10 total_time_ms=1.235 long=\"yy");
    capture();
    ken_log_setup(KEN_LOG_WARN, false);
    write_record();
    kt_eq_str(captured_text(), "");
}

// Whatever the number of fields, the line is whole JSON.
KEN_TEST(a_record_that_is_too_long_loses_fields)
{
    ken_log_field fields[40];
    for (size_t i = 0; i < 40; i++)
        fields[i] = KEN_LOG_F_TEXT("name", KEN_STR("a text of about a hundred bytes, which forty "
                                                   "of are too long for any line of the log ...."));
    capture();
    ken_log_setup(KEN_LOG_INFO, true);
    ken_log_record(KEN_LOG_INFO, "test", "many", fields, 40);
    const char *text = captured_text();
    ken_log_setup(KEN_LOG_WARN, false);
    kt_true(strlen(text) < 2048);
    kt_has_str(text + strlen(text) - 4, "\"}}\n");
}

// ---- the file ----

static size_t file_size(const char *name)
{
    ken_fs_info info = { 0 };
    return ken_fs_stat(KEN_FS_CWD, ktest_path(name), &info, NULL) ? 0 : (size_t)info.stamp.size;
}

KEN_TEST(a_full_file_is_renamed_and_the_oldest_goes)
{
    ken_err err = { 0 };
    capture();
    kt_ok_err(ken_log_open_file(ktest_path("logs/ken.log"), 4096, 2, &err), &err);
    for (int i = 0; i < 400; i++)
        KEN_LOG_ERR("test", "line %04d of some fifty bytes or a little more", i);
    ken_log_close_file();
    kt_eq_str(captured_text(), "");
    kt_true(file_size("logs/ken.log") < 4200);
    kt_true(file_size("logs/ken.log.1") >= 4096 && file_size("logs/ken.log.1") < 4300);
    kt_true(file_size("logs/ken.log.2") >= 4096);
    kt_false(ken_fs_exists(ktest_path("logs/ken.log.3")));
    ken_str newest = ktest_read(ktest_path("logs/ken.log"));
    ken_str before = ktest_read(ktest_path("logs/ken.log.1"));
    kt_true(ken_str_find(newest, KEN_STR("line 0399")) != SIZE_MAX || !newest.len);
    kt_true(ken_str_find(before, KEN_STR("line 0000")) == SIZE_MAX);
}

// Two processes that write one file: no line is lost while it is renamed under them.
KEN_TEST(several_processes_share_a_file)
{
    enum {
        N_CHILDREN = 3,
        N_LINES = 300
    };
    const char *path = ktest_path("logs/ken.log");
    pid_t children[N_CHILDREN];
    for (int i = 0; i < N_CHILDREN; i++) {
        children[i] = fork();
        if (children[i])
            continue;
        if (ken_log_open_file(path, 8192, 100, NULL))
            _exit(1);
        for (int k = 0; k < N_LINES; k++)
            KEN_LOG_ERR("test", "child %d line %d of some fifty bytes or a little more", i, k);
        ken_log_close_file();
        _exit(0);
    }
    for (int i = 0; i < N_CHILDREN; i++) {
        int status = 0;
        kt_eq_i(waitpid(children[i], &status, 0), children[i]);
        kt_eq_i(status, 0);
    }
    size_t n_lines = 0;
    for (int i = 0; i <= 100; i++) {
        char name[40];
        snprintf(name, sizeof name, i ? "logs/ken.log.%d" : "logs/ken.log", i);
        if (!ken_fs_exists(ktest_path(name)))
            continue;
        ken_str rest = ktest_read(ktest_path(name)), line;
        while (ken_str_line_next(&rest, &line))
            n_lines += line.len > 0;
    }
    kt_eq_u(n_lines, N_CHILDREN * N_LINES);
}

KEN_TEST(a_file_that_cannot_be_opened_is_told)
{
    ken_err err = { 0 };
    ktest_write("plain", "x");
    kt_true(ken_log_open_file(ktest_path("plain/ken.log"), 4096, 2, &err) != KEN_OK);
    kt_true(err.msg[0] != '\0');
    kt_status(ken_log_open_file("ken.log", 4096, 2, &err), KEN_EINVAL);
}

KEN_TEST(a_long_message_is_one_cut_line)
{
    char big[6000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = '\0';
    capture();
    ken_log_setup(KEN_LOG_WARN, true);
    KEN_LOG_ERR("test", "%s", big);
    const char *text = captured_text();
    ken_log_setup(KEN_LOG_WARN, false);
    size_t len = strlen(text);
    kt_true(len < 2200);
    kt_has_str(text + len - 3, "\"}\n");
}

KEN_TEST(trace_is_off_until_asked_for)
{
    kt_ok(ken_trace_setup(KEN_STR("mcp:2, query,-all,store:3"), NULL));
    kt_false(ken_trace_is_on("mcp", 1));
    kt_true(ken_trace_is_on("store", 3));
    kt_ok(ken_trace_setup(KEN_STR("all,mcp:2,-query"), NULL));
    kt_true(ken_trace_is_on("mcp", 2));
    kt_false(ken_trace_is_on("mcp", 3));
    kt_true(ken_trace_is_on("index", 1));
    kt_false(ken_trace_is_on("query", 1));
    capture();
    KEN_TRACE("mcp", 2, "line %d", 7);
    KEN_TRACE("mcp", 3, "hidden");
    const char *text = captured_text();
    kt_has_str(text, " mcp test_obs.c:");
    kt_has_str(text, " line 7\n");
    kt_null(strstr(text, "hidden"));
    kt_ok(ken_trace_setup(KEN_STR(""), NULL));
    kt_false(ken_trace_is_on("mcp", 1));
}

KEN_TEST(trace_refuses_nonsense)
{
    ken_err err = { 0 };
    kt_status(ken_trace_setup(KEN_STR("mcp:x"), &err), KEN_EINVAL);
    kt_status(ken_trace_setup(KEN_STR(":2"), &err), KEN_EINVAL);
    kt_status(ken_trace_setup(KEN_STR("a-name-that-is-much-too-long-for-a-module"), &err),
              KEN_EINVAL);
}

// SPDX-License-Identifier: MIT
// Log and trace lines as they arrive on stderr.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    kt_eq_text(ken_json_text(json_object_get(v, "msg")), "a \"quote\" \\ ? \u00e9 and tab");
    kt_eq_text(ken_json_text(json_object_get(v, "level")), "info");
    json_decref(v);
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

// SPDX-License-Identifier: MIT
// mcp_lab.h -- tools that need no index, and a session whose messages end up in a list.
#ifndef KEN_TESTS_MCP_LAB_H
#define KEN_TESTS_MCP_LAB_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "json/json.h"
#include "ktest.h"
#include "mcp/mcp_priv.h"

static inline void lab_sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

// ---- tools -------------------------------------------------------------------------------------

static ken_status lab_echo(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)err;
    *out = json_deep_copy(env->given);
    return KEN_OK;
}

// Up to 10 s, with progress every millisecond.
static ken_status lab_slow(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    uint64_t ms = 10000;
    ken_status st = ken_json_read_u64(env->given, "args", "ms", &ms, err);
    for (uint64_t i = 0; i < ms && !st; i++) {
        if (env->ctx->on_progress)
            env->ctx->on_progress(env->ctx->progress_ctx,
                                  &(ken_tool_progress){ .done = (double)i - (double)(i % 2),
                                                        .total = (double)ms,
                                                        .message = "half\xff" });
        lab_sleep_ms(1);
        st = ken_cancel_check(env->ctx->cancel, err);
    }
    if (!st)
        *out = json_object();
    return st;
}

static ken_status lab_fail(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)out;
    uint64_t code = KEN_ENOTFOUND;
    ken_status st = ken_json_read_u64(env->given, "args", "ms", &code, err);
    return st ? st : KEN_FAIL(err, (ken_status)code, "it \"broke\" \xff");
}

static void lab_echo_text(const json_t *answer, ken_paint *out)
{
    ken_paint_puts(out, "text of ");
    ken_json_dump(answer, out->out);
}

#define LAB_SPEC(tool)                                                                           \
    &(const ken_tool_spec)                                                                       \
    {                                                                                            \
        .name = tool, .set = "lab", .timeout_ms = 600000, .is_read_only = true,                  \
        .listing =                                                                               \
            "{\"name\":\"" tool "\",\"title\":\"T\",\"description\":\"D\","                      \
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},"  \
            "\"ms\":{\"type\":\"integer\"},\"format\":{\"type\":\"string\",\"enum\":[\"json\","  \
            "\"text\"]},\"project\":{\"type\":\"string\"},\"file_path\":{\"type\":\"string\"}}," \
            "\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":true}}",          \
    }

static const ken_tool_def lab_defs[] = {
    { LAB_SPEC("echo"), lab_echo, lab_echo_text }, { LAB_SPEC("slow"), lab_slow, NULL },
    { LAB_SPEC("fail"), lab_fail, NULL },          { LAB_SPEC("list_projects"), lab_echo, NULL },
    { LAB_SPEC("outline"), lab_echo, NULL },       { LAB_SPEC("get_repo_status"), lab_fail, NULL },
};

static inline ken_toolset *lab_tools(void)
{
    ken_toolset *t = NULL;
    ken_err err = { 0 };
    ken_toolset_opts opts = { .defs = lab_defs, .n_defs = sizeof lab_defs / sizeof *lab_defs };
    kt_ok_err(ken_toolset_new(&opts, &t, &err), &err);
    return t;
}

// ---- a session ---------------------------------------------------------------------------------

typedef struct lab {
    ken_toolset *tools;
    ken_mcp_server *server;
    ken_mcp_session *session;
    pthread_mutex_t lock; // guards: sent
    KEN_VEC(char *) sent;
} lab;

static void lab_keep(void *ctx, const ken_mcp_sent *sent)
{
    lab *l = ctx;
    ken_str message = sent->text;
    pthread_mutex_lock(&l->lock);
    ken_vec_push(&l->sent, ken_strndup(message.ptr, message.len));
    pthread_mutex_unlock(&l->lock);
}

static inline void lab_open_with(lab *l, const ken_mcp_opts *opts)
{
    ken_err err = { 0 };
    pthread_mutex_init(&l->lock, NULL);
    kt_ok_err(ken_mcp_server_new(NULL, opts, &l->server, &err), &err);
    l->session =
        ken_mcp_session_new(l->server, &(ken_mcp_session_opts){ .send = lab_keep, .send_ctx = l });
}

static inline lab lab_new(void)
{
    return (lab){ .tools = lab_tools() };
}

static inline void lab_open(lab *l)
{
    *l = lab_new();
    lab_open_with(l, &(ken_mcp_opts){ .version = "1.2.3", .tools = l->tools, .is_json = true });
}

static inline size_t lab_n_sent(lab *l)
{
    pthread_mutex_lock(&l->lock);
    size_t n = l->sent.len;
    pthread_mutex_unlock(&l->lock);
    return n;
}

static inline void lab_close(lab *l)
{
    kt_true(ken_mcp_session_wait(l->session, 5000));
    ken_mcp_session_free(l->session);
    ken_mcp_server_free(l->server);
    ken_toolset_free(l->tools);
    for (size_t i = 0; i < l->sent.len; i++)
        ken_free(l->sent.ptr[i]);
    ken_vec_release(&l->sent);
    pthread_mutex_destroy(&l->lock);
}

static inline void lab_put(lab *l, const char *text)
{
    ken_mcp_session_receive(l->session, ken_str_c(text), NULL);
}

// Message `i`, parsed; waits for it. The caller frees it.
static inline json_t *lab_take(lab *l, size_t i)
{
    for (int tries = 0; lab_n_sent(l) <= i && tries < 5000; tries++)
        lab_sleep_ms(1);
    if (lab_n_sent(l) <= i)
        kt_fail("message %zu was never sent", i);
    pthread_mutex_lock(&l->lock);
    ken_str text = ken_str_c(l->sent.ptr[i]);
    pthread_mutex_unlock(&l->lock);
    json_t *v = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(text, &v, &err), &err);
    kt_true(ken_utf8_is_valid(text));
    kt_true(ken_str_find_char(text, '\n') == SIZE_MAX);
    kt_eq_text(ken_json_text(json_object_get(v, "jsonrpc")), "2.0");
    return v;
}

// Sends one message to a new session; the answer, which must be the only one.
static inline json_t *lab_ask(const char *text)
{
    lab l;
    lab_open(&l);
    lab_put(&l, text);
    json_t *v = lab_take(&l, 0);
    kt_true(ken_mcp_session_wait(l.session, 5000));
    kt_eq_u(lab_n_sent(&l), 1);
    lab_close(&l);
    return v;
}

static inline long long lab_code(const json_t *v)
{
    return (long long)json_integer_value(json_object_get(json_object_get(v, "error"), "code"));
}

// The message is answered with this code; the id that comes back as JSON text, "" for none.
static inline void lab_fails(const char *text, long long code, const char *id)
{
    json_t *v = lab_ask(text);
    ken_buf b = KEN_BUF_INIT(0);
    if (lab_code(v) != code) {
        ken_json_dump(v, &b);
        kt_fail("%.200s: wanted %lld, got %.300s", text, code, b.ptr);
    }
    if (json_object_get(v, "id"))
        ken_json_dump(json_object_get(v, "id"), &b);
    kt_eq_text(ken_buf_str(&b), id);
    kt_null(json_object_get(v, "result"));
    ken_buf_release(&b);
    json_decref(v);
}

// Sends one message to a new session, which must not answer.
static inline void lab_ignores(const char *text)
{
    lab l;
    lab_open(&l);
    lab_put(&l, text);
    lab_put(&l, "{\"jsonrpc\":\"2.0\",\"id\":\"end\",\"method\":\"ping\"}");
    json_t *v = lab_take(&l, 0);
    kt_eq_text(ken_json_text(json_object_get(v, "id")), "end");
    json_decref(v);
    kt_eq_u(lab_n_sent(&l), 1);
    lab_close(&l);
}

#define LAB_META                                                             \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

#endif

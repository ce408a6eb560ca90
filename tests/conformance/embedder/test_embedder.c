// SPDX-License-Identifier: MIT
// What every provider of embeddings must do. Each test runs on every row of `providers`.
#include <math.h>

#include "base/clock.h"
#include "conformance/embedder/fake_models.h"
#include "embed/embed.h"
#include "embed/embed_debug.h"
#include "metrics/metrics.h"
#include "otel/otel.h"
#include "test_models.h"

// ---- the matrix ------------------------------------------------------------------------------

static fake_model model;
static fake_http server;
static ken_embed_fault no_fault;
static atomic_size_t n_traced;

static void count_line(void *ctx, ken_str line)
{
    (void)ctx;
    if (line.len)
        atomic_fetch_add(&n_traced, 1);
}

typedef struct provider {
    const char *name, *word;
    fake_handler *handle; // NULL = works by itself
    bool is_old, is_decorated;
} provider;

static const provider providers[] = {
    { "ollama", "ollama", fake_ollama, false, false },
    { "ollama of old", "ollama", fake_ollama, true, false },
    { "openai", "openai", fake_openai, false, false },
    { "tei", "tei", fake_tei, false, false },
    { "tei, decorated", "tei", fake_tei, false, true },
    { "builtin", "builtin", NULL, false, false },
    { "onnx", "onnx", NULL, false, false },
};

enum {
    N_PROVIDERS = sizeof providers / sizeof *providers
};

static ken_err err;
static const provider *now;
static int64_t slept_ms[16];
static size_t n_slept;

static void sleep_not(void *ctx, int64_t ms, const ken_cancel *cancel)
{
    (void)ctx;
    (void)cancel;
    if (n_slept < 16)
        slept_ms[n_slept++] = ms;
}

static ken_embedder *open_with(const provider *p, ken_embed_opts o)
{
    ken_embedder *e = NULL;
    now = p;
    n_slept = 0;
    err = (ken_err){ 0 };
    o.provider = p->word;
    if (p->handle) {
        model = (fake_model){ .name = "fake-model", .is_old = p->is_old };
        fake_http_start(&server, p->handle, &model);
        o.url = server.url;
        o.model = o.model ? o.model : "fake-model";
        model.name = o.model;
        o.sleep = sleep_not;
    }
    if (!strcmp(p->word, "onnx")) {
        o.model_path = MODELS_MINILM;
        o.runtime_path = MODELS_RUNTIME;
    }
    kt_ok_err(ken_embedder_open(&o, &e, &err), &err);
    if (p->is_decorated) {
        ken_embedder_add_fault(e, &no_fault);
        ken_embedder_add_trace(e, count_line, NULL);
    }
    return e;
}

static void close_it(ken_embedder *e)
{
    ken_embedder_close(e);
    if (!now->handle)
        return;
    fake_http_stop(&server);
    kt_eq_str(model.wrong, "");
}

static size_t probe(ken_embedder *e)
{
    size_t dims = 0;
    kt_ok_err(ken_embedder_probe(e, NULL, &dims, &err), &err);
    return dims;
}

// n texts that differ, in memory that lives until the next call.
static const ken_str *make_texts(size_t n)
{
    static char room[300][64];
    static ken_str texts[300];
    for (size_t i = 0; i < n; i++) {
        snprintf(room[i], sizeof room[i], "static int f%zu(void) { return %zu; } // \xc3\xa9\n", i,
                 i * i);
        texts[i] = ken_str_c(room[i]);
    }
    return texts;
}

static double length_of(const float *v, size_t dims)
{
    double sum = 0;
    for (size_t i = 0; i < dims; i++)
        sum += (double)v[i] * (double)v[i];
    return sqrt(sum);
}

static double dot(const float *a, const float *b, size_t dims)
{
    double sum = 0;
    for (size_t i = 0; i < dims; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

// Whether a provider can be tried here; what it lacks is named once by unit_embed's tests.
static bool is_here(const provider *p)
{
    return strcmp(p->word, "onnx") != 0 || models_are_there();
}

// Eight-bit models round by what else is in the batch.
static double same(const provider *p)
{
    return strcmp(p->word, "onnx") != 0 ? 0.9999 : 0.99;
}

// A model that computes is asked for less than servers that do not.
static size_t count_for(const provider *p, size_t n)
{
    return strcmp(p->word, "onnx") != 0 ? n : n / 4;
}

#define FOR_EACH(p)                                                       \
    for (const provider *p = providers; p < providers + N_PROVIDERS; p++) \
        if (is_here(p))

// ---- the body --------------------------------------------------------------------------------

KEN_TEST(opening_sends_nothing_and_says_where_texts_will_go)
{
    FOR_EACH(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
        ken_embed_info i = ken_embedder_info(e);
        kt_eq_str(i.provider, p->word);
        kt_true(*i.model && *i.key);
        kt_true(i.is_remote == (p->handle != NULL));
        kt_eq_str(i.url, p->handle ? server.url : "");
        kt_true(!p->handle || server.n_requests == 0);
        size_t dims = probe(e);
        kt_true(dims > 0 && dims <= KEN_EMBED_DIMS_MAX);
        kt_eq_u(ken_embedder_info(e).dims, dims);
        kt_eq_u(probe(e), dims);
        close_it(e);
    }
}

KEN_TEST(rows_belong_to_their_texts_in_any_number_of_batches)
{
    enum {
        N = 217
    };
    FOR_EACH(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ .batch_size = 20, .concurrency = 4 });
        size_t dims = probe(e);
        size_t n = count_for(p, N);
        const ken_str *texts = make_texts(n);
        float *all = calloc(N * dims, sizeof *all), *one = calloc(dims, sizeof *one);
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, n, all, NULL, &err), &err);
        for (size_t i = 0; i < n; i++)
            kt_near(length_of(all + i * dims, dims), 1, 1e-5);
        for (size_t i = 0; i < n; i += 36) {
            kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts + i, 1, one, NULL, &err),
                      &err);
            kt_true(dot(one, all + i * dims, dims) > same(p));
        }
        kt_ok(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 0, NULL, NULL, &err));
        if (p->handle && !p->is_old)
            kt_true(server.n_busy_max <= 4);
        free(all);
        free(one);
        close_it(e);
    }
}

KEN_TEST(takes_any_bytes)
{
    static char large[200000];
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = "int main(void) { return 0; }\n"[i % 29];
    const ken_str texts[] = {
        KEN_STR(""),
        KEN_STR("\xff\xfe broken \xc3"),
        KEN_STR("a\0b"),
        KEN_STR("\"quoted\" \\ and \x01\x1f"),
        KEN_STR("\xf0\x9f\x98\x80 \xe4\xb8\xad\xe6\x96\x87"),
        { large, sizeof large },
    };
    enum {
        N = sizeof texts / sizeof *texts
    };
    FOR_EACH(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
        size_t dims = probe(e);
        float *all = calloc(N * dims, sizeof *all);
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_QUERY, texts, N, all, NULL, &err), &err);
        for (size_t i = 0; i < N; i++) {
            double length = length_of(all + i * dims, dims);
            kt_true(fabs(length - 1) < 1e-5 || length <= 0);
        }
        free(all);
        close_it(e);
    }
}

KEN_TEST(a_cancel_and_wrong_use_are_errors)
{
    float row[KEN_EMBED_DIMS_MAX];
    FOR_EACH(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
        const ken_str *texts = make_texts(1);
        if (!ken_embedder_info(e).dims) {
            kt_status(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 1, row, NULL, &err),
                      KEN_EINVAL);
            kt_has_str(err.msg, "probe first");
        }
        probe(e);
        ken_cancel cancel = { .is_set = true };
        kt_status(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 1, row, &cancel, &err),
                  KEN_ECANCELLED);
        kt_status(ken_embedder_embed(e, KEN_EMBED_NONE, texts, 1, row, NULL, &err), KEN_EINVAL);
        close_it(e);
    }
}

typedef struct worker {
    ken_embedder *e;
    size_t dims, n;
    const ken_str *texts;
    float *rows;
    ken_status st;
} worker;

static void *embed_some(void *arg)
{
    worker *w = arg;
    for (int i = 0; i < 3 && !w->st; i++)
        w->st = ken_embedder_embed(w->e, KEN_EMBED_DOCUMENT, w->texts, w->n, w->rows, NULL, NULL);
    return NULL;
}

KEN_TEST(may_be_used_by_several_threads_at_once)
{
    enum {
        N = 4
    };
    FOR_EACH(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ .batch_size = 8, .concurrency = 3 });
        size_t dims = probe(e);
        size_t n = count_for(p, 40);
        const ken_str *texts = make_texts(N * n);
        worker w[N];
        pthread_t t[N];
        for (size_t i = 0; i < N; i++) {
            w[i] = (worker){ e, dims, n, texts + i * n, calloc(n * dims, sizeof(float)), KEN_OK };
            kt_eq_i(pthread_create(&t[i], NULL, embed_some, &w[i]), 0);
        }
        float *one = calloc(dims, sizeof *one);
        for (size_t i = 0; i < N; i++) {
            pthread_join(t[i], NULL);
            kt_ok(w[i].st);
            kt_ok(
                ken_embedder_embed(e, KEN_EMBED_DOCUMENT, w[i].texts + n - 1, 1, one, NULL, NULL));
            kt_true(dot(one, w[i].rows + (n - 1) * dims, dims) > same(p));
            free(w[i].rows);
        }
        free(one);
        close_it(e);
    }
}

KEN_TEST(decorators_see_calls_and_make_them_fail)
{
    FOR_EACH(p)
    {
        ken_embed_fault plan = { .fail_at = 2, .kind = KEN_EMBED_FAULT_FAIL, .status = KEN_EBUSY };
        ken_embedder *e = open_with(p, (ken_embed_opts){ .batch_size = 10, .concurrency = 1 });
        ken_embedder_add_fault(e, &plan);
        ken_embedder_add_trace(e, count_line, NULL);
        atomic_store(&n_traced, 0);
        const ken_str *texts = make_texts(30);
        size_t dims = probe(e);
        float *rows = calloc(30 * dims, sizeof *rows);
        bool was_asked = plan.n_calls == 1; // dimensions that are known are not asked for
        kt_status(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 30, rows, NULL, &err),
                  KEN_EBUSY);
        kt_has_str(err.msg, "as asked for at call 2");
        kt_eq_u(plan.n_calls, 2);
        plan = (ken_embed_fault){ .fail_at = 1, .kind = KEN_EMBED_FAULT_NAN };
        kt_status(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 5, rows, NULL, &err),
                  KEN_ECORRUPT);
        kt_has_str(err.msg, "no number");
        plan = (ken_embed_fault){ .fail_at = 1, .kind = KEN_EMBED_FAULT_ZERO };
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 5, rows, NULL, &err), &err);
        kt_near(length_of(rows, dims), 0, 1e-9);
        kt_eq_u(ken_embedder_info(e).dims, dims);
        kt_true(atomic_load(&n_traced) >= (was_asked ? 3u : 2u));
        free(rows);
        close_it(e);
    }
}

// ---- servers that misbehave ------------------------------------------------------------------

#define FOR_EACH_SERVER(p) FOR_EACH(p) if (p->handle)

typedef struct mishap {
    fake_trouble trouble;
    int status;
    const char *reason;
    ken_status want;
    size_t n_tries;
    const char *message;
} mishap;

static void meets(ken_embedder *e, const mishap *m)
{
    float row[3 * FAKE_DIMS];
    const size_t n = now->is_old ? 1 : 3; // one request
    fake_http_forget(&server);
    n_slept = 0;
    model.trouble = m->trouble;
    model.n_troubles = 99;
    model.status = m->status;
    model.reason = m->reason;
    err = (ken_err){ 0 };
    kt_status(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(n), n, row, NULL, &err),
              m->want);
    kt_has_str(err.msg, m->message);
    kt_eq_u(server.n_requests, m->n_tries);
    kt_eq_u(n_slept, m->n_tries - 1);
    for (size_t i = 0; i < n_slept; i++)
        kt_eq_i(slept_ms[i], 1000LL << i);
    // and works again when the server does
    model.n_troubles = 0;
    kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(n), n, row, NULL, &err), &err);
}

KEN_TEST(every_fault_of_a_server_has_its_name)
{
    static const mishap mishaps[] = {
        { FAKE_CUT, 0, NULL, KEN_EIO, 4,
          "broke before the end, 4 times; look at the server's log" },
        { FAKE_HALF, 0, NULL, KEN_ECORRUPT, 1, "not what it should be" },
        { FAKE_TEXT, 0, NULL, KEN_ECORRUPT, 1, "is embedding.url that of such a server?" },
        { FAKE_SHORT, 0, NULL, KEN_EINVAL, 1,
          "vectors of 23 numbers, not 24; look at embedding.dims" },
        { FAKE_EMPTY, 0, NULL, KEN_ECORRUPT, 1, "sent no vector for text" },
        { FAKE_WORD, 0, NULL, KEN_ECORRUPT, 1, "a value that is no number" },
        { FAKE_HUGE, 0, NULL, KEN_ECORRUPT, 1, "a value that is no number" },
        { FAKE_STATUS, 500, "{\"error\":\"out of memory\"}", KEN_EIO, 4,
          "(its fault), 4 times: 'out of memory'" },
        { FAKE_STATUS, 503, "busy", KEN_EIO, 4, "answered 503" },
        { FAKE_STATUS, 429, "{}", KEN_EBUSY, 4, "too many requests" },
        { FAKE_STATUS, 400, "{\"error\":{\"message\":\"no such field\\nx\"}}", KEN_EINVAL, 1,
          "(400): 'no such field'" },
        { FAKE_STATUS, 413, "{\"message\":\"too many inputs\"}", KEN_EINVAL, 1,
          "'too many inputs'" },
        { FAKE_STATUS, 401, "{\"error\":\"bad key\"}", KEN_EPERM, 1, "OPENAI_API_KEY" },
        { FAKE_STATUS, 302, "", KEN_EINVAL, 1, "(302)" },
    };
    FOR_EACH_SERVER(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
        probe(e);
        for (size_t i = 0; i < sizeof mishaps / sizeof *mishaps; i++)
            meets(e, &mishaps[i]);
        if (!p->is_old)
            meets(e, &(mishap){ FAKE_FEWER, 0, NULL, KEN_ECORRUPT, 1, "2 vectors for 3 texts" });
        close_it(e);
    }
}

KEN_TEST(one_bad_answer_is_gone_with_the_next_try)
{
    float row[FAKE_DIMS];
    FOR_EACH_SERVER(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
        probe(e);
        fake_http_forget(&server);
        model.trouble = FAKE_STATUS;
        model.status = 503;
        model.headers = "Retry-After: 9\r\n";
        model.n_troubles = 1;
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(1), 1, row, NULL, &err),
                  &err);
        kt_eq_u(server.n_requests, 2);
        kt_eq_i(slept_ms[0], 9000);
        model.headers = "Retry-After: 86400\r\n"; // nobody waits for a day
        model.n_troubles = 1;
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(1), 1, row, NULL, &err),
                  &err);
        kt_eq_i(slept_ms[1], 60000);
        close_it(e);
    }
}

KEN_TEST(requests_belong_to_the_trace_of_who_asks)
{
    static const char parent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    float rows[20 * FAKE_DIMS];
    ken_otel_context asked;
    kt_true(ken_otel_context_parse(ken_str_c(parent), KEN_STR("v=1"), &asked));
    FOR_EACH_SERVER(p)
    {
        ken_embedder *e = open_with(p, (ken_embed_opts){ .batch_size = 1, .concurrency = 4 });
        probe(e);
        kt_null(strstr(server.log[0].ptr, "traceparent"));
        fake_http_forget(&server);
        const ken_otel_context *was = ken_otel_enter(&asked);
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(20), 20, rows, NULL, &err),
                  &err);
        ken_otel_enter(was);
        for (size_t i = 0; i < server.n_requests; i++) { // of helpers as well
            kt_has_str(
                server.log[i].ptr,
                "\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00\r\n");
            kt_has_str(server.log[i].ptr, "\r\ntracestate: v=1\r\n");
        }
        close_it(e);
    }
}

static void has_count(const char *text, const char *line, const char *word)
{
    const char *mark = strstr(line, "%s");
    char whole[160];
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(mark - line), line, word, mark + 2);
    kt_has_str(text, whole);
}

KEN_TEST(requests_are_counted)
{
    float rows[2 * FAKE_DIMS];
    FOR_EACH_SERVER(p)
    {
        ken_metrics_stop();
        ken_metrics_start("1");
        ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
        probe(e); // the first request
        model.trouble = FAKE_STATUS;
        model.status = 503;
        model.n_troubles = 1;
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(2), 2, rows, NULL, &err),
                  &err);
        model.status = 400;
        model.n_troubles = 1;
        kt_true(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(1), 1, rows, NULL, NULL));
        close_it(e);
        ken_buf text = KEN_BUF_INIT(0);
        ken_metrics_write(&text, KEN_METRICS_PROMETHEUS);
        has_count(text.ptr, "ken_embed_requests_total{provider=\"%s\",status=\"OK\"} 2\n", p->word);
        has_count(text.ptr, "ken_embed_requests_total{provider=\"%s\",status=\"EINVAL\"} 1\n",
                  p->word);
        has_count(text.ptr, "ken_embed_request_seconds_count{provider=\"%s\"} 3\n", p->word);
        has_count(text.ptr, "ken_embed_retries_total{provider=\"%s\"} 1\n", p->word);
        has_count(text.ptr, "ken_embed_texts_total{provider=\"%s\"} 3\n", p->word);
        if (!strcmp(p->word, "openai")) // whose server counts
            has_count(text.ptr, "ken_embed_tokens_total{provider=\"%s\"} 2\n", p->word);
        ken_buf_release(&text);
    }
    ken_metrics_stop();
}

// ---- texts that are too long, in the words of the servers themselves ---------------------------

typedef struct refusal {
    const char *word; // the provider
    int status;
    const char *reason;
    bool has_limit; // it says how much it takes
} refusal;

static const refusal refusals[] = {
    // llama.cpp calls it its own fault; repeating it changes nothing
    { "openai", 500,
      "{\"error\":{\"code\":500,\"message\":\"input (201 tokens) is too large to process. increase "
      "the physical batch size (current batch size: 64)\",\"type\":\"server_error\"}}",
      true },
    { "openai", 400,
      "{\"error\":{\"message\":\"This model's maximum context length is 64 tokens, however you "
      "requested 201 tokens (201 in your prompt; 0 for the completion).\"}}",
      true },
    { "tei", 422,
      "{\"error\":\"Input validation error: `inputs` must have less than 64 tokens. Given: 201\","
      "\"error_type\":\"Validation\"}",
      true },
    { "ollama", 400, "{\"error\":\"input length exceeds maximum context length\"}", false },
    // Ollama, when the model's process ended over a text
    { "ollama", 500,
      "{\"error\":\"do embedding request: Post \\\"http://127.0.0.1:1/embedding\\\": EOF\"}",
      false },
};

static ken_embedder *open_refusing(const refusal *r, size_t max_words)
{
    const provider *p = providers;
    while (strcmp(p->word, r->word) != 0 || p->is_old)
        p++;
    ken_embedder *e = open_with(p, (ken_embed_opts){ 0 });
    probe(e);
    model.max_words = max_words;
    model.status = r->status;
    model.reason = r->reason;
    fake_http_forget(&server);
    return e;
}

// "word word …" without a space at its end.
static ken_str make_long(size_t n_words)
{
    static char text[8192];
    for (size_t i = 0; i < n_words; i++)
        memcpy(text + 5 * i, "word ", 5);
    return ken_str_n(text, 5 * n_words - 1);
}

KEN_TEST(a_text_that_is_too_long_is_cut_and_the_others_are_whole)
{
    enum {
        N = 9,
        LONG = 4
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        float rows[N * FAKE_DIMS], want[FAKE_DIMS];
        ken_str texts[N];
        ken_embedder *e = open_refusing(&refusals[i], 62);
        memcpy(texts, make_texts(N), sizeof texts);
        texts[LONG] = make_long(200);
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, N, rows, NULL, &err), &err);
        kt_eq_u(n_slept, 0); // a refusal is no fault that passes
        for (size_t k = 0; k < N; k++) {
            fake_vector(texts[k], want);
            double cosine = dot(rows + k * FAKE_DIMS, want, FAKE_DIMS) / length_of(want, FAKE_DIMS);
            kt_true(k == LONG ? cosine < 0.999 : cosine > 0.999);
        }
        kt_near(length_of(rows + (size_t)LONG * FAKE_DIMS, FAKE_DIMS), 1, 1e-5);
        // What the server said of its limit is remembered: nothing is refused again.
        fake_http_forget(&server);
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, N, rows, NULL, &err), &err);
        kt_true(refusals[i].has_limit ? server.n_requests == 1 : server.n_requests > 1);
        close_it(e);
    }
}

KEN_TEST(a_server_that_takes_nothing_is_not_asked_for_ever)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        float row[FAKE_DIMS];
        ken_embedder *e = open_refusing(&refusals[i], 1);
        ken_str text = make_long(1600);
        kt_status(ken_embedder_embed(e, KEN_EMBED_QUERY, &text, 1, row, NULL, &err), KEN_ELIMIT);
        kt_has_str(err.msg, "a text is too long");
        kt_true(server.n_requests <= 14);
        kt_eq_u(n_slept, 0);
        close_it(e);
    }
}

// TEI that was started with a smaller --max-client-batch-size than it has by itself.
KEN_TEST(a_batch_that_is_too_large_is_halved)
{
    static const refusal r = { "tei", 422,
                               "{\"error\":\"batch size 9 > maximum allowed batch size 4\","
                               "\"error_type\":\"Validation\"}",
                               false };
    float rows[9 * FAKE_DIMS];
    ken_embedder *e = open_refusing(&r, 0);
    model.trouble = FAKE_STATUS;
    model.n_troubles = 1;
    kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(9), 9, rows, NULL, &err), &err);
    kt_eq_u(server.n_requests, 3);
    close_it(e);
}

KEN_TEST(nobody_there)
{
    static const char *const hints[][2] = { { "ollama", "start it with 'ollama serve'" },
                                            { "openai", "embedding.url" },
                                            { "tei", "embedding.url" } };
    for (size_t i = 0; i < 3; i++) {
        ken_embedder *e = NULL;
        size_t dims = 0;
        n_slept = 0;
        kt_ok(ken_embedder_open(&(ken_embed_opts){ .provider = hints[i][0],
                                                   .url = "http://127.0.0.1:1/",
                                                   .sleep = sleep_not },
                                &e, &err));
        kt_status(ken_embedder_probe(e, NULL, &dims, &err), KEN_EIO);
        kt_has_str(err.msg, "'http://127.0.0.1:1': the connection was refused, 4 times");
        kt_has_str(err.msg, hints[i][1]);
        kt_eq_u(n_slept, 3);
        ken_embedder_close(e);
    }
}

// Whoever waits for an answer asks once, and does not claim more.
KEN_TEST(one_try_is_one_try)
{
    ken_embedder *e = NULL;
    size_t dims = 0;
    n_slept = 0;
    kt_ok(ken_embedder_open(
        &(ken_embed_opts){
            .provider = "tei", .url = "http://127.0.0.1:1/", .n_tries = 1, .sleep = sleep_not },
        &e, &err));
    kt_status(ken_embedder_probe(e, NULL, &dims, &err), KEN_EIO);
    kt_has_str(err.msg, "the connection was refused; ");
    kt_null(strstr(err.msg, "times"));
    kt_eq_u(n_slept, 0);
    ken_embedder_close(e);
}

// What stands before an old server may say it in JSON: that is no missing model.
KEN_TEST(a_missing_route_is_not_a_missing_model)
{
    ken_embedder *e = open_with(&providers[0], (ken_embed_opts){ .dims = FAKE_DIMS });
    float row[FAKE_DIMS];
    model.is_old = true;
    model.trouble = FAKE_STATUS;
    model.n_troubles = 0;
    model.reason = "{\"error\":\"not found\"}";
    kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, make_texts(1), 1, row, NULL, &err), &err);
    kt_has_str(server.log[0].ptr, "POST /api/embed ");
    kt_has_str(server.log[1].ptr, "POST /api/embeddings ");
    close_it(e);
}

KEN_TEST(ollama_says_what_to_pull)
{
    ken_embedder *e = open_with(&providers[0], (ken_embed_opts){ .model = "nomic-embed-text" });
    size_t dims = 0;
    model.trouble = FAKE_STATUS;
    model.n_troubles = 1;
    model.status = 404;
    model.reason = "{\"error\":\"model \\\"nomic-embed-text\\\" not found, try pulling it first\"}";
    kt_status(ken_embedder_probe(e, NULL, &dims, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "pull it with: ollama pull nomic-embed-text");
    kt_eq_u(server.n_requests, 1);
    close_it(e);
}

KEN_TEST(nomic_wants_to_know_what_is_asked_and_what_is_found)
{
    ken_embedder *e =
        open_with(&providers[0], (ken_embed_opts){ .model = "nomic-embed-text:v1.5" });
    float row[FAKE_DIMS];
    size_t dims = 0;
    const ken_str text = KEN_STR("retries");
    // Vectors of another length are not this model's, from the first answer on.
    kt_status(ken_embedder_probe(e, NULL, &dims, &err), KEN_EINVAL);
    kt_has_str(err.msg, "gives vectors of 24 numbers, where model 'nomic-embed-text:v1.5' has 768");
    close_it(e);
    e = open_with(&providers[0],
                  (ken_embed_opts){ .model = "nomic-embed-text:v1.5", .dims = FAKE_DIMS });
    kt_ok(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, &text, 1, row, NULL, &err));
    kt_ok(ken_embedder_embed(e, KEN_EMBED_QUERY, &text, 1, row, NULL, &err));
    kt_has_str(server.log[0].ptr,
               "{\"model\":\"nomic-embed-text:v1.5\",\"input\":[\"search_document: "
               "retries\"],\"truncate\":true}");
    kt_has_str(server.log[1].ptr, "[\"search_query: retries\"]");
    close_it(e);
}

KEN_TEST(a_key_is_sent_and_never_told)
{
    ken_embedder *e = open_with(&providers[2], (ken_embed_opts){ .api_key = "sk-secret-1" });
    size_t dims = 0;
    model.key = "sk-secret-1";
    probe(e);
    ken_embed_info i = ken_embedder_info(e);
    kt_null(strstr(i.key, "secret"));
    kt_null(strstr(i.url, "secret"));
    model.trouble = FAKE_STATUS;
    model.n_troubles = 1;
    model.status = 401;
    model.reason = "{\"error\":{\"message\":\"key sk-secret-1 is not valid\"}}";
    float row[FAKE_DIMS];
    kt_status(ken_embedder_embed(e, KEN_EMBED_QUERY, make_texts(1), 1, row, NULL, &err), KEN_EPERM);
    kt_null(strstr(err.msg, "secret"));
    close_it(e);
    kt_status(
        ken_embedder_open(&(ken_embed_opts){ .provider = "openai", .api_key = "a\nb" }, &e, &err),
        KEN_EINVAL);
    kt_null(strstr(err.msg, "a\nb"));
    (void)dims;
}

KEN_TEST(openai_rows_must_have_different_numbers)
{
    ken_embedder *e = open_with(&providers[2], (ken_embed_opts){ 0 });
    probe(e);
    meets(e, &(mishap){ FAKE_TWICE, 0, NULL, KEN_ECORRUPT, 1, "twice" });
    close_it(e);
}

static void say_request(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    (void)q;
    ken_buf_puts(&out->body, "{\"data\":[{\"embedding\":[3,4]}]}");
}

KEN_TEST(openai_is_asked_for_the_dimensions_that_were_set)
{
    fake_http_start(&server, say_request, NULL);
    char url[96];
    snprintf(url, sizeof url, "%s/openai/v1/", server.url);
    ken_embedder *e = NULL;
    float row[2];
    const ken_str text = KEN_STR("x");
    kt_ok(ken_embedder_open(&(ken_embed_opts){ .provider = "openai", .url = url, .dims = 2 }, &e,
                            &err));
    kt_eq_u(ken_embedder_info(e).dims, 2);
    kt_ok_err(ken_embedder_embed(e, KEN_EMBED_QUERY, &text, 1, row, NULL, &err), &err);
    kt_near((double)row[0], 0.6, 1e-6);
    kt_near((double)row[1], 0.8, 1e-6);
    kt_has_str(server.log[0].ptr, "POST /openai/v1/embeddings HTTP/1.1");
    kt_has_str(server.log[0].ptr, "{\"model\":\"text-embedding-3-small\",\"input\":[\"x\"],"
                                  "\"encoding_format\":\"float\",\"dimensions\":2}");
    ken_embedder_close(e);
    fake_http_stop(&server);
}

KEN_TEST(a_pause_ends_when_the_caller_gives_up)
{
    ken_embedder *e = NULL;
    size_t dims = 0;
    kt_ok(ken_embedder_open(&(ken_embed_opts){ .provider = "tei", .url = "http://127.0.0.1:1" }, &e,
                            &err));
    ken_cancel cancel = { .deadline_ns = ken_clock_mono_ns() + 200000000 };
    int64_t begin = ken_clock_mono_ns();
    kt_status(ken_embedder_probe(e, &cancel, &dims, &err), KEN_ETIMEOUT);
    kt_true(ken_clock_mono_ns() - begin < 5000000000);
    ken_embedder_close(e);
}

KEN_TEST(options_are_checked_before_anything_is_sent)
{
    static const struct {
        ken_embed_opts o;
        const char *message;
    } rows[] = {
        { { .provider = "openal" }, "there are builtin, onnx, ollama, openai, tei" },
        { { .provider = "tei", .url = "ftp://x" }, "(embedding.url)" },
        { { .provider = "tei", .url = "http://x?y" }, "must end before '?'" },
        { { .provider = "tei", .batch_size = 5000 }, "batch size 5000 is over 2048" },
        { { .provider = "tei", .concurrency = 500 }, "500 requests at once are over 32" },
        { { .provider = "tei", .dims = 10000 }, "10000 dimensions are over 8192" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_embedder *e = NULL;
        kt_status(ken_embedder_open(&rows[i].o, &e, &err), KEN_EINVAL);
        kt_null(e);
        kt_has_str(err.msg, rows[i].message);
    }
    kt_true(ken_embed_is_provider(KEN_STR("builtin")));
    kt_false(ken_embed_is_provider(KEN_STR("mock")));
    kt_true(ken_embed_is_remote(KEN_STR("tei")));
    kt_false(ken_embed_is_remote(KEN_STR("onnx")));
}

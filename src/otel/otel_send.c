// SPDX-License-Identifier: MIT
// The queue of spans and the thread that sends them, and the metrics now and then. What cannot be sent
// is tried again for a while, as long as the collector says that it may help; meanwhile the queue fills,
// and what finds no room is dropped. All of it is counted, and the log tells when it begins and ends.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/vec.h"
#include "httpc/httpc.h"
#include "json/json.h"
#include "metrics/metrics.h"
#include "otel/otel_priv.h"

enum {
    NS_PER_MS = 1000000,
    TRACES_EVERY_MS = 5000,
    METRICS_EVERY_MS = 60 * 1000,
    TIMEOUT_MS = 10 * 1000,
    SPANS_MAX = 2048,
    BATCH_MAX = 512, // spans of a request
    BODY_MAX = 16 << 20,
    ANSWER_MAX = 64 << 10,
    TRIES = 4,
    PAUSE_MS = 1000, // before the second try; then twice that, and so on
    PAUSE_MAX_MS = 30 * 1000,
    STACK_BYTES = 512 << 10,
    HEADERS_MAX = 16,
};

typedef enum signal_kind {
    TRACES = 0,
    METRICS,
    SIGNALS
} signal_kind;

static const char *const signal_words[SIGNALS] = { "traces", "metrics" };

typedef struct sender {
    // Set at start, and not changed:
    ken_arena arena;
    const char *urls[SIGNALS]; // NULL = that signal is not sent
    ken_httpc_header headers[HEADERS_MAX];
    size_t n_headers;
    ken_str resource, scope; // JSON
    int64_t every_ns[SIGNALS];
    int64_t timeout_ms;
    size_t max_spans;
    int64_t began_ns;
    ken_httpc *http;
    ken_pool *pool;           // of the one thread
    ken_cancel cancel;        // of what it sends when the time of the end is over
    bool is_failing[SIGNALS]; // of the thread: the last request came to nothing
    // Guarded by the lock:
    pthread_mutex_t lock;
    pthread_cond_t has_news;
    char **spans; // ring of max_spans; owned texts
    size_t head, n_spans;
    bool is_ending, has_ended;
    ken_otel_counts counts;
} sender;

static sender *the; // NULL unless it was started
atomic_bool ken_otel__is_tracing;

// ---- the queue ---------------------------------------------------------------------------------

static void count(signal_kind what, const char *how, size_t n)
{
    if (!n)
        return;
    if (how)
        ken_metrics_add(KEN_METRIC_OTEL_DROPPED, (int64_t)n, KEN_LABELS(signal_words[what], how));
    else
        ken_metrics_add(KEN_METRIC_OTEL_SENT, (int64_t)n, KEN_LABELS(signal_words[what]));
    if (what != TRACES)
        return;
    pthread_mutex_lock(&the->lock);
    *(how ? &the->counts.n_dropped : &the->counts.n_sent) += n;
    pthread_mutex_unlock(&the->lock);
}

void ken_otel__queue(ken_buf *span)
{
    bool is_kept = false;
    if (!the || span->is_over)
        return;
    ken_account *paid = ken_account_enter(NULL); // it outlives the question
    char *text = ken_strndup(span->ptr, span->len);
    pthread_mutex_lock(&the->lock);
    if (the->n_spans < the->max_spans && !the->is_ending) {
        the->spans[(the->head + the->n_spans++) % the->max_spans] = text;
        is_kept = true;
        if (the->n_spans == BATCH_MAX || the->n_spans == the->max_spans)
            pthread_cond_signal(&the->has_news);
    }
    pthread_mutex_unlock(&the->lock);
    if (!is_kept) {
        ken_free(text);
        count(TRACES, "queue_full", 1);
    }
    ken_account_enter(paid);
}

ken_otel_counts ken_otel_count(void)
{
    ken_otel_counts c = { 0 };
    if (!the)
        return c;
    pthread_mutex_lock(&the->lock);
    c = the->counts;
    c.n_waiting = the->n_spans;
    pthread_mutex_unlock(&the->lock);
    return c;
}

// ---- one request -------------------------------------------------------------------------------

static bool is_worth_repeating(ken_status st, ken_httpc_fault fault, int status)
{
    if (st)
        return fault == KEN_HTTPC_REFUSED || fault == KEN_HTTPC_TIMEOUT || fault == KEN_HTTPC_DNS ||
               fault == KEN_HTTPC_BROKEN;
    return status == 429 || status == 502 || status == 503 || status == 504;
}

// What the collector took only in part.
static size_t n_rejected(const ken_httpc_response *a, const char *member)
{
    json_t *v = NULL;
    size_t n = 0;
    if (ken_json_parse(ken_buf_str(&a->body), &v, NULL))
        return 0;
    const json_t *rejected = json_object_get(json_object_get(v, "partialSuccess"), member);
    uint64_t number = 0;
    if (json_is_integer(rejected))
        n = (size_t)json_integer_value(rejected);
    else if (ken_str_parse_u64(ken_json_text(rejected), &number))
        n = (size_t)number;
    json_decref(v);
    return n;
}

static void tell(signal_kind what, bool is_failing, const char *why)
{
    if (the->is_failing[what] == is_failing)
        return;
    the->is_failing[what] = is_failing;
    if (is_failing)
        KEN_LOG_WARNING("otel", "%s cannot be sent to '%.200s': %.300s", signal_words[what],
                        the->urls[what], why);
    else
        KEN_LOG_NOTE("otel", "%s are sent again", signal_words[what]);
}

static bool is_ending(void)
{
    pthread_mutex_lock(&the->lock);
    bool is = the->is_ending;
    pthread_mutex_unlock(&the->lock);
    return is;
}

// Until then, or until the end begins.
static void wait_until(int64_t ns)
{
    struct timespec at = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    int rc = 0;
    pthread_mutex_lock(&the->lock);
    while (!rc && !the->is_ending)
        rc = pthread_cond_timedwait(&the->has_news, &the->lock, &at);
    pthread_mutex_unlock(&the->lock);
}

typedef struct outcome {
    bool is_sent, may_repeat;
    int64_t pause_ms; // -1 = the collector did not say
    size_t n_rejected;
    char why[320];
} outcome;

static outcome send_once(signal_kind what, ken_str body)
{
    static const char *const rejected[SIGNALS] = { "rejectedSpans", "rejectedDataPoints" };
    outcome o = { .pause_ms = -1 };
    ken_err err = { 0 };
    ken_httpc_fault fault = KEN_HTTPC_NONE;
    ken_httpc_response a = { 0 };
    const ken_httpc_request q = { .url = the->urls[what],
                                  .headers = the->headers,
                                  .n_headers = the->n_headers,
                                  .body = body,
                                  .timeout_ms = the->timeout_ms,
                                  .max_bytes = ANSWER_MAX,
                                  .cancel = &the->cancel,
                                  .out_fault = &fault };
    ken_status st = ken_httpc_send(the->http, &q, &a, &err);
    o.is_sent = !st && a.status >= 200 && a.status < 300;
    o.may_repeat = is_worth_repeating(st, fault, a.status);
    if (st) {
        snprintf(o.why, sizeof o.why, "%.300s", err.msg);
        return o;
    }
    snprintf(o.why, sizeof o.why, "it answered %d", a.status);
    if (a.retry_after_s >= 0)
        o.pause_ms = a.retry_after_s * 1000;
    if (o.is_sent)
        o.n_rejected = n_rejected(&a, rejected[what]);
    ken_httpc_response_release(&a);
    return o;
}

// With as many tries as there is time for.
static void send_body(signal_kind what, ken_str body, size_t n)
{
    int64_t pause = PAUSE_MS;
    for (int i = 1;; i++) {
        outcome o = send_once(what, body);
        if (!ken_cancel_is_set(&the->cancel))
            tell(what, !o.is_sent, o.why);
        if (o.is_sent) {
            size_t lost = o.n_rejected < n ? o.n_rejected : n;
            count(what, NULL, n - lost);
            count(what, "rejected", lost);
            return;
        }
        if (!o.may_repeat || i == TRIES || is_ending()) {
            count(what, "failed", n);
            return;
        }
        pause = o.pause_ms >= 0 ? o.pause_ms : pause * (i > 1 ? 2 : 1);
        pause = pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS;
        wait_until(ken_clock_mono_ns() + pause * NS_PER_MS);
    }
}

// ---- traces and metrics ------------------------------------------------------------------------

// Up to BATCH_MAX spans as a request; how many.
static size_t take_batch(ken_buf *out)
{
    char *batch[BATCH_MAX];
    size_t n = 0;
    pthread_mutex_lock(&the->lock);
    for (; n < BATCH_MAX && the->n_spans; n++) {
        batch[n] = the->spans[the->head];
        the->head = (the->head + 1) % the->max_spans;
        the->n_spans--;
    }
    pthread_mutex_unlock(&the->lock);
    ken_buf_puts(out, "{\"resourceSpans\":[{\"resource\":");
    ken_buf_put_str(out, the->resource);
    ken_buf_puts(out, ",\"scopeSpans\":[{\"scope\":");
    ken_buf_put_str(out, the->scope);
    ken_buf_puts(out, ",\"spans\":[");
    for (size_t i = 0; i < n; i++) {
        ken_buf_puts(out, i ? "," : "");
        ken_buf_puts(out, batch[i]);
        ken_free(batch[i]);
    }
    ken_buf_puts(out, "]}]}]}");
    return n;
}

static void send_traces(void)
{
    size_t n;
    do {
        ken_buf body = KEN_BUF_INIT(BODY_MAX);
        n = take_batch(&body);
        if (n && !body.is_over)
            send_body(TRACES, ken_buf_str(&body), n);
        ken_buf_release(&body);
    } while (n == BATCH_MAX);
}

static void send_metrics(void)
{
    ken_buf body = KEN_BUF_INIT(BODY_MAX);
    ken_buf_puts(&body, "{\"resourceMetrics\":[{\"resource\":");
    ken_buf_put_str(&body, the->resource);
    ken_buf_puts(&body, ",\"scopeMetrics\":[{\"scope\":");
    ken_buf_put_str(&body, the->scope);
    ken_buf_puts(&body, ",\"metrics\":[");
    size_t n = ken_otel__put_metrics(&body, the->began_ns);
    ken_buf_puts(&body, "]}]}]}");
    if (n && !body.is_over)
        send_body(METRICS, ken_buf_str(&body), n);
    ken_buf_release(&body);
}

// ---- the thread --------------------------------------------------------------------------------

// Until the next sending is due, a batch is full or the end begins; false at the end.
static bool wait_for_work(int64_t due_ns)
{
    struct timespec at = { .tv_sec = due_ns / 1000000000, .tv_nsec = due_ns % 1000000000 };
    int rc = 0;
    pthread_mutex_lock(&the->lock);
    while (!rc && !the->is_ending && the->n_spans < BATCH_MAX)
        rc = pthread_cond_timedwait(&the->has_news, &the->lock, &at);
    bool goes_on = !the->is_ending;
    pthread_mutex_unlock(&the->lock);
    return goes_on;
}

static void run(void *ctx, size_t worker)
{
    (void)ctx;
    (void)worker;
    static void (*const send[SIGNALS])(void) = { send_traces, send_metrics };
    int64_t due[SIGNALS];
    for (int i = 0; i < SIGNALS; i++)
        due[i] = the->urls[i] ? the->began_ns + the->every_ns[i] : INT64_MAX;
    for (bool goes_on = true; goes_on;) {
        goes_on = wait_for_work(due[TRACES] < due[METRICS] ? due[TRACES] : due[METRICS]);
        ken_otel__set_clock();
        int64_t now = ken_clock_mono_ns();
        for (int i = 0; i < SIGNALS; i++) {
            bool is_full = i == TRACES && ken_otel_count().n_waiting >= BATCH_MAX;
            if (!the->urls[i] || (goes_on && now < due[i] && !is_full))
                continue;
            send[i]();
            due[i] = ken_clock_mono_ns() + the->every_ns[i];
        }
    }
    pthread_mutex_lock(&the->lock);
    the->has_ended = true;
    pthread_cond_broadcast(&the->has_news);
    pthread_mutex_unlock(&the->lock);
}

// ---- start and end -----------------------------------------------------------------------------

static ken_status read_headers(sender *s, ken_str list, ken_err *err)
{
    ken_buf name = KEN_BUF_INIT(4096), value = KEN_BUF_INIT(16384);
    bool has = false;
    s->headers[s->n_headers++] = (ken_httpc_header){ "Content-Type", "application/json" };
    ken_status st = ken_otel__next_pair(&list, &name, &value, &has, err);
    for (; has && !st; st = ken_otel__next_pair(&list, &name, &value, &has, err)) {
        if (s->n_headers == HEADERS_MAX || name.is_over || value.is_over) {
            st = KEN_FAIL(err, KEN_EINVAL, "more than %d headers, or too long ones",
                          HEADERS_MAX - 1);
            break;
        }
        s->headers[s->n_headers++] = (ken_httpc_header){
            ken_arena_dup(&s->arena, ken_buf_str(&name)).ptr,
            ken_arena_dup(&s->arena, ken_buf_str(&value)).ptr,
        };
    }
    ken_buf_release(&name);
    ken_buf_release(&value);
    return st;
}

static ken_status make_resource(sender *s, const ken_otel_opts *o, ken_err *err)
{
    ken_buf out = KEN_BUF_INIT(64 << 10), name = KEN_BUF_INIT(4096), value = KEN_BUF_INIT(16384);
    ken_str list = o->attributes, version = ken_str_c(o->version ? o->version : "0");
    bool has = false;
    ken_buf_puts(&out, "{\"attributes\":[");
    ken_otel__put_text(&out, "service.name",
                       o->service_name.len ? o->service_name : KEN_STR("ken"));
    ken_buf_putc(&out, ',');
    ken_otel__put_text(&out, "service.version", version);
    ken_status st = ken_otel__next_pair(&list, &name, &value, &has, err);
    for (; has && !st; st = ken_otel__next_pair(&list, &name, &value, &has, err)) {
        ken_buf_putc(&out, ',');
        ken_otel__put_text(&out, name.ptr, ken_buf_str(&value));
    }
    ken_buf_puts(&out, "]}");
    s->resource = ken_arena_dup(&s->arena, ken_buf_str(&out));
    ken_buf_clear(&out);
    ken_buf_puts(&out, "{\"name\":\"ken\",\"version\":");
    ken_json_put_quoted(&out, version);
    ken_buf_putc(&out, '}');
    s->scope = ken_arena_dup(&s->arena, ken_buf_str(&out));
    ken_buf_release(&out);
    ken_buf_release(&name);
    ken_buf_release(&value);
    return st;
}

static ken_status set_up(sender *s, const ken_otel_opts *o, ken_err *err)
{
    ken_str base = ken_str_c(o->endpoint);
    ken_status st = ken_httpc_check_url(base, err);
    while (base.len && base.ptr[base.len - 1] == '/')
        base.len--;
    for (int i = 0; i < SIGNALS; i++) {
        bool is_wanted = i == TRACES ? o->has_traces : o->has_metrics;
        if (is_wanted)
            s->urls[i] = ken_arena_printf(&s->arena, KEN_STR_FMT "/v1/%s", KEN_STR_ARG(base),
                                          signal_words[i])
                             .ptr;
    }
    if (!st)
        st = read_headers(s, o->headers, err);
    return st ? st : make_resource(s, o, err);
}

static sender *new_sender(const ken_otel_opts *o)
{
    sender *s = ken_zalloc(sizeof *s);
    ken_arena_init(&s->arena, 4096);
    s->every_ns[TRACES] = (o->traces_every_ms ? o->traces_every_ms : TRACES_EVERY_MS) * NS_PER_MS;
    s->every_ns[METRICS] =
        (o->metrics_every_ms ? o->metrics_every_ms : METRICS_EVERY_MS) * NS_PER_MS;
    s->timeout_ms = o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
    s->max_spans = o->max_spans ? o->max_spans : SPANS_MAX;
    s->began_ns = ken_clock_mono_ns();
    s->spans = ken_zalloc(ken_mul_size(s->max_spans, sizeof *s->spans));
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->has_news, &attr);
    pthread_condattr_destroy(&attr);
    return s;
}

static void free_sender(sender *s)
{
    ken_httpc_free(s->http);
    for (size_t i = 0; i < s->n_spans; i++)
        ken_free(s->spans[(s->head + i) % s->max_spans]);
    ken_free(s->spans);
    pthread_cond_destroy(&s->has_news);
    pthread_mutex_destroy(&s->lock);
    ken_arena_release(&s->arena);
    ken_free(s);
}

ken_status ken_otel_start(const ken_otel_opts *opts, ken_err *err)
{
    if (the || (!opts->has_traces && !opts->has_metrics))
        return KEN_OK;
    sender *s = new_sender(opts);
    ken_status st = set_up(s, opts, err);
    if (!st)
        st = ken_otel__set_sampler(opts->sampler, opts->sampler_ratio, err);
    if (st) {
        free_sender(s);
        return st;
    }
    s->http = ken_httpc_new();
    the = s;
    ken_otel__set_clock();
    s->pool = ken_pool_new(1, 1, STACK_BYTES);
    if (!ken_pool_n_workers(s->pool)) { // it would run here, for ever
        ken_pool_free(s->pool);
        the = NULL;
        free_sender(s);
        return KEN_FAIL(err, KEN_ENOMEM,
                        "no thread could be started that sends traces and metrics");
    }
    ken_pool_submit(s->pool, run, NULL);
    atomic_store(&ken_otel__is_tracing, opts->has_traces);
    return KEN_OK;
}

void ken_otel_stop(int64_t grace_ms)
{
    sender *s = the;
    if (!s)
        return;
    atomic_store(&ken_otel__is_tracing, false);
    int64_t end = ken_clock_mono_ns() + grace_ms * NS_PER_MS;
    struct timespec at = { .tv_sec = end / 1000000000, .tv_nsec = end % 1000000000 };
    pthread_mutex_lock(&s->lock);
    s->is_ending = true;
    pthread_cond_broadcast(&s->has_news);
    for (int rc = 0; !rc && !s->has_ended;)
        rc = pthread_cond_timedwait(&s->has_news, &s->lock, &at);
    pthread_mutex_unlock(&s->lock);
    ken_cancel_set(&s->cancel);
    ken_pool_free(s->pool);
    the = NULL;
    free_sender(s);
}

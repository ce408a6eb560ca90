// SPDX-License-Identifier: MIT
#include <math.h>
#include <time.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "embed/embed_remote_priv.h"
#include "metrics/metrics.h"
#include "otel/otel.h"
#include "token/token.h"

enum {
    PAUSE_STEP_MS = 50,
    REASON_SHOWN = 160,
    TOKENS_LEAST = 32, // that a model takes; smaller numbers in an answer mean something else
    LETTERS = 4,       // of a token
    HEADERS_MAX = 5,
};

// ---- opening ---------------------------------------------------------------------------------

static void sleep_really(void *ctx, int64_t ms, const ken_cancel *cancel)
{
    (void)ctx;
    for (; ms > 0 && !ken_cancel_check(cancel, NULL); ms -= PAUSE_STEP_MS) {
        int64_t step = ms < PAUSE_STEP_MS ? ms : PAUSE_STEP_MS;
        nanosleep(&(struct timespec){ .tv_nsec = (long)step * 1000000 }, NULL);
    }
}

static ken_status check_opts(const ken_embed_opts *o, ken_err *err)
{
    ken_str url = ken_str_c(o->url);
    ken_status st = ken_httpc_check_url(url, err);
    if (st) {
        (void)ken_err_wrap(err, "the URL of the embedding server (embedding.url)");
        return st;
    }
    if (ken_str_find_char(url, '?') != SIZE_MAX || ken_str_find_char(url, '#') != SIZE_MAX)
        return KEN_FAIL(err, KEN_EINVAL,
                        "embedding.url '%.200s' must end before '?' and '#': paths are added to it",
                        o->url);
    for (const char *p = o->api_key; *p; p++)
        if (*p <= ' ' || *p >= 0x7f)
            return KEN_FAIL(err, KEN_EINVAL,
                            "the key (embedding.api_key) has a character that "
                            "no key has: a space, a line end, or not ASCII");
    return KEN_OK;
}

ken_status ken_embed__remote_open(const ken_embed_opts *o, const ken_embedder_ops *ops,
                                  embed_remote **out, ken_err *err)
{
    ken_status st = check_opts(o, err);
    if (st)
        return st;
    embed_remote *r = ken_zalloc(sizeof *r);
    ken_arena_init(&r->arena, 1024);
    ken_str url = ken_str_c(o->url);
    while (url.len && url.ptr[url.len - 1] == '/')
        url.len--;
    r->base.ops = ops;
    r->http = ken_httpc_new();
    r->model = ken_arena_strdup(&r->arena, o->model);
    r->url = ken_arena_dup(&r->arena, url).ptr;
    r->key = ken_arena_strdup(&r->arena, o->api_key);
    r->auth = *r->key ? ken_arena_printf(&r->arena, "Bearer %s", r->key).ptr : NULL;
    r->refused_hint = "is it running? another server is set with embedding.url";
    r->dims = o->dims;
    r->max_tokens = o->max_tokens;
    r->concurrency = KEN_EMBED_CONCURRENCY_MAX;
    r->timeout_ms = o->timeout_ms;
    r->n_tries = o->n_tries ? o->n_tries : KEN_EMBED_TRIES;
    r->sleep = o->sleep ? o->sleep : sleep_really;
    r->sleep_ctx = o->sleep_ctx;
    *out = r;
    return KEN_OK;
}

void ken_embed__remote_close(ken_embedder_backend *b)
{
    embed_remote *r = (embed_remote *)(void *)b;
    ken_httpc_free(r->http);
    ken_arena_release(&r->arena);
    ken_free(r);
}

void ken_embed__remote_describe(const ken_embedder_backend *b, ken_embed_self *out)
{
    const embed_remote *r = (const embed_remote *)(const void *)b;
    *out = (ken_embed_self){
        .model = r->model,
        .version = "",
        .dims = r->dims,
        .max_tokens = r->max_tokens,
        .is_remote = true,
        .url = r->url,
        .key_detail = "",
        .max_concurrency = r->concurrency,
        .max_batch = r->max_batch,
    };
}

// ---- texts that are too long -----------------------------------------------------------------
//
// Only the server knows its tokens, and each has its own message, and its own status, for
// too many of them. llama.cpp calls it its own fault (500), and nothing gets better by repeating.

static bool says_too_long(ken_str reason)
{
    static const char *const phrases[] = {
        "too large to process",       // llama.cpp
        "context size",               // llama.cpp
        "context length",             // OpenAI, vLLM, Ollama
        "must have less than",        // TEI
        "maximum allowed batch size", // TEI
        "too many tokens",
    };
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (ken_str_find(reason, ken_str_c(phrases[i])) != SIZE_MAX)
            return true;
    return false;
}

// Ollama lets the process end that a model runs in.
static bool says_runner_ended(const embed_remote *r, const embed_answer *a, ken_str reason)
{
    return r->is_run_by_another && a->status == 500 && ken_str_ends(reason, KEN_STR(": EOF"));
}

static bool is_too_long(const embed_remote *r, const embed_answer *a)
{
    if (a->status != 400 && a->status != 413 && a->status != 422 && a->status != 500)
        return false;
    ken_str reason = ken_embed__reason(a);
    return says_too_long(reason) || says_runner_ended(r, a, reason);
}

// "input (673 tokens) is too large to process … (current batch size: 512)" to 512: the least number
// that is one of tokens, 0 when there is none.
static size_t find_limit(ken_str reason)
{
    uint64_t least = 0;
    for (size_t i = 0, n; i < reason.len; i += n) {
        uint64_t number = 0;
        n = 0;
        while (i + n < reason.len && ken_is_digit(reason.ptr[i + n]))
            n++;
        ken_str after = ken_str_sub(reason, i + n, reason.len);
        bool is_one =
            ken_str_starts(after, KEN_STR(" token")) || ken_str_starts(after, KEN_STR(")"));
        if (is_one && ken_str_parse_u64(ken_str_sub(reason, i, i + n), &number) &&
            number >= TOKENS_LEAST && (!least || number < least))
            least = number;
        n = n ? n : 1;
    }
    return (size_t)least;
}

static ken_status fail_too_long(embed_remote *r, const embed_answer *a, ken_err *err)
{
    ken_str reason = ken_embed__reason(a);
    size_t limit = find_limit(reason), old = atomic_load(&r->token_limit);
    bool is_less = limit && (!old || limit < old);
    while (is_less && !atomic_compare_exchange_weak(&r->token_limit, &old, limit))
        is_less = !old || limit < old;
    return KEN_FAIL(err, KEN_ELIMIT, "%s at '%.200s': a text is too long (%d): '" KEN_STR_FMT "'",
                    r->base.ops->name, r->url, a->status, KEN_STR_ARG(reason));
}

// How much of `text` an encoder takes, as far as can be known without its vocabulary: a token for
// each mark and line, and for every LETTERS letters or digits in a row. Of code that is 1.0 to 1.3
// times what BERT's tokenizer counts; what is too long still is refused, and cut again.
static ken_str clip_to_tokens(ken_str text, size_t limit)
{
    size_t n = 2, run = 0; // the two tokens around a text
    uint8_t last = KEN_TOKEN_NONE;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t class = ken_token_class(text.ptr[i]);
        class = class == KEN_TOKEN_UPPER ? KEN_TOKEN_LOWER : class;
        bool is_word = class == KEN_TOKEN_LOWER || class == KEN_TOKEN_DIGIT;
        bool is_blank = text.ptr[i] == ' ' || text.ptr[i] == '\t';
        is_blank |= ((unsigned char)text.ptr[i] & 0xc0) == 0x80; // in the middle of a character
        run = is_word && class == last ? run + 1 : 0;
        last = class;
        n += !is_blank && run % LETTERS == 0;
        if (n > limit)
            return ken_utf8_clip(text, i);
    }
    return text;
}

// ---- asking ----------------------------------------------------------------------------------

// The headers that say which trace the request belongs to; how many.
static size_t put_trace(ken_httpc_header *out, char parent[KEN_OTEL_PARENT_TEXT])
{
    const ken_otel_context *now = ken_otel_now();
    if (!now)
        return 0;
    ken_otel_context_format(now, parent);
    out[0] = (ken_httpc_header){ "traceparent", parent };
    out[1] = (ken_httpc_header){ "tracestate", now->state };
    return now->state[0] ? 2 : 1;
}

static void end_span(ken_otel_span *span, const embed_remote *r, ken_status st,
                     const ken_httpc_response *a)
{
    const char *error = st ? ken_status_name(st) : a->status >= 400 ? "HTTP" : NULL;
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("http.request.method", KEN_STR("POST")),
        KEN_LOG_F_TEXT("server.address", ken_httpc_host(ken_str_c(r->url))),
        KEN_LOG_F_TEXT("gen_ai.operation.name", KEN_STR("embeddings")),
        KEN_LOG_F_TEXT("gen_ai.request.model", ken_str_c(r->model)),
        KEN_LOG_F_COUNT("http.response.status_code", st ? 0 : (uint64_t)a->status),
    };
    ken_otel_end(span, KEN_STR("POST"), fields, sizeof fields / sizeof *fields - (st != KEN_OK),
                 error);
}

static ken_status send_once(embed_remote *r, const char *path, const ken_buf *body,
                            const ken_cancel *cancel, ken_httpc_fault *out_fault,
                            ken_httpc_response *out, ken_err *err)
{
    ken_buf url = KEN_BUF_INIT(8192);
    ken_buf_printf(&url, "%s%s", r->url, path);
    char parent[KEN_OTEL_PARENT_TEXT];
    ken_otel_span span;
    ken_otel_begin(&span, KEN_OTEL_CLIENT, NULL);
    ken_httpc_header headers[HEADERS_MAX] = { { "Content-Type", "application/json" },
                                              { "Accept", "application/json" } };
    size_t n_headers = 2;
    if (r->auth)
        headers[n_headers++] = (ken_httpc_header){ "Authorization", r->auth };
    n_headers += put_trace(headers + n_headers, parent);
    const ken_httpc_request q = {
        .url = url.ptr,
        .headers = headers,
        .n_headers = n_headers,
        .body = ken_buf_str(body),
        .timeout_ms = r->timeout_ms,
        .connect_ms = r->timeout_ms < KEN_HTTPC_CONNECT_MS ? r->timeout_ms : 0,
        .max_bytes = KEN_JSON_BYTES_MAX,
        .cancel = cancel,
        .out_fault = out_fault,
    };
    ken_status st = ken_httpc_send(r->http, &q, out, err);
    ken_buf_release(&url);
    end_span(&span, r, st, out);
    return st;
}

// The body stays with the response.
static embed_answer read_answer(const ken_httpc_response *response)
{
    embed_answer a = { .status = response->status, .body = response->body };
    if (ken_json_parse(ken_buf_str(&a.body), &a.json, NULL))
        a.json = NULL;
    return a;
}

static bool is_worth_repeating(const embed_remote *r, ken_status st, ken_httpc_fault f,
                               const ken_httpc_response *response)
{
    if (st)
        return f == KEN_HTTPC_REFUSED || f == KEN_HTTPC_TIMEOUT || f == KEN_HTTPC_DNS ||
               f == KEN_HTTPC_BROKEN;
    if (response->status != 500)
        return response->status == 429 || response->status > 500;
    embed_answer a = read_answer(response);
    bool is_final = is_too_long(r, &a);
    json_decref(a.json);
    return !is_final;
}

static int64_t pause_ms(const ken_httpc_response *a, unsigned n_tries)
{
    if (a && a->retry_after_s >= 0 && (a->status == 429 || a->status == 503))
        return 1000 * (a->retry_after_s < EMBED_RETRY_AFTER_MAX_S ? a->retry_after_s
                                                                  : EMBED_RETRY_AFTER_MAX_S);
    return 1000LL << (n_tries - 1);
}

static ken_status fail_fault(const embed_remote *r, ken_status st, ken_httpc_fault f,
                             unsigned n_tries, ken_err *err)
{
    char times[32] = "";
    if (n_tries > 1)
        snprintf(times, sizeof times, ", %u times", n_tries);
    const char *hint = f == KEN_HTTPC_REFUSED  ? r->refused_hint
                       : f == KEN_HTTPC_DNS    ? "look at embedding.url"
                       : f == KEN_HTTPC_TLS    ? "look at the certificate and at embedding.url"
                       : f == KEN_HTTPC_BROKEN ? "look at the server's log"
                       : f == KEN_HTTPC_TIMEOUT
                           ? "give it more time with embedding.timeout_seconds, or less to do with "
                             "embedding.batch_size"
                       : f == KEN_HTTPC_TOO_LARGE ? "lower embedding.batch_size"
                                                  : NULL;
    if (!hint)
        return st; // the message is good already
    return KEN_FAIL(err, st, "%s at '%.200s': %s%s; %s", r->base.ops->name, r->url,
                    ken_httpc_fault_text(f), times, hint);
}

static ken_status fail_busy(const embed_remote *r, const ken_httpc_response *a, unsigned n_tries,
                            ken_err *err)
{
    embed_answer answer = read_answer(a);
    ken_str reason = ken_embed__reason(&answer);
    bool is_limit = a->status == 429;
    char times[32] = "";
    if (n_tries > 1)
        snprintf(times, sizeof times, ", %u times", n_tries);
    ken_status st = KEN_FAIL(
        err, is_limit ? KEN_EBUSY : KEN_EIO,
        "%s at '%.200s' answered %d (%s)%s%s" KEN_STR_FMT "%s; %s", r->base.ops->name, r->url,
        a->status, is_limit ? "too many requests" : "its fault", times, reason.len ? ": '" : "",
        KEN_STR_ARG(reason), reason.len ? "'" : "",
        is_limit ? "try again later, or lower embedding.concurrency" : "look at the server's log");
    json_decref(answer.json);
    return st;
}

// The last answer, or the last fault, when trying has an end.
static ken_status try_until(embed_remote *r, const char *path, const ken_buf *body,
                            const ken_cancel *cancel, ken_httpc_response *out, ken_err *err)
{
    for (unsigned n = 1;; n++) {
        ken_httpc_fault fault = KEN_HTTPC_NONE;
        ken_status st = send_once(r, path, body, cancel, &fault, out, err);
        if (!is_worth_repeating(r, st, fault, out))
            return st ? fail_fault(r, st, fault, n, err) : KEN_OK;
        int64_t ms = pause_ms(st ? NULL : out, n);
        if (n == r->n_tries) {
            if (st)
                return fail_fault(r, st, fault, n, err);
            st = fail_busy(r, out, n, err);
            ken_httpc_response_release(out);
            return st;
        }
        if (!st)
            ken_httpc_response_release(out);
        ken_metrics_add(KEN_METRIC_EMBED_RETRIES, 1, KEN_LABELS(r->base.ops->name));
        r->sleep(r->sleep_ctx, ms, cancel);
        st = ken_cancel_check(cancel, err);
        if (st)
            return st;
    }
}

// As OpenAI's interface has them, or Ollama's; of a server that does not count there are none.
static void count_tokens(const embed_remote *r, const embed_answer *a)
{
    json_int_t n =
        json_integer_value(json_object_get(json_object_get(a->json, "usage"), "total_tokens"));
    if (!n)
        n = json_integer_value(json_object_get(a->json, "prompt_eval_count"));
    if (n > 0)
        ken_metrics_add(KEN_METRIC_EMBED_TOKENS, n, KEN_LABELS(r->base.ops->name));
}

ken_status ken_embed__post(embed_remote *r, const char *path, const ken_buf *body,
                           const ken_cancel *cancel, embed_answer *out, ken_err *err)
{
    ken_httpc_response a = { 0 };
    if (body->is_over)
        return KEN_FAIL(err, KEN_ELIMIT,
                        "the texts of one request are over %d bytes; lower embedding.batch_size",
                        EMBED_BODY_MAX);
    ken_status st = try_until(r, path, body, cancel, &a, err);
    if (st)
        return st;
    embed_answer answer = read_answer(&a);
    count_tokens(r, &answer);
    if (is_too_long(r, &answer)) {
        st = fail_too_long(r, &answer, err);
        ken_embed__answer_release(&answer);
        return st;
    }
    *out = answer;
    return KEN_OK;
}

void ken_embed__answer_release(embed_answer *a)
{
    json_decref(a->json);
    ken_buf_release(&a->body);
}

// ---- answers that are none -------------------------------------------------------------------

// {"error": "…"}, {"error": {"message": "…"}}, {"message": "…"} or {"detail": "…"}.
ken_str ken_embed__reason(const embed_answer *a)
{
    const json_t *error = json_object_get(a->json, "error");
    ken_str s = ken_json_text(json_is_object(error) ? json_object_get(error, "message") : error);
    if (!s.len)
        s = ken_json_text(json_object_get(a->json, "message"));
    if (!s.len)
        s = ken_json_text(json_object_get(a->json, "detail"));
    s = ken_utf8_clip(s, REASON_SHOWN);
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < ' ')
            return ken_str_sub(s, 0, i);
    return s;
}

ken_status ken_embed__refusal(const embed_remote *r, const embed_answer *a, ken_err *err)
{
    bool is_key = a->status == 401 || a->status == 403;
    ken_str reason = ken_embed__reason(a);
    // A server may repeat the key that it does not like.
    if (*r->key && ken_str_find(reason, ken_str_c(r->key)) != SIZE_MAX)
        reason = (ken_str){ 0 };
    if (a->status >= 200 && a->status < 300)
        return KEN_FAIL(err, KEN_ECORRUPT,
                        "%s at '%.200s' sent an answer that is not what it should be (%zu bytes); "
                        "is embedding.url that of such a server?",
                        r->base.ops->name, r->url, a->body.len);
    return KEN_FAIL(
        err,
        is_key             ? KEN_EPERM
        : a->status == 404 ? KEN_ENOTFOUND
                           : KEN_EINVAL,
        "%s at '%.200s' refused the request (%d)%s" KEN_STR_FMT "%s; %s", r->base.ops->name, r->url,
        a->status, reason.len ? ": '" : "", KEN_STR_ARG(reason), reason.len ? "'" : "",
        is_key             ? "set a valid key with embedding.api_key or OPENAI_API_KEY"
        : a->status == 404 ? "look at embedding.url and embedding.model"
                           : "look at embedding.model, embedding.dims and embedding.batch_size");
}

// ---- texts and rows --------------------------------------------------------------------------

void ken_embed__put_text(const embed_remote *r, ken_buf *body, ken_str text, size_t bytes_per_token)
{
    if (r->max_tokens)
        text = ken_utf8_clip(text, ken_mul_size(r->max_tokens, bytes_per_token));
    size_t learnt = atomic_load(&r->token_limit);
    if (learnt)
        text = clip_to_tokens(text, learnt);
    ken_json_put_quoted(body, text.len ? text : KEN_STR(" "));
}

void ken_embed__put_texts(const embed_remote *r, ken_buf *body, const ken_embed_batch *batch,
                          size_t bytes_per_token)
{
    ken_buf_putc(body, '[');
    for (size_t i = 0; i < batch->n; i++) {
        if (i)
            ken_buf_putc(body, ',');
        ken_embed__put_text(r, body, batch->texts[i], bytes_per_token);
    }
    ken_buf_putc(body, ']');
}

ken_status ken_embed__take_row(const embed_remote *r, const ken_embed_batch *batch, size_t i,
                               const json_t *row, ken_err *err)
{
    size_t n = json_array_size(row);
    if (!n)
        return KEN_FAIL(err, KEN_ECORRUPT, "%s at '%.200s' sent no vector for text %zu",
                        r->base.ops->name, r->url, i);
    if (!batch->dims && n > KEN_EMBED_DIMS_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "model '%s' gives vectors of %zu numbers, over %d",
                        r->model, n, KEN_EMBED_DIMS_MAX);
    if (batch->dims && n != batch->dims)
        return KEN_FAIL(err, KEN_EINVAL,
                        "model '%s' of %s gives vectors of %zu numbers, not %zu; look at "
                        "embedding.dims and embedding.model",
                        r->model, r->base.ops->name, n, batch->dims);
    float *out = batch->out + i * batch->dims;
    for (size_t k = 0; k < n; k++) {
        const json_t *number = json_array_get(row, k);
        if (!json_is_number(number))
            return KEN_FAIL(err, KEN_ECORRUPT,
                            "%s at '%.200s' sent a vector with a value that is no number",
                            r->base.ops->name, r->url);
        out[k] = (float)json_number_value(number);
    }
    if (!batch->dims)
        *batch->out_dims = n;
    return KEN_OK;
}

ken_status ken_embed__check_rows(const embed_remote *r, const ken_embed_batch *batch,
                                 const json_t *rows, ken_err *err)
{
    if (json_is_array(rows) && json_array_size(rows) == batch->n)
        return KEN_OK;
    return KEN_FAIL(err, KEN_ECORRUPT, "%s at '%.200s' sent %zu vectors for %zu texts",
                    r->base.ops->name, r->url, json_array_size(rows), batch->n);
}

// SPDX-License-Identifier: MIT
// The wrapper around a provider. One call of ken_embedder_embed is a `job`: threads take the next
// batch off it until all are done or one has failed. The calling thread is one of them; servers,
// which are waited for, get more from a pool that is made when it is first of use.
#include "embed/embed.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "embed/embed_debug.h"
#include "embed/embed_known_priv.h"
#include "embed/embed_ops.h"
#include "metrics/metrics.h"
#include "obs/trace.h"
#include "otel/otel.h"

struct ken_embedder {
    ken_embedder_backend *backend;
    ken_embed_self self;
    atomic_size_t dims;
    size_t known_dims; // what a server's first answer must have; 0 = any number
    size_t batch_size, concurrency;
    ken_str document_prefix, query_prefix;
    ken_arena arena; // texts; written while it is opened only
    const char *key;
    pthread_mutex_t lock; // guards: pool while it is made
    ken_pool *pool;       // concurrency - 1 workers; NULL = not needed yet
};

static const struct {
    const char *word;
    bool is_remote;
    const char *url, *model;
    ken_embedder_open_fn *open;
} providers[] = {
#define X(name, is_remote, url, model) \
    { #name, is_remote, url, model, ken_embedder__##name##_open },
    KEN_EMBED_PROVIDER_TABLE(X)
#undef X
};

enum {
    N_PROVIDERS = sizeof providers / sizeof *providers,
    TEXT_LEAST = 64 // bytes, below which a text is not made shorter
};

// ---- opening ---------------------------------------------------------------------------------

static size_t find_provider(ken_str word)
{
    size_t i = 0;
    while (i < N_PROVIDERS && !ken_str_eq_c(word, providers[i].word))
        i++;
    return i;
}

bool ken_embed_is_provider(ken_str word)
{
    return find_provider(word) < N_PROVIDERS;
}

bool ken_embed_is_remote(ken_str word)
{
    size_t i = find_provider(word);
    return i < N_PROVIDERS && providers[i].is_remote;
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

static size_t number_or(size_t n, size_t otherwise)
{
    return n ? n : otherwise;
}

// Every field that has a default gets it.
static ken_embed_opts complete(const ken_embed_opts *o, size_t provider)
{
    ken_embed_opts c = *o;
    c.provider = providers[provider].word;
    c.model = text_or(o->model, providers[provider].model);
    const embed_known *known = ken_embed__known(c.model);
    c.url = text_or(o->url, providers[provider].url);
    c.api_key = text_or(o->api_key, "");
    c.version = text_or(o->version, "");
    c.document_prefix = o->document_prefix ? o->document_prefix : known->document_prefix;
    c.query_prefix = o->query_prefix ? o->query_prefix : known->query_prefix;
    c.max_tokens = number_or(o->max_tokens, known->max_tokens);
    c.batch_size = number_or(o->batch_size, KEN_EMBED_BATCH);
    c.concurrency = number_or(o->concurrency, KEN_EMBED_CONCURRENCY);
    c.timeout_ms = o->timeout_ms ? o->timeout_ms : KEN_EMBED_TIMEOUT_MS;
    c.model_path = text_or(o->model_path, "");
    c.tokenizer_path = text_or(o->tokenizer_path, "");
    c.runtime_path = text_or(o->runtime_path, "");
    c.pooling = o->pooling ? o->pooling : known->pooling;
    return c;
}

static ken_status check_opts(const ken_embed_opts *o, ken_err *err)
{
    if (o->batch_size > KEN_EMBED_BATCH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "batch size %zu is over %d", o->batch_size,
                        KEN_EMBED_BATCH_MAX);
    if (o->concurrency > KEN_EMBED_CONCURRENCY_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "%zu requests at once are over %d", o->concurrency,
                        KEN_EMBED_CONCURRENCY_MAX);
    if (o->dims > KEN_EMBED_DIMS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "%zu dimensions are over %d", o->dims, KEN_EMBED_DIMS_MAX);
    if (o->timeout_ms < 0)
        return KEN_FAIL(err, KEN_EINVAL, "a timeout of %lld ms is below 0",
                        (long long)o->timeout_ms);
    return KEN_OK;
}

static ken_str list_providers(ken_arena *a)
{
    ken_str list = KEN_STR("");
    for (size_t i = 0; i < N_PROVIDERS; i++)
        list = ken_arena_printf(a, KEN_STR_FMT "%s%s", KEN_STR_ARG(list), i ? ", " : "",
                                providers[i].word);
    return list;
}

ken_status ken_embedder_open(const ken_embed_opts *opts, ken_embedder **out, ken_err *err)
{
    size_t i = find_provider(ken_str_c(opts->provider));
    if (i == N_PROVIDERS) {
        ken_arena a;
        ken_arena_init(&a, 1024);
        ken_str all = list_providers(&a);
        ken_status st = KEN_FAIL(err, KEN_EINVAL,
                                 "'%.40s' is no provider of embeddings; there are " KEN_STR_FMT,
                                 opts->provider ? opts->provider : "", KEN_STR_ARG(all));
        ken_arena_release(&a);
        return st;
    }
    ken_embed_opts o = complete(opts, i);
    ken_embedder_backend *b = NULL;
    ken_status st = check_opts(&o, err);
    if (!st)
        st = providers[i].open(&o, &b, err);
    if (st)
        return st;
    ken_embedder *e = NULL;
    st = ken_embedder__wrap(b, &o, &e, err);
    if (st) {
        if (b->ops && b->ops->close)
            b->ops->close(b);
        return st;
    }
    if (ken_trace_is_on("embed", 1))
        ken_embedder_add_trace(e, NULL, NULL);
    *out = e;
    return KEN_OK;
}

static const char *make_key(ken_embedder *e, const ken_embed_opts *o)
{
    return ken_arena_printf(&e->arena, "%s/%s%s%s%s%s|%s|%s", e->backend->ops->name, e->self.model,
                            *e->self.version ? "@" : "", e->self.version,
                            *e->self.key_detail ? "+" : "", e->self.key_detail,
                            o->document_prefix ? o->document_prefix : "",
                            o->query_prefix ? o->query_prefix : "")
        .ptr;
}

ken_status ken_embedder__wrap(ken_embedder_backend *b, const ken_embed_opts *o, ken_embedder **out,
                              ken_err *err)
{
    const ken_embedder_ops *ops = b->ops;
    if (!ops || !ops->name || !ops->close || !ops->describe || !ops->embed)
        return KEN_FAIL(err, KEN_EINTERNAL, "the embedder '%s' has not all functions",
                        ops && ops->name ? ops->name : "?");
    ken_embedder *e = ken_zalloc(sizeof *e);
    e->backend = b;
    ops->describe(b, &e->self);
    ken_arena_init(&e->arena, 1024);
    atomic_init(&e->dims, e->self.dims);
    if (e->self.is_remote && !o->dims)
        e->known_dims = ken_embed__known(e->self.model)->dims;
    e->batch_size = number_or(o->batch_size, KEN_EMBED_BATCH);
    if (e->self.max_batch && e->batch_size > e->self.max_batch)
        e->batch_size = e->self.max_batch;
    e->concurrency = number_or(o->concurrency, KEN_EMBED_CONCURRENCY);
    if (e->concurrency > e->self.max_concurrency)
        e->concurrency = number_or(e->self.max_concurrency, 1);
    e->document_prefix = ken_arena_dup(&e->arena, ken_str_c(o->document_prefix));
    e->query_prefix = ken_arena_dup(&e->arena, ken_str_c(o->query_prefix));
    e->key = make_key(e, o);
    pthread_mutex_init(&e->lock, NULL);
    *out = e;
    return KEN_OK;
}

void ken_embedder_close(ken_embedder *e)
{
    if (!e)
        return;
    ken_pool_free(e->pool);
    e->backend->ops->close(e->backend);
    pthread_mutex_destroy(&e->lock);
    ken_arena_release(&e->arena);
    ken_free(e);
}

ken_embedder_backend *ken_embedder__backend(ken_embedder *e)
{
    return e->backend;
}

void ken_embedder__set_backend(ken_embedder *e, ken_embedder_backend *outer)
{
    e->backend = outer;
}

ken_embed_info ken_embedder_info(const ken_embedder *e)
{
    return (ken_embed_info){
        .provider = e->backend->ops->name,
        .model = e->self.model,
        .version = e->self.version,
        .key = e->key,
        .dims = atomic_load(&e->dims),
        .max_tokens = e->self.max_tokens,
        .is_remote = e->self.is_remote,
        .url = e->self.url,
    };
}

void ken_embedder_name(const ken_embedder *e, char out[KEN_EMBED_NAME_MAX + 1])
{
    ken_embed_info i = ken_embedder_info(e);
    snprintf(out, KEN_EMBED_NAME_MAX + 1, "%.40s %zu %016" PRIx64, i.model, i.dims,
             ken_hash_str(ken_str_c(i.key)));
}

// ---- one batch -------------------------------------------------------------------------------

// Guaranteed to providers: valid UTF-8, no NUL, bounded, with its prefix. Most texts stay as
// they are.
static ken_str prepare(ken_str prefix, ken_str text, ken_arena *arena)
{
    text = ken_utf8_clip(text, KEN_EMBED_TEXT_MAX - prefix.len);
    bool is_plain = ken_utf8_is_valid(text) && !(text.len && memchr(text.ptr, '\0', text.len));
    if (is_plain && !prefix.len)
        return text;
    ken_buf b = KEN_BUF_INIT(4 * (size_t)KEN_EMBED_TEXT_MAX);
    ken_buf_put_str(&b, prefix);
    if (is_plain)
        ken_buf_put_str(&b, text);
    else
        ken_utf8_repair(&b, text);
    for (size_t i = 0; i < b.len; i++)
        if (!b.ptr[i])
            b.ptr[i] = ' ';
    ken_str s = ken_arena_dup(arena, ken_utf8_clip(ken_buf_str(&b), KEN_EMBED_TEXT_MAX));
    ken_buf_release(&b);
    return s;
}

// Brings one vector to unit length; false when a number is not finite. All-zero stays.
static bool normalise(float *v, size_t dims)
{
    double sum = 0;
    for (size_t i = 0; i < dims; i++)
        sum += (double)v[i] * (double)v[i];
    if (!isfinite(sum))
        return false;
    if (sum <= 0 || fabs(sum - 1) < 1e-7)
        return true;
    float scale = (float)(1 / sqrt(sum));
    for (size_t i = 0; i < dims; i++)
        v[i] *= scale;
    return true;
}

// One text that is more than the model takes: less and less of it, from its end.
static ken_status embed_shorter(const ken_embedder *e, const ken_embed_batch *b, ken_err *err)
{
    ken_str text = *b->texts;
    ken_embed_batch shorter = *b;
    shorter.texts = &text;
    ken_status st = KEN_ELIMIT;
    while (st == KEN_ELIMIT && text.len > TEXT_LEAST) {
        text = ken_utf8_clip(text, text.len / 3 * 2);
        st = e->backend->ops->embed(e->backend, &shorter, err);
    }
    return st;
}

// The batch, or halves of it when that is too much at once: so that one text that is too long costs
// the others nothing.
static ken_status embed_fitting(const ken_embedder *e, const ken_embed_batch *b, ken_err *err)
{
    ken_err own = { 0 };
    ken_status st = e->backend->ops->embed(e->backend, b, &own);
    if (st == KEN_ELIMIT && b->n > 1) {
        ken_embed_batch half = *b;
        half.n = b->n / 2;
        st = embed_fitting(e, &half, &own);
        half.texts += half.n;
        half.out += half.n * half.dims;
        half.n = b->n - half.n;
        if (!st)
            st = embed_fitting(e, &half, &own);
    } else if (st == KEN_ELIMIT) {
        st = embed_shorter(e, b, &own);
    }
    if (st && err)
        *err = own;
    return st;
}

static void count_batch(const ken_embedder *e, size_t n, ken_status st, int64_t ns)
{
    const char *provider = e->backend->ops->name;
    ken_metrics_add(KEN_METRIC_EMBED_REQUESTS, 1, KEN_LABELS(provider, ken_status_name(st)));
    ken_metrics_time(KEN_METRIC_EMBED_SECONDS, ns, KEN_LABELS(provider));
    if (!st)
        ken_metrics_add(KEN_METRIC_EMBED_TEXTS, (int64_t)n, KEN_LABELS(provider));
}

static ken_status run_batch(ken_embedder *e, const ken_embed_batch *raw, ken_err *err)
{
    ken_str prefix = raw->kind == KEN_EMBED_QUERY ? e->query_prefix : e->document_prefix;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_str *texts = KEN_ARENA_ARRAY(&arena, ken_str, raw->n);
    for (size_t i = 0; i < raw->n; i++)
        texts[i] = prepare(prefix, raw->texts[i], &arena);
    ken_embed_batch batch = *raw;
    batch.texts = texts;
    int64_t began = ken_clock_mono_ns();
    ken_status st = ken_cancel_check(batch.cancel, err);
    if (!st)
        st = embed_fitting(e, &batch, err);
    ken_arena_release(&arena);
    count_batch(e, raw->n, st, ken_clock_mono_ns() - began);
    if (st)
        return st;
    size_t dims = batch.dims ? batch.dims : *batch.out_dims;
    for (size_t i = 0; i < batch.n; i++)
        if (!normalise(batch.out + i * dims, dims))
            return KEN_FAIL(err, KEN_ECORRUPT,
                            "the model '%s' of %s gave a vector with a value that is no number",
                            e->self.model, e->backend->ops->name);
    return KEN_OK;
}

ken_status ken_embedder_probe(ken_embedder *e, const ken_cancel *cancel, size_t *out_dims,
                              ken_err *err)
{
    size_t dims = atomic_load(&e->dims);
    if (!dims) {
        float *room = ken_alloc(KEN_EMBED_DIMS_MAX * sizeof *room);
        const ken_str text = KEN_STR("int main(void)");
        ken_embed_batch b = { KEN_EMBED_DOCUMENT, &text, 1, 0, room, &dims, cancel };
        ken_status st = run_batch(e, &b, err);
        ken_free(room);
        if (st)
            return st;
        if (!dims || dims > KEN_EMBED_DIMS_MAX)
            return KEN_FAIL(err, KEN_ECORRUPT, "the model '%s' of %s gives vectors of %zu numbers",
                            e->self.model, e->backend->ops->name, dims);
        if (e->known_dims && dims != e->known_dims)
            return KEN_FAIL(
                err, KEN_EINVAL,
                "%s at '%.200s' gives vectors of %zu numbers, where model '%s' has %zu; "
                "if that is meant, set embedding.dims to %zu",
                e->backend->ops->name, e->self.url, dims, e->self.model, e->known_dims, dims);
        atomic_store(&e->dims, dims);
    }
    *out_dims = dims;
    return KEN_OK;
}

// ---- many batches ----------------------------------------------------------------------------

typedef struct job {
    ken_embedder *e;
    ken_embed_batch all;  // n texts of which batches are cut
    atomic_size_t next;   // first text that nobody took yet
    ken_cancel stop;      // set by the first failure
    pthread_mutex_t lock; // guards: status, err, n_helpers
    pthread_cond_t is_left;
    ken_status status;
    ken_err err;
    size_t n_helpers;              // that have not left yet
    const ken_otel_context *trace; // of who asked; NULL = none
} job;

static void record_failure(job *j, ken_status st, const ken_err *err)
{
    pthread_mutex_lock(&j->lock);
    if (!j->status) {
        j->status = st;
        j->err = *err;
    }
    pthread_mutex_unlock(&j->lock);
    ken_cancel_set(&j->stop);
}

static void work(job *j)
{
    const size_t step = j->e->batch_size;
    for (;;) {
        size_t from = atomic_fetch_add(&j->next, step);
        if (from >= j->all.n || ken_cancel_is_set(&j->stop))
            return;
        ken_embed_batch b = j->all;
        b.texts += from;
        b.n = b.n - from < step ? b.n - from : step;
        b.out += from * b.dims;
        ken_err err = { 0 };
        ken_status st = run_batch(j->e, &b, &err);
        if (st)
            record_failure(j, st, &err);
    }
}

static void help(void *ctx, size_t worker)
{
    (void)worker;
    job *j = ctx;
    const ken_otel_context *was = ken_otel_enter(j->trace);
    work(j);
    ken_otel_enter(was);
    pthread_mutex_lock(&j->lock);
    if (!--j->n_helpers)
        pthread_cond_signal(&j->is_left);
    pthread_mutex_unlock(&j->lock);
}

static ken_pool *get_pool(ken_embedder *e)
{
    pthread_mutex_lock(&e->lock);
    if (!e->pool)
        e->pool = ken_pool_new(e->concurrency - 1, e->concurrency, 1 << 20);
    ken_pool *p = e->pool;
    pthread_mutex_unlock(&e->lock);
    return p;
}

// Helpers that cannot start at once are not needed: others keep the server busy.
static void call_helpers(job *j)
{
    size_t n_batches = (j->all.n + j->e->batch_size - 1) / j->e->batch_size;
    size_t n = n_batches < j->e->concurrency ? n_batches : j->e->concurrency;
    for (size_t i = 1; i < n; i++) {
        pthread_mutex_lock(&j->lock);
        j->n_helpers++;
        pthread_mutex_unlock(&j->lock);
        if (!ken_pool_try_submit(get_pool(j->e), help, j)) {
            pthread_mutex_lock(&j->lock);
            j->n_helpers--;
            pthread_mutex_unlock(&j->lock);
            return;
        }
    }
}

ken_status ken_embedder_embed(ken_embedder *e, ken_embed_kind kind, const ken_str *texts, size_t n,
                              float *out, const ken_cancel *cancel, ken_err *err)
{
    size_t dims = atomic_load(&e->dims);
    if (!dims)
        return KEN_FAIL(err, KEN_EINVAL, "the dimensions of '%s' are not known yet: probe first",
                        e->self.model);
    if (kind != KEN_EMBED_DOCUMENT && kind != KEN_EMBED_QUERY)
        return KEN_FAIL(err, KEN_EINVAL, "texts are documents or queries, not kind %d", (int)kind);
    if (!n)
        return KEN_OK;
    job j = { .e = e, .all = { kind, texts, n, dims, out, NULL, cancel }, .trace = ken_otel_now() };
    pthread_mutex_init(&j.lock, NULL);
    pthread_cond_init(&j.is_left, NULL);
    call_helpers(&j);
    work(&j);
    pthread_mutex_lock(&j.lock);
    while (j.n_helpers)
        pthread_cond_wait(&j.is_left, &j.lock);
    pthread_mutex_unlock(&j.lock);
    pthread_cond_destroy(&j.is_left);
    pthread_mutex_destroy(&j.lock);
    if (j.status && err)
        *err = j.err;
    return j.status;
}

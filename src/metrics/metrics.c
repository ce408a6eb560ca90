// SPDX-License-Identifier: MIT
// Each metric has a table of its label sets: open addressing, twice as many slots as sets, so that a
// probe is short. A slot is empty or holds a series that is never changed but for its numbers and never
// removed; so a look-up reads slots without a lock, and only a new label set takes one.
#include "metrics/metrics.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "metrics/metrics_priv.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

const uint64_t ken_metric_bounds_ns[KEN_METRIC_BUCKETS] = {
    MS / 10,  MS / 4,   MS / 2,   MS,    5 * MS / 2, 5 * MS, 10 * MS, 25 * MS, 50 * MS,
    100 * MS, 250 * MS, MS * 500, 1 * S, 5 * S / 2,  5 * S,  10 * S,  30 * S,  60 * S,
};

typedef struct timer {
    atomic_uint_fast64_t buckets[KEN_METRIC_BUCKETS + 1];
    atomic_uint_fast64_t sum_ns;
} timer;

enum {
    KEY_MAX = KEN_METRIC_LABELS * (KEN_METRIC_LABEL_MAX + 1)
};

// The values of the labels, each with its NUL.
typedef struct key {
    char bytes[KEY_MAX];
    size_t len;
    uint64_t hash;
} key;

typedef struct series {
    key key;
    atomic_int_fast64_t value;
    timer *timer; // owned; NULL unless the metric is one
} series;

typedef struct slot {
    _Atomic(series *) series; // owned; NULL = empty
} slot;

typedef struct table {
    slot *slots;            // owned; NULL for a metric without labels
    size_t n_slots;         // a power of two
    unsigned n_series;      // in slots; under the lock
    _Atomic(series *) rest; // owned: of all label sets beyond the most, or of no labels
} table;

static const ken_metric_def defs[KEN_METRIC_END] = {
#define X(id, kind_, name_, labels_, most_, text_)    \
    [KEN_METRIC_##id] = { .name = (name_),            \
                          .labels = (labels_),        \
                          .text = (text_),            \
                          .kind = KEN_METRIC_##kind_, \
                          .most = (most_) },
    KEN_METRICS(X)
#undef X
};

atomic_bool ken_metrics__is_on;
static table tables[KEN_METRIC_END];
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER; // guards adding to tables

const ken_metric_def *ken_metric_def_of(ken_metric m)
{
    KEN_ASSERT(m > KEN_METRIC_NONE && m < KEN_METRIC_END);
    return &defs[m];
}

ken_str ken_metric_label(const ken_metric_def *def, unsigned i)
{
    ken_str rest = ken_str_c(def->labels), name = { NULL, 0 };
    for (unsigned at = 0; ken_str_split_next(&rest, ',', &name); at++) {
        if (at == i)
            return name;
    }
    return (ken_str){ "", 0 };
}

// ---- label sets --------------------------------------------------------------------------------

static key key_of(const char *const *labels)
{
    key k;
    k.len = 0;
    for (size_t i = 0; labels && i < KEN_METRIC_LABELS && labels[i]; i++) {
        size_t n = strnlen(labels[i], KEN_METRIC_LABEL_MAX);
        memcpy(k.bytes + k.len, labels[i], n);
        k.len += n;
        k.bytes[k.len++] = '\0';
    }
    k.hash = ken_hash64(k.bytes, k.len);
    return k;
}

// Where it is, or where it would be; tables are never full.
static size_t slot_of(const table *t, const key *k)
{
    size_t at = k->hash & (t->n_slots - 1);
    for (;; at = (at + 1) & (t->n_slots - 1)) {
        const series *s = atomic_load_explicit(&t->slots[at].series, memory_order_acquire);
        if (!s || (s->key.hash == k->hash && s->key.len == k->len &&
                   memcmp(s->key.bytes, k->bytes, k->len) == 0))
            return at;
    }
}

// What lives as long as the process is no cost of the question that came first.
static series *new_series(ken_metric m, const key *k)
{
    ken_account *paid = ken_account_enter(NULL);
    series *s = ken_zalloc(sizeof *s);
    s->key = *k;
    if (defs[m].kind == KEN_METRIC_TIMER)
        s->timer = ken_zalloc(sizeof *s->timer);
    ken_account_enter(paid);
    return s;
}

static series *rest_of(ken_metric m)
{
    table *t = &tables[m];
    series *s = atomic_load_explicit(&t->rest, memory_order_acquire);
    if (!s) {
        key k = key_of(KEN_LABELS("other", "other", "other"));
        s = new_series(m, &k);
        atomic_store_explicit(&t->rest, s, memory_order_release);
    }
    return s;
}

static series *add_series(ken_metric m, const key *k)
{
    table *t = &tables[m];
    pthread_mutex_lock(&growing);
    size_t at = slot_of(t, k); // another thread may have been first
    series *s = atomic_load_explicit(&t->slots[at].series, memory_order_relaxed);
    if (!s && t->n_series >= defs[m].most) {
        s = rest_of(m);
    } else if (!s) {
        s = new_series(m, k);
        t->n_series++;
        atomic_store_explicit(&t->slots[at].series, s, memory_order_release);
    }
    pthread_mutex_unlock(&growing);
    return s;
}

static series *series_of(ken_metric m, const char *const *labels)
{
    const table *t = &tables[m];
    if (!t->slots)
        return atomic_load_explicit(&t->rest, memory_order_relaxed);
    key k = key_of(labels);
    series *s = atomic_load_explicit(&t->slots[slot_of(t, &k)].series, memory_order_acquire);
    return s ? s : add_series(m, &k);
}

// ---- counting ----------------------------------------------------------------------------------

void ken_metrics__add(ken_metric m, int64_t n, const char *const *labels)
{
    atomic_fetch_add_explicit(&series_of(m, labels)->value, n, memory_order_relaxed);
}

void ken_metrics__set(ken_metric m, int64_t value, const char *const *labels)
{
    atomic_store_explicit(&series_of(m, labels)->value, value, memory_order_relaxed);
}

void ken_metrics__time(ken_metric m, int64_t ns, const char *const *labels)
{
    timer *t = series_of(m, labels)->timer;
    uint64_t took = ns > 0 ? (uint64_t)ns : 0;
    size_t i = 0;
    while (i < KEN_METRIC_BUCKETS && took > ken_metric_bounds_ns[i])
        i++;
    atomic_fetch_add_explicit(&t->buckets[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->sum_ns, took, memory_order_relaxed);
}

// ---- begin and end -----------------------------------------------------------------------------

static void make_table(ken_metric m)
{
    table *t = &tables[m];
    if (!*defs[m].labels) {
        const key none = { .len = 0 };
        atomic_store(&t->rest, new_series(m, &none));
        return;
    }
    for (t->n_slots = 4; t->n_slots < 2 * (size_t)defs[m].most;)
        t->n_slots *= 2;
    t->slots = ken_zalloc(t->n_slots * sizeof *t->slots);
}

void ken_metrics_start(const char *version)
{
    if (ken_metrics_is_on())
        return;
    for (ken_metric m = KEN_METRIC_NONE + 1; m < KEN_METRIC_END; m++)
        make_table(m);
    atomic_store(&ken_metrics__is_on, true);
    ken_metrics__start_process();
    ken_metrics_set(KEN_METRIC_BUILD, 1, KEN_LABELS(version));
}

static void free_series(series *s)
{
    if (s)
        ken_free(s->timer);
    ken_free(s);
}

void ken_metrics_stop(void)
{
    atomic_store(&ken_metrics__is_on, false);
    ken_metrics__stop_process();
    for (ken_metric m = KEN_METRIC_NONE + 1; m < KEN_METRIC_END; m++) {
        table *t = &tables[m];
        for (size_t i = 0; t->slots && i < t->n_slots; i++)
            free_series(atomic_load(&t->slots[i].series));
        free_series(atomic_load(&t->rest));
        ken_free(t->slots);
        t->slots = NULL;
        t->n_slots = t->n_series = 0;
        atomic_store(&t->rest, NULL);
    }
}

// ---- looking: what the writers read -----------------------------------------------------------

typedef struct found {
    ken_metric metric;
    ken_metric_point point;
} found;

struct ken_metrics_sink {
    ken_arena *arena;
    KEN_VEC(found) all;
};

typedef struct reader {
    ken_metrics_read_fn *fn; // NULL = none
    void *ctx;
} reader;

static reader readers[KEN_METRICS_READERS];
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; // guards readers

static void swap_reader(reader from, reader to)
{
    pthread_mutex_lock(&reading);
    for (size_t i = 0; i < KEN_METRICS_READERS; i++) {
        if (readers[i].fn == from.fn && readers[i].ctx == from.ctx) {
            readers[i] = to;
            break;
        }
    }
    pthread_mutex_unlock(&reading);
}

void ken_metrics_add_reader(ken_metrics_read_fn *fn, void *ctx)
{
    swap_reader((reader){ NULL, NULL }, (reader){ fn, ctx });
}

void ken_metrics_remove_reader(ken_metrics_read_fn *fn, void *ctx)
{
    swap_reader((reader){ fn, ctx }, (reader){ NULL, NULL });
}

static const char *repaired(ken_arena *arena, const char *label)
{
    ken_buf text = KEN_BUF_INIT(0);
    ken_utf8_repair(&text, ken_str_c(label));
    const char *copy = ken_arena_dup(arena, ken_buf_str(&text)).ptr;
    ken_buf_release(&text);
    return copy;
}

static found begin_found(ken_metrics_sink *sink, ken_metric m, const key *k)
{
    found f = { .metric = m };
    const char *at = k->bytes;
    for (unsigned i = 0; ken_metric_label(&defs[m], i).len; i++) {
        bool is_there = at < k->bytes + k->len;
        f.point.labels[i] = repaired(sink->arena, is_there ? at : "");
        at += is_there ? strlen(at) + 1 : 0;
    }
    return f;
}

void ken_metrics_put(ken_metrics_sink *sink, ken_metric m, double value, const char *const *labels)
{
    key k = key_of(labels);
    found f = begin_found(sink, m, &k);
    f.point.value = value;
    ken_vec_push(&sink->all, f);
}

static void put_series(ken_metrics_sink *sink, ken_metric m, const series *s)
{
    if (!s)
        return;
    found f = begin_found(sink, m, &s->key);
    if (!s->timer) {
        f.point.value = (double)atomic_load_explicit(&s->value, memory_order_relaxed);
    } else {
        uint64_t *buckets = KEN_ARENA_ARRAY(sink->arena, uint64_t, KEN_METRIC_BUCKETS + 1);
        for (size_t i = 0; i <= KEN_METRIC_BUCKETS; i++) {
            buckets[i] = atomic_load_explicit(&s->timer->buckets[i], memory_order_relaxed);
            f.point.count += buckets[i];
        }
        f.point.buckets = buckets;
        f.point.value = (double)atomic_load_explicit(&s->timer->sum_ns, memory_order_relaxed) / 1e9;
    }
    ken_vec_push(&sink->all, f);
}

static int by_metric_and_labels(const void *pa, const void *pb)
{
    const found *a = pa, *b = pb;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    for (size_t i = 0; i < KEN_METRIC_LABELS && a->point.labels[i]; i++) {
        int order = strcmp(a->point.labels[i], b->point.labels[i]);
        if (order)
            return order;
    }
    return 0;
}

static void read_sources(ken_metrics_sink *sink)
{
    pthread_mutex_lock(&reading);
    for (size_t i = 0; i < KEN_METRICS_READERS; i++) {
        if (readers[i].fn)
            readers[i].fn(readers[i].ctx, sink);
    }
    pthread_mutex_unlock(&reading);
    for (ken_metric m = KEN_METRIC_NONE + 1; m < KEN_METRIC_END; m++) {
        const table *t = &tables[m];
        for (size_t i = 0; t->slots && i < t->n_slots; i++)
            put_series(sink, m, atomic_load_explicit(&t->slots[i].series, memory_order_acquire));
        put_series(sink, m, atomic_load_explicit(&t->rest, memory_order_acquire));
    }
}

static size_t run_length(const found *all, size_t n)
{
    size_t i = 1;
    while (i < n && all[i].metric == all->metric)
        i++;
    return i;
}

// Points of one metric; what has the same labels is summed. A timer has no readers, so none twice.
static ken_metric_family family_of(const found *all, size_t n, ken_arena *arena)
{
    ken_metric_family family = { .def = &defs[all->metric],
                                 .points = KEN_ARENA_ARRAY(arena, ken_metric_point, n) };
    for (size_t i = 0; i < n; i++) {
        if (i && !by_metric_and_labels(&all[i - 1], &all[i]))
            family.points[family.n - 1].value += all[i].point.value;
        else
            family.points[family.n++] = all[i].point;
    }
    return family;
}

size_t ken_metrics_read(ken_arena *arena, ken_metric_family **out)
{
    ken_metrics_sink sink = { .arena = arena };
    ken_metric_family *families = KEN_ARENA_ARRAY(arena, ken_metric_family, KEN_METRIC_END);
    read_sources(&sink);
    if (sink.all.len)
        qsort(sink.all.ptr, sink.all.len, sizeof *sink.all.ptr, by_metric_and_labels);
    size_t n = 0;
    for (size_t i = 0, run; i < sink.all.len; i += run) {
        run = run_length(sink.all.ptr + i, sink.all.len - i);
        families[n++] = family_of(sink.all.ptr + i, run, arena);
    }
    ken_vec_release(&sink.all);
    *out = families;
    return n;
}

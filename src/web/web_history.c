// SPDX-License-Identifier: MIT
// /api/v1/history: what the server did, a sample every ten seconds of the last day; and how large the index of a
// project was, by generation, which the index itself keeps.
//
// The ring has a fixed size. Samples are taken by the tick of the server, so nothing wakes for them. How long operations
// took is counted in buckets, eight for each doubling, which are emptied with each sample.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/projects.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "metrics/metrics.h"
#include "web/web_priv.h"

enum {
    SAMPLE_MS = 10 * 1000,
    SAMPLES = 24 * 3600 / 10,
    PER_DOUBLING = 8,
    BUCKETS = 30 * PER_DOUBLING, // from a microsecond to a quarter of an hour
    LANGS_MAX = 12,              // of a generation
    SECONDS_USUAL = 3600,
    POINTS_USUAL = 360,
};

typedef struct sample {
    int64_t at_ms;
    uint32_t span_ms;
    uint32_t n_requests, n_errors, n_operations, p50_us, p95_us;
    uint32_t own_kib, resident_kib;
    uint32_t n_hits, n_misses; // of caches
    uint32_t n_jobs_running, n_jobs_queued, n_connections;
} sample;

// Counts that only grow, as they were when the last sample was taken.
typedef struct counts {
    int64_t at_ns;
    uint64_t n_requests, n_errors, n_hits, n_misses;
} counts;

struct web_history {
    int statm_fd; // -1 = none
    atomic_uint_fast32_t took[BUCKETS];
    pthread_mutex_t lock; // guards what follows
    sample ring[SAMPLES];
    uint64_t n; // that there were
    counts before;
};

// ---- how long operations take -------------------------------------------------------------------

// Eight steps for each power of two.
static size_t bucket_of(int64_t ns)
{
    uint64_t us = ns > 1000 ? (uint64_t)ns / 1000 : 1, scaled = us;
    size_t power = 0;
    while (scaled >= 2 * PER_DOUBLING) {
        scaled >>= 1;
        power++;
    }
    size_t i = scaled < PER_DOUBLING ? (size_t)scaled
                                     : PER_DOUBLING * (power + 1) + (size_t)scaled - PER_DOUBLING;
    return i < BUCKETS ? i : BUCKETS - 1;
}

// The middle of it, in microseconds.
static uint32_t middle_of(size_t bucket)
{
    if (bucket < 2 * PER_DOUBLING)
        return (uint32_t)bucket;
    size_t power = bucket / PER_DOUBLING - 1;
    uint64_t low = (uint64_t)(bucket % PER_DOUBLING + PER_DOUBLING) << power;
    uint64_t us = low + ((uint64_t)1 << power) / 2;
    return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

void ken_web__note_operation(ken_web *w, int64_t ns)
{
    atomic_fetch_add(&w->history->took[bucket_of(ns)], 1);
}

static void set_times(web_history *h, bool is_last, sample *s)
{
    uint32_t n[BUCKETS];
    uint64_t total = 0, seen = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        n[i] = (uint32_t)(is_last ? atomic_exchange(&h->took[i], 0) : atomic_load(&h->took[i]));
        total += n[i];
    }
    s->n_operations = (uint32_t)total;
    for (size_t i = 0; i < BUCKETS && total; i++) {
        bool was_half = seen * 2 >= total, was_most = seen * 20 >= total * 19;
        seen += n[i];
        if (!was_half && seen * 2 >= total)
            s->p50_us = middle_of(i);
        if (!was_most && seen * 20 >= total * 19)
            s->p95_us = middle_of(i);
    }
}

// ---- samples ------------------------------------------------------------------------------------

// Resident memory, and of it what is nobody else's and no part of a file.
static void set_memory(const web_history *h, sample *s)
{
    char text[128];
    size_t n = h->statm_fd < 0 ? 0 : ken_fs_read_at(h->statm_fd, 0, text, sizeof text);
    ken_str rest = ken_str_n(text, n), word;
    uint64_t pages[3] = { 0 }; // size, resident, shared
    for (size_t i = 0; i < 3 && ken_str_split_next(&rest, ' ', &word); i++)
        (void)ken_str_parse_u64(word, &pages[i]);
    uint64_t kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    s->resident_kib = (uint32_t)(pages[1] * kib);
    s->own_kib = (uint32_t)((pages[1] > pages[2] ? pages[1] - pages[2] : 0) * kib);
}

static void count_caches(counts *out)
{
    ken_arena a;
    ken_metric_family *families = NULL;
    ken_arena_init(&a, 0);
    size_t n = ken_metrics_read(&a, &families);
    for (size_t i = 0; i < n; i++) {
        const ken_metric_family *f = &families[i];
        uint64_t *sum = f->def == ken_metric_def_of(KEN_METRIC_CACHE_HITS)     ? &out->n_hits
                        : f->def == ken_metric_def_of(KEN_METRIC_CACHE_MISSES) ? &out->n_misses
                                                                               : NULL;
        for (size_t k = 0; sum && k < f->n; k++)
            *sum += (uint64_t)f->points[k].value;
    }
    ken_arena_release(&a);
}

static uint32_t since(uint64_t now, uint64_t before)
{
    uint64_t n = now > before ? now - before : 0;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

// What has been done since the last one; `is_last`: and it is the next one in the ring. The lock is held.
static sample take_sample(ken_web *w, const counts *now, bool is_last)
{
    web_history *h = w->history;
    ken_jobs_counts jobs = ken_jobs_count(w->jobs);
    ken_httpd_counts tcp = ken_httpd_count(w->tcp), local = ken_httpd_count(w->local);
    sample s = {
        .at_ms = ken_clock_wall_ms(),
        .span_ms = since((uint64_t)now->at_ns / 1000000, (uint64_t)h->before.at_ns / 1000000),
        .n_requests = since(now->n_requests, h->before.n_requests),
        .n_errors = since(now->n_errors, h->before.n_errors),
        .n_hits = since(now->n_hits, h->before.n_hits),
        .n_misses = since(now->n_misses, h->before.n_misses),
        .n_jobs_running = (uint32_t)jobs.n_running,
        .n_jobs_queued = (uint32_t)jobs.n_queued,
        .n_connections = (uint32_t)(tcp.n_connections + local.n_connections),
    };
    set_memory(h, &s);
    set_times(h, is_last, &s);
    if (is_last) {
        h->before = *now;
        h->ring[h->n++ % SAMPLES] = s;
    }
    return s;
}

static counts count_now(ken_web *w)
{
    counts c = { .at_ns = ken_clock_mono_ns(),
                 .n_requests = atomic_load(&w->n_requests),
                 .n_errors = atomic_load(&w->n_errors) };
    count_caches(&c);
    return c;
}

void ken_web__tick_history(ken_web *w)
{
    web_history *h = w->history;
    if (ken_clock_mono_ns() - h->before.at_ns < (int64_t)SAMPLE_MS * 1000000)
        return; // only this thread sets it
    counts now = count_now(w);
    pthread_mutex_lock(&h->lock);
    (void)take_sample(w, &now, true);
    pthread_mutex_unlock(&h->lock);
}

// ---- the answer ---------------------------------------------------------------------------------

// Several samples as one: sums, the worst 95th percentile, the mean of medians by their operations, and gauges as they
// were last.
static sample merge(const sample *list, size_t n)
{
    sample sum = list[n - 1];
    double medians = 0;
    sum.span_ms = sum.n_requests = sum.n_errors = sum.n_operations = 0;
    sum.n_hits = sum.n_misses = sum.p50_us = sum.p95_us = 0;
    for (size_t i = 0; i < n; i++) {
        const sample *s = &list[i];
        sum.span_ms += s->span_ms;
        sum.n_requests += s->n_requests;
        sum.n_errors += s->n_errors;
        sum.n_operations += s->n_operations;
        sum.n_hits += s->n_hits;
        sum.n_misses += s->n_misses;
        sum.p95_us = s->p95_us > sum.p95_us ? s->p95_us : sum.p95_us;
        medians += (double)s->p50_us * s->n_operations;
    }
    if (sum.n_operations)
        sum.p50_us = (uint32_t)(medians / sum.n_operations);
    return sum;
}

static json_t *sample_json(const sample *s)
{
    json_t *o = json_object();
    ken_json_set_time(o, "at", s->at_ms);
    ken_json_set_real(o, "seconds", (double)s->span_ms / 1000);
    ken_json_set_u64(o, "requests", s->n_requests);
    ken_json_set_u64(o, "errors", s->n_errors);
    ken_json_set_u64(o, "operations", s->n_operations);
    if (s->n_operations) {
        ken_json_set_real(o, "p50_ms", (double)s->p50_us / 1000);
        ken_json_set_real(o, "p95_ms", (double)s->p95_us / 1000);
    }
    ken_json_set_u64(o, "memory_own_bytes", (uint64_t)s->own_kib * 1024);
    ken_json_set_u64(o, "memory_resident_bytes", (uint64_t)s->resident_kib * 1024);
    ken_json_set_u64(o, "cache_hits", s->n_hits);
    ken_json_set_u64(o, "cache_misses", s->n_misses);
    ken_json_set_u64(o, "jobs_running", s->n_jobs_running);
    ken_json_set_u64(o, "jobs_queued", s->n_jobs_queued);
    ken_json_set_u64(o, "connections", s->n_connections);
    return o;
}

// The samples of the last seconds, the oldest first, with the one that is being made; in the arena.
static size_t copy_samples(ken_web *w, uint64_t seconds, ken_arena *arena, sample **out)
{
    web_history *h = w->history;
    int64_t from = ken_clock_wall_ms() - (int64_t)seconds * 1000;
    size_t n = 0;
    counts now = count_now(w);
    pthread_mutex_lock(&h->lock);
    size_t n_kept = h->n < SAMPLES ? (size_t)h->n : SAMPLES;
    sample *list = KEN_ARENA_ARRAY(arena, sample, n_kept + 1);
    for (size_t i = 0; i < n_kept; i++) {
        const sample *s = &h->ring[(h->n - n_kept + i) % SAMPLES];
        if (s->at_ms >= from)
            list[n++] = *s;
    }
    list[n++] = take_sample(w, &now, false);
    pthread_mutex_unlock(&h->lock);
    *out = list;
    return n;
}

static json_t *langs_json(const ken_index_sizes *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_langs && i < LANGS_MAX; i++) {
        json_t *l = json_object();
        ken_json_set_str(l, "language", ken_str_c(s->langs[i].language));
        ken_json_set_u64(l, "files", s->langs[i].n_files);
        ken_json_set_u64(l, "bytes", s->langs[i].n_bytes);
        ken_json_append(list, l);
    }
    return list;
}

static json_t *sizes_json(const ken_index_sizes *s)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "generation", s->generation);
    ken_json_set_time_ms(o, "at", s->at_ms);
    ken_json_set_u64(o, "files", s->n_files);
    ken_json_set_u64(o, "chunks", s->n_chunks);
    ken_json_set_u64(o, "symbols", s->n_symbols);
    ken_json_set_u64(o, "lines", s->n_lines);
    ken_json_set_u64(o, "bytes", s->n_bytes);
    ken_json_set_u64(o, "segment_bytes", s->segment_bytes);
    if (s->store_bytes)
        ken_json_set_u64(o, "store_bytes", s->store_bytes);
    if (s->n_langs)
        ken_json_set(o, "languages", langs_json(s));
    return o;
}

// An index is opened for it, so this is for a worker.
static ken_status set_generations(ken_web *w, ken_httpd_request *r, ken_str named, json_t *o,
                                  ken_err *err)
{
    const web_request *q = ken_web__request(r);
    ken_arena *arena = ken_httpd_arena(r);
    ken_project_info p;
    ken_index_sizes *sizes = NULL;
    size_t n = 0;
    char id[KEN_UUID_TEXT];
    ken_status st = ken_app_find_project(w->app, named, KEN_STR(""), arena, &p, err);
    // Who may know of one project does not learn of others by their names.
    if (q->grant.is_bound && (st || !ken_uuid_eq(p.id, q->grant.project)))
        return KEN_FAIL(err, KEN_EPERM, "this access token is of another project");
    if (!st)
        st = ken_app_load_sizes(w->app, &p, arena, &sizes, &n, err);
    if (st)
        return st;
    json_t *project = json_object(), *list = json_array();
    ken_uuid_format(p.id, id);
    ken_json_set_str(project, "id", ken_str_c(id));
    ken_json_set_str(project, "name", p.name);
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, sizes_json(&sizes[i]));
    ken_json_set(o, "project", project);
    ken_json_set(o, "generations", list);
    return KEN_OK;
}

// False: it was refused.
static bool read_number(ken_httpd_request *r, const char *name, uint64_t max, uint64_t *out)
{
    char text[80];
    ken_str given = ken_httpd_query(r, name);
    if (!given.len || (ken_str_parse_u64(given, out) && *out && *out <= max))
        return true;
    snprintf(text, sizeof text, "%s must be 1 to %llu", name, (unsigned long long)max);
    ken_web__answer_problem(r, 400, "EINVAL", text);
    return false;
}

typedef struct asked { // in the arena of its request
    ken_web *web;
    ken_httpd_request *r;
    uint64_t seconds, points;
    ken_str project; // empty = none
} asked;

static json_t *samples_json(const asked *a)
{
    sample *list;
    size_t n = copy_samples(a->web, a->seconds, ken_httpd_arena(a->r), &list);
    size_t step = (n + a->points - 1) / a->points;
    json_t *o = json_object(), *samples = json_array();
    for (size_t i = 0; i < n; i += step) {
        sample s = merge(&list[i], step < n - i ? step : n - i);
        ken_json_append(samples, sample_json(&s));
    }
    ken_json_set_u64(o, "interval_seconds", SAMPLE_MS / 1000);
    ken_json_set_time(o, "server_since",
                      ken_clock_wall_ms() - (ken_clock_mono_ns() - a->web->started_ns) / 1000000);
    ken_json_set(o, "samples", samples);
    ken_json_set_u64(o, "total", n);
    if (step > 1)
        ken_json_set_u64(o, "merged", step);
    return o;
}

static void answer_of_project(void *ctx, size_t worker)
{
    (void)worker;
    asked *a = ctx;
    ken_err err = { 0 };
    json_t *o = samples_json(a);
    if (!set_generations(a->web, a->r, a->project, o, &err)) {
        ken_web__answer_json(a->r, 200, o);
        return;
    }
    json_decref(o);
    ken_web__answer_failure(a->r, &err);
}

static void get_history(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    asked *a = ken_arena_zalloc(ken_httpd_arena(r), sizeof *a);
    *a = (asked){ .web = w,
                  .r = r,
                  .seconds = SECONDS_USUAL,
                  .points = POINTS_USUAL,
                  .project = ken_httpd_query(r, "project") };
    if (!read_number(r, "seconds", 24 * 3600, &a->seconds) ||
        !read_number(r, "points", SAMPLES, &a->points))
        return;
    if (!a->project.len)
        ken_web__answer_json(r, 200, samples_json(a));
    else if (ken_web__take_named_project(w, r, a->project) &&
             !ken_pool_try_submit(w->pool, answer_of_project, a))
        ken_web__answer_busy(r);
}

// ---- its life -----------------------------------------------------------------------------------

void ken_web__open_history(ken_web *w)
{
    web_history *h = ken_zalloc(sizeof *h);
    pthread_mutex_init(&h->lock, NULL);
    if (ken_fs_open_own("/proc/self/statm", &h->statm_fd, NULL))
        h->statm_fd = -1;
    h->before.at_ns = ken_clock_mono_ns();
    w->history = h;
    ken_web__add_route(w, "GET", "/api/v1/history", get_history, 0);
}

void ken_web__close_history(ken_web *w)
{
    web_history *h = w->history;
    if (!h)
        return;
    ken_fs_close(h->statm_fd);
    pthread_mutex_destroy(&h->lock);
    ken_free(h);
}

// SPDX-License-Identifier: MIT
// /api/v1/history: what the server did, a sample every ten seconds of the last day; and how large the index of each
// project was, since the server began.
//
// The ring has a fixed size. Samples are taken by the tick of the server, so nothing wakes for them; the list of
// projects is looked at by a worker, and an index is opened only when it was made anew. How long operations took is
// counted in buckets, eight for each doubling, which are emptied with each sample.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/projects.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "metrics/metrics.h"
#include "web/web_priv.h"

enum {
    SAMPLE_MS = 10 * 1000,
    SAMPLES = 24 * 3600 / 10,
    LOOK_EVERY = 3, // samples
    PER_DOUBLING = 8,
    BUCKETS = 30 * PER_DOUBLING, // from a microsecond to a quarter of an hour
    PROJECTS_MAX = 256,
    SIZES_MAX = 64, // of a project
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

typedef struct sizes {
    uint64_t generation;
    int64_t at_ms;
    uint64_t n_files, n_chunks, n_symbols, n_lines, n_bytes;
} sizes;

typedef struct project_sizes {
    ken_uuid id;
    char name[84];
    int64_t indexed_at_ms; // when it was looked at
    bool is_there;         // still a project
    KEN_VEC(sizes) points; // the oldest first
} project_sizes;

struct web_history {
    int statm_fd; // -1 = none
    atomic_uint_fast32_t took[BUCKETS];
    atomic_bool is_looking;
    pthread_mutex_t lock; // guards what follows
    sample ring[SAMPLES];
    uint64_t n; // that there were
    counts before;
    KEN_VEC(project_sizes) projects;
    bool has_left_out; // projects, for there are too many
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

// ---- sizes of indexes ---------------------------------------------------------------------------

// The lock is held.
static project_sizes *find_sizes(web_history *h, ken_uuid id)
{
    for (size_t i = 0; i < h->projects.len; i++)
        if (ken_uuid_eq(h->projects.ptr[i].id, id))
            return &h->projects.ptr[i];
    return NULL;
}

// Whether its index is another than when it was looked at.
static bool is_news(web_history *h, const ken_project_info *p)
{
    pthread_mutex_lock(&h->lock);
    project_sizes *known = find_sizes(h, p->id);
    if (!known && h->projects.len < PROJECTS_MAX) {
        ken_vec_push(&h->projects, (project_sizes){ .id = p->id });
        known = &h->projects.ptr[h->projects.len - 1];
    }
    h->has_left_out |= !known;
    bool is_new = known && p->indexed_at_ms && known->indexed_at_ms != p->indexed_at_ms;
    if (known) {
        known->is_there = true;
        known->indexed_at_ms = p->indexed_at_ms;
        snprintf(known->name, sizeof known->name, KEN_STR_FMT,
                 KEN_STR_ARG(ken_utf8_clip(p->name, sizeof known->name - 1)));
    }
    pthread_mutex_unlock(&h->lock);
    return is_new;
}

static void add_sizes(web_history *h, const ken_project_info *p, const ken_generation *g)
{
    const sizes s = { g->number,    g->at_ms,   g->n_files, g->n_chunks,
                      g->n_symbols, g->n_lines, g->n_bytes };
    pthread_mutex_lock(&h->lock);
    project_sizes *of = find_sizes(h, p->id);
    if (of && of->points.len && of->points.ptr[of->points.len - 1].generation == s.generation)
        of = NULL;
    if (of && of->points.len == SIZES_MAX) {
        memmove(of->points.ptr, of->points.ptr + 1, (SIZES_MAX - 1) * sizeof *of->points.ptr);
        of->points.len--;
    }
    if (of)
        ken_vec_push(&of->points, s);
    pthread_mutex_unlock(&h->lock);
}

// Marks all as gone, or lets those go that were not met again.
static void sweep(web_history *h, bool is_end)
{
    pthread_mutex_lock(&h->lock);
    for (size_t i = h->projects.len; i-- > 0;) {
        project_sizes *p = &h->projects.ptr[i];
        if (is_end && !p->is_there) {
            ken_vec_release(&p->points);
            *p = h->projects.ptr[--h->projects.len];
        } else if (!is_end) {
            p->is_there = false;
        }
    }
    pthread_mutex_unlock(&h->lock);
}

static void look_at_projects(void *ctx, size_t worker)
{
    (void)worker;
    ken_web *w = ctx;
    web_history *h = w->history;
    ken_arena a;
    ken_project_info *projects = NULL;
    size_t n = 0;
    ken_arena_init(&a, 0);
    if (!ken_app_list_projects(w->app, &a, &projects, &n, NULL)) {
        sweep(h, false);
        for (size_t i = 0; i < n && !atomic_load(&w->is_stopping); i++) {
            ken_generation g;
            if (is_news(h, &projects[i]) &&
                !ken_app_load_generation(w->app, &projects[i], &a, &g, NULL) && g.number)
                add_sizes(h, &projects[i], &g);
        }
        if (!atomic_load(&w->is_stopping))
            sweep(h, true);
    }
    ken_arena_release(&a);
    atomic_store(&h->is_looking, false);
}

static void begin_look(ken_web *w)
{
    bool is_looking = atomic_exchange(&w->history->is_looking, true);
    if (!is_looking && !ken_pool_try_submit(w->pool, look_at_projects, w))
        atomic_store(&w->history->is_looking, false);
}

void ken_web__tick_history(ken_web *w)
{
    web_history *h = w->history;
    if (ken_clock_mono_ns() - h->before.at_ns < (int64_t)SAMPLE_MS * 1000000)
        return; // only this thread sets it
    counts now = count_now(w);
    pthread_mutex_lock(&h->lock);
    (void)take_sample(w, &now, true);
    bool is_due = h->n % LOOK_EVERY == 1;
    pthread_mutex_unlock(&h->lock);
    if (is_due)
        begin_look(w);
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

static json_t *sizes_json(const project_sizes *p)
{
    char id[KEN_UUID_TEXT];
    json_t *o = json_object(), *list = json_array();
    ken_uuid_format(p->id, id);
    ken_json_set_str(o, "id", ken_str_c(id));
    ken_json_set_str(o, "name", ken_str_c(p->name));
    for (size_t i = 0; i < p->points.len; i++) {
        const sizes *s = &p->points.ptr[i];
        json_t *g = json_object();
        ken_json_set_u64(g, "generation", s->generation);
        ken_json_set_time(g, "at", s->at_ms);
        ken_json_set_u64(g, "files", s->n_files);
        ken_json_set_u64(g, "chunks", s->n_chunks);
        ken_json_set_u64(g, "symbols", s->n_symbols);
        ken_json_set_u64(g, "lines", s->n_lines);
        ken_json_set_u64(g, "bytes", s->n_bytes);
        ken_json_append(list, g);
    }
    ken_json_set(o, "generations", list);
    return o;
}

// Of one project, where the caller may know of no other.
static void set_projects(web_history *h, const ken_grant *grant, json_t *o)
{
    json_t *list = json_array();
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->projects.len; i++)
        if (!grant->is_bound || ken_uuid_eq(grant->project, h->projects.ptr[i].id))
            ken_json_append(list, sizes_json(&h->projects.ptr[i]));
    if (h->has_left_out && !grant->is_bound)
        ken_json_set_bool(o, "truncated", true);
    pthread_mutex_unlock(&h->lock);
    ken_json_set(o, "projects", list);
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

static void get_history(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    const web_request *q = ken_web__request(r);
    uint64_t seconds = SECONDS_USUAL, points = POINTS_USUAL;
    sample *list;
    if (!read_number(r, "seconds", 24 * 3600, &seconds) ||
        !read_number(r, "points", SAMPLES, &points))
        return;
    size_t n = copy_samples(w, seconds, ken_httpd_arena(r), &list);
    size_t step = (n + points - 1) / points;
    json_t *o = json_object(), *samples = json_array();
    for (size_t i = 0; i < n; i += step) {
        sample s = merge(&list[i], step < n - i ? step : n - i);
        ken_json_append(samples, sample_json(&s));
    }
    ken_json_set_u64(o, "interval_seconds", SAMPLE_MS / 1000);
    ken_json_set_time(o, "server_since",
                      ken_clock_wall_ms() - (ken_clock_mono_ns() - w->started_ns) / 1000000);
    ken_json_set(o, "samples", samples);
    ken_json_set_u64(o, "total", n);
    if (step > 1)
        ken_json_set_u64(o, "merged", step);
    set_projects(w->history, &q->grant, o);
    ken_web__answer_json(r, 200, o);
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

void ken_web__begin_history(ken_web *w)
{
    begin_look(w);
}

void ken_web__close_history(ken_web *w)
{
    web_history *h = w->history;
    if (!h)
        return;
    for (size_t i = 0; i < h->projects.len; i++)
        ken_vec_release(&h->projects.ptr[i].points);
    ken_vec_release(&h->projects);
    ken_fs_close(h->statm_fd);
    pthread_mutex_destroy(&h->lock);
    ken_free(h);
}

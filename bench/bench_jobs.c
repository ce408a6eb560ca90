// SPDX-License-Identifier: MIT
// Taking jobs of a database: 1,000 jobs of 200 projects are queued, and workers (threads with a connection
// each) take them and say that they are done, as fast as they can.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "bench.h"
#include "store/jobs.h"

static const char help[] =
    "bench_jobs [--jobs WORKERS] [--json]\n"
    "  jobs taken and ended a second, in the empty PostgreSQL database of KEN_BENCH_DATABASE_URL";

enum {
    N_JOBS = KEN_JOBS_QUEUED_MAX,
    N_PROJECTS = 200,
    LEASE_MS = 30000,
};

typedef KEN_VEC(int64_t) times;

typedef struct taker {
    ken_database *db;
    times ns; // that each took
    pthread_t thread;
} taker;

static ken_err err;

static int64_t queue_all(ken_database *db)
{
    ken_catalog *c = NULL;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    bench_check(ken_catalog_open_in(db, false, &c, &err), &err);
    int64_t began = ken_clock_mono_ns();
    for (int i = 0; i < N_JOBS; i++) {
        bool is_new = false;
        ken_job out, j = { .id = ken_uuid_random(),
                           .kind = KEN_JOB_INDEX,
                           .has_project = true,
                           .project = { { 1, (uint8_t)(i % N_PROJECTS) } },
                           .params = ken_arena_printf(&arena, "{\"n\":%d}", i),
                           .created_at_ms = ken_clock_wall_ms() };
        bench_check(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), &err);
    }
    int64_t ns = ken_clock_mono_ns() - began;
    ken_catalog_close(c);
    ken_arena_release(&arena);
    return ns;
}

static bool is_left(ken_catalog *c, ken_arena *arena)
{
    const ken_job_filter f = { .state = KEN_JOB_QUEUED, .limit = 1 };
    ken_job *rows = NULL;
    size_t n = 0;
    bench_check(ken_catalog_list_jobs(c, &f, arena, &rows, &n, &err), &err);
    return n > 0;
}

static void *take_all(void *ctx)
{
    taker *t = ctx;
    ken_catalog *c = NULL;
    ken_arena arena;
    ken_err e = { 0 };
    ken_arena_init(&arena, 0);
    bench_check(ken_catalog_open_in(t->db, false, &c, &e), &e);
    for (;;) {
        ken_job j;
        const ken_job_claim how = { .worker = KEN_STR("bench:1"),
                                    .now_ms = ken_clock_wall_ms(),
                                    .lease_ms = LEASE_MS };
        const ken_job_end end = { .state = KEN_JOB_DONE, .at_ms = ken_clock_wall_ms() };
        int64_t began = ken_clock_mono_ns();
        ken_status st = ken_catalog_claim_job(c, &how, &arena, &j, &e);
        if (st == KEN_ENOTFOUND && !is_left(c, &arena))
            break;
        if (st == KEN_ENOTFOUND)
            continue;
        bench_check(st, &e);
        ken_vec_push(&t->ns, ken_clock_mono_ns() - began);
        bench_check(ken_catalog_end_job(c, &j, &end, &e), &e);
    }
    ken_catalog_close(c);
    ken_arena_release(&arena);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

BENCH_MAIN(jobs)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    const char *url = getenv("KEN_BENCH_DATABASE_URL");
    ken_database *db = NULL;
    size_t n_workers = a.n_jobs ? a.n_jobs : 3;
    if (!url)
        bench_die("KEN_BENCH_DATABASE_URL must name an empty database");
    bench_check(ken_database_open(&(ken_database_opts){ .url = url }, &db, &err), &err);
    int64_t queue_ns = queue_all(db);
    taker *t = ken_zalloc(n_workers * sizeof *t);
    times all = { 0 };
    int64_t began = ken_clock_mono_ns();
    for (size_t i = 0; i < n_workers; i++) {
        t[i].db = db;
        if (pthread_create(&t[i].thread, NULL, take_all, &t[i]))
            bench_die("no thread");
    }
    for (size_t i = 0; i < n_workers; i++) {
        (void)pthread_join(t[i].thread, NULL);
        for (size_t k = 0; k < t[i].ns.len; k++)
            ken_vec_push(&all, t[i].ns.ptr[k]);
        ken_vec_release(&t[i].ns);
    }
    double s = (double)(ken_clock_mono_ns() - began) / 1e9;
    qsort(all.ptr, all.len, sizeof *all.ptr, compare);
    json_t *report = bench_report("jobs", NULL);
    ken_json_set_u64(report, "workers", n_workers);
    ken_json_set_u64(report, "jobs", all.len);
    ken_json_set_real(report, "queued_per_second", N_JOBS / ((double)queue_ns / 1e9));
    ken_json_set_real(report, "taken_and_ended_per_second", (double)all.len / s);
    ken_json_set_real(report, "take_p50_ms", bench_ms(all.ptr[all.len / 2]));
    ken_json_set_real(report, "take_p99_ms", bench_ms(all.ptr[all.len * 99 / 100]));
    bench_print(report);
    ken_vec_release(&all);
    ken_free(t);
    ken_database_close(db);
    return 0;
}

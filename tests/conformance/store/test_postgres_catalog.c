// SPDX-License-Identifier: MIT
// What is PostgreSQL's own in the catalog: several writers at once, connections that are lost, its version
// of the schema, and rights.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/arena.h"
#include "ktest.h"
#include "postgres_lab.h"
#include "store/access_tokens.h"
#include "store/jobs.h"
#include "store/notices.h"
#include "store/postgres/postgres_lib_priv.h"
#include "store/remotes.h"
#include "store/store.h"
#include "store/tasks.h"
#include "store/workers.h"

static ken_err err;
static ken_arena arena;
static char url[600];
static ken_database *db;

static ken_catalog *open_catalog(void)
{
    ken_catalog *c = NULL;
    kt_ok_err(ken_catalog_open_in(db, false, &c, &err), &err);
    return c;
}

#define POSTGRES_TEST(name)                                      \
    static void body_##name(void);                               \
    KEN_TEST(name)                                               \
    {                                                            \
        if (!lab_has_postgres())                                 \
            return;                                              \
        err = (ken_err){ .msg = "" };                            \
        ken_arena_init(&arena, 0);                               \
        snprintf(url, sizeof url, "%s", lab_new_migrated_url()); \
        db = lab_open(url);                                      \
        body_##name();                                           \
        ken_database_close(db);                                  \
        ken_arena_release(&arena);                               \
    }                                                            \
    static void body_##name(void)

// ---- several writers at once -------------------------------------------------------------------

enum {
    N_THREADS = 4,
    N_EACH = 20
};

typedef struct racer {
    ken_uuid jobs[N_EACH];
    int n; // of the thread
    int n_won, n_lost, n_wrong;
    char message[480];
} racer;

static void count(racer *r, ken_status st, ken_status lost, const ken_err *e)
{
    r->n_won += st == KEN_OK;
    r->n_lost += st == lost;
    r->n_wrong += st && st != lost;
    if (st && st != lost)
        snprintf(r->message, sizeof r->message, "%s", e->msg);
}

static void race(void *(*run)(void *), racer r[N_THREADS])
{
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        r[i].n = i;
        kt_eq_i(pthread_create(&threads[i], NULL, run, &r[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        kt_eq_i(pthread_join(threads[i], NULL), 0);
        kt_eq_str(r[i].message, "");
        kt_eq_i(r[i].n_wrong, 0);
    }
}

static int sum_won(const racer r[N_THREADS])
{
    int n = 0;
    for (int i = 0; i < N_THREADS; i++)
        n += r[i].n_won;
    return n;
}

enum {
    LEASE_MS = 60000,
    MISSES_MAX = 40, // of a worker: a project that another is at is passed over
};

static ken_job new_job(int i)
{
    return (ken_job){ .id = ken_uuid_random(),
                      .kind = KEN_JOB_INDEX,
                      .has_project = true,
                      .project = { { 1, (uint8_t)i } },
                      .params = KEN_STR("{}"),
                      .created_at_ms = 1000 + i };
}

static ken_job add_job(ken_catalog *c, ken_job j)
{
    bool is_new = false;
    ken_job out;
    kt_ok_err(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), &err);
    return out;
}

static void *claim_all(void *ctx)
{
    racer *r = ctx;
    ken_err e = { .msg = "" };
    ken_catalog *c = NULL;
    ken_arena a;
    ken_arena_init(&a, 0);
    const ken_job_claim how = { .worker = KEN_STR("w"), .now_ms = 5, .lease_ms = LEASE_MS };
    ken_status st = ken_catalog_open_in(db, false, &c, &e);
    for (int n_missed = 0; !st && n_missed < MISSES_MAX;) {
        ken_job j;
        ken_status one = ken_catalog_claim_job(c, &how, &a, &j, &e);
        count(r, one, KEN_ENOTFOUND, &e);
        n_missed += one != KEN_OK;
        if (!one)
            r->jobs[r->n_won - 1] = j.id;
    }
    ken_catalog_close(c);
    ken_arena_release(&a);
    return NULL;
}

POSTGRES_TEST(each_job_is_taken_by_one_of_many_workers)
{
    ken_catalog *c = open_catalog();
    racer r[N_THREADS] = { { .n = 0 } };
    for (int i = 0; i < N_EACH; i++) {
        (void)add_job(c, new_job(i));
        ken_job second = new_job(i); // waits for the first: one of a project runs
        second.params = KEN_STR("{\"force\":true}");
        (void)add_job(c, second);
    }
    race(claim_all, r);
    kt_eq_i(sum_won(r), N_EACH);
    for (int t = 0; t < N_THREADS * N_EACH; t++)
        for (int u = 0; u < t; u++) {
            const racer *a = &r[t / N_EACH], *b = &r[u / N_EACH];
            if (t % N_EACH < a->n_won && u % N_EACH < b->n_won)
                kt_false(ken_uuid_eq(a->jobs[t % N_EACH], b->jobs[u % N_EACH]));
        }
    kt_eq_i(lab_number(url, "SELECT count(*) FROM ken.jobs WHERE state = 'running' AND fence = 1"),
            N_EACH);
    kt_eq_i(lab_number(url, "SELECT count(DISTINCT project) FROM ken.jobs WHERE state = 'running'"),
            N_EACH);
    ken_catalog_close(c);
}

static ken_job claim_one(ken_catalog *c, const char *worker, uint32_t lease_ms)
{
    ken_job j = { .kind = KEN_JOB_NONE };
    const ken_job_claim how = { .worker = ken_str_c(worker), .now_ms = 5, .lease_ms = lease_ms };
    ken_status st = ken_catalog_claim_job(c, &how, &arena, &j, &err);
    if (st != KEN_ENOTFOUND)
        kt_ok_err(st, &err);
    return j;
}

static size_t count_expired(ken_catalog *c)
{
    ken_job *rows;
    size_t n = 0;
    const ken_job_filter f = { .is_expired = true, .limit = 10 };
    kt_ok_err(ken_catalog_list_jobs(c, &f, &arena, &rows, &n, &err), &err);
    return n;
}

POSTGRES_TEST(who_comes_back_with_an_old_fence_changes_nothing)
{
    ken_catalog *c = open_catalog();
    bool wants_end = false;
    (void)add_job(c, new_job(1));
    const ken_job old = claim_one(c, "first", 1);
    usleep(20000);
    kt_eq_u(count_expired(c), 1);
    ken_job_end e = { .state = KEN_JOB_INTERRUPTED,
                      .error = KEN_STR("nothing was heard"),
                      .is_tried_again = true,
                      .counts = true,
                      .wait_ms = 1,
                      .needs_expired = true };
    kt_ok_err(ken_catalog_end_job(c, &old, &e, &err), &err);
    usleep(20000);
    const ken_job now = claim_one(c, "second", LEASE_MS);
    kt_true(ken_uuid_eq(now.id, old.id));
    kt_true(now.fence > old.fence);
    kt_eq_text(now.worker, "second");
    kt_eq_u(now.n_tries, 1);
    kt_status(ken_catalog_note_job(c, &old, LEASE_MS, &wants_end, &err), KEN_ENOTFOUND);
    e = (ken_job_end){ .state = KEN_JOB_DONE };
    kt_status(ken_catalog_end_job(c, &old, &e, &err), KEN_ENOTFOUND);
    e.needs_expired = true; // and nobody takes away what is prolonged
    kt_eq_u(count_expired(c), 0);
    kt_status(ken_catalog_end_job(c, &now, &e, &err), KEN_ENOTFOUND);
    e.needs_expired = false;
    kt_ok_err(ken_catalog_note_job(c, &now, LEASE_MS, &wants_end, &err), &err);
    kt_ok_err(ken_catalog_end_job(c, &now, &e, &err), &err);
    kt_status(ken_catalog_end_job(c, &now, &e, &err), KEN_ENOTFOUND);
    ken_catalog_close(c);
}

POSTGRES_TEST(what_is_tried_again_waits)
{
    ken_catalog *c = open_catalog();
    (void)add_job(c, new_job(1));
    const ken_job j = claim_one(c, "w", LEASE_MS);
    const ken_job_end e = { .state = KEN_JOB_FAILED, .is_tried_again = true, .wait_ms = 300 };
    int64_t began = ken_clock_wall_ms();
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    ken_job again = claim_one(c, "w", LEASE_MS);
    if (ken_clock_wall_ms() - began < 250)
        kt_eq_u(again.kind, KEN_JOB_NONE);
    while (again.kind == KEN_JOB_NONE && ken_clock_wall_ms() - began < 20000)
        again = claim_one(c, "w", LEASE_MS);
    kt_eq_u(again.fence, j.fence + 1);
    kt_true(ken_clock_wall_ms() - began >= 290);
    ken_catalog_close(c);
}

// A process that stops in the middle of taking a job holds up its project and no other.
POSTGRES_TEST(a_worker_that_hangs_holds_up_one_project)
{
    ken_catalog *c = open_catalog();
    for (int i = 0; i < 3; i++)
        (void)add_job(c, new_job(i));
    PGconn *hung = PQconnectdb(url);
    PQclear(PQexec(hung, "BEGIN"));
    PQclear(
        PQexec(hung, "SELECT 1 FROM ken.job_turns ORDER BY served_at, project LIMIT 1 FOR UPDATE"));
    kt_eq_u(claim_one(c, "w", LEASE_MS).kind, KEN_JOB_INDEX);
    kt_eq_u(claim_one(c, "w", LEASE_MS).kind, KEN_JOB_INDEX);
    kt_eq_u(claim_one(c, "w", LEASE_MS).kind, KEN_JOB_NONE);
    PQfinish(hung);
    for (int i = 0; i < 100 && claim_one(c, "w", LEASE_MS).kind == KEN_JOB_NONE; i++)
        usleep(20000);
    kt_eq_i(lab_number(url, "SELECT count(*) FROM ken.jobs WHERE state = 'running'"), 3);
    ken_catalog_close(c);
}

// ---- who writes an index -----------------------------------------------------------------------

static ken_index_lease lease_of(const char *holder, const char *place, uint32_t lease_ms)
{
    return (ken_index_lease){ .index = KEN_STR("project-x"),
                              .run = ken_uuid_random(),
                              .holder = ken_str_c(holder),
                              .place = ken_str_c(place),
                              .lease_ms = lease_ms };
}

static ken_store *open_index_for(ken_uuid run)
{
    ken_store *s = NULL;
    const ken_store_opts o = { .path = "project-x", .database = db, .run = run };
    kt_ok_err(ken_store_open(&o, &s, &err), &err);
    return s;
}

static ken_status put_value(ken_store *s)
{
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_ok_err(ken_store_put_value(s, KEN_STR("k"), KEN_STR("v"), &err), &err);
    return ken_store_commit(s, &err);
}

POSTGRES_TEST(a_run_that_lost_its_lease_commits_nothing)
{
    const ken_index_lease first = lease_of("a:1", "", 300), second = lease_of("b:2", "", LEASE_MS);
    ken_str holder, note;
    kt_ok_err(ken_database_take_run(db, &first, &err), &err);
    kt_ok_err(ken_database_keep_run(db, &first, KEN_STR("indexing"), &err), &err);
    kt_status(ken_database_take_run(db, &second, &err), KEN_EBUSY);
    kt_has_str(err.msg, "'a:1' is writing the index 'project-x'");
    kt_ok_err(ken_database_find_run(db, first.index, &arena, &holder, &note, &err), &err);
    kt_eq_text(holder, "a:1");
    kt_eq_text(note, "indexing");
    ken_store *old = open_index_for(first.run);
    kt_ok_err(put_value(old), &err);
    // It is in the middle of a transaction when its lease ends, and hangs there.
    kt_ok_err(ken_store_begin_write(old, &err), &err);
    kt_ok_err(ken_store_put_value(old, KEN_STR("k"), KEN_STR("late"), &err), &err);
    usleep(500000);
    kt_status(ken_database_find_run(db, first.index, &arena, &holder, &note, &err), KEN_ENOTFOUND);
    kt_ok_err(ken_database_take_run(db, &second, &err), &err);
    kt_status(ken_database_keep_run(db, &first, KEN_STR(""), &err), KEN_ENOTFOUND);
    kt_status(ken_store_commit(old, &err), KEN_EBUSY);
    kt_has_str(err.msg, "taken over");
    kt_status(put_value(old), KEN_EBUSY);
    ken_store *now = open_index_for(second.run);
    kt_ok_err(put_value(now), &err);
    kt_ok_err(ken_database_end_run(db, &first, &err), &err); // it is not its own any more
    kt_ok_err(put_value(now), &err);
    kt_ok_err(ken_database_end_run(db, &second, &err), &err);
    kt_status(put_value(now), KEN_EBUSY);
    ken_store_close(old);
    ken_store_close(now);
}

// A process of this machine that was killed has lost its lock file: nobody waits for its lease.
POSTGRES_TEST(who_has_the_lock_of_the_same_place_takes_over_at_once)
{
    const ken_index_lease killed = lease_of("a:1", "boot 1:2", LEASE_MS),
                          other = lease_of("b:1", "boot 1:3", LEASE_MS),
                          next = lease_of("a:2", "boot 1:2", LEASE_MS);
    kt_ok_err(ken_database_take_run(db, &killed, &err), &err);
    kt_status(ken_database_take_run(db, &other, &err), KEN_EBUSY);
    kt_ok_err(ken_database_take_run(db, &next, &err), &err);
    kt_status(ken_database_keep_run(db, &killed, KEN_STR(""), &err), KEN_ENOTFOUND);
}

// ---- what is told ------------------------------------------------------------------------------

KEN_TEST(payloads_that_nobody_of_ours_sends_are_nothing)
{
    static const char *const bad[] = { "",
                                       "job",
                                       "job ",
                                       "job 1",
                                       "JOB 01000000-0000-0000-0000-000000000000",
                                       "job 01000000-0000-0000-0000-000000000000 ",
                                       "index 01000000-0000-0000-0000-000000000000",
                                       "index project-notes-1" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        kt_eq_u(ken_notice_read(ken_str_c(bad[i])).kind, KEN_NOTICE_NONE);
    ken_notice n = ken_notice_read(KEN_STR("new 01000000-0000-0000-0000-000000000000"));
    kt_eq_u(n.kind, KEN_NOTICE_NEW_JOB);
    kt_eq_u(n.id.bytes[0], 1);
    n = ken_notice_read(KEN_STR("index project-01000000-0000-0000-0000-000000000000"));
    kt_eq_u(n.kind, KEN_NOTICE_INDEX);
}

static ken_notice hear(ken_notices *n)
{
    ken_notice out = { .kind = KEN_NOTICE_NONE };
    kt_ok_err(ken_notices_wait(n, -1, 5000, &out, &err), &err);
    return out;
}

POSTGRES_TEST(changes_of_jobs_are_heard)
{
    ken_catalog *c = open_catalog();
    ken_notices *n = NULL;
    ken_notice none;
    kt_ok_err(ken_notices_open(db, &n, &err), &err);
    lab_sql(url, "NOTIFY ken, 'nonsense'");
    ken_job j = add_job(c, new_job(1));
    ken_notice heard = hear(n);
    kt_eq_u(heard.kind, KEN_NOTICE_NEW_JOB);
    kt_true(ken_uuid_eq(heard.id, j.id));
    j = claim_one(c, "w", LEASE_MS);
    kt_eq_u(hear(n).kind, KEN_NOTICE_JOB);
    const ken_job_end e = { .state = KEN_JOB_DONE };
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    heard = hear(n);
    kt_eq_u(heard.kind, KEN_NOTICE_JOB);
    kt_true(ken_uuid_eq(heard.id, j.id));
    kt_ok_err(ken_notices_wait(n, -1, 50, &none, &err), &err);
    kt_eq_u(none.kind, KEN_NOTICE_NONE);
    lab_sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                 "current_database() AND pid <> pg_backend_pid()");
    kt_status(ken_notices_wait(n, -1, 5000, &none, &err), KEN_EIO);
    ken_notices_close(n);
    ken_catalog_close(c);
}

// ---- workers -----------------------------------------------------------------------------------

POSTGRES_TEST(workers_are_there_as_long_as_they_say_so)
{
    ken_worker *list, w = { .id = ken_uuid_random(),
                            .name = KEN_STR("host:1"),
                            .kind = KEN_STR("worker"),
                            .version = KEN_STR("1"),
                            .max_running = 2 };
    size_t n = 0;
    int64_t n_there = -1;
    kt_ok_err(ken_database_put_worker(db, &w, 200, &err), &err);
    w.n_done = 7;
    kt_ok_err(ken_database_put_worker(db, &w, 200, &err), &err);
    kt_ok_err(ken_database_count_workers(db, &n_there, &err), &err);
    kt_eq_i(n_there, 1);
    usleep(400000);
    kt_ok_err(ken_database_count_workers(db, &n_there, &err), &err);
    kt_eq_i(n_there, 0);
    kt_ok_err(ken_database_list_workers(db, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 1);
    kt_false(list[0].is_alive);
    kt_eq_u(list[0].n_done, 7);
    kt_ok_err(ken_database_remove_worker(db, w.id, &err), &err);
    kt_ok_err(ken_database_list_workers(db, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 0);
}

// ---- several writers at once, again ------------------------------------------------------------

static void *queue_same(void *ctx)
{
    racer *r = ctx;
    ken_err e = { .msg = "" };
    ken_catalog *c = NULL;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = ken_catalog_open_in(db, false, &c, &e);
    for (int i = 0; !st && i < N_EACH; i++) {
        bool is_new = false;
        ken_job out, j = { .id = ken_uuid_random(),
                           .kind = KEN_JOB_MODEL_DOWNLOAD,
                           .params = ken_arena_printf(&a, "{\"model\":\"%d\"}", i) };
        st = ken_catalog_add_job(c, &j, &a, &out, &is_new, &e);
        count(r, st || is_new ? st : KEN_EEXIST, KEN_EEXIST, &e);
    }
    ken_catalog_close(c);
    ken_arena_release(&a);
    return NULL;
}

POSTGRES_TEST(the_same_job_is_queued_once)
{
    racer r[N_THREADS] = { { .n = 0 } };
    race(queue_same, r);
    kt_eq_i(sum_won(r), N_EACH);
}

static void *take_root(void *ctx)
{
    racer *r = ctx;
    ken_err e = { .msg = "" };
    ken_catalog *c = NULL;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = ken_catalog_open_in(db, false, &c, &e);
    for (int i = 0; !st && i < N_EACH; i++) {
        ken_catalog_row row;
        ken_str root = ken_arena_printf(&a, "/root/%d", i);
        count(r, ken_catalog_add_as(c, ken_uuid_random(), root, KEN_STR(""), 1, &a, &row, &e),
              KEN_EEXIST, &e);
    }
    ken_catalog_close(c);
    ken_arena_release(&a);
    return NULL;
}

POSTGRES_TEST(a_root_is_of_one_project)
{
    racer r[N_THREADS] = { { .n = 0 } };
    race(take_root, r);
    kt_eq_i(sum_won(r), N_EACH);
    kt_eq_i(lab_number(url, "SELECT count(*) FROM ken.projects"), N_EACH);
}

static ken_task task_of(const char *title)
{
    return (ken_task){ .uuid = ken_uuid_random(),
                       .title = ken_str_c(title),
                       .status = KEN_STR("open"),
                       .created_at_ms = 1000 };
}

static void *add_tasks(void *ctx)
{
    racer *r = ctx;
    ken_err e = { .msg = "" };
    ken_catalog *c = NULL;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = ken_catalog_open_in(db, false, &c, &e);
    for (int i = 0; !st && i < N_EACH; i++) {
        ken_task out, t = task_of("t");
        st = ken_catalog_add_task(c, &t, &a, &out, &e);
        const ken_task_edit edit = { .branch = KEN_STR("main"), .status = KEN_STR("done") };
        if (!st)
            st = ken_catalog_update_task(c, t.uuid, &edit, &a, &out, &e);
        count(r, st, KEN_OK, &e);
    }
    ken_catalog_close(c);
    ken_arena_release(&a);
    return NULL;
}

typedef struct follower {
    int64_t rev;
    int n_seen, n_late; // late: with a rev that was passed already
    atomic_bool is_over;
} follower;

static void see(void *ctx, const ken_task *t, ken_str branches)
{
    follower *f = ctx;
    (void)branches;
    f->n_late += t->rev <= f->rev;
    f->n_seen++;
    f->rev = t->rev;
}

static void *follow(void *ctx)
{
    follower *f = ctx;
    ken_err e = { .msg = "" };
    ken_catalog *c = NULL;
    ken_status st = ken_catalog_open_in(db, true, &c, &e);
    for (bool is_last = false; !st && !is_last;) {
        is_last = atomic_load(&f->is_over);
        st = ken_catalog_scan_tasks(c, f->rev, see, f, &e);
    }
    ken_catalog_close(c);
    return NULL;
}

// Whoever asks for what is above the rev he has misses nothing, whatever is being committed.
POSTGRES_TEST(revs_become_visible_in_their_order)
{
    racer r[N_THREADS] = { { .n = 0 } };
    follower f = { .rev = 0 };
    pthread_t thread;
    kt_eq_i(pthread_create(&thread, NULL, follow, &f), 0);
    race(add_tasks, r);
    atomic_store(&f.is_over, true);
    kt_eq_i(pthread_join(thread, NULL), 0);
    kt_eq_i(f.n_late, 0);
    kt_true(f.n_seen >= N_THREADS * N_EACH);
    kt_eq_i(f.rev, 2 * N_THREADS * N_EACH);
    kt_eq_i(lab_number(url, "SELECT max(rev) FROM ken.tasks"), f.rev);
    kt_eq_i(lab_number(url, "SELECT n FROM ken.task_counts WHERE branch_name = 'main'"),
            N_THREADS * N_EACH);
    kt_eq_i(lab_number(url, "SELECT count(*) FROM ken.task_counts"), 2);
}

// ---- texts -------------------------------------------------------------------------------------

// The database takes UTF-8 without NUL: what is not is kept repaired, and known again.
POSTGRES_TEST(texts_that_are_no_utf8_are_repaired)
{
    ken_catalog *c = open_catalog();
    ken_task out, t = task_of("caf\xe9");
    t.notes = KEN_STR("a\0b");
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &out, &err), &err);
    kt_eq_text(out.title, "caf\xef\xbf\xbd");
    kt_eq_text(out.notes, "a b");
    const ken_task_edit edit = { .branch = KEN_STR("b\xff"), .title = KEN_STR("caf\xe9") };
    kt_ok_err(ken_catalog_update_task(c, t.uuid, &edit, &arena, &out, &err), &err);
    int64_t rev = out.rev;
    kt_ok_err(ken_catalog_update_task(c, t.uuid, &edit, &arena, &out, &err), &err);
    kt_eq_u(out.n_branches, 1);
    kt_eq_i(out.rev, rev); // nothing was different
    const ken_task_edit unlink = { .lost_branch = KEN_STR("b\xff") };
    kt_ok_err(ken_catalog_update_task(c, t.uuid, &unlink, &arena, &out, &err), &err);
    kt_eq_u(out.n_branches, 0);
    ken_catalog_close(c);
}

// ---- lost connections --------------------------------------------------------------------------

static __typeof__(PQpipelineSync) *really_sync;
static int n_sent, kill_at; // the statement whose connection is ended before it is sent

static int end_and_sync(PGconn *pg)
{
    char sql[80];
    if (++n_sent == kill_at) {
        snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%d, 10000)", PQbackendPID(pg));
        lab_sql(url, sql);
    }
    return really_sync(pg);
}

// It is the process's, and no constant.
static ken_pg_lib *lib(void)
{
    const ken_pg_lib *is = NULL;
    kt_ok_err(ken_store__pg_lib(&is, &err), &err);
    return (ken_pg_lib *)(uintptr_t)is;
}

static ken_status do_add_task(ken_catalog *c, const char *name)
{
    ken_task_reference refs[] = { { KEN_STR("a"), KEN_STR("plan"), 0 },
                                  { KEN_STR("b"), KEN_STR("plan"), 0 } };
    ken_task out, t = task_of(name);
    t.references = refs;
    t.n_references = 2;
    return ken_catalog_add_task(c, &t, &arena, &out, &err);
}

static ken_uuid edited; // a task that is there

static ken_status do_edit_task(ken_catalog *c, const char *name)
{
    ken_task out;
    const ken_task_edit e = { .branch = ken_str_c(name), .title = ken_str_c(name), .now_ms = 1 };
    return ken_catalog_update_task(c, edited, &e, &arena, &out, &err);
}

static ken_status do_add_project(ken_catalog *c, const char *name)
{
    ken_catalog_row row;
    ken_str root = ken_arena_printf(&arena, "/%s", name);
    return ken_catalog_add(c, root, ken_str_c(name), 1, &arena, &row, &err);
}

static ken_status do_add_job(ken_catalog *c, const char *name)
{
    bool is_new = false;
    ken_job out,
        j = { .id = ken_uuid_random(), .kind = KEN_JOB_MODEL_DOWNLOAD, .params = ken_str_c(name) };
    ken_status st = ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err);
    kt_true(st || is_new);
    return st;
}

static ken_status do_add_token(ken_catalog *c, const char *name)
{
    const ken_access_token t = { .id = ken_uuid_random(),
                                 .name = ken_str_c(name),
                                 .hash = ken_sha256_of(name, strlen(name)),
                                 .scopes = 1,
                                 .created_at_ms = 1 };
    return ken_catalog_add_token(c, &t, &err);
}

typedef struct deed {
    const char *name;
    ken_status (*run)(ken_catalog *c, const char *name);
    const char *where; // the name is kept
} deed;

static const deed deeds[] = {
    { "task", do_add_task, "tasks WHERE title" },
    { "edit", do_edit_task, "task_branch_links WHERE branch_name" },
    { "project", do_add_project, "repositories WHERE name" },
    { "job", do_add_job, "jobs WHERE params" },
    { "token", do_add_token, "access_tokens WHERE name" },
};

static int64_t find_done(const deed *d, const char *name)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM ken.%s = '%s'", d->where, name);
    return lab_number(url, sql);
}

// Ends the connection before statement 1, then 2, and so on: the work is done once all the same, but where
// it was the commit, which nobody can know. Returns how many statements there are.
static int do_under_fire(ken_catalog *c, const deed *d)
{
    int n_unknown = 0, n = 0;
    for (bool is_hit = true; is_hit && n < 60;) {
        char name[32];
        snprintf(name, sizeof name, "%s-%d", d->name, ++n);
        n_sent = 0;
        kill_at = n;
        err = (ken_err){ .msg = "" };
        ken_status st = d->run(c, name);
        is_hit = n_sent >= kill_at;
        kill_at = 0;
        if (st) {
            kt_status(st, KEN_EIO);
            kt_has_str(err.msg, "not known whether it was kept");
            kt_eq_i(find_done(d, name), 0); // it had not been sent
            n_unknown++;
        } else {
            kt_eq_i(find_done(d, name), 1);
        }
    }
    kt_eq_i(n_unknown, 1);
    return n - 1;
}

POSTGRES_TEST(a_lost_connection_loses_and_doubles_nothing)
{
    ken_catalog *c = open_catalog();
    ken_task out, t = task_of("edited");
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &out, &err), &err);
    edited = t.uuid;
    really_sync = lib()->PQpipelineSync;
    lib()->PQpipelineSync = end_and_sync;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        kt_true(do_under_fire(c, &deeds[i]) >= 3);
    lib()->PQpipelineSync = really_sync;
    // The totals are right after all that.
    kt_eq_i(lab_number(url, "SELECT n - (SELECT count(*) FROM ken.tasks) FROM ken.task_counts "
                            "WHERE branch_name = ''"),
            0);
    kt_eq_i(lab_number(url, "SELECT sum(n) - (SELECT count(*) FROM ken.task_branch_links) "
                            "FROM ken.task_counts WHERE branch_name <> ''"),
            0);
    kt_eq_i(lab_number(url, "SELECT (SELECT max(rev) FROM ken.tasks) - rev FROM ken.task_clock"),
            0);
    ken_catalog_close(c);
}

// ---- the schema --------------------------------------------------------------------------------

static ken_status open_again(ken_database **out)
{
    err = (ken_err){ .msg = "" };
    return ken_database_open(&(ken_database_opts){ .url = url }, out, &err);
}

POSTGRES_TEST(the_schema_goes_down_and_up)
{
    static const int32_t to[] = { 1, 0 };
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        ken_catalog *c = open_catalog();
        kt_ok_err(ken_catalog_put_value(c, KEN_STR("n"), KEN_STR("v"), &err), &err);
        ken_catalog_close(c);
        kt_ok_err(ken_database_downgrade(db, to[i], &err), &err);
        kt_eq_i(lab_number(url, "SELECT count(*) FROM pg_class WHERE relname = 'tasks'"), 0);
        kt_eq_i(lab_number(url, "SELECT count(*) FROM pg_namespace WHERE nspname = 'ken'"), to[i]);
        ken_database_close(db);
        kt_ok_err(open_again(&db), &err);
        kt_ok_err(ken_database_check_schema(db, &err), &err);
        c = open_catalog();
        ken_str value;
        kt_status(ken_catalog_load_value(c, KEN_STR("n"), &arena, &value, &err), KEN_ENOTFOUND);
        ken_catalog_close(c);
    }
}

// Down: the rows stay, their licences go. Up again: those of the models that came with ken are back.
POSTGRES_TEST(licences_of_models_go_down_and_up)
{
    enum {
        BEFORE_LICENSES = 6
    };
    ken_model_record m = { .id = KEN_STR("mine"),
                           .provider = KEN_STR("onnx"),
                           .license = KEN_STR("BSD-3-Clause"),
                           .status = KEN_MODEL_PENDING };
    ken_catalog *c = open_catalog();
    kt_ok_err(ken_catalog_put_model(c, &m, &err), &err);
    ken_catalog_close(c);
    kt_ok_err(ken_database_downgrade(db, BEFORE_LICENSES, &err), &err);
    kt_eq_i(lab_number(url, "SELECT count(*) FROM information_schema.columns WHERE table_schema = "
                            "'ken' AND table_name = 'models' AND column_name = 'license'"),
            0);
    kt_eq_i(lab_number(url, "SELECT count(*) FROM ken.models"), 6);
    ken_database_close(db);
    kt_ok_err(open_again(&db), &err);
    kt_ok_err(ken_database_check_schema(db, &err), &err);
    c = open_catalog();
    kt_ok_err(ken_catalog_find_model(c, KEN_STR("mine"), &arena, &m, &err), &err);
    kt_eq_text(m.license, "");
    kt_ok_err(ken_catalog_find_model(c, KEN_STR("bge-small-en-v1.5"), &arena, &m, &err), &err);
    kt_eq_text(m.license, "MIT");
    kt_ok_err(ken_catalog_find_model(c, KEN_STR("builtin"), &arena, &m, &err), &err);
    kt_eq_text(m.license, "MIT");
    ken_catalog_close(c);
}

POSTGRES_TEST(a_schema_that_somebody_changed_is_told)
{
    static const char *const changes[][2] = {
        { "ALTER TABLE ken.tasks ADD COLUMN mine int", "ALTER TABLE ken.tasks DROP COLUMN mine" },
        { "ALTER TABLE ken.settings ALTER COLUMN value DROP NOT NULL",
          "ALTER TABLE ken.settings ALTER COLUMN value SET NOT NULL" },
        { "DROP INDEX ken.idx_tasks_status",
          "CREATE INDEX idx_tasks_status ON ken.tasks (status, rev)" },
    };
    ken_catalog *c = open_catalog();
    bool agrees = false;
    kt_ok_err(ken_catalog_verify(c, &agrees, &err), &err);
    kt_true(agrees);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        lab_sql(url, changes[i][0]);
        kt_status(ken_catalog_verify(c, &agrees, &err), KEN_ECORRUPT);
        kt_has_str(err.msg, ken_database_name(db));
        lab_sql(url, changes[i][1]);
        kt_ok_err(ken_database_check_schema(db, &err), &err);
    }
    ken_catalog_close(c);
}

// ---- rights ------------------------------------------------------------------------------------

static void is_refused(ken_status st)
{
    kt_status(st, KEN_EPERM);
    kt_has_str(err.msg, strrchr(ken_database_name(db), '/')); // the name of the database
    kt_eq_u(ken_str_find(ken_str_c(err.msg), KEN_STR("hunter2")), SIZE_MAX);
}

POSTGRES_TEST(who_has_no_right_is_told_where)
{
    char role[64], sql[300], of_role[700];
    const char *host = strstr(url, "://") + 3, *at = strchr(host, '@');
    snprintf(role, sizeof role, "ken_lab_%d", (int)getpid());
    snprintf(sql, sizeof sql, "CREATE ROLE %s LOGIN PASSWORD 'hunter2'", role);
    lab_sql(url, sql);
    snprintf(of_role, sizeof of_role, "postgres://%s:hunter2@%s", role, at ? at + 1 : host);
    ken_database *own = NULL;
    is_refused(ken_database_open(&(ken_database_opts){ .url = of_role }, &own, &err));

    snprintf(sql, sizeof sql,
             "GRANT USAGE ON SCHEMA ken TO %s; GRANT SELECT ON ALL TABLES IN SCHEMA ken TO %s",
             role, role);
    lab_sql(url, sql);
    kt_ok_err(ken_database_open(&(ken_database_opts){ .url = of_role }, &own, &err), &err);
    ken_catalog *c = NULL;
    ken_catalog_row *rows = NULL;
    size_t n = 1;
    kt_ok_err(ken_catalog_open_in(own, false, &c, &err), &err);
    kt_ok_err(ken_catalog_list(c, &arena, &rows, &n, &err), &err);
    is_refused(ken_catalog_put_value(c, KEN_STR("n"), KEN_STR("v"), &err));
    ken_catalog_close(c);
    ken_database_close(own);
    snprintf(sql, sizeof sql, "DROP OWNED BY %s; DROP ROLE %s", role, role);
    lab_sql(url, sql);
}

// SPDX-License-Identifier: MIT
// kill -9 at random instants of a run. Whatever the instant: the last complete generation answers
// at once, nothing needs repair, a later run finishes, and nothing is left lying about.
//
// 30 kills, or 200 with KEN_TEST_SLOW set.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "unit/index/index_lab.h"

static index_lab l;

enum {
    MARKED = 12,
    OTHERS = 40
};

static int n_kills(void)
{
    return getenv("KEN_TEST_SLOW") ? 200 : 30;
}

// ---- the folder --------------------------------------------------------------------------------

// The marked files all define mark_<round>.
static void mark(int round)
{
    for (int i = 0; i < MARKED; i++) {
        char path[40], text[200];
        snprintf(path, sizeof path, "src/marked_%02d.py", i);
        snprintf(text, sizeof text,
                 "def mark_%05d():\n    return %d\n\n\ndef always_there():\n    pass\n", round, i);
        lab_write(&l, path, text);
    }
}

static void make_tree(const char *name)
{
    lab_start_named(&l, name);
    lab_seed(1);
    mark(0);
    for (int i = 0; i < OTHERS; i++) {
        char path[40];
        snprintf(path, sizeof path, "lib/d%d/other_%d.%s", i % 5, i, i % 2 ? "c" : "py");
        ken_buf b = KEN_BUF_INIT(0);
        for (int k = 0; k < 10; k++)
            lab_put_code(&b, path);
        lab_write(&l, path, b.ptr);
        ken_buf_release(&b);
    }
}

// ---- a run in a process of its own -------------------------------------------------------------

static pid_t start_run(uint64_t memory_limit)
{
    ken_store_close(l.store);
    l.store = NULL;
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (pid)
        return pid;
    ken_err err = { 0 };
    ken_store *store = NULL;
    l.opts.memory_limit = memory_limit;
    ken_status st = ken_store_open(&(ken_store_opts){ .path = l.db }, &store, &err);
    if (!st)
        st = ken_index_run(store, l.root, &l.opts, NULL, &l.arena, &l.report, &err);
    if (st)
        fprintf(stderr, "child: %s\n", err.msg);
    ken_store_close(store);
    _exit(st ? 1 : 0);
}

static void sleep_ns(int64_t ns)
{
    struct timespec t = { ns / 1000000000, ns % 1000000000 };
    nanosleep(&t, NULL);
}

// True when the run was still going on.
static bool kill_after(pid_t pid, int64_t ns)
{
    sleep_ns(ns);
    kt_eq_i(kill(pid, SIGKILL), 0);
    int status = 0;
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status);
}

// How long a run takes here, to aim at it.
static int64_t time_of_run(void)
{
    int64_t from = ken_clock_mono_ns();
    pid_t pid = start_run(0);
    int status = 0;
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return ken_clock_mono_ns() - from;
}

// ---- afterwards --------------------------------------------------------------------------------

static size_t count_exact(ken_snapshot *s, const char *name)
{
    ken_definition_result r;
    kt_ok_err(ken_find_definition(s, &(ken_definition_opts){ .name = ken_str_c(name), .limit = 1 },
                                  &l.arena, &r, &l.err),
              &l.err);
    return r.n_total;
}

static size_t count_mark(ken_snapshot *s, int round)
{
    char name[40];
    snprintf(name, sizeof name, "mark_%05d", round);
    return count_exact(s, name);
}

// What a reader sees: one whole generation, that of `before` or of `now`. Says which.
static int check_reader(int before, int now)
{
    ken_snapshot *s = lab_open(&l);
    size_t n_before = count_mark(s, before), n_now = count_mark(s, now);
    kt_true((n_before == MARKED && n_now == 0) || (n_before == 0 && n_now == MARKED));
    kt_eq_u(count_exact(s, "always_there"), MARKED);
    ken_snapshot_stats stats;
    kt_ok_err(ken_snapshot_get_stats(s, &l.arena, &stats, &l.err), &l.err);
    kt_eq_u(stats.n_files, MARKED + OTHERS);
    kt_ok_err(ken_store_verify(lab_find_pin(s)->store, &l.err), &l.err);
    lab_close(s);
    return n_now ? now : before;
}

static bool is_ours(const char *name, const char *db)
{
    size_t n = strlen(db);
    return strncmp(name, db, n) == 0 &&
           (!name[n] || !strcmp(name + n, "-wal") || !strcmp(name + n, "-shm"));
}

// Beside the database stand its log and the log's index, nothing else.
static void check_no_litter(void)
{
    ken_str path = ken_str_c(l.db), dir = ken_path_dir(path);
    char folder[1000];
    snprintf(folder, sizeof folder, KEN_STR_FMT, KEN_STR_ARG(dir));
    DIR *d = opendir(folder);
    kt_not_null(d);
    const struct dirent *e;
    while ((e = readdir(d)) != NULL)
        if (e->d_name[0] != '.' && !is_ours(e->d_name, ken_path_base(path).ptr) &&
            !strstr(e->d_name, "fresh"))
            kt_fail("'%s' was left beside the database", e->d_name);
    closedir(d);
}

static char *describe(index_lab *lab)
{
    static const char *const queries[] = { "always there", "session client", "mark",
                                           "render worker" };
    return lab_describe(lab, queries, 4);
}

static void check_like_fresh(void)
{
    index_lab fresh = l;
    char db[60];
    snprintf(db, sizeof db, "index/fresh%lld.db", (long long)l.clock_s);
    fresh.store = lab_open_store(ktest_path(db), false);
    fresh.opts = (ken_index_opts){ .scan = l.opts.scan };
    ken_arena_init(&fresh.arena, 0);
    lab_run(&fresh);
    char *is = describe(&l), *wanted = describe(&fresh);
    kt_eq_str(is, wanted);
    ken_free(is);
    ken_free(wanted);
    lab_end(&fresh);
}

// ---- tests -------------------------------------------------------------------------------------

KEN_TEST(killed_updates_leave_a_whole_generation)
{
    make_tree("updates");
    lab_run(&l);
    mark(1);
    int64_t usual = time_of_run();
    int shown = check_reader(0, 1), n_killed = 0;
    kt_eq_i(shown, 1);
    for (int round = 2; round < 2 + n_kills(); round++) {
        mark(round);
        pid_t pid = start_run(round % 3 ? 0 : 1 << 16);
        n_killed += kill_after(pid, (int64_t)lab_pick(1200) * usual / 1000);
        shown = check_reader(shown, round);
        ken_arena_reset(&l.arena); // the paths of the lab live until the test ends
        ken_str real;
        kt_ok(ken_path_real(&l.arena, ken_str_c(ktest_path("updates")), &real, &l.err));
        l.root = real.ptr;
        if (round % 10 == 0) { // the next start
            l.store = lab_open_store(l.db, false);
            check_no_litter();
            lab_run(&l);
            check_like_fresh();
            shown = round;
        }
    }
    kt_true(n_killed > 0);
    if (!l.store)
        l.store = lab_open_store(l.db, false);
    lab_run(&l);
    check_like_fresh();
    check_no_litter();
    lab_end(&l);
}

// Of a first run: none, a partial generation or the complete one, never less than before; what is there answers.
static uint64_t check_first(ken_snapshot *s, uint64_t before)
{
    ken_snapshot_stats stats;
    kt_ok_err(ken_snapshot_get_stats(s, &l.arena, &stats, &l.err), &l.err);
    kt_true(stats.n_files >= before && stats.n_files <= MARKED + OTHERS);
    if (ken_snapshot_is_partial(s))
        kt_true(ken_str_starts(ken_snapshot_unread(s), KEN_STR("partial index: ")));
    else
        kt_eq_u(stats.n_files, MARKED + OTHERS);
    size_t n_marked = 0;
    const ken_file_row *rows = NULL;
    for (size_t i = 0, n = ken_snapshot_list_files(s, &rows); i < n; i++)
        n_marked += ken_str_starts(rows[i].path, KEN_STR("src/marked"));
    kt_eq_u(count_exact(s, "always_there"), n_marked);
    return stats.n_files;
}

// What was learnt before each kill is kept, and what was committed is shown.
KEN_TEST(a_first_run_that_is_killed_again_and_again_finishes)
{
    unsigned n_partial = 0;
    make_tree("first");
    l.opts.first_files = 4;
    int64_t usual = time_of_run();
    for (int i = 0; i < n_kills() / 3; i++) {
        char db[40];
        snprintf(db, sizeof db, "index/first%d.db", i);
        l.db = ktest_path(db);
        uint64_t n_files = 0;
        for (int k = 0; k < 3; k++) {
            kill_after(start_run(1 << 16), (int64_t)lab_pick(1000) * usual / 1000);
            ken_store *store = NULL;
            ken_snapshot *s = NULL;
            ken_reader *asking = NULL;
            ken_status st = ken_store_open(&(ken_store_opts){ .path = l.db, .is_read_only = true },
                                           &store, &l.err);
            if (!st) {
                asking = ken_reader_new(store);
                st = ken_reader_pin(asking, &s, &l.err);
            }
            kt_true(!st || (st == KEN_ENOTFOUND && !n_files));
            if (s) {
                n_files = check_first(s, n_files);
                n_partial += ken_snapshot_is_partial(s);
                ken_reader_unpin(asking);
            }
            ken_reader_free(asking);
            ken_store_close(store);
        }
        l.store = lab_open_store(l.db, false);
        kt_eq_u(lab_run(&l)->n_files, MARKED + OTHERS);
        kt_ok_err(ken_store_verify(l.store, &l.err), &l.err);
        ken_snapshot *s = lab_open(&l);
        kt_eq_u(count_exact(s, "always_there"), MARKED);
        kt_true(!ken_snapshot_is_partial(s));
        lab_close(s);
    }
    kt_true(n_partial > 0);
    check_like_fresh();
    lab_end(&l);
}

// A forced run replaces every content; killed, it must leave the old ones.
KEN_TEST(killed_forced_runs_leave_the_old_contents)
{
    make_tree("forced");
    lab_run(&l);
    char *before = describe(&l);
    int64_t usual = time_of_run();
    l.opts.is_forced = true;
    for (int i = 0; i < n_kills() / 3; i++) {
        kill_after(start_run(i % 2 ? 0 : 1 << 16), (int64_t)lab_pick(3000) * usual / 1000);
        check_reader(0, 1);
    }
    l.store = lab_open_store(l.db, false);
    char *after = describe(&l);
    kt_eq_str(after, before);
    ken_free(before);
    ken_free(after);
    l.opts.is_forced = false;
    lab_run(&l);
    check_like_fresh();
    lab_end(&l);
}

// SPDX-License-Identifier: MIT
// Runs that are stopped, fail, or meet a folder that changes under them: what was there before
// stays whole, and a later run finishes.
#include <pthread.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "store/store_debug.h"
#include "unit/index/index_lab.h"

static index_lab l;
static const char *const queries[] = { "session client", "retry policy", "render", "writer" };
enum {
    N_QUERIES = 4
};

static void write_code(const char *path, uint64_t seed)
{
    lab_seed(seed);
    ken_buf b = KEN_BUF_INIT(0);
    lab_put_code(&b, path);
    lab_write(&l, path, b.ptr);
    ken_buf_release(&b);
}

static void make_tree(uint32_t n)
{
    lab_start(&l);
    for (uint32_t i = 0; i < n; i++) {
        char path[40];
        snprintf(path, sizeof path, "src/d%u/f%u.%s", i % 7, i, i % 2 ? "py" : "c");
        write_code(path, i + 1);
    }
}

// Large enough that nothing can index it in a moment.
static void write_large(const char *path, size_t n_bytes)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; b.len < n_bytes; i++)
        ken_buf_printf(&b,
                       "int f_%d(struct s *a, int b)\n{\n    return a->x[%d] + g(b, \"%d\");\n}\n",
                       i, i, i);
    lab_write(&l, path, b.ptr);
    ken_buf_release(&b);
}

// The index of the folder as it is now, made from nothing.
static char *fresh(void)
{
    index_lab other = l;
    static int n;
    char db[40];
    snprintf(db, sizeof db, "index/fresh%d.db", n++);
    other.store = lab_open_store(ktest_path(db), false);
    other.opts = (ken_index_opts){ .scan = l.opts.scan };
    ken_arena_init(&other.arena, 0);
    lab_run(&other);
    char *text = lab_describe(&other, queries, N_QUERIES);
    lab_end(&other);
    return text;
}

static void check_like_fresh(void)
{
    char *is = lab_describe(&l, queries, N_QUERIES), *wanted = fresh();
    kt_eq_str(is, wanted);
    ken_free(is);
    ken_free(wanted);
    kt_ok_err(ken_store_verify(l.store, &l.err), &l.err);
}

// ---- cancelling --------------------------------------------------------------------------------

KEN_TEST(a_run_that_is_cancelled_at_once_changes_nothing)
{
    make_tree(10);
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    kt_status(lab_try(&l, &cancel), KEN_ECANCELLED);
    kt_eq_u(lab_generation(&l), 0);
    kt_eq_u(lab_run(&l)->n_files, 10);
    check_like_fresh();
    lab_end(&l);
}

KEN_TEST(a_deadline_that_has_passed_is_met)
{
    make_tree(10);
    kt_status(lab_try(&l, &(ken_cancel){ .deadline_ns = 1 }), KEN_ETIMEOUT);
    kt_eq_u(lab_generation(&l), 0);
    lab_end(&l);
}

static ken_cancel *cancel_now;
static const char *cancel_stage;
static uint64_t cancel_after;

static void cancel_at(void *ctx, const ken_index_progress *p)
{
    (void)ctx;
    if (strcmp(p->stage, cancel_stage) == 0 && p->n_done >= cancel_after)
        ken_cancel_set(cancel_now);
}

static ken_status run_and_cancel(const char *stage, uint64_t n_done)
{
    ken_cancel cancel = { 0 };
    cancel_now = &cancel;
    cancel_stage = stage;
    cancel_after = n_done;
    l.opts.on_progress = cancel_at;
    ken_status st = lab_try(&l, &cancel);
    l.opts.on_progress = NULL;
    return st;
}

static void write_numbered(char letter, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        char path[40];
        snprintf(path, sizeof path, "%c%llu.c", letter, (unsigned long long)i);
        write_code(path, i + 1);
    }
}

// Its contents have taken the keys; what was not read again since would have others than a new file with the same bytes.
KEN_TEST(a_forced_run_that_was_stopped_leaves_equal_files_one_content)
{
    enum {
        N_FILES = 8
    };
    lab_start(&l);
    write_numbered('a', N_FILES);
    usleep(2100 * 1000); // so that their times prove that they are the same
    lab_run(&l);
    l.opts.is_forced = true;
    kt_status(run_and_cancel("committing", 0), KEN_ECANCELLED);
    l.opts.is_forced = false;
    write_numbered('b', N_FILES);
    lab_run(&l);
    kt_eq_u(l.report.n_parsed, 0);
    kt_eq_u(l.report.n_added, N_FILES);
    kt_eq_u(l.report.n_modified, 0);
    ken_file_row *rows;
    size_t n;
    kt_ok_err(ken_store_load_files(l.store, &l.arena, &rows, &n, NULL, &l.err), &l.err);
    kt_eq_u(n, 2 * N_FILES);
    for (size_t i = 0; i < N_FILES; i++)
        kt_true(rows[i].content == rows[N_FILES + i].content);
    kt_eq_u(lab_run(&l)->n_unchanged, 2 * N_FILES); // and is trusted from then on
    kt_eq_u(l.report.generation, 2);
    lab_end(&l);
}

KEN_TEST(a_cancelled_run_leaves_the_old_generation)
{
    make_tree(30);
    lab_run(&l);
    char *before = lab_describe(&l, queries, N_QUERIES);
    for (int i = 0; i < 30; i++) {
        char path[40];
        snprintf(path, sizeof path, "src/new%d.c", i);
        write_code(path, 1000 + (uint64_t)i);
    }
    kt_status(run_and_cancel("scanning", 0), KEN_ECANCELLED);
    kt_status(run_and_cancel("indexing", 0), KEN_ECANCELLED);
    kt_eq_u(lab_generation(&l), 1);
    ken_snapshot *s = lab_open(&l);
    ken_snapshot_stats stats;
    kt_ok(ken_snapshot_get_stats(s, &l.arena, &stats, NULL));
    kt_eq_u(stats.n_files, 30);
    lab_close(s);
    char *after = lab_describe(&l, queries, N_QUERIES);
    kt_eq_str(after, before);
    ken_free(before);
    ken_free(after);
    kt_eq_u(lab_run(&l)->n_files, 60);
    check_like_fresh();
    lab_end(&l);
}

// Six megabytes: whoever parses them in the 50 ms until the next report has no need of an index.
KEN_TEST(what_a_stopped_run_has_learnt_is_found_again)
{
    lab_start(&l);
    for (int i = 0; i < 60; i++) {
        char path[40];
        snprintf(path, sizeof path, "src/f%02d.c", i);
        write_large(path, 100000 + (size_t)i * 100);
    }
    l.opts.memory_limit = 1 << 20; // kept in small batches
    l.opts.n_jobs = 1;
    kt_status(run_and_cancel("indexing", 5), KEN_ECANCELLED);
    kt_eq_u(lab_generation(&l), 0);
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_files, 60);
    kt_true(r->n_parsed < 60);
    kt_true(r->n_parsed > 0);
    lab_end(&l);
}

// ---- a store that fails ------------------------------------------------------------------------

static void change_tree(int round)
{
    char path[40];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "src/d%d/f%d.%s", i % 7, i, i % 2 ? "py" : "c");
        write_code(path, (uint64_t)round * 100 + (uint64_t)i + 5000);
    }
    snprintf(path, sizeof path, "src/round%d.py", round);
    write_code(path, (uint64_t)round + 9000);
    snprintf(path, sizeof path, "src/round%d.py", round - 1);
    if (round)
        lab_remove(&l, path);
}

// Fails every call that an incremental run makes, one after the other.
static void fail_every_call(bool is_sticky, bool is_after)
{
    make_tree(12);
    lab_run(&l);
    ken_store_fault plan = { .is_sticky = is_sticky, .is_after = is_after };
    ken_store_add_fault(l.store, &plan);
    int round = 0;
    for (uint64_t n = 1; n < 2000; n++, round++) {
        uint64_t g = lab_generation(&l);
        change_tree(round);
        plan.n_calls = 0;
        plan.fail_at = n;
        ken_status st = lab_try(&l, NULL);
        bool has_failed = plan.n_calls >= n;
        plan.fail_at = 0;
        if (st) {
            kt_true(l.err.msg[0] != '\0');
            // The commit itself may have worked and its answer been lost.
            kt_true(lab_generation(&l) == g || (is_after && lab_generation(&l) == g + 1));
            lab_run(&l);
        }
        if (n % 7 == 0)
            check_like_fresh();
        if (!has_failed)
            break;
    }
    kt_true(round > 10 && round < 1999);
    check_like_fresh();
    lab_end(&l);
}

KEN_TEST(any_call_of_the_store_may_fail_once)
{
    fail_every_call(false, false);
}

KEN_TEST(the_store_may_fail_from_any_call_on)
{
    fail_every_call(true, false);
}

KEN_TEST(the_answer_of_any_call_may_be_lost)
{
    fail_every_call(false, true);
}

// ---- a folder that changes meanwhile -----------------------------------------------------------

static void (*do_meanwhile)(void);

static void meanwhile(void *ctx, const ken_index_progress *p)
{
    (void)ctx;
    if (do_meanwhile && strcmp(p->stage, "indexing") == 0) {
        do_meanwhile();
        do_meanwhile = NULL;
    }
}

static void run_while(void (*fn)(void))
{
    do_meanwhile = fn;
    l.opts.on_progress = meanwhile;
    lab_run(&l);
    l.opts.on_progress = NULL;
}

static void remove_some(void)
{
    lab_remove(&l, "src/d0/f0.c");
    lab_remove(&l, "src/d1/f1.py");
}

KEN_TEST(files_that_vanish_during_a_run_are_no_error)
{
    make_tree(10);
    run_while(remove_some);
    kt_eq_u(l.report.n_files, 8);
    kt_eq_u(l.report.skips[KEN_SKIP_UNREADABLE], 2);
    kt_eq_u(l.report.n_issues, 2);
    lab_run(&l); // and are simply gone in the next
    kt_eq_u(l.report.n_skipped, 0);
    check_like_fresh();
    lab_end(&l);
}

static void change_one(void)
{
    lab_write(&l, "src/d0/f0.c", "int written_meanwhile(void) { return 1; }\n");
}

KEN_TEST(a_file_that_changes_during_a_run_is_right_after_the_next)
{
    make_tree(10);
    run_while(change_one);
    lab_run(&l);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "written_meanwhile"), "src/d0/f0.c:1");
    check_like_fresh();
    lab_end(&l);
}

static void make_links(void)
{
    char path[4096];
    ktest_write("outside.c", "int secret_of_the_neighbour;\n");
    lab_remove(&l, "src/d0/f0.c");
    lab_path(&l, "src/d0/f0.c", path);
    kt_eq_i(symlink(ktest_path("outside.c"), path), 0);
}

// Between the look at the folder and the read, a file becomes a link to somewhere else.
KEN_TEST(a_link_that_takes_the_place_of_a_file_is_not_followed)
{
    make_tree(10);
    run_while(make_links);
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "secret_of_the_neighbour"), "");
    lab_run(&l);
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "secret_of_the_neighbour"), "");
    lab_end(&l);
}

static void link_folder(void)
{
    char path[4096];
    lab_move(&l, "src/d0", "elsewhere");
    lab_path(&l, "src/d0", path);
    ktest_write("outside/f0.c", "int secret_of_the_neighbour;\n");
    kt_eq_i(symlink(ktest_path("outside"), path), 0);
}

KEN_TEST(a_linked_folder_that_takes_the_place_of_one_is_not_entered)
{
    make_tree(10);
    run_while(link_folder);
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "secret_of_the_neighbour"), "");
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "secret_of_the_neighbour"), "");
    lab_end(&l);
}

// ---- what may not be read ----------------------------------------------------------------------

// Permissions mean nothing to root: the run is somebody else's then.
static void become(uid_t user)
{
    if (getuid() == 0) {
        kt_eq_i(seteuid(user), 0);
        kt_eq_i(prctl(PR_SET_DUMPABLE, 1), 0); // which leak sanitizer needs
    }
}

static void run_as_nobody(void)
{
    become(65534);
    ken_status st = lab_try(&l, NULL);
    become(0);
    kt_ok_err(st, &l.err);
}

static void give_away(const char *path)
{
    if (getuid() == 0)
        kt_eq_i(chown(path, 65534, 65534), 0);
}

static void make_tree_of_nobody(void)
{
    const char *dir = ktest_dir();
    give_away(dir);
    become(65534);
    make_tree(10);
    become(0);
}

static void set_mode(const char *rel, mode_t mode)
{
    char path[4096];
    lab_path(&l, rel, path);
    kt_eq_i(chmod(path, mode), 0);
}

KEN_TEST(files_and_folders_that_may_not_be_read_are_listed)
{
    make_tree_of_nobody();
    set_mode("src/d0/f0.c", 0);
    set_mode("src/d1", 0);
    run_as_nobody();
    kt_eq_u(l.report.skips[KEN_SKIP_UNREADABLE], 2);
    kt_eq_u(l.report.n_files, 10 - 1 - 2); // d1 holds f1 and f8
    set_mode("src/d0/f0.c", 0644);
    set_mode("src/d1", 0755);
    lab_end(&l);
}

KEN_TEST(a_file_that_may_not_be_read_any_more_leaves_the_index)
{
    make_tree_of_nobody();
    run_as_nobody();
    kt_eq_u(l.report.n_files, 10);
    write_code("src/d0/f0.c", 4711);
    set_mode("src/d0/f0.c", 0);
    run_as_nobody();
    kt_eq_u(l.report.n_files, 9);
    kt_eq_u(l.report.skips[KEN_SKIP_UNREADABLE], 1);
    set_mode("src/d0/f0.c", 0644);
    lab_end(&l);
}

KEN_TEST(a_strict_run_ends_at_what_may_not_be_read)
{
    make_tree_of_nobody();
    run_as_nobody();
    uint64_t before = l.report.generation;
    static const char *const locked[] = { "src/d0/f0.c", "src/d1" };
    for (int i = 0; i < 2; i++) {
        write_code("src/d0/f0.c", i ? 4712 : 4711);
        set_mode(locked[i], 0);
        l.opts.is_strict = true;
        become(65534);
        ken_status st = lab_try(&l, NULL);
        become(0);
        kt_status(st, KEN_EIO);
        kt_has_str(l.err.msg, locked[i]);
        uint64_t now = 0;
        kt_ok(ken_store_get_generation(l.store, &now, NULL));
        kt_eq_u(now, before);
        set_mode(locked[i], i ? 0755 : 0644);
    }
    run_as_nobody(); // strict still, and all can be read
    kt_eq_u(l.report.n_files, 10);
    lab_end(&l);
}

// ---- readers beside a writer -------------------------------------------------------------------

typedef struct reader {
    const char *db;
    _Atomic bool should_stop;
    uint64_t n_answers;
    char wrong[600];
} reader;

enum {
    READ_FILES = 20
};

static void fail_reader(reader *r, const char *what, const ken_err *err)
{
    snprintf(r->wrong, sizeof r->wrong, "%s: %s (%s)", what, err->msg,
             ken_status_name(err->status));
}

// How many definitions of exactly this name there are.
static size_t count_exact(reader *r, ken_snapshot *s, ken_arena *a, const char *name)
{
    ken_err err = { 0 };
    ken_definition_result found = { 0 };
    if (ken_find_definition(s, &(ken_definition_opts){ .name = ken_str_c(name), .limit = 1 }, a,
                            &found, &err))
        fail_reader(r, name, &err);
    return found.n_total;
}

// Generation g defines marker_<g - 1> and handle_all in each of its files.
static bool check_answer(reader *r, ken_snapshot *s, ken_arena *a)
{
    ken_err err = { 0 };
    ken_snapshot_stats before, after;
    ken_search_result found;
    ken_search_opts o = { .mode = KEN_SEARCH_AUTO };
    char marker[40];
    if (ken_snapshot_get_stats(s, a, &before, &err)) {
        fail_reader(r, "numbers", &err);
        return false;
    }
    snprintf(marker, sizeof marker, "marker_%06llu", (unsigned long long)before.generation - 1);
    size_t n_all = count_exact(r, s, a, "handle_all"), n_marked = count_exact(r, s, a, marker);
    if (ken_search(s, KEN_STR("marker value of the file"), &o, NULL, a, &found, &err))
        fail_reader(r, "ranked", &err);
    if (ken_snapshot_get_stats(s, a, &after, &err))
        fail_reader(r, "numbers", &err);
    if (!r->wrong[0] &&
        (before.generation != after.generation || n_all != READ_FILES || n_marked != READ_FILES ||
         after.n_files != READ_FILES || after.n_symbols != 2 * READ_FILES))
        snprintf(r->wrong, sizeof r->wrong, "generation %llu: %zu, %zu, %llu files, %llu symbols",
                 (unsigned long long)after.generation, n_all, n_marked,
                 (unsigned long long)after.n_files, (unsigned long long)after.n_symbols);
    r->n_answers++;
    return !r->wrong[0];
}

static void *read_all(void *ctx)
{
    reader *r = ctx;
    ken_err err = { 0 };
    ken_store *store = NULL;
    ken_snapshot *s = NULL;
    ken_arena a;
    ken_arena_init(&a, 0);
    bool is_right =
        !ken_store_open(&(ken_store_opts){ .path = r->db, .is_read_only = true }, &store, &err);
    ken_reader *asking = ken_reader_new(store);
    if (!is_right)
        snprintf(r->wrong, sizeof r->wrong, "%s", err.msg);
    for (unsigned i = 0; is_right && !r->should_stop; i++) {
        ken_arena_reset(&a);
        if (ken_reader_pin(asking, &s, &err)) {
            snprintf(r->wrong, sizeof r->wrong, "pin: %s", err.msg);
            break;
        }
        for (unsigned k = i % 3; is_right && k < 3;
             k++) // the index moves on, the question does not
            is_right = check_answer(r, s, &a);
        ken_reader_unpin(asking);
    }
    ken_reader_free(asking);
    ken_store_close(store);
    ken_arena_release(&a);
    return NULL;
}

static void write_markers(int generation)
{
    for (int i = 0; i < READ_FILES; i++) {
        char path[40], text[120];
        snprintf(path, sizeof path, "src/f%02d.py", i);
        snprintf(text, sizeof text,
                 "def marker_%06d():\n    return 'value %d of the file'\n\ndef handle_all():\n"
                 "    pass\n",
                 generation, i);
        lab_write(&l, path, text);
    }
}

KEN_TEST(readers_beside_a_writer_see_whole_generations)
{
    lab_start(&l);
    write_markers(0);
    lab_run(&l);
    enum {
        READERS = 2
    };
    reader readers[READERS] = { { .db = l.db }, { .db = l.db } };
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++)
        kt_eq_i(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    for (int g = 1; g <= 40; g++) {
        write_markers(g);
        ken_status st = lab_try(&l, NULL);
        if (st) {
            for (int i = 0; i < READERS; i++)
                readers[i].should_stop = true;
            kt_ok_err(st, &l.err);
        }
    }
    for (int i = 0; i < READERS; i++) {
        readers[i].should_stop = true;
        kt_eq_i(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < READERS; i++) {
        kt_eq_str(readers[i].wrong, "");
        kt_true(readers[i].n_answers > 0);
    }
    lab_end(&l);
}

KEN_TEST(f5_what_was_learnt_before_a_stop_is_kept)
{
    make_tree(60);
    write_large("src/largest.c",
                900000); // the first, and long enough that progress is told after it
    l.opts.n_jobs = 1;
    kt_status(run_and_cancel("indexing", 1), KEN_ECANCELLED);
    kt_eq_u(lab_generation(&l), 0);
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_files, 61);
    kt_true(r->n_parsed < 61);
    check_like_fresh();
    lab_end(&l);
}

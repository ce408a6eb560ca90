// SPDX-License-Identifier: MIT
// A long first run commits partial generations: what is seen of them, what marks them, what a run that is
// stopped among them leaves, and in which order files are read.
#include "store/partial.h"
#include "store/store_debug.h"
#include "unit/index/index_lab.h"

static index_lab l;
static const char *const queries[] = { "session client", "retry policy", "render", "writer" };
enum {
    N_QUERIES = 4,
    FIRST = 10, // files of the first partial generation
    MANY = 60,
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
        char path[60];
        snprintf(path, sizeof path, "src/d%u/f%02u.%s", i % 7, i, i % 2 ? "py" : "c");
        write_code(path, i + 1);
    }
    l.opts.first_files = FIRST;
}

static char *fresh(void)
{
    index_lab other = l;
    static int n;
    char db[40];
    snprintf(db, sizeof db, "index/whole%d.db", n++);
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

static ken_partial mark_of(void)
{
    ken_partial p;
    kt_ok(ken_partial_load(l.store, &l.arena, &p, &l.err));
    return p;
}

// ---- what others see after each commit of a run ------------------------------------------------

static struct {
    uint64_t number;     // of the newest generation seen
    unsigned n_partial;  // generations with a mark
    unsigned stop_after; // partial generations; 0 = never
    ken_cancel *cancel;
    uint64_t n_files; // of the last partial one
    char first[2000]; // its paths
} seen;

// Answers of a partial generation are of the files that it has, and say what is missing.
static void check_answers(ken_snapshot *s, const ken_partial *mark)
{
    const ken_file_row *rows = NULL;
    size_t n = ken_snapshot_list_files(s, &rows);
    char wanted[100];
    snprintf(wanted, sizeof wanted, "partial index: %llu of %llu files are in it",
             (unsigned long long)mark->n_done, (unsigned long long)mark->n_total);
    kt_true(ken_snapshot_is_partial(s));
    kt_true(ken_str_starts(ken_snapshot_unread(s), ken_str_c(wanted)));
    if (mark->is_first)
        kt_true(n <= mark->n_done && n + 1 >= mark->n_done); // one is left out
    ken_snapshot_stats stats;
    kt_ok_err(ken_snapshot_get_stats(s, &l.arena, &stats, &l.err), &l.err);
    kt_eq_u(stats.n_files, n);
    kt_true(stats.n_chunks >= n);
    ken_search_result r;
    // Words of which small files have some, whichever came first.
    const ken_str words =
        KEN_STR("session client retry policy queue worker buffer parser render token");
    kt_ok_err(ken_search(s, words, &(ken_search_opts){ .limit = 50 }, NULL, &l.arena, &r, &l.err),
              &l.err);
    kt_true(r.n_hits > 0);
}

static void on_call(void *ctx, ken_str line)
{
    (void)ctx;
    ken_snapshot *s = NULL;
    if (!ken_str_starts(line, KEN_STR("commit")) || lab_try_open(&l, &s))
        return;
    ken_partial mark = { 0 };
    uint64_t number = ken_snapshot_generation(s);
    kt_ok(ken_partial_load(ken_snapshot_store(s), &l.arena, &mark, &l.err));
    if (number != seen.number && mark.is_partial) {
        const ken_file_row *rows = NULL;
        seen.n_partial++;
        seen.n_files = ken_snapshot_list_files(s, &rows);
        if (seen.n_partial == 1)
            for (size_t i = 0, at = 0; i < seen.n_files && at < sizeof seen.first; i++)
                at += (size_t)snprintf(seen.first + at, sizeof seen.first - at, KEN_STR_FMT "\n",
                                       KEN_STR_ARG(rows[i].path));
        check_answers(s, &mark);
        if (seen.n_partial == seen.stop_after)
            ken_cancel_set(seen.cancel);
    }
    seen.number = number;
    lab_close(s);
}

static ken_status watched_run(unsigned stop_after)
{
    ken_cancel cancel = { 0 };
    memset(&seen, 0, sizeof seen);
    seen.number = lab_generation(&l);
    seen.stop_after = stop_after;
    seen.cancel = &cancel;
    ken_store_close(l.store);
    l.store = lab_open_tree(l.db, l.tree, false);
    ken_store_add_trace(l.store, on_call, NULL);
    ken_status st = lab_try(&l, &cancel);
    ken_store_close(l.store);
    l.store = lab_open_tree(l.db, l.tree, false);
    return st;
}

// ---- tests -------------------------------------------------------------------------------------

KEN_TEST(a_long_first_run_answers_on_its_way_and_ends_like_any_other)
{
    make_tree(MANY);
    kt_ok_err(watched_run(0), &l.err);
    kt_eq_u(seen.n_partial, 2); // after 10 and 50 files
    kt_eq_u(seen.n_files, FIRST + 4 * FIRST);
    kt_true(!mark_of().is_partial);
    kt_eq_u(lab_generation(&l), 3);
    kt_eq_u(l.report.n_files, MANY);
    kt_eq_u(l.report.n_added, MANY);
    ken_file_event *events;
    size_t n = 0;
    kt_ok(ken_index_load_events(l.store, &l.arena, &events, &n, &l.err));
    kt_eq_u(n, 0);
    kt_eq_u(lab_run(&l)->generation, 3); // nothing is left to do
    ken_snapshot *s = lab_open(&l);
    kt_true(!ken_snapshot_is_partial(s));
    kt_eq_u(ken_snapshot_unread(s).len, 0);
    lab_close(s);
    check_like_fresh();
    lab_end(&l);
}

KEN_TEST(a_short_first_run_shows_all_or_nothing)
{
    make_tree(MANY);
    l.opts.first_files = 0;
    kt_ok_err(watched_run(0), &l.err);
    kt_eq_u(seen.n_partial, 0);
    kt_eq_u(lab_generation(&l), 1);
    lab_end(&l);
}

KEN_TEST(a_stopped_first_run_leaves_its_mark_and_the_next_goes_on)
{
    make_tree(MANY);
    lab_write_n(&l, "src/photo.c", "\x7f\x45\x4c\x46\0\0\0\0", 8); // left out when it is read
    kt_status(watched_run(1), KEN_ECANCELLED);
    ken_partial mark = mark_of();
    kt_true(mark.is_partial && mark.is_first);
    ken_store *elsewhere = lab_open_store(ktest_path("index/elsewhere.db"), false);
    ken_index_copy_report copied;
    kt_status(ken_index_copy(l.store, elsewhere, &(ken_index_copy_opts){ .root = KEN_STR("") },
                             NULL, &copied, &l.err),
              KEN_EBUSY); // nobody would know there what is missing
    ken_store_close(elsewhere);
    kt_eq_u(mark.n_total, MANY + 1);
    kt_true(mark.n_done >= FIRST && mark.n_done < MANY);
    lab_remove(&l, "src/d0/f00.c"); // meanwhile
    write_code("src/d1/f01.py", 777);
    kt_ok_err(lab_try(&l, NULL), &l.err);
    kt_true(!mark_of().is_partial);
    kt_eq_u(l.report.n_files, MANY - 1);
    kt_true(l.report.n_parsed <= MANY + 1 - mark.n_done + 1);
    ken_file_event *events;
    size_t n = 0;
    kt_ok(ken_index_load_events(l.store, &l.arena, &events, &n, &l.err));
    kt_eq_u(n, 0); // it is still the first index
    check_like_fresh();
    lab_end(&l);
}

KEN_TEST(a_mark_alone_is_not_current)
{
    make_tree(MANY);
    kt_ok_err(watched_run(0), &l.err);
    const ken_partial mark = { .is_partial = true, .n_done = 1, .n_total = MANY };
    kt_ok(ken_store_begin_write(l.store, &l.err));
    kt_ok(ken_partial_put(l.store, &mark, &l.arena, &l.err));
    kt_ok(ken_store_commit(l.store, &l.err));
    ken_index_look_report look;
    kt_ok(ken_index_look(l.store, l.root, &l.opts, NULL, NULL, NULL, &l.arena, &look, &l.err));
    kt_true(!look.is_current);
    lab_run(&l);
    kt_true(!mark_of().is_partial);
    check_like_fresh();
    lab_end(&l);
}

// Much of a folder is new: what was there stays, and answers with what comes.
KEN_TEST(a_large_update_shows_new_files_beside_the_old)
{
    make_tree(20);
    lab_run(&l);
    for (uint32_t i = 0; i < MANY; i++) {
        char path[40];
        snprintf(path, sizeof path, "lib/g%02u.py", i);
        write_code(path, i + 100);
    }
    lab_move(&l, "src/d0/f00.c", "src/d0/renamed.c");
    lab_remove(&l, "src/d1/f01.py");
    uint64_t before = lab_generation(&l);
    kt_status(watched_run(1), KEN_ECANCELLED);
    ken_partial mark = mark_of();
    kt_true(mark.is_partial && !mark.is_first);
    kt_true(seen.n_files > 20);
    kt_ok_err(lab_try(&l, NULL), &l.err);
    kt_true(lab_generation(&l) > before + 1);
    kt_eq_u(l.report.n_files, 19 + MANY);
    ken_file_event *events;
    size_t n = 0;
    kt_ok(ken_index_load_events(l.store, &l.arena, &events, &n, &l.err));
    kt_eq_u(n, MANY + 1 + 1); // the new ones, a rename, one that is gone
    check_like_fresh();
    lab_end(&l);
}

// What a forced run has at hand is no more than what there is.
KEN_TEST(a_forced_run_leaves_the_complete_generation_in_place)
{
    make_tree(MANY);
    lab_run(&l);
    l.opts.is_forced = true;
    kt_ok_err(watched_run(0), &l.err);
    kt_eq_u(seen.n_partial, 0);
    lab_end(&l);
}

static void write_more(uint32_t from)
{
    for (uint32_t i = 0; i < MANY; i++) {
        char path[40];
        snprintf(path, sizeof path, "lib/g%02u.py", from + i);
        write_code(path, from + i);
    }
}

// Trees of one index begin with the files of another: none of these is shown before its own are known.
KEN_TEST(a_tree_that_shares_a_list_shows_all_or_nothing)
{
    make_tree(20);
    lab_run(&l);
    write_more(100);
    kt_status(watched_run(1), KEN_ECANCELLED); // what the second tree will be based on lacks files
    kt_true(mark_of().is_partial);
    index_lab first = l;
    lab_start_named(&l, "second");
    ken_store_close(l.store);
    l.db = first.db;
    l.opts = first.opts;
    l.tree = ken_uuid_of(KEN_STR("second"));
    for (uint32_t i = 0; i < 20; i += 3) {
        char path[60];
        snprintf(path, sizeof path, "src/d%u/f%02u.%s", i % 7, i, i % 2 ? "py" : "c");
        write_code(path, i + 1);
    }
    l.store = lab_open_tree(l.db, l.tree, false);
    kt_true(!mark_of().is_partial);
    write_more(300);
    kt_ok_err(watched_run(0), &l.err); // its first run
    kt_eq_u(seen.n_partial, 0);
    check_like_fresh();
    write_more(500);
    kt_ok_err(watched_run(0), &l.err);
    kt_eq_u(seen.n_partial, 0);
    check_like_fresh();
    lab_end(&l);
    ken_store_close(first.store);
    l = first;
    l.store = lab_open_store(l.db, false);
    kt_true(mark_of().is_partial);
    write_more(700);
    kt_ok_err(watched_run(0), &l.err); // what was begun before it shared its files ends
    kt_eq_u(seen.n_partial, 0);
    kt_true(!mark_of().is_partial);
    check_like_fresh();
    lab_end(&l);
}

static bool is_in_first(const char *path)
{
    char line[100];
    snprintf(line, sizeof line, "%s\n", path);
    return strstr(seen.first, line) != NULL;
}

KEN_TEST(what_people_will_ask_about_is_read_first)
{
    lab_start(&l);
    for (uint32_t i = 0; i < MANY; i++) {
        char path[60];
        snprintf(path, sizeof path, "%s/deep/down/f%02u.py", i % 2 ? "tests" : "lib", i);
        write_code(path, i + 1);
    }
    write_code("main.py", 500);
    lab_write(&l, "pkg/api/package.json", "{ \"name\": \"api\" }\n");
    write_code("pkg/api/server.js", 501);
    l.clock_s += 100000; // days after the rest
    write_code("lib/deep/down/edited.py", 502);
    write_code("tests/deep/down/test_edited.py", 503);
    l.opts.n_jobs = 1; // files end in the order in which they are taken
    l.opts.first_files = FIRST;
    kt_ok_err(watched_run(0), &l.err);
    kt_true(is_in_first("main.py"));
    kt_true(is_in_first("pkg/api/server.js"));
    kt_true(is_in_first("lib/deep/down/edited.py"));
    kt_true(is_in_first("tests/deep/down/test_edited.py"));
    kt_true(!is_in_first("tests/deep/down/f01.py"));
    lab_end(&l);
}

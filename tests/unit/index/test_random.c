// SPDX-License-Identifier: MIT
// Thirty runs over a folder in which anything happens between them must end where one run over its
// last state ends: the same files, chunks and symbols, the same answers with the same scores.
#include "unit/index/index_lab.h"

static index_lab l;

enum {
    SLOTS = 60,
    RUNS = 30
};

static bool has_file[SLOTS];
static uint32_t version[SLOTS];

// The name that slot `i` has now; renames change the second part of it.
static uint32_t name_of[SLOTS];

static void path_of(uint32_t i, char out[64])
{
    static const char *const exts[] = { "py", "c", "md", "h", "go" };
    snprintf(out, 64, "d%u/e%u/file_%u_%u.%s", i % 4, i % 3, i, name_of[i], exts[i % 5]);
}

static void write_slot(uint32_t i)
{
    char path[64];
    path_of(i, path);
    ken_buf b = KEN_BUF_INIT(0);
    uint64_t before = lab_state;
    lab_seed(i * 1000 + version[i] + 1); // what version 3 holds is always the same
    lab_put_code(&b, path);
    lab_state = before;
    lab_write(&l, path, b.ptr);
    ken_buf_release(&b);
    has_file[i] = true;
}

static void write_odd(uint32_t i)
{
    static const struct {
        const char *text;
        size_t n;
    } odd[] = { { "\0\1\2 binary", 11 },
                { "", 0 },
                { "caf\xe9 \xff\xfe\n", 8 },
                { "// @generated, do not edit\nint x;\n", 33 },
                { "\xef\xbb\xbfint bom;\n", 12 } };
    char path[64];
    path_of(i, path);
    uint32_t k = lab_pick(5);
    lab_write_n(&l, path, odd[k].text, odd[k].n);
    has_file[i] = true;
}

static void remove_slot(uint32_t i)
{
    char path[64];
    path_of(i, path);
    if (has_file[i])
        lab_remove(&l, path);
    has_file[i] = false;
}

static void rename_slot(uint32_t i)
{
    char from[64], to[64];
    path_of(i, from);
    name_of[i]++;
    path_of(i, to);
    if (has_file[i])
        lab_move(&l, from, to);
}

// Slot i gets the content that slot k has.
static void copy_slot(uint32_t i, uint32_t k)
{
    char from[64], to[64];
    path_of(k, from);
    path_of(i, to);
    if (!has_file[k] || i == k)
        return;
    ken_str text = lab_read(&l, from);
    lab_write_n(&l, to, text.ptr, text.len);
    has_file[i] = true;
}

static void change_something(void)
{
    for (uint32_t n = lab_pick(12); n; n--) {
        uint32_t i = lab_pick(SLOTS);
        switch (lab_pick(10)) {
        case 0:
        case 1:
            remove_slot(i);
            break;
        case 2:
            rename_slot(i);
            break;
        case 3:
            copy_slot(i, lab_pick(SLOTS));
            break;
        case 4:
            write_odd(i);
            break;
        case 5:
            version[i] = lab_pick(3); // back to an earlier state
            write_slot(i);
            break;
        default:
            version[i]++;
            write_slot(i);
        }
    }
}

static char *describe(index_lab *lab)
{
    static const char *const queries[] = {
        "session client",
        "retry policy of the queue",
        "where is the parser",
        "invoice_ledger",
        "render",
        "socket reader writer",
        "token",
        "schema cursor region",
        "the quorum of a bucket",
        "worker_queue",
    };
    return lab_describe(lab, queries, sizeof queries / sizeof *queries);
}

static void run_by_chance(uint64_t seed, uint32_t forced_every)
{
    char name[40];
    snprintf(name, sizeof name, "life%llu", (unsigned long long)seed);
    lab_start_named(&l, name);
    memset(has_file, 0, sizeof has_file);
    memset(version, 0, sizeof version);
    memset(name_of, 0, sizeof name_of);
    lab_seed(seed);
    for (uint32_t i = 0; i < SLOTS / 2; i++)
        write_slot(i * 2);
    for (uint32_t run = 1; run <= RUNS; run++) {
        l.opts.n_jobs = 1 + run % 3;
        l.opts.is_forced = forced_every && run % forced_every == 0;
        l.opts.memory_limit = run % 4 ? 0 : 1 << 16; // many small segments now and then
        uint64_t files = 0;
        lab_run(&l);
        for (uint32_t i = 0; i < SLOTS; i++)
            files += has_file[i];
        kt_eq_u(l.report.n_files + l.report.n_skipped, files);
        change_something();
    }
    l.opts = (ken_index_opts){ .scan = l.opts.scan };
    lab_run(&l);
    kt_ok_err(ken_store_verify(l.store, &l.err), &l.err);
    index_lab fresh = l;
    fresh.db = ktest_path("index/fresh.db");
    fresh.store = lab_open_store(fresh.db, false);
    ken_arena_init(&fresh.arena, 0);
    lab_run(&fresh);
    char *is = describe(&l), *wanted = describe(&fresh);
    kt_eq_str(is, wanted);
    ken_free(is);
    ken_free(wanted);
    lab_end(&fresh);
    lab_end(&l);
    kt_eq_i(remove(fresh.db), 0);
}

KEN_TEST(many_runs_end_where_one_run_ends)
{
    run_by_chance(1, 0);
}

KEN_TEST(many_runs_end_where_one_run_ends_again)
{
    run_by_chance(2, 0);
}

KEN_TEST(forced_runs_between_change_nothing)
{
    run_by_chance(3, 5);
}

KEN_TEST(many_random_lives_of_a_folder)
{
    uint64_t last = getenv("KEN_TEST_SLOW") ? 60 : 11;
    for (uint64_t seed = 10; seed <= last; seed++)
        run_by_chance(seed, seed % 4);
}

// SPDX-License-Identifier: MIT
// Several processes on one index: readers beside a writer, and writers that are killed.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "conformance/store/store_scenario.h"
#include "ktest.h"

// ---- helpers ---------------------------------------------------------------------------------

static void sleep_us(long us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };
    nanosleep(&t, NULL);
}

// A child leaves with 0, or with its line after telling why: no checks of ktest in a child.
#define CHILD_CHECK(ok, err)                                               \
    do {                                                                   \
        if (!(ok)) {                                                       \
            fprintf(stderr, "child, line %d: %s\n", __LINE__, (err)->msg); \
            _exit(1);                                                      \
        }                                                                  \
    } while (0)

static ken_store *open_in_child(const char *path, bool is_read_only)
{
    ken_err err = { 0 };
    ken_store *s = NULL;
    ken_status st =
        ken_store_open(&(ken_store_opts){ .path = path, .is_read_only = is_read_only }, &s, &err);
    CHILD_CHECK(!st, &err);
    return s;
}

static void write_generations(const char *path, uint64_t from, uint64_t to)
{
    ken_store *s = open_in_child(path, false);
    for (uint64_t g = from; g <= to; g++) {
        ken_err err = { 0 };
        ken_status st = scn_write(s, g, &err);
        CHILD_CHECK(!st, &err);
    }
    ken_store_close(s);
}

static pid_t start_writer(const char *path, uint64_t from, uint64_t to)
{
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (pid == 0) {
        write_generations(path, from, to);
        _exit(0);
    }
    return pid;
}

// Reads until the generation is `last`; generations never go back and are always whole.
static pid_t start_reader(const char *path, uint64_t last)
{
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (pid)
        return pid;
    ken_store *s = open_in_child(path, true);
    ken_err err = { 0 };
    int64_t end = ken_clock_mono_ns() + (int64_t)60 * 1000000000;
    for (uint64_t before = 0, g = 0; g < last; before = g) {
        const char *wrong = NULL;
        ken_status st = scn_check(s, &g, &wrong, &err);
        CHILD_CHECK(!st, &err);
        snprintf(err.msg, sizeof err.msg, "%s, generation %llu after %llu", wrong ? wrong : "",
                 (unsigned long long)g, (unsigned long long)before);
        CHILD_CHECK(!wrong && g >= before && ken_clock_mono_ns() < end, &err);
    }
    ken_store_close(s);
    _exit(0);
}

static void expect_success(pid_t pid)
{
    int status = 0;
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static uint64_t check_whole(const char *path, bool is_read_only)
{
    ken_store *s = NULL;
    ken_err err = { 0 };
    kt_ok_err(
        ken_store_open(&(ken_store_opts){ .path = path, .is_read_only = is_read_only }, &s, &err),
        &err);
    uint64_t g = 0;
    const char *wrong = NULL;
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_str(wrong, NULL);
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store_close(s);
    return g;
}

// ---- tests -----------------------------------------------------------------------------------

KEN_TEST(readers_beside_a_writer_see_whole_generations)
{
    const char *path = ktest_path("p.db");
    write_generations(path, 1, 1);
    pid_t readers[3];
    for (int i = 0; i < 3; i++)
        readers[i] = start_reader(path, 60);
    pid_t writer = start_writer(path, 2, 60);
    expect_success(writer);
    for (int i = 0; i < 3; i++)
        expect_success(readers[i]);
    kt_eq_u(check_whole(path, true), 60);
}

KEN_TEST(two_writers_take_turns)
{
    // Each adds its own contents, in many short transactions.
    const char *path = ktest_path("p.db");
    enum {
        N = 100
    };
    pid_t pids[2];
    for (uint32_t w = 0; w < 2; w++) {
        pids[w] = fork();
        kt_true(pids[w] >= 0);
        if (pids[w])
            continue;
        ken_store *s = open_in_child(path, false);
        for (uint32_t i = 0; i < N; i++) {
            ken_err err = { 0 };
            const ken_facts f = { .n_bytes = w * N + i };
            const ken_content_key key = scn_key(w * N + i);
            int64_t id;
            ken_buf b = { 0 };
            ken_facts_pack(&f, &b);
            ken_status st = ken_store_begin_write(s, &err);
            if (!st)
                st = ken_store_add_content(s, &key, &f, &(ken_packed){ .facts = ken_buf_str(&b) },
                                           &id, &err);
            if (!st)
                st = ken_store_commit(s, &err);
            CHILD_CHECK(!st, &err);
            ken_buf_release(&b);
        }
        ken_store_close(s);
        _exit(0);
    }
    expect_success(pids[0]);
    expect_success(pids[1]);
    ken_store *s = NULL;
    ken_err err = { 0 };
    kt_ok(ken_store_open(&(ken_store_opts){ .path = path, .is_read_only = true }, &s, &err));
    for (uint32_t i = 0; i < 2 * N; i++) {
        const ken_content_key key = scn_key(i);
        ken_content_info info;
        kt_ok(ken_store_find_content(s, &key, &info, &err));
        kt_eq_u(info.n_bytes, i);
    }
    ken_store_close(s);
}

// Kills a writer after `us`; the generation there is must be whole, without any repair, for a
// reader that may not write and for one that may. Returns its number.
static uint64_t kill_writer_after(const char *path, uint64_t from, long us)
{
    pid_t pid = start_writer(path, from, from + 1000);
    sleep_us(us);
    kt_true(kill(pid, SIGKILL) == 0);
    int status = 0;
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFSIGNALED(status)); // else it failed by itself
    uint64_t read_only = check_whole(path, true);
    kt_eq_u(check_whole(path, false), read_only);
    return read_only;
}

KEN_TEST(killed_writer_leaves_the_last_generation)
{
    const char *path = ktest_path("p.db");
    write_generations(path, 1, 1);
    uint64_t g = 1, n_moved = 0;
    unsigned long state = 12345;
    long most_us = 30000;
    for (int round = 0; round < 50; round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t now = kill_writer_after(path, g + 1, 500 + (long)(state >> 33) % most_us);
        kt_true(now >= g);
        if (now > g)
            n_moved++;
        else if (most_us < 300000) // a busy machine: some rounds must get as far as a commit
            most_us += most_us / 8;
        g = now;
    }
    kt_true(n_moved > 5);
}

KEN_TEST(killed_creator_leaves_nothing_or_an_index)
{
    const char *path = ktest_path("new/p.db");
    for (int round = 0; round < 25; round++) {
        pid_t pid = fork();
        kt_true(pid >= 0);
        if (pid == 0) {
            write_generations(path, 1, 1000);
            _exit(0);
        }
        sleep_us(200 + round * 300);
        kt_true(kill(pid, SIGKILL) == 0);
        kt_true(waitpid(pid, NULL, 0) == pid);
        ken_store *s = NULL;
        ken_err err = { 0 };
        ken_status st =
            ken_store_open(&(ken_store_opts){ .path = path, .is_read_only = true }, &s, &err);
        if (st)
            ktest_status(st, KEN_ENOTFOUND, &err, "opening", __FILE__, __LINE__);
        ken_store_close(st ? NULL : s);
        (void)check_whole(path, false);
        static const char *const suffixes[] = { "", "-wal", "-shm" };
        for (int i = 0; i < 3; i++) {
            char name[512];
            snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
            kt_ok(ken_fs_remove(name, &err));
        }
    }
}

KEN_TEST(several_creators_make_one_index)
{
    const char *path = ktest_path("p.db");
    for (int round = 0; round < 5; round++) {
        pid_t pids[4];
        for (int i = 0; i < 4; i++) {
            pids[i] = fork();
            kt_true(pids[i] >= 0);
            if (pids[i] == 0) {
                ken_store_close(open_in_child(path, false));
                _exit(0);
            }
        }
        for (int i = 0; i < 4; i++)
            expect_success(pids[i]);
        kt_eq_u(check_whole(path, false), 0);
        ken_err err = { 0 };
        kt_ok(ken_fs_remove(path, &err));
    }
}

KEN_TEST(contents_of_a_killed_run_are_found_again)
{
    const char *path = ktest_path("p.db");
    ken_store *s = open_in_child(path, false);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_err err = { 0 };
    int64_t *before = KEN_ARENA_ARRAY(&arena, int64_t, scn_n_files(1));
    kt_ok_err(scn_put_contents(s, 1, &arena, before, &err), &err);
    ken_store_close(s); // the run ends here, before its generation
    kt_eq_u(check_whole(path, true), 0);
    s = open_in_child(path, false);
    int64_t *after = KEN_ARENA_ARRAY(&arena, int64_t, scn_n_files(1));
    kt_ok_err(scn_put_contents(s, 1, &arena, after, &err), &err);
    for (uint32_t i = 0; i < scn_n_files(1); i++)
        kt_eq_i(before[i], after[i]);
    kt_ok_err(scn_write(s, 1, &err), &err);
    ken_store_close(s);
    kt_eq_u(check_whole(path, true), 1);
    ken_arena_release(&arena);
}

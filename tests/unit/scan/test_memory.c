// SPDX-License-Identifier: MIT
// A scan that looks only at what was told gives what a whole scan gives.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "help.h"

enum {
    ROUNDS = 60,
    CHANGES = 6,
    LIMIT = 2000,
};

static const char *const folders[] = { "", "src/", "src/deep/", "doc/", "dist/", "node_modules/" };
static const char *const names[] = { "a.c",     "b.c",   "a b.c",  "x.log",    "*.c",
                                     ":b.c",    "p.png", "id_rsa", "c.py",     "kept.log",
                                     "out.gen", "ab.c",  "a",      "yarn.lock" };

static void pick(uint64_t *random, char *out, size_t size)
{
    snprintf(out, size, "%s%s", folders[help_random(random, sizeof folders / sizeof *folders)],
             names[help_random(random, sizeof names / sizeof *names)]);
}

static void write_some(const char *rel, uint64_t *random)
{
    char text[LIMIT + 100];
    static const uint32_t lengths[] = { 0, 5, 17, LIMIT + 50 };
    uint32_t n = lengths[help_random(random, 4)];
    memset(text, 'x', n);
    unlink(help_path(rel));
    help_write(rel, ken_str_n(text, n));
}

static void tell(ken_scan_memory *m, const char *path)
{
    ken_scan_memory_tell(m, ken_str_c(path));
}

// One change of a file, told as the kernel names it.
static void change(ken_scan_memory *m, uint64_t *random)
{
    char from[100], to[100], rel[120], other[120];
    pick(random, from, sizeof from);
    pick(random, to, sizeof to);
    snprintf(rel, sizeof rel, "t/%s", from);
    snprintf(other, sizeof other, "t/%s", to);
    switch (help_random(random, 5)) {
    case 0:
    case 1:
        write_some(rel, random);
        break;
    case 2:
        unlink(help_path(rel));
        break;
    case 3:
        (void)rename(help_path(rel), help_path(other));
        tell(m, to);
        break;
    default:
        unlink(help_path(rel));
        kt_eq_i(symlink("a.c", help_path(rel)), 0);
        break;
    }
    tell(m, from);
}

static void fill(void)
{
    uint64_t random = 7;
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("*.log\n!kept.log\nout.*\n"));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char rel[120];
            snprintf(rel, sizeof rel, "t/%s%s", folders[i], names[k]);
            if (help_random(&random, 2))
                help_touch(rel);
            if (k == sizeof names / sizeof *names / 2) {
                help_touch("t/dist/a.c");
                help_git_commit("t");
            }
        }
    }
}

KEN_TEST(what_was_told_is_what_a_whole_scan_finds)
{
    if (!help_has_git())
        kt_skip("git", "not installed");
    uint64_t random = 4711;
    const ken_str exclude[] = { KEN_STR("src/deep/b.*") };
    ken_scan_opts whole = { .max_file_bytes = LIMIT, .exclude = exclude, .n_exclude = 1 };
    ken_scan_opts again = whole;
    fill();
    again.memory = ken_scan_memory_new();
    for (int round = 0; round < ROUNDS; round++) {
        kt_eq_str(help_scan("t", &again), help_scan("t", &whole));
        for (uint32_t i = help_random(&random, CHANGES); i; i--)
            change(again.memory, &random);
    }
    ken_scan_memory_free(again.memory);
}

KEN_TEST(only_what_was_told_is_looked_at)
{
    if (!help_has_git())
        kt_skip("git", "not installed");
    ken_scan_opts again = { .memory = ken_scan_memory_new() };
    help_git_init("t");
    help_touch("t/a.c");
    kt_eq_str(help_scan("t", &again), "a.c\n");
    help_touch("t/b.c");
    help_touch("t/c.c");
    kt_eq_str(help_scan("t", &again), "a.c\n");
    tell(again.memory, "b.c");
    kt_eq_str(help_scan("t", &again), "a.c\nb.c\n");
    tell(again.memory, "new/d.c"); // of a folder of which nothing is known
    help_touch("t/new/d.c");
    kt_eq_str(help_scan("t", &again), "a.c\nb.c\nc.c\nnew/d.c\n");
    help_touch("t/e.c");
    const ken_str exclude[] = { KEN_STR("a.c") };
    again.exclude = exclude;
    again.n_exclude = 1; // another question
    kt_eq_str(help_scan("t", &again), "a.c: ignored\nb.c\nc.c\ne.c\nnew/d.c\n");
    help_touch("t/f.c");
    for (int i = 0; i < 3000; i++) { // too many to be worth while
        char name[20];
        snprintf(name, sizeof name, "x%d.c", i);
        tell(again.memory, name);
    }
    kt_eq_str(help_scan("t", &again), "a.c: ignored\nb.c\nc.c\ne.c\nf.c\nnew/d.c\n");
    help_touch("t/g.c");
    ken_scan_memory_forget(again.memory);
    kt_eq_str(help_scan("t", &again), "a.c: ignored\nb.c\nc.c\ne.c\nf.c\ng.c\nnew/d.c\n");
    ken_scan_memory_free(again.memory);
}

KEN_TEST(a_walk_remembers_what_it_found_and_walks_for_what_is_new)
{
    ken_scan_opts again = { .memory = ken_scan_memory_new(), .without_git = true };
    help_touch("t/src/a.c");
    help_touch("t/src/b.c");
    help_write("t/.gitignore", KEN_STR("x.c\n"));
    const char *first = help_scan("t", &again);
    unlink(help_path("t/src/a.c"));
    kt_eq_str(help_scan("t", &again), first);
    tell(again.memory, "src/a.c");
    kt_eq_str(help_files("t", &again), ".gitignore\nsrc/b.c\n");
    help_touch("t/src/x.c");
    help_touch("t/src/y.c");
    tell(again.memory, "src/x.c");
    kt_eq_str(help_files("t", &again), ".gitignore\nsrc/b.c\nsrc/y.c\n");
    ken_scan_memory_free(again.memory);
}

KEN_TEST(a_new_ignored_file_that_is_spelt_out_is_found)
{
    if (!help_has_git())
        kt_skip("git", "git is not installed");
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("gen/\n"));
    help_touch("t/gen/a.c");
    help_touch("t/src/b.c");
    ken_scan_memory *m = ken_scan_memory_new();
    const ken_str include[] = { KEN_STR("gen/**"), KEN_STR("src/**") };
    const ken_scan_opts opts = { .include = include, .n_include = 2, .memory = m };
    kt_eq_str(help_files("t", &opts), "gen/a.c\nsrc/b.c\n");
    help_touch("t/gen/new.c");
    tell(m, "gen/new.c");
    kt_eq_str(help_files("t", &opts), "gen/a.c\ngen/new.c\nsrc/b.c\n");
    ken_scan_memory_free(m);
}

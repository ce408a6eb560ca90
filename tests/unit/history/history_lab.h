// SPDX-License-Identifier: MIT
// history_lab.h -- a real repository in a folder of the test's own, and short ways to ask about it.
#ifndef KEN_TESTS_HISTORY_LAB_H
#define KEN_TESTS_HISTORY_LAB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "history/history.h"
#include "ktest.h"
#include "proc/proc.h"

enum {
    LAB_MAX_ARGS = 16,
    LAB_DAY_0 = 1700000000,
    LAB_DAY = 24 * 3600
};

static const char *root;
static ken_arena arena;
static ken_err err;

static inline ken_proc_result lab_run(const char *cwd, const char *const *argv)
{
    ken_proc_result r = { 0 };
    kt_ok_err(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = cwd, .env = ktest_env(NULL) }, &r,
                           &err),
              &err);
    if (r.exit_code)
        kt_fail("git %s: %s", argv[1], r.errors.ptr ? r.errors.ptr : "failed");
    return r;
}

// Runs git in the repository; arguments end with NULL. What it printed, in the arena.
static inline ken_str git(const char *first, ...)
{
    const char *argv[LAB_MAX_ARGS + 2] = { "git", first };
    va_list ap;
    va_start(ap, first);
    for (size_t i = 2; i <= LAB_MAX_ARGS; i++) {
        argv[i] = va_arg(ap, const char *);
        if (!argv[i])
            break;
    }
    va_end(ap);
    ken_proc_result r = lab_run(root, argv);
    ken_str text = ken_arena_dup(&arena, ken_str_trim(ken_buf_str(&r.out)));
    ken_proc_result_release(&r);
    return text;
}

// A new repository in the folder `name`; the settings of whoever runs the tests do not count.
static inline void lab_start(const char *name)
{
    if (!getenv("PATH"))
        kt_skip("git", "no PATH");
    setenv("HOME", ktest_dir(), 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    unsetenv("XDG_CONFIG_HOME");
    setenv("GIT_COMMITTER_NAME", "committer", 1);
    setenv("GIT_COMMITTER_EMAIL", "committer@example.org", 1);
    ken_proc_result r;
    const char *const version[] = { "git", "--version", NULL };
    if (ken_proc_run(&(ken_proc_opts){ .argv = version }, &r, NULL))
        kt_skip("git", "git is not installed");
    ken_proc_result_release(&r);
    ken_arena_init(&arena, 0);
    err = (ken_err){ 0 };
    root = ktest_path(name);
    kt_ok(ken_fs_make_dirs(root, 0755, NULL));
    git("-c", "init.defaultBranch=main", "init", "-q", "--template=", NULL);
}

static inline void lab_end(void)
{
    ken_arena_release(&arena);
}

// Writes a file of the repository.
static inline void put(const char *rel, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", root + strlen(ktest_dir()) + 1, rel);
    ktest_write(path, text);
}

// Commits all there is, on a day, by somebody.
static inline void commit(int day, const char *who, const char *subject)
{
    char author[200], date[64];
    snprintf(author, sizeof author, "%s <%s@example.org>", who, who);
    snprintf(date, sizeof date, "%d +0000", LAB_DAY_0 + day * LAB_DAY);
    setenv("GIT_COMMITTER_DATE", date, 1);
    git("add", "-A", NULL);
    git("commit", "-q", "--allow-empty", "--author", author, "--date", date, "-m", subject, NULL);
}

static inline ken_history *read_with(const ken_history *kept, ken_history_opts o)
{
    ken_history *h = NULL;
    kt_ok_err(ken_history_read(root, kept, &o, NULL, &h, &err), &err);
    return h;
}

static inline ken_history *read_all(void)
{
    return read_with(NULL, (ken_history_opts){ 0 });
}

static inline ken_history_file file(const ken_history *h, const char *path)
{
    ken_history_file f = { 0 };
    if (!ken_history_find(h, ken_str_c(path), &f))
        kt_fail("'%s' has no history", path);
    return f;
}

// All that can be seen of a history, as text.
static inline const char *dump(ken_history *h)
{
    ken_buf b = { 0 };
    ken_history_info i = ken_history_get_info(h);
    ken_buf_printf(&b, KEN_STR_FMT " '" KEN_STR_FMT "' %u commits %u authors\n",
                   KEN_STR_ARG(i.head), KEN_STR_ARG(i.reason), i.n_commits, i.n_authors);
    for (uint32_t n = 0; n < i.n_files; n++) {
        ken_history_file f = ken_history_at(h, n);
        ken_buf_printf(
            &b, KEN_STR_FMT " %u/%u by %u, " KEN_STR_FMT " %lld " KEN_STR_FMT ": " KEN_STR_FMT,
            KEN_STR_ARG(f.path), f.n_commits, f.n_recent, f.n_authors, KEN_STR_ARG(f.last.id),
            (long long)f.last.time_s, KEN_STR_ARG(f.last.author), KEN_STR_ARG(f.last.subject));
        ken_history_neighbour near[KEN_HISTORY_NEIGHBOURS];
        size_t n_near = ken_history_neighbours(h, n, near);
        for (size_t k = 0; k < n_near; k++) {
            ken_history_file o = ken_history_at(h, near[k].number);
            ken_buf_printf(&b, "; " KEN_STR_FMT " %u %.2f", KEN_STR_ARG(o.path), near[k].n_together,
                           near[k].confidence);
        }
        ken_buf_putc(&b, '\n');
    }
    const char *text = ken_arena_dup(&arena, ken_buf_str(&b)).ptr;
    ken_buf_release(&b);
    return text;
}

// How a history looks after it was packed and unpacked.
static inline const char *dump_packed(const ken_history *h)
{
    ken_buf b = { 0 };
    ken_history *again = NULL;
    ken_history_pack(h, &b);
    kt_ok_err(ken_history_unpack(ken_buf_str(&b), &again, &err), &err);
    const char *text = dump(again);
    ken_history_free(again);
    ken_buf_release(&b);
    return text;
}

#endif

// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "help.h"
#include "proc/proc.h"

enum {
    HELP_MAX_ARGS = 16,
    HELP_MAX_TEXT = 32 << 20
};

// Texts of all tests; small, and gone with the process.
static ken_arena texts;

static const char *keep(ken_str text)
{
    return ken_arena_dup(&texts, text).ptr;
}

const char *help_path(const char *rel)
{
    return ken_arena_printf(&texts, "%s/%s", ktest_dir(), rel).ptr;
}

const char *help_home(void)
{
    const char *home = help_path("home");
    kt_ok(ken_fs_make_dirs(home, 0755, NULL));
    return home;
}

static ken_proc_result run_git(const char *rel, const char *const *argv)
{
    char home[1024];
    snprintf(home, sizeof home, "HOME=%s", help_home());
    const char *env[] = { home,
                          "GIT_CONFIG_NOSYSTEM=1",
                          "GIT_AUTHOR_NAME=a",
                          "GIT_AUTHOR_EMAIL=a@example.org",
                          "GIT_COMMITTER_NAME=a",
                          "GIT_COMMITTER_EMAIL=a@example.org",
                          "XDG_CONFIG_HOME",
                          "GIT_DIR",
                          "GIT_INDEX_FILE",
                          NULL };
    ken_err err = { 0 };
    ken_proc_result r = { 0 };
    kt_ok_err(ken_proc_run(&(ken_proc_opts){ .argv = argv,
                                             .cwd = rel ? help_path(rel) : NULL,
                                             .env = ktest_env(env),
                                             .max_out_bytes = HELP_MAX_TEXT },
                           &r, &err),
              &err);
    return r;
}

bool help_has_git(void)
{
    static const char *const argv[] = { "git", "--version", NULL };
    ken_proc_result r;
    if (ken_proc_run(&(ken_proc_opts){ .argv = argv }, &r, NULL))
        return false;
    ken_proc_result_release(&r);
    return true;
}

ken_str help_git(const char *rel, ...)
{
    const char *argv[HELP_MAX_ARGS + 2] = { "git" };
    va_list ap;
    va_start(ap, rel);
    for (size_t i = 1; i <= HELP_MAX_ARGS; i++) {
        argv[i] = va_arg(ap, const char *);
        if (!argv[i])
            break;
    }
    va_end(ap);
    ken_proc_result r = run_git(rel, argv);
    if (r.exit_code)
        kt_fail("git %s: %s", argv[1], r.errors.ptr ? r.errors.ptr : "failed");
    ken_str text = ken_buf_str(&r.out);
    ken_str kept = ken_str_n(text.len ? keep(text) : "", text.len);
    ken_proc_result_release(&r);
    return kept;
}

void help_git_init(const char *rel)
{
    kt_ok(ken_fs_make_dirs(help_path(rel), 0755, NULL));
    help_git(rel, "-c", "init.defaultBranch=main", "init", "-q", "--template=", NULL);
}

void help_git_commit(const char *rel)
{
    help_git(rel, "add", "-A", NULL);
    help_git(rel, "commit", "-q", "--allow-empty", "-m", "x", NULL);
}

void help_write(const char *rel, ken_str text)
{
    const char *path = help_path(rel);
    ken_err err = { 0 };
    ken_str dir = ken_path_dir(ken_str_c(path));
    kt_ok_err(ken_fs_make_dirs(ken_arena_dup(&texts, dir).ptr, 0755, &err), &err);
    FILE *f = fopen(path, "wb");
    if (!f)
        kt_fail("cannot write '%s'", path);
    kt_eq_u(fwrite(text.ptr, 1, text.len, f), text.len);
    kt_eq_i(fclose(f), 0);
}

void help_touch(const char *rel)
{
    help_write(rel, KEN_STR("one line\n"));
}

static const char *scan_text(const char *rel, const ken_scan_opts *opts, bool wants_skips)
{
    ken_scan_opts o = opts ? *opts : (ken_scan_opts){ 0 };
    if (!o.home)
        o.home = help_home();
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_scan_result r;
    ken_err err = { 0 };
    kt_ok_err(ken_scan(help_path(rel), &o, NULL, &a, &r, &err), &err);
    ken_buf text = KEN_BUF_INIT(HELP_MAX_TEXT);
    size_t f = 0, s = 0;
    while (f < r.n_files || s < r.n_skips) {
        bool is_file =
            f < r.n_files && (s == r.n_skips || ken_str_cmp(r.files[f].path, r.skips[s].path) <= 0);
        if (is_file) {
            ken_buf_put_str(&text, r.files[f++].path);
            ken_buf_putc(&text, '\n');
            continue;
        }
        if (wants_skips)
            ken_buf_printf(&text, KEN_STR_FMT ": %s\n", KEN_STR_ARG(r.skips[s].path),
                           ken_skip_word(r.skips[s].reason));
        s++;
    }
    const char *kept = text.len ? keep(ken_buf_str(&text)) : "";
    ken_buf_release(&text);
    ken_arena_release(&a);
    return kept;
}

const char *help_scan(const char *rel, const ken_scan_opts *opts)
{
    return scan_text(rel, opts, true);
}

const char *help_files(const char *rel, const ken_scan_opts *opts)
{
    return scan_text(rel, opts, false);
}

const char *help_env(const char *name)
{
    const char *value = getenv(name);
    return keep(ken_str_c(value ? value : ""));
}

uint32_t help_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

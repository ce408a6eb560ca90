// SPDX-License-Identifier: MIT
// ktest.c -- the harness and the one main of every test binary.
//
// Each test runs inside cmocka, which catches failures with longjmp; what a test allocated through
// ktest (sandbox, read files, paths) hangs on `run` and is dropped in the teardown, which cmocka
// calls on every way out.
#include "ktest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_HELD  2048
#define MAX_SHOWN 400
#define MAX_ENV   1000

static ktest_case *all_cases;
static bool is_updating;

static struct {
    char dir[256];
    void *held[MAX_HELD];
    size_t n_held;
} run;

void ktest_register(ktest_case *c)
{
    // Kept in the order of the source: constructors run in order, the list is appended.
    ktest_case **end = &all_cases;
    while (*end)
        end = &(*end)->next;
    *end = c;
}

void ktest_fail(const char *file, int line, const char *fmt, ...)
{
    char msg[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof(msg), fmt, ap);
    va_end(ap);
    print_error("%s\n", msg);
    _fail(file, line);
    abort(); // not reached: cmocka jumps
}

// Memory that lives until the test ends.
static void *hold(void *p)
{
    if (!p || run.n_held == MAX_HELD)
        ktest_fail(__FILE__, __LINE__, "out of memory, or over %d paths in one test", MAX_HELD);
    run.held[run.n_held++] = p;
    return p;
}

static char *join(const char *a, const char *b)
{
    size_t len = strlen(a) + strlen(b) + 2;
    char *s = hold(malloc(len));
    snprintf(s, len, "%s/%s", a, b);
    return s;
}

// Makes every folder above the last part of `path`.
static void make_parents(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            ktest_fail(__FILE__, __LINE__, "making folder '%s': %s", path, strerror(errno));
        *p = '/';
    }
}

const char *ktest_dir(void)
{
    if (run.dir[0])
        return run.dir;
    const char *tmp = getenv("TMPDIR");
    snprintf(run.dir, sizeof(run.dir), "%s/ktest-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(run.dir)) {
        run.dir[0] = '\0';
        ktest_fail(__FILE__, __LINE__, "making a sandbox: %s", strerror(errno));
    }
    return run.dir;
}

const char *ktest_path(const char *rel)
{
    char *path = join(ktest_dir(), rel);
    make_parents(path);
    return path;
}

static void write_file(const char *path, const char *text, size_t len)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        ktest_fail(__FILE__, __LINE__, "writing '%s': %s", path, strerror(errno));
    size_t n = fwrite(text, 1, len, f);
    if (fclose(f) != 0 || n != len)
        ktest_fail(__FILE__, __LINE__, "writing '%s': %s", path, strerror(errno));
}

const char *ktest_write(const char *rel, const char *text)
{
    const char *path = ktest_path(rel);
    write_file(path, text, strlen(text));
    return path;
}

// ptr is NULL when the file cannot be opened.
static ken_str read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return (ken_str){ NULL, 0 };
    size_t cap = 4096;
    size_t len = 0;
    char *text = malloc(cap);
    while (text) {
        len += fread(text + len, 1, cap - len - 1, f);
        if (len < cap - 1)
            break;
        cap *= 2;
        char *grown = realloc(text, cap);
        if (!grown)
            free(text);
        text = grown;
    }
    fclose(f);
    hold(text);
    text[len] = '\0';
    return ken_str_n(text, len);
}

ken_str ktest_read(const char *path)
{
    ken_str text = read_file(path);
    if (!text.ptr)
        ktest_fail(__FILE__, __LINE__, "reading '%s': %s", path, strerror(errno));
    return text;
}

extern char **environ;

static bool is_same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, "=");
    return strcspn(b, "=") == n && strncmp(a, b, n) == 0;
}

const char *const *ktest_env(const char *const *extra)
{
    static const char *env[MAX_ENV + 1];
    static const char *const none[] = { NULL };
    size_t n = 0;
    if (!extra)
        extra = none;
    for (char **e = environ; *e && n < MAX_ENV; e++) {
        bool is_given = false;
        for (const char *const *x = extra; *x; x++)
            is_given |= is_same_name(*x, *e);
        if (!is_given)
            env[n++] = *e;
    }
    for (; *extra && n < MAX_ENV; extra++)
        if (strchr(*extra, '='))
            env[n++] = *extra;
    env[n] = NULL;
    return env;
}

const char *ktest_data(const char *rel)
{
    return join(KEN_TEST_SOURCE_DIR "/data", rel);
}

// The first line where two texts part, 1-based; its start in each.
static size_t first_difference(ken_str a, ken_str b, size_t *out_start)
{
    size_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++) {
        if (a.ptr[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    *out_start = start;
    return line;
}

static int line_len(ken_str s, size_t start)
{
    size_t end = start;
    while (end < s.len && s.ptr[end] != '\n' && end - start < MAX_SHOWN)
        end++;
    return (int)(end - start);
}

void ktest_golden(const char *rel, const char *text, size_t len, const char *file, int line)
{
    char *path = join(KEN_TEST_SOURCE_DIR "/golden", rel);
    if (is_updating) {
        make_parents(path);
        write_file(path, text, len);
        return;
    }
    ken_str want = read_file(path);
    if (!want.ptr)
        ktest_fail(file, line, "no golden file '%s'; run ./dev test --update and read the diff",
                   rel);
    ken_str got = ken_str_n(text, len);
    if (ken_str_eq(got, want))
        return;
    size_t at;
    size_t n = first_difference(got, want, &at);
    ktest_fail(file, line,
               "'%s' differs from line %zu on:\n  want: %.*s\n   got: %.*s\n"
               "(./dev test --update rewrites it)",
               rel, n, line_len(want, at), want.ptr + at, line_len(got, at), got.ptr + at);
}

// Whether the comma-separated `list` has `word`.
static bool list_has(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list; p && *p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, word, len) == 0 && (p[len] == ',' || p[len] == '\0'))
            return true;
    }
    return false;
}

void ktest_skip(const char *what, const char *why, const char *file, int line)
{
    if (list_has(getenv("KEN_TEST_REQUIRE"), what))
        ktest_fail(file, line, "'%s' is required here, but: %s", what, why);
    print_message("SKIPPED, needs '%s': %s\n", what, why);
    _skip(file, line);
    abort(); // not reached: cmocka jumps
}

void ktest_true(bool x, bool want, const char *text, const char *file, int line)
{
    if (x != want)
        ktest_fail(file, line, "%s: %s", want ? "is not true" : "is true", text);
}

void ktest_eq_i(int64_t a, int64_t b, const char *ta, const char *tb, const char *file, int line)
{
    if (a != b)
        ktest_fail(file, line, "%s is %" PRId64 ", %s is %" PRId64, ta, a, tb, b);
}

void ktest_eq_u(uint64_t a, uint64_t b, const char *ta, const char *tb, const char *file, int line)
{
    if (a != b)
        ktest_fail(file, line, "%s is %" PRIu64 ", %s is %" PRIu64, ta, a, tb, b);
}

void ktest_near(double a, double b, double tolerance, const char *ta, const char *tb,
                const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance))
        ktest_fail(file, line, "%s is %.9g, %s is %.9g, tolerance %g", ta, a, tb, b, tolerance);
}

void ktest_eq_str(const char *a, const char *b, const char *ta, const char *tb, const char *file,
                  int line)
{
    if (!a || !b) {
        if (a != b)
            ktest_fail(file, line, "%s is '%.400s', %s is '%.400s'", ta, a ? a : "(null)", tb,
                       b ? b : "(null)");
        return;
    }
    ktest_eq_text(ken_str_c(a), ken_str_c(b), ta, tb, file, line);
}

void ktest_eq_text(ken_str a, ken_str b, const char *ta, const char *tb, const char *file, int line)
{
    if (ken_str_eq(a, b))
        return;
    size_t at;
    size_t n = first_difference(a, b, &at);
    ktest_fail(file, line,
               "texts differ (%zu and %zu bytes), first in line %zu:\n  %s: %.*s\n  %s: %.*s",
               a.len, b.len, n, ta, line_len(a, at), a.ptr ? a.ptr + at : "", tb, line_len(b, at),
               b.ptr ? b.ptr + at : "");
}

void ktest_has_str(const char *text, const char *part, const char *ttext, const char *file,
                   int line)
{
    if (!text || !strstr(text, part))
        ktest_fail(file, line, "'%s' is not in %s:\n%.1200s", part, ttext, text ? text : "(null)");
}

void ktest_status(ken_status st, ken_status want, const ken_err *err, const char *text,
                  const char *file, int line)
{
    if (st != want)
        ktest_fail(file, line, "%s gave %s, not %s%s%s", text, ken_status_name(st),
                   ken_status_name(want), err && err->msg[0] ? ": " : "", err ? err->msg : "");
}

// ---- threads -----------------------------------------------------------------------------------

// The linker leads every call of pthread_create() in our code here (tests/CMakeLists.txt).
int ktest_real_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
                      void *arg) __asm__("__real_pthread_create");
int ktest_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
                 void *arg) __asm__("__wrap_pthread_create");

static atomic_bool has_created;

int ktest_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    atomic_store(&has_created, true);
    return ktest_real_create(out, attr, fn, arg);
}

// Threads of an earlier test may be there still.
static bool has_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    size_t n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n != 3; // ".", ".." and this one
}

// One file for each binary, the names of its tests that had threads in it, a line each.
static void write_threaded(const char *dir, const char *binary)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, binary);
    FILE *f = fopen(path, "we");
    for (const ktest_case *c = all_cases; f && c; c = c->next)
        if (c->is_threaded)
            fprintf(f, "%s\n", c->name);
    if (!f || fclose(f))
        fprintf(stderr, "ktest: cannot write '%s': %s\n", path, strerror(errno));
}

// What is not known to have none has some.
static void read_threaded(const char *dir, const char *binary)
{
    char text[512];
    snprintf(text, sizeof text, "%s/%s", dir, binary);
    FILE *f = fopen(text, "re");
    for (ktest_case *c = all_cases; c; c = c->next)
        c->is_threaded = !f;
    while (f && fgets(text, sizeof text, f)) {
        text[strcspn(text, "\n")] = '\0';
        for (ktest_case *c = all_cases; c; c = c->next)
            if (strcmp(c->name, text) == 0)
                c->is_threaded = true;
    }
    if (f)
        fclose(f);
}

// ---- running -----------------------------------------------------------------------------------

static void run_case(void **state)
{
    ktest_case *c = *state;
    atomic_store(&has_created, false);
    c->is_threaded = has_threads();
    c->fn();
    c->is_threaded |= atomic_load(&has_created);
    c->has_passed = true;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static int teardown(void **state)
{
    const ktest_case *c = *state;
    if (run.dir[0] && c->has_passed)
        nftw(run.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    else if (run.dir[0])
        print_message("sandbox of %s kept: %s\n", c->name, run.dir);
    run.dir[0] = '\0';
    while (run.n_held > 0)
        free(run.held[--run.n_held]);
    return 0;
}

static bool is_wanted(const ktest_case *c, int n, char **words)
{
    bool has_words = false;
    for (int i = 1; i < n; i++) {
        if (words[i][0] == '-')
            continue;
        has_words = true;
        if (strstr(c->name, words[i]))
            return true;
    }
    return !has_words;
}

static int list_cases(int argc, char **argv)
{
    for (const ktest_case *c = all_cases; c; c = c->next)
        if (is_wanted(c, argc, argv))
            printf("%s\n", c->name);
    return 0;
}

int main(int argc, char **argv)
{
    const char *update = getenv("KTEST_UPDATE");
    const char *threads_to = getenv("KTEST_THREADS_TO"), *threads_of = getenv("KTEST_THREADS_OF");
    const char *slash = strrchr(argv[0], '/'), *binary = slash ? slash + 1 : argv[0];
    is_updating = update && *update == '1';
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0)
            return list_cases(argc, argv);
        if (strcmp(argv[i], "--update") == 0)
            is_updating = true;
    }

    size_t n = 0;
    for (const ktest_case *c = all_cases; c; c = c->next)
        n++;
    struct CMUnitTest *tests = calloc(n + 1, sizeof(*tests));
    if (!tests)
        return 1;
    n = 0;
    if (threads_of)
        read_threaded(threads_of, binary);
    for (ktest_case *c = all_cases; c; c = c->next)
        if (is_wanted(c, argc, argv) && (!threads_of || c->is_threaded))
            tests[n++] = (struct CMUnitTest){ c->name, run_case, NULL, teardown, c };
    int failed = n ? _cmocka_run_group_tests(binary, tests, n, NULL, NULL) : 0;
    if (threads_to)
        write_threaded(threads_to, binary);
    free(tests);
    return failed == 0 ? 0 : 1;
}

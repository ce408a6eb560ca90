// SPDX-License-Identifier: MIT
#include "bench.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/pool.h"
#include "lexical/lexical.h"
#include "proc/proc.h"
#include "scan/scan.h"
#include "token/token.h"

void bench_die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("bench: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void bench_check(ken_status st, const ken_err *err)
{
    if (st)
        bench_die("%s (%s)", err->msg, err->where ? err->where : "?");
}

// ---- arguments ---------------------------------------------------------------------------------

static uint64_t number_of(const char *flag, const char *text)
{
    uint64_t n = 0;
    if (!text || !ken_str_parse_u64(ken_str_c(text), &n))
        bench_die("%s: expected a number", flag);
    return n;
}

static bool read_switch(bench_args *a, const char *flag)
{
    struct {
        const char *flag;
        bool *value;
    } switches[] = { { "--json", &a->is_json },
                     { "--child", &a->is_child },
                     { "--instructions", &a->wants_instructions },
                     { "--ratio", &a->wants_ratio },
                     { "--whole", &a->wants_whole } };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (strcmp(flag, switches[i].flag) == 0) {
            *switches[i].value = true;
            return true;
        }
    }
    return false;
}

static bool read_value(bench_args *a, const char *flag, const char *value)
{
    struct {
        const char *flag;
        const char **value;
    } texts[] = { { "--temp", &a->temp },
                  { "--keep", &a->keep },
                  { "--ken", &a->ken },
                  { "--file", &a->file },
                  { "--only", &a->only } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(flag, texts[i].flag) == 0) {
            *texts[i].value = value ? value : "";
            return true;
        }
    }
    if (strcmp(flag, "--runs") == 0)
        a->n_runs = (uint32_t)number_of(flag, value);
    else if (strcmp(flag, "--jobs") == 0)
        a->n_jobs = (uint32_t)number_of(flag, value);
    else if (strcmp(flag, "--pause") == 0)
        a->pause_ms = (uint32_t)number_of(flag, value);
    else if (strcmp(flag, "--queries") == 0)
        a->n_queries = number_of(flag, value);
    else if (strcmp(flag, "--chunks") == 0)
        a->n_chunks = number_of(flag, value);
    else
        return false;
    return true;
}

void bench_args_parse(int argc, char **argv, const char *what, bench_args *out)
{
    *out = (bench_args){ 0 };
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (out->n_paths == BENCH_PATHS)
                bench_die("more than %d paths", BENCH_PATHS);
            out->paths[out->n_paths++] = argv[i];
        } else if (strcmp(argv[i], "--help") == 0) {
            puts(what);
            exit(0);
        } else if (read_switch(out, argv[i])) {
            continue;
        } else if (read_value(out, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) {
            i++;
        } else {
            bench_die("unknown option '%s'\n%s", argv[i], what);
        }
    }
}

unsigned bench_jobs(const bench_args *a)
{
    return a->n_jobs ? a->n_jobs : (unsigned)ken_pool_cores();
}

const char *bench_path(const bench_args *a, ken_arena *arena)
{
    if (a->n_paths > 1)
        bench_die("one path at a time");
    ken_str real;
    ken_err err = { 0 };
    bench_check(ken_path_real(arena, ken_str_c(a->n_paths ? a->paths[0] : "."), &real, &err), &err);
    return real.ptr;
}

// ---- texts -------------------------------------------------------------------------------------

void bench_read_lines(const char *root, size_t max_bytes, bench_line_fn *is_wanted,
                      ken_arena *arena, bench_lines *out)
{
    enum {
        FILE_MAX_BYTES = 1 << 20
    };
    ken_err err = { 0 };
    ken_scan_result files;
    size_t n_bytes = 0;
    bench_check(ken_scan(root, NULL, NULL, arena, &files, &err), &err);
    for (size_t i = 0; i < files.n_files && n_bytes < max_bytes; i++) {
        ken_buf text = KEN_BUF_INIT(FILE_MAX_BYTES);
        const char *path = ken_path_join(arena, ken_str_c(root), files.files[i].path).ptr;
        if (ken_fs_read_own(path, FILE_MAX_BYTES, &text, NULL) == KEN_OK) {
            ken_str rest = ken_arena_dup(arena, ken_buf_str(&text)), line;
            n_bytes += rest.len;
            while (ken_str_line_next(&rest, &line)) {
                line = ken_str_trim(line);
                if (is_wanted(line))
                    ken_vec_push(out, line);
            }
        }
        ken_buf_release(&text);
    }
    if (!out->len)
        bench_die("'%s' has no lines to make texts of", root);
}

bool bench_is_prose(ken_str line)
{
    ken_str token;
    size_t n = 0;
    while (ken_token_next(&line, &token))
        n += token.len > 2 && ken_is_alpha(token.ptr[0]);
    return n >= 5;
}

ken_str bench_first_words(ken_str line, size_t n)
{
    ken_str rest = line, token = { 0 };
    while (n && ken_token_next(&rest, &token))
        n--;
    return token.ptr ? ken_str_n(line.ptr, (size_t)(token.ptr + token.len - line.ptr)) : line;
}

// ---- clocks ------------------------------------------------------------------------------------

static int64_t ns_of(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

int64_t bench_cpu_ns(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return ns_of(own.ru_utime) + ns_of(own.ru_stime) + ns_of(children.ru_utime) +
           ns_of(children.ru_stime);
}

int64_t bench_thread_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Not ru_maxrss: a child inherits that of its parent.
uint64_t bench_peak_bytes(void)
{
    uint64_t kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib * 1024;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_quantile(bench_samples *s, double q)
{
    if (!s->len)
        return 0;
    qsort(s->ptr, s->len, sizeof *s->ptr, by_value);
    size_t i = (size_t)(q * (double)s->len);
    return s->ptr[i < s->len ? i : s->len - 1];
}

double bench_median(bench_samples *s)
{
    if (s->len % 2)
        return bench_quantile(s, 0.5);
    double upper = bench_quantile(s, 0.5); // sorts
    return s->len ? (upper + s->ptr[s->len / 2 - 1]) / 2 : 0;
}

double bench_ms(int64_t ns)
{
    return (double)ns / 1e6;
}

json_t *bench_quantiles(bench_samples *s)
{
    json_t *o = json_object();
    ken_json_set_real(o, "p50_ms", bench_median(s));
    ken_json_set_real(o, "p95_ms", bench_quantile(s, 0.95));
    ken_json_set_real(o, "p99_ms", bench_quantile(s, 0.99));
    ken_json_set_real(o, "max_ms", bench_quantile(s, 1));
    ken_json_set_u64(o, "n", s->len);
    return o;
}

// ---- folders -----------------------------------------------------------------------------------

static char temp_path[4096];

static void remove_temp(void)
{
    bench_remove_tree(temp_path);
}

const char *bench_temp(const bench_args *a, ken_arena *arena)
{
    const char *base = a && a->temp ? a->temp : getenv("TMPDIR");
    if (!temp_path[0]) {
        snprintf(temp_path, sizeof temp_path, "%s/ken-bench-XXXXXX", base && *base ? base : "/tmp");
        if (!mkdtemp(temp_path))
            bench_die("making a folder in '%s': %s", base ? base : "/tmp", strerror(errno));
        atexit(remove_temp);
    }
    return ken_arena_strdup(arena, temp_path);
}

static void run_quietly(const char *const *argv)
{
    ken_proc_opts opts = { .argv = argv, .timeout_ms = 3600 * 1000 };
    ken_proc_result r;
    ken_err err = { 0 };
    bench_check(ken_proc_run(&opts, &r, &err), &err);
    if (r.exit_code)
        bench_die("%s failed: " KEN_STR_FMT, argv[0], KEN_STR_ARG(ken_proc_complaint(&r)));
    ken_proc_result_release(&r);
}

void bench_remove_tree(const char *path)
{
    const char *const argv[] = { "rm", "-rf", "--", path, NULL };
    run_quietly(argv);
}

void bench_copy_tree(const char *from, const char *to, bool with_git)
{
    const char *const argv[] = { "cp", "-a", "--", from, to, NULL };
    run_quietly(argv);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    if (!with_git)
        bench_remove_tree(ken_path_join(&arena, ken_str_c(to), KEN_STR(".git")).ptr);
    ken_arena_release(&arena);
}

void bench_append(const char *path, const char *text)
{
    FILE *f = fopen(path, "ae");
    if (!f || fputs(text, f) == EOF || fclose(f))
        bench_die("appending to '%s': %s", path, strerror(errno));
}

static const char *appended_text;

static int append_to(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    if (type == FTW_F && S_ISREG(st->st_mode))
        bench_append(path, appended_text);
    return 0;
}

void bench_append_all(const char *root, const char *text)
{
    appended_text = text;
    nftw(root, append_to, 32, FTW_PHYS);
}

// ---- children ----------------------------------------------------------------------------------

const char *bench_beside(ken_arena *arena, const char *name)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    if (n <= 0)
        bench_die("finding this program: %s", strerror(errno));
    ken_str dir = ken_path_dir(ken_str_n(self, (size_t)n));
    return ken_path_join(arena, dir, ken_str_c(name)).ptr;
}

const char *bench_ken(const bench_args *a, ken_arena *arena)
{
    return a->ken ? a->ken : bench_beside(arena, "../ken");
}

extern char **environ;

json_t *bench_child(const char *const *argv)
{
    ken_proc_opts opts = { .argv = argv,
                           .env = (const char *const *)environ, // it is one of us
                           .timeout_ms = 3600 * 1000 };
    ken_proc_result r;
    ken_err err = { 0 };
    json_t *out = NULL;
    bench_check(ken_proc_run(&opts, &r, &err), &err);
    if (r.exit_code)
        bench_die("%s: " KEN_STR_FMT, argv[0], KEN_STR_ARG(ken_proc_complaint(&r)));
    bench_check(ken_json_parse(ken_str_trim(ken_buf_str(&r.out)), &out, &err), &err);
    ken_proc_result_release(&r);
    return out;
}

// The line "summary: N" of a file of callgrind.
static uint64_t read_summary(const char *path)
{
    uint64_t count = 0;
    char line[4096];
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "summary: %lu", &count) == 1)
            break;
    if (f)
        fclose(f);
    return count;
}

uint64_t bench_count_instructions(const char *const *argv, const char *toggle)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *out = ken_arena_printf(&arena, "%s/callgrind", bench_temp(NULL, &arena)).ptr;
    // Its log is of no use and, with system calls newer than valgrind, longer than a pipe is read.
    const char *full[64] = { "valgrind", "--tool=callgrind", "--log-file=/dev/null",
                             ken_arena_printf(&arena, "--callgrind-out-file=%s", out).ptr };
    size_t n = 4;
    if (toggle)
        full[n++] = ken_arena_printf(&arena, "--toggle-collect=%s", toggle).ptr;
    for (size_t i = 0; argv[i] && n < 63; i++)
        full[n++] = argv[i];
    json_decref(bench_child(full));
    uint64_t count = read_summary(out);
    if (!count)
        bench_die("callgrind said no count");
    ken_arena_release(&arena);
    return count;
}

double bench_real(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    if (!json_is_number(v))
        bench_die("a child did not tell '%s'", key);
    return json_number_value(v);
}

// ---- questions ---------------------------------------------------------------------------------

enum {
    WORDS_MIN = 4,
    WORDS_MAX = 8,
    WORD_MIN = 3
};

ken_str bench_sentence(ken_str doc, ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(1 << 12);
    ken_str rest = doc, token;
    const char *last = doc.ptr;
    size_t n = 0;
    while (n < WORDS_MAX && ken_token_next(&rest, &token)) {
        bool is_over = n && memchr(last, '.', (size_t)(token.ptr - last));
        last = token.ptr + token.len;
        if (is_over)
            break;
        if (token.len < WORD_MIN || !ken_is_alpha(token.ptr[0]))
            continue;
        if (n++)
            ken_buf_putc(&b, ' ');
        ken_buf_put_str(&b, token);
    }
    ken_str out = n >= WORDS_MIN ? ken_arena_dup(arena, ken_buf_str(&b)) : KEN_STR("");
    ken_buf_release(&b);
    return out;
}

// ---- answers -----------------------------------------------------------------------------------

json_t *bench_report(const char *name, const char *path)
{
    json_t *o = json_object();
    ken_json_set_str(o, "bench", ken_str_c(name));
    if (path)
        ken_json_set_str(o, "path", ken_path_base(ken_str_c(path)));
    ken_json_set_u64(o, "cores", ken_pool_cores());
    return o;
}

void bench_print(json_t *report)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_json_dump(report, &b);
    puts(b.ptr);
    fflush(stdout);
    ken_buf_release(&b);
    json_decref(report);
}
